"""A joint as the elementary motions that other packages have, in the order they are passed.

    turn   about an axis            slide  along an axis         helix  both, by a pitch
    ball   any rotation             shift  any translation

A joint that is passed from its second body to its first is the same list backwards with each
motion inverted: axes change their sign, a ball carries R_SF instead of R_FS, and its rate is
−R_FS ω. With these, v = G(q) u and v̇ = G(q) u̇ exactly, because Ġ u = −R_FS (ω × ω) = 0.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

I = np.eye(3)


@dataclass(frozen=True)
class Elementary:
    """One elementary motion.

    Attributes:
        kind: `turn`, `slide`, `helix`, `ball` or `shift`.
        joint: The joint it is part of.
        coordinate, speed: Names of ours it is driven by, without the joint.
        axis: World components in the drawing, already negated for a reversed joint.
        pitch: Of a helix [m/rad].
        offset: Value of the coordinate in the drawing; three for a shift.
        reversed: Whether the joint is passed from second to first.
        before: Axes of the frame the motion starts from, in the drawing, shape (3, 3).
        after: Axes of the frame it leads to, in the drawing, shape (3, 3).
    """

    kind: str
    joint: str
    coordinate: str
    speed: str
    axis: np.ndarray = field(default_factory=lambda: np.zeros(3))
    pitch: float = 0.0
    offset: Any = 0.0
    reversed: bool = False
    before: np.ndarray = field(default_factory=lambda: I)
    after: np.ndarray = field(default_factory=lambda: I)

    @property
    def nq(self) -> int:
        """Number of coordinates in the other package."""
        return {"ball": 4, "shift": 3}.get(self.kind, 1)

    @property
    def nv(self) -> int:
        """Number of speeds."""
        return {"ball": 3, "shift": 3}.get(self.kind, 1)

    def coordinates(self, values: dict[str, Any]) -> np.ndarray:
        """Return the other package's coordinates; a ball's scalar first."""
        value = np.atleast_1d(
            np.asarray(values[f"{self.joint}.{self.coordinate}"], dtype=float)
        )
        if self.kind == "ball":
            return value * np.array([1, -1, -1, -1]) if self.reversed else value
        moved = value - np.asarray(self.offset, dtype=float)
        return -moved if self.kind == "shift" and self.reversed else moved

    def rate_map(self, values: dict[str, Any]) -> np.ndarray:
        """Return the block of G(q) for this motion, shape (nv, nv)."""
        if not self.reversed or self.kind in ("turn", "slide", "helix"):
            return np.eye(self.nv)
        if self.kind == "shift":
            return -I
        return -rotation(np.asarray(values[f"{self.joint}.{self.coordinate}"]))


def rotation(p: np.ndarray) -> np.ndarray:
    """Return R for unit Euler parameters, scalar first."""
    e0, e = p[0], np.asarray(p[1:])
    cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (e0**2 - e @ e) * I + 2 * (np.outer(e, e) + e0 * cross)


def elementary(joint: Any, axes_first: np.ndarray, axes_second: np.ndarray, backwards: bool):
    """Return the elementary motions of a joint, outwards.

    Args:
        joint: One of our joints.
        axes_first: R_WF of the first body in the drawing, shape (3, 3).
        axes_second: R_WS of the second body in the drawing, shape (3, 3).
        backwards: Whether the joint is passed from its second body to its first.
    """
    sign = -1.0 if backwards else 1.0
    name, drawn = joint.name, tuple(joint.drawn)

    def scalar(kind: str, axis: Any, k: int, coordinate: str, pitch: float = 0.0) -> Elementary:
        along = sign * np.asarray(axis, dtype=float)
        return Elementary(
            kind, name, coordinate, f"{coordinate}_rate", along, pitch, drawn[k], backwards
        )

    match type(joint).__name__:
        case "Fixed":
            steps = []
        case "Revolute":
            steps = [scalar("turn", joint.axis_first, 0, "angle")]
        case "Prismatic":
            steps = [scalar("slide", joint.axis_first, 0, "offset")]
        case "Cylindrical":
            axis = joint.axis_first
            steps = [scalar("turn", axis, 0, "angle"), scalar("slide", axis, 1, "offset")]
        case "Screw":
            pitch = joint.pitch / (2 * np.pi)
            steps = [scalar("helix", joint.axis_first, 0, "angle", pitch)]
        case "Universal":
            axes = joint.axis_first, joint.axis_second
            steps = [scalar("turn", a, k, f"angle{k + 1}") for k, a in enumerate(axes)]
        case "Planar":
            x, y = joint.plane_axes
            normal = joint.axis_first
            steps = [scalar("slide", x, 0, "x"), scalar("slide", y, 1, "y")]
            steps += [scalar("turn", normal, 2, "angle")]
        case "Spherical":
            steps = [_ball(name, axes_first, axes_second, backwards)]
        case "Free":
            shift = Elementary(
                "shift", name, "position", "velocity", offset=drawn, reversed=backwards,
                before=axes_first, after=axes_first,
            )  # fmt: skip
            steps = [shift, _ball(name, axes_first, axes_second, backwards)]
        case other:
            raise ValueError(f"no elementary motions known for {other}")
    return steps[::-1] if backwards else steps


def _ball(name: str, first: np.ndarray, second: np.ndarray, backwards: bool) -> Elementary:
    before, after = (second, first) if backwards else (first, second)
    return Elementary(
        "ball", name, "orientation", "angular_velocity", reversed=backwards,
        before=before, after=after,
    )  # fmt: skip
