"""Angles of joints over many turns: sums of coordinates, or followed by their rates."""

import warnings

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import NearlySingular, StartError
from bellcrank.formulations.contract.coaxial import loop_sums
from bellcrank.formulations.joint_coordinates.layout import layout
from bellcrank.formulations.joint_coordinates.scene import TreeScene

pytestmark = pytest.mark.slow

FORMULATIONS = [bc.JointCoordinates(), bc.Cartesian(), bc.Kane(), bc.Natural()]
forms = pytest.mark.parametrize("form", FORMULATIONS, ids=lambda each: type(each).__name__)


def body(name, at=(0.0, 0.0, 0.0)):
    return bc.Body(name, mass=1.0, com=at, inertia=(0.2, 0.25, 0.3, 0, 0, 0))


def unit(vector):
    return tuple(float(x) for x in np.asarray(vector) / np.linalg.norm(vector))


# --- sums of coordinates


def chain(seed, tilt=0.0):
    """Return a chain of bodies on joints with parallel axes, closed by one more of them.

    Axes point either way, joints are written from either end, slides and welds are among them;
    with `tilt` every axis is inclined at random by about as much.
    """
    rng = np.random.default_rng(seed)
    axis, count = rng.normal(size=3), int(rng.integers(1, 4))
    names = ["ground", *(f"B{i}" for i in range(count))]
    joints = []
    for i in range(count + 1):
        ends = [names[i], names[(i + 1) % len(names)]]
        if rng.integers(2):
            ends.reverse()
        at = tuple(rng.normal(size=3))
        own = unit(rng.choice([-1, 1]) * np.asarray(unit(axis)) + tilt * rng.normal(size=3))
        kinds = ("Revolute", "Cylindrical", "Planar", "Prismatic", "Fixed")
        kind = rng.choice(kinds[:3] if i in (0, count) else kinds)
        if kind == "Fixed":
            joints.append(bc.Fixed(f"J{i}", *ends, at=at))
        elif kind == "Prismatic":
            joints.append(bc.Prismatic(f"J{i}", *ends, at=at, axis=unit(rng.normal(size=3))))
        else:
            joints.append(getattr(bc, kind)(f"J{i}", *ends, at=at, axis=own))
    return bc.Model("chain", bodies=[body(name) for name in names[1:]], joints=joints)


def closing_angle(model, q, sums):
    """Return the angle of the joint that closes the loop, as JointCoordinates writes it."""
    plan = layout(model)
    scalars = {"t": [0.0], "q": list(q), "u": [0.0] * len(plan.speeds), "s": [], "p": []}
    scene = TreeScene(model, plan, scalars | {"w": [], "k": []}, sums=sums)
    (loop,) = model.graph.loops
    return float(scene.joint_values(loop, "coordinates")["angle"][0])


def turning(count):
    """Return seeds of chains that are closed by a joint with an angle."""
    return [s for s in range(count) if "angle" in chain(s)[chain(s).graph.loops[0]].coordinates]


@pytest.mark.parametrize("seed", turning(24))
def test_round_parallel_axes_turns_add_up(seed):
    """At any angles of the tree, closed or not: the sum is what sine and cosine say."""
    model = chain(seed)
    sums = loop_sums(model)
    (one,) = sums.values()
    assert one.exact
    q = np.random.default_rng(seed).normal(size=len(layout(model).coordinates)) * 20
    gap = closing_angle(model, q, sums) - closing_angle(model, q, {})
    assert gap / (2 * np.pi) == pytest.approx(round(gap / (2 * np.pi)), abs=1e-12)


@pytest.mark.parametrize("seed", turning(4))
def test_round_axes_that_are_nearly_parallel_turns_are_those_of_the_sum(seed):
    """Against the principal value followed in small steps, to many turns and back."""
    model = chain(seed, tilt=0.02)
    sums = loop_sums(model)
    (one,) = sums.values()
    assert not one.exact
    q = np.random.default_rng(seed).normal(size=len(layout(model).coordinates)) * 4
    path = [np.sin(s) * q for s in np.linspace(0, np.pi, 81)]
    followed = np.unwrap([closing_angle(model, at, {}) for at in path])
    counted = [closing_angle(model, at, sums) for at in path]
    np.testing.assert_allclose(counted, followed, atol=1e-9)


def test_other_loops_are_not_sums():
    mixed = bc.Model(
        "mixed",
        bodies=[body("B0")],
        joints=[
            bc.Universal("U", "ground", "B0", at=(0, 0, 0), axis1="x", axis2="y"),
            bc.Revolute("close", "ground", "B0", at=(0, 0, 0), axis="z"),
        ],
    )
    assert loop_sums(mixed) == {}


# --- every angle is the integral of its rate


def shaft(*forces):
    """Return a shaft in two bearings along z, of which the second closes a loop.

    There a spring of stiffness k acts, and a brake b from the angle −at on; both are zero.
    """
    return bc.Model(
        "shaft",
        parameters=[bc.Parameter("k", 0.0), bc.Parameter("b", 0.0), bc.Parameter("at", 100.0)],
        gravity=(0, 0, 0),
        bodies=[body("B")],
        joints=[
            bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="z"),
            bc.Cylindrical("C", "ground", "B", at=(0, 0, 1), axis="-z"),
        ],
        forces=[
            bc.JointSpring("K", "C", coordinate="angle", stiffness="k"),
            bc.Motor("M", "C", coordinate="angle", effort="b*step(-at - C.angle)"),
            *forces,
        ],
    )


def spun(seed):
    """Return a heavy arm on a hinge of any direction, turned to and fro by a motor."""
    rng = np.random.default_rng(seed)
    effort = f"{rng.uniform(20, 60):.6g}*cos({rng.uniform(1, 3):.6g}*t)"
    return bc.Model(
        "spun",
        bodies=[body("B", tuple(rng.normal(size=3) * 0.2))],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis=unit(rng.normal(size=3)))],
        forces=[bc.Motor("M", "A", effort=effort)],
    ), {"A.angle_rate": float(rng.uniform(-30, 30))}


def cardan(seed):
    """Return two shafts at an angle and a Hooke joint between them; no axis is another's."""
    rng = np.random.default_rng(seed)
    bend = rng.uniform(0.4, 0.7)
    out = unit((np.cos(bend), np.sin(bend), 0))
    far = tuple(0.5 * x for x in out)
    return bc.Model(
        "cardan",
        gravity=(0, 0, 0),
        bodies=[body("in"), body("out")],
        joints=[
            bc.Revolute("A", "ground", "in", at=(-0.5, 0, 0), axis="x"),
            bc.Universal(
                "U", "in", "out", at=(0, 0, 0), axis1="z", axis2=unit((-out[1], out[0], 0))
            ),
            bc.Cylindrical("C", "ground", "out", at=far, axis=out),
        ],
        forces=[bc.Motor("M", "A", effort="15*sin(2*t)")],
    ), {"A.angle_rate": float(rng.uniform(20, 40))}


def crank(seed):
    """Return a planar four-bar whose crank goes round, and a rotor on its rocker."""
    rng = np.random.default_rng(seed)
    return bc.Model(
        "crank",
        planar=True,
        gravity=(0, 0),
        bodies=[body(name, (*at, 0.0)) for name, at in BARS.items()],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "coupler", at=(0, 1)),
            bc.Revolute("C", "coupler", "rocker", at=(3, 2.5)),
            bc.Revolute("D", "rocker", "ground", at=(3, 0)),
            bc.Revolute("R", "rotor", "rocker", at=(3, 1), axis="-z"),
        ],
    ), {"A.angle_rate": float(rng.uniform(10, 20)), "R.angle_rate": float(rng.uniform(50, 90))}


BARS = {"crank": (0, 0.5), "coupler": (1.5, 1.75), "rocker": (3, 1.2), "rotor": (3, 1)}


def angles_of(model):
    return [
        f"{joint.name}.{name}"
        for joint in model.joints
        for name in joint.coordinates
        if name.startswith("angle")
    ]


def beside(run, name):
    """Return how far an angle is from the integral of its rate, at the most."""
    angle, rate = run.values(name), run.values(f"{name}_rate")
    steps = 0.5 * (rate[1:] + rate[:-1]) * np.diff(run.t)
    return np.abs(angle - angle[0] - np.concatenate([[0.0], np.cumsum(steps)])).max()


@pytest.mark.parametrize(
    ("family", "form"),
    [
        (cardan, bc.JointCoordinates()),
        (crank, bc.Cartesian()),
        (spun, bc.Kane()),
        (cardan, bc.Natural()),
    ],
    ids=lambda each: getattr(each, "__name__", type(each).__name__),
)
def test_every_angle_is_the_integral_of_its_rate(family, form):
    """Also at a loose tolerance, whose steps are long; a turn lost would be 6.28."""
    model, start = family(7)
    turned = 0.0
    for rtol in (1e-9, 1e-4):
        run = bc.simulate(
            model, 3.0, start=start, formulation=form, every=1e-3, rtol=rtol, atol=rtol
        )
        for name in angles_of(model):
            assert beside(run, name) < 0.05
            turned = max(turned, np.ptp(run.values(name)))
    assert turned > 20


@forms
def test_steps_of_a_second_lose_no_turn(form):
    """Attitudes are worth nothing then, but the angle stays with the integral of its rate."""
    if isinstance(form, bc.Natural):
        pytest.skip("a step of 40 rad takes points nowhere")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.AuditWarning)  # which says that it is worthless
        run = bc.simulate(
            shaft(), 20.0, start={"A.angle_rate": 40.0}, formulation=form,
            integrator=bc.RK4(step=1.0), every=0.01,
        )  # fmt: skip
    exact = isinstance(form, bc.JointCoordinates)
    for name, sign in (("A.angle", 1), ("C.angle", -1)):
        far = np.abs(run.values(name) - sign * 40 * run.t).max()
        assert far < (1e-9 if exact else np.pi + 0.5)  # what is seen is off by half a turn


# --- what reads such an angle


@forms
def test_springs_events_and_switches_on_a_measured_angle(form):
    """A spring so weak that it takes 300 rad to stop the shaft; a brake from 100 rad on."""
    k, inertia, until = 1e-3, 0.3, 20.0
    w = np.sqrt(k / inertia)
    run = bc.simulate(
        shaft(), until, start={"A.angle_rate": 20.0}, parameters={"k": k}, formulation=form,
        events=[bc.Event("hundred", "A.angle - 100")],
    )  # fmt: skip
    assert run.values("C.angle")[-1] == pytest.approx(-20 / w * np.sin(w * until), abs=1e-4)
    assert run.values("A.angle_rate")[-1] == pytest.approx(20 * np.cos(w * until), abs=1e-5)
    times = np.array([hit.time for hit in run.events])
    np.testing.assert_allclose(times, [np.arcsin(100 * w / 20) / w], atol=1e-5)
    start = {"A.angle_rate": 40.0}
    run = bc.simulate(shaft(), 5.0, start=start, parameters={"b": 3.0}, formulation=form)
    assert run.values("C.angle")[-1] == pytest.approx(-(100 + 40 * 2.5 - 5 * 2.5**2), abs=1e-5)


# --- starts


@forms
@pytest.mark.parametrize("name", ["A.angle", "C.angle"])
def test_a_start_is_held_with_its_turns_and_a_run_is_continued_with_them(form, name):
    start = {name: 100.0, "A.angle_rate": 40.0}
    first = bc.simulate(shaft(), 1.0, start=start, formulation=form)
    assert first.values(name)[0] == pytest.approx(100.0, abs=1e-9)
    again = bc.simulate(shaft(), 3.0, start=first, formulation=form)
    back = bc.simulate(shaft(), 0.0, start=again, formulation=form)
    for one, sign in (("A.angle", 1.0), ("C.angle", -1.0)):
        value = first.values(one)[0]
        assert again.values(one)[-1] == pytest.approx(value + sign * 120, abs=1e-5)
        assert back.values(one)[-1] == pytest.approx(value, abs=1e-5)


@pytest.mark.parametrize("form", FORMULATIONS[:2], ids=lambda each: type(each).__name__)
def test_turns_of_a_planar_machine_are_held(form):
    model, _ = crank(1)
    start = {"A.angle": 20.0, "R.angle": -50.0, "A.angle_rate": 10.0}
    run = bc.simulate(model, 0.01, start=start, formulation=form)
    assert run.values("A.angle")[0] == pytest.approx(20.0, abs=1e-9)
    assert run.values("R.angle")[0] == pytest.approx(-50.0, abs=1e-9)


def test_angles_that_contradict_each_other_by_full_turns_are_refused():
    start = {"A.angle": 0.0, "C.angle": 20 * np.pi}
    with pytest.raises(StartError) as caught:
        bc.simulate(shaft(), 1.0, start=start)
    assert str(caught.value) == (
        "start gives 'A.angle' = 0, but the other angles named there, of which it is a sum, "
        "make it -62.8318531. Name fewer of them."
    )


def test_switches_beyond_half_a_turn_are_verified():
    """Modes are those of the angles that are known, not of principal values."""
    found = bc.verify(
        shaft(), 3.0, start={"A.angle_rate": 3.0}, parameters={"b": 0.3, "at": 4.0},
        formulations=FORMULATIONS[:2], runs=False,
    )  # fmt: skip
    assert found.agrees


# --- bushings


def mounted():
    """Return a body that turns on another about a tilted axis, against a bushing."""
    turned = bc.Pose((0.3, 0, 0), ((0.0, -0.8, 0.6), (1.0, 0.0, 0.0), (0.0, 0.6, 0.8)))
    return bc.Model(
        "mounted",
        gravity=(0, 0, 0),
        bodies=[
            body("base"),
            bc.Body("B", mass=1.0, inertia=(0.2, 0.2, 0.2, 0, 0, 0), pose=turned),
        ],
        joints=[
            bc.Revolute("A", "ground", "base", at=(0, 0, 0), axis=unit((1, 2, 2))),
            bc.Revolute("E", "base", "B", at=(0.3, 0, 0), axis=unit((2, -1, 2))),
        ],
        forces=[
            bc.Bushing(
                "soft", ("base", (0.3, 0, 0)), ("B", (0.3, 0, 0)), stiffness=(0, 0, 0, 1, 1, 1)
            )
        ],
    )


@forms
def test_a_bushing_at_half_a_turn_says_so_and_when(form):
    """However far apart records are: 0.002 rad before half a turn; not where it turns back."""
    event = bc.Event("half", "abs(E.angle) - pi + 2e-3")
    for spin, every in ((3.0, 0.01), (-12.0, 0.01), (-12.0, 2.0), (12.0, 2.0)):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            run = bc.simulate(
                mounted(), 2.0, start={"A.angle_rate": 1.0, "E.angle_rate": spin}, every=every,
                formulation=form, events=[event],
            )  # fmt: skip
        said = [str(one.message) for one in told if issubclass(one.category, NearlySingular)]
        if abs(spin) < 10:
            assert np.abs(run.values("E.angle")).max() < np.pi - 0.1
            assert said == []
            continue
        (sentence,) = said
        assert sentence == (
            f"at t = {run.events[0].time:.6g} s: bushing 'soft' comes to half a turn, where "
            "its torque changes its sign. It is made for small turns; a JointSpring counts "
            "full ones."
        )
