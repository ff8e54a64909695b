"""Motion and force of a rigid body as single vectors of six numbers.

The angular part comes first. A vector of six belongs to a body frame: the motion vector of B
holds the velocity of the point of the body that is at the origin of B, and the force vector
the moment about that origin. Moving either to another frame is one matrix, and F·V, the
power, does not change on the way.

Conventions:
    V_A     motion vector [w; v] at the origin of A, along A; a twist [rad/s, m/s]
    F_A     force vector [n; f], moment about the origin of A, along A; a wrench [N m, N]
    R_AB    takes components in B to components in A
    p_AB_A  from the origin of A to that of B, along A
    X_AB    takes motion vectors of B to motion vectors of A: X_AC = X_AB X_BC

References:
    Featherstone (2008), Rigid Body Dynamics Algorithms, ch. 2. His X is from A to B, ours X_BA.
"""

import casadi as ca

from bellcrank.spatial.vectors import Expr, skew


def motion_transform(R_AB: Expr, p_AB_A: Expr) -> Expr:
    """Return X_AB = [R, 0; p̃ R, R], with which V_A = X_AB V_B. Also called the adjoint.

    Args:
        R_AB: Attitude of B in A, shape (3, 3).
        p_AB_A: From the origin of A to that of B, along A [m], shape (3,).

    Returns:
        X_AB, shape (6, 6).
    """
    # Structural zeros stay out of what is derived from this matrix.
    return ca.blockcat([[R_AB, ca.DM(3, 3)], [skew(p_AB_A) @ R_AB, R_AB]])


def force_transform(R_AB: Expr, p_AB_A: Expr) -> Expr:
    """Return [R, p̃ R; 0, R] = X_AB⁻ᵀ, with which F_A = X_AB⁻ᵀ F_B.

    Args:
        R_AB: Attitude of B in A, shape (3, 3).
        p_AB_A: From the origin of A to that of B, along A [m], shape (3,).

    Returns:
        The transform of force vectors, shape (6, 6).
    """
    return ca.blockcat([[R_AB, skew(p_AB_A) @ R_AB], [ca.DM(3, 3), R_AB]])


def inverse_motion_transform(R_AB: Expr, p_AB_A: Expr) -> Expr:
    """Return X_BA = X_AB⁻¹ = [Rᵀ, 0; -Rᵀ p̃, Rᵀ], shape (6, 6)."""
    return ca.blockcat([[R_AB.T, ca.DM(3, 3)], [-R_AB.T @ skew(p_AB_A), R_AB.T]])


def motion_to(R_AB: Expr, p_AB_A: Expr, V_B: Expr) -> Expr:
    """Return V_A = X_AB V_B without forming the matrix.

    Args:
        R_AB: Attitude of B in A, shape (3, 3).
        p_AB_A: From the origin of A to that of B, along A [m], shape (3,).
        V_B: Motion vector of B, shape (6,).

    Returns:
        [R w; R v + p × R w], shape (6,).
    """
    w_A = R_AB @ V_B[:3]
    return ca.vertcat(w_A, R_AB @ V_B[3:] + ca.cross(p_AB_A, w_A))


def motion_from(R_AB: Expr, p_AB_A: Expr, V_A: Expr) -> Expr:
    """Return V_B = X_AB⁻¹ V_A = [Rᵀ w; Rᵀ (v - p × w)], shape (6,)."""
    w_A, v_A = V_A[:3], V_A[3:]
    return ca.vertcat(R_AB.T @ w_A, R_AB.T @ (v_A - ca.cross(p_AB_A, w_A)))


def force_to(R_AB: Expr, p_AB_A: Expr, F_B: Expr) -> Expr:
    """Return F_A = X_AB⁻ᵀ F_B = [R n + p × R f; R f], shape (6,)."""
    f_A = R_AB @ F_B[3:]
    return ca.vertcat(R_AB @ F_B[:3] + ca.cross(p_AB_A, f_A), f_A)


def force_from(R_AB: Expr, p_AB_A: Expr, F_A: Expr) -> Expr:
    """Return F_B = X_ABᵀ F_A = [Rᵀ (n - p × f); Rᵀ f], shape (6,)."""
    n_A, f_A = F_A[:3], F_A[3:]
    return ca.vertcat(R_AB.T @ (n_A - ca.cross(p_AB_A, f_A)), R_AB.T @ f_A)


def motion_cross(V: Expr) -> Expr:
    """Return V× = [w̃, 0; ṽ, w̃], the rate of motion vectors carried along by V.

    With it dX_AB/dt = X_AB (V_AB_B×), where V_AB_B is the motion of B in A, along B.

    Args:
        V: Motion vector [w; v], shape (6,).

    Returns:
        V×, with V× V = 0, shape (6, 6).
    """
    return ca.blockcat([[skew(V[:3]), ca.DM(3, 3)], [skew(V[3:]), skew(V[:3])]])


def force_cross(V: Expr) -> Expr:
    """Return V×* = [w̃, ṽ; 0, w̃] = -(V×)ᵀ, the rate of force vectors carried along by V.

    Args:
        V: Motion vector [w; v], shape (6,).

    Returns:
        V×*, shape (6, 6).
    """
    return ca.blockcat([[skew(V[:3]), skew(V[3:])], [ca.DM(3, 3), skew(V[:3])]])


def cross_motion(V: Expr, U: Expr) -> Expr:
    """Return V × U of two motion vectors, [w × a; w × b + v × a] for U = [a; b], shape (6,)."""
    w, v, a, b = V[:3], V[3:], U[:3], U[3:]
    return ca.vertcat(ca.cross(w, a), ca.cross(w, b) + ca.cross(v, a))


def cross_force(V: Expr, F: Expr) -> Expr:
    """Return V ×* F of a motion and a force vector, [w × n + v × f; w × f], shape (6,)."""
    w, v, n, f = V[:3], V[3:], F[:3], F[3:]
    return ca.vertcat(ca.cross(w, n) + ca.cross(v, f), ca.cross(w, f))


def power(F: Expr, V: Expr) -> Expr:
    """Return F·V = n·w + f·v [W], the same in every frame."""
    return ca.dot(F, V)
