"""Where machines rest and how they move steadily, against REFERENCES_ANALYSIS A."""

import numpy as np
import pytest
from tests.laws.closed import loop
from tests.machines import analysed

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def absolute(state):
    """Return the angles of crank, coupler and rocker of the four-bar from +x."""
    found = []
    for body in ("crank", "coupler", "rocker"):
        p, drawn = state[f"{body}.orientation"], bc.assemble(state.model)[f"{body}.position"]
        pins = {"crank": (0, 0), "coupler": (0, 1), "rocker": (2, 0)}[body]
        first = np.arctan2(drawn[1] - pins[1], drawn[0] - pins[0])
        found.append(first + 2 * np.arctan2(p[3], p[0]))
    return np.array(found)


FOUR_BAR = [
    (0.0, 0.0, -1.0, (-1.667947618137, 1.394838681660, 2.633035970860), 4.842065940509j, True),
    (0.0, 0.0, 1.5, (1.470751319350, 0.522456990801, 1.654358709842), 2.958231433468, False),
    (30.0, 0.0, 1.5, (-0.792038594507, 1.693506644869, 2.451527790451), 4.731024503516j, True),
    (30.0, 2.0, 0.0, (-0.792038594507, 1.693506644869, 2.451527790451),
     -0.379057446445 + 4.715814702166j, True),
]  # fmt: skip
"""A-D5: stiffness, damping, where to look, angles of the equilibrium, pole, stable."""


@pytest.mark.parametrize(("k", "c", "near", "angles", "pole", "stable"), FOUR_BAR)
def test_four_bar(formulation, k, c, near, angles, pole, stable):
    """A-D5, to 1e-9: the forces of constraints belong to the stiffness."""
    model = analysed.four_bar(k, c)
    rest = bc.equilibrium(model, {"A": near}, formulation=formulation)
    difference = (absolute(rest) - angles + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(difference, 0.0, atol=1e-9)
    found = rest.linear.poles
    assert np.abs(found - pole).min() < 1e-9 * abs(pole)
    assert rest.stable is stable
    assert abs(rest["A.angle_acceleration"]) < 1e-9
    assert isinstance(rest, bc.State)


def test_double_wishbone(formulation):
    """A-D7, to 1e-8."""
    rest = bc.equilibrium(analysed.wishbone(), formulation=formulation)
    assert rest["slide.offset"] == pytest.approx(-0.054881608106, rel=1e-8)
    assert rest["A.angle"] == pytest.approx(0.079738346840, rel=1e-8)
    assert rest["C.angle"] == pytest.approx(0.111424506237, rel=1e-8)
    assert rest["A.angle"] + rest["B.angle"] == pytest.approx(0.017962562278, rel=1e-8)
    np.testing.assert_allclose(
        rest["W.position"][:2], (0.801446348723, 0.298025600000), rtol=1e-8
    )
    assert rest["strut.length"] == pytest.approx(0.485542078445, rel=1e-8)
    found = rest.linear.poles
    for pole in (-9.583069118327 + 69.936621421772j, -0.869590431239 + 5.832340195987j):
        assert np.abs(found - pole).min() < 1e-8 * abs(pole)
    hertz = bc.modes(analysed.wishbone(), rest, undamped=True).frequencies / (2 * np.pi)
    np.testing.assert_allclose(hertz, (0.935361531432, 11.272543944519), rtol=1e-8)
    assert rest.forces["strut.force"] == pytest.approx(40_000 * (rest["strut.length"] - 0.66))


def test_steady_precession(formulation):
    """A-D6: slow precession at 30 deg, spin 100, and its nutation; to 1e-8."""
    known, nutation = 5.578843406029, 30.465129846223
    spin = 100.0 - known * np.cos(np.pi / 6)
    near = {"nutation": np.pi / 6, "precession.angle_rate": 5.0}
    rates = {"spin.angle_rate": spin, "precession.angle_rate": None}
    found = bc.equilibrium(
        analysed.gimballed_top(), near, rates=rates, hold="nutation", formulation=formulation
    )
    assert found.rates["precession.angle_rate"] == pytest.approx(known, rel=1e-8)
    assert found["precession.angle_rate"] == pytest.approx(known, rel=1e-8)
    poles = found.linear.poles
    assert np.abs(poles - 1j * nutation).min() < 1e-8 * nutation
    assert set(found.free) == {"precession.angle", "spin.angle"}
    assert found.linear.steady
    assert "steady motion" in repr(found)


def test_governor():
    """A flyball governor: cos θ = g / (l ω²), and its frequency ω sin θ [ANA]."""
    length, rate = 0.3, 9.0
    model = bc.Model(
        "governor",
        bodies=[
            bc.Body("shaft", mass=1.0, com=(0, 0, 0), inertia=(1e6, 1e6, 1e6, 0, 0, 0)),
            bc.Body("ball", mass=2.0, com=(0, 0, -length), inertia=(0,) * 6),
        ],
        joints=[
            bc.Revolute("turn", "ground", "shaft", at=(0, 0, 0), axis="z"),
            bc.Revolute("arm", "shaft", "ball", at=(0, 0, 0), axis="y"),
        ],
    )
    found = bc.equilibrium(model, {"arm": -1.0}, rates={"turn.angle_rate": rate})
    theta = np.arccos(9.81 / (length * rate**2))
    assert abs(found["arm.angle"]) == pytest.approx(theta, rel=1e-10)
    # With a shaft so heavy that it keeps its rate.
    assert found.linear.poles.imag.max() == pytest.approx(rate * np.sin(theta), rel=1e-5)


def test_rolling_straight_is_steady():
    model = analysed.bicycle()
    found = bc.equilibrium(model, analysed.running(5.0), rates={"rear.angle_rate": -5.0 / 0.3})
    assert found["F.velocity"][0] == pytest.approx(5.0, rel=1e-12)
    pole = -0.775341882196 + 4.464867713788j
    assert np.abs(found.linear.poles - pole).min() < 1e-9


@pytest.mark.parametrize("kind", ["Revolute", "Spherical", "Distance", "PointOnLine"])
def test_nothing_accelerates_at_rest(kind):
    """On random loops with springs, to 1e-9 m/s² and rad/s²."""
    for seed in (1, 2):
        model = loop(kind, seed, ("SpringDamper", "JointSpring"))
        rest = bc.equilibrium(model)
        for body in model.bodies:
            assert np.abs(rest[f"{body.name}.acceleration"]).max() < 1e-9
            assert np.abs(rest[f"{body.name}.angular_acceleration"]).max() < 1e-9
        assert rest.residual < 1e-11


def test_what_springs_store():
    """Strain energies of A-D5 and A-D7, by their stiffness."""
    rest = bc.equilibrium(analysed.four_bar(30.0))
    assert rest.strain_energies == {"spring": pytest.approx(15.0 * rest["A.angle"] ** 2)}
    rest = bc.equilibrium(analysed.wishbone())
    stretch = rest["strut.length"] - 0.66
    assert rest.strain_energies == {"strut": pytest.approx(20_000 * stretch**2)}
    text = repr(rest)
    assert "strut stores 608.711 J" in text
    assert "|B.reaction_force| = 4125.7 N" in text


def test_a_singular_position_is_told():
    """A flat parallelogram rests without forces, and has two branches of motion."""
    bodies = [bc.Body(n, bc.Rod((a, 0), (b, 0), mass=1.0))
              for n, a, b in (("a", 0.0, 1.0), ("b", 1.0, 3.0), ("c", 2.0, 3.0))]  # fmt: skip
    pins = (("ground", "a", 0.0), ("a", "b", 1.0), ("b", "c", 3.0), ("c", "ground", 2.0))
    joints = [bc.Revolute(n, one, two, at=(x, 0.0))
              for n, (one, two, x) in zip("ABCD", pins, strict=True)]  # fmt: skip
    flat = bc.Model("flat", planar=True, gravity=(0, 0), bodies=bodies, joints=joints)
    rest = bc.equilibrium(flat)
    assert rest.stable is None
    assert "is at a singular position" in repr(rest)
    for ask in (bc.linearize, bc.modes):
        with pytest.raises(bc.BellcrankError, match="2 freedoms there and 1 in neighb"):
            ask(flat)
    with pytest.raises(bc.BellcrankError, match="could be led on along each of them"):
        bc.kinematics(flat, {"A": [0.0, 0.1]})


def test_momentum_answers_in_natural_coordinates():
    """A floating arm with a driven joint: all questions give what they give elsewhere."""
    model = bc.Model(
        "floating",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("base", mass=5.0, com=(0, 0, 0), inertia=(1, 2, 1.5, 0, 0, 0)),
            bc.Body("arm", mass=1.0, com=(1, 0.2, 0), inertia=(0.1, 0.2, 0.3, 0, 0, 0)),
        ],
        joints=[
            bc.Free("F", "ground", "base"),
            bc.Revolute("A", "base", "arm", at=(0.5, 0, 0), axis=(0, 0.3, 1)),
        ],
        drivers=[bc.Drive("d", "A", angle="0.4*sin(2*t)")],
    )
    rest, known = (
        bc.equilibrium(model, t=0.3, formulation=f) for f in (bc.Momentum(), FORMULATIONS[0])
    )
    for name in ("F.velocity", "F.angular_velocity"):
        np.testing.assert_allclose(rest[name], known[name], atol=1e-12)
    found = bc.linearize(model, t=0.3, formulation=bc.Momentum()).poles
    np.testing.assert_allclose(found, bc.linearize(model, t=0.3).poles, atol=1e-9)
    with pytest.raises(bc.Locked, match="6 more degrees of freedom"):
        bc.kinematics(model, {"t": [0.0, 1.0]}, formulation=bc.Momentum())


def test_several_equilibria():
    found = bc.equilibrium(analysed.hanging_rods(), all=24)
    assert len(found) == 4
    energies = [one["potential_energy"] for one in found]
    assert energies == sorted(energies)
    assert [one.stable for one in found] == [True, False, False, False]


def test_a_free_direction_is_named():
    model = bc.Model(
        "bead",
        planar=True,
        bodies=[bc.Body("bead", mass=1.0, com=(0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("rail", "ground", "bead", at=(0, 0), axis="x")],
    )
    rest = bc.equilibrium(model)
    assert rest.free == ("rail.offset",)
    assert "nothing has stiffness against rail.offset" in repr(rest)


def test_what_falls_has_no_equilibrium(formulation):
    ball = bc.Model(
        "ball",
        bodies=[bc.Body("b", bc.Sphere(0.1, (0, 0, 1), mass=2.0))],
        joints=[bc.Free("F", "ground", "b")],
    )
    with pytest.raises(
        bc.NoEquilibrium, match=r"'F.position_z' is pushed by -19.62 N"
    ) as caught:
        bc.equilibrium(ball, formulation=formulation)
    assert isinstance(caught.value.nearest, bc.State)


def test_a_locked_mechanism_rests_where_it_is():
    model = analysed.four_bar().add(
        bc.Distance("strut", ("ground", (0.5, 0)), ("crank", (0, 1)))
    )
    rest = bc.equilibrium(model)
    assert rest.iterations == 0
    assert len(rest.linear.poles) == 0


def test_inputs_and_mistakes():
    model = analysed.hanging_rods().add(bc.Motor("motor", "A", bc.Input("tau")))
    rest = bc.equilibrium(model, inputs={"tau": 5.0})
    assert rest["upper.acceleration_x"] == pytest.approx(0.0, abs=1e-9)
    assert rest["A.angle"] > 0.1
    with pytest.raises(bc.UnknownName, match=r"no rate named 'A.rate'"):
        bc.equilibrium(model, rates={"A.rate": 1.0})
    with pytest.raises(bc.OptionError, match="all takes the number of starts"):
        bc.equilibrium(model, all=0)
    with pytest.raises(bc.NoEquilibrium, match="no equilibrium of 'two rods' was found"):
        bc.equilibrium(model, inputs={"tau": 500.0})
