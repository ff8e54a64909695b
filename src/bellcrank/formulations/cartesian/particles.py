"""Particles that are points and nothing else, so that their position says it all.

A particle that carries an arm, such as the bob of a pendulum drawn as a particle on a hinge,
needs an attitude, too; it is then a body without inertia, whose turns its joints determine.
"""

from bellcrank.model import (
    Constraint,
    Force,
    ForceElement,
    Joint,
    Model,
    Particle,
)
from bellcrank.model.elements.walking import expressions_of
from bellcrank.model.expressions import signals


def points(model: Model) -> frozenset[str]:
    """Return the names of the particles whose attitude nothing asks for."""
    particles = {body.name: body for body in model.bodies if isinstance(body, Particle)}
    if not particles:
        return frozenset()
    lost = {name for name in _read(model) if name in particles}
    for element in model.elements:
        for name in _touched(model, element):
            if name in particles and element is not particles[name]:
                lost |= set() if _content(model, particles[name], element) else {name}
    return frozenset(particles) - lost


def _touched(model: Model, element: object) -> set[str]:
    """Return the names of bodies that an element may touch."""
    found = {getattr(element, field, None) for field in ("body", "first", "second", "surface")}
    ends = [model.end(getattr(element, field))[0] for field in getattr(element, "ENDS", ())]
    return {name for name in found if isinstance(name, str)} | set(ends)


def _content(model: Model, particle: Particle, element: object) -> bool:
    """Return whether an element takes a particle as a point, or does not touch it."""
    here = tuple(particle.at)
    match element:
        case Joint():
            sides = {element.first: element.at_first, element.second: element.at_second}
            if particle.name not in sides:
                return True
            return element.mobility.ball and sides[particle.name] == here
        case ForceElement() | Constraint() if element.ENDS and not element.TURNING:
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


def _read(model: Model) -> set[str]:
    """Return the bodies whose attitude a law reads, their own or that of a joint on them."""
    found = (pair for element in model.elements for pair in expressions_of(element))
    read = {signal for _, expression in found for signal in signals(expression)}
    turning = ("orientation", "angular_velocity", "velocity_body")
    owners = {s.rpartition(".")[0] for s in read if s.rpartition(".")[2].startswith(turning)}
    joints = [joint for joint in model.joints if joint.name in owners]
    return owners | {body for joint in joints for body in (joint.first, joint.second)}
