"""Verify many random machines in every formulation: `make verify`.

python -m tests.analysis.random_machines [how many] [first]
"""

import sys
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from tests.analysis.scattered import (
    SORTS,
    random_machine,
    scattered,
    with_states_and_relations,
)

from bellcrank.analysis.verify import verify_states


def verified(number: int) -> tuple[int, bool, str, float, int]:
    """Return what is found of one machine: its number, agreement, verdict, worst, how many.

    Every third has variables and, where it can, a relation of positions besides.
    """
    model = with_states_and_relations(number) if number % 3 == 0 else random_machine(number)
    found = verify_states(model, scattered(model, 2, number))
    worst = found.worst.value if found.worst else 0.0
    return number, found.agrees, found.verdict, worst, len(found.formulations)


def main(count: int, first: int = 0) -> int:
    """Verify machines side by side; return how many do not agree."""
    begun, bad, largest, taken = time.perf_counter(), 0, 0.0, []
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for number, agrees, verdict, worst, formulations in pool.map(
            verified, range(first, first + count)
        ):
            largest, bad = max(largest, worst), bad + (not agrees)
            taken.append(formulations)
            if not agrees:
                print(f"machine {number} ({SORTS[number % len(SORTS)]}): {verdict}", flush=True)
    print(
        f"{count - bad} of {count} random machines agree, in {min(taken)} to {max(taken)} "
        f"formulations each, to {largest:.1e}; {time.perf_counter() - begun:.0f} s."
    )
    return bad


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    sys.exit(main(*(numbers or [200])) > 0)
