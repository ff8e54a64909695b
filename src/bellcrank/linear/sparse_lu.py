"""LU factors of sparse matrices of one pattern, factorised again and again.

    P M Q = L U,    Q the order of elimination that is given, P the pivots

The first factorisation chooses pivots by size and finds the pattern of L and U on the way.
Later ones keep both and compute numbers alone, until a pivot has become small beside its column
or new ones are asked for. All of it is native (`native.sparse_lu`): drivers call the routine
themselves, with the address of the record, and need not leave native code for new pivots.

References:
    Gilbert, Peierls (1988), Sparse partial pivoting in time proportional to arithmetic
    operations.
    Davis (2006), Direct methods for sparse linear systems, ch. 6.
"""

import ctypes
import weakref
from typing import Any

import numpy as np

Array = np.ndarray
FACTOR, SOLVE = range(2)
DONE, SINGULAR, NO_MEMORY = range(3)

_SIZES = ("n", "width", "chosen", "column", "lower_room", "upper_room")
_PATTERN = ("starts", "rows", "order")
_OWN = ("place", "row", "target", "stack", "path", "mark", "next", "lower_starts",
        "upper_starts", "pivots", "work")  # fmt: skip
_GROWING = ("lower_rows", "lower", "upper_rows", "upper")
LAYOUT = np.dtype([
    (name, np.int64) for name in (*_SIZES, *_PATTERN, *_OWN, *_GROWING, "allocate")
])
"""A record of sizes and addresses.

n, width    order of the matrix; 8-byte words of a number: 1 real, 2 complex
chosen      how often pivots were chosen; 0 where there are no factors yet
column      the column without a pivot, after `SINGULAR`
…_room      entries of L and U that there is memory for

starts, rows, order     the pattern by columns and the order of elimination, 32-bit integers
place, row  position of every row among the pivots, and the inverse of that
target      place[rows], once pivots are chosen
stack, path, mark, next     of the search for what a column fills in
…_starts    where columns of L and U start, 64-bit integers
pivots      one over each of them
work        one column; zero between calls
lower…, upper…  entries of L below its unit diagonal and of U above its own, by columns: rows
            counted by their places, and numbers
allocate    `void *allocate(void *, size_t)`, by which L and U grow
"""


class Singular(Exception):
    """A matrix has no inverse.

    Attributes:
        column: The first column without a pivot, or -1 where it is not known.
    """

    def __init__(self, column: int = -1) -> None:
        super().__init__(f"singular in column {column}")
        self.column = column


class SparseLU:
    """Factors of matrices of one pattern.

    Attributes:
        routine: The address of `native.sparse_lu.sparse_lu`, or of its complex twin, compiled.
        address: Of the record that it works on.
    """

    def __init__(
        self, starts: Array, rows: Array, order: Array, routine: int, dtype: type = float
    ) -> None:
        """Lay out the record.

        Args:
            starts: Where columns start, shape (n + 1,).
            rows: Row numbers of the stored entries, each once in a column.
            order: Columns in the order they are to be eliminated in, shape (n,).
            routine: The address of the routine.
            dtype: `float` or `complex`.
        """
        n, count = len(starts) - 1, len(rows)
        self.routine, self.dtype = routine, np.dtype(dtype)
        self._call = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)(routine)
        self._arrays = {
            name: np.ascontiguousarray(given, dtype=np.int32)
            for name, given in zip(_PATTERN, (starts, rows, order), strict=True)
        }
        sizes = {"target": count, "lower_starts": n + 1, "upper_starts": n + 1}
        kinds = {"next": np.int64, "lower_starts": np.int64, "upper_starts": np.int64,
                 "pivots": dtype, "work": dtype}  # fmt: skip
        self._arrays |= {
            name: np.zeros(sizes.get(name, n), kinds.get(name, np.int32)) for name in _OWN
        }
        self._record = record = np.zeros((), LAYOUT)
        for name, array in self._arrays.items():
            record[name] = array.ctypes.data
        record["n"], record["width"] = n, self.dtype.itemsize // 8
        record["allocate"] = _address(ctypes.pythonapi.PyMem_RawRealloc)
        self.address = record.ctypes.data
        weakref.finalize(self, _free, record)

    def factor(self, entries: Array, fresh: bool = False) -> None:
        """Factorise a matrix; `fresh` chooses pivots anew.

        Args:
            entries: Its stored entries, of the dtype of the factors.
            fresh: Whether pivots are not to be kept.

        Raises:
            Singular: There are no factors.
            MemoryError: They do not fit into memory.
        """
        entries = np.ascontiguousarray(entries, dtype=self.dtype)
        status = self._call(self.address, entries.ctypes.data, 0, fresh, FACTOR)
        if status == SINGULAR:
            raise Singular(int(self._record["column"]))
        if status == NO_MEMORY:
            raise MemoryError("the factors of a sparse matrix do not fit into memory.")

    def solve(self, b: Array) -> Array:
        """Return the solution for a right-hand side, with the factors there are."""
        x = np.array(b, dtype=self.dtype)
        self._call(self.address, 0, x.ctypes.data, 0, SOLVE)
        return x

    @property
    def choices(self) -> int:
        """How often pivots were chosen."""
        return int(self._record["chosen"])

    @property
    def memory(self) -> list[tuple[int, int]]:
        """Where L and U are and how long they are [bytes], which changes with pivots only."""
        counts = {part: int(self._arrays[f"{part}_starts"][-1]) for part in ("lower", "upper")}
        return [
            (int(self._record[name]), size * counts[name[:5]])
            for name in _GROWING
            for size in [4 if name.endswith("_rows") else self.dtype.itemsize]
        ]

    @property
    def fill(self) -> int:
        """Entries of L and U, with the diagonal of U."""
        below, above = self._arrays["lower_starts"][-1], self._arrays["upper_starts"][-1]
        return int(below + above) + len(self._arrays["order"])


def _address(function: Any) -> int:
    return ctypes.cast(function, ctypes.c_void_p).value or 0


_release = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(("PyMem_RawFree", ctypes.pythonapi))


def _free(record: Array) -> None:
    """Give back what L and U had grown to."""
    for name in _GROWING:
        _release(int(record[name]))
        record[name] = 0
