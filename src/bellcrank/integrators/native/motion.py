"""How large a motion is, and with it the absolute tolerance; see `integrators.scales`.

With stiffness ω² seen along the motion, speeds u lead to u/ω and accelerations a to a/ω²;
without any, motion has no bound but the nominal size. Rounding of accelerations counts as
they do: second differences over distances far below the motion show it.
"""

from math import sqrt

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import derivative
from bellcrank.integrators.scales import GROUPS, OTHER
from bellcrank.linear.native.raw import doubles, integers, native

PROBE = 1e-6  # of a nominal size: how far beside the start stiffness is looked for,
SMALL = 1e-2  # and motion below which rounding is measured,
NEAR = 1e-8  # this part of the motion beside the start, in
PAIRS = 3  # pairs of points
LEAST = 1e-20  # of the nominal size: motion that is none, as before a pulse or in balance
EPSILON = 2.220446049250313e-16
TINY, HUGE = 1e-300, 1e300
RATES = 2  # kinds of rates come this much after those of coordinates


@native
def _largest(values, group, kind, begin, end):
    """Return the largest size of the values of a kind."""
    most = 0.0
    for n in range(begin, end):
        if int(group[n]) == kind:
            most = max(most, abs(values[n]))
    return most


@native
def _shifted(i, f, factor):
    """Evaluate derivatives at q + factor X1 into the second row of K."""
    x, place, way = doubles(i[c.X]), doubles(i[c.PLACE]), doubles(i[c.X1])
    for n in range(i[c.NX]):
        place[n] = x[n] + factor * way[n] if n < i[c.NQ] else x[n]
    derivative(i, f[c.TIME], i[c.PLACE], i[c.K] + 8 * i[c.STRIDE])


@native
def _towards_accelerations(i, f):
    """Set X1 to what accelerations change in the rates of coordinates."""
    x, place, way = doubles(i[c.X]), doubles(i[c.PLACE]), doubles(i[c.X1])
    here, there = doubles(i[c.K]), doubles(i[c.K] + 8 * i[c.STRIDE])
    nq, end = i[c.NQ], i[c.NQ] + i[c.NU]
    for n in range(i[c.NX]):
        place[n] = x[n] + here[n] if nq <= n < end else x[n]
    derivative(i, f[c.TIME], i[c.PLACE], i[c.K] + 8 * i[c.STRIDE])
    for n in range(nq):
        way[n] = there[n] - here[n]


@native
def _frequency(i, f, factor):
    """Return ω [1/s] from accelerations at q + factor X1."""
    nq, end = i[c.NQ], i[c.NQ] + i[c.NU]
    way, group = doubles(i[c.X1]), doubles(i[c.GROUP])
    here, there = doubles(i[c.K]), doubles(i[c.K] + 8 * i[c.STRIDE])
    _shifted(i, f, factor)
    for n in range(nq, end):
        there[n] -= here[n]
    stiffness = TINY
    for kind in range(RATES):
        moved = factor * _largest(way, group, kind, 0, nq)
        if moved > 0.0:
            stiffness = max(stiffness, _largest(there, group, kind + RATES, nq, end) / moved)
    return sqrt(stiffness)


@native
def _measure_rounding(i, f, factor, frequency):
    """Let ROUNDING be no less than what second differences of accelerations lead to."""
    nq, end = i[c.NQ], i[c.NQ] + i[c.NU]
    group, rounding, spare = doubles(i[c.GROUP]), doubles(i[c.ROUNDING]), doubles(i[c.X1])
    here, there = doubles(i[c.K]), doubles(i[c.K] + 8 * i[c.STRIDE])
    for pair in range(1, PAIRS + 1):
        _shifted(i, f, pair * factor)
        for n in range(nq, end):
            spare[n] = there[n] - here[n]
        _shifted(i, f, -pair * factor)
        for n in range(nq, end):
            spare[n] += there[n] - here[n]
        for kind in range(RATES):
            left = 2.0 * _largest(spare, group, kind + RATES, nq, end) / frequency
            rounding[kind] = max(rounding[kind], left / frequency)
            rounding[kind + RATES] = max(rounding[kind + RATES], left)


@native
def _look(i, f, order):
    """Add to MOTION what speeds (order 1) or accelerations (2) lead to along X1; return ω."""
    nq, end, first = i[c.NQ], i[c.NQ] + i[c.NU], 0.0
    x, way, group = doubles(i[c.X]), doubles(i[c.X1]), doubles(i[c.GROUP])
    most, motion = doubles(i[c.MOST_ATOL]), doubles(i[c.MOTION])
    size, long, far = 0.0, 0.0, 0.0
    for n in range(nq):
        size = max(size, abs(way[n]) * f[c.MOTION_TOL] / most[n])
        long, far = max(long, abs(way[n])), max(far, abs(x[n]))
    if not 0.0 < size < HUGE:
        return 0.0
    frequency = _frequency(i, f, PROBE / size)
    values = doubles(i[c.X]) if order == 1 else doubles(i[c.K])
    for kind in range(RATES):
        rate = _largest(values, group, kind + RATES, nq, end) / frequency ** (order - 1)
        motion[kind] += rate / frequency
        motion[kind + RATES] += rate
        for n in range(nq):
            if int(group[n]) == kind:
                first = max(first, rate / frequency * f[c.MOTION_TOL] / most[n])
    if first < SMALL:
        factor = max(NEAR * first / size, 8.0 * EPSILON * far / long)
        _measure_rounding(i, f, factor, frequency)
        return frequency
    return 0.0


def expect(block, numbers, _1, _2, _3):
    """Set ATOL from the motion that the start lets expect; a routine for all methods.

    Args:
        block: Address of the block of integers.
        numbers: Address of the block of doubles.
        _1, _2, _3: Nothing.
    """
    i, f = integers(block), doubles(numbers)
    x, rest, way, group = (
        doubles(i[c.X]),
        doubles(i[c.REST]),
        doubles(i[c.X1]),
        doubles(i[c.GROUP]),
    )
    atol, motion, rounding = doubles(i[c.ATOL]), doubles(i[c.MOTION]), doubles(i[c.ROUNDING])
    nq, here = i[c.NQ], doubles(i[c.K])
    derivative(i, f[c.TIME], i[c.X], i[c.K])
    i[c.F0_VALID] = 1
    for n in range(nq):
        rest[n], way[n] = x[n], here[n]
    for kind in range(RATES):
        far = 2.0 * EPSILON * _largest(x, group, kind, 0, nq)
        rounding[kind] = max(rounding[kind], far, TINY)
        motion[kind] = motion[kind + RATES] = 0.0 if i[c.NU] > 0 else HUGE
    motion[OTHER] = HUGE
    fastest = max(1.0, _look(i, f, 1))
    _towards_accelerations(i, f)
    fastest = max(fastest, _look(i, f, 2))
    sound = True
    for kind in range(RATES):
        least = fastest * rounding[kind]
        rounding[kind + RATES] = max(rounding[kind + RATES], least)
    for kind in range(GROUPS):
        if not (rounding[kind] < HUGE and motion[kind] >= 0.0):
            sound = False
    if not sound:  # not-a-number beside the start: as if nothing were known
        i[c.GROWING] = 0
        return 0
    for n in range(i[c.NX]):
        atol[n] = 0.0
    widen(i, f)
    return 0


@native
def widen(i, f):
    """Let ATOL grow with the motion seen at X."""
    x, rest, group = doubles(i[c.X]), doubles(i[c.REST]), doubles(i[c.GROUP])
    atol, most, motion = doubles(i[c.ATOL]), doubles(i[c.MOST_ATOL]), doubles(i[c.MOTION])
    rounding, growing = doubles(i[c.ROUNDING]), 0
    for n in range(i[c.NX]):
        kind = int(group[n])
        motion[kind] = max(motion[kind], abs(x[n] - rest[n]))
    for n in range(i[c.NX]):
        kind = int(group[n])
        wanted = max(f[c.MOTION_TOL] * motion[kind], rounding[kind], LEAST * most[n])
        atol[n] = max(atol[n], min(most[n], wanted))
        if atol[n] < most[n]:
            growing = 1
    i[c.GROWING] = growing
