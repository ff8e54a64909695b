"""Cells of the matrix made in child processes, one after the other."""

import json
import select
import subprocess
import sys
from collections.abc import Iterable, Iterator
from signal import Signals

from tests.matrix.combinations import Combination


class Child:
    """A process that makes cells; another takes its place when it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None

    def ask(self, cell: Combination, patience: float) -> tuple[str, float]:
        """Return the verdict about a cell and the seconds it took."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.matrix.child"],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                text=True,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(cell) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], patience)[0]:
            self.close()
            return f"wrong: no answer within {patience:g} s", patience
        answer = process.stdout.readline()
        if not answer:
            code = process.wait()
            self.close()
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
    cells: Iterable[Combination], patience: float
) -> Iterator[tuple[Combination, str, float]]:
    """Yield each cell with what became of it and the seconds it took."""
    child = Child()
    try:
        for cell in cells:
            yield cell, *child.ask(cell, patience)
    finally:
        child.close()
