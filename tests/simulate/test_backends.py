"""The two backends of one machine begin, weigh and show it alike."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.constraints.assembly.closing import ClosingPoint
from bellcrank.machine.batched.backend import BatchedMachine
from bellcrank.machine.batched.closing import BatchedPoint, CountedAngles
from bellcrank.machine.straight_line import StraightLineMachine

SUM = bc.Cartesian(assembled=True)


def bars() -> bc.Model:
    """Return a four-bar in its plane with a spring, a damper and a law that switches."""
    A, B, C, D = (0, 0), (0.1, 1), (2, 1.7), (2.1, 0)
    return bc.Model(
        "bars",
        planar=True,
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("coupler", bc.Rod(B, C, mass=2.2)),
            bc.Body("rocker", bc.Rod(D, C, mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A),
            bc.Revolute("B", "crank", "coupler", at=B),
            bc.Revolute("C", "coupler", "rocker", at=C),
            bc.Revolute("D", "ground", "rocker", at=D),
        ],
        points=[bc.Point("tip", "coupler", at=(1, 2))],
        forces=[
            bc.JointSpring("spring", "D", stiffness=20.0, damping=0.4),
            bc.Motor("brake", "A", effort="-0.5*sign(A.angle_rate)"),
        ],
    )


@pytest.fixture(scope="module")
def backends():
    """The machine as straight-line code and as a sum over its elements."""
    model = bars()
    system = bc.compile(model, SUM, level=0)
    given = model, system, system.parameter_vector()
    return StraightLineMachine(*given), BatchedMachine(*given, SUM.equations)


@pytest.fixture(scope="module")
def begun(backends):
    """X and k of both, and the arguments of slots at two records of the same motion."""
    start, w = {"A.angle": 0.2, "A.angle_rate": -1.3}, np.zeros(0)
    states = [machine.begin(start, 0.0, w, {"D.angle": 7.0}) for machine in backends]
    x, k = states[0]
    system = backends[0].system
    t, both = np.array([[0.0], [0.5]]), [np.tile(part, (2, 1)) for part in system.split(x)]
    both[1][1] *= 2.0
    return states, (t, *both, np.zeros((2, 0)), backends[0].p, np.tile(k, (2, 1)))


def test_they_begin_alike(begun):
    (x, k), (other, kept) = begun[0]
    np.testing.assert_allclose(other, x, atol=1e-11)
    np.testing.assert_allclose(kept, k, atol=1e-11)
    assert k[0] == -1.0  # the brake is on its side


def test_they_show_the_same(backends, begun):
    """Every channel, what joints do among them."""
    straight, batched = (machine.observed(begun[1]) for machine in backends)
    wanted = straight.everything() | straight.later[0]()
    found = batched.everything()
    assert set(found) == set(wanted)
    for name, values in wanted.items():
        size = 1.0 + np.abs(values).max()
        np.testing.assert_allclose(found[name], values, atol=1e-9 * size, err_msg=name)
    np.testing.assert_allclose(batched.power(), straight.power(), atol=1e-12)
    np.testing.assert_allclose(batched.orientation("rocker"), straight.orientation("rocker"))


def test_they_have_the_same_constraints(backends, begun):
    """C at the start, and at another position that does not close."""
    q = begun[1][1][0]
    for place in (q, q + 0.1 * np.arange(len(q))):
        straight, batched = (machine.rows(0.0, place) for machine in backends)
        np.testing.assert_allclose(batched, straight, atol=1e-13)
        assert np.abs(straight).max() > 0.5


@pytest.mark.parametrize("level", ["position", "velocity"])
def test_they_correct_alike(backends, begun, level):
    """The smallest step in the mass metric that gives the rows what they lack."""
    straight, batched = backends
    q, system, none = begun[1][1][0], straight.system, {"position": (), "velocity": ()}
    w, free = np.zeros(0), np.ones(len(system.speeds), dtype=bool)
    full = ClosingPoint(system, 0.0, np.zeros(0), w, straight.p, ())
    sums = {each: batched.sums for each in none}
    angles = CountedAngles({}, lambda name: 0.0)
    sparse = BatchedPoint(sums, 0.0, w, system.speed_sizes, none, angles)
    b = np.random.default_rng(3).normal(size=len(system.equations.rows))
    wanted, found = (there.nearest(level, q, b, free) for there in (full, sparse))
    np.testing.assert_allclose(full.matrix(level, q) @ found, b, atol=1e-12)
    np.testing.assert_allclose(found, wanted, atol=1e-4)  # 1e-6 of inertia is added for rods
    off = q + 0.01
    np.testing.assert_allclose(sparse.residual(off), full.residual(off), atol=1e-13)
    u = np.arange(len(system.speeds), dtype=float)
    np.testing.assert_allclose(sparse.lacking(q, u), full.lacking(q, u), atol=1e-12)


def test_they_are_weighed_alike(backends, begun):
    states, arguments = begun
    energies = []
    for machine, (x, k) in zip(backends, states, strict=True):
        machine.check_motion(0.0, x, np.zeros(0), k)
        motion = machine.motion(0.0, x, np.zeros(0), k, pushed=False, rtol=None)
        energies.append(motion.audit(*arguments)[0][:, :4])
    np.testing.assert_allclose(energies[1], energies[0], atol=1e-11)


def test_what_takes_both_is_told_by_the_equations():
    """Whether a machine may be straight-line code is a fact of its equations."""
    assert not SUM.equations(bars()).straight_line
    assert bc.Cartesian().equations(bars()).straight_line
    with pytest.raises(bc.OptionError, match=r"Radau5\(\)"):
        bc.simulate(bars(), 0.1, formulation=SUM, integrator=bc.DOP853())


def tabled(scale: float) -> bc.Model:
    """Return carts that tables of their own push: of time, a place, a length and a variable."""
    numbers = range(6)
    knots = [scale * np.array([0.0, 1.0, 2.0 + i % 3]) for i in numbers]
    tables = [f"{each.tolist()}, [0, {1 + i}, 0]" for i, each in enumerate(knots)]
    laws = [f"interp(t, {table})" for table in tables[:4]]
    return bc.Model(
        "tabled",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body(f"b{i}", mass=1, com=(0, i, 0), inertia=(1, 1, 1, 0, 0, 0)) for i in numbers
        ],
        joints=[
            bc.Prismatic(f"S{i}", "ground", f"b{i}", at=(0, i, 0), axis="x") for i in numbers
        ],
        variables=[bc.Variable("v", rate=f"interp(t, {tables[0]})")],
        forces=[
            *(bc.Motor(f"M{i}", f"S{i}", law) for i, law in enumerate(laws)),
            bc.Motor("M4", "S4", bc.Input("push")),
            bc.SpringDamper("d", ("ground", (1, 5, 0)), ("b5", (0, 5, 0)),
                            law="interp(length, [0, 1, 2], [0, 0.1, 0])"),
        ],
    )  # fmt: skip


@pytest.mark.parametrize("scale", [0.1, 1.0])
def test_tables_push_by_the_area_below_them(scale):
    """Speeds are ∫F dt / m in both backends, for carts of one kind with own knots."""
    end, runs = 5.0 * scale, []
    push = f"interp(t, {[0.0, scale, end]}, [0, 3, 0])"
    for assembled in (True, False):
        form = bc.Cartesian(assembled=assembled)
        runs.append(bc.simulate(tabled(scale), end, formulation=form, inputs={"push": push}))
    areas = [0.5 * (1 + i) * (2 + i % 3) * scale for i in range(4)]
    for run in runs:
        found = [run.values(f"S{i}.offset_rate")[-1] for i in range(5)]
        np.testing.assert_allclose(found, [*areas, 7.5 * scale], rtol=1e-8)
        assert run.values("v")[-1] == pytest.approx(areas[0], rel=1e-8)
    pulled = [run.values("S5.offset")[-1] for run in runs]
    assert pulled[0] == pytest.approx(pulled[1], rel=1e-7)
    assert pulled[0] != 0.0
