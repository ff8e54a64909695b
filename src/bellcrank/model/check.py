"""Checks at the door of a model: names, kinds, references, connection; all at once.

`admitted` brings the fields of a model into their one form. On the way names in expressions
are looked up, pairs of a planar machine get their third coordinate, and coordinates left open
are filled in; what is wrong anywhere is collected and raised together.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from bellcrank.errors import ModelError, did_you_mean, unknown_name
from bellcrank.model.elements import fields
from bellcrank.model.elements.bodies import Body, Particle, Point
from bellcrank.model.elements.constraints import Constraint, VelocityConstraint
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.forces import CoordinateForce, ForceElement, SpringDamper
from bellcrank.model.elements.gravity import Everywhere, Field
from bellcrank.model.elements.joints import Joint, scalar_coordinates
from bellcrank.model.elements.variables import Variable
from bellcrank.model.elements.walking import expressions_of, with_expressions
from bellcrank.model.expressions import (
    Expression,
    Input,
    Parameter,
    Signal,
    inputs,
    parameters,
    signals,
    substitute,
)
from bellcrank.model.names import RESERVED, law_names, machine_names, observed_names
from bellcrank.model.plane import flattened
from bellcrank.model.references import reference_complaints

KINDS: dict[str, tuple[type, ...]] = {
    "bodies": (Body, Particle),
    "joints": (Joint,),
    "constraints": (Constraint,),
    "forces": (ForceElement,),
    "drivers": (Drive,),
    "points": (Point,),
    "variables": (Variable,),
}
"""The groups of a model and what goes into each."""


def admitted(model: Any) -> dict[str, Any]:
    """Return the fields of a model in their one form.

    Raises:
        ModelError: Something is wrong, with all there is.
    """
    complaints: list[str] = []
    planar = model.planar is True
    groups = {group: _sorted_in(group, getattr(model, group), complaints) for group in KINDS}
    if isinstance(model.gravity, Everywhere):
        others = (f for f in groups["forces"] if not isinstance(f, Everywhere))
        groups["forces"] = (*others, model.gravity)
    groups |= _led_speeds(groups, complaints)
    complaints += _general_complaints(model)
    gravity = _gravity(model, complaints)
    groups = {
        group: tuple(flattened(item, planar, complaints) for item in items)
        for group, items in groups.items()
    }
    elements = [item for items in groups.values() for item in items]
    symbols = _declared(model, elements, gravity, complaints)
    complaints += _name_complaints(elements, symbols)
    index = {element.name: element for element in elements}
    groups = {
        group: tuple(_looked_up(item, index, symbols, complaints) for item in items)
        for group, items in groups.items()
    }
    gravity = _gravity_looked_up(gravity, symbols, complaints)
    complaints += reference_complaints(groups)
    ModelError.gather(dict.fromkeys(complaints))
    return {
        **groups,
        "name": model.name,
        "gravity": gravity,
        "planar": planar,
        "parameters": tuple(s for s in symbols.values() if isinstance(s, Parameter)),
        "inputs": tuple(s for s in symbols.values() if isinstance(s, Input)),
    }


def _sorted_in(group: str, value: Any, complaints: list[str]) -> tuple[Any, ...]:
    """Return the items of a group that belong there."""
    try:
        items = tuple(value)
    except TypeError:
        complaints.append(f"{group} needs a list, got {fields.short(value)}.")
        return ()
    found = []
    for i, item in enumerate(items):
        if isinstance(item, KINDS[group]):
            found.append(item)
            continue
        home = next((name for name, kinds in KINDS.items() if isinstance(item, kinds)), None)
        if home is None:
            text = f"{group}[{i}] is no element of a model, got {fields.short(item)}."
        else:
            text = f"{group}[{i}] is the {item.KIND} {item.name!r}, which belongs in {home}."
        complaints.append(text)
    return tuple(found)


def _led_speeds(
    groups: Mapping[str, tuple[Any, ...]], complaints: list[str]
) -> dict[str, tuple[Any, ...]]:
    """Return constraints and drivers, those that lead a speed among the constraints.

    A speed may be led by variables and positions, too, and is a row of speeds.
    """
    positions, rows = [], []
    for drive in groups["drivers"]:
        if not drive.speeds:
            positions.append(drive)
        elif len(drive.motion) > 1:
            named = ", ".join(name for name, _ in drive.motion)
            complaints.append(
                f"driver {drive.name!r}: leads {named}; a speed, {drive.speeds[0]}, needs a "
                "driver of its own."
            )
        else:
            (speed, law), *_ = drive.motion
            rows.append(VelocityConstraint(drive.name, {f"{drive.of}.{speed}": 1.0}, law))
    return {
        "constraints": (*groups["constraints"], *rows),
        "drivers": tuple(positions),
    }


def _general_complaints(model: Any) -> list[str]:
    found = []
    if not isinstance(model.name, str) or not model.name.strip():
        found.append(f"model: name must be text, got {fields.short(model.name)}.")
    if not isinstance(model.planar, bool):
        found.append(f"model: planar is True or False, got {fields.short(model.planar)}.")
    return found


def _gravity(model: Any, complaints: list[str]) -> Any:
    """Return gravity as three numbers, the usual where none was given."""
    usual = (0.0, -9.81, 0.0) if model.planar is True else (0.0, 0.0, -9.81)
    if model.gravity is None:
        return usual
    if isinstance(model.gravity, Everywhere):
        return (0.0, 0.0, 0.0)  # it is one of the forces
    try:
        sizes = (2, 3) if model.planar is True else (3,)
        found = fields.padded(fields.vector(model.gravity, unit="m/s²", sizes=sizes))
    except fields.Refused as refused:
        complaints.append(f"model: gravity{refused}")
        return usual
    if model.planar is True and found[2] != 0.0:
        complaints.append("model: gravity of a planar model has no z component.")
    return found


def _gravity_looked_up(gravity: Any, symbols: Mapping[str, Any], complaints: list[str]) -> Any:
    def look(field: str, expr: Expression) -> Expression:
        found, bad = _parameters_only(expr, symbols)
        complaints.extend(f"model: gravity: {text}" for text in bad)
        return found

    return tuple(look("", x) if isinstance(x, Expression) else x for x in gravity)


def _declared(
    model: Any, elements: list[Any], gravity: Any, complaints: list[str]
) -> dict[str, Parameter | Input]:
    """Return all parameters and inputs by name: those given first, then as they appear."""
    given = []
    for field, kind in (("parameters", Parameter), ("inputs", Input)):
        try:
            items = tuple(getattr(model, field))
        except TypeError:
            complaints.append(f"model: {field} needs a list.")
            continue
        for item in items:
            if not isinstance(item, kind):
                text = f"model: {field} takes {kind.__name__}, got {fields.short(item)}."
                complaints.append(text)
            else:
                given.append(item)
    found: dict[str, Parameter | Input] = {}
    for symbol in (*given, *_appearing(elements, gravity)):
        known = found.setdefault(symbol.name, symbol)
        if known != symbol:
            complaints.append(_two_meanings(known, symbol))
    return found


def _appearing(elements: list[Any], gravity: Any) -> Iterable[Parameter | Input]:
    for value in (*elements, gravity):
        for _, expr in expressions_of(value):
            yield from parameters(expr)
            yield from inputs(expr)


def _two_meanings(one: Parameter | Input, other: Parameter | Input) -> str:
    if isinstance(one, Parameter) and isinstance(other, Parameter):
        values = f"{one.value:.17g} and {other.value:.17g}"
        return f"parameter {one.name!r} has two values, {values}."
    return f"{one.name!r} is both a parameter and an input."


def _name_complaints(elements: list[Any], symbols: Mapping[str, Any]) -> list[str]:
    """Return complaints about names that are reserved or taken."""
    found, taken = [], {}
    named = [(element.KIND, element.name) for element in elements]
    named += [(type(symbol).__name__.lower(), name) for name, symbol in symbols.items()]
    for kind, name in named:
        if name in RESERVED:
            found.append(f"{kind} {name!r}: this name is reserved; choose another.")
        elif name in taken:
            other = f"another {kind}" if taken[name] == kind else f"a {taken[name]}"
            found.append(f"{kind} {name!r}: {other} has the same name; names are unique.")
        taken.setdefault(name, kind)
    return found


def _looked_up(
    element: Any, index: Mapping[str, Any], symbols: Mapping[str, Any], complaints: list[str]
) -> Any:
    """Return an element with the names in its expressions looked up."""
    laws = getattr(element, "LAWS", ())
    own = _own_names(element, index)
    who = f"{element.KIND} {element.name!r}"

    def look(field: str, expr: Expression) -> Expression:
        if field in laws:
            found, bad = resolved(expr, index, symbols, own)
        else:
            found, bad = _parameters_only(expr, symbols)
        complaints.extend(f"{who}: {field}: {text}" for text in bad)
        return found

    try:
        element = with_expressions(element, look)
    except ModelError as error:  # wrong at nominal values, seen now that names are known
        complaints.extend(error.complaints)
    return _filled_in(element, index)


def _filled_in(element: Any, index: Mapping[str, Any]) -> Any:
    """Return an element on a joint with its coordinate named, where there is only one."""
    if not isinstance(element, CoordinateForce) or element.coordinate is not None:
        return element
    joint = index.get(element.joint)
    only = scalar_coordinates(joint) if isinstance(joint, Joint) else ()
    if len(only) != 1:
        return element
    from dataclasses import replace

    return replace(element, coordinate=only[0])


def _own_names(element: Any, index: Mapping[str, Any]) -> dict[str, Expression]:
    """Return what bare names mean inside an element's own laws."""
    if isinstance(element, SpringDamper):
        return {n: Signal(f"{element.name}.{n}") for n in ("length", "length_rate")}
    if isinstance(element, Field):
        names = {axis: f"{element.name}.{axis}" for axis in element.OWN}
        found = ((key, Signal(name)) for axis, name in names.items() for key in (axis, name))
        return dict(found)
    if isinstance(element, CoordinateForce):
        joint = index.get(element.joint)
        if isinstance(joint, Joint):
            return {n: Signal(f"{joint.name}.{n}") for n in law_names(joint)}
    return {}


def _parameters_only(
    expr: Expression, symbols: Mapping[str, Any]
) -> tuple[Expression, list[str]]:
    """Return a number's expression with its bare names as parameters, and complaints."""
    known = {name: s for name, s in symbols.items() if isinstance(s, Parameter)}
    bare = sorted(signals(expr))
    bad = [unknown_name("parameter", name, known) for name in bare if name not in known]
    mapping: dict[Expression, Expression] = {
        Signal(name): known[name] for name in bare if name in known
    }
    return (substitute(expr, mapping) if mapping else expr), bad


def resolved(
    expr: Expression,
    index: Mapping[str, Any],
    symbols: Mapping[str, Any],
    own: Mapping[str, Expression] | None = None,
    *,
    observed: bool = False,
) -> tuple[Expression, list[str]]:
    """Return an expression with its names looked up, and complaints about unknown ones.

    Args:
        expr: The expression.
        index: The elements by name.
        symbols: The parameters and inputs by name.
        own: What bare names mean where the expression stands, before anything else.
        observed: Whether it may use what follows from the accelerations, too.
    """
    mapping: dict[Expression, Expression] = {}
    complaints = []
    for name in sorted(signals(expr)):
        meaning = (own or {}).get(name, symbols.get(name))
        if meaning is None:
            meaning = _signal(name, index, observed)
        if isinstance(meaning, str):
            complaints.append(meaning or _unknown_bare(name, index, symbols))
        else:
            mapping[Signal(name)] = meaning
    changed = any(key != new for key, new in mapping.items())
    return (substitute(expr, mapping) if changed else expr), complaints


def _unknown_bare(name: str, index: Mapping[str, Any], symbols: Mapping[str, Any]) -> str:
    only = [
        joint.name
        for joint in index.values()
        if isinstance(joint, Joint) and len(scalar_coordinates(joint)) == 1
    ]
    own = [each.name for each in index.values() if isinstance(each, Variable)]
    kinds = (
        "parameter, input, variable or coordinate" if own else "parameter, input or coordinate"
    )
    near = did_you_mean(name, machine_names())
    return unknown_name(kinds, name, (*symbols, *own, *only)) + near


def _signal(name: str, index: Mapping[str, Any], observed: bool) -> Expression | str:
    """Return the signal that a name means, or a complaint; empty for an unknown bare name."""
    if name == "t" or name in machine_names(observed=observed):
        return Signal(name)
    if name in machine_names(observed=True):
        return (
            f"{name!r} is what the integrator leaves of the constraints, and no quantity of "
            "the machine; events and sampled controllers may use it."
        )
    owner, dot, quantity = name.rpartition(".")
    if not dot:
        element = index.get(name)
        if isinstance(element, Variable):
            return Signal(name)
        only = scalar_coordinates(element) if isinstance(element, Joint) else ()
        return Signal(f"{name}.{only[0]}") if len(only) == 1 else ""
    element = index.get(owner)
    if element is None:
        return unknown_name("element", owner, index)
    known, others = law_names(element), observed_names(element)
    if quantity in known or (observed and quantity in others):
        return Signal(name)
    if quantity in others:
        return (
            f"{name!r} would be circular: it follows from the accelerations, and these from "
            "all that acts. Events and sampled controllers may use it."
        )
    known = (*known, *others) if observed else known
    if not known:
        return f"{element.KIND} {owner!r} has nothing that an expression may use."
    near = did_you_mean(quantity, known)
    return f"{element.KIND} {owner!r} has no {quantity!r}.{near} It has {', '.join(known)}."
