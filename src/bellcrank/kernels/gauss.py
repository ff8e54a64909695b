"""Constrained accelerations and multipliers of many states at once, by Gauss' principle.

    min ‖u̇ − A⁻¹ f‖_A   with   C u̇ = γ

In coordinates that make A the identity this is a projection, done by a singular value
decomposition: redundant rows and singular positions need no special care. For runs there is a
faster way in `bellcrank.integrators.projection`; this one answers questions about states.
"""

import numpy as np

RANK = 1e-9  # scaled singular values below this part of the largest count as zero


def accelerations(
    A: np.ndarray, f: np.ndarray, C: np.ndarray, gamma: np.ndarray, scale: np.ndarray
) -> np.ndarray:
    """Return u̇.

    Args:
        A: Mass matrices, shape (..., nu, nu).
        f: Generalized forces, shape (..., nu).
        C: Constraint matrices, shape (..., m, nu).
        gamma: Their right-hand sides, shape (..., m).
        scale: Nominal sizes of the rows, shape (m,).
    """
    L = np.linalg.cholesky(A)
    free = np.linalg.solve(L, f[..., None])
    B = np.linalg.solve(L, np.swapaxes(C / scale[:, None], -1, -2))
    gap = (gamma / scale)[..., None] - np.swapaxes(B, -1, -2) @ free
    y = free + np.swapaxes(np.linalg.pinv(B, rcond=RANK), -1, -2) @ gap
    return np.linalg.solve(np.swapaxes(L, -1, -2), y)[..., 0]


def smallest(G: np.ndarray, b: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return λ with G λ = b, the one with the smallest |λ / weight| where it is open.

    Args:
        G: Shape (..., n, r).
        b: Shape (..., n).
        weight: Shape (r,).
    """
    return weight * (np.linalg.pinv(G * weight, rcond=RANK) @ b[..., None])[..., 0]


def open_rows(G: np.ndarray, R: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Return which rows of R λ are not determined by G λ = b, shape (k,).

    Args:
        G: Shape (n, r).
        R: Shape (k, r).
        weight: Shape (r,).
    """
    scaled = G * weight
    idle = np.eye(G.shape[1]) - np.linalg.pinv(scaled, rcond=RANK) @ scaled
    return np.linalg.norm((R * weight) @ idle, axis=1) > 1e-7 * np.abs(weight).max(initial=1.0)
