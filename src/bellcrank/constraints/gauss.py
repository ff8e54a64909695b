"""Constrained accelerations and multipliers of many states at once, by Gauss' principle.

    min ‖u̇ − A⁻¹ f‖_A   with   C u̇ = γ

In coordinates that make A the identity this is a projection, done by a singular value
decomposition: redundant rows and singular positions need no special care. For runs there is a
faster way in `bellcrank.constraints.projection`; this one answers questions about states.
"""

import numpy as np

from bellcrank.linear import rank


def accelerations(
    A: np.ndarray,
    f: np.ndarray,
    C: np.ndarray,
    gamma: np.ndarray,
    scale: np.ndarray,
    sizes: np.ndarray | float = 1.0,
) -> np.ndarray:
    """Return u̇.

    Args:
        A: Mass matrices, shape (..., nu, nu).
        f: Generalized forces, shape (..., nu).
        C: Constraint matrices, shape (..., m, nu).
        gamma: Their right-hand sides, shape (..., m).
        scale: Nominal sizes of the rows, infinite for those that are left out, shape (m,).
        sizes: Nominal sizes of the speeds, shape (nu,).
    """
    sizes = np.broadcast_to(sizes, f.shape[-1:])
    # In nominal speeds, so that kilograms and kilogram metres² can be told from rounding.
    A, f = A * sizes[:, None] * sizes, f * sizes
    C, gamma = C * sizes / scale[:, None], gamma / scale
    A, f = _definite(A, f, C, gamma)
    L = np.linalg.cholesky(A)
    free = np.linalg.solve(L, f[..., None])
    B = np.linalg.solve(L, np.swapaxes(C, -1, -2))
    gap = gamma[..., None] - np.swapaxes(B, -1, -2) @ free
    inverse = rank.pseudo_inverse(B, rank.natural_length(A))
    y = free + np.swapaxes(inverse, -1, -2) @ gap
    return sizes * np.linalg.solve(np.swapaxes(L, -1, -2), y)[..., 0]


def _definite(
    A: np.ndarray, f: np.ndarray, C: np.ndarray, gamma: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return A and f, with what C u̇ = γ says added to them where A alone is not definite.

    On the constraints A + μ CᵀC and f + μ Cᵀγ ask for the same u̇.
    """
    if not A.size or np.linalg.eigvalsh(A)[..., 0].min() > 1e-14 * np.abs(A).max():
        return A, f
    push = np.swapaxes(C, -1, -2) @ gamma[..., None]
    return with_rows(A, C), f + (weight_of_rows(A, C) * push)[..., 0]


def idle(A: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return the massless direction of one state: least inertia, least change of constraints.

    Args:
        A: Mass matrix, shape (nu, nu).
        C: Scaled constraint matrix, shape (m, nu).
    """
    return np.linalg.eigh(with_rows(A, C))[1][:, 0]


def with_rows(A: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return A + μ CᵀC, which is definite where A is so along the constraints.

    Args:
        A: Mass matrices, shape (..., nu, nu).
        C: Scaled constraint matrices, shape (..., m, nu).
    """
    return A + weight_of_rows(A, C) * (np.swapaxes(C, -1, -2) @ C)


def weight_of_rows(A: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return μ = tr A / tr CᵀC, which makes the shares of A + μ CᵀC alike, shape (..., 1, 1).

    The one rule, also of `straight_line_code` and `native.metric`: pivots that are compared
    must be those of the same matrix. Arguments as of `with_rows`.
    """
    inertia, rows = np.trace(A, axis1=-2, axis2=-1), (C * C).sum(axis=(-2, -1))
    known = (inertia > 0.0) & (rows > 0.0)
    return np.where(known, inertia / np.where(known, rows, 1.0), 1.0)[..., None, None]


def metric(A: np.ndarray, C: np.ndarray, sizes: np.ndarray | float = 1.0) -> np.ndarray:
    """Return a definite matrix that measures as A does along the constraints C ξ = 0.

    What has neither inertia nor constraints, such as the attitude of a particle, weighs little.

    Args:
        A: Mass matrices, shape (..., nu, nu).
        C: Scaled constraint matrices, shape (..., m, nu).
        sizes: Nominal sizes of the speeds, shape (nu,).
    """
    n = A.shape[-1]
    product = np.broadcast_to(sizes, n)[:, None] * np.broadcast_to(sizes, n)
    scaled = A * product
    found = _definite(scaled, np.zeros(n), C * sizes, np.zeros(C.shape[-2]))[0]
    if found is scaled:
        return A
    most = np.abs(found).max(initial=0.0)
    if found.size and np.linalg.eigvalsh(found)[..., 0].min() <= 1e-14 * most:
        found = found + 1e-6 * (most or 1.0) * np.eye(n)
    return found / product


def smallest(
    G: np.ndarray,
    b: np.ndarray,
    weight: np.ndarray,
    sizes: np.ndarray | float = 1.0,
    floor: float = rank.FLOOR,
) -> np.ndarray:
    """Return λ with G λ = b, the one with the smallest |λ / weight| where it is open.

    Rows that are independent at the first of the states mostly are at all; where they are not,
    a singular value decomposition decides.

    Args:
        G: Shape (..., n, r).
        b: Shape (..., n).
        weight: Shape (r,).
        sizes: Nominal sizes of the rows of G, shape (n,).
        floor: Of `bellcrank.linear.rank`: what is new by less is not.
    """
    if not G.size:
        return np.zeros((*G.shape[:-2], G.shape[-1]))
    scaled = _measured(G, weight, sizes).reshape(-1, *G.shape[-2:])
    right = (b / sizes).reshape(-1, b.shape[-1])
    rows = sorted(rank.independent(scaled[0], floor=floor))
    Q, R = np.linalg.qr(np.swapaxes(scaled[:, rows, :], -1, -2))
    with np.errstate(all="ignore"):
        try:
            y = np.linalg.solve(np.swapaxes(R, -1, -2), right[:, rows, None])
        except np.linalg.LinAlgError:
            y = np.full((len(scaled), len(rows), 1), np.nan)
        found = (Q @ y)[..., 0]
        left = np.abs((scaled @ found[..., None])[..., 0] - right).max(axis=-1)
    # What was left out within a slack may be left unbalanced by as much.
    bad = ~(left <= max(1e-9, floor) * (np.abs(right).max(axis=-1) + 1e-9))
    if bad.any():
        inverse = rank.pseudo_inverse(scaled[bad], floor=floor)
        found[bad] = (inverse @ right[bad][..., None])[..., 0]
    return (weight * found).reshape(*G.shape[:-2], G.shape[-1])


def _measured(G: np.ndarray, weight: np.ndarray, sizes: np.ndarray | float) -> np.ndarray:
    """Return G for multipliers and sums in their nominal sizes."""
    return G * weight / np.reshape(sizes, (-1, 1))


def open_rows(
    G: np.ndarray,
    R: np.ndarray,
    weight: np.ndarray,
    sizes: np.ndarray | float = 1.0,
    floor: float = rank.FLOOR,
) -> np.ndarray:
    """Return which rows of R λ are not determined by G λ = b, shape (k,).

    Args:
        G: Shape (n, r).
        R: Shape (k, r).
        weight: Shape (r,).
        sizes: Nominal sizes of the rows of G, shape (n,).
        floor: Of `bellcrank.linear.rank`.
    """
    scaled = _measured(G, weight, sizes)
    null = np.eye(G.shape[1]) - rank.pseudo_inverse(scaled, floor=floor) @ scaled
    # No rank: how much of what a row reads can change while G λ = b stays as it is.
    loose = np.linalg.norm((R * weight) @ null, axis=1)
    return loose > max(1e-7, floor) * np.abs(weight).max(initial=1.0)
