"""bellcrank: one description of a machine, every formulation, native code, labelled results.

    import bellcrank as bc

    pendulum = bc.Model(
        "pendulum",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
    )
    run = bc.simulate(pendulum, until=10.0)
    run["A.angle"].plot()

A name is imported when it is first used, so that `import bellcrank` is quick. The names and
their homes are listed once, in `__init__.pyi`.
"""

import re
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

__version__ = "0.1.0"


def _homes() -> dict[str, str]:
    """Return the module of every public name, as the stub beside this file says."""
    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    blocks = re.findall(r"^from (\S+) import (\([^)]*\)|.*)$", stub, re.MULTILINE)
    return {name: module for module, names in blocks for name in re.findall(r"as (\w+)", names)}


HOMES = _homes()
"""The module of every public name."""

__all__ = sorted(HOMES)  # noqa: PLE0605  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in HOMES:
        from bellcrank.errors import did_you_mean

        raise AttributeError(f"bellcrank has no {name!r}.{did_you_mean(name, HOMES)}")
    value = getattr(import_module(HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]


class _Package(ModuleType):
    """The package, in which `simulate` stays the function when the module is imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if not (name in HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
