"""What follows from bodies and forces in body space: wrenches, energies, momentum, reactions.

Written once for every formulation, against `Scene` alone.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from bellcrank.formulations.body_space import fields as _fields  # noqa: F401  # its effects
from bellcrank.formulations.body_space.forces import Effect, effect
from bellcrank.formulations.body_space.scene import Moving, Scene, Turning
from bellcrank.formulations.body_space.triads import joint_triads
from bellcrank.model import (
    Force,
    ForceElement,
    Joint,
    JointSpring,
    Motor,
    SpringDamper,
    Torque,
    components,
    mass_properties,
)
from bellcrank.spatial.arithmetic import (
    ORIGIN,
    Entries,
    Matrix,
    Scalar,
    Vector,
    apply,
    congruent,
    cross,
    dot,
    full,
    minus,
    mul,
    neg,
    plus,
    scaled,
    symmetric,
    total,
    transpose,
)


@dataclass(frozen=True, slots=True)
class Heavy:
    """A body: mass [kg], inertia about its centre along world axes [kg m²], and motion.

    `own` is the inertia without what was made up to hold a spin, where there is any.
    """

    name: str
    m: Scalar
    J: Vector
    centre: Moving
    turning: Turning
    own: Entries | None = None

    def momentum(self) -> tuple[Vector, Vector]:
        """Return (m v, J ω)."""
        J = full(self.J if self.own is None else self.own)
        return scaled(self.m, self.centre.velocity), apply(J, self.turning.velocity)

    def released(self) -> Vector | None:
        """Return ω × K ω, which takes off what made-up inertia turns with the body."""
        if self.own is None:
            return None
        w = self.turning.velocity
        return cross(w, apply(full(minus(self.J, self.own)), w))

    def needed(self) -> tuple[Vector, Vector]:
        """Return the force m a and the torque J α + ω × J ω its motion needs."""
        w = self.turning.velocity
        spin = apply(full(self.J), w)
        torque = plus(apply(full(self.J), self.turning.acceleration), cross(w, spin))
        return scaled(self.m, self.centre.acceleration), torque


class Balance:
    """The machine's forces, energies and reactions in a scene.

    Attributes:
        scene: Where the bodies are.
        gravity: Of the world [m/s²].
    """

    def __init__(self, scene: Scene) -> None:
        self.scene = scene
        self.gravity = [scene.number(entry) for entry in scene.model.gravity]
        self._known: dict[str, Effect] = {}

    @cached_property
    def effects(self) -> dict[str, Effect]:
        """What each force element does, by name."""
        return {element.name: self._effect(element) for element in self.scene.model.forces}

    def _effect(self, element: ForceElement) -> Effect:
        if element.name not in self._known:
            self._known[element.name] = effect(element, self.scene)
        return self._known[element.name]

    @cached_property
    def bodies(self) -> dict[str, Heavy]:
        """All bodies, by name."""
        found = {}
        for body in self.scene.model.bodies:
            properties = mass_properties(body)
            at = [self.scene.number(entry) for entry in properties.com]
            D = transpose([self.scene.carried(body.name, axis) for axis in _WORLD])
            own = None if properties.own is None else self._along_world(D, properties.own)
            found[body.name] = Heavy(
                body.name,
                self.scene.number(properties.mass),
                self._along_world(D, properties.inertia),
                self.scene.point(body.name, at),
                self.scene.turning(body.name),
                own,
            )
        return found

    def _along_world(self, D: Matrix, inertia: Any) -> Entries:
        rows = [[self.scene.number(entry) for entry in row] for row in inertia]
        return congruent(D, symmetric(rows))

    @cached_property
    def released(self) -> dict[str, Vector]:
        """The torques that take off what made-up inertia turns with bodies; see `Heavy`."""
        found = {name: body.released() for name, body in self.bodies.items()}
        return {name: torque for name, torque in found.items() if torque is not None}

    def pushes(self, joints: Collection[str] = ()) -> dict[str, tuple[Vector, Vector]]:
        """Return force and torque about the mass centre of what pushes bodies, without weight.

        Args:
            joints: Joints whose motors and springs are in it, as wrenches on two bodies.
        """
        sums: dict[str, tuple[Vector, Vector]] = {}
        for part in self.effects.values():
            self._add_pushes(sums, part)
            for joint, coordinate, effort in part.efforts:
                if joint in joints:
                    self._add_effort(sums, joint, coordinate, effort)
        for body, released in self.released.items():
            force, torque = sums.get(body, (ORIGIN, ORIGIN))
            sums[body] = force, plus(torque, released)
        return sums

    def _add_pushes(self, sums: dict[str, tuple[Vector, Vector]], part: Effect) -> None:
        """Add what an element does to bodies directly."""
        for push in part.pushes:
            if push.body == "ground":
                continue
            force, torque = sums.get(push.body, (ORIGIN, ORIGIN))
            arm = minus(push.at, self.bodies[push.body].centre.position)
            moment = plus(push.torque, cross(arm, push.force))
            sums[push.body] = plus(force, push.force), plus(torque, moment)

    def of_element(self, name: str) -> dict[str, tuple[Vector, Vector]]:
        """Return force and torque about the mass centre of one element, by body."""
        sums: dict[str, tuple[Vector, Vector]] = {}
        self._add_pushes(sums, self.effects[name])
        for joint, coordinate, effort in self.effects[name].efforts:
            self._add_effort(sums, joint, coordinate, effort)
        return sums

    @cached_property
    def applied(self) -> dict[str, tuple[Vector, Vector]]:
        """Force and torque about the mass centre of everything applied, per body."""
        sums = dict(self.pushes())
        for name, body in self.bodies.items():
            force, torque = sums.get(name, (ORIGIN, ORIGIN))
            sums[name] = plus(force, scaled(body.m, self.gravity)), torque
        for part in self.effects.values():
            for joint, coordinate, effort in part.efforts:
                self._add_effort(sums, joint, coordinate, effort)
        return sums

    def _add_effort(
        self, sums: dict[str, tuple[Vector, Vector]], name: str, coordinate: str, effort: Scalar
    ) -> None:
        """Add an effort along a joint coordinate as a wrench pair on the joint's two bodies."""
        joint = self.scene.model[name]
        assert isinstance(joint, Joint)
        turn, direction = coordinate_axis(self.scene, joint, coordinate)
        vector = scaled(effort, direction)
        at = self.joint_point(joint).position
        for body, sign in ((joint.second, 1.0), (joint.first, -1.0)):
            if body == "ground":
                continue
            force, torque = sums.get(body, (ORIGIN, ORIGIN))
            part = scaled(sign, vector)
            if turn:
                sums[body] = force, plus(torque, part)
            else:
                arm = minus(at, self.bodies[body].centre.position)
                sums[body] = plus(force, part), plus(torque, cross(arm, part))

    def joint_point(self, joint: Joint) -> Moving:
        """Return the joint's point on its second body."""
        return self.scene.point(joint.second, [self.scene.number(e) for e in joint.at_second])

    def kinetic(self) -> Scalar:
        """Return T = Σ ½ (m v·v + ω·J ω) [J]."""
        terms = []
        for body in self.bodies.values():
            linear, angular = body.momentum()
            terms += [dot(linear, body.centre.velocity), dot(angular, body.turning.velocity)]
        return mul(0.5, total(terms))

    def potential(self) -> Scalar:
        """Return V = −Σ m g·r + Σ of the springs [J]; laws store none, and are not asked."""
        weights = [
            neg(mul(body.m, dot(self.gravity, body.centre.position)))
            for body in self.bodies.values()
        ]
        return total([*weights, *(part.potential for part in self._storing)])

    @cached_property
    def _storing(self) -> list[Effect]:
        """Effects of the forces that may store energy, without laws that add to them."""
        found = []
        for each in self.scene.model.forces:
            if isinstance(each, SpringDamper | JointSpring) and each.law is not None:
                found.append(effect(replace(each, law=None), self.scene))
            elif not isinstance(each, Motor | Force | Torque):
                found.append(self._effect(each))
        return found

    def momentum(self) -> tuple[Vector, Vector]:
        """Return linear and angular momentum about the origin."""
        linear, angular = ORIGIN, ORIGIN
        for body in self.bodies.values():
            P, H = body.momentum()
            linear = plus(linear, P)
            angular = plus(angular, H, cross(body.centre.position, P))
        return linear, angular

    def reactions(self) -> dict[str, tuple[Vector, Vector]]:
        """Return force and torque on the second body at the joint's point, for a tree.

        Going inwards, what a joint carries is what the motion of everything outside of it
        needs, less what is applied there.
        """
        graph = self.scene.model.graph
        carried: dict[str, tuple[Vector, Vector]] = {}
        reactions = {}
        for number in range(len(graph.order) - 1, -1, -1):
            body, lower = graph.order[number], graph.lower[number]
            force, moment = self._lacking(body)
            outer_force, outer_moment = carried.get(body, (ORIGIN, ORIGIN))
            force, moment = plus(force, outer_force), plus(moment, outer_moment)
            joint = self.scene.model[graph.tree_joint[number]]
            assert isinstance(joint, Joint)
            sign = -1.0 if graph.reversed[number] else 1.0
            at = self.joint_point(joint).position
            torque = minus(moment, cross(at, force))
            reactions[joint.name] = scaled(sign, force), scaled(sign, torque)
            if lower:
                inner = graph.order[lower - 1]
                before = carried.get(inner, (ORIGIN, ORIGIN))
                carried[inner] = plus(before[0], force), plus(before[1], moment)
        return reactions

    def _lacking(self, body: str) -> tuple[Vector, Vector]:
        """Return force and moment about the origin that are left to a body's joints."""
        force, torque = self.bodies[body].needed()
        applied_force, applied_torque = self.applied[body]
        force, torque = minus(force, applied_force), minus(torque, applied_torque)
        return force, plus(torque, cross(self.bodies[body].centre.position, force))


def coordinate_axis(scene: Scene, joint: Joint, coordinate: str) -> tuple[bool, Vector]:
    """Return whether a coordinate turns, and the world direction of the wrench of its effort.

    The wrench on the second body is a torque for an angle, a force at the joint's point for an
    offset. Two pins stay perpendicular, so each effort is a torque about its own pin.
    """
    rotations = joint.mobility.rotations
    for motion in joint.mobility.motions:
        if motion.coordinate == coordinate:
            outer = len(rotations) == 2 and motion is rotations[1]
            triad = joint_triads(joint, scene.number)[outer]
            carrier = joint.second if outer else joint.first
            return motion.turns, scene.carried(carrier, triad[motion.number])
        if coordinate in components(motion.coordinate, 3) and not motion.turns:
            axes = transpose(_axes_of(scene, joint.first))
            return False, scene.carried(joint.first, axes["xyz".index(coordinate[-1])])
    raise TypeError(f"{joint!r} has no scalar coordinate {coordinate!r}")


def _axes_of(scene: Scene, body: str) -> list[Vector]:
    pose = getattr(scene.model[body], "pose", None) if body != "ground" else None
    if pose is None:
        return [list(axis) for axis in _WORLD]
    return [[scene.number(entry) for entry in row] for row in pose.rotation]


_WORLD = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])
