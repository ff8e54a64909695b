"""The end of an integration: how it came about, in a word, in numbers and in a sentence."""

import numpy as np

from bellcrank.integrators import contract as c
from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.pace import Stall, blurred, held_back
from bellcrank.integrators.problem import Problem, Statistics, Status
from bellcrank.integrators.stiffness import Watch
from bellcrank.units import LARGEST

LARGE = 1e100  # a state that ends a run by growing is at least so large
WEAK = 0.05  # a failure is blamed on constraints that are so much nearer to dependent than ever
BOUND = "Another bound is set by max_steps of the integrator."
STATUSES = {
    c.DONE: Status.DONE,
    c.EVENT: Status.TERMINATED,
    c.NON_FINITE: Status.NON_FINITE,
    c.SMALLEST_STEP: Status.SMALLEST_STEP,
    c.STEP_LIMIT: Status.STEP_LIMIT,
    c.CHATTERING: Status.CHATTERING,
    c.UNDEFINED: Status.UNDEFINED,
    c.STALLED: Status.NO_PROGRESS,
}


def status_of(code: int, blocks: Blocks, problem: Problem) -> Status:
    """Return the status that a code means."""
    failed = code in (c.NON_FINITE, c.SMALLEST_STEP)
    if failed and problem.saddle is not None and blocks.run.saddle:
        place = int(problem.saddle.table["weakest"])
        ratio, best = blocks.view("matrices")[place : place + 2]
        if blocks.run.dependent or ratio < WEAK * best:
            return Status.DEPENDENT
    return STATUSES[code]


def statistics_of(
    blocks: Blocks, name: str, ticks: int, seconds: float, watch: Watch | None = None
) -> Statistics:
    """Return what the driver counted, and what was counted and timed around it."""
    run = blocks.run
    return Statistics(
        method=name,
        steps=run.steps,
        rejected=run.rejected,
        evaluations=run.evaluations,
        switches=run.flips,
        first_step=run.first_h,
        smallest_step=run.least_h if run.steps else 0.0,
        largest_step=run.most_h,
        ticks=ticks,
        seconds=seconds,
        jacobians=run.jacobians,
        factorizations=run.factorizations,
        changes=tuple(watch.changes) if watch else (),
    )


def message_of(
    status: Status, blocks: Blocks, method: Method, time: float, until: float
) -> str:
    """Return a status in a sentence, and what to try."""
    at, h = f"t = {time:.9g} s", blocks.run.h
    if status is Status.DONE:
        return f"reached {at}."
    if status.stuck:
        most = int(np.abs(blocks.x).argmax()) if blocks.x.size else 0
        if blocks.x.size and abs(blocks.x[most]) > LARGE:
            return (
                f"by {at} {blocks.states[most]!r} has grown to {blocks.x[most]:.3g}, and "
                f"beyond {LARGEST:.0e} energies would be more than numbers can hold. Look "
                "for a law that grows without bound, or end earlier."
            )
    if status == Status.NON_FINITE and not method.adaptive:
        parts = max(blocks.run.parts, 1)
        part = f", a {parts}th of that asked for," if parts > 1 else ""
        found = " or is not found by Newton's method" if method.implicit else ""
        return (
            f"a step of {h / parts:.3g} s from {at}{part} ends in infinity or "
            f"not-a-number{found}. Try a shorter step."
        )
    if status == Status.NON_FINITE and method.implicit:
        if lost := blurred(blocks):
            return f"beyond {at} Newton's method finds no solution. {lost}"
        return (
            f"beyond {at} the solution is not finite, or Newton's method does not find it, "
            "however short the step. It may be singular there, a law may be undefined, or "
            "constraints be known no better than rounding lets them, after many turns or far "
            "from the origin: there an explicit method such as DOP853() goes on."
        )
    return {
        Status.TERMINATED: f"{blocks.stopped_by} ended it at {at}.",
        Status.INTERRUPTED: f"interrupted at {at}, before {until:.9g} s.",
        Status.NON_FINITE: (
            f"beyond {at} the solution is not finite, however short the step. "
            + (blurred(blocks) or "It may be singular there, or a law may be undefined.")
        ),
        Status.SMALLEST_STEP: (
            f"at {at} the step needed, {h:.3g} s, is below the resolution of time. "
            "The solution may be singular there; otherwise loosen rtol or atol."
        ),
        Status.CHATTERING: (
            f"at {at} a nonsmooth law switches to and fro without time passing. Smooth it, "
            "for example sign(v) by tanh(v/0.001)."
        ),
        Status.DEPENDENT: (
            f"beyond {at} constraints that are independent elsewhere become dependent: a "
            f"singular position, which {type(method).__name__} does not pass. An explicit "
            "method such as DOP853() with constraints='project' does."
        ),
        Status.UNDEFINED: (
            f"at or beyond {at} {blocks.stopped_by} is not a number. What it looks at must "
            "have a value all the time, such as sqrt(max(x, 0)) in place of sqrt(x)."
        ),
        Status.STEP_LIMIT: (
            f"{blocks.attempts} steps were tried and {at} was reached. "
            + (blurred(blocks) or "Raise max_steps.")
        ),
        "no progress": f"steps lead no further than {at}.",
    }[status]


def stalled(stall: Stall, problem: Problem, blocks: Blocks, method: type[Method]) -> str:
    """Return what is known of a run that makes no progress, in sentences.

    Args:
        stall: What was seen.
        problem: What is integrated.
        blocks: Of the run.
        method: The one at work.
    """
    seen = (
        f"the last {stall.attempts} steps tried led {stall.passed:.2g} s further, less than a "
        f"{'thousandth' if blurred(blocks) else 'millionth'} of the way."
    )
    if stall.chattering:
        return (
            f"{seen} Nonsmooth laws switched {stall.flips} times meanwhile: smooth them, for "
            "example sign(v) by tanh(v/0.001)."
        )
    return f"{seen} {held_back(problem, blocks, method)} {BOUND}"
