"""Rows of the specification through public names alone: no internal class, no tautology."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples


def state(equations, seed, spread=0.2):
    """Return coordinates beside the drawing with unit Euler parameters, and speeds."""
    rng = np.random.default_rng(seed)
    q = np.array(equations.drawing(equations.parameters), dtype=float)
    q = q + spread * rng.standard_normal(len(q))
    for i, variable in enumerate(equations.coordinates):
        if variable.name.endswith("orientation_0"):
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q, rng.standard_normal(len(equations.speeds))


def saddle(M, C, f, gamma):
    """Return accelerations and multipliers of M u̇ + Cᵀλ = f, C u̇ = γ."""
    n, m = len(M), len(C)
    K = np.block([[M, C.T], [C, np.zeros((m, m))]])
    found = np.linalg.lstsq(K, np.concatenate([f, gamma]), rcond=None)[0]
    return found[:n], found[n:]


def test_reduced_equations_of_six_bodies_on_ball_joints():
    """S08: 21 independent speeds, and reduced = saddle-point accelerations."""
    model = examples.load("kane-six-bodies")
    equations = bc.equations(model, bc.Kane())
    q, _ = state(equations, 1, spread=0.0)
    rng = np.random.default_rng(2)
    for k in range(6):  # any attitude: ball joints hold whatever bodies are turned to
        e = rng.standard_normal(4)
        q[4 * k : 4 * k + 4] = e / np.linalg.norm(e)
    joints = equations.elimination(q)
    u = joints.T @ rng.standard_normal(len(joints.independent))
    reduced = equations.elimination(q, u, keep=joints)
    assert len(reduced.independent) == 21
    # Rows of the five ball joints say ṡ′ = 0, whose γ is zero; the loop below has another.
    A, f = equations.mass_matrix(q, u), equations.force(q, u)
    C = equations.constraint_matrix(q, u)
    gamma = np.zeros(len(C))
    np.testing.assert_allclose(reduced.accelerations(), saddle(A, C, f, gamma)[0], atol=1e-9)


@pytest.mark.parametrize("speeds", ["absolute body", "absolute fixed", "relative body"])
def test_reduced_equations_of_a_loop_that_moves(speeds):
    """S08 where γ ≠ 0: leaving out A c_a changes the accelerations."""
    equations = bc.equations(examples.load("four-bar"), bc.Kane(speeds))
    q = np.array(equations.drawing(equations.parameters), dtype=float)
    found = equations.elimination(q)
    u = found.T @ np.full(len(found.independent), 2.0)
    reduced = equations.elimination(q, u, keep=found)
    A, f = equations.mass_matrix(q, u), equations.force(q, u)
    C, gamma = equations.constraint_matrix(q, u), equations.constraint_acceleration(q, u)
    wanted, _ = saddle(A, C, f, gamma)
    assert np.max(np.abs(gamma)) > 1.0
    np.testing.assert_allclose(reduced.accelerations(), wanted, atol=1e-10)
    without = reduced.T @ np.linalg.solve(reduced.mass_matrix, reduced.T.T @ f)
    assert np.max(np.abs(without - wanted)) > 0.1


def test_kane_and_euler_parameters_accelerate_a_spherical_tree_alike():
    """X01: accelerations of mass centres to 1e-10, Kane against Cartesian("euler")."""
    model = examples.load("relative-spins")
    start = {"lower.angular_velocity": (0.5, 1, 2), "upper.angular_velocity": (-1, 0.3, 3)}
    found = []
    for formulation in (bc.Kane(), bc.Cartesian("euler")):
        run = bc.simulate(model, 0.01, start=start, formulation=formulation, every=0.01)
        found.append([run.values(f"B{k}.acceleration")[0] for k in (1, 2)])
    np.testing.assert_allclose(found[0], found[1], atol=1e-10)


def test_torques_of_constraints_do_not_feel_the_multipliers_of_norms():
    """H15: Q^C = −Φ_qᵀλ; n′ = ½ G Q_p is independent of λ_p to 1e-12."""
    model = examples.load("double-pendulum")
    equations = bc.equations(model, bc.Cartesian("euler"))
    q, u = state(equations, 5, spread=0.0)
    C = equations.constraint_matrix(q, u)
    rng = np.random.default_rng(7)
    lam = rng.standard_normal(len(C))
    norms = [i for i, row in enumerate(equations.rows) if row.kind == "norm"]
    other = lam.copy()
    other[norms] = rng.standard_normal(len(norms))
    for k, start in enumerate((0, 7)):
        e0, e = q[start + 3], q[start + 4 : start + 7]
        tilde = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
        G = np.column_stack([-e, e0 * np.eye(3) - tilde])
        own = slice(7 * k + 3, 7 * k + 7)
        torques = [0.5 * G @ (-C.T @ one)[own] for one in (lam, other)]
        np.testing.assert_allclose(torques[0], torques[1], atol=1e-12)


def test_virtual_displacements_keep_the_constraints_of_the_instant():
    """H22: Φ_q δq = 0 while Φ_t ≠ 0: what a driver moves is no virtual displacement."""
    model = examples.load("hooke-joint")
    equations = bc.equations(model, bc.Cartesian())
    q, u = state(equations, 0, spread=0.0)
    C, nu = equations.constraint_matrix(q, u), equations.velocity_right_side(q, u)
    assert np.max(np.abs(nu)) > 1.0  # −Φ_t of the driver
    _, sizes, rows = np.linalg.svd(C)
    free = rows[np.sum(sizes > 1e-9) :]
    assert len(free) == 0  # all is prescribed: no virtual displacement at all
    held = np.linalg.lstsq(C, nu, rcond=None)[0]
    np.testing.assert_allclose(C @ held, nu, atol=1e-9)
    kept = [i for i, row in enumerate(equations.rows) if row.kind != "driver"]
    _, sizes, rows = np.linalg.svd(C[kept])
    (virtual,) = rows[np.sum(sizes > 1e-9) :]
    driver = [i for i, row in enumerate(equations.rows) if row.kind == "driver"]
    assert abs((C[driver] @ virtual)[0]) > 1e-3  # the driver's row alone forbids it


def test_momenta_of_points_follow_forces_and_moments_in_the_plane():
    """C06, C29, (16): Φ q̈ = F and Ψ q̈ = M about the origin, Ȧq̇ = 0 in the plane, to 1e-10."""
    body = bc.Body("plate", mass=1.7, com=(0.3, 0.2), inertia=(0.2, 0.3, 0.4, 0, 0, 0))
    push = bc.Force("push", "plate", vector=(2.0, -1.5, 0.0), at=(0.7, 0.1))
    twist = bc.Torque("twist", "plate", vector=(0.0, 0.0, 0.6))
    model = bc.Model(
        "plate", bodies=[body], joints=[bc.Free("F", "ground", "plate")],
        forces=[push, twist], planar=True,
        points=[bc.Point("a", "plate", (0, 0)), bc.Point("b", "plate", (1, 0))],
    )  # fmt: skip
    equations = bc.equations(model, bc.Natural())
    q, _ = state(equations, 3, spread=0.0)
    C = equations.constraint_matrix(q)
    _, sizes, rows = np.linalg.svd(C)
    u = np.random.default_rng(4).standard_normal(3) @ rows[np.sum(sizes > 1e-9) :]
    M, f = equations.mass_matrix(q, u), equations.force(q, u)
    a, _ = saddle(M, C, f, equations.acceleration_right_side(q, u))
    force = np.array([2.0, -1.5 - 9.81 * 1.7])
    moment = 0.6 + 0.7 * -1.5 - 0.1 * 2.0 - 9.81 * 1.7 * 0.3
    np.testing.assert_allclose(equations.momentum_matrix(q) @ a, force, atol=1e-10)
    np.testing.assert_allclose(equations.angular_momentum_matrix(q) @ a, [moment], atol=1e-10)
