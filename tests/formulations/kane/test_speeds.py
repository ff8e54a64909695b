"""Generalized speeds u = Y q̇ + z: rows S01, S02, S05, S10 and S11."""

import casadi as ca
import numpy as np
import pytest
from tests.formulations.kane.trees import random_tree

import bellcrank as bc
from bellcrank.errors import NearlySingular

BALL = bc.Model(
    "ball",
    bodies=[bc.Body("b", mass=2.0, com=(0, 0, 0), inertia=(1, 2, 2.5, 0, 0, 0))],
    joints=[bc.Free("F", "ground", "b", at=(0, 0, 0))],
    forces=[bc.Torque("M", "b", (0.3, -0.2, 0.1))],
)


def solved(equations, q, u, t=0.0):
    """Return u̇ of a machine without rows."""
    return np.linalg.solve(equations.mass_matrix(q, u, t), equations.right_side(q, u, t))


def combined(size, seed, rheonomic=True):
    """Return well conditioned speeds with entries that depend on t and on coordinates."""
    rng = np.random.default_rng(seed)
    Y = (3 * np.eye(6, size) + 0.3 * rng.normal(size=(6, size))).tolist()
    Y[1][2], Y[4][3] = "0.2*sin(t)*'b'.s_x", "0.1*t + 'b'.s_y**2"
    z = [f"{a:.6f}*t + 0.3*'b'.s_z*cos(t)" for a in rng.normal(size=6)]
    return bc.LinearSpeeds(Y, z if rheonomic else None)


@pytest.mark.parametrize("orientation", [bc.Angles("123"), "Euler parameters"], ids=str)
def test_rates_are_recovered_from_speeds(orientation):
    """S01: q̇ = W u + x to 1e-12 with z ≠ 0; with x = +Y⁻¹z it fails by O(1)."""
    size = 6 if isinstance(orientation, bc.Angles) else 7
    equations = bc.equations(BALL, bc.Kane(combined(size, 1), orientation))
    rng = np.random.default_rng(2)
    q, qd = rng.normal(size=size), rng.normal(size=size)
    if size == 7:
        q[:4] /= np.linalg.norm(q[:4])
        qd[:4] -= q[:4] * (q[:4] @ qd[:4])
    at = {"q": q, "t": 0.7}
    Y, z = equations.speeds_matrix(**at), equations.speeds_remainder(**at)
    W, x = equations.kinematics_matrix(**at), equations.kinematics_remainder(**at)
    u = Y @ qd + z
    np.testing.assert_allclose(W @ u + x, qd, atol=1e-12)
    assert np.abs(W @ u - x - qd).max() > 0.1


def test_angles_one_two_three():
    """S02: Y and W as printed, W Y = 1 to 1e-13, det Y = cos θ2."""
    equations = bc.equations(BALL, bc.Kane(orientation=bc.Angles("123")))
    theta = np.array([0.4, -0.9, 1.3])
    (_, S2, S3), (_, C2, C3) = np.sin(theta), np.cos(theta)
    q = np.concatenate([theta, np.zeros(3)])
    Y = equations.speeds_matrix(q)[:3, :3]
    W = equations.kinematics_matrix(q)[:3, :3]
    printed = [[C2 * C3, S3, 0], [-C2 * S3, C3, 0], [S2, 0, 1]]
    inverse = [[C3 / C2, -S3 / C2, 0], [S3, C3, 0], [-C3 * S2 / C2, S2 * S3 / C2, 1]]
    np.testing.assert_allclose(Y, printed, atol=1e-15)
    np.testing.assert_allclose(W, inverse, atol=1e-14)
    np.testing.assert_allclose(W @ Y, np.eye(3), atol=1e-13)
    assert np.linalg.det(Y) == pytest.approx(C2, abs=1e-15)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_run_warns_near_gimbal_lock_and_stops_before_it(sign):
    """S02: warns where |cos θ2| = 1e-2 and stops where it is 1e-4, naming the remedy."""
    free = bc.Model("top", bodies=BALL.bodies, joints=BALL.joints, gravity=(0, 0, 0))
    start = {"F.angular_velocity": (0.0, sign, 0.0)}  # θ2 = ±t, at a steady rate
    with (
        pytest.warns(NearlySingular, match=r"at t = 1\.5608 s: .cos θ2. .* below 0\.01"),
        pytest.raises(bc.IntegrationFailed, match=r"by Euler parameters.*such as 1-2-1") as end,
    ):
        bc.simulate(free, 3.0, start=start, formulation=bc.Kane(orientation=bc.Angles()))
    assert end.value.time == pytest.approx(np.pi / 2 - 1e-4, abs=1e-7)
    assert end.value.run.t[-1] <= end.value.time


def test_a_run_does_not_begin_at_gimbal_lock():
    """S02: the start is refused."""
    with pytest.raises(bc.StartError, match=r"at the start, t = 0 s: .sin θ2. of the 3-1-3"):
        bc.simulate(BALL, 1.0, formulation=bc.Kane(orientation=bc.Angles("313")))


def test_partials_are_converted_between_rates_and_speeds():
    """S05: (10)-(13) reproduce v and ω to 1e-12, both ways."""
    tree, _, _ = random_tree((0, 1))
    rng = np.random.default_rng(3)
    Y = (3 * np.eye(12) + 0.3 * rng.normal(size=(12, 12))).tolist()
    Y[3][4], z = "sin(t)", [f"{a:.6f}*cos(t)" for a in rng.normal(size=12)]
    choice = bc.Kane(bc.LinearSpeeds(Y, z), bc.Angles("123"))
    equations = bc.equations(tree.model(), choice)
    q, qd, t = rng.uniform(-1, 1, 12), rng.normal(size=12), 0.4
    u = equations.speeds_matrix(q, t=t) @ qd + equations.speeds_remainder(q, t=t)
    W, x = equations.kinematics_matrix(q, t=t), equations.kinematics_remainder(q, t=t)
    for body in ("B1", "B2"):
        for partial, rest, value in (
            ("partial_velocity", "velocity_remainder", "velocities"),
            ("partial_angular_velocity", "angular_velocity_remainder", "angular_velocities"),
        ):
            by_rates = getattr(equations, f"{partial}_qdot")[body](q, u, t)
            by_speeds = getattr(equations, partial)[body](q, u, t)
            remainder = getattr(equations, rest)[body](q, u, t)
            found = getattr(equations, value)[body](q, u, t)
            np.testing.assert_allclose(by_rates @ qd, found, atol=1e-12)
            np.testing.assert_allclose(by_speeds @ u + remainder, found, atol=1e-12)
            np.testing.assert_allclose(by_speeds, by_rates @ W, atol=1e-12)
            np.testing.assert_allclose(remainder, by_rates @ x, atol=1e-12)
            assert np.abs(remainder).max() > 1e-2


def lagrange(q, qd):
    """Return q̈ of the ball in 1-2-3 angles and s, from T alone by CasADi."""
    theta, rate = ca.SX.sym("theta", 3), ca.SX.sym("rate", 3)
    (S2, S3), (C2, C3) = (ca.sin(theta[i]) for i in (1, 2)), (ca.cos(theta[i]) for i in (1, 2))
    Y = ca.blockcat([[C2 * C3, S3, 0], [-C2 * S3, C3, 0], [S2, 0, 1]])
    w = Y @ rate
    T = ca.dot(w, ca.DM([1, 2, 2.5]) * w) / 2
    p = ca.jacobian(T, rate).T
    S1, C1 = ca.sin(theta[0]), ca.cos(theta[0])
    world = ca.blockcat([[1, 0, S2], [0, C1, -S1 * C2], [0, S1, C1 * C2]])
    Q = world.T @ ca.DM([0.3, -0.2, 0.1])
    bias = ca.jtimes(p, theta, rate) - ca.jacobian(T, theta).T
    solve = ca.solve(ca.jacobian(p, rate), Q - bias)
    found = ca.Function("lagrange", [theta, rate], [solve])(q[:3], qd[:3])
    return np.concatenate([np.array(found).ravel(), [0, 0, -9.81]])


def test_rheonomic_speeds_give_the_accelerations_of_lagrange():
    """S10: q̈ = W u̇ + Ẇ u + ẋ with z(q, t) and Y(q, t), to 1e-10."""
    equations = bc.equations(BALL, bc.Kane(combined(6, 5), bc.Angles("123")))
    rng = np.random.default_rng(6)
    q, qd, t = rng.uniform(-0.8, 0.8, 6), rng.normal(size=6), 0.6
    u = equations.speeds_matrix(q, t=t) @ qd + equations.speeds_remainder(q, t=t)
    ud = solved(equations, q, u, t)
    rates, symbols = equations.kinematical_equations, equations.kinematical_equations.symbols
    columns = symbols.columns
    moved = ca.jtimes(rates.value, columns["q"], rates.value)
    bent = moved + ca.jtimes(rates.value, columns["t"], ca.SX.ones(1))
    empty = np.zeros(0)
    bent = symbols.function("bent", {"b": bent})(t, q, u, empty, empty, empty, empty)
    qdd = equations.kinematics_matrix(q, t=t) @ ud + np.array(bent).ravel()
    np.testing.assert_allclose(qdd, lagrange(q, qd), atol=1e-10)


def test_speeds_seen_from_a_spinning_platform():
    """S04, S10: u = [R]ᵀṡ − Ω × ρ is ρ̇ on the platform, and u̇ has all terms of a turning frame.

    ρ̈ = [R]ᵀg − 2Ω × ρ̇ − Ω × (Ω × ρ) − Ω̇ × ρ for the platform angle 0.5t + 0.3t², to 1e-10.
    """
    angle = "(0.5*t + 0.3*t**2)"
    Y = np.eye(6).tolist()
    Y[3][3:5] = [f"cos{angle}", f"sin{angle}"]
    Y[4][3:5] = [f"-sin{angle}", f"cos{angle}"]
    rate = "(0.5 + 0.6*t)"
    x, y = "'b'.s_x", "'b'.s_y"
    rho = f"({x}*cos{angle} + {y}*sin{angle})", f"({y}*cos{angle} - {x}*sin{angle})"
    z = [0, 0, 0, f"{rate}*{rho[1]}", f"-{rate}*{rho[0]}", 0]
    equations = bc.equations(
        BALL.replace("M", vector=(0, 0, 0)), bc.Kane(bc.LinearSpeeds(Y, z), bc.Angles())
    )
    t, q, u = (
        0.8,
        np.array([0.1, 0.2, 0.3, 1.0, -0.7, 0.4]),
        np.array([0, 0, 0, 0.3, 0.9, -0.2]),
    )
    a = 0.5 * t + 0.3 * t**2
    R = np.array([[np.cos(a), np.sin(a), 0], [-np.sin(a), np.cos(a), 0], [0, 0, 1]])
    spin, gain = np.array([0, 0, 0.5 + 0.6 * t]), np.array([0, 0, 0.6])
    place, seen = R @ q[3:], u[3:]
    wanted = np.array([0, 0, -9.81]) - 2 * np.cross(spin, seen)
    wanted -= np.cross(spin, np.cross(spin, place)) + np.cross(gain, place)
    np.testing.assert_allclose(solved(equations, q, u, t)[3:], wanted, atol=1e-10)
    v = equations.velocities["b"](q, u, t)
    np.testing.assert_allclose(v, R.T @ (seen + np.cross(spin, place)), atol=1e-12)
    assert np.abs(equations.velocity_remainder["b"](q, u, t)).max() > 0.1


def test_a_singular_choice_of_speeds_is_refused_in_the_drawing():
    """S11: naming the speeds and the state."""
    Y = np.eye(6).tolist()
    Y[4] = [0, 0, 0, "cos('b'.angle2)", "sin('b'.angle2)", 0]
    with pytest.raises(bc.OptionError) as caught:
        bc.equations(BALL, bc.Kane(bc.LinearSpeeds(Y), bc.Angles()))
    assert str(caught.value) == (
        "LinearSpeeds of 'ball': Y is singular in the drawing (t = 0, b.angle2 = 0): 'u4', "
        "'u5' depend on each other, so that the rates of the coordinates do not follow from "
        "the speeds. Choose speeds that are independent there."
    )


def test_speeds_that_become_singular_stop_the_run():
    """S11: Y = 1 − t in one place is singular at t = 1 s, which is said with the time."""
    Y = np.eye(6).tolist()
    Y[3][3] = "1 - t"
    choice = bc.Kane(bc.LinearSpeeds(Y), bc.Angles())
    with (
        pytest.warns(NearlySingular, match=r"at t = 0\.9999 s"),
        pytest.raises(bc.IntegrationFailed, match="the matrix Y of the speeds") as end,
    ):
        bc.simulate(BALL, 2.0, start={"F.velocity": (1.0, 0, 0)}, formulation=choice)
    assert end.value.time == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize(
    ("speeds", "message"),
    [
        (lambda: bc.LinearSpeeds([[1, 2], [1]]), "rows of Y have [1, 2] entries."),
        (lambda: bc.LinearSpeeds(3), "Y takes a matrix, one row per speed, got 3."),
        (lambda: bc.LinearSpeeds([[1]], [1, 2]), "z takes 1 entries, one per row of Y, got 2."),
    ],
)  # fmt: skip
def test_matrices_of_the_wrong_form_are_refused(speeds, message):
    with pytest.raises(bc.OptionError) as caught:
        speeds()
    assert str(caught.value) == f"LinearSpeeds: {message}"


def test_names_and_sizes_of_speeds_are_checked_together():
    Y = np.eye(5, 6).tolist()
    Y[0][0] = "cos('b'.angel2)"
    with pytest.raises(bc.OptionError) as caught:
        bc.equations(BALL, bc.Kane(bc.LinearSpeeds(Y), bc.Angles()))
    assert "Y is 6×6" in str(caught.value)
    assert "no coordinate named 'b.angel2'. Did you mean 'b.angle2'?" in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bc.Kane("absolute bodi"), ("Did you mean 'absolute body'?", "relative fixed")),
        (lambda: bc.Kane(orientation="Euler parameter"), ("Did you mean 'Euler parameters'?",)),
        (lambda: bc.Kane(bc.AngleRates), ("got the class AngleRates",)),
        (lambda: bc.Kane(bc.AngleRates(), "Euler parameters"), ("do not go with",)),
        (lambda: bc.Angles("122"), ("'122' does not exist", "'313'")),
        (lambda: bc.Angles("123", fixed="earth"), ("'body' or 'space', got 'earth'",)),
    ],
)  # fmt: skip
def test_a_wrong_choice_lists_those_there_are(make, words):
    with pytest.raises(bc.OptionError) as caught:
        make()
    for word in words:
        assert word in str(caught.value)
