"""Names of signals as scalars of a scene: what an expression may read.

That is what follows from time, state, inputs and variables alone. What follows from the
accelerations is observed, and never read by what acts.
"""

from collections.abc import Mapping

from bellcrank.errors import UnknownName
from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.forces import effect, spring_line
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.model import (
    Body,
    Distance,
    ForceElement,
    Joint,
    Particle,
    Point,
    SpringDamper,
    Variable,
    mass_properties,
)
from bellcrank.model.names import machine_names
from bellcrank.spatial.arithmetic import Scalar, Vector, add, apply
from bellcrank.spatial.attitudes import to_body
from bellcrank.spatial.letters import Letters, component

Values = Mapping[str, Vector]


def signal(scene: Scene, name: str) -> Scalar:
    """Return the scalar of a signal such as `A.angle_rate`, `tip.position_x` or `energy`.

    Raises:
        UnknownName: No such element, or it has no such signal at velocity level.
    """
    if name in machine_names():
        return _components(_of_machine(scene, name))[name]
    owner, _, quantity = name.rpartition(".")
    if owner not in scene.model.names:
        raise UnknownName("signal", name, scene.model.names)
    scalars = _components(_of_element(scene, owner, quantity))
    if quantity not in scalars:
        raise UnknownName(f"signal of '{owner}'", quantity, scalars)
    return scalars[quantity]


def _components(values: Values) -> dict[str, Scalar]:
    """Return the scalars by the names of components."""
    return {
        name: scalar for key, entries in values.items() for name, scalar in _split(key, entries)
    }


def _of_machine(scene: Scene, name: str) -> Values:
    """Return energies or momenta of the machine; what is asked for is among them."""
    balance = Balance(scene)
    if name == "kinetic_energy":
        return {name: [balance.kinetic()]}
    if name == "potential_energy":
        return {name: [balance.potential()]}
    if name == "energy":
        return {name: [add(balance.kinetic(), balance.potential())]}
    return dict(zip(("linear_momentum", "angular_momentum"), balance.momentum(), strict=True))


def _of_element(scene: Scene, owner: str, quantity: str) -> Values:
    """Return what is known of an element; what is asked for is among it, if there is such."""
    element = scene.model[owner]
    match element:
        case Joint():
            speeds = scene.joint_values(owner, "speeds")
            return scene.joint_values(owner, "coordinates") | speeds
        case Point():
            moving = scene.point(element.body, [scene.number(entry) for entry in element.at])
            return {"position": moving.position, "velocity": moving.velocity}
        case Body() | Particle():
            return _of_body(scene, element, quantity)
        case SpringDamper() | Distance() if quantity.startswith("length"):
            _, length, rate = spring_line(element, scene)
            return {"length": [length], "length_rate": [rate]}
        case ForceElement():
            return effect(element, scene).channels
        case Variable():
            return {"rate": [scene.number(element.rate)]}
    return {}


def _of_body(scene: Scene, body: Body | Particle, quantity: str) -> Values:
    com = mass_properties(body).com
    moving = scene.point(body.name, [scene.number(entry) for entry in com])
    rates = {"velocity": moving.velocity, "angular_velocity": scene.turning(body.name).velocity}
    attitude = scene.attitude(body.name)
    if "_body" in quantity:
        R_BW = to_body(attitude)
        return {f"{name}_body": apply(R_BW, vector) for name, vector in rates.items()}
    return {"position": moving.position, "orientation": attitude} | rates


def _split(name: str, entries: Vector) -> list[tuple[str, Scalar]]:
    """Return the names of the components with their scalars."""
    if isinstance(entries, Letters):
        return [(f"{name}_{axis}", component(entries, i)) for i, axis in enumerate("xyz")]
    if len(entries) == 1:
        return [(name, entries[0])]
    suffixes = "0123" if len(entries) == 4 else "xyz"
    return [
        (f"{name}_{suffix}", entry) for suffix, entry in zip(suffixes, entries, strict=True)
    ]
