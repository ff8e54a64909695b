"""A part of a step: values at its points, and whether a function may cross zero unseen.

The values of all functions at a point are a row of SEEN; SAMPLES + 1 rows are a part. `events`
says what is made of it.
"""

from bellcrank.integrators import contract as c
from bellcrank.linear.native.raw import doubles, native

TURN = 1.5707963267948966  # most that an angle inside sin, cos or tan turns within a part [rad]
HALVINGS = 16  # of a part whose ends are on one side: dips of 1e-10 of the whole
HALVINGS_BETWEEN = 8  # the same where the ends differ, so that a crossing is met anyway
# How far a function may be from its quartic, in units of its third and fourth differences:
# for sums of sines that turn by half a period within the part it is 0.045.
REMAINDER = 0.1
QUIET, STIRRED, UNSETTLED = range(3)  # what the points of a part show
ROUNDING = 1e-13  # of the values in a part


@native
def row_size(run):
    """Return how many values are seen at a point: switches, events, angles that turn."""
    return run.nk + run.ne + run.turning


@native
def keep(run, row):
    """Keep Z and G as a row."""
    z, g, seen = doubles(run.z), doubles(run.g), doubles(run.seen)
    place = row * row_size(run)
    for n in range(run.nk):
        seen[place + n] = z[n]
    for n in range(run.ne + run.turning):
        seen[place + run.nk + n] = g[n]


@native
def recall(run, row):
    """Set Z and G to a row."""
    z, g, seen = doubles(run.z), doubles(run.g), doubles(run.seen)
    place = row * row_size(run)
    for n in range(run.nk):
        z[n] = seen[place + n]
    for n in range(run.ne + run.turning):
        g[n] = seen[place + run.nk + n]


@native
def copy_row(run, to, row):
    """Copy a row over another."""
    seen, size = doubles(run.seen), row_size(run)
    for n in range(size):
        seen[to * size + n] = seen[row * size + n]


@native
def turned(run):
    """Return by how much the angle that turns most does so within the part [rad]."""
    seen, size, most = doubles(run.seen), row_size(run), 0.0
    for n in range(run.nk + run.ne, size):
        turn = 0.0
        for row in range(c.SAMPLES):
            turn += abs(seen[(row + 1) * size + n] - seen[row * size + n])
        most = max(most, turn)
    return most


@native
def judge(run, depth):
    """Return what the points of the part show: QUIET, STIRRED or UNSETTLED.

    QUIET is a part in which nothing happens, STIRRED one that must be inspected from point to
    point, UNSETTLED one where a function may cross zero more often than its points show.
    """
    k, sign = doubles(run.memory), doubles(run.g_sign)
    seen, size, found = doubles(run.seen), row_size(run), QUIET
    for n in range(run.nk + run.ne):
        v0, v1, v2 = seen[n], seen[size + n], seen[2 * size + n]
        v3, v4 = seen[3 * size + n], seen[4 * size + n]
        side = k[n] if n < run.nk else sign[n - run.nk]
        still = side * v1 > 0.0 and side * v2 > 0.0 and side * v3 > 0.0 and side * v4 > 0.0
        found = found if still else STIRRED
        limit = HALVINGS_BETWEEN if side * v0 > 0.0 and side * v4 <= 0.0 else HALVINGS
        if side == 0.0:
            side = 1.0 if v4 > 0.0 else -1.0
            if v0 == 0.0 and v1 == 0.0 and v2 == 0.0 and v3 == 0.0 and v4 == 0.0:
                continue
        if depth < limit and not settled(side, v0, v1, v2, v3, v4):
            return UNSETTLED
    return found


@native
def settled(side, v0, v1, v2, v3, v4):
    """Say whether a function with these values, on a side of zero, crosses at most once.

    b are the Bernstein coefficients of the quartic through the values.
    """
    b0, b4 = side * v0, side * v4
    b1 = side * (-13.0 * v0 + 48.0 * v1 - 36.0 * v2 + 16.0 * v3 - 3.0 * v4) / 12.0
    b2 = side * (13.0 * v0 - 64.0 * v1 + 120.0 * v2 - 64.0 * v3 + 13.0 * v4) / 18.0
    b3 = side * (-3.0 * v0 + 16.0 * v1 - 36.0 * v2 + 48.0 * v3 - 13.0 * v4) / 12.0
    third, other = v3 - v0 + 3.0 * (v1 - v2), v4 - v1 + 3.0 * (v2 - v3)
    most = max(max(abs(third), abs(other)), abs(other - third))
    size = max(max(max(abs(v0), abs(v1)), max(abs(v2), abs(v3))), abs(v4))
    # The quartic is exact at its points, so the ends need not be beyond the error.
    error = REMAINDER * most - ROUNDING * size
    if b4 > 0.0:
        return b1 > error and b2 > error and b3 > error
    falls = b1 - b0 < -error and b2 - b1 < -error and b3 - b2 < -error and b4 - b3 < -error
    if falls or b0 <= 0.0:  # from zero it falls, or must be seen to rise
        return falls
    if b3 > error:
        return b1 > error and b2 > error
    if b2 > error:
        return b1 > error and b3 < -error
    return b2 < -error and b3 < -error and abs(b1) > error
