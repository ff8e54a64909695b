"""Vectors as columns of three numbers or symbols.

Conventions:
    Expr    a CasADi matrix, of symbols (SX) or of numbers (DM)
    a_A     components of the vector a along the axes of frame A
    ã       skew matrix of a: ã b = a × b, ãᵀ = -ã
"""

import casadi as ca

Expr = ca.SX | ca.DM


def skew(a: Expr) -> Expr:
    """Return ã, for which ã b = a × b.

    Args:
        a: Any vector, shape (3,).

    Returns:
        ã, with structural zeros on its diagonal, shape (3, 3).

    Examples:
        >>> skew(ca.DM([1, 0, 0])) @ ca.DM([0, 1, 0])
        DM([0, 0, 1])
    """
    return ca.skew(a)


def axis(number: int) -> ca.DM:
    """Return the unit vector along axis 1, 2 or 3 of a frame, shape (3,)."""
    return ca.DM.eye(3)[:, number - 1]
