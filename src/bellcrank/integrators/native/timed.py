"""What is known ahead of time: breaks on which steps end, limits of steps, marks to record.

At a break the modes of switches of time alone change. They are given for the time between
breaks, so that nothing has to be decided at the break itself, where rounding would.
"""

from math import inf
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import normalize
from bellcrank.linear.native.raw import doubles, native

NEAR = 4 * 2.220446049250313e-16  # relative difference of times that are the same


@native
def reached(f, time):
    """Say whether TIME is a given time or later, but for rounding."""
    return (time - f[c.TIME]) * f[c.SIGN] <= NEAR * abs(f[c.TIME])


@native
def limited(i, f, h):
    """Return the length of a step that begins at TIME, at most h.

    It reaches no further than the longest step that is allowed from the beginning of any
    limit it meets, or from TIME where that limit holds already.
    """
    start, longest = doubles(i[c.LIMIT_START]), doubles(i[c.LIMIT_LENGTH])
    n, size = i[c.LIMIT_NEXT], i[c.LIMIT_SIZE]
    while n + 1 < size and (start[n + 1] - f[c.TIME]) * f[c.SIGN] <= 0.0:
        n += 1
    i[c.LIMIT_NEXT] = n
    while n < size:
        ahead = max((start[n] - f[c.TIME]) * f[c.SIGN], 0.0)
        if ahead >= h:
            break
        h = min(h, ahead + longest[n])
        n += 1
    return h


@native
def pass_break(i, f):
    """Set the modes that hold after the break at TIME, and the break where they end.

    The clock moves on to where what switches has left zero for good, rounding and all: the
    root of |x| is taken on both sides of the break, and never of less than nothing.
    """
    breaks, after, n = doubles(i[c.BREAKS]), doubles(i[c.BREAK_AFTER]), i[c.BREAK_NEXT]
    while n < i[c.BREAK_SIZE] and reached(f, breaks[n]):
        if not reached(f, after[n]):
            f[c.TIME] = after[n]
        n += 1
    i[c.BREAK_NEXT] = n
    f[c.NEXT_BREAK] = breaks[n] if n < i[c.BREAK_SIZE] else f[c.SIGN] * inf
    k = doubles(i[c.MEMORY] + 8 * i[c.NK])
    modes = doubles(i[c.BREAK_MODES] + 8 * n * i[c.TIMED])
    for m in range(i[c.TIMED]):
        if k[m] != modes[m]:
            k[m] = modes[m]
            i[c.FLIPS] += 1
    f[c.BASE], i[c.F0_VALID] = f[c.TIME], 0


def marker(interpolate: Any) -> Any:
    """Return `mark(i, f)`, which writes the states at the marks in the step in hand."""

    @native
    def mark(i, f):
        marks = doubles(i[c.MARKS])
        while i[c.MARK_NEXT] < i[c.MARK_SIZE]:
            time = marks[i[c.MARK_NEXT]]
            if (time - f[c.TIME1]) * f[c.SIGN] > 0.0:
                return
            interpolate(i, f, (time - f[c.TIME]) / f[c.STEP], i[c.PLACE])
            normalize(i, time, i[c.PLACE])
            place = doubles(i[c.PLACE])
            out = doubles(i[c.MARK_X] + 8 * i[c.MARK_NEXT] * i[c.NX])
            for n in range(i[c.NX]):
                out[n] = place[n]
            i[c.MARK_NEXT] += 1

    return mark
