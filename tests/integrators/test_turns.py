"""Angles whose sine and cosine alone are seen, over full turns, however long steps are.

Two angles with rates that are known, a polynomial and an oscillation, and the integral of the
first as it is read: q = (θ₁, θ₂, ∫θ₁). Polynomials are integrated exactly, so that steps are as
long as they may be.
"""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from tests.integrators.implicit_problems import NAMES, make

from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Gauss2, Radau5, solve

SIZES = [1, 3, 0, 0, 0, 5, 4]
ADAPTIVE = [RKF45(), DOPRI5(), DOP853(), Radau5()]
FIXED = [RK4(step=1.0), Gauss2(step=1.0)]


def rates(t, p):
    """Return θ̇₁ = p₀ + p₁ t + p₂ t² and θ̇₂ = p₃ cos(p₄ t)."""
    return p[0] + p[1] * t + p[2] * t**2, p[3] * np.cos(p[4] * t)


def angles(t, p):
    """Return their integrals."""
    return p[0] * t + p[1] * t**2 / 2 + p[2] * t**3 / 3, p[3] / p[4] * np.sin(p[4] * t)


def read(module, theta, k, t):
    """Return an angle from its sine, its cosine and its line."""
    seen = module.atan2(module.sin(theta), module.cos(theta))
    about = (k[0] + k[1] * t - seen) / (2 * np.pi)
    return seen + 2 * np.pi * module.floor(about + 0.5)


def flow(t, q, u, s, w, p, k):
    first, second = p[0] + p[1] * t + p[2] * t**2, p[3] * ca.cos(p[4] * t)
    return [first, second, read(ca, q[0], (k[0], k[1]), t)], []


def lines(t, q, u, s, w, p, k):
    first, second = p[0] + p[1] * t + p[2] * t**2, p[3] * ca.cos(p[4] * t)
    one, two = read(ca, q[0], (k[0], k[1]), t), read(ca, q[1], (k[2], k[3]), t)
    return [one - first * t, first, two - second * t, second]


@pytest.fixture(scope="module")
def measured():
    """Return the problem; its event is that the first angle passes the fifth parameter."""
    symbols = [ca.SX.sym(name, size) for name, size in zip(NAMES, SIZES, strict=True)]
    from bellcrank.kernels.build import build

    revise = build(ca.Function("revise", symbols, [ca.vertcat(*lines(*symbols))], NAMES, ["y"]))
    plain = make(
        flow,
        3,
        nk=4,
        parameters=(0.0,) * 5,
        events=lambda t, q, u, s, w, p, k: [read(ca, q[0], (k[0], k[1]), t) - 100.0],
        directions=(0,),
        terminal=(False,),
    )
    return replace(plain, revise=revise, modes=0)


def cases(count):
    """Return parameters: polynomials that turn far, oscillations of up to a few turns."""
    rng = np.random.default_rng(15)
    for _ in range(count):
        oscillation = (rng.uniform(-30, 30), rng.uniform(0.5, 3.0))
        yield np.array([*(rng.uniform(-1, 1, 3) * (60, 30, 10)), *oscillation])


def shown(track):
    """Return both angles as they are read at the records."""
    return np.stack([
        read(_Numpy, track.x[:, n], track.k[:, 2 * n : 2 * n + 2].T, track.t) for n in (0, 1)
    ])


class _Numpy:
    atan2, sin, cos, floor = np.arctan2, np.sin, np.cos, np.floor


@pytest.mark.parametrize("method", ADAPTIVE, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("until", [6.0, -6.0])
def test_angles_are_followed_and_read_right_in_every_stage(measured, method, until):
    """Also between steps, and by what is integrated; however loose the tolerance."""
    grid = np.linspace(0, until, 301)
    for p in cases(12):
        wanted = np.stack(angles(grid, p))
        for rtol in (1e-3, 1e-9):
            run = replace(measured, parameters=p)
            track = solve(run, method, 0.0, np.zeros(3), until, rtol=rtol, atol=rtol, grid=grid)
            assert track.status == "done"
            size = 1.0 + np.abs(wanted).max()
            np.testing.assert_allclose(shown(track), track.x[:, :2].T, atol=1e-9 * size)
            np.testing.assert_allclose(track.x[:, :2].T, wanted, atol=100 * rtol * size)
            area = (
                p[0] * grid**2 / 2 + p[1] * grid**3 / 6 + p[2] * grid**4 / 12
            )  # of which a wrong turn would be 2π per second
            np.testing.assert_allclose(track.x[:, 2], area, atol=100 * rtol * size * 6)
            passed = np.flatnonzero(np.diff(np.sign(wanted[0] - 100.0)))
            times = [hit.t for hit in track.events]
            assert len(times) >= len(passed)
            np.testing.assert_allclose(
                angles(np.array(times), p)[0], 100, atol=rtol * 1e3 * size
            )


@pytest.mark.parametrize("method", FIXED, ids=lambda each: type(each).__name__)
def test_fixed_steps_of_a_second_lose_no_turn(measured, method):
    """The angle read is that of the state, turns and all, at every record inside steps."""
    grid = np.linspace(0, 6, 301)
    plain = replace(measured, events=None, directions=(), terminal=())
    for p in cases(12):
        p[3] = 0.0  # what such a step cannot follow
        track = solve(replace(plain, parameters=p), method, 0.0, np.zeros(3), 6.0, grid=grid)
        assert track.status == "done"
        size = 1.0 + np.abs(track.x[:, :2]).max()
        np.testing.assert_allclose(shown(track), track.x[:, :2].T, atol=1e-9 * size)


def test_uniform_rotation_costs_nothing(measured):
    """Steps are as long as without an angle to be followed."""
    p = np.array([500.0, 0.0, 0.0, 0.0, 1.0])
    free = replace(measured, parameters=p, revise=None, events=None, directions=(), terminal=())
    bound = replace(free, revise=measured.revise)
    counts = [
        solve(each, DOP853(), 0.0, np.zeros(3), 10.0, grid=np.array([10.0])).statistics
        for each in (free, bound)
    ]
    assert counts[1].steps <= counts[0].steps
    assert counts[1].rejected <= counts[0].rejected
