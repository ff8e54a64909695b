"""Laws whose parts rest where others jump: floor(t) > 2, max(x, 0) > 0, mod(floor(4 t), 2).

The right number is an integral of the law as Python evaluates it, point by point.
"""

import random

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.model.expressions import evaluate, expression, signals

SPAN, POINTS = 2.9, 40_000
T = (np.arange(POINTS) + 0.5) * SPAN / POINTS
FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
COMPARISONS = ("<", "<=", ">", ">=")

LAWS = [
    *(f"where(floor(X) {how} 1, 1, 0)" for how in COMPARISONS),
    *(f"where(max(X - 1.5, 0) {how} 0, 1, 0)" for how in COMPARISONS),
    *(f"where(mod(floor(4*X), 2) {how} 1, 1, -1)" for how in COMPARISONS),
    "step(min(X - 1.5, 0))",
    "sign(max(X - 1.5, 0))",
    "where(step(X - 1.5) > 0, 1, 0)",
    "floor(min(X - 1.5, 0))",
    "ceil(max(X - 1.5, 0))",
    "floor(floor(3*X)/3)",
    "round(round(2*X)/2)",
    "floor(interp(2*X, [-1, 0, 1, 2], [0.5, -1, 1, 0]))",
    "where((floor(X) > 0) and (floor(X) < 2), 1, 0)",
    "max(min(sin(3*X), 0), 0)",
]


def cart(law: str) -> bc.Model:
    """Return a cart of 1 kg that a law pushes, and one that coasts beside it."""
    own = (1, 1, 1, 0, 0, 0)
    return bc.Model(
        "cart", gravity=(0, 0, 0),
        bodies=[bc.Body(name, mass=1, com=(0, 0, 0), inertia=own) for name in "bc"],
        joints=[
            bc.Prismatic("B", "ground", "b", at=(0, 0, 0), axis="x"),
            bc.Prismatic("C", "ground", "c", at=(0, 0, 0), axis="x"),
        ],
        forces=[bc.Motor("push", "B", effort=law)],
    )  # fmt: skip


def drawn(seed: int) -> str:
    """Return a law of X, nonsmooth operations of nonsmooth operations."""
    draw = random.Random(seed)

    def part(depth: int) -> str:
        if not depth:
            return draw.choice(["X", "(X - 0.5)", "(X - 1)", "2*X", "3*X", "sin(3*X)"])
        inner, level = part(depth - 1), draw.choice(["0", "1", "0.5", "-1", "2"])
        kind = draw.randrange(6)
        if kind == 0:
            how = draw.choice(["floor", "abs", "step", "sign", "ceil", "round"])
            return f"{how}({inner})"
        if kind == 1:
            return f"mod({inner}, {draw.choice(['2', '1', '0.5'])})"
        if kind == 2:
            return f"{draw.choice(['min', 'max'])}({inner}, {level})"
        if kind == 3:
            how = draw.choice(COMPARISONS)
            return f"where({inner} {how} {level}, {level}, {part(depth - 1)})"
        if kind == 4:
            return f"interp({inner}, [-1, 0, 1, 2], [0.5, -1, 1, 0])"
        both = draw.choice(["and", "or"])
        return f"where(({inner} > {level}) {both} ({part(depth - 1)} <= 1), {inner}, {level})"

    return part(draw.choice([2, 3]))


def pushed(law: str) -> tuple[float, float]:
    """Return where a law pushes the cart to from rest, and how hard it pushes at most."""
    tree = expression(law)
    force = np.array([evaluate(tree, {"t": t}) for t in T.tolist()])
    return float(force @ (SPAN - T)) * SPAN / POINTS, float(np.abs(force).max())


def compare(law: str, integrator: bc.Auto | bc.DOP853 | bc.Radau5) -> None:
    """Compare a law of time, and the same law of the place of a cart that coasts along."""
    right, hardest = pushed(law.replace("X", "t"))
    start = {"B.offset": 0.0, "B.offset_rate": 0.0, "C.offset": 0.0, "C.offset_rate": 1.0}
    for name in ("t", "C.offset"):
        model = cart(law.replace("X", name))
        run = bc.simulate(model, SPAN, start=start, every=SPAN, integrator=integrator)
        off = abs(float(run.values("B.offset")[-1]) - right)
        assert off < 3e-4 * (1.0 + hardest), (law, name)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("law", LAWS)
def test_a_law_that_rests_where_it_jumps(law):
    """Of time and of a place, with explicit and implicit steps; and nothing warns."""
    for integrator in (bc.DOP853(), bc.Radau5()):
        compare(law, integrator)


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", range(40))
def test_laws_of_laws(seed):
    """Drawn at random: whatever is nested in whatever."""
    law = drawn(seed)
    if "t" in signals(expression(law.replace("X", "t"))):
        compare(law, bc.Auto())


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize(
    ("law", "place"),
    [
        ("where(B.offset > 0, 5, 0)", 0.0),
        ("where(B.offset >= 0, 0, 5)", 0.0),
        ("2*sign(B.offset)", 0.0),
        ("where(B.offset < 1, 2, 0)", 1.0),
        ("-2*sign(B.offset_rate)", 1.0),
    ],
)
def test_what_begins_on_a_threshold_is_where_the_law_says(law, place, formulation):
    """At rest where the law is zero it stays: `>` is false of equal numbers, sign(0) is 0."""
    model = cart(law)
    start = {"B.offset": place, "B.offset_rate": 0.0, "C.offset": 0.0, "C.offset_rate": 0.0}
    run = bc.simulate(model, 1.0, start=start, every=0.5, formulation=formulation)
    np.testing.assert_allclose(run.values("B.offset"), place, atol=1e-12)
    state = bc.assemble(model, start, formulation=formulation)
    assert float(state["push.effort"]) == 0.0


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("law", "every"),
    [
        ("ceil(sin(7*t))", 0.1),
        ("floor(abs(sin(3*t)))", 0.1),
        ("sign(sin(2*pi*500*t))", 0.001),
        ("sign(sin(2*pi*300*t))", 0.05),
    ],
)
def test_touches_and_records_in_step_are_no_reason_to_warn(law, every):
    """Where a law only touches its jump, or switches at every record, the audit is quiet."""
    run = bc.simulate(cart(law), 2.0, every=every)
    assert not run.audit["contradictions"]
