"""Inertia tensors held against sums over points, momentum and energy (row H06)."""

from functools import partial

import casadi as ca
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.transform import Rotation
from tests.spatial import numbers

from bellcrank.model.matter import mass
from bellcrank.spatial import inertia, twists

few = settings(max_examples=40, deadline=None)
threes = arrays(float, 3, elements=st.floats(-1, 1))
sixes = arrays(float, 6, elements=st.floats(-1, 1)).map(ca.DM)
turns = threes.map(lambda v: ca.DM(Rotation.from_rotvec(3 * v).as_matrix()))
clouds = st.tuples(
    arrays(float, (6, 3), elements=st.floats(-1, 1)),
    arrays(float, 6, elements=st.floats(0.1, 2)),
)


close = partial(numbers.close, atol=1e-12)
num = numbers.num


def of_points(points, masses):
    """Return mass, mass centre, central inertia by the definition, point by point."""
    mass, centre = masses.sum(), masses @ points / masses.sum()
    tensor = sum(
        m * ((s @ s) * np.eye(3) - np.outer(s, s))
        for m, s in zip(masses, points - centre, strict=True)
    )
    return float(mass), ca.DM(centre), ca.DM(tensor)


@few
@given(clouds, turns)
def test_H06_rotation_rule(cloud, R_AB):
    points, masses = cloud
    _, _, I_B = of_points(points, masses)
    _, _, I_A = of_points(points @ num(R_AB).T, masses)
    close(inertia.rotated(I_B, R_AB), I_A)


@few
@given(clouds, threes)
def test_H06_parallel_axis_rule(cloud, point):
    points, masses = cloud
    mass, centre, I_C = of_points(points, masses)
    by_definition = sum(
        m * ((s @ s) * np.eye(3) - np.outer(s, s))
        for m, s in zip(masses, points - point, strict=True)
    )
    I_P = inertia.about_point(I_C, mass, centre - ca.DM(point))
    close(I_P, by_definition)
    close(inertia.about_centre(I_P, mass, ca.DM(point) - centre), I_C)


@few
@given(clouds)
def test_H06_composite_is_the_whole_of_its_parts(cloud):
    points, masses = cloud
    groups = [of_points(points[k : k + 2], masses[k : k + 2]) for k in (0, 2, 4)]
    mass, centre, I_C = inertia.composite(*map(list, zip(*groups, strict=True)))
    whole = of_points(points, masses)
    close(mass, whole[0])
    close(centre, whole[1])
    close(I_C, whole[2])


@few
@given(clouds)
def test_H06_principal_axes(cloud):
    I_C = of_points(*cloud)[2]
    moments, R_AB = inertia.principal_axes(I_C)
    close(R_AB @ ca.diag(moments) @ R_AB.T, I_C)
    close(R_AB.T @ R_AB, np.eye(3))
    close(np.linalg.det(num(R_AB)), 1)
    assert np.all(np.diff(num(moments)) >= 0)
    assert inertia.admissible(I_C)


def test_H06_admissible_are_real_bodies_and_their_limits():
    for real in ([1, 1, 1], [1, 1, 2], [0, 1, 1], [0, 0, 0]):
        assert inertia.admissible(np.diag(real))
    for unreal in ([1, 1, 2.1], [0, 0, 1], [-1, 2, 2]):
        assert not inertia.admissible(np.diag(unreal))


@few
@given(clouds, sixes)
def test_H06_spatial_inertia_gives_energy_and_momentum(cloud, V):
    points, masses = cloud
    w, v = num(V)[:3], num(V)[3:]
    velocities = v + np.cross(w, points)
    M = inertia.spatial_inertia(*of_points(points, masses))
    close(V.T @ M @ V / 2, (masses * (velocities**2).sum(1)).sum() / 2)
    momentum = num(M @ V)
    close(momentum[3:], masses @ velocities)
    close(momentum[:3], masses @ np.cross(points, velocities))
    close(M, M.T)


@few
@given(clouds, turns, threes)
def test_H06_spatial_inertia_seen_from_another_frame(cloud, R_AB, p_AB_A):
    points, masses = cloud
    M_B = inertia.spatial_inertia(*of_points(points, masses))
    M_A = inertia.spatial_inertia(*of_points(points @ num(R_AB).T + p_AB_A, masses))
    close(inertia.spatial_inertia_to(R_AB, ca.DM(p_AB_A), M_B), M_A)
    for part, expected in zip(inertia.parts(M_B), of_points(points, masses), strict=True):
        close(part, expected)


@few
@given(clouds, sixes)
def test_H06_rate_of_momentum_of_a_moving_body(cloud, V_W):
    """d(M V)/dt at constant V equals V ×* M V - M (V × V) with the body carried along."""
    M = inertia.spatial_inertia(*of_points(*cloud))
    s = ca.SX.sym("s")
    w, v = V_W[:3], V_W[3:]
    moved = inertia.spatial_inertia_to(ca.DM.eye(3) + s * ca.skew(w), s * v, M)
    rate = ca.evalf(ca.substitute(ca.jacobian(moved @ V_W, s), s, 0))
    close(rate, twists.cross_force(V_W, M @ V_W))


@few
@given(clouds, turns)
def test_H06_the_rules_of_the_model_are_the_same(cloud, R_AB):
    """Plain numbers and expressions in `model.mass` follow the same rules as symbols here."""
    points, masses = cloud
    groups = [of_points(points[k : k + 2], masses[k : k + 2]) for k in (0, 2, 4)]
    parts = [
        mass.MassProperties(m, tuple(num(c)), tuple(map(tuple, num(J)))) for m, c, J in groups
    ]
    whole, expected = mass.combine(parts), of_points(points, masses)
    close(whole.mass, expected[0])
    close(whole.com, expected[1])
    close(np.array(whole.inertia), expected[2])
    turned = mass.rotate_inertia(tuple(map(tuple, num(R_AB))), whole.inertia)
    close(np.array(turned), inertia.rotated(expected[2], R_AB))
    shift = mass.parallel_axis(whole.mass, (1.0, 2.0, 3.0))
    close(np.array(shift), inertia.about_point(ca.DM(3, 3), expected[0], ca.DM([1, 2, 3])))
    J, V = mass.principal_axes(np.array(whole.inertia))
    close(V @ np.diag(J) @ V.T, expected[2])
    close(np.linalg.det(V), 1)
