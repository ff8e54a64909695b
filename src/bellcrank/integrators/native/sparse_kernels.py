"""Kernels of a large machine: ẋ, states on the constraints, switching functions, memory.

Accelerations solve [A Cᵀ; C 0] [u̇; λ] = [f; γ] at the point; positions and speeds are brought
onto the constraints by the matrix of the last Jacobian, which is near enough.
"""

from math import inf, nan

from bellcrank.integrators import sparse_saddle_table as s
from bellcrank.integrators.native.machine import integers
from bellcrank.integrators.native.raw import doubles, native, play
from bellcrank.integrators.native.sparse_machine import (
    copy,
    face,
    factor,
    matrix,
    nearest,
    scaled,
    side,
    solve,
    solve_nearest,
    times,
)

CLOSED = 1e-13  # of residuals over their nominal sizes
TRIES = 4  # corrections of a point


@native
def _load(e, inputs):
    """Set the point that a kernel is given."""
    given = integers(inputs)
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    face(e, time[0], q, u, doubles(given[4]), doubles(given[6]))


@native
def _accelerate(e):
    """Set A and KNOWN to u̇ and λ at the point; False if they are not determined."""
    nu, m, scale = e[s.NU], e[s.M], doubles(e[s.SCALE])
    a, lam, c, x = doubles(e[s.A]), doubles(e[s.LAM]), doubles(e[s.FOUND]), side(e, 0)
    r, gamma, mixed = doubles(e[s.R]), doubles(e[s.GAMMA]), doubles(e[s.MIXED])
    bottom = side(e, 1)
    for n in range(nu):
        a[n] = 0.0
    for n in range(m):
        lam[n] = 0.0
    matrix(e, mixed, 1.0, 0.0, 0.0, 1.0, 0.0)
    scaled(e, mixed, 1)
    if not factor(e, s.PLAIN, False, mixed):
        return False
    play(e[s.PLAY], e[s.ROWS])
    for _ in range(3):  # what −ε leaves goes in the repetitions
        play(e[s.PLAY], e[s.STAGE])
        times(e, c, a, nu, nu + m, bottom)
        for n in range(nu):
            x[n] = -scale[n] * r[n]
        for n in range(m):
            x[nu + n] = scale[nu + n] * (gamma[n] - bottom[n])
        solve(e, s.PLAIN, x)
        for n in range(nu):
            a[n] += scale[n] * x[n]
        for n in range(m):
            lam[n] += scale[nu + n] * x[nu + n]
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
    """Return the largest residual of rows over its nominal size."""
    most, weight = 0.0, doubles(e[s.WEIGHT])
    for n in range(count):
        most = max(most, abs(values[n]) * weight[n])
    return most


@native
def _lead(e, left, b):
    """Set b to the smallest change of speeds or positions that meets rows off by `left`."""
    nu, mh = e[s.NU], e[s.MH]
    for n in range(nu + e[s.M]):
        b[n] = -left[n - nu] if nu <= n < nu + mh else 0.0
    solve_nearest(e, b)


@native
def _close(e):
    """Bring the point onto the constraints; one that is there already stays as it is."""
    nu, mh, b, before = e[s.NU], e[s.MH], side(e, 0), inf
    x, u = doubles(e[s.X]), doubles(e[s.U])
    for _ in range(TRIES):
        play(e[s.PLAY], e[s.STAGE])
        size = _open(e, doubles(e[s.PHI]), mh)
        if size <= CLOSED or size > 0.5 * before:
            break
        before = size
        _lead(e, doubles(e[s.PHI]), b)
        copy(doubles(e[s.Q0]), doubles(e[s.Q]), e[s.NQ])
        copy(x, b, nu)
        play(e[s.PLAY], e[s.MOVE])
    before = inf
    for n in range(nu):
        x[n] = 0.0
    for _ in range(TRIES):
        play(e[s.PLAY], e[s.STAGE])
        size = _open(e, doubles(e[s.RATES]), mh)
        if size <= CLOSED or size > 0.5 * before:
            break
        before = size
        _lead(e, doubles(e[s.RATES]), b)
        for n in range(nu):
            u[n] += b[n]


@native
def _brought(e, q, u):
    """Write q and u of the point, brought onto the constraints."""
    good = e[s.NEAREST] != 0
    if not good:
        matrix(e, doubles(e[s.M0]), 1.0, 0.0, 0.0, 1.0, 0.0)
        good = nearest(e, doubles(e[s.M0]), True)
    if good:
        _close(e)
    copy(q, doubles(e[s.Q]), e[s.NQ])
    copy(u, doubles(e[s.U]), e[s.NU])


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
