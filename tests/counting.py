"""Work counted instead of timed: the same on every machine, busy or not."""

import sys
from collections.abc import Callable
from typing import Any


def calls(function: Callable[[], Any]) -> int:
    """Return how many calls of Python and C functions a function makes."""
    count, before = 0, sys.getprofile()

    def counted(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        function()
    finally:
        sys.setprofile(before)
    return count
