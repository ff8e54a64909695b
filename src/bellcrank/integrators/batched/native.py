"""What an iteration of the generalized-α method does to the vectors of a large machine.

See `bellcrank.integrators.batched.alpha`; the table is laid out in `sparse_table`.
"""

from math import inf

from bellcrank.constraints.native.machine import integers
from bellcrank.integrators.batched import table as d
from bellcrank.linear.native.raw import address, doubles, native, record, request, run_pass
from bellcrank.linear.sparse_lu import SOLVE
from bellcrank.machine.batched.native.machine import copy

iteration_at = record(d.LAYOUT)


@native
def _begin(iteration, before, point):
    """Set what is known of a step, and ξ and λ as they are expected."""
    nq, nu = iteration.nq, iteration.nu
    q, u, a, ud, lam = _parts(nq, nu, point)
    _, _, a_before, _, lam_before = _parts(nq, nu, before)
    q0, x, expected = doubles(iteration.q0), doubles(iteration.x), doubles(iteration.lam)
    free, guess = doubles(iteration.free), doubles(iteration.guess)
    a0, u0 = doubles(iteration.a0), doubles(iteration.u0)
    copy(q0, q, nq)
    for n in range(nu):
        free[n] = iteration.h * u[n]
        a0[n] = iteration.a_of_a * a[n] + iteration.a_of_ud * ud[n]
        u0[n] = u[n] + iteration.u_of_a * a[n]
        x[n] = free[n] + iteration.half * a[n] + iteration.rise * (a[n] - a_before[n])
        guess[n] = x[n]
    for n in range(iteration.m):
        expected[n] = 2.0 * lam[n] - lam_before[n]


@native
def _parts(nq, nu, point):
    """Return q, u, a, u̇ and λ (then k) of a point."""
    u = point + 8 * nq
    return (
        doubles(point),
        doubles(u),
        doubles(u + 8 * nu),
        doubles(u + 16 * nu),
        doubles(u + 24 * nu),
    )


@native
def _remember(iteration, out):
    """Fill k as it is at the end of a step: sides of switches, angles over full turns."""
    k, z, angles = doubles(iteration.k), doubles(iteration.z), doubles(iteration.angles)
    kinds = integers(iteration.kinds)
    run_pass(iteration.pass_routine, iteration.memory)
    for n in range(iteration.nk):
        if kinds[n] == d.SIDE:
            out[n] = 1.0 if z[n] >= 0.0 else -1.0
        else:
            out[n] = angles[n] if kinds[n] == d.ANGLE else k[n]


@native
def _end(iteration, begun, found):
    """Fill the point that a step has led to from where it began."""
    nq, nu = iteration.nq, iteration.nu
    q, u, a, ud, lam = _parts(nq, nu, found)
    _, _, a_begun, _, _ = _parts(nq, nu, begun)
    x, free = doubles(iteration.x), doubles(iteration.free)
    copy(q, doubles(iteration.q), nq)
    copy(u, doubles(iteration.u), nu)
    copy(ud, doubles(iteration.a), nu)
    copy(lam, doubles(iteration.lam), iteration.m)
    for n in range(nu):
        a[n] = iteration.kept * a_begun[n] + iteration.own_slope * (x[n] - free[n])
    if iteration.nk > 0:
        _remember(iteration, doubles(address(lam, iteration.m)))


@native
def _place(iteration):
    """Set u, u̇ and q at the end of a step x."""
    x, free, a, u = (
        doubles(iteration.x),
        doubles(iteration.free),
        doubles(iteration.a),
        doubles(iteration.u),
    )
    a0, u0 = doubles(iteration.a0), doubles(iteration.u0)
    for n in range(iteration.nu):
        off = x[n] - free[n]
        a[n] = a0[n] + iteration.a_slope * off
        u[n] = u0[n] + iteration.u_slope * off
    run_pass(iteration.pass_routine, iteration.move)


@native
def _lack(iteration):
    """Set what is lacking there, ready to be solved for."""
    run_pass(iteration.pass_routine, iteration.residual)
    nu, positions, end = iteration.nu, iteration.nu + iteration.mh, iteration.nu + iteration.m
    lacking, scale = doubles(iteration.lacking), doubles(iteration.scale)
    for n in range(nu):
        lacking[n] *= -iteration.share * scale[n]
    for n in range(nu, positions):
        lacking[n] *= -scale[n]
    for n in range(positions, end):
        lacking[n] *= -iteration.u_share * scale[n]


@native
def _solve(iteration):
    """Replace what is lacking by what makes up for it."""
    request(iteration.lu, iteration.matrix, 0, iteration.lacking, 0, SOLVE)


@native
def _take(iteration):
    """Take a solution: correct x and λ, and say how much that was."""
    nu, found, scale = iteration.nu, doubles(iteration.lacking), doubles(iteration.scale)
    x, lam, guess, turning = (
        doubles(iteration.x),
        doubles(iteration.lam),
        doubles(iteration.guess),
        integers(iteration.turning),
    )
    size = nothing = stray = 0.0
    for n in range(nu):
        change = scale[n] * found[n]
        x[n] += change
        size = max(size, abs(change))
        nothing += 0.0 * change  # not-a-number where anything is not finite
    for n in range(iteration.m):
        change = scale[nu + n] * found[nu + n] / iteration.share
        lam[n] += change
        nothing += 0.0 * change
    for n in range(iteration.turns):
        stray = max(stray, abs(x[turning[n]] - guess[turning[n]]))
    iteration.size = size if nothing == 0.0 else inf
    iteration.stray = stray


def alpha(table, numbers, one, other, what):
    """Do what is asked: one of `BEGIN`, `PLACE`, `CORRECT` and `END`.

    `CORRECT` and `END` put the machine in place first. `BEGIN` takes the points where the last
    step and this one begin, `END` those where this one begins and ends.
    """
    iteration = iteration_at(table)
    if what == d.BEGIN:
        _begin(iteration, one, other)
    else:
        _place(iteration)
        if what == d.END:
            _end(iteration, one, other)
        elif what == d.CORRECT:
            _lack(iteration)
            _solve(iteration)
            _take(iteration)
