"""All that is run before a release, and a table of it: `make release`.

python -m tests.release [name …]      all steps if none is named

Each step is a process of its own. What a step that fails has said is printed when it ends; at
the end stands a table of names, results and times.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

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


RUN = """
import bellcrank as bc; from bellcrank import examples; print(bc.__file__)
print(bc.simulate(examples.load('double-pendulum'), 0.1))
"""
LOWEST = ("tests/results", "tests/files", "tests/kernels", "tests/simulate/test_backends.py",
          "tests/simulate/test_simulate.py", "tests/simulate/test_no_progress.py",
          "tests/door/test_command_line.py", "tests/door/test_examples.py",
          "-k", "not up_to_date and not twice and not Missing")  # fmt: skip
"""What is tried with the lowest versions: each dependency is used by some of it.

Left out is what tells one version from another: the text of a schema, a choice of CasADi's, the
words of a message that is not ours.
"""
NEEDED = ("bellcrank/py.typed", "bellcrank/__init__.pyi", "bellcrank/files/schema.json",
          "bellcrank/examples/four-bar.yaml", "bellcrank/views/player/player.js")  # fmt: skip


def package() -> tuple[int, str]:
    """Build wheel and source, look at what is in them, install the wheel and run an example.

    It is installed with all it needs into an empty environment, of the newest Python here and
    of each other one that is declared and there.
    """
    with tempfile.TemporaryDirectory() as folder:
        found, said = spoken((sys.executable, "-m", "build", "-o", folder), {})
        if found:
            return found, said
        made = sorted(map(str, Path(folder).iterdir()))
        found, said = spoken((sys.executable, "-m", "twine", "check", "--strict", *made), {})
        (wheel,) = Path(folder).glob("*.whl")
        stray = _stray(wheel)
        if found or stray:
            return 1, f"{said}\n{stray}"
        told = []
        for python in _pythons():
            there = Path(folder, python.replace("/", "_"))
            begun = time.perf_counter()
            found, said = _installed(python, wheel, there)
            told.append(f"{python}: {said.splitlines()[-1] if said else ''}")
            if found:
                return found, said
            told[-1] += f" ({time.perf_counter() - begun:.0f} s)"
        return 0, "\n".join([wheel.name, *told])


def _stray(wheel: Path) -> str:
    """Return what is wrong with the files of a wheel."""
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
    lost = [name for name in NEEDED if name not in names]
    own = ("bellcrank/", "bellcrank-")
    extra = [n for n in names if not n.startswith(own) or n.endswith((".pyc", ".blob"))]
    return "".join([f"missing {lost}" if lost else "", f"stray {extra}" if extra else ""])


def _pythons() -> list[str]:
    """Return one Python of each declared version that is here, on the path or by pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions")
    found = []
    for minor in _declared():
        names = [f"python3.{minor}", *map(str, pyenv.glob(f"3.{minor}.*/bin/python"))]
        runs = (n for n in names if shutil.which(n) and not spoken((n, "--version"), {})[0])
        found += [name for name in (next(runs, None),) if name]
    return found or [sys.executable]


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def _declared() -> list[int]:
    """Return the minor versions of Python that are declared."""
    listed = (c.rpartition("Python :: 3.")[2] for c in _project()["classifiers"])
    return [int(minor) for minor in listed if minor.isdigit()]


def lowest() -> tuple[int, str]:
    """Run examples, the command line and some tests with the lowest versions declared.

    Bounds are those of `dependencies` and of the extras `meshes`, `algebra` and `view`.
    """
    project = _project()
    extras = project["optional-dependencies"]
    needed = [*project["dependencies"], *extras["meshes"], *extras["algebra"], *extras["view"]]
    bounds = [re.match(r"([\w-]+)>=([\d.]+)", each) for each in needed]
    exact = [f"{bound[1]}=={bound[2]}.*" for bound in bounds if bound]
    python = _pythons()[0]
    with tempfile.TemporaryDirectory() as folder:
        there = f"{folder}/bin/python"
        install = (there, "-m", "pip", "install", "-q", *exact, "-e", ".")
        for command in (
            (python, "-m", "venv", folder),
            (*install, "pytest", "hypothesis", "pillow"),
            (there, "-m", "pytest", "-q", "-p", "no:cacheprovider", *LOWEST),
        ):
            outside = {"PYTHONPATH": "", "BELLCRANK_CACHE": f"{folder}/cache"}
            found, said = spoken(command, outside)
            if found:
                return found, said
    return 0, f"{said}\n{len(exact)} lowest versions on {python}: {said.splitlines()[-1]}"


def tutorial() -> tuple[int, str]:
    """Run the cells of the tutorial in an empty environment, and tell how long they take."""
    with tempfile.TemporaryDirectory() as folder:
        there = f"{folder}/bin/python"
        outside = {"PYTHONPATH": "", "BELLCRANK_CACHE": f"{folder}/cache", "MPLBACKEND": "agg"}
        for command in (
            (_pythons()[0], "-m", "venv", folder),
            (there, "-m", "pip", "install", "-q", "."),
            (there, "docs/generate/notebook.py", "docs/tutorial.md"),
        ):
            found, said = spoken(command, outside)
            if found:
                return found, said
    return 0, said


def _installed(python: str, wheel: Path, there: Path) -> tuple[int, str]:
    """Install a wheel into an environment of its own and run an example there."""
    for command in (
        (python, "-m", "venv", str(there)),
        (f"{there}/bin/python", "-m", "pip", "install", "-q", str(wheel)),
        (f"{there}/bin/python", "-c", RUN),
    ):
        found, said = spoken(command, {"PYTHONPATH": ""})
        if found:
            return found, said
    return str(there) not in said, said


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
    "browser": Step(
        (*PYTEST, "-k", "in_browser", "tests/views"), {"CI": "1", "BELLCRANK_LONG": "1"}
    ),
    "site": Step(("tests.site",)),
    "package": package,
    "lowest": lowest,
    "tutorial": tutorial,
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
