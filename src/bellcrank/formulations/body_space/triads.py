"""Triads on the two sides of a joint, which coincide when its coordinates are zero."""

from collections.abc import Callable

from bellcrank.model import Joint
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    Matrix,
    Scalar,
    Vector,
    cross,
    dot,
    minus,
    plus,
    scaled,
)

Lift = Callable[["float | Expression"], Scalar]
"""Turns a number of the model into a scalar."""


def lifted(axis: "tuple[float | Expression, ...]", lift: Lift) -> Vector:
    """Return the scalars of an axis."""
    return [lift(entry) for entry in axis]


def joint_triads(joint: Joint, lift: Lift) -> tuple[Matrix, Matrix]:
    """Return (f, g, h) on the first and on the second side of a joint, in the drawing.

    What the joint does not draw follows: of h alone some f across it, of two axes the third, of
    none the axes of the world.
    """
    if all(axis is None for axis in joint.directions):
        return IDENTITY, IDENTITY
    f, g, h = (axis and lifted(axis, lift) for axis in joint.directions)
    if f and g:
        triad = [f, g, h or cross(f, g)]
    elif f and h:
        triad = [f, cross(h, f), h]
    else:
        triad = triad_about(joint.directions[2], lift)  # type: ignore[arg-type]
    # Two pins are drawn once; one axis may be drawn on each side.
    return triad, triad if joint.axis is None else carried(triad, joint, lift)


def triad_about(
    axis: "tuple[float | Expression, ...]",
    lift: Lift,
    across: "tuple[float | Expression, ...] | None" = None,
) -> Matrix:
    """Return (f, g, h) with h along an axis of unit length.

    f is `across`, or else the world axis least along h, at nominal parameter values, made
    perpendicular to it.
    """
    h = lifted(axis, lift)
    sizes = [abs(evaluate(e, {}) if isinstance(e, Expression) else e) for e in axis]
    least = [1.0 if i == sizes.index(min(sizes)) else 0.0 for i in range(3)]
    start = least if across is None else lifted(across, lift)
    f = minus(start, scaled(dot(start, h), h))
    f = scaled(1.0 / dot(f, f) ** 0.5, f)
    return [f, cross(h, f), h]


def carried(triad: Matrix, joint: Joint, lift: Lift) -> Matrix:
    """Return a triad carried from the first to the second side's axis by the shortest turn.

    Q b = b + v × b + v × (v × b)/(1 + a₁·a₂) with v = a₁ × a₂ takes a₁ to a₂.
    """
    if joint.axis_first == joint.axis_second:
        return triad
    a1, a2 = (lifted(axis, lift) for axis in (joint.axis_first, joint.axis_second))
    v, factor = cross(a1, a2), 1.0 / (1.0 + dot(a1, a2))
    return [plus(b, cross(v, b), scaled(factor, cross(v, cross(v, b)))) for b in triad]
