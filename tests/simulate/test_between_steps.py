"""Machines whose switches and events lie between the ends of long steps, in closed form."""

import numpy as np
import pytest
from tests.machines.flywheels import EVERYWHERE, two_flywheels

import bellcrank as bc

GRAVITY = 9.81


def rotor(effort=None):
    """Return a free rotor about z with a tip at (1, 0, 0)."""
    return bc.Model(
        "rotor",
        bodies=[bc.Body("B", mass=1.0, inertia=(1, 1, 2, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0, 0), axis="z")],
        points=[bc.Point("tip", "B", at=(1, 0, 0))],
        forces=[] if effort is None else [bc.Motor("M", "A", effort=effort)],
        parameters=[bc.Parameter("edge", 0.9), bc.Parameter("turned", 0.0)],
        gravity=(0, 0, 0),
    )


def ball(law="0"):
    """Return a mass of 1 kg on a vertical slide, under its weight and a law."""
    return bc.Model(
        "ball",
        bodies=[bc.Body("B", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("Z", "ground", "B", at=(0, 0, 0), axis="z")],
        forces=[bc.Motor("M", "Z", effort=law)],
        parameters=[bc.Parameter("stop", 5.0), bc.Parameter("k", 1000.0)],
        gravity=(0, 0, -GRAVITY),
    )


def braked(first, half, rate, until):
    """Return angle and rate of a rotor braked by ½ rad/s² within `half` of first + 2πn."""
    t, angle = 0.0, 0.0
    for n in range(10_000):
        near, far = first + 2 * np.pi * n - half, first + 2 * np.pi * n + half
        if t + (near - angle) / rate > until:
            return angle + rate * (until - t), rate
        t, angle = t + (near - angle) / rate, near
        after = np.sqrt(rate**2 - (far - near))
        if t + (rate - after) / 0.5 > until:
            rest = until - t
            return angle + rate * rest - 0.25 * rest**2, rate - 0.5 * rest
        t, angle, rate = t + (rate - after) / 0.5, far, after
    raise AssertionError


def test_no_bump_of_a_turning_shaft_is_passed_over():
    """A brake that holds within a few hundredths of a radian, once per turn."""
    model = rotor("where(sin(A.angle - turned) > edge, -1.0, 0.0)")
    rng = np.random.default_rng(4)
    for _ in range(12):
        half, turned, rate = 10 ** rng.uniform(-3, -0.5), rng.uniform(0, 1), rng.uniform(8, 60)
        run = bc.simulate(
            model,
            30.0,
            start={"A.angle_rate": rate},
            parameters={"edge": np.cos(half), "turned": turned},
            every=30.0,
        )
        expected = braked(turned + np.pi / 2, half, rate, 30.0)
        found = run.values("A.angle")[-1], run.values("A.angle_rate")[-1]
        # An edge at cos ε is where it is within 1e-16/ε.
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("school", [bc.JointCoordinates(), bc.Kane(), bc.Natural()], ids=str)
def test_every_turn_of_a_free_rotor_is_an_event(school):
    """Whether its angle is written down, or is inside the position of a point."""
    rng = np.random.default_rng(5)
    for _ in range(3):
        rate, divisor = rng.uniform(5, 80), rng.uniform(0.3, 4)
        run = bc.simulate(
            rotor(),
            10.0,
            start={"A.angle": 0.1, "A.angle_rate": rate},
            events=[
                bc.Event("written", f"sin(A.angle/{divisor})"),
                bc.Event("tip", "tip.position_y", direction=1),
                bc.Event("pole", "tan(A.angle)"),
            ],
            formulation=school,
            every=10.0,
        )
        reached = 0.1 + 10 * rate
        for name, period in (("written", divisor * np.pi), ("tip", 2 * np.pi), ("pole", np.pi)):
            found = [each.time for each in run.events if each.name == name]
            expected = (np.arange(1, int(reached / period) + 1) * period - 0.1) / rate
            np.testing.assert_allclose(found, expected, atol=2e-7)


def test_an_apex_a_hair_above_a_mark_is_seen():
    """A ball thrown up meets a mark just below its apex, and a soft stop there."""
    rng, model = (
        np.random.default_rng(6),
        ball("where(Z.offset > stop, k*(stop - Z.offset), 0)"),
    )
    for _ in range(12):
        speed, short = rng.uniform(2, 20), 10 ** rng.uniform(-5, -1)
        stop = speed**2 / 2 / GRAVITY * (1 - short)
        met = (speed - speed * np.sqrt(short)) / GRAVITY
        run = bc.simulate(
            ball(),
            3 * speed / GRAVITY,
            start={"Z.offset_rate": speed},
            parameters={"stop": stop},
            events=[bc.Event("mark", "Z.offset - stop", terminal=True)],
        )
        # There the offset falls short of the mark by rounding and the tolerance only.
        assert run.t[-1] == pytest.approx(met, abs=1e-9 / np.sqrt(short))
        until = 1.9 * speed / GRAVITY
        run = bc.simulate(
            model, until, start={"Z.offset_rate": speed}, parameters={"stop": stop}, every=until
        )
        back, frequency = speed * np.sqrt(short), np.sqrt(1000.0)
        left = until - met - 2 / frequency * np.arctan(back * frequency / GRAVITY)
        expected = stop - back * left - GRAVITY / 2 * left**2
        assert run.values("Z.offset")[-1] == pytest.approx(expected, abs=1e-7 * speed)


STEPS = "".join(f" - 2*pi*step(A.angle - {2 * n}*pi)" for n in range(1, 9))
WRAPPED = {
    "atan2": ("atan2(sin(A.angle), cos(A.angle))", -np.pi),
    "steps": (f"A.angle{STEPS}", 0.0),
}


def engine(knots, argument, first):
    """Return a slider-crank with a periodic table of 36 intervals and a jump of 87 N."""
    A, B, C = (0, 0), (0.05, 0), (0.25, 0)
    angles = first + np.linspace(0, 2 * np.pi, knots)
    ramp = np.linspace(-1, 1, knots)
    forces = 60 * np.sin(angles) + 20 * np.cos(2 * angles) + 43.5 * ramp**9
    table = [f"[{', '.join(map(repr, map(float, each)))}]" for each in (angles, forces)]
    law = f"-interp({argument}, {', '.join(table)})"
    model = bc.Model(
        "engine",
        planar=True,
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("rod", bc.Rod(B, C, mass=0.5)),
            bc.Body("piston", mass=0.4, inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0), com=C),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A),
            bc.Revolute("B", "crank", "rod", at=B),
            bc.Revolute("C", "rod", "piston", at=C),
            bc.Prismatic("S", "ground", "piston", at=C, axis="x"),
        ],
        forces=[bc.Force("gas", "piston", vector=(law, 0), at=C)],
        gravity=(0, 0),
    )
    return model, angles, forces


def work(run, angles, forces):
    """Return the work of the table over the run by quadrature over the crank's angle [J]."""
    a, b = run.values("A.angle")[[0, -1]]
    cuts = np.concatenate([angles + 2 * np.pi * n for n in range(-1, 10)])
    cuts = np.unique(np.concatenate([[a, b], cuts[(cuts > a) & (cuts < b)]]))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    middle, half = (cuts[1:] + cuts[:-1]) / 2, (cuts[1:] - cuts[:-1]) / 2
    x = middle[:, None] + half[:, None] * nodes
    force = -np.interp((x - angles[0]) % (2 * np.pi) + angles[0], angles, forces)
    slope = -0.05 * np.sin(x) * (1 + 0.05 * np.cos(x) / np.sqrt(0.04 - (0.05 * np.sin(x)) ** 2))
    return float(((force * slope) @ weights) @ half)


@pytest.mark.parametrize("wrap", WRAPPED)
def test_a_periodic_table_with_a_jump_is_passed_regularly(wrap):
    """The kinetic energy is the work of the table; kinks cost 30 evaluations at most."""
    knots = 37
    model, angles, forces = engine(knots, *WRAPPED[wrap])
    for rate in np.linspace(100, 200, 20):
        start = {"A.angle_rate": float(rate)}
        run = bc.simulate(model, 0.2, start=start, every=0.2)
        kinetic = run.values("kinetic_energy")
        gained = kinetic[-1] - kinetic[0]
        assert gained == pytest.approx(work(run, angles, forces), rel=1e-7)
        turns = (run.values("A.angle")[-1]) / 2 / np.pi
        # Without the table it is 570 evaluations per turn.
        assert run.statistics["evaluations"] < turns * (570 + 30 * knots)


def coupled(ratio):
    """Return two free flywheels of 1 kg m², ω_B = g ω_A by a constraint of speeds."""
    row = {"B.angle_rate": 1.0, "A.angle_rate": f"-({ratio})"}
    return two_flywheels("coupled", constraints=[bc.VelocityConstraint("v", row)])


BENT = {
    "1 + 50*max(0, sin(7*A.angle) - 0.99)": (
        lambda a: 1 + 50 * np.maximum(0, np.sin(7 * a) - 0.99),
        [(np.arcsin(0.99) + 2 * np.pi * n, np.pi - np.arcsin(0.99) + 2 * np.pi * n)
         for n in range(40)],
        1 / 7,
    ),
    "interp(A.angle, [0, 20, 20.01, 20.02, 30], [1, 1, 2, 1, 1])": (
        lambda a: np.interp(a, [0, 20, 20.01, 20.02, 30], [1, 1, 2, 1, 1]),
        [(20.0, 20.01, 20.02)],
        1.0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("way", EVERYWHERE)
@pytest.mark.parametrize("ratio", BENT)
def test_no_bend_of_a_coefficient_is_passed_over(ratio, way):
    """Energy stays, ω_A² (1 + g²) = k²: kT = ∫ √(1 + g²) dA, and B = ∫ g dA."""
    g, bends, scale = BENT[ratio]
    run = bc.simulate(
        coupled(ratio), 10.0, start={"A.angle_rate": 3.0}, every=10.0, **EVERYWHERE[way]
    )
    end, other = run.values("A.angle")[-1], run.values("B.angle")[-1]
    edges = np.array([0.0, *(scale * np.ravel(bends)), np.inf]).clip(max=end)
    nodes, weights = np.polynomial.legendre.leggauss(40)
    half = 0.5 * np.diff(edges)[:, None]
    a = edges[:-1, None] + half * (1.0 + nodes)
    went = np.sum(np.sqrt(1 + g(a) ** 2) * half * weights)
    k = 3.0 * np.sqrt(1 + g(0.0) ** 2)
    # Sixty bends, each met within the tolerance of a step; of implicit steps they are coarser.
    close = 1e-5 if way == "assembled" else 1e-6
    assert went == pytest.approx(k * 10.0, abs=close)
    assert other == pytest.approx(np.sum(g(a) * half * weights), abs=close)
