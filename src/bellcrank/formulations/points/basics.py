"""Basic points and vectors, and bodies known by them, as they are chosen for a machine.

Needs no CasADi: names and sizes are known before any equation is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

from bellcrank.formulations.contract.equations import StateVariable
from bellcrank.formulations.points.sharing import Drawn
from bellcrank.model import Joint, Model
from bellcrank.model.expressions import Expression, evaluate


@dataclass(frozen=True)
class Basic:
    """A basic point or vector.

    Attributes:
        name: Such as `elbow.position`, `elbow.axis`.
        rate: Such as `elbow.velocity`, `elbow.axis_rate`.
        owner: The joint, point or body it belongs to.
        vector: Whether it is a vector.
        sides: For each body that has it, where it is in the drawing [m], or a unit vector.
        length: Of a vector [m]; 1 for a point.
        start: Its first place in q, −1 where it is the ground's and does not move.
    """

    name: str
    rate: str
    owner: str
    vector: bool
    sides: Mapping[str, Drawn]
    length: float = 1.0
    start: int = -1

    @property
    def fixed(self) -> Drawn | None:
        """What it is on the ground, None where it moves."""
        return self.sides.get("ground")


@dataclass(frozen=True)
class PointFrame:
    """What a body is known by: numbers of basics.

    Attributes:
        body: Its name.
        base: A point.
        directions: Points, counted from the base, and vectors: none for a particle, one in the
            plane and for a rod whose own turn nobody feels, else two or three.
        others: Points and vectors it has besides; rows tie them to the frame.
    """

    body: str
    base: int
    directions: tuple[int, ...] = ()
    others: tuple[int, ...] = ()


@dataclass(frozen=True)
class Places:
    """The coordinates of a machine in basic points and vectors.

    Attributes:
        planar: Whether points have two coordinates.
        length: The machine's [m].
        basics: Points first, then vectors.
        frames: By body.
        shared: Joints that hold by sharing; those with two pins still need a row for them.
        joints: Joints that are rows.
    """

    planar: bool
    length: float
    basics: tuple[Basic, ...]
    frames: Mapping[str, PointFrame]
    shared: tuple[str, ...]
    joints: tuple[str, ...]

    @property
    def size(self) -> int:
        """Coordinates of a point or vector."""
        return 2 if self.planar else 3

    @property
    def coordinates(self) -> tuple[StateVariable, ...]:
        """The scalars of q."""
        return self._variables("offset" if self.planar else "position", "name")

    @property
    def speeds(self) -> tuple[StateVariable, ...]:
        """The scalars of q̇."""
        return self._variables("offset_rate" if self.planar else "velocity", "rate")

    def _variables(self, quantity: str, field: str) -> tuple[StateVariable, ...]:
        """Return scalars such as `A.position_x`; in the plane `A.x` and `A.x_rate`."""
        found = []
        for basic in self.basics:
            if basic.start < 0:
                continue
            name, scale = getattr(basic, field), self.length
            for axis in "xyz"[: self.size]:
                text = f"{name}_{axis}"
                if self.planar:
                    stem, _, what = basic.name.rpartition(".")
                    bare = axis if what == "position" else f"{what}_{axis}"
                    text = f"{stem}.{bare}{'_rate' * (field == 'rate')}"
                found.append(StateVariable(text, quantity, basic.owner, scale))
        return tuple(found)

    def size_of(self, body: str) -> float:
        """Return the longest direction of a body as it is drawn [m]; 0 where it has none."""
        frame = self.frames.get(body)
        return (
            max((self._long(frame, n) for n in frame.directions), default=0.0) if frame else 0.0
        )

    def _long(self, frame: PointFrame, number: int) -> float:
        """Return the length of a direction of a frame as it is drawn [m]."""
        if self.basics[number].vector:
            return self.basics[number].length
        here, base = (self.basics[n].sides[frame.body] for n in (number, frame.base))
        return hypot(*(value(a) - value(b) for a, b in zip(here, base, strict=True)))

    def drawn(self, parameters: Mapping[str, float]) -> list[float]:
        """Return q of the drawing."""
        q: list[float] = []
        for basic in self.basics:
            if basic.start >= 0:
                at = next(iter(basic.sides.values()))
                q += [basic.length * value(entry, parameters) for entry in at[: self.size]]
        return q


def value(number: Any, parameters: Mapping[str, float] | None = None) -> float:
    """Return a number of the drawing, at nominal parameter values if none are given."""
    found = evaluate(number, parameters or {}) if isinstance(number, Expression) else number
    return float(found)


def pinned(model: Model, plan: Places) -> tuple[Joint, ...]:
    """Return the joints with two pins whose cross is a shared point."""
    found = (model[name] for name in plan.shared)
    return tuple(joint for joint in found if joint.mobility.turning == 2)
