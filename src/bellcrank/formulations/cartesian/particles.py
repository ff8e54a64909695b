"""Particles that are points and nothing else, so that their position says it all.

A particle that carries an arm, such as the bob of a pendulum drawn as a particle on a hinge,
needs an attitude, too; it is then a body without inertia, whose turns its joints determine.
"""

from bellcrank.model import (
    Distance,
    Force,
    Free,
    Joint,
    Model,
    Particle,
    PointOnLine,
    PointOnPlane,
    Spherical,
    SpringDamper,
)
from bellcrank.model.expressions import signals
from bellcrank.model.walking import expressions_of


def is_point(model: Model, particle: Particle) -> bool:
    """Return whether nothing asks for the attitude of a particle."""
    return all(
        _content(model, particle, element)
        for element in model.elements
        if element is not particle
    ) and not _read(model, particle.name)


def _content(model: Model, particle: Particle, element: object) -> bool:
    """Return whether an element takes a particle as a point, or does not touch it."""
    here = tuple(particle.at)
    match element:
        case Joint():
            sides = {element.first: element.at_first, element.second: element.at_second}
            if particle.name not in sides:
                return True
            return isinstance(element, Free | Spherical) and sides[particle.name] == here
        case SpringDamper() | Distance() | PointOnLine() | PointOnPlane():
            if getattr(element, "body", None) == particle.name:
                return False
            ends = (model.end(getattr(element, field)) for field in element.ENDS)
            return all(body != particle.name or at == here for body, at in ends)
        case Force():
            if element.body != particle.name:
                return True
            return element.frame == "world" and element.at in (None, here)
    touched = [
        getattr(element, field, None) for field in ("body", "first", "second", "surface")
    ]
    ends = [one[0] if isinstance(one, tuple) else one for one in touched]
    return particle.name not in ends or getattr(element, "at", None) == here


def _read(model: Model, name: str) -> bool:
    """Return whether a law reads the attitude of a particle or of a joint on it."""
    joints = [j.name for j in model.joints if name in (j.first, j.second)]
    found = (pair for element in model.elements for pair in expressions_of(element))
    read = {signal for _, expression in found for signal in signals(expression)}
    return any(
        signal.startswith((f"{owner}.orientation", f"{owner}.angular_velocity"))
        for owner in (name, *joints)
        for signal in read
    )
