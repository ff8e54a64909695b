"""Poles and shapes of ẋ = A x, of rates that differ by any factor, and poles exactly zero.

What counts as nothing is known by the row: an entry of A is a sum, and what is left of one
that cancels is round-off of its terms. Entries per coordinate and entries per rate are sums of
terms of different units, and are compared with their own; the ones of q̇ = u say nothing about
the stiffness below them. Eigenvalues of a matrix are right to ε of the largest, those of its
inverse to ε of the smallest; together they are right over the square of that range.

Where entries of A are known to ΔA only, a pole λ with left and right eigenvectors y and x is
known to

    |Δλ| ≤ |y|ᵀ (ΔA + ε |A|) |x| / |yᵀ x|
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
EPS = np.finfo(float).eps
FAINTEST = 0.05  # of what counts as nothing: what is less is round-off of the row
TOLD = 64.0  # times its doubt, an entry is no round-off


@dataclass(frozen=True, eq=False)
class Zero:
    """A pole that is exactly zero, and why.

    Attributes:
        name: The coordinate or the rate.
        reason: `cyclic`, it enters nothing, or `constant`, nothing changes it.
        shape: How the states move in it, in nominal sizes, the most by 1, shape (n,).
        neglected: The largest entry, of others in its row, that counted as nothing although it
            is no round-off.
    """

    name: str
    reason: str
    shape: Array
    neglected: float = 0.0

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
        errors: How far the poles may be off by round-off, of their size, shape (m,).
    """

    zeros: tuple[Zero, ...]
    poles: Array
    shapes: Array
    errors: Array

    @property
    def doubtful(self) -> bool:
        """Whether it may matter how well the entries of the matrix are known."""
        size = np.abs(self.poles)
        wide = bool(len(size)) and size.min() <= SLOW * size.max()
        return wide or any(zero.neglected for zero in self.zeros)


def spectrum(
    A: Array, names: Sequence[str], noise: Array, doubt: Array | float = 0.0
) -> Spectrum:
    """Return the poles and shapes of a matrix.

    Args:
        A: In nominal sizes of the states, shape (n, n).
        names: Of the states.
        noise: What counts as nothing in each entry, shape (n, n).
        doubt: How far each entry may be off, likewise.
    """
    spread = np.stack([noise, np.broadcast_to(doubt, A.shape)])
    zeros, levels, inner, spread = split(A, names, spread)
    poles, shapes = eigen(inner)
    errors = uncertainty(inner, spread[1], poles, shapes)
    for level in reversed(levels):
        shapes = level.lifted(poles, shapes)
    return Spectrum(tuple(zeros), poles, shapes, errors)


def uncertainty(A: Array, doubt: Array, poles: Array, shapes: Array) -> Array:
    """Return how far eigenvalues of a regular matrix may be off, of their size, shape (n,).

    Args:
        A: Shape (n, n).
        doubt: How far its entries may be off, shape (n, n).
        poles: Its eigenvalues, shape (n,).
        shapes: Its eigenvectors by columns, shape (n, n).
    """
    try:
        left = np.abs(np.linalg.inv(shapes))
    except np.linalg.LinAlgError:  # a Jordan block, exactly
        return np.full(len(poles), np.sqrt(EPS))
    moved = (left @ (doubt + EPS * np.abs(A)) * np.abs(shapes).T).sum(axis=1)
    return moved / np.maximum(np.abs(poles), np.finfo(float).tiny)


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
    # What may be round-off of its column says nothing of its row but by its own round-off.
    faint = terms <= ROUNDING * terms.max(axis=0, initial=0.0)
    terms = np.where(faint, 4 * EPS / NOTHING * terms, terms)
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
    A: Array, names: Sequence[str], spread: Array
) -> tuple[list[Zero], list[Level], Array, Array]:
    """Return the poles that are exactly zero, how the others are come to, and what has them.

    A state that enters nothing has a column of zeros, one that nothing changes a row; without
    it others may. Then combinations of states, one after the other: others are measured from
    one of them. What is left is not blurred by Jordan blocks.

    Args:
        A: As of `spectrum`.
        names: As of `spectrum`.
        spread: Noise and doubt as of `spectrum`, shape (2, n, n).

    Returns:
        The zeros, the levels, and what is left of the matrix and of its spread.
    """
    zeros: list[Zero] = []
    levels: list[Level] = []
    names, places = list(names), np.eye(len(A))
    while len(A):
        gone = np.abs(A) <= spread[0]
        columns, rows = np.flatnonzero(gone.all(axis=0)), np.flatnonzero(gone.all(axis=1))
        if columns.size or rows.size:
            out, T = (columns if columns.size else rows), None
            reason = "cyclic" if columns.size else "constant"
            lost = _neglected(A, spread)
            lost = lost if columns.size else lost.T
            zeros += [
                Zero(str(names[i]), reason, places[:, i], float(lost[:, i].max())) for i in out
            ]
        else:
            found = combinations(A, gone)
            if found is None:
                break
            out, T = found
            shapes = T / np.abs(T).max(axis=0)
            zeros += [
                Zero(_told(names, out[k], T[:, k]), "cyclic", places @ shapes[:, k])
                for k in range(len(out))
            ]
        left = np.setdiff1d(np.arange(len(A)), out)
        levels.append(Level(A, left, bool(columns.size) or T is not None))
        A, spread = _without(A, spread, out, left, T)
        names, places = [names[i] for i in left], places[:, left]
    return zeros, levels, A, spread


def _neglected(A: Array, spread: Array) -> Array:
    """Return entries that count as nothing and are no round-off, of what else is in the row."""
    least = np.maximum(TOLD * spread[1], FAINTEST * spread[0])
    told = (np.abs(A) > least) & (np.abs(A) <= spread[0])
    return np.where(told, NOTHING * np.abs(A) / np.where(told, spread[0], 1.0), 0.0)


def _without(
    A: Array, spread: Array, out: Array, left: Array, T: Array | None
) -> tuple[Array, Array]:
    """Return a matrix and its spread without states; others are measured from them by T."""
    inner, rest = A[np.ix_(left, left)], spread[:, left][:, :, left]
    if T is None:
        return inner, rest
    T = T[left]
    return inner - T @ A[np.ix_(out, left)], rest + np.abs(T) @ spread[:, out][:, :, left]


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
