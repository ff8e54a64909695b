"""All that is run before a release, and a table of it: `make release`.

python -m tests.release [name …]      all steps if none is named

Each step is a process of its own. What a step that fails has said is printed when it ends; at
the end stands a table of names, results and times.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
TAIL = 60  # lines of a step that fails
PYTEST = (
    "pytest", "-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadfile",
    "--no-loadscope-reorder",
)  # fmt: skip


class Step(NamedTuple):
    """A Python module, its arguments and its environment."""

    words: tuple[str, ...]
    environment: Mapping[str, str] = {}

    def __call__(self) -> tuple[int, str]:
        """Return the exit code and all that was written."""
        return spoken((sys.executable, "-m", *self.words), self.environment)


def spoken(command: tuple[str, ...], environment: Mapping[str, str]) -> tuple[int, str]:
    """Run a command in the checkout; return its exit code and all that it writes."""
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, text=True, check=False,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    return done.returncode, done.stdout


def wheel() -> tuple[int, str]:
    """Build a wheel, and run an example of it out of a folder that has nothing else of ours."""
    code = "import bellcrank as bc; from bellcrank import examples; print(bc.__file__); "
    code += "print(bc.simulate(examples.load('double-pendulum'), 0.1))"
    with tempfile.TemporaryDirectory() as folder:
        pip = (sys.executable, "-m", "pip")
        found, said = spoken((*pip, "wheel", "-q", "--no-deps", "-w", folder, "."), {})
        if found:
            return found, said
        (made,) = Path(folder).glob("*.whl")
        there = f"{folder}/installed"
        found, said = spoken((*pip, "install", "-q", "--no-deps", "-t", there, str(made)), {})
        if found:
            return found, said
        found, said = spoken((sys.executable, "-c", code), {"PYTHONPATH": there})
        return found or there not in said, f"{made.name}\n{said}"


STEPS: dict[str, Callable[[], tuple[int, str]]] = {
    "suite": Step((*PYTEST, "--durations=25")),
    "families": Step((*PYTEST, "-m", "family"), {"BELLCRANK_LONG": "1"}),
    "verify": Step(("tests.analysis.random_machines", "200")),
    "audit": Step(("tests.analysis.audited", "250")),
    "matrix": Step(("tests.matrix",)),
    "flat": Step(
        (*PYTEST, "--dist", "load", "tests/classics/test_flattened.py"),
        {"BELLCRANK_FLAT": "20"},
    ),
    "fuzz": Step(("tests.fuzz",)),
    "endurance": Step(("tests.endurance",)),
    "robots": Step(("tests.oracle.all_urdfs",)),
    "browser": Step((*PYTEST, "-k", "in_browser", "tests/views"), {"CI": "1"}),
    "wheel": wheel,
    "bench": Step(("benchmarks",)),
}


def table(rows: list[tuple[str, str, float, str]]) -> str:
    """Return rows of name, result, seconds and last words as text."""
    lines = ["| step | result | time [min] | last words |", "| --- | --- | ---: | --- |"]
    lines += [
        f"| {name} | {result} | {seconds / 60:.1f} | {words} |"
        for name, result, seconds, words in rows
    ]
    return "\n".join(lines)


def main(names: list[str]) -> int:
    """Run the steps; return how many failed."""
    unknown = [name for name in names if name not in STEPS]
    if unknown:
        print(f"no step named {unknown[0]!r}; there are {', '.join(STEPS)}.")
        return 1
    rows = []
    for name in names or STEPS:
        begun = time.perf_counter()
        code, said = STEPS[name]()
        lines = [line for line in said.splitlines() if line.strip()]
        result = "passed" if code == 0 else f"failed ({code})"
        rows.append((name, result, time.perf_counter() - begun, lines[-1] if lines else ""))
        print(f"{name}: {result}", flush=True)
        if code:
            print("\n".join(lines[-TAIL:]), flush=True)
    print(table(rows))
    return sum(result != "passed" for _, result, _, _ in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
