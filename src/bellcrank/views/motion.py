"""Where everything of a scene is at every recorded time, and how it is best looked at."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bellcrank.results import Result
from bellcrank.spatial.attitudes import euler_parameters, rotation_matrices
from bellcrank.views.scene import Anchor, Arrow, DrawnScene

SAMPLES = 64  # records looked at for the bounds


@dataclass(frozen=True)
class SceneMotion:
    """Poses of the bodies of a scene over time.

    Attributes:
        scene: What moves.
        t: Times [s], shape (n,).
        positions: Mass centres, world components [m], shape (n, bodies, 3), ground first.
        orientations: R_WB as Euler parameters, scalar first, shape (n, bodies, 4).
        run: The result, or None of a machine that stands still.
    """

    scene: DrawnScene
    t: np.ndarray
    positions: np.ndarray
    orientations: np.ndarray
    run: Result | None = None

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    @cached_property
    def rotations(self) -> np.ndarray:
        """R_WB of every body, shape (n, bodies, 3, 3)."""
        return rotation_matrices(self.orientations)

    def place(self, anchor: Anchor) -> np.ndarray:
        """Return where a place of a body is [m], shape (n, 3)."""
        k, point = anchor
        return self.positions[:, k] + self.rotations[:, k] @ np.array(point)

    def vectors(self, arrow: Arrow) -> np.ndarray:
        """Return a recorded vector in world components [N or N m], shape (n, 3)."""
        if self.run is None or arrow.channel not in self.run:
            return np.zeros((len(self.t), 3))
        values = self.run.values(arrow.channel)
        if arrow.towards is None:
            return values
        line = self.place(arrow.towards) - self.place(arrow.at)
        length = np.linalg.norm(line, axis=1, keepdims=True)
        return values[:, None] * line / np.where(length > 0, length, 1.0)

    @cached_property
    def bounds(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of the box that holds the machine over its whole motion [m]."""
        some = kept(len(self.t), SAMPLES)
        low, high = [], []
        for part in self.scene.parts:
            if part.kind == "axis":
                continue
            v = part.surface.vertices
            corners = np.array(np.meshgrid(*zip(v.min(0), v.max(0), strict=True)))
            corners = corners.reshape(3, -1).T
            at = self.positions[some, part.body]
            placed = at[:, None] + corners @ self.rotations[some, part.body].transpose(0, 2, 1)
            low.append(placed.min((0, 1)))
            high.append(placed.max((0, 1)))
        ends = [end for tie in self.scene.ties for end in tie.ends]
        for anchor in (*(mark.at for mark in self.scene.marks), *ends):
            placed = self.place(anchor)[some]
            low.append(placed.min(0))
            high.append(placed.max(0))
        if not low:
            return -np.ones(3), np.ones(3)
        return np.min(low, axis=0), np.max(high, axis=0)

    @cached_property
    def reach(self) -> float:
        """Half the diagonal of the bounds [m], never zero."""
        low, high = self.bounds
        half = float(np.linalg.norm(high - low)) / 2
        return half if np.isfinite(half) and half > 0 else 1.0

    @cached_property
    def cell(self) -> float:
        """Edge of a cell of the grid [m]: a round part of the reach."""
        return nice(self.reach / 7)

    @property
    def middle(self) -> np.ndarray:
        """Middle of the bounds [m], shape (3,)."""
        low, high = self.bounds
        return (low + high) / 2

    @cached_property
    def floor(self) -> float:
        """Height of the ground along `up` [m]: the lowest the machine comes, or 0 if near."""
        low, high = self.bounds
        up = self.scene.up
        lowest = float(np.minimum(low * up, high * up).sum())
        return 0.0 if 0.0 <= lowest <= 0.15 * self.reach else lowest - 0.02 * self.reach

    @cached_property
    def sight(self) -> np.ndarray:
        """Unit vector from the machine to the eye: along its hinges, a little from above."""
        up = self.scene.up
        axis = self.scene.axis
        if axis is None or abs(axis @ up) > 0.9:
            side = np.cross(up, (0.0, 1.0, 0.0) if abs(up[1]) < 0.9 else (1.0, 0.0, 0.0))
            side = side / np.linalg.norm(side)
            found = 0.80 * side - 0.75 * np.cross(up, side) + 0.5 * up
        else:
            level = axis - (axis @ up) * up
            level = level / np.linalg.norm(level)
            # A hinge along y is looked at from −y, with x to the right.
            level = (
                -level
                if level[int(np.argmax(np.abs(level)))] > 0 and not _flat(axis)
                else level
            )
            found = level + 0.3 * np.cross(up, level) + 0.32 * up
        return found / np.linalg.norm(found)


def _flat(axis: np.ndarray) -> bool:
    """Return whether the machine lies in the x-y plane, which is looked at from +z."""
    return bool(abs(axis[2]) > 0.9)


def moving(scene: DrawnScene, run: Result, most: int | None = None) -> SceneMotion:
    """Return the motion of a scene in a result.

    Args:
        scene: Of the model that was run, for the parameters of the run.
        run: The result.
        most: Records to keep, evenly chosen; None for all.
    """
    rows = kept(len(run.t), most)
    n, still = len(rows), np.array([1.0, 0.0, 0.0, 0.0])
    positions = np.zeros((n, len(scene.bodies), 3))
    orientations = np.tile(still, (n, len(scene.bodies), 1))
    for k, name in enumerate(scene.bodies[1:], start=1):
        positions[:, k] = run.values(f"{name}.position")[rows]
        orientations[:, k] = run.values(f"{name}.orientation")[rows]
    return SceneMotion(
        scene, run.t[rows], positions, orientations, run if most is None else None
    )


def kept(count: int, most: int | None) -> np.ndarray:
    """Return the rows to keep: all, or evenly chosen with the first and the last."""
    if most is None or count <= most:
        return np.arange(count)
    return np.linspace(0, count - 1, most).round().astype(int)


def standing(scene: DrawnScene, values: Mapping[str, np.ndarray] | None = None) -> SceneMotion:
    """Return a scene that stands still: as drawn, or with bodies placed.

    Args:
        scene: What stands.
        values: `position` and `orientation` of bodies by name; those not there are as drawn.
    """
    known = values or {}
    orientations = np.array([euler_parameters(R) for R in scene.turned.tolist()])
    positions = scene.drawn.copy()
    for k, name in enumerate(scene.bodies):
        if f"{name}.position" in known:
            positions[k] = known[f"{name}.position"]
            orientations[k] = known[f"{name}.orientation"]
    return SceneMotion(scene, np.zeros(1), positions[None], orientations[None])


def nice(length: float) -> float:
    """Return the next of 1, 2, 5 times a power of ten.

    Examples:
        >>> nice(0.31), nice(7.0)
        (0.5, 10.0)
    """
    power = 10.0 ** np.floor(np.log10(length))
    return float(next(f"{m * power:.6g}" for m in (1, 2, 5, 10) if m * power >= 0.999 * length))
