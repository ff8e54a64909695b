"""Euler parameters held against the definition of angular velocity (SPEC 0.3, row S03)."""

import casadi as ca
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import axial, close

from bellcrank.spatial import attitudes

fours = arrays(float, 4, elements=st.floats(-1, 1))
threes = arrays(float, 3, elements=st.floats(-1, 1))
turns = fours.filter(lambda a: a @ a > 0.01).map(lambda a: a / np.sqrt(a @ a))
half_turns = threes.filter(lambda a: a @ a > 0.01).map(
    lambda a: np.array([1e-9, *(a / np.linalg.norm(a))])
)
few = settings(max_examples=40, deadline=None)


def rate_of(f, p, pd):
    """Return the derivative of the matrix f(p) along ṗ."""
    s = ca.SX.sym("s")
    rows = f([ca.SX(a) + s * b for a, b in zip(p, pd, strict=True)])
    slopes = [[ca.jacobian(ca.SX(entry), s) for entry in row] for row in rows]
    return np.array([[float(ca.evalf(ca.substitute(e, s, 0))) for e in row] for row in slopes])


def rate_on_sphere(p, pd):
    return pd - p * (p @ pd)  # a rate that keeps pᵀp = 1


def G(p):
    """Return the rate matrix of body components."""
    return np.array(attitudes.rate_matrix(list(p)))


@few
@given(turns)
def test_rotations_keep_lengths_and_hand_and_agree_with_scipy(p):
    R_AB = np.array(attitudes.rotation(list(p)))
    np.testing.assert_allclose(R_AB.T @ R_AB, np.eye(3), atol=1e-14)
    np.testing.assert_allclose(np.linalg.det(R_AB), 1, atol=1e-14)
    close(R_AB, Rotation.from_quat(p[[1, 2, 3, 0]]).as_matrix())
    close(attitudes.rigid_rotation(list(3.0 * p)), R_AB)
    close(attitudes.to_body(list(p)), R_AB.T)


@few
@given(turns, fours)
def test_S03_the_rate_matrix_gives_the_angular_velocity(p, pd):
    pd = rate_on_sphere(p, pd)
    R_AB, Rd_AB = np.array(attitudes.rotation(list(p))), rate_of(attitudes.rotation, p, pd)
    close(axial(R_AB.T @ Rd_AB), 2 * G(p) @ pd)


@few
@given(turns, threes)
def test_S03_rates_from_angular_velocity_and_back(p, w_B):
    pd = G(p).T @ w_B / 2
    close(2 * G(p) @ pd, w_B)
    close(p @ pd, 0)
    close(pd, np.array(attitudes.euler_product(list(p), [0.0, *w_B])) / 2)


@few
@given(turns, fours)
def test_S03_identities_of_haug(p, pd):
    pd = rate_on_sphere(p, pd)
    close(G(p) @ G(p).T, np.eye(3))
    close(G(p).T @ G(p), np.eye(4) - np.outer(p, p))
    close(G(p) @ p, np.zeros(3))
    close(G(p) @ pd, -G(pd) @ p)
    close(G(pd) @ pd, np.zeros(3))
    w = 2 * G(p) @ pd
    close(np.cross(np.eye(3), w), 2 * G(p) @ G(pd).T)


def test_S03_rows_of_the_scalar_last_matrix_as_printed():
    e1, e2, e3, e4 = 0.1, 0.2, 0.3, 0.4
    printed = [[e4, e3, -e2, -e1], [-e3, e4, e1, -e2], [e2, -e1, e4, -e3]]
    p = attitudes.scalar_first([e1, e2, e3, e4])
    assert attitudes.scalar_last(p) == (e1, e2, e3, e4)
    close([attitudes.scalar_last(row) for row in attitudes.rate_matrix(p)], printed)


@few
@given(turns, turns)
def test_product_composes_and_conjugate_undoes(a, b):
    R_a, R_b = (np.array(attitudes.rotation(list(p))) for p in (a, b))
    both = attitudes.euler_product(list(a), list(b))
    close(attitudes.rotation(both), R_a @ R_b)
    back = attitudes.euler_product(list(a), attitudes.conjugate(list(a)))
    close(back, [1.0, 0.0, 0.0, 0.0])


@few
@given(turns | half_turns)
def test_euler_parameters_come_back_from_the_rotation_matrix(p):
    R = attitudes.rigid_rotation(list(p))
    p = p / np.linalg.norm(p)
    for back in (attitudes.euler_parameters(R), attitudes.turn_parameters(R)):
        back = np.array(back, dtype=float)
        np.testing.assert_allclose(abs(back @ p), 1, atol=1e-14)
        np.testing.assert_allclose(back, p * np.sign(back @ p), atol=4e-16 * 10)
    assert attitudes.euler_parameters(R)[0] >= 0
