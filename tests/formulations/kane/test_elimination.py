"""Constraints in rates and in speeds, dependent speeds eliminated: rows S04 and S06 to S12."""

from dataclasses import replace

import numpy as np
import pytest
from tests.classics.test_nonholonomic import on_turntable
from tests.formulations.cartesian.embedded import embedded, in_joints
from tests.formulations.kane.test_agreement import at_drawing
from tests.formulations.kane.trees import SIX, random_tree
from tests.laws.closed import Closed, loop
from tests.machines import looped

import bellcrank as bc
from bellcrank.linear import rank
from bellcrank.testing import state

pytestmark = pytest.mark.slow

CHOICES = (
    bc.Kane(),
    bc.Kane("relative fixed", "relative Euler parameters"),
    bc.Kane(bc.AngleRates("321")),
)


def spherical_tree():
    """Return the six bodies on ball joints, the root free, at a state."""
    tree, _, _ = random_tree(SIX, 1)
    model = tree.model(bc.Spherical)
    return model, in_joints(model, state(model, 2))


def platform():
    """Return a driven platform with a slide along its radius, 0.2 m beside the axis.

    Bodies have no rotational inertia to speak of in the plane's laws: r̈ = r θ̇² + 0.2 θ̈ − k r/m.
    """
    return bc.Model(
        "platform",
        bodies=[
            bc.Body("disc", bc.Disc(1.0, mass=3.0, axis="z")),
            bc.Body("bead", mass=2.0, com=(0.5, 0.2, 0), inertia=(0.1, 0.2, 0.3, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "disc", at=(0, 0, 0), axis="z"),
            bc.Prismatic("P", "disc", "bead", at=(0.5, 0.2, 0), axis="x"),
        ],
        forces=[bc.JointSpring("k", "P", stiffness=5.0, rest=0.0)],
        drivers=[bc.Drive("turn", "A", angle="0.7*t + 0.4*t**2")],
        gravity=(0, 0, 0),
    )


def on_platform(choice, r, rate, t):
    """Return the platform in a formulation at a state of the slide."""
    model, angle, spin = platform(), 0.7 * t + 0.4 * t**2, 0.7 + 0.8 * t
    values = {
        "A.angle": angle,
        "A.angle_rate": spin,
        "P.offset": r - 0.5,
        "P.offset_rate": rate,
    }
    return embedded(model, choice, in_joints(model, values, t))


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_constraints_in_rates_and_in_speeds_are_the_same(choice):
    """S06: b u + b0 = a q̇ + a0 to 1e-12, b = a W and b0 = a0 + a x, with drivers and loops."""
    found = on_platform(choice, 0.8, 0.3, 0.6)
    equations, (q, u, t) = found.machine.equations, (found.q, found.u, found.t)
    rng = np.random.default_rng(1)
    k = found.machine.modes(q, u, t)
    u = u + rng.normal(size=len(u))
    at = {"q": q, "u": u, "t": t, "k": k}
    b, b0 = equations.constraint_matrix(**at), equations.constraint_remainder(**at)
    a, a0 = equations.constraint_matrix_qdot(**at), equations.constraint_remainder_qdot(**at)
    W, x = equations.kinematics_matrix(**at), equations.kinematics_remainder(**at)
    np.testing.assert_allclose(b @ u + b0, a @ equations.kinematical_equations(**at) + a0,
                               atol=1e-12)  # fmt: skip
    np.testing.assert_allclose(a @ W, b, atol=1e-12)
    np.testing.assert_allclose(a0 + a @ x, b0, atol=1e-12)
    assert np.abs(b0).max() > 0.5


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_eliminated_speeds_obey_the_constraints(choice):
    """S07: residual below 1e-12 for any independent speeds; 21 freedoms of six bodies."""
    model, seen = spherical_tree()
    found = embedded(model, choice, seen)
    equations = found.machine.equations
    gone = equations.elimination(found.q, found.u)
    assert len(gone.independent) == 21
    assert gone.dropped == ()
    rng = np.random.default_rng(3)
    u = gone.T @ rng.normal(size=21) + gone.c
    b = equations.constraint_matrix(found.q)
    assert np.abs(b @ u + equations.constraint_remainder(found.q)).max() < 1e-12
    np.testing.assert_allclose(gone.T @ u[indices(equations, gone)] + gone.c, u, atol=1e-12)


def indices(equations, gone):
    names = [variable.name for variable in equations.speeds]
    return [names.index(name) for name in gone.independent]


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_reduced_equations_give_the_accelerations_of_multipliers(choice):
    """S08: (TᵀAT) u̇_I = Tᵀ(f − A c_a) = KKT to 1e-10, and reduced partials reproduce v, ω′."""
    model, seen = spherical_tree()
    found = embedded(model, choice, seen)
    equations, (q, u) = found.machine.equations, (found.q, found.u)
    gone = equations.elimination(q, u)
    kkt = found.solved[0]
    np.testing.assert_allclose(gone.accelerations(), kkt, atol=1e-10 * np.abs(kkt).max())
    own = u[indices(equations, gone)]
    for body in ("B4", "B6"):
        for partial, value in (
            (gone.partial_velocity(body), equations.velocities[body](q, u)),
            (gone.partial_angular_velocity(body), equations.angular_velocities[body](q, u)),
        ):
            assert partial[0].shape == (3, 21)
            np.testing.assert_allclose(partial[0] @ own + partial[1], value, atol=1e-11)


def test_multipliers_of_ball_joints_are_joint_forces():
    """SPEC 2.4: −bᵀλ is what the joints do; reactions of both formulations agree to 1e-9."""
    model, seen = spherical_tree()
    system = bc.compile(model)
    wanted = system.observe(seen.q, seen.u)
    kane = bc.compile(model, bc.Kane(), level=0)
    found = embedded(model, bc.Kane(), seen)
    got = kane.observe(found.q, found.u)
    for k in range(2, 7):
        name = f"J{k}.reaction_force"
        np.testing.assert_allclose(got[name], wanted[name], atol=1e-9)


def test_a_ball_on_a_turntable_comes_back_in_kanes_form():
    """S09: nonholonomic, all coordinates kept; back after 7.330382858 s to 1e-8."""
    period = 7 * np.pi / 3
    run = bc.simulate(
        on_turntable(3.0), period, start={"F.velocity": (0.3, 0.2, 0.0)},
        formulation=bc.Kane(), rtol=1e-11, atol=1e-12, every=period / 4,
    )  # fmt: skip
    for name in ("ball.position", "ball.velocity"):
        np.testing.assert_allclose(run.values(name)[-1], run.values(name)[0], atol=1e-8)


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_a_prescribed_platform_is_a_rheonomic_system(choice):
    """S10: the slide's acceleration is that of Lagrange with explicit time, to 1e-10."""
    r, rate, t = 0.8, 0.3, 0.6
    found = on_platform(choice, r, rate, t)
    k = found.machine.modes(found.q, found.u, t)
    gone = found.machine.equations.elimination(found.q, found.u, t, k=k)
    assert len(gone.independent) == 1
    bodies = found.slot("bodies", gone.accelerations())[2]
    angle, spin = 0.7 * t + 0.4 * t**2, 0.7 + 0.8 * t
    gained = r * spin**2 + 0.2 * 0.8 - 5.0 / 2.0 * (r - 0.5)
    out, side = (
        np.array([np.cos(angle), np.sin(angle)]),
        np.array([-np.sin(angle), np.cos(angle)]),
    )
    wanted = (gained - r * spin**2 - 0.2 * 0.8) * out
    wanted += (r * 0.8 + 2 * rate * spin - 0.2 * spin**2) * side
    np.testing.assert_allclose(bodies[3:5, 1], wanted, atol=1e-10)


def test_partials_with_time_terms_on_a_spinning_platform():
    """S04: v = [v_u_I] u_I + {v̄}_t against differences of positions, to 1e-8; {v̄}_t ≠ 0."""
    t, h = 0.6, 1e-4
    found = on_platform(bc.Kane(), 0.8, 0.3, t)
    k = found.machine.modes(found.q, found.u, t)
    gone = found.machine.equations.elimination(found.q, found.u, t, k=k)
    partial, remainder = gone.partial_velocity("bead")
    own = found.u[indices(found.machine.equations, gone)]
    ends = []
    for step in (-2, -1, 1, 2):
        there = on_platform(bc.Kane(), 0.8 + 0.3 * step * h, 0.3, t + step * h)
        ends.append(there.machine.equations.positions["bead"](there.q))
    slope = (ends[0] - 8 * ends[1] + 8 * ends[2] - ends[3]) / (12 * h)
    np.testing.assert_allclose(partial @ own + remainder, slope, atol=1e-8)
    assert np.abs(remainder).max() > 0.1


def test_rows_that_repeat_others_are_dropped_by_name():
    """S12: a planar loop in space; accelerations are those of the independent rows to 1e-10."""
    there = Closed(loop("Revolute", 4), 4)
    model = there.model
    seen = in_joints(model, dict(there.system.unpack(there.q, there.u)))
    found = embedded(model, bc.Kane(), seen)
    equations = found.machine.equations
    first = equations.elimination(found.q, found.u)
    twice = model.add(bc.Parallel("again", "B3", "B2", model["close"].axis))
    other = embedded(
        twice, bc.Kane(), in_joints(twice, dict(there.system.unpack(there.q, there.u)))
    )
    second = other.machine.equations.elimination(other.q, other.u)
    assert len(second.dropped) == len(first.dropped) + 2
    assert all(
        name in [row.name for row in other.machine.equations.rows] for name in second.dropped
    )
    scale = np.abs(first.accelerations()).max()
    np.testing.assert_allclose(
        second.accelerations(), first.accelerations(), atol=1e-10 * scale
    )


def test_redundant_rows_of_a_planar_four_bar():
    """S12: a four-bar in space has 20 rows of rank 17, and one freedom."""
    model = looped.plain()
    found = embedded(model, bc.Kane(), at_drawing(model))
    gone = found.machine.equations.elimination(found.q, found.u)
    assert (len(gone.dropped), len(gone.independent)) == (3, 1)
    reference = found.solved[0]
    np.testing.assert_allclose(gone.accelerations(), reference, atol=1e-9)


def test_dependent_speeds_are_kept_and_chosen_anew():
    """S07: kept while b_D allows it; with ω′_z among the dependent ones it is singular."""
    model = bc.Model(
        "wheel",
        bodies=[bc.Body("w", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 2, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "w", at=(0, 0, 0), axis="z")],
    )
    states = [{"A.angle": angle, "A.angle_rate": 1.0} for angle in (0.1, 0.2)]
    here, near = (embedded(model, bc.Kane(), in_joints(model, s)) for s in states)
    first = here.machine.equations.elimination(here.q, here.u)
    assert first.independent == ("w.angular_velocity_body_z",)
    kept = near.machine.equations.elimination(near.q, near.u, keep=first)
    assert kept.dependent == first.dependent
    spoilt = replace(first, dependent=(*first.dependent[1:], *first.independent))
    again = near.machine.equations.elimination(near.q, near.u, keep=spoilt)
    assert again.independent == first.independent


def test_pivoting_finds_the_independent_columns():
    rng = np.random.default_rng(0)
    M = rng.normal(size=(4, 6))
    M[:, 3] = M[:, 0] - 2 * M[:, 5]
    M[3] = M[1] + M[2]
    taken = rank.independent(M.T)
    assert len(taken) == 3
    assert np.linalg.matrix_rank(M[:, taken]) == 3
