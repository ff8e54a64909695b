"""What constraints that are no joints do: closed forms, signs, free-body balance, agreement."""

import numpy as np
import pytest
from tests.analysis.scattered import scattered
from tests.formulations.held import SCHOOLS, Wrenches, at, needed, seen
from tests.formulations.momentum.arms import PlanarArm
from tests.laws.closed import loop, tied

import bellcrank as bc
from bellcrank.analysis.verify import verify_states
from bellcrank.analysis.verify.body_space import held_channels
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.system import System
from bellcrank.model.names import channels

pytestmark = pytest.mark.slow

G = 9.81
BALL = {"mass": 2.0, "inertia": (0.1, 0.1, 0.1, 0, 0, 0)}
everywhere = pytest.mark.parametrize("school", SCHOOLS, ids=lambda one: type(one).__name__)


def ball(*constraints, com=(0, 0, 0), **others):
    """Return a free ball with constraints."""
    body = bc.Body("ball", com=com, **BALL)
    free = bc.Free("F", "ground", "ball", at=com)
    return bc.Model("ball", bodies=[body], joints=[free], constraints=constraints, **others)


# --- closed forms and signs


@everywhere
def test_the_tension_of_a_pendulum(school):
    """F = m (v²/l + g cos θ), positive; of a strut that stands, −m g."""
    length, angle, speed = 1.5, 0.7, 3.0
    s, c = np.sin(angle), np.cos(angle)
    com = (length * s, 0, -length * c)
    hung = ball(bc.Distance("link", ("ground", (0, 0, 0)), ("ball", com)), com=com)
    here = seen(hung, at(hung, {"F.velocity": (speed * c, 0, speed * s)}), school)
    assert here["link.force"] == pytest.approx(2.0 * (speed**2 / length + G * c), rel=1e-12)
    strut = ball(bc.Distance("link", ("ball", (0, 0, 1)), ("ground", (0, 0, 0))), com=(0, 0, 1))
    assert seen(strut, at(strut, {}), school)["link.force"] == pytest.approx(-2.0 * G)


@everywhere
def test_a_disc_that_rolls_straight_weighs_on_the_ground(school):
    """(0, 0, m g) in steady rolling; on a slope, friction of a third of m g sin α upwards."""
    m, R, v, slope = 3.0, 0.4, 2.0, 0.3
    body = bc.Body("disc", mass=m, com=(0, 0, R),
                   inertia=(m * R * R / 4, m * R * R / 2, m * R * R / 4, 0, 0, 0))  # fmt: skip
    free = bc.Free("F", "ground", "disc", at=(0, 0, R))
    contact = bc.RollingDisc("contact", "disc", (0, 0, R), "y", R)
    rolling = {"F.velocity": (v, 0, 0), "F.angular_velocity": (0, v / R, 0)}
    level = bc.Model("disc", bodies=[body], joints=[free], constraints=[contact])
    here = seen(level, at(level, rolling), school)
    assert here["contact.force"] == pytest.approx([0, 0, m * G], abs=1e-11)
    pull = (G * np.sin(slope), 0, -G * np.cos(slope))
    tilted = bc.Model("disc", bodies=[body], joints=[free], constraints=[contact], gravity=pull)
    here = seen(tilted, at(tilted, rolling), school)
    wanted = [-m * G * np.sin(slope) / 3, 0, m * G * np.cos(slope)]
    assert here["contact.force"] == pytest.approx(wanted, abs=1e-11)


def wheels(second, tie, torque=5.0):
    """Return a wheel of 0.2 kg m² with a motor on it, tied to something of 3 kg, 0.7 kg m²."""
    hinge = bc.Revolute("A", "ground", "wheel", at=(0, 0, 0), axis="z")
    return bc.Model(
        "wheels",
        bodies=[
            bc.Body("wheel", mass=1.0, com=(0, 0, 0), inertia=(0.2, 0.2, 0.2, 0, 0, 0)),
            bc.Body("other", mass=3.0, com=(2, 0, 0), inertia=(0.7, 0.7, 0.7, 0, 0, 0)),
        ],
        joints=[hinge, second],
        constraints=[tie],
        forces=[bc.Motor("motor", "A", effort=torque)],
    )


@everywhere
def test_the_torque_of_a_gear(school):
    """α₁ = τ/(I₁ + r² I₂); the driven wheel is given I₂ r α₁."""
    ratio = -2.5
    model = wheels(
        bc.Revolute("B", "ground", "other", at=(2, 0, 0), axis="z"),
        bc.Gear("mesh", "A", "B", ratio),
    )
    here = seen(model, at(model, {}), school)
    alpha = 5.0 / (0.2 + ratio**2 * 0.7)
    assert here["A.angle_acceleration"] == pytest.approx(alpha)
    assert here["mesh.effort"] == pytest.approx(0.7 * ratio * alpha)
    assert {c.name: c.quantity for c in channels(model)}["mesh.effort"] == "torque"


@everywhere
def test_the_force_of_a_rack(school):
    """α = τ/(I + m R²); the rack is given m R α."""
    radius = 0.3
    model = wheels(
        bc.Prismatic("B", "ground", "other", at=(2, 0, 0), axis="x"),
        bc.RackAndPinion("rack", "B", "A", radius),
    )
    here = seen(model, at(model, {}), school)
    assert here["rack.effort"] == pytest.approx(3.0 * radius * 5.0 / (0.2 + 3.0 * radius**2))


def test_a_plane_pushes_and_holds_back_and_a_line_acts_across():
    """Along the normal m g, and −m g where the ball hangs; across a line, what is left."""
    on = ball(bc.PointOnPlane("floor", ("ball", (0, 0, 0)), "ground", (0, 0, 0), "z"))
    under = ball(bc.PointOnPlane("roof", ("ball", (0, 0, 0)), "ground", (0, 0, 0), (0, 0, -1)))
    assert seen(on, at(on, {}), bc.Natural())["floor.force"] == pytest.approx(2.0 * G)
    assert seen(under, at(under, {}), bc.Natural())["roof.force"] == pytest.approx(-2.0 * G)
    wire = ball(bc.PointOnLine("w", ("ball", (0, 0, 0)), "ground", (0, 0, 0), (0.8, 0, -0.6)))
    wanted = 2.0 * G * 0.8 * np.array([0.6, 0, 0.8])
    assert seen(wire, at(wire, {}), bc.Kane())["w.force"] == pytest.approx(wanted, abs=1e-11)


def test_directions_are_held_by_torques():
    """What a torque would turn away is given back to the second body, the rest turns it."""
    twist = bc.Torque("twist", "ball", (1.0, 2.0, 3.0))
    upright = ball(bc.Parallel("hold", "ground", "ball", "z"), forces=[twist])
    here = seen(upright, at(upright, {}), bc.Cartesian())
    assert here["hold.torque"] == pytest.approx([-1, -2, 0], abs=1e-12)
    square = ball(bc.Perpendicular("hold", "ground", "ball", "x", "y"), forces=[twist])
    here = seen(square, at(square, {}), bc.Cartesian())
    assert here["hold.torque"] == pytest.approx([0, 0, -3], abs=1e-12)


@everywhere
def test_a_relation_of_speeds_has_an_effort(school):
    """A skate that turns: m v ω to its left; the unit is that of the row as it is written."""
    edge = {"S.x_rate": "-sin(S.angle)", "S.y_rate": "cos(S.angle)"}
    skate = bc.Model(
        "skate",
        bodies=[bc.Body("skate", **BALL)],
        joints=[bc.Planar("S", "ground", "skate", axis="z")],
        constraints=[bc.VelocityConstraint("edge", edge)],
        gravity=(0, 0, -G),
    )
    v, w, angle = 1.3, 2.1, 0.4
    start = {"S.angle": angle, "S.angle_rate": w}
    start |= {"S.x_rate": v * np.cos(angle), "S.y_rate": v * np.sin(angle)}
    here = seen(skate, at(skate, start), school)
    assert here["edge.effort"] == pytest.approx(2.0 * v * w)
    geared = bc.VelocityConstraint("edge", {"S.angle_rate": 1.0}, equals="t")
    found = channels(skate.without("edge").add(geared))
    assert {c.quantity for c in found if c.owner == "edge"} == {"torque"}
    assert {c.quantity for c in channels(skate) if c.owner == "edge"} == {"force"}


def test_a_relation_with_a_right_hand_side_does_its_work():
    """X03: e · equals is part of the power balance, and of the audit of a run."""
    hinges = wheels(
        bc.Revolute("B", "ground", "other", at=(2, 0, 0), axis="z"),
        bc.VelocityConstraint("led", {"A.angle_rate": 2.0, "B.angle_rate": 0.5}, "sin(3*t)"),
    )
    found = verify_states(hinges, scattered(hinges, 2, 1), SCHOOLS[:2])
    assert found.agrees, found.verdict
    run = bc.simulate(hinges, 0.5, every=0.002)
    assert run.audit["energy_drift"] < 1e-8
    # 2 ω_A + ω_B / 2 = sin 3t and 5 N m on A alone: I ω̇ = e c + τ for each.
    t, shared = run.t, 4.0 / 0.2 + 0.25 / 0.7
    wanted = (3 * np.cos(3 * t) - 2.0 * 5.0 / 0.2) / shared
    np.testing.assert_allclose(run.values("led.effort"), wanted, rtol=1e-9, atol=1e-9)


# --- laws on random machines


def machine(kind, seed):
    forces = ("SpringDamper", "Torque")
    if kind in ("Gear", "RackAndPinion", "RollingDisc"):
        return tied(kind, seed, forces)
    return loop(kind, seed, forces)


KINDS = ("Distance", "PointOnLine", "PointOnPlane", "Parallel", "Perpendicular", "Gear",
         "RackAndPinion", "RollingDisc")  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_every_body_is_in_balance_and_formulations_agree(kind):
    """Reactions and channels alone, by their definitions, move every body, to 1e-9.

    With that they give the generalized constraint forces of any coordinates. All schools say
    the same of the constraint, to 1e-9 of the largest.
    """
    model = machine(kind, 5)
    there = scattered(model, 1, 5)
    found = [seen(model, there, school) for school in SCHOOLS]
    tie = next(c for c in channels(model) if c.owner == model.constraints[0].name)
    size = np.abs(found[0][tie.name]).max()
    assert size > 1e-3
    for other in found[1:]:
        np.testing.assert_allclose(other[tie.name], found[0][tie.name], atol=1e-9 * size)
    applied = there.system.kernel("applied")(*there.arguments)[0][0]
    sums = Wrenches(model, found[0])
    sums.joints()
    sums.constraint(model.constraints[0])
    for i, (name, wrench) in enumerate(needed(model, found[0]).items()):
        given = sums.sums[name] + applied[:, i]
        np.testing.assert_allclose(given, wrench, atol=1e-9 * max(1.0, np.abs(wrench).max()))


# --- redundant rows


def test_what_redundant_links_share_is_named_and_smallest():
    """Two links side by side hold half each; one that the others leave alone is determined."""
    ends = ("ground", (0, 0, 1)), ("ball", (0, 0, 0))
    model = ball(bc.Distance("one", *ends), bc.Distance("two", *ends),
                 bc.PointOnPlane("wall", ("ball", (0, 0, 0)), "ground", (0, 0, 0), "x"),
                 forces=[bc.Force("push", "ball", (-4.0, 0, 0))])  # fmt: skip
    system = System(bc.equations(model), build=interpret)
    here = system.observe(*system.pack({}))
    assert here["one.force"] == pytest.approx(G)
    assert here["two.force"] == pytest.approx(G)
    assert here["wall.force"] == pytest.approx(4.0)
    there = [part[0] if part.ndim > 1 else part for part in at(model, {}).arguments]
    assert system.undetermined(there) == ("one.force", "two.force")
    masks = at(model, {}).determined["constraint force"]
    assert masks.tolist() == [[False, False, True]]
    assert [c.name for c in held_channels(system)["constraint force"]] == [
        "one.force", "two.force", "wall.force",
    ]  # fmt: skip


# --- machines without momentum from outside


def linkage(*drivers):
    """Return a floating arm whose last rod is also tied to the hub by a link."""
    link = bc.Distance("link", ("hub", (0.2, 0.9)), ("lower", (3.0, 0.5)))
    return PlanarArm().model(*drivers).add(link)


def test_the_momentum_form_says_the_same_of_a_link():
    """To 1e-9, beside the drive of a joint."""
    model = linkage(bc.Drive("d", "shoulder", angle="0.4*sin(t)"))
    there = scattered(model, 1, 2)
    kept = bc.Momentum(linear="start", angular="start")
    one, other = (seen(model, there, school) for school in (bc.JointCoordinates(), kept))
    for name in ("link.force", "d.effort", "elbow.reaction_force"):
        np.testing.assert_allclose(one[name], other[name], atol=1e-9)
    assert abs(one["link.force"]) > 1e-3


def test_joints_and_links_share_what_a_led_point_needs():
    """Nobody pushes the tip from outside: reactions and the link alone move every body."""
    model = linkage(bc.Drive("reach", "tip", position_y="0.1*t"))
    there = scattered(model, 1, 2)
    here = seen(model, there, bc.Momentum(linear="start", angular="start"))
    sums = Wrenches(model, here)
    sums.joints()
    sums.constraint(model["link"])
    for name, wrench in needed(model, here).items():
        np.testing.assert_allclose(sums.sums[name], wrench, atol=1e-9)
    assert abs(here["link.force"]) > 1e-3
