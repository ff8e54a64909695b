"""What constraints that are no joints do, of their multipliers: the same in every formulation.

A multiplier λ of a row gives a body the wrench −λ (∂Φ̇/∂twist)ᵀ. What an engineer asks for is
this wrench as a tension, a force, a torque or an effort; the docstring of each constraint
defines it, and here it is for λ = 1.
"""

from functools import singledispatch

from bellcrank.formulations.body_space.constraints import carrier, directions, disc
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.model import (
    Constraint,
    Distance,
    Parallel,
    Perpendicular,
    PointOnLine,
    RollingDisc,
    Rope,
)
from bellcrank.spatial.arithmetic import Vector, cross, scaled


@singledispatch
def forces_per_multiplier(constraint: Constraint, scene: Scene) -> list[Vector]:
    """Return the scalars of a constraint's channel, for each of its multipliers.

    A kind of constraint from outside the package registers its own with
    `@forces_per_multiplier.register`, or has one multiplier and shows −λ, along what is written
    first with the sign plus.

    Args:
        constraint: Not a joint.
        scene: Where the bodies are.

    Returns:
        One vector per multiplier: position rows in order, then velocity rows.
    """
    return [[-1.0]]


@forces_per_multiplier.register
def _distance(constraint: Distance, scene: Scene) -> list[Vector]:
    return [[1.0]]  # −λ d/L acts on the second end: λ pulls it towards the first


@forces_per_multiplier.register
def _rope(constraint: Rope, scene: Scene) -> list[Vector]:
    return [[1.0]]  # as of a distance


@forces_per_multiplier.register
def _on_line(constraint: PointOnLine, scene: Scene) -> list[Vector]:
    pair = carrier(scene, constraint)
    return [scaled(-1.0, pair.axis(0, number)[0]) for number in (0, 1)]


@forces_per_multiplier.register
def _parallel(constraint: Parallel, scene: Scene) -> list[Vector]:
    return [_turning(scene, constraint, number) for number in (0, 1)]


@forces_per_multiplier.register
def _perpendicular(constraint: Perpendicular, scene: Scene) -> list[Vector]:
    return [_turning(scene, constraint, 2)]


@forces_per_multiplier.register
def _rolling(constraint: RollingDisc, scene: Scene) -> list[Vector]:
    _, normal, axle, sine = disc(scene, constraint)
    forward = [entry / sine for entry in cross(axle, normal)]
    return [scaled(-1.0, v) for v in (normal, forward, cross(normal, forward))]


def _turning(scene: Scene, element: Parallel | Perpendicular, number: int) -> Vector:
    """Return −h₂ × a₁, the torque on the second body of the row a₁·h₂ = 0."""
    pair = directions(scene, element)
    return cross(pair.axis(0, number)[0], pair.axis(1, 2)[0])
