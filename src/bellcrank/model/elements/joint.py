"""A joint: what all kinds of it have, and what can be asked of any."""

from collections.abc import Mapping
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar

from bellcrank.linear.rank import SLACK
from bellcrank.model.algebra import Vector, nominals, unit
from bellcrank.model.elements import fields, kinds
from bellcrank.model.elements.fields import Door, Refused
from bellcrank.model.elements.given import (
    AxisPerSide,
    LimitsLike,
    NumberOrNumbers,
    PointPerSide,
    default,
)
from bellcrank.model.elements.limits import limits
from bellcrank.model.elements.mobility import LETTERS, Mobility, Motion
from bellcrank.model.elements.sides import flat_axis, per_side, sides
from bellcrank.spatial.arithmetic import dot, minus, scaled

SQUARE = 1e-9  # cosine of the angle between axes that count as perpendicular
ROUNDED = 2.0 * SLACK  # and of those that are, but for the digits in which both were written


class Joint:
    """The base of all joints.

    A kind of joint is a frozen dataclass that says which `motions` it allows, and by which of
    its fields the axes of its triad are drawn; the rest follows (`mobility`).

    Attributes:
        motions: What the second body may do against the first.
        mobility: What follows from that.
        TRIAD: Which fields are drawn axes, and which letter of the triad each is.
        coordinates: Names of its coordinates, scalars but for `position` (3) and
            `orientation` (4 Euler parameters).
        speeds: Names of their rates; `velocity` and `angular_velocity` have 3 components.
        accelerations: Names of the rates of these.
        limits: How far, how fast and how hard it may go; None where nothing is said.
    """

    KIND: ClassVar[str] = "joint"
    POINTS: ClassVar[tuple[str, ...]] = ("at",)
    TRIAD: ClassVar[Mapping[str, str]] = {"axis": "h"}
    motions: ClassVar[tuple[Motion, ...]] = ()
    mobility: ClassVar[Mobility] = Mobility(())
    coordinates: ClassVar[tuple[str, ...]] = ()
    speeds: ClassVar[tuple[str, ...]] = ()
    accelerations: ClassVar[tuple[str, ...]] = ()
    name: str
    first: str
    second: str
    at: PointPerSide
    drawn: NumberOrNumbers
    axis: AxisPerSide = default(None)
    limits: LimitsLike = default(None)
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, *, kind: bool = True, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.mobility = Mobility(cls.motions)
        cls.coordinates = cls.mobility.coordinates
        cls.speeds = cls.mobility.speeds
        cls.accelerations = cls.mobility.accelerations
        if kind:
            kinds.declare("joint", cls)

    def _door(self) -> Door:
        """Check what all joints have; return the door for what else there is."""
        door = Door(self, f"joint {self.name!r}")
        for field in ("name", "first", "second"):
            door.take(field, fields.name)
        door.distinct("bodies", self.first, self.second)
        door.take("at", sides, self, fields.point)
        door.take("drawn", _drawn, self)
        if self.limits is not None and door.take("limits", limits):
            for complaint in self.limits.complaints:
                door.say(f"limits: {complaint}")
        return door

    def __post_init__(self) -> None:
        door = self._door()
        self._take_axes(door)
        if self.mobility.lead:
            door.take(self.mobility.lead, fields.real, unit="m per turn")
        door.close()

    def _take_axes(self, door: Door) -> None:
        """Check the axes; those that are not turned about may lie in a plane, as pairs."""
        good = True
        drawn = [field for field in self.TRIAD if getattr(self, field) is not None]
        for field in drawn:
            convert = fields.axis if self.mobility.axial(self.TRIAD[field]) else flat_axis
            how = (sides, self, convert) if field == "axis" else (convert,)
            good &= door.take(field, *how)
        for one, other in combinations(drawn, 2) if good else ():
            cosine = _cosine(*(self._written_axis(self.TRIAD[each]) for each in (one, other)))
            if abs(cosine) > ROUNDED:
                door.say(
                    f"{one} and {other} must be perpendicular in the drawing, "
                    f"got a cosine of {cosine:.6g} between them."
                )

    @property
    def at_first(self) -> Vector:
        """Joint point on the first body, world numbers of the drawing [m]."""
        return fields.padded(self.at[0] if per_side(self.at) else self.at)

    @property
    def at_second(self) -> Vector:
        """Joint point on the second body, world numbers of the drawing [m]."""
        return fields.padded(self.at[1] if per_side(self.at) else self.at)

    @cached_property
    def axis_first(self) -> Vector:
        """Unit axis on the first body, world numbers of the drawing; of two, the first's."""
        return self._axis(0)

    @cached_property
    def axis_second(self) -> Vector:
        """Unit axis on the second body, world numbers of the drawing; of two, the second's."""
        return self._axis(1)

    def _axis(self, side: int) -> Vector:
        if self.axis is None:
            return self._drawn_axis("fg"[side])
        return unit(fields.padded(self.axis[side] if per_side(self.axis) else self.axis))

    def _drawn_axis(self, letter: str) -> Vector:
        """Return a drawn unit axis: the first as written, another made square to it.

        Axes written with some six digits are square but for rounding, joints are exactly so.
        """
        field, leading = next(iter(self.TRIAD.items()))
        axis = self._written_axis(letter)
        if letter == leading or getattr(self, field) is None:
            return axis
        first = self._written_axis(leading)
        if abs(_cosine(first, axis)) <= SQUARE:
            return axis
        return unit(minus(axis, scaled(dot(first, axis), first)))

    def _written_axis(self, letter: str) -> Vector:
        field = next(field for field, its in self.TRIAD.items() if its == letter)
        value = getattr(self, field)
        return unit(fields.padded(value[0] if per_side(value) else value))

    @cached_property
    def directions(self) -> tuple[Vector | None, ...]:
        """f, g and h on the first body, world numbers of the drawing; None what is not drawn.

        What is not drawn follows: of h alone some f across it, of two axes the third.
        """
        drawn = {its for field, its in self.TRIAD.items() if getattr(self, field) is not None}
        return tuple(self._drawn_axis(its) if its in drawn else None for its in LETTERS)


def geared(first: Joint, second: Joint) -> str:
    """Return the coordinate that a gear between two joints ties, empty where there is none."""
    both = set(first.coordinates) & set(second.coordinates)
    return next((name for name in ("angle", "offset") if name in both), "")


def scalar_coordinates(joint: Joint) -> tuple[str, ...]:
    """Return the names of the coordinates that are one number each."""
    return tuple(c for c in joint.coordinates if c not in ("position", "orientation"))


def _cosine(a: Vector, b: Vector) -> float:
    """Return the nominal cosine of the angle between two axes, zero where that has no value."""
    one, other = nominals(a), nominals(b)
    return 0.0 if one is None or other is None else dot(one, other)


def _drawn(value: Any, joint: Joint) -> tuple[Any, ...]:
    """Return one number per scalar coordinate, three for a position, zeros if not given."""
    names = [*scalar_coordinates(joint)]
    if "position" in joint.coordinates:
        names = ["position_x", "position_y", "position_z"]
    if value is None:
        return (0.0,) * len(names)
    if len(names) == 1 and not isinstance(value, list | tuple) and not hasattr(value, "shape"):
        value = (value,)
    if len(fields.sequence(value, "", range(100))) != len(names):
        wanted = f"{len(names)} ({', '.join(names)})" if names else "no"
        raise Refused(f" takes {wanted} number{'s' * (len(names) != 1)}, got {len(value)}.")
    return fields.vector(value, sizes=(len(names),))
