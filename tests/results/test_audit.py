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


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian(), bc.Natural()], ids=repr)
def test_rounding_of_a_body_that_rests_at_height_zero_is_no_energy(formulation):
    """Its energy is 1e-46 J or so: rounding of a place, worth 1e-15 J, and not of motion."""
    model = bc.Model(
        "fixed",
        bodies=[bc.Body("B", bc.Box((0.1, 0.1, 0.1), center=(0, 0, 0), mass=1.0))],
        joints=[bc.Fixed("F", "ground", "B", at=(0.3, 0.1, 0))],
    )
    run = bc.simulate(
        model, 1.0, every=0.5, formulation=formulation, integrator=bc.RK4(step=0.01)
    )
    assert run.audit["contradictions"] == []
    assert run.audit["energy_drift"] < 1e-9
