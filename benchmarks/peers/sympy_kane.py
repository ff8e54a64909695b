"""SymPy: `KanesMethod`, `lambdify(cse=True)`, SciPy's DOP853.

The time to derive and generate code grows 2.3 times with each joint of a chain (0.3 s for 3,
10 s for 7 were seen), so machines above `LIMIT` joints are not tried, and the table says so.
"""

from collections.abc import Callable

import numpy as np
import scipy
import sympy as sm
import sympy.physics.mechanics as me
from scipy.integrate import solve_ivp

from benchmarks.machines import GRAVITY, Chain, chain_tip

NAME = f"SymPy {sm.__version__} Kane, SciPy {scipy.__version__} DOP853"
SETTINGS = tuple(10.0 ** (-k / 4) for k in range(12, 52))
"""Relative and absolute tolerance."""
LIMIT = 7
"""The most joints that are derived."""


def equations(machine: Chain) -> tuple[me.KanesMethod, list, list]:
    """Return Kane's equations of a chain with its coordinates and speeds."""
    q = me.dynamicsymbols(f"q:{machine.joints}")
    u = me.dynamicsymbols(f"u:{machine.joints}")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    O.set_vel(N, 0)
    bodies, loads, frame, pivot = [], [], N, O
    for k, axis in enumerate(machine.axes):
        body = me.ReferenceFrame(f"B{k}")
        body.orient_axis(frame, getattr(frame, axis), q[k])
        body.set_ang_vel(frame, u[k] * getattr(frame, axis))
        centre = pivot.locatenew(f"C{k}", -sm.Float(machine.length) / 2 * body.z)
        centre.v2pt_theory(pivot, N, body)
        J = sm.Float(machine.transverse_inertia)
        about = me.inertia(body, J, J, 0)
        bodies.append(me.RigidBody(f"R{k}", centre, body, machine.mass, (about, centre)))
        loads.append((centre, -machine.mass * GRAVITY * N.z))
        if machine.damping:
            torque = -machine.damping * u[k] * getattr(frame, axis)
            loads += [(body, torque)] + ([(frame, -torque)] if frame is not N else [])
        end = pivot.locatenew(f"P{k + 1}", -sm.Float(machine.length) * body.z)
        end.v2pt_theory(pivot, N, body)
        frame, pivot = body, end
    rates = [sm.diff(a) - b for a, b in zip(q, u, strict=True)]
    kane = me.KanesMethod(N, q, u, rates)
    kane.kanes_equations(bodies, loads)
    return kane, list(q), list(u)


def build(machine: Chain) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(tolerance)`."""
    if machine.joints > LIMIT:
        raise NotImplementedError(
            f"not tried: derivation time grows 2.3x per joint, limit {LIMIT}"
        )
    kane, q, u = equations(machine)
    evaluate = sm.lambdify([q, u], [kane.mass_matrix, kane.forcing], cse=True)
    n = machine.joints

    def rates(_t: float, x: np.ndarray) -> np.ndarray:
        M, f = evaluate(x[:n], x[n:])
        return np.concatenate([x[n:], np.linalg.solve(M, f[:, 0])])

    x0 = np.concatenate([machine.start, np.zeros(n)])

    def run(tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        track = solve_ivp(
            rates, (0.0, machine.until), x0, "DOP853",
            t_eval=machine.grid, rtol=tolerance, atol=tolerance,
        )  # fmt: skip
        return track.t, chain_tip(machine, track.y[:n].T)

    return run
