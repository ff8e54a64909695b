"""Machines: variational equations, the DAE, multipliers, reactions and drift."""

from functools import cache

import casadi as ca
import numpy as np
import pytest
from tests.formulations.cartesian.embedded import FORMS, State, embedded, in_joints
from tests.formulations.cartesian.test_library import A_of, G_of
from tests.laws.evaluation import Evaluated

import bellcrank as bc
from bellcrank.constraints import gauss

g = 9.81
P1, P2, P3 = (0.0, 0.0, 0.0), (0.6, 0.1, -0.2), (1.1, 0.3, 0.1)
A1, B1, B2, C3 = (0.0, 0.6, 0.8), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.6, 0.0, 0.8)
COM = {"1": (0.3, 0.1, -0.1), "2": (0.8, 0.2, 0.0), "3": (1.3, 0.4, 0.3)}
MASS = {"1": 1.5, "2": 1.0, "3": 0.8}
INERTIA = {
    "1": (0.10, 0.12, 0.14, 0.01, 0.0, 0.02),
    "2": (0.05, 0.06, 0.08, 0.0, 0.01, 0.0),
    "3": (0.03, 0.05, 0.04, 0.0, 0.0, -0.005),
}
ENDS = (1.0, 1.0, 0.5), (1.4, 0.2, 0.2)
STATE = {
    "R.angle": 0.4, "U.angle1": -0.3, "U.angle2": 0.5, "C.angle": 0.9, "C.offset": 0.2,
    "R.angle_rate": 1.1, "U.angle1_rate": -0.7, "U.angle2_rate": 0.4, "C.angle_rate": -1.5,
    "C.offset_rate": 0.6,
}  # fmt: skip


def mechanism() -> bc.Model:
    """Return ground-revolute-1-universal-2-cylindrical-3 with gravity, TSDA and RSDA (4.12)."""
    return bc.Model(
        "five freedoms",
        gravity=(0, 0, -g),
        bodies=[bc.Body(n, mass=MASS[n], com=COM[n], inertia=INERTIA[n]) for n in "123"],
        joints=[
            bc.Revolute("R", "ground", "1", at=P1, axis=A1),
            bc.Universal("U", "1", "2", at=P2, axis1=B1, axis2=B2),
            bc.Cylindrical("C", "2", "3", at=P3, axis=C3),
        ],
        forces=[
            bc.SpringDamper(
                "tsda", ("ground", ENDS[0]), ("3", ENDS[1]), stiffness=30.0, damping=2.0,
                length=0.5, law="3*length_rate*length + sin(t)",
            ),
            bc.JointSpring("rsda", "R", stiffness=7.0, damping=0.5, rest=0.2, law="2*cos(t)"),
        ],
    )  # fmt: skip


def about(axis, angle):
    a = ca.DM(axis)
    return ca.cos(angle) * ca.DM.eye(3) + ca.sin(angle) * ca.skew(a) + (
        1 - ca.cos(angle)
    ) * (a @ a.T)  # fmt: skip


@cache
def lagrange():
    """Return accelerations (α, a) of all bodies by Lagrange's equations in five angles.

    Nothing of the package is in it: kinematics by products of rotations, T and V by hand.
    """
    q, u, a = (ca.SX.sym(name, 5) for name in "qua")
    drawn = {name: ca.DM(com) for name, com in COM.items()}
    R1 = about(A1, q[0])
    R2 = R1 @ about(B1, q[1]) @ about(B2, q[2])
    R3 = R2 @ about(C3, q[3])
    o2 = R1 @ ca.DM(P2)
    o3 = o2 + R2 @ (ca.DM(P3) - ca.DM(P2)) + R2 @ ca.DM(C3) * q[4]
    places = {
        "1": (R1, R1 @ drawn["1"]),
        "2": (R2, o2 + R2 @ (drawn["2"] - ca.DM(P2))),
        "3": (R3, o3 + R3 @ (drawn["3"] - ca.DM(P3))),
    }
    T, V, spins = 0, 0, []
    for name, (R, r) in places.items():
        Rd = ca.reshape(ca.jtimes(ca.vec(R), q, u), 3, 3)
        w = ca.inv_skew(Rd @ R.T)
        v = ca.jtimes(r, q, u)
        xx, yy, zz, xy, xz, yz = INERTIA[name]
        J = R @ ca.DM([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
        T += MASS[name] * ca.dot(v, v) / 2 + ca.dot(w, J @ w) / 2
        V += MASS[name] * g * r[2]
        spins += [w, v]
    d = o3 + R3 @ (ca.DM(ENDS[1]) - ca.DM(P3)) - ca.DM(ENDS[0])
    length = ca.norm_2(d)
    rate = ca.jtimes(length, q, u)
    f = 30 * (length - 0.5) + 2 * rate + 3 * rate * length  # at t = 0 the sine is nothing
    tau = 7 * (q[0] - 0.2) + 0.5 * u[0] + 2.0
    Q = -f * ca.gradient(length, q) - tau * ca.DM([1, 0, 0, 0, 0])
    momentum = ca.gradient(T, u)
    M = ca.jacobian(momentum, u)
    bias = ca.jtimes(momentum, q, u) - ca.gradient(T, q) + ca.gradient(V, q)
    found = ca.solve(M, Q - bias)
    twist = ca.vertcat(*spins)
    moved = ca.jtimes(twist, q, u) + ca.jtimes(twist, u, a)
    moved = ca.substitute(moved, a, found)
    return ca.Function("lagrange", [q, u], [moved])


@cache
def at_the_state(formulation) -> State:
    """Return the mechanism in a formulation, at the one state."""
    model = mechanism()
    seen = in_joints(model, STATE)
    return seen if formulation is None else embedded(model, formulation, seen)


@pytest.mark.parametrize("formulation", [None, *FORMS], ids=repr)
def test_the_mechanism_of_five_freedoms(formulation):
    """H16: body accelerations are those of Lagrange's equations, to 1e-9."""
    here = at_the_state(formulation)
    values = list(STATE.values())
    known = np.array(lagrange()(values[:5], values[5:])).reshape(3, 6)
    found = here.bodies[2].T
    np.testing.assert_allclose(found, known, atol=1e-9 * np.abs(known).max())


def test_multipliers_do_not_depend_on_the_form():
    """H16: λ of both forms is the same, norms aside, to 1e-8."""
    omega, euler = (at_the_state(form) for form in FORMS)
    np.testing.assert_allclose(euler.solved[1][3:], omega.solved[1], atol=1e-8)


def test_variations_feel_no_constraint():
    """H09: Vᵀ(M q̈ − S − Qᴬ) < 1e-10 for every V with Φ_q V = 0."""
    for form in FORMS:
        here = at_the_state(form)
        equations = here.machine.equations
        C = equations.constraint_matrix(here.q, here.u)
        rank = np.linalg.matrix_rank(C)
        V = np.linalg.svd(C)[2][rank:].T
        assert V.shape[1] == 5
        M, S, Q = (
            getattr(equations, name)(here.q, here.u)
            for name in ("mass_matrix", "velocity_quadratic", "generalized_force")
        )
        left = M @ here.solved[0] - S - Q
        assert np.abs(left).max() > 1.0  # constraint forces are there,
        assert np.abs(V.T @ left).max() < 1e-10  # but do no work


def test_quantities_are_the_slots():
    """ν, γ, Φ and W by name are what integrators are given."""
    here = at_the_state(FORMS[0])
    equations = here.machine.equations
    pairs = (
        ("velocity_right_side", here.slot("velocity")[1][:, 0]),
        ("acceleration_right_side", here.slot("acceleration")[0][:, 0]),
        ("constraint_residual", here.slot("position")[0][:, 0]),
        ("rate_matrix", here.slot("kinematics")[0]),
    )
    for name, known in pairs:
        np.testing.assert_array_equal(getattr(equations, name)(here.q, here.u), known)


def test_constraint_torques_do_not_feel_the_norm():
    """H15: n′ = ½ G Q_p of Qᶜ = −Φ_qᵀλ − λ_p p does not depend on λ_p, to 1e-12."""
    here = at_the_state(FORMS[1])
    C = here.slot("velocity")[0]
    lam = here.solved[1].copy()
    for b in range(3):
        p = here.q[7 * b + 3 : 7 * b + 7]
        place = slice(7 * b + 3, 7 * b + 7)
        before = 0.5 * G_of(p) @ (-C.T @ lam)[place]
        moved = lam.copy()
        moved[:3] += [5.0, -3.0, 2.0]
        after = 0.5 * G_of(p) @ (-C.T @ moved)[place]
        np.testing.assert_allclose(after, before, atol=1e-12)
        assert np.abs((C.T @ (moved - lam))[place]).max() > 1.0


def body_space(here):
    """Return joint wrenches (6 each) by the routine in body space."""
    equations = here.machine.equations
    G, b, R = here.slot("reactions", here.solved[0])
    lam = gauss.smallest(G, b[:, 0], np.array(equations.row_weights))
    return (R @ lam).reshape(-1, 6)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_multipliers_are_reactions(formulation):
    """H18, 4.11: F = −Φ_rᵀλ, T′ = −(Φ_π′ᵀ − s̃′Aᵀ Φ_rᵀ)λ on the second body, to 1e-9."""
    here = at_the_state(formulation)
    equations, model = here.machine.equations, here.machine.model
    C, lam = here.slot("velocity")[0], here.solved[1]
    pose = here.slot("bodies", here.solved[0])[0]
    seen = body_space(here)
    n = 7 if formulation.form == "euler" else 6
    for number, joint in enumerate(model.joints):
        mine = [i for i, row in enumerate(equations.rows) if row.owner == joint.name]
        b = int(joint.second) - 1
        push = -C[mine, n * b : n * b + n].T @ lam[mine]
        p = pose[3:, b]
        A = A_of(p)
        n_own = push[3:] if n == 6 else 0.5 * G_of(p) @ push[3:]
        s = A @ (np.array(joint.at_second) - COM[joint.second])
        torque = A @ n_own - np.cross(s, push[:3])
        np.testing.assert_allclose(push[:3], seen[number, :3], atol=1e-9)
        np.testing.assert_allclose(torque, seen[number, 3:], atol=1e-9)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_reactions_are_those_of_joint_coordinates(formulation):
    """4.12: what every joint carries, to 1e-9; nothing along free directions (J05, J07)."""
    here, joints = at_the_state(formulation), at_the_state(None)
    known = joints.slot("observe", joints.solved[0])[0][:, 0]
    start, found = 0, {}
    for channel in joints.machine.equations.channels:
        found[channel.name] = known[start : start + channel.size]
        start += channel.size
    seen = body_space(here)
    for number, joint in enumerate(here.machine.model.joints):
        for part, what in ((slice(3), "force"), (slice(3, 6), "torque")):
            name = f"{joint.name}.reaction_{what}"
            np.testing.assert_allclose(seen[number, part], found[name], atol=1e-9)
    axis = here.machine.model["C"].axis_first
    carried = here.slot("bodies", here.solved[0])[0][3:, 1]
    h = A_of(carried) @ axis
    assert abs(h @ seen[2, :3]) < 1e-9
    assert abs(h @ seen[2, 3:]) < 1e-9


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_projection_from_a_millimetre(formulation):
    """H17, H14: Δq = −Φ_qᵀ(Φ_qΦ_qᵀ)⁻¹Φ goes from 1e-3 to 1e-13 in at most six iterations."""
    here = at_the_state(formulation)
    machine = Evaluated(mechanism(), formulation)
    rng = np.random.default_rng(3)
    q = here.q + 1e-3 * rng.normal(size=len(here.q))
    if formulation.form == "omega":
        q = State(machine, q, here.u).slot("normalize")[0][:, 0]
    first = None
    for _ in range(7):  # the last one only looks
        there = State(machine, q, here.u)
        phi = there.slot("position")[0][:, 0]
        first = np.abs(phi).max() if first is None else first
        if np.abs(phi).max() < 1e-13:
            break
        W, C = there.slot("kinematics")[0], there.slot("velocity")[0]
        q = q - W @ C.T @ np.linalg.solve(C @ C.T, phi)
        if formulation.form == "omega":
            q = State(machine, q, here.u).slot("normalize")[0][:, 0]
    assert first > 5e-4
    assert np.abs(phi).max() < 1e-13
    for b in range(3):
        p = q[7 * b + 3 : 7 * b + 7]
        assert abs(p @ p - 1) < 1e-12
