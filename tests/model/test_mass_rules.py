"""Inertia tensors held against sums over points, momentum and energy (row H06)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation

from bellcrank.model.matter import mass

few = settings(max_examples=40, deadline=None)
threes = arrays(float, 3, elements=st.floats(-1, 1))
turns = threes.map(lambda v: Rotation.from_rotvec(3 * v).as_matrix())
clouds = st.tuples(
    arrays(float, (6, 3), elements=st.floats(-1, 1)),
    arrays(float, 6, elements=st.floats(0.1, 2)),
)


def close(a, b):
    np.testing.assert_allclose(np.array(a, dtype=float), b, rtol=0, atol=1e-12)


def about(point, points, masses):
    """Return the inertia about a point by the definition, particle by particle."""
    arms = points - point
    parts = zip(masses, arms, strict=True)
    return sum(m * ((s @ s) * np.eye(3) - np.outer(s, s)) for m, s in parts)


def of_points(points, masses):
    """Return the mass properties of particles by the definition."""
    centre = masses @ points / masses.sum()
    tensor = about(centre, points, masses)
    return mass.MassProperties(masses.sum(), tuple(centre), tuple(map(tuple, tensor)))


@few
@given(clouds, turns)
def test_H06_rotation_rule(cloud, R_AB):
    points, masses = cloud
    body, turned = of_points(points, masses), of_points(points @ R_AB.T, masses)
    close(mass.rotate_inertia(tuple(map(tuple, R_AB)), body.inertia), turned.inertia)


@few
@given(clouds, threes)
def test_H06_parallel_axis_rule(cloud, point):
    points, masses = cloud
    body = of_points(points, masses)
    shift = mass.parallel_axis(body.mass, tuple(np.array(body.com) - point))
    close(np.array(body.inertia) + np.array(shift), about(point, points, masses))


@few
@given(clouds)
def test_H06_composite_is_the_whole_of_its_parts(cloud):
    points, masses = cloud
    parts = [of_points(points[k : k + 2], masses[k : k + 2]) for k in (0, 2, 4)]
    found, whole = mass.combine(parts), of_points(points, masses)
    close(found.mass, whole.mass)
    close(found.com, whole.com)
    close(found.inertia, whole.inertia)


@few
@given(clouds)
def test_H06_principal_axes(cloud):
    body = of_points(*cloud)
    moments, R_AB = mass.principal_axes(np.array(body.inertia))
    close(R_AB @ np.diag(moments) @ R_AB.T, body.inertia)
    close(R_AB.T @ R_AB, np.eye(3))
    close(np.linalg.det(R_AB), 1)
    assert np.all(np.diff(moments) >= 0)
    assert not mass.inadmissible(body.inertia)


@pytest.mark.parametrize("real", [(1, 1, 1), (1, 1, 2), (0, 1, 1), (0, 0, 0)])
def test_H06_admissible_are_real_bodies_and_their_limits(real):
    assert not mass.inadmissible(tuple(map(tuple, np.diag(real).astype(float))))


@pytest.mark.parametrize("unreal", [(1, 1, 2.1), (0, 0, 1), (-1, 2, 2)])
def test_H06_what_no_body_has_is_not_admissible(unreal):
    assert mass.inadmissible(tuple(map(tuple, np.diag(unreal).astype(float))))
