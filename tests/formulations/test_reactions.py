"""Reactions in trees: closed forms, and no work in the directions a joint leaves free."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bellcrank as bc
from bellcrank.testing import mechanisms, states


def rod(mass=2.0, length=1.5, g=9.81):
    return bc.Model(
        "rod",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (length, 0, 0), mass=mass))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        gravity=(0, 0, -g),
    )


def test_a_rod_released_level_weighs_a_quarter_on_its_pin():
    """H18: mg/4 when released horizontally."""
    seen = bc.compile(rod()).observe([0.0], [0.0])
    assert seen["A.reaction_force"] == pytest.approx([0, 0, 2.0 * 9.81 / 4], abs=1e-12)


def test_a_falling_rod_weighs_five_halves_at_the_bottom():
    """H18: 5mg/2 at the bottom, where ω² = 3g/L."""
    seen = bc.compile(rod()).observe([np.pi / 2], [np.sqrt(3 * 9.81 / 1.5)])
    assert seen["A.reaction_force"] == pytest.approx([0, 0, 2.5 * 2.0 * 9.81], abs=1e-11)


def test_a_hinge_passes_no_torque_about_its_axis():
    """J05: zero axial torque."""
    seen = bc.compile(rod()).observe([0.3], [1.7])
    assert seen["A.reaction_torque"][1] == pytest.approx(0, abs=1e-12)


def carried(model, seen, body, axis):
    """Return an axis of a body, given in the drawing, as it stands now."""
    if body == "ground":
        return np.array(axis)
    e0, *e = seen[f"{body}.orientation"]
    x = np.array(model[body].pose.rotation).T @ np.array(axis)
    return x + 2 * np.cross(e, np.cross(e, x) + e0 * x)


def free_wrenches(model, seen, joint):
    """Yield (torque axis, force axis) of each direction the joint leaves free."""
    zero, kind = np.zeros(3), type(joint).__name__
    first = lambda axis: carried(model, seen, joint.first, axis)  # noqa: E731
    if kind in ("Revolute", "Cylindrical", "Planar"):
        yield first(joint.axis_first), zero
    if kind in ("Prismatic", "Cylindrical"):
        yield zero, first(joint.axis_first)
    if kind == "Planar":
        yield from ((zero, first(axis)) for axis in joint.plane_axes)
    if kind == "Screw":
        axis = first(joint.axis_first)
        yield axis, axis * joint.pitch / (2 * np.pi)
    if kind == "Universal":
        yield first(joint.axis_first), zero
        yield carried(model, seen, joint.second, joint.axis_second), zero
    if kind in ("Spherical", "Free"):
        yield from ((axis, zero) for axis in np.eye(3))
    if kind == "Free":
        yield from ((zero, axis) for axis in np.eye(3))


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_reactions_do_no_work_where_the_joint_is_free(data):
    """J05, J07 and their likes: a reaction has no component along a free direction."""
    model = data.draw(mechanisms(max_bodies=3))
    system = bc.compile(model, level=0)
    if not system.speeds:
        return
    seen = system.observe(*system.pack(data.draw(states(model))), t=0.4)
    forces = [np.abs(seen[f"{joint.name}.reaction_{w}"]).max()
              for joint in model.joints for w in ("force", "torque")]  # fmt: skip
    for joint in model.joints:
        force, torque = (seen[f"{joint.name}.reaction_{what}"] for what in ("force", "torque"))
        for turn, slide in free_wrenches(model, seen, joint):
            assert turn @ torque + slide @ force == pytest.approx(
                0, abs=1e-9 * (10 + max(forces))
            )


def test_a_weld_carries_what_hangs_on_it():
    model = bc.Model(
        "shelf",
        bodies=[bc.Body("shelf", bc.Box((1, 1, 0.1), center=(0.5, 0, 0), mass=3.0))],
        joints=[bc.Fixed("wall", "ground", "shelf", at=(0, 0, 0))],
    )
    seen = bc.compile(model).observe([], [])
    assert seen["wall.reaction_force"] == pytest.approx([0, 0, 3 * 9.81])
    assert seen["wall.reaction_torque"] == pytest.approx([0, -3 * 9.81 / 2, 0])
