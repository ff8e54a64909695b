"""Joints as the file has them: what they tie, how they move, what holds them back."""

from dataclasses import dataclass

from bellcrank.errors import did_you_mean
from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.reading import Tag
from bellcrank.files.urdf.values import Attributes
from bellcrank.model.algebra import Vector, unit
from bellcrank.model.elements.limits import Limits
from bellcrank.model.pose import Pose
from bellcrank.spatial.arithmetic import scaled

TURNING = ("revolute", "continuous")
ONE_COORDINATE = (*TURNING, "prismatic")
TYPES = (*ONE_COORDINATE, "fixed", "floating", "planar")
X: Vector = (1.0, 0.0, 0.0)  # the axis where none is given


@dataclass(frozen=True)
class Mimic:
    """A joint that follows another: multiplier · its coordinate + offset.

    Attributes:
        line: Where it stands.
        joint: The other joint, as written.
        multiplier: Not 0, but where nothing moves.
        offset: [rad or m].
    """

    line: int
    joint: str
    multiplier: float
    offset: float


@dataclass(frozen=True)
class UrdfJoint:
    """One joint of the file.

    Attributes:
        name: As written.
        line: Where it stands.
        kind: One of `TYPES`.
        parent, child: Links, as written.
        pose: Of the child in the parent, where its coordinates are zero.
        axis: Unit vector along the child's axes; of a `planar` joint the normal.
        limits: How far, how fast and how hard it may go, where that is said.
        damping: [N m s/rad or N s/m].
        friction: [N m or N].
        mimic: Which joint it follows, if it does.
    """

    name: str
    line: int
    kind: str
    parent: str
    child: str
    pose: Pose
    axis: Vector
    limits: Limits | None = None
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None


def read_tie(tag: Tag, findings: Findings) -> UrdfJoint:
    """Return the joint that a tag describes; complaints go to `findings`."""
    name = Attributes(tag, "joint", findings).name("name")
    values = Attributes(tag, f"joint {name!r}", findings)
    kind = _kind(values)
    damping, friction = _dynamics(values, kind)
    return UrdfJoint(
        name,
        tag.line,
        kind,
        parent=_end(values, "parent"),
        child=_end(values, "child"),
        pose=values.origin(),
        axis=_axis(values, kind),
        limits=_limits(values, kind),
        damping=damping,
        friction=friction,
        mimic=_mimic(values, kind),
    )


def _kind(values: Attributes) -> str:
    kind = values.name("type")
    if kind and kind not in TYPES:
        near = did_you_mean(kind, TYPES)
        values.complain(f"no type {kind!r}.{near} The types are {', '.join(TYPES)}.")
    return kind if kind in TYPES else "fixed"


def _end(values: Attributes, role: str) -> str:
    end = values.inside(role)
    if end is None:
        values.complain(f"needs <{role} link=…>.")
    return "" if end is None else end.name("link")


def _axis(values: Attributes, kind: str) -> Vector:
    axis = values.inside("axis")
    if axis is None or kind in ("fixed", "floating"):
        return X
    found = axis.vector("xyz", X)
    largest = max(map(abs, found))
    if not largest:
        axis.complain("<axis> must not be zero, got 0 0 0.")
        return X
    return unit(scaled(1.0 / largest, found))  # in two steps: no square overflows


def _limits(values: Attributes, kind: str) -> Limits | None:
    """Return the limits; a range belongs to revolute and prismatic joints only."""
    limit = values.inside("limit")
    if limit is None or kind not in ONE_COORDINATE:
        return None
    ranged = kind != "continuous"
    found = Limits(
        lower=limit.limit("lower", 0.0) if ranged else None,
        upper=limit.limit("upper", 0.0) if ranged else None,
        velocity=limit.limit("velocity", None),
        effort=limit.limit("effort", None),
    )
    for complaint in found.complaints:
        limit.complain(f"<limit>: {complaint}")
    return found


def _dynamics(values: Attributes, kind: str) -> tuple[float, float]:
    """Return damping and friction."""
    dynamics = values.inside("dynamics")
    if dynamics is None:
        return 0.0, 0.0
    damping, friction = (dynamics.number(name, 0.0) for name in ("damping", "friction"))
    for name, value in (("damping", damping), ("friction", friction)):
        if value < 0.0:
            dynamics.complain(f"{name} must be zero or positive, got {value:.9g}.")
        elif value and kind in ("floating", "planar"):
            dynamics.complain(
                f"{name} of a {kind} joint, which has several coordinates, is not understood."
            )
    return (damping, friction) if kind in ONE_COORDINATE else (0.0, 0.0)


def _mimic(values: Attributes, kind: str) -> Mimic | None:
    mimic = values.inside("mimic")
    if mimic is None:
        return None
    if kind == "fixed":
        said = "fixed, so that it follows no other; its <mimic> is left out."
        values.findings.remark(mimic.tag.line, values.who, said)
        return None
    if kind not in ONE_COORDINATE:
        mimic.complain(f"a {kind} joint, which has several coordinates, cannot mimic another.")
    return Mimic(
        mimic.tag.line,
        mimic.name("joint"),
        mimic.number("multiplier", 1.0),
        mimic.number("offset", 0.0),
    )
