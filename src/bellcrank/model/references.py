"""Checks of what elements refer to: bodies, points, joints, coordinates; and of connection."""

from collections.abc import Mapping
from typing import Any

from bellcrank.errors import did_you_mean, unknown_name
from bellcrank.model.elements.bodies import Particle
from bellcrank.model.elements.constraints import (
    Distance,
    Gear,
    RackAndPinion,
    VelocityConstraint,
)
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.ends import end_name
from bellcrank.model.elements.forces import CoordinateForce
from bellcrank.model.elements.gravity import Field
from bellcrank.model.elements.joints import Joint, geared, scalar_coordinates
from bellcrank.model.elements.relations import ANGLES, LENGTHS, Relation
from bellcrank.model.elements.walking import expressions_of
from bellcrank.model.expressions import inputs, signals
from bellcrank.model.graph import GROUND, spanning_graph
from bellcrank.model.names import components, law_names, law_quantities

Groups = Mapping[str, tuple[Any, ...]]

_RATES = ("velocity", "angular_velocity")
_PLACES = ("position", "orientation")
_OF_A_PARTICLE = (
    ", and simulate with formulation=bc.Cartesian() or bc.Natural(): a Particle does not "
    "resist turning, and there it does not turn."
)


def reference_complaints(groups: Groups) -> list[str]:
    """Return what is wrong with references between elements, and with their connection."""
    bodies = {GROUND, *(body.name for body in groups["bodies"])}
    joints = {joint.name: joint for joint in groups["joints"]}
    points = {point.name: point for point in groups["points"]}
    index = {item.name: item for items in groups.values() for item in items}
    found = []
    for items in groups.values():
        for element in items:
            who = f"{element.KIND} {element.name!r}"
            bad = _dangling(element, bodies, joints, points) or _misfit(element, index)
            found += [f"{who}: {text}" for text in bad]
    return found + _circles(index) + _loose(groups, bodies)


def _dangling(element: Any, bodies: Any, joints: Any, points: Any) -> list[str]:
    """Return complaints about names of bodies, points and joints that are not there."""
    fields = ("first", "second") if isinstance(element, Joint) else ()
    fields = (*fields, *getattr(element, "BODIES", ()))
    if element.KIND == "point":
        fields = ("body",)
    names = [getattr(element, field) for field in fields]
    names += [end[0] for end in _ends(element) if isinstance(end, tuple)]
    found = [
        unknown_name("body", name, bodies)
        for name in dict.fromkeys(names)
        if name not in bodies
    ]
    for end in _ends(element):
        if isinstance(end, str) and end not in points:
            hint = f" For a body, give ({end!r}, point)." if end in bodies else ""
            found.append(unknown_name("point", end, points) + hint)
    for field in getattr(element, "PLACES", ()):
        listed = [name for name in getattr(element, field) if name not in points]
        found += [unknown_name("point", name, points) for name in dict.fromkeys(listed)]
    named = [getattr(element, field) for field in getattr(element, "JOINTS", ())]
    return found + [unknown_name("joint", name, joints) for name in named if name not in joints]


def _ends(element: Any) -> list[Any]:
    return [getattr(element, field) for field in getattr(element, "ENDS", ())]


def _misfit(element: Any, index: Mapping[str, Any]) -> list[str]:
    """Return complaints about coordinates that are not there."""
    if isinstance(element, CoordinateForce):
        return _coordinate_misfit(element, index[element.joint])
    if isinstance(element, Drive):
        return _drive_misfit(element, index)
    if isinstance(element, Gear):
        joints = [index[element.first], index[element.second]]
        return [] if geared(*joints) else _ungeared(*joints)
    if isinstance(element, RackAndPinion):
        return _lacks(index[element.rack], "offset") + _lacks(index[element.pinion], "angle")
    if isinstance(element, VelocityConstraint):
        return _speed_misfit(element, index)
    if isinstance(element, Relation):
        return _relation_misfit(element)
    if isinstance(element, Field):
        return _field_misfit(element)
    both = [end_name(end) for end in _ends(element) if isinstance(end, tuple)]
    if both == [GROUND, GROUND]:
        return ["ties ground to ground."]
    return (
        ["acts on ground."]
        if getattr(element, "body", "") == GROUND and (element.KIND == "force")
        else []
    )


def _ungeared(first: Joint, second: Joint) -> list[str]:
    lacking = _lacks(first, "angle") + _lacks(second, "angle")
    one, other = (set(joint.coordinates) & {"angle", "offset"} for joint in (first, second))
    if one and other:
        lacking.append("A RackAndPinion ties an angle to an offset.")
    return [" ".join(lacking)]


def _lacks(joint: Any, coordinate: str) -> list[str]:
    if coordinate in joint.coordinates:
        return []
    has = ", ".join(joint.coordinates) or "none"
    return [f"joint {joint.name!r} has no coordinate {coordinate!r}; it has {has}."]


def _coordinate_misfit(element: CoordinateForce, joint: Joint) -> list[str]:
    known = scalar_coordinates(joint)
    kind = type(joint).__name__
    if element.coordinate in known:
        return []
    if not known:
        return [f"joint {joint.name!r} ({kind}) has no coordinate that is one number."]
    names = ", ".join(known)
    if element.coordinate is None:
        return [f"coordinate is needed: joint {joint.name!r} ({kind}) has {names}."]
    near = did_you_mean(str(element.coordinate), known)
    return [
        f"joint {joint.name!r} has no coordinate {element.coordinate!r}.{near} It has {names}."
    ]


def _drive_misfit(drive: Drive, index: Mapping[str, Any]) -> list[str]:
    target = index.get(drive.of)
    ram = isinstance(target, Distance)
    if target is None or not (ram or target.KIND in ("joint", "point")):
        places = [n for n, e in index.items() if e.KIND in ("joint", "point")]
        places += [n for n, e in index.items() if isinstance(e, Distance)]
        return [unknown_name("joint, point or distance", drive.of, places)]
    known = ("length",) if ram else components("position", 3)
    if isinstance(target, Joint):
        position = known if "position" in target.coordinates else ()
        known = (*scalar_coordinates(target), *position)
    found = []
    for coordinate, motion in drive.motion:
        if coordinate not in known:
            near = did_you_mean(coordinate, known)
            has = ", ".join(known) or "none that can be driven"
            found.append(f"{drive.of!r} has no coordinate {coordinate!r}.{near} It has {has}.")
        moving = sorted(signals(motion) - {"t"}) + [w.name for w in inputs(motion)]
        if moving:
            used = ", ".join(moving)
            found.append(
                f"{coordinate} may use t and parameters only, got {used}. A speed may use "
                f"variables and positions, as in {coordinate}_rate='…'."
                if isinstance(target, Joint)
                else f"{coordinate} may use t and parameters only, got {used}."
            )
    return found


def _speed_misfit(element: VelocityConstraint, index: Mapping[str, Any]) -> list[str]:
    laws = {f"terms[{name!r}]": law for name, law in element.terms} | {"equals": element.equals}
    found = [
        f"{field} may use t, parameters, positions and variables only, got {', '.join(fast)}."
        for field, law in laws.items()
        if (fast := _no_positions(law, index))
    ]
    for name, _ in element.terms:
        owner, _, quantity = name.rpartition(".")
        if owner not in index:
            found.append(f"terms[{name!r}]: {unknown_name('element', owner, index)}")
            continue
        known = speeds_of(index[owner])
        if quantity not in known:
            near = did_you_mean(quantity, known)
            has = ", ".join(known) or "none"
            found.append(
                f"terms[{name!r}]: {owner!r} has no speed {quantity!r}.{near} It has {has}."
            )
    return found


def _relation_misfit(element: Relation) -> list[str]:
    """Return complaints about what is no position, or about a relation of nothing."""
    used = {name: name.rpartition(".")[2] for name in sorted(signals(element.zero))}
    strange = [
        name
        for name, quantity in used.items()
        if name != "t" and not (quantity in LENGTHS or quantity in ANGLES)
    ]
    strange += [w.name for w in inputs(element.zero)]
    if strange:
        return [
            "zero may use t, parameters, coordinates of joints, positions and lengths only, "
            f"got {', '.join(strange)}."
        ]
    return [] if set(used) - {"t"} else ["zero names nothing that moves."]


def _field_misfit(element: Field) -> list[str]:
    """Return complaints about what a field may not depend on."""
    known = {"t", *(f"{element.name}.{axis}" for axis in element.OWN)}
    laws = [law for _, law in expressions_of(element)]
    strange = sorted({name for law in laws for name in signals(law)} - known)
    strange += [w.name for law in laws for w in inputs(law)]
    if not strange:
        return []
    return [f"a field may use x, y, z, t and parameters only, got {', '.join(strange)}."]


def _no_positions(law: Any, index: Mapping[str, Any]) -> list[str]:
    """Return what an expression uses besides time, positions and variables."""
    found = []
    for name in sorted(signals(law)):
        owner, _, quantity = name.rpartition(".")
        stem = quantity.rpartition("_")[0]
        joint = isinstance(index.get(owner), Joint)
        place = quantity not in speeds_of(index.get(owner)) if joint else stem in _PLACES
        if not (place or quantity == "length" or name == "t" or name in index):
            found.append(name)
    return found


def _circles(index: Mapping[str, Any]) -> list[str]:
    """Return complaints about forces and rates that follow from themselves."""
    found, done = [], set()
    for name in index:
        way = _way_back(name, index, [name])
        if way and name not in done:
            done.update(owner for owner, _ in way)
            told = ", which uses ".join(f"{used!r}" for _, used in way)
            found.append(f"{index[name].KIND} {name!r} uses {told}: that is circular.")
    return found


def _way_back(
    name: str, index: Mapping[str, Any], way: list[str]
) -> list[tuple[str, str]] | None:
    """Return the owners, each with what it uses, by which an element follows from itself."""
    for used in _acting_in(index[way[-1]], index):
        owner = used.rpartition(".")[0]
        if owner == name:
            return [(way[-1], used)]
        if owner not in way:
            rest = _way_back(name, index, [*way, owner])
            if rest:
                return [(way[-1], used), *rest]
    return None


def _acting_in(element: Any, index: Mapping[str, Any]) -> list[str]:
    """Return what the laws of a force or a variable use of what other laws give."""
    if element.KIND not in ("force", "variable"):
        return []
    names = {name for _, law in expressions_of(element) for name in signals(law)}
    return [
        name
        for name in sorted(names)
        if getattr(index.get(name.rpartition(".")[0]), "KIND", "") in ("force", "variable")
        and not name.rpartition(".")[2].startswith("length")
        and not (isinstance(element, Field) and name.rpartition(".")[0] == element.name)
    ]


def speeds_of(element: Any) -> tuple[str, ...]:
    """Return the scalar speeds of an element, without its own name."""
    if isinstance(element, Joint):
        positions = {
            p for c in element.coordinates for p in components(c, law_quantities(element)[c])
        }
        return tuple(name for name in law_names(element) if name not in positions)
    sizes = law_quantities(element)
    return tuple(p for name in _RATES if name in sizes for p in components(name, sizes[name]))


def _loose(groups: Groups, bodies: Any) -> list[str]:
    """Return complaints about bodies that no chain of joints connects to ground."""
    ties = [
        (joint.name, joint.first, joint.second)
        for joint in groups["joints"]
        if joint.first in bodies and joint.second in bodies
    ]
    known = {*bodies} - {GROUND}
    graph = spanning_graph([b.name for b in groups["bodies"] if b.name in known], ties)
    particles = {b.name for b in groups["bodies"] if isinstance(b, Particle)}
    found, done = [], set()
    for name in graph.loose:
        if name in done:
            continue
        group = _tied_to(name, ties)
        done |= group
        others = sorted(group - {name})
        also = f" (with {', '.join(map(repr, others))})" if others else ""
        found.append(
            f"body {name!r}{also} is not connected to ground by joints. If it moves freely, "
            f"add Free({name + ' free'!r}, 'ground', {name!r})"
            + (_OF_A_PARTICLE if group <= particles else ".")
        )
    return found


def _tied_to(name: str, ties: list[tuple[str, str, str]]) -> set[str]:
    """Return all bodies that joints connect with one, itself included."""
    found, todo = {name}, [name]
    while todo:
        body = todo.pop()
        for _, first, second in ties:
            if body in (first, second):
                new = {first, second} - found
                found |= new
                todo.extend(new)
    return found
