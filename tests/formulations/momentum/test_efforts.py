"""The inverse problem: what the drives of a torque-free arm have to do (C27)."""

import numpy as np
import pytest
from tests.formulations.momentum.test_joint_rates import (
    KEPT,
    PLANAR,
    planar_run,
    spatial_run,
)
from tests.formulations.momentum.test_tip import planar_reach

import bellcrank as bc

pytestmark = pytest.mark.slow


def rates_of_energy(run):
    """Return dT/dt at the middle records by a five-point rule on a fine grid."""
    T, h = run.values("kinetic_energy"), run.t[1] - run.t[0]
    return (T[:-4] - 8 * T[1:-3] + 8 * T[3:-1] - T[4:]) / (12 * h)


@pytest.mark.parametrize("arm", ["planar", "spatial"])
def test_c27_the_power_of_the_drives_is_the_rate_of_energy(arm):
    """Σ τ ψ̇ = dT/dt, to 1e-7."""
    fine = (planar_run if arm == "planar" else spatial_run)(until=0.5, grid=0.005)
    names = {"d2.effort": "shoulder.angle", "d3.effort": "elbow.angle"}
    if arm == "spatial":
        names = {"d1.effort_angle1": "shoulder.angle1", "d1.effort_angle2": "shoulder.angle2"}
        names |= {"d3.effort": "elbow.angle"}
    power = sum(fine.values(e) * fine.values(f"{angle}_rate") for e, angle in names.items())
    np.testing.assert_allclose(power[2:-2], rates_of_energy(fine), atol=1e-7)
    assert np.abs(power).max() > 0.05


def test_c27_eight_equations_for_five_unknowns_are_met():
    """M q̈ + Λᵀλ = (G_2−G_1)ᵀτ2 + (G_3−G_2)ᵀτ3 with q̈ by differences: residual < 1e-7.

    The torques are those recorded; only the three λ are solved for, from eight equations.
    """
    run = planar_run(until=0.5, grid=0.005)
    e = bc.equations(PLANAR.model(), bc.Natural())
    names = [v.name for v in e.coordinates]
    q = np.column_stack([run.values(name) for name in names])
    h = run.t[1] - run.t[0]
    # Central differences of seventh order: q̈ to 1e-10 on this grid.
    w = np.array([1 / 90, -3 / 20, 3 / 2, -49 / 18, 3 / 2, -3 / 20, 1 / 90])
    k = len(q) // 2
    qdd = w @ q[k - 3 : k + 4] / h**2
    M, here = e.generalized_inertia(q[k]), q[k].reshape(4, 2)
    G = [e.body_angular_velocity_matrix[name](q[k])[0] for name in e.bodies]
    tau = run.values("d2.effort")[k], run.values("d3.effort")[k]
    Lam = np.zeros((3, 8))
    for i, d in enumerate(np.diff(here, axis=0)):
        Lam[i, 2 * i : 2 * i + 4] = [*-d, *d]
    right = (G[1] - G[0]) * tau[0] + (G[2] - G[1]) * tau[1] - M @ qdd
    lam = np.linalg.lstsq(Lam.T, right, rcond=None)[0]
    assert np.abs(Lam.T @ lam - right).max() < 1e-7
    assert np.abs(right).max() > 0.1


def test_efforts_are_those_of_second_order_equations():
    """Momentum and joint coordinates, whose drivers have multipliers: to 1e-8."""
    one = planar_run(until=2.0)
    two = planar_run(until=2.0, formulation=bc.JointCoordinates())
    assert KEPT.linear == "start"
    for name in ("d2.effort", "d3.effort", "shoulder.reaction_force", "elbow.reaction_force"):
        np.testing.assert_allclose(one.values(name), two.values(name), atol=1e-8)


def test_c27_efforts_of_a_led_tip_do_the_work_of_the_joints():
    """Torques in the joints from their reactions: Σ τ ψ̇ = e · ẋ = dT/dt, to 1e-7."""
    model, start = planar_reach("(-0.5*sin(t))", "0.6*(1 - cos(t))")
    run = bc.simulate(
        model, 0.5, formulation=bc.Momentum(), start=start, every=0.005, rtol=1e-11, atol=1e-13
    )
    torques = {
        name: run.values(f"{name}.reaction_torque")[:, 2] for name in ("shoulder", "elbow")
    }
    power = sum(torque * run.values(f"{name}.angle_rate") for name, torque in torques.items())
    v = run.values("tip.velocity")
    pushed = run.values("reach.effort_position_x") * v[:, 0]
    pushed += run.values("reach.effort_position_y") * v[:, 1]
    np.testing.assert_allclose(pushed, power, atol=1e-9)
    np.testing.assert_allclose(power[2:-2], rates_of_energy(run), atol=1e-7)
    assert np.abs(power).max() > 0.05
    # The same motion of the joints under these torques: what drives on the joints would need.
    hub, upper = run.values("hub.acceleration"), run.values("upper.acceleration")
    lower = run.values("lower.acceleration")
    m = PLANAR.m
    np.testing.assert_allclose(m[2] * lower, run.values("elbow.reaction_force"), atol=1e-9)
    np.testing.assert_allclose(
        m[1] * upper + m[2] * lower, run.values("shoulder.reaction_force"), atol=1e-9
    )
    np.testing.assert_allclose(m[0] * hub, -run.values("shoulder.reaction_force"), atol=1e-9)
