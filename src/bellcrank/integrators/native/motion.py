"""How large a motion is, and with it the absolute tolerance; see `integrators.scales`.

With stiffness ω² seen along the motion, speeds u lead to u/ω and accelerations a to a/ω²;
without any, motion has no bound but the nominal size. Rounding of accelerations counts as
they do: second differences over distances far below the motion show it.
"""

from math import sqrt

from bellcrank.integrators.scales import GROUPS, LENGTH, OTHER
from bellcrank.kernels.native.run import derivative, run_at
from bellcrank.linear.native.raw import doubles, native

PROBE = 1e-6  # of a nominal size: how far beside the start stiffness is looked for,
SMALL = 1e-2  # and motion below which rounding is measured,
NEAR = 1e-8  # this part of the motion beside the start, in
PAIRS = 3  # pairs of points
SPREAD = 8.0  # round-offs of angles that show in lengths
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
def _shifted(run, factor):
    """Evaluate derivatives at q + factor X1 into the second row of K."""
    x, place, way = doubles(run.x), doubles(run.place), doubles(run.x1)
    for n in range(run.nx):
        place[n] = x[n] + factor * way[n] if n < run.nq else x[n]
    derivative(run, run.time, run.place, run.slopes + 8 * run.stride)


@native
def _towards_accelerations(run):
    """Set X1 to what accelerations change in the rates of coordinates."""
    x, place, way = doubles(run.x), doubles(run.place), doubles(run.x1)
    here, there = doubles(run.slopes), doubles(run.slopes + 8 * run.stride)
    nq, end = run.nq, run.nq + run.nu
    for n in range(run.nx):
        place[n] = x[n] + here[n] if nq <= n < end else x[n]
    derivative(run, run.time, run.place, run.slopes + 8 * run.stride)
    for n in range(nq):
        way[n] = there[n] - here[n]


@native
def _frequency(run, factor):
    """Return ω [1/s] from accelerations at q + factor X1."""
    nq, end = run.nq, run.nq + run.nu
    way, group = doubles(run.x1), doubles(run.group)
    here, there = doubles(run.slopes), doubles(run.slopes + 8 * run.stride)
    _shifted(run, factor)
    for n in range(nq, end):
        there[n] -= here[n]
    stiffness = TINY
    for kind in range(RATES):
        moved = factor * _largest(way, group, kind, 0, nq)
        if moved > 0.0:
            stiffness = max(stiffness, _largest(there, group, kind + RATES, nq, end) / moved)
    return sqrt(stiffness)


@native
def _measure_rounding(run, factor, frequency):
    """Let ROUNDING be no less than what second differences of accelerations lead to."""
    nq, end = run.nq, run.nq + run.nu
    group, rounding, spare = doubles(run.group), doubles(run.rounding), doubles(run.x1)
    here, there = doubles(run.slopes), doubles(run.slopes + 8 * run.stride)
    for pair in range(1, PAIRS + 1):
        _shifted(run, pair * factor)
        for n in range(nq, end):
            spare[n] = there[n] - here[n]
        _shifted(run, -pair * factor)
        for n in range(nq, end):
            spare[n] += there[n] - here[n]
        for kind in range(RATES):
            left = 2.0 * _largest(spare, group, kind + RATES, nq, end) / frequency
            rounding[kind] = max(rounding[kind], left / frequency)
            rounding[kind + RATES] = max(rounding[kind + RATES], left)


@native
def _look(run, order):
    """Add to MOTION what speeds (order 1) or accelerations (2) lead to along X1; return ω."""
    nq, end, first = run.nq, run.nq + run.nu, 0.0
    x, way, group = doubles(run.x), doubles(run.x1), doubles(run.group)
    most, motion = doubles(run.most_atol), doubles(run.motion)
    size, long, far = 0.0, 0.0, 0.0
    for n in range(nq):
        size = max(size, abs(way[n]) * run.motion_tol / most[n])
        long, far = max(long, abs(way[n])), max(far, abs(x[n]))
    if not 0.0 < size < HUGE:
        return 0.0
    frequency = _frequency(run, PROBE / size)
    values = doubles(run.x) if order == 1 else doubles(run.slopes)
    for kind in range(RATES):
        rate = _largest(values, group, kind + RATES, nq, end) / frequency ** (order - 1)
        motion[kind] += rate / frequency
        motion[kind + RATES] += rate
        for n in range(nq):
            if int(group[n]) == kind:
                first = max(first, rate / frequency * run.motion_tol / most[n])
    if first < SMALL:
        factor = max(NEAR * first / size, 8.0 * EPSILON * far / long)
        _measure_rounding(run, factor, frequency)
        return frequency
    return 0.0


def expect(block, _1, _2, _3, _4):
    """Set ATOL from the motion that the start lets expect; a routine for all methods.

    Args:
        block: Address of the record of the run.
        _1, _2, _3, _4: Nothing.
    """
    run = run_at(block)
    x, rest, way, group = (
        doubles(run.x),
        doubles(run.rest),
        doubles(run.x1),
        doubles(run.group),
    )
    atol, motion, rounding = doubles(run.atol), doubles(run.motion), doubles(run.rounding)
    nq, here = run.nq, doubles(run.slopes)
    derivative(run, run.time, run.x, run.slopes)
    run.f0_valid = 1
    for n in range(nq):
        rest[n], way[n] = x[n], here[n]
    for kind in range(RATES):
        far = 2.0 * EPSILON * _largest(x, group, kind, 0, nq)
        rounding[kind] = max(rounding[kind], far, TINY)
        motion[kind] = motion[kind + RATES] = 0.0 if run.nu > 0 else HUGE
    motion[OTHER] = HUGE
    fastest = max(1.0, _look(run, 1))
    _towards_accelerations(run)
    fastest = max(fastest, _look(run, 2))
    sound = True
    for kind in range(RATES):
        least = fastest * rounding[kind]
        rounding[kind + RATES] = max(rounding[kind + RATES], least)
    for kind in range(GROUPS):
        if not (rounding[kind] < HUGE and motion[kind] >= 0.0):
            sound = False
    if not sound:  # not-a-number beside the start: as if nothing were known
        run.growing = 0
        return 0
    for n in range(run.nx):
        atol[n] = 0.0
    widen(run)
    return 0


@native
def widen(run):
    """Let ATOL grow with the motion seen at X."""
    x, rest, group = doubles(run.x), doubles(run.rest), doubles(run.group)
    atol, most, motion = doubles(run.atol), doubles(run.most_atol), doubles(run.motion)
    rounding, growing = doubles(run.rounding), 0
    for n in range(run.nx):
        kind = int(group[n])
        motion[kind] = max(motion[kind], abs(x[n] - rest[n]))
    for n in range(run.nx):
        kind = int(group[n])
        least = max(rounding[kind], LEAST * most[n])
        if kind < OTHER and kind % RATES == LENGTH:
            least = max(least, SPREAD * EPSILON * run.lever * motion[kind + 1])  # of angles
        wanted = max(run.motion_tol * motion[kind], least)
        atol[n] = max(atol[n], min(most[n], wanted))
        if atol[n] < most[n]:
            growing = 1
    run.growing = growing
