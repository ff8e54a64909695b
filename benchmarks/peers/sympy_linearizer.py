"""SymPy: Kane's equations of two hanging rods, and its linearizer (A-D4)."""

import numpy as np
import sympy as sm
from sympy.physics.mechanics import (
    KanesMethod,
    Point,
    ReferenceFrame,
    RigidBody,
    dynamicsymbols,
    inertia,
)

NAME = f"SymPy {sm.__version__}"


def frequencies() -> np.ndarray:
    """Return the frequencies [rad/s], from nothing: derivation, linearization, eigenvalues."""
    q, u = dynamicsymbols("q:2"), dynamicsymbols("u:2")
    N, O = ReferenceFrame("N"), Point("O")
    O.set_vel(N, 0)
    bodies, loads, pin, frame = [], [], O, N
    for i in range(2):
        turned = frame.orientnew(f"B{i}", "Axis", [q[i], N.z])
        turned.set_ang_vel(N, sum(u[: i + 1]) * N.z)
        centre, end = pin.locatenew(f"C{i}", -turned.y / 2), pin.locatenew(f"P{i}", -turned.y)
        centre.v2pt_theory(pin, N, turned)
        end.v2pt_theory(pin, N, turned)
        I = (inertia(turned, sm.Rational(1, 12), 0, sm.Rational(1, 12)), centre)
        bodies.append(RigidBody(f"rod{i}", centre, turned, 1, I))
        loads.append((centre, -9.81 * N.y))
        pin, frame = end, turned
    rates = [q[i].diff() - u[i] for i in range(2)]
    kane = KanesMethod(N, q_ind=q, u_ind=u, kd_eqs=rates)
    kane.kanes_equations(bodies, loads)
    rest = dict.fromkeys([*q, *u], 0)
    A, _, _ = kane.linearize(A_and_B=True, op_point=rest, new_method=True)
    values = np.linalg.eigvals(np.array(A.subs(rest).evalf(), dtype=float))
    return np.sort(values.imag[values.imag > 0])
