"""What solve does when all is well, when it is not, and when it is stopped."""

import os
import signal
import subprocess
import sys
import textwrap
import time

import casadi as ca
import numpy as np
import pytest

from bellcrank.errors import OptionError
from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Auto, Nystrom4, Problem, solve
from bellcrank.integrators.memory import CHUNK
from bellcrank.kernels.build import kernel

ADAPTIVE = [RKF45(), DOPRI5(), DOP853()]


def name(method):
    return type(method).__name__


# --- records ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [RK4(step=0.1), Nystrom4(step=0.1), *ADAPTIVE], ids=name)
def test_every_accepted_step_is_recorded_without_a_grid(method, oscillator):
    track = solve(oscillator, method, 0.0, np.array([1.0, 0.0]), 5.0)
    assert len(track.t) == track.statistics.steps + 1
    assert track.t[0] == 0.0
    assert track.t[-1] == track.until_reached == 5.0
    assert (np.diff(track.t) > 0).all()
    np.testing.assert_allclose(track.x[:, 0], np.cos(track.t), atol=1e-5)
    assert track.message == "reached t = 5 s."


def test_fixed_steps_do_not_drift(oscillator):
    """A thousand tenths are a hundred, and the last step may be short."""
    track = solve(oscillator, RK4(step=0.1), 0.0, np.array([1.0, 0.0]), 100.0)
    assert track.statistics.steps == 1000
    np.testing.assert_allclose(track.t, 0.1 * np.arange(1001), rtol=1e-15)
    track = solve(oscillator, RK4(step=0.1), 0.0, np.array([1.0, 0.0]), 0.25)
    np.testing.assert_allclose(np.diff(track.t), [0.1, 0.1, 0.05])


def test_a_grid_denser_than_the_steps_and_larger_than_the_memory(oscillator):
    """Records are handed over in pieces, within a step too, and nothing is lost."""
    grid = np.linspace(0, 20, CHUNK // 3 + 12345)  # records of t, q and u
    track = solve(oscillator, DOP853(), 0.0, np.array([1.0, 0.0]), 20.0, grid=grid)
    np.testing.assert_array_equal(track.t, grid)
    np.testing.assert_allclose(track.x[:, 0], np.cos(grid), atol=1e-7)
    assert track.statistics.steps < 200


def test_a_grid_that_leaves_out_the_ends_gets_the_end(oscillator):
    track = solve(oscillator, DOP853(), 0.0, np.array([1.0, 0.0]), 3.0, grid=np.array([1.0]))
    np.testing.assert_array_equal(track.t, [1.0, 3.0])
    np.testing.assert_allclose(track.x[:, 0], np.cos([1.0, 3.0]), atol=1e-9)


def test_a_grid_does_not_change_the_steps(oscillator):
    start = np.array([1.0, 0.0])
    free = solve(oscillator, DOP853(), 0.0, start, 10.0)
    grid = solve(oscillator, DOP853(), 0.0, start, 10.0, grid=np.linspace(0, 10, 777))
    assert free.statistics.steps == grid.statistics.steps
    np.testing.assert_array_equal(free.x[-1], grid.x[-1])


@pytest.mark.parametrize("method", [RK4(step=0.01), Nystrom4(step=0.01), *ADAPTIVE], ids=name)
def test_backwards_is_the_way_back(method, duffing):
    start = np.array([1.0, 0.5])
    there = solve(duffing, method, 0.0, start, 3.0)
    back = solve(duffing, method, 3.0, there.x[-1], 0.0, grid=np.linspace(3, 0, 31))
    np.testing.assert_array_equal(back.t, np.linspace(3, 0, 31))
    np.testing.assert_allclose(back.x[-1], start, atol=1e-7)


def test_no_time_at_all_is_one_record(oscillator):
    track = solve(oscillator, DOP853(), 2.0, np.array([1.0, 0.0]), 2.0)
    np.testing.assert_array_equal(track.t, [2.0])
    assert track.status == "done"


def test_auxiliary_states_parameters_and_constant_memory(problem):
    """q̇ = p₀ u, u̇ = -s, ṡ = k₀ u: with p₀ = 2, k₀ = 9 a circle of frequency 3."""
    mixed = problem(
        lambda t, q, u, s, w, p, k: ([p[0] * u[0]], [-s[0]], [k[0] * u[0]]),
        1,
        1,
        1,
        nk=1,
        parameters=(2.0,),
    )
    object.__setattr__(mixed, "memory", np.array([9.0]))
    track = solve(mixed, DOP853(), 0.0, np.array([0.0, 1.0, 0.0]), 2.0, rtol=1e-11)
    t = track.t
    exact = np.column_stack([2 / 3 * np.sin(3 * t), np.cos(3 * t), 3 * np.sin(3 * t)])
    np.testing.assert_allclose(track.x, exact, atol=1e-9)
    assert (track.k == 9.0).all()


@pytest.mark.parametrize("size", [1, 3, 7, 8, 9, 40, 200])
@pytest.mark.parametrize("method", ADAPTIVE, ids=name)
def test_any_number_of_states(method, size, problem):
    """A row of oscillators of different frequencies; padding does not leak into the norm."""
    frequencies = np.linspace(0.5, 2.0, size)
    stiffness = ca.DM(frequencies**2)
    row = problem(lambda t, q, u, *_: (u, -stiffness * q), size, size)
    start = np.concatenate([np.ones(size), np.zeros(size)])
    track = solve(row, method, 0.0, start, 3.0, rtol=1e-9)
    np.testing.assert_allclose(track.x[-1, :size], np.cos(3 * frequencies), atol=3e-8)


def test_knobs_of_the_steps_are_kept(oscillator):
    method = DOP853(first_step=0.01, max_step=0.2)
    statistics = solve(oscillator, method, 0.0, np.array([1.0, 0.0]), 5.0).statistics
    assert statistics.first_step == pytest.approx(0.01)
    assert statistics.largest_step <= 0.2 * (1 + 1e-12)
    assert statistics.smallest_step >= 0.01 * (1 - 1e-12)
    assert statistics.method == "DOP853"
    assert statistics.evaluations >= 12 * statistics.steps


def test_absolute_tolerance_may_be_a_vector(oscillator):
    start = np.array([1.0, 0.0])
    one = solve(oscillator, DOP853(), 0.0, start, 5.0, atol=1e-6, rtol=1e-6)
    two = solve(oscillator, DOP853(), 0.0, start, 5.0, atol=np.full(2, 1e-6), rtol=1e-6)
    np.testing.assert_array_equal(one.x, two.x)


# --- failure ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def blow_up(problem):
    """ẋ = x², which from 1 is 1/(1 - t)."""
    return problem(lambda t, q, *_: ([q[0] ** 2],), 1)


@pytest.mark.parametrize("method", ADAPTIVE, ids=name)
def test_a_singularity_leaves_the_solution_up_to_it(method, blow_up):
    track = solve(blow_up, method, 0.0, np.ones(1), 2.0)
    assert track.status in ("smallest step", "non-finite")
    assert 1 - 1e-6 < track.until_reached < 1.0 + 1e-6
    early = track.t < 0.99
    np.testing.assert_allclose(track.x[early, 0], 1 / (1 - track.t[early]), rtol=1e-6)
    assert np.isfinite(track.x).all()


def test_a_fixed_step_into_infinity(blow_up):
    track = solve(blow_up, RK4(step=0.01), 0.0, np.ones(1), 2.0)
    assert track.status == "non-finite"
    assert np.isfinite(track.x).all()
    assert track.message == (
        f"a step of 0.01 s from t = {track.until_reached:.9g} s ends in infinity or "
        "not-a-number. Try a shorter step."
    )


def test_a_law_that_becomes_undefined(problem):
    """ẋ = -1/√x from 1 falls to zero at t = 2/3, with infinite speed."""
    falling = problem(lambda t, q, *_: ([-(q[0] ** -0.5)],), 1)
    track = solve(falling, DOP853(), 0.0, np.ones(1), 1.0)
    assert track.status in ("non-finite", "smallest step")
    assert track.until_reached == pytest.approx(2 / 3, abs=1e-6)


def test_undefined_from_the_start(problem):
    bad = problem(lambda t, q, *_: ([(t - 1) ** 0.5],), 1)
    track = solve(bad, DOP853(), 0.0, np.ones(1), 1.0)
    assert track.status == "non-finite"
    assert track.message == (
        "beyond t = 0 s the solution is not finite, however short the step. It may be "
        "singular there, or a law may be undefined."
    )
    np.testing.assert_array_equal(track.t, [0.0])


def test_a_step_over_a_gap_is_tried_again(problem):
    """ẋ = -2√x from 1 is (1 - t)²: a long step meets negative x, where √x is undefined."""
    steep = problem(lambda t, q, *_: ([-2 * q[0] ** 0.5],), 1)
    track = solve(steep, DOP853(first_step=5.0), 0.0, np.ones(1), 0.999, rtol=1e-8)
    assert track.status == "done"
    assert track.statistics.rejected > 0
    assert track.x[-1, 0] == pytest.approx(1e-6, rel=1e-3)


def test_the_smallest_step(problem):
    """ẋ jumps by 1e100 at t = 1 without saying so: no step across is short enough."""
    jump = problem(lambda t, q, *_: ([1.0 + 1e100 * (t > 1)],), 1)
    track = solve(jump, DOP853(), 0.0, np.zeros(1), 2.0)
    assert track.status == "smallest step"
    assert track.until_reached == pytest.approx(1.0, abs=1e-13)
    np.testing.assert_allclose(track.x[:, 0], track.t, atol=1e-12)
    head, tail = track.message.split("is below")
    assert head.startswith("at t = 1 s the step needed, ")
    assert tail == (
        " the resolution of time. The solution may be singular there; otherwise loosen rtol "
        "or atol."
    )


def test_the_limit_of_steps(oscillator):
    track = solve(oscillator, DOP853(max_steps=7), 0.0, np.array([1.0, 0.0]), 100.0)
    assert track.status == "step limit"
    assert track.statistics.steps + track.statistics.rejected == 7
    assert track.message == (
        f"7 steps were tried and t = {track.until_reached:.9g} s was reached. Raise max_steps."
    )
    assert track.t[-1] == track.until_reached
    np.testing.assert_allclose(track.x[:, 0], np.cos(track.t), atol=1e-8)


# --- stopping -----------------------------------------------------------------------------

# A test run in the background has SIGINT ignored, which a child would inherit.
LONG = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import casadi as ca, numpy as np
from bellcrank.kernels.build import build
from bellcrank.integrators import DOP853, Problem, solve
names = ["t", "q", "u", "s", "w", "p", "k"]
a = [ca.SX.sym(n, m) for n, m in zip(names, [1, 1, 1, 0, 0, 0, 0])]
outputs = [a[2], -ca.sin(a[1]), ca.SX(0, 1)]
rhs = build(ca.Function("rhs", a, outputs, names, ["qd", "ud", "sd"]))
problem = Problem(rhs=rhs, nq=1, nu=1)
start = np.array([1.0, 0.0])
solve(problem, DOP853(), 0.0, start, 1.0)
print("ready", flush=True)
track = solve(problem, DOP853(), 0.0, start, 1e9, grid=np.linspace(0, 1e9, 1001))
print(track.status, track.t[-1] == track.until_reached > 0, flush=True)
print(track.message)
"""


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_returns_what_was_computed():
    child = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    output, _ = child.communicate(timeout=10)
    status, reached = output.splitlines()[0].split()
    assert (status, reached) == ("interrupted", "True")
    assert output.splitlines()[1].startswith("interrupted at t = ")
    assert output.splitlines()[1].endswith("s, before 1e+09 s.")


def test_an_interrupt_in_the_progress_report_is_an_interrupt(oscillator):
    calls = []

    def progress(t, steps):
        calls.append((t, steps))
        if len(calls) == 3:
            raise KeyboardInterrupt

    track = solve(
        oscillator,
        DOP853(),
        0.0,
        np.array([1.0, 0.0]),
        1e8,
        progress=progress,
        grid=np.array([0.0, 1e8]),
    )
    assert track.status == "interrupted"
    assert len(calls) == 3
    times = [t for t, _ in calls]
    assert times == sorted(times)
    assert track.until_reached >= times[-1]
    assert track.statistics.steps >= calls[-1][1]


WARM = """
import sys
import numpy as np
from bellcrank.kernels.build import kernel
from bellcrank.integrators import DOP853, Problem, solve

def make():
    raise AssertionError("compiled again")

rhs = kernel("test of a warm start", make)
track = solve(Problem(rhs=rhs, nq=1), DOP853(), 0.0, np.ones(1), 1.0)
heavy = {"numba", "casadi", "scipy", "pandas", "xarray"} & set(sys.modules)
print(float(track.x[-1, 0]), *heavy)
"""


def test_a_warm_process_needs_neither_numba_nor_casadi_nor_scipy(growth):
    names = ["t", "q", "u", "s", "w", "p", "k"]

    def make():
        a = [ca.SX.sym(n, m) for n, m in zip(names, [1, 1, 0, 0, 0, 0, 0], strict=True)]
        outputs = [a[1], ca.SX(0, 1), ca.SX(0, 1)]
        return ca.Function("rhs", a, outputs, names, ["qd", "ud", "sd"])

    kernel("test of a warm start", make)
    solve(growth, DOP853(), 0.0, np.ones(1), 1.0)
    script = textwrap.dedent(WARM)
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert float(run.stdout) == pytest.approx(np.e, rel=1e-8)  # and no name after it


# --- options ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "options", "message"),
    [
        (
            RK4(step=0.1),
            {"rtol": 1e-6},
            "RK4 has steps of fixed length and takes no rtol, got 1e-06. Change its step, or "
            "use DOP853().",
        ),
        (
            Nystrom4(step=0.1),
            {"atol": 1e-6},
            "Nystrom4 has steps of fixed length and takes no atol, got 1e-06. Change its step, "
            "or use DOP853().",
        ),
        (DOP853(), {"rtol": 0.0}, "rtol must lie between 2.22e-14 and 1, got 0.0."),
        (DOP853(), {"rtol": 2.0}, "rtol must lie between 2.22e-14 and 1, got 2.0."),
        (DOP853(), {"atol": -1.0}, "atol must be positive, got -1.0."),
        (
            DOP853(),
            {"atol": np.ones(3)},
            "atol must be one number or 2 of them, got shape (3,).",
        ),
        (
            DOP853(),
            {"grid": np.array([0.0, 0.5, 0.5])},
            "grid times must be strictly monotonic from 0.0 to 1.0, got 0.5 followed by 0.5.",
        ),
        (
            DOP853(),
            {"grid": np.array([0.0, 1.5])},
            "the grid must lie between 0.0 and 1.0, got 0.0 to 1.5.",
        ),
        (
            DOP853(),
            {"grid": np.zeros((2, 2))},
            "the grid must be a row of finite times, got shape (2, 2).",
        ),
    ],
)
def test_options_that_do_not_fit(method, options, message, oscillator):
    with pytest.raises(OptionError) as caught:
        solve(oscillator, method, 0.0, np.array([1.0, 0.0]), 1.0, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("t0", "x0", "until", "message"),
    [
        (0.0, np.zeros(3), 1.0, "the start needs 2 states, got shape (3,)."),
        (0.0, np.array([0, np.nan]), 1.0, "the start must be finite, but state 1 is nan."),
        (0.0, np.zeros(2), np.inf, "begin and until must be finite, got 0.0 and inf."),
    ],
)
def test_starts_that_do_not_fit(t0, x0, until, message, oscillator):
    with pytest.raises(OptionError) as caught:
        solve(oscillator, DOP853(), t0, x0, until)
    assert str(caught.value) == message


def test_nystrom_names_its_remedy(problem):
    first = problem(lambda t, q, u, *_: ([2 * u[0]], [-q[0]]), 1, 1)
    with pytest.raises(OptionError) as caught:
        solve(first, Nystrom4(step=0.1), 0.0, np.zeros(2), 1.0)
    assert str(caught.value) == (
        "Nystrom4 needs equations of the form q̈ = f(t, q, q̇), where the speeds are the rates "
        "of the coordinates. Use RK4(step=0.1), which has the same order."
    )


def test_problems_whose_sizes_do_not_fit(oscillator):
    """A driver writes to memory by size, so sizes are checked at the door."""
    rhs = oscillator.rhs
    for options, message in (
        (
            {"nq": 2, "nu": 1},
            "kernel 'rhs' takes vectors of 1, 1, 1, 0, 0, 0, 0, where the problem has "
            "1, 2, 1, 0, 0, 0, 0; all must be dense.",
        ),
        (
            {"nq": 1, "nu": 1, "normalize": rhs},
            "kernel 'normalize' gives vectors of 1, 1, 0, where the problem has 1; all must be "
            "dense.",
        ),
        (
            {"nq": 1, "nu": 1, "events": rhs},
            "directions and terminal need one entry for each event, got 0 and 0.",
        ),
        (
            {"nq": 1, "nu": 1, "directions": (1,), "terminal": (False,)},
            "directions and terminal need one entry for each event, got 1 and 1 without "
            "events.",
        ),
        (
            {"nq": 1, "nu": 1, "switches": rhs},
            "memory needs one entry for each switch, got none.",
        ),
    ):
        with pytest.raises(OptionError) as caught:
            Problem(rhs=rhs, **options)
        assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: RK4(step=0.0), "RK4: step must be a positive number, got 0.0."),
        (lambda: RK4(step="fine"), "RK4: step must be a positive number, got 'fine'."),
        (lambda: RK4(step=None), "RK4: step must be a positive number, got None."),
        (lambda: Nystrom4(step=-1), "Nystrom4: step must be a positive number, got -1."),
        (
            lambda: DOP853(max_step=np.inf),
            "DOP853: max_step must be a positive number, got inf.",
        ),
        (
            lambda: Auto(first_step=-2.0),
            "Auto: first_step must be a positive number, got -2.0.",
        ),
        (lambda: RKF45(max_steps=0), "RKF45: max_steps must be a positive number, got 0."),
    ],
)
def test_knobs_that_cannot_be(make, message):
    with pytest.raises(OptionError) as caught:
        make()
    assert str(caught.value) == message


def test_methods_are_values_whose_repr_is_their_construction():
    for method in (RK4(step=0.1), Nystrom4(step=1e-3), *ADAPTIVE, Auto(max_step=0.5)):
        assert eval(repr(method)) == method
        assert hash(eval(repr(method))) == hash(method)
