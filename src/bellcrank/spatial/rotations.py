"""Rotation matrices: about an axis, by a rotation vector, and back.

A rotation vector v = φ λ is the shortest description of a turn, three numbers without a
constraint; its price is a singular sphere at |v| = 2π, and a logarithm that jumps at a half
turn. It is right for small relative turns (a bushing), wrong for a tumbling body.

Conventions:
    R_AB    takes components of a vector in B to its components in A
    v       rotation vector [rad], the same along A and along B
    w_AB_B  angular velocity of B in A, in components along B; w_AB_A along A

References:
    Cardona and Géradin (1988), A beam finite element non-linear theory with finite rotations.
"""

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from bellcrank.spatial import euler_parameters
from bellcrank.spatial.vectors import Expr, skew


def about_axis(axis: Expr, angle: Expr | float) -> Expr:
    """Return R_AB = cos φ I + sin φ λ̃ + (1 - cos φ) λ λᵀ for B turned by φ about λ.

    Args:
        axis: λ, unit length, shape (3,).
        angle: φ [rad], right-handed.

    Returns:
        R_AB, shape (3, 3).

    Examples:
        A quarter turn about z sends x to y:

        >>> about_axis(ca.DM([0, 0, 1]), ca.pi / 2)[:, 0]
        DM([6.12323e-17, 1, 0])
    """
    cosine, sine = ca.cos(angle), ca.sin(angle)
    return cosine * ca.DM.eye(3) + sine * skew(axis) + (1 - cosine) * (axis @ axis.T)


def about(number: int, angle: Expr | float) -> Expr:
    """Return the rotation by an angle about axis 1, 2 or 3 of a frame.

    Args:
        number: 1, 2 or 3.
        angle: [rad], right-handed.

    Returns:
        R_AB, with structural zeros where it has zeros, shape (3, 3).
    """
    j, k = number % 3, (number + 1) % 3
    R = ca.SX(3, 3) if isinstance(angle, ca.SX) else ca.DM(3, 3)
    R[number - 1, number - 1] = 1
    R[j, j] = R[k, k] = ca.cos(angle)
    R[k, j], R[j, k] = ca.sin(angle), -ca.sin(angle)
    return R


def exponential(v: Expr) -> Expr:
    """Return R_AB = exp ṽ, the turn by |v| about v, smooth at v = 0.

    Args:
        v: Rotation vector [rad], shape (3,).

    Returns:
        R_AB, shape (3, 3).
    """
    return euler_parameters.rotation_matrix(euler_parameters.from_rotation_vector(v))


def logarithm(R_AB: ArrayLike | ca.DM) -> ca.DM:
    """Return the rotation vector of a rotation matrix of numbers, |v| ≤ π.

    Args:
        R_AB: A rotation, up to rounding, shape (3, 3).

    Returns:
        v with exp ṽ = R_AB [rad], shape (3,).

    Raises:
        ModelError: If R_AB is not a rotation to 1e-6.
    """
    p = euler_parameters.from_rotation_matrix(R_AB)
    return ca.DM(euler_parameters.to_rotation_vector(p))


def axis_angle(R_AB: ArrayLike | ca.DM) -> tuple[ca.DM, float]:
    """Return the axis and the angle, 0 ≤ φ ≤ π, of a rotation matrix of numbers.

    Args:
        R_AB: A rotation, up to rounding, shape (3, 3).

    Returns:
        The unit axis, shape (3,), and the angle [rad]. Without rotation the axis is z.

    Raises:
        ModelError: If R_AB is not a rotation to 1e-6.
    """
    v = np.asarray(logarithm(R_AB)).ravel()
    angle = float(np.linalg.norm(v))
    return (ca.DM(v / angle) if angle > 0 else ca.DM([0, 0, 1])), angle


def rate_matrix(v: Expr) -> Expr:
    """Return T(v), for which w_AB_B = T v̇; Tᵀ v̇ = w_AB_A.

    T = I - (1 - cos φ)/φ² ṽ + (φ - sin φ)/φ³ ṽ², computed from Euler parameters
    p = [e0, s v], where it reads T = 2 (G ∂p/∂v) and stays smooth at v = 0.

    Args:
        v: Rotation vector [rad], shape (3,).

    Returns:
        T(v), with det T = 2 (1 - cos φ)/φ², zero at |v| = 2π, shape (3, 3).
    """
    if isinstance(v, ca.DM):
        symbol = ca.SX.sym("v", 3)
        return ca.evalf(ca.substitute(rate_matrix(symbol), symbol, v))
    p = euler_parameters.from_rotation_vector(v)
    return 2 * euler_parameters.rate_matrix(p) @ ca.jacobian(p, v)
