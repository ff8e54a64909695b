"""The expressions of a model that change during a run, with local names made global.

In the law of a spring, `length` means the length of that spring, and in the law of a joint
spring, `angle` means that joint's angle. Needs no CasADi.
"""

from collections.abc import Iterator

from bellcrank.model import (
    Expression,
    Force,
    ForceElement,
    JointSpring,
    Model,
    Motor,
    SpringDamper,
    Torque,
)
from bellcrank.model.expressions import Signal, substitute
from bellcrank.model.joints import scalar_coordinates


def coordinate_of(element: JointSpring | Motor, model: Model) -> str:
    """Return the coordinate a spring or motor acts on; the joint's only one if not said."""
    if element.coordinate is not None:
        return element.coordinate
    joint = model[element.joint]
    return scalar_coordinates(joint)[0]  # the model has checked that there is one


def law(element: ForceElement, model: Model) -> Expression | None:
    """Return the law of a spring in global names, or None where it has none."""
    if not isinstance(element, SpringDamper | JointSpring) or element.law is None:
        return None
    if isinstance(element, SpringDamper):
        owner, local = element.name, ("length", "length_rate")
    else:
        coordinate = coordinate_of(element, model)
        owner, local = element.joint, (coordinate, f"{coordinate}_rate")
    names = {Signal(name): Signal(f"{owner}.{name}") for name in local}
    return substitute(element.law, names)  # type: ignore[arg-type]


def expressions(model: Model) -> Iterator[Expression]:
    """Yield every expression of the force elements."""
    for element in model.forces:
        found = law(element, model)
        if found is not None:
            yield found
        match element:
            case Force() | Torque():
                yield from (entry for entry in element.vector if isinstance(entry, Expression))
            case Motor():
                if isinstance(element.effort, Expression):
                    yield element.effort
            case _:
                pass
