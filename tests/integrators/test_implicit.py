"""Implicit methods: their tableaus, their orders, stiff problems, and all a driver must do."""

from dataclasses import replace
from math import pi

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.integrators.implicit_problems import make
from tests.integrators.test_tableaus import density, elementary, trees
from tests.integrators.test_ticks import Held

from bellcrank.errors import OptionError
from bellcrank.integrators import (
    METHODS,
    SDIRK54,
    Auto,
    Gauss2,
    Radau5,
    Trapezoidal,
    solve,
)

FIXED, ADAPTIVE = [Gauss2, Trapezoidal], [Radau5, SDIRK54]


def name(kind):
    return kind.__name__


@pytest.fixture(scope="module")
def duffing():
    """q̈ = -q - q³ - q̇/10 + cos(1.7 t)/2, and its end from (1, 0.5) after 6 s."""

    def rhs(t, q, u, *_):
        return [u[0]], [-q[0] - q[0] ** 3 - 0.1 * u[0] + 0.5 * ca.cos(1.7 * t)]

    def law(t, x):
        return x[1], -x[0] - x[0] ** 3 - 0.1 * x[1] + 0.5 * np.cos(1.7 * t)

    times = np.linspace(0.0, 6.0, 101)
    exact = solve_ivp(
        law, (0, 6), [1.0, 0.5], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times
    )
    return make(rhs, 1, 1, second_order=True), times, exact.y.T


START = np.array([1.0, 0.5])


# --- tableaus -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FIXED + ADAPTIVE, ids=name)
def test_order_conditions_hold_up_to_the_declared_order_and_no_further(kind):
    tableau = kind.tableau
    assert (
        tableau.order
        == {"Radau5": 5, "SDIRK54": 4, "Gauss2": 4, "Trapezoidal": 2}[kind.__name__]
    )
    for nodes in range(1, tableau.order + 2):
        off = max(
            abs(np.dot(tableau.b, elementary(tableau.a, tree)) - 1 / density(tree))
            for tree in trees(nodes)
        )
        assert (off < 1e-12) == (nodes <= tableau.order)


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_the_stable_ones_forget_what_is_infinitely_stiff(kind):
    """R(∞) = 1 - bᵀA⁻¹1 = 0."""
    tableau = kind.tableau
    ones = np.ones(tableau.stages)
    assert abs(1 - tableau.b @ np.linalg.solve(tableau.a, ones)) < 1e-12


def test_the_embedded_method_and_the_dense_output_of_sdirk54_are_of_order_3():
    method = SDIRK54.tableau
    for theta in (0.2, 0.55, 1.0):
        weights = theta ** np.arange(1, 5) @ np.asarray(method.dense)
        for tree in [tree for nodes in (1, 2, 3) for tree in trees(nodes)]:
            nodes = str(tree).count("(")
            exact = theta**nodes / density(tree)
            assert abs(weights @ elementary(method.a, tree) - exact) < 1e-12
            other = (method.b - np.asarray(method.errors)) @ elementary(method.a, tree)
            assert abs(other - 1 / density(tree)) < 1e-12


@pytest.mark.parametrize("kind", [Radau5, Gauss2], ids=name)
def test_the_transformation_makes_the_inverse_of_a_diagonal(kind):
    method = kind.tableau
    gamma, mu, T = method.spectrum()
    block = np.array([[mu.real, mu.imag], [-mu.imag, mu.real]])
    expected = np.zeros((method.stages, method.stages))
    expected[-2:, -2:] = block
    if method.real:
        expected[0, 0] = gamma
    found = np.linalg.solve(T, np.linalg.solve(method.a, T))
    np.testing.assert_allclose(found, expected, atol=1e-12)


# --- orders -------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FIXED, ids=name)
def test_observed_order_of_fixed_steps(kind, duffing):
    problem, _, exact = duffing
    steps = 6.0 / np.array([60, 90, 135, 200])
    errors = [
        np.linalg.norm(solve(problem, kind(step=h), 0.0, START, 6.0).x[-1] - exact[-1])
        for h in steps
    ]
    assert abs(np.polyfit(np.log(steps), np.log(errors), 1)[0] - kind.order) < 0.3


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_observed_order_of_adaptive_steps(kind, duffing):
    """Error against the number of steps, as the tolerance falls."""
    problem, _, exact = duffing
    steps, errors = [], []
    for rtol in np.logspace(-7, -11, 9):
        track = solve(problem, kind(), 0.0, START, 6.0, rtol=rtol, atol=1e-2 * rtol)
        steps.append(track.statistics.steps)
        errors.append(np.linalg.norm(track.x[-1] - exact[-1]))
    assert abs(-np.polyfit(np.log(steps), np.log(errors), 1)[0] - kind.order) < 0.3


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_observed_order_where_newtons_method_is_exact(kind):
    """Equal steps on a linear oscillator under cos(1.7 t), against its closed form."""
    problem = make(
        lambda t, q, u, *_: ([u[0]], [-4 * q[0] + ca.cos(1.7 * t)]), 1, 1, second_order=True
    )
    part = 1 / (4 - 1.7**2)
    exact = (1 - part) * np.cos(12.0) + part * np.cos(1.7 * 6.0)
    steps = 6.0 / np.array([30, 45, 67, 100])
    errors = []
    for h in steps:
        method = kind(first_step=h, max_step=h)
        track = solve(problem, method, 0.0, np.array([1.0, 0.0]), 6.0, rtol=0.9, atol=1e3)
        errors.append(abs(track.x[-1, 0] - exact))
    assert abs(np.polyfit(np.log(steps), np.log(errors), 1)[0] - kind.order) < 0.3


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-8, 1e-10])
def test_the_tolerance_is_kept_at_steps_and_between(kind, rtol, duffing):
    problem, times, exact = duffing
    track = solve(problem, kind(), 0.0, START, 6.0, rtol=rtol, atol=rtol, grid=times)
    assert abs(track.x - exact).max() < 30 * rtol


@pytest.mark.parametrize("kind", FIXED, ids=name)
def test_between_fixed_steps_the_order_is_kept(kind, duffing):
    problem, times, exact = duffing
    counts = np.array([47, 71, 107, 161])
    errors = [
        abs(solve(problem, kind(step=6.0 / n), 0.0, START, 6.0, grid=times).x - exact).max()
        for n in counts
    ]
    assert -np.polyfit(np.log(counts), np.log(errors), 1)[0] > kind.order - 0.3


def test_gauss_keeps_the_energy_of_a_pendulum():
    """It is symplectic: over 200 periods the energy oscillates and does not drift."""
    problem = make(lambda t, q, u, *_: ([u[0]], [-ca.sin(q[0])]), 1, 1, second_order=True)
    track = solve(problem, Gauss2(step=0.1), 0.0, np.array([2.0, 0.0]), 1600.0)
    energy = 0.5 * track.x[:, 1] ** 2 - np.cos(track.x[:, 0])
    assert abs(energy - energy[0]).max() < 1e-5
    ends = [energy[:4000].mean(), energy[-4000:].mean()]
    assert abs(ends[1] - ends[0]) < 1e-8


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_adaptive_steps_keep_the_energy_of_a_pendulum_to_tolerance(kind):
    problem = make(lambda t, q, u, *_: ([u[0]], [-ca.sin(q[0])]), 1, 1, second_order=True)
    track = solve(problem, kind(), 0.0, np.array([2.0, 0.0]), 50.0, rtol=1e-9, atol=1e-11)
    energy = 0.5 * track.x[:, 1] ** 2 - np.cos(track.x[:, 0])
    assert abs(energy - energy[0]).max() < 2e-7


# --- stiff problems -----------------------------------------------------------------------


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_van_der_pol_against_scipy(kind):
    mu = 1000.0
    problem = make(
        lambda t, q, u, *_: ([u[0]], [mu * (1 - q[0] ** 2) * u[0] - q[0]]),
        1,
        1,
        second_order=True,
    )
    start = np.array([2.0, 0.0])
    exact = solve_ivp(
        lambda t, x: (x[1], mu * (1 - x[0] ** 2) * x[1] - x[0]),
        (0, 1000),
        start,
        method="Radau",
        rtol=1e-9,
        atol=1e-11,
        jac=lambda t, x: [[0, 1], [-2 * mu * x[0] * x[1] - 1, mu * (1 - x[0] ** 2)]],
    )
    track = solve(problem, kind(), 0.0, start, 1000.0, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(track.x[-1], exact.y[:, -1], rtol=1e-5)
    assert track.statistics.steps < 4000  # DOP853 needs 450,000


ROBERTSON = [0.2083340149701255e-07, 0.8333360770334713e-13, 0.9999999791665050]
"""At t = 1e11, as in the Test Set for IVP Solvers; SciPy's Radau at 1e-11 has 11 digits."""


@pytest.mark.parametrize("kind", ADAPTIVE, ids=name)
def test_robertsons_reaction(kind):
    def rhs(t, q, *_):
        first, second = 0.04 * q[0] - 1e4 * q[1] * q[2], 3e7 * q[1] ** 2
        return ([-first, first - second, second],)

    start = np.array([1.0, 0.0, 0.0])
    track = solve(make(rhs, 3), kind(), 0.0, start, 1e11, rtol=1e-7, atol=1e-17)
    np.testing.assert_allclose(track.x[-1], ROBERTSON, rtol=1e-5)
    np.testing.assert_allclose(track.x.sum(axis=1), 1.0, atol=1e-12)
    assert track.statistics.steps < 2000


@pytest.mark.parametrize(
    "method", [Radau5(), SDIRK54(), Gauss2(step=0.01), Trapezoidal(step=0.001)], ids=repr
)
def test_a_linear_problem_with_mass_and_other_states(method):
    """M u̇ = -K q - D u + s, ṡ = -500 (s - 1): blocks of all kinds, against SciPy's."""
    rng = np.random.default_rng(3)
    mass, K, D = (b @ b.T + np.eye(3) for b in rng.normal(size=(3, 3, 3)))

    def rhs(t, q, u, s, *_):
        ud = -ca.DM(K) @ q - ca.DM(D) @ u + ca.vertcat(s[0], 0, 0)
        return [u[n] for n in range(3)], [ud[n] for n in range(3)], [500 * (1 - s[0])]

    inverse = np.linalg.inv(mass)
    A = np.zeros((7, 7))
    A[:3, 3:6], A[3:6, :3], A[3:6, 3:6] = np.eye(3), -inverse @ K, -inverse @ D
    A[3:6, 6], A[6, 6] = inverse[:, 0], -500.0
    start = np.append(rng.normal(size=6), 1.0)
    rest = -np.linalg.solve(A, np.r_[np.zeros(6), 500.0])
    values, vectors = np.linalg.eig(A)
    coefficients = np.linalg.solve(vectors, start - rest)
    exact = (vectors @ (np.exp(2.0 * values) * coefficients)).real + rest
    problem = make(rhs, 3, 3, 1, mass=mass)
    track = solve(problem, method, 0.0, start, 2.0)
    np.testing.assert_allclose(track.x[-1], exact, atol=1e-4 if not method.adaptive else 1e-7)


def test_the_halved_system_is_the_same_system(duffing):
    problem, _, _ = duffing
    for method in (Radau5(), SDIRK54(), Gauss2(step=0.05), Trapezoidal(step=0.05)):
        whole = solve(replace(problem, second_order=False), method, 0.0, START, 6.0)
        halved = solve(problem, method, 0.0, START, 6.0)
        assert whole.statistics.steps == halved.statistics.steps
        np.testing.assert_allclose(whole.x[-1], halved.x[-1], atol=1e-11)


def test_a_jacobian_serves_many_steps():
    """A linear problem: one Jacobian, and factors only where the step changes."""
    problem = make(
        lambda t, q, u, *_: ([u[0]], [-1e6 * (q[0] - ca.cos(t)) - 1e4 * u[0]]),
        1,
        1,
        second_order=True,
    )
    track = solve(problem, Radau5(), 0.0, np.array([1.0, 0.0]), 20.0, rtol=1e-8, atol=1e-10)
    found = track.statistics
    assert found.jacobians == 1
    assert found.factorizations < 2 * 0.6 * found.steps  # a real and a complex one at a time
    np.testing.assert_allclose(track.x[-1, 0], np.cos(20.0), atol=1e-2)


# --- all a driver must do -----------------------------------------------------------------

EVERY = [Radau5(), SDIRK54(), Gauss2(step=0.02), Trapezoidal(step=0.0005)]


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_events_are_found_on_the_dense_output(method):
    problem = make(
        lambda t, q, u, *_: ([u[0]], [-q[0]]),
        1,
        1,
        second_order=True,
        events=lambda t, q, u, *_: [q[0], u[0] - 0.5],
        directions=(-1, 0),
        terminal=(False, True),
    )
    track = solve(problem, method, 0.0, np.array([1.0, 0.0]), 20.0)
    assert track.status == "terminated"
    assert [hit.index for hit in track.events] == [0, 1]
    times = [hit.t for hit in track.events]
    np.testing.assert_allclose(times, [pi / 2, pi + pi / 6], atol=2e-7)


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_a_switch_restarts_the_step(method):
    """ẍ = -x - sign(x)/2 with frozen modes: the motion of two oscillators put together."""
    problem = make(
        lambda t, q, u, s, w, p, k: ([u[0]], [-q[0] - 0.5 * k[0]]),
        1,
        1,
        nk=1,
        second_order=True,
        switches=lambda t, q, *_: [q[0]],
    )
    track = solve(problem, method, 0.0, np.array([1.0, 0.0]), 2 * np.arccos(1 / 3))
    assert track.statistics.switches == 1
    np.testing.assert_allclose(track.x[-1], [-1.0, 0.0], atol=1e-6)


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_ticks_are_landed_on(method):
    """ẋ = w with w = -x held for 0.1 s: x shrinks by 0.9 at every tick."""
    problem = make(lambda t, q, u, s, w, *_: ([w[0]],), 1, nw=1)
    held = Held(0.1, lambda t, x: -x)
    track = solve(problem, method, 0.0, np.ones(1), 1.0, schedule=held)
    assert track.statistics.ticks == 9
    np.testing.assert_allclose(track.x[-1], 0.9**10, rtol=1e-9)


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_time_runs_backwards(method, duffing):
    problem, _, exact = duffing
    track = solve(problem, method, 6.0, exact[-1], 4.5)
    np.testing.assert_allclose(track.x[-1], exact[75], atol=1e-5)


@pytest.mark.parametrize("method", EVERY, ids=repr)
def test_an_interrupted_run_is_the_same_run(method, duffing):
    """Reports of progress make the budget small; the result does not change."""
    problem, times, _ = duffing
    whole = solve(problem, method, 0.0, START, 6.0, grid=times)
    cut = solve(problem, method, 0.0, START, 6.0, grid=times, progress=lambda t, n: None)
    assert np.array_equal(whole.x, cut.x)


def test_a_solution_that_ends_is_reported():
    problem = make(lambda t, q, *_: ([q[0] ** 2],), 1)
    track = solve(problem, Radau5(), 0.0, np.ones(1), 2.0)
    assert track.status in ("smallest step", "non-finite")
    assert abs(track.until_reached - 1.0) < 1e-6
    fixed = solve(problem, Gauss2(step=0.3), 0.0, np.ones(1), 2.0)
    assert fixed.status == "non-finite"
    assert fixed.message.endswith("Try a shorter step.")


def test_an_implicit_method_asks_for_the_jacobian(duffing):
    problem, _, _ = duffing
    with pytest.raises(OptionError) as caught:
        solve(replace(problem, jacobian=None), Radau5(), 0.0, START, 1.0)
    assert str(caught.value) == (
        "Radau5 is implicit and needs the problem's jacobian. Use DOP853()."
    )
    with pytest.raises(OptionError) as caught:
        solve(problem, Gauss2(step=0.1), 0.0, START, 1.0, rtol=1e-3)
    assert str(caught.value) == (
        "Gauss2 has steps of fixed length and takes no rtol, got 0.001. Change its step, or "
        "use DOP853()."
    )
    with pytest.raises(OptionError) as caught:
        Trapezoidal(step=-1.0)
    assert str(caught.value) == "Trapezoidal: step must be a positive number, got -1.0."


@pytest.mark.parametrize("kind", [each for each in METHODS if each is not Auto], ids=name)
def test_shapes_are_those_of_the_native_code(kind):
    rows, blend = kind.shape()
    stepper = kind.stepper(constrained=False)
    assert stepper.blend == blend
    assert stepper.last < rows
    assert stepper.order == kind.order
    assert (stepper.error_order > 0) is kind.adaptive
