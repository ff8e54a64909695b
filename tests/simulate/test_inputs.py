"""Inputs by tables and expressions: along time and against it, wherever they may stand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PPoly
from tests.machines import analysed

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
INTEGRATORS = (
    bc.DOP853(), bc.RK4(step=0.01), bc.Radau5(), bc.Gauss2(step=0.01),
    bc.GeneralizedAlpha(step=0.01),
)  # fmt: skip
TABLE = ([0.0, 0.3, 0.31, 1.0, 2.0], [0.0, 1.0, -3.0, 2.0, 5.0])


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def cart():
    """One kilogram on a line, pushed by an input."""
    return bc.Model(
        "cart", gravity=(0, 0, 0),
        bodies=[bc.Body("B", bc.Sphere(0.1, (0, 0, 0), mass=1.0))],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x")],
        forces=[bc.Motor("M", "S", effort=bc.Input("u"))],
    )  # fmt: skip


def place_and_speed(begin, t, place):
    """Return both at t of a cart that rests at `begin`: integrals of TABLE, by pieces."""
    times = np.concatenate([[-5.0], TABLE[0], [5.0]])
    values = np.interp(times, *TABLE)
    push = PPoly(np.array([np.diff(values) / np.diff(times), values[:-1]]), times)
    speed, way = push.antiderivative(), push.antiderivative(2)
    rate = speed(t) - speed(begin)
    return place + way(t) - way(begin) - speed(begin) * (t - begin), rate


@pytest.mark.parametrize("span", [(3.0, -1.0), (2.0, 0.0), (0.8, 0.305), (-1.0, 3.0)], ids=str)
def test_tables_push_along_time_and_against_it(formulation, span):
    """From beyond either end, from knot to knot and inside: trapezoids, to rounding."""
    begin, until = span
    run = bc.simulate(
        cart(), until, begin=begin, start={"S": 0.5}, inputs={"u": TABLE}, every=0.25,
        formulation=formulation,
    )  # fmt: skip
    place, speed = place_and_speed(begin, run.t, 0.5)
    np.testing.assert_allclose(run.values("u"), np.interp(run.t, *TABLE), atol=1e-13)
    np.testing.assert_allclose(run.values("S.offset"), place, rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(run.values("S.offset_rate"), speed, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("integrator", INTEGRATORS, ids=lambda i: type(i).__name__)
def test_every_integrator_meets_knots_against_time(integrator):
    """Pushes are lines between knots, places cubic: all but generalized-α are exact there."""
    run = bc.simulate(cart(), -1.0, begin=3.0, inputs={"u": TABLE}, integrator=integrator)
    place, speed = place_and_speed(3.0, -1.0, 0.0)
    # Generalized-α is of order two: h² of what pushes change in a step, 2e-6 here.
    exact = not isinstance(integrator, bc.GeneralizedAlpha)
    assert run.final["S.offset"] == pytest.approx(place, rel=1e-11 if exact else 1e-5)
    assert run.final["S.offset_rate"] == pytest.approx(speed, rel=1e-10)


@pytest.mark.parametrize("constraints", ["project", "independent", "index2"])
def test_a_loop_pushed_by_a_table_finds_its_way_back(formulation, constraints):
    """A slider-crank forwards and back: rtol of 1e-9 in a few hundred steps, to 1e-6."""
    table = {"torque": ([-0.01, 0.013, 0.02, 0.03], [3.0, -2.0, 5.0, 0.0])}
    begin = {"A": 0.3, "A.angle_rate": 40.0}
    how = {"inputs": table, "formulation": formulation, "constraints": constraints}
    if constraints == "index2":
        how["integrator"] = bc.Radau5()
    there = bc.simulate(analysed.slider_crank(), 0.05, start=begin, **how)
    back = bc.simulate(analysed.slider_crank(), 0.0, start=there, **how)
    assert there.statistics["ticks"] == back.statistics["ticks"] == 3
    assert back.final["A.angle"] == pytest.approx(0.3, abs=1e-6)
    assert back.final["A.angle_rate"] == pytest.approx(40.0, rel=1e-6)


@pytest.mark.parametrize("every", [0.1, 10.0])
def test_sampled_controllers_are_refused_against_time(every):
    law = bc.Sampled(lambda t, values: {"u": 1.0}, every=every)
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(cart(), -1.0, begin=3.0, inputs={"u": law})
    assert str(caught.value) == (
        "the sampled controller of 'u' cannot run backwards in time: what it held before a "
        "tick follows from a state that is not known yet. Choose until after begin, or give an "
        "expression or a table (times, values)."
    )


# --- expressions


def crane(**elements):
    """A pole that hangs from a cart."""
    return bc.Model(
        "crane",
        bodies=[
            bc.Body("B", bc.Sphere(0.1, (0, 0, 0), mass=1.0)),
            bc.Body("P", bc.Rod((0, 0, 0), (0, 0, -1.0), mass=1.0)),
        ],
        joints=[
            bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x"),
            bc.Revolute("A", "B", "P", at=(0, 0, 0), axis="y"),
        ],
        **elements,
    )


def lagging(u):
    lag = bc.Block.transfer("lag", [1.0], [0.1, 1.0], input=u)
    return crane(variables=lag.variables, forces=[bc.Motor("M", "A", effort=lag.output)])


# Every element whose law may have an input in it.
PLACES = {
    "motor": lambda u: crane(forces=[bc.Motor("M", "A", effort=u)]),
    "force": lambda u: crane(forces=[bc.Force("F", "B", (u, 0, 0))]),
    "spring": lambda u: crane(
        forces=[bc.SpringDamper("F", ("ground", (3, 0, 0)), ("B", (0, 0, 0)), law=u)]
    ),
    "variable": lambda u: crane(
        variables=[bc.Variable("x", rate=u)], forces=[bc.Motor("M", "A", effort="x")]
    ),
    "motor and variable": lambda u: crane(
        variables=[bc.Variable("x", rate=u)], forces=[bc.Motor("M", "A", effort=u)]
    ),
    "block": lagging,
    "speed of a driver": lambda u: crane(drivers=[bc.Drive("D", "S", offset_rate=u)]),
    "sum of speeds": lambda u: crane(
        constraints=[bc.VelocityConstraint("V", {"S.offset_rate": 1.0}, equals=u)]
    ),
    "coefficient of a speed": lambda u: crane(
        constraints=[bc.VelocityConstraint("V", {"S.offset_rate": 1.0, "A.angle_rate": u})]
    ),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_input_by_expression_is_that_expression_in_its_place(formulation, place):
    """The same equations, hence the same steps; the result shows the input besides."""
    law, how = "0.4*sin(3*t) + 0.2*S.offset", {"every": 0.25, "formulation": formulation}
    start = {"A": 0.5}
    meant = bc.simulate(PLACES[place](law), 1.0, start=start, **how)
    driven = PLACES[place](bc.Input("u"))
    event = bc.Event("half", "u - 0.3")
    run = bc.simulate(driven, 1.0, start=start, inputs={"u": law}, events=[event], **how)
    for name in ("S.offset", "A.angle", "A.angle_rate", "A.angle_acceleration"):
        np.testing.assert_allclose(run.values(name), meant.values(name), rtol=1e-8, atol=1e-9)
    known = 0.4 * np.sin(3 * run.t) + 0.2 * run.values("S.offset")
    np.testing.assert_allclose(run.values("u"), known, atol=1e-12)
    assert run.events[0].name == "half"  # names are looked up in events, too


def test_an_input_that_leads_a_speed_takes_no_speeds():
    with pytest.raises(bc.ModelError, match=r"positions and variables only, got A\.angle_rate"):
        bc.simulate(
            PLACES["speed of a driver"](bc.Input("u")), 1.0, inputs={"u": "A.angle_rate"}
        )


# --- speeds that are led

LED = [name for name in PLACES if "speed" in name]


@pytest.mark.parametrize("place", LED)
@pytest.mark.parametrize(
    ("source", "what"),
    [
        (([0.0, 1.0], [0.0, 1.0]), "a table"),
        (bc.Sampled(lambda t, values: {"u": t}, every=0.1), "a sampled controller"),
    ],
    ids=["table", "sampled"],
)
def test_speeds_are_led_by_what_has_a_rate(formulation, place, source, what):
    """Accelerations on a row of speeds follow from the rate of what leads them."""
    model = PLACES[place](bc.Input("u")).add(bc.Motor("N", "A", effort=bc.Input("u")))
    row = model.constraints[0].name
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(model, 1.0, inputs={"u": source}, formulation=formulation)
    assert str(caught.value) == (
        f"input 'u' is part of the speeds that '{row}' leads: accelerations follow from its "
        f"rate, which is in no equation where {what} drives it. Drive it by an expression, as "
        "in inputs={'u': 'interp(t, [0, 1], [0, 2])'}, or lead the speed by a variable whose "
        "rate is the input."
    )


def pole_on_a_led_cart():
    """Return θ at 2 s under a = 1, then 0 m/s²: m L²/3 θ̈ = m L/2 (a cos θ − g sin θ)."""
    state = [0.0, 0.0]
    for span, a in (((0.0, 1.0), 1.0), ((1.0, 2.0), 0.0)):
        found = solve_ivp(
            lambda t, y, a=a: [y[1], 1.5 * (a * np.cos(y[0]) - 9.81 * np.sin(y[0]))],
            span, state, method="DOP853", rtol=1e-12, atol=1e-13,
        )  # fmt: skip
        state = found.y[:, -1]
    return state[0]


def test_what_is_offered_instead_leads_speeds_right(formulation):
    """A cart that is led up to 1 m/s in a second, and the pole on it; to 1e-8.

    Its place is led by time, its speed by an expression, its acceleration by a table that is
    the rate of a variable.
    """
    how = {"every": 0.25, "formulation": formulation}
    place = crane(drivers=[bc.Drive("D", "S", offset="where(t < 1, t**2/2, t - 1/2)")])
    meant = bc.simulate(place, 2.0, **how)
    speed = PLACES["speed of a driver"](bc.Input("u"))
    by_speed = bc.simulate(speed, 2.0, inputs={"u": "interp(t, [0, 1], [0, 1])"}, **how)
    # Ends of a table are constant, so this one ends in a slope: 1e-12 s of it.
    push = crane(
        drivers=[bc.Drive("D", "S", offset_rate="v")],
        variables=[bc.Variable("v", rate=bc.Input("a"))],
    )
    table = {"a": ([0.0, 1.0, 1.0 + 1e-12], [1.0, 1.0, 0.0])}
    by_push = bc.simulate(push, 2.0, inputs=table, **how)
    smooth = meant.t != 1.0  # there the acceleration jumps
    for run in (by_speed, by_push):
        for name in ("S.offset", "S.offset_rate", "A.angle", "A.angle_rate"):
            np.testing.assert_allclose(run.values(name), meant.values(name), atol=1e-8)
        for name in ("S.offset_acceleration", "D.effort"):
            got, known = run.values(name)[smooth], meant.values(name)[smooth]
            np.testing.assert_allclose(got, known, atol=1e-7)
    assert by_speed.final["A.angle"] == pytest.approx(pole_on_a_led_cart(), abs=1e-8)
