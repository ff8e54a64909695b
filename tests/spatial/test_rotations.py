"""Rotation matrices, their exponentials, logarithms and rates."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.linalg import expm
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import close, num

from bellcrank.spatial import rotations
from bellcrank.spatial.vectors import axial, axis, skew, unit

threes = arrays(float, 3, elements=st.floats(-1, 1))
directions = threes.filter(lambda a: a @ a > 0.01).map(lambda a: a / np.linalg.norm(a))
few = settings(max_examples=40, deadline=None)


@few
@given(threes, threes)
def test_skew_is_the_cross_product_and_axial_its_inverse(a, b):
    close(skew(ca.DM(a)) @ b, np.cross(a, b))
    close(axial(skew(ca.DM(a))), a)


def test_unit_vectors():
    close(unit(ca.DM([3, 0, 4])), [0.6, 0, 0.8])
    close(ca.horzcat(axis(1), axis(2), axis(3)), np.eye(3))


@few
@given(directions, st.floats(-7, 7))
def test_rotation_about_an_axis_is_the_matrix_exponential(direction, angle):
    R_AB = rotations.about_axis(ca.DM(direction), angle)
    close(R_AB, expm(angle * num(skew(ca.DM(direction)))))
    close(R_AB, rotations.exponential(ca.DM(angle * direction)))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_rotation_about_a_frame_axis(number):
    close(rotations.about(number, 0.7), rotations.about_axis(axis(number), 0.7))
    angle = ca.SX.sym("angle")
    assert rotations.about(number, angle).nnz() == 5


@few
@given(directions, st.floats(0, np.pi) | st.sampled_from([1e-12, np.pi - 1e-9, np.pi]))
def test_logarithm_undoes_the_exponential_up_to_a_half_turn(direction, angle):
    R_AB = Rotation.from_rotvec(angle * direction).as_matrix()
    v = num(rotations.logarithm(R_AB))
    close(rotations.exponential(ca.DM(v)), R_AB, 1e-14)
    found_axis, found_angle = rotations.axis_angle(R_AB)
    assert found_angle == pytest.approx(angle, abs=1e-14)
    if angle > 1e-6:
        close(num(found_axis) * np.sign(num(found_axis) @ direction), direction, 1e-9)


def test_no_rotation_has_angle_zero_about_z():
    direction, angle = rotations.axis_angle(np.eye(3))
    assert angle == 0
    close(direction, [0, 0, 1])


@few
@given(threes.map(lambda v: 3 * v) | threes.map(lambda v: 1e-8 * v), threes)
def test_rate_matrix_of_the_rotation_vector_gives_the_angular_velocity(v, vd):
    s = ca.SX.sym("s")
    R = rotations.exponential(ca.DM(v) + s * ca.DM(vd))
    Rd = ca.reshape(ca.evalf(ca.substitute(ca.jacobian(ca.vec(R), s), s, 0)), 3, 3)
    R_AB = rotations.exponential(ca.DM(v))
    T = rotations.rate_matrix(ca.DM(v))
    close(axial(R_AB.T @ Rd), T @ vd)
    close(axial(Rd @ R_AB.T), T.T @ vd)


@few
@given(threes.map(lambda v: 3 * v).filter(lambda v: v @ v > 1e-2))
def test_rate_matrix_of_the_rotation_vector_in_closed_form(v):
    phi, V = np.linalg.norm(v), num(skew(ca.DM(v)))
    closed = np.eye(3) - (1 - np.cos(phi)) / phi**2 * V + (phi - np.sin(phi)) / phi**3 * V @ V
    close(rotations.rate_matrix(ca.DM(v)), closed, 1e-12)
