"""Events at times known in closed form."""

import casadi as ca
import numpy as np
import pytest

from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Nystrom4, solve

METHODS = [RK4(step=0.01), Nystrom4(step=0.01), RKF45(), DOPRI5(), DOP853()]
EXACT = {"RK4": 1e-8, "Nystrom4": 1e-8, "RKF45": 1e-9, "DOPRI5": 1e-9, "DOP853": 1e-9}


def name(method):
    return type(method).__name__


@pytest.fixture(scope="module")
def sine(problem):
    """ẍ = -x with the events x, ẋ from above, x - 0.3 from below."""
    return problem(
        lambda t, q, u, *_: ([u[0]], [-q[0]]),
        1,
        1,
        second_order=True,
        events=lambda t, q, u, *_: [q[0], u[0], q[0] - 0.3],
        directions=(0, -1, 1),
        terminal=(False, False, False),
    )


@pytest.mark.parametrize("method", METHODS, ids=name)
def test_crossings_of_a_sine_are_found_in_order(method, sine):
    track = solve(sine, method, 0.0, np.array([0.0, 1.0]), 10.0)
    low = np.arcsin(0.3)
    expected = sorted(
        [(0, n * np.pi) for n in (1, 2, 3)]
        + [(1, np.pi / 2), (1, 5 * np.pi / 2)]
        + [(2, low), (2, low + 2 * np.pi)],
        key=lambda each: each[1],
    )
    assert [hit.index for hit in track.events] == [index for index, _ in expected]
    tolerance = EXACT[name(method)]
    for hit, (_, time) in zip(track.events, expected, strict=True):
        assert abs(hit.t - time) < tolerance
        np.testing.assert_allclose(hit.x, [np.sin(time), np.cos(time)], atol=tolerance)


def test_a_start_on_the_event_is_no_event(sine, problem):
    """Exactly at zero, and but for rounding: sin(0) and cos(π/2) in floating point."""
    track = solve(sine, DOP853(), 0.0, np.array([0.0, 1.0]), 1.0)
    assert [hit.index for hit in track.events] == [2]
    almost = problem(
        lambda t, q, *_: ([-ca.sin(t + np.pi / 2)],),
        1,
        events=lambda t, q, *_: [q[0]],
        directions=(0,),
        terminal=(True,),
    )
    track = solve(almost, DOP853(), 0.0, np.array([np.cos(np.pi / 2)]), 1.0)
    assert track.status == "done"
    assert track.events == []


def test_a_terminal_event_ends_there_and_beyond_the_crossing(problem):
    """A ball thrown up returns after 2v/g; the state left is not above the ground."""
    ball = problem(
        lambda t, q, u, *_: ([u[0]], [-9.81]),
        1,
        1,
        events=lambda t, q, u, *_: [q[0]],
        directions=(-1,),
        terminal=(True,),
    )
    track = solve(ball, DOPRI5(), 0.0, np.array([0.0, 5.0]), 10.0, grid=np.arange(0, 10.1, 0.1))
    time = 2 * 5.0 / 9.81
    assert track.status == "terminated"
    assert track.message == f"event 0 ended it at t = {time:.9g} s."
    assert (
        track.until_reached == track.t[-1] == track.events[-1].t == pytest.approx(time, 1e-13)
    )
    np.testing.assert_allclose(track.x[-1], [0.0, -5.0], atol=1e-12)
    assert track.x[-1, 0] <= 0.0
    np.testing.assert_array_equal(track.t[:-1], np.arange(0, 10.1, 0.1)[:11])


def test_a_ball_that_bounces(problem):
    """Restarted with e times the speed: the n-th bounce comes after t₀(1 + 2 Σ eⁿ)."""
    ball = problem(
        lambda t, q, u, *_: ([u[0]], [-9.81]),
        1,
        1,
        events=lambda t, q, u, *_: [q[0]],
        directions=(-1,),
        terminal=(True,),
    )
    time, state, bounces = 0.0, np.array([1.0, 0.0]), []
    for _ in range(12):
        track = solve(ball, DOP853(), time, state, 100.0)
        assert track.status == "terminated"
        time, state = track.t[-1], track.x[-1] * [1.0, -0.7]
        bounces.append(time)
    fall = np.sqrt(2 / 9.81)
    expected = fall * (1 + 2 * np.cumsum(np.concatenate([[0.0], 0.7 ** np.arange(1, 12)])))
    np.testing.assert_allclose(bounces, expected, rtol=1e-12)


@pytest.mark.parametrize("method", METHODS[2:], ids=name)
def test_location_is_as_good_as_the_clock(method, problem):
    """Where the dense output is exact, the crossing is found to the last digits."""
    line = problem(
        lambda t, q, *_: ([1.0],),
        1,
        events=lambda t, q, *_: [q[0] ** 3 - 2, ca.exp(q[0]) - 5, ca.atan(1e3 * (q[0] - 1.2))],
        directions=(0, 0, 0),
        terminal=(False, False, False),
    )
    track = solve(line, method, 0.0, np.zeros(1), 3.0)
    found = [(hit.index, hit.t) for hit in track.events]
    assert [index for index, _ in found] == [2, 0, 1]
    times = [time for _, time in found]
    np.testing.assert_allclose(times, [1.2, 2 ** (1 / 3), np.log(5)], rtol=4e-16 * 4)


def test_two_crossings_within_one_step_are_both_seen(problem):
    """A parabola through ±0.2 about the middle of a step that could be as long as it likes."""
    line = problem(
        lambda t, q, *_: ([1.0],),
        1,
        events=lambda t, q, *_: [(q[0] - 0.5) ** 2 - 0.04, q[0] - 0.6],
        directions=(0, 0),
        terminal=(False, False),
    )
    track = solve(line, DOP853(first_step=1.0), 0.0, np.zeros(1), 1.0)
    assert track.statistics.steps == 1
    assert [hit.index for hit in track.events] == [0, 1, 0]
    np.testing.assert_allclose([hit.t for hit in track.events], [0.3, 0.6, 0.7], rtol=1e-14)


def test_directions_count_as_the_integration_proceeds_also_backwards(sine):
    track = solve(sine, DOP853(), 0.0, np.array([0.0, 1.0]), -4.0)
    # x = sin t: backwards x goes down through 0 at -π upwards; ẋ = cos t falls at -π/2
    expected = [(1, -np.pi / 2), (0, -np.pi), (2, -np.pi - np.arcsin(0.3))]
    assert [hit.index for hit in track.events] == [index for index, _ in expected]
    np.testing.assert_allclose([hit.t for hit in track.events], [t for _, t in expected], 1e-9)


def test_many_events_overflow_nothing(problem):
    """More crossings than are held at once."""
    fast = problem(
        lambda t, q, *_: ([1.0],),
        1,
        events=lambda t, q, *_: [ca.sin(20 * q[0]), ca.cos(20 * q[0])],
        directions=(0, 0),
        terminal=(False, False),
    )
    track = solve(fast, DOP853(max_step=0.05), 0.0, np.array([0.001]), 100.0)
    times = np.array([hit.t for hit in track.events])
    assert len(times) == int(20 * 100.001 / (np.pi / 2))
    np.testing.assert_allclose(np.diff(times), np.pi / 40, rtol=1e-9)


def test_an_event_exactly_at_the_end_is_seen(problem):
    clock = problem(
        lambda t, q, *_: ([1.0],),
        1,
        events=lambda t, q, *_: [t - 1.0],
        directions=(0,),
        terminal=(False,),
    )
    track = solve(clock, DOP853(), 0.0, np.zeros(1), 1.0)
    assert [hit.t for hit in track.events] == [1.0]


# --- rests at zero, and what is no number -------------------------------------------------


@pytest.fixture(scope="module")
def clock(problem):
    """ṫ = 1, looked at by any functions of t."""

    def make(*laws, directions=None, terminal=None):
        return problem(
            lambda t, q, *_: ([1.0],),
            1,
            events=lambda t, q, *_: [law(t) for law in laws],
            directions=directions or (0,) * len(laws),
            terminal=terminal or (False,) * len(laws),
        )

    return make


def hits(track):
    return [(hit.index, hit.t) for hit in track.events]


@pytest.mark.parametrize("method", [RK4(step=0.07), DOPRI5(), DOP853(max_step=0.3)], ids=name)
def test_a_rest_at_zero_is_one_event_where_it_begins(method, clock):
    """Functions that come down to zero at t = 1, rest, and leave at t = 2, back or on."""
    down = [
        lambda t: ca.fmax(1 - t, 0),
        lambda t: ca.fmax(1 - t, 0) + ca.fmax(t - 2, 0),
        lambda t: ca.fmax(1 - t, 0) - ca.fmax(t - 2, 0),
        lambda t: -(ca.fmax(1 - t, 0) ** 3) + ca.fmax(t - 2, 0),
    ]
    track = solve(clock(*down), method, 0.0, np.zeros(1), 3.0)
    assert sorted(index for index, _ in hits(track)) == [0, 1, 2, 3]
    sharp = [time for index, time in hits(track) if index < 3]
    np.testing.assert_allclose(sharp, 1.0, rtol=1e-14)
    assert 0.9999 < dict(hits(track))[3] <= 1.0 + 1e-14  # (1 - t)³ is 0 before


def test_a_rest_is_met_from_the_side_that_is_asked_for(clock):
    law = [lambda t: ca.fmax(1 - t, 0) + ca.fmax(t - 2, 0)] * 2
    track = solve(clock(*law, directions=(-1, 1)), DOP853(), 0.0, np.zeros(1), 3.0)
    assert hits(track) == [(0, pytest.approx(1.0, rel=1e-14))]


def test_a_rest_longer_than_a_step_may_end_it(clock):
    law = clock(lambda t: ca.fmax(1 - t, 0), terminal=(True,))
    track = solve(law, DOP853(first_step=2.5), 0.0, np.zeros(1), 3.0)
    assert track.status == "terminated"
    assert track.until_reached == pytest.approx(1.0, rel=1e-14)
    again = solve(law, DOP853(), track.t[-1], track.x[-1], 3.0)
    assert again.status == "done"
    assert again.events == []


def test_what_rests_at_the_start_has_the_side_it_leaves_to(clock):
    law = clock(lambda t: ca.fmax(t - 1, 0) - 2 * ca.fmax(t - 2, 0))
    track = solve(law, DOP853(max_step=0.1), 0.0, np.zeros(1), 4.0)
    assert hits(track) == [(0, pytest.approx(3.0, rel=1e-14))]


@pytest.mark.parametrize("method", [RK4(step=0.3), DOP853(first_step=5.0)], ids=name)
def test_an_event_that_is_not_a_number_ends_it_there(method, clock):
    """√(2 - t) has no value beyond t = 2; what is met before is kept, also in the same part."""
    law = clock(lambda t: t - 1.5, lambda t: ca.sqrt(2 - t) - 0.1)
    grid = np.linspace(0.0, 5.0, 11)
    track = solve(law, method, 0.0, np.zeros(1), 5.0, grid=grid)
    assert track.status == "undefined"
    assert track.message == (
        "at or beyond t = 2 s event 1 is not a number. What it looks at must have a value "
        "all the time, such as sqrt(max(x, 0)) in place of sqrt(x)."
    )
    assert track.until_reached == pytest.approx(2.0, rel=1e-14)
    np.testing.assert_allclose(track.t, grid[:5], rtol=1e-14)
    np.testing.assert_allclose(track.x[:, 0], track.t, rtol=1e-14)
    assert hits(track) == [
        (0, pytest.approx(1.5, rel=1e-14)),
        (1, pytest.approx(1.99, rel=1e-12)),
    ]


def test_what_is_not_a_number_beyond_the_end_does_not_matter(clock):
    """A terminal event before it ends it as ever."""
    law = clock(lambda t: ca.sqrt(2 - t) - 0.1, terminal=(True,))
    track = solve(law, DOP853(first_step=5.0), 0.0, np.zeros(1), 5.0)
    assert track.status == "terminated"
    assert track.until_reached == pytest.approx(1.99, rel=1e-12)


@pytest.mark.parametrize("grid", [None, np.linspace(0.0, 1.0, 3)], ids=["steps", "grid"])
def test_an_event_that_begins_as_no_number(clock, grid):
    law = clock(lambda t: t - 0.5, lambda t: ca.sin(t) / t)
    track = solve(law, DOP853(), 0.0, np.zeros(1), 1.0, grid=grid)
    assert track.status == "undefined"
    assert track.message.startswith("at or beyond t = 0 s event 1 is not a number.")
    np.testing.assert_array_equal(track.t, [0.0])
    assert track.events == []
