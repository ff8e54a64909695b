"""Functions that cross zero and come back within one step, against sampling of closed forms."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from scipy.optimize import brentq

from bellcrank.integrators import DOP853, DOPRI5, RK4, solve

pytestmark = pytest.mark.slow

WAVES = 4
SPAN = 3.0


def parts(q, p):
    """Return amplitudes and angles of the waves at q: three parameters to a wave."""
    return [(p[1 + 3 * n], p[2 + 3 * n] * q + p[3 + 3 * n]) for n in range(WAVES)]


@pytest.fixture(scope="module")
def waves(problem):
    """Time itself, looked at by a sum of sines with a constant, and the angles of the sines."""

    def law(t, q, u, s, w, p, k):
        return [p[0] + sum(a * ca.sin(b) for a, b in parts(q[0], p))]

    def make(turning):
        return problem(
            lambda *_: ([1.0],),
            1,
            parameters=(0.0,) * (1 + 3 * WAVES),
            events=lambda *a: law(*a) + [b for _, b in parts(a[1][0], a[5])] * turning,
            directions=(0,),
            terminal=(False,),
            turning=WAVES * turning,
        )

    return make


def value(p, t):
    """Return the sum of waves at times t."""
    return p[0] + sum(a * np.sin(b) for a, b in parts(t, p))


def drawn(rng, periods):
    """Return parameters of waves whose lowest or highest point is a hair beyond zero."""
    p = np.zeros(1 + 3 * WAVES)
    p[1::3] = rng.normal(size=WAVES)
    p[2::3] = rng.uniform(0.1, 1.0, WAVES) * periods * 2 * np.pi / SPAN
    p[3::3] = rng.uniform(0, 2 * np.pi, WAVES)
    values = value(p, np.linspace(0, SPAN, 100_001))
    depth = rng.choice([1e-6, 1e-4, 1e-2, 0.3]) * np.ptp(values)
    p[0] = -(values.min() + depth) if rng.random() < 0.5 else -(values.max() - depth)
    return p


def zeros(p):
    """Return the zeros that 100,001 samples show."""
    t = np.linspace(0, SPAN, 100_001)
    v = value(p, t)
    at = np.flatnonzero(v[:-1] * v[1:] < 0)
    return [brentq(lambda x: value(p, x), t[n], t[n + 1], xtol=1e-13) for n in at]


@pytest.mark.parametrize("turning", [False, True], ids=["slow", "turning"])
@pytest.mark.parametrize(
    "method",
    [DOP853(first_step=SPAN), DOPRI5(first_step=SPAN), RK4(step=SPAN)],
    ids=lambda method: type(method).__name__,
)
def test_no_dip_is_lost_however_long_the_step(method, turning, waves):
    """A period within the step, or 20 where the angles are known to turn."""
    looked, rng = waves(turning), np.random.default_rng(15)
    for _ in range(40):
        p = drawn(rng, 20 if turning else 1)
        track = solve(replace(looked, parameters=p), method, 0.0, np.zeros(1), SPAN)
        assert track.statistics.steps == 1
        np.testing.assert_allclose([hit.t for hit in track.events], zeros(p), atol=1e-9)


def test_more_events_in_a_step_than_are_held(problem):
    """sin(ωq) with q = t, 6,366 of them: steps are cut where there is no room."""
    fast = problem(
        lambda *_: ([1.0],),
        1,
        parameters=(1.0,),
        events=lambda t, q, u, s, w, p, k: [ca.sin(p[0] * q[0]), p[0] * q[0]],
        directions=(0,),
        terminal=(False,),
        turning=1,
    )
    track = solve(replace(fast, parameters=np.array([1e4])), DOP853(), 0.0, np.zeros(1), 2.0)
    expected = np.arange(1, int(2e4 / np.pi) + 1) * np.pi / 1e4
    np.testing.assert_allclose([hit.t for hit in track.events], expected, rtol=1e-11)
    assert track.statistics.steps < 60


@pytest.mark.parametrize("method", [DOP853(), RK4(step=0.3)], ids=["DOP853", "RK4"])
def test_poles_are_no_zeros(method, problem):
    """Odd poles change the sign, and turn the side; zeros behind them are met as ever."""
    rational = problem(
        lambda *_: ([1.0],),
        1,
        parameters=(1.0, 1.0),
        events=lambda t, q, u, s, w, p, k: [
            ca.tan(q[0]),
            1 / (q[0] - p[0]),
            (q[0] - p[1]) / (q[0] - p[0]) ** 3,
            1 / (q[0] - p[0]) ** 2 - 1e4,
        ],
        directions=(0,) * 4,
        terminal=(False,) * 4,
    )
    rng = np.random.default_rng(7)
    for _ in range(20):
        pole, zero = np.sort(rng.uniform(0.2, 6.8, 2))[:: rng.choice([-1, 1])]
        looked = replace(rational, parameters=np.array([pole, zero]))
        track = solve(looked, method, 0.1, np.array([0.1]), 7.0)
        found = [[hit.t for hit in track.events if hit.index == n] for n in range(4)]
        np.testing.assert_allclose(found[0], [np.pi, 2 * np.pi], rtol=1e-12)
        assert found[1] == []
        np.testing.assert_allclose(found[2], [zero], rtol=1e-12)
        np.testing.assert_allclose(found[3], [pole - 0.01, pole + 0.01], rtol=1e-10)


def test_a_mode_flips_at_a_pole(problem):
    """ẋ = sign(tan t) integrates to a saw."""
    saw = problem(
        lambda t, q, u, s, w, p, k: ([k[0]],),
        1,
        nk=1,
        switches=lambda t, *_: [ca.tan(t)],
    )
    grid = np.linspace(0.0, 9.0, 91)
    track = solve(saw, DOP853(max_step=1.0), 0.0, np.zeros(1), 9.0, grid=grid)
    np.testing.assert_allclose(track.x[:, 0], np.arccos(np.cos(2 * grid)) / 2, atol=1e-12)


def test_a_switch_left_at_exactly_zero_is_not_flipped_back(problem):
    """The edge cos 0.01 is met to the last bit, where the function is flat: it stays beyond."""
    bump = problem(
        lambda t, q, u, s, w, p, k: ([1.0 + 0.0 * k[0]], [k[0] > 0]),
        1,
        1,
        nk=1,
        parameters=(0.0,),
        switches=lambda t, q, u, s, w, p, k: [ca.sin(q[0]) - p[0]],
        events=lambda t, q, *_: [q[0]],
        turning=1,
    )
    for half in (0.01, 0.02, 1e-3, 1e-4):
        looked = replace(bump, parameters=np.array([np.cos(half)]))
        track = solve(looked, DOP853(), 0.0, np.zeros(2), 200.0)
        assert track.status == "done"
        assert track.statistics.switches == 2 * 32
        assert track.x[-1, 1] == pytest.approx(2 * half * 32, rel=1e-7)


def test_many_switches_that_flip_at_once_are_no_chattering(problem):
    """A hundred knots of a table whose argument jumps, at each of a thousand jumps."""
    knots = np.linspace(0.005, 0.995, 100)
    table = problem(
        lambda t, q, u, s, w, p, k: ([1.0], [ca.sum1(k[1:] > 0) * 0.01]),
        1,
        1,
        nk=101,
        switches=lambda t, q, u, s, w, p, k: [
            ca.sin(2 * np.pi * q[0]),
            *[q[0] * 0 + 0.5 + 0.5 * k[0] - x for x in knots],
        ],
        events=lambda t, q, *_: [2 * np.pi * q[0]],
        turning=1,
    )
    track = solve(table, DOP853(), 0.0, np.array([0.25, 0.0]), 200.0)
    assert track.status == "done"
    assert track.statistics.switches == 400 * 101
    assert track.x[-1, 1] == pytest.approx(100.0, rel=1e-9)
