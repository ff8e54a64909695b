"""Angles of joints that close loops, as sums of the angles of the tree.

Round a loop whose axes are all parallel, turns add up as numbers do: the angle of the joint
that closes it is the sum of those along the tree from its first body to its second, each with
the sign of its axis against this one. Where axes are inclined to each other a little, by β in
all, the difference between angle and sum has the same value after a full turn of any of them,
and so is never larger than about β²: full turns are still those of the sum.

Needs no CasADi.
"""

from dataclasses import dataclass
from math import asin, sqrt

from bellcrank.formulations.contract.unwrapped import Angle
from bellcrank.model import Joint, Model

PARALLEL = 1e-8  # sine of the angle between axes whose turns add up to rounding
NEARLY = 0.3  # angle [rad] by which the axes of a loop may be inclined to each other in all


@dataclass(frozen=True)
class Sum:
    """A measured angle as a sum of others.

    Attributes:
        terms: Angles of joints of the tree, such as `A.angle`, and the sign each has; they
            are counted from the drawing.
        exact: Whether the sum is the angle itself, or only says how many turns it has made.
    """

    terms: tuple[tuple[str, float], ...]
    exact: bool


def loop_sums(model: Model) -> dict[Angle, Sum]:
    """Return the angles of joints that close loops and are sums of angles of the tree."""
    found = {}
    for name in model.graph.loops:
        joint = model[name]
        total = _sum(model, joint) if joint.mobility.turning == 1 else None
        if total is not None:
            found[name, joint.mobility.rotations[0].coordinate] = total
    return found


def _sum(model: Model, joint: Joint) -> Sum | None:
    """Return the angle of a joint that closes a loop, or None where turns do not add up."""
    terms: list[tuple[str, float]] = []
    inclined = 0.0
    axis = _axis(joint)
    if axis is None:
        return None
    before = axis
    for name, sign in tree_path(model, joint):
        step = model[name]
        if not step.mobility.motions:
            continue
        if step.mobility.turning > 1 or (its := _axis(step)) is None:
            return None
        if not step.mobility.turning:
            continue
        same = _between(axis, its)[0]
        if same is None:
            return None
        terms.append((f"{name}.{step.mobility.rotations[0].coordinate}", sign * same))
        inclined += _between(before, its)[1]
        before = its
    inclined += _between(before, axis)[1]
    if inclined > NEARLY:
        return None
    return Sum(tuple(terms), inclined <= PARALLEL)


def tree_path(model: Model, joint: Joint) -> list[tuple[str, float]]:
    """Return the joints of the tree from the first body to the second, and how they count."""
    graph = model.graph

    def down(body: str) -> list[int]:
        return list(graph.path(graph.number[body])) if body != "ground" else []

    first, second = down(joint.first), down(joint.second)
    shared = [k for k in first if k in second]

    def steps(bodies: list[int], sign: float) -> list[tuple[str, float]]:
        return [
            (graph.tree_joint[k - 1], -sign if graph.reversed[k - 1] else sign)
            for k in bodies
            if k not in shared
        ]

    return [*reversed(steps(first, -1.0)), *steps(second, 1.0)]


def _axis(joint: Joint) -> tuple | None:
    """Return the axis of a joint, or None where its sides have different ones."""
    return joint.axis_first if joint.axis_first == joint.axis_second else None


def _between(one: tuple, other: tuple) -> tuple[float | None, float]:
    """Return the sign of one axis against another, and the angle between their lines [rad].

    Axes that depend on parameters are parallel if they are written alike; of others nothing is
    known, and the sign is None.
    """
    if one == other:
        return 1.0, 0.0
    if not all(isinstance(entry, float | int) for entry in (*one, *other)):
        return None, 0.0
    (a, b, c), (x, y, z) = one, other
    cross = (b * z - c * y, c * x - a * z, a * y - b * x)
    sine = sqrt(sum(entry * entry for entry in cross))
    cosine = a * x + b * y + c * z
    if sine > 0.5:
        return None, 0.0
    return (1.0 if cosine > 0 else -1.0), asin(min(sine, 1.0))
