"""Six-vectors held against rigid-body velocity and power."""

import casadi as ca
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import close

from bellcrank.spatial import twists

threes = arrays(float, 3, elements=st.floats(-1, 1))
sixes = arrays(float, 6, elements=st.floats(-1, 1)).map(ca.DM)
frames = st.tuples(threes, threes).map(
    lambda pair: (ca.DM(Rotation.from_rotvec(3 * pair[0]).as_matrix()), ca.DM(pair[1]))
)
few = settings(max_examples=40, deadline=None)


@few
@given(frames, frames)
def test_transforms_compose_and_invert(AB, BC):
    (R_AB, p_AB), (R_BC, p_BC) = AB, BC
    AC = (R_AB @ R_BC, p_AB + R_AB @ p_BC)
    close(
        twists.motion_transform(*AC),
        twists.motion_transform(*AB) @ twists.motion_transform(*BC),
    )
    close(
        twists.force_transform(*AC), twists.force_transform(*AB) @ twists.force_transform(*BC)
    )
    close(twists.motion_transform(*AB) @ twists.inverse_motion_transform(*AB), np.eye(6))
    close(twists.force_transform(*AB).T @ twists.motion_transform(*AB), np.eye(6))


@few
@given(frames, sixes, sixes)
def test_vectors_move_as_the_matrices_say_and_power_stays(AB, V_B, F_B):
    V_A, F_A = twists.motion_to(*AB, V_B), twists.force_to(*AB, F_B)
    close(V_A, twists.motion_transform(*AB) @ V_B)
    close(F_A, twists.force_transform(*AB) @ F_B)
    close(twists.motion_from(*AB, V_A), V_B)
    close(twists.force_from(*AB, F_A), F_B)
    close(twists.power(F_A, V_A), twists.power(F_B, V_B))


@few
@given(frames, sixes, threes)
def test_a_motion_vector_is_the_velocity_field_of_a_body(AB, V_B, point_A):
    R_AB, p_AB = AB
    V_A = twists.motion_to(*AB, V_B)
    point_B = R_AB.T @ (ca.DM(point_A) - p_AB)
    velocity_A = V_A[3:] + ca.cross(V_A[:3], ca.DM(point_A))
    velocity_B = V_B[3:] + ca.cross(V_B[:3], point_B)
    close(velocity_A, R_AB @ velocity_B)


@few
@given(sixes, sixes, sixes)
def test_cross_products_obey_jacobi_and_are_dual(V, U, F):
    close(twists.motion_cross(V) @ U, twists.cross_motion(V, U))
    close(twists.force_cross(V) @ F, twists.cross_force(V, F))
    close(twists.force_cross(V), -twists.motion_cross(V).T)
    close(twists.cross_motion(V, U), -twists.cross_motion(U, V))
    bracket = twists.motion_cross(twists.cross_motion(V, U))
    A, B = twists.motion_cross(V), twists.motion_cross(U)
    close(bracket, A @ B - B @ A)


@few
@given(frames, sixes)
def test_cross_product_is_the_rate_of_the_transform(AB, V_AB_B):
    R_AB, p_AB = AB
    s = ca.SX.sym("s")
    w, v = V_AB_B[:3], V_AB_B[3:]
    R = R_AB @ (ca.DM.eye(3) + s * ca.skew(w))  # to first order
    X = twists.motion_transform(R, p_AB + s * (R_AB @ v))
    rate = ca.evalf(ca.substitute(ca.jacobian(ca.vec(ca.densify(X)), s), s, 0))
    close(ca.reshape(rate, 6, 6), twists.motion_transform(*AB) @ twists.motion_cross(V_AB_B))
