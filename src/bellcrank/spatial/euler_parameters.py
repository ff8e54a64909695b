"""Attitude of one frame in another, by Euler parameters.

Four numbers describe three degrees of freedom. The fourth buys freedom from singular
attitudes; its price is one constraint, pᵀp = 1, which the integrator has to keep. Both p and
-p stand for the same attitude.

Conventions:
    p       [e0, e1, e2, e3], scalar first, unit length: e0 = cos φ/2, e = λ sin φ/2 for a turn
            by φ about the unit axis λ. This order is the one used everywhere inside bellcrank
    eps     [ε1, ε2, ε3, ε4], the same four numbers with the scalar last (Kane, Huston, Kamman)
    R_AB    takes components of a vector in B to its components in A. Texts of Kamman write [R]
            for R_BA, the other way
    w_AB_B  angular velocity of B in A, in components along B (ω′); w_AB_A along A (ω)

The rate matrices are homogeneous of degree one in p, so that the rate of one of them is the
same matrix at ṗ: Ġ = G(ṗ).

References:
    Nikravesh (1988), Computer-Aided Analysis of Mechanical Systems, ch. 6.
    Haug (1989), Computer-Aided Kinematics and Dynamics of Mechanical Systems, ch. 9.
    Shepperd (1978), Quaternion from Rotation Matrix, J. Guidance and Control 1(3).
"""

import math

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from bellcrank.errors import ModelError
from bellcrank.spatial.vectors import Expr, skew

IDENTITY = ca.DM([1, 0, 0, 0])
"""The Euler parameters of no rotation at all."""


# ------------------------------------------------------------------- attitude and its rate


def rotation_matrix(p: Expr) -> Expr:
    """Return R_AB = (e0² - e·e) I + 2 e eᵀ + 2 e0 ẽ for the attitude of B in A.

    Args:
        p: Euler parameters, unit length, shape (4,).

    Returns:
        R_AB, shape (3, 3).

    Examples:
        A half turn about z sends x to -x:

        >>> rotation_matrix(ca.DM([0, 0, 0, 1])) @ ca.DM([1, 0, 0])
        DM([-1, 0, 0])
    """
    e0, e = p[0], p[1:]
    # Left homogeneous in p: off the unit sphere it is |p|² times a rotation, so drift
    # of |p| shows as a change of scale. The shorter (2 e0² - 1) form is equal on the
    # sphere but bends right angles off it.
    return (e0**2 - ca.dot(e, e)) * ca.DM.eye(3) + 2 * (e @ e.T + e0 * skew(e))


def rate_matrix(p: Expr) -> Expr:
    """Return G(p) = [-e, e0 I - ẽ], for which w_AB_B = 2 G ṗ and ṗ = ½ Gᵀ w_AB_B.

    The second undoes the first only where pᵀp = 1 and pᵀṗ = 0.

    Args:
        p: Euler parameters, unit length, shape (4,).

    Returns:
        G(p), with G Gᵀ = I and G p = 0, shape (3, 4).
    """
    e0, e = p[0], p[1:]
    return ca.horzcat(-e, e0 * ca.DM.eye(3) - skew(e))


def world_rate_matrix(p: Expr) -> Expr:
    """Return E(p) = [-e, e0 I + ẽ], for which w_AB_A = 2 E ṗ and ṗ = ½ Eᵀ w_AB_A.

    Args:
        p: Euler parameters, unit length, shape (4,).

    Returns:
        E(p), with E Eᵀ = I, E p = 0 and R_AB = E Gᵀ, shape (3, 4).
    """
    e0, e = p[0], p[1:]
    return ca.horzcat(-e, e0 * ca.DM.eye(3) + skew(e))


def rates(p: Expr, w_AB_B: Expr) -> Expr:
    """Return ṗ = ½ Gᵀ(p) w_AB_B, which is ½ p ∘ [0, w].

    Args:
        p: Euler parameters, shape (4,).
        w_AB_B: Angular velocity of B in A, along B [rad/s], shape (3,).

    Returns:
        ṗ [1/s], at right angles to p, shape (4,).
    """
    return rate_matrix(p).T @ w_AB_B / 2


def point_jacobian(p: Expr, s_B: Expr) -> Expr:
    """Return B(p, s) = ∂(R_AB s_B)/∂p = 2 [(e0 I + ẽ) s, e sᵀ - (e0 I + ẽ) s̃].

    With it d(R s)/dt = B ṗ and d²(R s)/dt² = B(p, s) p̈ + B(ṗ, s) ṗ.

    Args:
        p: Euler parameters, shape (4,).
        s_B: A vector fixed in B, along B, shape (3,).

    Returns:
        B(p, s), shape (3, 4).
    """
    e0, e = p[0], p[1:]
    turn = e0 * ca.DM.eye(3) + skew(e)
    return 2 * ca.horzcat(turn @ s_B, e @ s_B.T - turn @ skew(s_B))


# -------------------------------------------------------------------------- the other order


def scalar_last(p: Expr) -> Expr:
    """Return eps = [e1, e2, e3, e0] of p = [e0, e1, e2, e3], shape (4,)."""
    return ca.vertcat(p[1:], p[0])


def scalar_first(eps: Expr) -> Expr:
    """Return p = [ε4, ε1, ε2, ε3] of eps = [ε1, ε2, ε3, ε4], shape (4,)."""
    return ca.vertcat(eps[3], eps[:3])


def scalar_last_rate_matrix(eps: Expr) -> Expr:
    """Return E′(ε) = [ε4 I - ẽ, -e], for which w_AB_B = 2 E′ ε̇ and ε̇ = ½ E′ᵀ w_AB_B.

    Args:
        eps: Euler parameters, scalar last, unit length, shape (4,).

    Returns:
        E′(ε), which is G(p) with its first column moved last, shape (3, 4).
    """
    e, e4 = eps[:3], eps[3]
    return ca.horzcat(e4 * ca.DM.eye(3) - skew(e), -e)


def scalar_last_world_rate_matrix(eps: Expr) -> Expr:
    """Return E(ε) = [ε4 I + ẽ, -e], for which w_AB_A = 2 E ε̇; R_BA = E′ Eᵀ.

    Args:
        eps: Euler parameters, scalar last, unit length, shape (4,).

    Returns:
        E(ε), shape (3, 4).
    """
    e, e4 = eps[:3], eps[3]
    return ca.horzcat(e4 * ca.DM.eye(3) + skew(e), -e)


def square_rate_matrix(eps: Expr) -> Expr:
    """Return E′(ε) with the row εᵀ below it: orthogonal, so [w_AB_B; 0] = 2 E₄ ε̇ can be solved.

    Args:
        eps: Euler parameters, scalar last, unit length, shape (4,).

    Returns:
        E₄(ε), with E₄ E₄ᵀ = I, shape (4, 4).
    """
    return ca.vertcat(scalar_last_rate_matrix(eps), eps.T)


# ---------------------------------------------------------------------------------- algebra


def product(p_AB: Expr, p_BC: Expr) -> Expr:
    """Return p_AC = p_AB ∘ p_BC, so that R_AC = R_AB R_BC.

    Args:
        p_AB: Euler parameters of B in A, shape (4,).
        p_BC: Euler parameters of C in B, shape (4,).

    Returns:
        Euler parameters of C in A, shape (4,).
    """
    a0, a, b0, b = p_AB[0], p_AB[1:], p_BC[0], p_BC[1:]
    return ca.vertcat(a0 * b0 - ca.dot(a, b), a0 * b + b0 * a + ca.cross(a, b))


def conjugate(p_AB: Expr) -> Expr:
    """Return p_BA, the attitude of A in B: the vector part changes its sign, shape (4,)."""
    return ca.vertcat(p_AB[0], -p_AB[1:])


def normalized(p: Expr) -> Expr:
    """Return p / |p|, the nearest point of the unit sphere, shape (4,)."""
    return p / ca.norm_2(p)


def rotate(p_AB: Expr, a_B: Expr) -> Expr:
    """Return a_A = R_AB a_B in 15 multiplications, without forming the matrix.

    Args:
        p_AB: Euler parameters of B in A, unit length, shape (4,).
        a_B: A vector, along B, shape (3,).

    Returns:
        The vector along A, shape (3,).
    """
    e0, e = p_AB[0], p_AB[1:]
    twice = 2 * ca.cross(e, a_B)
    return a_B + e0 * twice + ca.cross(e, twice)


# ------------------------------------------------------------------- from and to other forms


def from_axis_angle(axis: Expr, angle: Expr | float) -> Expr:
    """Return p = [cos φ/2, λ sin φ/2] for a turn by φ about λ.

    Args:
        axis: λ, unit length, the same along A and along B, shape (3,).
        angle: φ [rad], right-handed.

    Returns:
        Euler parameters, shape (4,).

    Examples:
        >>> from_axis_angle(ca.DM([0, 0, 1]), ca.pi)
        DM([6.12323e-17, 0, 0, 1])
    """
    return ca.vertcat(ca.cos(angle / 2), axis * ca.sin(angle / 2))


def from_rotation_vector(v: Expr) -> Expr:
    """Return the Euler parameters of the turn by |v| about v.

    Smooth everywhere, v = 0 included, with all derivatives.

    Args:
        v: Rotation vector φ λ [rad], shape (3,).

    Returns:
        p = [cos |v|/2, v sin(|v|/2)/|v|], shape (4,).
    """
    quarter = ca.dot(v, v) / 4
    near = quarter < 0.25
    # Both branches are always evaluated, so neither may divide by zero. The series leave 1e-21.
    x = ca.if_else(near, quarter, 0)
    half = ca.sqrt(ca.if_else(near, 1, quarter))
    cosine = _series(x, [(-1) ** k / math.factorial(2 * k) for k in range(9)])
    sine = _series(x, [(-1) ** k / math.factorial(2 * k + 1) for k in range(9)])
    return ca.vertcat(
        ca.if_else(near, cosine, ca.cos(half)),
        ca.if_else(near, sine, ca.sin(half) / half) * v / 2,
    )


def to_rotation_vector(p: Expr) -> Expr:
    """Return the shorter rotation vector v of an attitude, |v| ≤ π.

    Smooth for |v| < π, v = 0 included; it depends on the direction of p only. At a half turn
    the vector jumps to its opposite.

    Args:
        p: Euler parameters, shape (4,).

    Returns:
        v = 2 λ atan2(|e|, e0) with p and -p giving the same [rad], shape (3,).
    """
    hand = ca.if_else(p[0] < 0, -1, 1)
    e0, e = hand * p[0], hand * p[1:]
    square = ca.dot(e, e)
    near = square < 0.01 * e0**2
    y = ca.if_else(near, square, 0) / ca.if_else(near, e0**2, 1)
    series = _series(y, [(-1) ** k / (2 * k + 1) for k in range(10)])  # atan(√y)/√y to 1e-21
    length = ca.sqrt(ca.if_else(near, 1, square))
    far = ca.atan2(length, ca.if_else(near, 1, e0)) / length
    return 2 * e * ca.if_else(near, series / ca.if_else(near, e0, 1), far)


def _series(x: Expr, coefficients: list[float]) -> Expr:
    """Return c₀ + c₁ x + c₂ x² + …, by Horner's rule."""
    total = 0 * x
    for coefficient in reversed(coefficients):
        total = coefficient + x * total
    return total


def from_rotation_matrix(R_AB: ArrayLike | ca.DM) -> ca.DM:
    """Return the Euler parameters of a rotation matrix of numbers, with e0 ≥ 0.

    Shepperd's choice of the largest parameter as divisor: no attitude loses digits.

    Args:
        R_AB: A rotation, up to rounding, shape (3, 3).

    Returns:
        Euler parameters, unit length, shape (4,).

    Raises:
        ModelError: If R_AB is not a rotation to 1e-6.

    Examples:
        >>> from_rotation_matrix([[-1, 0, 0], [0, -1, 0], [0, 0, 1]])
        DM([0, 0, 0, 1])
    """
    R = np.asarray(R_AB, dtype=float)
    if R.shape != (3, 3):
        raise ModelError(f"a rotation matrix has shape (3, 3), got {R.shape}.")
    flaw = np.abs(R.T @ R - np.eye(3)).max()
    hand = R[0] @ np.cross(R[1], R[2])
    if not (flaw < 1e-6 and hand > 0):
        what = "a reflection" if flaw < 1e-6 else "not orthogonal"
        raise ModelError(
            f"the rotation matrix is {what}: max |RᵀR - I| = {flaw:.3g}, det R = {hand:.6g}; "
            "a rotation has orthonormal columns and det R = 1."
        )
    return ca.DM(_shepperd(R))


def _shepperd(R: np.ndarray) -> np.ndarray:
    """Return p from the column of 4 p pᵀ that belongs to its largest entry."""
    # 4 p pᵀ in terms of R; each of its columns is a multiple of p.
    trace, sym = np.trace(R), R + R.T
    outer = np.empty((4, 4))
    outer[0, 0] = 1 + trace
    outer[0, 1:] = outer[1:, 0] = R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]
    outer[1:, 1:] = sym + (1 - trace) * np.eye(3)
    p = outer[:, np.argmax(np.diag(outer))]
    p = p / np.linalg.norm(p)
    return -p if p[0] < 0 else p
