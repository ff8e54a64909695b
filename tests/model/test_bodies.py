"""Bodies: explicit numbers and shapes together, frames, and the rules of inertia."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.quadrature import rotation

from bellcrank.errors import ModelError
from bellcrank.model import (
    Body,
    Box,
    MassProperties,
    Parameter,
    Particle,
    Point,
    Pose,
    Rod,
    Sphere,
    combine,
    mass_properties,
    parallel_axis,
    principal_axes,
    rotate_inertia,
)
from bellcrank.model.expressions import evaluate
from bellcrank.model.matter.mass import inadmissible

some = settings(max_examples=40, deadline=None)
seeds = st.integers(0, 2**20)


def tensor(rng):
    """The inertia of a random cloud, which is admissible by being one."""
    s = rng.normal(size=(6, 3)) * rng.uniform(0.1, 2, 3)
    second = s.T @ s
    return np.trace(second) * np.eye(3) - second


def rows(matrix):
    return tuple(tuple(map(float, row)) for row in matrix)


def test_inertia_is_along_body_axes():
    quarter = ((0, -1, 0), (1, 0, 0), (0, 0, 1))  # body x is world y
    body = Body("b", mass=1, inertia=(1, 2, 3, 0, 0, 0), pose=Pose(rotation=quarter))
    assert mass_properties(body).inertia == ((2, 0, 0), (0, 1, 0), (0, 0, 3))


def test_six_entries_are_those_of_the_tensor():
    six = Body("b", mass=1, inertia=(4, 5, 6, 0.1, 0.2, 0.3))
    nine = Body("b", mass=1, inertia=[[4, 0.1, 0.2], [0.1, 5, 0.3], [0.2, 0.3, 6]])
    assert six == nine
    assert six.inertia[1] == (0.1, 5.0, 0.3)


def test_without_shapes_the_mass_centre_is_the_origin_of_the_frame():
    body = Body("b", mass=1, inertia=(1, 1, 1, 0, 0, 0), pose=Pose((1, 2, 3)))
    assert mass_properties(body).com == (1, 2, 3)


def test_an_explicit_mass_is_spread_over_the_shape():
    given_to_rod = Body("b", Rod((0, 0, 0), (0, 0, 1), mass=3))
    given_to_body = Body("b", Rod((0, 0, 0), (0, 0, 1)), mass=3)
    overriding = Body("b", Rod((0, 0, 0), (0, 0, 1), mass=1), mass=3)
    assert mass_properties(given_to_rod) == mass_properties(given_to_body)
    assert mass_properties(given_to_rod) == mass_properties(overriding)


def test_shapes_without_mass_share_the_mass_by_volume():
    shapes = Box((1, 1, 1)), Box((1, 1, 2), center=(5, 0, 0))
    found = mass_properties(Body("b", *shapes, mass=6.0))
    parts = Body("b", Box((1, 1, 1), mass=2), Box((1, 1, 2), center=(5, 0, 0), mass=4))
    expected = mass_properties(parts)
    np.testing.assert_allclose(found.com, expected.com, rtol=1e-14)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-14)


def test_explicit_com_and_inertia_replace_that_number_only():
    rod = Rod((0, 0, 0), (0, 0, 1), mass=12)
    assert mass_properties(Body("b", rod, com=(1, 1, 1))) == MassProperties(
        12.0, (1.0, 1.0, 1.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 0.0))
    )
    assert mass_properties(Body("b", rod, inertia=(1, 2, 3, 0, 0, 0))).inertia[2][2] == 3
    assert mass_properties(Body("b", rod, inertia=(1, 2, 3, 0, 0, 0))).com == (0, 0, 0.5)


def test_a_particle_has_mass_and_no_inertia():
    particle = Particle("p", 2, at=(1, 2, 3))
    assert mass_properties(particle) == MassProperties(2.0, (1.0, 2.0, 3.0), ((0.0,) * 3,) * 3)
    assert particle.pose == Pose((1, 2, 3))


@some
@given(seeds)
def test_H06_rotating_an_inertia_keeps_its_principal_moments(seed):
    rng = np.random.default_rng(seed)
    J, R = tensor(rng), rotation(rng)
    turned = np.array(rotate_inertia(rows(R), rows(J)))
    np.testing.assert_allclose(turned, R @ J @ R.T, atol=1e-12 * np.abs(J).max())
    np.testing.assert_allclose(
        principal_axes(turned)[0], principal_axes(J)[0], rtol=1e-9, atol=1e-12 * np.abs(J).max()
    )


@some
@given(seeds)
def test_H06_principal_axes_rebuild_the_inertia(seed):
    J = tensor(np.random.default_rng(seed))
    moments, V = principal_axes(J)
    np.testing.assert_allclose(V @ np.diag(moments) @ V.T, J, atol=1e-12 * np.abs(J).max())
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-13)
    assert np.linalg.det(V) == pytest.approx(1)
    assert list(moments) == sorted(moments)


@some
@given(seeds)
def test_H06_parallel_axis_is_the_skew_square_and_combining_does_not_depend_on_order(seed):
    rng = np.random.default_rng(seed)
    m, d = 2.5, rng.normal(size=3)
    S = np.array([[0, -d[2], d[1]], [d[2], 0, -d[0]], [-d[1], d[0], 0]])
    np.testing.assert_allclose(parallel_axis(m, tuple(d)), m * S.T @ S, atol=1e-13)
    parts = [
        MassProperties(float(rng.uniform(1, 2)), tuple(rng.normal(size=3)), rows(tensor(rng)))
        for _ in range(4)
    ]
    one, other = combine(parts), combine([combine(parts[:2]), combine(parts[2:][::-1])])
    np.testing.assert_allclose(one.inertia, other.inertia, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(one.com, other.com, atol=1e-13)


@some
@given(seeds, st.floats(1.01, 3))
def test_an_inertia_is_admissible_iff_no_moment_exceeds_the_sum_of_the_others(seed, excess):
    rng = np.random.default_rng(seed)
    a, b = rng.uniform(0.1, 1, 2)
    R = rotation(rng)
    assert not inadmissible(rows(R @ np.diag([a, b, a + b]) @ R.T))
    assert inadmissible(rows(R @ np.diag([a, b, (a + b) * excess]) @ R.T))
    assert inadmissible(rows(R @ np.diag([a, b, -0.01]) @ R.T))
    assert not inadmissible(((0.0,) * 3,) * 3)


def test_admissibility_with_parameters_is_tested_at_their_values():
    Body("b", mass=1, inertia=(1, 1, Parameter("J", 2.0), 0, 0, 0))
    with pytest.raises(ModelError) as raised:
        Body("b", mass=1, inertia=(1, 1, 2 * Parameter("J", 2.0), 0, 0, 0))
    assert str(raised.value) == (
        "body 'b': inertia belongs to no rigid body: its principal moments break c ≤ a + b: "
        "4 > 1 + 1 kg m²."
    )


def test_euler_parameters_and_matrix_give_the_same_pose():
    half = np.sqrt(0.5)
    quarter = ((0, -1, 0), (1, 0, 0), (0, 0, 1))
    found = Pose(rotation=(half, 0, 0, half)).rotation
    np.testing.assert_allclose(found, quarter, atol=1e-15)
    assert Pose(rotation=found) == Pose((0, 0, 0), found)  # bringing into form does it once


@some
@given(seeds)
def test_a_pose_is_brought_into_form_once(seed):
    rng = np.random.default_rng(seed)
    R = rotation(rng) + rng.normal(size=(3, 3)) * 1e-10  # typed with ten digits
    pose = Pose(tuple(rng.normal(size=3)), R)
    assert not pose.complaints
    np.testing.assert_allclose(np.array(pose.rotation).T @ pose.rotation, np.eye(3), atol=1e-14)
    assert Pose(pose.position, pose.rotation) == pose
    p = rng.normal(size=3)
    np.testing.assert_allclose((pose @ pose).point(tuple(p)), pose.point(pose.point(tuple(p))))


def test_bodies_are_values():
    one = Body("b", Rod((0, 0, 0), (0, 0, 1), mass=1), com=np.array([0, 0, 0.5]))
    same = Body("b", Rod([0, 0, 0], [0, -0.0, 1.0], mass=1), com=(0, 0, 0.5))
    assert one == same
    assert hash(one) == hash(same)
    assert pickle.loads(pickle.dumps(one)) == one
    assert one != Body("b", Rod((0, 0, 0), (0, 0, 1), mass=2), com=(0, 0, 0.5))
    with pytest.raises(AttributeError):
        one.mass = 3.0


def test_parametric_mass_spreads_over_shapes():
    body = Body("b", Rod((0, 0, 0), (0, 0, 1), mass=1), mass=2 * Parameter("m", 3.0))
    J = mass_properties(body).inertia[0][0]
    assert evaluate(J, {"m": 6.0}) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Body("b"), "body 'b': mass is needed [kg], from shapes or as mass=."),
        (lambda: Body("b", mass=1),
         "body 'b': inertia is needed, from shapes or as inertia= 3×3 or "
         "(xx, yy, zz, xy, xz, yz) [kg m²]; a point mass is a Particle."),
        (lambda: Body("b", Sphere(1)),
         "body 'b': Sphere needs a mass or a density, or the body a mass; "
         "0 for a picture only."),
        (lambda: Body("b", Sphere(1), Sphere(1, mass=1), mass=1),
         "body 'b': Sphere needs a mass or a density, since other shapes have one."),
        (lambda: Body("b", Sphere(1), Rod((0, 0, 0), (0, 0, 1)), mass=1),
         "body 'b': Rod has no volume, so that it needs a mass of its own."),
        (lambda: Body("b", Sphere(1, mass=0)), "body 'b': mass must be positive [kg], got 0."),
        (lambda: Body("b", Sphere(1), mass=0), "body 'b': mass must be positive [kg], got 0."),
        (lambda: Body("b", Sphere(1), mass=-2),
         "body 'b': mass must be positive [kg], got -2."),
        (lambda: Body("b", "rod", mass=1),
         "body 'b': shapes[0] must be a shape such as Rod or Box, got 'rod'."),
        (lambda: Body("b", mass=1, com=(0, 0, 0, 0), inertia=(1,) * 6),
         "body 'b': com needs 3 components [m], got 4."),
        (lambda: Body("b", mass=1, inertia=5),
         "body 'b': inertia needs 3×3 entries or (xx, yy, zz, xy, xz, yz) [kg m²], got 5."),
        (lambda: Body("b", mass=1, inertia=((1, 2, 0), (0, 1, 0), (0, 0, 1))),
         "body 'b': inertia must be symmetric; xy is 2 and 0."),
        (lambda: Body("b", mass=1, inertia=(1, 1, -1, 0, 0, 0)),
         "body 'b': inertia belongs to no rigid body: its smallest principal moment is "
         "negative, -1 kg m²."),
        (lambda: Body("b", mass=1, inertia=(1, 1, 1, 0, 0, 0), pose=3),
         "body 'b': pose must be a Pose, got 3."),
        (lambda: Body("b", mass=1, inertia=(1,) * 6, pose=Pose(rotation=(1, 1, 0, 0))),
         "body 'b': pose: rotation needs Euler parameters of length 1, got length 1.41421356."),
        (lambda: Body("b", mass=1, inertia=(1,) * 6,
                      pose=Pose(rotation=((-1, 0, 0), (0, 1, 0), (0, 0, 1)))),
         "body 'b': pose: rotation must be a right-handed rotation; it is left-handed."),
        (lambda: Body("a/b", mass=1, inertia=(1, 1, 1, 0, 0, 0)),
         "body 'a/b': name must not contain '/', got 'a/b'."),
        (lambda: Body("", mass=1, inertia=(1, 1, 1, 0, 0, 0)),
         "body '': name must not be empty or begin or end with a blank, got ''."),
        (lambda: Body(7, mass=1, inertia=(1, 1, 1, 0, 0, 0)),
         "body 7: name must be text, got 7."),
        (lambda: Particle("p", 0, at=(0, 0, 0)),
         "body 'p': mass must be positive [kg], got 0."),
        (lambda: Particle("p", 1, at=None), "body 'p': at needs 3 components [m], got None."),
        (lambda: Point("tip", "b", at=(0, 0, "a.b")),
         "point 'tip': at[2]: a number may use parameters only, but 'a.b' uses a.b."),
    ],
)  # fmt: skip
def test_messages(make, message):
    with pytest.raises(ModelError) as raised:
        make()
    assert str(raised.value) == message


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (Rod((0, 0, 0), (0, 1e200, 0), mass=1),
         "body 'b': inertia belongs to no rigid body: it is not finite."),
        (Sphere(1e150, density=1), "body 'b': mass must be a finite number [kg], got inf."),
    ],
)  # fmt: skip
def test_bodies_beyond_all_numbers_are_refused(shape, message):
    with pytest.raises(ModelError) as raised:
        Body("b", shape)
    assert str(raised.value) == message
