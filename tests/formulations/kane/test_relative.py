"""Angular accelerations with relative coordinates: rows R01 to R08."""

import numpy as np
import pytest
from tests.formulations.kane.trees import SIX, random_tree, skew

import bellcrank as bc

pytestmark = pytest.mark.slow

PAIR, TREE = (0, 1), (0, 1, 1, 3)
RELATIVE = {
    "angle rates": bc.Kane(bc.AngleRates("123", relative=True)),
    "fixed": bc.Kane("relative fixed", bc.Angles("123", relative=True)),
    "body": bc.Kane("relative body", "relative Euler parameters"),
}
ALL = (
    bc.Kane(),
    bc.Kane("absolute fixed"),
    bc.Kane("relative body"),
    bc.Kane("relative fixed", "relative Euler parameters"),
    bc.Kane("absolute body", bc.Angles("321")),
    bc.Kane("relative fixed", bc.Angles("313", relative=True, fixed="space")),
    bc.Kane(bc.AngleRates()),
    bc.Kane(bc.AngleRates("231", relative=True)),
)


class Moving:
    """A machine whose coordinates run along their own rates, with constant u̇."""

    def __init__(self, choice, lower, seed=0):
        self.tree, _, _ = random_tree(lower, seed)
        self.equations = bc.equations(self.tree.model(), choice)
        rng = np.random.default_rng(seed + 1)
        n = len(lower)
        width = len(self.equations.coordinates) // n - 3
        turns = rng.uniform(-0.7, 0.7, (n, width))
        if width == 4:
            turns[:, 3] += 1.0
            turns /= np.linalg.norm(turns, axis=1)[:, None]
        self.q = np.concatenate([turns.ravel(), rng.uniform(-1, 1, 3 * n)])
        self.u, self.ud = rng.normal(size=(2, 6 * n))

    def at(self, time):
        """Return (q, u) after a short time, by a Runge-Kutta step of fourth order."""

        def rate(q, t):
            return self.equations.kinematical_equations(q, self.u + t * self.ud)

        h, q = time, self.q
        k1 = rate(q, 0)
        k2 = rate(q + h / 2 * k1, h / 2)
        k3 = rate(q + h / 2 * k2, h / 2)
        k4 = rate(q + h * k3, h)
        return q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), self.u + h * self.ud

    def slope(self, function, h=2e-3):
        """Return the rate of a function of (q, u), by differences of fourth order."""
        values = [function(*self.at(step * h)) for step in (-2, -1, 1, 2)]
        return (values[0] - 8 * values[1] + 8 * values[2] - values[3]) / (12 * h)

    def rotation(self, body):
        """Return [R_K] as a function of (q, u)."""
        return self.equations.rotation_matrix[body]

    def spin(self, body):
        """Return ω_K along the inertial frame as a function of (q, u)."""
        w, R = self.equations.angular_velocities[body], self.rotation(body)
        return lambda q, u: R(q, u).T @ w(q, u)


def printed(theta):
    """Return Γ(θ) of the 1-2-3 sequence."""
    (S1, S2, _), (C1, C2, _) = np.sin(theta), np.cos(theta)
    return np.array([[1, 0, S2], [0, C1, -S1 * C2], [0, S1, C1 * C2]])


def printed_rate(theta, rate):
    """Return Γ̇ as printed."""
    (S1, S2, _), (C1, C2, _), (a, b, _) = np.sin(theta), np.cos(theta), rate
    return np.array([
        [0, 0, b * C2],
        [0, -a * S1, b * S1 * S2 - a * C1 * C2],
        [0, a * C1, -(a * S1 * C2 + b * C1 * S2)],
    ])


def test_partial_angular_velocities_of_relative_angles():
    """R01: blocks Γ1 and [R_B1]ᵀΓ2, and ω_B2 against differences of [R] to 1e-8."""
    moving = Moving(RELATIVE["angle rates"], PAIR)
    q, u = moving.q, moving.u
    R1, R2 = (moving.rotation(body)(q, u) for body in ("B1", "B2"))
    partial = R2.T @ moving.equations.partial_angular_velocity["B2"](q, u)
    np.testing.assert_allclose(partial[:, :3], printed(q[:3]), atol=1e-13)
    np.testing.assert_allclose(partial[:, 3:6], R1.T @ printed(q[3:6]), atol=1e-13)
    assert not partial[:, 6:].any()
    turned = moving.slope(lambda q, u: moving.rotation("B2")(q, u).T) @ R2
    np.testing.assert_allclose(turned, skew(moving.spin("B2")(q, u)), atol=1e-8)


@pytest.mark.parametrize("name", RELATIVE)
def test_rates_of_partial_angular_velocities(name):
    """R02: d/dt [ω′_K,u] against differences to 1e-8."""
    moving = Moving(RELATIVE[name], TREE)
    for body in ("B1", "B2", "B4"):
        partial = moving.equations.partial_angular_velocity[body]
        found = moving.equations.partial_angular_velocity_rate[body](moving.q, moving.u)
        np.testing.assert_allclose(found, moving.slope(partial), atol=1e-8)


def test_angular_acceleration_from_angle_rates():
    """R03: α_B1, α_B2 of the printed sums and of differences to 1e-8; dotted Γ θ̈ fails."""
    moving = Moving(RELATIVE["angle rates"], PAIR)
    q, u, ud = moving.q, moving.u, moving.ud
    R1, w1 = moving.rotation("B1")(q, u), moving.spin("B1")(q, u)
    G1, G2 = printed(q[:3]), printed(q[3:6])
    D1, D2 = printed_rate(q[:3], u[:3]), printed_rate(q[3:6], u[3:6])
    alpha1 = G1 @ ud[:3] + D1 @ u[:3]
    alpha2 = alpha1 + R1.T @ G2 @ ud[3:6] + (skew(w1) @ R1.T @ G2 + R1.T @ D2) @ u[3:6]
    for body, alpha in (("B1", alpha1), ("B2", alpha2)):
        found = moving.equations.angular_acceleration_fixed[body](q, u, ud)
        np.testing.assert_allclose(found, alpha, atol=1e-12)
        np.testing.assert_allclose(found, moving.slope(moving.spin(body)), atol=1e-8)
    assert np.abs(D1 @ ud[:3] + D1 @ u[:3] - alpha1).max() > 0.1


@pytest.mark.parametrize("lower", [PAIR, TREE], ids=["two bodies", "four bodies"])
@pytest.mark.parametrize("name", RELATIVE)
def test_boxed_angular_accelerations(name, lower):
    """R04, R05, R06: both boxes along any tree against differences, and α′ = [R] α, to 1e-8."""
    moving = Moving(RELATIVE[name], lower, 3)
    at = moving.q, moving.u, moving.ud
    for k in range(1, len(lower) + 1):
        fixed = moving.equations.angular_acceleration_fixed[f"B{k}"](*at)
        body = moving.equations.angular_acceleration_body[f"B{k}"](*at)
        slope = moving.slope(moving.spin(f"B{k}"))
        np.testing.assert_allclose(fixed, slope, atol=1e-8)
        along = moving.slope(moving.equations.angular_velocities[f"B{k}"])
        np.testing.assert_allclose(body, along, atol=1e-8)
        R = moving.rotation(f"B{k}")(moving.q, moving.u)
        np.testing.assert_allclose(body, R @ fixed, atol=1e-8)


@pytest.mark.parametrize("choice", ALL, ids=repr)
def test_all_speeds_give_the_same_accelerations(choice):
    """R07, R08: every body obeys Newton and Euler to 1e-9, whatever the speeds."""
    moving = Moving(choice, SIX, 4)
    equations, q, u, tree = moving.equations, moving.q, moving.u, moving.tree
    ud = np.linalg.solve(equations.mass_matrix(q, u), equations.right_side(q, u))
    for k in range(1, 7):
        v, rate = (
            getattr(equations, name)[f"B{k}"](q, u)
            for name in ("partial_velocity", "partial_velocity_rate")
        )
        a = v @ ud + rate @ u
        np.testing.assert_allclose(a, tree.force[k - 1] / tree.m[k - 1], atol=1e-9)
        w = equations.angular_velocities[f"B{k}"](q, u)
        alpha = equations.angular_acceleration_body[f"B{k}"](q, u, ud)
        moment = tree.I[k - 1] @ alpha + np.cross(w, tree.I[k - 1] @ w)
        np.testing.assert_allclose(moment, tree.moment[k - 1], atol=1e-9)
