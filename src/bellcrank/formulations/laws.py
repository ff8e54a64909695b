"""The expressions of a model that change during a run. Needs no CasADi."""

from collections.abc import Iterator

from bellcrank.model import Expression, Model


def expressions(model: Model) -> Iterator[Expression]:
    """Yield every expression of the force elements: laws, vectors and efforts."""
    for element in model.forces:
        for field in element.LAWS:
            value = getattr(element, field)
            entries = value if isinstance(value, tuple) else (value,)
            yield from (entry for entry in entries if isinstance(entry, Expression))
