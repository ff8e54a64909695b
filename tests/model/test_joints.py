"""Joints: sides, axes, what is drawn, and every message."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellcrank.errors import ModelError
from bellcrank.model import (
    Cylindrical,
    Fixed,
    Free,
    Parameter,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from bellcrank.model.expressions import evaluate

some = settings(max_examples=40, deadline=None)
directions = st.tuples(*[st.floats(-5, 5)] * 3).filter(lambda a: np.linalg.norm(a) > 0.1)


def test_coordinates_and_their_rates():
    table = {
        Revolute: ("angle",),
        Prismatic: ("offset",),
        Cylindrical: ("angle", "offset"),
        Screw: ("angle",),
        Universal: ("angle1", "angle2"),
        Planar: ("x", "y", "angle"),
        Fixed: (),
    }
    for kind, names in table.items():
        assert kind.coordinates == names
        assert kind.speeds == tuple(f"{name}_rate" for name in names)
        assert kind.accelerations == tuple(f"{name}_acceleration" for name in names)
    assert Spherical.coordinates == ("orientation",)
    assert Spherical.speeds == ("angular_velocity",)
    assert Free.coordinates == ("position", "orientation")
    assert Free.speeds == ("velocity", "angular_velocity")
    assert Free.accelerations == ("acceleration", "angular_acceleration")


def test_one_point_serves_both_sides():
    joint = Revolute("J", "a", "b", at=[1, 2, 3], axis="-y")
    assert joint.at == joint.at_first == joint.at_second == (1, 2, 3)
    assert joint.axis_first == joint.axis_second == (0, -1, 0)
    assert str(joint.axis[0]) == "0.0"  # never -0.0
    assert joint.drawn == (0.0,)


def test_points_and_axes_per_side():
    by_name = Revolute(
        "J", "a", "b", at={"b": (4, 5, 6), "a": (1, 2, 3)}, axis={"a": "x", "b": (0, 2, 0)}
    )
    assert (by_name.at_first, by_name.at_second) == ((1, 2, 3), (4, 5, 6))
    assert (by_name.axis_first, by_name.axis_second) == ((1, 0, 0), (0, 1, 0))
    assert by_name == Revolute("J", "a", "b", at=((1, 2, 3), (4, 5, 6)), axis=("x", "y"))
    same = Revolute("J", "a", "b", at={"a": (1, 2, 3), "b": (1, 2, 3)}, axis="x")
    assert same == Revolute("J", "a", "b", at=(1, 2, 3), axis="x")
    arrays = Revolute("J", "a", "b", at=[np.ones(3), np.zeros(3)], axis="x")
    assert arrays.at_second == (0, 0, 0)


@some
@given(directions)
def test_axes_become_unit_vectors_once(axis):
    joint = Prismatic("J", "a", "b", axis=axis)
    assert np.linalg.norm(joint.axis) == pytest.approx(1, abs=4e-16)
    np.testing.assert_allclose(np.cross(joint.axis, axis), 0, atol=1e-14)
    assert Prismatic("J", "a", "b", axis=joint.axis) == joint


def test_parametric_axes_are_unit_when_asked_for():
    joint = Revolute("J", "a", "b", at=(0, 0, 0), axis=(1, Parameter("tilt", 1.0), 0))
    found = [
        x if isinstance(x, float) else evaluate(x, {"tilt": 2.0}) for x in joint.axis_first
    ]
    np.testing.assert_allclose(found, np.array([1, 2, 0]) / np.sqrt(5), atol=1e-15)


def test_plane_axes_are_cyclic_for_world_axes():
    x, y, z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
    for normal, expected in (("x", (y, z)), ("y", (z, x)), ("z", (x, y))):
        assert Planar("J", "a", "b", axis=normal).plane_axes == expected
    assert Planar("J", "a", "b", axis="-z").plane_axes == (x, (0, -1, 0))


@some
@given(directions)
def test_plane_axes_and_normal_are_a_right_handed_frame(normal):
    joint = Planar("J", "a", "b", axis=normal)
    (x, y), n = joint.plane_axes, joint.axis_first
    R = np.array([x, y, n])
    np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-13)
    assert np.linalg.det(R) == pytest.approx(1)


def test_the_direction_of_x_may_be_said():
    joint = Planar("J", "a", "b", axis="z", along=(1, 1, 0))
    half = np.sqrt(0.5)
    np.testing.assert_allclose(joint.plane_axes, [(half, half, 0), (-half, half, 0)])


def test_drawn_values():
    assert Universal("U", "a", "b", (0, 0, 0), "x", "y", drawn=(1, 2)).drawn == (1, 2)
    assert Spherical("S", "a", "b", at=(0, 0, 0)).drawn == ()
    assert Free("F", "a", "b").drawn == (0, 0, 0)
    assert Revolute("R", "a", "b", (0, 0, 0), "x", Parameter("q0", 1.0)).drawn == (
        Parameter("q0", 1.0),
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Revolute("J", "a", "a", at=(0, 0, 0), axis="x"),
         "joint 'J': needs two different bodies, got 'a' twice."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis="w"),
         "joint 'J': axis is one of x, y, z, -x, -y, -z or three numbers, got 'w'."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis=(0, 0, 0)),
         "joint 'J': axis must not be zero, got (0, 0, 0)."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis=(0, float("nan"), 0)),
         "joint 'J': axis[1] must be a finite number, got nan."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis=(1, 0)),
         "joint 'J': axis needs 3 components, got 2."),
        (lambda: Revolute("J", "a", "b", at=7, axis="x"),
         "joint 'J': at needs 3 components [m], got 7."),
        (lambda: Revolute("J", "a", "b", at={"a": (0, 0, 0), "c": (0, 0, 0)}, axis="x"),
         "joint 'J': at per side names 'a' and 'b', got 'a', 'c'."),
        (lambda: Revolute("J", "a", "b", at={"a": (0, 0, 0), "b": (0,)}, axis="x"),
         "joint 'J': at on 'b' needs 3 components [m], got 1."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis={"a": "x", "b": "-x"}),
         "joint 'J': axis must not be opposite on 'a' and 'b': the rotation that aligns them "
         "is not unique. Reverse one."),
        (lambda: Revolute("J", "a", "b", at=(0, 0, 0), axis="x", drawn=(1, 2)),
         "joint 'J': drawn takes 1 (angle) number, got 2."),
        (lambda: Free("J", "a", "b", drawn=(1, 2)),
         "joint 'J': drawn takes 3 (position_x, position_y, position_z) numbers, got 2."),
        (lambda: Spherical("J", "a", "b", at=(0, 0, 0), drawn=(1,)),
         "joint 'J': drawn takes no numbers, got 1."),
        (lambda: Screw("J", "a", "b", at=(0, 0, 0), axis="x"),
         "joint 'J': pitch must be a finite number [m per turn], got None."),
        (lambda: Universal("J", "a", "b", (0, 0, 0), axis1="x", axis2=(1, 1, 0)),
         "joint 'J': axis1 and axis2 must be perpendicular in the drawing, got a cosine of "
         "0.707107 between them."),
        (lambda: Planar("J", "a", "b", axis="z", along=(0, 1, 1)),
         "joint 'J': axis and along must be perpendicular in the drawing, got a cosine of "
         "0.707107 between them."),
        (lambda: Revolute("J.1", "a", 5, at=(0, 0, 0), axis="x"),
         "2 complaints:\n"
         "  - joint 'J.1': name must not contain '.', got 'J.1'.\n"
         "  - joint 'J.1': second must be text, got 5."),
    ],
)  # fmt: skip
def test_messages(make, message):
    with pytest.raises(ModelError) as raised:
        make()
    assert str(raised.value) == message


@some
@given(directions, directions, st.integers(6, 10), st.sampled_from(["universal", "planar"]))
def test_axes_that_are_square_but_for_rounding_are_made_square(one, other, digits, kind):
    """The first is as written; the second turns by no more than both were rounded."""
    a = np.array(one) / np.linalg.norm(one)
    b = np.cross(a, other)
    if np.linalg.norm(b) < 0.1:
        return
    a, b = (tuple(np.round(each / np.linalg.norm(each), digits).tolist()) for each in (a, b))
    if kind == "universal":
        joint = Universal("J", "a", "b", at=(0, 0, 0), axis1=a, axis2=b)
        first, second = joint.axis_first, joint.axis_second
        kept = (np.array(each) / np.linalg.norm(each) for each in (a, b))
        assert np.allclose((joint.axis1, joint.axis2), (*kept,), rtol=0, atol=1e-15)
    else:
        joint = Planar("J", "a", "b", axis=a, along=b)
        first, (second, _) = joint.axis_first, joint.plane_axes
    assert abs(np.dot(first, second)) < 1e-9
    assert np.allclose(first, a / np.linalg.norm(a), rtol=0, atol=1e-15)
    assert np.allclose(second, b, rtol=0, atol=3 * 10.0**-digits)
