"""Bodies accelerate as in other formulations, whatever ties and moves them."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.analysis.scattered import with_states_and_relations
from tests.formulations.cartesian.embedded import State, embedded, in_joints
from tests.formulations.cartesian.test_agreement import closed
from tests.laws.closed import CLOSING, loop
from tests.laws.evaluation import Evaluated
from tests.laws.laws import along_the_motion, close
from tests.laws.test_constrained import driven
from tests.machines import four_bars, looped

import bellcrank as bc
from bellcrank.constraints import gauss
from bellcrank.testing import FORCES, KINDS, machine, mechanisms, state

pytestmark = pytest.mark.slow

BOTH = (bc.Natural(), bc.Natural(constant=True))
FEW = settings(
    max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


def alike(here: State, seen: State, tol: float = 1e-9) -> None:
    """Hold a state against another: constraints, poses, twists and accelerations."""
    if here.machine.equations.rows:
        assert np.abs(here.slot("position")[0]).max() < 1e-11
        C, nu = here.slot("velocity")
        assert np.abs(C @ here.u - nu[:, 0]).max() < 1e-11
    pose, wanted = here.bodies[0].copy(), seen.bodies[0]
    pose[3:] *= np.sign((pose[3:] * wanted[3:]).sum(axis=0))  # p and −p are one attitude
    close(pose, wanted, tol=1e-11)
    close(here.bodies[1], seen.bodies[1], tol=1e-11)
    close(here.bodies[2], seen.bodies[2], tol=tol)


@FEW
@given(model=mechanisms(max_bodies=4), seed=st.integers(0, 1000), constant=st.booleans())
def test_any_tree(model, seed, constant):
    """To 1e-9, all joints and all forces, with poses of bodies turned."""
    seen = in_joints(model, state(model, seed))
    if not seen.u.size:
        return
    alike(embedded(model, bc.Natural(constant), seen), seen)


@pytest.mark.parametrize("formulation", BOTH, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_trees_of_every_joint_with_every_force(kind, formulation):
    """To 1e-9; ½ q̇ᵀ M q̇ is the kinetic energy."""
    model = machine(
        ("Universal", kind, "Revolute", "Cylindrical"), (0, 1, 2, 1), 5, forces=FORCES
    )
    seen = in_joints(model, state(model, 5))
    here = embedded(model, formulation, seen)
    alike(here, seen)
    A, (kinetic, *_) = here.slot("mass")[0], here.slot("energy")
    assert here.u @ A @ here.u / 2 == pytest.approx(kinetic[0, 0], rel=1e-12)
    known = {True: "constant", False: "semidefinite"}
    assert here.machine.equations.mass_kind == known[formulation.constant]


@pytest.mark.parametrize("kind", [*CLOSING, "Screw"])
def test_loops_of_every_kind(kind):
    """To 1e-9, closed by every joint and constraint, with springs and forces."""
    seen = closed(loop(kind, 3, ("SpringDamper", "Force", "Bushing")), 3)
    alike(embedded(seen.machine.model, bc.Natural(), seen), seen)


@pytest.mark.parametrize("kind", ["joint", "offset", "point"])
def test_driven_loops(kind):
    """To 1e-9, at a time when the drivers move."""
    seen = closed(driven(kind), 4, t=0.2)
    alike(embedded(seen.machine.model, bc.Natural(), seen), seen)


def test_cartesian_coordinates_agree():
    """To 1e-9, on a tree of all joints."""
    model = machine(("Free", *KINDS[:7]), (0, 1, 2, 3, 1, 5, 1, 0), 8, forces=FORCES)
    seen = in_joints(model, state(model, 8))
    one, two = (embedded(model, f, seen) for f in (bc.Natural(), bc.Cartesian()))
    close(one.bodies[2], two.bodies[2], tol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_power_put_in_is_energy_gained(kind):
    """X03: dT/dt + dV/dt = power of what is not conservative, to 1e-9."""
    model = machine((kind, "Revolute", "Spherical"), seed=11, forces=FORCES)
    seen = in_joints(model, state(model, 3))
    here = embedded(model, bc.Natural(), seen)
    gained = along_the_motion(here.machine, "energy", here.q, here.u, here.solved[0])
    power = here.slot("power")[0].sum()
    close(gained[0] + gained[1], power, scale=float(abs(gained[0][0, 0])))


@pytest.mark.parametrize("kind", KINDS)
def test_rates_are_derivatives(kind):
    """ṙ = v and v̇ = a of mass centres, ω̇ = α, ṗ = ½ ω p along the motion."""
    model = machine((kind, "Universal"), seed=12)
    seen = in_joints(model, state(model, 4))
    here = embedded(model, bc.Natural(), seen)
    a = here.solved[0]
    pose, twist, acceleration = here.slot("bodies", a)
    pose_rate, twist_rate, _ = along_the_motion(here.machine, "bodies", here.q, here.u, a, a)
    close(pose_rate[:3], twist[3:])
    close(twist_rate, acceleration)
    for p, pd, w in zip(pose[3:].T, pose_rate[3:].T, twist[:3].T, strict=True):
        close(pd, 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])]))


def four_bar_in_space():
    """Return a four-bar of the x-z plane, all its hinges along y."""
    return four_bars.in_space(masses=(1.5, 1.5, 1.5))


def test_parallel_hinges_share_one_vector_which_is_the_ground_s():
    """No vector is a coordinate; one loop row is redundant instead of three."""
    model = four_bar_in_space()
    e = bc.equations(model, bc.Natural())
    assert all(v.name.rpartition(".")[2].startswith("position") for v in e.coordinates)
    assert len(e.coordinates) == 6
    assert len(e.rows) == 6
    seen = closed(model, 2)
    alike(embedded(model, bc.Natural(), seen), seen)


def test_a_planar_four_bar_is_two_points_and_three_lengths():
    bar = looped.four_bar(1.0, 2.0, 1.5, 2.0, angle=1.1)
    assert bar.planar
    e = bc.equations(bar, bc.Natural())
    assert len(e.coordinates) == 4
    assert [row.kind for row in e.rows] == ["rigid"] * 3
    assert e.mass_kind == "constant"
    seen = closed(bar, 1)
    alike(embedded(bar, bc.Natural(), seen), seen)


def corners(count):
    """Return a plate with balls at corners, each with a rod to the ground."""
    rng = np.random.default_rng(2)
    at = [tuple(map(float, rng.uniform(-1, 1, 3))) for _ in range(count)]
    feet = [tuple(map(float, rng.uniform(-3, -2, 3))) for _ in range(count)]
    plate = bc.Body("plate", mass=2.0, com=(0, 0, 0), inertia=(0.4, 0.5, 0.6, 0.1, 0, 0))
    legs = [
        bc.Body(f"leg{k}", mass=1.0, com=f, inertia=(0.3, 0.2, 0.4, 0, 0, 0))
        for k, f in enumerate(feet)
    ]
    balls = [bc.Spherical(f"ball{k}", "plate", f"leg{k}", at=p) for k, p in enumerate(at)]
    return bc.Model(
        "corners", bodies=[plate, *legs], joints=[bc.Free("free", "ground", "plate"), *balls]
    )


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5])
def test_bodies_with_any_number_of_points(count):
    """The plate is known by its balls: by one to three and a vector, by four, or by more."""
    model = corners(count)
    seen = in_joints(model, state(model, 1))
    here = embedded(model, bc.Natural(), seen)
    alike(here, seen)
    e = here.machine.equations
    rows = [row.name for row in e.rows if row.owner == "plate"]
    directions = 3 if count >= 4 else 2
    assert sum(" length " in f" {name.split(': ')[1]}" for name in rows) == directions
    assert sum(".position" in name for name in rows) == 3 * (count == 5)


def test_joints_at_one_point_share_it():
    """Three bodies on one pin: one point for all, and nothing is counted twice."""
    rods = [bc.Body(f"B{k}", bc.Rod((0, 0), (1, k), mass=1.0 + k)) for k in range(3)]
    joints = [bc.Revolute("A", "ground", "B0", at=(1, 0))]
    joints += [bc.Revolute(f"J{k}", f"B{k - 1}", f"B{k}", at=(0, 0)) for k in (1, 2)]
    model = bc.Model("pin", planar=True, bodies=rods, joints=joints)
    e = bc.equations(model, bc.Natural())
    assert [v.name for v in e.coordinates] == ["J1.x", "J1.y", "B1.x", "B1.y", "B2.x", "B2.y"]
    seen = in_joints(model, state(model, 1))
    alike(embedded(model, bc.Natural(), seen), seen)


def test_a_joint_that_contradicts_others_is_written_as_rows():
    """Two hinges of the same two bodies whose points are apart by different amounts."""
    bodies = [
        bc.Body(f"B{k}", mass=1.0, com=(k, 1), inertia=(1, 1, 1, 0, 0, 0)) for k in (0, 1)
    ]
    model = bc.Model(
        "wedged",
        planar=True,
        bodies=bodies,
        joints=[
            bc.Planar("float", "ground", "B0"),
            bc.Revolute("A", "B0", "B1", at=(0, 0)),
            bc.Revolute("B", "B0", "B1", at={"B0": (0, 0), "B1": (1, 0)}),
        ],
    )
    rows = bc.equations(model, bc.Natural()).rows
    assert any(row.owner == "B" and row.kind == "loop" for row in rows)
    with pytest.raises(bc.StartError, match="does not close"):
        bc.simulate(model, 1.0, formulation=bc.Natural())


def test_particles_are_points():
    """Two particles on a rigid string and a spring: 6 coordinates, no rotation."""
    model = bc.Model(
        "dumbbell",
        bodies=[bc.Particle("P", 1.0, (0, 0, 0)), bc.Particle("Q", 2.0, (1, 0, 0))],
        joints=[bc.Free("p", "ground", "P"), bc.Free("q", "ground", "Q")],
        constraints=[bc.Distance("string", ("P", (0, 0, 0)), ("Q", (1, 0, 0)))],
        gravity=(0, 0, 0),
    )
    e = bc.equations(model, bc.Natural())
    assert [v.name for v in e.coordinates][::3] == ["P.position_x", "Q.position_x"]
    assert e.mass_kind == "constant"
    start = {"Q.velocity": (0, 3.0, 0), "P.position": (0, 0, 0)}
    run = bc.simulate(model, 1.0, formulation=bc.Natural(), start=start, every=0.5)
    # Both circle their mass centre, which drifts: at rate v/l, 3 rad in a second.
    d = run.values("Q.position") - run.values("P.position")
    np.testing.assert_allclose(d[-1], [np.cos(3), np.sin(3), 0], atol=1e-8)
    tension = np.linalg.norm(2.0 * run.values("Q.acceleration"), axis=1)
    np.testing.assert_allclose(tension, 1 * 2 / 3 * 9, rtol=1e-9)


def test_reactions_and_efforts_are_those_of_joint_coordinates():
    """Common routine, other coordinates: to 1e-8 over a run of a driven four-bar."""
    bar = looped.four_bar(1.0, 2.0, 1.5, 2.0, angle=1.1)
    joint = bar.joints[0].name
    model = bar.add(bc.Drive("motor", joint, angle="5*t"))
    one = bc.simulate(model, 2.0, every=0.1, start={joint: 0.0})
    two = bc.simulate(model, 2.0, every=0.1, start={joint: 0.0}, formulation=bc.Natural())
    names = ["motor.effort", *(f"{j.name}.reaction_force" for j in bar.joints)]
    names += [f"{j.name}.angle" for j in bar.joints]
    assert two.values(f"{joint}.angle")[-1] == pytest.approx(10.0, abs=1e-9)
    for name in names:
        largest = 1 + np.abs(one.values(name)).max()
        np.testing.assert_allclose(two.values(name), one.values(name), atol=1e-7 * largest)


def test_states_may_be_named_and_continued():
    """Points by their own names in a start; a result goes on where it ended."""
    pendulum = bc.Model(
        "pendulum",
        bodies=[bc.Body("bob", mass=1.0, com=(0, 0, -1), inertia=(0.1, 0.1, 0.1, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "bob", at=(0, 0, 0), axis="y")],
    )
    natural = {"formulation": bc.Natural(), "every": 0.25}
    whole = bc.simulate(pendulum, 1.0, start={"A": 0.7}, **natural)
    half = bc.simulate(pendulum, 0.5, start={"A": 0.7}, **natural)
    rest = bc.simulate(pendulum, 1.0, start=half, **natural)
    assert rest.final["A.angle"] == pytest.approx(whole.final["A.angle"], abs=1e-8)
    at = (-np.sin(0.7), 0.0, -np.cos(0.7))
    named = bc.simulate(pendulum, 1.0, start={"bob.position": at}, **natural)
    assert named.final["A.angle"] == pytest.approx(whole.final["A.angle"], abs=1e-8)


def test_knobs_that_are_none_are_refused():
    with pytest.raises(bc.OptionError) as caught:
        bc.Natural(constant="yes")
    assert str(caught.value) == "Natural: constant is True or False, got 'yes'."


def test_a_matrix_that_there_is_not_is_named():
    with pytest.raises(AttributeError, match="Did you mean 'momentum_matrix'"):
        _ = bc.equations(corners(1), bc.Natural()).momentum_matrx


def spatial_pendulum():
    """Return a thin rod on a ball joint."""
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (0.6, 0, -0.8), mass=2.0))
    return bc.Model(
        "rod", bodies=[rod], joints=[bc.Spherical("S", "ground", "rod", at=(0, 0, 0))]
    )


def test_a_thin_rod_on_a_ball_is_one_point():
    """Its own turn is no freedom; it swings as e × ė says: J = m l²/3 about the ball."""
    model = spatial_pendulum()
    e = bc.equations(model, bc.Natural())
    assert [v.name for v in e.coordinates] == [f"rod.position_{a}" for a in "xyz"]
    assert [row.name for row in e.rows] == ["rod: length 1"]
    assert e.mass_kind == "constant"
    found = Evaluated(model, bc.Natural())
    q = np.array(e.drawing({}))
    u = np.cross([0.3, -0.5, 0.7], q)  # turns about the ball, in part about itself
    C, gamma = found("velocity", q, u)[0], found("acceleration", q, u)[0]
    a = gauss.accelerations(found.mass(q, u), found.force(q, u), C, gamma, np.array([1.0]))
    axis, rate = 2 * q, 2 * u  # the rod's end, which is 1 m away
    known = (
        np.cross(np.cross(axis, [0, 0, -2 * 9.81]) / 2 / (2 / 3), axis) - (rate @ rate) * axis
    )
    np.testing.assert_allclose(2 * a, known, atol=1e-12)
    (kinetic, *_), M = found("energy", q, u), found.mass(q, u)
    assert kinetic[0] == pytest.approx(2 * (rate @ rate) / 6, rel=1e-12)
    assert u @ M @ u / 2 == pytest.approx(kinetic[0], rel=1e-12)
    w = e.body_angular_velocity_matrix["rod"](q) @ u
    np.testing.assert_allclose(w, np.cross(axis, rate), atol=1e-12)
    # Attitude and angular velocity that are shown belong to each other.
    pose_rate = along_the_motion(found, "bodies", q, u, a, a)[0][3:, 0]
    pose, twist, acceleration = found.bodies(q, u, a)
    p, w = pose[3:, 0], twist[:3, 0]
    close(pose_rate, 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])]))
    close(along_the_motion(found, "bodies", q, u, a, a)[1], acceleration)


def test_rods_between_balls_need_no_vector():
    """A crank, a thin coupler on two balls and a rocker: as with a distance in its place."""
    A, B, C, D = (0, 0, 0), (0, 0, 1), (2, 1, 2), (2, 1, 0)
    bodies = [bc.Body("crank", mass=1.0, com=B, inertia=(0.1, 0.2, 0.3, 0, 0, 0)),
              bc.Body("rocker", mass=2.0, com=C, inertia=(0.3, 0.2, 0.1, 0, 0, 0))]  # fmt: skip
    hinges = [bc.Revolute("A", "ground", "crank", at=A, axis="y"),
              bc.Revolute("D", "ground", "rocker", at=D, axis="x")]  # fmt: skip
    light = bc.Body("coupler", bc.Rod(B, C, mass=1e-9))
    balls = [bc.Spherical("B", "crank", "coupler", at=B)]
    balls.append(bc.Spherical("C", "coupler", "rocker", at=C))
    rssr = bc.Model("rssr", bodies=[*bodies, light], joints=[*hinges, *balls])
    e = bc.equations(rssr, bc.Natural())
    assert len(e.coordinates) == 6
    link = bc.Distance("coupler", ("crank", B), ("rocker", C))
    bar = bc.Model("bar", bodies=bodies, joints=hinges, constraints=[link])
    one = Evaluated(rssr, bc.Natural())
    q = np.array(e.drawing({}))
    C_, gamma = one("velocity", q, 0 * q)[0], one("acceleration", q, 0 * q)[0]
    scale = np.array([row.scale for row in e.rows])
    a = gauss.accelerations(one.mass(q, 0 * q), one.force(q, 0 * q), C_, gamma, scale)
    seen = one.bodies(q, 0 * q, a)[2]
    known = closed_at_rest(bar)
    for k in (0, 1):
        np.testing.assert_allclose(seen[:, k], known[:, k], atol=1e-6)


def closed_at_rest(model):
    """Return the accelerations of the bodies of a machine in its drawing, at rest."""
    found = Evaluated(model)
    q = np.array(found.equations.drawing({}))
    u = np.zeros(found.nu)
    C, gamma = found("velocity", q, u)[0], found("acceleration", q, u)[0]
    scale = np.array([row.scale for row in found.equations.rows])
    C = C.reshape(len(scale), found.nu)
    a = gauss.accelerations(found.mass(q, u), found.force(q, u), C, gamma, scale)
    return found.bodies(q, u, a)[2]


@pytest.mark.parametrize("moments", [(0.1, 0.2), (0.1, 0.7)], ids=str)
def test_flat_bodies_held_by_feedback(moments):
    """A moment that is zero but for rounding, on either side, is no inertia.

    ½ (Jx + Jy - Jz) of a flat body is what its third vector weighs: 3e-17 had been a mass.
    """
    one, two = moments
    flat, at = (one, two, round(one + two, 9), 0, 0, 0), (0.6, 0, -0.8)
    model = bc.Model(
        "flat",
        bodies=[bc.Body("bob", mass=1.0, com=at, inertia=flat)],
        joints=[bc.Cylindrical("S", "ground", "bob", at=at, axis=(0, 1, 0))],
    )
    run = bc.simulate(
        model, 0.5, start={"S.angle_rate": 2.0, "S.offset_rate": 0.3}, every=0.1,
        formulation=bc.Natural(constant=True), constraints="baumgarte",
    )  # fmt: skip
    np.testing.assert_allclose(run.values("S.angle"), 2.0 * run.t, atol=1e-8)
    np.testing.assert_allclose(run.values("S.offset"), 0.3 * run.t, atol=1e-8)


@pytest.mark.parametrize(
    ("integrator", "held"),
    [
        (bc.Auto(), "project"),
        (bc.Radau5(), "index2"),
        (bc.Auto(), "baumgarte"),
        (bc.Auto(), "independent"),
    ],
    ids=repr,
)
def test_points_along_which_there_is_hardly_any_inertia(integrator, held):
    """A of points and vectors nearly vanishes along what rows hold: 1e-11 of its largest.

    Rows weighed by A alone would look dependent beside those that hold it.
    """
    model = with_states_and_relations(34639).add(
        bc.Point("corner", "B1", (-0.5888281480423683, 0.8477784797419154, 0.8639378519864018))
    )
    equations = bc.equations(model, bc.Natural())
    A = equations.mass_matrix(np.array(equations.drawing(equations.parameters)))
    inertia = np.linalg.eigvalsh(A)
    assert 1e-13 < inertia[0] / inertia[-1] < 1e-9
    start = {"J2.angle2_rate": 1.6}
    runs = [
        bc.simulate(model, 0.04, start=start, every=0.04, **way)
        for way in (
            {"formulation": bc.JointCoordinates()},
            {"formulation": bc.Natural(), "integrator": integrator, "constraints": held},
        )
    ]
    for body in model.bodies:
        for channel in ("velocity", "angular_velocity"):
            seen, found = (run.values(f"{body.name}.{channel}")[-1] for run in runs)
            np.testing.assert_allclose(found, seen, atol=1e-7)
    assert runs[1].statistics["steps"] < 30
