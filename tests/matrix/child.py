"""A child process that makes cells of the matrix: names come in as lines, verdicts go out.

A cell that takes more processor time than it is given ends the process by SIGPROF: native code
sees no other end, and a busy computer does not make a cell wrong.
"""

import faulthandler
import json
import os
import signal
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
        begun = time.process_time()
        *names, patience = json.loads(line)
        signal.setitimer(signal.ITIMER_PROF, patience)
        found = verdict(Combination(*names))
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        seconds = time.process_time() - begun
        print(json.dumps([" ".join(found.split()), seconds]), file=answers, flush=True)


if __name__ == "__main__":
    main()
