"""The length of steps: the first one, the next one, the one that ends where it must.

References:
    Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.4.
    Gustafsson (1991), ACM Trans. Math. Softw. 17, 533-554 (PI control).
"""

from math import sqrt
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.relative import near, tolerance
from bellcrank.integrators.native.timed import NEAR, limited
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.raw import doubles, native

# Limits of the ratio of successive steps. Error estimates of long steps vanish by accident now
# and then: with GROW = 8 one pendulum run in a thousand took one, and lost three digits.
SHRINK, GROW = 0.2, 3.0
RETRIES = 40  # attempts in a row that may end in infinity or not-a-number
EPSILON = 2.220446049250313e-16
NOTHING = 1e-3  # a state so small against its tolerance is what assembly left of zero
GOOD = 10  # steps made in parts before longer parts are tried again
STRETCH = 1.01  # a step this little too short for its goal is lengthened


@native
def _norm(run, row):
    """Return the RMS of a row over the tolerance at X."""
    x, atol, row = doubles(run.x), doubles(run.atol), doubles(row)
    total = 0.0
    for n in range(run.nx):
        if run.related == 0:
            scaled = row[n] / (atol[n] + run.rtol * abs(x[n]))
        else:
            scaled = near(run, row, n) / tolerance(run, n, abs(near(run, x, n)))
        total += scaled * scaled
    return sqrt(total / max(run.nx, 1))


def first_step(order: int) -> Any:
    """Return `choose(run)`, which sets H from the first and second derivative at X."""
    root = 1.0 / order

    @native
    def choose(run):
        if run.f0_valid == 0:
            derivative(run, run.time, run.x, run.slopes)
            run.f0_valid = 1
        x, place = doubles(run.x), doubles(run.place)
        f0, f1 = doubles(run.slopes), doubles(run.slopes + 8 * run.stride)
        longest = min(run.max_h, abs(run.end - run.time))
        size, speed = _norm(run, run.x), _norm(run, run.slopes)
        h = 1e-6 if size < NOTHING or speed < 1e-5 else 0.01 * size / speed
        h = min(h, longest)
        for n in range(run.nx):
            place[n] = x[n] + run.sign * h * f0[n]
        derivative(run, run.time + run.sign * h, run.place, run.slopes + 8 * run.stride)
        for n in range(run.nx):
            f1[n] = (f1[n] - f0[n]) / h
        most = max(speed, _norm(run, run.slopes + 8 * run.stride))
        guess = max(1e-6, 1e-3 * h) if most <= 1e-15 else (0.01 / most) ** root
        h = min(100.0 * h, guess)
        if not h > 0.0:  # not-a-number: the step control will find out
            h = 1e-6 * longest
        run.h = min(h, longest)

    return choose


@native
def _stop(run):
    """Return where the next step must end if it comes so far: END, a tick or a break.

    A break that only rounding tells from the others is met with them.
    """
    stop = run.end
    if (run.next_tick - stop) * run.sign < 0.0:
        stop = run.next_tick
    if (run.next_break - stop) * run.sign < -NEAR * abs(stop):
        stop = run.next_break
    return stop


@native
def aim(run):
    """Set STEP and TIME1 for a step of length H that does not pass where it must end."""
    stop = _stop(run)
    left, h = abs(stop - run.time), min(run.h, run.max_h)
    if run.limit_size != 0:
        h = limited(run, h)
    run.landing = 0
    if left <= STRETCH * h:
        run.time1 = stop
        run.landing = 1
    elif left < 2.0 * h:  # two halves rather than a long and a very short one
        run.time1 = run.time + 0.5 * run.sign * left
    else:
        run.time1 = run.time + run.sign * h
    run.step = run.time1 - run.time


@native
def aim_fixed(run):
    """The same for a step of fixed length, counted from BASE so that times do not drift."""
    stop = _stop(run)
    run.landing = 0
    if abs(stop - run.time) <= run.h * (1.0 + 1e-9):
        run.time1 = stop
        run.landing = 1
    else:
        run.time1 = run.base + run.sign * run.h * (run.fixed_count + 1)
    run.step = run.time1 - run.time


@native
def aim_part(run):
    """The same for a step that is made in PARTS; WHOLE if it ends where that would."""
    aim_fixed(run)
    part, run.whole = run.h / run.parts, 1
    if run.parts > 1 and abs(run.step) > part * (1.0 + 1e-9):
        run.whole = run.landing = 0
        run.time1 = run.time + run.sign * part
        run.step = run.time1 - run.time


@native
def count_part(run):
    """Count a step that was made; after some of them in parts, longer ones are tried again."""
    run.fixed_count += run.whole
    run.parts_made += 1
    if run.whole != 0 and run.parts > 1 and run.parts_made >= GOOD:
        run.parts, run.parts_made = run.parts // 2, 0


@native
def shorten_part(run, most):
    """After a step that could not be made: halve its parts; false if there are too many.

    Constraints that become dependent are not passed by shorter steps.
    Steps that were too long leave speeds off the constraints and accelerations that swing from
    step to step; shorter ones would inherit both, and begin anew.
    """
    run.rejected += 1
    if 2 * run.parts > most or run.dependent != 0:
        return False
    run.parts, run.parts_made = 2 * run.parts, 0
    run.f0_valid, run.guide_h, run.jacobian_due = 0, 0.0, 1
    return True


def controller(error_order: int, beta: float, safety: float) -> Any:
    """Return `judge(run, error)`: set H; return 0 (accept), 1 (try again) or a failure."""
    power = 1.0 / error_order - 0.75 * beta

    @native
    def judge(run, error):
        h = abs(run.step)
        if error <= 1.0:
            ratio = GROW
            if error > 0.0:
                ratio = safety * run.error_before**beta / error**power
            ratio = min(GROW, max(SHRINK, ratio))
            if run.after_rejection != 0:
                ratio = min(ratio, 1.0)
            elif h < run.h:  # it was cut to measure: that is no reason to stay small
                ratio = max(ratio, min(run.h, run.max_h) / h)
            run.h = min(ratio * h, run.max_h)
            run.error_before = max(error, 1e-4)
            run.after_rejection = run.non_finite_row = 0
            return 0
        run.rejected += 1
        run.after_rejection = 1
        if error > 1.0 and error < 1e300:
            run.h = h * max(SHRINK, safety / error ** (1.0 / error_order))
            run.non_finite_row = 0
        else:
            run.h = 0.1 * h
            run.non_finite_row += 1
        if run.h > 16.0 * EPSILON * abs(run.time) and run.non_finite_row <= RETRIES:
            return 1
        return c.NON_FINITE if run.non_finite_row > 0 else c.SMALLEST_STEP

    return judge
