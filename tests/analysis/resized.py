"""Machines drawn in metres and kilograms, rewritten in a length and a mass that are parameters.

Every number is multiplied by the powers of `weight` and `size` that its unit has, times being
seconds as before: machines of any size and weight move alike, and are compiled once.
"""

from dataclasses import fields, replace
from typing import Any

import bellcrank as bc

SIZE, WEIGHT = bc.Parameter("size", 1.0), bc.Parameter("weight", 1.0)
FORCE, TORQUE = WEIGHT * SIZE, WEIGHT * SIZE**2

_LENGTHS = ("at", "com", "position", "length", "pitch", "radius", "center", "start", "end")
_ENDS = {
    bc.SpringDamper: ("first", "second"),
    bc.Bushing: ("first", "second"),
    bc.Distance: ("first", "second"),
    bc.PointOnLine: ("point",),
    bc.PointOnPlane: ("point",),
}
_MORE: dict[type, dict[str, Any]] = {
    bc.Body: {"mass": WEIGHT, "inertia": TORQUE},
    bc.Rod: {"mass": WEIGHT},
    bc.SpringDamper: {"stiffness": WEIGHT, "damping": WEIGHT},
    bc.Force: {"vector": FORCE},
    bc.Torque: {"vector": TORQUE},
}


def resized(model: bc.Model) -> bc.Model:
    """Return a machine with the parameters `size` and `weight`; motors and drives stay."""
    return replace(
        model,
        bodies=[_body(body) for body in model.bodies],
        joints=[_element(joint) for joint in model.joints],
        constraints=[_element(one) for one in model.constraints],
        forces=[_element(force) for force in model.forces],
        points=[_element(point) for point in model.points],
        gravity=_times(SIZE, model.gravity),
        parameters=[*model.parameters, SIZE, WEIGHT],
    )


def _times(unit: Any, value: Any) -> Any:
    """Return a number, or all numbers of a nest of tuples, in another unit."""
    if isinstance(value, tuple):
        return tuple(_times(unit, each) for each in value)
    return value if value is None or isinstance(value, str) else unit * value


def _element(one: Any) -> Any:
    names = {field.name for field in fields(one)}
    units = {name: SIZE for name in _LENGTHS if name in names}
    units |= {name: SIZE for name in _ENDS.get(type(one), ())}
    units |= _MORE.get(type(one), {})
    changed = {name: _times(unit, getattr(one, name)) for name, unit in units.items()}
    if isinstance(one, bc.Bushing):
        for name in ("stiffness", "damping"):
            along = getattr(one, name)
            changed[name] = (*_times(WEIGHT, along[:3]), *_times(TORQUE, along[3:]))
    if isinstance(one, bc.JointSpring):
        changed |= _joint_spring(one)
    return replace(one, **changed)


def _joint_spring(spring: bc.JointSpring) -> dict[str, Any]:
    turns = (spring.coordinate or "angle").startswith("angle")
    unit = TORQUE if turns else WEIGHT
    changed = {name: _times(unit, getattr(spring, name)) for name in ("stiffness", "damping")}
    changed["friction"] = _times(TORQUE if turns else FORCE, spring.friction)
    if not turns:
        changed |= {
            name: _times(SIZE, getattr(spring, name)) for name in ("rest", "friction_speed")
        }
    return changed


def _body(body: bc.Body) -> bc.Body:
    if not body.shapes:
        return replace(_element(body), pose=_element(body.pose))
    return bc.Body(
        body.name, *(_element(shape) for shape in body.shapes), pose=_element(body.pose)
    )
