"""Arrays of a large machine, side by side in few large blocks of memory.

Every iteration passes through dozens of arrays at once. Each for itself would lie in small
pages, more of them than a processor keeps at hand. On Linux large pages can be asked for, which
NumPy does for every block of four megabytes or more.
"""

import ctypes
import functools
import sys
from collections.abc import Callable
from math import prod
from threading import Lock
from typing import final

import numpy as np

from bellcrank.kernels import guards

Array = np.ndarray
BLOCK = 1 << 23  # bytes
LINE = 64  # bytes; arrays begin at multiples of it
PAGE = 1 << 21  # bytes of a large page
_HUGEPAGE, _COLLAPSE = 14, 25  # of Linux's madvise


@final
class Arena:
    """Hands out arrays that live as long as any of their block.

    Args:
        many: Whether there will be enough of them to fill blocks; else they stand alone.

    Attributes:
        guards: Words behind arrays that must stay as they are.
    """

    def __init__(self, many: bool) -> None:
        self._many, self._block, self._used = many, np.empty(0, dtype=np.uint8), 0
        self._lock, self.guards, self._number = Lock(), guards.Guards(), 0

    def zeros(self, shape: int | tuple[int, ...], dtype: type = float) -> Array:
        """Return an array of zeros."""
        if guards.width():
            return self._guarded(shape, np.dtype(dtype))
        if not self._many:
            return np.zeros(shape, dtype)
        shape = (shape,) if isinstance(shape, int) else shape
        found = self._room(prod(shape) * np.dtype(dtype).itemsize).view(dtype).reshape(shape)
        found[...] = 0
        return found

    def _guarded(self, shape: int | tuple[int, ...], dtype: np.dtype) -> Array:
        """Return an array of zeros that stands alone, with guard words behind it."""
        count = prod((shape,) if isinstance(shape, int) else shape)
        self._number += 1
        name = f"array {self._number} of a large machine, {shape} of {dtype}"
        words = self.guards.array(name, (-(-count * dtype.itemsize // 8),))
        return words.view(dtype)[:count].reshape(shape)

    def _room(self, size: int) -> Array:
        """Return so many bytes that nobody else has."""
        with self._lock:
            if self._used + size > self._block.size:
                self._block = np.empty(max(BLOCK, size) + PAGE, dtype=np.uint8)
                self._used = -self._block.ctypes.data % PAGE
            begin, self._used = self._used, self._used + size + -size % LINE
            return self._block[begin : begin + size]

    def copy(self, values: Array, dtype: type = float) -> Array:
        """Return a copy of an array."""
        found = self.zeros(values.shape, dtype)
        found[...] = values
        return found


def in_large_pages(address: int, size: int) -> None:
    """Ask for large pages behind memory that others have allotted, its contents kept.

    Args:
        address: Where it begins.
        size: Its length [bytes].
    """
    begin, length = whole_pages(address, size)
    if length:
        for advice in (_HUGEPAGE, _COLLAPSE):  # a system that knows neither stays as it is
            _advise()(begin, length, advice)


def whole_pages(address: int, size: int) -> tuple[int, int]:
    """Return where the large pages that fit into memory begin, and their length [bytes].

    Examples:
        >>> whole_pages(PAGE - 8, 3 * PAGE) == (PAGE, 2 * PAGE)
        True
        >>> whole_pages(PAGE - 8, 100)[1]
        0
    """
    begin, end = address + -address % PAGE, (address + size) // PAGE * PAGE
    return begin, max(end - begin, 0)


@functools.cache
def _advise() -> Callable[[int, int, int], object]:
    """Return `madvise`, or what does nothing."""
    if sys.platform != "linux":
        return lambda address, size, advice: None
    found = ctypes.CDLL(None).madvise
    found.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return found
