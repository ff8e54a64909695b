"""The constraint rows of a machine: which there are, before any equation is written.

Needs no CasADi. The equations themselves, in the same order, are in `constraints`.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import log10

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.plane import planar_rows, planar_velocity_rows
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.switches import switches
from bellcrank.model import Constraint, Distance, Drive, Joint, Model, Relation, mass_properties
from bellcrank.model.algebra import Number, nominal
from bellcrank.model.expressions import Constant, Expression, evaluate
from bellcrank.model.expressions import parameters as parameters_of
from bellcrank.model.names import Channel

ROUNDING = 1e-12  # of how far points are from the origin: distances that are none


def rows(
    model: Model, length: float, joints: Sequence[str], *, flat: bool = False
) -> tuple[Row, ...]:
    """Return the rows of joints, constraints and drivers; position level first.

    Args:
        model: The machine.
        length: Its nominal length [m], the scale of rows that are lengths.
        joints: Names of the joints that are rows; the others hold by choice of coordinates.
        flat: Whether bodies cannot leave the plane: then only what is left of a row there.
    """
    found = []
    for element in (*(model[name] for name in joints), *model.constraints):
        found += _rows(model, element, length, flat)
    for driver in model.drivers:
        found += _driver_rows(driver, length)
    return tuple(found) + _velocity_rows(model, length, flat)


def _rows(model: Model, element: Joint | Constraint, length: float, flat: bool) -> list[Row]:
    parts = _parts(model, element)
    if flat:
        parts = [parts[i] for i in planar_rows(element) if i < len(parts)]
    owner = element.name
    return [
        Row(f"{owner}: {part}", owner, "loop", "position", length if in_metres else 1.0)
        for part, in_metres in parts
    ]


def _parts(model: Model, element: Joint | Constraint) -> list[tuple[str, bool]]:
    """Return the names of an element's position rows, each with whether it is a length."""
    if isinstance(element, Joint):
        return [
            (condition.name, condition.in_metres) for condition in element.mobility.conditions
        ]
    in_metres = element.in_metres(model)
    return [(name, in_metres) for name in element.rows(model)]


def _driver_rows(driver: Drive, length: float) -> list[Row]:
    return [
        Row(
            f"{driver.name}: {coordinate}", driver.name, "driver", "position",
            1.0 if coordinate.startswith("angle") else length,
        )
        for coordinate, _ in driver.motion
    ]  # fmt: skip


def _velocity_rows(model: Model, length: float, flat: bool = False) -> tuple[Row, ...]:
    found = []
    for constraint in model.constraints:
        name, scale = constraint.name, length if constraint.in_metres(model) else 1.0
        left = planar_velocity_rows(constraint) if flat else range(len(constraint.SLIPS))
        found += [
            Row(f"{name}: {constraint.SLIPS[i]}", name, "nonholonomic", "velocity", scale)
            for i in left
        ]
    return tuple(found)


def multipliers(model: Model) -> tuple[tuple[bool, ...], dict[str, tuple[int, str]]]:
    """Return which multipliers of joints, constraints and drivers are torques.

    Rows that are lengths have forces as multipliers, the others torques.

    Returns:
        Whether each is a torque, in the order of `reactions`, and the
        place of each driver's multiplier, with the channel of the rate it works on, by the
        name of its effort's channel.
    """
    elements = (*model.joints, *model.constraints)
    turning = [not length for one in elements for _, length in _parts(model, one)]
    places = {}
    for driver in model.drivers:
        for coordinate, _ in driver.motion:
            suffix = "" if len(driver.motion) == 1 else f"_{coordinate}"
            rate = f"{coordinate}_rate"
            if coordinate.startswith("position"):
                rate = coordinate.replace("position", "velocity")
            places[f"{driver.name}.effort{suffix}"] = len(turning), f"{driver.of}.{rate}"
            turning.append(coordinate.startswith("angle"))
    for row in _velocity_rows(model, 1.0):
        shown = model[row.owner].quantities(model)
        turning.append(any(quantity == "torque" for _, quantity, _ in shown))
    return tuple(turning), places


def multiplier_channels(model: Model, turns: Sequence[bool]) -> tuple[Channel, ...]:
    """Return what λ of each row is called, in the order of `reactions`.

    Args:
        model: The machine.
        turns: Which of them are torques.
    """
    found = rows(model, 1.0, [joint.name for joint in model.joints])
    return tuple(
        Channel(multiplier_name(row), "torque" if turning else "force", 1, row.owner)
        for row, turning in zip(found, turns, strict=True)
    )


def multiplier_name(row: Row) -> str:
    """Return what λ of a row is called: `A.multiplier_tilt1` of the row `A: tilt 1`."""
    return f"{row.owner}.multiplier_{row.name[len(row.owner) + 2 :].replace(' ', '')}"


def held_multipliers(model: Model) -> dict[str, tuple[int, ...]]:
    """Return the places of each constraint's multipliers, in the order of `reactions`."""
    start = sum(len(joint.mobility.conditions) for joint in model.joints)
    found: dict[str, list[int]] = {}
    for constraint in model.constraints:
        count = len(constraint.rows(model))
        found[constraint.name] = list(range(start, start + count))
        start += count
    start += sum(len(driver.motion) for driver in model.drivers)
    for place, row in enumerate(_velocity_rows(model, 1.0), start):
        found[row.owner].append(place)
    return {name: tuple(places) for name, places in found.items()}


def held_columns(model: Model) -> tuple[int, ...]:
    """Return the places of all constraints' multipliers, in the order of `reactions`."""
    return tuple(sorted(place for found in held_multipliers(model).values() for place in found))


def refuse(model: Model) -> None:
    """Raise for what constraints cannot be made of, all of it at once.

    Raises:
        NotSupported: A relation that is not twice differentiable; a link without length.
    """
    complaints = [
        f"constraint '{each.name}': a relation must be twice differentiable, and {op} is not. "
        'Of tables take interp(…, kind="cubic").'
        for each in model.constraints
        if isinstance(each, Relation)
        for op in _bent(each.zero)
    ]
    complaints += [
        f"constraint '{constraint.name}': its ends are drawn in one place, so that it has no "
        "length and no direction. Give length=, or take a Spherical joint."
        for constraint in model.constraints
        if isinstance(constraint, Distance) and nominal(model.drawn_length(constraint)) == 0.0
    ]
    if complaints:
        raise NotSupported(" ".join(complaints))


def _bent(law: Expression) -> tuple[str, ...]:
    """Return nonsmooth operations of a law, but those that choose the piece of a table.

    That is the comparison of a position with a number, or its whole turns.
    """
    found = []
    for operation, _ in switches([law]):
        piecewise = operation.op == "lt" and isinstance(operation.args[1], Constant)
        if not piecewise and operation.op not in ("atan2", "floor"):
            found.append(operation.op)
    return tuple(dict.fromkeys(found))


def machine_length(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """Return the nominal length of a machine [m]; 1 m where the drawing shows none.

    Args:
        model: The machine.
        parameters: Values by name over the model's own.
    """
    return drawn_length(model, parameters) or 1.0


def nominal_length(model: Model) -> float:
    """Return the length by which what is compiled measures lengths [m].

    Where the drawing depends on parameters it is a power of ten near the machine's length, so
    that code serves machines of about the same size.
    """
    length = machine_length(model)
    return 10.0 ** round(log10(length)) if length_parameters(model) else length


@lru_cache(maxsize=256)
def length_parameters(model: Model) -> frozenset[str]:
    """Return the names of the parameters on which the machine's length depends."""
    entries = [entry for point in _places(model) for entry in point]
    there = (parameters_of(each) for each in entries if isinstance(each, Expression))
    return frozenset(parameter.name for each in there for parameter in each)


def _places(model: Model) -> list[Sequence[Number]]:
    """Return where joints and mass centres are drawn [m]."""
    points: list[Sequence[Number]] = [
        at for joint in model.joints for at in (joint.at_first, joint.at_second)
    ]
    return points + [mass_properties(body).com for body in model.bodies]


def drawn_length(model: Model, parameters: Mapping[str, float] | None = None) -> float:
    """Return how far joints and bodies are apart [m]; 0 where only rounding parts them.

    Args:
        model: The machine.
        parameters: Values by name over the model's own.
    """
    values = _numbers(_places(model), parameters)
    length = _spread(values)
    away = max((abs(entry) for point in values for entry in point), default=0.0)
    return length if length > ROUNDING * away else 0.0


def joints_apart(
    model: Model, names: Iterable[str], parameters: Mapping[str, float] | None = None
) -> float:
    """Return how far some joints are apart, by name [m].

    Args:
        model: The machine.
        names: Of the joints.
        parameters: Values by name over the model's own.
    """
    return _spread(_numbers([model[name].at_first for name in names], parameters))


def _numbers(
    points: Sequence[Sequence[Number]], parameters: Mapping[str, float] | None
) -> list[list[float]]:
    known = dict(parameters or {})
    return [
        [evaluate(e, known) if isinstance(e, Expression) else e for e in point]
        for point in points
    ]


def _spread(points: list[list[float]]) -> float:
    """Return the diagonal of what encloses points."""
    spans = [max(column) - min(column) for column in zip(*points, strict=True)]
    return sum(span * span for span in spans) ** 0.5
