"""What a caller's own functions raise during a run ends it, and the run up to there is kept.

A sampled law and a function for progress are called while arrays advance in time. What one of
them raises ends the loop as Ctrl-C does, so that every integrator keeps what it has.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import Status, Track
from bellcrank.integrators.problem import Schedule

Report = Callable[[float, int], None]


class _Halt(KeyboardInterrupt):
    """Ends the loop of an integrator."""


@dataclass
class Interruption:
    """What the functions of one run raised.

    Attributes:
        cause: The exception; None where none was raised.
        reason: What ended the run, in a sentence; empty where nothing did.
    """

    cause: Exception | None = None
    reason: str = ""

    def schedule(self, schedule: Schedule) -> Schedule:
        """Return a schedule whose laws end the run if they raise after its beginning."""
        return _Guarded(schedule, self)

    def report(self, progress: Report) -> Report:
        """Return a function for progress that ends the run if it raises."""

        def guarded(t: float, steps: int) -> None:
            try:
                progress(t, steps)
            except Exception as error:
                reason = f"progress raised {type(error).__name__}: {error}."
                self.halt(error, reason)

        return guarded

    def halt(self, cause: Exception, reason: str) -> None:
        """End the run."""
        self.cause, self.reason = cause, reason
        raise _Halt

    def note(self, error: BaseException, what: str) -> None:
        """Remember what ends the run, where it cannot be raised there; the first one counts."""
        if self.reason:
            return
        self.cause = error if isinstance(error, Exception) else None
        self.reason = f"{what}: {type(error).__name__} {error}".strip() + "."

    def told(self, track: Track) -> Track:
        """Return a track with the reason of its end."""
        return replace(track, status=Status.STOPPED, message=self.reason)


class _Guarded:
    """A schedule that halts its run. At the beginning there is no run to keep: it raises."""

    def __init__(self, schedule: Schedule, run: Interruption) -> None:
        self._schedule, self._run, self._begun = schedule, run, False
        self.next = schedule.next

    def update(self, t: float, x: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the inputs that hold from `t` on."""
        try:
            found = self._schedule.update(t, x, k)
        except OptionError as error:
            if self._begun:
                self._run.halt(error.__cause__ or error, str(error))  # pyright: ignore[reportArgumentType]
            raise
        self._begun = True
        return found
