"""Three-angle sequences held against angular velocity and SciPy (SPEC 0.4, row S02)."""

import warnings

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial.numbers import close, num

from bellcrank.errors import BellcrankError, ModelError
from bellcrank.spatial import angle_sequences as seq
from bellcrank.spatial.angle_sequences import SEQUENCES, AngleSequence
from bellcrank.spatial.vectors import axial

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
def test_S02_inverses_of_the_rate_matrices(sequence, angles):
    angles = ca.DM(angles)
    Y, Gamma = seq.rate_matrix(sequence, angles), seq.world_rate_matrix(sequence, angles)
    measure = float(seq.singularity(sequence, angles))
    close(abs(np.linalg.det(num(Y))), measure)
    close(abs(np.linalg.det(num(Gamma))), measure)
    if measure > 0.05:
        close(seq.inverse_rate_matrix(sequence, angles) @ Y, np.eye(3), 1e-13)
        close(seq.inverse_world_rate_matrix(sequence, angles) @ Gamma, np.eye(3), 1e-13)


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


@few
@given(
    st.sampled_from(ALL),
    turns
    | st.tuples(turns, st.sampled_from([0.0, np.pi / 2, -np.pi / 2, np.pi, 1e-9])).map(
        lambda pair: np.array([pair[0][0], pair[1], pair[0][2]])
    ),
)
def test_angles_come_back_from_the_rotation_matrix_even_at_singular_attitudes(sequence, angles):
    R_AB = seq.rotation_matrix(sequence, ca.DM(angles))
    back = seq.angles_of(sequence, R_AB)
    close(seq.rotation_matrix(sequence, back), R_AB, 2e-15)
    middle = float(back[1])
    low, high = (0, np.pi) if sequence.proper else (-np.pi / 2, np.pi / 2)
    assert low <= middle <= high


def test_S02_silent_away_from_the_singular_attitude():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        measure = seq.watch(KAMMAN, [0.1, np.pi / 2 - 0.011, 0.3])
    assert measure == pytest.approx(0.011, rel=1e-3)


def test_S02_warns_near_the_singular_attitude():
    with pytest.warns(seq.NearlySingular) as caught:
        seq.watch(KAMMAN, [0.1, np.pi / 2 - 0.005, 0.3], "body 'rotor'")
    assert str(caught[0].message) == (
        "body-fixed 1-2-3 angles of body 'rotor': |cos θ2| = 0.005 at θ2 = 1.56579633 rad, "
        "close to a singular attitude. Describe the attitude by Euler parameters, which have "
        "no singular attitude, or by another sequence, such as body-fixed 1-2-1."
    )


def test_S02_stops_at_the_singular_attitude_and_names_the_remedy():
    with pytest.raises(seq.SingularAngles) as caught:
        seq.watch(AngleSequence("313", "space"), [0.1, 5e-5, 0.3])
    assert str(caught.value) == (
        "space-fixed 3-1-3 angles of the body: |sin θ2| = 5e-05 at θ2 = 5e-05 rad, where the "
        "rates of the first and the third angle are undefined. Describe the attitude by Euler "
        "parameters, which have no singular attitude, or by another sequence, such as "
        "space-fixed 1-2-3."
    )
    assert caught.value.measure == pytest.approx(5e-5)
    assert isinstance(caught.value, BellcrankError)


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
