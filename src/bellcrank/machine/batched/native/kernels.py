"""Kernels of a large machine: ẋ, states on the constraints, switching functions, memory.

Accelerations solve [A Cᵀ; C 0] [u̇; λ] = [f; γ] at the point, and the same matrix brings
positions and speeds onto the constraints, along the directions in which these push: the end of
a step of Gauss's method, which is no stage, then has the order of the method.
"""

from math import inf, nan

from bellcrank.constraints.native.machine import integers
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import doubles, native, play
from bellcrank.linear.native.sparse_lu import factors_at
from bellcrank.machine.batched.native import table as s
from bellcrank.machine.batched.native.machine import (
    copy,
    evaluate,
    face,
    factor,
    scaled,
    side,
    solve,
    times,
)

CLOSED = 1e-13  # of residuals over their nominal sizes
ENOUGH = 1e-9  # where corrections lead no further
TRIES = 8  # corrections of a point
NEAR = 1e-9  # change of coordinates over which factors serve [m, 1]


@native
def _load(e, inputs):
    """Set the point that a kernel is given."""
    given = integers(inputs)
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    face(e, time[0], q, u, doubles(given[4]), doubles(given[6]))


@native
def _same(e, known):
    """Say whether time, inputs and modes are those of the factors; note them if not."""
    same, n = known[0] == doubles(e[s.T])[0], 1
    known[0] = doubles(e[s.T])[0]
    w, k = doubles(e[s.W]), doubles(e[s.K])
    for m in range(e[s.NW]):
        same = same and known[n] == w[m]
        known[n] = w[m]
        n += 1
    for m in range(e[s.MODES]):  # angles turn no row
        same = same and known[n] == k[m]
        known[n] = k[m]
        n += 1
    return same


@native
def _factored(e, known_here):
    """Have factors of [A Cᵀ; C 0] at the point, or so near to it that repetitions do.

    `known_here` says that FOUND holds the matrix of this point.
    """
    nq, q, known = e[s.NQ], doubles(e[s.Q]), doubles(e[s.PLAIN_AT])
    near = _same(e, at(known, nq)) and factors_at(e[s.PLAIN]).chosen != 0
    for n in range(nq):
        near = near and abs(q[n] - known[n]) <= NEAR
    if near:
        return True
    copy(known, q, nq)
    mixed = doubles(e[s.MIXED])
    if not known_here:
        evaluate(e, 1.0, 0.0, 0.0, 1.0, 0.0)
    copy(mixed, doubles(e[s.FOUND]), e[s.ENTRIES])
    scaled(e, mixed, 1)
    return factor(e, s.PLAIN, False, mixed)


@native
def _solved(e, x):
    """Replace a right-hand side by the solution."""
    scale = doubles(e[s.SCALE])
    for n in range(e[s.NU] + e[s.M]):
        x[n] *= scale[n]
    solve(e, s.PLAIN, x)
    for n in range(e[s.NU] + e[s.M]):
        x[n] *= scale[n]


@native
def _accelerate(e):
    """Set A and KNOWN to u̇ and λ at the point; False if they are not determined."""
    nu, m, a, lam = e[s.NU], e[s.M], doubles(e[s.A]), doubles(e[s.LAM])
    r, gamma, x, bottom = doubles(e[s.R]), doubles(e[s.GAMMA]), side(e, 0), side(e, 1)
    for n in range(nu):
        a[n] = 0.0
    for n in range(m):
        lam[n] = 0.0
    evaluate(e, 1.0, 0.0, 0.0, 1.0, 0.0)
    if not _factored(e, True):
        return False
    play(e[s.PLAY], e[s.ROWS])
    for _ in range(3):  # what −ε leaves goes in the repetitions
        play(e[s.PLAY], e[s.STAGE])
        times(e, doubles(e[s.FOUND]), a, nu, nu + m, bottom)
        for n in range(nu):
            x[n] = -r[n]
        for n in range(m):
            x[nu + n] = gamma[n] - bottom[n]
        _solved(e, x)
        for n in range(nu):
            a[n] += x[n]
        for n in range(m):
            lam[n] += x[nu + n]
    copy(doubles(e[s.KNOWN]), lam, m)
    return True


@native
def _rates(e, q_rate, u_rate):
    """Write q̇ and u̇ at the point; not-a-number where they are not determined."""
    copy(doubles(e[s.V]), doubles(e[s.U]), e[s.NU])
    play(e[s.PLAY], e[s.FLOW])
    copy(q_rate, doubles(e[s.Q_RATE]), e[s.NQ])
    good, a = _accelerate(e), doubles(e[s.A])
    for n in range(e[s.NU]):
        u_rate[n] = a[n] if good else nan


@native
def _open(e, values, count):
    """Return the largest residual of rows over its nominal size; inf if one is not a number."""
    most, nothing, weight = 0.0, 0.0, doubles(e[s.WEIGHT])
    for n in range(count):
        most = max(most, abs(values[n]) * weight[n])
        nothing += 0.0 * values[n]
    return most if nothing == 0.0 else inf


@native
def _lead(e, left, count, b):
    """Set b to the smallest change of speeds or positions that meets rows off by `left`."""
    nu = e[s.NU]
    for n in range(nu + e[s.M]):
        b[n] = -left[n - nu] if nu <= n < nu + count else 0.0
    _solved(e, b)


@native
def _close_positions(e):
    """Bring q onto the constraints; say whether it is there."""
    b, before = side(e, 0), inf
    for _ in range(TRIES):
        play(e[s.PLAY], e[s.STAGE])
        size = _open(e, doubles(e[s.PHI]), e[s.MH])
        if size <= CLOSED:
            return True
        if not size < 0.5 * before or not _factored(e, False):
            return size <= ENOUGH
        before = size
        _lead(e, doubles(e[s.PHI]), e[s.MH], b)
        copy(doubles(e[s.Q0]), doubles(e[s.Q]), e[s.NQ])
        copy(doubles(e[s.X]), b, e[s.NU])
        play(e[s.PLAY], e[s.MOVE])
    play(e[s.PLAY], e[s.STAGE])
    return _open(e, doubles(e[s.PHI]), e[s.MH]) <= ENOUGH


@native
def _close_speeds(e):
    """Bring u onto the constraints; say whether it is there."""
    b, u, before = side(e, 0), doubles(e[s.U]), inf
    for _ in range(TRIES):
        play(e[s.PLAY], e[s.STAGE])
        size = _open(e, doubles(e[s.RATES]), e[s.M])
        if size <= CLOSED:
            return True
        if not size < 0.5 * before or not _factored(e, False):
            return size <= ENOUGH * _fastest(e)
        before = size
        _lead(e, doubles(e[s.RATES]), e[s.M], b)
        for n in range(e[s.NU]):
            u[n] += b[n]
    play(e[s.PLAY], e[s.STAGE])
    return _open(e, doubles(e[s.RATES]), e[s.M]) <= ENOUGH * _fastest(e)


@native
def _fastest(e):
    """Return the largest speed, or one."""
    most, u = 1.0, doubles(e[s.U])
    for n in range(e[s.NU]):
        most = max(most, abs(u[n]))
    return most


@native
def _brought(e, q, u):
    """Write q and u of the point, brought onto the constraints."""
    nothing = 0.0 if _close_positions(e) and _close_speeds(e) else nan
    found, speeds = doubles(e[s.Q]), doubles(e[s.U])
    for n in range(e[s.NQ]):
        q[n] = found[n] + nothing
    copy(u, speeds, e[s.NU])


@native
def _revised(e, out):
    """Write k as it is at the point, modes left alone."""
    k, angles, which = doubles(e[s.K]), doubles(e[s.ANGLES]), integers(e[s.IS_ANGLE])
    play(e[s.PLAY], e[s.MEMORY])
    for n in range(e[s.NK]):
        out[n] = angles[n] if which[n] != 0 else k[n]


def kernels(inputs, outputs, work, table, what):
    """Be one of the kernels of a machine: `RHS`, `NORMALIZE`, `SWITCHES` or `REVISE`."""
    e, out = integers(table), integers(outputs)
    _load(e, inputs)
    if what == s.RHS:
        _rates(e, doubles(out[0]), doubles(out[1]))
    elif what == s.NORMALIZE:
        _brought(e, doubles(out[0]), doubles(out[1]))
    elif what == s.SWITCHES:
        play(e[s.PLAY], e[s.MEMORY])
        copy(doubles(out[0]), doubles(e[s.Z]), e[s.MODES])
    else:
        _revised(e, doubles(out[0]))
