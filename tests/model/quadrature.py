"""Solids as points with weights, by Gauss quadrature; random rotations of them."""

import numpy as np


def rotation(rng):
    """Return a random rotation, shape (3, 3)."""
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q if np.linalg.det(Q) > 0 else -Q


def gauss(low, high, count=7):
    """Return nodes and weights between two numbers."""
    x, w = np.polynomial.legendre.leggauss(count)
    return low + (high - low) * (x + 1) / 2, w * (high - low) / 2


def revolved(*pieces):
    """Return points and weights of a solid about z, each piece (low, high, radius²(z))."""
    rho, w_rho = gauss(0, 1)
    phi = 2 * np.pi * np.arange(8) / 8
    points, weights = [], []
    for low, high, square in pieces:
        z, w_z = gauss(low, high)
        Z, P, F = np.meshgrid(z, rho, phi, indexing="ij")
        R = np.sqrt(square(Z)) * P
        points.append(np.stack([R * np.cos(F), R * np.sin(F), Z], -1).reshape(-1, 3))
        w = w_z[:, None, None] * w_rho[:, None] * square(Z) * P * (2 * np.pi / 8)
        weights.append(w.ravel())
    return np.concatenate(points), np.concatenate(weights)
