"""A child process: times work, or writes down motions, with the `bellcrank` it is given.

python -m benchmarks.compare.child ROOT time [words …]
python -m benchmarks.compare.child ROOT motions FILE
"""

import json
import sys
from pathlib import Path

from benchmarks.compare import clock  # before bellcrank: it replaces the clock


def main(root: str, what: str, *names: str) -> None:
    """Do what is asked, and print times as JSON.

    Args:
        root: Folder whose `src` has to be the one imported from.
        what: `time` or `motions`.
        *names: Words in the names of what to time, all of it by default; or the file to write.

    Raises:
        SystemExit: Another `bellcrank` was found first.
    """
    import bellcrank as bc

    if not Path(bc.__file__).resolve().is_relative_to(Path(root).resolve() / "src"):
        raise SystemExit(f"bellcrank was imported from {bc.__file__}, not from {root}")
    if what == "motions":
        from benchmarks.compare.motions import write

        write(Path(names[0]))
    else:
        print(json.dumps(_times(names)))


def _times(names: tuple[str, ...]) -> dict[str, list[float] | str]:
    """Return the least times of each piece of work [s], or why there are none."""
    from benchmarks.compare.workloads import workloads

    found: dict[str, list[float] | str] = {}
    for name, make in workloads().items():
        if not names or any(words in name for words in names):
            try:
                found[name] = clock.least(make())
            except Exception as reason:
                found[name] = f"{type(reason).__name__}: {reason}"
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])
