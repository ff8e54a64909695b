"""Joints: how two bodies may move against each other.

Each takes `(name, first, second, at=, axis=, drawn=)`. Coordinates count the second body
relative to the first, right-handed about the axis; they are zero in the drawing, or `drawn`.
A joint that closes a loop is a joint like any other.

`at` and `axis` may be given per side, as `{"coupler": p, "rocker": p2}` or as a pair (on the
first, on the second); they are kept as such a pair where the two differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from bellcrank.model.algebra import Vector, nominals, unit
from bellcrank.model.elements.given import (
    AxisLike,
    AxisOrNone,
    AxisPerSide,
    LimitsLike,
    NumberOrNone,
    NumberOrNumbers,
    PointPerSide,
    default,
)
from bellcrank.model.elements.joint import Joint, geared, scalar_coordinates
from bellcrank.model.elements.mobility import rotation, translation
from bellcrank.spatial.arithmetic import ORIGIN, cross, dot, minus, scaled

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "Prismatic",
    "Revolute",
    "Screw",
    "Spherical",
    "Universal",
    "first_in_plane",
    "geared",
    "scalar_coordinates",
]


@dataclass(frozen=True)
class Revolute(Joint):
    """A hinge: `angle` about the axis.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: A point on the axis [m], shape (3,), or per side.
        axis: `"x"`, `"-y"`, … or three numbers, or per side; z in a planar model.
        drawn: `angle` in the drawing [rad].
        limits: `Limits`, or (lower, upper) [rad]; kept, and nothing stops it there.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y").coordinates
        ('angle',)
    """

    motions = (rotation("h"),)
    name: str
    first: str
    second: str
    at: PointPerSide
    axis: AxisPerSide = default(None)
    drawn: NumberOrNumbers = default(None)
    limits: LimitsLike = default(None)


@dataclass(frozen=True)
class Prismatic(Joint):
    """A slide: `offset` along the axis.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: A point on the axis [m], shape (3,), or per side.
        axis: `"x"`, `"-y"`, … or three numbers, or per side.
        drawn: `offset` in the drawing [m].
        limits: `Limits`, or (lower, upper) [m]; kept, and nothing stops it there.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Prismatic("S", "ground", "cart", axis="x").coordinates
        ('offset',)
    """

    motions = (translation("h"),)
    name: str
    first: str
    second: str
    at: PointPerSide = default(ORIGIN)
    axis: AxisPerSide = default(None)
    drawn: NumberOrNumbers = default(None)
    limits: LimitsLike = default(None)


@dataclass(frozen=True)
class Cylindrical(Joint):
    """A sleeve: `angle` about the axis and `offset` along it.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: A point on the axis [m], shape (3,), or per side.
        axis: `"x"`, `"-y"`, … or three numbers, or per side.
        drawn: `angle` [rad] and `offset` [m] in the drawing.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Cylindrical("C", "ground", "sleeve", at=(0, 0, 0), axis="z").coordinates
        ('angle', 'offset')
    """

    motions = (rotation("h"), translation("h"))
    name: str
    first: str
    second: str
    at: PointPerSide
    axis: AxisPerSide = default(None)
    drawn: NumberOrNumbers = default(None)


@dataclass(frozen=True)
class Screw(Joint):
    """A nut on a thread: `angle` about the axis, and pitch·angle/2π along it.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: A point on the axis [m], shape (3,), or per side.
        axis: `"x"`, `"-y"`, … or three numbers, or per side.
        pitch: Advance along the axis in a right-handed turn about it [m]; negative for a
            left-handed thread.
        drawn: `angle` in the drawing [rad].

    Examples:
        >>> import bellcrank as bc
        >>> bc.Screw("T", "ground", "nut", at=(0, 0, 0), axis="z",
        ...     pitch=0.002).coordinates
        ('angle',)
    """

    motions = (rotation("h", lead="pitch"),)
    name: str
    first: str
    second: str
    at: PointPerSide
    axis: AxisPerSide = default(None)
    drawn: NumberOrNumbers = default(None)
    pitch: NumberOrNone = default(None)


@dataclass(frozen=True)
class Universal(Joint):
    """A Hooke joint: `angle1` about a pin in the first body, `angle2` about one in the second.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: Where the pins cross [m], shape (3,), or per side.
        axis1: The pin carried by the first body.
        axis2: The pin carried by the second body; perpendicular to the first in the drawing.
        drawn: `angle1` and `angle2` in the drawing [rad].

    Examples:
        >>> import bellcrank as bc
        >>> bc.Universal("U", "shaft", "wheel", at=(0, 0, 0), axis1="x",
        ...     axis2="y").coordinates
        ('angle1', 'angle2')
    """

    motions = (rotation("f", "angle1"), rotation("g", "angle2"))
    TRIAD: ClassVar[Mapping[str, str]] = {"axis1": "f", "axis2": "g"}
    name: str
    first: str
    second: str
    at: PointPerSide
    axis1: AxisLike
    axis2: AxisLike
    drawn: NumberOrNumbers = default(None)


@dataclass(frozen=True)
class Spherical(Joint):
    """A ball joint: `orientation`, four Euler parameters, scalar first.

    Attributes:
        name: Unique in the model.
        first: The body counted from, or `"ground"`.
        second: The body counted.
        at: The centre of the ball [m], shape (3,), or per side.
        drawn: Nothing to say.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Spherical("B", "ground", "bob", at=(0, 0, 1)).coordinates
        ('orientation',)
    """

    motions = (rotation("fgh"),)
    name: str
    first: str
    second: str
    at: PointPerSide
    drawn: NumberOrNumbers = default(())


@dataclass(frozen=True)
class Planar(Joint):
    """A body that slides on a plane: `x`, `y` in it and `angle` about its normal.

    Attributes:
        name: Unique in the model.
        first: The body that carries the plane, or `"ground"`.
        second: The body counted.
        at: A point of the plane [m], shape (3,), or per side.
        axis: The normal: `"x"`, `"-y"`, … or three numbers, or per side; z in a planar model.
        drawn: `x`, `y` [m] and `angle` [rad] in the drawing.
        along: The direction of `x` in the plane; None for the rule of `plane_axes`.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Planar("P", "ground", "puck", at=(0, 0, 0), axis="z").coordinates
        ('x', 'y', 'angle')
    """

    motions = (translation("f", "x"), translation("g", "y"), rotation("h"))
    TRIAD: ClassVar[Mapping[str, str]] = {"axis": "h", "along": "f"}
    name: str
    first: str
    second: str
    at: PointPerSide = default(ORIGIN)
    axis: AxisPerSide = default(None)
    drawn: NumberOrNumbers = default(None)
    along: AxisOrNone = default(None)

    @cached_property
    def plane_axes(self) -> tuple[Vector, Vector]:
        """Unit vectors of `x` and `y`, carried by the first body, world numbers.

        With n the normal: `along` if it was given; (x, y) for n = z, (y, z) for n = x, (z, x)
        for n = y; else x is the world axis least aligned with n, projected onto the plane.
        In all cases y = n × x.
        """
        n = self.axis_first
        x = self._drawn_axis("f") if self.along is not None else first_in_plane(n)
        return x, cross(n, x)

    @cached_property
    def directions(self) -> tuple[Vector | None, ...]:
        """f, g and h: x, y and the normal."""
        return (*self.plane_axes, self.axis_first)


@dataclass(frozen=True)
class Fixed(Joint):
    """A weld: no coordinate.

    Attributes:
        name: Unique in the model.
        first: One body, or `"ground"`.
        second: The other.
        at: Where its reaction is counted [m], shape (3,), or per side.
        drawn: Nothing to say.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Fixed("weld", "hull", "panel", at=(1, 0, 0)).coordinates
        ()
    """

    name: str
    first: str
    second: str
    at: PointPerSide = default(ORIGIN)
    drawn: NumberOrNumbers = default(())


@dataclass(frozen=True)
class Free(Joint):
    """No constraint: `position` of the second's joint point from the first's, `orientation`.

    Attributes:
        name: Unique in the model.
        first: The body counted from, mostly `"ground"`.
        second: The body counted.
        at: The joint point of both [m], shape (3,), or per side.
        drawn: `position` in the drawing [m], shape (3,).

    Examples:
        >>> import bellcrank as bc
        >>> bc.Free("F", "ground", "hull").coordinates
        ('position', 'orientation')
    """

    motions = (translation("fgh"), rotation("fgh"))
    name: str
    first: str
    second: str
    at: PointPerSide = default(ORIGIN)
    drawn: NumberOrNumbers = default(None)


def first_in_plane(n: Vector) -> Vector:
    """Return x for the normal n: cyclic for the world axes, else least aligned, projected."""
    size = nominals(n)
    if size is None:
        raise ValueError("the axis of a planar joint has open names")
    axes: tuple[Vector, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    along = [k for k in range(3) if abs(size[k]) == 1.0]
    if along:
        chosen = axes[(along[0] + 1) % 3]
    else:
        chosen = axes[min(range(3), key=lambda k: (round(abs(size[k]), 12), k))]
    return unit(minus(chosen, scaled(dot(n, chosen), n)))
