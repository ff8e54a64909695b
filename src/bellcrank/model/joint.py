"""A joint: what all kinds of it have, and what can be asked of any."""

from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from bellcrank.model import fields
from bellcrank.model.algebra import Vector, unit
from bellcrank.model.fields import Door, Refused
from bellcrank.model.limits import Limits, limits
from bellcrank.model.sides import per_side, sides


class Joint:
    """The base of all joints.

    Attributes:
        coordinates: Names of its coordinates, scalars but for `position` (3) and
            `orientation` (4 Euler parameters).
        speeds: Names of their rates; `velocity` and `angular_velocity` have 3 components.
        accelerations: Names of the rates of these.
        limits: How far, how fast and how hard it may go; None where nothing is said.
    """

    KIND: ClassVar[str] = "joint"
    POINTS: ClassVar[tuple[str, ...]] = ("at",)
    coordinates: ClassVar[tuple[str, ...]] = ()
    speeds: ClassVar[tuple[str, ...]] = ()
    accelerations: ClassVar[tuple[str, ...]] = ()
    name: str
    first: str
    second: str
    at: Any
    drawn: Any
    axis: Any = None
    limits: Limits | None = None
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

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

    def _close_with_axis(self) -> None:
        door = self._door()
        if self.axis is not None:
            door.take("axis", sides, self, fields.axis)
        door.close()

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
        """Unit axis on the first body, world numbers of the drawing."""
        return unit(fields.padded(self.axis[0] if per_side(self.axis) else self.axis))

    @cached_property
    def axis_second(self) -> Vector:
        """Unit axis on the second body, world numbers of the drawing."""
        return unit(fields.padded(self.axis[1] if per_side(self.axis) else self.axis))


def geared(first: Joint, second: Joint) -> str:
    """Return the coordinate that a gear between two joints ties, empty where there is none."""
    both = set(first.coordinates) & set(second.coordinates)
    return next((name for name in ("angle", "offset") if name in both), "")


def scalar_coordinates(joint: Joint) -> tuple[str, ...]:
    """Return the names of the coordinates that are one number each."""
    return tuple(c for c in joint.coordinates if c not in ("position", "orientation"))


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
