"""Joints of a machine as constraints on the speeds y of its unconstrained tree.

Every joint, in the tree or closing a loop, has a displacement s′ of its two points along the
axes of its inner body I, and a relative angular velocity ω̂ of its outer body J along them too:

    tree   {ṡ′_K} is part of y
    loop   {ṡ′_A} = [R_I]([v_Q,y] − [v_P,y]){y} + [s̃′_A]{ω′_I}     P on I, Q on J
    both   {ω̂_A} = [R_I][R_J]ᵀ{ω′_J} − {ω′_I}

Its rows say which components of the two are zero. In a screw they are proportional.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.model import Joint
from bellcrank.model.algebra import nominal, nominals
from bellcrank.model.elements.mobility import LETTERS
from bellcrank.spatial.arithmetic import ORIGIN, minus, skew
from bellcrank.worksheets.blocks import Values, VectorQuantity
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.tree import TreeKinematics

ALL = "all"  # three components at once
SMALL = 1e-9  # of the largest entry: no pivot


@dataclass(frozen=True)
class JointRows:
    """The rows of one joint.

    Attributes:
        machine: The machine it belongs to.
        joint: The joint.
        body: K where it is the tree joint of K; 0 where it closes a loop.
    """

    machine: NumberedMachine
    joint: Any
    body: int

    @cached_property
    def ends(self) -> tuple[int, int]:
        """Numbers of the inner and the outer body, I and J."""
        if self.body:
            return self.machine.lower[self.body - 1], self.body
        number = self.machine.model.graph.number
        return number[self.joint.first], number[self.joint.second]

    @property
    def swapped(self) -> bool:
        """Whether the outer body is the joint's first."""
        return bool(self.body) and self.machine.model.graph.reversed[self.body - 1]

    @property
    def index(self) -> int | str:
        """What stands under s′ and ω̂: the number of the body, or the name of the joint."""
        return self.body or self.joint.name

    @property
    def slides(self) -> tuple[str, ...]:
        """Axes along which the points may not part."""
        mobility = self.joint.mobility
        if not mobility.slid and not mobility.lead:
            return (ALL,)
        free = {2} if mobility.lead else mobility.slid
        return tuple(letter for k, letter in enumerate(LETTERS) if k not in free)

    @property
    def turns(self) -> tuple[str, ...]:
        """Axes about which the bodies may not turn; n is perpendicular to both pins."""
        return ((ALL,), ("f", "g"), ("n",), ())[self.joint.mobility.turning]

    @property
    def count(self) -> int:
        """How many scalar rows there are."""
        rows = sum(3 if axis == ALL else 1 for axis in (*self.slides, *self.turns))
        return rows + self.advances

    @property
    def advances(self) -> bool:
        """Whether turning takes the outer body along the axis."""
        return bool(self.joint.mobility.lead)

    @cached_property
    def triad(self) -> dict[str, tuple[float, ...]]:
        """f, g, h along the inner body; where there are two pins k, the outer one, there too.

        h is the axis, or the inner pin; k is along the outer body.

        Raises:
            NotSupported: The outer body carries the slot in which the inner one slides.
        """
        joint: Joint = self.joint
        if all(axis is None for axis in joint.directions):
            return {}
        sides = (joint.axis_first, joint.axis_second)
        inner, outer = reversed(sides) if self.swapped else sides
        h = np.array(nominals(self.machine.connection.along(self.ends[0], inner)), dtype=float)
        f = np.eye(3)[int(np.argmin(np.abs(np.round(h, 12))))]
        if len(joint.mobility.slid & {0, 1}) == 1:
            if self.swapped:
                raise NotSupported(
                    f"worksheet: joint '{joint.name}' names the outer body first; where it "
                    "slides is written along its first body. Name the bodies the other way "
                    "round."
                )
            f = np.array(self._drawn(joint.directions[0]), dtype=float)
        f = f - (f @ h) * h
        f /= np.linalg.norm(f)
        g = np.array([h[1] * f[2] - h[2] * f[1], h[2] * f[0] - h[0] * f[2],
                      h[0] * f[1] - h[1] * f[0]])  # fmt: skip
        k = nominals(self.machine.connection.along(self.ends[1], outer))
        found = {"f": f, "g": g, "h": h, "k": np.array(k, dtype=float)}
        return {name: tuple((axis + 0.0).tolist()) for name, axis in found.items()}

    def _drawn(self, axis: Any) -> Any:
        """Return an axis of the drawing along the inner body."""
        return nominals(self.machine.connection.along(self.ends[0], axis))

    @property
    def lead(self) -> float:
        """κ of a screw, pitch/2π [m/rad]."""
        pitch = getattr(self.joint, self.joint.mobility.lead)
        return (nominal(pitch) or 0.0) / (2.0 * np.pi)

    def points(self) -> tuple[TreeKinematics, TreeKinematics]:
        """Return P on the inner and Q on the outer body of a joint that closes a loop."""
        inner, outer = self.ends
        return (
            TreeKinematics(self.machine.lower, inner, VectorQuantity("a", self.joint.name)),
            TreeKinematics(self.machine.lower, outer, VectorQuantity("c", self.joint.name)),
        )

    @cached_property
    def constants(self) -> dict[VectorQuantity, tuple[float, ...]]:
        """Values of the letters of this joint: its axes that rows need, its points."""
        needed = {axis for axis in (*self.slides, *self.turns) if axis in "fgh"}
        needed |= {"h"} if self.advances else set()
        needed |= {"h", "k"} if "n" in self.turns else set()
        found = {VectorQuantity(a, self.joint.name): self.triad[a] for a in sorted(needed)}
        if not self.body:
            places = (self.joint.at_first, self.joint.at_second)
            for letter, k, place in zip("ac", self.ends, places, strict=True):
                arm = minus(place, self.machine.connection.origin(k) if k else ORIGIN)
                numbers = nominals(self.machine.connection.along(k, arm))
                assert numbers is not None
                found[VectorQuantity(letter, self.joint.name)] = numbers
        return found

    def matrix(self, values: Values) -> np.ndarray:
        """Return the rows b of b y = 0, shape (count, 6N).

        Args:
            values: A state, with `constants` of this joint among its constants.
        """
        slide, turn = self._slide(values), self._turn(values)
        rows = [row for axis in self.slides for row in self._along(axis, values) @ slide]
        if self.advances:
            rows += list(self._along("h", values) @ (slide - self.lead * turn))
        rows += [row for axis in self.turns for row in self._along(axis, values) @ turn]
        return np.array(rows).reshape(-1, 6 * self.machine.count)

    def _along(self, axis: str, values: Values) -> np.ndarray:
        if axis == ALL:
            return np.eye(3)
        if axis == "n":
            inner, outer = (values.rotation(k) for k in self.ends)
            k = np.array(self.triad["k"])
            return (np.array(skew(self.triad["h"])) @ inner @ outer.T @ k)[None, :]
        return np.array([self.triad[axis]])

    def _slide(self, values: Values) -> np.ndarray:
        """Return ∂ṡ′/∂y, shape (3, 6N)."""
        n = self.machine.count
        found = np.zeros((3, 2 * n, 3))
        if self.body:
            found[:, n + self.body - 1] = np.eye(3)
            return found.reshape(3, -1)
        inner, R = self.ends[0], values.rotation(self.ends[0])
        p, q = self.points()
        for sign, point in ((-1.0, p), (1.0, q)):
            row = (*point.by_turning, *point.by_sliding)
            for j, block in enumerate(row):
                found[:, j] += sign * R @ block.value(values)
        if inner:
            gap = R @ (q.position.value(values) - p.position.value(values))
            found[:, inner - 1] += np.array(skew(gap.tolist()))
        return found.reshape(3, -1)

    def _turn(self, values: Values) -> np.ndarray:
        """Return ∂ω̂/∂y, shape (3, 6N)."""
        found = np.zeros((3, 2 * self.machine.count, 3))
        inner, outer = self.ends
        if outer:
            found[:, outer - 1] += values.rotation(inner) @ values.rotation(outer).T
        if inner:
            found[:, inner - 1] -= np.eye(3)
        return found.reshape(3, -1)


def joint_rows(machine: NumberedMachine) -> tuple[JointRows, ...]:
    """Return the rows of all joints: of the tree in the order of bodies, then of loops."""
    tree = [JointRows(machine, machine.connection.joint(k), k) for k in machine.bodies]
    model = machine.model
    return (*tree, *(JointRows(machine, model[name], 0) for name in model.graph.loops))


@dataclass(frozen=True)
class DependentSpeeds:
    """Which speeds depend on the others, in the drawing.

    Attributes:
        dependent: For each joint the places in y of the speeds its rows determine.
        repeated: For each joint how many of its rows say what others say.
        rank: How many rows are independent.
        named: Whether the independent ones were chosen by name.
    """

    dependent: tuple[tuple[int, ...], ...]
    repeated: tuple[int, ...]
    rank: int
    named: bool = False


def eliminate(
    machine: NumberedMachine,
    joints: tuple[JointRows, ...],
    kept: frozenset[int] = frozenset(),
) -> DependentSpeeds:
    """Return the dependent speeds by elimination with column pivoting, row after row.

    The largest entry of a row is its pivot, and among equals the speed of the outermost body,
    so that a joint of the tree determines speeds of its own body.

    Args:
        machine: The numbered machine.
        joints: Its joints and their rows.
        kept: Places in y of speeds that are to be independent.
    """
    constants = machine.constants | {k: v for j in joints for k, v in j.constants.items()}
    at = Values(constants, machine.drawing.R, machine.drawing.s, *_rates(machine))
    reduced: list[tuple[int, np.ndarray]] = []
    dependent: list[tuple[int, ...]] = []
    repeated = []
    for joint in joints:
        found: list[int] = []
        rows = joint.matrix(at)
        for row in rows:
            size = max(1.0, float(np.max(np.abs(row), initial=0.0)))
            for column, pivot in reduced:
                row = row - row[column] * pivot
            largest = float(np.max(np.abs(row), initial=0.0))
            if largest <= SMALL * size:
                continue
            open_ = np.abs(row)
            open_[list(kept)] = 0.0
            column = int(np.flatnonzero(open_ >= (1 - 1e-9) * open_.max())[-1])
            reduced.append((column, row / row[column]))
            found.append(column)
        dependent.append(tuple(sorted(found)))
        repeated.append(len(rows) - len(found))
    return DependentSpeeds(tuple(dependent), tuple(repeated), len(reduced), bool(kept))


def _rates(machine: NumberedMachine) -> tuple[np.ndarray, np.ndarray]:
    return machine.drawing.w, machine.drawing.sd
