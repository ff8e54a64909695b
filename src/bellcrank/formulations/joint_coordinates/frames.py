"""Frames at a joint, chosen so that its axes are axes of the frame.

Axes along the world's axes of the drawing keep the world's axes, so that consecutive frames
need no constant rotation between them; any other axis gets a frame of its own.
"""

from typing import NamedTuple

from bellcrank.formulations.arithmetic import IDENTITY, Matrix, transpose
from bellcrank.formulations.triads import Lift, joint_triads, lifted
from bellcrank.model import Body, Joint, Model
from bellcrank.model.expressions import Expression

_ALIGNED = 1e-15


class JointFrames(NamedTuple):
    """Axes of the joint on its two sides, and the frame axis and sign of each coordinate.

    Attributes:
        first, second: Matrices whose columns are the axes, in the drawing. They coincide when
            all coordinates are zero.
        axes: For each motion about or along one axis: (number of the frame axis, sign); where
            there is none, the three axes.
    """

    first: Matrix
    second: Matrix
    axes: tuple[tuple[int, float], ...]


def joint_frames(model: Model, joint: Joint, lift: Lift) -> JointFrames:
    """Return the frames of a joint; `lift` turns numbers into scalars."""
    if joint.mobility.ball:
        first, second = (_body_axes(model, name, lift) for name in (joint.first, joint.second))
        return JointFrames(first, second, ((0, 1.0), (1, 1.0), (2, 1.0)))
    numbers = [motion.number for motion in joint.mobility.motions]
    aligned = tuple(_along_world(joint.directions[number]) for number in numbers)
    if None not in aligned and (joint.axis is None or joint.axis_first == joint.axis_second):
        return JointFrames(IDENTITY, IDENTITY, aligned)  # type: ignore[arg-type]
    first, second = joint_triads(joint, lift)
    return JointFrames(transpose(first), transpose(second), tuple((n, 1.0) for n in numbers))


def _body_axes(model: Model, name: str, lift: Lift) -> Matrix:
    """Return R_WB of a body in the drawing; the ground and particles have the world's axes."""
    body = model[name] if name != "ground" else None
    if not isinstance(body, Body):
        return IDENTITY
    return [lifted(row, lift) for row in body.pose.rotation]


def _along_world(
    axis: "tuple[float | Expression, ...] | None",
) -> tuple[int, float] | None:
    """Return (number, sign) of the world axis an axis is along, or None."""
    if axis is None or any(isinstance(entry, Expression) for entry in axis):
        return None
    large = [i for i, entry in enumerate(axis) if abs(entry) > _ALIGNED]
    if len(large) != 1:
        return None
    return large[0], 1.0 if axis[large[0]] > 0 else -1.0
