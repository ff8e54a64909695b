"""Attributes → names, numbers and poses, with complaints where they are none."""

import math
import re
from dataclasses import dataclass

from bellcrank.files.urdf.findings import Findings
from bellcrank.files.urdf.reading import Tag
from bellcrank.model.algebra import Matrix, Vector
from bellcrank.model.pose import STRAIGHT, Pose
from bellcrank.spatial.arithmetic import IDENTITY, ORIGIN

_NUMBER = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"[-+]?inf(inity)?", re.IGNORECASE)


@dataclass(frozen=True)
class Attributes:
    """Reads the attributes of one tag.

    Attributes:
        tag: The tag.
        who: What it belongs to, for messages, such as `link 'hand'`.
        findings: Where complaints go.
    """

    tag: Tag
    who: str
    findings: Findings

    def complain(self, sentence: str) -> None:
        """Complain about the tag."""
        self.findings.complain(self.tag.line, f"{self.who}: {sentence}")

    def name(self, attribute: str) -> str:
        """Return a name; empty with a complaint where there is none."""
        found = self.tag.attributes.get(attribute, "").strip()
        if not found:
            self.complain(f"<{self.tag.name}> needs {attribute}=.")
        return found

    def number(self, attribute: str, default: float | None = None) -> float:
        """Return a finite number; without a default it is needed."""
        return self.numbers(attribute, (1,), None if default is None else (default,))[0]

    def limit(self, attribute: str, default: float | None) -> float | None:
        """Return a number, or None where nothing is said or it is infinite."""
        text = self.tag.attributes.get(attribute, "").strip()
        if _INFINITE.fullmatch(text):
            return None
        return default if not text else self.number(attribute)

    def numbers(
        self, attribute: str, sizes: tuple[int, ...], default: tuple[float, ...] | None = None
    ) -> tuple[float, ...]:
        """Return several finite numbers; zeros with a complaint where they are none."""
        nothing = default or (0.0,) * sizes[0]
        if attribute not in self.tag.attributes:
            if default is None:
                self.complain(f"<{self.tag.name}> needs {attribute}=.")
            return nothing
        text = self.tag.attributes[attribute]
        words = text.split()
        found = [float(word) for word in words if _NUMBER.fullmatch(word)]
        if len(found) == len(words) in sizes and all(map(math.isfinite, found)):
            return tuple(x + 0.0 for x in found)
        count = " or ".join(map(str, sizes))
        wanted = "a finite number" if sizes == (1,) else f"{count} finite numbers"
        shown = text if len(text) <= 40 else f"{text[:37]}…"
        self.complain(f"{attribute} of <{self.tag.name}> must be {wanted}, got {shown!r}.")
        return nothing

    def vector(self, attribute: str, default: Vector | None = None) -> Vector:
        """Return three numbers."""
        x, y, z = self.numbers(attribute, (3,), default)  # pyright: ignore[reportArgumentType]
        return x, y, z

    def inside(self, name: str) -> "Attributes | None":
        """Return the reader of a tag inside, if it is there."""
        tag = self.tag.child(name)
        return None if tag is None else Attributes(tag, self.who, self.findings)

    def origin(self) -> Pose:
        """Return the pose that `<origin>` inside gives; straight where there is none."""
        origin = self.inside("origin")
        if origin is None:
            return STRAIGHT
        xyz, rpy = origin.vector("xyz", ORIGIN), origin.vector("rpy", ORIGIN)
        return Pose(xyz, turned(rpy))


def turned(rpy: Vector) -> Matrix:
    """Return R = Rz(yaw) Ry(pitch) Rx(roll): fixed axes, roll first.

    Args:
        rpy: Roll, pitch and yaw [rad].
    """
    if rpy == ORIGIN:
        return IDENTITY
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(a), math.sin(a)) for a in rpy)
    return (
        (cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr),
        (sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr),
        (-sp, cp * sr, cp * cr),
    )
