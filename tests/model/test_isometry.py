"""A machine moved or mirrored is the same machine elsewhere, or its mirror image."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.laws.evaluation import Evaluated
from tests.machines.everything import everything, four_bar
from tests.model.quadrature import rotation

from bellcrank.errors import ModelError
from bellcrank.model import (
    Body,
    Box,
    Cylindrical,
    Drive,
    Force,
    JointSpring,
    Model,
    Motor,
    Parameter,
    Particle,
    Planar,
    Point,
    Pose,
    Prismatic,
    RackAndPinion,
    Revolute,
    Rod,
    RollingDisc,
    Screw,
    VelocityConstraint,
    mass_properties,
)
from bellcrank.model.expressions import Signal, evaluate
from bellcrank.model.isometry import Isometry, reflection
from bellcrank.testing import FORCES, KINDS, machine, mechanisms, state

some = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**20)


def random_isometry(model, rng, mirror):
    """A map of the model, and the image."""
    if mirror:
        n = rng.normal(size=3)
        n = tuple(float(x) for x in n / np.linalg.norm(n))
        return Isometry(model, reflection(n), sign=-1.0), model.mirrored(n)
    pose = Pose(tuple(rng.normal(size=3)), rotation(rng))
    return Isometry(model, pose.rotation, pose.position), model.moved(pose)


def numbers(value):
    """A vector or matrix with parameters at their values."""
    flat = np.array(value, dtype=object)
    at = [x if isinstance(x, float) else evaluate(x, {}) for x in flat.ravel()]
    return np.array(at, dtype=float).reshape(flat.shape)


@some
@given(mechanisms(), st.booleans(), seeds)
def test_mass_properties_move_as_they_must(model, mirror, seed):
    iso, image = random_isometry(model, np.random.default_rng(seed), mirror)
    M = np.array(iso.matrix)
    for old, new in zip(model.bodies, image.bodies, strict=True):
        a, b = mass_properties(old), mass_properties(new)
        assert a.mass == b.mass
        np.testing.assert_allclose(b.com, iso.point(a.com), atol=1e-12)
        np.testing.assert_allclose(b.inertia, M @ a.inertia @ M.T, atol=1e-12)
        R = np.array(new.pose.rotation)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-13)
        assert np.linalg.det(R) == pytest.approx(1)


def test_shapes_move_as_they_must():
    model = everything()
    rng = np.random.default_rng(3)
    for mirror in (True, False):
        iso, image = random_isometry(model, rng, mirror)
        M = np.array(iso.matrix)
        for old, new in zip(model.bodies, image.bodies, strict=True):
            a, b = mass_properties(old), mass_properties(new)
            np.testing.assert_allclose(
                numbers(b.com), M @ numbers(a.com) + iso.shift, atol=1e-12
            )
            expected = M @ numbers(a.inertia) @ M.T
            np.testing.assert_allclose(numbers(b.inertia), expected, atol=1e-12)


@some
@given(mechanisms(), st.sampled_from("xyz"))
def test_mirrored_twice_is_the_machine_itself(model, axis):
    twice = model.mirrored(axis).mirrored(axis)
    for old, new in zip(model.elements, twice.elements, strict=True):
        for field in old.__dataclass_fields__:
            assert_close(getattr(new, field), getattr(old, field))


@some
@given(mechanisms(), seeds)
def test_moved_there_and_back_is_the_machine_itself(model, seed):
    rng = np.random.default_rng(seed)
    R, r = rotation(rng), rng.normal(size=3)
    back = model.moved(Pose(tuple(r), R)).moved(Pose(tuple(-R.T @ r), R.T))
    for old, new in zip(model.bodies, back.bodies, strict=True):
        np.testing.assert_allclose(new.com, old.com, atol=1e-12)
        np.testing.assert_allclose(new.pose.rotation, old.pose.rotation, atol=1e-12)
    for old, new in zip(model.joints, back.joints, strict=True):
        np.testing.assert_allclose(new.at_second, old.at_second, atol=1e-12)
        if isinstance(old, Planar):
            np.testing.assert_allclose(new.plane_axes, old.plane_axes, atol=1e-12)


def assert_close(a, b):
    if isinstance(b, tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_close(x, y)
    elif isinstance(b, float):
        assert a == pytest.approx(b, abs=1e-12)
    elif isinstance(b, Pose):
        assert_close((a.position, a.rotation), (b.position, b.rotation))
    else:
        assert a == b


def image_of_state(iso, values):
    """The same configuration and speeds, in the image."""
    from scipy.spatial.transform import Rotation

    found = {}
    for name, value in values.items():
        joint = iso.model[name.rpartition(".")[0]]
        quantity = name.rpartition(".")[2]
        D_first = np.array(iso.axes_of(joint.first))
        D_second = np.array(iso.axes_of(joint.second))
        if quantity in ("position", "velocity"):
            found[name] = tuple(D_first @ value)
        elif quantity == "angular_velocity":
            found[name] = tuple(iso.sign * D_second @ value)
        elif quantity == "orientation":
            R = Rotation.from_quat(np.roll(value, -1)).as_matrix()
            image = Rotation.from_matrix(D_first @ R @ D_second.T).as_quat()
            found[name] = tuple(np.roll(image, 1))
        else:
            found[name] = -value if iso.flips(joint.name, quantity) else value
    return found


@pytest.mark.parametrize("mirror", [True, False], ids=["mirrored", "moved"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_image_accelerates_as_the_image_of_the_machine(kind, mirror):
    rng = np.random.default_rng(KINDS.index(kind))
    model = machine([kind, "Universal", kind], seed=7, forces=FORCES, gravity=(0, 0, 0))
    # Euler parameters mean the same with the other sign: a sound law is even in them.
    even = "B3.orientation_2*B3.orientation_0"
    model = model.add(
        Force("reader", "B2", ("tip.position_x", "B1.velocity_y*J2.angle1", even)),
        Force("rider", "B3", ("B1.angular_velocity_z", "tip.velocity_x", 1), frame="body"),
    )
    iso, image = random_isometry(model, rng, mirror)
    values = state(model, 5)
    old, new = motion(model, values), motion(image, image_of_state(iso, values))
    M = np.array(iso.matrix)
    for (w, v), (w_image, v_image) in zip(old, new, strict=True):
        size = 1 + np.abs(v).max() + np.abs(w).max()
        np.testing.assert_allclose(v_image, M @ v, atol=1e-10 * size)
        np.testing.assert_allclose(w_image, iso.sign * M @ w, atol=1e-10 * size)


def motion(model, values):
    """Angular and linear (velocity and acceleration) of every body, shape (3, 2) each."""
    found = Evaluated(model)
    q, u = found.pack(values)
    _, twist, acceleration = found.bodies(q, u, found.accelerations(q, u))
    both = np.stack([twist, acceleration], axis=-1)
    return [(both[:3, k], both[3:, k]) for k in range(both.shape[1])]


def test_axes_of_rotation_are_axial_and_slides_are_polar():
    joints = [
        Revolute("R", "ground", "b", at=(1, 2, 3), axis="y"),
        Revolute("Q", "ground", "b", at=(1, 2, 3), axis="x"),
        Prismatic("P", "ground", "b", axis="y"),
        Prismatic("O", "ground", "b", axis="x"),
        Screw("S", "ground", "b", at=(0, 0, 0), axis="x", pitch=0.1),
        Cylindrical("C", "ground", "b", at=(0, 0, 0), axis="y", drawn=(0.5, 0.25)),
        Planar("L", "ground", "b", axis="z"),
    ]
    body = Body("b", Box((1, 2, 3), center=(0, 1, 0), mass=1))
    image = Model("m", bodies=[body], joints=joints).mirrored("y")
    assert image["R"].at == (1, -2, 3)
    assert image["R"].axis == (0, 1, 0)
    assert image["Q"].axis == (-1, 0, 0)
    assert image["P"].axis == (0, -1, 0)
    assert image["O"].axis == (1, 0, 0)
    assert image["S"].pitch == -0.1
    assert image["C"].drawn == (0.5, -0.25)
    assert image["L"].plane_axes == ((1, 0, 0), (0, -1, 0))
    assert image["b"].shapes == (Box((1, 2, 3), center=(0, -1, 0), mass=1),)


def test_the_offset_of_a_cylindrical_joint_turns_its_sign_wherever_it_is_used():
    model = Model(
        "m",
        bodies=[Body("b", Rod((0, 0, 0), (1, 0, 0), mass=1)), Particle("p", 1, (0, 0, 0))],
        joints=[
            Cylindrical("C", "ground", "b", at=(0, 0, 0), axis="y"),
            Revolute("R", "ground", "p", at=(0, 0, 0), axis="x"),
        ],
        forces=[
            Motor("push", "C", "2 + C.offset", coordinate="offset"),
            Motor("turn", "C", "3*offset_rate", coordinate="angle"),
            JointSpring("s", "C", "offset", rest=0.5, law="offset**2"),
        ],
        constraints=[
            RackAndPinion("rack", "C", "R", 0.1),
            VelocityConstraint("v", {"C.offset_rate": 2, "b.velocity_y": 1}),
            RollingDisc("disc", "b", center=(0, 1, 1), axis="y", radius=1),
        ],
        drivers=[Drive("d", "C", offset="t", angle="2*t")],
    )
    image = model.mirrored("y")
    offset, rate = Signal("C.offset"), Signal("C.offset_rate")
    assert image["push"].effort == -(2 - offset)
    assert image["turn"].effort == 3 * -rate
    assert image["s"].rest == -0.5
    assert image["s"].law == -((-offset) ** 2)
    assert image["rack"].radius == -0.1
    assert image["disc"].center == (0, -1, 1)
    assert [(name, c.value) for name, c in image["v"].terms] == [
        ("C.offset_rate", -2.0), ("b.velocity_y", -1.0),
    ]  # fmt: skip
    assert dict(image["d"].motion) == {"offset": -Signal("t"), "angle": 2 * Signal("t")}


def test_drives_of_points_move_along():
    quarter = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    model = four_bar(drivers=[Drive("reach", "tip", position_x="t", position_z="2*t")])
    image = model.moved(Pose((1, 2, 3), quarter))
    t = Signal("t")
    assert dict(image["reach"].motion) == {"position_y": 2 + t, "position_z": 3 + 2 * t}
    half = np.sqrt(0.5)
    with pytest.raises(ModelError) as raised:
        model.moved(Pose(rotation=((half, -half, 0), (half, half, 0), (0, 0, 1))))
    assert str(raised.value) == (
        "driver 'reach': prescribes some components of the position of 'tip' only, which are "
        "no components along the axes after the turn; prescribe all three."
    )


def test_a_pose_with_parameters_brings_them_along():
    model = four_bar().moved(Pose((Parameter("dx", 1.0), 0, 0)))
    assert model.parameters == (Parameter("dx", 1.0),)
    assert evaluate(model["B"].at[0], {"dx": 5.0}) == 5.0
    with pytest.raises(ModelError) as raised:
        four_bar().moved(Pose((0, 0, float("nan"))))
    assert str(raised.value) == "moved: position[2] must be a finite number [m], got nan."


def test_gravity_belongs_to_the_world():
    quarter = ((1, 0, 0), (0, 0, -1), (0, 1, 0))
    assert four_bar().moved(Pose(rotation=quarter)).gravity == (0, 0, -9.81)
    assert four_bar().mirrored("z").gravity == (0, 0, -9.81)


def test_points_move():
    model = Model("m", points=[Point("nail", "ground", at=(1, 2, 3))])
    assert model.moved(Pose((1, 1, 1)))["nail"].at == (2, 3, 4)
    assert model.mirrored("x")["nail"].at == (-1, 2, 3)


def test_attitudes_in_laws_need_a_turn_in_plain_numbers():
    model = four_bar(forces=[Force("f", "crank", (0, 0, "crank.orientation_0**2"))])
    assert model.moved(Pose(rotation=(0.6, 0, 0.8, 0)))["f"].vector != model["f"].vector
    c, s = Parameter("c", 0.6), Parameter("s", 0.8)
    with pytest.raises(ModelError) as raised:
        model.moved(Pose(rotation=((c, -s, 0), (s, c, 0), (0, 0, 1))))
    assert str(raised.value) == (
        "moved: crank.orientation_0 is used in an expression, so that the rotation must be "
        "plain numbers."
    )
