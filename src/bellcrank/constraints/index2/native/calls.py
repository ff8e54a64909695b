"""Calls of the routine that does the linear algebra of methods with constraints.

See `native/saddle.py` for what is solved, `native/residuals.py` for what is evaluated.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.native.machine import part
from bellcrank.linear.native.raw import address, address_of, native, record, request

saddle_at = record(d.LAYOUT)


@native
def _ask(run, what, x, y, first, second, third):
    saddle = saddle_at(run.saddle)
    numbers = part(run.matrices, saddle.numbers)
    numbers[0], numbers[1] = x, y
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
def kinematics(run, time, place):
    """Set W_MIDDLE and X_MIDDLE to W and x at a time and a place."""
    _ask(run, d.KINEMATICS_MIDDLE, time, 0.0, place, 0, 0)


@native
def factor_second(run, g, ca):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ; say whether it could be."""
    return _ask(run, d.FACTOR_SECOND, g, ca, 0, 0, 0)


@native
def solve_second(run, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    _ask(run, d.SOLVE_SECOND, g, ca, address(b, 0), 0, 0)


@native
def push(run, lam, out):
    """Set out = D Cᵀ λ, with C of the Jacobian or of the last stage: for norms alone."""
    _ask(run, d.PUSH, 0.0, 0.0, address(lam, 0), address(out, 0), 0)


@native
def mass_times(run, b, out):
    """Set out = A b, A being that of the Jacobian."""
    _ask(run, d.MASS_TIMES, 0.0, 0.0, address(b, 0), address(out, 0), 0)
