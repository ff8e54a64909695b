"""CasADi's numbers compared."""

import casadi as ca
import numpy as np


def num(x):
    """Return numbers as a NumPy array."""
    return np.array(ca.DM(x)).squeeze()


def close(a, b, atol=1e-13):
    """Compare entry by entry."""
    np.testing.assert_allclose(num(a), num(b), rtol=0, atol=atol)


def axial(S):
    """Return the vector whose skew matrix is the skew part of S."""
    S = num(S)
    return np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]]) / 2
