"""Walking through the fields of an element, and changing what is found there."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any

from bellcrank.model.expressions import Expression


@cache
def field_names(kind: type) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass."""
    return tuple(field.name for field in fields(kind))


def expressions_of(value: Any) -> Iterator[tuple[str, Expression]]:
    """Yield every expression in an element, with the field of the element it stands in."""
    if is_dataclass(value) and not isinstance(value, Expression):
        for name in field_names(type(value)):
            for expr in _within(getattr(value, name)):
                yield name, expr
    else:
        for expr in _within(value):
            yield "", expr


def _within(value: Any) -> Iterator[Expression]:
    kind = type(value)
    if kind is float or kind is str or value is None:
        return
    if kind is tuple:
        for item in value:
            yield from _within(item)
    elif isinstance(value, Expression):
        yield value
    elif is_dataclass(value):
        for name in field_names(kind):
            yield from _within(getattr(value, name))


def with_expressions(element: Any, change: Callable[[str, Expression], Expression]) -> Any:
    """Return an element with every expression changed; itself where nothing changes.

    Args:
        element: Any frozen dataclass.
        change: Takes the field of the element and the expression, gives the new one.
    """
    changes = {}
    for name in field_names(type(element)):
        old = getattr(element, name)
        new = _changed(old, lambda expr, name=name: change(name, expr))
        if new is not old:
            changes[name] = new
    return replace(element, **changes) if changes else element


def _changed(value: Any, change: Callable[[Expression], Expression]) -> Any:
    kind = type(value)
    if kind is float or kind is str or value is None:
        return value
    if kind is tuple:
        new = tuple(_changed(item, change) for item in value)
        return value if all(a is b for a, b in zip(new, value, strict=True)) else new
    if isinstance(value, Expression):
        return change(value)
    if is_dataclass(value) and not isinstance(value, type):
        return with_expressions(value, lambda _, expr: change(expr))
    return value
