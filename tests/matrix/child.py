"""A child process that makes cells of the matrix: names come in as lines, verdicts go out."""

import faulthandler
import json
import os
import sys
import time


def main() -> None:
    """Answer lines until there are no more of them."""
    faulthandler.enable()
    os.environ["BELLCRANK_GUARDS"] = "1"
    # What a machine prints while it compiles must not come between the answers.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    from tests.matrix.cell import verdict
    from tests.matrix.combinations import Combination

    for line in sys.stdin:
        begun = time.perf_counter()
        found = verdict(Combination(*json.loads(line)))
        seconds = time.perf_counter() - begun
        print(json.dumps([" ".join(found.split()), seconds]), file=answers, flush=True)


if __name__ == "__main__":
    main()
