"""Timing that the scheduler cannot spoil: the least processor time of many, in turns."""

import time
from collections.abc import Callable
from typing import Any


def best(action: Callable[[], object], *, at_least: int = 5, seconds: float = 0.5) -> float:
    """Return the least processor time of `action` [s], that of all its threads.

    It is called once unmeasured, then again and again until `seconds` have passed and it was
    measured `at_least` times.
    """
    action()
    shortest, count, begin = float("inf"), 0, time.perf_counter()
    while count < at_least or time.perf_counter() - begin < seconds:
        start = time.process_time()
        action()
        shortest = min(shortest, time.process_time() - start)
        count += 1
    return shortest


def once(action: Callable[[], object]) -> tuple[float, Any]:
    """Return the duration of one call [s] and what it returned."""
    start = time.perf_counter()
    result = action()
    return time.perf_counter() - start, result


def spent(action: Callable[[], object]) -> tuple[float, Any]:
    """Return the processor time of one call on this thread [s] and what it returned."""
    start = time.thread_time()
    result = action()
    return time.thread_time() - start, result


def alternate(*measures: Callable[[], float], rounds: int = 3) -> list[float]:
    """Return the smallest value of each measure, taken in turns.

    What disturbs the machine for a second disturbs all of them.
    """
    found = [[measure() for measure in measures] for _ in range(rounds)]
    return [min(column) for column in zip(*found, strict=True)]


def in_turns(*actions: Callable[[], object], rounds: int = 3) -> list[float]:
    """Return the least processor time of each action [s], measured in turns.

    The time of the calling thread, for actions that use no other: a busy machine lengthens
    the wall time of a run of seconds, but leaves one of milliseconds alone, and would bias
    their ratio.
    """
    found = [[_processor(action) for action in actions] for _ in range(rounds)]
    return [min(column) for column in zip(*found, strict=True)]


def _processor(action: Callable[[], object]) -> float:
    """Return the processor time of one call; of a short one the least of several."""
    shortest, count, begin = float("inf"), 0, time.perf_counter()
    while count < 1 or (count < 30 and time.perf_counter() - begin < 0.15):
        start = time.thread_time()
        action()
        shortest = min(shortest, time.thread_time() - start)
        count += 1
    return shortest
