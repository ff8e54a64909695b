"""Gravity that is not the same everywhere; each is a force on every body of the machine."""

from dataclasses import dataclass
from typing import ClassVar

from bellcrank.model.elements import fields
from bellcrank.model.elements.forces import ForceElement
from bellcrank.model.elements.given import LawOrNone, LawsOrNone, NumberLike, PointLike, default

OWN = ("x", "y", "z")
"""What a field's expressions call the place they are asked for [m]."""


class Everywhere(ForceElement, kind=False):
    """A force on every body, given as `Model(gravity=…)` or among its forces."""

    OWN: ClassVar[tuple[str, ...]] = OWN
    name: str


@dataclass(frozen=True)
class CentralGravity(Everywhere):
    """The gravity of a heavy body far larger than the machine, such as a planet.

    With r from its centre to the mass centre of a body, R = |r|, and J the body's inertia
    about its mass centre,

        V = −μ m/R − μ (tr J − 3 rᵀJr/R²)/(2R³)          F = −∂V/∂r,   T = 3μ r × J r/R⁵

    The second term is what a body feels because one side of it is nearer: the gradient.

    Attributes:
        mu: Gravitational parameter G M [m³/s²], positive.
        at: The centre [m], shape (3,).
        name: Unique in the model.

    Examples:
        >>> import bellcrank as bc
        >>> earth = bc.CentralGravity(3.986004418e14)
    """

    mu: NumberLike
    at: PointLike = default((0.0, 0.0, 0.0))
    name: str = "gravity"

    def __post_init__(self) -> None:
        door = self._door()
        door.take("mu", fields.real, unit="m³/s²", sign="positive")
        door.take("at", fields.point)
        door.put("at", fields.padded(self.at))
        door.close()


@dataclass(frozen=True)
class Field(Everywhere):
    """A force per unit mass that depends on the place: m a(x, y, z, t) at each mass centre.

    Its work is counted as power put in; with `potential` φ it is a = −∇φ, and m φ is
    energy.

    Attributes:
        vector: Three expressions [m/s²] of x, y, z [m], t and parameters, or one text with
            commas between them.
        potential: φ [m²/s²], such an expression, instead.
        name: Unique in the model.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Field(("-y", "x", "-9.81")) == bc.Field("-y, x, -9.81")
        True
    """

    LAWS = ("vector", "potential")
    vector: LawsOrNone = default(None)
    potential: LawOrNone = default(None)
    name: str = "gravity"

    def __post_init__(self) -> None:
        door = self._door()
        if (self.vector is None) == (self.potential is None):
            door.say("takes three expressions, or a potential= instead.")
        elif self.vector is not None:
            door.take("vector", fields.laws)
        else:
            door.take("potential", fields.law)
        door.close()
