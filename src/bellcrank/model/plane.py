"""Planar machines: everything in the x-y plane, drawn with pairs.

In a planar model a pair gets its third coordinate, 0, and axes left open become z. In a spatial
model a pair is a point with a coordinate missing, and an axis left open is missing, too.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bellcrank.model.algebra import Vector, nominals
from bellcrank.model.elements.bodies import Body
from bellcrank.model.elements.fields import padded
from bellcrank.model.elements.forces import Force, Torque
from bellcrank.model.elements.joint import Joint
from bellcrank.model.elements.walking import field_names
from bellcrank.model.expressions import Constant
from bellcrank.model.matter.mass import MassProperties
from bellcrank.model.matter.shapes import PointMasses, Shape

Z: Vector = (0.0, 0.0, 1.0)
FLAT = 1e-9  # what counts as in the plane, of the size of a unit vector


def flattened(element: Any, planar: bool, complaints: list[str]) -> Any:
    """Return an element as it stands in a planar or spatial model, and add complaints."""
    who = f"{element.KIND} {element.name!r}"
    if isinstance(element, Joint) and "axis" in element.__dict__ and element.axis is None:
        if planar and element.mobility.turning:
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
    """Return the fields that are directions and may lie in the plane, as pairs."""
    if not isinstance(element, Joint):
        return getattr(element, "AXES", ())
    held = {field for field, its in element.TRIAD.items() if element.mobility.axial(its)}
    return tuple(f for f in element.TRIAD if f in field_names(type(element)) and f not in held)


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
    """Return a complaint where a joint turns about what is not z, or slides along what is."""
    kind, mobility = type(joint).__name__, joint.mobility
    if mobility.free or not mobility.motions:
        return []
    both = mobility.turning == 1 and 2 in mobility.slid  # about and along one axis
    if mobility.turning > 1 or both or mobility.lead:
        return [
            f"a {kind} joint leaves the plane; a planar model takes Revolute, Prismatic, "
            "Planar, Fixed and Free."
        ]
    about = (joint.axis_first, joint.axis_second)
    if mobility.turning:
        tilted = any(max(abs(x) for x in a[:2]) > FLAT for a in _known(about))
        return [f"the axis of a {kind} joint in a planar model is z or -z."] * tilted
    along = [joint.directions[k] for k in mobility.slid]
    rising = any(
        abs(a[2]) > FLAT for a in _known((*along, *(about if 2 in mobility.slid else ())))
    )
    return [f"the axis of a {kind} joint in a planar model lies in the x-y plane."] * rising


def _known(axes: Iterable[Any]) -> list[tuple[float, ...]]:
    """Return the nominal values of axes that are drawn and have some."""
    found = (nominals(axis) for axis in axes if axis is not None)
    return [values for values in found if values is not None]


def upright(axis: Any) -> bool:
    """Return whether an axis is along z, at nominal values."""
    x, y, _ = nominals(axis) or (1.0, 0.0, 0.0)
    return max(abs(x), abs(y)) <= FLAT


def in_plane(axis: Any) -> tuple[int, ...]:
    """Return which of f and g of the triad about an axis are not along z.

    f is the world axis least along the axis, made perpendicular to it.
    """
    sizes = [abs(entry) for entry in nominals(axis) or (1.0, 0.0, 0.0)]
    if sizes[2] > FLAT * max(sizes):
        return 0, 1
    return (1,) if sizes.index(min(sizes)) == 2 else (0,)


def upright_axis(joint: Joint) -> int:
    """Return which axis of a joint's triad is along z in a planar model: 0, 1, 2 for f, g, h.

    An f that is not drawn is the world axis least along h, made perpendicular to it.
    """
    f, _, h = joint.directions
    for number, axis in ((2, h), (0, f)):
        if axis is not None and (n := nominals(axis)) is not None and abs(n[2]) > 0.5:
            return number
    if h is None:
        return 2
    if f is not None:
        return 1
    return 1 - in_plane(h)[0]


def _mass_out_of_plane(properties: MassProperties) -> list[str]:
    com = nominals(properties.com)
    if com is not None and abs(com[2]) > FLAT:
        return [f"com must have z = 0 in a planar model, got {com[2]:.9g}."]
    return []
