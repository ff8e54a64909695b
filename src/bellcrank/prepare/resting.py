"""Event functions that are zero but for rounding rest at zero.

A component of a velocity that the machine cannot have, a torque that a hinge does not take:
such numbers are zero, and change their sign as rounding goes. An event function g of names
s₁, s₂, … counts as zero where

    |g| ≤ ROUNDING · Σ |∂g/∂sᵢ| · size of sᵢ

The size of a name is that of the motion it is part of, at the same moment:

    angles, Euler parameters   1 and themselves     positions, lengths   L and their vector
    speeds                     |v| + L |ω| of the bodies they belong to
    accelerations              |a| + L |α| + (|v| + L |ω|)²/L
    reactions                  |F| + |M|/L          other vectors        themselves

with L the nominal length of the machine; angular speeds, angular accelerations and torques
accordingly. Of other scalars nothing is known, and they are taken as they are; so are functions
with poles.
"""

from collections.abc import Callable
from typing import Any

from bellcrank.model import (
    Body,
    Distance,
    Expression,
    Joint,
    Model,
    Particle,
    Point,
    SpringDamper,
)
from bellcrank.model.expressions import (
    Operation,
    Signal,
    derivative,
    evaluate,
    expression,
    inputs,
    signals,
    sqrt,
    walk,
    where,
)
from bellcrank.model.names import channels, components, law_names, observed_names

ROUNDING = 1e-13
"""Quantities that are zero in exact arithmetic stay below 1e-14 of their size (measured)."""


def resting(model: Model, crossing: Expression, length: float) -> Expression:
    """Return an event function that is zero where it is so but for rounding.

    Args:
        model: The machine.
        crossing: The event function, with names looked up.
        length: The nominal length of the machine [m].
    """
    if _may_have_poles(crossing):
        return crossing
    sizes = _Sizes(model, length)
    floor: Any = 0.0
    for name in sorted(signals(crossing)):
        size = sizes.of(name)
        if size is not None:
            floor = floor + abs(derivative(crossing, name)) * size
    if not isinstance(floor, Expression):
        return crossing
    return expression(where(abs(crossing) <= ROUNDING * floor, 0.0, crossing))


def _may_have_poles(crossing: Expression) -> bool:
    """Return whether an expression may change its sign at infinity, which is no event."""
    for node in walk(crossing):
        if isinstance(node, Operation) and node.op in ("div", "tan", "log", "pow"):
            last = node.args[-1]
            if node.op in ("tan", "log") or signals(last) or inputs(last):
                return True
            if node.op == "pow" and not evaluate(last, {}) > 0.0:
                return True
    return False


class _Sizes:
    """Sizes of names as expressions of other names."""

    def __init__(self, model: Model, length: float) -> None:
        self.model, self.length = model, length
        self._vectors = {
            part: channel
            for channel in channels(model)
            if channel.size > 1
            for part in components(channel.name, channel.size)
        }

    def of(self, name: str) -> Any:
        """Return the size of a scalar name; None where nothing is known of it."""
        owner, dot, quantity = name.rpartition(".")
        if not dot:
            return self._whole(name)
        element = self.model[owner] if owner in self.model.names else None
        if quantity not in (*law_names(element), *observed_names(element)):
            return None  # a coordinate that only this formulation has
        angular = quantity.startswith("ang")
        if "acceleration" in quantity:
            return self._along(self._accelerated, element, angular)
        if isinstance(element, Joint) and quantity.startswith("reaction"):
            return self._reaction(owner, quantity)
        if "velocity" in quantity or quantity.endswith("_rate"):
            return self._along(self._moving, element, angular)
        if quantity.startswith(("angle", "orientation")):
            return 1.0 + abs(Signal(name))
        if isinstance(element, Joint | Body | Particle | Point) or quantity == "length":
            whole = self._whole(name)
            return self.length + (abs(Signal(name)) if whole is None else whole)
        return self._whole(name)

    def _whole(self, name: str) -> Any:
        """Return the length of the vector that a component belongs to; None of a scalar."""
        channel = self._vectors.get(name)
        return None if channel is None else _norm(channel.name)

    def _along(self, size: Callable[[str], Any], element: Any, angular: bool) -> Any:
        """Return the size of a motion in m/s or m/s², or in rad of the machine's length."""
        total: Any = 0.0
        for body in _bodies(self.model, element):
            if body != "ground":
                total = total + size(body)
        return total / self.length if angular else total

    def _moving(self, body: str) -> Any:
        return _norm(f"{body}.velocity") + self.length * _norm(f"{body}.angular_velocity")

    def _accelerated(self, body: str) -> Any:
        turned = self.length * _norm(f"{body}.angular_acceleration")
        return _norm(f"{body}.acceleration") + turned + self._moving(body) ** 2 / self.length

    def _reaction(self, joint: str, quantity: str) -> Any:
        force, torque = _norm(f"{joint}.reaction_force"), _norm(f"{joint}.reaction_torque")
        if "torque" in quantity:
            return torque + self.length * force
        return force + torque / self.length


def _bodies(model: Model, element: Any) -> tuple[str, ...]:
    """Return the bodies whose motion an element's is made of."""
    match element:
        case Body() | Particle():
            return (element.name,)
        case Point():
            return (element.body,)
        case Joint():
            return element.first, element.second
        case SpringDamper() | Distance():
            return tuple(model.end(end)[0] for end in (element.first, element.second))
    return ()


def _norm(vector: str) -> Any:
    x, y, z = (Signal(part) for part in components(vector, 3))
    return sqrt(x * x + y * y + z * z)
