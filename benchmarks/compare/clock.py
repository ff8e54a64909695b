"""Processor time in place of wall-clock time, in a child process.

`run.statistics["seconds"]`, the time of the integration alone, is a difference of two readings
of `time.perf_counter`. Where this module is imported before `bellcrank`, these are readings of
the processor time of the process, and are kept: the one from which `seconds` counts is where
preparation ended and integration began, whatever the revision calls the places.
"""

import time
from collections.abc import Callable
from itertools import combinations
from typing import Any

TICK = 5e-10  # half of what the clock tells apart [s]
_readings: list[float] = []


def _read() -> float:
    now = time.process_time()
    _readings.append(now)
    return now


time.perf_counter = _read


def parts(work: Callable[[], Any]) -> tuple[float, ...]:
    """Return the processor time of a call [s]; of a run also that before and of integration.

    Args:
        work: Returns a `Result`, or anything else.
    """
    _readings.clear()
    begin = time.process_time()
    done = work()
    whole = time.process_time() - begin
    if not hasattr(done, "statistics"):
        return (whole,)
    seconds = done.statistics["seconds"]
    started = [a for a, b in combinations(_readings, 2) if abs(b - a - seconds) < TICK]
    return (whole, started[0] - begin, seconds) if started else (whole,)


def least(work: Callable[[], Any], *, at_least: int = 3, seconds: float = 0.1) -> list[float]:
    """Return the least `parts` of several calls; the first call is not measured."""
    work()
    found, begin = [], time.process_time()
    while len(found) < at_least or time.process_time() - begin < seconds:
        found.append(parts(work))
    return [min(column) for column in zip(*found, strict=True)]
