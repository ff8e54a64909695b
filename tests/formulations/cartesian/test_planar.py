"""Planar rows, by the formulas of 4.7 and against joint coordinates."""

import numpy as np
import pytest
from tests.formulations.cartesian.complex_step import along
from tests.formulations.cartesian.embedded import State, embedded
from tests.formulations.cartesian.test_library import arguments
from tests.formulations.test_constraints import Motion
from tests.laws.closed import Closed
from tests.laws.evaluation import Evaluated
from tests.laws.laws import close
from tests.machines import looped

import bellcrank as bc

P2 = np.array([[0.0, -1.0], [1.0, 0.0]])
COM = (0.2, 0.1), (-0.3, 0.4)
ENDS = (0.5, -0.2), (0.1, 0.6)
AXIS = (0.6, 0.8)
Q = np.array([0.4, -0.2, 0.7, 1.1, 0.3, -0.5])
U = np.array([0.3, 0.8, -1.2, -0.4, 0.5, 0.9])


def flat(joint=None, **more):
    """Return two planar bodies, free in the plane but for one joint or constraint."""
    bodies = [
        bc.Body(n, mass=1.0, com=c, inertia=(1, 1, 0.4, 0, 0, 0))
        for n, c in zip("ij", COM, strict=True)
    ]
    joints = [bc.Planar(n.upper(), "ground", n) for n in "ij"]
    joints += [] if joint is None else [joint]
    return bc.Model("flat", planar=True, gravity=(0, 0), bodies=bodies, joints=joints, **more)


SIDES = {"i": ENDS[0], "j": ENDS[1]}
KINDS = {
    "revolute": (2, lambda: flat(bc.Revolute("x", "i", "j", at=SIDES))),
    "translational": (2, lambda: flat(bc.Prismatic("x", "i", "j", at=SIDES, axis=AXIS))),
    "translational along x": (
        2, lambda: flat(bc.Prismatic("x", "i", "j", at=SIDES, axis=(1, 0))),
    ),
    "fixed": (3, lambda: flat(bc.Fixed("x", "i", "j", at=SIDES))),
    "distance": (
        1, lambda: flat(constraints=[
            bc.Distance("x", ("i", ENDS[0]), ("j", ENDS[1]), length=1.3)]),
    ),
    "point on line": (
        1, lambda: flat(constraints=[
            bc.PointOnLine("x", ("j", ENDS[1]), "i", ENDS[0], (0.6, 0.8, 0))]),
    ),
    "parallel": (
        1, lambda: flat(constraints=[bc.Parallel("x", "i", "j", (1, 0, 0), (0.6, 0.8, 0))]),
    ),
    "angle driver": (
        3, lambda: flat(
            bc.Revolute("x", "i", "j", at=SIDES), drivers=[bc.Drive("d", "x", angle="t**2")]),
    ),
    "absolute driver": (
        1, lambda: flat(
            points=[bc.Point("tip", "j", at=ENDS[1])],
            drivers=[bc.Drive("d", "tip", position_x="sin(t)")]),
    ),
    "absolute angle driver": (
        1, lambda: flat(drivers=[bc.Drive("d", "J", angle="sin(t)")]),
    ),
}  # fmt: skip


def at_state(model):
    machine = Evaluated(model, bc.Cartesian())
    return State(machine, Q, U, 0.4)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_their_derivatives(kind):
    """J12: how many, Φ_q by complex step to 1e-12 (angles 1e-11), γ by differences to 1e-7."""
    count, make = KINDS[kind]
    model = make()
    here = at_state(model)
    equations = here.machine.equations
    assert len(equations.rows) == count
    C = here.slot("velocity")[0]
    found = along(equations.function("position"), arguments(here), 1, np.eye(6))
    np.testing.assert_allclose(C, found, atol=1e-11 if "angle" in kind else 1e-12)
    sigma = np.linalg.svd(C, compute_uv=False)
    assert sigma[-1] > 1e-2 * sigma[0]
    motion = Motion(model, seed=1, formulation=bc.Cartesian())
    gap = motion.gap
    bend = (
        motion.ask("velocity", 0.0)[0] @ motion.a - motion.ask("acceleration", 0.0)[0].ravel()
    )
    np.testing.assert_allclose(bend, slope_of(gap), atol=1e-7)


def slope_of(function, h=1e-3):
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


def turn(phi):
    return np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])


class Arms:
    """s and v of both bodies at the state, by hand."""

    def __init__(self):
        self.A = [turn(Q[2]), turn(Q[5])]
        self.w = U[2], U[5]
        self.s = [A @ (np.array(e) - c) for A, e, c in zip(self.A, ENDS, COM, strict=True)]
        self.d = Q[3:5] + self.s[1] - Q[:2] - self.s[0]
        v = [U[3 * b : 3 * b + 2] + self.w[b] * P2 @ self.s[b] for b in (0, 1)]
        self.rate = v[1] - v[0]


def test_revolute():
    """J12: d, rows (−I, −P₂s_i, I, P₂s_j), γ = φ̇_j² s_j − φ̇_i² s_i."""
    here, on = at_state(KINDS["revolute"][1]()), Arms()
    phi, C = here.slot("position")[0][:, 0], here.slot("velocity")[0]
    np.testing.assert_allclose(phi, on.d, atol=1e-14)
    si, sj = (P2 @ s for s in on.s)
    known = np.column_stack([-np.eye(2), -si, np.eye(2), sj])
    np.testing.assert_allclose(C, known, atol=1e-14)
    gamma = on.w[1] ** 2 * on.s[1] - on.w[0] ** 2 * on.s[0]
    np.testing.assert_allclose(here.slot("acceleration")[0][:, 0], gamma, atol=1e-13)


def test_translational():
    """J12: (P₂v)_i·d and (P₂v)_i·v_j up to a sign, with γ of 4.7."""
    here, on = at_state(KINDS["translational"][1]()), Arms()
    v = [A @ AXIS for A in on.A]
    n = P2 @ v[0]
    phi = here.slot("position")[0][:, 0]
    signs = np.sign(phi[0] / (n @ on.d)), np.sign(phi[1] / (n @ v[1]))
    np.testing.assert_allclose(phi, [signs[0] * n @ on.d, signs[1] * n @ v[1]], atol=1e-14)
    wi, wj = on.w
    once, twice = wi * P2 @ n, -(wi**2) * n
    bend = -(wj**2) * on.s[1] + wi**2 * on.s[0]
    gamma = [
        -(on.d @ twice + n @ bend + 2 * once @ on.rate),
        -(v[1] @ twice - wj**2 * n @ v[1] + 2 * once @ (wj * P2 @ v[1])),
    ]
    found = here.slot("acceleration")[0][:, 0]
    np.testing.assert_allclose(found, np.array(signs) * gamma, atol=1e-13)


@pytest.mark.parametrize("name", ["andrews", "modelica", "slider_crank", "car_axis", "ladder"])
def test_planar_machines_accelerate_as_in_joint_coordinates(name):
    """To 1e-9 at a consistent state away from the drawing, drivers and particles included."""
    model = looped.ladder(2, phi=0.4) if name == "ladder" else getattr(looped, name)()
    there = Closed(model, 1, t=0.1)
    seen = State(Evaluated(model), there.q, there.u, 0.1)
    for reference in ("centroid", "frame"):
        here = embedded(model, bc.Cartesian(reference=reference), seen)
        assert np.abs(here.slot("position")[0]).max() < 1e-11
        close(here.bodies[2], seen.bodies[2], tol=1e-9)
