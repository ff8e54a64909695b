"""The shortest input that still fails.

Text loses stretches, lists lose members, mappings lose keys, and what is inside them is made
shorter likewise: greedily, halves first, while what is left fails with the same kind of
complaint and there is time.
"""

import time
from collections.abc import Callable, Iterator
from typing import Any

PATIENCE = 20.0  # s for one failure


def shortest(given: Any, fails: Callable[[Any], bool], patience: float = PATIENCE) -> Any:
    """Return the shortest value found, no longer than the given one, for which `fails`."""
    end = time.process_time() + patience
    again = True
    while again:
        again = False
        for shorter in _shorter(given):
            if time.process_time() > end:
                return given
            if fails(shorter):
                given, again = shorter, True
                break
    return given


def _shorter(value: Any) -> Iterator[Any]:
    """Give values that are shorter by something, the shortest first."""
    if isinstance(value, str | bytes | list | tuple) and not hasattr(value, "_fields"):
        yield from _cut(value)
    if isinstance(value, dict):
        for key in value:
            yield {k: v for k, v in value.items() if k != key}
        for key in value:
            for inner in _shorter(value[key]):
                yield {**value, key: inner}
    elif isinstance(value, list | tuple):
        for i, each in enumerate(value):
            for inner in _shorter(each):
                yield type(value)((*value[:i], inner, *value[i + 1 :]))


def _cut(value: Any) -> Iterator[Any]:
    size = len(value)
    while size := size // 2:
        for first in range(0, len(value), size):
            yield value[:first] + value[first + size :]
