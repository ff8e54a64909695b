"""What depends on time alone, known before it is reached and given to a driver by windows."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol

import numpy as np

from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.problem import Array, EventHit, Status


def _none() -> Array:
    return np.zeros(0)


@dataclass(frozen=True, eq=False)
class Window:
    """What is known of a span of time, in the order it is passed.

    Attributes:
        end: The end of the span [s]; infinite if it is that of the run, or beyond.
        breaks: Where steps must end [s], shape (n,); the last one is at a finite `end`.
        after: Where the time goes on after each break [s].
        modes: Of the switches that change with time alone, before the first break, between
            breaks and after the last, shape (n + 1, count).
        starts: Where limits of the step begin to hold [s].
        lengths: The longest steps from there on [s].
        marks: Times of events that depend on time alone [s].
        numbers: Which event each is.
        stop: Whether the last one ends the run.
    """

    end: float
    breaks: Array
    after: Array
    modes: Array
    starts: Array = field(default_factory=_none)
    lengths: Array = field(default_factory=_none)
    marks: Array = field(default_factory=_none)
    numbers: Sequence[int] = ()
    stop: bool = False


class Timeline(Protocol):
    """What depends on time alone."""

    @property
    def count(self) -> int:
        """How many modes change with time alone: the last ones of the modes in k."""
        ...

    def window(self, t: float) -> Window:
        """Return what is known of the time from `t` [s] on."""
        ...

    def label(self, number: int) -> str:
        """Return what messages call an event."""
        ...


class Ahead:
    """Gives a driver one window after the other, and takes the events of time alone from it."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline, self._taken = timeline, 0
        self._window: Window | None = None
        self._kept: tuple[Array, ...] = ()
        self._stopped = -1  # number of the event that ended the run

    def load(self, blocks: Blocks) -> None:
        """Give the window that begins where the driver is."""
        run = blocks.run
        self._window = window = self._timeline.window(run.time)
        states = np.zeros((len(window.marks), run.nx))
        given = (
            window.breaks, window.modes, window.starts, window.lengths, window.marks,
            window.after,
        )  # fmt: skip
        self._kept = (*(np.ascontiguousarray(each, dtype=float) for each in given), states)
        names = (
            "breaks",
            "break_modes",
            "limit_start",
            "limit_length",
            "marks",
            "break_after",
            "mark_x",
        )
        for name, array in zip(names, self._kept, strict=True):
            setattr(run, name, array.ctypes.data)
        run.break_size, run.limit_size = len(window.breaks), len(window.starts)
        run.mark_size, self._taken = len(window.marks), 0
        run.break_next = run.limit_next = run.mark_next = 0
        run.window_end = window.end if np.isfinite(window.end) else run.sign * inf
        run.next_break = window.breaks[0] if len(window.breaks) else run.sign * inf
        start = run.nk
        before = blocks.k[start : start + run.timed]
        run.flips += int(np.count_nonzero(before != self._kept[1][0])) if run.steps else 0
        before[:] = self._kept[1][0]
        run.f0_valid = 0
        if window.stop:
            run.end = window.marks[-1]

    def collect(self, blocks: Blocks) -> list[EventHit]:
        """Return the events met since this was last asked."""
        window, met = self._window, blocks.run.mark_next
        if window is None or met == self._taken:
            return []
        times, states = self._kept[4], self._kept[6]
        hits = [
            EventHit(int(window.numbers[n]), float(times[n]), states[n].copy())
            for n in range(self._taken, met)
        ]
        self._taken = met
        if window.stop and met == len(times):
            self._stopped = hits[-1].index
        return hits

    def finish(self, blocks: Blocks, events: list[EventHit], status: Status) -> Status:
        """Put all events in the order they were met; return the status of the run."""
        events += self.collect(blocks)
        events.sort(key=lambda hit: blocks.run.sign * hit.t)
        if status is Status.DONE and self._stopped >= 0:
            blocks.ended_by = self._timeline.label(self._stopped)
            return Status.TERMINATED
        return status
