"""Hold every URDF file of `example-robot-data` against Pinocchio: `make robots`.

A line for each file: speeds, and the largest differences of mass matrix, inverse and forward
dynamics, relative to the largest number, for a fixed and for a floating base. `singular` says
that a moving link has no mass, so that there is no forward dynamics to compare.
"""

import sys
from pathlib import Path

import numpy as np
from tests.oracle.urdf_robots import agreement, all_urdfs, both, load_quietly

import bellcrank as bc

TOLERANCE = 1e-9


def row(path: Path, *, floating: bool) -> tuple[str, bool]:
    """Return the line of one robot, and whether all is well with it."""
    base = "floating" if floating else "fixed"
    name = f"{path.parent.parent.name}/{path.name}"
    try:
        robot = both(path, floating=floating)
    except ValueError:  # Pinocchio's word for a file it does not take
        try:
            load_quietly(path)
        except bc.FileError as error:
            why = " ".join(str(error).partition(", ")[2].split())  # complaints stand in lines
            return f"| {name} | {base} | neither loads it: {why} |", True
        return f"| {name} | {base} | Pinocchio does not load it, we do |", True
    found = agreement(robot)
    forward = "singular" if np.isnan(found.forward) else f"{found.forward:.0e}"
    worst = np.nanmax([found.mass, found.inverse, found.forward])
    numbers = f"{found.speeds} | {found.mass:.0e} | {found.inverse:.0e} | {forward}"
    return f"| {name} | {base} | {numbers} |", bool(worst < TOLERANCE)


def main() -> int:
    """Print the table; return 1 if one robot differs."""
    print("| robot | base | speeds | mass matrix | inverse | forward |")
    print("| --- | --- | --- | --- | --- | --- |")
    failed = 0
    for path in all_urdfs():
        for floating in (False, True):
            line, good = row(path, floating=floating)
            failed += not good
            print(line if good else f"{line} differs", flush=True)
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
