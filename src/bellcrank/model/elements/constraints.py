"""Constraints other than joints.

Each does something to the bodies it ties, which results show as a force, a torque or an effort
with one meaning in every formulation. No constraint does work but a `VelocityConstraint` with a
right-hand side; what redundant ones share is the smallest possible.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bellcrank.model.algebra import nominals, unit
from bellcrank.model.elements import fields, kinds
from bellcrank.model.elements.ends import end
from bellcrank.model.elements.fields import Door, padded
from bellcrank.model.elements.forces import Quantities
from bellcrank.model.elements.given import (
    AxisLike,
    AxisOrNone,
    EndLike,
    LawLike,
    LawsByName,
    NumberLike,
    NumberOrNone,
    PointLike,
    default,
)
from bellcrank.model.elements.joint import SQUARE, geared
from bellcrank.model.expressions import Expression
from bellcrank.model.plane import in_plane, upright
from bellcrank.spatial.arithmetic import dot


class Constraint:
    """The base of all constraints.

    A kind of constraint is a frozen dataclass that says what it refers to, which rows it has,
    what results show of it, what is left of it in the plane, how it is drawn and what its
    mirror image is. Its equations are functions registered with `conditions` or `slips` of
    `bellcrank.formulations.body_space.constraints`, and its wrench one registered with
    `bellcrank.formulations.body_space.constraint_forces.forces_per_multiplier`.
    """

    KIND: ClassVar[str] = "constraint"
    ENDS: ClassVar[tuple[str, ...]] = ()  # fields that are ends
    BODIES: ClassVar[tuple[str, ...]] = ()  # fields that name a body
    JOINTS: ClassVar[tuple[str, ...]] = ()  # fields that name a joint
    LAWS: ClassVar[tuple[str, ...]] = ()  # fields that are expressions of anything
    POINTS: ClassVar[tuple[str, ...]] = ()  # fields that are points of the drawing
    AXES: ClassVar[tuple[str, ...]] = ()  # fields that are directions in the drawing
    PLACES: ClassVar[tuple[str, ...]] = ()  # fields that list names of points
    PICTURE: ClassVar[str] = ""  # drawn between two ends, or a body's point and an end: link
    TURNING: ClassVar[bool] = False  # whether it feels how the bodies of its ends turn
    ROWS: ClassVar[tuple[str, ...]] = ()  # names of its position rows
    SLIPS: ClassVar[tuple[str, ...]] = ()  # names of its rows of speeds alone
    METRES: ClassVar[bool] = True  # whether rows are lengths and their rates, or pure numbers
    QUANTITIES: ClassVar[Quantities] = ()  # what results show of it
    name: str
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, *, kind: bool = True, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind:
            kinds.declare("constraint", cls)

    def rows(self, model: Any) -> tuple[str, ...]:
        """Return the names of its position rows."""
        return self.ROWS

    def in_metres(self, model: Any) -> bool:
        """Return whether its rows are lengths [m]; else they are pure numbers."""
        return self.METRES

    def quantities(self, model: Any) -> Quantities:
        """Return what results show of it."""
        return self.QUANTITIES

    def planar_rows(self) -> tuple[int, ...]:
        """Return the numbers of the position rows that the plane does not meet by itself."""
        return tuple(range(len(self.ROWS)))

    def planar_slips(self) -> tuple[int, ...]:
        """Return the numbers of the rows of speeds that the plane does not meet by itself."""
        return tuple(range(len(self.SLIPS)))

    def image(self, iso: Any) -> dict[str, Any]:
        """Return the fields that a move or a mirror changes, besides points, ends and axes.

        Args:
            iso: The `Isometry`.
        """
        return {}

    def __post_init__(self) -> None:
        """Check all fields; those that are not declared to be anything else are numbers."""
        door = self._door()
        for field in self.LAWS:
            if getattr(self, field) is not None:
                door.take(field, fields.law)
        declared = (self.BODIES, self.JOINTS, self.ENDS, self.LAWS, self.POINTS, self.AXES)
        door.take_rest({"name", *(field for names in declared for field in names)})
        door.close()

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

    With a `Drive("ram", name, length="…")` it is a ram: its length follows the drive, whose
    effort is what pushes the ends apart, and results show its length and their rate instead.

    Attributes:
        name: Unique in the model.
        first: One end.
        second: The other end.
        length: [m], positive; None for the distance in the drawing.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Distance("link", ("ground", (0, 0, 0)), ("rod", (1, 0, 0)),
        ...     length=1.0).length
        1.0
    """

    ENDS = ("first", "second")
    PICTURE = "link"
    ROWS = ("length",)
    QUANTITIES = (("force", "force", 1),)
    name: str
    first: EndLike
    second: EndLike
    length: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        if self.length is not None:
            door.take("length", fields.real, unit="m", sign="positive")
        if not door.complaints and self.first == self.second:
            door.say("needs two different ends, got the same twice.")
        door.close()

    def rows(self, model: Any) -> tuple[str, ...]:
        """Return its length, unless a driver has that row."""
        return () if self.driven(model) else self.ROWS

    def quantities(self, model: Any) -> Quantities:
        """Return its tension, unless it is what a driver does."""
        return () if self.driven(model) else self.QUANTITIES

    def driven(self, model: Any) -> bool:
        """Return whether a driver prescribes its length."""
        return any(driver.of == self.name for driver in model.drivers)


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

    Examples:
        >>> import bellcrank as bc
        >>> pin = bc.PointOnLine("slot", ("pin", (1, 0, 0)), "arm", at=(0, 0, 0),
        ...     axis="x")
    """

    ENDS = ("point",)
    BODIES = ("body",)
    POINTS = ("at",)
    AXES = ("axis",)
    ROWS = ("across 1", "across 2")
    QUANTITIES = (("force", "force", 3),)
    name: str
    point: EndLike
    body: str
    at: PointLike
    axis: AxisLike

    def __post_init__(self) -> None:
        self._door().close()

    def planar_rows(self) -> tuple[int, ...]:
        """Return the row across the line in the plane."""
        return in_plane(self.axis)


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

    Examples:
        >>> import bellcrank as bc
        >>> foot = bc.PointOnPlane("foot", ("leg", (0, 0, 0)), "ground",
        ...     at=(0, 0, 0), axis="z")
    """

    ENDS = ("point",)
    BODIES = ("body",)
    POINTS = ("at",)
    AXES = ("axis",)
    ROWS = ("height",)
    QUANTITIES = (("force", "force", 1),)
    name: str
    point: EndLike
    body: str
    at: PointLike
    axis: AxisLike

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

    Examples:
        >>> import bellcrank as bc
        >>> rails = bc.Parallel("rails", "left", "right", axis1="x")
    """

    BODIES = ("first", "second")
    AXES = ("axis1", "axis2")
    ROWS = ("tilt 1", "tilt 2")
    METRES = False
    QUANTITIES = (("torque", "torque", 3),)
    name: str
    first: str
    second: str
    axis1: AxisLike
    axis2: AxisOrNone = default(None)

    def __post_init__(self) -> None:
        if self.axis2 is None:
            object.__setattr__(self, "axis2", self.axis1)
        door = self._door()
        door.distinct("bodies", self.first, self.second)
        door.close()

    def planar_rows(self) -> tuple[int, ...]:
        """Return none where both are along z, else the row in the plane."""
        return () if upright(self.axis1) and upright(self.axis2) else in_plane(self.axis1)


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

    Examples:
        >>> import bellcrank as bc
        >>> square = bc.Perpendicular("square", "arm", "post", axis1="x", axis2="z")
    """

    BODIES = ("first", "second")
    AXES = ("axis1", "axis2")
    ROWS = ("angle",)
    METRES = False
    QUANTITIES = (("torque", "torque", 3),)
    name: str
    first: str
    second: str
    axis1: AxisLike
    axis2: AxisLike

    def __post_init__(self) -> None:
        door = self._door()
        door.distinct("bodies", self.first, self.second)
        door.close()

    def planar_rows(self) -> tuple[int, ...]:
        """Return none where one of the two is along z."""
        return () if upright(self.axis1) != upright(self.axis2) else (0,)


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

    Examples:
        >>> import bellcrank as bc
        >>> bc.Gear("mesh", "A", "B", ratio=-20 / 40).ratio
        -0.5
    """

    JOINTS = ("first", "second")
    ROWS = ("ratio",)
    QUANTITIES = (("effort", "torque", 1),)
    name: str
    first: str
    second: str
    ratio: NumberLike

    def __post_init__(self) -> None:
        door = self._door()
        door.take("ratio", fields.real, sign="nonzero")
        door.distinct("joints", self.first, self.second)
        door.close()

    def rows(self, model: Any) -> tuple[str, ...]:
        """Return `ratio`; between slides it is `travel`, a length."""
        return ("travel",) if self.in_metres(model) else self.ROWS

    def in_metres(self, model: Any) -> bool:
        """Return whether it ties slides."""
        return geared(model[self.first], model[self.second]) != "angle"

    def quantities(self, model: Any) -> Quantities:
        """Return its effort along the driven coordinate."""
        return (("effort", "force" if self.in_metres(model) else "torque", 1),)

    def image(self, iso: Any) -> dict[str, Any]:
        """Return the ratio, which turns its sign with one of the two coordinates."""
        joints = (self.first, self.second)
        coordinate = geared(*(iso.model[joint] for joint in joints))
        one = sum(iso.flips(joint, coordinate) for joint in joints) == 1
        return {"ratio": 0.0 - self.ratio} if one else {}


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

    Examples:
        >>> import bellcrank as bc
        >>> rack = bc.RackAndPinion("rack", "pinion", "slider", 0.02)
    """

    JOINTS = ("rack", "pinion")
    ROWS = ("travel",)
    QUANTITIES = (("effort", "force", 1),)
    name: str
    rack: str
    pinion: str
    radius: NumberLike

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="nonzero")
        door.distinct("joints", self.rack, self.pinion)
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return the radius, which turns its sign with the offset."""
        return {"radius": 0.0 - self.radius} if iso.flips(self.rack, "offset") else {}


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

    Examples:
        >>> import bellcrank as bc
        >>> wheel = bc.RollingDisc("contact", "wheel", center=(0, 0, 0.3),
        ...     axis="y", radius=0.3)
    """

    BODIES = ("body", "surface")
    POINTS = ("center", "at")
    AXES = ("axis", "normal")
    ROWS = ("contact",)
    SLIPS = ("forward", "sideways")
    QUANTITIES = (("force", "force", 3),)
    name: str
    body: str
    center: PointLike
    axis: AxisLike
    radius: NumberLike
    surface: str = "ground"
    at: PointLike = default((0.0, 0.0, 0.0))
    normal: AxisLike = default("z")

    def __post_init__(self) -> None:
        door = self._door()
        door.distinct("bodies", self.body, self.surface)
        door.take("radius", fields.real, unit="m", sign="positive")
        if not door.complaints:
            a, n = nominals(unit(padded(self.axis))), nominals(unit(padded(self.normal)))
            if a is not None and n is not None and 1.0 - abs(dot(a, n)) < SQUARE:
                door.say("axis must not be along normal: the disc would lie flat.")
        door.close()

    def planar_slips(self) -> tuple[int, ...]:
        """Return the slip forward where the axle is along z."""
        return (0,) if upright(self.axis) else (0, 1)


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
            coefficient, an expression of time, parameters, positions and variables.
        equals: The right-hand side, such an expression too. An input may stand in both where a
            run drives it by such an expression.

    Examples:
        >>> import bellcrank as bc
        >>> skate = bc.VelocityConstraint("skate",
        ...     {"blade.velocity_y": "cos(A.angle)",
        ...     "blade.velocity_x": "-sin(A.angle)"})
    """

    LAWS = ("terms", "equals")
    SLIPS = ("speed",)
    METRES = False
    QUANTITIES = (("effort", "torque", 1),)
    name: str
    terms: LawsByName
    equals: LawLike = default(0.0)

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

    def quantities(self, model: Any) -> Quantities:
        """Return its effort: a torque where all speeds are angular, else a force.

        Beside speeds in m/s, coefficients of angular ones are taken for lengths.
        """
        parts = (speed.rpartition(".")[2] for speed, _ in self.terms)
        turns = all(part.startswith("ang") for part in parts)
        return (("effort", "torque" if turns else "force", 1),)

    def image(self, iso: Any) -> dict[str, Any]:
        """Return the terms, of the components that the speeds have then."""
        terms: dict[str, Expression] = {}
        for name, coefficient in self.terms:
            for new, factor in iso.linear_image(name):
                part = coefficient * factor
                terms[new] = terms[new] + part if new in terms else part
        return {"terms": tuple(terms.items())}
