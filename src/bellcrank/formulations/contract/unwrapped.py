"""Angles counted over full turns.

The angle of a joint whose coordinates are not in q is measured: S = sin θ and C = cos θ are
known, full turns are not. They are taken from what θ is known to be about, ϑ, from which it is
less than half a turn away:

    θ = a + 2π round((ϑ − a)/2π),    a = atan2(S, C)

In order of preference ϑ is
    1. a sum of coordinates (`coaxial`): where all axes of a loop are parallel, and in the
       plane, the angle is that sum itself, and neither S nor C is looked at,
    2. the travel of a screw over its lead,
    3. the line k₁ + k₂ t kept in memory: the angle at the last accepted step, carried on by its
       rate. After a step `revise` sets it to θ − θ̇ t and θ̇; a step during which the angle
       leaves that line by a quarter of a turn is not accepted (`native.unwrapping`).

Without any ϑ is zero, and θ a principal value. Angles are counted from the drawing, without
what `drawn` adds.

This module needs no CasADi until an angle is written.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bellcrank.formulations.contract.equations import StateVariable
from bellcrank.formulations.contract.switches import Switch
from bellcrank.model import Model
from bellcrank.model.elements.joint import scalar_coordinates
from bellcrank.model.names import quantity_of
from bellcrank.spatial.arithmetic import Printable, Scalar, function

Angle = tuple[str, str]
"""A joint and its coordinate."""

TURN = 6.283185307179586


@dataclass(frozen=True)
class Turn:
    """What is known of a measured angle besides its sine and cosine.

    Attributes:
        about: ϑ, counted from the drawing [rad].
        exact: Whether that is the angle itself.
        kept: Whether it comes from memory, which is revised after each step.
    """

    about: Scalar
    exact: bool = False
    kept: bool = False


def measured_angles(model: Model, joints: Iterable[str]) -> tuple[Angle, ...]:
    """Return every angle of joints whose coordinates are not in q."""
    return tuple(
        (name, coordinate)
        for name in joints
        for coordinate in scalar_coordinates(model[name])
        if quantity_of(coordinate) == "angle"
    )


def remembered_angles(
    model: Model, joints: Iterable[str], summed: Collection[Angle] = ()
) -> tuple[Angle, ...]:
    """Return the measured angles whose turns only memory knows.

    Args:
        model: The machine.
        joints: Names of the joints whose coordinates are not in q.
        summed: The angles that are sums of coordinates.
    """
    return tuple(
        angle
        for angle in measured_angles(model, joints)
        if angle not in summed and not model[angle[0]].mobility.lead
    )


def turn_memory(angles: Iterable[Angle]) -> tuple[StateVariable, ...]:
    """Return the memory k₁, k₂ of each remembered angle; it follows the modes."""
    return tuple(
        variable
        for joint, coordinate in angles
        for variable in (
            StateVariable(f"{joint}.{coordinate}", "angle", joint),
            StateVariable(f"{joint}.{coordinate}_rate", "angle_rate", joint),
        )
    )


def kept_turns(
    angles: Sequence[Angle], memory: Sequence[Scalar], time: Scalar
) -> dict[Angle, Turn]:
    """Return k₁ + k₂ t of each remembered angle.

    Args:
        angles: The angles, in order.
        memory: The scalars of their memory.
        time: The symbol of t.
    """
    pairs = zip(memory[::2], memory[1::2], strict=True)
    return {
        angle: Turn(first + rate * time, kept=True)
        for angle, (first, rate) in zip(angles, pairs, strict=True)
    }


def recalled(
    scalars: Mapping[str, Sequence[Scalar]],
    switches: Sequence[Switch],
    angles: Sequence[Angle],
    smooth: bool = True,
) -> tuple[dict[Switch, Scalar], dict[Angle, Turn]]:
    """Return what memory k holds: the modes of nonsmooth operations, then turns of angles.

    Args:
        scalars: The scalars of `ARGUMENTS`.
        switches: The nonsmooth operations.
        angles: The remembered angles, in order.
        smooth: Whether modes are held; without them operations are as they are.
    """
    k, count = scalars["k"], len(switches)
    modes = dict(zip(switches, k[:count], strict=True)) if smooth else {}
    return modes, kept_turns(angles, k[count:], scalars["t"][0])


def turns_of(scene: Any) -> Mapping[Angle, Turn]:
    """Return what is known of the measured angles of a scene; nothing where it keeps none."""
    return getattr(scene, "turns", {})


def principal(S: Scalar, C: Scalar, c: Scalar) -> Scalar:
    """Return θ − c between −π and π, from S = sin θ and C = cos θ."""
    import casadi as ca

    if type(c) is float and c == 0.0:
        return ca.atan2(S, C)
    return ca.atan2(S * ca.cos(c) - C * ca.sin(c), C * ca.cos(c) + S * ca.sin(c))


def followed(S: Scalar, C: Scalar, turn: Turn | None) -> Scalar:
    """Return θ over full turns, from S = sin θ, C = cos θ and what it is about."""
    if turn is not None and turn.exact:
        return turn.about
    angle = function("atan2", S, C)
    if turn is None or isinstance(angle, Printable):  # whole turns are not written
        return angle
    return angle + TURN * whole_turns(angle, turn)


def whole_turns(angle: Scalar, turn: Turn) -> Scalar:
    """Return how many full turns lie between a principal value and what it is about."""
    import casadi as ca

    return ca.floor((turn.about - angle) / TURN + 0.5)
