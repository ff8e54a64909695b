"""What must hold for any machine with loops, in any state that obeys its constraints."""

from dataclasses import replace

import numpy as np
import pytest
from tests.draws import draws
from tests.formulations.test_reactions import carried, free_wrenches
from tests.laws.closed import (
    CLOSING,
    TIES,
    Closed,
    centre,
    closed_loop,
    closing,
    freed,
    freed_state,
    loop,
    tied,
)
from tests.laws.evaluation import Evaluated
from tests.laws.laws import along_the_motion, close
from tests.machines import looped

import bellcrank as bc
from bellcrank.constraints.assembly.freedom import freedom
from bellcrank.testing import machine

pytestmark = [pytest.mark.family, pytest.mark.slow]

JOINTS = CLOSING[:7]
FORCES = ("SpringDamper", "Torque", "Force")


def kkt(A, f, C, gamma):
    """Return u̇ of A u̇ + Cᵀλ = f, C u̇ = γ by the least squares of NumPy alone."""
    K = np.block([[A, C.T], [C, np.zeros((len(C), len(C)))]])
    return np.linalg.lstsq(K, np.concatenate([f, gamma]), rcond=1e-12)[0][: len(f)]


def independently(model, state):
    """Return the accelerations of all bodies as `motion` does, without compiled code."""
    machine = Evaluated(model)
    q, u = machine.pack(state)
    slots = [machine(slot, q, u)[0] for slot in ("force", "velocity", "acceleration")]
    a = kkt(machine.mass(q, u), *slots)
    columns = dict(zip(machine.equations.bodies, machine.bodies(q, u, a)[2].T, strict=True))
    return np.concatenate([columns[body.name] for body in model.bodies])


@pytest.mark.parametrize("kind", [*CLOSING, "Screw"])
def test_every_kind_closes_a_loop(kind):
    """Constraints hold; u̇ is that of an independent solution, to 1e-8."""
    for seed in range(2):
        there = closed_loop(kind, seed, FORCES)
        if kind != "Screw":
            assert there.model.graph.loops == (("close",) if kind in JOINTS else ())
        seen = there.seen()
        assert seen["constraint_residual"] < 1e-12
        assert seen["constraint_rate_residual"] < 1e-11
        slots = ("mass", "force", "velocity", "acceleration")
        known = kkt(*(there.slot(slot, there.q, there.u)[0] for slot in slots))
        close(there.system.accelerations(there.q, there.u), known, tol=1e-8)


@pytest.mark.parametrize("kind", TIES)
def test_gears_racks_and_wheels_in_space(kind):
    """Constraints hold; u̇ is that of an independent solution, to 1e-8; power is balanced."""
    for seed in range(3):
        there = Closed(tied(kind, seed, FORCES), seed)
        seen = there.seen()
        assert seen["constraint_residual"] < 1e-12
        assert seen["constraint_rate_residual"] < 1e-11
        slots = ("mass", "force", "velocity", "acceleration")
        known = kkt(*(there.slot(slot, there.q, there.u)[0] for slot in slots))
        a = there.system.accelerations(there.q, there.u)
        close(a, known, tol=1e-8)
        evaluated = Evaluated(there.model)
        gained = along_the_motion(evaluated, "energy", there.q, there.u, a)
        power = np.sum(evaluated("power", there.q, there.u)[0])
        close(gained[0] + gained[1], power, scale=float(abs(gained[0][0, 0])))
        free = kkt(*(there.slot(slot, there.q, there.u)[0] for slot in slots[:2]),
                   np.zeros((0, len(a))), np.zeros(0))  # fmt: skip
        assert np.abs(free - a).max() > 1e-3  # the tie does something


@pytest.mark.parametrize("kind", TIES)
def test_a_run_with_a_tie_keeps_energy_and_constraints(kind):
    """Conservative: energy to 1e-8 over half a second, by projection and by index 2."""
    there = Closed(tied(kind, 1), 1)
    start = there.system.unpack(there.q, there.u)
    for method in (bc.DOP853(), bc.Radau5()):
        run = bc.simulate(
            there.model, 0.5, start=start, integrator=method, rtol=1e-10, atol=1e-12, every=0.05
        )
        E, T = np.asarray(run.values("energy")), np.asarray(run.values("kinetic_energy"))
        assert np.max(np.abs(E - E[0])) < 1e-8 * max(1.0, float(np.max(T)))
        assert np.max(run.values("constraint_residual")) < 1e-12
        assert np.max(run.values("constraint_rate_residual")) < 1e-10


@pytest.mark.parametrize("kind", CLOSING)
def test_joint_and_free_coordinates_agree(kind):
    """Every joint as the closing one: the bodies accelerate alike, to 1e-9."""
    there = closed_loop(kind, draws(0, 3), FORCES)
    found = independently(freed(there.model), freed_state(there.model, there.seen()))
    close(found, there.accelerations(), tol=1e-9)


def cut(model, joint, seen):
    """Return the freed machine with the joint's reaction in its place."""
    without = freed(model)
    left = tuple(one for one in without.joints if one.name != joint.name)
    force, torque = (seen[f"{joint.name}.reaction_{what}"] for what in ("force", "torque"))
    arm = place(model, seen, joint.second, joint.at_second) - place(
        model, seen, joint.first, joint.at_first
    )
    wrenches = [
        (joint.second, force, torque, joint.at_second),
        (joint.first, -force, -torque - np.cross(arm, force), joint.at_first),
    ]
    pushes = []
    for body, F, T, at in wrenches:
        if body != "ground":
            pushes.append(bc.Force(f"cut force on {body}", body, tuple(map(float, F)), at=at))
            pushes.append(bc.Torque(f"cut torque on {body}", body, tuple(map(float, T))))
    return replace(without, joints=left, forces=(*model.forces, *pushes))


def place(model, seen, body, at):
    """Return where a point of a body, given in the drawing, is now."""
    if body == "ground":
        return np.array(at)
    return seen[f"{body}.position"] + carried(
        model, seen, body, np.array(at) - centre(model[body])
    )


@pytest.mark.parametrize("kind", JOINTS)
def test_a_joint_may_be_cut_where_its_reaction_is_applied(kind):
    """H18: the same accelerations to 1e-9, whichever joint of the loop is cut."""
    there = closed_loop(kind, draws(1, 5), FORCES)
    seen = there.seen()
    wanted = there.accelerations()
    for joint in there.model.joints:
        model = cut(there.model, joint, seen)
        close(independently(model, freed_state(there.model, seen)), wanted, tol=1e-9)


def written(times, values):
    """Return the polynomial through values, as an expression of t."""
    half, middle = float(np.ptp(times)) / 2, float(times[0] + times[-1]) / 2
    fit = np.polynomial.Chebyshev.fit(times, values, len(times) - 1)
    text = "0"
    for coefficient in np.polynomial.chebyshev.cheb2poly(fit.coef)[::-1]:
        text = f"({text})*((t - {middle!r})/{half!r}) + {float(coefficient)!r}"
    return text


def test_a_joint_may_be_cut_along_a_motion():
    """H18: the recorded reaction as an applied force gives the same motion, to 1e-9.

    Along 0.4 s of the plain four-bar, cut at C: then it is a tree, with two forces on it. They
    are polynomials through 21 values at about Chebyshev's times.
    """
    model, until, count = looped.plain(), 0.4, 21
    start = {"A.angle_rate": 3.0}
    whole = bc.simulate(model, until, start=start, rtol=1e-12, atol=1e-13, every=until / 4000)
    begin = {name: whole.values(name)[0] for name in whole.states}
    nodes = until / 2 * (1 + np.cos(np.pi * (np.arange(count) + 0.5) / count))
    rows = np.unique(np.round(nodes / (until / 4000)).astype(int))
    push = np.asarray(whole.values("C.reaction_force"))[rows]
    laws = [written(np.asarray(whole.t)[rows], push[:, i]) for i in range(2)]
    at = model["C"].at_second[:2]
    forces = [
        bc.Force("on rocker", "rocker", (laws[0], laws[1], 0.0), at=at),
        bc.Force("on coupler", "coupler", (f"-({laws[0]})", f"-({laws[1]})", 0.0), at=at),
    ]
    cut_open = model.without("C").add(*forces)
    assert not bc.compile(cut_open).equations.rows
    run = bc.simulate(
        cut_open, until, start=begin, rtol=1e-12, atol=1e-13, every=until / 40
    )  # fmt: skip
    for name in whole.states:
        known = np.asarray(whole.values(name))[::100]
        np.testing.assert_allclose(run.values(name), known, atol=1e-9)


@pytest.mark.parametrize("kind", [*JOINTS, "Screw"])
def test_reactions_of_a_loop_do_no_work_where_its_joints_are_free(kind):
    """J05, J07 and their likes, in a loop: to 1e-9 of the largest reaction."""
    there = closed_loop(kind, draws(0, 7), FORCES)
    seen = there.seen()
    wrenches = {
        joint.name: [seen[f"{joint.name}.reaction_{what}"] for what in ("force", "torque")]
        for joint in there.model.joints
    }
    largest = max(np.abs(w).max() for pair in wrenches.values() for w in pair)
    for joint in there.model.joints:
        force, torque = wrenches[joint.name]
        for turn, slide in free_wrenches(there.model, seen, joint):
            assert turn @ torque + slide @ force == pytest.approx(0, abs=1e-9 * (10 + largest))


def driven(kind):
    """Return a machine with a driver of some kind."""
    if kind == "joint":
        model = machine(("Revolute", "Spherical", "Revolute"), seed=2, forces=FORCES)
        model = model.add(closing("Distance", ("ground", "B3"), 2))
        return model.add(bc.Drive("drive", "J1", angle=f"{model['J1'].drawn[0]} + 2*t + t**2"))
    if kind == "offset":
        model = machine(("Prismatic", "Universal", "Spherical"), seed=3, forces=FORCES)
        model = model.add(closing("PointOnPlane", ("B1", "B3"), 3))
        return model.add(bc.Drive("drive", "J1", offset="sin(3*t)"))
    model = machine(("Spherical", "Revolute", "Spherical"), seed=4, forces=FORCES)
    at = model["tip"].at
    return model.add(
        bc.Drive("drive", "tip", position_x=f"{at[0]} + 0.3*t", position_z=f"{at[2]} - t**2")
    )


@pytest.mark.parametrize("kind", ["joint", "offset", "point"])
def test_driver_power_is_part_of_the_balance(kind):
    """J11, X03: dT/dt + dV/dt = power of forces + effort · driven rate, to 1e-9."""
    there = Closed(driven(kind), 4)
    seen, evaluated = there.seen(), Evaluated(there.model)
    a = there.system.accelerations(there.q, there.u)
    gained = along_the_motion(evaluated, "energy", there.q, there.u, a)
    power = float(np.sum(evaluated("power", there.q, there.u)[0]))
    if kind == "point":
        v = seen["tip.velocity"]
        work = seen["drive.effort_position_x"] * v[0] + seen["drive.effort_position_z"] * v[2]
    else:
        rate = "J1.angle_rate" if kind == "joint" else "J1.offset_rate"
        work = seen["drive.effort"] * seen[rate]
    assert abs(work) > 1e-3
    close(gained[0] + gained[1], power + work, scale=float(abs(gained[0][0, 0])))


@pytest.mark.parametrize("kind", [*CLOSING, "Screw"])
def test_power_put_into_a_loop_is_energy_gained(kind):
    """X03: constraints that do not move do no work, to 1e-9."""
    there = closed_loop(kind, draws(1, 8), FORCES)
    evaluated = Evaluated(there.model)
    a = there.system.accelerations(there.q, there.u)
    gained = along_the_motion(evaluated, "energy", there.q, there.u, a)
    power = np.sum(evaluated("power", there.q, there.u)[0])
    close(gained[0] + gained[1], power, scale=float(abs(gained[0][0, 0])))


@pytest.mark.parametrize("kind", ["Revolute", "Universal", "Distance", "PointOnLine"])
def test_a_run_keeps_energy_and_constraints(kind):
    """Conservative loops over one second: energy to 1e-8, residual to 1e-12. rtol 1e-10."""
    there = Closed(loop(kind, 9), 9)
    start = there.system.unpack(there.q, there.u)
    start = {name: value for name, value in start.items() if "J" in name}
    run = bc.simulate(there.model, 1.0, start=start, rtol=1e-10, atol=1e-12, every=0.02)
    E, T = np.asarray(run.values("energy")), np.asarray(run.values("kinetic_energy"))
    assert np.max(np.abs(E - E[0])) < 1e-8 * max(1.0, float(np.max(T)))
    assert np.max(run.values("constraint_residual")) < 1e-12
    assert np.max(run.values("constraint_rate_residual")) < 1e-10


def braced():
    """Return a parallelogram with a second coupler, which repeats the first."""
    bar = looped.four_bar(1.0, 2.0, 1.0, 2.0, angle=1.1)
    crank, rocker = (bar[name].shapes[0] for name in ("crank", "rocker"))
    middle = [tuple((np.array(s.start) + np.array(s.end)) / 2) for s in (crank, rocker)]
    return bar.add(bc.Distance("second", ("crank", middle[0]), ("rocker", middle[1])))


REDUNDANT = {
    "spatial four-bar": (looped.plain, 1),
    "ladder": (lambda: looped.ladder(3, 0.4), 1),
    "Bricard": (looped.bricard, 1),
    "parallel couplers": (braced, 1),
    "one loop": (lambda: loop("Revolute", 1), 3),
}


@pytest.mark.parametrize("name", REDUNDANT)
def test_redundant_names_are_checked_by_removal(name):
    """Without an element, the freedom grows by what it held alone, and by no more."""
    make, degrees = REDUNDANT[name]
    model = make()
    there = Closed(model, 1)
    p = np.array(list(there.system.parameters.values()))
    found = freedom(there.system, there.q, p)
    assert found.degrees == degrees
    rows = there.system.equations.rows
    counts = {owner: sum(row.owner == owner for row in rows) for owner in
              dict.fromkeys(row.owner for row in rows)}  # fmt: skip
    for owner, count in counts.items():
        less = model.without(owner)
        system = bc.compile(less, level=0)
        assert system.coordinates == there.system.coordinates
        after = freedom(system, there.q, p)
        assert after.degrees - found.degrees == count - found.redundant.get(owner, 0)


def test_a_second_coupler_is_named_redundant():
    """Each of two parallel links of a parallelogram may go."""
    there = Closed(braced(), 1)
    found = freedom(there.system, there.q, np.zeros(0))
    assert found.degrees == 1
    assert found.redundant["second"] == 1


@pytest.mark.parametrize("formulation", [bc.Natural(), bc.Kane(), bc.Cartesian()], ids=repr)
@pytest.mark.parametrize("rtol", [1e-5, 1e-7, 1e-9])
def test_a_rotor_that_nothing_brakes_keeps_its_rate_in_implicit_steps(formulation, rtol):
    """ω is constant. Rows turn with the rotor, and what Newton's method leaves must not add up.

    All steps are alike: an error of 0.2 rtol in each was 230 rtol after ten turns. One of 0.01
    rtol, always to one side, in 1,000 to 3,000 steps explains 30 rtol. Nor are steps made anew
    that would have been good.
    """
    model = bc.Model(
        "rotor",
        gravity=(0, 0, 0),
        bodies=[bc.Body("B", mass=1.0, com=(0, 0, 0), inertia=(0.3, 0.4, 0.5, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="z")],
    )
    for rate in (10.0, -0.1):
        until, start = 60.0 / abs(rate), {"A.angle_rate": rate}
        run = bc.simulate(
            model, until, start=start, rtol=rtol, every=until, formulation=formulation,
            integrator=bc.Radau5(),
        )  # fmt: skip
        assert abs(run.final["A.angle_rate"] / rate - 1.0) < 30.0 * rtol
        assert run.statistics["rejected"] < 0.25 * run.statistics["steps"]
