"""The loop around steps of generalized-α with sparse matrices: records, inputs, progress."""

from collections.abc import Callable
from dataclasses import dataclass, field
from math import inf
from time import perf_counter

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators.batched.alpha import Alpha
from bellcrank.integrators.batched.iteration import MotionPoint
from bellcrank.integrators.methods import GeneralizedAlpha
from bellcrank.integrators.problem import Array, Problem, Schedule, Statistics, Status, Track
from bellcrank.integrators.timed import Timeline, Window
from bellcrank.kernels.batched.assembled import Assembled
from bellcrank.kernels.cache import running_clock
from bellcrank.linear.sparse_lu import Singular
from bellcrank.machine.batched.matrix import Linear, accelerations, without_solution

PAUSE = 0.05  # seconds between reports of progress
PARTS = 64  # parts of a step, at most, where Newton's method fails
GOOD = 10  # steps made in parts before longer parts are tried again
Progress = Callable[[float, int], None]


@dataclass
class _Records:
    """Times wanted, and what was recorded of them."""

    machine: Assembled
    grid: Array | None
    sign: float
    t: list[float] = field(default_factory=list)
    x: list[Array] = field(default_factory=list)
    w: list[Array] = field(default_factory=list)
    k: list[Array] = field(default_factory=list)

    def keep(self, t: float, q: Array, u: Array, w: Array, k: Array) -> None:
        """Record a point."""
        self.t.append(t)
        self.x.append(np.concatenate([q, u]))
        self.w.append(w.copy())
        self.k.append(k.copy())

    def between(
        self, one: MotionPoint, two: MotionPoint, inputs: Callable[[float], Array]
    ) -> None:
        """Record what is wanted of a step.

        Inside it the speeds are a cubic through both ends with their rates, and so is the
        step ξ along the tangent of its beginning.
        """
        if self.grid is None:
            self.keep(two.t, two.q, two.u, inputs(two.t), two.k)
            return
        h, slack = two.t - one.t, 1e-9 * abs(two.t - one.t)
        while len(self.t) < len(self.grid):
            t = float(self.grid[len(self.t)])
            if self.sign * (t - two.t) > slack:
                return
            if abs(t - two.t) <= slack:
                self.keep(t, two.q, two.u, inputs(t), two.k)
                continue
            s = (t - one.t) / h
            u = _cubic(s, one.u, two.u, h * one.ud, h * two.ud)
            # ξ without its end: the mean of the speeds' cubic from the beginning to s.
            rise = h * _cubic_integral(s, one.u, two.u, h * one.ud, h * two.ud)
            state = self.machine.state(one.t, one.q, one.u)
            self.keep(t, self.machine.moved(state, rise), u, inputs(t), one.k)


def _cubic(s: float, a: Array, b: Array, da: Array, db: Array) -> Array:
    """Return the cubic with values a, b and slopes da, db at 0 and 1."""
    return a + s * (da + s * (3 * (b - a) - 2 * da - db + s * (2 * (a - b) + da + db)))


def _cubic_integral(s: float, a: Array, b: Array, da: Array, db: Array) -> Array:
    """Return the integral of that cubic from 0 to s."""
    return s * (
        a
        + s * (da / 2 + s * ((3 * (b - a) - 2 * da - db) / 3 + s * (2 * (a - b) + da + db) / 4))
    )


class _Inputs:
    """Inputs over time: w₀ + w₁ t until the next tick."""

    def __init__(self, schedule: Schedule | None, count: int) -> None:
        self._schedule, self.ticks, self.tick = schedule, -1, inf
        self._line = np.zeros(count), np.zeros(count)

    def update(self, t: float, q: Array, u: Array, k: Array) -> None:
        """Look up what holds from now on."""
        if self._schedule is not None and (t >= self.tick or self.ticks < 0):
            self._line = self._schedule.update(t, np.concatenate([q, u]), k)
            self.tick = float(self._schedule.next(t))
        self.ticks += t >= self.tick or self.ticks < 0

    def __call__(self, t: float) -> Array:
        return np.asarray(self._line[0] + self._line[1] * t, dtype=float)


class _Breaks:
    """Modes of switches of time alone, and the breaks at which they change.

    Attributes:
        next: The first break that is not passed [s]; infinite if there is none.
    """

    def __init__(self, timeline: Timeline | None, modes: int, sign: float) -> None:
        self._timeline, self._sign, self.next = timeline, sign, sign * inf
        count = timeline.count if timeline else 0
        self._where, self._passed = slice(modes - count, modes), 0
        self._window: Window | None = None

    def hold(self, t: float, k: Array) -> None:
        """Set the modes that hold from now on, in place."""
        if self._timeline is None:
            return
        window = self._window
        if window is None or self._sign * (t - window.end) >= 0.0:
            self._window = window = self._timeline.window(t)
            self._passed = 0
        late = self._sign * (window.breaks - t) <= 4e-15 * (abs(t) + 1.0)
        self._passed = max(self._passed, int(late.sum()))
        k[self._where] = window.modes[self._passed]
        left = window.breaks[self._passed :]
        self.next = float(left[0]) if len(left) else self._sign * inf

    def reached(self, t: float, step: float) -> bool:
        """Return whether a break is reached, which is then to be passed by `hold`."""
        return abs(t - self.next) <= 1e-9 * step


def solve_sparse(
    problem: Problem,
    method: GeneralizedAlpha,
    t0: float,
    x0: Array,
    until: float,
    *,
    grid: Array | None = None,
    schedule: Schedule | None = None,
    progress: Progress | None = None,
) -> Track:
    """Return the motion of a batched machine, or as much of it as there is.

    Args:
        problem: The machine, with sparse matrices.
        method: How it is integrated.
        t0: When to begin [s].
        x0: The state then, [q, u].
        until: When to end [s].
        grid: Times to record [s]; None for every step.
        schedule: The inputs.
        progress: Called now and then with the time reached [s] and the steps made.
    """
    begin, sign = running_clock(), float(np.sign(until - t0))
    if until < t0 and schedule is not None:
        raise OptionError(
            "inputs that change at ticks cannot be integrated backwards in time. "
            "Choose until after the beginning."
        )
    assert problem.saddle is not None
    assert problem.saddle.batched is not None
    linear = problem.saddle.batched.linear
    run = _Run(linear, method, t0, until, _Records(linear.machine, grid, sign),
               _Inputs(schedule, problem.nw),
               _Breaks(problem.timeline, problem.modes or 0, sign))  # fmt: skip
    try:
        status, message = run.go(x0, problem.memory.copy(), progress)
    except KeyboardInterrupt:
        status, message = "interrupted", f"interrupted at t = {run.t:.9g} s."
    return run.track(status, message, running_clock() - begin)


class _Run:
    """One integration, from its start to its end or failure."""

    def __init__(
        self,
        linear: Linear,
        method: GeneralizedAlpha,
        t0: float,
        until: float,
        records: _Records,
        inputs: _Inputs,
        breaks: _Breaks,
    ) -> None:
        self._linear, self.machine, self._before = linear, linear.machine, linear.count
        self.method, self.t, self.until = method, t0, until
        self.records, self.inputs, self.steps, self._t0 = records, inputs, 0, t0
        self._breaks = breaks
        self._alpha: Alpha | None = None
        self._lengths = [inf, 0.0]
        self._goal = t0 + records.sign * method.step
        self._parts, self._good, self.rejected = 1, 0, 0

    def go(self, x: Array, k: Array, progress: Progress | None) -> tuple[str, str]:
        """Integrate from a state and a memory; return the status and what it means."""
        machine, (q, u) = self.machine, np.split(x, [self.machine.nq])
        self._breaks.hold(self.t, k)
        self.inputs.update(self.t, q, u, k)
        w = self.inputs(self.t)
        self.records.keep(self.t, q, u, w, k)
        state = machine.state(self.t, q, u, w=w, k=k)
        try:
            a, lam = accelerations(self._linear, state)
        except Singular as problem:
            return "singular", without_solution(self.machine, problem, self.t)
        self._alpha = Alpha(self._linear, self.method)
        return self._steps(MotionPoint.begin(machine, self.t, q, u, a, lam, k), progress)

    def _steps(self, point: MotionPoint, progress: Progress | None) -> tuple[str, str]:
        alpha, seen, limit = self._alpha, perf_counter(), self.method.max_steps
        assert alpha is not None
        while (h := self._length()) != 0.0:
            if limit is not None and self.steps + self.rejected >= limit:
                return "step limit", (
                    f"{limit} steps were tried and t = {self.t:.9g} s was reached. "
                    "Raise max_steps."
                )
            try:
                found = alpha.step(point, h, self.inputs(self.t + h))
                if found is None:
                    point = alpha.again(point, self.inputs(self.t))
            except Singular as problem:
                return "singular", without_solution(self.machine, problem, self.t)
            self.machine.arena.guards.check()
            if found is None:
                self.rejected, self._parts, self._good = self.rejected + 1, 2 * self._parts, 0
                if self._parts > PARTS:
                    return "no convergence", (
                        f"Newton's method does not find a step of {abs(h):.3g} s from "
                        f"t = {self.t:.9g} s, a {PARTS}th of that asked for. Try shorter steps."
                    )
                continue
            try:
                found = self._passed(alpha, point, found)
            except Singular as problem:
                return "singular", without_solution(self.machine, problem, self.t)
            point = found
            self._accept(point, h)
            if progress is not None and perf_counter() - seen > PAUSE:
                seen = perf_counter()
                progress(self.t, self.steps)
        return "done", f"reached t = {self.t:.9g} s."

    def _passed(self, alpha: Alpha, point: MotionPoint, found: MotionPoint) -> MotionPoint:
        """Record a step; return its end, as a run would begin there where a law switches."""
        step = self.method.step
        if not self._breaks.reached(found.t, step):
            self._breaks.hold(point.t, found.k)
            self.records.between(point, found, self.inputs)
            return found
        found.t = self._breaks.next
        self._breaks.hold(found.t, found.k)
        self.records.between(point, found, self.inputs)
        return alpha.again(found, self.inputs(found.t))

    def _accept(self, point: MotionPoint, h: float) -> None:
        """Count a step."""
        self.t, self.steps, self._good = point.t, self.steps + 1, self._good + 1
        self._lengths = [min(self._lengths[0], abs(h)), max(self._lengths[1], abs(h))]
        self.inputs.update(self.t, point.q, point.u, point.k)
        if abs(self._goal - self.t) <= 1e-9 * self.method.step:
            self._goal += self.records.sign * self.method.step
            if self._good >= GOOD:
                self._good, self._parts = 0, max(1, self._parts // 2)

    def _length(self) -> float:
        """Return the signed length of the next step, 0 at the end.

        Steps end on multiples of their length from the beginning, on ticks, and on the end;
        where Newton's method fails, a step is made in parts.
        """
        sign, step = self.records.sign, self.method.step
        ends = [self._goal, self.until, self._breaks.next]
        ends += [self.inputs.tick] if sign > 0 else []
        left = min(sign * (end - self.t) for end in ends)
        if sign * (self.until - self.t) <= 1e-9 * step:
            return 0.0
        part = step / self._parts
        return sign * (part if left > part * (1.0 - 1e-9) else left)

    def track(self, status: str, message: str, seconds: float) -> Track:
        """Return what was computed."""
        records, alpha = self.records, self._alpha
        statistics = Statistics(
            method=type(self.method).__name__,
            steps=self.steps,
            rejected=self.rejected,
            evaluations=alpha.iterations if alpha else 0,
            switches=0,
            first_step=self.method.step if self.steps else 0.0,
            smallest_step=self._lengths[0] if self.steps else 0.0,
            largest_step=self._lengths[1],
            ticks=max(self.inputs.ticks, 0),
            seconds=seconds,
            jacobians=self._linear.count - self._before,
            factorizations=self._linear.count - self._before,
        )
        t, x, w, k = (np.array(part) for part in (records.t, records.x, records.w, records.k))
        n = len(records.t)
        shapes = (n, -1)
        return Track(
            t, x, w.reshape(shapes) if w.size else np.zeros((n, 0)),
            k.reshape(shapes) if k.size else np.zeros((n, 0)),
            [], statistics, Status(status), message, self.t,
        )  # fmt: skip
