"""Machines held by constraints, seen in body space by any formulation, without compiling."""

from typing import Any

import numpy as np
from tests.formulations.test_reactions import carried

import bellcrank as bc
from bellcrank.analysis.verify.body_space import embedded_states
from bellcrank.analysis.verify.reference import Reference, reference
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.system import System
from bellcrank.model import mass_properties

SCHOOLS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())

Seen = dict[str, np.ndarray]


def at(model: bc.Model, start: dict[str, Any], t: float = 0.0) -> Reference:
    """Return one state of a machine; the start must obey its constraints."""
    system = System(bc.equations(model), build=interpret)
    q, u = system.pack(start)
    p = np.array(list(system.parameters.values()))
    one = [np.array([t]), q, u, np.zeros(0), np.zeros(0), p]
    one.append(system.modes(one))
    return reference(system, [part if i == 5 else part[None] for i, part in enumerate(one)])


def seen(model: bc.Model, there: Reference, formulation: Any) -> Seen:
    """Return all channels at the first state, as a formulation has them."""
    system = System(bc.equations(model, formulation), build=interpret)
    own = isinstance(formulation, bc.JointCoordinates)
    arguments = there.arguments if own else embedded_states(system, there.states)
    ud = system.rates(arguments)
    found = system.observe_arguments(arguments, ud) | system.reactions(arguments, ud)
    return {name: value[0] for name, value in found.items()}


def place(model: bc.Model, here: Seen, body: str, point: Any) -> np.ndarray:
    """Return where a point of a body, given in the drawing, is now."""
    if body == "ground":
        return np.array(point)
    com = np.array(mass_properties(model[body]).com)
    return here[f"{body}.position"] + carried(model, here, body, np.array(point) - com)


class Wrenches:
    """Sums of forces and of torques about mass centres, body by body.

    Attributes:
        sums: Torque and force on each body, shape (6,).
    """

    def __init__(self, model: bc.Model, here: Seen) -> None:
        self.model, self.here = model, here
        self.sums = {body.name: np.zeros(6) for body in model.bodies}

    def push(self, body: str, force: Any, where: Any, torque: Any = (0, 0, 0)) -> None:
        """Add a force at a point of the world, and a torque."""
        if body != "ground":
            arm = np.asarray(where) - self.here[f"{body}.position"]
            self.sums[body][:3] += np.cross(arm, force) + np.asarray(torque)
            self.sums[body][3:] += force

    def pair(self, first: str, second: str, force: Any, where: Any, torque: Any) -> None:
        """Add a wrench on the second body, and the opposite at the same place on the first."""
        self.push(second, force, where, torque)
        self.push(first, -np.asarray(force), where, -np.asarray(torque))

    def along(self, joint: Any, coordinate: str, effort: float) -> None:
        """Add what a motor of a hinge or a slide would do."""
        axis = effort * carried(self.model, self.here, joint.first, joint.axis_first)
        zero = np.zeros(3)
        force, torque = (zero, axis) if coordinate == "angle" else (axis, zero)
        where = place(self.model, self.here, joint.second, joint.at_second)
        self.pair(joint.first, joint.second, force, where, torque)

    def joints(self) -> None:
        """Add the reactions of all joints."""
        for joint in self.model.joints:
            force, torque = (
                self.here[f"{joint.name}.reaction_{w}"] for w in ("force", "torque")
            )
            where = place(self.model, self.here, joint.second, joint.at_second)
            self.pair(joint.first, joint.second, force, where, torque)

    def constraint(self, tie: Any) -> None:
        """Add what a constraint does, by the words of its docstring alone."""
        model, here, zero, name = self.model, self.here, np.zeros(3), tie.name
        match tie:
            case bc.Distance():
                (one, p1), (two, p2) = (model.end(e) for e in (tie.first, tie.second))
                p1, p2 = place(model, here, one, p1), place(model, here, two, p2)
                pull = here[f"{name}.force"] * (p2 - p1) / np.linalg.norm(p2 - p1)
                self.push(two, -pull, p2)
                self.push(one, pull, p1)
            case bc.PointOnLine() | bc.PointOnPlane():
                body, point = model.end(tie.point)
                axis = carried(model, here, tie.body, np.array(tie.axis))
                force = here[f"{name}.force"]
                force = force * axis if isinstance(tie, bc.PointOnPlane) else force
                self.pair(tie.body, body, force, place(model, here, body, point), zero)
            case bc.Parallel() | bc.Perpendicular():
                self.pair(tie.first, tie.second, zero, zero, here[f"{name}.torque"])
            case bc.RollingDisc():
                axle = carried(model, here, tie.body, np.array(tie.axis))
                normal = carried(model, here, tie.surface, np.array(tie.normal))
                down = -normal + (normal @ axle) * axle
                centre = place(model, here, tie.body, tie.center)
                contact = centre + tie.radius * down / np.linalg.norm(down)
                self.pair(tie.surface, tie.body, here[f"{name}.force"], contact, zero)
            case bc.Gear():
                effort = here[f"{name}.effort"]
                self.along(model[tie.second], "angle", effort)
                self.along(model[tie.first], "angle", -tie.ratio * effort)
            case bc.RackAndPinion():
                effort = here[f"{name}.effort"]
                self.along(model[tie.rack], "offset", effort)
                self.along(model[tie.pinion], "angle", -tie.radius * effort)


def needed(model: bc.Model, here: Seen) -> dict[str, np.ndarray]:
    """Return the torque and the force that the motion of each body needs, shape (6,)."""
    found = {}
    for body in model.bodies:
        one = mass_properties(body)
        turned = np.array([carried(model, here, body.name, axis) for axis in np.eye(3)]).T
        J = turned @ np.array(one.inertia, dtype=float) @ turned.T
        w, alpha = (
            here[f"{body.name}.angular_{what}"] for what in ("velocity", "acceleration")
        )
        torque = J @ alpha + np.cross(w, J @ w)
        found[body.name] = np.array([*torque, *one.mass * here[f"{body.name}.acceleration"]])
    return found
