"""What an iteration of the generalized-α method does to the vectors of a large machine.

See `bellcrank.integrators.sparse_alpha`; the table is laid out in `sparse_table`.
"""

from math import inf

from bellcrank.constraints.native.machine import integers
from bellcrank.integrators import sparse_table as d
from bellcrank.linear.native.raw import address, doubles, native, play, request
from bellcrank.linear.sparse_lu import SOLVE
from bellcrank.machine.batched.native.machine import copy


@native
def _begin(t, f, before, point):
    """Set what is known of a step, and ξ and λ as they are expected."""
    nq, nu = t[d.NQ], t[d.NU]
    q, u, a, ud, lam = _parts(nq, nu, point)
    _, _, a_before, _, lam_before = _parts(nq, nu, before)
    q0, x, expected = doubles(t[d.Q0]), doubles(t[d.X]), doubles(t[d.LAM])
    free, guess = doubles(t[d.FREE]), doubles(t[d.GUESS])
    a0, u0 = doubles(t[d.A0]), doubles(t[d.U0])
    copy(q0, q, nq)
    for n in range(nu):
        free[n] = f[d.H] * u[n]
        a0[n] = f[d.A_OF_A] * a[n] + f[d.A_OF_UD] * ud[n]
        u0[n] = u[n] + f[d.U_OF_A] * a[n]
        x[n] = free[n] + f[d.HALF] * a[n] + f[d.RISE] * (a[n] - a_before[n])
        guess[n] = x[n]
    for n in range(t[d.M]):
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
def _remember(t, out):
    """Fill k as it is at the end of a step: sides of switches, angles over full turns."""
    k, z, angles = doubles(t[d.K]), doubles(t[d.Z]), doubles(t[d.ANGLES])
    kinds = integers(t[d.KINDS])
    play(t[d.PLAY], t[d.MEMORY])
    for n in range(t[d.NK]):
        if kinds[n] == d.SIDE:
            out[n] = 1.0 if z[n] >= 0.0 else -1.0
        else:
            out[n] = angles[n] if kinds[n] == d.ANGLE else k[n]


@native
def _end(t, f, begun, found):
    """Fill the point that a step has led to from where it began."""
    nq, nu = t[d.NQ], t[d.NU]
    q, u, a, ud, lam = _parts(nq, nu, found)
    _, _, a_begun, _, _ = _parts(nq, nu, begun)
    x, free = doubles(t[d.X]), doubles(t[d.FREE])
    copy(q, doubles(t[d.Q]), nq)
    copy(u, doubles(t[d.U]), nu)
    copy(ud, doubles(t[d.A]), nu)
    copy(lam, doubles(t[d.LAM]), t[d.M])
    for n in range(nu):
        a[n] = f[d.KEPT] * a_begun[n] + f[d.OWN_SLOPE] * (x[n] - free[n])
    if t[d.NK] > 0:
        _remember(t, doubles(address(lam, t[d.M])))


@native
def _place(t, f):
    """Set u, u̇ and q at the end of a step x."""
    x, free, a, u = doubles(t[d.X]), doubles(t[d.FREE]), doubles(t[d.A]), doubles(t[d.U])
    a0, u0 = doubles(t[d.A0]), doubles(t[d.U0])
    for n in range(t[d.NU]):
        off = x[n] - free[n]
        a[n] = a0[n] + f[d.A_SLOPE] * off
        u[n] = u0[n] + f[d.U_SLOPE] * off
    play(t[d.PLAY], t[d.MOVE])


@native
def _lack(t, f):
    """Set what is lacking there, ready to be solved for."""
    play(t[d.PLAY], t[d.RESIDUAL])
    nu, positions, end = t[d.NU], t[d.NU] + t[d.MH], t[d.NU] + t[d.M]
    lacking, scale = doubles(t[d.LACKING]), doubles(t[d.SCALE])
    for n in range(nu):
        lacking[n] *= -f[d.SHARE] * scale[n]
    for n in range(nu, positions):
        lacking[n] *= -scale[n]
    for n in range(positions, end):
        lacking[n] *= -f[d.U_SHARE] * scale[n]


@native
def _solve(t):
    """Replace what is lacking by what makes up for it."""
    request(t[d.LU], t[d.MATRIX], 0, t[d.LACKING], 0, SOLVE)


@native
def _take(t, f):
    """Take a solution: correct x and λ, and say how much that was."""
    nu, found, scale = t[d.NU], doubles(t[d.LACKING]), doubles(t[d.SCALE])
    x, lam, guess, turning = (
        doubles(t[d.X]),
        doubles(t[d.LAM]),
        doubles(t[d.GUESS]),
        integers(t[d.TURNING]),
    )
    size = nothing = stray = 0.0
    for n in range(nu):
        change = scale[n] * found[n]
        x[n] += change
        size = max(size, abs(change))
        nothing += 0.0 * change  # not-a-number where anything is not finite
    for n in range(t[d.M]):
        change = scale[nu + n] * found[nu + n] / f[d.SHARE]
        lam[n] += change
        nothing += 0.0 * change
    for n in range(t[d.TURNS]):
        stray = max(stray, abs(x[turning[n]] - guess[turning[n]]))
    f[d.SIZE] = size if nothing == 0.0 else inf
    f[d.STRAY] = stray


def alpha(table, numbers, one, other, what):
    """Do what is asked: one of `BEGIN`, `PLACE`, `CORRECT` and `END`.

    `CORRECT` and `END` put the machine in place first. `BEGIN` takes the points where the last
    step and this one begin, `END` those where this one begins and ends.
    """
    t, f = integers(table), doubles(numbers)
    if what == d.BEGIN:
        _begin(t, f, one, other)
    else:
        _place(t, f)
        if what == d.END:
            _end(t, f, one, other)
        elif what == d.CORRECT:
            _lack(t, f)
            _solve(t)
            _take(t, f)
