"""Frames at a joint, chosen so that its axes are axes of the frame.

Axes along the world's axes of the drawing keep the world's axes, and one along an axis of the
inner frame keeps that frame, so that consecutive frames need no constant rotation between them;
any other axis gets a frame of its own. The frame behind a hinge is turned about it in the
drawing so that the next joint's axis, where it is perpendicular, is an axis of it as well. What
a freedom takes from the inertia of what it carries is then a row of zeros in the next frame
too, and not one of rounding: close to gimbal lock light rings have nothing else.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from bellcrank.formulations.body_space.triads import (
    Lift,
    carried,
    joint_triads,
    lifted,
    triad_about,
)
from bellcrank.formulations.joint_coordinates.inertia import turn_vector
from bellcrank.model import Body, Joint, Model
from bellcrank.model.expressions import Expression
from bellcrank.spatial.arithmetic import IDENTITY, Matrix, dot, transpose

_ALIGNED = 1e-15

Axis = tuple[float | Expression, ...]


class JointFrames(NamedTuple):
    """Axes of the joint on its two sides, and the frame axis and sign of each coordinate.

    Attributes:
        first, second: Matrices whose columns are the axes, in the drawing.
        axes: For each motion about or along one axis: (number of the frame axis, sign); where
            there is none, the three axes.
        ahead: Angles by which the second is turned about the axes of the joint's angles against
            the first when all coordinates are zero [rad].
    """

    first: Matrix
    second: Matrix
    axes: tuple[tuple[int, float], ...]
    ahead: tuple[float, ...] = (0.0, 0.0)


class Between(NamedTuple):
    """What a joint of a tree lies between.

    Attributes:
        inner: Axes of the frame before it, in the drawing.
        outer: The joints after it.
        reversed: Whether it is passed from its second body to its first.
    """

    inner: Matrix
    outer: tuple[Joint, ...]
    reversed: bool


def joint_frames(model: Model, joint: Joint, lift: Lift, between: Between) -> JointFrames:
    """Return the frames of a joint; `lift` turns numbers into scalars."""
    if joint.mobility.ball:
        first, second = (_body_axes(model, name, lift) for name in (joint.first, joint.second))
        return JointFrames(first, second, ((0, 1.0), (1, 1.0), (2, 1.0)))
    numbers = [motion.number for motion in joint.mobility.motions]
    if set(numbers) == {2}:
        return _about_one_axis(joint, lift, between)
    first, second = map(transpose, joint_triads(joint, lift))
    if numbers == [0, 1] and joint.mobility.turning == 2:
        pins = (joint.axis_first, joint.axis_second)
        found = _hinged(pins, between, first)
        return found or JointFrames(first, second, ((0, 1.0), (1, 1.0)))
    aligned = tuple(_along_world(joint.directions[number]) for number in numbers)
    if None not in aligned and (joint.axis is None or joint.axis_first == joint.axis_second):
        return JointFrames(IDENTITY, IDENTITY, aligned)  # type: ignore[arg-type]
    return JointFrames(first, second, tuple((number, 1.0) for number in numbers))


def _about_one_axis(joint: Joint, lift: Lift, between: Between) -> JointFrames:
    """Return the frames of a joint with one axis: all its coordinates are about or along it."""
    count, axis = len(joint.coordinates), joint.axis_first
    if axis == joint.axis_second:
        if not joint.mobility.turning:
            between = between._replace(outer=())  # nothing turns
        found = _hinged((axis,), between)
        if found is not None:
            return found._replace(axes=found.axes * count)
    triad = triad_about(axis, lift, _across(axis, between.outer))
    second = carried(triad, joint, lift)
    return JointFrames(transpose(triad), transpose(second), ((2, 1.0),) * count)


def _hinged(axes: tuple[Axis, ...], between: Between, *own: Matrix) -> JointFrames | None:
    """Return frames with the axes of hinges in a row, or None if none has the first of them.

    Args:
        axes: In the order of the joint, each perpendicular to the next.
        between: What they lie between.
        own: Frames to begin with if the world's axes and the inner frame's do not do.
    """
    passed = axes[::-1] if between.reversed else axes
    frames = (IDENTITY, between.inner, *own)
    first = next((each for each in frames if _along(each, passed[0]) is not None), None)
    if first is None:
        return None
    frame, along, ahead = first, [], []
    for axis, across in zip(
        passed, (*passed[1:], _across(passed[-1], between.outer)), strict=True
    ):
        number, sign = _along(frame, axis) or (0, 1.0)
        frame, angle = _turned(frame, number, across)
        along.append((number, sign))
        ahead.append(sign * angle)
    if between.reversed:
        return JointFrames(frame, first, tuple(along[::-1]), tuple(-a for a in ahead[::-1]))
    return JointFrames(first, frame, tuple(along), tuple(ahead))


def _turned(frame: Matrix, k: int, across: Axis | None) -> tuple[Matrix, float]:
    """Return a frame turned about its axis k until `across` is along one, and the angle."""
    if across is None or _along(frame, across) is not None:
        return frame, 0.0
    columns = transpose(frame)
    y, x = (dot(columns[(k + n) % 3], list(across)) for n in (2, 1))
    angle = math.remainder(math.atan2(y, x), math.pi / 2)  # as little as it takes
    c, s = math.cos(angle), math.sin(angle)
    return [turn_vector(k, c, -s, row) for row in frame], angle


def _body_axes(model: Model, name: str, lift: Lift) -> Matrix:
    """Return R_WB of a body in the drawing; the ground and particles have the world's axes."""
    body = model[name] if name != "ground" else None
    if not isinstance(body, Body):
        return IDENTITY
    return [lifted(row, lift) for row in body.pose.rotation]


def _along_world(axis: Axis | None) -> tuple[int, float] | None:
    """Return (number, sign) of the world axis an axis is along, or None."""
    return None if axis is None else _along(IDENTITY, axis)


def _along(frame: Matrix, axis: Axis) -> tuple[int, float] | None:
    """Return (number, sign) of the axis of a frame an axis is along, or None."""
    if not _plain(axis) or not all(map(_plain, frame)):
        return None
    parts = [dot(column, list(axis)) for column in transpose(frame)]
    large = [i for i, part in enumerate(parts) if abs(part) > _ALIGNED]
    if len(large) != 1:
        return None
    return large[0], 1.0 if parts[large[0]] > 0 else -1.0


def _across(axis: Axis, outer: Iterable[Joint]) -> Axis | None:
    """Return the first axis of the joints after an axis that is perpendicular to it."""
    for other in outer:
        if all(drawn is None for drawn in other.directions):
            continue
        both = (axis, other.axis_first)
        if all(map(_plain, both)) and abs(dot(*map(list, both))) <= _ALIGNED:
            return other.axis_first
    return None


def _plain(entries: Iterable[object]) -> bool:
    """Return whether all entries are numbers, as opposed to expressions and symbols."""
    return all(type(entry) is float for entry in entries)
