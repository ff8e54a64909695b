"""The formulations and choices of speeds that a machine is put through."""

from dataclasses import fields
from typing import Any

from bellcrank.formulations import (
    AbstractFormulation,
    AngleRates,
    Cartesian,
    JointCoordinates,
    Kane,
    LinearSpeeds,
    Momentum,
    Natural,
)
from bellcrank.model import Model, Point


def candidates() -> tuple[AbstractFormulation, ...]:
    """Return every formulation, with every choice that changes its equations."""
    return (
        JointCoordinates(),
        Kane(),
        Kane(speeds="absolute fixed"),
        Kane(speeds="relative body", orientation="relative Euler parameters"),
        Kane(speeds="relative fixed"),
        Kane(speeds=AngleRates()),
        Cartesian(),
        Cartesian(form="euler"),
        Cartesian(reference="frame"),
        Natural(),
        Momentum(linear="start", angular="start"),
    )


def other_machine(formulation: AbstractFormulation, model: Model) -> str | None:
    """Return why a formulation takes the same drawing for another machine, or None."""
    led = [driver.name for driver in model.drivers if isinstance(model[driver.of], Point)]
    if isinstance(formulation, Momentum) and led:
        return (
            f"Momentum realises driver '{led[0]}' by internal joint forces, which conserve "
            "momentum, the others by an external force: a different machine."
        )
    return None


def label(formulation: AbstractFormulation) -> str:
    """Return the shortest construction of a formulation: choices that are defaults left out.

    Examples:
        >>> label(Cartesian(form="omega")), label(Kane(speeds="relative body"))
        ('Cartesian()', "Kane(speeds='relative body')")
    """
    kind = type(formulation)
    given = {field.name: getattr(formulation, field.name) for field in fields(formulation)}  # type: ignore[arg-type]
    for name in reversed(list(given)):
        others = {key: value for key, value in given.items() if key != name}
        if _constructed(kind, others) == formulation:
            given = others
    inner = {
        k: label(v) if hasattr(v, "__dataclass_fields__") else repr(v) for k, v in given.items()
    }
    if isinstance(formulation, LinearSpeeds):
        return f"LinearSpeeds({len(formulation.Y)}×{len(formulation.Y[0])})"
    if isinstance(formulation, JointCoordinates) and isinstance(formulation.speeds, tuple):
        return repr(formulation)
    return f"{kind.__name__}({', '.join(f'{k}={v}' for k, v in inner.items())})"


def _constructed(kind: type, choices: dict[str, Any]) -> Any:
    """Return a formulation, or None where a choice has no default."""
    try:
        return kind(**choices)
    except TypeError:
        return None
