"""Run all benchmarks and print the tables.

A full run is the new record of its processor in `results/`, and writes the tables of all
processors to `results.md`, and those of `README` into the README.

python -m benchmarks [section …]

Sections: forward other lanes scaling runs loops large questions processes.
"""

import datetime
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

FOLDER = Path(__file__).parent
SECTIONS = (
    "forward", "other", "lanes", "scaling", "runs", "loops", "large", "questions", "processes",
)  # fmt: skip
README = ("forward", "runs", "four-bar", "processes")
PACKAGES = ("numpy", "casadi", "llvmlite", "numba", "pin", "mujoco", "exudyn", "sympy", "scipy")


def main(asked: list[str]) -> int:
    """Run the sections asked for, all by default; return 1 if a demand is not met."""
    unknown = [name for name in asked if name not in SECTIONS]
    if unknown:
        print(f"no section {unknown[0]!r}; there are: {', '.join(SECTIONS)}", file=sys.stderr)
        return 2
    from rich.console import Console

    with tempfile.TemporaryDirectory() as cache:
        os.environ["BELLCRANK_CACHE"] = cache  # so that building is measured, not remembered
        tables = _measured(asked or list(SECTIONS), Console(width=130))
    return 0 if all(demand.met for table in tables for demand in table.demands) else 1


def _measured(asked: list[str], console) -> list:
    from benchmarks import sections
    from benchmarks.large import large
    from benchmarks.loops import loops
    from benchmarks.processor import processor
    from benchmarks.questions import questions
    from benchmarks.records import Record, records, write_pages
    from benchmarks.report import demands_table

    console.print(str(processor()))
    settings = {"exudyn_tree": 1e-10, "mujoco_rk4": 0.1 / 71}
    tables = {}
    simple = {
        "forward": sections.forward_dynamics,
        "other": sections.other_dynamics,
        "lanes": sections.lanes,
        "scaling": sections.scaling,
    }
    for name in asked:
        if name in simple:
            found = {name: simple[name]()}
        elif name == "runs":
            table, settings = sections.whole_runs()
            found = {name: table}
        elif name == "loops":
            found = loops()
        elif name == "large":
            found = large()
        elif name == "questions":
            found = {name: questions()}
        else:
            found = {name: sections.fresh_processes(settings)}
        for table in found.values():
            table.show(console)
        tables |= found
    summary = demands_table(list(tables.values()))
    summary.show(console)
    if set(asked) == set(SECTIONS):
        Record(processor(), _about(), tables, tuple(summary.demands)).save()
        write_pages(records(), FOLDER.parent / "README.md", README)
    return list(tables.values())


def _about() -> dict[str, str]:
    """Return when this is, what of, and with which packages."""
    git = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    found = subprocess.run(git, cwd=FOLDER, capture_output=True, text=True, check=False)
    return {
        "measured": f"{datetime.date.today()}, revision {found.stdout.strip() or 'unknown'}",
        "system": f"{platform.system()}, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {metadata.version(name)}" for name in PACKAGES),
    }


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
