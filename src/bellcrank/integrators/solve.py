"""The loop around a driver: everything that needs Python while arrays advance in time."""

from collections.abc import Callable
from math import inf, isfinite
from time import perf_counter

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import contract as c
from bellcrank.integrators import implicit, saddle_table, tableaus
from bellcrank.integrators.dop853 import DOP853
from bellcrank.integrators.drivers import driver
from bellcrank.integrators.memory import Blocks, Records
from bellcrank.integrators.methods import (
    RK4,
    Auto,
    Gauss2,
    GeneralizedAlpha,
    Method,
    Nystrom4,
    Trapezoidal,
)
from bellcrank.integrators.problem import Array, Problem, Schedule, Statistics, Track
from bellcrank.integrators.stiffness import Watch

RTOL, ATOL = 1e-9, 1e-11  # when not given
LEAST_RTOL = 100 * np.finfo(float).eps
SLICE = 0.03  # seconds a call of the driver should last
PAUSE = 0.05  # seconds between reports of progress
WEAK = 0.05  # a failure is blamed on constraints that are so much nearer to dependent than ever
SHAPES = {
    each.name: (each.rows, each.blend)
    for each in (tableaus.RK4, tableaus.RKF45, tableaus.DOPRI5, DOP853)
}
SHAPES |= {"Nystrom4": (5, 4)} | implicit.SHAPES
STATUSES = {
    c.DONE: "done",
    c.EVENT: "terminated",
    c.NON_FINITE: "non-finite",
    c.SMALLEST_STEP: "smallest step",
    c.STEP_LIMIT: "step limit",
    c.CHATTERING: "chattering",
    c.UNDEFINED: "undefined",
}

Progress = Callable[[float, int], None]


def solve(
    problem: Problem,
    method: Method,
    t0: float,
    x0: Array,
    until: float,
    *,
    rtol: float | None = None,
    atol: float | Array | None = None,
    grid: Array | None = None,
    schedule: Schedule | None = None,
    progress: Progress | None = None,
) -> Track:
    """Return the solution of an initial value problem, or as much of it as there is.

    The error of a step is measured by the root mean square of e_i / (atol_i + rtol |x_i|).
    Numerical failure and Ctrl-C do not raise: they are a `status` of the track.

    Args:
        problem: The right-hand side and what goes with it.
        method: How to integrate.
        t0: When to begin [s].
        x0: The state then, [q, u, s], shape (nx,).
        until: When to end [s]; before `t0` to integrate backwards.
        rtol: Relative tolerance; default 1e-9. Not for methods with fixed steps.
        atol: Absolute tolerance, one number or shape (nx,); default 1e-11. Likewise.
        grid: Times to record [s], in the order they are passed; None for every step.
        schedule: The inputs; needed where the problem has some.
        progress: Called now and then with the time reached [s] and the steps made.

    Raises:
        OptionError: If the arguments do not fit together.
    """
    begin, automatic = perf_counter(), isinstance(method, Auto)
    method, rtol, atol = _tolerances(problem, method, rtol, atol)
    x0, grid = _arrays(problem, t0, x0, until, grid)
    name = implicit.driver_name(type(method).__name__, problem)
    advance = driver(name, bool(problem.switches or problem.events))
    blocks = Blocks(problem, *SHAPES[name], grid, implicit.room(name, problem))
    _begin(blocks, problem, method, t0, x0, until, rtol, atol)
    records = Records(blocks, 1024 if grid is None else len(grid))
    ticks = _tick(blocks, schedule, problem, first=True)
    stiffness = problem.jacobian or problem.saddle
    watch = Watch(problem, name, SHAPES[name]) if automatic and stiffness else None
    try:
        code, more = _run(advance, records, schedule, problem, progress, watch)
        ticks += more
        status = _status(code, records.blocks, problem)
    except KeyboardInterrupt:
        status = "interrupted"
    t, x, w, k = records.close()
    blocks = records.blocks
    own = type(method).__name__
    statistics = _statistics(blocks, own, ticks, perf_counter() - begin, watch)
    time = float(t[-1])
    message = _message(status, blocks, method, time, until)
    return Track(t, x, w, k, records.events, statistics, status, message, time)


def _run(
    advance: Callable[[int, int, int], int],
    records: Records,
    schedule: Schedule | None,
    problem: Problem,
    progress: Progress | None,
    watch: Watch | None,
) -> tuple[int, int]:
    """Call the driver until it has an end; return its last code and the ticks passed."""
    blocks = records.blocks
    budget, ticks, reported = 8, 0, perf_counter()
    while True:
        before = perf_counter()
        attempts = min(budget, watch.budget) if watch else budget
        code = advance(*blocks.addresses, attempts)
        if code == c.TICK:
            ticks += _tick(blocks, schedule, problem)
        elif code == c.RECORD_FULL:
            records.drain()
        elif code == c.BUDGET:
            ratio = SLICE / max(perf_counter() - before, 1e-7)
            budget = max(1, int(attempts * min(ratio, 16.0)))
        elif watch is not None and watch.may_rescue(code, blocks):
            advance, blocks = watch.rescue(blocks, records)
            continue
        else:
            return code, ticks
        if watch is not None:
            advance, blocks = watch.consider(advance, blocks, records)
        if progress is not None and before - reported > PAUSE:
            reported = before
            progress(float(blocks.f[c.TIME]), int(blocks.i[c.STEPS]))


# --- before -------------------------------------------------------------------------------


def _tolerances(
    problem: Problem, method: Method, rtol: float | None, atol: float | Array | None
) -> tuple[Method, float, float | Array]:
    """Return the method to use and its tolerances, after checking that they fit."""
    name = type(method).__name__
    if name == "GeneralizedAlpha" and problem.saddle is None:
        raise OptionError(f"{name} needs the problem's saddle. Use DOP853().")
    if name in implicit.SHAPES and problem.jacobian is None and problem.saddle is None:
        raise OptionError(f"{name} is implicit and needs the problem's jacobian. Use DOP853().")
    if problem.saddle is not None and name in implicit.UNFIT:
        raise OptionError(f"{name} takes no constraints: {implicit.UNFIT[name]}")
    if not method.adaptive:
        for option, value in (("rtol", rtol), ("atol", atol)):
            if value is not None:
                raise OptionError(
                    f"{name} has steps of fixed length and takes no {option}, got "
                    f"{value!r}. Change its step, or use DOP853()."
                )
        if isinstance(method, Nystrom4) and (not problem.second_order or problem.ns):
            raise OptionError(
                "Nystrom4 needs equations of the form q̈ = f(t, q, q̇), where the speeds are "
                "the rates of the coordinates and there are no other states. Use "
                f"RK4(step={method.step!r}), which has the same order."
            )
        return method, 0.0, 1.0
    rtol = RTOL if rtol is None else float(rtol)
    if not LEAST_RTOL <= rtol < 1.0:
        raise OptionError(f"rtol must lie between {LEAST_RTOL:.3g} and 1, got {rtol!r}.")
    atol = ATOL if atol is None else atol
    sizes = np.asarray(atol, dtype=float)
    if sizes.shape not in ((), (problem.nx,)):
        raise OptionError(
            f"atol must be one number or {problem.nx} of them, got shape {sizes.shape}."
        )
    if not ((sizes > 0).all() and np.isfinite(sizes).all()):
        raise OptionError(f"atol must be positive, got {atol!r}.")
    return method.choose(rtol) if isinstance(method, Auto) else method, rtol, atol


def _arrays(
    problem: Problem, t0: float, x0: Array, until: float, grid: Array | None
) -> tuple[Array, Array | None]:
    """Return start and grid as arrays of doubles, after checking them."""
    if not (isfinite(t0) and isfinite(until)):
        raise OptionError(f"begin and until must be finite, got {t0!r} and {until!r}.")
    x0 = np.ascontiguousarray(x0, dtype=float)
    if x0.shape != (problem.nx,):
        raise OptionError(f"the start needs {problem.nx} states, got shape {x0.shape}.")
    if not np.isfinite(x0).all():
        bad = int(np.flatnonzero(~np.isfinite(x0))[0])
        raise OptionError(f"the start must be finite, but state {bad} is {x0[bad]}.")
    if grid is None:
        return x0, None
    grid = np.ascontiguousarray(grid, dtype=float)
    sign = -1.0 if until < t0 else 1.0
    if grid.ndim != 1 or not np.isfinite(grid).all():
        raise OptionError(f"the grid must be a row of finite times, got shape {grid.shape}.")
    if (sign * np.diff(grid) <= 0).any():
        raise OptionError(f"the grid must go from {t0!r} to {until!r} without standing still.")
    if grid.size and (sign * (grid[0] - t0) < 0 or sign * (grid[-1] - until) > 0):
        raise OptionError(
            f"the grid must lie between {t0!r} and {until!r}, got {float(grid[0])!r} to "
            f"{float(grid[-1])!r}."
        )
    return x0, grid


def _begin(
    blocks: Blocks,
    problem: Problem,
    method: Method,
    t0: float,
    x0: Array,
    until: float,
    rtol: float,
    atol: float | Array,
) -> None:
    """Write the start and the knobs into the blocks."""
    i, f = blocks.i, blocks.f
    f[c.TIME] = f[c.BEGIN] = f[c.BASE] = f[c.FLIP_TIME] = t0
    f[c.END], f[c.SIGN], f[c.RTOL] = until, -1.0 if until < t0 else 1.0, rtol
    f[c.ASKED] = rtol
    f[c.NEXT_TICK] = f[c.SIGN] * inf
    blocks.x[:] = x0
    blocks.view(c.ATOL)[: problem.nx] = atol
    i[c.MAX_STEPS] = method.max_steps or np.iinfo(np.int64).max
    if isinstance(method, GeneralizedAlpha):
        f[c.ALPHA_M], f[c.ALPHA_F] = method.averages
    if isinstance(method, RK4 | Nystrom4 | Gauss2 | Trapezoidal | GeneralizedAlpha):
        f[c.H] = method.step
    else:
        f[c.H], f[c.MAX_H] = method.first_step or 0.0, method.max_step or inf


def _tick(
    blocks: Blocks, schedule: Schedule | None, problem: Problem, first: bool = False
) -> int:
    """Set the inputs that hold from now on, and the tick where they end; count it."""
    if schedule is None:
        if problem.nw:
            raise OptionError(f"the problem has {problem.nw} inputs, so it needs a schedule.")
        return 0
    i, f = blocks.i, blocks.f
    time = float(f[c.TIME])
    w0, w1 = schedule.update(time, blocks.x.copy())
    blocks.w0[:], blocks.w1[:] = w0, w1
    blocks.w[:] = blocks.w0 + blocks.w1 * time
    i[c.RAMP] = int(blocks.w1.any())
    tick = float(schedule.next(time))
    if f[c.SIGN] < 0 and tick != inf:
        raise OptionError(
            "inputs that change at ticks cannot be integrated backwards in time. "
            "Choose until after the beginning."
        )
    if not tick > time and f[c.SIGN] > 0:
        raise OptionError(f"the tick after t = {time!r} s must be later, got {tick!r}.")
    f[c.NEXT_TICK] = tick if tick != inf else f[c.SIGN] * inf
    if not first:
        i[c.F0_VALID], i[c.PHASE] = 0, c.REVISE
    return int(not first)


# --- after --------------------------------------------------------------------------------


def _status(code: int, blocks: Blocks, problem: Problem) -> str:
    """Return the status that a code means."""
    failed = code in (c.NON_FINITE, c.SMALLEST_STEP)
    if failed and problem.saddle is not None and blocks.i[c.SADDLE]:
        place = problem.saddle.table[saddle_table.WEAKEST]
        ratio, best = blocks.view(c.MATRICES)[place : place + 2]
        if blocks.i[c.DEPENDENT] or ratio < WEAK * best:
            return "dependent"
    return STATUSES[code]


def _statistics(
    blocks: Blocks, name: str, ticks: int, seconds: float, watch: Watch | None = None
) -> Statistics:
    i, f = blocks.i, blocks.f
    return Statistics(
        method=name,
        steps=int(i[c.STEPS]),
        rejected=int(i[c.REJECTED]),
        evaluations=int(i[c.EVALUATIONS]),
        switches=int(i[c.FLIPS]),
        first_step=float(f[c.FIRST_H]),
        smallest_step=float(f[c.LEAST_H]) if i[c.STEPS] else 0.0,
        largest_step=float(f[c.MOST_H]),
        ticks=ticks,
        seconds=seconds,
        jacobians=int(i[c.JACOBIANS]),
        factorizations=int(i[c.FACTORIZATIONS]),
        changes=tuple(watch.changes) if watch else (),
    )


def _message(status: str, blocks: Blocks, method: Method, time: float, until: float) -> str:
    """Return a status in a sentence, and what to try."""
    at = f"t = {time:.9g} s"
    if status == "non-finite" and not method.adaptive:
        return (
            f"a step of {blocks.f[c.H]:.3g} s from {at} ends in infinity or not-a-number. "
            "Try a shorter step."
        )
    return {
        "done": f"reached {at}.",
        "terminated": f"{blocks.stopped_by} ended it at {at}.",
        "interrupted": f"interrupted at {at}, before {until:.9g} s.",
        "non-finite": (
            f"beyond {at} the solution is not finite, however short the step. It may be "
            "singular there, or a law may be undefined."
        ),
        "smallest step": (
            f"at {at} the step needed, {blocks.f[c.H]:.3g} s, is below the resolution of time. "
            "The solution may be singular there; otherwise loosen rtol or atol."
        ),
        "chattering": (
            f"at {at} a nonsmooth law switches to and fro without time passing. Smooth it, "
            "for example sign(v) by tanh(v/0.001)."
        ),
        "dependent": (
            f"beyond {at} constraints that are independent elsewhere become dependent: a "
            f"singular position, which {type(method).__name__} does not pass. An explicit "
            "method such as DOP853() with constraints='project' does."
        ),
        "undefined": (
            f"beyond {at} {blocks.stopped_by} is not a number. What it looks at must have a "
            "value all the time, such as sqrt(max(x, 0)) in place of sqrt(x)."
        ),
        "step limit": (
            f"{int(blocks.i[c.STEPS] + blocks.i[c.REJECTED])} steps were tried and {at} was "
            "reached. Raise max_steps."
        ),
    }[status]
