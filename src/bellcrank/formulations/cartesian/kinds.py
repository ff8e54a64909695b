"""Like elements of a machine: one tiny machine for each kind, and the numbers of each instance.

In Cartesian coordinates the equations are sums over bodies, joints, constraints, drivers,
forces and variables. An element, with the bodies and whatever else it refers to, is a machine
of its own: its names are replaced by local ones (`b0`, `j0`, …) and its numbers by parameters
`n0`, `n1`, …. What is left is its kind; elements of one kind differ in their numbers and their
places only.

    kind       element, its bodies, joints and points, the form of its laws
    numbers    points, axes, masses, stiffnesses, constants and parameters in laws

Numbers that are exactly zero stay zero in the kind (a spring without damping is one of its own
kind), and so do exponents and attitudes that coincide with the world's.

Needs no CasADi.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from bellcrank.formulations.cartesian.layout import Kind as Sort
from bellcrank.formulations.cartesian.reading import Instance, Reading
from bellcrank.formulations.contract.outside import told
from bellcrank.model import Body, Joint, Model, Particle
from bellcrank.model.expressions import Input


@dataclass(frozen=True)
class Kind:
    """A kind of element, as a machine that has one of it.

    Attributes:
        key: Digest of its structure.
        name: Such as `Revolute`.
        model: The machine; its parameters are the numbers. Not checked: bodies that only
            carry the element have no mass.
        own: The name of the element in it.
        joints: Names of the joints that are rows: the element itself, or none.
        sorts: What each of its bodies is to Cartesian coordinates, in order.
    """

    key: str
    name: str
    model: Model
    own: str
    joints: tuple[str, ...]
    sorts: tuple[Sort, ...]


def census(model: Model, sorts: Mapping[str, Sort]) -> list[tuple[Kind, list[Instance]]]:
    """Return the kinds of all elements of a machine, each with its instances in order.

    Points are among them: they only observe.

    Args:
        model: The machine.
        sorts: What each body is to Cartesian coordinates.
    """
    kinds: dict[tuple, Kind] = {}
    found: dict[str, list[Instance]] = {}
    for element in model.elements:
        reading = Reading(model, element, sorts)
        shape = reading.shape()
        if shape not in kinds:
            kinds[shape] = _kind(reading, shape)
        found.setdefault(kinds[shape].key, []).append(reading.instance())
    return [(kind, found[kind.key]) for kind in kinds.values()]


def _kind(read: Reading, shape: tuple) -> Kind:
    """Return the kind of an element that was read, whose structure is `shape`."""
    model, element = read.model, read.element
    reading = Reading(model, element, read.sorts, template=True)
    parts = reading.parts()
    acting = parts[0]
    local = acting.name
    groups: dict[str, list] = {"body": [], "joint": [], "point": [], "variable": []}
    for part in parts[1:] if not isinstance(acting, Body | Particle) else parts:
        if part.KIND in groups:
            groups[part.KIND].append(part)
    if acting.KIND in groups and acting.KIND != "body":
        groups[acting.KIND].insert(0, acting)
    one = {kind: (acting,) if kind == acting.KIND else () for kind in _ACTING}
    machine = object.__new__(Model)
    heavy = acting.KIND == "body"
    fields = {
        "name": type(element).__name__,
        "bodies": tuple(groups["body"]),
        "joints": tuple(groups["joint"]),
        "points": tuple(groups["point"]),
        "variables": tuple(groups["variable"]),
        "gravity": reading.gravity if heavy else (0.0, 0.0, 0.0),
        "planar": model.planar,
        "parameters": tuple(reading.parameters),
        "inputs": tuple(Input(f"w{i}") for i in range(len(reading.inputs))),
        "_index": {part.name: part for part in parts},
    } | {_ACTING[kind]: found for kind, found in one.items()}
    for name, value in fields.items():
        machine.__dict__[name] = value
    text = f"{shape!r}\n{model.planar}\n{len(reading.parameters)}{told(parts)}"
    key = hashlib.sha256(text.encode()).hexdigest()
    rows = (local,) if isinstance(acting, Joint) else ()
    sorts: tuple[Sort, ...] = tuple(read.sorts[name] for name in read.bodies)
    return Kind(key, type(element).__name__, machine, local, rows, sorts)


_ACTING = {"constraint": "constraints", "force": "forces", "driver": "drivers"}
