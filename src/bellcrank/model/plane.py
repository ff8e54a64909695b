"""Planar machines: everything in the x-y plane, drawn with pairs.

In a planar model a pair gets its third coordinate, 0, and axes left open become z. In a spatial
model a pair is a point with a coordinate missing, and an axis left open is missing, too.
"""

from dataclasses import replace
from typing import Any

from bellcrank.model.algebra import Vector, nominals
from bellcrank.model.bodies import Body
from bellcrank.model.expressions import Constant
from bellcrank.model.fields import padded
from bellcrank.model.forces import Force, Torque
from bellcrank.model.joints import (
    Cylindrical,
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from bellcrank.model.mass import MassProperties
from bellcrank.model.shapes import PointMasses, Shape

Z: Vector = (0.0, 0.0, 1.0)
FLAT = 1e-9  # what counts as in the plane, of the size of a unit vector


def flattened(element: Any, planar: bool, complaints: list[str]) -> Any:
    """Return an element as it stands in a planar or spatial model, and add complaints."""
    who = f"{element.KIND} {element.name!r}"
    if isinstance(element, Joint) and "axis" in element.__dict__ and element.axis is None:
        if planar and not isinstance(element, Prismatic):
            element = replace(element, axis=Z)
        else:
            complaints.append(f"{who}: axis is needed: 'x', 'y', 'z', or three numbers.")
            return element
    pairs, deep = [], []
    for field, p in drawn_points(element):
        if len(p) == 2:
            pairs.append(field)
        elif p[2] != 0.0:
            deep.append(field)
    if planar:
        element = with_triples(element) if pairs else element
        complaints.extend(f"{who}: {text}" for text in _out_of_plane(element, deep))
    else:
        short = "needs 3 components, got 2; pairs are for planar=True."
        complaints.extend(f"{who}: {field} {short}" for field in dict.fromkeys(pairs))
    return element


def drawn_points(element: Any) -> list[tuple[str, tuple[Any, ...]]]:
    """Return every point that an element is drawn with, and the field it stands in."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    for field in getattr(element, "POINTS", ()):
        found.extend((field, p) for p in _sides(getattr(element, field)))
    for field in _axis_fields(element):
        found.extend((field, a) for a in _sides(getattr(element, field)) if len(a) == 2)
    ends = ((field, getattr(element, field)) for field in getattr(element, "ENDS", ()))
    found.extend((field, end[1]) for field, end in ends if isinstance(end, tuple))
    if isinstance(element, Body):
        if element.com is not None:
            found.append(("com", element.com))
        for shape in element.shapes:
            found.extend(_shape_points(shape))
    if isinstance(element, Force) and len(element.vector) == 2:
        found.append(("vector", element.vector))
    return found


def _axis_fields(element: Any) -> tuple[str, ...]:
    return ("axis",) if isinstance(element, Prismatic) else getattr(element, "AXES", ())


def _sides(value: Any) -> tuple[Any, ...]:
    """Return a point or axis of each side; of one where it serves both."""
    if value is None:
        return ()
    return value if isinstance(value[0], tuple) else (value,)


def _shape_points(shape: Shape) -> list[tuple[str, tuple[Any, ...]]]:
    kind = type(shape).__name__
    if isinstance(shape, PointMasses):
        return [(f"{kind}: points[{i}]", p) for i, p in enumerate(shape.points)]
    return [(f"{kind}: {field}", getattr(shape, field)) for field in shape.POINTS]


def with_triples(element: Any) -> Any:
    """Return an element with the third coordinate of every pair."""
    changes: dict[str, Any] = {}
    for field in (*getattr(element, "POINTS", ()), *_axis_fields(element)):
        value = getattr(element, field)
        if value is not None:
            sided = isinstance(value[0], tuple)
            changes[field] = tuple(map(padded, value)) if sided else padded(value)
    for field in getattr(element, "ENDS", ()):
        if isinstance(end := getattr(element, field), tuple):
            changes[field] = (end[0], padded(end[1]))
    if isinstance(element, PointMasses):
        changes["points"] = tuple(map(padded, element.points))
    if isinstance(element, Body):
        changes["shapes"] = tuple(map(with_triples, element.shapes))
        changes["com"] = None if element.com is None else padded(element.com)
    if isinstance(element, Force) and len(element.vector) == 2:
        changes["vector"] = (*element.vector, 0.0)
    return replace(element, **changes) if changes else element


def _out_of_plane(element: Any, deep: list[str]) -> list[str]:
    """Return complaints about what leaves the x-y plane."""
    found = [f"{field} must have z = 0 in a planar model." for field in dict.fromkeys(deep)]
    if isinstance(element, Joint):
        found += _joint_out_of_plane(element)
    if isinstance(element, Body) and not found:
        found += _mass_out_of_plane(element.mass_properties)
    if isinstance(element, Force | Torque):
        turning = isinstance(element, Torque)
        bad = element.vector[:2] if turning else element.vector[2:]
        if any(x != Constant(0.0) for x in bad):
            allowed = "only a z component" if turning else "no z component"
            found.append(f"vector has {allowed} in a planar model.")
    return found


def _joint_out_of_plane(joint: Joint) -> list[str]:
    kind = type(joint).__name__
    if isinstance(joint, Cylindrical | Screw | Universal | Spherical):
        return [
            f"a {kind} joint leaves the plane; a planar model takes Revolute, Prismatic, "
            "Planar, Fixed and Free."
        ]
    if isinstance(joint, Fixed | Free):
        return []
    bad = []
    for a in (joint.axis_first, joint.axis_second):
        n = nominals(a)
        if n is None:
            continue
        if isinstance(joint, Revolute | Planar) and max(abs(n[0]), abs(n[1])) > FLAT:
            bad.append(f"the axis of a {kind} joint in a planar model is z or -z.")
        if isinstance(joint, Prismatic) and abs(n[2]) > FLAT:
            bad.append("the axis of a Prismatic joint in a planar model lies in the x-y plane.")
    return bad[:1]


def _mass_out_of_plane(properties: MassProperties) -> list[str]:
    com = nominals(properties.com)
    if com is not None and abs(com[2]) > FLAT:
        return [f"com must have z = 0 in a planar model, got {com[2]:.9g}."]
    return []
