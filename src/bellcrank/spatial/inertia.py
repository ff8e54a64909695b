"""Inertia of rigid bodies: tensors of rotation, and the 6×6 matrix that has the mass as well.

Conventions:
    I_P     inertia tensor about point P, ∫ (s·s 1 - s sᵀ) dm with s from P; its off-diagonal
            entries are minus the products of inertia [kg m²]
    C       the mass centre; c = p_PC its position
    R_AB    takes components in B to components in A
    M_A     spatial inertia: force vector = M_A × motion vector, angular part first (`twists`)

References:
    Haug (1989), Computer-Aided Kinematics and Dynamics of Mechanical Systems, ch. 11.
    Featherstone (2008), Rigid Body Dynamics Algorithms, ch. 2.
"""

from collections.abc import Sequence

import casadi as ca
import numpy as np
from numpy.typing import ArrayLike

from bellcrank.spatial.twists import inverse_motion_transform
from bellcrank.spatial.vectors import Expr, skew


def rotated(I_B: Expr, R_AB: Expr) -> Expr:
    """Return I_A = R_AB I_B R_ABᵀ, the same tensor along other axes.

    Args:
        I_B: Inertia tensor along B [kg m²], shape (3, 3).
        R_AB: Attitude of B in A, shape (3, 3).

    Returns:
        The tensor along A, shape (3, 3).
    """
    return R_AB @ I_B @ R_AB.T


def about_point(I_C: Expr, mass: Expr | float, c: Expr) -> Expr:
    """Return I_P = I_C + m c̃ᵀ c̃: from the mass centre to a point, along the same axes.

    Args:
        I_C: Inertia tensor about the mass centre [kg m²], shape (3, 3).
        mass: m [kg].
        c: From the point to the mass centre, or back: the sign does not matter [m], shape (3,).

    Returns:
        The tensor about the point, shape (3, 3).
    """
    return I_C + mass * _square(c)


def about_centre(I_P: Expr, mass: Expr | float, c: Expr) -> Expr:
    """Return I_C = I_P - m c̃ᵀ c̃: from a point to the mass centre, along the same axes.

    Args:
        I_P: Inertia tensor about a point [kg m²], shape (3, 3).
        mass: m [kg].
        c: From the point to the mass centre, or back [m], shape (3,).

    Returns:
        The tensor about the mass centre, shape (3, 3).
    """
    return I_P - mass * _square(c)


def _square(c: Expr) -> Expr:
    """Return c̃ᵀ c̃ = c·c 1 - c cᵀ."""
    return ca.dot(c, c) * ca.DM.eye(3) - c @ c.T


def composite(
    masses: Sequence[Expr | float], centres: Sequence[Expr], tensors: Sequence[Expr]
) -> tuple[Expr | float, Expr, Expr]:
    """Return mass, mass centre and central inertia of several bodies fixed to each other.

    m = Σ m_k,  c = Σ m_k c_k / m,  I_C = Σ (I_k + m_k d̃_kᵀ d̃_k) with d_k = c_k - c.

    Args:
        masses: m_k [kg].
        centres: c_k, from one point along the same axes [m], each shape (3,).
        tensors: I_k, each about its own mass centre, along the same axes, each shape (3, 3).

    Returns:
        m, c of shape (3,), and I_C of shape (3, 3).
    """
    mass = sum(masses[1:], start=masses[0])
    centre = ca.DM.zeros(3)
    for m, c in zip(masses, centres, strict=True):
        centre = centre + m * c
    centre = centre / mass
    total = ca.DM.zeros(3, 3)
    for m, c, tensor in zip(masses, centres, tensors, strict=True):
        total = total + about_point(tensor, m, c - centre)
    return mass, centre, total


def principal_axes(I_A: ArrayLike | ca.DM) -> tuple[ca.DM, ca.DM]:
    """Return principal moments and axes: I_A = R_AB diag(moments) R_ABᵀ.

    Args:
        I_A: Inertia tensor of numbers, symmetric [kg m²], shape (3, 3).

    Returns:
        The moments in rising order, shape (3,), and R_AB, a rotation whose columns are the
        principal axes along A, shape (3, 3).
    """
    tensor = np.asarray(I_A, dtype=float)
    moments, axes = np.linalg.eigh((tensor + tensor.T) / 2)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return ca.DM(moments), ca.DM(axes)


def admissible(I_C: ArrayLike | ca.DM, rtol: float = 1e-9) -> bool:
    """Return whether some distribution of mass has this inertia: no J_a above J_b + J_c.

    Args:
        I_C: Inertia tensor of numbers, symmetric [kg m²], shape (3, 3).
        rtol: What rounding may add to the largest moment, relative.

    Returns:
        True for real bodies, their limits included: thin rods, discs, mass points.
    """
    moments = np.asarray(principal_axes(I_C)[0]).ravel()
    slack = rtol * abs(moments[2])
    return bool(moments[0] >= -slack and moments[2] <= moments[0] + moments[1] + slack)


# ------------------------------------------------------------------------------ spatial inertia


def spatial_inertia(mass: Expr | float, c: Expr, I_C: Expr) -> Expr:
    """Return M_A = [I_C + m c̃ᵀ c̃, m c̃; -m c̃, m 1], so that kinetic energy = ½ Vᵀ M V.

    Args:
        mass: m [kg].
        c: From the origin of A to the mass centre, along A [m], shape (3,).
        I_C: Inertia about the mass centre, along A [kg m²], shape (3, 3).

    Returns:
        M_A, symmetric, shape (6, 6).
    """
    coupling = mass * skew(c)
    return ca.blockcat([
        [about_point(I_C, mass, c), coupling],
        [-coupling, mass * ca.DM.eye(3)],
    ])


def parts(M_A: Expr) -> tuple[Expr, Expr, Expr]:
    """Return mass, mass centre and central inertia of a spatial inertia matrix.

    Args:
        M_A: Spatial inertia, shape (6, 6).

    Returns:
        m [kg], c [m] of shape (3,), and I_C [kg m²] of shape (3, 3).
    """
    mass = M_A[5, 5]
    c = ca.vertcat(M_A[2, 4], M_A[0, 5], M_A[1, 3]) / mass
    return mass, c, about_centre(M_A[:3, :3], mass, c)


def spatial_inertia_to(R_AB: Expr, p_AB_A: Expr, M_B: Expr) -> Expr:
    """Return M_A = X_BAᵀ M_B X_BA: the same body, seen from another frame.

    Args:
        R_AB: Attitude of B in A, shape (3, 3).
        p_AB_A: From the origin of A to that of B, along A [m], shape (3,).
        M_B: Spatial inertia in B, shape (6, 6).

    Returns:
        M_A, shape (6, 6).
    """
    X_BA = inverse_motion_transform(R_AB, p_AB_A)
    return X_BA.T @ M_B @ X_BA
