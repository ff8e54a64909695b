"""The matrix: every machine in every formulation, by every method, however rows are held.

python -m tests.matrix [--record FILE] [--children N] [name of a machine …]
    all machines if none is named: `make matrix`

Cells are made in child processes, one for each processor, so that one which ends its process is
known by name and the others go on. Prints what is wrong, and at the end how many cells came to
what. With a record each verdict is written to it as a line of JSON, and cells that are in it
are counted and not made again: a run that was stopped is continued, and a cell whose line is
taken out is made anew.
"""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.matrix.combinations import FORMULATIONS, MORE_FORMULATIONS, Combination, every
from tests.matrix.machines import EXAMPLES, SMALL
from tests.matrix.parent import Verdict, verdicts

PATIENCE = 120.0  # seconds of processor time for a cell, compiling included


def _recorded(
    cells: Iterable[Combination], record: Path | None, children: int
) -> Iterator[Verdict]:
    """Yield each cell with what became of it, now or when the record was written."""
    if record is None:
        yield from verdicts(cells, PATIENCE, children)
        return
    lines = record.read_text("utf-8").splitlines() if record.exists() else []
    known = {
        Combination(*cell): (found, taken) for *cell, found, taken in map(json.loads, lines)
    }
    yield from ((cell, *known[cell]) for cell in cells if cell in known)
    missing = [cell for cell in cells if cell not in known]
    with record.open("a", encoding="utf-8") as file:
        for cell, found, taken in verdicts(missing, PATIENCE, children):
            print(json.dumps([*cell, found, round(taken, 3)]), file=file, flush=True)
            yield cell, found, taken


def main(names: list[str], record: Path | None, children: int) -> int:
    """Make the matrix; return how many cells are wrong."""
    known = [*SMALL, *EXAMPLES]
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"There is no machine {', '.join(unknown)}; there are {', '.join(known)}.")
    begun, counts = time.perf_counter(), Counter[str]()
    cells = every(names or known, [*FORMULATIONS, *MORE_FORMULATIONS])
    for cell, found, seconds in _recorded(cells, record, children):
        kind = found.split(" ")[0].rstrip(":")
        counts[kind] += 1
        if kind not in ("right", "refused"):
            print(f"{cell}: {found} ({seconds:.1f} s)", flush=True)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{len(cells)} cells: {told}; {time.perf_counter() - begun:.0f} s.")
    return counts["wrong"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.matrix")
    parser.add_argument("names", nargs="*", metavar="machine")
    parser.add_argument("--record", type=Path, help="verdicts, kept from run to run")
    parser.add_argument("--children", type=int, default=os.cpu_count() or 1, help="at a time")
    given = parser.parse_args()
    sys.exit(main(given.names, given.record, given.children) > 0)
