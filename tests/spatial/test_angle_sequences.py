"""Three-angle sequences held against angular velocity and SciPy (SPEC 0.4, row S02)."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import axial, close, num

from bellcrank.errors import ModelError
from bellcrank.spatial import angle_sequences as seq
from bellcrank.spatial.angle_sequences import AngleSequence

SEQUENCES = tuple(
    AngleSequence(f"{i}{j}{k}")
    for i in (1, 2, 3)
    for j in (1, 2, 3)
    for k in (1, 2, 3)
    if i != j and j != k
)
"""The twelve body-fixed sequences."""

ALL = SEQUENCES + tuple(AngleSequence(s.axes, "space") for s in SEQUENCES)
KAMMAN = AngleSequence("123")
few = settings(max_examples=40, deadline=None)
turns = arrays(float, 3, elements=st.floats(-3.1, 3.1))
threes = arrays(float, 3, elements=st.floats(-1, 1))


def test_there_are_twelve_sequences():
    assert len(set(SEQUENCES)) == 12
    assert sum(s.proper for s in SEQUENCES) == 6


@few
@given(st.sampled_from(ALL), turns)
def test_rotation_matrix_agrees_with_scipy(sequence, angles):
    letters = sequence.axes.translate(str.maketrans("123", "XYZ"))
    letters = letters if sequence.fixed == "body" else letters.lower()
    close(
        seq.rotation_matrix(sequence, ca.DM(angles)),
        Rotation.from_euler(letters, angles).as_matrix(),
    )


@few
@given(st.sampled_from(ALL), turns, threes)
def test_S02_rate_matrices_give_the_angular_velocity(sequence, angles, rates):
    s = ca.SX.sym("s")
    R = seq.rotation_matrix(sequence, ca.DM(angles) + s * ca.DM(rates))
    Rd = ca.reshape(ca.evalf(ca.substitute(ca.jacobian(ca.vec(ca.densify(R)), s), s, 0)), 3, 3)
    R_AB = seq.rotation_matrix(sequence, ca.DM(angles))
    close(axial(R_AB.T @ Rd), seq.rate_matrix(sequence, ca.DM(angles)) @ rates)
    close(axial(Rd @ R_AB.T), seq.world_rate_matrix(sequence, ca.DM(angles)) @ rates)


@few
@given(st.sampled_from(ALL), turns)
def test_S02_the_inverse_and_the_determinant_of_the_rate_matrix(sequence, angles):
    """|det Y| is |cos θ2|, or |sin θ2| where the first and third axis are the same."""
    measure = abs(np.sin(angles[1]) if sequence.proper else np.cos(angles[1]))
    angles = ca.DM(angles)
    Y, Gamma = seq.rate_matrix(sequence, angles), seq.world_rate_matrix(sequence, angles)
    close(abs(np.linalg.det(num(Y))), measure)
    close(abs(np.linalg.det(num(Gamma))), measure)
    if measure > 0.05:
        close(seq.inverse_rate_matrix(sequence, angles) @ Y, np.eye(3), 1e-13)


@few
@given(turns)
def test_S02_matrices_of_1_2_3_as_printed(angles):
    (S1, S2, S3), (C1, C2, C3) = np.sin(angles), np.cos(angles)
    R_BA = [
        [C2 * C3, C1 * S3 + S1 * S2 * C3, S1 * S3 - C1 * S2 * C3],
        [-C2 * S3, C1 * C3 - S1 * S2 * S3, S1 * C3 + C1 * S2 * S3],
        [S2, -S1 * C2, C1 * C2],
    ]
    Y = [[C2 * C3, S3, 0], [-C2 * S3, C3, 0], [S2, 0, 1]]
    W = np.array([[C3, -S3, 0], [S3 * C2, C3 * C2, 0], [-C3 * S2, S2 * S3, C2]]) / C2
    Gamma = [[1, 0, S2], [0, C1, -S1 * C2], [0, S1, C1 * C2]]
    angles = ca.DM(angles)
    close(seq.rotation_matrix(KAMMAN, angles).T, R_BA)
    close(seq.rate_matrix(KAMMAN, angles), Y)
    close(seq.world_rate_matrix(KAMMAN, angles), Gamma)
    np.testing.assert_allclose(
        num(seq.inverse_rate_matrix(KAMMAN, angles)), W, rtol=1e-13, atol=1e-15
    )


@pytest.mark.parametrize("axes", ["112", "12", "1234", "abc", "", "122", "1 2 3"])
def test_a_sequence_that_does_not_exist_is_refused(axes):
    with pytest.raises(ModelError) as caught:
        AngleSequence(axes)
    assert str(caught.value) == (
        f"angle sequence {axes!r} does not exist; it takes three of the axes 1, 2, 3 with "
        "neighbours different, like '123', '321' or '313'."
    )


def test_axes_fixed_in_nothing_known_are_refused():
    with pytest.raises(ModelError) as caught:
        AngleSequence("123", "moon")  # pyright: ignore[reportArgumentType]
    assert str(caught.value) == (
        "angle sequence '123': fixed must be 'body' or 'space', got 'moon'."
    )


def test_letters_and_dashes_name_the_same_sequence():
    assert AngleSequence("x-Y-z") == AngleSequence("123") == AngleSequence("1-2-3")
