"""All channels of a machine, from its scene and balance: what a result can show."""

from collections.abc import Sequence
from typing import Any

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.model import Constraint, Distance, Drive
from bellcrank.model.expressions import Signal
from bellcrank.model.names import Channel, channels
from bellcrank.spatial.arithmetic import Scalar, Vector, add, apply
from bellcrank.spatial.attitudes import to_body


def observation(balance: Balance, residuals: tuple[Scalar, Scalar]) -> dict[str, Vector]:
    """Return the scalars of every channel, by name.

    Reactions, what constraints do, and efforts of drivers of a machine with constraints are
    left at zero: they come from the `reactions` slot.
    """
    scene = balance.scene
    model = scene.model
    values: dict[str, Vector] = {}
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
        R_BW = to_body(scene.attitude(body.name))
        values[f"{body.name}.position"] = body.centre.position
        values[f"{body.name}.orientation"] = scene.attitude(body.name)
        values |= {f"{body.name}.{name}": vector for name, vector in vectors.items()}
        values |= {f"{body.name}.{name}_body": apply(R_BW, v) for name, v in vectors.items()}
    for point in model.points:
        moving = scene.point(point.body, [scene.number(entry) for entry in point.at])
        values |= {f"{point.name}.{name}": v for name, v in moving._asdict().items()}
    for name, (force, torque) in _reactions(balance).items():
        values |= {f"{name}.reaction_force": force, f"{name}.reaction_torque": torque}
    for channel in channels(model):
        if isinstance(model[channel.owner] if channel.owner else None, Drive | Constraint):
            values[channel.name] = [0.0] * channel.size
    for one in model.constraints:
        if isinstance(one, Distance) and one.driven(model):
            for name in ("length", "length_rate"):
                values[f"{one.name}.{name}"] = [scene.number(Signal(f"{one.name}.{name}"))]
    for each in model.variables:
        values[each.name] = [scene.number(Signal(each.name))]
        values[f"{each.name}.rate"] = [scene.number(each.rate)]
    for name, part in balance.effects.items():
        values |= {f"{name}.{channel}": entries for channel, entries in part.channels.items()}
    return values | _machine(balance, residuals)


def _reactions(balance: Balance) -> dict[str, tuple[Vector, Vector]]:
    model = balance.scene.model
    if not (model.graph.loops or model.constraints or model.drivers):
        return balance.reactions()
    zero = [0.0, 0.0, 0.0]
    return {joint.name: (zero, zero) for joint in model.joints}


def _machine(balance: Balance, residuals: tuple[Scalar, Scalar]) -> dict[str, Vector]:
    kinetic, potential = balance.kinetic(), balance.potential()
    linear, angular = balance.momentum()
    return {
        "kinetic_energy": [kinetic],
        "potential_energy": [potential],
        "energy": [add(kinetic, potential)],
        "linear_momentum": linear,
        "angular_momentum": angular,
        "constraint_residual": [residuals[0]],
        "constraint_rate_residual": [residuals[1]],
    }


def stacked(balance: Balance, residuals: tuple[Scalar, Scalar] = (0.0, 0.0)) -> Vector:
    """Return the scalars of all channels one after the other, in the order of `channels`."""
    values = observation(balance, residuals)
    return [
        scalar for channel in channels(balance.scene.model) for scalar in _of(channel, values)
    ]


def _of(channel: Channel, values: dict[str, Vector]) -> Vector:
    scalars = values[channel.name]
    assert len(scalars) == channel.size, channel
    return scalars


def picked(function: Any, places: Sequence[int]) -> Any:
    """Return the CasADi function that gives some entries of what `observe` gives."""
    import casadi as ca

    given = [ca.SX.sym(name, function.size1_in(name)) for name in function.name_in()]
    y = function.call(given)[0]
    outputs = [ca.densify(y[list(places)])]
    return ca.Function("seen", given, outputs, function.name_in(), ["y"])
