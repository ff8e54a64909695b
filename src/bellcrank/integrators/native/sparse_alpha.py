"""What an iteration of the generalized-α method does to the vectors of a large machine.

See `bellcrank.integrators.sparse_alpha`; the table is laid out in `sparse_table`.
"""

from math import inf

from bellcrank.integrators import sparse_table as d
from bellcrank.integrators.native.machine import integers
from bellcrank.integrators.native.raw import doubles, native, play


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
def _lack(t):
    """Set what is lacking there, ready to be solved for."""
    play(t[d.PLAY], t[d.RESIDUAL])
    lacking, factors = doubles(t[d.LACKING]), doubles(t[d.FACTORS])
    for n in range(t[d.NU] + t[d.M]):
        lacking[n] *= factors[n]


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


def alpha(table, numbers, nothing, more, what):
    """Do what is asked: one of `PLACE`, `LACK` and `TAKE`."""
    t, f = integers(table), doubles(numbers)
    if what == d.TAKE:
        _take(t, f)
    else:
        _place(t, f)
        if what == d.LACK:
            _lack(t)
