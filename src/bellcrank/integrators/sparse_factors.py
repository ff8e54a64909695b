"""Sparse matrices of one pattern, factorised again and again: KLU of SuiteSparse.

The order of elimination is found once. The first factorisation chooses pivots; later ones keep
them, which takes a quarter of the time, until they are asked to choose anew.

The library comes with the package kvxopt. Where it lies beside the package as a shared library
it is called directly; else through kvxopt's own functions, which choose pivots every time.
"""

import ctypes
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from bellcrank.errors import MissingExtra
from bellcrank.kernels.pieces import in_large_pages

Array = np.ndarray
REGULAR = 1e-10  # ε on the scaled diagonal of rows, so that redundant ones do no harm
PURPOSE = "A machine assembled from kinds of elements (with assembled=False it is not)"


class Singular(Exception):
    """A matrix has no inverse.

    Attributes:
        column: The first column without a pivot, or -1 where it is not known.
    """

    def __init__(self, column: int = -1) -> None:
        super().__init__(f"singular in column {column}")
        self.column = column


class Factors(Protocol):
    """Factors of matrices of one pattern."""

    def factor(self, entries: Array, fresh: bool = False) -> None:
        """Factorise; `fresh` chooses pivots anew.

        Raises:
            Singular: There are no factors.
        """
        ...

    def solve(self, b: Array) -> Array:
        """Return the solution for a right-hand side, with the factors there are."""
        ...

    def solver(self, b: Array) -> Callable[[], Any]:
        """Return what replaces the right-hand side `b` by its solution, whenever called."""
        ...

    @property
    def native_solver(self) -> "NativeSolver | None":
        """How native code solves, where it can."""
        ...


class NativeSolver(NamedTuple):
    """Addresses: of `klu_solve`, the analysis, the pointer to the factors, and KLU's state."""

    solve: int
    symbolic: int
    numeric: int
    common: int


def factors(starts: Array, rows: Array, order: Array) -> Factors:
    """Return the factors of a pattern.

    Args:
        starts: Where columns start, 32-bit integers, shape (n + 1,).
        rows: Row numbers, ascending in each column.
        order: Unknowns in the order they are to be eliminated in.

    Raises:
        MissingExtra: kvxopt is not installed.
    """
    library = _library(package())
    return Shared(starts, rows, order, library) if library else Packaged(starts, rows)


def package() -> Path:
    """Return the folder of the package that brings the library.

    Raises:
        MissingExtra: It is not installed.
    """
    try:
        import kvxopt
    except ImportError:
        raise MissingExtra("kvxopt", "large", PURPOSE) from None
    return Path(kvxopt.__file__).parent


def callable_from_native_code() -> bool:
    """Say whether KLU lies beside its package as a library that native code can call.

    Raises:
        MissingExtra: It is not installed.
    """
    return _library(package()) is not None


def minimum_degree(n: int, one: Array, other: Array) -> Array:
    """Return the order of n nodes with these edges in which elimination fills in little.

    Raises:
        MissingExtra: kvxopt is not installed.
    """
    package()
    from kvxopt import amd
    from kvxopt.base import spmatrix

    lower = one > other
    down, across = [*one[lower].tolist(), *range(n)], [*other[lower].tolist(), *range(n)]
    return np.array(amd.order(spmatrix(1.0, down, across, (n, n)))).ravel()


def _library(package: Path) -> ctypes.CDLL | None:
    """Return KLU as it lies beside the package, or None."""
    for folder in (package.parent / "kvxopt.libs", package / ".dylibs", package):
        for path in sorted(folder.glob("libklu*")):
            try:
                library = _signed(ctypes.CDLL(str(path)))
            except (OSError, AttributeError):
                continue
            if _as_known(library):
                return library
    return None


def _as_known(library: ctypes.CDLL) -> bool:
    """Return whether `klu_common` is laid out as it has always been, judged by its defaults."""
    common = np.full(64, -7.0)
    library.klu_defaults(common.ctypes.data)
    state = common.view(np.int32)
    places = (_BLOCKS, _BLOCKS + 1, _SCALE, STATUS - 1, STATUS)
    return common[0] == 0.001 and [int(state[i]) for i in places] == [1, 0, 2, 1, 0]


def _signed(library: ctypes.CDLL) -> ctypes.CDLL:
    """Return the library with the types of what is called."""
    pointer, number = ctypes.c_void_p, ctypes.c_int
    for name, result, takes in (
        ("klu_defaults", number, [pointer]),
        ("klu_analyze_given", pointer, [number, *[pointer] * 5]),
        ("klu_factor", pointer, [pointer] * 5),
        ("klu_refactor", number, [pointer] * 6),
        ("klu_solve", number, [pointer, pointer, number, number, pointer, pointer]),
        ("klu_free_symbolic", number, [pointer, pointer]),
        ("klu_free_numeric", number, [pointer, pointer]),
        ("klu_z_free_numeric", number, [pointer, pointer]),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, takes
    return library


# Places among the integers of klu_common; checked by `_as_known` before they are used.
_BLOCKS, _SCALE, STATUS, _SINGULAR_COLUMN = 10, 12, 19, 23


NATIVE = ("factor", "refactor", "solve", "free_numeric")
"""What native code calls of KLU, for real (`klu_`) and for complex matrices (`klu_z_`)."""


class _Numeric(ctypes.Structure):
    """The beginning of `klu_numeric` as `klu.h` declares it, up to where the factors are."""

    _counts = ("n", "nblocks", "lnz", "unz", "max_lnz_block", "max_unz_block")
    _arrays = ("Pnum", "Pinv", "Lip", "Uip", "Llen", "Ulen")
    _fields_ = (
        *((name, ctypes.c_int) for name in _counts),
        *((name, ctypes.c_void_p) for name in _arrays),
        ("LUbx", ctypes.POINTER(ctypes.c_void_p)),
        ("LUsize", ctypes.POINTER(ctypes.c_size_t)),
    )


_UNIT = 8  # bytes that `LUsize` counts in


class Shared:
    """Factors by KLU itself.

    Attributes:
        library: KLU.
        symbolic: Its analysis of the pattern.
        common: Its state.
    """

    def __init__(self, starts: Array, rows: Array, order: Array, library: ctypes.CDLL) -> None:
        self.library, self._starts, self._rows = library, starts, rows
        self._n = len(starts) - 1
        self.common = np.zeros(64)  # klu_common is smaller
        library.klu_defaults(self.common.ctypes.data)
        state = self.common.view(np.int32)
        state[_BLOCKS], state[_SCALE] = 0, 0  # neither blocks nor scales: both are done
        wanted = np.ascontiguousarray(order, dtype=np.int32)
        arrays = [array.ctypes.data for array in (starts, rows, wanted, wanted)]
        found = library.klu_analyze_given(self._n, *arrays, self.common.ctypes.data)
        if not found:
            raise Singular
        self.symbolic, self._numeric = ctypes.c_void_p(found), ctypes.c_void_p()
        weakref.finalize(
            self, _freed, library, self.symbolic, self._numeric, self.common
        )  # fmt: skip

    def factor(self, entries: Array, fresh: bool = False) -> None:
        """Factorise; `fresh` chooses pivots anew."""
        arrays = [array.ctypes.data for array in (self._starts, self._rows, entries)]
        common, state = self.common.ctypes.data, self.common.view(np.int32)
        if self._numeric and not fresh:
            done = self.library.klu_refactor(*arrays, self.symbolic, self._numeric, common)
            if done and state[STATUS] == 0:
                return
        self.library.klu_free_numeric(ctypes.addressof(self._numeric), common)
        found = self.library.klu_factor(*arrays, self.symbolic, common)
        self._numeric.value = found
        if not found or state[STATUS] != 0:
            raise Singular(int(state[_SINGULAR_COLUMN]))
        self._in_large_pages(_Numeric.from_address(found))

    def _in_large_pages(self, numeric: "_Numeric") -> None:
        """Ask for large pages behind the factors, where they are as declared."""
        counts = min(numeric.lnz, numeric.unz) >= numeric.n == self._n
        if counts and numeric.nblocks == 1 and numeric.LUbx and numeric.LUsize:  # no blocks
            size, entries = numeric.LUsize[0], numeric.lnz + numeric.unz
            if numeric.LUbx[0] and entries <= size <= 4 * entries:
                in_large_pages(numeric.LUbx[0], _UNIT * size)

    def solve(self, b: Array) -> Array:
        """Return the solution for a right-hand side."""
        x = np.array(b, dtype=float)
        self.solver(x)()
        return x

    @property
    def addresses(self) -> dict[str, int]:
        """Where the functions are that native code calls, by name."""
        names = [f"klu_{kind}{name}" for kind in ("", "z_") for name in NATIVE]
        found = {
            name: ctypes.cast(getattr(self.library, name), ctypes.c_void_p) for name in names
        }
        return {name: int(pointer.value or 0) for name, pointer in found.items()}

    @property
    def native_solver(self) -> NativeSolver:
        """How native code solves."""
        solve = ctypes.cast(self.library.klu_solve, ctypes.c_void_p)
        return NativeSolver(
            int(solve.value or 0),
            int(self.symbolic.value or 0),
            ctypes.addressof(self._numeric),
            self.common.ctypes.data,
        )

    def solver(self, b: Array) -> Callable[[], Any]:
        """Return what replaces the right-hand side `b` by its solution, whenever called."""
        at, common = b.ctypes.data, self.common.ctypes.data

        def replace(b: Array = b) -> None:  # which thereby lives as long as this
            self.library.klu_solve(self.symbolic, self._numeric, self._n, 1, at, common)

        return replace


def _freed(library: Any, symbolic: Any, numeric: Any, common: Array) -> None:
    for pointer, free in (
        (numeric, library.klu_free_numeric),
        (symbolic, library.klu_free_symbolic),
    ):
        if pointer:
            free(ctypes.addressof(pointer), common.ctypes.data)


class Packaged:
    """Factors by kvxopt's functions."""

    native_solver = None

    def __init__(self, starts: Array, rows: Array) -> None:
        from kvxopt import klu
        from kvxopt.base import matrix, spmatrix

        self._klu: Any = klu
        self._vector: Any = matrix
        n = len(starts) - 1
        columns = np.repeat(np.arange(n), np.diff(starts))
        self._matrix: Any = spmatrix(1.0, rows.tolist(), columns.tolist(), (n, n))
        self._symbolic = klu.symbolic(self._matrix)
        self._numeric: Any = None

    def factor(self, entries: Array, fresh: bool = False) -> None:
        """Factorise; pivots are always chosen anew."""
        self._matrix.V = self._vector(np.ascontiguousarray(entries))
        try:
            self._numeric = self._klu.numeric(self._matrix, self._symbolic)
        except ArithmeticError:
            raise Singular from None

    def solve(self, b: Array) -> Array:
        """Return the solution for a right-hand side."""
        x = self._vector(np.array(b, dtype=float))
        self._klu.solve(self._matrix, self._symbolic, self._numeric, x)
        return np.array(x).ravel()

    def solver(self, b: Array) -> Callable[[], Any]:
        """Return what replaces the right-hand side `b` by its solution, whenever called."""

        def replace() -> None:
            b[:] = self.solve(b)

        return replace
