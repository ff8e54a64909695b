"""The expressions of a model that change during a run. Needs no CasADi."""

from collections.abc import Iterator
from typing import Any

from bellcrank.model import Expression, Field, Model


def expressions(model: Model) -> Iterator[Expression]:
    """Yield every law: of forces, motions of drivers, constraints, rates of variables."""
    forces = (each for each in model.forces if not isinstance(each, Field))
    for element in (*forces, *model.drivers, *model.constraints, *model.variables):
        yield from laws_of(element)


def laws_of(element: Any) -> Iterator[Expression]:
    """Yield every expression of one element; of a driver its motions."""
    for field in element.LAWS:
        value = getattr(element, field)
        entries = value if isinstance(value, tuple) else (value,)
        for entry in entries:
            law = entry[1] if isinstance(entry, tuple) else entry
            if isinstance(law, Expression):
                yield law
