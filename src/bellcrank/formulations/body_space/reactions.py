"""Reactions in body space, the same for every formulation.

The motion of the bodies needs wrenches; what is applied gives some of them; the joints give the
rest. A unit multiplier of a row gives each body the wrench −(∂Φ̇/∂twist)ᵀ, so that

    G λ = needed − applied        over all rows of all joints, constraints and drivers together.

Where redundant joints leave λ open, the smallest Σ|F|² + |T|²/ℓ² is taken.
"""

from dataclasses import dataclass

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.constraint_forces import forces_per_multiplier
from bellcrank.formulations.body_space.constraints import (
    constraint_rows,
    joint_rows,
    velocity_rows,
)
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Scene, Turning
from bellcrank.formulations.contract.rows import held_multipliers
from bellcrank.formulations.contract.unwrapped import turns_of
from bellcrank.model import Joint, Model
from bellcrank.spatial.arithmetic import Scalar, Vector, cross, minus, plus


class Twisted:
    """A scene whose bodies are where they are, but move with twists of their own.

    Attributes:
        model: The model.
        twists: For each body its angular velocity and the velocity of its mass centre.
    """

    def __init__(self, balance: Balance, twists: dict[str, tuple[Vector, Vector]]) -> None:
        self._scene: Scene = balance.scene
        self._centres = {name: body.centre.position for name, body in balance.bodies.items()}
        self.model: Model = balance.scene.model
        self.twists = twists
        self.number = balance.scene.number
        self.carried = balance.scene.carried
        self.attitude = balance.scene.attitude
        self.turned = balance.scene.turned
        self.turns = turns_of(balance.scene)

    def point(self, body: str, at: Vector) -> Moving:
        """Return where a point is, and its velocity for the body's twist."""
        position = self._scene.point(body, at).position
        zero = [0.0, 0.0, 0.0]
        if body == "ground":
            return Moving(position, zero, zero)
        w, v = self.twists[body]
        arm = minus(position, self._centres[body])
        return Moving(position, plus(v, cross(w, arm)), zero)

    def turning(self, body: str) -> Turning:
        """Return the angular velocity of the body's twist."""
        zero = [0.0, 0.0, 0.0]
        return Turning(zero if body == "ground" else self.twists[body][0], zero)

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return coordinates as they are, and speeds for the bodies' twists."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        if level == "coordinates":
            return self._scene.joint_values(joint, level)
        return measured(self, element, level)


@dataclass(frozen=True)
class Reactions:
    """The balance of all rows in body space.

    Attributes:
        G: Wrenches on bodies (torque about the mass centre, force) of unit multipliers, 6nb×nr.
        b: What the motion needs less what is applied, 6nb.
        R: Force and torque on the second body at the point of each joint, then the scalars of
            what results show of each other constraint, (6nj + nc)×nr.
    """

    G: ca.SX
    b: ca.SX
    R: ca.SX


def reactions(balance: Balance, time: Scalar) -> Reactions:
    """Return the balance of all rows; `balance` has the machine's accelerations."""
    names = list(balance.bodies)
    V = ca.SX.sym("V", 6 * len(names))
    scalars = ca.vertsplit(V)
    twists: dict[str, tuple[Vector, Vector]] = {
        name: (scalars[6 * i : 6 * i + 3], scalars[6 * i + 3 : 6 * i + 6])
        for i, name in enumerate(names)
    }
    scene = Twisted(balance, twists)
    per_joint = [[rate for _, rate in joint_rows(scene, j)] for j in scene.model.joints]
    others = [*(rate for _, rate in constraint_rows(scene, time)), *velocity_rows(scene)]
    rates = [rate for found in per_joint for rate in found] + others
    G = -ca.jacobian(ca.vertcat(*rates), V).T if rates else ca.SX(V.numel(), 0)
    lacking: list[Scalar] = []
    for name in names:
        force, torque = balance.bodies[name].needed()
        applied_force, applied_torque = balance.applied[name]
        lacking += [*minus(torque, applied_torque), *minus(force, applied_force)]
    b = ca.vertcat(*(ca.SX(entry) for entry in lacking))
    R = ca.vertcat(_at_joints(balance, G, names, per_joint), of_constraints(scene, G.shape[1]))
    return Reactions(G, b, R)


def _at_joints(balance: Balance, G: ca.SX, names: list[str], per_joint: list) -> ca.SX:
    """Return force and torque on the second body at the joint's point, per unit multiplier."""
    R = ca.SX(6 * len(per_joint), G.shape[1])
    start = 0
    for i, joint in enumerate(balance.scene.model.joints):
        stop = start + len(per_joint[i])
        side, sign = (joint.second, 1.0) if joint.second != "ground" else (joint.first, -1.0)
        k = 6 * names.index(side)
        at = balance.joint_point(joint).position
        arm = minus(balance.bodies[side].centre.position, at)
        for column in range(start, stop):
            torque = ca.vertsplit(ca.densify(G[k : k + 3, column]))
            force = ca.vertsplit(ca.densify(G[k + 3 : k + 6, column]))
            moment = plus(torque, cross(arm, force))
            for j in range(3):
                R[6 * i + j, column] = sign * force[j]
                R[6 * i + 3 + j, column] = sign * moment[j]
        start = stop
    return R


def of_constraints(scene: Scene, count: int) -> ca.SX:
    """Return what results show of constraints, per unit multiplier, nc×count."""
    parts, places = [], held_multipliers(scene.model)
    for constraint in scene.model.constraints:
        if not constraint.quantities(scene.model):
            continue
        columns = forces_per_multiplier(constraint, scene)
        part = ca.SX(len(columns[0]), count)
        for place, column in zip(places[constraint.name], columns, strict=True):
            part[:, place] = ca.vertcat(*(ca.SX(entry) for entry in column))
        parts.append(part)
    return ca.vertcat(*parts) if parts else ca.SX(0, count)
