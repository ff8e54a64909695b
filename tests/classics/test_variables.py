"""Machines with states of the user's own, against models written by hand for SciPy."""

import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.special import gammainc
from tests.draws import draws

import bellcrank as bc
from bellcrank.model.expressions import Signal, evaluate, expression

FORMULATIONS = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]
METHODS = [(bc.DOP853(), "project"), (bc.Radau5(), "index2")]
WAYS = [(formulation, *method) for formulation in FORMULATIONS for method in METHODS]
CLOSE = 1e-8  # what two codes with tolerances of 1e-11 may differ by


def ran(model, until, way, **options):
    formulation, integrator, held = way
    if isinstance(formulation, bc.JointCoordinates):
        held = "project"  # a tree has nothing to hold
    return bc.simulate(
        model, until, formulation=formulation, integrator=integrator, constraints=held,
        rtol=1e-11, **options,
    )  # fmt: skip


every_way = pytest.mark.parametrize(
    "way", WAYS, ids=lambda w: f"{type(w[0]).__name__}-{type(w[1]).__name__}"
)


def by_scipy(rates, begin, until):
    found = solve_ivp(rates, (0.0, until), begin, method="DOP853", rtol=1e-12, atol=1e-13)
    return found.y[:, -1]


# --- a motor with a winding on a double pendulum

M1, M2, L1, L2, G = 1.3, 0.8, 0.7, 0.9, 9.81
R, L, K = 1.5, 0.2, 0.8


def volts(t):
    return 6.0 * math.sin(3.0 * t)


def motor_on_double_pendulum():
    return bc.Model(
        "motor on a double pendulum",
        bodies=[
            bc.Body("upper", bc.Rod((0, 0, 0), (0, 0, -L1), mass=M1)),
            bc.Body("lower", bc.Rod((0, 0, -L1), (0, 0, -L1 - L2), mass=M2)),
        ],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "upper", "lower", at=(0, 0, -L1), axis="y"),
        ],
        forces=[bc.Motor("motor", "A", "0.8*current")],
        variables=[
            bc.Variable(
                "current", "(6*sin(3*t) - 1.5*current - 0.8*A.angle_rate)/0.2", unit="A"
            ),
            bc.Variable("supplied", "6*sin(3*t)*current", unit="J"),
            bc.Variable("heat", "1.5*current**2", unit="J"),
        ],
    )


def double_pendulum(t, x):
    """Absolute angles φ1, φ2, their rates, the current; all by Lagrange's equations."""
    one, two, one_rate, two_rate, current = x
    cos, sin = math.cos(one - two), math.sin(one - two)
    a = M1 * L1**2 / 3 + M2 * L1**2
    b, d = M2 * L1 * L2 / 2, M2 * L2**2 / 3
    pull = [
        -b * sin * two_rate**2 - (M1 / 2 + M2) * L1 * G * math.sin(one) + K * current,
        b * sin * one_rate**2 - M2 * L2 / 2 * G * math.sin(two),
    ]
    up = np.linalg.solve([[a, b * cos], [b * cos, d]], pull)
    return [one_rate, two_rate, *up, (volts(t) - R * current - K * one_rate) / L]


@every_way
def test_motor_with_winding_on_a_double_pendulum(way):
    run = ran(
        motor_on_double_pendulum(), 1.5, way, start={"A.angle": 0.4}, every=0.5, atol=1e-13
    )
    one, two, one_rate, _, current = by_scipy(double_pendulum, [0.4, 0.4, 0, 0, 0], 1.5)
    end = {name: float(run[name][-1]) for name in ("A.angle", "B.angle", "current")}
    assert end["A.angle"] == pytest.approx(one, abs=CLOSE)
    assert end["B.angle"] == pytest.approx(two - one, abs=CLOSE)
    assert end["current"] == pytest.approx(current, abs=CLOSE)
    assert float(run["current.rate"][-1]) == pytest.approx(
        (volts(1.5) - R * current - K * one_rate) / L, abs=100 * CLOSE
    )
    stored = run["energy"] + 0.5 * L * run["current"] ** 2
    balance = stored - stored[0] + run["heat"] - run["supplied"]
    assert float(abs(balance).max()) < 1e-8


# --- a position loop with an integral and a lag


def position_loop():
    """Return an arm in gravity under PI-D control through a lag of second order."""
    lag = bc.Block.transfer(
        "lag", [1.0], [1e-3, 0.06, 1.0], input="60*(1 - A.angle) + 40*sum - 9*A.angle_rate"
    )
    return bc.Model(
        "arm",
        bodies=[bc.Body("arm", bc.Rod((0, 0, 0), (1, 0, 0), mass=2.0))],
        joints=[bc.Revolute("A", "ground", "arm", at=(0, 0, 0), axis="-y")],
        forces=[bc.Motor("motor", "A", lag.output)],
        variables=[
            bc.Variable("sum", "1 - A.angle", unit="rad s"),
            *lag.variables,
            bc.Variable("work", lag.output * Signal("A.angle_rate"), unit="J"),
        ],
    )


@every_way
def test_position_loop_with_integral_and_lag(way):
    def rates(t, x):
        angle, rate, total, one, two = x
        v = 60 * (1 - angle) + 40 * total - 9 * rate
        torque = one  # x₁ is in the long run what goes in, for a gain of one
        up = (torque - 2.0 * G * 0.5 * math.cos(angle)) / (2.0 / 3.0)
        return [rate, up, 1 - angle, two, 1e3 * (v - one) - 60.0 * two]

    wanted = by_scipy(rates, np.zeros(5), 1.0)
    run = ran(position_loop(), 1.0, way, every=0.25)
    found = [float(run[name][-1]) for name in ("A.angle", "A.angle_rate", "sum", "lag_1")]
    np.testing.assert_allclose(found, wanted[:4], atol=CLOSE)
    balance = run["energy"] - run["energy"][0] - run["work"]
    assert float(abs(balance).max()) < 1e-8


def test_transfer_functions_whatever_their_order_and_their_time_constants():
    """Answers to a step, as Laplace has them; states are of the size of what goes in.

    1/(τs + 1)ⁿ gives 1 − e⁻ˣ Σ xᵏ/k!, x = t/τ; 1/s² gives t²/2; (s + 2)/(s + 5) the rest.
    """
    lags = {f"lag{n}": (n, 1e-6 * 10**n) for n in range(1, 7)}  # n, τ [s]
    blocks = {
        name: bc.Block.transfer(name, [1.0], np.poly([-1 / tau] * n) * tau**n, input=1.0)
        for name, (n, tau) in lags.items()
    }
    blocks["twice"] = bc.Block.transfer("twice", 1, [1, 0, 0], input=1.0)
    blocks["lead"] = bc.Block.transfer("lead", [1, 2], [1, 5], input=1.0)
    blocks["gain"] = bc.Block.transfer("gain", [3.0], [1.5], input="t")
    model = bc.Model(
        "filters",
        bodies=[bc.Body("ball", bc.Sphere(0.1, (0, 0, 0), mass=1.0))],
        joints=[bc.Free("F", "ground", "ball", at=(0, 0, 0))],
        forces=[
            bc.Force(f"F {name}", "ball", vector=(block.output, 0, 0), at=(0, 0, 0))
            for name, block in blocks.items()
        ],
        variables=[each for block in blocks.values() for each in block.variables],
    )
    assert blocks["gain"].variables == ()
    for until in (2e-4, 0.5):
        run = bc.simulate(model, until)
        for name, (n, tau) in lags.items():
            x = until / tau
            wanted = -math.expm1(-x) if n == 1 else gammainc(n, x)
            found = float(run[f"F {name}.force"][-1, 0])
            assert found == pytest.approx(wanted, rel=1e-7, abs=1e-11), name
        ends = [float(run[f"F {name}.force"][-1, 0]) for name in ("twice", "lead", "gain")]
        lead = 0.4 + 0.6 * math.exp(-5 * until)
        assert ends == pytest.approx([until**2 / 2, lead, 2 * until], abs=1e-9)


@pytest.mark.parametrize(
    ("numerator", "denominator", "said"),
    [
        ([1, 0, 0], [1, 1], "a power of s at least as high as the numerator's, s^2; got s^1."),
        ([1], [0, 1], "the first coefficient of the denominator is zero."),
        ([1], [], "the denominator has no coefficients."),
        ([1, "x +"], [1, 1], "a coefficient of the numerator"),
        ([1], [1, math.nan], "must be a finite number, got nan."),
    ],
)
def test_what_is_no_transfer_function(numerator, denominator, said):
    with pytest.raises(bc.ModelError) as caught:
        bc.Block.transfer("lag", numerator, denominator, input="t")
    assert "block 'lag': " in str(caught.value)
    assert said in str(caught.value)


# --- a hydraulic ram

BULK, AREA, DEAD = 1.2e9, 2e-3, 1e-4


def hydraulic_ram():
    """Return an arm on two chambers of oil, fed through a valve and drained by a leak."""
    flow = "2e-5*(1 + sin(5*t)) - 4e-12*(push - pull)"
    return bc.Model(
        "ram",
        planar=True,
        bodies=[bc.Body("arm", bc.Rod((0, 0), (2, 0), mass=60.0))],
        joints=[bc.Revolute("A", "ground", "arm", at=(0, 0))],
        forces=[
            bc.SpringDamper(
                "ram", ("ground", (0.5, -1.0)), ("arm", (1.0, 0)),
                law="-2e-3*(push - pull) + 800*length_rate",
            )
        ],
        variables=[
            bc.Variable(
                "push", f"1.2e9*({flow} - 2e-3*ram.length_rate)/(1e-4 + 2e-3*(ram.length - 1))",
                start=2.9e5, unit="Pa", scale=1e5,
            ),
            bc.Variable(
                "pull",
                "1.2e9*(2e-3*ram.length_rate + 4e-12*(push - pull) - 1e-10*(pull - 1e5))"
                "/(1e-4 + 2e-3*(1.4 - ram.length))",
                start=1e5, unit="Pa", scale=1e5,
            ),
            bc.Variable("work", "(2e-3*(push - pull) - 800*ram.length_rate)*ram.length_rate"),
        ],
    )  # fmt: skip


@every_way
def test_hydraulic_ram_with_pressures(way):
    def rates(t, x):
        angle, rate, push, pull = x
        d = np.array([math.cos(angle) - 0.5, math.sin(angle) + 1.0])
        lever = np.array([-math.sin(angle), math.cos(angle)])
        length = math.hypot(*d)
        speed = d @ lever / length * rate
        thrust = AREA * (push - pull) - 800 * speed
        torque = thrust * (d @ lever) / length - 60.0 * G * math.cos(angle)
        leak = 4e-12 * (push - pull)
        into = 2e-5 * (1 + math.sin(5 * t)) - leak - AREA * speed
        out = AREA * speed + leak - 1e-10 * (pull - 1e5)
        return [
            rate, torque / (60.0 * 4 / 3),
            BULK * into / (DEAD + AREA * (length - 1)),
            BULK * out / (DEAD + AREA * (1.4 - length)),
        ]  # fmt: skip

    wanted = by_scipy(rates, [0, 0, 2.9e5, 1e5], 0.5)
    run = ran(hydraulic_ram(), 0.5, way, every=0.25)
    found = [float(run[name][-1]) for name in ("A.angle", "A.angle_rate", "push", "pull")]
    np.testing.assert_allclose(found, wanted, rtol=CLOSE, atol=1e-9)
    balance = run["energy"] - run["energy"][0] - run["work"]
    assert float(abs(balance).max()) < 1e-8 * float(abs(run["energy"]).max())


# --- methods and formulations of their own kind


def test_nystrom_integrates_variables_with_its_order():
    """Errors of positions and of the current fall sixteenfold when the step is halved."""
    wanted = by_scipy(double_pendulum, [0.4, 0.4, 0, 0, 0], 1.0)
    errors = []
    for step in (1 / 100, 1 / 200, 1 / 400):
        run = bc.simulate(
            motor_on_double_pendulum(), 1.0, start={"A.angle": 0.4}, every=0.5,
            integrator=bc.Nystrom4(step=step),
        )  # fmt: skip
        found = np.array([float(run["A.angle"][-1]), float(run["current"][-1])])
        errors.append(np.abs(found - wanted[[0, 4]]))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (np.abs(orders - 4) < 0.4).all(), orders


@pytest.mark.parametrize("integrator", [bc.DOP853(), bc.Radau5()], ids=repr)
def test_variables_beside_constant_momentum(integrator):
    """A lag of a prescribed rate, ṡ + 2 s = cos t, and the turn of the base as an integral."""
    model = bc.Model(
        "floating", planar=True, gravity=(0, 0),
        bodies=[
            bc.Body("base", bc.Box((1, 1, 1), center=(0, 0, 0), mass=4.0)),
            bc.Body("arm", bc.Rod((0.5, 0), (2, 0), mass=1.0)),
        ],
        joints=[
            bc.Planar("float", "ground", "base", at=(0, 0)),
            bc.Revolute("A", "base", "arm", at=(0.5, 0)),
        ],
        drivers=[bc.Drive("motor", "A", angle="sin(t)")],
        variables=[
            bc.Variable("lag", "A.angle_rate - 2*lag", start=0.4),
            bc.Variable("turn", "float.angle_rate", unit="rad"),
        ],
    )  # fmt: skip
    run = bc.simulate(
        model, 2.0, formulation=bc.Momentum(), integrator=integrator, rtol=1e-11, every=0.5
    )
    t, turned = run.t, np.asarray(run["float.angle"])
    np.testing.assert_allclose(run["lag"], (2 * np.cos(t) + np.sin(t)) / 5, atol=CLOSE)
    np.testing.assert_allclose(run["turn"], turned - turned[0], atol=CLOSE)
    assert np.abs(turned).max() > 0.1


def agreed(model, start=None):
    found = bc.verify(model, start=start)
    assert found.agrees, found.verdict
    assert any(each.family == "variable" for each in found.differences)


def test_formulations_agree_on_a_ram_that_oscillates_quickly():
    """Pressures swing at 80 Hz beside a slow motion: the order of RK4 shows in fine steps."""
    agreed(hydraulic_ram())


@pytest.mark.family
@pytest.mark.parametrize("make", [motor_on_double_pendulum, position_loop][: draws(0, 2)])
def test_formulations_agree_on_machines_with_variables(make):
    agreed(make(), {"A.angle": 0.4})


def lagging_drive(T, speed):
    """Return a rod whose rate is led by ω, ω̇ = (5 − ω)/T, or by a law of time."""
    return bc.Model(
        "lagging drive",
        bodies=[bc.Body("B", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="z")],
        variables=[bc.Variable("omega", rate=f"(5 - omega)/{T}", start=0.0, unit="rad/s")],
        constraints=[bc.VelocityConstraint("drive", {"A.angle_rate": 1.0}, equals=speed)],
    )


def test_a_driver_may_lead_a_speed():
    """`Drive` with a rate is that row of speeds; positions beside it are another driver's."""
    bare = lagging_drive(0.1, "omega").without("drive")
    led = bare.add(bc.Drive("drive", "A", angle_rate="omega"))
    assert led == lagging_drive(0.1, "omega")
    for law, said in (
        ({"angle": "omega"}, "A speed may use variables and positions, as in angle_rate="),
        ({"angle": "t", "angle_rate": "1"}, "angle_rate, needs a driver of its own."),
        ({"angel_rate": "omega"}, "Did you mean 'angle_rate'?"),
    ):
        with pytest.raises(bc.ModelError) as caught:
            bare.add(bc.Drive("drive", "A", law))
        assert said in str(caught.value)


def test_a_speed_that_jumps_is_refused():
    model = lagging_drive(0.1, "where(t < 0.25, 0, 2)")
    with pytest.raises(bc.NotSupported, match=r"its speed jumps by 2 rad/s at t = 0\.25 s"):
        bc.simulate(model, 1.0)


JUMPS = {
    "floor(3*A.angle)": "1 rad/s where 'floor(3*A.angle)' does, as at A.angle = 0",
    "2*step(omega - 0.5)": "2 rad/s where 'step(omega - 0.5)' does, as at omega = 0.5",
    "where(A.angle > 0.1, 0, 1)": "-1 rad/s where 'A.angle > 0.1' does, as at A.angle = 0.1",
    "where(A.angle < 60, 0, 1)": "1 rad/s where 'A.angle < 60' does, as at A.angle = 60",
    "mod(A.angle, 0.5)": "-0.5 rad/s where 'floor(A.angle/0.5)' does, as at A.angle = 0",
    "omega + sign(A.angle)": "2 rad/s where 'sign(A.angle)' does, as at A.angle = 0",
    "omega + step(t - 0.25)": "1 rad/s where 'step(t - 0.25)' does, as at t = 0.25",
}  # fmt: skip


@pytest.mark.parametrize("law", JUMPS)
def test_a_speed_that_jumps_with_a_state_is_refused(law):
    """Of whatever kind its switch is, and in words that say where."""
    with pytest.raises(bc.NotSupported) as caught:
        bc.simulate(lagging_drive(0.1, law), 1.0)
    name = JUMPS[law].rpartition("at ")[2].partition(" ")[0]
    assert str(caught.value) == (
        f"constraint 'drive': its speed jumps by {JUMPS[law]}, which no force can do. Let its "
        f"pieces meet, as those of interp({name}, …) do."
    )


@pytest.mark.parametrize(
    "law",
    [
        "abs(A.angle - 0.1)",
        "max(A.angle, omega)",
        "where(A.angle > 0.1, A.angle - 0.1, 0)",
        "where(A.angle > 0.1, omega, omega*cos(A.angle - 0.1))",
        "A.angle*sign(A.angle) + omega",
        "abs(mod(A.angle, 1) - 0.5)",
        "interp(A.angle, [0, 0.1, 1], [1, 1, 0])",
        "sin(2*pi*mod(A.angle, 1)) + 1",
        "where(t < 0.25, omega, omega + t - 0.25)",
        "where(omega > 1, omega, 2*omega - 1)",
    ],
)
def test_a_speed_that_only_bends_with_a_state_is_led(law):
    """The joint does what the law says, whichever of its branches it is on."""
    run = bc.simulate(lagging_drive(0.1, law), 0.5, start={"A": 0.05})
    values = {name: run.values(name) for name in ("A.angle", "omega")} | {"t": run.t}
    asked = [
        evaluate(expression(law), {name: float(value[i]) for name, value in values.items()})
        for i in range(len(run.t))
    ]
    np.testing.assert_allclose(run.values("A.angle_rate"), asked, rtol=0, atol=1e-7)


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Kane(), bc.Cartesian()])
@pytest.mark.parametrize(
    "held",
    [
        {"integrator": bc.DOP853()},
        {"integrator": bc.Radau5(), "constraints": "independent"},
        {"integrator": bc.Radau5(), "constraints": "index2"},
    ],
    ids=["project", "independent", "index2"],
)
def test_a_speed_led_by_a_variable(formulation, held):
    """ω̇ = (5 − ω)/T led by a row of speeds: it takes the torque J ω̇, and ω̇ is in γ."""
    T, J = 0.1, 1.0 / 3.0
    model = lagging_drive(T, "omega")
    run = bc.simulate(model, 1.0, every=0.05, formulation=formulation, **held)
    t = np.linspace(0.0, 1.0, 21)
    angle = 5.0 * (t - T * (1.0 - np.exp(-t / T)))
    np.testing.assert_allclose(run.values("A.angle"), angle, atol=1e-8)
    torque = J * 5.0 / T * np.exp(-t / T)
    np.testing.assert_allclose(run.values("drive.effort"), torque, atol=1e-6)
    assert not run.audit["contradictions"]


def test_newton_s_method_knows_that_a_variable_leads_a_speed():
    """A speed led by a variable takes about the iterations of the same speed led by time."""
    evaluations, rejected = [], []
    for speed in ("omega", "5*(1 - exp(-t/0.1))"):
        run = bc.simulate(
            lagging_drive(0.1, speed), 1.0, every=0.5, integrator=bc.Radau5(),
            constraints="index2",
        )  # fmt: skip
        evaluations.append(run.statistics["evaluations"])
        rejected.append(run.statistics["rejected"])
    assert evaluations[0] < 1.2 * evaluations[1]
    assert max(rejected) <= 2


# --- large machines: sums over kinds of elements


@pytest.mark.parametrize(
    ("make", "until", "names"),
    [
        (motor_on_double_pendulum, 0.5, ["B.angle", "current", "heat", "current.rate"]),
        (hydraulic_ram, 0.1, ["A.angle", "push", "pull", "ram.force"]),
        (lambda: lagging_drive(0.1, "omega"), 0.5, ["A.angle", "omega", "drive.effort"]),
    ],
    ids=["motor", "ram", "led speed"],
)
@pytest.mark.parametrize(
    ("integrator", "close"),
    [
        (bc.Radau5(), 1e-8),
        (bc.Gauss2(step=0.002), 1e-8),
        (bc.GeneralizedAlpha(step=5e-4), 1e-4),
    ],
    ids=["Radau5", "Gauss2", "GeneralizedAlpha"],
)
def test_variables_of_assembled_machines(make, until, names, integrator, close):
    """Sums over elements, whose variables are speeds without coordinates, move as code does."""
    runs = [
        bc.simulate(
            make(), until, every=until / 4, integrator=integrator,
            formulation=bc.Cartesian(assembled=assembled),
        )
        for assembled in (True, False)
    ]  # fmt: skip
    for name in names:
        wanted = runs[1].values(name)
        off = np.abs(runs[0].values(name) - wanted).max() / max(1.0, np.abs(wanted).max())
        assert off < close, name


def test_variables_of_assembled_machines_by_name():
    """Events, start values, switches and what a controller reads, beside twelve motors."""
    n = 12
    model = bc.Model(
        "motors", planar=True,
        bodies=[bc.Body(f"b{k}", bc.Rod((k, 0), (k + 1, 0), mass=1 + k / 9)) for k in range(n)],
        joints=[
            bc.Revolute(f"j{k}", f"b{k - 1}" if k else "ground", f"b{k}", at=(k, 0))
            for k in range(n)
        ],
        forces=[bc.Motor(f"m{k}", f"j{k}", f"9*i{k} - j{k}.angle_rate") for k in range(n)],
        variables=[
            bc.Variable(
                f"i{k}", f"5*cos({k}*t) - 7*i{k} - abs(i{k} - 0.1)"
                + (f" + i{k - 1} - w" if k else " - w"), scale=0.1 * (k + 1),
            )
            for k in range(n)
        ],
        inputs=[bc.Input("w")],
    )  # fmt: skip
    brake = bc.Sampled(lambda t, v: {"w": v["i3"] + v["j2.angle"]}, 0.05, ("i3", "j2.angle"))
    runs = [
        bc.simulate(
            model, 0.2, every=0.1, integrator=bc.Radau5(), start={"i5": 0.4, "j1.angle": 0.2},
            formulation=formulation, inputs={"w": brake}, events=[bc.Event("rise", "i2 - 0.2")],
            constraints="index2" if isinstance(formulation, bc.Cartesian) else "project",
        )
        for formulation in (bc.Cartesian(assembled=True), bc.JointCoordinates())
    ]  # fmt: skip
    for name in ("j0.angle", "j11.angle", "i2", "i5", "m7.effort"):
        np.testing.assert_allclose(runs[0].values(name), runs[1].values(name), atol=1e-7)
    assert float(runs[0]["i5"][0]) == 0.4
    (one,), (other,) = (run.events for run in runs)
    assert one.time == pytest.approx(other.time, abs=1e-8)


def prey_and_predators(size=1.0, **given) -> bc.Model:
    """Return Lotka's and Volterra's, in amounts of s, beside a cart at rest."""
    s = bc.Parameter("s", size)
    return bc.Model(
        "prey", gravity=(0, 0, 0), parameters=[s],
        bodies=[bc.Body("cart", mass=1, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("S", "ground", "cart", at=(0, 0, 0), axis="x")],
        variables=[
            bc.Variable("x", "x*(1 - y/s)", start=0.5 * s, **given),
            bc.Variable("y", "y*(x/s - 1)", start=1.5 * s, **given),
        ],
    )  # fmt: skip


@pytest.mark.parametrize("by", ["parameter", "start", "scale"])
@pytest.mark.parametrize("method", [bc.DOP853(), bc.Radau5()], ids=["DOP853", "Radau5"])
def test_amounts_of_any_size_move_alike(by, method):
    """The sum of x − ln x and y − ln y stays, and the motion is that of s = 1."""
    ends, model = [], prey_and_predators()
    for s in (1.0, 1e-4, 1e-8, 1e-10, 1e-12, 1e-20):
        made = prey_and_predators(s, scale="s") if by == "scale" else model
        start = {"x": 0.5 * s, "y": 1.5 * s} if by == "start" else {}
        run = bc.simulate(
            made, 20.0, start=start, parameters={"s": s}, integrator=method, every=0.5
        )
        x, y = run.values("x") / s, run.values("y") / s
        kept = x - np.log(x) + y - np.log(y)
        assert np.abs(kept - kept[0]).max() < 1e-7
        ends.append((x[-1], y[-1]))
        assert not run.judged["contradictions"]
    np.testing.assert_allclose(ends, ends[:1] * len(ends), rtol=1e-7)


def test_variables_that_move_below_their_tolerance_are_told():
    """One that starts at zero has size one; where nothing moves by more, that is said."""
    for size, told in ((1.0, False), (1e-6, False), (1e-9, True), (1e-11, True)):
        model = prey_and_predators().replace(
            variables=[bc.Variable("v", f"{size!r} - v"), bc.Variable("w", "v - w")]
        )
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run = bc.simulate(model, 5.0)
            bc.simulate(model, 5.0, start={"S.offset_rate": 1.0})
        found = [each[:18] for each in run.judged["contradictions"]]
        assert found == ["its motion is only"] * told
        assert len(said) == told  # a machine that moves beside them has digits of its own
        given = [replace(each, scale=size) for each in model.variables]
        run = bc.simulate(model.replace(variables=given), 5.0)
        assert not run.judged["contradictions"]
        assert run.values("v")[-1] / size == pytest.approx(-np.expm1(-5), rel=1e-8)
