"""What implicit methods share: Jacobians when due, rates of convergence, the length of steps.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.8.
    Gustafsson (1994), ACM Trans. Math. Softw. 20, 496-517 (predictive control).
"""

from math import sqrt
from typing import Any, NamedTuple

from bellcrank.integrators import contract as c
from bellcrank.integrators.native import relative
from bellcrank.integrators.native.control import EPSILON, GROW, RETRIES, SHRINK
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.raw import doubles, native

ITERATIONS = 8  # of Newton's method in a step whose length can change
FIXED_ITERATIONS = 40  # in one that cannot
SLOW = 1e-3  # a contraction worse than this makes a new Jacobian due
SAME = 1e-4  # factors serve steps that differ by this part at most
KEEP = 1.2  # a step that could grow by less than this stays, and its factors with it
SAFETY = 0.9
NOTHING = 0.1  # of what may be left: a correction below it is rounding
ROUNDING = 1e-13  # what Newton's method leaves where there is no tolerance, by size of state
FAR = 1e4  # times that: corrections as large that get no smaller are no rounding of states,
LATE = 6  # but after so many, and as many again, they may be rounding of rates
ROUND = 2.0 * EPSILON  # of states, to see what it makes of rates
TRIES = 3


class Algebra(NamedTuple):
    """How a fully implicit method gets matrices and corrections, with constraints or not."""

    take: Any  # (run, time, place): evaluate the Jacobian; say whether that could be done
    factor_real: Any  # (run, g)
    factor_complex: Any  # (run, re, im)
    solve_real: Any  # (run, g, row): solve the linear system with M row
    iterate: Any  # (run, scale): one correction; its norm over what is small
    guess: Any  # (run): first values of unknowns that are no states
    note: Any  # (run): called when a step is accepted
    hidden: bool = False  # whether unknowns that are no states take part; see `watcher`


@native
def begin(run):
    """Before a step: have the derivative at X; forget what a jump has made worthless."""
    if run.f0_valid == 0:
        derivative(run, run.time, run.x, run.slopes)
        run.f0_valid = 1
    if run.steps == 0 or run.seen_landing != 0 or run.seen_flips != run.flips:
        run.guide_h, run.outlook = 0.0, 1.0
        if run.jacobian_fresh == 0:
            run.jacobian_due = 1
    run.seen_landing, run.seen_flips = 0, run.flips
    run.newtons = 0


def renewer(take: Any) -> Any:
    """Return `renew(run)`: take the Jacobian at (TIME, X) if it is due; False if it cannot be.

    The factors are then worthless.
    """

    @native
    def renew(run):
        if run.jacobian_due == 0:
            return True
        run.jacobian_fresh = 1
        run.factored_h, run.outlook = 0.0, 1.0
        if not take(run, run.time, run.x):
            return False
        run.jacobian_due = 0
        return True

    return renew


@native
def factors_serve(run):
    """Say whether the factors there are belong to this step."""
    return abs(run.step - run.factored_h) <= SAME * abs(run.step)


def scales(adaptive: bool) -> Any:
    """Return `scale(run, out)`: what is small, for each state.

    It is the tolerance at X, or for fixed steps the size of the state and of its change; ATOL
    is then the size of what a state is a difference of, if it is one, and else zero.
    """
    if adaptive:

        @native
        def tolerance(run, out):
            x, atol = doubles(run.x), doubles(run.atol)
            for n in range(run.nx):
                if run.related == 0:
                    out[n] = atol[n] + run.rtol * abs(x[n])
                else:
                    out[n] = relative.tolerance(run, n, abs(relative.near(run, x, n)))

        return tolerance

    @native
    def size(run, out):
        x, f0, own, most = doubles(run.x), doubles(run.slopes), doubles(run.atol), 1e-290
        nominal = doubles(run.nominal)
        for n in range(run.nx):
            out[n] = abs(x[n]) + abs(run.step * f0[n])
            if run.related != 0:
                apart = abs(relative.near(run, x, n)) + abs(
                    run.step * relative.near(run, f0, n)
                )
                out[n] = max(apart, relative.ROUNDING / ROUNDING * out[n])
            most = max(most, out[n] / nominal[n])
        for n in range(run.nx):
            out[n] = ROUNDING * max(out[n], 1e-3 * most * nominal[n], 1e-2 * own[n])

    return size


@native
def enlarge(run, row, scale, count):
    """Let what is small follow a first correction: a machine at rest has no other size.

    Where nothing moves and nothing pushes as a step begins, state and rates are zero, and all
    that changes in the step is due to what begins to push within it.
    """
    nominal, most = doubles(run.nominal), 0.0
    for n in range(count):
        most = max(most, abs(row[n]) / nominal[n])
    for n in range(count):
        scale[n] = max(scale[n], ROUNDING * max(abs(row[n]), 1e-3 * most * nominal[n]))


@native
def _shift(run, by, attempt):
    """Set PLACE to X shifted by numbers, up or down."""
    x, place = doubles(run.x), doubles(run.place)
    for n in range(run.nx):
        up = (n * (attempt + 1)) // 2 % 2 == 0
        place[n] = x[n] + (by[n] if up else -by[n])


@native
def noise(run, row):
    """Write to the row at this address what rounding of X makes of changes in this step.

    What it makes of rates is measured, [q̇, u̇] at points that differ by rounding, and what
    such a change of speeds makes of q̇. A body whose frame is far from it has a mass matrix in
    which the inertia about its own centre is a difference of large numbers.
    """
    nx, h, first = run.nx, abs(run.step), doubles(run.slopes)
    x, nominal, by, found = (
        doubles(run.x),
        doubles(run.nominal),
        doubles(run.scratch),
        doubles(row),
    )
    place, most = doubles(run.place), doubles(run.x1)
    for n in range(nx):
        by[n], most[n] = ROUND * max(abs(x[n]), nominal[n]), 0.0
    for attempt in range(TRIES):
        _shift(run, by, attempt)
        derivative(run, run.time, run.place, row)
        for n in range(nx):
            most[n] = max(most[n], h * abs(found[n] - first[n]))
    for n in range(nx):
        by[n] = most[n]
    for attempt in range(TRIES):
        _shift(run, by, attempt)
        for n in range(run.nq):
            place[n] = x[n]
        derivative(run, run.time, run.place, row)
        for n in range(run.nq):
            most[n] = max(most[n], h * abs(found[n] - first[n]))
    for n in range(nx):
        found[n] = most[n]


@native
def unsettled(run, size):
    """Say whether corrections are too large for rounding of states, and stay so."""
    return run.newtons % LATE == 0 and size >= FAR


@native
def blur(run, scale, row):
    """Let nothing count as small below the `noise`; `row` is the address of one to spare."""
    noise(run, row)
    found = doubles(row)
    for n in range(run.nx):
        scale[n] = max(scale[n], found[n])


def watcher(adaptive: bool, enough: float = 0.03, hidden: bool = False) -> Any:
    """Return `progress(run, size, before)`: -1 diverges, 0 goes on, 1 has converged.

    `size` is the norm of the newest correction over what is small, `before` that of the one
    before it; `enough` is the part of the tolerance that may be left of it. RATE is its
    contraction, OUTLOOK = RATE/(1 - RATE) what remains of it.

    Where unknowns are `hidden`, multipliers that follow from states over the step, the first
    two corrections tell no divergence: what the first makes of λ the second takes back, and the
    third is small. Nor does the contraction of steps before tell that one correction is enough:
    rows turn with the machine and a Jacobian gets old with them, in a rotor at a steady rate
    to the same side in every step.
    """
    told = 2 if hidden else 1  # corrections after which a contraction is known to be one
    if adaptive:

        @native
        def progress(run, size, before):
            small = max(enough, 10.0 * EPSILON / run.asked)
            number = run.newtons
            if not size < 1e100:
                return -1
            if size <= NOTHING * small:
                return 1
            if number > 1:
                rate = size / before
                run.rate = rate if number == 2 else sqrt(rate * run.rate)
                if run.rounded != 0 and size <= 1.0 and run.rate > 0.5:
                    return 1 if number >= LATE else 0  # it gets no better
                if run.rate >= 0.99:
                    return -1 if number > told else 0
                run.outlook = run.rate / (1.0 - run.rate)
                left = run.rate ** (ITERATIONS - 1.0 - number)
                if told < number < ITERATIONS and run.outlook * size * left > small:
                    return -1
            if number >= told and run.outlook * size <= small:
                return 1
            return -1 if number >= ITERATIONS else 0

        return progress

    @native
    def settle(run, size, before):
        if not size < 1e200:
            return -1
        number = run.newtons
        run.rate = size / before if number > 1 else 1.0
        if size <= 1.0 or (number > 2 and run.rate * size <= 0.1):
            return 1
        if number > 2 and run.rate > 0.5 and size < FAR:  # rounding: it gets no better
            return 1
        return -1 if number >= FIXED_ITERATIONS else 0

    return settle


@native
def loosened(run):
    """Return how much looser than asked the tolerance of an estimate of order 3 may be.

    The error of order 5 that remains is then about what was asked for: rtol becomes
    rtol^⅔/10, and atol grows with it.
    """
    return max(1.0, 0.1 * run.asked ** (-1.0 / 3.0))


def judge(error_order: int, keep: Any) -> Any:
    """Return `judge(run, error)` of an implicit method with error control.

    Args:
        error_order: The step is changed with this root of the error.
        keep: Native function of (run) that notes the polynomial of an accepted step.
    """
    root = 1.0 / error_order

    @native
    def accept(run, error, h):
        spent = SAFETY * (1 + 2 * ITERATIONS) / (run.newtons + 2 * ITERATIONS)
        ratio = GROW
        if error > 0.0:
            ratio = min(SAFETY, spent) / error**root
            if run.h_before > 0.0:  # what the trend of errors allows
                trend = (run.error_before / (error * error)) ** root * h / run.h_before
                ratio = min(ratio, SAFETY * trend)
        ratio = min(GROW, max(SHRINK, ratio))
        run.error_before, run.h_before = max(error, 1e-2), h
        if run.after_rejection != 0:
            ratio = min(ratio, 1.0)
        run.jacobian_due = 1 if run.rate > SLOW and run.newtons > 1 else 0
        if run.jacobian_due == 0 and 1.0 <= ratio <= KEEP:
            ratio = 1.0
        if h < (1.0 - SAME) * run.h and run.after_rejection == 0:  # it was cut to measure
            ratio = max(ratio, min(run.h, run.max_h) / h)
        run.h = min(ratio * h, run.max_h)
        run.after_rejection = run.non_finite_row = run.jacobian_fresh = 0
        run.seen_landing = run.landing
        keep(run)

    @native
    def decide(run, error):
        h = abs(run.step)
        if error <= 1.0:
            accept(run, error, h)
            return 0
        run.rejected += 1
        run.after_rejection = 1
        if run.rate > SLOW and run.jacobian_fresh == 0:
            run.jacobian_due = 1
        if error > 1.0 and error < 1e300:
            run.h = h * max(SHRINK, SAFETY / error**root)
            run.non_finite_row = 0
        else:
            run.h = (0.5 if run.non_finite_row < 4 else 0.1) * h
            run.non_finite_row += 1
        if run.h > 16.0 * EPSILON * abs(run.time) and run.non_finite_row <= RETRIES:
            return 1
        return c.NON_FINITE if run.non_finite_row > 0 else c.SMALLEST_STEP

    return decide


@native
def carry_on(run):
    """After a step of fixed length: a slow iteration makes a new Jacobian due."""
    run.jacobian_due = 1 if run.newtons > 4 else 0
    run.jacobian_fresh, run.seen_landing = 0, run.landing
