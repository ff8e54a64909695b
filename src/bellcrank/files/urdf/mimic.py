"""Joints that follow others: where they stand in the drawing, and what ties them.

q = multiplier · q_leader + offset. Gears and racks count from the drawing, so the drawing is
the configuration in which all joints are zero but those that follow: they stand at their
offsets.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.joints import TURNING, UrdfJoint
from bellcrank.model.elements.constraints import Gear, RackAndPinion


@dataclass(frozen=True)
class JointStand:
    """Where a joint stands in the drawing.

    Attributes:
        value: Its coordinate [rad or m].
        leader: The joint it follows; empty where it is free or cannot move.
        stuck: Whether it cannot move: its multiplier is 0, or what it follows cannot move.
    """

    value: float = 0.0
    leader: str = ""
    stuck: bool = False


def stands(ties: Mapping[str, UrdfJoint], findings: Findings) -> dict[str, JointStand]:
    """Return where every joint stands; a leader that is not there is remarked on."""
    found: dict[str, JointStand] = {}
    for name in ties:
        trail = []
        while name not in found:
            trail.append(name)
            mimic = ties[name].mimic
            if mimic is None or mimic.joint not in ties:
                break
            name = mimic.joint
        for joint in reversed(trail):
            found[joint] = _stand(ties[joint], found, findings)
    return found


def _stand(tie: UrdfJoint, found: Mapping[str, JointStand], findings: Findings) -> JointStand:
    mimic = tie.mimic
    if mimic is None:
        return JointStand(stuck=tie.kind == "fixed")
    if mimic.joint not in found:
        said = "what it mimics is not there, so that it moves freely."
        findings.remark(mimic.line, f"joint {tie.name!r} (mimics {mimic.joint!r})", said)
        return JointStand()
    leader = found[mimic.joint]
    value = mimic.multiplier * leader.value + mimic.offset
    stuck = leader.stuck or mimic.multiplier == 0.0
    return JointStand(value, "" if stuck else mimic.joint, stuck)


def coupling(
    name: str, tie: UrdfJoint, leader: UrdfJoint, names: Mapping[str, str]
) -> Gear | RackAndPinion:
    """Return what makes a joint follow another: a gear, or a rack if one turns and one slides.

    Args:
        name: Of the constraint.
        tie: The joint that follows.
        leader: The joint that it follows.
        names: Of joints in the model.
    """
    assert tie.mimic is not None
    ratio = tie.mimic.multiplier
    one, two = names[leader.name], names[tie.name]
    turns = tie.kind in TURNING
    if turns == (leader.kind in TURNING):
        return Gear(name, one, two, ratio)
    if turns:
        return RackAndPinion(name, rack=one, pinion=two, radius=1.0 / ratio)
    return RackAndPinion(name, rack=two, pinion=one, radius=ratio)
