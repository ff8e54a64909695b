"""Laws and events of time alone, against integrals over their known pieces.

A free cart of 1 kg and an oscillator of 1 rad/s are driven by one law g(t) from rest:

    cart         x(T) = ∫ (T − s) g(s) ds
    oscillator   x(T) = ∫ sin(T − s) g(s) ds

The integrals are sums of Gauss quadratures between the breaks, which are written down by hand
as parts of a period; the laws stand here twice, for us and for NumPy.
"""

from itertools import pairwise

import numpy as np
import pytest

import bellcrank as bc

FREQUENCIES = (0.37, 1.0, 10.0, 33.0, 1000.0)
TURN = 2.0 * np.pi


def carts(effort, **others):
    """Return a free cart C and an oscillator O, both driven by one law."""
    body = {"mass": 1.0, "com": (0, 0, 0), "inertia": (1, 1, 1, 0, 0, 0)}
    return bc.Model(
        "carts",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", **body), bc.Body("mass", **body)],
        joints=[
            bc.Prismatic("C", "ground", "cart", at=(0, 0, 0), axis="x"),
            bc.Prismatic("O", "ground", "mass", at=(0, 0, 0), axis="x"),
        ],
        forces=[
            bc.Motor("M", "C", effort=effort),
            bc.Motor("N", "O", effort=effort),
            bc.JointSpring("S", "O", stiffness=1.0),
        ],
        parameters=[bc.Parameter("f", 1.0)],
        **others,
    )


def asin_parts(*levels):
    """Return the parts of a period at which its sine has these values."""
    first = [np.arcsin(level) / TURN % 1.0 for level in levels]
    return [*first, *((0.5 - np.arcsin(level) / TURN) % 1.0 for level in levels)]


def responses(law, parts, f, until):
    """Return x of the cart and of the oscillator, and their speeds, at the end."""
    periods = np.arange(np.ceil(until * f) + 1)[:, None]
    # Quarters keep the pieces short enough for the quadrature.
    inside = np.sort(np.unique([*parts, *np.arange(0, 1, 0.125)]))
    edges = np.append(((periods + inside) / f).ravel(), until)
    edges = np.unique(np.clip(edges, 0.0, until))
    edges = np.unique(np.concatenate([edges, np.linspace(0, until, 41)]))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    # Squeezed towards both ends, where a root may have an infinite slope.
    squeezed = 0.25 * nodes * (15 - 10 * nodes**2 + 3 * nodes**4) / 2
    slopes = 0.125 * (15 - 30 * nodes**2 + 15 * nodes**4)
    half = 0.5 * np.diff(edges)[:, None]
    s = edges[:-1, None] + half * (1.0 + squeezed)
    g = law(TURN * f * s) * half * slopes * weights
    return [np.sum(k * g) for k in (until - s, np.sin(until - s), 1.0, np.cos(until - s))]


def between(x, knots, values):
    return np.interp(x, knots, values)


P = "(2*pi*f*t)"
LAWS = {
    "sign": (f"sign(sin{P})", lambda a: np.sign(np.sin(a)), [0, 0.5]),
    "step": (f"step(sin{P} - 0.3)", lambda a: 1.0 * (np.sin(a) >= 0.3), asin_parts(0.3)),
    "rare step": (
        f"step(sin{P} - 0.999)",
        lambda a: 1.0 * (np.sin(a) >= 0.999),
        asin_parts(0.999),
    ),
    "where": (
        f"where(sin{P} > 0.3 and not (cos{P} < -0.5), 2, -1)",
        lambda a: np.where((np.sin(a) > 0.3) & ~(np.cos(a) < -0.5), 2.0, -1.0),
        [*asin_parts(0.3), 1 / 3, 2 / 3],
    ),
    "abs": (f"abs(sin{P})", lambda a: np.abs(np.sin(a)), [0, 0.5]),
    "max": (
        f"max(0, sin{P} - 0.99)",
        lambda a: np.maximum(0, np.sin(a) - 0.99),
        asin_parts(0.99),
    ),
    "min": (f"min(0.2, sin{P})", lambda a: np.minimum(0.2, np.sin(a)), asin_parts(0.2)),
    "table": (
        f"interp(sin{P}, [-0.9, -0.4, 0.1, 0.8], [0, 1, -1, 2])",
        lambda a: between(np.sin(a), [-0.9, -0.4, 0.1, 0.8], [0, 1, -1, 2]),
        asin_parts(-0.9, -0.4, 0.1, 0.8),
    ),
    "nested": (
        f"where(step(sin{P}) - 0.5 > 0, max(sin{P}, 0.5), abs(min(sin{P}, -0.2)))",
        lambda a: np.where(
            np.sin(a) >= 0, np.maximum(np.sin(a), 0.5), np.abs(np.minimum(np.sin(a), -0.2))
        ),
        [0, 0.5, *asin_parts(0.5, -0.2)],
    ),
    "sign of a product": (
        f"sign(sign(sin{P})*cos{P}*(sin{P} - 0.25))",
        lambda a: np.sign(np.sin(a) * np.cos(a) * (np.sin(a) - 0.25)),
        [0, 0.25, 0.5, 0.75, *asin_parts(0.25)],
    ),
    "product": (
        f"sign(sin{P})*abs(cos{P})*step(0.8 - sin{P})",
        lambda a: np.sign(np.sin(a)) * np.abs(np.cos(a)) * (np.sin(a) <= 0.8),
        [0, 0.25, 0.5, 0.75, *asin_parts(0.8)],
    ),
    "power": (
        f"abs(sin{P})**3 - abs(cos{P})**1.5",
        lambda a: np.abs(np.sin(a)) ** 3 - np.abs(np.cos(a)) ** 1.5,
        [0, 0.25, 0.5, 0.75],
    ),
    "root": (f"sqrt(abs(sin{P}))", lambda a: np.sqrt(np.abs(np.sin(a))), [0, 0.5]),
    "saw": (f"atan2(sin{P}, cos{P})", lambda a: np.arctan2(np.sin(a), np.cos(a)), [0.5]),
    "triangle": (f"asin(sin{P})", lambda a: np.arcsin(np.sin(a)), [0.25, 0.75]),
    "train": (
        f"exp((sin{P} - 1)/0.001)",
        lambda a: np.exp((np.sin(a) - 1) / 0.001),
        0.25 + 0.06 * np.linspace(-1, 1, 17) ** 3,
    ),
    "sign of poles": (
        f"sign(tan{P})",
        lambda a: np.sign(np.sin(a) * np.cos(a)),
        [0, 0.25, 0.5, 0.75],
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_nonsmooth_laws_of_time_are_integrated_at_every_frequency(name):
    """Within 1e-6 at default tolerance, though steps could pass hundreds of periods."""
    text, law, parts = LAWS[name]
    model = carts(text)
    for f in FREQUENCIES:
        until = 10.0 if f < 100 else 0.5
        run = bc.simulate(model, until, parameters={"f": f}, every=until)
        names = ("C.offset", "O.offset", "C.offset_rate", "O.offset_rate")
        got = [run.values(name)[-1] for name in names]
        exact = responses(law, parts, f, until)
        np.testing.assert_allclose(got, exact, rtol=1e-6, atol=1e-6, err_msg=f"{f} Hz")


@pytest.mark.parametrize("potential", [False, True], ids=["vector", "potential"])
@pytest.mark.parametrize("name", LAWS)
def test_a_field_of_time_does_what_motors_do(name, potential):
    """A field g(t) along x on bodies of 1 kg; of a potential φ = −x g(t) it is the same."""
    text, law, parts = LAWS[name]
    field = bc.Field(potential=f"-x*({text})") if potential else bc.Field((text, "0", "0"))
    model = carts("0").replace(gravity=field)
    for f in (1.0, 10.0, 33.0):
        run = bc.simulate(model, 10.0, parameters={"f": f}, every=10.0)
        names = ("C.offset", "O.offset", "C.offset_rate", "O.offset_rate")
        got = [run.values(name)[-1] for name in names]
        exact = responses(law, parts, f, 10.0)
        np.testing.assert_allclose(got, exact, rtol=1e-6, atol=1e-6, err_msg=f"{f} Hz")


def cart(effort="0", **others):
    """Return one free cart of 1 kg."""
    return bc.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("C", "ground", "cart", at=(0, 0, 0), axis="x")],
        forces=[bc.Motor("M", "C", effort=effort)],
        **others,
    )


ROOTS = {
    f"abs(sin{P})**0.5": (lambda x: abs(np.sin(x)) ** 0.5, (0.0, 0.5)),
    f"sqrt(max(0, sin{P} - 0.5))": (
        lambda x: np.sqrt(np.maximum(0.0, np.sin(x) - 0.5)),
        (1 / 12, 5 / 12),
    ),
    f"max(0, sin{P})**1.5": (lambda x: np.maximum(0.0, np.sin(x)) ** 1.5, (0.0, 0.5)),
}


@pytest.mark.parametrize("f", [0.37, 33.0, 1000.0])
@pytest.mark.parametrize("law", ROOTS)
def test_roots_add_up_to_nothing_over_thousands_of_periods(law, f):
    """A single cart gains speed: an error as large as a tolerance of that would add up.

    Over a piece, t = a + (b - a) sin² θ takes the roots at both ends from the quadrature.
    """
    known, parts = ROOTS[law]
    x, weights = np.polynomial.legendre.leggauss(200)
    theta, mean = 0.25 * np.pi * (1.0 + x), 0.0
    for a, b in pairwise(np.unique([0.0, *parts, 1.0])):
        t, slope = a + (b - a) * np.sin(theta) ** 2, (b - a) * np.sin(2.0 * theta)
        mean += 0.25 * np.pi * float(weights @ (known(TURN * t) * slope))
    until = round(3.7 * f) / f
    model = cart(law, parameters=[bc.Parameter("f", 1.0)])
    run = bc.simulate(model, until, parameters={"f": f}, every=until)
    assert run.values("C.offset_rate")[-1] == pytest.approx(mean * until, rel=1e-6)


PULSES = {
    "exp(-((t - c)/d)**2)": np.sqrt(np.pi),
    "1/cosh((t - c)/d)": np.pi,
    "exp(-abs((t - c)/d)**3)": 2 * 0.8929795115692492,  # 2 Γ(4/3)
    "step((t - c + d)*(c + d - t))": 2.0,
    "max(0, 1 - ((t - c)/d)**2)": 4.0 / 3.0,
    "interp((t - c)/d, [-1, 0, 1], [0, 1, 0])": 1.0,
    "where(t > c - d and t < c + d, 1, 0)": 2.0,
    "(tanh((t - c)/d + 1) - tanh((t - c)/d - 1))/2": 2.0,
}


@pytest.mark.parametrize("pulse", PULSES)
def test_no_pulse_is_stepped_over(pulse):
    """A free cart gets the whole impulse, however short the pulse and wherever it is."""
    model = cart(pulse, parameters=[bc.Parameter("c", 1.0), bc.Parameter("d", 1.0)])
    rng = np.random.default_rng(7)
    for width in (0.05, 1e-2, 1e-3, 1e-4, 1e-6):
        centre = rng.uniform(3.0, 7.0)
        run = bc.simulate(model, 10.0, parameters={"c": centre, "d": width}, every=10.0)
        impulse = PULSES[pulse] * width
        # Some ten steps meet the pulse, each with a tolerance of 1e-11 m/s, and where it rises
        # out of nothing the error estimate is no more than a guess.
        got = run.values("C.offset_rate")[-1]
        assert got == pytest.approx(impulse, rel=1e-6, abs=1e-10), width
        assert run.statistics["steps"] < 400


@pytest.mark.parametrize("pulse", PULSES)
def test_no_pulse_of_a_field_is_stepped_over(pulse):
    parameters = [bc.Parameter("c", 1.0), bc.Parameter("d", 1.0)]
    model = cart(parameters=parameters).replace(gravity=bc.Field((pulse, "0", "0")))
    rng = np.random.default_rng(10)
    for width in (0.05, 1e-3, 1e-6):
        known = {"c": rng.uniform(3.0, 7.0), "d": width}
        run = bc.simulate(model, 10.0, parameters=known, every=10.0)
        got = run.values("C.offset_rate")[-1]
        assert got == pytest.approx(PULSES[pulse] * width, rel=1e-6, abs=1e-10), width


def led(law, integrator=None, formulation=None, **run):
    """Return the run of a cart whose speed is led by a law."""
    model = bc.Model(
        "led",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("C", "ground", "cart", at=(0, 0, 0), axis="x")],
        drivers=[bc.Drive("D", "C", offset_rate=law)],
        parameters=[bc.Parameter(name, 1.0) for name in "fcd"],
    )
    integrator, formulation = integrator or bc.Auto(), formulation or bc.JointCoordinates()
    return bc.simulate(model, integrator=integrator, formulation=formulation, **run)


CONTINUOUS = ("abs", "max", "min", "table", "power", "train")


@pytest.mark.parametrize("name", CONTINUOUS)
def test_bent_laws_of_speed_are_integrated_at_every_frequency(name):
    """The place of what is led is ∫ v dt: a bend of a speed is a jump of its rate."""
    text, law, parts = LAWS[name]
    for f in FREQUENCIES[:-1]:
        place = led(text, until=10.0, parameters={"f": f}, every=10.0).values("C.offset")[-1]
        exact = responses(law, parts, f, 10.0)[2]
        assert place == pytest.approx(exact, rel=1e-7, abs=1e-8), f


@pytest.mark.parametrize("school", [bc.Kane(), bc.Cartesian(), bc.Natural()], ids=str)
@pytest.mark.parametrize("pulse", [law for law in PULSES if law[0] in "mie"])
def test_no_pulse_of_a_led_speed_is_stepped_over(pulse, school):
    rng = np.random.default_rng(8)
    for width in (0.05, 1e-3, 1e-6):
        known = {"c": rng.uniform(3.0, 7.0), "d": width}
        run = led(pulse, formulation=school, until=10.0, parameters=known, every=10.0)
        travel = PULSES[pulse] * width
        assert run.values("C.offset")[-1] == pytest.approx(travel, rel=1e-6, abs=1e-10), width


@pytest.mark.parametrize("integrator", [bc.RK4(step=0.25), bc.DOP853(), bc.Radau5()], ids=str)
def test_a_trapezoid_of_speed_is_met_by_every_method(integrator):
    """Its place is the area under the table, however long the steps."""
    rng = np.random.default_rng(9)
    knots, speeds = np.sort(rng.uniform(0.0, 10.0, 6)), rng.uniform(-1.0, 1.0, 6)
    table = f"interp(t, {knots.tolist()}, {speeds.tolist()})"
    edges = np.array([0.0, *knots, 10.0])
    area = np.trapezoid(np.interp(edges, knots, speeds), edges)
    run = led(table, integrator, until=10.0, every=10.0)
    assert run.values("C.offset")[-1] == pytest.approx(area, rel=1e-9, abs=1e-9)


def test_two_pulses_of_very_different_size_are_both_met():
    law = "1e6*exp(-((t - 2)/0.01)**2) + exp(-((t - 5.3)/0.001)**2)"
    run = bc.simulate(cart(law), 10.0, every=1.0)
    speed = run.values("C.offset_rate")
    gained = speed[7] - speed[4]  # tolerance is relative to the speed of 17,725 m/s
    assert gained == pytest.approx(0.001 * np.sqrt(np.pi), abs=1e-9 * speed[7])


def times(run, name="e"):
    return np.array([each.time for each in run.events if each.name == name])


@pytest.mark.parametrize(("omega", "until"), [(0.7, 10.0), (200.0, 10.0), (1e4, 2.0)])
def test_all_zeros_of_a_sine_are_events(omega, until):
    model = cart("1", parameters=[bc.Parameter("omega", 1.0)])
    event = bc.Event("e", "sin(omega*t)")
    run = bc.simulate(model, until, parameters={"omega": omega}, events=[event], every=until)
    exact = np.arange(1, int(omega * until / np.pi) + 1) * np.pi / omega
    np.testing.assert_allclose(times(run), exact, rtol=4e-16, atol=0)
    states = np.array([each.values["C.offset"] for each in run.events])
    np.testing.assert_allclose(states, 0.5 * exact**2, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize(
    ("when", "exact"),
    [
        ("tan(t)", [np.pi, 2 * np.pi, 3 * np.pi]),
        ("1/(t - 1)", []),
        ("(t - 3)/(t - 1)", [3.0]),
        ("1/sin(t) - 2", [np.pi / 6, 5 * np.pi / 6, 13 * np.pi / 6, 17 * np.pi / 6]),
        ("log(t + 1e-9) - 1", [np.e]),
        ("sin(t)**2", []),  # touches
        ("(t - 2)**3", [2.0]),
        ("max(0, sin(t))", [np.pi, 3 * np.pi]),  # comes to rest
        ("sign(sin(t))*(2 + cos(t))", [np.pi, 2 * np.pi, 3 * np.pi]),  # jumps
        ("t - 10", [10.0]),  # at the very end
        ("t", []),  # at the very beginning
        ("step((t - 5)*(5.001 - t)) - 0.5", [5.0, 5.001]),
    ],
)
def test_zeros_are_told_from_poles_touches_and_rests(when, exact):
    run = bc.simulate(cart("1"), 10.0, events=[bc.Event("e", when)], every=10.0)
    np.testing.assert_allclose(times(run), exact, atol=1e-8)


def test_events_of_time_stand_in_order_among_those_of_states():
    events = [
        bc.Event("e", "sin(2*t)", direction=-1),
        bc.Event("place", "C.offset - 8"),
        bc.Event("end", "cos(t) - 0.5", direction=1, terminal=True),
    ]
    run = bc.simulate(cart("1"), 10.0, events=events)
    found = [(each.name, round(each.time, 9)) for each in run.events]
    half, end = round(np.pi / 2, 9), round(5 * np.pi / 3, 9)
    assert found == [
        ("e", half), ("place", 4.0), ("e", round(3 * np.pi / 2, 9)), ("end", end)
    ]  # fmt: skip
    assert run.t[-1] == pytest.approx(5 * np.pi / 3, abs=1e-15)


def test_the_way_back_passes_the_same_breaks():
    """Steps meet breaks in either direction of time: the start is found again."""
    model = carts("sign(sin(2*pi*f*t))*abs(cos(2*pi*f*t))*step(sin(9*t) - 0.9)")
    there = bc.simulate(model, 2.0, parameters={"f": 33.0}, every=2.0)
    back = bc.simulate(
        model, 0.0, start=there, parameters={"f": 33.0}, every=2.0,
        events=[bc.Event("e", "sin(20*t)", direction=1)],
    )  # fmt: skip
    for name in ("C.offset", "O.offset", "C.offset_rate", "O.offset_rate"):
        assert back.values(name)[-1] == pytest.approx(0.0, abs=1e-9)
    # Upwards as the integration proceeds, that is downwards in time.
    exact = np.arange(11, 0, -2) * np.pi / 20
    np.testing.assert_allclose(times(back), exact, rtol=1e-15)


@pytest.mark.parametrize("step", [0.1, 0.037])
def test_fixed_steps_end_on_breaks(step):
    """RK4 is exact where a force is constant between breaks, however long its steps."""
    run = bc.simulate(
        cart("sign(sin(2*pi*10*t)) + step(t - 0.333)"), 2.0,
        integrator=bc.RK4(step=step), every=2.0,
    )  # fmt: skip
    assert run.values("C.offset")[-1] == pytest.approx(0.05 + 1.667**2 / 2, abs=1e-12)


def test_breaks_on_ticks_are_met_once():
    """Where a controller ticks just when a law switches, no step of rounding is made."""
    model = cart("hold + sign(sin(2*pi*5*t))", inputs=[bc.Input("hold")])
    hold = bc.Sampled(lambda t, _: {"hold": round(10 * t) % 2}, every=0.1)
    run = bc.simulate(model, 2.0, inputs={"hold": hold}, every=2.0)
    assert run.values("C.offset_rate")[-1] == pytest.approx(1.0, abs=1e-12)
    assert run.statistics["smallest_step"] > 1e-6


def test_smooth_laws_of_time_cost_no_steps():
    """Limits bind nothing that an integrator sees by itself.

    The same law with a place that is added but does not count is not one of time alone.
    """
    for law in ("sin(2*pi*t)", "exp(-t)*cos(3*t)", "1/(1 + t**2)", "cos(40*t)"):
        unlimited = law.replace("t", "(t + 1e-300*C.offset)")
        steps = [
            bc.simulate(carts(each), 10.0, every=10.0).statistics["steps"]
            for each in (law, unlimited)
        ]
        assert steps[0] <= 1.01 * steps[1], law  # absolute tolerances are not the same
