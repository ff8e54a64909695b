"""Standard solids held against the integrals they stand for (row H05).

Volume, mass centre and inertia, m = ∫ρ dV, m c = ∫ s ρ dV, J = ∫ (s·s 1 - s sᵀ) ρ dV, by Gauss
quadrature that is exact for the polynomials at hand.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.quadrature import gauss, revolved

from bellcrank.model import solids

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
    np.testing.assert_allclose(solids.thin_rod(m, size), solids.cylinder(m, 0.0, size))
    np.testing.assert_allclose(solids.disc(m, size), solids.cylinder(m, size, 0.0))
