"""Tolerances carry the machine's length and the motion's scale: sizes do not matter."""

import itertools

import numpy as np
import pytest
from tests.analysis.resized import resized

import bellcrank as bc
from bellcrank import examples

pytestmark = pytest.mark.slow


def resonator(stiffness: float = 1e6, gravity: float = 0.0) -> bc.Model:
    """Return a mass of 1 kg on a spring, drawn in one point, gravity along the spring."""
    where = (0.0, 0.0, 0.0)
    own = (0.1, 0.1, 0.1, 0, 0, 0)
    return bc.Model(
        "resonator",
        bodies=[bc.Body("M", mass=1.0, com=where, inertia=own)],
        joints=[bc.Prismatic("S", "ground", "M", at=where, axis=(1, 0, 0))],
        forces=[
            bc.JointSpring("k", "S", stiffness=stiffness),
            bc.Motor("F", "S", effort="drive*sin(300*t)"),
        ],
        parameters=[bc.Parameter("drive", 0.0)],
        gravity=(gravity, 0, 0),
    )


@pytest.mark.parametrize("amplitude", [1e-3, 1e-9, 1e-11, 1e-14])
def test_a_resonator_of_any_amplitude(amplitude):
    """Pushed or let go, against closed forms, to 1e-8 of its amplitude.

    Driven from rest it is as exact where the motion is no smaller than the tolerance: laws of
    time have the rounding of time in them, and no smaller tolerance is taken for them.
    """
    w, model = 1e3, resonator()
    gain = amplitude * (w**2 - 300**2) / 2
    for start, drive, known in (
        ({"S.offset": amplitude}, 0.0, lambda t: np.cos(w * t)),
        ({"S.offset_rate": amplitude * w}, 0.0, lambda t: np.sin(w * t)),
        ({}, gain, lambda t: (np.sin(300 * t) - 0.3 * np.sin(w * t)) / 2),
    ):
        if drive and amplitude < 1e-3:
            continue
        moved = model if drive else model.without("F")
        given = {"drive": drive} if drive else {}
        run = bc.simulate(moved, 0.05, start=start, parameters=given, every=0.001)
        assert np.abs(run.values("S.offset") / amplitude - known(run.t)).max() < 1e-8


@pytest.mark.parametrize("beside", [0.0, 1e-16, 1e-12])
def test_what_is_nearly_at_rest_takes_no_more_steps(beside):
    """Where forces balance, rounding is not resolved."""
    model = resonator(stiffness=3.0, gravity=9.81).without("F")
    moving = bc.simulate(model, 20.0, start={"S.offset": 3.0}, every=1.0)
    run = bc.simulate(model, 20.0, start={"S.offset": 9.81 / 3.0 + beside}, every=1.0)
    assert run.statistics["steps"] <= moving.statistics["steps"]
    assert np.abs(run.values("S.offset") - 9.81 / 3.0).max() < 4e-14 + 1.1 * beside


def slider_crank(size: float) -> bc.Model:
    """Return a slider-crank of some size and of the same masses."""

    def at(x: float, y: float) -> tuple[float, float, float]:
        return (size * x, size * y, 0.0)

    def body(name: str, x: float, y: float, own: float) -> bc.Body:
        inertia = (own * size**2,) * 3 + (0, 0, 0)
        return bc.Body(name, mass=1.0, com=at(x, y), inertia=inertia)

    return bc.Model(
        "slider-crank",
        bodies=[
            body("crank", 0.15, 0.25, 0.03),
            body("coupler", 0.85, 0.25, 0.12),
            body("slider", 1.4, 0.0, 0.01),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=at(0, 0), axis=(0, 0, 1)),
            bc.Revolute("B", "crank", "coupler", at=at(0.3, 0.5), axis=(0, 0, 1)),
            bc.Revolute("C", "coupler", "slider", at=at(1.4, 0), axis=(0, 0, 1)),
            bc.Prismatic("S", "ground", "slider", at=at(1.4, 0), axis=(1, 0, 0)),
        ],
        gravity=(0, -9.81, 0),
    )


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Natural()], ids=repr)
def test_the_same_machine_of_any_size_moves_alike(formulation):
    """Under gravity, time goes with the root of length; angles agree to 1e-8."""
    angles, steps = [], []
    for size in (1.0, 1e-9, 1e6):
        second = np.sqrt(size)
        run = bc.simulate(
            slider_crank(size), second, start={"A.angle_rate": 3 / second}, every=second / 10,
            formulation=formulation,
        )  # fmt: skip
        angles.append(run.values("A.angle"))
        steps.append(run.statistics["steps"])
    for angle in angles[1:]:
        np.testing.assert_allclose(angle, angles[0], atol=1e-8)
    assert max(steps) < 1.3 * min(steps)


FORMULATIONS = [bc.JointCoordinates(), bc.Cartesian(), bc.Natural(), bc.Kane()]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda each: type(each).__name__)
def test_a_size_that_is_a_parameter_is_a_size(formulation):
    """Drawn in metres and run in nanometres or thousands of kilometres, time being scaled."""
    model = resized(slider_crank(1.0))
    runs = [
        bc.simulate(
            model, 1.0, start={"A.angle_rate": 3.0}, parameters={"size": size}, every=0.1,
            formulation=formulation,
        )
        for size in (1.0, 1e-9, 1e6)
    ]  # fmt: skip
    for run in runs[1:]:
        np.testing.assert_allclose(run.values("A.angle"), runs[0].values("A.angle"), atol=1e-8)
        assert run.statistics["steps"] < 1.3 * runs[0].statistics["steps"]
        assert np.isfinite(run.values("slider.acceleration")).all()


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()], ids=repr)
def test_implicit_methods_do_not_know_metres(formulation):
    """A machine of any size takes the steps of one of metres, and is as exact.

    Round-off of radians had hidden nanometres: 1e-7 rad off at 1e-9 m.
    """
    ends, steps = [], []
    for size in (1.0, 1e-9, 1e6):
        model = slider_crank(size).replace(gravity=(0, 0, -9.81 * size))
        run = bc.simulate(
            model, 1.0, start={"A.angle_rate": 3.0}, every=1.0, formulation=formulation,
            integrator=bc.Radau5(),
        )  # fmt: skip
        ends.append(run.values("A.angle")[-1])
        steps.append(run.statistics["steps"] + run.statistics["rejected"])
    assert np.ptp(ends) < 1e-8
    assert np.ptp(steps) <= 0.1 * steps[0]


@pytest.mark.parametrize("integrator", [bc.Gauss2(step=0.2), bc.GeneralizedAlpha(step=0.2)],
                         ids=lambda each: type(each).__name__)  # fmt: skip
def test_the_attitude_of_a_slender_boom_in_orbit(integrator):
    """Euler's angle of spin, which nothing drives, where positions are of 7,000 km.

    Round-off of the orbit had hidden the attitude: 6e-4 off after 20 s, and nothing said.
    """
    model, start = examples.load("gravity-boom"), examples.settings("gravity-boom")["start"]
    known = bc.simulate(model, 20.0, start=start, every=20.0, rtol=1e-11)
    for formulation in (bc.Cartesian(form="euler"), bc.Kane(speeds="absolute fixed")):
        run = bc.simulate(
            model, 20.0, start=start, every=20.0, formulation=formulation, integrator=integrator
        )
        off = run.values("boom.orientation")[-1] - known.values("boom.orientation")[-1]
        assert np.abs(off).max() < 1e-8


@pytest.mark.parametrize("method", [bc.Gauss2, bc.Trapezoidal, bc.GeneralizedAlpha])
def test_a_boom_whose_frame_is_far_from_it(method):
    """Corrections of Newton's method end at what rounding makes of rates, and are accepted.

    The frame lies in the origin: of inertias of 2e15 kg m² the boom's own are 3e4, and its
    angular accelerations have as many digits less than its coordinates.
    """
    model, start = examples.load("gravity-boom"), examples.settings("gravity-boom")["start"]
    known = bc.simulate(model, 2.0, start=start, every=2.0, rtol=1e-11)
    form = bc.Cartesian(reference="frame")
    run = bc.simulate(
        model, 2.0, start=start, every=2.0, formulation=form, integrator=method(step=0.2)
    )
    for quantity, size in (("orientation", 1.0), ("position", 7e6)):
        off = run.values(f"boom.{quantity}")[-1] - known.values(f"boom.{quantity}")[-1]
        assert np.abs(off).max() < 1e-8 * size


def hanging(away: float) -> bc.Model:
    """Return two rods of a metre on hinges along y, drawn at some distance along x [m]."""
    first, second, third = ((away + x, 0.0, 0.0) for x in range(3))
    return bc.Model(
        "hanging",
        bodies=[
            bc.Body("B", bc.Rod(first, second, mass=1.0)),
            bc.Body("C", bc.Rod(second, third, mass=1.0)),
        ],
        joints=[
            bc.Revolute("J", "ground", "B", at=first, axis="y"),
            bc.Revolute("K", "B", "C", at=second, axis="y"),
        ],
    )


@pytest.mark.filterwarnings("ignore::bellcrank.errors.AuditWarning")
@pytest.mark.parametrize("formulation", [bc.Cartesian(), bc.Natural(), bc.Kane()], ids=repr)
def test_radau5_however_far_from_the_origin(formulation):
    """A double pendulum is as exact as the digits of its places are: 400 roundings of them.

    Φ = 0 makes of the rounding of places one of attitudes, and C u = ν one of speeds.
    """
    known = bc.simulate(hanging(0.0), 1.0, start={"J.angle": 0.3}, rtol=1e-11).values("J.angle")
    for away in (1e4, 1e6, 7e6):
        run = bc.simulate(
            hanging(away), 1.0, start={"J.angle": 0.3}, formulation=formulation,
            integrator=bc.Radau5(),
        )  # fmt: skip
        assert abs(run.values("J.angle")[-1] - known[-1]) < 3e-9 + 400 * 2.2e-16 * away


def tether(length: float, away: float = 7e6) -> bc.Model:
    """Return two balls on a rope that nothing acts on, far from the origin."""
    near, far = (away, 0, 0), (away + length, 0, 0)
    return bc.Model(
        "tether", gravity=(0, 0, 0),
        bodies=[
            bc.Body("A", bc.Sphere(0.02 * length, center=near, mass=300.0)),
            bc.Body("B", bc.Sphere(0.01 * length, center=far, mass=200.0)),
        ],
        joints=[
            bc.Free("a", "ground", "A", at=near),
            bc.Free("b", "ground", "B", at=far),
        ],
        constraints=[bc.Distance("rope", ("A", near), ("B", far))],
    )  # fmt: skip


@pytest.mark.parametrize("length", [1000.0, 10.0])
def test_independent_coordinates_far_from_the_origin(length):
    """A rope turns as it was set turning, where positions are round to a nanometre.

    What rounding leaves of the rope had been taken for a position that cannot be reached.
    """
    rate, speed = 0.1, 7000.0
    start = {"a.velocity": (0, speed, 0), "b.velocity": (0, speed + rate * length, 0)}
    for formulation in (bc.JointCoordinates(), bc.Kane(), bc.Natural(constant=True)):
        for by in ("tangent", "partition"):
            run = bc.simulate(
                tether(length), 20.0, start=start, every=5.0, formulation=formulation,
                constraints=bc.Independent(by),
            )  # fmt: skip
            apart = (run.values("B.position") - run.values("A.position")) / length
            known = [np.cos(rate * run.t), np.sin(rate * run.t), 0 * run.t]
            np.testing.assert_allclose(apart, np.stack(known, axis=-1), atol=2e-7)


@pytest.mark.parametrize("formulation", [bc.Cartesian(), bc.Kane(), bc.Natural()], ids=repr)
def test_a_short_rope_in_a_wide_orbit(formulation):
    """What is asked of places that travel together is asked of their difference.

    A rope of 10 m, 7,000 km from the origin, had been off by 5e-7 of itself with Radau5: 1e-9
    of a place is 7 mm, and both ends may be off by as much.
    """
    length, rate, speed = 10.0, 0.1, 7000.0
    start = {"a.velocity": (0, speed, 0), "b.velocity": (0, speed + rate * length, 0)}
    for integrator in (bc.DOP853(), bc.Radau5()):
        run = bc.simulate(
            tether(length), 20.0, start=start, every=5.0, formulation=formulation,
            integrator=integrator,
        )  # fmt: skip
        apart = (run.values("B.position") - run.values("A.position")) / length
        known = [np.cos(rate * run.t), np.sin(rate * run.t), 0 * run.t]
        np.testing.assert_allclose(apart, np.stack(known, axis=-1), atol=2e-8)


@pytest.mark.parametrize(
    "method", [bc.Gauss2(step=0.2), bc.GeneralizedAlpha(step=0.02)], ids=repr
)
def test_fixed_implicit_steps_of_a_short_rope_in_a_wide_orbit(method):
    """Newton's method ends where rounding does, and the audit says so where that is too much.

    Differences of places have few digits: Cartesian coordinates are off by 1e-6 to 1e-5 of a
    rope of 10 m, whatever the step. Joint coordinates, which it names, are not.
    """
    length, rate, speed = 10.0, 0.1, 7000.0
    start = {"a.velocity": (0, speed, 0), "b.velocity": (0, speed + rate * length, 0)}

    def ends(formulation) -> np.ndarray:
        run = bc.simulate(
            tether(length), 20.0, start=start, every=20.0, formulation=formulation,
            integrator=method,
        )  # fmt: skip
        return (run.values("B.position") - run.values("A.position"))[-1] / length

    with pytest.warns(bc.AuditWarning, match="are rounded by 2e-10 of the machine's length"):
        ends(bc.Cartesian())
    known = np.array([np.cos(rate * 20.0), np.sin(rate * 20.0), 0.0])
    np.testing.assert_allclose(ends(bc.JointCoordinates()), known, atol=2e-6)


@pytest.mark.parametrize("inertia", [0.1, 1e-3, 1e-6])
@pytest.mark.parametrize("mass", [1.0, 1e-3, 1e-6])
@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian()], ids=repr)
def test_a_light_ring_in_the_origin(formulation, mass, inertia):
    """Where no length is to be seen, the round-off of angles is not that of a motion."""

    def body(name, mass, own):
        return bc.Body(
            name, mass=mass, com=(0, 0, 0), inertia=(own, 2 * own, 2.5 * own, 0, 0, 0)
        )

    model = bc.Model(
        "gimbal",
        gravity=(0, 0, 0),
        bodies=[body("ring", mass, inertia), body("rotor", 1.0, 0.1)],
        joints=[
            bc.Revolute("A", "ground", "ring", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "ring", "rotor", at=(0, 0, 0), axis="x"),
        ],
    )
    options = {"start": {"A.angle_rate": 1e-2, "B.angle_rate": 1.0}, "every": 2.0}
    run = bc.simulate(model, 2.0, formulation=formulation, **options)
    exact = bc.simulate(model, 2.0, rtol=1e-12, **options)
    assert run.statistics["steps"] <= 20
    for name in ("A.angle", "B.angle"):
        assert run.values(name)[-1] == pytest.approx(exact.values(name)[-1], abs=1e-8)


GROWING = ["exp(1e3*t)", "(1 + t)**(1e3*t)", "exp(exp(100*t))", "1e16*t"]


@pytest.mark.parametrize("integrator", [bc.Auto(), bc.DOPRI5()], ids=repr)
@pytest.mark.parametrize("law", GROWING)
def test_what_grows_without_bound_ends_with_its_reason(law, integrator):
    """A slide under a force that grows: beyond what numbers hold, or places whose digits do.

    Rows that keep points rigid, 10⁹ m from the origin, are rounded by 1e-7 m, and that is what
    steps that adapt follow: 20,000 had led 9e-5 s of 2 s further, and so on for ever.
    """
    model = bc.Model(
        "slide",
        bodies=[bc.Body("B", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x")],
        forces=[bc.Force("F", "B", (law, 0, 0))],
    )
    for formulation in (bc.Natural(), bc.Kane(), bc.Cartesian(), bc.JointCoordinates()):
        if law == "1e16*t" and not isinstance(formulation, bc.Natural):
            continue  # a power of time, which does not grow beyond numbers
        with pytest.raises(bc.IntegrationFailed, match="Look for a law that grows") as told:
            bc.simulate(model, 2.0, every=0.01, formulation=formulation, integrator=integrator)
        made = told.value.run.statistics
        assert made["steps"] + made["rejected"] < 40_000


def chain_in_space(seed):
    """Return three boxes on joints of scattered kinds, places and axes, without weight."""
    noise = np.random.default_rng(seed)
    places = np.cumsum(noise.normal(size=(4, 3)), axis=0)
    bodies, joints, first = [], [], "ground"
    for k, (here, there) in enumerate(itertools.pairwise(places)):
        name, axis = f"B{k}", noise.normal(size=3)
        across = np.cross(axis, noise.normal(size=3))
        box = bc.Box((0.3, 0.2, 0.1), center=tuple((here + there) / 2), mass=1.0)
        bodies.append(bc.Body(name, box))
        at = {"first": first, "second": name, "at": tuple(here)}
        kind = str(noise.choice(["Universal", "Revolute", "Cylindrical", "Prismatic"]))
        axes = {"axis1": tuple(axis), "axis2": tuple(across)}
        given = axes if kind == "Universal" else {"axis": tuple(axis)}
        joints.append(getattr(bc, kind)(f"J{k}", **at, **given))
        first = name
    return bc.Model("chain", bodies=bodies, joints=joints, gravity=(0, 0, 0))


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian(), bc.Natural()], ids=repr)
def test_a_machine_at_rest_stays_there(formulation):
    """Where nothing moves, all that implicit methods correct is the rounding of coordinates."""
    for seed in (0, 2):
        model = chain_in_space(seed)
        run = bc.simulate(model, 1.0, formulation=formulation, integrator=bc.Radau5())
        for body in model.bodies:
            place = run.values(f"{body.name}.position")
            assert np.abs(place - place[0]).max() < 1e-12
