"""Calls of the routine that does the linear algebra of methods with constraints.

See `algebra.py` for what is solved, `residuals.py` for what is evaluated.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.native.machine import part
from bellcrank.linear.native.raw import address, address_of, native, record, request

saddle_at = record(d.LAYOUT)


@native
def _ask(run, what, x, y, first, second, third, z=0.0):
    saddle = saddle_at(run.saddle)
    numbers = part(run.matrices, saddle.numbers)
    numbers[0], numbers[1], numbers[2] = x, y, z
    return request(saddle.routine, address_of(run), first, second, third, what) != 0


@native
def take_jacobian(run, time, place):
    """Evaluate the Jacobian at a point where K row 0 has the derivative; False if singular."""
    return _ask(run, d.TAKE, time, 0.0, place, 1, 0)


@native
def take_loosely(run, time, place):
    """Evaluate the Jacobian of a method whose stages hold speeds only.

    The end of a step of Gauss's method is no stage. Brought onto the constraints along the
    directions in which they push, it has the order of the method; μ would add a direction of
    its own.
    """
    return _ask(run, d.TAKE, time, 0.0, place, 0, 0)


@native
def factor_real(run, g):
    """Factorise for a real g; say whether it could be."""
    return _ask(run, d.FACTOR_REAL, g, 0.0, 0, 0, 0)


@native
def factor_complex(run, re, im):
    """Factorise for g = re + i im; say whether it could be."""
    return _ask(run, d.FACTOR_COMPLEX, re, im, 0, 0, 0)


@native
def solve_real(run, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    _ask(run, d.SOLVE_REAL, g, 0.0, address(b, 0), 0, 0)


@native
def solve_complex(run, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    _ask(run, d.SOLVE_COMPLEX, re, im, address(b, 0), address(h, 0), 0)


@native
def residuals(run, time, place, mu, out):
    """Write what is left of the equations at a time and a place."""
    _ask(run, d.RESIDUALS, time, 0.0, place, address(mu, 0), address(out, 0))


@native
def push(run, lam, out):
    """Set out = D Cᵀ λ, with C of the Jacobian or of the last stage: for norms alone."""
    _ask(run, d.PUSH, 0.0, 0.0, address(lam, 0), address(out, 0), 0)


@native
def mass_times(run, b, out):
    """Set out = A b, A being that of the Jacobian."""
    _ask(run, d.MASS_TIMES, 0.0, 0.0, address(b, 0), address(out, 0), 0)


# --- equations of second order: `native/second_order.py` ------------------------------------


@native
def halfway(run):
    """Before a step from OWN_PLACE with OWN_SPEED: find how coordinates follow speeds in it."""
    _ask(run, d.HALFWAY, 0.0, 0.0, 0, 0, 0)


@native
def move(run):
    """Set q of X1 to OWN_PLACE moved by SHIFT, the ξ of a step; u of X1 is to be set."""
    _ask(run, d.MOVE, 0.0, 0.0, 0, 0, 0)


@native
def lacking(run, out):
    """Write [.., -r, -(C u - ν), -Φ] where `move` has led, with ACCELERATION and LAM."""
    _ask(run, d.LACKING, 0.0, 0.0, address(out, 0), 0, 0)


@native
def rates(run, row):
    """Write q̇ where `move` has led."""
    _ask(run, d.RATES, 0.0, 0.0, row, 0, 0)


@native
def factor_second(run, g, ca, ahead):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ, with matrices of X; say whether it could be.

    K row 0 has the derivative there. Where AHEAD says so, matrices are those expected a time
    `ahead` later.
    """
    return _ask(run, d.FACTOR_SECOND, g, ca, 0, 0, 0, ahead)


@native
def solve_second(run, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    _ask(run, d.SOLVE_SECOND, g, ca, address(b, 0), 0, 0)
