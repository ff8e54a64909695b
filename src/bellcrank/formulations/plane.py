"""Which rows of joints and constraints are left in the plane.

In the x-y plane a row that asks an axis along z for anything is met by itself. What is left is
what the planar library lists: a pin has two rows, a slide has (P₂ v)₁·d and (P₂ v)₁·v₂.

Needs no CasADi.
"""

from bellcrank.model import Joint, Parallel, Perpendicular, PointOnLine, RollingDisc
from bellcrank.model.algebra import nominals
from bellcrank.model.plane import FLAT, upright_axis


def planar_rows(element: object, count: int) -> tuple[int, ...]:
    """Return which of an element's position rows are left in the plane, by their numbers.

    Args:
        element: A joint or a constraint.
        count: How many rows it has in space.
    """
    match element:
        case Joint():
            return _joint_rows(element)
        case PointOnLine():
            return _in_plane(element.axis)
        case Parallel():
            upright = _upright(element.axis1) and _upright(element.axis2)
            return () if upright else _in_plane(element.axis1)
        case Perpendicular():
            return () if _upright(element.axis1) != _upright(element.axis2) else (0,)
    return tuple(range(count))


def _joint_rows(joint: Joint) -> tuple[int, ...]:
    """Return the conditions of a joint that ask nothing of its axis along z."""
    upright = upright_axis(joint)
    return tuple(
        place
        for place, condition in enumerate(joint.mobility.conditions)
        if (2 if condition.form == "point" else upright) not in condition.axes
    )


def planar_velocity_rows(element: object, count: int) -> tuple[int, ...]:
    """Return which of an element's velocity rows are left in the plane, by their numbers."""
    if isinstance(element, RollingDisc) and _upright(element.axis):
        return (0,)
    return tuple(range(count))


def _upright(axis: tuple) -> bool:
    x, y, _ = nominals(axis) or (1.0, 0.0, 0.0)
    return max(abs(x), abs(y)) <= FLAT


def _in_plane(axis: tuple) -> tuple[int, ...]:
    """Return which of f and g of the triad about an axis are not along z.

    f is the world axis least along the axis, made perpendicular to it.
    """
    sizes = [abs(entry) for entry in nominals(axis) or (1.0, 0.0, 0.0)]
    if sizes[2] > FLAT * max(sizes):
        return 0, 1
    return (1,) if sizes.index(min(sizes)) == 2 else (0,)
