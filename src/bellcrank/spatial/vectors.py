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


def axial(S: Expr) -> Expr:
    """Return the vector a whose skew matrix is the skew part of S: the inverse of `skew`.

    Args:
        S: Any matrix; its symmetric part is ignored, shape (3, 3).

    Returns:
        a = ½ (S₃₂ - S₂₃, S₁₃ - S₃₁, S₂₁ - S₁₂), shape (3,).
    """
    return ca.vertcat(S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]) / 2


def unit(a: Expr) -> Expr:
    """Return a / |a|.

    Args:
        a: Any vector but zero, shape (n,).

    Returns:
        The vector of length one along a, shape (n,).
    """
    return a / ca.norm_2(a)


def axis(number: int) -> ca.DM:
    """Return the unit vector along axis 1, 2 or 3 of a frame, shape (3,)."""
    return ca.DM.eye(3)[:, number - 1]
