"""Runs of Kane's machines: turns that are counted, ways with constraints, particles."""

import numpy as np
import pytest
from tests.machines.hinged import pendulum

import bellcrank as bc

GEARS = bc.Model(
    "gears",
    bodies=[
        bc.Body("a", bc.Disc(1.0, mass=1.0, axis="z")),
        bc.Body("b", bc.Disc(0.5, center=(1.5, 0, 0), mass=1.0, axis="z")),
        bc.Body("nut", bc.Disc(0.2, center=(0, 0, 1), mass=1.0, axis="z")),
    ],
    joints=[
        bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="z"),
        bc.Revolute("B", "ground", "b", at=(1.5, 0, 0), axis="z"),
        bc.Screw("S", "ground", "nut", at=(0, 0, 1), axis="z", pitch=0.3),
    ],
    constraints=[bc.Gear("g", "A", "B", ratio=-2.0)],
    drivers=[bc.Drive("d", "A", angle="2*pi*t")],
)


def test_turns_of_drivers_gears_and_screws_are_counted():
    """1.75 turns of a driver, 3.5 back of its gear; a nut falls by z̈ = −gκ²/(κ² + J/m)."""
    run = bc.simulate(GEARS, 1.75, formulation=bc.Kane(), every=0.25)
    assert run.values("A.angle")[-1] == pytest.approx(3.5 * np.pi, abs=1e-9)
    assert run.values("B.angle")[-1] == pytest.approx(-7 * np.pi, abs=1e-9)
    lead = 0.3 / (2 * np.pi)
    fall = -9.81 * lead**2 / (lead**2 + 0.2**2 / 2) * 1.75**2 / 2
    assert run.values("nut.position")[-1][2] == pytest.approx(1 + fall, abs=1e-8)
    assert run.values("S.angle")[-1] == pytest.approx(fall / lead, abs=1e-7)
    assert abs(fall / lead) > 2 * np.pi


def test_independent_coordinates_find_the_same_motion():
    """S07 in a run: dependent coordinates and speeds eliminated, or multipliers, to 1e-8."""
    found = [
        bc.simulate(
            pendulum(mass=2.0), 1.0, start={"A.angle_rate": 3.0}, formulation=bc.Kane(),
            every=0.5, constraints=way, rtol=1e-10,
        ).values("A.angle")[-1]
        for way in ("project", "independent")
    ]  # fmt: skip
    wanted = bc.simulate(
        pendulum(mass=2.0), 1.0, start={"A.angle_rate": 3.0}, every=0.5, rtol=1e-10
    )
    np.testing.assert_allclose(found, wanted.values("A.angle")[-1], atol=1e-8)


def test_a_particle_falls():
    """A point does not turn: z = −gt²/2."""
    free = bc.Model(
        "point",
        bodies=[bc.Particle("x", 1.0, (0, 0, 0))],
        joints=[bc.Free("F", "ground", "x", at=(0, 0, 0))],
    )
    run = bc.simulate(
        free, 1.0, start={"x.s": (0.0, 0.0, 2.0)}, formulation=bc.Kane(), every=0.5
    )
    np.testing.assert_allclose(run.values("x.position")[-1], (0, 0, 2 - 9.81 / 2), atol=1e-9)
