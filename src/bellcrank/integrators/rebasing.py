"""The loop around a driver that integrates in independent coordinates.

It is that of `solve`, one attempt at a step at a time. What was recorded in a step is at once
mapped back to q and u, the point reached becomes the one from which others are sought,
and where the coordinates in use serve badly, they are chosen anew there. For the driver that
is nothing but a new state with a derivative to be evaluated: step length, sides of events and
modes stay, and fixed steps stay on their grid.
"""

from dataclasses import replace
from time import perf_counter

import numpy as np

from bellcrank.constraints.constrained import Constrained
from bellcrank.constraints.independent import Chart, Independent
from bellcrank.integrators import contract as c
from bellcrank.integrators.auditing import weigh_points
from bellcrank.integrators.beginning import (
    checked_arrays,
    checked_tolerances,
    pass_tick,
    write_start,
)
from bellcrank.integrators.determined import solve_determined
from bellcrank.integrators.drivers import driver
from bellcrank.integrators.ending import STATUSES, message_of, stalled, statistics_of
from bellcrank.integrators.memory import Blocks, Records
from bellcrank.integrators.methods import Method
from bellcrank.integrators.pace import Pace
from bellcrank.integrators.problem import (
    NO_VECTORS,
    Array,
    EventHit,
    Problem,
    Schedule,
    Status,
    Track,
)
from bellcrank.integrators.scales import Scales
from bellcrank.integrators.solve import PAUSE, Progress
from bellcrank.integrators.timed import Ahead
from bellcrank.kernels.cache import running_clock
from bellcrank.kernels.entries import Entry

SINGULAR = -1  # code of an end where the number of independent rows is another


def solve_independent(
    problem: Problem,
    machine: Constrained,
    mode: Independent,
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
    """Return the solution for a machine with constraints, or as much of it as there is.

    Args:
        problem: Sizes, inputs, events and switches in terms of q and u; its right-hand side
            is used where there is no freedom, and then brings q and u onto the constraints.
        machine: The constraints and the equations of motion.
        mode: How independent coordinates are chosen.
        method: How to integrate.
        t0: When to begin [s].
        x0: The state then, [q, u, s], which meets the constraints.
        until: When to end [s].
        rtol: Relative tolerance, in terms of q and u.
        atol: Absolute tolerance, in terms of q and u.
        grid: Times to record [s]; None for every step.
        schedule: The inputs.
        progress: Called now and then with the time reached [s] and the steps made.
    """
    begin, asked = running_clock(), (rtol, atol)
    smooth = problem.second_order and machine.m == machine.mh  # then v̇ = w
    # Implicit methods get the Jacobian of the rates of v and w, once there is a chart.
    problem = replace(problem, second_order=smooth, jacobian=Entry(0, 0, None))
    method, rtol, atol = checked_tolerances(problem, method, rtol, atol)
    if isinstance(atol, Scales):
        atol = atol.most
    x0, grid = checked_arrays(problem, t0, x0, until, grid)
    given = _given(problem, t0, x0, np.zeros(problem.nw), problem.memory)
    watched = problem.events, problem.switches, problem.revise
    chart = Chart(machine, mode, given, *watched)
    if chart.nv + chart.nw == 0:
        options = {"rtol": asked[0], "atol": asked[1]} if method.adaptive else {}
        return solve_determined(
            problem, method, t0, x0, until,
            grid=grid, schedule=schedule, progress=progress, **options,
        )  # fmt: skip
    run = _IndependentRun(problem, chart, method, t0, rtol, atol, grid)
    write_start(run.blocks, run.inner, method, t0, run.chart.inside(x0), until, 0.0, 1.0)
    run.blocks.run.asked = rtol
    run.tolerate(x0)
    schedule = None if schedule is None else _Mapped(schedule, run, x0)
    if run.ahead is not None:
        run.ahead.load(run.blocks)
    run.ticks = pass_tick(run.blocks, schedule, run.inner, first=True)
    try:
        code = run.advance(schedule, progress)
        status = STATUSES.get(code, Status.NON_FINITE)
    except KeyboardInterrupt:
        code, status = c.BUDGET, Status.INTERRUPTED
    return run.track(code, status, until, running_clock() - begin)


class _IndependentRun:
    """One integration in independent coordinates.

    Attributes:
        problem: As given, in q and u.
        inner: The same in v and w.
        chart: The coordinates in use.
        blocks: The state of the driver.
        ticks, rebasings: Counts.
    """

    def __init__(
        self,
        problem: Problem,
        chart: Chart,
        method: Method,
        t0: float,
        rtol: float,
        atol: float | Array,
        grid: Array | None,
    ) -> None:
        self.problem, self.method, self.rtol, self.atol = problem, method, rtol, atol
        self.chart = chart
        self.inner = _inner(problem, chart)
        self._advance = driver(type(method), False, problem.watched)
        self.blocks = Blocks(self.inner, *method.shape(), grid, method.room(self.inner))
        self._records = Records(self.blocks, 64)
        self._rows: list[tuple[Array, ...]] = []
        self._events: list[EventHit] = []
        self._anchored = self._based = t0
        self._singular = self._lost = False
        timeline = problem.timeline
        self.ahead = None if timeline is None else Ahead(timeline)
        self.ticks = self.rebasings = 0
        self.pace: Pace | None = None

    # --- between coordinates --------------------------------------------------------------

    def _given(self, t: float, x: Array, w: Array, k: Array) -> list[Array]:
        """Return the arguments of a kernel of the machine."""
        return _given(self.problem, t, x, w, k)

    def here(self, what: str = "point") -> Array:
        """Return [q, u, s] where the driver is."""
        b = self.blocks
        time = b.run.time
        return self.chart.outside(time, b.x, b.w0 + b.w1 * time, b.k, what)

    def tolerate(self, x: Array) -> None:
        """Set the errors that count as one; they stand for relative tolerance as well.

        A method with fixed steps has none: it gets the sizes of what v and w are differences
        of, whose rounding they carry.
        """
        sizes = (
            self.chart.tolerances(self.rtol, self.atol, x)
            if self.method.adaptive
            else self.chart.units
        )
        self.blocks.view("atol")[: self.inner.nx] = sizes

    # --- the loop -------------------------------------------------------------------------

    def advance(self, schedule: Schedule | None, progress: Progress | None) -> int:
        """Call the driver until it has an end; return its last code."""
        run, reported = self.blocks.run, perf_counter()
        self.pace = Pace(self.method, self.blocks)
        while True:
            code = self._advance(self.blocks.address, 1)
            self._records.check()
            self.chart.guards.check()
            self._collect()
            self._follow(code)
            if self._singular:
                return SINGULAR
            if self._lost:
                return c.NON_FINITE
            if code in (c.BUDGET, c.TICK) and self.pace.stands(self.blocks):
                return c.STALLED
            if code == c.TICK:
                self.ticks += pass_tick(self.blocks, schedule, self.inner)
            elif code == c.WINDOW and self.ahead is not None:
                self.ahead.load(self.blocks)
            elif code not in (c.RECORD_FULL, c.BUDGET) and not self._retry(code):
                return code
            if progress is not None and perf_counter() - reported > PAUSE:
                reported = perf_counter()
                progress(run.time, run.steps)

    def _collect(self) -> None:
        """Take over what was recorded, mapped back, up to where there is no such place."""
        run, records = self.blocks.run, self._records
        rows, run.records = run.records, 0
        if rows and not self._lost:
            t, y, w, k = (each[:rows].copy() for each in records.current)
            x = np.array([self._sought(*row) for row in zip(t, y, w, k, strict=True)])
            found = np.isfinite(x).all(axis=1)
            self._lost = not found.all()
            rows = int(found.argmin()) if self._lost else rows
            self._rows.append((t[:rows], x[:rows], w[:rows], k[:rows]))
        times, numbers, states = records.hits
        count, run.hits = run.hits, 0
        b = self.blocks
        hits = [EventHit(b.numbers[int(numbers[n])], times[n], states[n]) for n in range(count)]
        if self.ahead is not None:
            hits += self.ahead.collect(b)
        for hit in hits:
            t = float(hit.t)
            x = self.chart.outside(t, hit.x, b.w0 + b.w1 * t, b.k)
            self._events.append(EventHit(hit.index, t, x))

    def _sought(self, t: float, y: Array, w: Array, k: Array) -> Array:
        """Return [q, u, s] of a record inside a step, from its beginning or else its end."""
        x = self.chart.outside(t, y, w, k)
        if np.isfinite(x).all():
            return x
        self.here("anchor")
        return self.chart.outside(t, y, w, k)

    def _follow(self, code: int) -> None:
        """Make the point reached the anchor, and the base if it is due."""
        run = self.blocks.run
        time, mode = run.time, self.chart.mode
        if run.phase == c.EMIT or code in (c.DONE, c.EVENT):
            return
        if time == self._anchored:
            if run.non_finite_row and self._based != time:
                self._rebase()
            return
        self._anchored = time
        x = self.here("anchor")
        self.tolerate(x)
        if self.chart.far(self.blocks.x) > mode.rebase or self.chart.due:
            self._rebase()

    def _retry(self, code: int) -> bool:
        """Choose the base anew where steps fail; False if that was done, or cannot be."""
        if code != c.NON_FINITE or self._based == self.blocks.run.time:
            return False
        return self._rebase()

    def _rebase(self) -> bool:
        """Choose the coordinates anew at the point reached; False if that cannot be."""
        b = self.blocks
        time = b.run.time
        x = self.here()
        if not np.isfinite(x).all():
            return False
        if not self.chart.move(self._given(time, x, b.w0 + b.w1 * time, b.k.copy())):
            self._singular = True
            return False
        b.x[:] = self.chart.inside(x)
        b.run.f0_valid = b.run.jacobian_fresh = 0
        b.run.jacobian_due = 1
        b.run.factored_h = b.run.guide_h = b.run.history_h = 0.0
        self.tolerate(x)
        self._based = self._anchored = time
        self.rebasings += 1
        return True

    # --- the end --------------------------------------------------------------------------

    def track(self, code: int, status: Status, until: float, seconds: float) -> Track:
        """Return all of it, ending with the point that was reached."""
        b = self.blocks
        self._collect()
        self._end()
        t, x, w, k = (np.concatenate(parts) for parts in zip(*self._rows, strict=True))
        time = b.run.time
        if self._lost:
            code, status, time = c.NON_FINITE, Status.NON_FINITE, float(t[-1])
        if self.ahead is not None:
            status = self.ahead.finish(b, self._events, status)
        counted = statistics_of(b, type(self.method).__name__, self.ticks, seconds, None)
        message = message_of(status, b, self.method, time, until)
        if self.pace is not None and code == c.STALLED:
            message = stalled(self.pace.stall, self.inner, b, type(self.method))
        if code == SINGULAR:
            message = (
                f"at t = {time:.9g} s constraints become dependent: a singular position, "
                "where independent coordinates cannot continue. Use constraints='project'."
            )
        elif status.stuck:
            message += (
                " Independent coordinates cannot pass singular positions, where constraints "
                "become dependent; constraints='project' can."
            )
        statistics = replace(counted, rebasings=self.rebasings)
        found = None
        if self.problem.audit:
            tolerance = (self.rtol, self.atol) if self.method.adaptive else None
            found = weigh_points(self.problem, (t, x, w, k), tolerance)
        return Track(t, x, w, k, self._events, statistics, status, message, time, found)

    def _end(self) -> None:
        """Add the point that was reached to what was recorded, if there is such a place."""
        b = self.blocks
        time, seen = b.run.time, [float(t[-1]) for t, *_ in self._rows if len(t)]
        if seen and (self._lost or (time - seen[-1]) * b.run.sign <= 0):
            return
        x = self.here()
        if seen and not np.isfinite(x).all():
            self._lost = True
            return
        w = b.w0 + b.w1 * time
        self._rows.append((np.array([time]), x[None], w[None].copy(), b.k[None].copy()))


def _given(problem: Problem, t: float, x: Array, w: Array, k: Array) -> list[Array]:
    """Return the arguments of a kernel of a machine."""
    q, u, s = np.split(x, [problem.nq, problem.nq + problem.nu])
    return [np.array([t]), q, u, s, w, np.asarray(problem.parameters), k]


class _Mapped:
    """A schedule that is shown states [q, u, s]."""

    def __init__(self, schedule: Schedule, run: _IndependentRun, first: Array) -> None:
        self._schedule, self._run = schedule, run
        self._first: Array | None = first

    def next(self, t: float) -> float:
        """Return the first tick after `t`."""
        return self._schedule.next(t)

    def update(self, t: float, x: Array, k: Array) -> tuple[Array, Array]:
        """Return the inputs that hold from `t` on."""
        state = self._run.here() if self._first is None else self._first
        self._first = None
        return self._schedule.update(t, state, k)


def _inner(problem: Problem, chart: Chart) -> Problem:
    """Return a problem in independent coordinates and speeds."""
    machine = chart.machine
    normal = chart.check if machine.mh else machine.normalize
    return replace(
        problem,
        rhs=chart.rates,
        nq=chart.nv,
        nu=chart.nw,
        normalize=normal and Entry(normal.address, normal.work, normal),  # sizes differ
        switches=chart.switches if problem.switches else None,
        events=chart.events if problem.events else None,
        jacobian=chart.slopes,
        states=(),  # those of v and w have no names
        nominal=None,  # coordinates of a chart are in sizes of its own
        vectors=NO_VECTORS,
        revise=chart.revise if problem.revise else None,
    )
