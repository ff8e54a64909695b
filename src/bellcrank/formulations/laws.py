"""The expressions of a model that change during a run. Needs no CasADi."""

from collections.abc import Iterator

from bellcrank.model import Expression, Model


def expressions(model: Model) -> Iterator[Expression]:
    """Yield every expression of forces and variables: laws, vectors, efforts and rates."""
    for element in (*model.forces, *model.variables):
        for field in element.LAWS:
            value = getattr(element, field)
            entries = value if isinstance(value, tuple) else (value,)
            yield from (entry for entry in entries if isinstance(entry, Expression))
