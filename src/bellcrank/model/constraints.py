"""Constraints other than joints.

Each does something to the bodies it ties, which results show as a force, a torque or an effort
with one meaning in every formulation. No constraint does work but a `VelocityConstraint` with a
right-hand side; what redundant ones share is the smallest possible.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from bellcrank.model import fields, kinds
from bellcrank.model.algebra import dot, nominals, unit
from bellcrank.model.ends import end
from bellcrank.model.fields import Door, padded
from bellcrank.model.joint import SQUARE


class Constraint:
    """The base of all constraints."""

    KIND: ClassVar[str] = "constraint"
    ENDS: ClassVar[tuple[str, ...]] = ()  # fields that are ends
    BODIES: ClassVar[tuple[str, ...]] = ()  # fields that name a body
    JOINTS: ClassVar[tuple[str, ...]] = ()  # fields that name a joint
    LAWS: ClassVar[tuple[str, ...]] = ()  # fields that are expressions of anything
    POINTS: ClassVar[tuple[str, ...]] = ()  # fields that are points of the drawing
    AXES: ClassVar[tuple[str, ...]] = ()  # fields that are directions in the drawing
    name: str

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        kinds.declare("constraint", cls)

    def _door(self) -> Door:
        """Check references, points and axes; return the door for what else there is."""
        door = Door(self, f"constraint {self.name!r}")
        for field in ("name", *self.BODIES, *self.JOINTS):
            door.take(field, fields.name)
        for field in self.ENDS:
            door.take(field, end)
        for field in self.POINTS:
            door.take(field, fields.point)
        for field in self.AXES:
            door.take(field, fields.axis, pairs=True)
        return door


@dataclass(frozen=True)
class Distance(Constraint):
    """A massless link: two points keep their distance.

    `name.force` [N] is its tension F, positive where it pulls the ends together:

        −F d/|d| on the second end,   F d/|d| on the first,   d from the first to the second

    Attributes:
        name: Unique in the model.
        first: One end.
        second: The other end.
        length: [m], positive; None for the distance in the drawing.
    """

    ENDS = ("first", "second")
    name: str
    first: Any
    second: Any
    length: Any = None

    def __post_init__(self) -> None:
        door = self._door()
        if self.length is not None:
            door.take("length", fields.real, unit="m", sign="positive")
        if self.first == self.second:
            door.say("needs two different ends, got the same twice.")
        door.close()


@dataclass(frozen=True)
class PointOnLine(Constraint):
    """A point stays on a line that a body carries.

    `name.force` [N], world components, is what the line does to the point, always across the
    line: F · axis = 0. The body takes −F at the same place.

    Attributes:
        name: Unique in the model.
        point: The end that moves along the line.
        body: The body that carries the line, or `"ground"`.
        at: A point of the line [m], shape (3,).
        axis: Its direction.
    """

    ENDS = ("point",)
    BODIES = ("body",)
    POINTS = ("at",)
    AXES = ("axis",)
    name: str
    point: Any
    body: str
    at: Any
    axis: Any

    def __post_init__(self) -> None:
        self._door().close()


@dataclass(frozen=True)
class PointOnPlane(Constraint):
    """A point stays on a plane that a body carries.

    `name.force` [N] is what the plane does to the point, along its normal: F · axis, positive
    where the plane pushes and negative where it holds back. The body takes −F · axis at the
    same place.

    Attributes:
        name: Unique in the model.
        point: The end that moves in the plane.
        body: The body that carries the plane, or `"ground"`.
        at: A point of the plane [m], shape (3,).
        axis: Its normal.
    """

    ENDS = ("point",)
    BODIES = ("body",)
    POINTS = ("at",)
    AXES = ("axis",)
    name: str
    point: Any
    body: str
    at: Any
    axis: Any

    def __post_init__(self) -> None:
        self._door().close()


@dataclass(frozen=True)
class Parallel(Constraint):
    """A direction of one body stays parallel to a direction of another.

    `name.torque` [N m], world components, acts on the second body, always across the axes:
    T · axis2 = 0. The first takes −T.

    Attributes:
        name: Unique in the model.
        first: One body.
        second: The other body.
        axis1: The direction carried by the first, in the drawing.
        axis2: The direction carried by the second; None for the same.
    """

    BODIES = ("first", "second")
    AXES = ("axis1", "axis2")
    name: str
    first: str
    second: str
    axis1: Any
    axis2: Any = None

    def __post_init__(self) -> None:
        if self.axis2 is None:
            object.__setattr__(self, "axis2", self.axis1)
        door = self._door()
        door.distinct("bodies", self.first, self.second)
        door.close()


@dataclass(frozen=True)
class Perpendicular(Constraint):
    """A direction of one body stays perpendicular to a direction of another.

    `name.torque` [N m], world components, acts on the second body, along axis1 × axis2. The
    first takes −T.

    Attributes:
        name: Unique in the model.
        first: One body.
        second: The other body.
        axis1: The direction carried by the first, in the drawing.
        axis2: The direction carried by the second.
    """

    BODIES = ("first", "second")
    AXES = ("axis1", "axis2")
    name: str
    first: str
    second: str
    axis1: Any
    axis2: Any

    def __post_init__(self) -> None:
        door = self._door()
        door.distinct("bodies", self.first, self.second)
        door.close()


@dataclass(frozen=True)
class Gear(Constraint):
    """Two angles in a fixed ratio: angle of `second` = ratio · angle of `first`.

    Both count from the drawing. Two wheels that mesh on the outside have a negative ratio,
    −(teeth of the first)/(teeth of the second). Between joints that only slide, it is their
    offsets that are in this ratio.

    `name.effort` [N m, of offsets N] is what it does along the driven coordinate, as a motor
    there would:

        e on the angle of `second`,   −ratio · e on the angle of `first`

    Attributes:
        name: Unique in the model.
        first: The joint that drives.
        second: The joint that is driven.
        ratio: Not zero.
    """

    JOINTS = ("first", "second")
    name: str
    first: str
    second: str
    ratio: Any

    def __post_init__(self) -> None:
        door = self._door()
        door.take("ratio", fields.real, sign="nonzero")
        door.distinct("joints", self.first, self.second)
        door.close()


@dataclass(frozen=True)
class RackAndPinion(Constraint):
    """A rack driven by a pinion: offset of `rack` = radius · angle of `pinion`.

    Both count from the drawing. `name.effort` [N] is the force along the rack, positive where
    it pushes the offset on:

        e on the offset of `rack`,   −radius · e [N m] on the angle of `pinion`

    Attributes:
        name: Unique in the model.
        rack: The joint that slides.
        pinion: The joint that turns.
        radius: [m], negative where the rack runs the other way.
    """

    JOINTS = ("rack", "pinion")
    name: str
    rack: str
    pinion: str
    radius: Any

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="nonzero")
        door.distinct("joints", self.rack, self.pinion)
        door.close()


@dataclass(frozen=True)
class RollingDisc(Constraint):
    """A thin disc that rolls on a plane without slipping (nonholonomic).

    `name.force` [N], world components, is what the plane does to the disc at its lowest point:
    F · normal is the normal force, positive where the plane pushes, the rest what friction has
    to give. The surface takes −F at the same place.

    Attributes:
        name: Unique in the model.
        body: The body that the disc is part of.
        center: Its centre in the drawing [m], shape (3,).
        axis: Its axle, carried by the body.
        radius: [m].
        surface: The body that carries the plane.
        at: A point of the plane [m], shape (3,).
        normal: The normal of the plane, on the side of the disc.
    """

    BODIES = ("body", "surface")
    POINTS = ("center", "at")
    AXES = ("axis", "normal")
    name: str
    body: str
    center: Any
    axis: Any
    radius: Any
    surface: str = "ground"
    at: Any = (0.0, 0.0, 0.0)
    normal: Any = "z"

    def __post_init__(self) -> None:
        door = self._door()
        door.distinct("bodies", self.body, self.surface)
        door.take("radius", fields.real, unit="m", sign="positive")
        if not door.complaints:
            a, n = nominals(unit(padded(self.axis))), nominals(unit(padded(self.normal)))
            if a is not None and n is not None and 1.0 - abs(dot(a, n)) < SQUARE:  # pyright: ignore[reportArgumentType]
                door.say("axis must not be along normal: the disc would lie flat.")
        door.close()


@dataclass(frozen=True)
class VelocityConstraint(Constraint):
    """A linear relation of speeds: Σ coefficient · speed = equals.

    `name.effort` is what it does to the row as it is written:

        coefficient · e along each speed,   e · equals [W] into the machine

    It is in N m where all speeds are angular; else in N, coefficients of angular speeds being
    lengths.

    Attributes:
        name: Unique in the model.
        terms: Speed names such as `"A.angle_rate"` or `"tip.velocity_x"`, each with its
            coefficient, an expression of time, parameters and positions.
        equals: The right-hand side, such an expression too.
    """

    LAWS = ("terms", "equals")
    name: str
    terms: Any
    equals: Any = 0.0

    def __post_init__(self) -> None:
        door = self._door()
        door.take(
            "terms",
            fields.named_laws,
            noun="speed",
            named="are named by speeds such as 'A.angle_rate'",
            needs="at least one speed",
        )
        door.take("equals", fields.law)
        door.close()
