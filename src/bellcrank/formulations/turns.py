"""Angles counted over full turns.

The angle of a joint whose coordinates are not in q is measured: S = sin θ and C = cos θ are
known, full turns are not. Memory k keeps the angle at the last accepted step, from which the
angle is at most half a turn away:

    θ(k) = k + atan2(S cos k − C sin k, C cos k + S sin k)

With k = 0 this is the principal value. After an accepted step `revise` sets k to θ(k). Angles
are counted from the drawing, without what `drawn` adds.

This module needs no CasADi until an angle is written.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bellcrank.formulations.arithmetic import Scalar
from bellcrank.formulations.equations import Variable
from bellcrank.model import Model
from bellcrank.model.joints import scalar_coordinates
from bellcrank.model.names import quantity_of

Angle = tuple[str, str]
"""A joint and its coordinate."""


def measured_angles(model: Model, joints: Iterable[str]) -> tuple[Angle, ...]:
    """Return every angle of joints whose coordinates are not in q."""
    return tuple(
        (name, coordinate)
        for name in joints
        for coordinate in scalar_coordinates(model[name])
        if quantity_of(coordinate) == "angle"
    )


def turn_memory(model: Model, joints: Iterable[str]) -> tuple[Variable, ...]:
    """Return the memory k of the angles of joints that are measured; it follows the modes."""
    return tuple(
        Variable(f"{joint}.{coordinate}", "angle", joint)
        for joint, coordinate in measured_angles(model, joints)
    )


def turns_of(scene: Any) -> Mapping[Angle, Scalar]:
    """Return the memory of each measured angle of a scene; none where it keeps none."""
    return getattr(scene, "turns", {})


def principal(S: Scalar, C: Scalar, c: Scalar) -> Scalar:
    """Return θ − c between −π and π, from S = sin θ and C = cos θ."""
    import casadi as ca

    if type(c) is float and c == 0.0:
        return ca.atan2(S, C)
    return ca.atan2(S * ca.cos(c) - C * ca.sin(c), C * ca.cos(c) + S * ca.sin(c))


def followed(S: Scalar, C: Scalar, k: Scalar) -> Scalar:
    """Return the angle nearest to k, from S = sin θ and C = cos θ."""
    return k + principal(S, C, k)
