"""What implicit methods share: Jacobians when due, rates of convergence, the length of steps.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.8.
    Gustafsson (1994), ACM Trans. Math. Softw. 20, 496-517 (predictive control).
"""

from math import sqrt
from typing import Any, NamedTuple

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.control import EPSILON, GROW, RETRIES, SHRINK
from bellcrank.integrators.native.evaluate import derivative
from bellcrank.linear.native.raw import doubles, native

ITERATIONS = 8  # of Newton's method in a step whose length can change
FIXED_ITERATIONS = 40  # in one that cannot
SLOW = 1e-3  # a contraction worse than this makes a new Jacobian due
SAME = 1e-4  # factors serve steps that differ by this part at most
KEEP = 1.2  # a step that could grow by less than this stays, and its factors with it
SAFETY = 0.9
NOTHING = 0.1  # of what may be left: a correction below it is rounding
ROUNDING = 1e-13  # what Newton's method leaves where there is no tolerance, by size of state


class Algebra(NamedTuple):
    """How a fully implicit method gets matrices and corrections, with constraints or not."""

    take: Any  # (i, time, place): evaluate the Jacobian; say whether that could be done
    factor_real: Any  # (i, g)
    factor_complex: Any  # (i, re, im)
    solve_real: Any  # (i, g, row): solve the linear system with M row
    iterate: Any  # (i, f, scale): one correction; its norm over what is small
    guess: Any  # (i, f): first values of unknowns that are no states
    note: Any  # (i, f): called when a step is accepted


@native
def begin(i, f):
    """Before a step: have the derivative at X; forget what a jump has made worthless."""
    if i[c.F0_VALID] == 0:
        derivative(i, f[c.TIME], i[c.X], i[c.K])
        i[c.F0_VALID] = 1
    if i[c.STEPS] == 0 or i[c.SEEN_LANDING] != 0 or i[c.SEEN_FLIPS] != i[c.FLIPS]:
        f[c.GUIDE_H], f[c.OUTLOOK] = 0.0, 1.0
        if i[c.JACOBIAN_FRESH] == 0:
            i[c.JACOBIAN_DUE] = 1
    i[c.SEEN_LANDING], i[c.SEEN_FLIPS] = 0, i[c.FLIPS]
    i[c.NEWTONS] = 0


def renewer(take: Any) -> Any:
    """Return `renew(i, f)`: take the Jacobian at (TIME, X) if it is due; False if it cannot be.

    The factors are then worthless.
    """

    @native
    def renew(i, f):
        if i[c.JACOBIAN_DUE] == 0:
            return True
        i[c.JACOBIAN_FRESH] = 1
        f[c.FACTORED_H], f[c.OUTLOOK] = 0.0, 1.0
        if not take(i, f[c.TIME], i[c.X]):
            return False
        i[c.JACOBIAN_DUE] = 0
        return True

    return renew


@native
def factors_serve(f):
    """Say whether the factors there are belong to this step."""
    return abs(f[c.STEP] - f[c.FACTORED_H]) <= SAME * abs(f[c.STEP])


def scales(adaptive: bool) -> Any:
    """Return `scale(i, f, out)`: what is small, for each state.

    It is the tolerance at X, or for fixed steps the size of the state and of its change; ATOL
    is then the size of what a state is a difference of, if it is one, and else zero.
    """
    if adaptive:

        @native
        def tolerance(i, f, out):
            x, atol = doubles(i[c.X]), doubles(i[c.ATOL])
            for n in range(i[c.NX]):
                out[n] = atol[n] + f[c.RTOL] * abs(x[n])

        return tolerance

    @native
    def size(i, f, out):
        x, f0, own, most = doubles(i[c.X]), doubles(i[c.K]), doubles(i[c.ATOL]), 1e-290
        for n in range(i[c.NX]):
            out[n] = abs(x[n]) + abs(f[c.STEP] * f0[n])
            most = max(most, out[n])
        for n in range(i[c.NX]):
            out[n] = ROUNDING * max(out[n], 1e-3 * most, 1e-2 * own[n])

    return size


@native
def squares(i, row, scale):
    """Return Σ (row / scale)²."""
    total = 0.0
    for n in range(i[c.NX]):
        part = row[n] / scale[n]
        total += part * part
    return total


def watcher(adaptive: bool, enough: float = 0.03) -> Any:
    """Return `progress(i, f, size, before)`: -1 diverges, 0 goes on, 1 has converged.

    `size` is the norm of the newest correction over what is small, `before` that of the one
    before it; `enough` is the part of the tolerance that may be left of it. RATE is its
    contraction, OUTLOOK = RATE/(1 - RATE) what remains of it.
    """
    if adaptive:

        @native
        def progress(i, f, size, before):
            small = max(enough, 10.0 * EPSILON / f[c.ASKED])
            number = i[c.NEWTONS]
            if not size < 1e100:
                return -1
            if size <= NOTHING * small:
                return 1
            if number > 1:
                rate = size / before
                f[c.RATE] = rate if number == 2 else sqrt(rate * f[c.RATE])
                if f[c.RATE] >= 0.99:
                    return -1
                f[c.OUTLOOK] = f[c.RATE] / (1.0 - f[c.RATE])
                left = f[c.RATE] ** (ITERATIONS - 1.0 - number)
                if number < ITERATIONS and f[c.OUTLOOK] * size * left > small:
                    return -1
            if f[c.OUTLOOK] * size <= small:
                return 1
            return -1 if number >= ITERATIONS else 0

        return progress

    @native
    def settle(i, f, size, before):
        if not size < 1e200:
            return -1
        number = i[c.NEWTONS]
        f[c.RATE] = size / before if number > 1 else 1.0
        if size <= 1.0 or (number > 2 and f[c.RATE] * size <= 0.1):
            return 1
        if number > 2 and f[c.RATE] > 0.5 and size < 1e4:  # rounding: it gets no better
            return 1
        return -1 if number >= FIXED_ITERATIONS else 0

    return settle


@native
def loosened(f):
    """Return how much looser than asked the tolerance of an estimate of order 3 may be.

    The error of order 5 that remains is then about what was asked for: rtol becomes
    rtol^⅔/10, and atol grows with it.
    """
    return max(1.0, 0.1 * f[c.ASKED] ** (-1.0 / 3.0))


def judge(error_order: int, keep: Any) -> Any:
    """Return `judge(i, f, error)` of an implicit method with error control.

    Args:
        error_order: The step is changed with this root of the error.
        keep: Native function of (i, f) that notes the polynomial of an accepted step.
    """
    root = 1.0 / error_order

    @native
    def accept(i, f, error, h):
        spent = SAFETY * (1 + 2 * ITERATIONS) / (i[c.NEWTONS] + 2 * ITERATIONS)
        ratio = GROW
        if error > 0.0:
            ratio = min(SAFETY, spent) / error**root
            if f[c.H_BEFORE] > 0.0:  # what the trend of errors allows
                trend = (f[c.ERROR_BEFORE] / (error * error)) ** root * h / f[c.H_BEFORE]
                ratio = min(ratio, SAFETY * trend)
        ratio = min(GROW, max(SHRINK, ratio))
        f[c.ERROR_BEFORE], f[c.H_BEFORE] = max(error, 1e-2), h
        if i[c.AFTER_REJECTION] != 0:
            ratio = min(ratio, 1.0)
        i[c.JACOBIAN_DUE] = 1 if f[c.RATE] > SLOW and i[c.NEWTONS] > 1 else 0
        if i[c.JACOBIAN_DUE] == 0 and 1.0 <= ratio <= KEEP:
            ratio = 1.0
        if h < (1.0 - SAME) * f[c.H] and i[c.AFTER_REJECTION] == 0:  # it was cut to measure
            ratio = max(ratio, min(f[c.H], f[c.MAX_H]) / h)
        f[c.H] = min(ratio * h, f[c.MAX_H])
        i[c.AFTER_REJECTION] = i[c.NON_FINITE_ROW] = i[c.JACOBIAN_FRESH] = 0
        i[c.SEEN_LANDING] = i[c.LANDING]
        keep(i, f)

    @native
    def decide(i, f, error):
        h = abs(f[c.STEP])
        if error <= 1.0:
            accept(i, f, error, h)
            return 0
        i[c.REJECTED] += 1
        i[c.AFTER_REJECTION] = 1
        if f[c.RATE] > SLOW and i[c.JACOBIAN_FRESH] == 0:
            i[c.JACOBIAN_DUE] = 1
        if error > 1.0 and error < 1e300:
            f[c.H] = h * max(SHRINK, SAFETY / error**root)
            i[c.NON_FINITE_ROW] = 0
        else:
            f[c.H] = (0.5 if i[c.NON_FINITE_ROW] < 4 else 0.1) * h
            i[c.NON_FINITE_ROW] += 1
        if f[c.H] > 16.0 * EPSILON * abs(f[c.TIME]) and i[c.NON_FINITE_ROW] <= RETRIES:
            return 1
        return c.NON_FINITE if i[c.NON_FINITE_ROW] > 0 else c.SMALLEST_STEP

    return decide


@native
def carry_on(i):
    """After a step of fixed length: a slow iteration makes a new Jacobian due."""
    i[c.JACOBIAN_DUE] = 1 if i[c.NEWTONS] > 4 else 0
    i[c.JACOBIAN_FRESH], i[c.SEEN_LANDING] = 0, i[c.LANDING]
