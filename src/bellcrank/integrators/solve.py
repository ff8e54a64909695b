"""The loop around a driver: everything that needs Python while arrays advance in time."""

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.auditing import LOOKS, Auditor, weigh_points
from bellcrank.integrators.beginning import (
    checked_arrays,
    checked_tolerances,
    pass_tick,
    write_start,
)
from bellcrank.integrators.drivers import driver
from bellcrank.integrators.ending import message_of, stalled, statistics_of, status_of
from bellcrank.integrators.memory import Blocks, Records
from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.pace import Pace
from bellcrank.integrators.problem import Array, Problem, Schedule, Status, Track
from bellcrank.integrators.scales import Scales
from bellcrank.integrators.stiffness import Watch
from bellcrank.integrators.timed import Ahead
from bellcrank.kernels.cache import running_clock

SLICE = 0.03  # seconds a call of the driver should last
PAUSE = 0.05  # seconds between reports of progress

Progress = Callable[[float, int], None]


def solve(
    problem: Problem,
    method: Method,
    t0: float,
    x0: Array,
    until: float,
    *,
    rtol: float | None = None,
    atol: float | Array | Scales | None = None,
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
        atol: Absolute tolerance, one number, shape (nx,) or one that grows with the motion;
            default 1e-11. Likewise.
        grid: Times to record [s], in the order they are passed; None for every step.
        schedule: The inputs; needed where the problem has some.
        progress: Called now and then with the time reached [s] and the steps made.

    Raises:
        OptionError: If the arguments do not fit together.
    """
    begin, stiff = running_clock(), method.stiff
    method, rtol, atol = checked_tolerances(problem, method, rtol, atol)
    x0, grid = checked_arrays(problem, t0, x0, until, grid)
    advance = driver(type(method), method.constrained(problem), problem.watched)
    blocks = Blocks(problem, *method.shape(), grid, method.room(problem))
    write_start(blocks, problem, method, t0, x0, until, rtol, atol)
    auditor = Auditor(problem, blocks, method.adaptive) if problem.audit_rates else None
    records = Records(blocks, 1024 if grid is None else len(grid))
    ahead = Ahead(problem.timeline) if problem.timeline is not None else None
    if ahead is not None:
        ahead.load(blocks)
    ticks = pass_tick(blocks, schedule, problem, first=True)
    watch = None
    if stiff is not None and (problem.jacobian or problem.saddle):
        watch = Watch(problem, type(method), type(stiff))
    pace = Pace(method, blocks)
    try:
        code, more = _run(advance, records, schedule, problem, progress, watch, ahead, pace)
        ticks += more
        status = status_of(code, records.blocks, problem)
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    if records.blocks.run.rough:
        advance(records.blocks.address, -1)
    t, x, w, k = records.close()
    blocks = records.blocks
    if ahead is not None:
        status = ahead.finish(blocks, records.events, status)
    own = type(method).__name__
    statistics = statistics_of(blocks, own, ticks, running_clock() - begin, watch)
    time = float(t[-1])
    message = message_of(status, blocks, method, time, until)
    if status is Status.NO_PROGRESS:
        kind = watch.kind if watch else type(method)
        message = stalled(pace.stall, problem, blocks, kind)
    found = auditor.found() if auditor else None
    track = Track(t, x, w, k, records.events, statistics, status, message, time, found)
    return track if auditor else _weighed(problem, track, (rtol, atol))


def _weighed(problem: Problem, track: Track, tolerance: tuple[float, Any] | None) -> Track:
    """Return a run without an audit that went along, with what some of its records say."""
    if problem.audit is None:
        return track
    points = track.t, track.x, track.w, track.k
    return replace(track, weighed=weigh_points(problem, points, tolerance, LOOKS))


def _run(
    advance: Callable[[int, int], int],
    records: Records,
    schedule: Schedule | None,
    problem: Problem,
    progress: Progress | None,
    watch: Watch | None,
    ahead: Ahead | None,
    pace: Pace,
) -> tuple[int, int]:
    """Call the driver until it has an end; return its last code and the ticks passed."""
    blocks = records.blocks
    budget, ticks, reported = 8, 0, perf_counter()
    while True:
        before = perf_counter()
        attempts = min(budget, watch.left(blocks)) if watch else budget
        code = advance(blocks.address, attempts)
        records.check()
        suspicious = watch is not None and watch.suspicions > 0
        if code in (c.BUDGET, c.TICK) and pace.stands(blocks, suspicious):
            code = c.STALLED
        if code == c.TICK:
            ticks += pass_tick(blocks, schedule, problem)
        elif code == c.WINDOW and ahead is not None:
            records.events += ahead.collect(blocks)
            ahead.load(blocks)
        elif code == c.RECORD_FULL:
            records.drain()
        elif code == c.BUDGET:
            ratio = SLICE / max(perf_counter() - before, 1e-7)
            budget = max(1, int(attempts * min(ratio, 16.0)))
        elif watch is not None and watch.may_rescue(code, blocks):
            advance, blocks = watch.rescue(blocks, records)
            pace.begin(blocks)
            continue
        else:
            return code, ticks
        if watch is not None:
            advance, blocks = watch.consider(advance, blocks, records)
        if progress is not None and before - reported > PAUSE:
            reported = before
            progress(blocks.run.time, blocks.run.steps)
