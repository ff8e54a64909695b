"""Drivers: coordinates whose motion is prescribed."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Door
from bellcrank.model.elements.given import Law
from bellcrank.model.expressions import Expression

SPEED = re.compile(r"_rate$|velocity")
"""What the names of speeds have, and those of coordinates have not."""


@dataclass(frozen=True, init=False)
class Drive:
    """Prescribed motion of a joint, a point or a `Distance`, and the effort it takes.

    Attributes:
        name: Unique in the model.
        of: The joint, the `Point` or the `Distance`, whose coordinate is its `length`.
        motion: Pairs of a coordinate and an expression of time and parameters, whose pieces, if
            it has any, meet with the same value and the same speed. One speed in its place,
            `angle_rate` of a joint or `velocity_x` of a point, may be led by variables and
            positions, too; a model has such a driver as a `VelocityConstraint`.

    Examples:
        >>> Drive("motor", "A", angle="2*pi*t").motion
        (('angle', expression('6.283185307179586*t')),)
        >>> Drive("servo", "A", angle_rate="omega").speeds
        ('angle_rate',)
    """

    KIND: ClassVar[str] = "driver"
    LAWS: ClassVar[tuple[str, ...]] = ("motion",)
    name: str
    of: str
    motion: tuple[tuple[str, Expression], ...]

    def __init__(
        self,
        name: str,
        of: str,
        motion: Mapping[str, Law] | Iterable[tuple[str, Law]] = (),
        **coordinates: Law,
    ) -> None:
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "motion", motion)
        door = Door(self, f"driver {name!r}")
        door.take("name", fields.name)
        door.take("of", fields.name)
        if door.take("motion", fields.pairs):
            door.put("motion", (*self.motion, *coordinates.items()))
            door.take(
                "motion",
                fields.named_laws,
                noun="coordinate",
                named="is named by coordinates such as 'angle'",
                needs="a coordinate, as in angle='2*pi*t'",
            )
        door.close()

    @property
    def speeds(self) -> tuple[str, ...]:
        """Those of what it leads that are speeds."""
        return tuple(each for each, _ in self.motion if SPEED.search(each))
