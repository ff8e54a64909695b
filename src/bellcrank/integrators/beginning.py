"""The beginning of an integration: what is asked for, checked and written for the driver."""

from collections.abc import Callable
from math import inf, isfinite

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import contract as c
from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.problem import Array, Problem, Schedule
from bellcrank.integrators.scales import Scales
from bellcrank.kernels.routines import routine

RTOL, ATOL = 1e-9, 1e-11  # when not given
LEAST_RTOL = 100 * np.finfo(float).eps


def checked_tolerances(
    problem: Problem, method: Method, rtol: float | None, atol: float | Array | Scales | None
) -> tuple[Method, float, float | Array | Scales]:
    """Return the method to use and its tolerances, after checking that they fit."""
    if not method.adaptive:
        refuse_tolerances(method, rtol=rtol, atol=atol)
        method.check(problem)
        return method, 0.0, 0.0
    method.check(problem)
    rtol = RTOL if rtol is None else float(rtol)
    if not LEAST_RTOL <= rtol < 1.0:
        raise OptionError(f"rtol must lie between {LEAST_RTOL:.3g} and 1, got {rtol!r}.")
    atol = ATOL if atol is None else atol
    sizes = np.asarray(atol.most if isinstance(atol, Scales) else atol, dtype=float)
    if sizes.shape not in ((), (problem.nx,)):
        raise OptionError(
            f"atol must be one number or {problem.nx} of them, got shape {sizes.shape}."
        )
    if not ((sizes > 0).all() and np.isfinite(sizes).all()):
        raise OptionError(f"atol must be positive, got {atol!r}.")
    return method.choose(rtol), rtol, atol


def refuse_tolerances(method: Method, **asked: object) -> None:
    """Complain about tolerances that a method with fixed steps does not take.

    Raises:
        OptionError: Naming the first.
    """
    for option, value in asked.items():
        if value is not None:
            raise OptionError(
                f"{type(method).__name__} has steps of fixed length and takes no {option}, got "
                f"{value!r}. Change its step, or use DOP853()."
            )


def checked_arrays(
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
    back = np.flatnonzero(sign * np.diff(grid) <= 0)
    if back.size:
        one, other = grid[back[0] : back[0] + 2].tolist()
        raise OptionError(
            f"grid times must be strictly monotonic from {t0!r} to {until!r}, got {one!r} "
            f"followed by {other!r}."
        )
    if grid.size and (sign * (grid[0] - t0) < 0 or sign * (grid[-1] - until) > 0):
        raise OptionError(
            f"the grid must lie between {t0!r} and {until!r}, got {float(grid[0])!r} to "
            f"{float(grid[-1])!r}."
        )
    return x0, grid


def write_start(
    blocks: Blocks,
    problem: Problem,
    method: Method,
    t0: float,
    x0: Array,
    until: float,
    rtol: float,
    atol: float | Array | Scales,
) -> None:
    """Write the start and the knobs into the blocks."""
    run = blocks.run
    run.time = run.begin = run.base = t0
    run.end, run.sign, run.rtol = until, -1.0 if until < t0 else 1.0, rtol
    run.asked = rtol
    run.next_tick = run.next_break = run.window_end = run.sign * inf
    blocks.x[:] = x0
    blocks.view("nominal")[: problem.nx] = 1.0 if problem.nominal is None else problem.nominal
    if isinstance(atol, Scales):
        _write_scales(blocks, atol, problem.nx)
    else:
        blocks.view("atol")[: problem.nx] = atol
    run.max_steps = method.max_steps or np.iinfo(np.int64).max
    method.begin(run)


def _write_scales(blocks: Blocks, scales: Scales, nx: int) -> None:
    """Write tolerances that grow with the motion; the driver finds with what they begin."""
    blocks.view("atol")[:nx] = blocks.view("most_atol")[:nx] = scales.most
    blocks.view("group")[:nx] = scales.group
    blocks.view("rounding")[:] = scales.rounding
    blocks.run.motion_tol, blocks.run.lever = scales.atol, scales.lever
    blocks.run.growing = 1
    blocks.run.expect = routine("motion", _find, answers=True)


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.motion import expect

    return expect


def pass_tick(
    blocks: Blocks, schedule: Schedule | None, problem: Problem, first: bool = False
) -> int:
    """Set the inputs that hold from now on, and the tick where they end; count it."""
    if schedule is None:
        if problem.nw:
            raise OptionError(f"the problem has {problem.nw} inputs, so it needs a schedule.")
        return 0
    run = blocks.run
    time = run.time
    w0, w1 = schedule.update(time, blocks.x.copy(), blocks.k.copy())
    blocks.w0[:], blocks.w1[:] = w0, w1
    blocks.w[:] = blocks.w0 + blocks.w1 * time
    run.ramp = int(blocks.w1.any())
    tick = float(schedule.next(time))
    if abs(tick) == inf:
        tick = run.sign * inf
    if not (tick - time) * run.sign > 0:
        word = "later" if run.sign > 0 else "earlier"
        raise OptionError(f"the tick after t = {time!r} s must be {word}, got {tick!r}.")
    run.next_tick = tick
    if not first:
        run.f0_valid, run.phase = 0, c.REVISE
    return int(not first)
