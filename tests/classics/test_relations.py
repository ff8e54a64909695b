"""Cams, ropes and rams against models of one coordinate, written by hand for SciPy."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline
from tests.draws import LONG, draws
from tests.machines.flywheels import EVERYWHERE, two_flywheels

import bellcrank as bc

FORMULATIONS = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]
METHODS = [(bc.DOP853(), "project"), (bc.Radau5(), "index2")]
WAYS = [(formulation, *method) for formulation in FORMULATIONS for method in METHODS]
CLOSE = 1e-8  # what two codes with tolerances of 1e-11 may differ by


def ran(model, until, start, way):
    formulation, integrator, held = way
    # Radau5 keeps errors of rtol a step, not a run: a thousand steps come to more than CLOSE.
    rtol = 1e-12 if integrator.implicit else 1e-11
    tolerances = {"rtol": rtol, "atol": rtol / 100} if integrator.adaptive else {}
    return bc.simulate(
        model, until, start=start, formulation=formulation, integrator=integrator,
        constraints=held, every=until / 4, **tolerances,
    )  # fmt: skip


def by_scipy(rates, begin, until):
    found = solve_ivp(rates, (0.0, until), begin, method="DOP853", rtol=1e-12, atol=1e-13)
    return found.y[:, -1]


# --- a cam with a follower and its spring

KNOTS = np.linspace(0.0, 2 * math.pi, 9)
LIFTS = np.array([0.0, 2.0, 9.0, 17.0, 20.0, 16.0, 8.0, 3.0, 0.0]) * 1e-3
WHEEL, STEM, STIFF, PRELOAD = 0.5 * 2.0 * 0.1**2, 0.5, 500.0, 0.01


def cam(profile):
    return bc.Model(
        "cam",
        bodies=[
            bc.Body("wheel", bc.Disc(0.1, axis="y", mass=2.0)),
            bc.Body("stem", bc.Rod((0.3, 0, 0), (0.3, 0, 0.2), mass=STEM)),
        ],
        joints=[
            bc.Revolute("shaft", "ground", "wheel", at=(0, 0, 0), axis="y"),
            bc.Prismatic("follower", "ground", "stem", at=(0.3, 0, 0), axis="z"),
        ],
        constraints=[bc.Relation("cam", profile)],
        forces=[
            bc.SpringDamper(
                "spring", ("ground", (0.3, 0, 0.5)), ("stem", (0.3, 0, 0.2)),
                stiffness=STIFF, length=0.3 + PRELOAD,
            )
        ],
    )  # fmt: skip


def cam_rates(lift, slope, bend):
    def rates(t, x):
        angle, rate = x
        y, dy, ddy = lift(angle), slope(angle), bend(angle)
        down = STIFF * (y + PRELOAD) + STEM * 9.81
        up = -(STEM * dy * ddy * rate**2 + down * dy) / (WHEEL + STEM * dy**2)
        return [rate, up]

    return rates


@pytest.mark.parametrize("way", WAYS, ids=lambda w: f"{type(w[0]).__name__}-{w[2]}")
def test_cam_with_follower_spring(way):
    model = cam("follower.offset - 0.02*(1 - cos(shaft.angle))")
    run = ran(model, 1.0, {"shaft.angle_rate": 30.0}, way)
    rates = cam_rates(
        lambda a: 0.02 * (1 - math.cos(a)),
        lambda a: 0.02 * math.sin(a),
        lambda a: 0.02 * math.cos(a),
    )
    angle, rate = by_scipy(rates, [0.0, 30.0], 1.0)
    assert float(run["shaft.angle"][-1]) == pytest.approx(angle, abs=CLOSE)
    up = rates(1.0, [angle, rate])[1]
    # Along the follower, effort = m a − (−m g − spring); along the shaft −slope · effort.
    effort = float(run["cam.effort"][-1])
    assert -0.02 * math.sin(angle) * effort == pytest.approx(WHEEL * up, abs=1e-5)
    energy = run["energy"]
    assert float(abs(energy - energy[0]).max()) < 1e-8


TABLED = [
    WAYS[0],
    *WAYS[-2:],
    (bc.JointCoordinates(), bc.DOP853(), "independent"),
    (bc.JointCoordinates(), bc.RK4(step=5e-4), "independent"),
]


def tabled():
    knots, lifts = KNOTS.tolist(), LIFTS.tolist()
    return cam(
        f'follower.offset - interp(shaft.angle, {knots}, {lifts}, kind="cubic", periodic=True)'
    )


def tabled_angle(begin, until):
    spline = CubicSpline(KNOTS, LIFTS, bc_type="periodic")
    rates = cam_rates(spline, spline.derivative(1), spline.derivative(2))
    found = solve_ivp(
        rates, (0, until), begin, method="DOP853", rtol=1e-12, atol=1e-13, max_step=2e-4
    )
    return found.y[0, -1]


@pytest.mark.parametrize("way", TABLED, ids=lambda w: f"{type(w[0]).__name__}-{w[2]}")
def test_cam_from_a_table(way):
    """A table that is repeated, over several turns of the shaft; knots are met as switches.

    Where it begins anew all its modes change at once, and the machine stays where it is. The
    run begins on a knot, whose wrong side is left in no time: nothing contradicts it.
    """
    run = ran(tabled(), 0.6, {"shaft.angle_rate": 30.0}, way)
    angle = tabled_angle([0.0, 30.0], 0.6)
    assert angle > 2 * math.pi
    assert float(run["shaft.angle"][-1]) == pytest.approx(angle, abs=CLOSE)
    assert not run.audit["contradictions"]


@pytest.mark.parametrize(
    "formulation", [bc.Natural(), bc.Cartesian(assembled=True)], ids=["natural", "assembled"]
)
def test_cam_from_a_table_far_from_the_drawing(formulation):
    """The start is on the piece of the table that holds there, three turns from the drawing."""
    begin = {"shaft.angle": 20.0, "shaft.angle_rate": 3.0}
    run = bc.simulate(tabled(), 0.2, start=begin, formulation=formulation, rtol=1e-10)
    assert float(run["shaft.angle"][0]) == pytest.approx(20.0, abs=1e-14)
    angle = tabled_angle([20.0, 3.0], 0.2)
    assert float(run["shaft.angle"][-1]) == pytest.approx(angle, abs=CLOSE)


# --- a rope over three pulleys

MASSES, ACROSS = (1.0, 1.5, 2.0), (0.25, 0.75, 0.25, 0.75, 0.3)


def rope():
    places = [
        bc.Point("u0", "ground", at=(0.25, 0, 0)),
        bc.Point("u1", "ground", at=(1.25, 0, 0)),
        bc.Point("end", "ground", at=(2.3, 0, 0)),
    ]
    bodies, joints = [], []
    for i, mass in enumerate(MASSES):
        at = (float(i), 0, -1)
        bodies.append(bc.Body(f"w{i}", bc.Sphere(0.1, at, mass=mass)))
        joints.append(bc.Prismatic(f"s{i}", "ground", f"w{i}", at=at, axis="z"))
        places.append(bc.Point(f"m{i}", f"w{i}", at=at))
    return bc.Model(
        "rope", bodies=bodies, joints=joints, points=places,
        constraints=[bc.Rope("rope", ["m0", "u0", "m1", "u1", "m2", "end"])],
    )  # fmt: skip


def rope_rates(t, x):
    """M z̈ = −M g − λ ∇f with ∇f·z̈ + ż·∇²f ż = 0, f the length of the rope."""
    z, speed = np.array(x[:3]), np.array(x[3:])
    heights = (-1.0 + z[0], -1.0 + z[1], -1.0 + z[1], -1.0 + z[2], -1.0 + z[2])
    which = (0, 1, 1, 2, 2)
    slope, bend = np.zeros(3), np.zeros(3)
    for h, across, i in zip(heights, ACROSS, which, strict=True):
        length = math.hypot(h, across)
        slope[i] += h / length
        bend[i] += across**2 / length**3
    mass = np.array(MASSES)
    weight = np.array([0.0, 0.0, 0.0]) - 9.81
    tension = (slope @ weight + bend @ speed**2) / (slope @ (slope / mass))
    return [*speed, *(weight - tension * slope / mass)]


@pytest.mark.parametrize("way", WAYS, ids=lambda w: f"{type(w[0]).__name__}-{w[2]}")
def test_rope_over_three_pulleys(way):
    # The speeds of a taut rope: those that the start leaves open follow.
    run = ran(rope(), 0.8, {"s0.offset_rate": 0.3, "s1.offset_rate": -0.2}, way)
    begin = [*(float(run[f"s{i}.offset"][0]) for i in range(3))]
    begin += [float(run[f"s{i}.offset_rate"][0]) for i in range(3)]
    end = by_scipy(rope_rates, begin, 0.8)
    for i in range(3):
        assert float(run[f"s{i}.offset"][-1]) == pytest.approx(end[i], abs=CLOSE)
    assert float(run["rope.force"].min()) > 0.0
    assert float(abs(run["energy"] - run["energy"][0]).max()) < CLOSE


# --- a ram


def test_driven_length_of_a_ram():
    """The law of cosines gives the angle, virtual work the effort: e l̇ = Ṫ + V̇."""
    drawn = math.hypot(0.5, 1.0)
    law = f"{drawn!r} + 0.2*cycloidal(t/0.8)"
    model = bc.Model(
        "ram", planar=True,
        bodies=[bc.Body("arm", bc.Rod((0, 0), (2, 0), mass=5.0))],
        joints=[bc.Revolute("A", "ground", "arm", at=(0, 0))],
        constraints=[bc.Distance("cylinder", ("ground", (0.5, -1.0)), ("arm", (1.0, 0.0)))],
        drivers=[bc.Drive("ram", "cylinder", length=law)],
    )  # fmt: skip
    base, lean = math.hypot(0.5, 1.0), math.atan2(-1.0, 0.5)

    def angle(t):
        u = min(max(t / 0.8, 0.0), 1.0)
        length = drawn + 0.2 * (u - math.sin(2 * math.pi * u) / (2 * math.pi))
        return lean + math.acos((1 + base**2 - length**2) / (2 * base)), length

    for formulation in FORMULATIONS:
        run = bc.simulate(model, 1.0, formulation=formulation, every=0.1)
        for t, found, length, effort in zip(
            run.t, run["A.angle"], run["cylinder.length"], run["ram.effort"], strict=True
        ):
            assert (float(found), float(length)) == pytest.approx(angle(t), abs=1e-9)
            h = 1e-4
            before, here, after = (angle(t + k * h)[0] for k in (-1, 0, 1))
            up = (before - 2 * here + after) / h**2
            if 0.01 < t < 0.79:
                lever = math.sin(here - lean) * base / angle(t)[1]
                needed = 5.0 * (4 / 3 * up + 9.81 * math.cos(here))
                assert float(effort) * lever == pytest.approx(needed, abs=1e-3)


# --- what is refused


@pytest.mark.parametrize(
    ("zero", "said"),
    [
        ("2*t - 1", "zero names nothing that moves."),
        ("A.angle_rate", "got A.angle_rate."),
        ("B.orientation_1", "got B.orientation_1."),
        ("A.angle + 'in'", "got in."),
    ],
)
def test_a_relation_is_one_of_positions(zero, said):
    with pytest.raises(bc.ModelError) as caught:
        bc.Model(
            "m",
            bodies=[
                bc.Body("a", mass=1, inertia=np.eye(3)),
                bc.Body("b", mass=1, inertia=np.eye(3)),
            ],
            joints=[
                bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="x"),
                bc.Spherical("B", "a", "b", at=(1, 0, 0)),
            ],
            constraints=[bc.Relation("r", zero)],
            inputs=[bc.Input("in")],
        )
    assert said in str(caught.value)


def pointing(zero):
    """Return two free wheels of 1 kg m², a point on the rim of the first, and a relation."""
    return two_flywheels(
        "pointing",
        points=[bc.Point("tip", "a", at=(1, 0, 0))],
        constraints=[bc.Relation("R", zero)],
        parameters=[bc.Parameter("c", 1.0)],
    )


POINTING = "atan2(tip.position_y, tip.position_x)"
WOUND = {
    f"B.angle - {POINTING}": 1.0,
    f"B.angle - 2.5*{POINTING}": 2.5,
    f"3*B.angle + {POINTING}": -1.0 / 3.0,
    f"B.angle - c*{POINTING}": 1.0,
    "B.angle - atan2(sin(A.angle), cos(A.angle))": 1.0,
    f"B.angle - {POINTING} - atan2(sin(A.angle), cos(A.angle))": 2.0,
}
HELD = EVERYWHERE | {"baumgarte": {"constraints": "baumgarte"}}


@pytest.mark.parametrize("way", HELD)
@pytest.mark.parametrize("zero", WOUND)
def test_an_angle_by_atan2_is_followed_over_full_turns(zero, way):
    """B = c A all the way round, both free, so that both go on as they began."""
    ratio = WOUND[zero]
    for rate in (2.0, -3.0):
        start = {"A.angle_rate": rate}
        run = bc.simulate(pointing(zero), 5.0, start=start, every=1.0, **HELD[way])
        close = 1e-6 * max(1.0, abs(ratio))
        np.testing.assert_allclose(run.values("A.angle"), rate * run.t, atol=close)
        np.testing.assert_allclose(run.values("B.angle"), ratio * rate * run.t, atol=close)


def test_an_angle_by_atan2_is_led_over_full_turns():
    """A point on a wheel that is to be seen in the direction 7 t + 1."""
    run = bc.simulate(
        pointing(f"{POINTING} - 7*t - c"), 3.0, start={"A.angle": 1.0, "B.angle_rate": 0.0}
    )
    np.testing.assert_allclose(run.values("A.angle"), 7.0 * run.t + 1.0, atol=1e-8)


@pytest.mark.parametrize(("power", "sought"), [(2, np.pi), (3, np.pi)])
@pytest.mark.parametrize("way", HELD)
def test_a_relation_that_is_not_smooth_at_half_a_turn_is_stopped_there(power, sought, way):
    """B = A³/10 cannot be told from (A − 2π)³/10; before that it is kept."""
    model = pointing(f"B.angle - 0.1*{POINTING}**{power}")
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 5.0, start={"A.angle_rate": 2.0}, **HELD[way])
    assert (
        "the relation 'R' is not smooth where its atan2 jumps, at half a turn. Let it be "
        "linear in it, as 'A.angle - 2*atan2(y, x)' is, and it is followed over full turns; or "
        "take the coordinate of a joint."
    ) in str(caught.value)
    run = caught.value.run
    assert run.values("A.angle")[-1] == pytest.approx(sought, abs=3e-3)
    exact = 0.1 * run.values("A.angle") ** power
    np.testing.assert_allclose(run.values("B.angle"), exact, atol=1e-6)


def test_a_function_of_a_direction_may_go_round():
    """What has a period of a turn is smooth where atan2 jumps."""
    run = bc.simulate(
        pointing(f"B.angle - 0.3*sin(2*{POINTING})"), 5.0, start={"A.angle_rate": 2.0}
    )
    assert run.values("A.angle")[-1] > 2 * np.pi
    exact = 0.3 * np.sin(2 * run.values("A.angle"))
    np.testing.assert_allclose(run.values("B.angle"), exact, atol=1e-8)


def test_a_relation_that_bends_is_refused():
    model = cam("follower.offset - 0.02*abs(sin(shaft.angle))")
    with pytest.raises(bc.NotSupported, match="twice differentiable, and abs is not"):
        bc.simulate(model, 0.1)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("where(t < 0.5, 0, 0.3*(t - 0.5))", "its speed jumps by 0.3 rad/s at t = 0.5 s"),
        ("step(t - 0.25)", "it jumps by 1 rad at t = 0.25 s"),
        ("interp(t, [0, 1, 2], [0, 1, 1])", "its speed jumps by -1 rad/s at t = 1 s"),
    ],
)
def test_a_motion_whose_pieces_do_not_meet_is_refused(law, said):
    model = bc.Model(
        "driven",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        drivers=[bc.Drive("motor", "A", angle=law)],
    )
    with pytest.raises(bc.NotSupported) as caught:
        bc.simulate(model, 2.0)
    assert said in str(caught.value)


BENDS = {
    "abs(sin({f}*t))": 2.0,
    "max(0, sin({f}*t))": 1.0,
    "abs({f}*t/3 - 1)": 2.0 / 3.0,
    "min(1, {f}*t/3)": -1.0 / 3.0,
    "max(0, 1e6 + {f}*t - (1e6 + 1))": 1.0,
    "1e-3*abs(sin({f}*t))": 2e-3,
}


@pytest.mark.parametrize("bend", BENDS)
def test_what_bends_is_led_as_a_speed_and_refused_as_a_place(bend):
    """Rounding where pieces meet is no jump, however small or large what is added there."""
    rng = np.random.default_rng(3)
    cart = bc.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("S", "ground", "cart", at=(0, 0, 0), axis="x")],
    )
    for f in rng.uniform(1.0, 9.0, 4):
        law = bend.format(f=f)
        bc.simulate(cart.add(bc.Drive("D", "S", offset_rate=law)), 5.0)
        with pytest.raises(bc.NotSupported) as caught:
            bc.simulate(cart.add(bc.Drive("D", "S", offset=law)), 5.0)
        assert f"offset: its speed jumps by {BENDS[bend] * f:.6g} m/s" in str(caught.value)


def test_a_jump_of_acceleration_is_one_of_the_effort():
    """Speed by a trapezoid: τ = J α + ½ m g l cos φ, before and after each corner."""
    first, second, until = 0.3137, 0.8011, 1.1148  # α = 2, 0, −2, 0 rad/s²
    top, far = first**2, 2 * first
    law = (
        f"where(t < {first}, t**2, where(t < {second}, {top!r} + {far!r}*(t - {first}), "
        f"where(t < {until}, {far * second - top!r} + {far!r}*(t - {second}) "
        f"- (t - {second})**2, {far * second!r})))"
    )
    model = bc.Model(
        "driven",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=3.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="-y")],
        drivers=[bc.Drive("motor", "A", angle=law)],
    )
    beside = [t + side for t in (first, second, until) for side in (-1e-9, 1e-9)]
    accelerations = (2.0, 0.0, 0.0, -2.0, -2.0, 0.0)
    for formulation in (bc.JointCoordinates(), bc.Natural()):
        for t, acceleration in zip(beside, accelerations, strict=True):
            run = bc.simulate(model, t, formulation=formulation, every="step")
            here = float(run["A.angle"][-1])
            effort = 1.0 * acceleration + 3.0 * 9.81 * 0.5 * math.cos(here)
            assert float(run["motor.effort"][-1]) == pytest.approx(effort, abs=CLOSE)
        assert {first, second, until} <= set(run.t.tolist())  # steps end there


def test_a_ram_stops_at_the_end_of_its_reach():
    model = bc.Model(
        "ram", planar=True,
        bodies=[bc.Body("arm", bc.Rod((0, 0), (2, 0), mass=5.0))],
        joints=[bc.Revolute("A", "ground", "arm", at=(0, 0))],
        constraints=[bc.Distance("cylinder", ("ground", (0.5, -1.0)), ("arm", (1.0, 0.0)))],
        drivers=[bc.Drive("ram", "cylinder", length=f"{math.hypot(0.5, 1.0)!r} + 2*t")],
    )  # fmt: skip
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 1.0)
    assert "driver 'ram' cannot continue" in str(caught.value)
    assert "cylinder.length = 2.118" in str(caught.value)


def test_a_led_point_stops_at_the_end_of_its_reach():
    """Two links of 1 m, led along z = 1: x = √3 is the end, at t = (√3 − 1)/0.6 s."""
    model = bc.Model(
        "two links",
        bodies=[
            bc.Body("one", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0)),
            bc.Body("two", bc.Rod((1, 0, 0), (1, 0, 1), mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "one", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "one", "two", at=(1, 0, 0), axis="y"),
        ],
        points=[bc.Point("tip", "two", at=(1, 0, 1))],
        drivers=[bc.Drive("hand", "tip", position_x="1 + 0.6*t", position_z="1")],
    )
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 2.0)
    assert "beyond t = 1.22008468 s driver 'hand' cannot continue" in str(caught.value)
    assert "where tip.position_x = 1.73205" in str(caught.value)


@pytest.mark.parametrize(
    ("zero", "said"),
    [
        ("follower.offset**2 + 1", "A relation needs a root, and a slope that leads to it"),
        ("follower.offset**2 + shaft.angle**2 - 0.01", "and a slope that leads to it"),
        (
            "follower.offset*shaft.angle",
            "gradient of the relation vanishes where the run begins",
        ),
        ("follower.offset**3", "vanishes where the run begins (it is 0)"),
        ("(follower.offset - 0.1)**3", "vanishes where it is satisfied (it is"),
        ("exp(follower.offset)", "A relation needs a root, and a slope that leads to it"),
        ("follower.offset - sqrt(shaft.angle - 1)", "'cam' has no finite value where it is"),
    ],
)
def test_a_relation_that_holds_nothing_is_named(zero, said):
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(cam(zero), 0.1)
    assert "cam" in str(caught.value)
    assert said in str(caught.value)


@pytest.mark.parametrize("integrator", [bc.DOP853(), bc.Radau5()], ids=repr)
def test_a_relation_that_becomes_flat_on_the_way_is_named(integrator):
    """A point on a circle whose radius √(1 − t) vanishes at t = 1 s."""
    model = bc.Model(
        "shrinking circle",
        bodies=[
            bc.Body(name, bc.Box((0.1, 0.1, 0.1), center=(0, 0, 0), mass=1.0)) for name in "bc"
        ],
        joints=[
            bc.Prismatic("S", "ground", "b", at=(0, 0, 0), axis="x"),
            bc.Prismatic("R", "ground", "c", at=(0, 0, 0), axis="y"),
        ],
        constraints=[bc.Relation("circle", "S.offset**2 + R.offset**2 - (1 - t)")],
    )
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 2.0, start={"S.offset": 1.0}, integrator=integrator)
    assert caught.value.time == pytest.approx(1.0, abs=1e-6)
    assert "The gradient of the relation 'circle' vanishes there" in str(caught.value)


def test_a_relation_that_has_no_value_in_the_drawing_may_have_one_at_the_start():
    run = bc.simulate(cam("follower.offset - sqrt(shaft.angle - 1)"), 0.01, start={"shaft": 5})
    assert float(run["follower.offset"][0]) == pytest.approx(2.0)


@pytest.mark.family
def test_formulations_agree_on_machines_with_relations():
    lift = "follower.offset - 0.02*(1 - cos(shaft.angle))"
    machines = [
        (rope(), {"s0.offset_rate": 0.3, "s1.offset_rate": -0.2}),
        (cam(lift), {"shaft.angle_rate": 30.0}),
    ]
    for model, start in machines[: draws(1, 2)]:
        found = bc.verify(model, start=start, runs=LONG)
        assert found.agrees, found.verdict
