"""What of a machine knows how a body has turned about a line of its own.

Points of the line and directions along it do not move in such a turn, and what is tied to them
alone feels nothing of it. All else counts as feeling it: constraints and drivers that hold the
body elsewhere or by other directions, forces with a lever about the line or given along axes
that turn. What only reads an attitude does not hold it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import sqrt
from typing import Any

from bellcrank.model.algebra import nominal, nominals
from bellcrank.model.elements.constraints import (
    Constraint,
    Parallel,
    Perpendicular,
    PointOnLine,
    PointOnPlane,
    VelocityConstraint,
)
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.fields import padded
from bellcrank.model.elements.forces import Bushing, Force, ForceElement, Torque
from bellcrank.model.elements.joints import Joint
from bellcrank.model.elements.relations import Relation
from bellcrank.model.expressions import signals
from bellcrank.spatial.arithmetic import ORIGIN, apply, cross, dot, minus

NEAR = 1e-12  # sine of the angle between directions that are one, and of lengths: on the line


@dataclass(frozen=True)
class BodyLine:
    """A line of a body, in the drawing.

    Attributes:
        body: Whose it is.
        start: A point of it [m].
        along: Its direction, as long as the body is [m].
    """

    body: str
    start: Any
    along: Any

    def has(self, point: Any) -> bool:
        """Return whether a point is on the line; one that depends on open names is not."""
        arm = nominals(minus(padded(point), padded(self.start)))
        return arm is not None and self._parallel(arm, sqrt(dot(self.along, self.along)))

    def goes(self, axis: Any) -> bool:
        """Return whether a direction is along the line, one way or the other."""
        given = nominals(padded(axis))
        return given is not None and self._parallel(given, sqrt(dot(given, given)))

    def _parallel(self, given: Any, size: float) -> bool:
        """Return whether |d × a| is none of |d| and a size."""
        across = cross(self.along, given)
        return sqrt(dot(across, across)) <= NEAR * size * sqrt(dot(self.along, self.along))


def felt(model: Any, line: BodyLine) -> bool:
    """Return whether a constraint, driver or force feels a turn of a body about a line."""
    elements = (*model.constraints, *model.drivers, *model.forces)
    return any(_feels(model, element, line) for element in elements)


def _feels(model: Any, element: Any, line: BodyLine) -> bool:
    """Return whether one element feels a turn about a line."""
    if isinstance(element, Constraint | ForceElement) and _by_its_ends(model, element, line):
        return True
    match element:
        case Parallel() | Perpendicular():
            carried = (element.first, element.axis1), (element.second, element.axis2)
            return any(body == line.body and not line.goes(axis) for body, axis in carried)
        case PointOnPlane():
            return element.body == line.body and not line.goes(element.axis)
        case PointOnLine():
            held = line.goes(element.axis) and line.has(element.at)
            return element.body == line.body and not held
        case Relation():
            return _of_signals(model, signals(element.zero), line)
        case VelocityConstraint():
            return _of_signals(model, (name for name, _ in element.terms), line)
        case Drive():
            names = (f"{element.of}.{name}" for name, _ in element.motion)
            return _of_signals(model, names, line)
        case Torque():
            return element.body == line.body
        case Force():
            return element.body == line.body and _pushed(model, element, line)
        case Bushing():
            return _bushed(model, element, line)
    own = {line.body, *(joint.name for joint in _joints(model, line.body))}
    fields = (*getattr(element, "BODIES", ()), *getattr(element, "JOINTS", ()))
    return any(getattr(element, field) in own for field in fields)


def _by_its_ends(model: Any, element: Any, line: BodyLine) -> bool:
    """Return whether an element is tied to the body off the line."""
    ends = [model.end(getattr(element, field)) for field in element.ENDS]
    for field in getattr(element, "PLACES", ()):
        ends += [model.end(name) for name in getattr(element, field)]
    turning = element.TURNING and not isinstance(element, Bushing)
    return any(body == line.body and (turning or not line.has(at)) for body, at in ends)


def _pushed(model: Any, force: Force, line: BodyLine) -> bool:
    """Return whether a force has a lever about the line, or turns with the body across it."""
    if force.at is not None and not line.has(force.at):
        return True
    return force.frame == "body" and not line.goes(_direction(model, force))


def _direction(model: Any, force: Force) -> Any:
    """Return a vector of a body's own axes in the drawing, or zero where it is not known.

    Of one component alone the direction is known, whatever its law is.
    """
    vector = nominals(padded(force.vector))
    acting = [i for i, entry in enumerate(padded(force.vector)) if nominal(entry) != 0.0]
    if len(acting) == 1:
        vector = [float(i == acting[0]) for i in range(3)]
    return apply(model[force.body].pose.rotation, vector or ORIGIN)


def _bushed(model: Any, element: Bushing, line: BodyLine) -> bool:
    """Return whether a bushing resists the turn by springs, or by axes that turn with it."""
    first, second = (model.end(end)[0] for end in (element.first, element.second))
    groups = (
        numbers[n : n + 3] for numbers in (element.stiffness, element.damping) for n in (0, 3)
    )
    uneven = any(not three[0] == three[1] == three[2] for three in groups)
    stiff = any(k != 0.0 for k in element.stiffness[3:])
    return (line.body in (first, second) and stiff) or (first == line.body and uneven)


def _of_signals(model: Any, names: Iterable[str], line: BodyLine) -> bool:
    """Return whether any of the places, lengths and speeds named feels a turn about a line."""
    owners = (name.rpartition(".") for name in names)
    return any(dot and _moved(model, owner, what, line) for owner, dot, what in owners)


def _moved(model: Any, owner: str, what: str, line: BodyLine) -> bool:
    """Return whether a place, length or speed changes in a turn about a line."""
    if owner == line.body:
        return what.startswith(("orientation", "angular"))
    element = model[owner]
    if isinstance(element, Joint):
        if line.body not in (element.first, element.second):
            return False
        still = what.startswith(("position", "velocity")) and element.second == line.body
        return not (still and line.has(element.at_second))
    if element.KIND == "point":
        turned = not what.startswith(("position", "velocity")) or not line.has(element.at)
        return element.body == line.body and turned
    return isinstance(element, Constraint | ForceElement) and _by_its_ends(model, element, line)


def _joints(model: Any, body: str) -> list[Joint]:
    return [joint for joint in model.joints if body in (joint.first, joint.second)]
