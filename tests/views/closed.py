"""States of machines with loops, found without compiling anything."""

import numpy as np
from tests.laws.evaluation import Evaluated


def closed_state(model, seed):
    """Return q, u and u̇ of joint coordinates: near the drawing, all rows satisfied.

    Newton's method on Φ by least squares, speeds projected onto ker C, and accelerations from
    A u̇ + Cᵀ λ = f, C u̇ = γ, by least squares too, since rows may repeat each other.
    """
    found, rng = Evaluated(model), np.random.default_rng(seed)
    q = np.array(found.equations.drawing(found.equations.parameters), dtype=float)
    q = q + rng.uniform(-0.2, 0.2, len(q))
    u = rng.normal(size=found.nu)
    for _ in range(30):
        gap = found("position", q, u)[0]
        q = q - np.linalg.lstsq(_rows(found, q, u), gap, rcond=1e-9)[0]
    C = _rows(found, q, u)
    assert np.abs(found("position", q, u)[0]).max() < 1e-12
    u = u - np.linalg.lstsq(C, C @ u, rcond=1e-9)[0]
    m = len(C)
    matrix = np.block([[found.mass(q, u), C.T], [C, np.zeros((m, m))]])
    right = np.concatenate([found.force(q, u), found("acceleration", q, u)[0]])
    return q, u, np.linalg.lstsq(matrix, right, rcond=1e-11)[0][: found.nu]


def _rows(found, q, u):
    return found("velocity", q, u)[0].reshape(-1, found.nu)
