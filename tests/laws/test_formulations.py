"""The laws of mechanics in every formulation, at states of bodies that obey all constraints.

A formulation is added to `FORMULATIONS`, and that is all.
"""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from tests.formulations.cartesian.embedded import State, embedded, in_joints
from tests.laws.closed import Closed, loop
from tests.laws.evaluation import Evaluated
from tests.laws.laws import along_the_motion, close

import bellcrank as bc
from bellcrank.testing import FORCES, machine, state

FORMULATIONS = (
    bc.Cartesian(),
    bc.Cartesian(form="euler"),
    bc.Cartesian(reference="frame"),
    bc.Kane(),
    bc.Natural(),
)
MACHINES = ("tree", "loop", "driven")


@cache
def made(name: str) -> State:
    """Return a machine in joint coordinates at a consistent state."""
    if name == "tree":
        model = machine(
            ("Free", "Revolute", "Universal", "Cylindrical"), (0, 1, 2, 2), 3, forces=FORCES
        )
        return in_joints(model, state(model, 3))
    model = loop("Universal", 2, ("SpringDamper", "Force", "Bushing"))
    if name == "driven":
        model = model.add(bc.Drive("drive", "J2", offset="0.1*sin(3*t)"))
    there = Closed(model, 2, t=0.2)
    return State(Evaluated(model), there.q, there.u, 0.2)


@cache
def placed(name: str, formulation: object) -> State:
    return embedded(made(name).machine.model, formulation, made(name))


EVERY = pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
ANY = pytest.mark.parametrize("name", MACHINES)


@ANY
@EVERY
def test_kinetic_energy_and_definite_inertia(name, formulation):
    """½ uᵀAu = T; A is symmetric, and definite on what the rows leave free."""
    here = placed(name, formulation)
    A, kinetic = here.slot("mass")[0], here.slot("energy")[0][0, 0]
    close(here.u @ A @ here.u / 2, kinetic)
    close(A, A.T, tol=1e-13)
    if not here.machine.equations.rows:
        assert np.linalg.eigvalsh(A)[0] > 0
        return
    C = here.slot("velocity")[0]
    _, sigma, Vt = np.linalg.svd(C)
    free = Vt[int((sigma > 1e-9 * sigma[0]).sum()) :].T
    assert np.linalg.eigvalsh(free.T @ A @ free)[0] > 1e-6


@ANY
@EVERY
def test_the_residual_is_what_is_missing(name, formulation):
    """R = A a − f + Cᵀλ for any a and λ, and zero for the ones that hold."""
    here = placed(name, formulation)
    rng = np.random.default_rng(0)
    count = len(here.machine.equations.rows)
    a, lam = rng.normal(size=len(here.u)), rng.normal(size=count)
    A, f = here.slot("mass")[0], here.slot("force")[0][:, 0]
    known = A @ a - f
    if count:
        known = known + here.slot("velocity")[0].T @ lam
    close(here.slot("residual", a, lam)[0][:, 0], known)
    close(here.slot("residual", *here.solved)[0][:, 0], 0 * known, scale=np.abs(f).max())


@ANY
@EVERY
def test_power_put_in_is_energy_gained(name, formulation):
    """X03: dE/dt = power of forces, and of drivers by their multipliers: −λ Φ̇_t."""
    here = placed(name, formulation)
    a, lam = here.solved
    gained = along(here, "energy", a)
    power = here.slot("power")[0].sum()
    for i, row in enumerate(here.machine.equations.rows):
        if row.kind == "driver":
            power -= lam[i] * here.slot("velocity")[1][i, 0]
    close(gained[0] + gained[1], power, scale=float(np.abs(gained[0]).max()))


def along(here: State, slot: str, a: np.ndarray, *own: np.ndarray) -> list[np.ndarray]:
    """Return d/dt of a slot's outputs along the motion, time held: they do not depend on it."""
    return along_the_motion(here.machine, slot, here.q, here.u, a, *own)


@ANY
@EVERY
def test_velocities_are_rates(name, formulation):
    """ṙ = v, v̇ = a and ω̇ = α of every body; ṗ = ½ (0, ω) p."""
    here = placed(name, formulation)
    a = here.solved[0]
    pose, twist, acceleration = here.slot("bodies", a)
    pose_rate, twist_rate, _ = along(here, "bodies", a, a)
    close(pose_rate[:3], twist[3:])
    close(twist_rate, acceleration)
    for p, pd, w in zip(pose[3:].T, pose_rate[3:].T, twist[:3].T, strict=True):
        close(p @ p, 1.0, tol=1e-12)
        close(pd, 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])]))


@ANY
@EVERY
def test_jacobians_are_derivatives(name, formulation):
    """`residual_jacobian` and `constraint_jacobian`, in q through the tangent."""
    here = placed(name, formulation)
    equations = here.machine.equations
    rng = np.random.default_rng(2)
    a, lam = rng.normal(size=len(here.u)), rng.normal(size=len(equations.rows))
    x, y = ca.SX.sym("q", len(here.q)), ca.SX.sym("u", len(here.u))
    sizes = equations.sizes
    k = here.machine.modes(here.q, here.u, here.t)
    rest = [np.zeros(sizes["s"]), np.zeros(sizes["w"]), here.machine.parameters, k]
    r = equations.function("residual").call([here.t, x, y, *rest, a, lam])[0]
    by_q, by_u = ca.Function("slopes", [x, y], [ca.jacobian(r, x), ca.jacobian(r, y)])(
        here.q, here.u
    )
    T = here.slot("kinematics")[0] if len(here.u) else np.eye(len(here.q))
    r_q, r_u = here.slot("residual_jacobian", a, lam)
    close(r_q, by_q.full() @ T)
    close(r_u, by_u.full())
    if not equations.rows:
        return
    C, nu = equations.function("velocity").call([here.t, x, y, *rest])
    rates = ca.jacobian(C @ y - nu, x)
    known = ca.Function("rates", [x, y], [rates])(here.q, here.u).full() @ T
    close(here.slot("constraint_jacobian")[0], known)
