"""The words of URDF: which tags and attributes are understood, and which are ignored.

Whatever is in no list is refused by its name and line: a misspelt `<inertal>` would otherwise
be a link without mass.
"""

from dataclasses import dataclass

from bellcrank.errors import did_you_mean
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.reading import Tag


@dataclass(frozen=True)
class Word:
    """What may stand in a tag.

    Attributes:
        tags: Understood tags. Those of `MANY` may come several times, the others once.
        attributes: Understood attributes.
        idle: Tags and attributes of other programs that do not concern the motion.
        foreign: Tags and attributes of other programs that do, there; left out with a remark.
    """

    tags: str = ""
    attributes: str = ""
    idle: str = ""
    foreign: str = ""


LEFT_OUT = "not URDF, and left out."
MANY = frozenset({"link", "joint", "visual", "collision"})
_SHAPE = "box cylinder sphere capsule mesh"
WORDS: dict[str, Word] = {
    "robot": Word(
        "link joint",
        "name version",
        "material transmission gazebo sensor ros2_control mujoco",
    ),
    "link": Word(
        "inertial visual collision",
        "name",
        "type contact surface self_filter collision_checking self_collision_checking sensor",
        "origin gravity kinematic",
    ),
    "inertial": Word("origin mass inertia"),
    "mass": Word("", "value"),
    "inertia": Word("", "ixx ixy ixz iyy iyz izz"),
    "origin": Word("", "xyz rpy"),
    "visual": Word("origin geometry", "name", "material"),
    "collision": Word("origin geometry", "name", "material verbose contact_coefficients"),
    "geometry": Word(_SHAPE, "", "name"),
    "box": Word("", "size"),
    "cylinder": Word("", "radius length"),
    "capsule": Word("", "radius length"),
    "sphere": Word("", "radius"),
    "mesh": Word("", "filename scale"),
    "joint": Word(
        "origin parent child axis dynamics limit mimic",
        "name type",
        "calibration safety_controller dont_collapse",
    ),
    "parent": Word("", "link"),
    "child": Word("", "link"),
    "axis": Word("", "xyz"),
    "dynamics": Word("", "damping friction", "", "D K mu_coulomb mu_viscous"),
    "limit": Word(
        "",
        "lower upper velocity effort",
        "acceleration deceleration jerk current command_effort gear_velocity",
    ),
    "mimic": Word("", "joint multiplier offset"),
}


def check_words(robot: Tag, findings: Findings) -> None:
    """Complain about every tag and attribute that is not understood."""
    rest = [robot]
    for tag in rest:  # grows while we go
        word = WORDS[tag.name]
        _check_attributes(tag, word, findings)
        known = word.tags.split()
        seen: set[str] = set()
        for child in tag.children:
            if child.name in known:
                if child.name in seen and child.name not in MANY:
                    findings.complain(child.line, f"<{tag.name}> has a second <{child.name}>.")
                seen.add(child.name)
                rest.append(child)
            elif child.name in word.foreign.split():
                findings.remark(child.line, f"<{child.name}> of <{tag.name}>", LEFT_OUT)
            elif child.name not in word.idle.split():
                findings.complain(
                    child.line, _unknown(f"<{child.name}>", child.name, tag, known)
                )


def _check_attributes(tag: Tag, word: Word, findings: Findings) -> None:
    known = word.attributes.split()
    for name in tag.attributes:
        if name in known or name in word.idle.split() or name.partition(":")[0] == "xmlns":
            continue
        if name in word.foreign.split():
            findings.remark(tag.line, f"{name} of <{tag.name}>", LEFT_OUT)
        else:
            findings.complain(tag.line, _unknown(name, name, tag, known))


def _unknown(what: str, name: str, tag: Tag, known: list[str]) -> str:
    if name.startswith("xacro:"):
        return f"{what} is xacro: run the file through xacro first, and load what comes out."
    near = did_you_mean(name, known)
    there = f" There: {', '.join(known)}." if known else ""
    return f"<{tag.name}> knows no {what}.{near}{there}"
