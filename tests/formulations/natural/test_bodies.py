"""One body in fully Cartesian coordinates, held against sums over a cloud of mass points.

Rows C01 to C06, C12 to C16, C23 and C29, each with the bound of its row. Clouds have any angle
between r_ij and u, and any length of u.
"""

import casadi as ca
import numpy as np
import pytest
from tests.formulations.natural.clouds import Basic, Cloud

from bellcrank.formulations.points.bodies import PointMass, momentum
from bellcrank.formulations.points.spatial_bodies import FlatBody, SpatialBody

SEEDS = pytest.mark.parametrize("seed", range(4))
SPATIAL = pytest.mark.parametrize("vectors", [1, 2], ids=["product", "spanned"])


def close(found, expected, tol):
    """Compare to `tol` of the largest value in sight."""
    found, expected = np.array(found, dtype=float).squeeze(), np.squeeze(expected)
    largest = max(1.0, np.abs(found).max(), np.abs(expected).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * largest)


@SEEDS
def test_c01_planar_places_are_linear(seed):
    basic = Basic.random(seed, 0, planar=True)
    for s, c in zip(basic.cloud.s, basic.coefficients(basic.cloud.s), strict=True):
        close(basic.body().place(ca.DM(c)) @ basic.q, basic.cloud.place(s)[:2], 1e-13)


@SEEDS
def test_c02_planar_mass_centre(seed):
    """A = −ρ_i/l, with ρ along r_ij and across it."""
    basic = Basic.random(seed, 0, planar=True)
    body = basic.body()
    close(body.a, -(basic.axes.T @ basic.i)[:2] / body.l, 1e-13)
    close(body.velocity(basic.q) @ basic.q, basic.cloud.r[:2], 1e-13)


@SEEDS
def test_c03_planar_momentum(seed):
    basic = Basic.random(seed, 0, planar=True)
    close(momentum(basic.body(), basic.q) @ basic.qd, basic.cloud.linear()[:2], 1e-13)


@SEEDS
def test_c04_planar_angular_velocity(seed):
    basic = Basic.random(seed, 0, planar=True)
    close(basic.body().angular_velocity(basic.q) @ basic.qd, basic.cloud.w[2], 1e-13)


@SEEDS
def test_c05_planar_angular_momentum(seed):
    basic = Basic.random(seed, 0, planar=True)
    found = basic.body().angular_momentum(ca.DM(basic.q)) @ basic.qd
    close(found, basic.cloud.angular()[2], 1e-13)


def rate_of(matrix, q, qd):
    """Return (d/dt of a matrix of q) q̇, by exact differentiation."""
    x = ca.SX.sym("q", len(q))
    product = matrix(x) @ qd
    return np.array(ca.Function("rate", [x], [ca.jtimes(product, x, ca.DM(qd))])(q)).ravel()


def both(body):
    """Return A = [Φ; Ψ] as a function of q."""
    return lambda q: ca.vertcat(momentum(body, q), body.angular_momentum(q))


@SEEDS
def test_c06_c29_planar_dynamics(seed):
    """(16) with non-zero F and M about the origin: Newton-Euler, 1e-12; Ȧq̇ = 0 in the plane."""
    basic = Basic.random(seed, 0, planar=True)
    body, q, qd, cloud = basic.body(), basic.q, basic.qd, basic.cloud
    bias = rate_of(both(body), q, qd)
    close(bias, np.zeros(3), 1e-13)
    right = np.array([*cloud.force()[:2], cloud.moment()[2]]) - bias
    assert np.abs(right).min() > 1e-3
    r, rd = q[2:] - q[:2], qd[2:] - qd[:2]
    A = np.vstack([np.array(both(body)(ca.DM(q))), [*-r, *r]])
    close(np.linalg.solve(A, [*right, -rd @ rd]), basic.qdd, 1e-12)


@SEEDS
@SPATIAL
def test_c12_spatial_places_and_rotation(seed, vectors):
    basic = Basic.random(seed, vectors)
    body, q, cloud = basic.body(), basic.q, basic.cloud
    close(body.rotation(ca.DM(q)), cloud.R @ basic.axes, 1e-12)
    for s, c in zip(cloud.s, basic.coefficients(cloud.s), strict=True):
        arguments = (ca.DM(c), ca.DM(q)) if isinstance(body, SpatialBody) else (ca.DM(c),)
        close(body.place(*arguments) @ q, cloud.place(s), 1e-12)


@SEEDS
@SPATIAL
def test_c13_spatial_momentum(seed, vectors):
    basic = Basic.random(seed, vectors)
    close(momentum(basic.body(), ca.DM(basic.q)) @ basic.qd, basic.cloud.linear(), 1e-12)


@SEEDS
@SPATIAL
def test_c14_spatial_angular_velocity(seed, vectors):
    """Along the frame's axes."""
    basic = Basic.random(seed, vectors)
    wanted = (basic.cloud.R @ basic.axes).T @ basic.cloud.w
    close(basic.body().angular_velocity(ca.DM(basic.q)) @ basic.qd, wanted, 1e-12)


@SEEDS
@SPATIAL
def test_c15_spatial_angular_momentum(seed, vectors):
    basic = Basic.random(seed, vectors)
    found = basic.body().angular_momentum(ca.DM(basic.q)) @ basic.qd
    close(found, basic.cloud.angular(), 1e-12)


@SEEDS
def test_c16_c29_spatial_dynamics(seed):
    """(40) and (41), nine equations, with non-zero F and M about the origin: 1e-10."""
    basic = Basic.random(seed, 1)
    body, q, qd, cloud = basic.body(), basic.q, basic.qd, basic.cloud
    right = np.concatenate([cloud.force(), cloud.moment()]) - rate_of(both(body), q, qd)
    r, u, rd, ud = q[3:6] - q[:3], q[6:], qd[3:6] - qd[:3], qd[6:]
    zero = np.zeros(3)
    rows = [[*-r, *r, *zero], [*zero, *zero, *u], [*-u, *u, *r]]
    A = np.vstack([np.array(both(body)(ca.DM(q))), rows])
    found = np.linalg.solve(A, [*right, -rd @ rd, -ud @ ud, -2 * rd @ ud])
    close(found, basic.qdd, 1e-10)


@SEEDS
@SPATIAL
def test_the_variational_form_balances_the_same_forces(seed, vectors):
    """M q̈ + bias = Vᵀ F + Gᵀ n′ on rates that keep the body rigid (5.3): 1e-10."""
    basic = Basic.random(seed, vectors)
    body, q, qd, cloud = basic.body(), ca.DM(basic.q), ca.DM(basic.qd), basic.cloud
    torque = cloud.moment() - np.cross(cloud.r, cloud.force())
    n = (cloud.R @ basic.axes).T @ torque
    left = np.array(body.inertia(q) @ basic.qdd + body.bias(q, qd)).ravel()
    V, G = np.array(body.velocity(q)), np.array(body.angular_velocity(q))
    gap = left - V.T @ cloud.force() - G.T @ n
    # What is left is across all rigid rates: those of three translations and three turns.
    for e in np.eye(6):
        moved = Cloud(cloud.m, cloud.s, cloud.R, cloud.r, e[3:], e[:3], cloud.al, cloud.a)
        rate = Basic(moved, basic.i, basic.j, basic.vectors).qd
        assert abs(rate @ gap) < 1e-10 * (1 + np.abs(left).max())


@SEEDS
@pytest.mark.parametrize("vectors", [0, 1, 2], ids=["planar", "product", "spanned"])
def test_c23_kinetic_energy(seed, vectors):
    """½ q̇ᵀ M q̇ to 1e-12; M is symmetric."""
    basic = Basic.random(seed, vectors, planar=not vectors)
    M = np.array(basic.body().inertia(ca.DM(basic.q)))
    close(basic.qd @ M @ basic.qd / 2, basic.cloud.energy(), 1e-12)
    close(M, M.T, 1e-15)


@pytest.mark.parametrize("vectors", [0, 2], ids=["planar", "spanned"])
def test_mass_is_constant_where_the_places_are_linear(vectors):
    bodies = [Basic.random(1, vectors, planar=not vectors) for _ in range(1)]
    x = ca.SX.sym("q", len(bodies[0].q))
    assert ca.SX(bodies[0].body().inertia(x)).is_constant()


@SEEDS
def test_c23_a_plate_has_the_same_energy_and_a_constant_mass(seed):
    """Mass in the plane of r_ij and u alone: M of the product form on rigid rates, constant."""
    rng = np.random.default_rng(seed)
    cloud = Cloud.random(seed)
    i, j, u = rng.uniform(-1, 1, (3, 3))
    flat = np.column_stack([j - i, u])
    s = cloud.s @ np.linalg.pinv(flat).T @ flat.T
    s -= cloud.m @ s / cloud.m.sum()
    plate = Cloud(cloud.m, s, cloud.R, cloud.r, cloud.w, cloud.v, cloud.al, cloud.a)
    # Points of the plate's own plane, which passes through its mass centre.
    i, j = (flat @ (np.linalg.pinv(flat) @ x) for x in (i, j))
    basic = Basic(plate, i, j, (u,))
    body = FlatBody(basic.body())
    q, qd, x = ca.DM(basic.q), basic.qd, ca.SX.sym("q", 9)
    assert ca.SX(body.inertia(x)).is_constant()
    close(qd @ np.array(ca.DM(body.inertia(q))) @ qd / 2, plate.energy(), 1e-12)
    close(body.velocity(q) @ qd, plate.v, 1e-12)
    close(body.angular_momentum(q) @ qd, plate.angular(), 1e-12)
    close(body.bias(q, ca.DM(qd)), np.zeros(9), 1e-15)


def test_a_particle_is_a_point():
    body = PointMass(2.0, 3)
    q, qd = ca.DM([1, 2, 3]), ca.DM([3, -1, 2])
    np.testing.assert_allclose(
        np.array(body.angular_momentum(q) @ qd).ravel(), 2 * np.cross([1, 2, 3], [3, -1, 2])
    )
    assert not np.any(np.array(body.angular_velocity(q)))
    np.testing.assert_allclose(np.array(body.inertia(q)), 2 * np.eye(3))
