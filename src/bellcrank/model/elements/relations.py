"""Relations of positions: cams, non-circular gears, belts, ropes, differentials."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bellcrank.model.elements import fields
from bellcrank.model.elements.constraints import Constraint
from bellcrank.model.elements.forces import Quantities
from bellcrank.model.elements.given import Given, LawLike, NumberOrNone, default
from bellcrank.model.expressions import signals

LENGTHS = ("offset", "x", "y", "position_x", "position_y", "position_z", "length")
"""Positions in metres that a relation may use."""

ANGLES = ("angle", "angle1", "angle2")
"""And those in radians."""


@dataclass(frozen=True)
class Relation(Constraint):
    """An expression of positions and time that stays zero: Φ(coordinates, points, t) = 0.

    It may use coordinates of joints, positions of bodies and points, lengths of springs, `t`
    and parameters, and must be twice differentiable. An angle atan2(y, x) in which it is linear
    is followed over full turns, which do not count. `name.effort` e is what it does to the
    expression as it is written:

        ∂Φ/∂x · e along each coordinate x,    −∂Φ/∂t · e [W] into the machine

    It is in N where the expression names a length, which it then is taken for; else in N m.

    Attributes:
        name: Unique in the model.
        zero: The expression.

    Examples:
        >>> Relation("cam", "follower.offset - 0.02*(1 - cos(shaft.angle))").zero
        expression('follower.offset - 0.02*(1 - cos(shaft.angle))')
    """

    LAWS = ("zero",)
    ROWS = ("relation",)
    QUANTITIES = (("effort", "torque", 1),)
    name: str
    zero: LawLike

    def in_metres(self, model: Any) -> bool:
        """Return whether the expression names a length."""
        return any(name.rpartition(".")[2] in LENGTHS for name in signals(self.zero))

    def quantities(self, model: Any) -> Quantities:
        """Return its effort."""
        return (("effort", "force" if self.in_metres(model) else "torque", 1),)


@dataclass(frozen=True)
class Rope(Constraint):
    """A rope that cannot stretch, from point to point over pulleys without friction or size.

        Σ |rᵢ₊₁ − rᵢ| = length

    `name.force` [N] is its tension, the same all along; where it is negative, a real rope would
    be slack.

    Attributes:
        name: Unique in the model.
        points: Names of two or more `Point`s, in order; those between the ends are pulleys.
        length: [m], positive; None for the length in the drawing.

    Examples:
        >>> import bellcrank as bc
        >>> rope = bc.Rope("rope", ["winch", "pulley", "hook"], length=3.0)
    """

    PLACES: ClassVar[tuple[str, ...]] = ("points",)
    ROWS = ("length",)
    QUANTITIES = (("force", "force", 1),)
    name: str
    points: Given[Sequence[str]]
    length: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        if door.take("points", _names):
            pairs = zip(self.points, self.points[1:], strict=False)
            for one, other in pairs:
                if one == other:
                    door.say(f"points needs two different ones in a row, got {one!r} twice.")
        if self.length is not None:
            door.take("length", fields.real, unit="m", sign="positive")
        door.close()


def _names(value: Any) -> tuple[str, ...]:
    """Return two or more names as a tuple.

    Raises:
        Refused: They are something else.
    """
    if isinstance(value, str) or not isinstance(value, Sequence) or len(value) < 2:
        raise fields.Refused(f" needs names of two or more points, got {fields.short(value)}.")
    return tuple(fields.name(each) for each in value)
