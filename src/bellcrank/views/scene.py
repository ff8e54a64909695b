"""What is drawn of a machine, as plain data that any renderer can take.

A scene is made once from a model: surfaces carried by bodies, ties stretched between two
points, named points, arrows. Bodies are numbered as in the model, 0 is ground. A carried
thing is given in the frame of its body's mass centre, along the body's axes, so that a pose
of a result places it:

    p_W = r + R_WB p_B,    p_B = R_DBᵀ (p_D − c_D)

with r, R_WB recorded, D the drawing, c_D the mass centre and R_DB the body axes in it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from bellcrank.model import Model, mass_properties
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.views.surfaces import Surface

Colour = tuple[int, int, int]

PALETTE: tuple[Colour, ...] = (
    (46, 124, 214), (240, 138, 36), (35, 166, 133), (214, 84, 124), (128, 103, 214),
    (201, 158, 32), (84, 172, 222), (134, 154, 84), (190, 92, 190), (120, 130, 146),
)  # fmt: skip
STEEL: Colour = (92, 102, 118)
GROUND: Colour = (128, 136, 148)
SPRING: Colour = (226, 88, 62)
POINT: Colour = (245, 245, 245)
REACTION: Colour = (22, 160, 72)
FORCE: Colour = (220, 38, 56)

Kind = Literal["body", "joint", "axis", "ground"]


class Part(NamedTuple):
    """A surface carried by a body.

    Attributes:
        name: Of the element it shows.
        kind: What it is, for switches.
        body: Number of the body that carries it.
        surface: In the frame of the body's mass centre.
        colour: Red, green, blue, 0 to 255.
        opacity: 0 to 1.
    """

    name: str
    kind: Kind
    body: int
    surface: Surface
    colour: Colour
    opacity: float = 1.0


class Anchor(NamedTuple):
    """A place on a body: its number, and the point in the frame of its mass centre [m]."""

    body: int
    point: tuple[float, float, float]


class Tie(NamedTuple):
    """Something stretched between two places: a spring, or a massless link.

    Attributes:
        name: Of the element.
        kind: `"spring"` is a coil, `"link"` a thin bar, `"bushing"` a thick one,
            `"relation"` a dashed line.
        ends: Where it is held.
        radius: [m].
        colour: Red, green, blue.
        surface: Of unit radius along z from 0 to 1, to be stretched.
    """

    name: str
    kind: Literal["spring", "link", "bushing", "relation"]
    ends: tuple[Anchor, Anchor]
    radius: float
    colour: Colour
    surface: Surface


class Arrow(NamedTuple):
    """A recorded vector drawn where it acts.

    Attributes:
        name: Of the element.
        kind: `"reaction"` or `"force"`, for switches.
        channel: Name of the recorded vector in world components; of a spring, its tension.
        at: Where it acts.
        towards: For a tension, the end that it pulls towards.
        unit: N or N m.
    """

    name: str
    kind: Literal["reaction", "force"]
    channel: str
    at: Anchor
    towards: Anchor | None = None
    unit: str = "N"


class Mark(NamedTuple):
    """A name at a place: of a point, a joint or a body."""

    name: str
    kind: Literal["point", "joint", "body"]
    at: Anchor


@dataclass(frozen=True)
class DrawnScene:
    """A machine as it is drawn.

    Attributes:
        name: Of the machine.
        bodies: Names; the first is ground.
        parts: Surfaces carried by bodies.
        ties: What is stretched between two places.
        arrows: Recorded vectors, where they act.
        marks: Names at places.
        size: A length typical of the drawing [m].
        up: Unit vector against gravity.
        axis: Unit vector that all hinges share, or None.
        drawn: Mass centres in the drawing [m], shape (bodies, 3), ground first.
        turned: R_DB of the body axes in the drawing, shape (bodies, 3, 3).
        notes: What could not be drawn, and why.
    """

    name: str
    bodies: tuple[str, ...]
    parts: tuple[Part, ...]
    ties: tuple[Tie, ...]
    arrows: tuple[Arrow, ...]
    marks: tuple[Mark, ...]
    size: float
    up: np.ndarray
    axis: np.ndarray | None
    drawn: np.ndarray
    turned: np.ndarray
    notes: tuple[str, ...] = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


@dataclass(frozen=True)
class Numbers:
    """The numbers of a model for values of its parameters.

    Attributes:
        model: The machine.
        parameters: Values by name; those not named have their own.
    """

    model: Model
    parameters: Mapping[str, float] = field(default_factory=dict)

    def number(self, value: Any) -> float:
        """Return a number, or the value of an expression of parameters."""
        if isinstance(value, Expression):
            return evaluate(value, self.parameters)
        return float(value)

    def array(self, values: Any) -> np.ndarray:
        """Return nested tuples of numbers and expressions as an array."""
        if isinstance(values, tuple | list):
            return np.array([self.array(value) for value in values])
        return np.array(self.number(values))

    def point(self, values: Any) -> np.ndarray:
        """Return a point of the drawing [m], shape (3,); of a pair z is 0."""
        found = self.array(values)
        return np.concatenate([found, np.zeros(3 - len(found))])

    @cached_property
    def index(self) -> dict[str, int]:
        """Number of each body by name; ground is 0."""
        return {"ground": 0} | {b.name: k for k, b in enumerate(self.model.bodies, start=1)}

    @cached_property
    def centers(self) -> np.ndarray:
        """Mass centres in the drawing [m], shape (bodies, 3), ground first."""
        found = [self.point(mass_properties(body).com) for body in self.model.bodies]
        return np.array([np.zeros(3), *found])

    @cached_property
    def turned(self) -> np.ndarray:
        """R_DB of the body axes in the drawing, shape (bodies, 3, 3), ground first."""
        found = [self.array(body.pose.rotation) for body in self.model.bodies]
        return np.array([np.eye(3), *found])

    def local(self, body: int, points: np.ndarray) -> np.ndarray:
        """Return points of the drawing in the frame of a body's mass centre, shape (..., 3)."""
        return (points - self.centers[body]) @ self.turned[body]

    def anchor(self, body: str, point: Any) -> Anchor:
        """Return a place on a body, given in the drawing [m]."""
        k = self.index[body]
        x, y, z = self.local(k, self.point(point)).tolist()
        return Anchor(k, (x, y, z))

    def drawn(self, anchor: Anchor) -> np.ndarray:
        """Return where an anchor is in the drawing [m], shape (3,)."""
        return self.centers[anchor.body] + self.turned[anchor.body] @ np.array(anchor.point)

    def end(self, end: Any) -> Anchor:
        """Return the place of an end: a pair of a body and a point, or the name of a point."""
        return self.anchor(*self.model.end(end))

    def carried(self, body: int, surface: Surface) -> Surface:
        """Return a surface of the drawing in the frame of a body's mass centre."""
        return Surface(self.local(body, surface.vertices), surface.faces)
