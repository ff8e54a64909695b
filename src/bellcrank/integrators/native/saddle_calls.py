"""Calls of the routine that does the linear algebra of methods with constraints.

See `native/saddle.py` for what is solved, `native/residuals.py` for what is evaluated.
"""

from bellcrank.constraints.native.machine import integers, part
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.linear.native.raw import address, native, request


@native
def _ask(i, what, x, y, first, second, third):
    t = integers(i[c.SADDLE])
    numbers = part(t, i[c.MATRICES], d.NUMBERS)
    numbers[0], numbers[1] = x, y
    return request(t[d.ROUTINE], address(i, 0), first, second, third, what) != 0


@native
def take_jacobian(i, time, place):
    """Evaluate the Jacobian at a point where K row 0 has the derivative; False if singular."""
    return _ask(i, d.TAKE, time, 0.0, place, 1, 0)


@native
def take_loosely(i, time, place):
    """Evaluate the Jacobian of a method whose stages hold speeds only.

    The end of a step of Gauss's method is no stage. Brought onto the constraints along the
    directions in which they push, it has the order of the method; μ would add a direction of
    its own.
    """
    return _ask(i, d.TAKE, time, 0.0, place, 0, 0)


@native
def factor_real(i, g):
    """Factorise for a real g; say whether it could be."""
    return _ask(i, d.FACTOR_REAL, g, 0.0, 0, 0, 0)


@native
def factor_complex(i, re, im):
    """Factorise for g = re + i im; say whether it could be."""
    return _ask(i, d.FACTOR_COMPLEX, re, im, 0, 0, 0)


@native
def solve_real(i, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    _ask(i, d.SOLVE_REAL, g, 0.0, address(b, 0), 0, 0)


@native
def solve_complex(i, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    _ask(i, d.SOLVE_COMPLEX, re, im, address(b, 0), address(h, 0), 0)


@native
def residuals(i, time, place, mu, out):
    """Write what is left of the equations at a time and a place."""
    _ask(i, d.RESIDUALS, time, 0.0, place, address(mu, 0), address(out, 0))


@native
def kinematics(i, time, place):
    """Set W_MIDDLE and X_MIDDLE to W and x at a time and a place."""
    _ask(i, d.KINEMATICS_MIDDLE, time, 0.0, place, 0, 0)


@native
def factor_second(i, g, ca):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ; say whether it could be."""
    return _ask(i, d.FACTOR_SECOND, g, ca, 0, 0, 0)


@native
def solve_second(i, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    _ask(i, d.SOLVE_SECOND, g, ca, address(b, 0), 0, 0)


@native
def push(i, lam, out):
    """Set out = D Cᵀ λ, with C of the Jacobian or of the last stage: for norms alone."""
    _ask(i, d.PUSH, 0.0, 0.0, address(lam, 0), address(out, 0), 0)


@native
def mass_times(i, b, out):
    """Set out = A b, A being that of the Jacobian."""
    _ask(i, d.MASS_TIMES, 0.0, 0.0, address(b, 0), address(out, 0), 0)
