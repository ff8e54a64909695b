"""A run is right, or its own audit says that it is not: nothing is silently wrong."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.analysis.scattered import random_machine
from tests.machines import four_bars
from tests.machines.hinged import door

import bellcrank as bc
from bellcrank.errors import AuditWarning
from bellcrank.integrators.problem import Statistics, Track, Weighed
from bellcrank.prepare import modes
from bellcrank.results.judging import Circumstances, judge
from bellcrank.results.words import line, sentence

pytestmark = pytest.mark.slow

INERTIA = (0.3, 0.4, 0.5, 0, 0, 0)


def body(name="B", com=(0, 0, 0)):
    return bc.Body(name, mass=1.0, com=com, inertia=INERTIA)


def shaft(bearings):
    joints = [
        bc.Revolute(f"J{n}", "ground", "B", at=(0, 0, n), axis="z") for n in range(bearings)
    ]
    return bc.Model("shaft", gravity=(0, 0, 0), bodies=[body()], joints=joints)


def cart(effort):
    return bc.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=[body()],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x")],
        forces=[bc.Motor("push", "S", effort=effort)],
    )


def bumpy():
    """A flywheel that is braked by 0.1 N m in 0.02 rad of every turn."""
    law = f"where(sin(A.angle) > {float(np.cos(0.01))!r}, -0.1, 0)"
    return bc.Model(
        "flywheel",
        gravity=(0, 0, 0),
        bodies=[body()],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="z")],
        forces=[bc.Motor("brake", "A", effort=law)],
    )


def stopped():
    """A ball thrown up against a soft stop that it barely reaches."""
    law = "where(S.offset > 5.09, -1e5*(S.offset - 5.09), 0)"
    return bc.Model(
        "ball",
        bodies=[body()],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="z")],
        forces=[bc.Motor("stop", "S", effort=law)],
    )


def bounced(t):
    """Where that ball is after it has left the stop: thrown up, half a swing, thrown down."""
    g, top, w = 9.81, 5.09, np.sqrt(1e5)
    speed = np.sqrt(100.0 - 2 * g * top)
    touching = 2 / w * np.arctan(speed * w / g)
    left = t - (10.0 - speed) / g - touching
    return top - speed * left - g * left**2 / 2


def told(model, until, **options):
    """Return a run and what it said of itself."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        run = bc.simulate(model, until, **options)
    return run, [str(one.message) for one in caught if one.category is AuditWarning]


# Closed forms, or the same machine without what was redundant.
CASES = {
    "a door on two hinges": (door(0.0, 2.0), 0.5, {"J0.angle": 0.7}, "J0.angle", 0.54947),
    "a shaft in two bearings": (shaft(2), 20.0, {"J0.angle_rate": 40.0}, "J1.angle", 800.0),
    "1 Hz": (cart("sign(sin(2*pi*t))"), 10.0, {}, "S.offset", 2.5),
    "10 Hz": (cart("2*step(sin(20*pi*t)) - 1"), 10.0, {}, "S.offset", 0.25),
    "a smooth pulse": (cart("exp(-((t-5)/0.01)**2)"), 10.0, {}, "S.offset", 0.0886227),
    "bumps": (bumpy(), 60.0, {"A.angle_rate": 10.0}, "A.angle_rate", 9.9618),
    "a soft stop": (stopped(), 1.9, {"S.offset_rate": 10.0}, "S.offset", bounced(1.9)),
}


@pytest.mark.parametrize("name", CASES)
def test_a_run_is_right_or_says_that_it_is_not(name):
    model, until, start, what, expected = CASES[name]
    run, says = told(model, until, start=start)
    right = abs(run.values(what)[-1] - expected) < 1e-3 * abs(expected)
    assert right != bool(says), (run.values(what)[-1], says)
    assert len(says) <= 1


def integrated(monkeypatch, change):
    """Have problems changed before they are integrated."""
    before = modes.integrate

    def changed(machine, problem, *rest, **options):
        return before(machine, replace(problem, **change(machine.system)), *rest, **options)

    monkeypatch.setattr(modes, "integrate", changed)


def test_a_switch_that_is_not_looked_for_does_not_balance(monkeypatch):
    integrated(monkeypatch, lambda system: {"switches": None, "modes": None, "timeline": None})
    _, says = told(cart("sign(cos(2*pi*t))"), 3.0)
    assert len(says) == 1
    assert "energy and the work done on it differ" in says[0]


def test_turns_that_are_not_counted_are_missed(monkeypatch):
    integrated(monkeypatch, lambda system: {"revise": None})
    pushed = shaft(2).add(bc.Motor("motor", "J0", "2.0"))
    run, says = told(pushed, 5.0, formulation=bc.Cartesian())
    assert len(says) == 1
    assert "angle' is off the integral of its rate by -" in says[0]
    swept = run.values("J1.angle_rate")[-1] * 5.0 / 2
    assert swept > 30.0
    assert run.judged["lost_turns"]["J1.angle"] == pytest.approx(-swept, rel=1e-6)


def test_the_motion_of_another_machine_does_not_keep_the_energy(monkeypatch):
    """Inertia off by a thousandth, forces as they are."""
    heavy = replace(body(com=(0.5, 0.2, -0.3)), inertia=(0.301, 0.4, 0.5, 0, 0, 0))
    other = bc.simulate.__globals__["compile"](replace(door(0.0), bodies=(heavy,)))
    integrated(monkeypatch, lambda system: {"rhs": other.kernel("derivatives")})
    _, says = told(door(0.0), 0.5, start={"J0.angle": 0.7})
    assert len(says) == 1
    assert "its energy changes by" in says[0]
    assert "rtol = 1e-09" in says[0]


@pytest.mark.parametrize("number", range(6))
def test_random_machines_raise_no_alarm(number):
    """Many more were tried: see docs/results.md."""
    _, says = told(random_machine(number), 1.0)
    assert not says


def test_an_audit_does_not_depend_on_records():
    hinge = bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="y")
    damped = bc.Model(
        "damped",
        bodies=[body(com=(0.5, 0, 0))],
        joints=[hinge],
        forces=[bc.JointSpring("loss", "A", damping=0.3)],
    )
    found = [bc.simulate(damped, 10.0, every=every).judged for every in (0.5, 0.01)]
    assert found[0] == found[1]
    assert found[0]["energy_drift"] < 1e-8


@pytest.mark.parametrize("start", [{"S.offset": 0.01}, {"S.offset_rate": 1.0}])
def test_a_stiff_damped_spring_balances(start):
    spring = bc.Model(
        "stiff",
        bodies=[body()],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="z")],
        forces=[bc.JointSpring("spring", "S", stiffness=1e10, damping=1e6)],
    )
    run, says = told(spring, 1.0, start=start)
    assert not says
    assert run.audit["energy_drift"] < 1e-6


# --- words, from what was found -------------------------------------------------------------

CLEAN = Weighed(
    gap=1e-9, final=1e-9, doubt=0.0, work=0.0, kinetic=1.0, size=2.0, unit=1e-9, jump=1e-9,
    jump_time=0.5, powers=0, position=0.0, velocity=0.0,
)  # fmt: skip


def judged(made=Circumstances(), **found):
    statistics = Statistics("DOP853", 100, 0, 1200, 0, 0.1, 0.1, 0.1, 0, 0.0)
    x = np.ones((2, 2))
    track = Track(x[:, 0], x, x, x, [], statistics, "done", "", 1.0, replace(CLEAN, **found))
    return judge(track, made)


def test_words():
    assert judged()["contradictions"] == []
    assert line(judged()) == "energy drift 1.0e-09"
    off = judged(gap=0.4, jump=0.39, jump_time=1.905)
    assert sentence("sarrus", off) == (
        "the run of 'sarrus' contradicts its own audit: its energy changes by 0.4 J, where "
        "rtol = 1e-09 and 100 steps explain 1e-06 J, most of it at t = 1.905 s; compare it "
        "with a tighter rtol and with another formulation (bc.verify does)."
    )
    assert line(off).startswith("contradicts itself: its energy changes by 0.4 J")
    assert judged(finite=False)["contradictions"] == ["its energy is not finite"]
    assert judged(position=0.1)["contradictions"] == ["constraints are open by 0.1 (scaled)"]
    assert judged(velocity=0.1)["contradictions"] == ["constraints move by 0.1 /s (scaled)"]
    assert judged(hidden=0.5)["contradictions"][0].startswith("steps are too long to see 50 %")


def test_what_cannot_be_judged_is_said():
    assert judged(gap=0.1, doubt=0.2, powers=1)["not_judged"] == [
        "energy: the work done is known to 0.2 J only"
    ]
    assert judged(gap=9.0, powers=3)["contradictions"] == []
    assert "not known" in judged(gap=9.0, powers=3)["not_judged"][0]
    fixed = Circumstances(adaptive=False)
    assert "no error estimate" in judged(fixed, gap=0.3)["not_judged"][0]
    assert judged(fixed, gap=0.3)["contradictions"] == []
    assert "half of its kinetic energy" in judged(fixed, gap=0.8)["contradictions"][0]
    damping = Circumstances(adaptive=False, damps=True)
    assert judged(damping, gap=0.8, final=-0.8)["contradictions"] == []
    drawn = Circumstances(held=False)
    assert judged(drawn, position=1e-3)["contradictions"] == []
    assert judged(drawn, position=0.1)["contradictions"] != []


# --- steps and numbers of fixed length ----------------------------------------------------


FIXED = [bc.RK4(step=1.0), bc.Gauss2(step=1.0), bc.GeneralizedAlpha(step=1.0)]
FORMS = [bc.Cartesian(), bc.Kane(), bc.Natural(), bc.JointCoordinates()]


@pytest.mark.parametrize("rate", [40.0, 3.0, 0.5])
@pytest.mark.parametrize("integrator", FIXED, ids=lambda each: type(each).__name__)
def test_a_step_of_fixed_length_that_turns_a_body_too_far(integrator, rate):
    """Attitudes are followed for less than a radian a step, by any method; angles for any.

    Turns are kept by the rate, and energy is: only the attitude is worth nothing. No turns are
    lost where an angle follows the integral of its rate, as that of Kane's does.
    """
    start = {"J0.angle_rate": rate}
    for formulation in FORMS:
        options = {"formulation": formulation, "integrator": integrator}
        try:
            run, says = told(shaft(1), 10.0, start=start, **options)
        except bc.IntegrationFailed:
            assert rate > 1.0
            continue
        half, seen = 0.5 * rate * run.t, run.values("B.orientation")
        along = seen[:, 0] * np.cos(half) + seen[:, 3] * np.sin(half)
        off = 1.0 - abs(along).min()
        assert says or off < 1e-3, (formulation, off)
        assert not says or rate > 1.0, (formulation, says)
        if says:
            assert "in a step" in says[0]
        if says and not isinstance(formulation, bc.Natural):
            assert f"'B' turns by {rate:.3g} rad in a step" in says[0]
            assert "integral of its rate" not in says[0]


def pendulum(away):
    """Return a double pendulum that hangs some way from the origin."""
    first, second, end = ((away + n, 0, 0) for n in (0.0, 1.0, 2.0))
    return bc.Model(
        "pendulum",
        bodies=[
            bc.Body("a", bc.Rod(first, second, mass=1.0)),
            bc.Body("b", bc.Rod(second, end, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "a", at=first, axis="y"),
            bc.Revolute("B", "a", "b", at=second, axis="y"),
        ],
    )


@pytest.mark.parametrize("integrator", [bc.Gauss2(step=0.01), bc.DOP853()], ids=repr)
def test_places_far_from_the_origin_have_fewer_digits(integrator):
    """Who says nothing moves as at the origin: points of 1,000 km do not, angles do."""
    options = {"every": 1.0, "integrator": integrator}
    for formulation in (bc.Natural(), bc.Kane(), bc.JointCoordinates()):
        known = bc.simulate(pendulum(0.0), 2.0, formulation=formulation, **options)
        for away in (0.0, 1e3, 1e6):
            run, says = told(pendulum(away), 2.0, formulation=formulation, **options)
            off = np.abs(run.values("B.angle") - known.values("B.angle")).max()
            assert bool(says) == (away == 1e6 and isinstance(formulation, bc.Natural))
            assert says or off < 1e-8
            if says:
                assert "places of 1e+06 m are rounded" in says[0]


def resonator(away):
    """A mass of 1 kg on a spring of 10⁶ N/m, drawn some way from the origin."""
    at = (away, 0.6 * away, 0.4 * away)
    return bc.Model(
        "resonator",
        gravity=(0, 0, 0),
        bodies=[body("M", at)],
        joints=[bc.Prismatic("S", "ground", "M", at=at, axis="x")],
        forces=[bc.JointSpring("k", "S", stiffness=1e6)],
    )


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
@pytest.mark.parametrize("integrator", [bc.DOP853(), bc.DOPRI5(), bc.Radau5()], ids=repr)
def test_a_motion_of_few_roundings_of_its_places(integrator, formulation):
    """An amplitude is right to three digits, or the audit says so: places of 0.5 m have 16.

    Nothing is told at amplitudes that have their digits, nor of what rests.
    """
    for away in (0.0, 0.5):
        for size in (0.0, 1e-11, 1e-9, 1e-6, 1e-3):
            run, says = told(
                resonator(away), 0.05, start={"S.offset": size}, every=5e-4,
                formulation=formulation, integrator=integrator,
            )  # fmt: skip
            off = np.abs(run.values("S.offset") - size * np.cos(1e3 * run.t)).max()
            assert says or off <= 1e-3 * size + 1e-15, (away, size, off / size)
            assert not says or size == 1e-11, (away, size, says)
            assert all("less than three digits" in each for each in says)
            assert not (says and isinstance(formulation, bc.JointCoordinates))


def test_the_work_of_a_step_counts_once():
    """A driven disc with an angle in memory: its energy less ∫ M ω dt is rounding, not joules.

    Steps whose angles are looked at inside are not all steps whose work is.
    """
    disc = bc.Model(
        "disc",
        gravity=(0, 0, 0),
        bodies=[bc.Body("s", bc.Disc(0.1, (0, 0, 0), "z", mass=1.0))],
        joints=[bc.Revolute("A", "ground", "s", at=(0, 0, 0), axis="z")],
        forces=[bc.Motor("M", "A", effort="2*cos(t)")],
    )
    run, says = told(disc, 30.0, start={"A.angle_rate": 50.0}, formulation=bc.Kane())
    assert not says
    assert run.judged["energy_error"] < 1e-3


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian()], ids=repr)
def test_errors_of_the_trapezoidal_rule_are_no_lost_turns(formulation):
    """Hooke's joint, whose output oscillates about its mean speed: 5,000 rad, none lost."""
    axis = (np.cos(0.6), np.sin(0.6), 0.0)
    hooke = bc.Model(
        "Hooke",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("i", bc.Cylinder((-1, 0, 0), (0, 0, 0), 0.1, mass=50.0)),
            bc.Body("o", bc.Cylinder((0, 0, 0), axis, 0.1, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "i", at=(-1, 0, 0), axis="x"),
            bc.Universal(
                "U", "i", "o", at=(0, 0, 0), axis1=(0, 0, 1), axis2=np.cross(axis, (0, 0, 1))
            ),
            bc.Cylindrical("B", "ground", "o", at=axis, axis=axis),
        ],
    )
    run, says = told(hooke, 50.0, start={"A.angle_rate": 100.0}, formulation=formulation)
    assert not says
    ratio = np.tan(run.final["B.angle"]) / np.tan(run.final["A.angle"])
    turns = np.round((run.final["B.angle"] - run.final["A.angle"]) / np.pi)
    assert turns == 0
    assert min(abs(ratio - np.cos(0.6)), abs(ratio - 1 / np.cos(0.6))) < 1e-6


@pytest.mark.parametrize("every", [None, 1.0, 10.0])
@pytest.mark.parametrize("effort", ["cos(2*pi*t)", "t*sign(sin(20*pi*t))"])
def test_a_motion_in_step_with_its_records_is_no_rest(effort, every):
    """How far a cart went is looked at where steps end: at each record it is where it began."""
    run, words = told(cart(effort), 10.0, every=every)
    assert not words
    assert run.judged["contradictions"] == []


def test_turns_that_are_named_explain_those_of_angles_between_bodies():
    """A crank that turns one way and a coupler the other: B passes π and is right."""
    model = four_bars.four_bar((0, 0), (0, 1), (2, 2), (2, 0))
    passed = 0
    for angle in np.linspace(-3.0, 3.0, 25):
        try:
            run, words = told(model, 0.001, start={"A": float(angle)}, every=0.001)
        except bc.StartError:
            continue
        assert not words
        passed += abs(run.values("B.angle")[0]) > np.pi
    assert passed >= 2


@pytest.mark.parametrize("bodies", [2, 45])
def test_work_of_large_machines_is_not_judged_however_short_it_is(bodies):
    """A pulse of width w gives a cart the speed w; machines without such forces are judged."""
    numbers = range(bodies)
    w = bc.Parameter("w", 1.0)
    model = bc.Model(
        "carts",
        gravity=(0, 0, 0),
        parameters=[w],
        bodies=[body(f"B{n}", (0, n, 0)) for n in numbers],
        joints=[
            bc.Prismatic(f"S{n}", "ground", f"B{n}", at=(0, n, 0), axis="x") for n in numbers
        ],
        forces=[bc.JointSpring("spring", "S0", stiffness=1.0)],
    )
    form = bc.Cartesian(assembled=True)
    pulses = "step((t - 5)*(5 + w - t))", "step(t - 5) - step(t - 5 - w)"
    with warnings.catch_warnings():
        warnings.simplefilter("error", AuditWarning)
        for law in pulses if bodies == 2 else pulses[:1]:
            pushed = model.replace(forces=[*model.forces, bc.Motor("push", "S1", effort=law)])
            for width in (1e-3, 0.3, 3.0):
                run = bc.simulate(
                    pushed, 10.0, start={"S0.offset": 0.5}, parameters={"w": width},
                    formulation=form,
                )  # fmt: skip
                assert run.values("S1.offset_rate")[-1] == pytest.approx(width, rel=1e-6)
                assert any(
                    each.startswith("energy: the work") for each in run.judged["not_judged"]
                )
        rest = bc.simulate(model, 10.0, start={"S0.offset": 0.5}, formulation=form)
    assert not rest.judged["not_judged"]
    assert rest.judged["energy_error"] < rest.judged["energy_bound"]
