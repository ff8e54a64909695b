"""Frames at a joint, chosen so that its axes are axes of the frame.

Axes along the world's axes of the drawing keep the world's axes, so that consecutive frames
need no constant rotation between them; any other axis gets a frame of its own.
"""

from collections.abc import Callable
from typing import NamedTuple

from bellcrank.formulations.arithmetic import (
    IDENTITY,
    Matrix,
    Scalar,
    Vector,
    cross,
    dot,
    minus,
    mul,
    plus,
    scaled,
    transpose,
)
from bellcrank.model import (
    Body,
    Free,
    Joint,
    Model,
    Planar,
    Spherical,
    Universal,
)
from bellcrank.model.expressions import Expression, evaluate

Lift = Callable[["float | Expression"], Scalar]
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
        x, y = (_lifted(axis, lift) for axis in axes)
        frame = transpose([x, y, cross(x, y)])
        return JointFrames(frame, frame, ((0, 1.0), (1, 1.0)))
    if isinstance(joint, Planar):
        axes = (*joint.plane_axes, joint.axis_first)
        aligned = tuple(_along_world(axis) for axis in axes)
        if None not in aligned and joint.axis_first == joint.axis_second:
            return JointFrames(IDENTITY, IDENTITY, aligned)  # type: ignore[arg-type]
        frame = transpose([_lifted(axis, lift) for axis in axes])
        return JointFrames(frame, _carried(frame, joint, lift), ((0, 1.0), (1, 1.0), (2, 1.0)))
    return _about_one_axis(joint, lift)


def _about_one_axis(joint: Joint, lift: Lift) -> JointFrames:
    """Return the frames of a joint with one axis: all its coordinates are about or along it."""
    count = len(joint.coordinates)
    aligned = _along_world(joint.axis_first)
    if aligned is not None and joint.axis_first == joint.axis_second:
        return JointFrames(IDENTITY, IDENTITY, (aligned,) * count)
    z = _lifted(joint.axis_first, lift)
    helper = _least_aligned(joint.axis_first)
    x = minus(helper, scaled(dot(helper, z), z))
    x = scaled(1.0 / dot(x, x) ** 0.5, x)
    frame = transpose([x, cross(z, x), z])
    return JointFrames(frame, _carried(frame, joint, lift), ((2, 1.0),) * count)


def _carried(frame: Matrix, joint: Joint, lift: Lift) -> Matrix:
    """Return the frame carried from the first to the second side's axis by the shortest turn.

    Q b = b + v × b + v × (v × b)/(1 + a₁·a₂) with v = a₁ × a₂ takes a₁ to a₂.
    """
    if joint.axis_first == joint.axis_second:
        return frame
    a1, a2 = (_lifted(axis, lift) for axis in (joint.axis_first, joint.axis_second))
    v, factor = cross(a1, a2), 1.0 / (1.0 + dot(a1, a2))
    return transpose([
        plus(b, cross(v, b), scaled(factor, cross(v, cross(v, b)))) for b in transpose(frame)
    ])


def _body_axes(model: Model, name: str, lift: Lift) -> Matrix:
    """Return R_WB of a body in the drawing; the ground and particles have the world's axes."""
    body = model[name] if name != "ground" else None
    if not isinstance(body, Body):
        return IDENTITY
    return [_lifted(row, lift) for row in body.pose.rotation]


def _lifted(axis: "tuple[float | Expression, ...]", lift: Lift) -> Vector:
    return [mul(1.0, lift(entry)) for entry in axis]


def _along_world(axis: "tuple[float | Expression, ...]") -> tuple[int, float] | None:
    """Return (number, sign) of the world axis an axis is along, or None."""
    if any(isinstance(entry, Expression) for entry in axis):
        return None
    large = [i for i, entry in enumerate(axis) if abs(entry) > _ALIGNED]
    if len(large) != 1:
        return None
    return large[0], 1.0 if axis[large[0]] > 0 else -1.0


def _least_aligned(axis: "tuple[float | Expression, ...]") -> Vector:
    """Return the world axis an axis is least along, at nominal parameter values."""
    sizes = [abs(evaluate(e, {}) if isinstance(e, Expression) else e) for e in axis]
    return [1.0 if i == sizes.index(min(sizes)) else 0.0 for i in range(3)]
