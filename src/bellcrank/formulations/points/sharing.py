"""Which points and axes of bodies are one and the same, because joints hold them together.

A hinge holds a point and a vector of two bodies together, a ball joint or the cross of two pins
a point. What is one point for two joints of one body is one point for all
their bodies, and parallel axes of a body are one vector. Needs no CasADi.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from bellcrank.model import Joint, Model

Drawn = tuple[Any, ...]
"""Three numbers of the drawing, floats or expressions of parameters."""
Side = tuple[str, Drawn]
"""A body and what of it is meant."""


@dataclass
class SharedBasic:
    """A point or a vector that several bodies share.

    Attributes:
        owner: The first joint that ties it.
        sides: What it is on each body: a place in the drawing [m], or a unit vector of it.
    """

    owner: str
    sides: dict[str, Drawn] = field(default_factory=dict)


@dataclass(frozen=True)
class Shared:
    """What joints hold together.

    Attributes:
        points: The shared points.
        vectors: The shared vectors.
        joints: The joints that hold because of it, and need no row but for two pins.
    """

    points: tuple[SharedBasic, ...]
    vectors: tuple[SharedBasic, ...]
    joints: tuple[str, ...]


def shared(model: Model) -> Shared:
    """Return what the joints of a model hold together.

    A joint that would give a body two places for one point is left to be written as rows.
    """
    points: list[SharedBasic] = []
    vectors: list[SharedBasic] = []
    held = []
    for joint in model.joints:
        turning = joint.mobility.turning
        if not turning or joint.mobility.slid or joint.mobility.lead:
            continue
        with_point = _tied(points, joint.name, _points(joint), (1,))
        with_vector: list[SharedBasic] | None = vectors
        if turning == 1 and not model.planar:
            with_vector = _tied(vectors, joint.name, _axes(joint), (1, -1))
        if with_point is None or with_vector is None:
            continue
        points, vectors = with_point, with_vector
        held.append(joint.name)
    return Shared(tuple(points), tuple(vectors), tuple(held))


def _points(joint: Joint) -> tuple[Side, Side]:
    return (joint.first, tuple(joint.at_first)), (joint.second, tuple(joint.at_second))


def _axes(joint: Joint) -> tuple[Side, Side]:
    return (joint.first, tuple(joint.axis_first)), (joint.second, tuple(joint.axis_second))


def _tied(
    ties: Sequence[SharedBasic], owner: str, sides: tuple[Side, Side], signs: tuple[int, ...]
) -> list[SharedBasic] | None:
    """Return ties with two sides held together, None where that contradicts the others.

    Args:
        ties: Those before.
        owner: The joint.
        sides: What it holds together.
        signs: (1,) for points; (1, −1) for axes, where opposite ones are one vector, too.
    """
    met = [
        (tie, sign)
        for tie in ties
        for sign in signs
        if any(tie.sides.get(body) == _times(sign, value) for body, value in sides)
    ]
    merged: dict[str, Drawn] = {}
    # Everything is turned the way the first tie met has it.
    turn = met[0][1] if met else 1
    parts = [(tie.sides, turn * sign) for tie, sign in met] + [(dict(sides), turn)]
    for part, sign in parts:
        for body, value in part.items():
            value = _times(sign, value)
            if merged.setdefault(body, value) != value:
                return None
    one = SharedBasic(met[0][0].owner if met else owner, merged)
    gone = [tie for tie, _ in met]
    kept: list[SharedBasic] = []
    for tie in ties:
        if not any(tie is other for other in gone):
            kept.append(tie)
        elif tie is gone[0]:
            kept.append(one)
    return kept if met else [*kept, one]


def _times(sign: int, value: Drawn) -> Drawn:
    return value if sign == 1 else tuple(-entry for entry in value)
