"""Inputs that change at ticks: landed on exactly, held or ramped in between."""

from math import inf

import casadi as ca
import numpy as np
import pytest
from scipy.linalg import expm

from bellcrank.errors import OptionError
from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Nystrom4, solve

METHODS = [RK4(step=0.003), Nystrom4(step=0.003), RKF45(), DOPRI5(), DOP853()]


class Held:
    """A digital law every `period` seconds, zero-order hold; it keeps what it saw."""

    def __init__(self, period, law):
        self.period, self.law, self.count, self.seen = period, law, 0, []

    def next(self, t):
        """Return the next tick."""
        return self.count * self.period

    def update(self, t, x, k=None):
        """Return what is held."""
        self.seen.append((t, x))
        self.count += 1
        w = np.atleast_1d(self.law(t, x))
        return w, np.zeros_like(w)


class Knots:
    """Piecewise linear between (times, values)."""

    def __init__(self, times, values):
        self.times, self.values = np.array(times), np.array(values)

    def next(self, t):
        """Return the next knot."""
        later = self.times[self.times > t]
        return float(later[0]) if later.size else inf

    def update(self, t, x, k=None):
        """Return the line through the knots on both sides."""
        n = min(int(np.searchsorted(self.times, t, side="right")) - 1, len(self.times) - 2)
        slope = np.diff(self.values)[n] / np.diff(self.times)[n]
        return np.array([self.values[n] - slope * self.times[n]]), np.array([slope])


@pytest.fixture(scope="module")
def controlled(problem):
    """ẍ = -2x - 0.3ẋ + w."""
    return problem(
        lambda t, q, u, s, w, *_: ([u[0]], [-2 * q[0] - 0.3 * u[0] + w[0]]),
        1,
        1,
        nw=1,
        second_order=True,
    )


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
def test_sampled_feedback_is_the_exact_discrete_system(method, controlled):
    """x_{n+1} = e^{AT} x_n + ∫e^{As}ds B w_n with w_n = -3x - ẋ, for 50 samples."""
    period = 0.1
    schedule = Held(period, lambda t, x: -3.0 * x[0] - x[1])
    start = np.array([1.0, -0.4])
    grid = np.arange(51) * period
    track = solve(controlled, method, 0.0, start, 50 * period, grid=grid, schedule=schedule)
    block = np.zeros((3, 3))
    block[:2] = [[0, 1, 0], [-2, -0.3, 1]]
    whole = expm(block * period)
    state, exact, inputs = start, [start], []
    for _ in range(50):
        inputs.append(-3.0 * state[0] - state[1])
        state = whole[:2, :2] @ state + whole[:2, 2] * inputs[-1]
        exact.append(state)
    np.testing.assert_allclose(track.x, exact, atol=1e-8 if method.adaptive else 1e-7)
    np.testing.assert_allclose(track.w[:-1, 0], inputs, atol=1e-7)
    assert [t for t, _ in schedule.seen] == [n * period for n in range(50)]
    assert track.statistics.ticks == 49


def test_a_record_on_a_tick_has_the_input_after_it(controlled):
    schedule = Held(0.25, lambda t, x: t)
    track = solve(controlled, DOP853(), 0.0, np.zeros(2), 1.0, schedule=schedule)
    at = {t: w for t, w in zip(track.t.tolist(), track.w[:, 0].tolist(), strict=True)}
    assert at[0.0] == 0.0
    assert at[0.25] == 0.25
    assert at[0.5] == 0.5
    assert at[1.0] == 0.75  # the end is no tick


@pytest.mark.parametrize("method", METHODS[2:], ids=lambda method: type(method).__name__)
def test_ramps_between_knots_are_followed_exactly(method, problem):
    """ẋ = w with w through (0, 1), (0.3, 4), (1, -2), (2, -2): trapezoids."""
    schedule = Knots([0.0, 0.3, 1.0, 2.0], [1.0, 4.0, -2.0, -2.0])
    area = problem(lambda t, q, u, s, w, *_: ([w[0]],), 1, nw=1)
    grid = np.array([0.0, 0.15, 0.3, 0.65, 1.0, 1.5, 2.0])
    track = solve(area, method, 0.0, np.zeros(1), 2.0, grid=grid, schedule=schedule)
    w = np.interp(grid, schedule.times, schedule.values)
    exact = np.concatenate([[0], np.cumsum(np.diff(grid) * (w[1:] + w[:-1]) / 2)])
    np.testing.assert_allclose(track.w[:, 0], w, atol=1e-14)
    np.testing.assert_allclose(track.x[:, 0], exact, atol=1e-13)


def test_ticks_do_not_make_steps_small_for_good(controlled):
    """Two ticks close together cost two steps; the length of steps is remembered."""
    schedule = Knots([0.0, 1.0, 1.0 + 1e-9, 50.0], [0.0, 0.0, 0.0, 0.0])
    plain = solve(controlled, DOP853(), 0.0, np.ones(2), 20.0, schedule=Knots([0, 50], [0, 0]))
    ticked = solve(controlled, DOP853(), 0.0, np.ones(2), 20.0, schedule=schedule)
    assert ticked.statistics.steps <= plain.statistics.steps + 4


def test_modes_are_revised_where_inputs_jump(problem):
    """ẋ = sign(w) with w held at -1, then +1, then -1."""
    jumps = problem(
        lambda t, q, u, s, w, p, k: ([k[0]],),
        1,
        nw=1,
        nk=1,
        switches=lambda t, q, u, s, w, *_: [w[0]],
    )
    schedule = Held(1.0, lambda t, x: 1.0 if round(t) % 2 else -1.0)
    track = solve(jumps, DOP853(), 0.0, np.zeros(1), 3.0, schedule=schedule)
    assert track.x[-1, 0] == pytest.approx(-1.0, abs=1e-14)
    assert track.statistics.switches == 0


def test_an_event_on_an_input_is_seen_at_the_tick(problem):
    jumps = problem(
        lambda t, q, u, s, w, *_: ([w[0]],),
        1,
        nw=1,
        events=lambda t, q, u, s, w, *_: [w[0]],
        directions=(1,),
        terminal=(False,),
    )
    schedule = Held(1.0, lambda t, x: -1.0 if t < 1.5 else 1.0)
    track = solve(jumps, DOP853(), 0.0, np.zeros(1), 4.0, schedule=schedule)
    assert [(hit.index, hit.t) for hit in track.events] == [(0, 2.0)]


def test_inputs_without_a_schedule_are_refused(controlled):
    with pytest.raises(OptionError) as caught:
        solve(controlled, DOP853(), 0.0, np.zeros(2), 1.0)
    assert str(caught.value) == "the problem has 1 inputs, so it needs a schedule."


def test_ticks_backwards_come_earlier_or_never(controlled):
    with pytest.raises(OptionError) as caught:
        solve(controlled, DOP853(), 0.0, np.zeros(2), -1.0, schedule=Knots([-1, 5], [0, 1]))
    assert str(caught.value) == "the tick after t = 0.0 s must be earlier, got 5.0."

    class Constant:
        def next(self, t):
            return inf

        def update(self, t, x, k=None):
            return np.array([2.0]), np.array([0.0])

    track = solve(controlled, DOP853(), 0.0, np.array([1.0, 0.0]), -1.0, schedule=Constant())
    np.testing.assert_allclose(track.x[-1], [1.0, 0.0], atol=1e-12)
    assert track.status == "done"


def test_a_tick_that_does_not_come_later_is_refused(controlled):
    class Stuck:
        def next(self, t):
            return t

        def update(self, t, x, k=None):
            return np.zeros(1), np.zeros(1)

    with pytest.raises(OptionError) as caught:
        solve(controlled, DOP853(), 0.5, np.zeros(2), 1.0, schedule=Stuck())
    assert str(caught.value) == "the tick after t = 0.5 s must be later, got 0.5."


def test_normalized_coordinates_stay_on_the_circle(problem):
    """A point driven round the unit circle by w, loosely integrated, kept on it."""

    def unit(t, q, *_):
        size = ca.sqrt(q[0] ** 2 + q[1] ** 2)
        return [q[0] / size, q[1] / size]

    turning = problem(lambda t, q, *_: ([-3 * q[1], 3 * q[0]],), 2, normalize=unit)
    grid = np.linspace(0, 10, 333)
    track = solve(turning, DOPRI5(), 0.0, np.array([2.0, 0.0]), 10.0, rtol=1e-4, grid=grid)
    np.testing.assert_allclose(np.hypot(*track.x.T), 1.0, atol=1e-15)
    np.testing.assert_allclose(track.x[-1], [np.cos(30), np.sin(30)], atol=1e-2)
