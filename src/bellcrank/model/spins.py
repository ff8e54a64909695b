"""Thin bodies held by ball joints on their own line: a spin that nothing resists or drives.

A thin rod has no inertia about its line, and ball joints on that line exert no torque about it,
so no law of mechanics says how it spins, and nothing else depends on it. Of all motions the one
is taken in which the spin stays as it is: the rod is given a moment of inertia about its line,
against accelerations alone,

    (J + K) ω̇ + ω × J ω = n,   K = k a aᵀ

Along a this is ω̇ₐ = 0 and across a it has no k in it, whatever k and the spin are. Formulations
know one inertia, J + K, so what it turns with the body is taken off by a torque ω × K ω, which
does no work; energies and momenta are those of J (`formulations.body_space.balance`).

So k is free to be large. Torques are rounded, and what is left of them along a is divided by k:
with k far below the inertia of the machine, noise would be the fastest motion there is.
"""

from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from math import log10, sqrt
from typing import Any

from bellcrank.model.algebra import congruent, nominal, nominals
from bellcrank.model.elements.bodies import Body, mass_properties
from bellcrank.model.elements.fields import padded
from bellcrank.model.elements.forces import Force, SpringDamper
from bellcrank.model.elements.joints import Spherical
from bellcrank.model.elements.relations import Relation
from bellcrank.model.elements.sides import per_side
from bellcrank.model.expressions import signals
from bellcrank.model.matter.mass import MassProperties
from bellcrank.model.matter.shapes import Rod
from bellcrank.spatial.arithmetic import (
    cross,
    matrix_sum,
    minus,
    outer,
    scaled_matrix,
    transpose,
)

OF_MACHINE = 1e-5  # k per mass of all bodies and squared length of the rod, beside ½ tr(J)
ON_LINE = 1e-12  # of its length: how near to the line of a rod a point is on it


@lru_cache(maxsize=128)
def resisting(model: Any) -> Any:
    """Return a model whose thin rods resist their spin where nothing else does."""
    idle = spinning(model)
    if not idle:
        return model
    mass = sum(abs(nominal(mass_properties(body).mass) or 0.0) for body in model.bodies)
    mass = 10.0 ** round(log10(mass)) if mass else 0.0  # sweeps of a mass compile little
    bodies = tuple(
        _resisting(body, mass) if body.name in idle else body for body in model.bodies
    )
    return replace(model, bodies=bodies)


def spinning(model: Any) -> tuple[str, ...]:
    """Return the thin rods whose spin nothing resists or drives."""
    bodies = () if model.planar else model.bodies
    return tuple(body.name for body in bodies if _spins(model, body))


def _spins(model: Any, body: Any) -> bool:
    """Return whether a body is a thin rod, held and pushed on its line alone."""
    if not isinstance(body, Body) or body.inertia is not None or len(body.shapes) != 1:
        return False
    (rod,) = body.shapes
    if not isinstance(rod, Rod) or rod.radius is not None:
        return False
    joints = [j for j in model.joints if body.name in (j.first, j.second)]
    held = all(isinstance(j, Spherical) and _on(rod, _point(j, body.name)) for j in joints)
    return held and len(joints) > 1 and not _turned(model, body, rod, joints)


def _turned(model: Any, body: Body, rod: Rod, joints: list[Any]) -> bool:
    """Return whether anything but its joints may turn a rod about its line."""
    if body.com is not None:
        return True
    own = {body.name, *(joint.name for joint in joints)}
    points = {p.name: p for p in model.points if p.body == body.name}
    for element in (*model.forces, *model.constraints, *model.drivers):
        if isinstance(element, SpringDamper):
            ends = [model.end(end) for end in (element.first, element.second)]
            if any(name == body.name and not _on(rod, at) for name, at in ends):
                return True
        elif isinstance(element, Force) and element.body == body.name:
            if element.at is None or not _on(rod, element.at):
                return True
        elif own.union(points).intersection(_named(element)):
            return True
    return False


def _named(element: Any) -> set[str]:
    """Return the bodies, joints and points that an element names."""
    fields = (*getattr(element, "BODIES", ()), *getattr(element, "JOINTS", ()))
    found = {getattr(element, field) for field in (*fields, *("of",) * hasattr(element, "of"))}
    for field in getattr(element, "ENDS", ()):
        end = getattr(element, field)
        found.add(end if isinstance(end, str) else end[0])
    for field in getattr(element, "PLACES", ()):
        found.update(getattr(element, field))
    if isinstance(element, Relation):
        found.update(name.rpartition(".")[0] for name in signals(element.zero))
    return found | {name.partition(".")[0] for name, _ in getattr(element, "terms", ())}


def _point(joint: Any, body: str) -> Any:
    return joint.at[body != joint.first] if per_side(joint.at) else joint.at


def _on(rod: Rod, point: Any) -> bool:
    """Return whether a point is on the line of a rod, in the drawing."""
    line = minus(padded(rod.end), padded(rod.start))
    apart = nominals(cross(line, minus(padded(point), padded(rod.start))))
    length = nominals(line)
    if apart is None or length is None:
        return False
    size = sum(x * x for x in length)
    return sqrt(sum(x * x for x in apart)) <= ON_LINE * size


@dataclass(frozen=True)
class ResistingRod(Body):
    """A thin rod with made-up inertia about its line in `inertia`, without it in `own`."""

    own: Any = None

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, mass centre and both inertias, world numbers of the drawing."""
        return replace(super().mass_properties, own=self.own)


def _resisting(body: Body, mass: float) -> ResistingRod:
    """Return a thin rod with a moment of inertia about its line.

    Args:
        body: The rod.
        mass: Of the machine [kg].
    """
    properties = mass_properties(body)
    line: Any = nominals(minus(padded(body.shapes[0].end), padded(body.shapes[0].start)))  # pyright: ignore[reportAttributeAccessIssue]
    assert line is not None
    J = properties.inertia
    square = sum(x * x for x in line)
    k = 0.5 * (J[0][0] + J[1][1] + J[2][2]) + OF_MACHINE * mass * square
    inertia = matrix_sum(J, scaled_matrix(k / square, outer(line, line)))
    along = congruent(transpose(body.pose.rotation), inertia)
    known = {each.name: getattr(body, each.name) for each in fields(body)}
    known |= {"mass": properties.mass, "com": properties.com, "inertia": along}
    return ResistingRod(**known, own=J)
