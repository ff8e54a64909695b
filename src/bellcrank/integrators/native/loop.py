"""The resumable loop: what `contract` describes, around any stepper."""

from math import nan
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.audit_table import BEGIN, END, INSIDE, POINT
from bellcrank.integrators.native import control
from bellcrank.integrators.native.evaluate import inputs, normalize, settle
from bellcrank.integrators.native.events import flip, scanner, take_sides
from bellcrank.integrators.native.motion import widen
from bellcrank.integrators.native.stepper import Stepper
from bellcrank.integrators.native.timed import marker, pass_break, reached
from bellcrank.integrators.native.turns import (
    arrive,
    follower,
    recall,
    rein,
    revise,
    shorten,
)
from bellcrank.integrators.native.vectors import copy, finite, nested
from bellcrank.linear.native.raw import address, doubles, native, request


def driver(stepper: Stepper, watched: bool) -> Any:
    """Return `advance(i, f, budget)` for a method, as a Python function to be compiled.

    Args:
        stepper: The method.
        watched: Whether there is something to look for: events, switches, times known ahead,
            measured angles. Branches on it are decided, and pruned, when Numba compiles.
    """
    prepare, interpolate = _interpolant(stepper, watched)
    attempt, inspect = _attempt(stepper, interpolate, watched), _inspector(prepare)
    scan: Any = scanner(interpolate) if watched else None
    mark: Any = marker(interpolate) if watched else None
    emit = _emitter(interpolate)
    start = _starter(stepper, watched)
    commit = _committer(stepper.last)

    def advance(i, f, budget):
        if i[c.PHASE] == c.START:
            start(i, f)
            _audit(i, f, BEGIN)
            i[c.PHASE] = c.POINT
        while True:
            if i[c.PHASE] == c.EMIT:
                verdict = emit(i, f)
                if verdict != c.DONE:
                    return verdict
                if watched and i[c.MARK_NEXT] < i[c.MARK_SIZE]:
                    mark(i, f)
                i[c.PHASE] = c.POINT
                passed = (f[c.TIME1] - f[c.TIME]) / f[c.STEP]
                commit(i, f)
                if watched:
                    arrive(i, f, passed)
                _audit(i, f, POINT)
                if watched and i[c.CUT] != 0 and not flip(i, f):
                    return c.CHATTERING
            if i[c.PHASE] != c.READY:
                if watched and reached(f, f[c.NEXT_BREAK]):
                    pass_break(i, f)
                    settle(i, f[c.TIME], i[c.X], True)
                done = f[c.TIME] == f[c.END] or i[c.STOPPED_BY] >= 0
                if watched and reached(f, f[c.WINDOW_END]) and not done:
                    return c.WINDOW
                if f[c.TIME] == f[c.NEXT_TICK] and not done:
                    return c.TICK
                if i[c.PHASE] == c.REVISE:
                    if watched:
                        settle(i, f[c.TIME], i[c.X], True)
                    i[c.PHASE] = c.POINT
                if not _record_point(i, f):
                    return c.RECORD_FULL
                i[c.PHASE] = c.READY
            if i[c.STOPPED_BY] >= 0:
                return c.EVENT if i[c.STOPPED_BY] < i[c.NE] else c.UNDEFINED
            if f[c.TIME] == f[c.END]:
                return c.DONE
            if i[c.HIT_ROOM] - i[c.HITS] < c.SAMPLES * i[c.NE]:
                return c.RECORD_FULL
            if budget <= 0:
                return c.BUDGET
            if i[c.STEPS] + i[c.REJECTED] >= i[c.MAX_STEPS]:
                return c.STEP_LIMIT
            budget -= 1
            verdict = attempt(i, f)
            if verdict > 1:
                return verdict
            if verdict == 0:
                if watched:
                    scan(i, f)
                    if i[c.STOPPED_BY] >= i[c.NE] and f[c.TIME1] == f[c.TIME]:
                        return c.UNDEFINED  # at this very point, which is recorded
                inspect(i, f)
                i[c.PHASE] = c.EMIT

    return advance


@native
def _audit(i, f, what):
    """Ask the audit that goes along with the run, if there is one."""
    if i[c.AUDITOR] == 0:
        return 0
    return request(i[c.AUDITOR], address(i, 0), address(f, 0), i[c.AUDIT], what, 0)


def _inspector(prepare: Any) -> Any:
    """Return `inspect(i, f)`, which shows the audit a step that was accepted."""

    @native
    def inspect(i, f):
        if _audit(i, f, END) != 0:
            prepare(i, f)
            _audit(i, f, INSIDE)

    return inspect


def _interpolant(stepper: Stepper, watched: bool) -> Any:
    """Return `prepare(i, f)` of the dense output and `interpolate(i, f, theta, out)`.

    Where measured angles leave their lines in the step, memory is set to what it is at θ, too.
    """
    dense, blend = stepper.dense, nested(stepper.blend)

    @native
    def prepare(i, f):
        if i[c.DENSE_VALID] == 0:
            dense(i, f)
            i[c.DENSE_VALID] = 1

    @native
    def interpolate(i, f, theta, out):
        prepare(i, f)
        blend(doubles(out), doubles(i[c.C]), i[c.STRIDE], theta)
        if watched and i[c.TRAIL_PARTS] > 0:
            recall(i, theta)

    return prepare, interpolate


def _starter(stepper: Stepper, watched: bool) -> Any:
    choose, adaptive = control.first_step(stepper.order), stepper.error_order > 0

    @native
    def start(i, f):
        """Set modes, sides of events and the first step at the beginning."""
        normalize(i, f[c.TIME], i[c.X])
        if watched:
            revise(i, f[c.TIME], i[c.X])
            settle(i, f[c.TIME], i[c.X], False)
            take_sides(i, f)
        if adaptive and i[c.GROWING] != 0 and f[c.TIME] != f[c.END]:
            request(i[c.EXPECT], address(i, 0), address(f, 0), 0, 0, 0)
        if adaptive and f[c.H] == 0.0 and f[c.TIME] != f[c.END]:
            choose(i, f)

    return start


def _attempt(stepper: Stepper, interpolate: Any, watched: bool) -> Any:
    """Return `attempt(i, f)`: make a step; 0 accepted, 1 rejected, else why it failed."""
    step, adaptive = stepper.attempt, stepper.error_order > 0
    follow: Any = follower(interpolate, adaptive) if watched else None
    if adaptive:
        judge = stepper.judge or control.controller(
            stepper.error_order, stepper.beta, stepper.safety
        )

        @native
        def attempt(i, f):
            control.aim(i, f)
            i[c.F1_VALID] = i[c.DENSE_VALID] = i[c.CUT] = 0
            error = step(i, f)
            if error <= 1.0 and not normalize(i, f[c.TIME1], i[c.X1]):
                error = nan
            strayed = 0.0
            if watched and i[c.REVISER] != 0 and error <= 1.0:
                strayed = follow(i, f)
                if shorten(i, f, strayed):
                    return 1
            verdict = judge(i, f, error)
            if verdict == 0:
                if watched:
                    rein(f, strayed)
                _accept(i, f)
            return verdict

        return attempt

    @native
    def attempt_fixed(i, f):
        control.aim_fixed(i, f)
        i[c.F1_VALID] = i[c.DENSE_VALID] = i[c.CUT] = 0
        if step(i, f) != 0.0 or not normalize(i, f[c.TIME1], i[c.X1]):
            return c.NON_FINITE
        if watched and i[c.REVISER] != 0:
            follow(i, f)
        i[c.FIXED_COUNT] += 1
        _accept(i, f)
        return 0

    return attempt_fixed


@native
def _accept(i, f):
    """Count a step."""
    h = abs(f[c.STEP])
    if i[c.STEPS] == 0:
        f[c.FIRST_H] = h
    f[c.LEAST_H], f[c.MOST_H] = min(f[c.LEAST_H], h), max(f[c.MOST_H], h)
    i[c.STEPS] += 1


def _committer(last: int) -> Any:
    @native
    def commit(i, f):
        """Make (TIME1, X1) the point."""
        stride = i[c.STRIDE]
        f[c.TIME] = f[c.TIME1]
        copy(doubles(i[c.X]), doubles(i[c.X1]), stride)
        i[c.F0_VALID] = 0
        if i[c.CUT] != 0:
            normalize(i, f[c.TIME], i[c.X])
        elif i[c.F1_VALID] != 0:
            copy(doubles(i[c.K]), doubles(i[c.K] + 8 * stride * last), stride)
            i[c.F0_VALID] = 1
        if i[c.GROWING] != 0:
            widen(i, f)
        if i[c.CUT] + i[c.LANDING] != 0:
            f[c.BASE], i[c.FIXED_COUNT] = f[c.TIME], 0

    return commit


# --- records ------------------------------------------------------------------------------


@native
def _record(i, time, place):
    """Write one row: time, state, inputs and memory."""
    row = i[c.RECORDS]
    doubles(i[c.RECORD_T])[row] = time
    x, out = doubles(place), doubles(i[c.RECORD_X] + 8 * row * i[c.NX])
    for n in range(i[c.NX]):
        out[n] = x[n]
    inputs(i, time)
    w, out = doubles(i[c.W]), doubles(i[c.RECORD_W] + 8 * row * i[c.NW])
    for n in range(i[c.NW]):
        out[n] = w[n]
    k, out = doubles(i[c.MEMORY]), doubles(i[c.RECORD_K] + 8 * row * i[c.MEMORY_SIZE])
    for n in range(i[c.MEMORY_SIZE]):
        out[n] = k[n]
    i[c.RECORDS] += 1


@native
def _record_point(i, f):
    """Record the point we are at, if it is wanted; False if there is no room."""
    grid, wanted = doubles(i[c.GRID]), i[c.EVERY] != 0
    if i[c.GRID_NEXT] < i[c.GRID_SIZE] and grid[i[c.GRID_NEXT]] == f[c.TIME]:
        wanted = True
    if not wanted:
        return True
    if i[c.RECORDS] >= i[c.RECORD_ROOM]:
        return False
    _record(i, f[c.TIME], i[c.X])
    i[c.GRID_NEXT] += 1
    return True


def _emitter(interpolate: Any) -> Any:
    @native
    def emit(i, f):
        """Record what the grid asks for before the end of the step; DONE if that was done."""
        grid = doubles(i[c.GRID])
        while i[c.GRID_NEXT] < i[c.GRID_SIZE]:
            time = grid[i[c.GRID_NEXT]]
            if (time - f[c.TIME1]) * f[c.SIGN] >= 0.0:
                return c.DONE
            if i[c.RECORDS] >= i[c.RECORD_ROOM]:
                return c.RECORD_FULL
            interpolate(i, f, (time - f[c.TIME]) / f[c.STEP], i[c.PLACE])
            # Dense output looks where the step itself has not: there may be nothing.
            if finite(doubles(i[c.PLACE]), i[c.STRIDE]) != 0.0:
                return c.NON_FINITE
            normalize(i, time, i[c.PLACE])
            _record(i, time, i[c.PLACE])
            i[c.GRID_NEXT] += 1
        return c.DONE

    return emit
