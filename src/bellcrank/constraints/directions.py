"""Which speeds are free: directions on the constraints, or some of the speeds themselves."""

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.linear import rank

Array = np.ndarray

SEMIDEFINITE = 1e-13  # a pivot this small against its diagonal entry is zero


def tangent(rows: Array, mass: Array) -> tuple[Array, Array]:
    """Return F and T of u = T w + …, w = F u, orthonormal in the metric of the mass matrix.

        C T = 0,  F T = 1,  Tᵀ A T = 1

    Args:
        rows: Independent rows C, shape (r, nu).
        mass: A, definite at least where C u = 0, shape (nu, nu).
    """
    lower = _cholesky(rows, mass)
    turned = np.linalg.qr(np.linalg.solve(lower, rows.T), mode="complete")[0]
    free = turned[:, len(rows) :]
    return free.T @ lower.T, np.linalg.solve(lower.T, free)


def partition(rows: Array, scale: Array) -> tuple[Array, Array]:
    """Return F and T of u = T w + …, where w are some of the speeds themselves.

    The others are those whose columns are farthest from dependent.

    Args:
        rows: Independent rows C, shape (r, nu).
        scale: Nominal size of each speed, shape (nu,).
    """
    nu = rows.shape[1]
    dependent = rank.independent((rows * scale).T, relative=0.0, floor=0.0)
    free = [j for j in range(nu) if j not in dependent]
    F, T = np.eye(nu)[free], np.zeros((nu, len(free)))
    T[free] = np.eye(len(free))
    if dependent:
        T[dependent] = -np.linalg.solve(rows[:, dependent], rows[:, free])
    return F, T


def _cholesky(rows: Array, mass: Array) -> Array:
    """Return L of A = L Lᵀ, or of A + α Cᵀ C where A is not definite."""
    try:
        lower = np.linalg.cholesky(mass)
        if (np.diag(lower) ** 2 > SEMIDEFINITE * np.diag(mass)).all():
            return lower
    except np.linalg.LinAlgError:
        pass
    return np.linalg.cholesky(gauss.with_rows(mass, rows))
