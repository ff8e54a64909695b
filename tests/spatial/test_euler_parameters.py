"""Euler parameters held against the definition of angular velocity (SPEC 0.3, row S03)."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import close, num

from bellcrank.errors import ModelError
from bellcrank.spatial import euler_parameters as ep
from bellcrank.spatial.vectors import axial, skew

fours = arrays(float, 4, elements=st.floats(-1, 1))
threes = arrays(float, 3, elements=st.floats(-1, 1))
attitudes = fours.filter(lambda a: a @ a > 0.01).map(lambda a: a / np.sqrt(a @ a))
few = settings(max_examples=40, deadline=None)


def rate_of(f, p, pd):
    """Return the derivative of the matrix f(p) along ṗ."""
    s = ca.SX.sym("s")
    value = f(ca.DM(p) + s * ca.DM(pd))
    rate = ca.evalf(ca.substitute(ca.jacobian(ca.vec(value), s), s, 0))
    return ca.reshape(rate, *value.shape)


def rate_on_sphere(p, pd):
    return pd - p * (p @ pd)  # a rate that keeps pᵀp = 1


@few
@given(attitudes)
def test_rotation_matrix_keeps_lengths_and_hand(p):
    R_AB = num(ep.rotation_matrix(ca.DM(p)))
    np.testing.assert_allclose(R_AB.T @ R_AB, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(R_AB), 1, atol=1e-14)


@few
@given(attitudes)
def test_rotation_matrix_agrees_with_scipy(p):
    close(ep.rotation_matrix(ca.DM(p)), Rotation.from_quat(p[[1, 2, 3, 0]]).as_matrix())


@few
@given(attitudes, fours)
def test_S03_rate_matrices_give_the_angular_velocity(p, pd):
    pd = rate_on_sphere(p, pd)
    R_AB, Rd_AB = ep.rotation_matrix(ca.DM(p)), rate_of(ep.rotation_matrix, p, pd)
    close(axial(R_AB.T @ Rd_AB), 2 * ep.rate_matrix(ca.DM(p)) @ pd)
    close(axial(Rd_AB @ R_AB.T), 2 * ep.world_rate_matrix(ca.DM(p)) @ pd)
    close(R_AB.T @ Rd_AB, skew(2 * ep.rate_matrix(ca.DM(p)) @ pd))


@few
@given(attitudes, threes)
def test_S03_rates_from_angular_velocity_and_back(p, w_B):
    pd = ep.rates(ca.DM(p), ca.DM(w_B))
    close(2 * ep.rate_matrix(ca.DM(p)) @ pd, w_B)
    close(ca.DM(p).T @ pd, 0)
    close(pd, ep.product(ca.DM(p), ca.DM([0, *w_B])) / 2)


@few
@given(attitudes, fours)
def test_S03_identities_of_haug(p, pd):
    pd = rate_on_sphere(p, pd)
    p, pd = ca.DM(p), ca.DM(pd)
    G, E, Gd = ep.rate_matrix(p), ep.world_rate_matrix(p), ep.rate_matrix(pd)
    close(G @ G.T, np.eye(3))
    close(E @ E.T, np.eye(3))
    close(G.T @ G, np.eye(4) - num(p @ p.T))
    close(G @ p, np.zeros(3))
    close(E @ G.T, ep.rotation_matrix(p))
    close(G @ pd, -Gd @ p)
    close(Gd @ pd, np.zeros(3))
    close(skew(2 * G @ pd), 2 * G @ Gd.T)


@few
@given(attitudes, threes)
def test_S03_scalar_last_matrices_of_kamman(p, w_B):
    p, w_B = ca.DM(p), ca.DM(w_B)
    eps = ep.scalar_last(p)
    Ep, E = ep.scalar_last_rate_matrix(eps), ep.scalar_last_world_rate_matrix(eps)
    close(ep.scalar_first(eps), p)
    close(Ep, num(ep.rate_matrix(p))[:, [1, 2, 3, 0]])
    close(E, num(ep.world_rate_matrix(p))[:, [1, 2, 3, 0]])
    close(Ep @ Ep.T, np.eye(3))
    close(Ep.T @ Ep, np.eye(4) - num(eps @ eps.T))
    close(Ep @ E.T, ep.rotation_matrix(p).T)  # Kamman's [R] is the other way round
    close(Ep.T @ w_B / 2, ep.scalar_last(ep.rates(p, w_B)))
    square = ep.square_rate_matrix(eps)
    close(square @ square.T, np.eye(4))
    close(ca.solve(2 * square, ca.vertcat(w_B, 0)), Ep.T @ w_B / 2)


def test_S03_rows_of_the_scalar_last_matrix_as_printed():
    e1, e2, e3, e4 = 0.1, 0.2, 0.3, 0.4
    printed = [[e4, e3, -e2, -e1], [-e3, e4, e1, -e2], [e2, -e1, e4, -e3]]
    close(ep.scalar_last_rate_matrix(ca.DM([e1, e2, e3, e4])), printed)


@few
@given(attitudes, fours, fours, threes)
def test_point_jacobian_is_the_derivative_of_a_turned_vector(p, pd, pdd, s_B):
    pd = rate_on_sphere(p, pd)
    B = ep.point_jacobian(ca.DM(p), ca.DM(s_B))
    close(B @ pd, rate_of(lambda p: ep.rotation_matrix(p) @ ca.DM(s_B), p, pd))
    R_AB, G = ep.rotation_matrix(ca.DM(p)), ep.rate_matrix(ca.DM(p))
    close(B, -2 * R_AB @ skew(ca.DM(s_B)) @ G + 2 * R_AB @ ca.DM(s_B) @ ca.DM(p).T)
    t = ca.SX.sym("t")
    path = ep.rotation_matrix(ca.DM(p) + t * ca.DM(pd) + t**2 / 2 * ca.DM(pdd)) @ ca.DM(s_B)
    second = ca.evalf(ca.substitute(ca.jacobian(ca.jacobian(path, t), t), t, 0))
    close(second, B @ pdd + ep.point_jacobian(ca.DM(pd), ca.DM(s_B)) @ pd)


@few
@given(attitudes, attitudes, threes)
def test_product_composes_and_conjugate_undoes(a, b, s):
    a, b, s = ca.DM(a), ca.DM(b), ca.DM(s)
    close(ep.rotation_matrix(ep.product(a, b)), ep.rotation_matrix(a) @ ep.rotation_matrix(b))
    close(ep.product(a, ep.conjugate(a)), ep.IDENTITY)
    close(ep.rotate(a, s), ep.rotation_matrix(a) @ s)
    close(ep.normalized(3 * a), a)


@few
@given(threes.map(lambda v: 4 * v) | threes.map(lambda v: 1e-6 * v))
def test_rotation_vector_agrees_with_scipy(v):
    R_AB = Rotation.from_rotvec(v)
    p = ep.from_rotation_vector(ca.DM(v))
    close(ep.rotation_matrix(p), R_AB.as_matrix(), 2e-14)
    back = num(ep.to_rotation_vector(p))
    assert np.linalg.norm(back) <= np.pi + 1e-14
    close(Rotation.from_rotvec(back).as_matrix(), R_AB.as_matrix(), 2e-14)
    close(ep.to_rotation_vector(-p), back)
    if np.linalg.norm(v) < 3.1:
        np.testing.assert_allclose(back, v, rtol=2e-14, atol=1e-22)


@pytest.mark.parametrize("length", [0.0, 1e-300, 1e-9, 0.1, 0.999999, 1.000001, 2.0, 3.0])
def test_rotation_vector_has_derivatives_everywhere(length):
    v = ca.SX.sym("v", 3)
    there = ca.Function("there", [v], [ep.from_rotation_vector(v)])
    again = ep.to_rotation_vector(ep.from_rotation_vector(v))
    J = ca.Function("J", [v], [ca.jacobian(again, v)])
    H = ca.Function("H", [v], [ca.jacobian(ca.jacobian(again, v), v)])
    at = length * np.array([0.6, 0.0, -0.8])
    close(ca.norm_2(there(at)), 1, 1e-15)
    close(J(at), np.eye(3), 1e-13)
    close(H(at), np.zeros((9, 3)), 1e-12)


@few
@given(threes.filter(lambda a: a @ a > 0.01), st.floats(-7, 7))
def test_axis_angle_is_the_rotation_vector(axis, angle):
    axis = axis / np.linalg.norm(axis)
    close(
        ep.rotation_matrix(ep.from_axis_angle(ca.DM(axis), angle)),
        ep.rotation_matrix(ep.from_rotation_vector(ca.DM(axis * angle))),
    )


half_turns = threes.filter(lambda a: a @ a > 0.01).map(
    lambda a: np.array([1e-9, *(a / np.linalg.norm(a))])
)


@few
@given(attitudes | half_turns)
def test_euler_parameters_come_back_from_the_rotation_matrix(p):
    back = num(ep.from_rotation_matrix(ep.rotation_matrix(ep.normalized(ca.DM(p)))))
    assert back[0] >= 0
    np.testing.assert_allclose(abs(back @ p), 1, atol=1e-14)
    np.testing.assert_allclose(back, p * np.sign(back @ p), atol=4e-16 * 10)


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), "a rotation matrix has shape (3, 3), got (2, 2)."),
        (
            np.diag([1.0, 1.0, -1.0]),
            "the rotation matrix is a reflection: max |RᵀR - I| = 0, det R = -1; "
            "a rotation has orthonormal columns and det R = 1.",
        ),
        (
            2 * np.eye(3),
            "the rotation matrix is not orthogonal: max |RᵀR - I| = 3, det R = 8; "
            "a rotation has orthonormal columns and det R = 1.",
        ),
        (
            np.full((3, 3), np.nan),
            "the rotation matrix is not orthogonal: max |RᵀR - I| = nan, det R = nan; "
            "a rotation has orthonormal columns and det R = 1.",
        ),
    ],
)
def test_a_matrix_that_is_no_rotation_is_refused(matrix, message):
    with pytest.raises(ModelError) as caught:
        ep.from_rotation_matrix(matrix)
    assert str(caught.value) == message


def test_symbols_in_symbols_out():
    p = ca.SX.sym("p", 4)
    for f in (ep.rotation_matrix, ep.rate_matrix, ep.to_rotation_vector, ep.conjugate):
        assert isinstance(f(p), ca.SX)
        assert isinstance(f(ca.DM([0.5] * 4)), ca.DM)
