"""Which rows say something new: the one rule by which every rank is decided.

Rows and columns are measured first, by their nominal sizes, so that a genuine row has a length
of order one: its *natural* length. Then a singular value σ, or what is left of a row without
those before it, counts where

    σ > max(relative × σ_max, floor × natural length)

The first bound is about conditioning: it compares what is there with what else is there. The
second is about being there at all. Terms of a row that repeats others cancel to round-off, and
where all rows do, the largest of them is round-off too: measured against it, noise would be a
constraint.

Numbers of a drawing are rounded, those of CAD files to some six digits. A row that is new by no
more than that repeats others as its author meant it: `slack` is what counts as rounding. A row
is made of several rounded numbers, so it may be off by a few times as much, `MARGIN`.

Native code decides by the same rule with the same numbers; see `constraints.native.metric`.
Whether a mass matrix is definite is another question: there a pivot or an eigenvalue is
measured against its own diagonal, and what is not definite is made so by rows, or refused.
"""

from collections.abc import Sequence

import numpy as np

FLOOR = 1e-12  # of the natural length: what round-off leaves of rows that cancel is far below
RELATIVE = 1e-8  # of the largest singular value
COLLAPSED = 5e-6  # the same where rates of rows take the place of rows that vanish
SECOND_ORDER = 1e-7  # the same, and the floor, where conditions of second order do
WATCH = 8e-3  # smaller pivots, against the best seen, make rows close to dependent
SLACK = 1e-6  # rounding of lengths, in lengths of the machine, and of angles [rad]
MARGIN = 8.0  # how often rounding may add up in one row
EXACT = 1e-12  # what repeats others within this needs no slack


def limit(
    most: np.ndarray | float,
    natural: np.ndarray | float = 1.0,
    *,
    relative: float = RELATIVE,
    floor: float = FLOOR,
) -> np.ndarray:
    """Return what a singular value must exceed to count.

    Args:
        most: The largest singular values.
        natural: Natural lengths of rows.
        relative: Part of the largest that counts as zero.
        floor: Part of the natural length that does.
    """
    return np.maximum(relative * np.asarray(most), floor * np.asarray(natural))


def counted(
    sigma: np.ndarray,
    natural: np.ndarray | float = 1.0,
    *,
    relative: float = RELATIVE,
    floor: float = FLOOR,
) -> np.ndarray:
    """Return which singular values count, shape as `sigma`.

    Args:
        sigma: Singular values, the largest first, shape (..., r).
        natural: Natural lengths of rows, shape (...).
        relative: As of `limit`.
        floor: As of `limit`.

    Examples:
        >>> counted(np.array([2.0, 0.5, 1e-16])).tolist()
        [True, True, False]
        >>> counted(np.array([1e-16, 1e-17])).tolist()
        [False, False]
    """
    if not sigma.shape[-1]:
        return np.zeros(sigma.shape, dtype=bool)
    least = limit(sigma[..., 0], natural, relative=relative, floor=floor)
    return sigma > least[..., None]


def rank(
    matrix: np.ndarray,
    natural: np.ndarray | float = 1.0,
    *,
    relative: float = RELATIVE,
    floor: float = FLOOR,
) -> np.ndarray:
    """Return the rank of measured matrices, shape (..., m, n); arguments as of `counted`."""
    sigma = np.linalg.svd(matrix, compute_uv=False)
    return counted(sigma, natural, relative=relative, floor=floor).sum(axis=-1)


def split(
    matrix: np.ndarray, *, relative: float = RELATIVE, floor: float = FLOOR
) -> tuple[np.ndarray, np.ndarray]:
    """Return combinations of rows that say all there is, and those that say nothing.

    Args:
        matrix: Measured rows C, shape (m, n).
        relative: As of `limit`.
        floor: As of `limit`.

    Returns:
        K, shape (m, r), and N, shape (m, m − r), with orthonormal columns and NᵀC = 0.
    """
    if not matrix.size:
        return np.zeros((len(matrix), 0)), np.eye(len(matrix))
    full = len(matrix) > min(matrix.shape)
    U, sigma, _ = np.linalg.svd(matrix, full_matrices=full)
    r = int(counted(sigma, relative=relative, floor=floor).sum())
    return U[:, :r], U[:, r:]


def pseudo_inverse(
    matrix: np.ndarray,
    natural: np.ndarray | float = 1.0,
    *,
    relative: float = RELATIVE,
    floor: float = FLOOR,
) -> np.ndarray:
    """Return the pseudo-inverses of matrices, shape (..., m, n); arguments as of `counted`."""
    U, sigma, Vt = np.linalg.svd(matrix, full_matrices=False)
    kept = counted(sigma, natural, relative=relative, floor=floor)
    inverse = np.where(kept, 1.0 / np.where(kept, sigma, 1.0), 0.0)
    return np.swapaxes(Vt, -1, -2) @ (inverse[..., None] * np.swapaxes(U, -1, -2))


def independent(
    rows: np.ndarray,
    natural: float = 1.0,
    *,
    relative: float = RELATIVE,
    floor: float = FLOOR,
    count: int | None = None,
) -> list[int]:
    """Return the numbers of independent rows, each the one farthest from those before it.

    Args:
        rows: Measured rows, shape (m, n).
        natural: Their natural length.
        relative: As of `limit`, the longest row being the largest.
        floor: As of `limit`.
        count: The most to take; None for all there are.

    Examples:
        >>> independent(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]]))
        [1, 2]
        >>> independent(np.array([[1e-17, 0.0], [0.0, 2e-17]]))
        []
    """
    left, found = np.array(rows, dtype=float), []
    most = np.linalg.norm(left, axis=1).max(initial=0.0)
    least = limit(most, natural, relative=relative, floor=floor)
    for _ in range(min(*left.shape, left.size if count is None else count)):
        lengths = np.linalg.norm(left, axis=1)
        best = int(np.argmax(lengths))
        if not lengths[best] > least:
            break
        found.append(best)
        _remove(left, best)
    return found


def in_order(
    rows: np.ndarray,
    least: np.ndarray,
    order: Sequence[int],
    chosen: Sequence[int] = (),
    count: int | None = None,
) -> list[int]:
    """Return the numbers of rows of which enough is left without those chosen before them.

    Args:
        rows: Measured rows, shape (m, n).
        least: How much must be left of each, such as `limit` of its length, shape (m,).
        order: In which they are tried.
        chosen: Numbers of rows that are taken in any case, first.
        count: The most to take; None for all there are.

    Examples:
        >>> rows = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0]])
        >>> in_order(rows, limit(np.linalg.norm(rows, axis=1)), range(3))
        [0, 2]
    """
    left, found = np.array(rows, dtype=float), list(chosen)
    for i in found:
        _remove(left, i)
    for i in order:
        if len(found) == count:
            break
        if i not in found and np.linalg.norm(left[i]) > least[i]:
            _remove(left, i)
            found.append(i)
    return found


def _remove(left: np.ndarray, row: int) -> None:
    """Take from all rows, in place, what one of them says."""
    direction = left[row] / np.linalg.norm(left[row])
    for _ in range(2):  # twice is enough
        left -= np.outer(left @ direction, direction)
    left[row] = 0.0


def natural_length(metric: np.ndarray, sizes: np.ndarray | float = 1.0) -> np.ndarray:
    """Return the natural length of rows in the metric of a mass matrix, shape (...).

    A row with entries 1 / nominal speed is as long as the largest of 1 / (nominal speed √Aⱼⱼ),
    or longer.

    Args:
        metric: Mass matrices A, shape (..., n, n).
        sizes: Nominal sizes of the speeds, shape (n,).
    """
    diagonal = np.diagonal(metric, axis1=-2, axis2=-1)
    lengths = np.zeros(diagonal.shape)
    np.divide(1.0, np.sqrt(np.abs(diagonal)) * sizes, out=lengths, where=diagonal > 0)
    return lengths.max(axis=-1, initial=0.0)
