"""Vectors as columns of three numbers or symbols.

Conventions:
    Expr    a CasADi matrix, of symbols (SX) or of numbers (DM)
    a_A     components of the vector a along the axes of frame A
"""

import casadi as ca

Expr = ca.SX | ca.DM


def axis(number: int) -> ca.DM:
    """Return the unit vector along axis 1, 2 or 3 of a frame, shape (3,)."""
    return ca.DM.eye(3)[:, number - 1]
