"""The whole file: links and joints, and that they are one tree."""

from collections import Counter
from dataclasses import dataclass

from bellcrank.errors import did_you_mean
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.joints import ONE_COORDINATE, UrdfJoint, read_tie
from bellcrank.files.urdf.links import UrdfLink, read_link
from bellcrank.files.urdf.reading import Tag
from bellcrank.files.urdf.values import Attributes
from bellcrank.files.urdf.vocabulary import check_words

MOST_LINKS = 10_000


@dataclass(frozen=True)
class Robot:
    """What a file describes.

    Attributes:
        name: As written.
        links: By name, in the order of the file.
        ties: The joints by name, from the root outwards.
        root: Name of the link that is no child.
    """

    name: str
    links: dict[str, UrdfLink]
    ties: dict[str, UrdfJoint]
    root: str


def read_robot(tag: Tag, findings: Findings) -> Robot:
    """Return the robot that the outermost tag describes.

    Raises:
        FileError: With everything that is wrong, each with its line.
    """
    if tag.name != "robot":
        hint = " That is another format." if tag.name in ("sdf", "mujoco", "COLLADA") else ""
        findings.complain(tag.line, f"URDF begins with <robot>, got <{tag.name}>.{hint}")
        findings.close()
    count = sum(child.name == "link" for child in tag.children)
    if count > MOST_LINKS:
        findings.complain(tag.line, f"{count} links; at most {MOST_LINKS} are read.")
        findings.close()
    check_words(tag, findings)
    name = Attributes(tag, "robot", findings).name("name")
    links = [read_link(child, findings) for child in tag.children if child.name == "link"]
    ties = [read_tie(child, findings) for child in tag.children if child.name == "joint"]
    _check_twice("link", links, findings)
    _check_twice("joint", ties, findings)
    if not links:
        findings.complain(tag.line, "a robot needs a link.")
    findings.close()
    by_name = {link.name: link for link in links}
    _check_ends(by_name, ties, findings)
    _check_mimics({tie.name: tie for tie in ties}, findings)
    findings.close()
    root = _root(by_name, ties, findings)
    return Robot(name, by_name, _outwards(by_name, ties, root, findings), root)


def _check_twice(
    kind: str, items: list[UrdfLink] | list[UrdfJoint], findings: Findings
) -> None:
    counts = Counter(item.name for item in items)
    for item in items:
        if counts[item.name] > 1:
            findings.complain(item.line, f"{kind} {item.name!r}: the name is given twice.")


def _check_ends(links: dict[str, UrdfLink], ties: list[UrdfJoint], findings: Findings) -> None:
    """Complain about links that are not there, and about links with two parents."""
    above: dict[str, str] = {}
    for tie in ties:
        for role, end in (("parent", tie.parent), ("child", tie.child)):
            if end not in links:
                hint = did_you_mean(end, links)
                text = f"joint {tie.name!r}: there is no link {end!r} to be its {role}.{hint}"
                findings.complain(tie.line, text)
        if tie.parent == tie.child:
            findings.complain(tie.line, f"joint {tie.name!r} ties {tie.child!r} to itself.")
        if tie.child in above:
            findings.complain(
                tie.line,
                f"link {tie.child!r} is the child of two joints, {above[tie.child]!r} and "
                f"{tie.name!r}; URDF has trees only. Close a loop in the model that is loaded.",
            )
        above.setdefault(tie.child, tie.name)


def _check_mimics(ties: dict[str, UrdfJoint], findings: Findings) -> None:
    """Complain about joints that follow themselves, or what has no single coordinate."""
    for tie in ties.values():
        mimic = tie.mimic
        if mimic is None or mimic.joint not in ties:
            continue
        leader = ties[mimic.joint]
        if leader.kind not in (*ONE_COORDINATE, "fixed"):
            text = f"joint {tie.name!r} mimics {leader.name!r}, a {leader.kind} joint."
            findings.complain(mimic.line, text)
    seen: set[str] = set()
    for name in ties:
        trail: dict[str, None] = {}
        while name in ties and name not in seen and name not in trail:
            trail[name] = None
            mimic = ties[name].mimic
            name = mimic.joint if mimic is not None else ""
        if name in trail:
            names = list(trail)
            around = " → ".join((*names[names.index(name) :], name))
            findings.complain(ties[name].line, f"joints mimic in a circle: {around}.")
        seen.update(trail)


def _root(links: dict[str, UrdfLink], ties: list[UrdfJoint], findings: Findings) -> str:
    children = {tie.child for tie in ties}
    roots = [link for link in links.values() if link.name not in children]
    if len(roots) != 1:
        if roots:
            listed = ", ".join(f"{link.name!r} (line {link.line})" for link in roots[:8])
            text = f"{len(roots)} links are the child of no joint: {listed}"
            text += ", …" if len(roots) > 8 else ""
            text += "; a robot has one root. Tie the others to it by joints."
        else:
            text = "every link is the child of a joint, so that they go round in a circle."
        findings.complain((roots[1] if roots else next(iter(links.values()))).line, text)
        findings.close()
    return roots[0].name


def _outwards(
    links: dict[str, UrdfLink], ties: list[UrdfJoint], root: str, findings: Findings
) -> dict[str, UrdfJoint]:
    """Return the joints from the root outwards, each after the one that its parent hangs on."""
    below: dict[str, list[UrdfJoint]] = {name: [] for name in links}
    for tie in ties:
        below[tie.parent].append(tie)
    reached = [root]
    found: dict[str, UrdfJoint] = {}
    for link in reached:  # grows while we go
        for tie in below[link]:
            found[tie.name] = tie
            reached.append(tie.child)
    if len(reached) < len(links):
        lost = [name for name in links if name not in set(reached)]
        listed = ", ".join(map(repr, lost[:8])) + (", …" if len(lost) > 8 else "")
        findings.complain(links[lost[0]].line, f"links go round in a circle: {listed}.")
        findings.close()
    return found
