"""Springs, dampers and actuators in Cartesian coordinates, and angles over full turns."""

import numpy as np
import pytest
from tests.formulations.cartesian.complex_step import along
from tests.formulations.cartesian.embedded import FORMS, State, embedded, in_joints
from tests.formulations.cartesian.test_library import arguments, pair
from tests.laws.evaluation import Evaluated
from tests.laws.laws import along_the_motion

import bellcrank as bc
from bellcrank.model.expressions import Signal
from bellcrank.testing import state

BOTH = pytest.mark.parametrize("formulation", FORMS, ids=repr)
ENDS = ("i", (0.3, -0.5, 0.2)), ("j", (0.1, 0.7, -0.6))


def forced(force, planar=False, kind="Free"):
    """Return two bodies with one force element and no weight."""
    if not planar:
        return pair(kind, 6, forces=[force], gravity=(0, 0, 0))
    bodies = [
        bc.Body(n, mass=1.0, com=(0.2, 0.1 * i), inertia=(1, 1, 0.5, 0, 0, 0))
        for i, n in enumerate("ij")
    ]
    joints = [bc.Planar("I", "ground", "i"), bc.Planar("J", "ground", "j")]
    return bc.Model(
        "flat", planar=True, gravity=(0, 0), bodies=bodies, joints=joints, forces=[force]
    )


def moving(model, formulation, seed=6):
    return embedded(model, formulation, in_joints(model, state(model, seed)))


def observed(here, name, q=None):
    """Return a channel at a state, or with its coordinates moved."""
    there = State(here.machine, here.q if q is None else q, here.u, here.t)
    y, start = there.slot("observe", np.zeros(len(here.u)))[0][:, 0], 0
    for channel in here.machine.equations.channels:
        if channel.name == name:
            return float(y[start])
        start += channel.size
    raise AssertionError(name)


def virtual_work(here, name):
    """Return ∂(signal)/∂q along the speeds, by complex step; an angle by differences.

    Along p it is taken out: only variations with pᵀδp = 0 are admissible.
    """
    W = here.slot("kinematics")[0]
    signal = here.machine.equations.signals((Signal(name),))
    found = along(signal, arguments(here), 1, W)[0]
    norms = here.slot("velocity")[0] if here.machine.equations.rows else np.zeros((0, len(W.T)))
    for row, what in zip(norms, here.machine.equations.rows, strict=True):
        if what.kind == "norm":
            found = found - row * (row @ found)
    return found


@pytest.mark.parametrize("planar", [False, True], ids=["space", "plane"])
@BOTH
def test_translational_springs_do_virtual_work(formulation, planar):
    """H07: Q = −f ∂l/∂q and power = −f l̇, both to 1e-12; no net force."""
    ends = (("i", (0.3, -0.5)), ("j", (0.1, 0.7))) if planar else ENDS
    spring = bc.SpringDamper(
        "s", *ends, stiffness=40.0, damping=3.0, length=0.7, law="2*length*length_rate"
    )
    here = moving(forced(spring, planar), formulation)
    f, rate = (observed(here, f"s.{what}") for what in ("force", "length_rate"))
    length = observed(here, "s.length")
    assert f == pytest.approx(40 * (length - 0.7) + 3 * rate + 2 * length * rate, rel=1e-13)
    Q = here.machine.equations.generalized_force(here.q, here.u)
    scale = np.abs(Q).max()
    np.testing.assert_allclose(Q, -f * virtual_work(here, "s.length"), atol=1e-12 * scale)
    assert Q @ here.u == pytest.approx(-f * rate, abs=1e-12 * abs(f * rate) + 1e-12)
    wrench, pose = here.slot("applied")[0], here.bodies[0]
    moments = wrench[:3] + np.cross(pose[:3].T, wrench[3:].T).T
    assert np.abs(wrench[3:].sum(axis=1)).max() < 1e-12
    assert np.abs(moments.sum(axis=1)).max() < 1e-12


@BOTH
def test_rotational_springs_do_virtual_work(formulation):
    """H08: Q = −τ ∂θ/∂p to 1e-11, power = −τ θ̇; torques are opposite."""
    spring = bc.JointSpring("s", "J", stiffness=5.0, damping=0.4, rest=0.3, law="0.2*t + 1")
    here = moving(forced(spring, kind="Revolute"), formulation)
    tau = -observed(here, "s.effort")
    theta, rate = observed(here, "J.angle"), observed(here, "J.angle_rate")
    assert tau == pytest.approx(5 * (theta - 0.3) + 0.4 * rate + 1, rel=1e-12)
    Q = here.machine.equations.generalized_force(here.q, here.u)
    scale = np.abs(Q).max()
    np.testing.assert_allclose(Q, -tau * virtual_work(here, "J.angle"), atol=1e-11 * scale)
    assert Q @ here.u == pytest.approx(-tau * rate, rel=1e-11)
    assert np.abs(here.slot("applied")[0].sum(axis=1)).max() < 1e-12


@BOTH
def test_the_power_of_an_actuator_is_audited(formulation):
    """H22: dE/dt is the power of the law and the damper, to 1e-10."""
    spring = bc.SpringDamper(
        "s", *ENDS, stiffness=40.0, damping=3.0, length=0.7, law="length_rate*sin(t) + length"
    )
    here = moving(forced(spring), formulation)
    a = here.solved[0]
    rates = along_the_motion(here.machine, "energy", here.q, here.u, a)
    power = here.slot("power")[0][0, 0]
    assert abs(power) > 0.1
    assert (rates[0] + rates[1])[0, 0] == pytest.approx(power, abs=1e-10)


@BOTH
@pytest.mark.parametrize("rest", [0.0, 0.5])
def test_springs_without_length(formulation, rest):
    """4.5: with both ends in one place there is no direction and no force; all is finite."""
    at = (0.3, -0.5, 0.2)
    bodies = [bc.Body(n, mass=1.0, com=at, inertia=(1, 1, 1, 0, 0, 0)) for n in "ij"]
    joints = [bc.Free(n.upper(), "ground", n, at=at) for n in "ij"]
    spring = bc.SpringDamper(
        "s", ("i", at), ("j", at), stiffness=40.0, damping=3.0, length=rest
    )
    model = bc.Model("one place", bodies=bodies, joints=joints, forces=[spring])
    drawn = Evaluated(model)
    q = np.array(drawn.equations.drawing({}))
    here = embedded(model, formulation, State(drawn, q, np.arange(12.0) / 10))
    wrench = here.slot("applied")[0]
    weight = np.array([0, 0, 0, 0, 0, -9.81])
    np.testing.assert_array_equal(wrench, np.stack([weight, weight], axis=1))
    assert np.isfinite(here.bodies[2]).all()


def wound(rest=0.0):
    """Return a disc on a torsion spring."""
    body = bc.Body("disc", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 2.0, 0, 0, 0))
    return bc.Model(
        "wound",
        gravity=(0, 0, 0),
        bodies=[body],
        joints=[bc.Revolute("A", "ground", "disc", at=(0, 0, 0), axis="z", drawn=0.5)],
        forces=[bc.JointSpring("s", "A", stiffness=0.1, rest=rest)],
    )


@BOTH
def test_three_turns_are_six_pi(formulation):
    """H08: driven over three turns, the angle read by the spring is 6π, to 1e-10."""
    model = wound().add(bc.Drive("motor", "A", angle="0.5 + 2*pi*t"))
    run = bc.simulate(model, 3.0, formulation=formulation, every=3.0)
    assert run.values("A.angle")[-1] - 0.5 == pytest.approx(6 * np.pi, abs=1e-10)
    assert run.values("s.effort")[-1] == pytest.approx(-0.1 * (6 * np.pi + 0.5), abs=1e-10)


@BOTH
def test_a_start_keeps_its_turns(formulation):
    """A spring wound by four turns unwinds: θ = (8π + 1) cos ωt. Run at rtol 1e-11."""
    options = {"formulation": formulation, "rtol": 1e-11, "atol": 1e-12}
    start = {"A.angle": 8 * np.pi + 1}
    run = bc.simulate(wound(), 6.0, start=start, every=2.0, **options)
    omega = np.sqrt(0.1 / 2.0)
    known = (8 * np.pi + 1) * np.cos(omega * np.asarray(run.t))
    np.testing.assert_allclose(run.values("A.angle"), known, atol=1e-8)
    again = bc.simulate(wound(), 9.0, start=run, every=1.0, **options)
    assert again.values("A.angle")[0] == pytest.approx(known[-1], abs=1e-8)
    assert again.values("A.angle")[-1] == pytest.approx(
        (8 * np.pi + 1) * np.cos(omega * 9.0), abs=1e-7
    )


def geared(closing):
    """Return two wheels geared 1:-2; with `closing`, each on a free joint besides its hinge."""
    wheels = [
        bc.Body(n, mass=1.0, com=(x, 0, 0), inertia=(1, 1, J, 0, 0, 0))
        for n, x, J in (("a", 0.0, 2.0), ("b", 1.0, 0.5))
    ]
    free = [bc.Free(f"F{n}", "ground", n) for n in "ab"] if closing else []
    hinges = [
        bc.Revolute(n.upper(), "ground", n, at=(x, 0, 0), axis="z")
        for n, x in (("a", 0.0), ("b", 1.0))
    ]
    return bc.Model(
        "gears",
        gravity=(0, 0, 0),
        bodies=wheels,
        joints=[*free, *hinges],
        constraints=[bc.Gear("gear", "A", "B", ratio=-2.0)],
        forces=[bc.JointSpring("s", "B", stiffness=0.3), bc.Torque("T", "a", (0, 0, 1.0))],
    )


@pytest.mark.parametrize(
    ("formulation", "closing"),
    [(bc.Cartesian(), False), (bc.JointCoordinates(), True)],
    ids=["cartesian", "closing joints"],
)
def test_gears_and_springs_count_turns(formulation, closing):
    """(J₁ + 4 J₂) φ̈ = 1 − 4 k φ, over several turns of the second wheel. Run at rtol 1e-11."""
    J, k = 2.0 + 4 * 0.5, 4 * 0.3
    run = bc.simulate(
        geared(closing), 4.0, start={"A.angle": 7.0, "B.angle": -14.0}, formulation=formulation,
        rtol=1e-11, atol=1e-12, every=1.0,
    )  # fmt: skip
    phi = 1 / k + (7.0 - 1 / k) * np.cos(np.sqrt(k / J) * np.asarray(run.t))
    np.testing.assert_allclose(run.values("A.angle"), phi, atol=1e-7)
    np.testing.assert_allclose(run.values("B.angle"), -2 * phi, atol=1e-7)


@pytest.mark.parametrize("formulation", [*FORMS, bc.JointCoordinates()], ids=repr)
def test_a_screw_may_close_a_loop(formulation):
    """J09: z̈ = −g κ²/(κ² + J/m) over many turns, where the screw is rows. rtol 1e-12."""
    body = bc.Body("nut", mass=3.0, com=(0, 0, 0), inertia=(0.04, 0.04, 0.05, 0, 0, 0))
    screw = bc.Screw("J", "ground", "nut", at=(0, 0, 0), axis="z", pitch=0.3)
    free = [bc.Free("F", "ground", "nut")] if formulation == bc.JointCoordinates() else []
    model = bc.Model("nut", bodies=[body], joints=[*free, screw])
    kappa = 0.3 / (2 * np.pi)
    fall = -9.81 * kappa**2 / (kappa**2 + 0.05 / 3.0)
    run = bc.simulate(model, 2.0, formulation=formulation, rtol=1e-12, atol=1e-13, every=1.0)
    assert run.values("nut.acceleration")[-1, 2] == pytest.approx(fall, rel=1e-10)
    assert run.values("nut.position")[-1, 2] == pytest.approx(2 * fall, rel=1e-9)
    assert run.values("J.angle")[-1] == pytest.approx(2 * fall / kappa, rel=1e-9)
    assert abs(2 * fall / kappa) > 2 * np.pi
