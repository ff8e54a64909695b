"""How long the straight-line code of an elimination is, by its pattern alone."""

from collections.abc import Iterable, Sequence

import numpy as np

Array = np.ndarray


def saddle_point(M: Array, C: Array, order: Sequence[int]) -> int:
    """Return the products in eliminating speeds and rows from the saddle-point matrix.

    Args:
        M: Pattern of the mass matrix, shape (n, n).
        C: Pattern of the rows, shape (m, n).
        order: Of elimination, speeds first numbered, then rows.
    """
    whole = np.block([[M, C.T], [C, np.zeros((len(C), len(C)), dtype=bool)]])
    return sum(near.size * (near.size + 1) // 2 for _, near in _eliminated(whole, order))


def schur(M: Array, C: Array) -> int:
    """Return the products in S = C M⁻¹ Cᵀ and in factoring M and S, for the same patterns."""
    half, work = C.copy(), 0
    for k, near in _eliminated(M):
        met = np.flatnonzero(half[:, k])
        half[np.ix_(met, near)] = True
        work += near.size * (near.size + 1) // 2 + met.size * near.size
    count = half.astype(float)
    shared = count @ count.T
    work += int(np.tril(shared).sum())
    return work + sum(near.size * (near.size + 1) // 2 for _, near in _eliminated(shared > 0))


def _eliminated(
    pattern: Array, order: Sequence[int] | None = None
) -> Iterable[tuple[int, Array]]:
    """Yield pivots and what they meet of the rest, those that meet least first."""
    pattern, left = pattern.copy(), np.ones(len(pattern), dtype=bool)
    for step in range(len(pattern)):
        if order is None:
            met = np.where(left, (pattern & left).sum(axis=1), len(pattern) + 1)
            k = int(np.argmin(met))
        else:
            k = order[step]
        left[k] = False
        near = np.flatnonzero(pattern[k] & left)
        pattern[np.ix_(near, near)] = True
        yield k, near
