"""The one table of names: what a machine's quantities are called, everywhere.

In start values, results, expressions, plots and files a quantity is called `owner.quantity`,
a component of it by a suffix: `tip.position_x`, `A.orientation_0` (Euler parameters, scalar
first). Machine quantities have no owner.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bellcrank.model import expressions
from bellcrank.model.elements.bodies import Body, Particle, Point
from bellcrank.model.elements.constraints import Constraint, Distance
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.forces import ForceElement
from bellcrank.model.elements.joint import Joint
from bellcrank.model.elements.variables import Variable
from bellcrank.units import variable_quantity

if TYPE_CHECKING:
    from bellcrank.model.model import Model


@dataclass(frozen=True)
class Channel:
    """One recorded quantity.

    Attributes:
        name: Such as `A.angle` or `energy`.
        quantity: A key of `units.QUANTITIES`.
        size: 1, 3 (x, y, z) or 4 (Euler parameters).
        owner: The element it belongs to; empty for the machine.
    """

    name: str
    quantity: str
    size: int
    owner: str


MACHINE: tuple[tuple[str, str, int], ...] = (
    ("kinetic_energy", "kinetic_energy", 1),
    ("potential_energy", "potential_energy", 1),
    ("energy", "energy", 1),
    ("linear_momentum", "linear_momentum", 3),
    ("angular_momentum", "angular_momentum", 3),
    ("constraint_residual", "residual", 1),
    ("constraint_rate_residual", "rate_residual", 1),
)
"""Quantities of the machine as a whole: name, quantity, size."""

IN_LAWS = MACHINE[:5]
"""Those of them that expressions of a model may use; residuals are the integrator's."""

RESERVED: frozenset[str] = (
    expressions.RESERVED | {"ground", "time"} | {name for name, _, _ in MACHINE}
)
"""Names that no element, parameter or input may have."""

SIZES: dict[str, int] = {
    "position": 3,
    "velocity": 3,
    "acceleration": 3,
    "orientation": 4,
    "angular_velocity": 3,
    "angular_acceleration": 3,
}
"""Sizes of the quantities that are no scalars."""

_BODY = ("position", "orientation", "velocity", "angular_velocity", "acceleration")
_BODY = (*_BODY, "angular_acceleration")
_BODY_FRAME = ("velocity", "angular_velocity", "acceleration", "angular_acceleration")
_POINT = ("position", "velocity", "acceleration")
_REACTIONS = ("reaction_force", "reaction_torque")


def components(name: str, size: int) -> tuple[str, ...]:
    """Return the names of the components of a quantity.

    Examples:
        >>> components("tip.position", 3)
        ('tip.position_x', 'tip.position_y', 'tip.position_z')
        >>> components("A.angle", 1)
        ('A.angle',)

        Kane's Euler parameters count from one, the scalar last:

        >>> components("B.epsilon", 4)
        ('B.epsilon_1', 'B.epsilon_2', 'B.epsilon_3', 'B.epsilon_4')
    """
    if size == 1:
        return (name,)
    four = "1234" if name.endswith("epsilon") else "0123"
    return tuple(f"{name}_{suffix}" for suffix in ("xyz" if size == 3 else four))


def quantity_of(coordinate: str) -> str:
    """Return the quantity that a coordinate, rate or acceleration of a joint is.

    Examples:
        >>> quantity_of("angle2_rate"), quantity_of("x"), quantity_of("velocity")
        ('angle_rate', 'offset', 'velocity')
    """
    if coordinate in SIZES:
        return coordinate
    stem, _, rate = coordinate.partition("_")
    base = "angle" if stem.startswith("angle") else "offset"
    return f"{base}_{rate}" if rate else base


def rate_of(name: str) -> str:
    """Return the name of the rate of a coordinate of a joint, or of a place of a point.

    Examples:
        >>> rate_of("A.angle"), rate_of("tip.position_x"), rate_of("S.orientation")
        ('A.angle_rate', 'tip.velocity_x', 'S.angular_velocity')
    """
    owner, _, quantity = name.rpartition(".")
    known = {"orientation": "angular_velocity", "position": "velocity"}
    stem, _, part = quantity.rpartition("_")
    if stem in known:
        return f"{owner}.{known[stem]}_{part}"
    return f"{owner}.{known.get(quantity, f'{quantity}_rate')}"


def effort_quantity(coordinate: str) -> str:
    """Return `torque` for an angle and `force` for a length, of a joint or of a point."""
    return "torque" if coordinate.startswith("angle") else "force"


def channels(model: "Model") -> tuple[Channel, ...]:
    """Return every quantity that a run of the model records, in order.

    Coordinates, rates and accelerations of joints; bodies; points; reactions of joints;
    constraints; forces; drivers; variables and their rates; the machine.
    """
    return (
        *_joint_channels(model),
        *_body_channels(model),
        *_acting_channels(model),
        *_variable_channels(model),
        *(Channel(name, quantity, size, "") for name, quantity, size in MACHINE),
    )


def law_quantities(element: object) -> dict[str, int]:
    """Return the quantities of an element that expressions may use, each with its size.

    They follow from time, state, inputs and variables alone; `observed_quantities` do not.
    """
    if isinstance(element, Joint):
        return {name: SIZES.get(name, 1) for name in (*element.coordinates, *element.speeds)}
    if isinstance(element, Body | Particle | Point):
        return {name: size for name, size in _moving(element).items() if not _follows(name)}
    if isinstance(element, Distance):
        return {"length": 1, "length_rate": 1}
    if isinstance(element, ForceElement):
        return {name: size for name, _, size in element.QUANTITIES}
    return {"rate": 1} if isinstance(element, Variable) else {}


def observed_quantities(element: object) -> dict[str, int]:
    """Return the other quantities that results show of an element, each with its size.

    They follow from the accelerations, and these from all that acts: accelerations, reactions,
    what constraints and drivers do. Events and sampled controllers may use them.
    """
    if isinstance(element, Joint):
        sizes = {name: SIZES.get(name, 1) for name in element.accelerations}
        return sizes | dict.fromkeys(_REACTIONS, 3)
    if isinstance(element, Body | Particle | Point):
        return {name: size for name, size in _moving(element).items() if _follows(name)}
    if isinstance(element, Constraint):
        return {name: size for name, _, size in element.QUANTITIES}
    if isinstance(element, Drive):
        return {
            each.name.removeprefix(f"{element.name}."): 1 for each in _driver_channels(element)
        }
    return {}


def _moving(element: Body | Particle | Point) -> dict[str, int]:
    """Return what results show of a body or a point, with sizes."""
    if isinstance(element, Point):
        return {name: SIZES[name] for name in _POINT}
    own = {f"{name}_body": SIZES[name] for name in _BODY_FRAME}
    return {name: SIZES[name] for name in _BODY} | own


def _follows(quantity: str) -> bool:
    """Return whether a quantity of a body or a point is an acceleration."""
    return "acceleration" in quantity


def law_names(element: object) -> tuple[str, ...]:
    """Return the scalar names of an element that expressions may use, without its own name."""
    return _scalar_names(law_quantities(element))


def observed_names(element: object) -> tuple[str, ...]:
    """Return the scalar names of `observed_quantities`, without the element's own name."""
    return _scalar_names(observed_quantities(element))


def machine_names(*, observed: bool = False) -> tuple[str, ...]:
    """Return the scalar names of the machine as a whole.

    Args:
        observed: Whether those that no expression of a model may use are among them.
    """
    found = MACHINE if observed else IN_LAWS
    return _scalar_names({name: size for name, _, size in found})


def _scalar_names(sizes: dict[str, int]) -> tuple[str, ...]:
    return tuple(part for name, size in sizes.items() for part in components(name, size))


def _joint_channels(model: "Model") -> Iterator[Channel]:
    for group in ("coordinates", "speeds", "accelerations"):
        for joint in model.joints:
            for name in getattr(joint, group):
                size = SIZES.get(name, 1)
                yield Channel(f"{joint.name}.{name}", quantity_of(name), size, joint.name)


def _body_channels(model: "Model") -> Iterator[Channel]:
    for body in model.bodies:
        for name in _BODY:
            yield Channel(f"{body.name}.{name}", name, SIZES[name], body.name)
        for name in _BODY_FRAME:
            yield Channel(f"{body.name}.{name}_body", name, SIZES[name], body.name)
    for point in model.points:
        for name in _POINT:
            yield Channel(f"{point.name}.{name}", name, SIZES[name], point.name)


def _acting_channels(model: "Model") -> Iterator[Channel]:
    for joint in model.joints:
        yield Channel(f"{joint.name}.reaction_force", "force", 3, joint.name)
        yield Channel(f"{joint.name}.reaction_torque", "torque", 3, joint.name)
    for constraint in model.constraints:
        for name, quantity, size in constraint.quantities(model):
            yield Channel(f"{constraint.name}.{name}", quantity, size, constraint.name)
        if isinstance(constraint, Distance) and constraint.driven(model):
            for name in ("length", "length_rate"):
                yield Channel(f"{constraint.name}.{name}", name, 1, constraint.name)
    for force in model.forces:
        for name, quantity, size in force.quantities(model):
            yield Channel(f"{force.name}.{name}", quantity, size, force.name)
    for driver in model.drivers:
        yield from _driver_channels(driver)


def _variable_channels(model: "Model") -> Iterator[Channel]:
    for each in model.variables:
        yield Channel(each.name, variable_quantity(each.unit), 1, each.name)
        yield Channel(
            f"{each.name}.rate", variable_quantity(f"{each.unit or 1}/s"), 1, each.name
        )


def _driver_channels(driver: Drive) -> Iterator[Channel]:
    """Yield `motor.effort`; with several coordinates `motor.effort_angle`, … one for each."""
    for coordinate, _ in driver.motion:
        suffix = "" if len(driver.motion) == 1 else f"_{coordinate}"
        quantity = effort_quantity(coordinate)
        yield Channel(f"{driver.name}.effort{suffix}", quantity, 1, driver.name)
