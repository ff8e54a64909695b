"""The folder of compiled code, from the command line."""

import time
from collections.abc import Iterator

ACTIONS = ("warm", "size", "clear")


def act(action: str, models: list[str]) -> Iterator[str]:
    """Do what is asked, and say in lines what was done.

    Args:
        action: One of `ACTIONS`.
        models: Machines to compile ahead: files, or names of examples; all examples by default.

    Raises:
        OptionError: There is no such action, or it takes no machines.
    """
    from bellcrank.errors import OptionError, unknown_name
    from bellcrank.kernels import cache

    if action not in ACTIONS:
        raise OptionError(unknown_name("action", action, ACTIONS))
    if action == "warm":
        yield from _warm(models)
        return
    if models:
        raise OptionError(f"cache {action} takes no machine, got {models[0]!r}.")
    count, size = cache.size()
    if action == "clear":
        cache.clear()
    done = "cleared " if action == "clear" else ""
    entries = "1 entry" if count == 1 else f"{count} entries"
    yield f"{done}{entries}, {size / 2**20:.1f} MiB in {cache.folder()}"


def _warm(models: list[str]) -> Iterator[str]:
    """Simulate machines for a moment, which compiles all that a run of them needs."""
    import bellcrank as bc
    from bellcrank import examples
    from bellcrank.cli.words import find_machine

    for name in models or examples.names():
        begun = time.perf_counter()
        machine, settings = find_machine(name)
        settings |= {"until": settings.get("begin", 0.0) + 1e-3}
        run = bc.simulate(machine, **settings)
        run.evaluate()
        yield f"{name:24} {time.perf_counter() - begun:6.1f} s"
