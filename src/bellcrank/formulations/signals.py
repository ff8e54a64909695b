"""Names of signals as scalars of a scene: what an expression may read."""

from bellcrank.errors import UnknownName
from bellcrank.formulations.forces import spring_line
from bellcrank.formulations.scene import Scene
from bellcrank.model import (
    Body,
    Distance,
    Joint,
    Particle,
    Point,
    SpringDamper,
    mass_properties,
)
from bellcrank.spatial.arithmetic import Scalar
from bellcrank.spatial.letters import Letters, component

_AXES = {"x": 0, "y": 1, "z": 2}


def signal(scene: Scene, name: str) -> Scalar:
    """Return the scalar of a signal such as `A.angle_rate` or `tip.position_x`.

    Raises:
        UnknownName: No such element, or it has no such signal at velocity level.
    """
    owner, _, quantity = name.rpartition(".")
    if owner not in scene.model.names:
        raise UnknownName("signal", name, scene.model.names)
    element = scene.model[owner]
    values: dict[str, list[Scalar]] = {}
    if isinstance(element, Joint):
        values = scene.joint_values(owner, "coordinates") | scene.joint_values(owner, "speeds")
    elif isinstance(element, Point):
        moving = scene.point(element.body, [scene.number(entry) for entry in element.at])
        values = {"position": moving.position, "velocity": moving.velocity}
    elif isinstance(element, Body | Particle):
        com = mass_properties(element).com
        moving = scene.point(owner, [scene.number(entry) for entry in com])
        values = {
            "position": moving.position,
            "velocity": moving.velocity,
            "orientation": scene.attitude(owner),
            "angular_velocity": scene.turning(owner).velocity,
        }
    elif isinstance(element, SpringDamper | Distance):
        _, length, rate = spring_line(element, scene)
        values = {"length": [length], "length_rate": [rate]}
    scalars = {
        name: scalar for key, entries in values.items() for name, scalar in _split(key, entries)
    }
    if quantity not in scalars:
        raise UnknownName(f"signal of '{owner}'", quantity, scalars)
    return scalars[quantity]


def _split(name: str, entries: list[Scalar]) -> list[tuple[str, Scalar]]:
    """Return the names of the components with their scalars."""
    if isinstance(entries, Letters):
        return [(f"{name}_{axis}", component(entries, i)) for i, axis in enumerate("xyz")]
    if len(entries) == 1:
        return [(name, entries[0])]
    suffixes = "0123" if len(entries) == 4 else "xyz"
    return [
        (f"{name}_{suffix}", entry) for suffix, entry in zip(suffixes, entries, strict=True)
    ]
