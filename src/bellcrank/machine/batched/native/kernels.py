"""Kernels of a large machine: ẋ, states on the constraints, switching functions, memory.

Accelerations solve [A Cᵀ; C 0] [u̇; λ] = [f; γ] at the point, and the same matrix brings
positions and speeds onto the constraints, along the directions in which these push: the end of
a step of Gauss's method, which is no stage, then has the order of the method.
"""

from math import inf, nan

from bellcrank.constraints.native.machine import integers
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import doubles, native, run_pass
from bellcrank.linear.native.sparse_lu import factors_at
from bellcrank.machine.batched.native import table as s
from bellcrank.machine.batched.native.machine import (
    copy,
    evaluate,
    face,
    factor,
    machine_at,
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
def _load(machine, inputs):
    """Set the point that a kernel is given."""
    given = integers(inputs)
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    face(machine, time[0], q, u, doubles(given[4]), doubles(given[6]))


@native
def _same(machine, known):
    """Say whether time, inputs and modes are those of the factors; note them if not."""
    same, n = known[0] == doubles(machine.t)[0], 1
    known[0] = doubles(machine.t)[0]
    w, k = doubles(machine.w), doubles(machine.k)
    for m in range(machine.nw):
        same = same and known[n] == w[m]
        known[n] = w[m]
        n += 1
    for m in range(machine.modes):  # angles turn no row
        same = same and known[n] == k[m]
        known[n] = k[m]
        n += 1
    return same


@native
def _factored(machine, known_here):
    """Have factors of [A Cᵀ; C 0] at the point, or so near to it that repetitions do.

    `known_here` says that FOUND holds the matrix of this point.
    """
    nq, q, known = machine.nq, doubles(machine.q), doubles(machine.plain_at)
    near = _same(machine, at(known, nq)) and factors_at(machine.plain).chosen != 0
    for n in range(nq):
        near = near and abs(q[n] - known[n]) <= NEAR
    if near:
        return True
    copy(known, q, nq)
    mixed = doubles(machine.mixed)
    if not known_here:
        evaluate(machine, 1.0, 0.0, 0.0, 1.0, 0.0)
    copy(mixed, doubles(machine.found), machine.entries)
    scaled(machine, mixed, 1)
    return factor(machine, machine.plain, False, mixed)


@native
def _solved(machine, x):
    """Replace a right-hand side by the solution."""
    scale = doubles(machine.scale)
    for n in range(machine.nu + machine.m):
        x[n] *= scale[n]
    solve(machine, machine.plain, x)
    for n in range(machine.nu + machine.m):
        x[n] *= scale[n]


@native
def _accelerate(machine):
    """Set A and KNOWN to u̇ and λ at the point; False if they are not determined."""
    nu, m, a, lam = machine.nu, machine.m, doubles(machine.a), doubles(machine.lam)
    r, gamma, x, bottom = (
        doubles(machine.r),
        doubles(machine.gamma),
        side(machine, 0),
        side(machine, 1),
    )
    for n in range(nu):
        a[n] = 0.0
    for n in range(m):
        lam[n] = 0.0
    evaluate(machine, 1.0, 0.0, 0.0, 1.0, 0.0)
    if not _factored(machine, True):
        return False
    run_pass(machine.pass_routine, machine.rows)
    for _ in range(3):  # what −ε leaves goes in the repetitions
        run_pass(machine.pass_routine, machine.stage)
        times(machine, doubles(machine.found), a, nu, nu + m, bottom)
        for n in range(nu):
            x[n] = -r[n]
        for n in range(m):
            x[nu + n] = gamma[n] - bottom[n]
        _solved(machine, x)
        for n in range(nu):
            a[n] += x[n]
        for n in range(m):
            lam[n] += x[nu + n]
    copy(doubles(machine.known), lam, m)
    return True


@native
def _rates(machine, q_rate, u_rate):
    """Write q̇ and u̇ at the point; not-a-number where they are not determined."""
    copy(doubles(machine.v), doubles(machine.u), machine.nu)
    run_pass(machine.pass_routine, machine.flow)
    copy(q_rate, doubles(machine.q_rate), machine.nq)
    good, a = _accelerate(machine), doubles(machine.a)
    for n in range(machine.nu):
        u_rate[n] = a[n] if good else nan


@native
def _open(machine, values, count):
    """Return the largest residual of rows over its nominal size; inf if one is not a number."""
    most, nothing, weight = 0.0, 0.0, doubles(machine.weight)
    for n in range(count):
        most = max(most, abs(values[n]) * weight[n])
        nothing += 0.0 * values[n]
    return most if nothing == 0.0 else inf


@native
def _lead(machine, left, count, b):
    """Set b to the smallest change of speeds or positions that meets rows off by `left`."""
    nu = machine.nu
    for n in range(nu + machine.m):
        b[n] = -left[n - nu] if nu <= n < nu + count else 0.0
    _solved(machine, b)


@native
def _close_positions(machine):
    """Bring q onto the constraints; say whether it is there."""
    b, before = side(machine, 0), inf
    for _ in range(TRIES):
        run_pass(machine.pass_routine, machine.stage)
        size = _open(machine, doubles(machine.phi), machine.mh)
        if size <= CLOSED:
            return True
        if not size < 0.5 * before or not _factored(machine, False):
            return size <= ENOUGH
        before = size
        _lead(machine, doubles(machine.phi), machine.mh, b)
        copy(doubles(machine.q0), doubles(machine.q), machine.nq)
        copy(doubles(machine.x), b, machine.nu)
        run_pass(machine.pass_routine, machine.move)
    run_pass(machine.pass_routine, machine.stage)
    return _open(machine, doubles(machine.phi), machine.mh) <= ENOUGH


@native
def _close_speeds(machine):
    """Bring u onto the constraints; say whether it is there."""
    b, u, before = side(machine, 0), doubles(machine.u), inf
    for _ in range(TRIES):
        run_pass(machine.pass_routine, machine.stage)
        size = _open(machine, doubles(machine.rates), machine.m)
        if size <= CLOSED:
            return True
        if not size < 0.5 * before or not _factored(machine, False):
            return size <= ENOUGH * _fastest(machine)
        before = size
        _lead(machine, doubles(machine.rates), machine.m, b)
        for n in range(machine.nu):
            u[n] += b[n]
    run_pass(machine.pass_routine, machine.stage)
    return _open(machine, doubles(machine.rates), machine.m) <= ENOUGH * _fastest(machine)


@native
def _fastest(machine):
    """Return the largest speed, or one."""
    most, u = 1.0, doubles(machine.u)
    for n in range(machine.nu):
        most = max(most, abs(u[n]))
    return most


@native
def _brought(machine, q, u):
    """Write q and u of the point, brought onto the constraints."""
    nothing = 0.0 if _close_positions(machine) and _close_speeds(machine) else nan
    found, speeds = doubles(machine.q), doubles(machine.u)
    for n in range(machine.nq):
        q[n] = found[n] + nothing
    copy(u, speeds, machine.nu)


@native
def _revised(machine, out):
    """Write k as it is at the point, modes left alone."""
    k, angles, which = doubles(machine.k), doubles(machine.angles), integers(machine.is_angle)
    run_pass(machine.pass_routine, machine.memory)
    for n in range(machine.nk):
        out[n] = angles[n] if which[n] != 0 else k[n]


def kernels(inputs, outputs, work, record, what):
    """Be one of the kernels of a machine: `RHS`, `NORMALIZE`, `SWITCHES` or `REVISE`."""
    machine, out = machine_at(record), integers(outputs)
    _load(machine, inputs)
    if what == s.RHS:
        _rates(machine, doubles(out[0]), doubles(out[1]))
    elif what == s.NORMALIZE:
        _brought(machine, doubles(out[0]), doubles(out[1]))
    elif what == s.SWITCHES:
        run_pass(machine.pass_routine, machine.memory)
        copy(doubles(out[0]), doubles(machine.z), machine.modes)
    else:
        _revised(machine, doubles(out[0]))
