"""Nonsmooth laws: exact solutions at full order, and chattering recognised."""

import numpy as np
import pytest

from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Nystrom4, solve


@pytest.fixture(scope="module")
def friction(problem):
    """ẍ = -x - 0.1 sign(ẋ)."""
    return problem(
        lambda t, q, u, s, w, p, k: ([u[0]], [-q[0] - 0.1 * k[0]]),
        1,
        1,
        nk=1,
        switches=lambda t, q, u, *_: [u[0]],
        second_order=True,
    )


def dry(t):
    """Return x, ẋ of the friction oscillator from (1.05, 0): half cosines about ±0.1."""
    half = np.floor(t / np.pi)
    amplitude, sign = 0.95 - 0.2 * half, (-1.0) ** half
    return sign * (0.1 + amplitude * np.cos(t - half * np.pi)), -sign * amplitude * np.sin(
        t - half * np.pi
    )


@pytest.mark.parametrize("kind", [RKF45, DOPRI5, DOP853], ids=lambda kind: kind.__name__)
def test_dry_friction_follows_the_exact_solution(kind, friction):
    """From rest at 1.05, where ẋ is exactly zero: the mode there is corrected at once."""
    grid = np.linspace(0, 14, 141)
    track = solve(friction, kind(), 0.0, np.array([1.05, 0.0]), 14.0, rtol=1e-10, grid=grid)
    assert track.status == "done"
    exact = np.array([dry(t) for t in grid])
    np.testing.assert_allclose(track.x, exact, atol=1e-8)
    assert track.statistics.switches == 5  # 1 at the start, where ẋ = 0 counts as +1
    assert set(np.unique(track.k)) <= {-1.0, 1.0}


@pytest.mark.parametrize(
    ("kind", "counts"),
    [
        (RK4, (40, 60, 90, 135)),
        (Nystrom4, (40, 60, 90, 135)),
        (RKF45, (40, 60, 90, 135)),
        (DOPRI5, (40, 60, 90, 135)),
        (DOP853, (10, 12, 15, 19, 24, 30, 38)),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_switch_costs_no_order(kind, counts, problem):
    """ẍ = -2x - |x| - 0.3 sign(x) - ẋ/10 with bends and jumps, against a tight run."""

    def rhs(t, q, u, s, w, p, k):
        return [u[0]], [-2.0 * q[0] - k[0] * q[0] - 0.3 * k[0] - 0.1 * u[0]]

    nonsmooth = problem(
        rhs,
        1,
        1,
        nk=1,
        switches=lambda t, q, *_: [q[0]],
        second_order=True,
    )
    start, end = np.array([1.0, 0.3]), 6.0
    exact = solve(nonsmooth, DOP853(), 0.0, start, end, rtol=1e-13, atol=1e-15).x[-1]
    errors = []
    for count in counts:
        h = end / count
        if kind.adaptive:
            track = solve(
                nonsmooth, kind(first_step=h, max_step=h), 0.0, start, end, rtol=0.9, atol=1e9
            )
        else:
            track = solve(nonsmooth, kind(step=h), 0.0, start, end)
        assert track.statistics.switches == 3
        errors.append(np.linalg.norm(track.x[-1] - exact))
    errors = np.array(errors)
    kept = errors > 1e-11
    order = -np.polyfit(np.log(np.array(counts)[kept]), np.log(errors[kept]), 1)[0]
    assert order > kind.order - 0.5


def test_absolute_value_by_its_mode_is_exact(problem):
    """ẋ = |t - 1| with x(0) = 0 gives t - t²/2, then 1/2 + (t-1)²/2."""
    bend = problem(
        lambda t, q, u, s, w, p, k: ([k[0] * (t - 1.0)],),
        1,
        nk=1,
        switches=lambda t, *_: [t - 1.0],
    )
    track = solve(bend, DOP853(), 0.0, np.zeros(1), 3.0, grid=np.linspace(0, 3, 31))
    t = track.t
    exact = np.where(t < 1, t - t**2 / 2, 0.5 + (t - 1) ** 2 / 2)
    np.testing.assert_allclose(track.x[:, 0], exact, atol=1e-14)
    np.testing.assert_array_equal(track.k[:, 0], np.where(t < 1, -1.0, 1.0))


def test_a_switch_inside_a_switch(problem):
    """ẋ = | |t - 2| - 1 | integrates to pieces of parabolas; the inner mode moves the outer."""
    nested = problem(
        lambda t, q, u, s, w, p, k: ([k[1] * (k[0] * (t - 2.0) - 1.0)],),
        1,
        nk=2,
        switches=lambda t, q, u, s, w, p, k: [t - 2.0, k[0] * (t - 2.0) - 1.0],
    )
    track = solve(nested, DOP853(), 0.0, np.zeros(1), 4.0)
    assert track.x[-1, 0] == pytest.approx(2.0, abs=1e-13)
    assert track.statistics.switches == 3


def test_a_jump_in_one_switch_throws_another(problem):
    """Where a mode decides the value of another switching function, both flip together."""
    jump = problem(
        lambda t, q, u, s, w, p, k: ([k[1]],),
        1,
        nk=2,
        switches=lambda t, q, u, s, w, p, k: [t - 1.0, -k[0] * 5.0 - 1.0],
    )
    track = solve(jump, DOP853(), 0.0, np.zeros(1), 3.0)
    assert track.statistics.switches == 2
    assert track.x[-1, 0] == pytest.approx(1.0 - 2.0, abs=1e-13)


def test_sticking_is_chattering(friction):
    """At rest with |x| < 0.1 the law sign(ẋ) has no solution but a sliding one."""
    track = solve(friction, DOP853(), 0.0, np.array([1.05, 0.0]), 20.0)
    assert track.status == "chattering"
    assert track.until_reached == pytest.approx(5 * np.pi, abs=1e-6)
    assert track.message == (
        f"at t = {track.until_reached:.9g} s a nonsmooth law switches to and fro without time "
        "passing. Smooth it, for example sign(v) by tanh(v/0.001)."
    )


def test_events_and_switches_at_the_same_place(problem):
    """A recorded event on the switching function itself is neither lost nor doubled."""
    both = problem(
        lambda t, q, u, s, w, p, k: ([u[0]], [-q[0] - 0.1 * k[0]]),
        1,
        1,
        nk=1,
        switches=lambda t, q, u, *_: [u[0]],
        events=lambda t, q, u, *_: [u[0]],
        directions=(0,),
        terminal=(False,),
    )
    track = solve(both, DOP853(), 0.0, np.array([1.05, -1e-3]), 14.0)
    assert len(track.events) == 4
    assert track.statistics.switches == 4
