"""The length of steps: the first one, the next one, the one that ends where it must.

References:
    Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.4.
    Gustafsson (1991), ACM Trans. Math. Softw. 17, 533-554 (PI control).
"""

from math import sqrt
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import derivative
from bellcrank.integrators.native.timed import NEAR, limited
from bellcrank.linear.native.raw import doubles, native

# Limits of the ratio of successive steps. Error estimates of long steps vanish by accident now
# and then: with GROW = 8 one pendulum run in a thousand took one, and lost three digits.
SHRINK, GROW = 0.2, 3.0
RETRIES = 40  # attempts in a row that may end in infinity or not-a-number
EPSILON = 2.220446049250313e-16
NOTHING = 1e-3  # a state so small against its tolerance is what assembly left of zero
STRETCH = 1.01  # a step this little too short for its goal is lengthened


@native
def _norm(i, f, row):
    """Return the RMS of a row over the tolerance at X."""
    x, atol, row = doubles(i[c.X]), doubles(i[c.ATOL]), doubles(row)
    total = 0.0
    for n in range(i[c.NX]):
        scaled = row[n] / (atol[n] + f[c.RTOL] * abs(x[n]))
        total += scaled * scaled
    return sqrt(total / max(i[c.NX], 1))


def first_step(order: int) -> Any:
    """Return `choose(i, f)`, which sets H from the first and second derivative at X."""
    root = 1.0 / order

    @native
    def choose(i, f):
        if i[c.F0_VALID] == 0:
            derivative(i, f[c.TIME], i[c.X], i[c.K])
            i[c.F0_VALID] = 1
        x, place = doubles(i[c.X]), doubles(i[c.PLACE])
        f0, f1 = doubles(i[c.K]), doubles(i[c.K] + 8 * i[c.STRIDE])
        longest = min(f[c.MAX_H], abs(f[c.END] - f[c.TIME]))
        size, speed = _norm(i, f, i[c.X]), _norm(i, f, i[c.K])
        h = 1e-6 if size < NOTHING or speed < 1e-5 else 0.01 * size / speed
        h = min(h, longest)
        for n in range(i[c.NX]):
            place[n] = x[n] + f[c.SIGN] * h * f0[n]
        derivative(i, f[c.TIME] + f[c.SIGN] * h, i[c.PLACE], i[c.K] + 8 * i[c.STRIDE])
        for n in range(i[c.NX]):
            f1[n] = (f1[n] - f0[n]) / h
        most = max(speed, _norm(i, f, i[c.K] + 8 * i[c.STRIDE]))
        guess = max(1e-6, 1e-3 * h) if most <= 1e-15 else (0.01 / most) ** root
        h = min(100.0 * h, guess)
        if not h > 0.0:  # not-a-number: the step control will find out
            h = 1e-6 * longest
        f[c.H] = min(h, longest)

    return choose


@native
def _stop(f):
    """Return where the next step must end if it comes so far: END, a tick or a break.

    A break that only rounding tells from the others is met with them.
    """
    stop = f[c.END]
    if (f[c.NEXT_TICK] - stop) * f[c.SIGN] < 0.0:
        stop = f[c.NEXT_TICK]
    if (f[c.NEXT_BREAK] - stop) * f[c.SIGN] < -NEAR * abs(stop):
        stop = f[c.NEXT_BREAK]
    return stop


@native
def aim(i, f):
    """Set STEP and TIME1 for a step of length H that does not pass where it must end."""
    stop = _stop(f)
    left, h = abs(stop - f[c.TIME]), min(f[c.H], f[c.MAX_H])
    if i[c.LIMIT_SIZE] != 0:
        h = limited(i, f, h)
    i[c.LANDING] = 0
    if left <= STRETCH * h:
        f[c.TIME1] = stop
        i[c.LANDING] = 1
    elif left < 2.0 * h:  # two halves rather than a long and a very short one
        f[c.TIME1] = f[c.TIME] + 0.5 * f[c.SIGN] * left
    else:
        f[c.TIME1] = f[c.TIME] + f[c.SIGN] * h
    f[c.STEP] = f[c.TIME1] - f[c.TIME]


@native
def aim_fixed(i, f):
    """The same for a step of fixed length, counted from BASE so that times do not drift."""
    stop = _stop(f)
    i[c.LANDING] = 0
    if abs(stop - f[c.TIME]) <= f[c.H] * (1.0 + 1e-9):
        f[c.TIME1] = stop
        i[c.LANDING] = 1
    else:
        f[c.TIME1] = f[c.BASE] + f[c.SIGN] * f[c.H] * (i[c.FIXED_COUNT] + 1)
    f[c.STEP] = f[c.TIME1] - f[c.TIME]


def controller(error_order: int, beta: float, safety: float) -> Any:
    """Return `judge(i, f, error)`: set H; return 0 (accept), 1 (try again) or a failure."""
    power = 1.0 / error_order - 0.75 * beta

    @native
    def judge(i, f, error):
        h = abs(f[c.STEP])
        if error <= 1.0:
            ratio = GROW
            if error > 0.0:
                ratio = safety * f[c.ERROR_BEFORE] ** beta / error**power
            ratio = min(GROW, max(SHRINK, ratio))
            if i[c.AFTER_REJECTION] != 0:
                ratio = min(ratio, 1.0)
            elif h < f[c.H]:  # it was cut to measure: that is no reason to stay small
                ratio = max(ratio, min(f[c.H], f[c.MAX_H]) / h)
            f[c.H] = min(ratio * h, f[c.MAX_H])
            f[c.ERROR_BEFORE] = max(error, 1e-4)
            i[c.AFTER_REJECTION] = i[c.NON_FINITE_ROW] = 0
            return 0
        i[c.REJECTED] += 1
        i[c.AFTER_REJECTION] = 1
        if error > 1.0 and error < 1e300:
            f[c.H] = h * max(SHRINK, safety / error ** (1.0 / error_order))
            i[c.NON_FINITE_ROW] = 0
        else:
            f[c.H] = 0.1 * h
            i[c.NON_FINITE_ROW] += 1
        if f[c.H] > 16.0 * EPSILON * abs(f[c.TIME]) and i[c.NON_FINITE_ROW] <= RETRIES:
            return 1
        return c.NON_FINITE if i[c.NON_FINITE_ROW] > 0 else c.SMALLEST_STEP

    return judge
