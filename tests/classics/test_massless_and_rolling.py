"""A ring without mass in a Cardan joint; a car on four rolling discs."""

import numpy as np
import pytest

import bellcrank as bc

SCHOOLS = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]
BEND = np.radians(20)


def cardan():
    """Return two shafts bent by 20° and the ring between them, which has no mass."""
    along, across = (np.cos(BEND), np.sin(BEND), 0), (-np.sin(BEND), np.cos(BEND), 0)
    o, nothing = (0, 0, 0), (0,) * 6
    return bc.Model(
        "Cardan joint",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("in", bc.Cylinder((-1, 0, 0), o, 0.1, mass=1.0)),
            bc.Body("ring", mass=0.0, inertia=nothing, as_given=True),
            bc.Body("out", bc.Cylinder(o, along, 0.1, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "in", at=o, axis="x"),
            bc.Revolute("B", "in", "ring", at=o, axis="z"),
            bc.Revolute("C", "ring", "out", at=o, axis=across),
            bc.Revolute("D", "ground", "out", at=o, axis=along),
        ],
    )


@pytest.mark.parametrize("formulation", SCHOOLS, ids=lambda f: type(f).__name__)
def test_a_ring_without_mass_turns_its_shafts_by_the_law_of_cardan(formulation):
    """ω₂/ω₁ = cos β / (1 − sin²β sin²θ), and J (ω₁² + ω₂²)/2 is kept.

    θ is the angle of the input, whose pin is drawn normal to the plane of the bend.
    """
    run = bc.simulate(
        cardan(), 1.0, formulation=formulation, start={"A.angle_rate": 3.0}, every=0.05
    )
    angle, into, out = (
        run.values(name) for name in ("A.angle", "A.angle_rate", "D.angle_rate")
    )
    ratio = np.cos(BEND) / (1 - (np.sin(BEND) * np.sin(angle)) ** 2)
    np.testing.assert_allclose(out / into, ratio, atol=1e-7)
    energy = into**2 + out**2
    np.testing.assert_allclose(energy, energy[0], rtol=1e-7)


def car():
    """Return a car with front wheels steered so that all wheels roll about one centre."""
    half, wide, r = 1.3, 0.7, 0.3
    bodies = [bc.Body("chassis", bc.Box((2.6, 1.2, 0.4), (0, 0, 0.5), mass=800.0))]
    joints: list = [bc.Free("F", "ground", "chassis")]
    rolling = []
    for name, x, y in (("fl", 1, 1), ("fr", 1, -1), ("rl", -1, 1), ("rr", -1, -1)):
        c, carrier = (x * half, y * wide, r), "chassis"
        if x > 0:
            carrier = f"knuckle {name}"
            bodies.append(bc.Body(carrier, bc.Box((0.1, 0.1, 0.1), c, mass=5.0)))
            joints.append(bc.Revolute(f"steer {name}", "chassis", carrier, at=c, axis="z"))
        bodies.append(
            bc.Body(name, bc.Cylinder((c[0], c[1] - 0.1, r), (c[0], c[1] + 0.1, r), r, mass=20))
        )
        joints.append(bc.Revolute(f"spin {name}", carrier, name, at=c, axis="y"))
        rolling.append(bc.RollingDisc(f"roll {name}", name, radius=r, center=c, axis="y"))
    left = "0.2*sin(t)"
    right = f"atan(tan({left})/(1 + {wide / half!r}*tan({left})))"  # cot right = cot left + w/h
    drivers = [
        bc.Drive("left", "steer fl", angle=left),
        bc.Drive("right", "steer fr", angle=right),
    ]
    return bc.Model("car", bodies=bodies, joints=joints, constraints=rolling, drivers=drivers)


@pytest.mark.slow
def test_a_car_on_four_rolling_discs_moves_alike_in_joint_and_natural_coordinates():
    places = []
    for formulation in (bc.JointCoordinates(), bc.Natural()):
        start = {"F.velocity": bc.Near((5.0, 0, 0))}
        run = bc.simulate(car(), 1.0, formulation=formulation, start=start, every=0.1)
        places.append(run.values("chassis.position"))
    assert places[0][-1, 0] > 4.0
    assert places[0][-1, 1] > 0.4
    np.testing.assert_allclose(places[1], places[0], rtol=0, atol=1e-7)
