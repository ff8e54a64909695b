"""H12: every method shows its order, at its steps and between them."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Auto, Nystrom4, solve

LOOSE = {"rtol": 0.9, "atol": 1e9}  # so that max_step alone decides


def fixed(kind, h):
    """Return a method with equal steps of length h, and tolerances that accept them."""
    if kind.adaptive:
        return kind(first_step=h, max_step=h), LOOSE
    return kind(step=h), {}


@pytest.fixture(scope="module")
def reference(duffing):
    """Duffing's oscillator from (1, 0.5), by SciPy at 1e-13, on five times."""

    def rhs(t, x):
        return x[1], -x[0] - x[0] ** 3 - 0.1 * x[1] + 0.5 * np.cos(1.7 * t)

    times = np.array([0.0, 1.3, 2.9, 4.2, 6.0])
    found = solve_ivp(
        rhs, (0, 6), [1.0, 0.5], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times
    )
    return times, found.y.T


def slope(steps, errors):
    """Return the order fitted where errors are above rounding."""
    steps, errors = np.array(steps), np.array(errors)
    kept = errors > 1e-11
    assert kept.sum() >= 3, errors
    return np.polyfit(np.log(steps[kept]), np.log(errors[kept]), 1)[0]


COUNTS = {
    RK4: (60, 90, 135, 200),
    Nystrom4: (60, 90, 135, 200),
    RKF45: (60, 90, 135, 200),
    DOPRI5: (60, 90, 135, 200),
    DOP853: (24, 30, 38, 48, 60),
}


@pytest.mark.parametrize("kind", COUNTS, ids=lambda kind: kind.__name__)
def test_H12_observed_order_is_the_declared_one(kind, duffing, reference):
    _, states = reference
    steps, errors = [], []
    for count in COUNTS[kind]:
        method, options = fixed(kind, 6.0 / count)
        track = solve(duffing, method, 0.0, np.array([1.0, 0.5]), 6.0, **options)
        assert track.status == "done"
        assert track.statistics.steps == count
        steps.append(6.0 / count)
        errors.append(np.linalg.norm(track.x[-1] - states[-1]))
    assert abs(slope(steps, errors) - kind.order) < 0.3


@pytest.mark.parametrize("kind", COUNTS, ids=lambda kind: kind.__name__)
def test_observed_order_with_two_coordinates(kind, coupled):
    """The same where q and u are vectors, against our own DOP853 at 1e-13."""
    start, end = np.array([1.0, 0.5, 0.2, -0.7]), 6.0
    exact = solve(coupled, DOP853(), 0.0, start, end, rtol=1e-13, atol=1e-14).x[-1]
    steps = end / np.array(COUNTS[kind])
    errors = []
    for h in steps:
        method, options = fixed(kind, h)
        track = solve(coupled, method, 0.0, start, end, **options)
        errors.append(np.linalg.norm(track.x[-1] - exact))
    assert abs(slope(steps, errors) - kind.order) < 0.3


@pytest.mark.parametrize("kind", COUNTS, ids=lambda kind: kind.__name__)
def test_between_steps_the_order_is_kept(kind, duffing, reference):
    """An interpolant of order p - 1 errs by O(h^p), as much as the solution does."""
    times, states = reference
    steps, errors = [], []
    for count in COUNTS[kind]:
        method, options = fixed(kind, 6.0 / count)
        track = solve(duffing, method, 0.0, np.array([1.0, 0.5]), 6.0, grid=times, **options)
        steps.append(6.0 / count)
        errors.append(np.linalg.norm(track.x[1:-1] - states[1:-1]))
    assert slope(steps, errors) > kind.order - 0.4


@pytest.mark.parametrize(
    ("kind", "order"), [(RK4, 4), (RKF45, 5), (DOPRI5, 5), (DOP853, 8)], ids=str
)
def test_one_step_of_dense_output_errs_by_its_order(kind, order, growth):
    """From exact data, e^t within one step of length h: the error is O(h^order)."""
    steps, errors = [], []
    for h in np.geomspace(0.15, 1.5, 5):
        method, options = fixed(kind, h)
        grid = h * np.array([0.0, 0.3, 0.62, 1.0])
        track = solve(growth, method, 0.0, np.ones(1), h, grid=grid, **options)
        assert track.statistics.steps == 1
        steps.append(h)
        errors.append(np.abs(track.x[1:3, 0] - np.exp(grid[1:3])).max())
    assert slope(steps, errors) > order - 0.3


@pytest.mark.parametrize("kind", [RKF45, DOPRI5, DOP853], ids=lambda kind: kind.__name__)
def test_error_is_proportional_to_the_tolerance(kind, duffing, reference):
    _, states = reference
    tolerances = 10.0 ** -np.arange(4, 11)
    errors = []
    for rtol in tolerances:
        track = solve(duffing, kind(), 0.0, np.array([1.0, 0.5]), 6.0, rtol=rtol, atol=rtol)
        errors.append(np.linalg.norm(track.x[-1] - states[-1]))
        assert errors[-1] < 30 * rtol
    power = np.polyfit(np.log(tolerances), np.log(errors), 1)[0]
    assert 0.8 < power < 1.2


@pytest.mark.parametrize("kind", [RKF45, DOPRI5, DOP853, Auto], ids=lambda kind: kind.__name__)
def test_records_on_a_grid_agree_with_scipy(kind, duffing, reference):
    times, states = reference
    track = solve(duffing, kind(), 0.0, np.array([1.0, 0.5]), 6.0, rtol=1e-10, grid=times)
    np.testing.assert_array_equal(track.t, times)
    np.testing.assert_allclose(track.x, states, atol=3e-9)


@pytest.mark.parametrize(
    ("kind", "oracle"), [(DOPRI5, "RK45"), (DOP853, "DOP853")], ids=["DOPRI5", "DOP853"]
)
def test_as_few_evaluations_as_scipy(kind, oracle, kepler):
    """The same method with the same tolerance needs about the same work."""

    def rhs(t, x):
        cube = (x[0] ** 2 + x[1] ** 2) ** 1.5
        return x[2], x[3], -x[0] / cube, -x[1] / cube

    start = np.array([0.4, 0.0, 0.0, 2.0])
    theirs = solve_ivp(rhs, (0, 20), start, method=oracle, rtol=1e-8, atol=1e-8)
    ours = solve(kepler, kind(), 0.0, start, 20.0, rtol=1e-8, atol=1e-8)
    assert ours.statistics.evaluations < 1.2 * theirs.nfev


@pytest.mark.parametrize("kind", [RKF45, DOPRI5, DOP853], ids=lambda kind: kind.__name__)
def test_an_eccentric_orbit_keeps_its_energy_and_closes(kind, kepler):
    """Ten periods at eccentricity 0.6: energy to the tolerance, position nearly so."""
    start = np.array([0.4, 0.0, 0.0, 2.0])
    track = solve(kepler, kind(), 0.0, start, 20 * np.pi, rtol=1e-11, atol=1e-12)
    q, u = track.x[:, :2], track.x[:, 2:]
    energy = 0.5 * (u**2).sum(axis=1) - 1 / np.linalg.norm(q, axis=1)
    np.testing.assert_allclose(energy, -0.5, atol=1e-8)
    np.testing.assert_allclose(track.x[-1], start, atol=1e-6)


def test_auto_says_what_it_chose(growth):
    for rtol, name in ((1e-3, "DOPRI5"), (1e-5, "DOP853"), (1e-9, "DOP853")):
        track = solve(growth, Auto(), 0.0, np.ones(1), 1.0, rtol=rtol)
        assert track.statistics.method == name
