"""The matrix: every machine in every formulation, by every method, however rows are held.

python -m tests.matrix [name of a machine …]      all of them if none is named: `make matrix`

Cells are made in child processes, one for each processor, so that one which ends its process is
known by name and the others go on. Prints what is wrong, and at the end how many cells came to
what.
"""

import os
import sys
import time
from collections import Counter

from tests.matrix.combinations import FORMULATIONS, MORE_FORMULATIONS, every
from tests.matrix.machines import EXAMPLES, SMALL
from tests.matrix.parent import verdicts

PATIENCE = 120.0  # seconds of processor time for a cell, compiling included


def main(names: list[str]) -> int:
    """Make the matrix; return how many cells are wrong."""
    known = [*SMALL, *EXAMPLES]
    if unknown := sorted(set(names) - set(known)):
        sys.exit(f"There is no machine {', '.join(unknown)}; there are {', '.join(known)}.")
    begun, counts = time.perf_counter(), Counter[str]()
    cells = every(names or known, [*FORMULATIONS, *MORE_FORMULATIONS])
    for cell, found, seconds in verdicts(cells, PATIENCE, os.cpu_count() or 1):
        kind = found.split(" ")[0].rstrip(":")
        counts[kind] += 1
        if kind not in ("right", "refused"):
            print(f"{cell}: {found} ({seconds:.1f} s)", flush=True)
    told = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
    print(f"{len(cells)} cells: {told}; {time.perf_counter() - begun:.0f} s.")
    return counts["wrong"]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) > 0)
