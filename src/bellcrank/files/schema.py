"""What a machine file may hold: a pydantic class for every element, and the JSON Schema.

The classes are made from the elements themselves: a field is required where the element has no
default, and is described by the line of the element's docstring. Only what kind of value may
stand in a field is said here, once per field name. Values are looked at closely by the
elements; these classes see to keys.

`python -m bellcrank.files.schema` writes `schema.json` anew.
"""

import dataclasses
import inspect
import json
import re
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    WithJsonSchema,
    create_model,
)

import bellcrank.model as elements
from bellcrank.model.elements import kinds

FORMAT = 1
SCHEMA_FILE = Path(__file__).parent / "schema.json"
SIMULATE_KEYS = (
    *("until", "begin", "start", "parameters", "inputs", "every", "rtol", "atol", "slack"),
)


TABLE_KEYS = ("file", "x", "y")
SHAPES = (
    *("Rod", "Box", "Sphere", "Cylinder", "Tube", "Capsule", "Cone", "Disc", "Ellipsoid"),
    *("Torus", "Mesh", "PointMasses"),
)
SECTIONS: dict[str, tuple[str, ...]] = {
    "bodies": ("Body", "Particle"),
    "joints": kinds.named("joint"),
    "constraints": kinds.named("constraint"),
    "forces": kinds.named("force"),
    "drivers": ("Drive",),
    "points": ("Point",),
    "variables": ("Variable",),
}
"""The classes of each section that the package has; those of `IMPLIED` need not be named."""

IMPLIED = {"bodies": "Body", "drivers": "Drive", "points": "Point", "variables": "Variable"}


def sections() -> dict[str, tuple[str, ...]]:
    """Return the classes of each section, with those that were defined outside the package."""
    sorts = {"joints": "joint", "constraints": "constraint", "forces": "force"}
    return SECTIONS | {section: tuple(kinds.KINDS[sort]) for section, sort in sorts.items()}


def element_class(name: str) -> type:
    """Return the class of an element or shape by its name."""
    return kinds.kind_named(name) or getattr(elements, name)


def _of(kind: str) -> Any:
    """Return the type of a field that holds a value of a kind; `schema` puts the `$ref` in."""
    return Annotated[Any, WithJsonSchema({"kind": kind})]


def _list(item: str, *sizes: int) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "array", "items": {"$ref": f"#/$defs/{item}"}}
    return found | ({"minItems": min(sizes), "maxItems": max(sizes)} if sizes else {})


_MATRIX = {"type": "array", "items": _list("Number", 3), "minItems": 3, "maxItems": 3}
_AXES = {"enum": ["x", "y", "z", "-x", "-y", "-z"]}
KINDS: dict[str, dict[str, Any]] = {
    "Name": {"type": "string", "minLength": 1, "description": "A name."},
    "Text": {"type": "string", "description": "Text."},
    "Names": {"type": "array", "items": {"type": "string"}, "description": "Names."},
    "Number": {
        "type": ["number", "string"],
        "description": "A number, or an expression of parameters such as 2*m1.",
    },
    "Law": {
        "type": ["number", "string"],
        "description": "An expression such as 5*sin(2*pi*t) - 0.2*A.angle_rate.",
    },
    "Position": _list("Number", 2, 3) | {"description": "A point of the drawing [m]."},
    "Axis": {"anyOf": [_AXES, _list("Number", 2, 3)], "description": "A direction."},
    "Rotation": {
        "anyOf": [_MATRIX, _list("Number", 4)],
        "description": "A rotation matrix by rows, or Euler parameters, scalar first.",
    },
    "Inertia": {
        "anyOf": [_MATRIX, _list("Number", 6)],
        "description": "An inertia tensor by rows, or its entries (xx, yy, zz, xy, xz, yz).",
    },
    "End": {
        "anyOf": [
            {"type": "string"},
            {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"$ref": "#/$defs/Position"}],
                "minItems": 2,
                "maxItems": 2,
            },
        ],
        "description": "A body and a point of the drawing on it, or the name of a point.",
    },
    "Pose": {
        "type": "object",
        "properties": {
            "position": {"$ref": "#/$defs/Position"},
            "rotation": {"$ref": "#/$defs/Rotation"},
        },
        "additionalProperties": False,
        "description": "Position and rotation of a frame in the drawing.",
    },
    "Laws": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Law"}},
    "PositionPerSide": {
        "anyOf": [
            {"$ref": "#/$defs/Position"},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Position"}},
        ],
        "description": "A point of the drawing, or one for each of the two bodies by name.",
    },
    "AxisPerSide": {
        "anyOf": [
            {"$ref": "#/$defs/Axis"},
            {"type": "object", "additionalProperties": {"$ref": "#/$defs/Axis"}},
        ],
        "description": "A direction, or one for each of the two bodies by name.",
    },
    "Numbers": _list("Number"),
    "NumberOrNumbers": {"anyOf": [{"$ref": "#/$defs/Number"}, _list("Number", 1, 4)]},
    "StartValue": {
        "anyOf": [
            {"$ref": "#/$defs/NumberOrNumbers"},
            {
                "type": "object",
                "properties": {"near": {"$ref": "#/$defs/NumberOrNumbers"}},
                "required": ["near"],
                "additionalProperties": False,
            },
        ],
        "description": "A value that is held, or {near: value}: one that assembly begins at.",
    },
    "Vector": _list("Number", 2, 3),
    "SixNumbers": _list("Number", 6),
    "Positions": _list("Position"),
    "LawVector": _list("Law", 2, 3),
    "Frame": {"enum": ["world", "body"]},
    "Flag": {"type": "boolean", "description": "true or false."},
    "Limits": {
        "type": "object",
        "properties": {
            key: {"$ref": "#/$defs/Number"} for key in ("lower", "upper", "velocity", "effort")
        },
        "additionalProperties": False,
        "description": "How far, how fast and how hard a joint may go.",
    },
}
"""Kinds of values, by the name each has under `$defs` of the schema."""

_NAMES = (
    "name",
    "first",
    "second",
    "body",
    "joint",
    "coordinate",
    "of",
    "rack",
    "pinion",
    "surface",
)
_NUMBERS = (
    *("mass", "density", "radius", "pitch", "ratio", "length", "stiffness", "damping"),
    *("friction", "friction_speed", "rest", "inner", "tube", "mu"),
)
_FIELDS: dict[str, str] = {
    **dict.fromkeys(_NAMES, "Name"),
    **dict.fromkeys(_NUMBERS, "Number"),
    **dict.fromkeys(("start", "end", "center", "com", "at", "size"), "Position"),
    **dict.fromkeys(("axis", "axis1", "axis2", "normal", "along"), "Axis"),
    **dict.fromkeys(("law", "effort", "equals", "rate", "potential", "zero"), "Law"),
    **dict.fromkeys(("rotation", "axes"), "Rotation"),
    **{"point": "End", "pose": "Pose", "inertia": "Inertia", "frame": "Frame"},
    **{"vector": "LawVector", "terms": "Laws", "motion": "Laws"},
    **{"masses": "Numbers", "points": "Positions", "scale": "NumberOrNumbers", "file": "Name"},
    "unit": "Text",
    **{"drawn": "NumberOrNumbers", "limits": "Limits", "as_given": "Flag", "hollow": "Flag"},
    "radii": "Position",
}


def kind_of(element: str, field: str) -> str:
    """Return what kind of value stands in a field of an element: a key of `KINDS`."""
    cls: Any = element_class(element)
    if field in getattr(cls, "ENDS", ()):
        return "End"
    if issubclass(cls, elements.Joint) and field in ("at", "axis"):
        return {"at": "PositionPerSide", "axis": "AxisPerSide"}[field]
    if field in getattr(cls, "PLACES", ()):
        return "Names"
    if element == "Variable" and field in ("start", "scale"):
        return "Number"
    if element == "Bushing" and field in ("stiffness", "damping"):
        return "SixNumbers"
    return _FIELDS[field] if field in _FIELDS else _declared(cls, field)


def _declared(cls: Any, field: str) -> str:
    """Return what kind of value a class says that a field of its own holds; else a number."""
    said = {
        "Name": ("BODIES", "JOINTS"),
        "Law": ("LAWS",),
        "Position": ("POINTS",),
        "Axis": ("AXES", "TRIAD"),
    }
    return next(
        (
            kind
            for kind, attributes in said.items()
            if any(field in getattr(cls, attribute, ()) for attribute in attributes)
        ),
        "Number",
    )


def fields_of(element: str) -> dict[str, bool]:
    """Return the fields of an element, in order, each with whether it must be given."""
    return _fields_of(element_class(element))


@cache
def _fields_of(cls: Any) -> dict[str, bool]:
    required = {
        name
        for name, parameter in inspect.signature(cls).parameters.items()
        if parameter.default is parameter.empty
        and parameter.kind is parameter.POSITIONAL_OR_KEYWORD
    }
    return {field.name: field.name in required for field in dataclasses.fields(cls)}


def descriptions(element: str) -> dict[str, str]:
    """Return what the docstring of an element says about each of its fields."""
    doc = inspect.getdoc(element_class(element)) or ""
    _, _, section = doc.partition("Attributes:\n")
    section, _, _ = section.partition("\n\n")
    found = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", section, flags=re.MULTILINE)
    return {name: " ".join(said.split()) for name, said in found}


def file_class(element: str, implied: bool = False) -> type[BaseModel]:
    """Return the pydantic class for an element, shape or section entry.

    Args:
        element: The name of its class.
        implied: Whether `type` may be left out.

    Returns:
        A class that takes exactly the keys of the element, and `type`.
    """
    return _file_class(element_class(element), implied)


@cache
def _file_class(cls: type, implied: bool) -> type[BaseModel]:
    element = cls.__name__
    kind = Annotated[Literal[element], Field(description="The class of the element.")]
    content: dict[str, Any] = {"type": (kind, element if implied else ...)}
    said = descriptions(element)
    for field, required in fields_of(element).items():
        if field == "shapes":
            content[field] = (list[_union(SHAPES)], Field([], description=said.get(field)))
            continue
        default: Any = ... if required else None
        content[field] = (
            _of(kind_of(element, field)),
            Field(default, description=said.get(field)),
        )
    summary = (inspect.getdoc(cls) or "").partition("\n")[0]
    config = ConfigDict(extra="forbid", title=element, json_schema_extra=_without_nulls)
    return create_model(element, __config__=config, __doc__=summary, **content)


def _without_nulls(schema: dict[str, Any]) -> None:
    """Leave out `default: null`, which only says that a key may be missing."""
    for content in schema.get("properties", {}).values():
        if content.get("default", 0) is None:
            del content["default"]


def _union(names: tuple[str, ...], implied: str | None = None) -> Any:
    """Return the type of an entry that is one of several classes, told by its `type`."""

    def tag(value: Any) -> Any:
        return value.get("type", implied) if isinstance(value, dict) else "not a mapping"

    members = tuple(Annotated[file_class(n, n == implied), Tag(n)] for n in names)
    if len(members) == 1:
        return members[0]
    union: Any = members[0]
    for member in members[1:]:
        union = union | member
    return Annotated[union, Discriminator(tag)]


def machine_class() -> type[BaseModel]:
    """Return the pydantic class of a whole file."""
    found = sections()
    own = [kind for sort in kinds.KINDS.values() for kind in sort.values()]
    return _machine_class(tuple(found.items()), tuple(own))


@cache
def _machine_class(
    found: tuple[tuple[str, tuple[str, ...]], ...], own: tuple[type, ...]
) -> type[BaseModel]:
    content: dict[str, Any] = {
        "bellcrank": (Literal[1], Field(description="Version of the file format.")),
        "name": (str, Field(description="What the machine is called.")),
        "gravity": (
            _of("Vector"),
            Field(None, description="World components [m/s²]; downwards where not given."),
        ),
        "planar": (bool, Field(False, description="Whether all is in the x-y plane.")),
        "parameters": (
            dict[str, _of("Number")],
            Field({}, description="Parameters and their values."),
        ),
        "inputs": (list[str], Field([], description="Inputs, set during a run.")),
        "tables": (
            dict[str, _table_class()],
            Field({}, description="Columns of CSV files, for interp(x, name)."),
        ),
    }
    for section, names in found:
        entries = list[_union(names, IMPLIED.get(section))]
        content[section] = (entries, Field([]))
    content["simulate"] = (_simulate_class(), Field(None, description="Defaults of a run."))
    config = ConfigDict(extra="forbid", title="Machine", json_schema_extra=_without_nulls)
    doc = "A machine for bellcrank, drawn once in world coordinates, SI units and radians."
    return create_model("Machine", __config__=config, __doc__=doc, **content)


def _table_class() -> type[BaseModel]:
    content: dict[str, Any] = {
        "file": (str, Field(description="A CSV file, relative to the machine file.")),
        "x": (str | int, Field(0, description="Column of the knots, by name or number.")),
        "y": (str | int, Field(1, description="Column of the values, by name or number.")),
    }
    doc = "Two columns of a CSV file; their numbers become part of the model."
    return create_model("Table", __config__=ConfigDict(extra="forbid"), __doc__=doc, **content)


def _simulate_class() -> type[BaseModel]:
    kinds: dict[str, Any] = {
        "start": dict[str, _of("StartValue")],
        "parameters": dict[str, _of("Number")],
        "inputs": dict[str, _of("Law")],
    }
    content: dict[str, Any] = {
        key: (kinds.get(key, _of("Number")), None) for key in SIMULATE_KEYS
    }
    config = ConfigDict(extra="forbid", json_schema_extra=_without_nulls)
    doc = "Arguments of bellcrank.simulate; not part of the model."
    return create_model("Simulate", __config__=config, __doc__=doc, **content)


def schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a machine file."""
    shipped = _machine_class(tuple(SECTIONS.items()), ())
    found = _referring(TypeAdapter(shipped).json_schema())
    found["$defs"] = dict(sorted((found.get("$defs", {}) | KINDS).items()))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema"} | found


def _referring(part: Any) -> Any:
    """Return part of a schema with every `kind` as a reference."""
    if isinstance(part, list):
        return [_referring(item) for item in part]
    if not isinstance(part, dict):
        return part
    if isinstance(kind := part.get("kind"), str):
        rest = {key: value for key, value in part.items() if key not in ("kind", "title")}
        return {"$ref": f"#/$defs/{kind}"} | rest
    return {key: _referring(value) for key, value in part.items()}


def schema_text() -> str:
    """Return the schema as it stands in `schema.json`."""
    return json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
