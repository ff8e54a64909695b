"""Standard solids held against the integrals they stand for (row H05).

Volume, mass centre and inertia, m = ∫ρ dV, m c = ∫ s ρ dV, J = ∫ (s·s 1 - s sᵀ) ρ dV, by Gauss
quadrature that is exact for the polynomials at hand.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.quadrature import gauss, revolved

from bellcrank.model.matter import solids

few = settings(max_examples=20, deadline=None)
lengths = st.floats(0.05, 3.0)
masses = st.floats(0.1, 10.0)


def integrals(points, weights):
    """Return volume, centre, and inertia about the centre for unit density."""
    volume = weights.sum()
    centre = weights @ points / volume
    s = points - centre
    outer = np.einsum("n,ni,nj->ij", weights, s, s)
    return volume, centre, np.trace(outer) * np.eye(3) - outer


def agree(found, moments, mass, expected_volume, expected_centre=(0, 0, 0)):
    volume, centre, tensor = found
    scale = np.abs(tensor).max() / volume
    assert expected_volume == pytest.approx(volume, rel=1e-12)
    np.testing.assert_allclose(centre, expected_centre, atol=1e-12 * np.sqrt(scale))
    np.testing.assert_allclose(
        np.diag(moments), tensor * mass / volume, rtol=1e-12, atol=1e-12 * mass * scale
    )


@few
@given(masses, lengths, lengths)
def test_H05_cylinder(m, r, h):
    found = integrals(*revolved((-h / 2, h / 2, lambda z: r**2 + 0 * z)))
    agree(found, solids.cylinder(m, r, h), m, solids.cylinder_volume(r, h))


@few
@given(masses, lengths, lengths)
def test_H05_cone_has_its_centre_a_quarter_up(m, r, h):
    found = integrals(*revolved((0, h, lambda z: (r * (1 - z / h)) ** 2)))
    agree(found, solids.cone(m, r, h), m, solids.cone_volume(r, h), (0, 0, h / 4))


@few
@given(masses, lengths)
def test_H05_sphere(m, r):
    found = integrals(*revolved((-r, r, lambda z: r**2 - z**2)))
    agree(found, solids.sphere(m, r), m, solids.sphere_volume(r))


@few
@given(masses, lengths, lengths)
def test_H05_spheroid(m, a, c):
    found = integrals(*revolved((-c, c, lambda z: a**2 * (1 - (z / c) ** 2))))
    agree(found, solids.ellipsoid(m, a, a, c), m, solids.ellipsoid_volume(a, a, c))


@few
@given(masses, lengths, lengths, lengths)
def test_H05_ellipsoid(m, a, b, c):
    points, weights = revolved((-1, 1, lambda z: 1 - z**2))
    found = integrals(points * [a, b, c], weights * a * b * c)
    agree(found, solids.ellipsoid(m, a, b, c), m, solids.ellipsoid_volume(a, b, c))


@few
@given(masses, lengths, lengths)
def test_H05_capsule(m, r, h):
    found = integrals(
        *revolved(
            (-h / 2 - r, -h / 2, lambda z: r**2 - (z + h / 2) ** 2),
            (-h / 2, h / 2, lambda z: r**2 + 0 * z),
            (h / 2, h / 2 + r, lambda z: r**2 - (z - h / 2) ** 2),
        )
    )
    agree(found, solids.capsule(m, r, h), m, solids.capsule_volume(r, h))


@few
@given(masses, lengths, lengths, lengths)
def test_H05_box(m, a, b, c):
    (x, wx), (y, wy), (z, wz) = (gauss(-e / 2, e / 2, 3) for e in (a, b, c))
    points = np.stack(np.meshgrid(x, y, z, indexing="ij"), -1).reshape(-1, 3)
    weights = (wx[:, None, None] * wy[:, None] * wz).ravel()
    agree(integrals(points, weights), solids.box(m, a, b, c), m, solids.box_volume(a, b, c))


@few
@given(masses, lengths)
def test_H05_thin_rod_and_disc_are_limits_of_the_cylinder(m, size):
    across = m * size**2 / 12
    np.testing.assert_allclose(solids.cylinder(m, 0.0, size), (across, across, 0.0))
    np.testing.assert_allclose(solids.disc(m, size), solids.cylinder(m, size, 0.0))


@few
@given(masses, lengths, lengths, st.floats(0.1, 1.0))
def test_H05_tube_is_a_cylinder_less_another(m, r, h, share):
    inner = share * r
    outside = integrals(*revolved((-h / 2, h / 2, lambda z: r**2 + 0 * z)))
    inside = integrals(*revolved((-h / 2, h / 2, lambda z: inner**2 + 0 * z)))
    if share < 0.99:
        found = outside[0] - inside[0], outside[1], outside[2] - inside[2]
        tensor = found[2] * m / found[0]
        np.testing.assert_allclose(
            np.diag(solids.tube(m, r, inner, h)), tensor, rtol=1e-9, atol=1e-12
        )
        assert solids.tube_volume(r, inner, h) == pytest.approx(found[0], rel=1e-9)


def rings(section, weights, R):
    """Return points and weights of what a section (x, z) sweeps about z at radius R."""
    turn = 2 * np.pi * np.arange(16) / 16
    x, z = section
    points = [np.stack([(R + x) * np.cos(f), (R + x) * np.sin(f), z], -1) for f in turn]
    return np.concatenate(points), np.tile(weights * (R + x) * (2 * np.pi / 16), 16)


@few
@given(masses, lengths, st.floats(0.05, 0.95))
def test_H05_torus_solid_and_hollow(m, R, share):
    r, angle = share * R, 2 * np.pi * np.arange(16) / 16
    rho, w = gauss(0, 1)
    P, F = np.meshgrid(rho, angle, indexing="ij")
    section = (r * P * np.cos(F)).ravel(), (r * P * np.sin(F)).ravel()
    weights = (w[:, None] * r * r * P * (2 * np.pi / 16) + 0 * F).ravel()
    found = integrals(*rings(section, weights, R))
    agree(found, solids.torus(m, R, r), m, solids.torus_volume(R, r))
    edge = r * np.cos(angle), r * np.sin(angle)
    area, _, tensor = integrals(*rings(edge, np.full(16, 2 * np.pi * r / 16), R))
    np.testing.assert_allclose(
        np.diag(solids.torus_shell(m, R, r)),
        tensor * m / area,
        rtol=1e-12,
        atol=1e-12 * m * R * R,
    )


@few
@given(masses, lengths, lengths)
def test_H05_side_of_a_cone_has_its_centre_a_third_up(m, r, h):
    z, w = gauss(0, 1)
    points, weights = rings((-r * z, h * z), w, r)
    area, centre, tensor = integrals(points, weights)
    scale = m * (r * r + h * h)
    np.testing.assert_allclose(centre, (0, 0, h / 3), atol=1e-12 * (r + h))
    np.testing.assert_allclose(
        np.diag(solids.cone_shell(m, r, h)), tensor * m / area, atol=1e-12 * scale
    )


@few
@given(masses, lengths, lengths, lengths)
def test_H05_shell_of_an_ellipsoid_is_the_rate_of_a_growing_one(m, a, b, c):
    """Between similar ellipsoids s and s + ds of the size: d(s⁵ J)/d(s³ V) = 5 J / 3 V."""
    solid = np.array(solids.ellipsoid(m, a, b, c))
    np.testing.assert_allclose(solids.ellipsoid_shell(m, a, b, c), solid * 5 / 3, rtol=1e-14)
