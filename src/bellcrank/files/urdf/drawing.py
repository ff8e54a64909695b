"""A robot as a model: a link is a body, a joint is a joint, drawn where coordinates are zero.

Frames of bodies are those of the links, so that orientations in results are those that URDF
speaks of; a position in results is that of a mass centre.
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

from bellcrank.errors import ModelError
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.joints import TURNING, UrdfJoint
from bellcrank.files.urdf.links import UrdfLink
from bellcrank.files.urdf.mimic import JointStand, coupling, stands
from bellcrank.files.urdf.names import Names
from bellcrank.files.urdf.paths import MeshFolders
from bellcrank.files.urdf.pictures import Pictures
from bellcrank.files.urdf.robot import Robot
from bellcrank.model.elements.bodies import Body
from bellcrank.model.elements.constraints import Gear, RackAndPinion
from bellcrank.model.elements.forces import JointSpring
from bellcrank.model.elements.joints import (
    Fixed,
    Free,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    first_in_plane,
)
from bellcrank.model.graph import GROUND
from bellcrank.model.matter.mass import inadmissible
from bellcrank.model.model import Model
from bellcrank.model.pose import STRAIGHT, Pose
from bellcrank.spatial.arithmetic import ORIGIN, scaled
from bellcrank.spatial.attitudes import rotation

ROOT_JOINT = "root_joint"
_OWNER = re.compile(r"^\w+ (['\"])(?P<name>.*?)\1(:| )")


class Drawing:
    """A robot on its way to becoming a model.

    Attributes:
        robot: What the file describes.
        given: The names that are given so far.
        joints, links: Names in the model, by those in the file.
        stands: Where every joint stands in the drawing.
        poses: Of every link in the drawing.
        lines: Where each element of the model stands in the file.
    """

    def __init__(self, robot: Robot, folders: MeshFolders, findings: Findings) -> None:
        self.robot, self.findings = robot, findings
        self.pictures = Pictures(folders, findings)
        self.given = Names()
        self.joints = {name: self.given.give(name, "joint") for name in robot.ties}
        self.links = {name: self.given.give(name, "link") for name in robot.links}
        self.stands = stands(robot.ties, findings)
        self.poses = poses(robot, self.stands)
        self.lines: dict[str, int] = {}

    def model(self, floating: bool) -> Model:
        """Return the model.

        Raises:
            FileError: With everything that is wrong, each with its line.
        """
        ties = sorted(self.robot.ties.values(), key=lambda tie: tie.line)
        bodies = [self._made(self._body, link) for link in self.robot.links.values()]
        joints = [self._made(self._joint, tie) for tie in ties]
        gears = [self._made(self._gear, tie) for tie in ties if self.stands[tie.name].leader]
        springs = [self._made(self._spring, tie) for tie in ties if tie.damping or tie.friction]
        root = self.given.free(ROOT_JOINT, "joint")
        base = (Free if floating else Fixed)(root, GROUND, self.links[self.robot.root])
        self.findings.close()
        self._remark()
        try:
            return Model(
                self.robot.name,
                bodies=bodies,
                joints=[base, *joints],
                constraints=gears,
                forces=[spring for spring in springs if spring is not None],
            )
        except ModelError as error:
            self._complain(error, 1)
            self.findings.close()
            raise

    def _made(self, make: Callable[[Any], Any], source: UrdfLink | UrdfJoint) -> Any:
        """Return what is made of a part of the file; None with complaints if it cannot be."""
        try:
            element = make(source)
        except ModelError as error:
            self._complain(error, source.line)
            return None
        if element is not None:
            self.lines[element.name] = source.line
        return element

    def _complain(self, error: ModelError, line: int) -> None:
        for sentence in error.complaints:
            owner = _OWNER.match(sentence)
            self.findings.complain(
                self.lines.get(owner["name"], line) if owner else line, sentence
            )

    def _body(self, link: UrdfLink) -> Body:
        pose = self.poses[link.name]
        fault = inadmissible(link.inertia)
        if fault and link.mass:
            said = "no rigid body has such an inertia; it is taken as given."
            self.findings.remark(link.line, f"link {link.name!r}", said)
        return Body(
            self.links[link.name],
            shapes=self.pictures.of(link, pose),
            mass=link.mass,
            com=pose.point(link.com),
            inertia=link.inertia,
            pose=pose,
            as_given=bool(fault) or link.mass == 0.0,
        )

    def _joint(self, tie: UrdfJoint) -> Joint:
        name = self.joints[tie.name]
        ends = self.links[tie.parent], self.links[tie.child]
        stand = self.stands[tie.name]
        frame = self.poses[tie.parent] @ tie.pose
        at, axis = frame.position, frame.vector(tie.axis)
        if stand.stuck:
            return Fixed(name, *ends, at=at)
        if tie.kind in TURNING:
            return Revolute(name, *ends, at, axis, stand.value, tie.limits)
        if tie.kind == "prismatic":
            return Prismatic(name, *ends, at, axis, stand.value, tie.limits)
        if tie.kind == "planar":
            along = frame.vector(first_in_plane(tie.axis))
            return Planar(name, *ends, at=at, axis=axis, along=along)
        return Free(name, *ends, at=at)

    def _gear(self, tie: UrdfJoint) -> Gear | RackAndPinion:
        leader = self.robot.ties[self.stands[tie.name].leader]
        name = self.given.free(f"{self.joints[tie.name]}_mimic", "gear")
        return coupling(name, tie, leader, self.joints)

    def _spring(self, tie: UrdfJoint) -> JointSpring | None:
        if self.stands[tie.name].stuck:
            return None
        name = self.given.free(f"{self.joints[tie.name]}_friction", "force")
        joint = self.joints[tie.name]
        return JointSpring(name, joint, damping=tie.damping, friction=tie.friction)

    def _remark(self) -> None:
        """Remark on names that are changed, all of them, and on joints that carry nothing."""
        if changed := self.given.changed:
            listed = ", ".join(f"{kind} {old!r} is {new!r}" for kind, old, new in changed)
            self.findings.remark(
                1, listed, "names that no model can have, or that were taken, are changed."
            )
        for name in unloaded(self.robot, self.stands):
            said = (
                "nothing that has mass hangs on it, so that its motion cannot be computed; "
                "give its link mass, or weld the joint."
            )
            self.findings.remark(self.robot.ties[name].line, f"joint {name!r}", said)


def poses(robot: Robot, standing: Mapping[str, JointStand]) -> dict[str, Pose]:
    """Return the pose of every link in the drawing."""
    found = {robot.root: STRAIGHT}
    for name, tie in robot.ties.items():
        found[tie.child] = found[tie.parent] @ tie.pose
        if value := standing[name].value:
            found[tie.child] = found[tie.child] @ moved(tie, value)
    return found


def moved(tie: UrdfJoint, value: float) -> Pose:
    """Return the pose of a child in its joint's frame, for a value of its coordinate."""
    axis = tie.axis
    if tie.kind not in TURNING:
        return Pose(scaled(value, axis))
    s = math.sin(0.5 * value)
    return Pose(ORIGIN, rotation((math.cos(0.5 * value), *scaled(s, axis))))


def unloaded(robot: Robot, standing: Mapping[str, JointStand]) -> list[str]:
    """Return the joints that move and carry neither mass nor inertia."""
    loaded = {n: bool(k.mass) or any(map(any, k.inertia)) for n, k in robot.links.items()}
    found = []
    for name, tie in reversed(robot.ties.items()):  # from the tips inwards
        if loaded[tie.child]:
            loaded[tie.parent] = True
        elif not standing[name].stuck:
            found.append(name)
    return found[::-1]
