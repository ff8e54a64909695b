"""Constraints other than loops of joints: ADAMS tables and closed forms."""

from pathlib import Path

import numpy as np
import pytest
from tests.classics.runs import about, at

import bellcrank as bc

DATA = Path(__file__).parent.parent / "data" / "adams"
G = 9.80665


def table(case):
    """Return the columns of an ADAMS table, components together."""
    rows = np.genfromtxt(DATA / f"{case}.csv", delimiter=",", names=True)
    return {
        name: np.stack([rows[f"{name}_{axis}"] for axis in "xyz"], axis=1)
        for name in ("position", "velocity", "force", "torque")
    }


@pytest.mark.parametrize(("case", "com", "turn"), [("01", 2.0, 0.0), ("03", 4.0, -np.pi / 2)])
def test_distance_moves_and_pulls_as_in_adams(case, com, turn):
    """6.1 Distance 01 and 03: 2e-5 m, 1e-3 of the largest force. Run at rtol 1e-10.

    The force on ground is what the body does not need: m (g − a).
    """
    centre = (0.0, com, 0.0)
    pose = bc.Pose(centre, about("z", turn))
    body = bc.Body("body", mass=1.0, com=centre, inertia=(0.04, 0.1, 0.1, 0, 0, 0), pose=pose)
    model = bc.Model(
        "distance",
        gravity=(0, 0, -G),
        bodies=[body],
        joints=[bc.Free("free", "ground", "body", at=centre)],
        constraints=[
            bc.Distance("rod", ("ground", (0, 0, 0)), ("body", (0, 2, 0)), length=2.0)
        ],
    )
    run = bc.simulate(model, 5.0, rtol=1e-10, atol=1e-12, every=0.2)
    known = table(f"distance_{case}")
    np.testing.assert_allclose(run.values("body.position"), known["position"], atol=2e-5)
    np.testing.assert_allclose(run.values("body.velocity"), known["velocity"], atol=2e-4)
    force = np.array([0, 0, -G]) - np.asarray(run.values("body.acceleration"))
    largest = np.max(np.abs(known["force"]))
    # In its first row case 01 has not yet found the force.
    np.testing.assert_allclose(force[1:], known["force"][1:], atol=1e-3 * largest)
    assert np.max(run.values("constraint_residual")) < 1e-12


M, L, g = 2.0, 1.5, 9.81


def hanging(kind):
    """Return a rod of 1.5 m and 2 kg hinged at one end by constraints of some kind."""
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (L, 0, 0), mass=M))
    if kind == "pin":
        joints = [
            bc.Planar("plane", "ground", "rod", axis="y"),
            bc.Revolute("pin", "ground", "rod", at=(0, 0, 0), axis="y"),
        ]
        return bc.Model("rod", bodies=[rod], joints=joints)
    if kind == "slot":
        # Two slots across each other hold the end of a rod that is free in the plane.
        joints = [
            bc.Planar("plane", "ground", "rod", axis="y"),
        ]
        slots = [
            bc.PointOnPlane("up", ("rod", (0, 0, 0)), "ground", (0, 0, 0), "z"),
            bc.PointOnPlane("along", ("rod", (0, 0, 0)), "ground", (0, 0, 0), "x"),
        ]
        return bc.Model("rod", bodies=[rod], joints=joints, constraints=slots)
    joints = [
        bc.Prismatic("x", "ground", "block", axis="x"),
        bc.Revolute("hinge", "block", "rod", at=(0, 0, 0), axis="y"),
    ]
    block = bc.Body("block", bc.Box((0.1, 0.1, 0.1), mass=1.0))
    hold = bc.Drive("pin", "x", offset="0")
    return bc.Model("rod", bodies=[block, rod], joints=joints, drivers=[hold])


@pytest.mark.parametrize("kind", ["pin", "slot", "driver"])
def test_a_falling_rod_weighs_a_quarter_and_then_five_halves(kind):
    """H18: mg/4 level, 5mg/2 at the bottom, whatever holds the end; 1e-9. rtol 1e-12."""
    rod = hanging(kind)
    run = bc.simulate(
        rod, 2.0, rtol=1e-12, atol=1e-13, every="step",
        events=[bc.Event("bottom", "rod.velocity_z", direction=1, terminal=True)],
    )  # fmt: skip
    pull = M * (np.asarray(run.values("rod.acceleration")) - [0, 0, -g])
    np.testing.assert_allclose(pull[0], [0, 0, M * g / 4], atol=1e-9)
    np.testing.assert_allclose(pull[-1], [0, 0, 2.5 * M * g], atol=1e-6)
    if kind == "pin":
        force = np.asarray(run.values("pin.reaction_force"))
        np.testing.assert_allclose(force, pull, atol=1e-9)
    if kind == "driver":
        effort = np.asarray(run.values("pin.effort"))
        np.testing.assert_allclose(effort, pull[:, 0], atol=1e-9)
        across = np.asarray(run.values("hinge.reaction_force"))
        np.testing.assert_allclose(across, pull, atol=1e-9)


NUT = {"mass": 3.0, "inertia": (0.04, 0.04, 0.05, 0, 0, 0), "com": (0, 0, 0)}
LEAD = 0.3  # m per turn


def nut(kind):
    """Return a nut on a thread along z: by a screw, or by a sleeve that is not free."""
    body = bc.Body("nut", **NUT)
    if kind == "screw":
        joint = bc.Screw("J", "ground", "nut", at=(0, 0, 0), axis="z", pitch=LEAD)
        return bc.Model("nut", bodies=[body], joints=[joint])
    sleeve = bc.Cylindrical("J", "ground", "nut", at=(0, 0, 0), axis="z")
    thread = {"J.offset_rate": 1.0, "J.angle_rate": -LEAD / (2 * np.pi)}
    rows = [bc.VelocityConstraint("thread", thread)]
    if kind == "rack":
        # The carrier takes the offset, the nut the angle.
        carrier = bc.Body("carrier", mass=1e-9, com=(0, 0, 0), inertia=(0,) * 6)
        joints = [
            bc.Prismatic("slide", "ground", "carrier", axis="z"),
            bc.Revolute("J", "carrier", "nut", at=(0, 0, 0), axis="z"),
        ]
        rows = [bc.RackAndPinion("thread", "slide", "J", radius=LEAD / (2 * np.pi))]
        return bc.Model("nut", bodies=[carrier, body], joints=joints, constraints=rows)
    return bc.Model("nut", bodies=[body], joints=[sleeve], constraints=rows)


@pytest.mark.parametrize("kind", ["screw", "speeds", "rack"])
def test_a_nut_falls_along_its_thread(kind):
    """J09: z̈ = −g κ²/(κ² + J/m), to 1e-10; z = z̈ t²/2 after 2 s. Run at rtol 1e-12."""
    kappa = LEAD / (2 * np.pi)
    fall = -g * kappa**2 / (kappa**2 + 0.05 / 3.0)
    end = at(nut(kind), 2.0, {})
    tol = 1e-8 if kind == "rack" else 1e-10  # the carrier has a mass
    assert end["nut.acceleration"][2] == pytest.approx(fall, rel=tol)
    assert end["nut.position"][2] == pytest.approx(fall * 2, rel=tol)
    assert end["J.angle"] == pytest.approx(fall * 2 / kappa, rel=tol)


def test_two_gears_share_a_torque():
    """α₁ = (τ₁ + r τ₂)/(J₁ + r² J₂) for angle₂ = r angle₁, r = −1.5. Run at rtol 1e-12."""
    ratio, J1, J2 = -1.5, 0.2, 0.7
    bodies = [
        bc.Body(name, mass=1.0, com=(x, 0, 0), inertia=(J, J, J, 0, 0, 0))
        for name, x, J in (("one", 0.0, J1), ("two", 1.0, J2))
    ]
    model = bc.Model(
        "gears",
        bodies=bodies,
        joints=[
            bc.Revolute("A", "ground", "one", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "ground", "two", at=(1, 0, 0), axis="y"),
        ],
        constraints=[bc.Gear("mesh", "A", "B", ratio=ratio)],
        forces=[bc.Motor("motor", "A", effort=2.0), bc.Motor("load", "B", effort=0.4)],
    )
    end = at(model, 3.0, {})
    expected = (2.0 + ratio * 0.4) / (J1 + ratio**2 * J2)
    assert end["A.angle_acceleration"] == pytest.approx(expected, rel=1e-12)
    assert end["A.angle"] == pytest.approx(expected * 4.5, rel=1e-11)
    assert end["B.angle"] == pytest.approx(ratio * expected * 4.5, rel=1e-11)


def test_a_bead_on_a_turning_wire():
    """PointOnLine on a driven wire: r = r₀ cosh Ωt, and the torque is 2 m r ṙ Ω. rtol 1e-12."""
    W, m = 1.3, 0.5
    model = bc.Model(
        "bead",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("wire", bc.Rod((-1, 0, 0), (1, 0, 0), mass=1.0)),
            bc.Body("bead", bc.Sphere(0.01, center=(0.2, 0, 0), mass=m)),
        ],
        joints=[
            bc.Revolute("A", "ground", "wire", at=(0, 0, 0), axis="z"),
            bc.Free("F", "ground", "bead", at=(0.2, 0, 0)),
        ],
        constraints=[bc.PointOnLine("on", ("bead", (0.2, 0, 0)), "wire", (0, 0, 0), "x")],
        drivers=[bc.Drive("motor", "A", angle=f"{W}*t")],
    )
    end = at(model, 2.0, {"F.velocity": (0.0, 0.2 * W, 0.0)})
    r, rate = 0.2 * np.cosh(2 * W), 0.2 * W * np.sinh(2 * W)
    assert np.hypot(*end["bead.position"][:2]) == pytest.approx(r, rel=1e-10)
    assert end["motor.effort"] == pytest.approx(2 * m * r * rate * W, rel=1e-9)


def test_a_scotch_yoke_is_a_sine():
    """PointOnPlane: the yoke's offset is R cos θ for a pin in a slot. Run at rtol 1e-12."""
    R = 0.3
    model = bc.Model(
        "Scotch yoke",
        bodies=[
            bc.Body("crank", bc.Rod((0, 0, 0), (R, 0, 0), mass=1.0)),
            bc.Body("yoke", bc.Box((0.1, 0.1, 1.0), center=(R, 0, 0), mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="-y"),
            bc.Prismatic("rail", "ground", "yoke", axis="x"),
        ],
        constraints=[bc.PointOnPlane("slot", ("crank", (R, 0, 0)), "yoke", (R, 0, 0), "x")],
        drivers=[bc.Drive("motor", "A", angle="5*t")],
    )
    run = bc.simulate(model, 2.0, rtol=1e-12, atol=1e-13, every=0.05)
    found = np.asarray(run.values("rail.offset"))
    np.testing.assert_allclose(found, R * (np.cos(5 * run.t) - 1), atol=1e-11)
    drag = 2.0 * 25 * R**2 * np.cos(5 * run.t) * np.sin(5 * run.t)
    lift = 1.0 * 9.81 * R / 2 * np.cos(5 * run.t)
    np.testing.assert_allclose(run.values("motor.effort"), drag + lift, atol=1e-9)


def test_directions_hold_the_attitude_of_a_body():
    """Parallel and Perpendicular hold a free body's attitude: it falls without turning.

    Run at rtol 1e-12.
    """
    body = bc.Body("brick", bc.Box((1, 2, 3), mass=1.0))
    model = bc.Model(
        "brick",
        bodies=[body],
        joints=[bc.Free("F", "ground", "brick")],
        constraints=[
            bc.Parallel("level", "ground", "brick", "z"),
            bc.Perpendicular("straight", "ground", "brick", "x", "y"),
        ],
        forces=[bc.Force("push", "brick", (1, 2, 3), at=(0.5, 0.7, -0.9))],
    )
    end = at(model, 1.0, {})
    np.testing.assert_allclose(end["brick.orientation"], [1, 0, 0, 0], atol=1e-13)
    np.testing.assert_allclose(end["brick.position"], [0.5, 1.0, (3 - 9.81) / 2], atol=1e-12)
