"""Prescribed motion: what follows from it, and the effort it takes."""

import numpy as np
import pytest
from tests.classics.runs import about, at
from tests.machines import looped

import bellcrank as bc
from bellcrank.machine.start import initial_state

ROOT = float(np.sqrt(0.5))
G = 9.80665


def test_car_axis():
    """REFERENCES 2.2, positions and speeds at 3 s to 1e-7. Run at rtol 1e-12.

    The multipliers are forces on the left mass: λ₁ across its strut, 2 λ₂ along the chassis.
    """
    start = {"plane.x_rate": -0.5, "plane.y_rate": 0.0, "strut.offset_rate": 0.0}
    end = at(looped.car_axis(), 3.0, start)
    found = [*end["left.position"][:2], *end["right.position"][:2]]
    known = (
        0.0493455784275402809122, 0.496989460230171153861,
        1.04174252488542151681, 0.373911027265361256927,
    )  # fmt: skip
    np.testing.assert_allclose(found, known, atol=1e-7)
    speeds = (
        -0.0770583684040972357970, 0.00744686658723778553466,
        0.0175568157537232222276, 0.770341043779251976443,
    )  # fmt: skip
    np.testing.assert_allclose(
        [*end["left.velocity"][:2], *end["right.velocity"][:2]], speeds, atol=1e-7
    )
    alpha = np.arcsin(0.1 * np.sin(30.0))
    across = np.array([np.cos(alpha), np.sin(alpha), 0])
    push = end["strut.reaction_force"]
    np.testing.assert_allclose(push, -47.3688659084893 * across, atol=1e-6)
    spring = end["left spring.force"] * np.array([np.sin(alpha), -np.cos(alpha), 0])
    link = 5 * end["left.acceleration"] - push - spring - [0, -5, 0]
    along = end["left.position"] - end["right.position"]
    np.testing.assert_allclose(link, -2 * 11.0468033125734 * along, atol=1e-6)


@pytest.mark.parametrize(("axis", "speed"), [((0, 0, 1), 1.0), ((ROOT, 0, ROOT), 0.5)])
def test_linear_actuator(axis, speed):
    """6.1 LinActuator 01 and 02: steady motion against gravity; exact. Run at rtol 1e-12."""
    model = bc.Model(
        "actuator",
        gravity=(0, 0, -G),
        bodies=[bc.Body("body", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("slide", "ground", "body", axis=axis)],
        drivers=[bc.Drive("actuator", "slide", offset=f"{speed}*t")],
    )
    end = at(model, 5.0, {})
    np.testing.assert_allclose(end["body.position"], 5 * speed * np.array(axis), atol=1e-12)
    np.testing.assert_allclose(end["body.velocity"], speed * np.array(axis), atol=1e-12)
    assert end["actuator.effort"] == pytest.approx(G * axis[2], abs=1e-12)
    rest = np.array([0, 0, G]) - G * axis[2] * np.array(axis)
    np.testing.assert_allclose(end["slide.reaction_force"], rest, atol=1e-12)


NORTON = {
    1: (20.297882788196, 57.324880070361, -4.120914415348, 6.997985242177,
        296.08919317431, 470.133530261023),
    -1: (-60.977966795864, -98.004964078029, -9.2587722995, -20.3776719571,
         597.622400076, 423.578062990),
}  # fmt: skip
"""θ₃, θ₄ [deg], ω₃, ω₄, α₃, α₄ of the open and the crossed branch."""


@pytest.mark.parametrize("branch", NORTON)
def test_norton_four_bar(branch):
    """REFERENCES 3.13: angles, rates and accelerations of a driven crank, to 1e-9."""
    system = bc.compile(norton(branch), level=0)
    x = initial_state(system, {}, 0.0, np.zeros(0), np.zeros(0))
    np.testing.assert_allclose(x[:3], 0, atol=1e-12)  # it closes as drawn
    seen = system.observe(x[:3], x[3:])
    rates = [seen[f"{body}.angular_velocity"][2] for body in ("coupler", "rocker")]
    np.testing.assert_allclose(rates, NORTON[branch][2:4], rtol=1e-9)
    bends = [seen[f"{body}.angular_acceleration"][2] for body in ("coupler", "rocker")]
    np.testing.assert_allclose(bends, NORTON[branch][4:], rtol=1e-9)


def norton(branch):
    """Return the four-bar of 3.13 drawn at θ₂ = 40°, driven with ω₂ = 25, α₂ = 15."""
    a, b, c, d = 0.040, 0.120, 0.080, 0.100
    th2 = np.radians(40)
    B, D = (a * float(np.cos(th2)), a * float(np.sin(th2))), (d, 0.0)
    C = looped.elbow(B, D, b, c, branch)
    for end, start, angle in ((C, B, NORTON[branch][0]), (C, D, NORTON[branch][1])):
        found = np.degrees(np.arctan2(end[1] - start[1], end[0] - start[0]))
        assert found == pytest.approx(angle, abs=1e-9)
    return bc.Model(
        "Norton",
        planar=True,
        bodies=[
            looped.bar("crank", (0, 0), B),
            looped.bar("coupler", B, C),
            looped.bar("rocker", D, C),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "coupler", at=B),
            bc.Revolute("D", "ground", "rocker", at=D),
            bc.Revolute("C", "coupler", "rocker", at=C),
        ],
        drivers=[bc.Drive("motor", "A", angle="25*t + 7.5*t**2")],
    )


def hooke(beta):
    """Return two shafts at an angle, joined by a Hooke joint; the first is driven."""
    out = (float(np.cos(beta)), float(np.sin(beta)), 0.0)
    tip = tuple(0.5 * x for x in out)
    return bc.Model(
        "Hooke joint",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("input", bc.Cylinder((-0.5, 0, 0), (0, 0, 0), radius=0.05, mass=1.0)),
            bc.Body("output", bc.Cylinder((0, 0, 0), tip, radius=0.05, mass=1.0)),
        ],
        joints=[
            bc.Revolute("in", "ground", "input", at=(-0.5, 0, 0), axis="x"),
            bc.Universal(
                "cross", "input", "output", at=(0, 0, 0),
                axis1=(0, 1, 0), axis2=(0, 0, 1),
            ),
            bc.Revolute("out", "ground", "output", at=tip, axis=out),
        ],
        drivers=[bc.Drive("motor", "in", angle="3*t")],
    )  # fmt: skip


def test_hooke_joint():
    """J06: ω₂/ω₁ = cos β/(1 − sin²β cos²θ) to 1e-12, two turns. Run at rtol 1e-12.

    θ is the turn of the input pin, which is drawn in the plane of the shafts. The effort is
    what turns the output unevenly: P = J ω₂ ω̇₂.
    """
    beta = np.radians(35)
    run = bc.simulate(hooke(beta), 4 * np.pi / 3, rtol=1e-12, atol=1e-13, every=np.pi / 60)
    theta = 3 * run.t
    ratio = np.cos(beta) / (1 - np.sin(beta) ** 2 * np.cos(theta) ** 2)
    w2 = np.asarray(run.values("out.angle_rate"))
    np.testing.assert_allclose(np.asarray(run.values("in.angle")), theta, atol=1e-12)
    np.testing.assert_allclose(w2 / 3, ratio, atol=1e-12)
    J = 1.0 * 0.05**2 / 2
    power = J * w2 * np.asarray(run.values("out.angle_acceleration"))
    np.testing.assert_allclose(3 * np.asarray(run.values("motor.effort")), power, atol=1e-12)


def test_the_carousel_leaves_a_pendulum_alone():
    """REFERENCES 3.8: the pivot turns, the swing plane does not, to 1e-9. rtol 1e-12."""
    model = bc.Model(
        "Foucault",
        bodies=[
            bc.Body("table", bc.Disc(1.0, (0, 0, 1), "z", mass=5.0)),
            bc.Body("bob", bc.Sphere(0.1, center=(0, 0, 0), mass=1.0)),
        ],
        joints=[
            bc.Revolute("axle", "ground", "table", at=(0, 0, 1), axis="z"),
            bc.Spherical("pivot", "table", "bob", at=(0, 0, 1)),
        ],
        drivers=[bc.Drive("motor", "axle", angle="0.7*t")],
    )
    still = (0.7 * np.sin(0.5), 0.0, -0.7 * np.cos(0.5))  # against the table, along the bob
    start = {"pivot.orientation": about("y", 0.5), "pivot.angular_velocity": still}
    run = bc.simulate(model, 5.0, start=start, rtol=1e-12, atol=1e-13, every=0.1)
    place = np.asarray(run.values("bob.position"))
    np.testing.assert_allclose(place[:, 1], 0, atol=1e-9)
    assert place[:, 0].min() < -0.47
    np.testing.assert_allclose(run.values("motor.effort"), 0, atol=1e-10)


def test_driver_power_is_energy_gained():
    """J11, X03: ∫ effort · rate dt = E − E₀ on a driven four-bar. Run at rtol 1e-12."""
    model = looped.plain().add(bc.Drive("motor", "A", angle=f"{np.pi / 2} + 3*t + sin(2*t)"))
    run = bc.simulate(model, 2.0, rtol=1e-12, atol=1e-13, every=0.001)
    power = np.asarray(run.values("motor.effort")) * np.asarray(run.values("A.angle_rate"))
    gained = (
        0.001 / 3 * (power[0] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum() + power[-1])
    )
    E = np.asarray(run.values("energy"))
    assert E[-1] - E[0] == pytest.approx(gained, abs=1e-8)


@pytest.mark.parametrize("along", [None, (ROOT, 0, ROOT)])
def test_a_driven_point_takes_the_force_that_moves_it(along):
    """J11: absolute driver. A body led along a curve needs m (a − g), exactly. rtol 1e-12."""
    model = bc.Model(
        "led",
        bodies=[bc.Body("bead", bc.Sphere(0.1, center=(0, 0, 0), mass=2.0))],
        joints=[bc.Planar("plane", "ground", "bead", axis="y", along=along)],
        points=[bc.Point("eye", "bead", at=(0, 0, 0))],
        drivers=[bc.Drive("hand", "eye", position_x="0.3*t**2", position_z="0.1*sin(4*t)")],
    )
    end = at(model, 1.0, {})
    np.testing.assert_allclose(end["bead.position"], [0.3, 0, 0.1 * np.sin(4.0)], atol=1e-12)
    assert end["hand.effort_position_x"] == pytest.approx(2 * 0.6, abs=1e-10)
    lift = 2 * (9.81 - 1.6 * np.sin(4.0))
    assert end["hand.effort_position_z"] == pytest.approx(lift, abs=1e-10)


def test_a_lead_screw_counts_its_turns():
    """J09 in a loop: 10 mm a turn for 19 turns, effort (J + m κ²) α. Run at rtol 1e-12."""
    lead = 0.01 / (2 * np.pi)
    model = bc.Model(
        "lead screw",
        gravity=(0, 0, -9.81),
        bodies=[
            bc.Body("shaft", bc.Cylinder((0, 0, 0), (1, 0, 0), radius=0.02, mass=1.0)),
            bc.Body("nut", bc.Box((0.1, 0.1, 0.1), center=(0.2, 0, 0), mass=2.0)),
        ],
        joints=[
            bc.Revolute("bearing", "ground", "shaft", at=(0, 0, 0), axis="x"),
            bc.Prismatic("rail", "ground", "nut", axis="x"),
            # The nut against the shaft turns backwards: forward along x needs a left hand.
            bc.Screw("thread", "shaft", "nut", at=(0.2, 0, 0), axis="x", pitch=-0.01),
        ],
        drivers=[bc.Drive("motor", "bearing", angle="30*t**2")],
    )
    end = at(model, 2.0, {})
    assert end["thread.angle"] == pytest.approx(-120.0, abs=1e-10)
    assert end["rail.offset"] == pytest.approx(120 * lead, abs=1e-12)
    J = 1.0 * 0.02**2 / 2
    assert end["motor.effort"] == pytest.approx((J + 2.0 * lead**2) * 60, rel=1e-9)
