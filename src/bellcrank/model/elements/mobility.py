"""What a joint lets its second body do against the first: a sequence of elementary motions.

Each side of a joint carries a triad f, g, h; the two coincide where all coordinates are zero.
A kind of joint is declared by the rotations about and translations along axes of this triad
that it allows, in the order in which they follow each other from the first body to the second:

    Cylindrical   rotation("h"), translation("h")
    Planar        translation("f", "x"), translation("g", "y"), rotation("h")

Its coordinates and their names, the conditions it imposes, what is left of it in the plane, its
mirror image and its picture follow from these (`Mobility`); formulations, files and views
interpret them and know no kinds.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal

LETTERS = "fgh"
_SPEEDS = {"orientation": "angular_velocity", "position": "velocity"}
_ACCELERATIONS = {"orientation": "angular_acceleration", "position": "acceleration"}


@dataclass(frozen=True)
class Motion:
    """One elementary motion.

    Attributes:
        turns: Whether it is a rotation, or a translation.
        axis: `f`, `g` or `h`; `fgh` for all three at once, without an order.
        coordinate: Its name. Those of single rotations begin with `angle`.
        lead: The field that holds how far a rotation advances along its axis in a turn [m];
            empty where it does not.
    """

    turns: bool
    axis: str
    coordinate: str
    lead: str = ""

    @property
    def whole(self) -> bool:
        """Whether all three axes are meant."""
        return self.axis == LETTERS

    @property
    def number(self) -> int:
        """The number of its axis in the triad: 0, 1, 2."""
        return LETTERS.index(self.axis)

    @property
    def speed(self) -> str:
        """The name of its rate."""
        return _SPEEDS.get(self.coordinate, f"{self.coordinate}_rate")

    @property
    def acceleration(self) -> str:
        """The name of the rate of that."""
        return _ACCELERATIONS.get(self.coordinate, f"{self.coordinate}_acceleration")


def rotation(axis: str, coordinate: str = "angle", *, lead: str = "") -> Motion:
    """Return a rotation about an axis of the triad; about `fgh` by Euler parameters."""
    return Motion(True, axis, "orientation" if axis == LETTERS else coordinate, lead)


def translation(axis: str, coordinate: str = "offset") -> Motion:
    """Return a translation along an axis of the triad; along `fgh` by a position."""
    return Motion(False, axis, "position" if axis == LETTERS else coordinate)


@dataclass(frozen=True)
class Condition:
    """One scalar that a joint keeps zero, d being from the first's joint point to the second's.

    Attributes:
        name: Such as `across 1`.
        form: `point`: d along a world axis; `along`: a₁ · d; `square`: a₁ · b₂ of an axis a of
            the first body and b of the second; `lead`: h · d − lead/2π times the angle.
        axes: Numbers of the axes: of the world, or of the triad.
    """

    name: str
    form: Literal["point", "along", "square", "lead"]
    axes: tuple[int, ...]

    @property
    def in_metres(self) -> bool:
        """Whether it is a length [m]; else it is a cosine."""
        return self.form != "square"


@dataclass(frozen=True)
class Mobility:
    """The motions of a kind of joint, and what follows from them.

    A single rotation is about h. Of two, the first is about f, a pin of the first body, and the
    second about g, a pin of the second body. Translations come before rotations about other
    axes, so that they are along axes of the first body.

    Attributes:
        motions: From the first body to the second.

    Raises:
        TypeError: The motions are none that can be interpreted.
    """

    motions: tuple[Motion, ...]

    def __post_init__(self) -> None:
        complaint = _complaint(self.motions)
        if complaint:
            raise TypeError(f"motions of a joint: {complaint}")

    @property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return tuple(motion.coordinate for motion in self.motions)

    @property
    def speeds(self) -> tuple[str, ...]:
        """Names of their rates."""
        return tuple(motion.speed for motion in self.motions)

    @property
    def accelerations(self) -> tuple[str, ...]:
        """Names of the rates of these."""
        return tuple(motion.acceleration for motion in self.motions)

    @cached_property
    def ball(self) -> bool:
        """Whether the second body may turn in every way."""
        return any(motion.turns and motion.whole for motion in self.motions)

    @cached_property
    def rotations(self) -> tuple[Motion, ...]:
        """The rotations about single axes."""
        return tuple(motion for motion in self.motions if motion.turns and not motion.whole)

    @cached_property
    def turning(self) -> int:
        """In how many ways the bodies may turn against each other."""
        return 3 if self.ball else len(self.rotations)

    @cached_property
    def slid(self) -> frozenset[int]:
        """Along which axes of the first's triad the joint points may part."""
        return frozenset(
            LETTERS.index(letter)
            for motion in self.motions
            if not motion.turns
            for letter in motion.axis
        )

    @cached_property
    def lead(self) -> str:
        """The field of the advance of a rotation in a turn; empty where there is none."""
        return next((motion.lead for motion in self.motions if motion.lead), "")

    @property
    def free(self) -> bool:
        """Whether nothing is held."""
        return not self.conditions

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """What the joint keeps zero, as scalars: points, then directions, then a lead."""
        found = [*self._of_points(), *self._of_directions()]
        if self.lead:
            found.append(Condition("lead", "lead", (2,)))
        return tuple(found)

    def _of_points(self) -> list[Condition]:
        held = sorted({0, 1, 2} - self.slid - ({2} if self.lead else set()))
        if len(held) == 3:
            return [Condition("xyz"[k], "point", (k,)) for k in held]
        if held == [2]:
            return [Condition("height", "along", (2,))]
        return [Condition(f"across {n}", "along", (k,)) for n, k in enumerate(held, start=1)]

    def _of_directions(self) -> list[Condition]:
        if self.turning == 3:
            return []
        if self.turning == 2:
            return [Condition("pins", "square", (0, 1))]
        tilts = [Condition(f"tilt {i + 1}", "square", (i, 2)) for i in (0, 1)]
        return tilts if self.turning else [*tilts, Condition("turn", "square", (0, 1))]

    # --- mirrors

    def axial(self, letter: str) -> bool:
        """Return whether an axis of the triad is an axial vector.

        Axes that are turned about are, and so is the product of two of them; of one axis h, f
        is polar and g = h × f is polar where h is axial.
        """
        if len(self.rotations) == 2:
            return True
        return letter == ("h" if self.rotations else "g")

    @cached_property
    def mirrored(self) -> frozenset[str]:
        """The coordinates whose sign a mirror turns: translations along axial vectors."""
        return frozenset(
            motion.coordinate
            for motion in self.motions
            if not motion.turns and not motion.whole and self.axial(motion.axis)
        )


def _complaint(motions: tuple[Motion, ...]) -> str:
    """Return why motions cannot be those of a joint; empty where they can."""
    for motion in motions:
        if not motion.whole and motion.axis not in tuple(LETTERS):
            return f"an axis is 'f', 'g', 'h' or 'fgh', got {motion.axis!r}."
        if not motion.whole and motion.turns != motion.coordinate.startswith("angle"):
            return (
                "names of angles begin with 'angle', those of lengths do not; "
                f"got {motion.coordinate!r}."
            )
    if any(motion.whole for motion in motions):
        whole = [motion.turns for motion in motions if motion.whole]
        if len(whole) != len(motions) or whole not in ([True], [False, True]):
            return "rotation('fgh') stands alone, or after translation('fgh')."
    elif "".join(m.axis for m in motions if m.turns) not in ("", "h", "fg"):
        return "there is no rotation, one about h, or one about f and then one about g."
    if any(m.lead for m in motions) and [m.axis for m in motions] != ["h"]:
        return "a rotation that advances stands alone."
    for place, motion in enumerate(motions):
        before = {m.axis for m in motions[:place] if m.turns and not m.whole}
        if not motion.turns and before - {motion.axis}:
            return "a translation comes before rotations about other axes."
    if len({m.coordinate for m in motions}) != len(motions):
        return "coordinates need different names."
    return ""
