"""`Auto` notices stiffness, changes to `Radau5` and back, and says when and why."""

import ctypes
import re
import time

import casadi as ca
import numpy as np
import pytest
from tests.integrators.implicit_problems import make
from tests.integrators.test_ticks import Held

from bellcrank.integrators import DOP853, Auto, Radau5, solve
from bellcrank.integrators.stiffness import Deferred
from bellcrank.kernels.entries import KERNEL, Entry

START = np.array([0.3, 0.0])


def braked(**options):
    """A pendulum with a brake that holds from t = 1.3 to 1.7."""

    def rhs(t, q, u, *_):
        brake = 1e6 * ca.exp(-(((t - 1.5) / 0.2) ** 8))
        return [u[0]], [-14.7 * ca.sin(q[0]) - brake * u[0]]

    return make(rhs, 1, 1, second_order=True, **options)


@pytest.mark.parametrize("rtol", [1e-4, 1e-6, 1e-9])
def test_stiff_for_a_while_there_and_back(rtol):
    grid = np.linspace(0, 6, 301)
    problem = braked()
    options = {"rtol": rtol, "atol": rtol / 100, "grid": grid}
    track = solve(problem, Auto(), 0.0, START, 6.0, **options)
    exact = solve(problem, Radau5(), 0.0, START, 6.0, rtol=1e-12, atol=1e-14, grid=grid)
    assert np.array_equal(track.t, grid)
    assert abs(track.x - exact.x).max() < 300 * rtol
    there, *back = track.statistics.changes
    name = "DOPRI5" if rtol > 1e-5 else "DOP853"
    assert re.fullmatch(
        rf"t = 1\.\d+ s: {name} to Radau5, because stability holds steps at \S+ s, where the "
        r"fastest part of the motion takes \S+ s",
        there,
    )
    if rtol < 1e-5:  # above, the steps of Radau5 stay longer than DOPRI5's could be
        assert len(back) == 1
        assert re.fullmatch(
            rf"t = [12]\.\d+ s: Radau5 to {name}, because steps of \S+ s are stable again",
            back[0],
        )
    assert track.statistics.jacobians > 0
    explicit = solve(problem, DOP853(), 0.0, START, 6.0, **options)
    assert track.statistics.steps * 10 < explicit.statistics.steps


@pytest.mark.parametrize("rtol", [1e-3, 1e-5, 1e-7, 1e-9, 1e-12])
@pytest.mark.parametrize("damping", [0.0, 0.02, 0.7])
def test_what_is_not_stiff_stays_explicit_and_makes_no_jacobian(rtol, damping):
    """Thousands of periods of an oscillator: accuracy holds the steps back, not stability."""

    def never():
        raise AssertionError("the Jacobian was asked for")

    def rhs(t, q, u, *_):
        return [u[0]], [-1e4 * (q[0] - ca.cos(90 * t)) - 200 * damping * u[0]]

    problem = make(rhs, 1, 1, second_order=True)
    object.__setattr__(problem, "jacobian", Deferred(never))
    track = solve(problem, Auto(), 0.0, START, 60.0, rtol=rtol, atol=rtol / 100)
    assert track.status == "done"
    assert track.statistics.changes == ()


def test_events_switches_and_ticks_go_through_a_change():
    """The same run by Auto and by Radau5: same events, flips and ticks."""

    def rhs(t, q, u, s, w, p, k):
        brake = 1e6 * ca.exp(-(((t - 1.5) / 0.2) ** 8))
        return [u[0]], [-14.7 * ca.sin(q[0]) - brake * u[0] - 0.1 * k[0] + w[0]]

    problem = make(
        rhs,
        1,
        1,
        nw=1,
        nk=1,
        second_order=True,
        switches=lambda t, q, u, *_: [q[0] - 0.05],
        events=lambda t, q, u, *_: [q[0]],
        directions=(0,),
        terminal=(False,),
    )
    tracks = [
        solve(
            problem, method, 0.0, START, 4.0, rtol=1e-9, atol=1e-11,
            schedule=Held(0.25, lambda t, x: -0.5 * x[1]),
        )
        for method in (Auto(), Radau5())
    ]  # fmt: skip
    ours, exact = tracks
    assert len(ours.statistics.changes) == 2
    assert [hit.index for hit in ours.events] == [hit.index for hit in exact.events]
    np.testing.assert_allclose(
        [hit.t for hit in ours.events], [hit.t for hit in exact.events], atol=1e-7
    )
    assert ours.statistics.switches == exact.statistics.switches > 0
    assert ours.statistics.ticks == exact.statistics.ticks == 15
    np.testing.assert_allclose(ours.x[-1], exact.x[-1], atol=1e-7)


def test_where_implicit_steps_lead_no_further_explicit_ones_go_on():
    """The matrix of implicit steps is no number once p is below 0, the brake off soon after."""

    def rhs(t, q, u, *_):
        brake = 5e5 * (1.5 + ca.sin(30 * t)) * (1 + ca.tanh((q[1] + 2e-3) / 2e-4))
        return [u[0], -1.0], [-14.7 * ca.sin(q[0]) - brake * u[0]]

    def inertia(t, q, *_):
        return ca.if_else(q[1] > 0, 1.0, ca.log(q[1]))

    problem, start = make(rhs, 2, 1, seen_mass=inertia), np.array([0.3, 1.0, 0.0])
    options = {"rtol": 1e-6, "atol": 1e-8}
    implicit = solve(problem, Radau5(), 0.0, start, 1.5, **options)
    assert implicit.status == "non-finite"
    assert 0.9 < implicit.until_reached < 1.1
    track = solve(problem, Auto(), 0.0, start, 1.5, **options)
    exact = solve(problem, DOP853(), 0.0, start, 1.5, rtol=1e-10, atol=1e-12)
    assert track.status == "done"
    np.testing.assert_allclose(track.x[-1], exact.x[-1], atol=1e-6)
    there, back = track.statistics.changes
    assert "DOP853 to Radau5" in there
    assert re.fullmatch(
        r"t = 1\.\d+ s: Radau5 to DOP853, because implicit steps, however short, lead no "
        "further",
        back,
    )


def test_without_a_jacobian_auto_stays_explicit():
    problem = braked()
    object.__setattr__(problem, "jacobian", None)
    track = solve(problem, Auto(), 0.0, START, 2.0, rtol=1e-6, atol=1e-8)
    assert track.status == "done"
    assert track.statistics.changes == ()


def test_max_steps_counts_all_methods_together():
    track = solve(braked(), Auto(max_steps=600), 0.0, START, 6.0, rtol=1e-6, atol=1e-8)
    assert track.status == "step limit"
    assert track.statistics.steps + track.statistics.rejected == 600


def test_a_long_run_that_never_changes_comes_to_its_end():
    """What a call may do is measured on what the last one did, over three hundred looks."""
    orbit = make(lambda t, q, u, *_: ([u[0]], [-q[0]]), 1, 1, second_order=True)
    ends = np.array([0.0, 3e5])
    options = {"rtol": 1e-9, "atol": 1e-11, "grid": ends}
    track = solve(orbit, Auto(max_step=0.1), 0.0, np.array([1.0, 0.0]), ends[1], **options)
    assert track.status == "done"
    assert track.statistics.steps >= 3_000_000
    assert not track.statistics.changes


def test_changes_do_not_depend_on_how_long_calls_take():
    """Calls of the driver are cut by the clock; what is looked at is counted in steps."""

    def run(waiting):
        problem = braked()
        rhs = problem.rhs

        def evaluate(given, results, work):
            time.sleep(waiting)
            KERNEL(rhs.address)(given, results, work)

        called = KERNEL(evaluate)
        address = ctypes.cast(called, ctypes.c_void_p).value
        object.__setattr__(problem, "rhs", Entry(address, rhs.work, called))
        return solve(problem, Auto(), 1.2, START, 1.8, rtol=1e-6, atol=1e-8)

    quick, slow = run(0.0), run(1e-4)
    assert quick.statistics.changes
    assert quick.statistics.changes == slow.statistics.changes
    np.testing.assert_array_equal(quick.x, slow.x)
