"""All channels of a machine, from its scene and balance: what a result can show."""

from bellcrank.formulations.arithmetic import Matrix, Scalar, add, apply
from bellcrank.formulations.balance import Balance
from bellcrank.model.names import Channel, channels


def observation(balance: Balance) -> dict[str, list[Scalar]]:
    """Return the scalars of every channel, by name."""
    scene = balance.scene
    model = scene.model
    values: dict[str, list[Scalar]] = {}
    for joint in model.joints:
        for level in ("coordinates", "speeds", "accelerations"):
            entries = scene.joint_values(joint.name, level)
            values |= {f"{joint.name}.{name}": scalars for name, scalars in entries.items()}
    for body in balance.bodies.values():
        vectors = {
            "velocity": body.centre.velocity,
            "angular_velocity": body.turning.velocity,
            "acceleration": body.centre.acceleration,
            "angular_acceleration": body.turning.acceleration,
        }
        R_BW = _to_body(scene.attitude(body.name))
        values[f"{body.name}.position"] = body.centre.position
        values[f"{body.name}.orientation"] = scene.attitude(body.name)
        values |= {f"{body.name}.{name}": vector for name, vector in vectors.items()}
        values |= {f"{body.name}.{name}_body": apply(R_BW, v) for name, v in vectors.items()}
    for point in model.points:
        moving = scene.point(point.body, [scene.number(entry) for entry in point.at])
        values |= {f"{point.name}.{name}": v for name, v in moving._asdict().items()}
    for name, (force, torque) in balance.reactions().items():
        values |= {f"{name}.reaction_force": force, f"{name}.reaction_torque": torque}
    for name, part in balance.effects.items():
        values |= {f"{name}.{channel}": entries for channel, entries in part.channels.items()}
    return values | _machine(balance)


def _machine(balance: Balance) -> dict[str, list[Scalar]]:
    kinetic, potential = balance.kinetic(), balance.potential()
    linear, angular = balance.momentum()
    return {
        "kinetic_energy": [kinetic],
        "potential_energy": [potential],
        "energy": [add(kinetic, potential)],
        "linear_momentum": linear,
        "angular_momentum": angular,
        "constraint_residual": [0.0],
        "constraint_rate_residual": [0.0],
    }


def stacked(balance: Balance) -> list[Scalar]:
    """Return the scalars of all channels one after the other, in the order of `channels`."""
    values = observation(balance)
    return [
        scalar for channel in channels(balance.scene.model) for scalar in _of(channel, values)
    ]


def _of(channel: Channel, values: dict[str, list[Scalar]]) -> list[Scalar]:
    scalars = values[channel.name]
    assert len(scalars) == channel.size, channel
    return scalars


def _to_body(e: list[Scalar]) -> Matrix:
    """Return R_BW of unit Euler parameters."""
    e0, x, y, z = e
    return [
        [1 - 2 * (y * y + z * z), 2 * (x * y + e0 * z), 2 * (x * z - e0 * y)],
        [2 * (x * y - e0 * z), 1 - 2 * (x * x + z * z), 2 * (y * z + e0 * x)],
        [2 * (x * z + e0 * y), 2 * (y * z - e0 * x), 1 - 2 * (x * x + y * y)],
    ]
