"""What the momentum form cannot do, by name: needs no CasADi."""

from typing import Any

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.plane import planar_rows
from bellcrank.model import (
    Joint,
    Model,
    Point,
    Relation,
    Rope,
    VelocityConstraint,
)
from bellcrank.model.expressions import signals
from bellcrank.model.names import SIZES

SECOND_ORDER = "Natural() has the second-order equations, which take all of this."


def refuse_acted_on(model: Model) -> None:
    """Raise where something outside the machine acts on it, or its motion is not determined.

    Raises:
        NotSupported: Everything at once, by name.
    """
    complaints = _gravity(model)
    for joint in model.joints:
        if "ground" in (joint.first, joint.second) and not _floating(model, joint):
            complaints.append(f"joint '{joint.name}' holds it to the ground.")
    complaints += [f"{what} acts from outside." for what in _pushed(model)]
    complaints += [f"{what} holds it to the ground." for what in _held(model)]
    floats = [joint.name for joint in model.joints if _floating(model, joint)]
    if len(floats) > 1:
        names = ", ".join(map(repr, floats))
        complaints.append(
            f"{names} are several machines, whose momenta would have to be given one by one."
        )
    if complaints:
        raise NotSupported(
            f"Momentum is for machines whose momentum nothing changes; '{model.name}' is none: "
            f"{' '.join(complaints)} {SECOND_ORDER}"
        )
    _refuse_open(model)


def _floating(model: Model, joint: Joint) -> bool:
    """Return whether a joint lets a body float freely in space, or in a planar machine."""
    free = joint.mobility.free or (model.planar and not planar_rows(joint))
    return free and "ground" in (joint.first, joint.second)


def inner_joints(model: Model) -> tuple[Joint, ...]:
    """Return the joints between bodies of the machine."""
    return tuple(j for j in model.joints if "ground" not in (j.first, j.second))


def _gravity(model: Model) -> list[str]:
    if all(isinstance(entry, float) and entry == 0.0 for entry in model.gravity):
        return []
    return ["gravity pulls at it; give gravity=(0, 0, 0)."]


def _pushed(model: Model) -> list[str]:
    found = []
    inner = {joint.name for joint in inner_joints(model)}
    for force in model.forces:
        joints = [getattr(force, field) for field in force.JOINTS]
        ends = [model.end(getattr(force, field))[0] for field in force.ENDS]
        between = bool(joints or ends) and not force.BODIES
        if not between or not inner.issuperset(joints) or "ground" in ends:
            found.append(f"{type(force).__name__} '{force.name}'")
    return found


def _held(model: Model) -> list[str]:
    """Return constraints and drivers that have to do with the ground."""
    inner = {joint.name for joint in inner_joints(model)}
    found = [
        f"constraint '{constraint.name}'"
        for constraint in model.constraints
        if not _inside(model, constraint, inner)
    ]
    for driver in model.drivers:
        element = model[driver.of]
        inside = driver.of in inner
        if isinstance(element, Point):
            inside = element.body != "ground"
        if not inside:
            found.append(f"driver '{driver.name}'")
    return found


def _inside(model: Model, constraint: Any, inner: set[str]) -> bool:
    """Return whether a constraint is between bodies of the machine alone."""
    if constraint.JOINTS:
        return all(getattr(constraint, field) in inner for field in constraint.JOINTS)
    if isinstance(constraint, Relation):
        return all(name.rpartition(".")[0] in inner for name in signals(constraint.zero))
    if isinstance(constraint, Rope):
        return all(model[name].body != "ground" for name in constraint.points)
    if isinstance(constraint, VelocityConstraint):
        return all(name.rpartition(".")[0] in inner for name, _ in constraint.terms)
    for field in ("first", "second", "point", "body", "surface"):
        value = getattr(constraint, field, None)
        if isinstance(value, tuple) or (isinstance(value, str) and value in model.names):
            body = value if isinstance(value, str) else model.end(value)[0]
            element = model[body] if body in model.names else None
            body = element.body if isinstance(element, Point) else body
            if body == "ground":
                return False
        elif value == "ground":
            return False
    return True


def _refuse_open(model: Model) -> None:
    """Raise where a tree has more or fewer freedoms than drivers."""
    if model.graph.loops or model.constraints:
        return  # what loops leave open is found on the equations themselves
    coordinates = [
        f"{joint.name}.{name}" for joint in inner_joints(model) for name in joint.coordinates
    ]
    count = sum(SIZES.get(s, 1) for joint in inner_joints(model) for s in joint.speeds)
    driven = [f"{d.of}.{name}" for d in model.drivers for name, _ in d.motion]
    if count == len(driven):
        return
    raise NotSupported(open_text(model, coordinates, driven, count - len(driven)))


def open_text(model: Model, coordinates: list[str], driven: list[str], missing: int) -> str:
    """Return the sentences on a machine whose joints are not all driven, or driven twice."""
    if missing < 0:
        return (
            f"Momentum: '{model.name}' has {-missing} driver"
            f"{'s' * (missing < -1)} more than freedoms of its joints. Take away as many."
        )
    idle = [name for name in coordinates if name not in driven]
    names = ", ".join(map(repr, idle[:6])) + (", …" if len(idle) > 6 else "")
    return (
        f"Momentum: the joints of '{model.name}' are free to move in {missing} way"
        f"{'s' * (missing > 1)} that nothing drives, among {names}. Constant momentum "
        "determines the motion only where all joint rates or as many coordinates of a Point "
        "are prescribed: add a Drive for each. Free or torque-driven joints need second-order "
        "equations: take Natural()."
    )
