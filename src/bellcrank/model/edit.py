"""Changing a model by name: every change makes a new model, checked like any other."""

import dataclasses
from collections.abc import Iterable, Mapping
from typing import Any

from bellcrank.errors import ModelError, UnknownName, did_you_mean
from bellcrank.model.elements import fields
from bellcrank.model.elements.walking import expressions_of, field_names, with_expressions
from bellcrank.model.expressions import (
    Expression,
    Input,
    Parameter,
    inputs,
    parameters,
    renamed,
    signals,
)
from bellcrank.model.expressions import substitute as substituted

GROUPS = ("bodies", "joints", "constraints", "forces", "drivers", "points", "variables")

HOMES: dict[str, str] = dict(
    zip(
        ("body", "joint", "constraint", "force", "driver", "point", "variable"),
        GROUPS,
        strict=True,
    )
)


def replace(model: Any, name: str, changes: Mapping[str, Any]) -> Any:
    """Return the model with fields of one element changed, or the value of a parameter.

    Raises:
        UnknownName: There is no element or parameter of that name.
        ModelError: The element has no such field, or the new model is wrong.
    """
    symbols = {p.name: p for p in model.parameters}
    if not isinstance(name, str):
        raise ModelError(f"replace takes the name of an element, got {fields.short(name)}.")
    if name in symbols:
        return _with_value(model, symbols[name], changes)
    if name not in model:
        raise UnknownName("element or parameter", name, (*model.names, *symbols))
    old = model[name]
    _check_fields(f"{old.KIND} {name!r}", field_names(type(old)), changes)
    new = dataclasses.replace(old, **changes)
    group = HOMES[old.KIND]
    items = tuple(new if item is old else item for item in getattr(model, group))
    groups = {g: getattr(model, g) for g in GROUPS} | {group: items}
    if new.name != name:
        mapping = {name: new.name}
        groups = {g: tuple(_renamed(e, mapping) for e in groups[g]) for g in GROUPS}
    return rebuilt(model, groups)


def replace_fields(model: Any, changes: Mapping[str, Any]) -> Any:
    """Return the model with fields of its own changed.

    Raises:
        ModelError: It has no such field, or the new model is wrong.
    """
    known = tuple(field.name for field in dataclasses.fields(model))
    _check_fields(f"model {model.name!r}", known, changes)
    return dataclasses.replace(model, **changes)


def _check_fields(what: str, known: Iterable[str], changes: Iterable[str]) -> None:
    for field in changes:
        if field not in known:
            near, has = did_you_mean(field, known), ", ".join(known)
            raise ModelError(f"{what} has no field {field!r}.{near} It has {has}.")


def add(model: Any, elements: Iterable[Any]) -> Any:
    """Return the model with more elements, each at the end of its group.

    Raises:
        ModelError: Something is no element, or the new model is wrong.
    """
    groups = {group: list(getattr(model, group)) for group in GROUPS}
    complaints = []
    for element in elements:
        home = HOMES.get(getattr(element, "KIND", ""))
        if home is None:
            complaints.append(f"add takes elements, got {fields.short(element)}.")
        else:
            groups[home].append(element)
    ModelError.gather(complaints)
    return rebuilt(model, groups)


def without(model: Any, names: Iterable[str]) -> Any:
    """Return the model without these elements.

    Raises:
        UnknownName: There is no element of that name.
        ModelError: The new model is wrong, such as when what is left refers to what is gone.
    """
    named = tuple(names)
    if not all(isinstance(name, str) for name in named):
        raise ModelError(f"without takes names of elements, got {fields.short(named)}.")
    gone = set(named)
    for name in gone:
        if name not in model:
            raise UnknownName("element", name, model.names)
    return rebuilt(
        model,
        {g: tuple(e for e in getattr(model, g) if e.name not in gone) for g in GROUPS},
    )


def prefixed(model: Any, prefix: str) -> Any:
    """Return the model with a prefix to the names of elements, parameters and inputs.

    Raises:
        ModelError: The prefix is no text, or makes names that are none.
    """
    if not isinstance(prefix, str):
        raise ModelError(f"prefixed takes text, got {fields.short(prefix)}.")
    symbols = [symbol.name for symbol in (*model.parameters, *model.inputs)]
    mapping = {name: f"{prefix}{name}" for name in (*model.names, *symbols)}
    groups = {g: tuple(_renamed(e, mapping) for e in getattr(model, g)) for g in GROUPS}
    return dataclasses.replace(
        model,
        **groups,
        gravity=tuple(_renamed_number(x, mapping) for x in model.gravity),
        parameters=tuple(renamed(p, mapping) for p in model.parameters),
        inputs=tuple(renamed(w, mapping) for w in model.inputs),
    )


def rebuilt(model: Any, groups: Mapping[str, Any], **others: Any) -> Any:
    """Return the model with other groups; a parameter or input leaves with its last use.

    Those that were declared and never used stay.
    """
    before = _symbols_in(model.elements, model.gravity)
    elements = [e for g in GROUPS for e in groups.get(g, getattr(model, g))]
    after = _symbols_in(elements, others.get("gravity", model.gravity))
    names = {n for e in elements for _, expr in expressions_of(e) for n in signals(expr)}

    def stays(symbol: Parameter | Input) -> bool:
        return symbol in after or symbol not in before or symbol.name in names

    return dataclasses.replace(
        model,
        **groups,
        **others,
        parameters=tuple(filter(stays, model.parameters)),
        inputs=tuple(filter(stays, model.inputs)),
    )


def _symbols_in(elements: Iterable[Any], gravity: Any) -> set[Parameter | Input]:
    found: set[Parameter | Input] = set()
    for value in (*elements, gravity):
        for _, expr in expressions_of(value):
            found.update(parameters(expr), inputs(expr))
    return found


def _with_value(model: Any, old: Parameter, changes: Mapping[str, Any]) -> Any:
    if set(changes) - {"value"}:
        field = next(iter(set(changes) - {"value"}))
        raise ModelError(f"parameter {old.name!r} has no field {field!r}. It has value.")
    return with_values(model, {old.name: changes.get("value", old.value)})


def with_values(model: Any, values: Mapping[str, float]) -> Any:
    """Return the model with other values of some of its parameters.

    Raises:
        ModelError: With these values something is wrong, with all there is.
    """
    params = [Parameter(p.name, values.get(p.name, p.value)) for p in model.parameters]
    mapping: dict[Expression, Expression] = dict(zip(model.parameters, params, strict=True))
    complaints: list[str] = []

    def changed(element: Any) -> Any:
        try:
            return with_expressions(element, lambda _, expr: substituted(expr, mapping))
        except ModelError as error:
            who = f"{element.KIND} {element.name!r}: "  # shapes do not know whose they are
            complaints.extend(who + said.removeprefix(who) for said in error.complaints)
            return element

    groups = {g: tuple(map(changed, getattr(model, g))) for g in GROUPS}
    ModelError.gather(complaints)
    gravity = tuple(
        x if isinstance(x, float) else substituted(x, mapping) for x in model.gravity
    )
    return dataclasses.replace(model, **groups, gravity=gravity, parameters=tuple(params))


def _renamed(element: Any, mapping: Mapping[str, str]) -> Any:
    """Return an element with its own name, its references and its expressions renamed."""
    changed = with_expressions(element, lambda _, expr: renamed(expr, mapping))
    changes: dict[str, Any] = {"name": mapping.get(element.name, element.name)}
    references = {"joint": ("first", "second"), "point": ("body",), "driver": ("of",)}
    references = references.get(element.KIND, ())
    references = (*references, *getattr(element, "BODIES", ()), *getattr(element, "JOINTS", ()))
    for field in references:
        name = getattr(element, field)
        changes[field] = mapping.get(name, name)
    for field in getattr(element, "ENDS", ()):
        end = getattr(element, field)
        single = isinstance(end, str)
        name = end if single else end[0]
        new = mapping.get(name, name)
        changes[field] = new if single else (new, getattr(changed, field)[1])
    for field in getattr(element, "PLACES", ()):
        changes[field] = tuple(mapping.get(name, name) for name in getattr(element, field))
    if hasattr(element, "terms"):
        changes["terms"] = tuple((_speed(n, mapping), e) for n, e in changed.terms)
    return dataclasses.replace(changed, **changes)


def _speed(name: str, mapping: Mapping[str, str]) -> str:
    owner, _, quantity = name.rpartition(".")
    return f"{mapping.get(owner, owner)}.{quantity}"


def _renamed_number(value: Any, mapping: Mapping[str, str]) -> Any:
    return value if isinstance(value, float) else renamed(value, mapping)
