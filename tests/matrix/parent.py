"""Cells of the matrix made in child processes, those of one machine and formulation by one."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from queue import Empty, SimpleQueue
from signal import SIGPROF, Signals

from tests.matrix.combinations import Combination

Verdict = tuple[Combination, str, float]
"""A cell, what became of it, and the processor time it took [s]."""


class Child:
    """A process that makes cells; another takes its place when it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, cell: Combination, patience: float) -> tuple[str, float]:
        """Return the verdict about a cell and the processor time it took [s]."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.matrix.child"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps([*cell, patience]) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            code = process.wait()
            self.close()
            if code == -SIGPROF:
                return f"wrong: no answer within {patience:g} s", patience
            how = Signals(-code).name if code < 0 else f"code {code}"
            return f"wrong: the process died by {how}", 0.0
        found, seconds = json.loads(answer)
        return found, seconds

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def verdicts(
    cells: Iterable[Combination], patience: float, children: int = 1
) -> Iterator[Verdict]:
    """Yield each cell with what became of it.

    Args:
        cells: Those of one machine and formulation side by side: they share what is compiled.
        patience: Processor time that a cell may take, compiling included [s].
        children: How many processes make cells at the same time.
    """
    work: SimpleQueue[list[Combination]] = SimpleQueue()
    done: SimpleQueue[Verdict | None] = SimpleQueue()
    for _, group in groupby(cells, key=lambda cell: (cell.machine, cell.formulation)):
        work.put(list(group))

    def make() -> None:
        child = Child()
        try:
            while True:
                for cell in work.get_nowait():
                    done.put((cell, *child.ask(cell, patience)))
        except Empty:
            pass
        finally:
            child.close()
            done.put(None)

    with ThreadPoolExecutor(children) as pool:
        for _ in range(children):
            pool.submit(make)
        for _ in range(children):
            while (one := done.get()) is not None:
                yield one
