"""The expressions of a model that change during a run. Needs no CasADi."""

from collections.abc import Iterator
from typing import Any

from bellcrank.model import Expression, Field, Model
from bellcrank.model.elements.walking import with_expressions
from bellcrank.model.expressions import Signal, substitute


def expressions(model: Model) -> Iterator[Expression]:
    """Yield every law: of forces, motions of drivers, constraints, rates of variables."""
    elements = (*model.forces, *model.drivers, *model.constraints, *model.variables)
    for element in elements:
        yield from acting_laws(model, element)


def acting_laws(model: Model, element: Any) -> Iterator[Expression]:
    """Yield the laws of an element as they act: those of a field once for each body."""
    if isinstance(element, Field):
        for body in model.bodies:
            yield from laws_of(felt(element, body.name))
    else:
        yield from laws_of(element)


def potentials(model: Model) -> tuple[Expression, ...]:
    """Return the potentials that a model gives in words, those of its fields."""
    fields = (each for each in model.forces if isinstance(each, Field))
    return tuple(each.potential for each in fields if isinstance(each.potential, Expression))


def felt(field: Field, body: str) -> Field:
    """Return a field where a body feels it: x, y, z are the place of its mass centre."""
    here: dict[Expression, Expression] = {
        Signal(f"{field.name}.{axis}"): Signal(f"{body}.position_{axis}") for axis in field.OWN
    }
    return with_expressions(field, lambda _, law: substitute(law, here))


def laws_of(element: Any) -> Iterator[Expression]:
    """Yield every expression of one element; of a driver its motions."""
    for field in element.LAWS:
        value = getattr(element, field)
        entries = value if isinstance(value, tuple) else (value,)
        for entry in entries:
            law = entry[1] if isinstance(entry, tuple) else entry
            if isinstance(law, Expression):
                yield law
