"""Plain data ⇄ `Model`: what stands in a machine file, and what it stands for.

A mapping has the keywords of `Model`; its elements are written as the keywords of their classes
and `type`. Defaults are left out, expressions are their canonical text, and meshes are named
relative to the file.
"""

import dataclasses
import os
from pathlib import Path
from typing import Any

import bellcrank.model as elements
from bellcrank.errors import ExpressionError, ModelError
from bellcrank.files import schema
from bellcrank.files.complaints import Complaints, about_keys
from bellcrank.files.text import Document, Place
from bellcrank.model import Model
from bellcrank.model.elements.near import Near
from bellcrank.model.expressions import Expression, expression, number, table, text
from bellcrank.model.expressions.grammar import Table, named_tables

_AXIS_NAMES = {
    (1.0, 0.0, 0.0): "x",
    (0.0, 1.0, 0.0): "y",
    (0.0, 0.0, 1.0): "z",
    (-1.0, 0.0, 0.0): "-x",
    (0.0, -1.0, 0.0): "-y",
    (0.0, 0.0, -1.0): "-z",
}


FLAGS = ("as_given", "hollow")
"""Fields that are true or false."""


# --- from data to model -------------------------------------------------------------------


def machine_from(document: Document, folder: Path) -> tuple[Model, dict[str, Any]]:
    """Return the model that a document describes, and its defaults for `simulate`.

    Args:
        document: A machine file that was read.
        folder: Where meshes and tables are looked for.

    Returns:
        The model, and keyword arguments of `simulate`.

    Raises:
        FileError: With everything that is wrong, each with its place.
    """
    complaints = Complaints(document)
    data = document.data
    if not isinstance(data, dict):
        kinds = {list: "a list", type(None): "nothing"}
        got = kinds.get(type(data), f"only {data!r}")
        complaints.add((), f"a machine is a mapping with name, bodies, joints …; got {got}.")
        complaints.close()
    broken = _check_keys(data, complaints)
    places: dict[str, Place] = {}
    found: dict[str, Any] = {}
    with named_tables(_tables(data, folder, complaints, broken)):
        for section in schema.SECTIONS:
            found[section] = [
                element
                for i, entry in enumerate(
                    data.get(section) or () if (section,) not in broken else ()
                )
                if (
                    element := _element(entry, (section, i), folder, complaints, broken, places)
                )
            ]
        settings = {} if ("simulate",) in broken else _settings(data, complaints)
    if ("parameters",) not in broken:
        found["parameters"] = _parameters(data, complaints)
    if ("inputs",) not in broken:
        found["inputs"] = _inputs(data, broken, complaints)
    complaints.close()
    return _model(data, found, complaints, places), settings


def _check_keys(data: dict[str, Any], complaints: Complaints) -> set[Place]:
    """Complain about keys; return the places of what cannot be built because of that."""
    from pydantic import ValidationError

    try:
        schema.machine_class().model_validate(data, strict=True)
    except ValidationError as error:
        broken: set[Place] = set()
        for fault in error.errors(include_url=False, include_context=False):
            place, sentence, key = about_keys(fault)
            complaints.add(place, sentence, key)
            broken.add(place[:2])
        return broken
    return set()


def _tables(
    data: dict[str, Any], folder: Path, complaints: Complaints, broken: set[Place]
) -> dict[str, Table]:
    """Return the tables of CSV files that a machine file names."""
    if ("tables",) in broken:
        return {}
    entries = data.get("tables") or {}
    knots = tuple(map(float, range(8)))
    found: dict[str, Table] = dict.fromkeys(entries, (knots, (0.0,) * 8))
    # What is not to be read keeps that stand-in, so that laws which call it are not blamed.
    for name, entry in entries.items():
        if ("tables", name) in broken:
            continue
        try:
            columns = {key: entry[key] for key in ("x", "y") if key in entry}
            found[name] = table(folder / entry["file"], **columns)
        except ExpressionError as error:
            complaints.add(("tables", name), str(error))
    return found


def _element(
    entry: Any,
    place: Place,
    folder: Path,
    complaints: Complaints,
    broken: set[Place],
    places: dict[str, Place],
) -> Any:
    """Return the element an entry describes, or None where there was a complaint about it."""
    if place in broken:
        return None
    places.setdefault(str(entry.get("name")), place)
    section = str(place[0])
    cls = entry.get("type", schema.IMPLIED.get(section))
    try:
        return _built(cls, entry, folder)
    except ModelError as error:
        for sentence in error.complaints:
            complaints.add(place, sentence)
    return None


def _built(name: str, entry: dict[str, Any], folder: Path) -> Any:
    """Return the value of class `name` that a mapping describes."""
    given = {key: value for key, value in entry.items() if key != "type" and value is not None}
    needed = [key for key, required in schema.fields_of(name).items() if required]
    ModelError.gather(f"{key} is empty." for key in needed if key not in given)
    if "shapes" in given:
        given["shapes"] = _shapes(given, folder)
    if isinstance(given.get("pose"), dict):
        given["pose"] = _pose(given["pose"])
    if isinstance(given.get("file"), str):
        given["file"] = str(folder / given["file"])
    _refuse_flags(given)
    return schema.element_class(name)(**given)


def _shapes(given: dict[str, Any], folder: Path) -> tuple[Any, ...]:
    """Return the shapes of a body; what is wrong with them is said under its name."""
    found, complaints = [], []
    for shape in given["shapes"]:
        try:
            found.append(_built(shape["type"], shape, folder))
        except ModelError as error:
            complaints += [f"body {given.get('name')!r}: {said}" for said in error.complaints]
    ModelError.gather(complaints)
    return tuple(found)


def _pose(given: dict[str, Any]) -> Any:
    from bellcrank.errors import unknown_name

    known = ("position", "rotation")
    ModelError.gather(f"pose: {unknown_name('key', k, known)}" for k in given if k not in known)
    return elements.Pose(**given)


def _refuse_flags(given: dict[str, Any]) -> None:
    """Refuse true and false where a number or text has to be."""
    flags = [k for k, value in given.items() if isinstance(value, bool) and k not in FLAGS]
    ModelError.gather(
        f"{key}: true and false are no values here; quote a name." for key in flags
    )


def _parameters(data: dict[str, Any], complaints: Complaints) -> list[Any]:
    found = []
    for name, value in (data.get("parameters") or {}).items():
        try:
            found.append(elements.Parameter(name, _plain_number(value)))
        except ModelError as error:
            for sentence in error.complaints:
                complaints.add(("parameters", name), sentence)
    return found


def _inputs(data: dict[str, Any], broken: set[Place], complaints: Complaints) -> list[Any]:
    found = []
    for i, name in enumerate(data.get("inputs") or ()):
        if ("inputs", i) in broken:
            continue
        try:
            found.append(elements.Input(name))
        except ModelError as error:
            for sentence in error.complaints:
                complaints.add(("inputs", i), sentence)
    return found


def _plain_number(value: Any) -> float:
    """Return a finite float from a number or constant arithmetic such as `pi/2`."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ExpressionError(f"must be a number, got {value!r}.")
    found = number(value)
    if not isinstance(found, float):
        raise ExpressionError(f"must be a number, got {value!r}.")
    return found


def _settings(data: dict[str, Any], complaints: Complaints) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in (data.get("simulate") or {}).items():
        place: Place = ("simulate", key)
        if isinstance(value, dict):
            read = {"start": _start_value, "inputs": _input_law}.get(key, _setting)
            entries = {k: read((*place, k), v, complaints) for k, v in value.items()}
            found[key] = entries
        elif value is not None:
            keep = key == "every" and value == "step"
            found[key] = value if keep else _setting(place, value, complaints)
    return found


def _input_law(place: Place, value: Any, complaints: Complaints) -> Any:
    """Return the law of an input, which may call the tables of the file."""
    try:
        return expression(value) if isinstance(value, str) else value
    except ExpressionError as error:
        complaints.add(place, str(error))
    return None


def _start_value(place: Place, value: Any, complaints: Complaints) -> Any:
    """Return a start value that is held, or of `{near: value}` one that is not."""
    if not isinstance(value, dict):
        return _setting(place, value, complaints)
    if set(value) != {"near"}:
        complaints.add(place, f"must be a number or {{near: a number}}, got {value!r}.")
        return None
    return Near(_setting((*place, "near"), value["near"], complaints))


def _setting(place: Place, value: Any, complaints: Complaints) -> Any:
    try:
        if isinstance(value, list):
            return tuple(_plain_number(item) for item in value)
        return _plain_number(value)
    except ModelError as error:
        complaints.add(place, str(error))
    return None


def _model(
    data: dict[str, Any],
    found: dict[str, Any],
    complaints: Complaints,
    places: dict[str, Place],
) -> Model:
    try:
        return Model(
            data["name"],
            gravity=data.get("gravity"),
            planar=data.get("planar", False),
            **found,
        )
    except ModelError as error:
        complaints.add_about_elements(error.complaints, places)
        complaints.close()
        raise


# --- from model to data -------------------------------------------------------------------


def data_from(model: Model, folder: Path) -> dict[str, Any]:
    """Return the plain data that describe a model.

    Args:
        model: The machine.
        folder: Where its file will stand; meshes are named relative to it.

    Returns:
        A mapping to be written as YAML, for which `machine_from` returns an equal model.
    """
    data: dict[str, Any] = {"bellcrank": schema.FORMAT, "name": model.name}
    if model.planar:
        data["planar"] = True
    data["gravity"] = _value(model.gravity)
    if model.parameters:
        data["parameters"] = {p.name: p.value for p in model.parameters}
    if model.inputs:
        data["inputs"] = [w.name for w in model.inputs]
    for section in schema.SECTIONS:
        group = getattr(model, section)
        if group:
            implied = schema.IMPLIED.get(section)
            data[section] = [_entry(element, folder, implied) for element in group]
    return data


def _entry(element: Any, folder: Path, implied: str | None = None) -> dict[str, Any]:
    """Return the mapping of one element or shape, defaults left out."""
    name = type(element).__name__
    entry: dict[str, Any] = {} if name == implied else {"type": name}
    for field in _told(element):
        entry[field] = _field(element, field, folder)
    return entry


def _told(element: Any) -> list[str]:
    """Return the fields that have to be written: without the others it would be the same."""
    name = type(element).__name__
    told = {field: getattr(element, field) for field in schema.fields_of(name)}
    for field, required in schema.fields_of(name).items():
        if required:
            continue
        less = {key: value for key, value in told.items() if key != field}
        try:
            same = type(element)(**less) == element
        except (ModelError, TypeError):
            continue
        if same:
            told = less
    return list(told)


def _field(element: Any, field: str, folder: Path) -> Any:
    value: Any = getattr(element, field)
    if field == "shapes":
        return [_entry(shape, folder) for shape in value]
    if field == "pose":
        return {key: _value(getattr(value, key)) for key in _told_pose(value)}
    if field == "limits":
        found = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {key: _value(limit) for key, limit in found.items() if limit is not None}
    if field == "file":
        return _relative(value, folder)
    if field == "inertia":
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = value
        return _value((xx, yy, zz, xy, xz, yz))
    if field in ("terms", "motion"):
        return {key: _value(law) for key, law in value}
    kind = schema.kind_of(type(element).__name__, field)
    if kind.endswith("PerSide") and isinstance(value[0], tuple):
        sides = (element.first, element.second)
        return {side: _axis(v) for side, v in zip(sides, value, strict=True)}
    if kind in ("Axis", "AxisPerSide"):
        return _axis(value)
    if field == "drawn" and len(value) == 1:
        return _value(value[0])
    return _value(value)


def _told_pose(pose: Any) -> list[str]:
    default = elements.Pose()
    return [
        f.name
        for f in dataclasses.fields(pose)
        if getattr(pose, f.name) != getattr(default, f.name)
    ]


def _axis(value: Any) -> Any:
    plain = not any(isinstance(x, Expression) for x in value)
    return (_AXIS_NAMES.get(value) if plain else None) or _value(value)


def _value(value: Any) -> Any:
    if isinstance(value, Expression):
        return _law(value)
    if isinstance(value, tuple):
        return [_value(item) for item in value]
    return value


def _law(value: Expression) -> Any:
    """Return a number for a constant, else its canonical text."""
    from bellcrank.model.expressions import Constant

    return value.value if isinstance(value, Constant) else text(value)


def _relative(file: str, folder: Path) -> str:
    """Return the path of a mesh relative to the file that names it, with forward slashes."""
    try:
        return Path(os.path.relpath(file, folder)).as_posix()
    except ValueError:  # another drive
        return Path(file).as_posix()
