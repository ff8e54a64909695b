"""One mistake in one place of one formulation: `verify` sees it and says whose it is.

Each mistake is a sign, a dropped term, a wrong factor or a swapped index in the source of a
school, or in what all schools share. Where nothing can see it, it says why.
"""

from functools import cache

import pytest
from tests.analysis.mutation import mutated
from tests.analysis.scattered import scattered
from tests.draws import LONG

import bellcrank as bc
from bellcrank.analysis.verify import Verification, verify_states
from bellcrank.testing import machine

KANE = [
    ("kane.motion", "            centripetal(w, d),\n", ""),
    ("kane.motion", "scaled(2.0, cross(w, slide))", "cross(w, slide)"),
    ("kane.equations", "minus(apply(transpose(motion.A[k]), torque), cross(w, apply(J, w)))",
     "plus(apply(transpose(motion.A[k]), torque), cross(w, apply(J, w)))"),
    ("kane.equations", "turn = -(d @ (self._between(j, k) @ h))",
     "turn = d @ (self._between(j, k) @ h)"),
    ("kane.equations", "turning[k] = plus(turning[k], cross(geometry.r[k], own))", "pass"),
    ("kane.equations", "self.masses[low] = add(self.masses[low], self.masses[k])",
     "self.masses[low] = self.masses[low]"),
]  # fmt: skip
RELATIVE = [
    ("kane.speeds", "swept = cross(self._carried(spins, k), self.own[k])",
     "swept = cross(self.own[k], self._carried(spins, k))"),
]  # fmt: skip
CARTESIAN = [
    ("cartesian.inertia", "scaled(-1.0, cross(w, apply(self.J, w)))",
     "cross(w, apply(self.J, w))"),
    ("cartesian.slots", "body.force(*balance.applied[body.placed.name])",
     "body.force(balance.applied[body.placed.name][0], [0.0] * 3)"),
    ("cartesian.slots", "mul(0.5, G[j][i])", "mul(0.5, G[i % 3][j])"),
]  # fmt: skip
FRAME = [
    ("cartesian.inertia", "scaled(neg(self.m), apply(self.frame.A, centripetal(",
     "scaled(self.m, apply(self.frame.A, centripetal("),
    ("cartesian.inertia", "product(self.frame.A, skew(scaled(neg(self.m), self.s)))",
     "product(self.frame.A, skew(scaled(self.m, self.s)))"),
]  # fmt: skip
EULER = [
    ("cartesian.inertia", "turn = scaled(8.0, apply(", "turn = scaled(4.0, apply("),
    ("cartesian.inertia", "[[0.0, 0.0, 0.0, *scaled(2.0, row)] for row in G]",
     "[[0.0, 0.0, 0.0, *row] for row in G]"),
]  # fmt: skip
NATURAL = [
    ("natural.school", "f -= placed.bias", "f += placed.bias"),
    ("natural.school", "(placed.R.T @ torque)", "(placed.R @ torque)"),
    ("points.spatial_bodies", "return self.m * V.T @ V + G.T @ self.J @ G\n",
     "return self.m * V.T @ V\n"),
    ("points.spatial_bodies", "G.T @ (self.J @ turn + ca.cross(w, self.J @ w))",
     "G.T @ (self.J @ turn - ca.cross(w, self.J @ w))"),
]  # fmt: skip
TREE = "joint_coordinates.recursions"
JOINT = [
    (TREE, "plus(n, scaled(-1.0, torque)), plus(f", "plus(n, torque), plus(f"),
    (TREE, "a[column.axis] = add(a[column.axis], mul(column.slide, y))", "pass"),
    ("joint_coordinates.slots", "= efforts[i] + effort", "= efforts[i] - effort"),
]  # fmt: skip
SHARED = [
    ("body_space.balance", "sums[name] = plus(force, scaled(body.m, self.gravity)), torque",
     "sums[name] = plus(force, scaled(-body.m, self.gravity)), torque"),
    ("body_space.balance", "moment = plus(push.torque, cross(arm, push.force))",
     "moment = plus(push.torque, cross(push.force, arm))"),
]  # fmt: skip

FORCES = ("SpringDamper", "JointSpring", "Bushing", "Motor")


@cache
def spatial() -> tuple:
    model = machine(("Universal", "Cylindrical", "Revolute"), (0, 1, 2), 5, forces=FORCES)
    return model, scattered(model, 2, 3)


def verified(wrong) -> Verification:
    """Return the verification of one formulation with a mistake among three without."""
    model, where = spatial()
    good = [bc.JointCoordinates(), bc.Cartesian(), bc.Kane()]
    others = [one for one in good if type(one).__name__ != type(wrong).__name__]
    return verify_states(model, where, [*others, wrong])


def test_without_a_mistake_all_agree():
    with mutated("kane.motion", "Where the bodies are", "Where the bodies are") as package:
        found = verified(package.Kane())
    assert found.agrees, found.verdict


WRONG = [
    pytest.param(name, options, change, id=f"{name} {i + 1} {change[0]}")
    for name, options, changes in (
        ("Kane", {}, KANE),
        ("Kane", {"speeds": "relative body"}, RELATIVE),
        ("Cartesian", {}, CARTESIAN),
        ("Cartesian", {"reference": "frame"}, FRAME),
        ("Cartesian", {"form": "euler"}, EULER),
        ("Natural", {}, NATURAL),
        ("JointCoordinates", {}, JOINT),
    )
    for i, change in enumerate(changes)
]


@pytest.mark.family
@pytest.mark.parametrize(("name", "options", "change"), WRONG if LONG else WRONG[::2])
def test_a_mistake_is_caught_and_its_formulation_named(name, options, change):
    with mutated(*change) as package:
        found = verified(getattr(package, name)(**options))
    assert not found.agrees, "not seen"
    blamed = {*found.strangers, *found.broken, *found.failures}
    assert blamed, found.verdict
    assert all(label.startswith(name) for label in blamed), found.verdict


def test_twenty_places_are_tried():
    assert len(WRONG) + len(SHARED) >= 20


@pytest.mark.parametrize("change", SHARED, ids=range(len(SHARED)))
def test_mistakes_in_what_all_share_break_a_law_in_all(change):
    """Formulations agree on a wrong force; energy does not."""
    model, where = spatial()
    with mutated(*change) as package:
        found = verify_states(model, where, [package.JointCoordinates(), package.Cartesian()])
    assert set(found.broken) == {"JointCoordinates()", "Cartesian()"}
    assert all(
        any(audit.law in ("energy balance", "power balance") for audit in audits)
        for audits in found.broken.values()
    )


def test_what_nothing_can_see():
    """A wrong number in the drawing (here a mass) is the same machine to every formulation.

    Likewise a wrong formula for the inertia of a shape, or a spring whose law and potential
    are wrong together: the machine is another one, and all formulations agree on it.
    """
    model, where = spatial()
    heavy = model.replace("B2", mass=2 * model["B2"].mass)
    found = verify_states(heavy, scattered(heavy, 2, 3), [bc.JointCoordinates(), bc.Kane()])
    assert found.agrees
    assert where.states.t.shape == (2,)
