"""Guard words: in tests, words that nobody may touch lie behind everything native code writes.

Native code trusts the sizes it is told. With the environment variable `BELLCRANK_GUARDS` set,
memory for it is laid out with guard words between its parts, and these are looked at whenever
it comes back: an overrun is found where it happens and names the array it ran out of. The
words are not-a-number, so that what reads them shows as well. Without the variable nothing
is laid out, and looking costs one comparison.
"""

import functools
import itertools
import os
from collections.abc import Iterable, Mapping
from math import prod
from typing import Any

import numpy as np

from bellcrank.errors import BellcrankError
from bellcrank.kernels import jit

Array = np.ndarray
VARIABLE = "BELLCRANK_GUARDS"
WIDTH = 8  # words in a guard; rows that begin at whole vectors stay there
WORD = np.int64(0x7FF8_0B5E_55ED_0B5E)  # not-a-number, which no arithmetic makes

_linked: list[jit.Library] = []  # code lives as long as its library


class Overrun(BellcrankError, RuntimeError):
    """Native code wrote beyond an array: a fault of bellcrank, to be reported.

    Attributes:
        array: The array it ran out of.
    """

    def __init__(self, array: str) -> None:
        self.array = array
        super().__init__(
            f"internal error: native code wrote beyond the end of {array}. Please report it."
        )


@functools.cache
def width() -> int:
    """Return how many guard words lie behind each part of memory: none, unless asked for.

    The environment is looked at once: memory laid out both ways would not fit together.
    """
    return WIDTH if os.environ.get(VARIABLE) else 0


def spots(places: Mapping[str, int], title: str) -> dict[int, str]:
    """Return where guard words begin in a memory laid out by `layout.offsets`, and behind what.

    Args:
        places: Where each part begins, and the end of the last one.
        title: What the memory is called.
    """
    if not width():
        return {}
    parts = sorted(places.items(), key=lambda part: part[1])
    return {
        following - WIDTH: f"{name} of {title}"
        for (name, _), (_, following) in itertools.pairwise(parts)
    }


class Guards:
    """Guard words in arrays, set once and looked at often."""

    def __init__(self) -> None:
        self._arrays: list[tuple[Array, Array, tuple[str, ...]]] = []
        self._others: list[Guards] = []

    def put(self, store: Array, named: Mapping[int, str]) -> None:
        """Set guard words in an array of 64-bit numbers.

        Args:
            store: The array.
            named: What lies before the guard that begins at a place.
        """
        if not named:
            return
        words, starts = store.view(np.int64), np.array(list(named), dtype=np.int64)
        places = (starts[:, None] + np.arange(WIDTH)).ravel()
        words[places] = WORD
        self._arrays.append((words, places, tuple(named.values())))

    def array(self, name: str, shape: tuple[int, ...], kind: Any = float) -> Array:
        """Return an array of 64-bit zeros, with a guard behind it where one is asked for."""
        guard = width()
        if not guard:
            return np.zeros(shape, dtype=kind)
        size = prod(shape)
        store = np.zeros(size + guard, dtype=kind)
        self.put(store, {size: name})
        return store[:size].reshape(shape)

    def include(self, other: "Guards") -> None:
        """Look at those of somebody else as well."""
        self._others.append(other)

    def forget(self) -> None:
        """Look at none of them any more."""
        self._arrays.clear()

    def check(self) -> None:
        """Raise where a guard word was written over.

        Raises:
            Overrun: Naming what lies before the first such word.
        """
        for words, places, names in self._arrays:
            wrong = words[places] != WORD
            if wrong.any():
                raise Overrun(names[int(wrong.argmax()) // WIDTH])
        for other in self._others:
            other.check()


# --- scratch of kernels -------------------------------------------------------------------


class Scratch:
    """The scratch of several kernels: one room for all, or one for each where it is guarded.

    Attributes:
        size: Doubles of it.
        spots: Where guard words begin in it, and behind what.
    """

    def __init__(self, kernels: Iterable[tuple[str, Any]]) -> None:
        """Lay it out.

        Args:
            kernels: By name; the first one is called by others too and gets what comes first.
        """
        self._begin: dict[str, int] = {}
        self.size, self.spots, guard = 0, {}, width()
        for name, kernel in kernels:
            if not guard:
                self.size = max(self.size, kernel.work)
                continue
            begin = self._begin[name] = self.size
            self.spots |= {
                begin + at: f"{what}, scratch of {name}"
                for at, what in getattr(kernel, "spots", {}).items()
            }
            end = begin + -(-kernel.work // WIDTH) * WIDTH
            self.spots[begin + kernel.work] = f"the scratch of {name}"
            self.size = end + WIDTH

    def address(self, name: str, kernel: Any) -> int:
        """Return the address by which a kernel is called with the scratch that is shared."""
        begin = self._begin.get(name, 0)
        return _shifted(kernel.address, begin) if begin else kernel.address


@functools.cache
def _shifted(address: int, doubles: int) -> int:
    """Return the address of code that calls a kernel with scratch so many doubles later."""
    text = f"""
define void @shifted(ptr %in, ptr %out, ptr %work) {{
  %own = getelementptr double, ptr %work, i64 {doubles}
  %f = inttoptr i64 {address} to ptr
  tail call void %f(ptr %in, ptr %out, ptr %own)
  ret void
}}
"""
    library = jit.link(jit.assemble(text), ["shifted"])
    _linked.append(library)
    return library["shifted"]
