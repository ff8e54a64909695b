"""Poles and shapes of ẋ = A x, of rates that differ by any factor, and poles exactly zero.

What counts as nothing is known by the row: an entry of A is a sum, and what is left of one
that cancels is round-off of its terms. Entries per coordinate and entries per rate are sums of
terms of different units, and are compared with their own; the ones of q̇ = u say nothing about
the stiffness below them. Eigenvalues of a matrix are right to ε of the largest, those of its
inverse to ε of the smallest; together they are right over the square of that range.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
NOTHING = 1e-13  # of the terms of an entry: what is left of a sum that cancels
ROUNDING = 64 * np.finfo(float).eps  # of gravity and of what the motion makes, in any row
RANK = 1e-13  # smallest singular value of rows and columns of size one
SLOW = 1e-4  # of the fastest pole: below it, the inverse is asked
CLUSTER = 1e-2  # poles whose sizes differ by less are of one group


@dataclass(frozen=True)
class Zero:
    """A pole that is exactly zero, and why.

    Attributes:
        name: The coordinate or the rate.
        reason: `cyclic`, it enters nothing, or `constant`, nothing changes it.
    """

    name: str
    reason: str

    def __str__(self) -> str:
        why = {"cyclic": "enters nothing", "constant": "is changed by nothing"}[self.reason]
        return f"{self.name} {why}"


@dataclass(frozen=True, eq=False)
class Level:
    """One state less: what is left of A without states that make poles of zero.

    Attributes:
        matrix: A before, shape (n, n).
        left: Which of its states are left, shape (m,).
        cyclic: Whether the others entered nothing, and follow; else nothing changes them.
    """

    matrix: Array
    left: Array
    cyclic: bool

    def lifted(self, poles: Array, shapes: Array) -> Array:
        """Return shapes in all states, x = A x / λ, from those in what is left, by columns."""
        if self.cyclic:
            return self.matrix[:, self.left] @ shapes / poles
        found = np.zeros((len(self.matrix), shapes.shape[1]), dtype=shapes.dtype)
        found[self.left] = shapes
        return found


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The poles of a matrix that are not zero with their shapes, and those that are.

    Attributes:
        zeros: Poles that are exactly zero, and why.
        poles: The others [1/s], shape (m,).
        shapes: Their eigenvectors by columns, in nominal sizes, shape (n, m).
    """

    zeros: tuple[Zero, ...]
    poles: Array
    shapes: Array


def spectrum(A: Array, names: Sequence[str], noise: Array) -> Spectrum:
    """Return the poles and shapes of a matrix.

    Args:
        A: In nominal sizes of the states, shape (n, n).
        names: Of the states.
        noise: What counts as nothing in each entry, shape (n, n).
    """
    zeros, levels, inner = split(A, names, noise)
    poles, shapes = eigen(inner)
    for level in reversed(levels):
        shapes = level.lifted(poles, shapes)
    return Spectrum(tuple(zeros), poles, shapes)


def noise(terms: Array, counts: tuple[int, int], w: float, floor: float) -> Array:
    """Return what counts as nothing in the entries of A, shape (n, n).

    Stiffness is compared with stiffness of its row, and with damping times the speed of the
    motion, whose derivative it may be; damping with damping and with that speed.

    Args:
        terms: Sizes of the terms of A in nominal sizes, shape (n, n).
        counts: Numbers of coordinates and of rates among the states.
        w: The largest rate of the motion [1/s], in nominal sizes.
        floor: The rate of change of a rate that gravity makes [1/s²], in nominal sizes.
    """
    nh, n = counts
    found = np.empty_like(terms)
    blocks = np.split(np.arange(len(terms)), [nh, nh + n])
    place, rate, own = (terms[:, block].max(axis=1, initial=0.0) for block in blocks)
    changed = np.zeros(len(terms))
    changed[blocks[1]] = max(floor, w * w)
    found[:, blocks[0]] = np.maximum(NOTHING * np.maximum(place, w * rate), ROUNDING * changed)[
        :, None
    ]
    found[:, blocks[1]] = np.maximum(NOTHING * rate, ROUNDING * w)[:, None]
    found[:, blocks[2]] = (NOTHING * own)[:, None]
    return found


def split(
    A: Array, names: Sequence[str], noise: Array
) -> tuple[list[Zero], list[Level], Array]:
    """Return the poles that are exactly zero, how the others are come to, and what has them.

    A state that enters nothing has a column of zeros, one that nothing changes a row; without
    it others may. Then combinations of states, one after the other: others are measured from
    one of them. What is left is not blurred by Jordan blocks.

    Args:
        A: As of `spectrum`.
        names: As of `spectrum`.
        noise: As of `spectrum`.
    """
    zeros: list[Zero] = []
    levels: list[Level] = []
    names = list(names)
    while len(A):
        gone = np.abs(A) <= noise
        columns, rows = np.flatnonzero(gone.all(axis=0)), np.flatnonzero(gone.all(axis=1))
        if columns.size or rows.size:
            out, T = (columns if columns.size else rows), None
            reason = "cyclic" if columns.size else "constant"
            zeros += [Zero(str(names[i]), reason) for i in out]
        else:
            found = combinations(A, gone)
            if found is None:
                break
            out, T = found
            zeros += [Zero(_told(names, out[k], T[:, k]), "cyclic") for k in range(len(out))]
        left = np.setdiff1d(np.arange(len(A)), out)
        levels.append(Level(A, left, bool(columns.size) or T is not None))
        A, noise = _without(A, noise, out, left, T)
        names = [names[i] for i in left]
    return zeros, levels, A


def _without(
    A: Array, noise: Array, out: Array, left: Array, T: Array | None
) -> tuple[Array, Array]:
    """Return a matrix and its noise without states; others are measured from them by T."""
    inner, rest = A[np.ix_(left, left)], noise[np.ix_(left, left)]
    if T is None:
        return inner, rest
    T = T[left]
    down = np.ix_(out, left)
    return inner - T @ A[down], rest + np.abs(T) @ noise[down]


def _told(names: Sequence[str], pivot: Any, entries: Array) -> str:
    """Return the names of the states that move most in a combination."""
    size = np.abs(entries)
    size[pivot] = 1.0 + size.max(initial=0.0)
    most = [int(i) for i in np.argsort(-size, kind="stable")[:3] if i == pivot or size[i] > 0.1]
    return " with ".join(str(names[i]) for i in most)


def combinations(A: Array, gone: Array) -> tuple[Array, Array] | None:
    """Return states that tell the null space of A apart, and all states per each of them.

    How large it is is decided where rows and columns have size one; its vectors are found by
    elimination, which keeps the sizes of rows apart. None where there is none.

    Args:
        A: Shape (n, n).
        gone: Which of its entries count as nothing, not all of a row or a column.
    """
    from scipy.linalg import lu, qr

    down, across, size = np.ones(len(A)), np.ones(len(A)), np.where(gone, 0.0, np.abs(A))
    for _ in range(3):
        down = 1.0 / (size * across).max(axis=1)
        across = 1.0 / (size * down[:, None]).max(axis=0)
    even = A * down[:, None] * across
    _, sigma, Vt = np.linalg.svd(even)
    null = Vt[sigma <= RANK]
    if not len(null):
        return None
    order: Any = qr(null, mode="r", pivoting=True)
    pivots = np.sort(order[1][: len(null)])
    left = np.setdiff1d(np.arange(len(A)), pivots)
    factors: Any = lu(even[:, left], p_indices=True)
    rows = np.argsort(factors[0])[: len(left)]
    T = np.zeros((len(A), len(pivots)))
    T[pivots] = np.eye(len(pivots))
    T[left] = -np.linalg.solve(even[np.ix_(rows, left)], even[np.ix_(rows, pivots)])
    T[np.abs(T) <= NOTHING] = 0.0
    return pivots, T * across[:, None] / across[pivots]


def eigen(A: Array) -> tuple[Array, Array]:
    """Return eigenvalues of a regular matrix, fastest first, and vectors by columns.

    Args:
        A: Shape (n, n).
    """
    poles, shapes = _by_size(*np.linalg.eig(A))
    size = np.abs(poles)
    if not len(A) or size[-1] > SLOW * size[0]:
        return poles, shapes
    try:
        slow, others = np.linalg.eig(np.linalg.inv(A))
    except np.linalg.LinAlgError:
        return poles, shapes
    if not (np.abs(slow) > 0.0).all():
        return poles, shapes
    slow, others = _by_size(1.0 / slow, others)
    cut = _cut(size, np.abs(slow))
    return (
        np.concatenate([poles[:cut], slow[cut:]]),
        np.concatenate([shapes[:, :cut], others[:, cut:]], axis=1),
    )


def _by_size(values: Array, vectors: Array) -> tuple[Array, Array]:
    """Return eigenvalues, fastest first, with their vectors, as complex numbers."""
    order = np.argsort(-np.abs(values), kind="stable")
    return values[order].astype(complex), vectors[:, order].astype(complex)


def _cut(fast: Array, slow: Array) -> int:
    """Return how many of the fastest eigenvalues are those of the matrix, not of its inverse.

    Cut where both are equally wrong, at the geometric mean of the range, and not in a group.
    """
    middle = np.sqrt(fast[0]) * np.sqrt(slow[-1])
    size = np.where(fast > middle, fast, slow)
    groups = np.flatnonzero(size[1:] < (1.0 - CLUSTER) * size[:-1]) + 1
    apart = np.abs(np.log(np.sqrt(size[groups - 1] * size[groups]) / middle))
    return int(groups[np.argmin(apart)]) if len(groups) else len(size)
