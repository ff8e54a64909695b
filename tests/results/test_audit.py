"""What a run says about itself: energy and constraints."""

import numpy as np
import pytest
from tests.machines import four_bars
from tests.machines.hinged import pendulum

import bellcrank as bc
from bellcrank.results.audit import integral


def test_energy_drift_is_small_and_falls_with_the_tolerance():
    drifts = [bc.simulate(pendulum(), 5.0, rtol=r).audit["energy_drift"] for r in (1e-5, 1e-8)]
    assert drifts[1] < drifts[0] / 30
    assert drifts[1] < 1e-6


def test_losses_and_drivers_are_counted_as_work():
    """X03: E − E₀ is the work of dampers, motors and drivers."""
    damped = pendulum(
        forces=[
            bc.JointSpring("loss", "A", damping=0.3),
            bc.Motor("push", "A", effort="sin(3*t)"),
        ]
    )
    assert bc.simulate(damped, 5.0).audit["energy_drift"] < 1e-8
    driven = pendulum(drivers=[bc.Drive("shake", "A", angle="0.5*sin(4*t) + t**2/5")])
    run = bc.simulate(driven, 3.0)
    assert run.audit["energy_drift"] < 1e-8
    assert run.audit["position_residual"] < 1e-12
    assert np.isfinite(run.audit["smallest_singular_value"])


def test_an_audit_is_kept_in_a_file(tmp_path):
    run = bc.simulate(pendulum(), 1.0)
    run.save(tmp_path / "run.nc")
    assert bc.load(tmp_path / "run.nc").audit == run.audit


def test_the_integral_is_exact_for_cubics_on_uneven_times():
    t = np.array([0.0, 0.3, 0.4, 1.0, 1.7, 2.0])
    expected = t**4 / 4 - t**2 / 2 + 2 * t
    np.testing.assert_allclose(integral(t, t**3 - t + 2), expected, atol=1e-12)
    assert integral(t[:2], np.ones(2)) == pytest.approx([0.0, 0.3])


def test_reactions_that_redundant_hinges_leave_open_are_named():
    """Hinges of a planar loop share forces along, and torques across, their axes."""
    loose = bc.simulate(four_bars.in_space(), 0.1, every=0.05).audit["undetermined"]
    parts = ("reaction_force_y", "reaction_torque_x", "reaction_torque_z")
    assert loose == [f"{joint}.{part}" for joint in "ABCD" for part in parts]
