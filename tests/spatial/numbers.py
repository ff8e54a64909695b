"""CasADi's numbers compared."""

import casadi as ca
import numpy as np


def num(x):
    """Return numbers as a NumPy array."""
    return np.array(ca.DM(x)).squeeze()


def close(a, b, atol=1e-13):
    """Compare entry by entry."""
    np.testing.assert_allclose(num(a), num(b), rtol=0, atol=atol)
