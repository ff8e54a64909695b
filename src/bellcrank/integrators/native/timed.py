"""What is known ahead of time: breaks on which steps end, limits of steps, marks to record.

At a break the modes of switches of time alone change. They are given for the time between
breaks, so that nothing has to be decided at the break itself, where rounding would.
"""

from math import inf
from typing import Any

from bellcrank.kernels.native.run import normalize
from bellcrank.linear.native.raw import doubles, native

NEAR = 4 * 2.220446049250313e-16  # relative difference of times that are the same


@native
def reached(run, time):
    """Say whether TIME is a given time or later, but for rounding."""
    return (time - run.time) * run.sign <= NEAR * abs(run.time)


@native
def limited(run, h):
    """Return the length of a step that begins at TIME, at most h.

    It reaches no further than the longest step that is allowed from the beginning of any
    limit it meets, or from TIME where that limit holds already.
    """
    start, longest = doubles(run.limit_start), doubles(run.limit_length)
    n, size = run.limit_next, run.limit_size
    while n + 1 < size and (start[n + 1] - run.time) * run.sign <= 0.0:
        n += 1
    run.limit_next = n
    while n < size:
        ahead = max((start[n] - run.time) * run.sign, 0.0)
        if ahead >= h:
            break
        h = min(h, ahead + longest[n])
        n += 1
    return h


@native
def pass_break(run):
    """Set the modes that hold after the break at TIME, and the break where they end.

    The clock moves on to where what switches has left zero for good, rounding and all: the
    root of |x| is taken on both sides of the break, and never of less than nothing.
    """
    breaks, after, n = doubles(run.breaks), doubles(run.break_after), run.break_next
    while n < run.break_size and reached(run, breaks[n]):
        if not reached(run, after[n]):
            run.time = after[n]
        n += 1
    run.break_next = n
    run.next_break = breaks[n] if n < run.break_size else run.sign * inf
    k = doubles(run.memory + 8 * run.nk)
    modes = doubles(run.break_modes + 8 * n * run.timed)
    for m in range(run.timed):
        if k[m] != modes[m]:
            k[m] = modes[m]
            run.flips += 1
    run.base, run.f0_valid = run.time, 0


def marker(interpolate: Any) -> Any:
    """Return `mark(run)`, which writes the states at the marks in the step in hand."""

    @native
    def mark(run):
        marks = doubles(run.marks)
        while run.mark_next < run.mark_size:
            time = marks[run.mark_next]
            if (time - run.time1) * run.sign > 0.0:
                return
            interpolate(run, (time - run.time) / run.step, run.place)
            normalize(run, time, run.place)
            place = doubles(run.place)
            out = doubles(run.mark_x + 8 * run.mark_next * run.nx)
            for n in range(run.nx):
                out[n] = place[n]
            run.mark_next += 1

    return mark
