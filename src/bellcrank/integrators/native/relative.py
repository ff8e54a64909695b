"""Errors of places far from the origin, measured against what is near them.

    eᵢ - e_b over atolᵢ + rtol |xᵢ - x_b|,   b the state that i is based on

A tolerance relative to a place says how exactly the way from the origin is known. Two ends of a
tether of 10 m in an orbit of 7,000 km, both known to 1e-9 of their places, may be 14 mm nearer
to each other than they are. So a place, or a velocity, that is many lengths of the machine from
zero is based on the nearest one before it, if that is near: what is asked of the difference is
what would be asked if the other one lay in the origin. The first of those that travel together
keeps its own. Nothing is asked below the rounding of places.

This is a norm of the error whatever the bases are, since each is before what is based on it.
"""

from math import sqrt

from bellcrank.linear.native.factor import squares
from bellcrank.linear.native.raw import doubles, native

FAR = 1e2  # lengths of the machine from zero, and distances to what is near
WINDOW = 64  # places before it among which the nearest one is looked for
ROUNDING = 1e-15  # of a place


@native
def _between(x, vectors, one, other):
    """Return the distance of two places; of one from zero, if the other is none."""
    total = 0.0
    for axis in range(3):
        n = int(vectors[3 * one + axis])
        if n >= 0:
            apart = x[n] - x[int(vectors[3 * other + axis])] if other >= 0 else x[n]
            total += apart * apart
    return sqrt(total)


@native
def _base(run, one):
    """Return the place that a place is based on, or -1."""
    x, vectors, nq = doubles(run.x), doubles(run.vectors), run.nq
    away = _between(x, vectors, one, -1)
    if not away > FAR * run.length:
        return -1
    least, found, speed = away / FAR, -1, vectors[3 * one] >= nq
    for other in range(max(0, one - WINDOW), one):
        if (vectors[3 * other] >= nq) == speed:
            apart = _between(x, vectors, one, other)
            if apart < least:
                least, found = apart, other
    return found


@native
def relate(run):
    """Choose at X what every place is based on; RELATED where there is any."""
    vectors, bases = doubles(run.vectors), doubles(run.bases)
    run.related = 0
    for one in range(run.vector_count):
        other = _base(run, one)
        for axis in range(3):
            n = int(vectors[3 * one + axis])
            if n >= 0:
                bases[n] = vectors[3 * other + axis] if other >= 0 else -1.0
        if other >= 0:
            run.related = 1


@native
def near(run, row, n):
    """Return an entry of a row of states, less that of the state it is based on."""
    base = int(doubles(run.bases)[n])
    return row[n] - row[base] if base >= 0 else row[n]


@native
def tolerance(run, n, size):
    """Return the tolerance of a state of this size, which is that of a difference or its own.

    One that is based on another has no less than the rounding of places.
    """
    least = atol = doubles(run.atol)[n]
    if run.related != 0 and doubles(run.bases)[n] >= 0.0:
        least = ROUNDING * abs(doubles(run.x)[n])
    return max(atol + run.rtol * size, least)


@native
def step_size(run, n):
    """Return the larger size of a state at X and X1, by which its tolerance is meant."""
    x, x1 = doubles(run.x), doubles(run.x1)
    if run.related == 0:
        return max(abs(x[n]), abs(x1[n]))
    return max(abs(near(run, x, n)), abs(near(run, x1, n)))


@native
def total_squares(run, row, scale):
    """Return Σ (row / scale)² over all states."""
    if run.related == 0:
        return squares(row, scale, run.nx)
    total = 0.0
    for n in range(run.nx):
        part = near(run, row, n) / scale[n]
        total += part * part
    return total
