"""SymPy's `KanesMethod` on the double pendulum and on the heavy top."""

import numpy as np
import pytest
import sympy as sm
import sympy.physics.mechanics as me
from tests.laws.evaluation import Evaluated
from tests.oracle.steps import rotation

import bellcrank as bc

pytestmark = pytest.mark.oracle


def kane_double_pendulum():
    """Return `f(q, u) -> u̇` of two 1 m, 1 kg rods about x, relative angles."""
    q, u = me.dynamicsymbols("q:2"), me.dynamicsymbols("u:2")
    N, pivot = me.ReferenceFrame("N"), me.Point("O")
    pivot.set_vel(N, 0)
    frame, bodies, loads = N, [], []
    for k in range(2):
        body = frame.orientnew(f"B{k}", "Axis", [q[k], frame.x])
        body.set_ang_vel(frame, u[k] * frame.x)
        centre = pivot.locatenew(f"C{k}", -body.z / 2)
        centre.v2pt_theory(pivot, N, body)
        J = me.inertia(body, sm.Rational(1, 12), sm.Rational(1, 12), 0)
        bodies.append(me.RigidBody(f"R{k}", centre, body, 1, (J, centre)))
        loads.append((centre, -9.81 * N.z))
        pivot, previous, frame = pivot.locatenew(f"P{k}", -body.z), pivot, body
        pivot.v2pt_theory(previous, N, body)
    kane = me.KanesMethod(N, q, u, [q[k].diff() - u[k] for k in range(2)])
    kane.kanes_equations(bodies, loads)
    return _solver(q, u, kane)


def kane_top(m: float, l: float, I1: float, I3: float):
    """Return `f(angles, w) -> (rates of the angles, ẇ)` with body rates w as speeds."""
    q, w = me.dynamicsymbols("q:3"), me.dynamicsymbols("w:3")
    N, O = me.ReferenceFrame("N"), me.Point("O")
    B = N.orientnew("B", "Body", q, "ZXZ")
    O.set_vel(N, 0)
    by_angles = B.ang_vel_in(N)
    kinematics = [by_angles.dot(axis) - x for axis, x in zip(B, w, strict=True)]
    B.set_ang_vel(N, sum((x * axis for axis, x in zip(B, w, strict=True)), 0 * B.x))
    C = O.locatenew("C", l * B.z)
    C.v2pt_theory(O, N, B)
    J = me.inertia(B, I1 - m * l * l, I1 - m * l * l, I3)
    top = me.RigidBody("top", C, B, m, (J, C))
    kane = me.KanesMethod(N, q, w, kinematics)
    kane.kanes_equations([top], [(C, -m * 9.81 * N.z)])
    return _solver(q, w, kane), sm.lambdify([q], N.dcm(B))


def _solver(q, u, kane):
    evaluate = sm.lambdify([q, u], [kane.mass_matrix, kane.forcing], cse=True)

    def accelerations(x, v):
        M, f = evaluate(x, v)
        return np.linalg.solve(np.array(M, dtype=float), np.array(f, dtype=float)[:, 0])

    return accelerations


def test_the_double_pendulum_moves_as_kane_says():
    joints = [(0, 0, 0), (0, 0, -1), (0, 0, -2)]
    model = bc.Model(
        "double pendulum",
        bodies=[bc.Body(f"rod{k}", bc.Rod(joints[k], joints[k + 1], mass=1.0)) for k in (0, 1)],
        joints=[
            bc.Revolute("A", "ground", "rod0", at=joints[0], axis="x"),
            bc.Revolute("B", "rod0", "rod1", at=joints[1], axis="x"),
        ],
    )
    ours, kane = Evaluated(model), kane_double_pendulum()
    rng = np.random.default_rng(2)
    for q, u in rng.uniform(-3, 3, (20, 2, 2)):
        np.testing.assert_allclose(ours.accelerations(q, u), kane(q, u), rtol=1e-10, atol=1e-10)


def test_the_heavy_top_moves_as_kane_says():
    m, l, I1, I3 = 1.0, 0.04, 0.002, 0.0008
    across = I1 - m * l * l
    body = bc.Body("top", mass=m, com=(0, 0, l), inertia=(across, across, I3, 0, 0, 0))
    model = bc.Model(
        "top", bodies=[body], joints=[bc.Spherical("S", "ground", "top", at=(0, 0, 0))]
    )
    ours, (kane, attitude) = Evaluated(model), kane_top(m, l, I1, I3)
    rng = np.random.default_rng(3)
    for _ in range(20):
        angles, w = rng.uniform(0.3, 1.2, 3), rng.normal(size=3) * 20
        R = np.array(attitude(angles), dtype=float)
        p = _euler_parameters(R)
        np.testing.assert_allclose(rotation(p), R, atol=1e-13)
        found = ours.accelerations(p, w)
        np.testing.assert_allclose(found, kane(angles, w), rtol=1e-10, atol=1e-9)


def _euler_parameters(R):
    """Return p of an attitude with a positive scalar part."""
    e0 = np.sqrt(1 + np.trace(R)) / 2
    return np.array([
        e0,
        *(np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / (4 * e0)),
    ])
