"""The resumable loop: what `contract` describes, around any stepper."""

from math import inf, nan
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.audit_table import BEGIN, END, INSIDE, POINT
from bellcrank.integrators.native import control
from bellcrank.integrators.native.events import flip, scanner, take_sides
from bellcrank.integrators.native.motion import widen
from bellcrank.integrators.native.relative import relate
from bellcrank.integrators.native.stepper import Stepper
from bellcrank.integrators.native.timed import marker, pass_break, reached
from bellcrank.integrators.native.unwrapping import (
    arrive,
    follower,
    recall,
    rein,
    revise,
    shorten,
)
from bellcrank.integrators.native.vectors import copy, finite, nested
from bellcrank.integrators.problem import Sought
from bellcrank.kernels.native.run import inputs, normalize, run_at, settle
from bellcrank.linear.native.raw import address_of, doubles, native, request


def driver(stepper: Stepper, watched: Sought) -> Any:
    """Return `advance(run, budget)` for a method, as a Python function to be compiled.

    Args:
        stepper: The method.
        watched: What it looks for. Branches on it are decided, and pruned, when Numba
            compiles.
    """
    angles, events = watched is not Sought.NOTHING, watched is Sought.EVENTS
    prepare, interpolate = _interpolant(stepper, angles)
    attempt, inspect = _attempt(stepper, interpolate, angles), _inspector(prepare)
    scan: Any = scanner(interpolate) if events else None
    mark: Any = marker(interpolate) if events else None
    emit = _emitter(interpolate)
    start = _starter(stepper, angles, events)
    commit = _committer(stepper.last)

    def advance(block, budget):
        run = run_at(block)
        if budget < 0:
            _bring(run)
            return c.BUDGET
        if run.phase == c.START:
            start(run)
            _audit(run, BEGIN)
            run.phase = c.POINT
        while True:
            if run.phase == c.EMIT:
                verdict = emit(run)
                if verdict != c.DONE:
                    return verdict
                if events and run.mark_next < run.mark_size:
                    mark(run)
                run.phase = c.POINT
                passed = (run.time1 - run.time) / run.step
                commit(run)
                if angles:
                    arrive(run, passed)
                _audit(run, POINT)
                if events and run.cut != 0 and not flip(run):
                    return c.CHATTERING
            if run.phase != c.READY:
                if events and reached(run, run.next_break):
                    pass_break(run)
                    settle(run, run.time, run.x, True)
                done = run.time == run.end or run.stopped_by >= 0
                if events and reached(run, run.window_end) and not done:
                    return c.WINDOW
                if run.time == run.next_tick and not done:
                    return c.TICK
                if run.phase == c.REVISE:
                    if events:
                        settle(run, run.time, run.x, True)
                    run.phase = c.POINT
                if not _record_point(run):
                    return c.RECORD_FULL
                run.phase = c.READY
            if run.stopped_by >= 0:
                return c.EVENT if run.stopped_by < run.ne else c.UNDEFINED
            if run.time == run.end:
                return c.DONE
            if run.hit_room - run.hits < c.SAMPLES * run.ne:
                return c.RECORD_FULL
            if budget <= 0:
                return c.BUDGET
            if run.steps + run.rejected >= run.max_steps:
                return c.STEP_LIMIT
            budget -= 1
            verdict = attempt(run)
            if verdict > 1:
                return verdict
            if verdict == 0:
                if events:
                    scan(run)
                    if run.stopped_by >= run.ne and run.time1 == run.time:
                        return c.UNDEFINED  # at this very point, which is recorded
                inspect(run)
                run.phase = c.EMIT

    return advance


@native
def _audit(run, what):
    """Ask the audit that goes along with the run, if there is one."""
    if run.auditor == 0:
        return 0
    return request(run.auditor, address_of(run), run.audit, what, 0, 0)


def _inspector(prepare: Any) -> Any:
    """Return `inspect(run)`, which shows the audit a step that was accepted."""

    @native
    def inspect(run):
        if _audit(run, END) != 0:
            prepare(run)
            _audit(run, INSIDE)

    return inspect


def _interpolant(stepper: Stepper, angles: bool) -> Any:
    """Return `prepare(run)` of the dense output and `interpolate(run, theta, out)`.

    Where measured angles leave their lines in the step, memory is set to what it is at θ, too.
    """
    dense, blend = stepper.dense, nested(stepper.blend)

    @native
    def prepare(run):
        if run.dense_valid == 0:
            dense(run)
            run.dense_valid = 1

    @native
    def interpolate(run, theta, out):
        prepare(run)
        blend(doubles(out), doubles(run.dense), run.stride, theta)
        if angles and run.trail_parts > 0:
            recall(run, theta)

    return prepare, interpolate


def _starter(stepper: Stepper, angles: bool, events: bool) -> Any:
    choose, adaptive = control.first_step(stepper.order), stepper.error_order > 0

    @native
    def start(run):
        """Set modes, sides of events and the first step at the beginning."""
        normalize(run, run.time, run.x)
        if angles:
            revise(run, run.time, run.x)
        if events:
            settle(run, run.time, run.x, False)
            take_sides(run)
        if run.vector_count != 0:
            relate(run)
        if adaptive and run.growing != 0 and run.time != run.end:
            request(run.expect, address_of(run), 0, 0, 0, 0)
        if adaptive and run.h == 0.0 and run.time != run.end:
            choose(run)

    return start


def _attempt(stepper: Stepper, interpolate: Any, angles: bool) -> Any:
    """Return `attempt(run)`: make a step; 0 accepted, 1 rejected, else why it failed."""
    step, adaptive = stepper.attempt, stepper.error_order > 0
    follow: Any = follower(interpolate, adaptive) if angles else None
    if adaptive:
        judge = stepper.judge or control.controller(
            stepper.error_order, stepper.beta, stepper.safety
        )

        @native
        def attempt(run):
            control.aim(run)
            run.f1_valid = run.dense_valid = run.cut = 0
            run.stage_doubt = inf  # what another method found in a step that was rejected
            error = step(run)
            if error <= 1.0 and not normalize(run, run.time1, run.x1):
                error = nan
            strayed = 0.0
            if angles and run.reviser != 0 and error <= 1.0:
                strayed = follow(run)
                if shorten(run, strayed):
                    return 1
            verdict = judge(run, error)
            if verdict == 0:
                if angles:
                    rein(run, strayed)
                _accept(run)
            return verdict

        return attempt

    parts = stepper.parts
    if parts > 1:

        @native
        def attempt_parts(run):
            control.aim_part(run)
            run.f1_valid = run.dense_valid = run.cut = 0
            seen, good = _seen(run), step(run) == 0.0
            if good and seen:
                good = normalize(run, run.time1, run.x1)
            if not good:
                _bring(run)
                return 1 if control.shorten_part(run, parts) else c.NON_FINITE
            run.rough = 0 if seen else 1
            if angles and run.reviser != 0:
                follow(run)
            control.count_part(run)
            _accept(run)
            return 0

        return attempt_parts

    @native
    def attempt_fixed(run):
        control.aim_fixed(run)
        run.f1_valid = run.dense_valid = run.cut = 0
        if step(run) != 0.0 or not normalize(run, run.time1, run.x1):
            return c.NON_FINITE
        if angles and run.reviser != 0:
            follow(run)
        run.fixed_count += 1
        _accept(run)
        return 0

    return attempt_fixed


@native
def _seen(run):
    """Say whether somebody looks at the end of the step in hand, or inside it."""
    grid = doubles(run.grid)
    wanted = run.every + run.landing + run.nk + run.ne + run.turning != 0
    if run.grid_next < run.grid_size:
        wanted = wanted or (grid[run.grid_next] - run.time1) * run.sign <= 0.0
    return wanted or run.auditor != 0 or run.mark_next < run.mark_size


@native
def _bring(run):
    """Bring X onto the constraints where a method has gone on without that."""
    if run.rough != 0:
        normalize(run, run.time, run.x)
        run.rough = 0


@native
def _accept(run):
    """Count a step."""
    h = abs(run.step)
    if run.steps == 0:
        run.first_h = h
    run.least_h, run.most_h = min(run.least_h, h), max(run.most_h, h)
    run.steps += 1


def _committer(last: int) -> Any:
    @native
    def commit(run):
        """Make (TIME1, X1) the point."""
        stride = run.stride
        run.time = run.time1
        copy(doubles(run.x), doubles(run.x1), stride)
        run.f0_valid = 0
        if run.cut != 0:
            normalize(run, run.time, run.x)
        elif run.f1_valid != 0:
            copy(doubles(run.slopes), doubles(run.slopes + 8 * stride * last), stride)
            run.f0_valid = 1
        if run.vector_count != 0:
            relate(run)
        if run.growing != 0:
            widen(run)
        if run.cut + run.landing != 0:
            run.base, run.fixed_count = run.time, 0

    return commit


# --- records ------------------------------------------------------------------------------


@native
def _record(run, time, place):
    """Write one row: time, state, inputs and memory."""
    row = run.records
    doubles(run.record_t)[row] = time
    x, out = doubles(place), doubles(run.record_x + 8 * row * run.nx)
    for n in range(run.nx):
        out[n] = x[n]
    inputs(run, time)
    w, out = doubles(run.w), doubles(run.record_w + 8 * row * run.nw)
    for n in range(run.nw):
        out[n] = w[n]
    k, out = doubles(run.memory), doubles(run.record_k + 8 * row * run.memory_size)
    for n in range(run.memory_size):
        out[n] = k[n]
    run.records += 1


@native
def _record_point(run):
    """Record the point we are at, if it is wanted; False if there is no room."""
    grid, wanted = doubles(run.grid), run.every != 0
    if run.grid_next < run.grid_size and grid[run.grid_next] == run.time:
        wanted = True
    if not wanted:
        return True
    if run.records >= run.record_room:
        return False
    _record(run, run.time, run.x)
    run.grid_next += 1
    return True


def _emitter(interpolate: Any) -> Any:
    @native
    def emit(run):
        """Record what the grid asks for before the end of the step; DONE if that was done."""
        grid = doubles(run.grid)
        while run.grid_next < run.grid_size:
            time = grid[run.grid_next]
            if (time - run.time1) * run.sign >= 0.0:
                return c.DONE
            if run.records >= run.record_room:
                return c.RECORD_FULL
            interpolate(run, (time - run.time) / run.step, run.place)
            # Dense output looks where the step itself has not: there may be nothing.
            if finite(doubles(run.place), run.stride) != 0.0:
                return c.NON_FINITE
            normalize(run, time, run.place)
            _record(run, time, run.place)
            run.grid_next += 1
        return c.DONE

    return emit
