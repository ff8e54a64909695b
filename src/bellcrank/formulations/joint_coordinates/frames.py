"""Frames at a joint, chosen so that its axes are axes of the frame.

Axes along the world's axes of the drawing keep the world's axes, so that consecutive frames
need no constant rotation between them; any other axis gets a frame of its own.
"""

from typing import NamedTuple

from bellcrank.formulations.triads import Lift, carried, lifted, triad_about
from bellcrank.model import (
    Body,
    Free,
    Joint,
    Model,
    Planar,
    Spherical,
    Universal,
)
from bellcrank.model.expressions import Expression
from bellcrank.spatial.arithmetic import IDENTITY, Matrix, cross, transpose

_ALIGNED = 1e-15


class JointFrames(NamedTuple):
    """Axes of the joint on its two sides, and the frame axis and sign of each coordinate.

    Attributes:
        first, second: Matrices whose columns are the axes, in the drawing. They coincide when
            all coordinates are zero.
        axes: For each scalar coordinate that turns or slides: (number of the frame axis, sign).
    """

    first: Matrix
    second: Matrix
    axes: tuple[tuple[int, float], ...]


def joint_frames(model: Model, joint: Joint, lift: Lift) -> JointFrames:
    """Return the frames of a joint; `lift` turns numbers into scalars."""
    if isinstance(joint, Spherical | Free):
        first, second = (_body_axes(model, name, lift) for name in (joint.first, joint.second))
        return JointFrames(first, second, ((0, 1.0), (1, 1.0), (2, 1.0)))
    if isinstance(joint, Universal):
        axes = (joint.axis_first, joint.axis_second)
        aligned = tuple(_along_world(axis) for axis in axes)
        if None not in aligned:
            return JointFrames(IDENTITY, IDENTITY, aligned)  # type: ignore[arg-type]
        x, y = (lifted(axis, lift) for axis in axes)
        frame = transpose([x, y, cross(x, y)])
        return JointFrames(frame, frame, ((0, 1.0), (1, 1.0)))
    if isinstance(joint, Planar):
        axes = (*joint.plane_axes, joint.axis_first)
        aligned = tuple(_along_world(axis) for axis in axes)
        if None not in aligned and joint.axis_first == joint.axis_second:
            return JointFrames(IDENTITY, IDENTITY, aligned)  # type: ignore[arg-type]
        triad = [lifted(axis, lift) for axis in axes]
        second = transpose(carried(triad, joint, lift))
        return JointFrames(transpose(triad), second, ((0, 1.0), (1, 1.0), (2, 1.0)))
    return _about_one_axis(joint, lift)


def _about_one_axis(joint: Joint, lift: Lift) -> JointFrames:
    """Return the frames of a joint with one axis: all its coordinates are about or along it."""
    count = len(joint.coordinates)
    aligned = _along_world(joint.axis_first)
    if aligned is not None and joint.axis_first == joint.axis_second:
        return JointFrames(IDENTITY, IDENTITY, (aligned,) * count)
    triad = triad_about(joint.axis_first, lift)
    second = carried(triad, joint, lift)
    return JointFrames(transpose(triad), transpose(second), ((2, 1.0),) * count)


def _body_axes(model: Model, name: str, lift: Lift) -> Matrix:
    """Return R_WB of a body in the drawing; the ground and particles have the world's axes."""
    body = model[name] if name != "ground" else None
    if not isinstance(body, Body):
        return IDENTITY
    return [lifted(row, lift) for row in body.pose.rotation]


def _along_world(axis: "tuple[float | Expression, ...]") -> tuple[int, float] | None:
    """Return (number, sign) of the world axis an axis is along, or None."""
    if any(isinstance(entry, Expression) for entry in axis):
        return None
    large = [i for i, entry in enumerate(axis) if abs(entry) > _ALIGNED]
    if len(large) != 1:
        return None
    return large[0], 1.0 if axis[large[0]] > 0 else -1.0
