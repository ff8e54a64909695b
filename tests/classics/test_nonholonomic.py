"""Rolling: constraints on speeds that no constraint on positions gives."""

import numpy as np
import pytest
from tests.classics.runs import about

import bellcrank as bc


def on_turntable(rate, radius=0.2):
    """Return a ball that rolls on a table turning about z with a given rate."""
    at = (1.0, 0.0, radius)
    return bc.Model(
        "ball on a turntable",
        bodies=[bc.Body("ball", bc.Sphere(radius, center=at, mass=2.0))],
        joints=[bc.Free("F", "ground", "ball", at=at)],
        constraints=[
            bc.PointOnPlane("height", ("ball", at), "ground", at, "z"),
            bc.VelocityConstraint(
                "along x",
                {"ball.velocity_x": 1.0, "ball.angular_velocity_y": -radius},
                equals=f"-{rate}*ball.position_y",
            ),
            bc.VelocityConstraint(
                "along y",
                {"ball.velocity_y": 1.0, "ball.angular_velocity_x": radius},
                equals=f"{rate}*ball.position_x",
            ),
        ],
    )


def test_a_ball_on_a_turntable_comes_back():
    """S09, SPEC 2.5: a circle at 2Ω/7, back after 7.330382858 s for Ω = 3, to 1e-8.

    Run at rtol 1e-11.
    """
    period = 7 * np.pi / 3
    assert period == pytest.approx(7.330382858, abs=1e-9)
    start = {"F.velocity": (0.3, 0.2, 0.0)}
    run = bc.simulate(
        on_turntable(3.0), period, start=start, rtol=1e-11, atol=1e-12, every=period / 8
    )
    place, speed = (np.asarray(run.values(f"ball.{q}")) for q in ("position", "velocity"))
    np.testing.assert_allclose(place[-1], place[0], atol=1e-8)
    np.testing.assert_allclose(speed[-1], speed[0], atol=1e-8)
    centre = place[0] + np.array([-0.2, 0.3, 0.0]) * 7 / 6
    radius = np.hypot(0.3, 0.2) * 7 / 6
    np.testing.assert_allclose(np.linalg.norm(place - centre, axis=1), radius, atol=1e-8)


def test_a_ball_on_a_table_at_rest_rolls_straight():
    """Ω = 0: nothing changes its velocity. Run at rtol 1e-11."""
    run = bc.simulate(
        on_turntable(0.0), 2.0, start={"F.velocity": (0.3, 0.2, 0.0)}, rtol=1e-11, every=0.5
    )
    np.testing.assert_allclose(run.values("ball.position")[-1], [1.6, 0.4, 0.2], atol=1e-10)
    assert np.ptp(run.values("energy")) < 1e-11


R = 0.4


def rolling_disc():
    """Return a uniform thin disc of 0.4 m upright on the plane z = 0, its axle along y."""
    body = bc.Body("disc", bc.Disc(R, (0, 0, R), "y", mass=1.5))
    return bc.Model(
        "rolling disc",
        bodies=[body],
        joints=[bc.Free("F", "ground", "disc", at=(0, 0, R))],
        constraints=[bc.RollingDisc("rim", "disc", (0, 0, R), "y", R)],
    )


def test_a_leaning_disc_keeps_its_energy_and_its_contact():
    """Rolling does no work: energy to 1e-9, contact to 1e-12. Run at rtol 1e-11."""
    start = {
        "F.orientation": about("x", 0.4),
        "F.angular_velocity": (0.3, 6.0, 1.0),
    }
    run = bc.simulate(rolling_disc(), 5.0, start=start, rtol=1e-11, atol=1e-12, every=0.05)
    E = np.asarray(run.values("energy"))
    assert np.max(np.abs(E - E[0])) < 1e-9 * np.max(run.values("kinetic_energy"))
    assert np.max(run.values("constraint_residual")) < 1e-12
    assert np.max(run.values("constraint_rate_residual")) < 1e-11


def test_steady_circle_of_a_disc():
    """A disc leaning by a rolls round a circle at a steady rate Ω. Run at rtol 1e-11.

    Its angular velocity σ about the axle, from the moments about its centre:
    (3/2) σ Ω cos a = Ω² sin a cos a/4 − (g/R) sin a.
    """
    lean, turn = 0.3, 1.7
    c, s = np.cos(lean), np.sin(lean)
    spin = (turn**2 * s * c / 4 - 9.81 / R * s) / (1.5 * turn * c)
    start = {
        "F.orientation": about("x", lean),
        "F.angular_velocity": (0.0, spin, turn * c),
    }
    run = bc.simulate(rolling_disc(), 3.0, start=start, rtol=1e-11, atol=1e-12, every=0.1)
    height = np.asarray(run.values("disc.position"))[:, 2]
    rates = np.asarray(run.values("disc.angular_velocity"))[:, 2]
    np.testing.assert_allclose(height, R * c, atol=1e-8)
    assert np.ptp(rates) < 1e-7


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.1, 2.0])
def test_a_rolling_disc_stands_up_above_its_critical_speed(factor):
    """Thin uniform disc: stable for v² > g R/3 and only then. Run at rtol 1e-10.

    A small lean obeys λ² = (4/5) g/R − (12/5) (v/R)²; the run is compared with its solution.
    """
    v = factor * np.sqrt(9.81 * R / 3)
    square = 0.8 * 9.81 / R - 2.4 * (v / R) ** 2
    kick = 1e-6
    start = {"F.angular_velocity": (kick, v / R, 0.0)}
    until = min(3.0, 4.0 / np.sqrt(abs(square)))
    run = bc.simulate(rolling_disc(), until, start=start, rtol=1e-10, atol=1e-14, every=until)
    rate = np.sqrt(abs(square))
    expected = kick / rate * (np.sinh if square > 0 else np.sin)(rate * until)
    p0, *p = np.asarray(run.values("disc.orientation"))[-1]
    axle_z = 2 * (p[1] * p[2] + p0 * p[0])  # n · a
    assert axle_z == pytest.approx(expected, rel=1e-4, abs=1e-3 * kick / rate)
