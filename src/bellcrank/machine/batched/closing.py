"""The constraints of a batched machine, met with sparse matrices.

Corrections are the smallest in the mass metric, [A Cᵀ; C 0] [δ; μ] = [0; b], of positions and
of speeds. Newton's method and the way along a branch are those of `constraints`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.closing import CLOSED, gaps
from bellcrank.constraints.assembly.continuation import Branch, End, walk
from bellcrank.errors import StartError
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.linear.rank import MARGIN
from bellcrank.linear.sparse_lu import Singular
from bellcrank.machine.batched.matrix import POSITIONS, SPEEDS, Linear, idle_multipliers

Array = np.ndarray
EXACT = 1e-13  # of rows in nominal sizes: what is new by less is round-off of sums
SOFT = 1e-6  # added to the scaled mass matrix, for bodies without inertia in some direction
STRIDE = 0.2  # [rad, lengths of the machine] that a step along a branch may go


@dataclass(frozen=True)
class CountedAngles:
    """What is known of full turns.

    Attributes:
        known: Angles of joints by name, full turns and all [rad].
        drawn: Returns an angle of a joint in the drawing [rad].
    """

    known: Mapping[str, float]
    drawn: Callable[[str], float]


def remembered(machine: Assembled, state: AssembledState, angles: CountedAngles) -> Array:
    """Return k at a state: sides of switches, and the angles nearest to those that are known.

    Rows look at it too: at the piece of a table they are in, and at full turns.
    """
    e = machine.equations
    k = np.ones(len(e.memory))
    k[e.modes :] = 0.0
    k = machine.revised(replace(state, k=k))
    for i, variable in enumerate(e.memory):
        if variable.quantity == "angle" and variable.name in angles.known:
            seen = k[i] + k[i + 1] * state.t + angles.drawn(variable.name)
            k[i] += 2 * np.pi * round((angles.known[variable.name] - seen) / (2 * np.pi))
    for _ in range(e.modes):  # a switch may depend on another, or on an angle
        before, k = k, machine.revised(replace(state, k=k))
        if np.array_equal(before, k):
            break
    return k


class BatchedPoint:
    """The constraints of a batched machine at any q and u, see `kernels.protocol.Closable`.

    Attributes:
        rows: Of positions and of speeds, with what was named held.
        scale: Their nominal sizes.
        wanted: What was named, by level.
        reach: What counts as far, by speed.
    """

    def __init__(
        self,
        machines: dict[str, Assembled],
        t: float,
        w: Array,
        reach: Array,
        wanted: dict[str, Any],
        angles: CountedAngles,
    ) -> None:
        """Hold what was named.

        Args:
            machines: The machine with positions held that were named, and with speeds.
            t: The time [s].
            w: Inputs.
            reach: What counts as far, by speed.
            wanted: What was named, by level.
            angles: What is known of full turns.
        """
        self._machines, self._t, self._w, self.wanted = machines, t, w, wanted
        self._angles = angles
        self._linear: dict[str, Linear] = {}
        self.reach, place = reach, machines["position"]
        self.rows = {
            "position": place.equations.rows[: place.mh],
            "velocity": machines["velocity"].equations.rows,
        }
        self.scale = {
            level: np.array([row.scale for row in rows]) for level, rows in self.rows.items()
        }

    def _state(self, level: str, q: Array, u: Array | None = None) -> AssembledState:
        machine = self._machines[level]
        c = POSITIONS if level == "position" else SPEEDS
        u = np.zeros(machine.nu) if u is None else u
        state = machine.state(self._t, q, u, w=self._w, c=c)
        return replace(state, k=remembered(machine, state, self._angles))

    def residual(self, q: Array, lag: Array | float = 0.0) -> Array:
        """Return the scaled Φ, less by how much each row may be off."""
        phi = self._machines["position"].rows(self._state("position", q))[0]
        return (phi - lag) / self.scale["position"]

    def open(self, q: Array) -> float:
        """Return the largest of the scaled Φ."""
        return float(np.abs(self.residual(q)).max(initial=0.0))

    def lacking(self, q: Array, u: Array) -> Array:
        """Return the scaled ν − C u."""
        rates = self._machines["velocity"].rows(self._state("velocity", q, u))[1]
        return -rates / self.scale["velocity"]

    def nominal(self, level: str) -> Array:
        """Return the nominal residuals of rows."""
        return self.scale[level]

    def size(self, step: Array) -> float:
        """Return how far a step goes [rad, lengths of the machine]."""
        return float(np.abs(step / self.reach).max(initial=0.0))

    def moved(self, q: Array, step: Array) -> Array:
        """Return q after Δξ."""
        return self._machines["position"].moved(self._state("position", q), step)

    def nearest(
        self,
        level: str,
        q: Array,
        b: Array,
        free: Array,
        rows: Array | slice = slice(None),
    ) -> Array:
        """Return the smallest step in the mass metric that gives the scaled rows b.

        All speeds are free and all rows count: what is named is among the rows.

        Raises:
            StartError: Rows are not finite.
        """
        machine, state = self._machines[level], self._state(level, q)
        if not b.any():
            return np.zeros(machine.nu)
        if level not in self._linear:
            self._linear[level] = Linear(machine, state)
        linear = self._linear[level]
        try:
            linear.factor(state, fresh=True, soft=SOFT)
        except Singular:
            raise StartError(
                f"the constraints of '{machine.equations.name}' are not finite where it is "
                "drawn. Look for axes or lengths of zero."
            ) from None
        wanted, none = np.zeros(machine.m), np.zeros(machine.nu)
        wanted[: len(b)] = b * self.scale[level]
        step = linear.solve(none, wanted)[0]
        for _ in range(2):  # what −ε leaves
            step = step + linear.solve(none, wanted - linear.rows_times(step))[0]
        return step


def led(there: BatchedPoint, q: Array, name: str) -> Array:
    """Return q with what was named, on the branch of the drawing.

    What is named or driven, and joints that the drawing leaves open, are led there:
    Φ(q) = (1 − s) Φ(drawing), s from 0 to 1.

    Args:
        there: The machine, with what was named held.
        q: The drawing.
        name: Of the machine.

    Raises:
        StartError: The branch ends before.
    """
    everything = np.ones(len(there.reach), dtype=bool)
    try:
        return walk(Branch(there, q, everything, STRIDE))
    except End as end:
        raise StartError(_ended(end, there, name)) from None


def _ended(end: End, there: BatchedPoint, name: str) -> str:
    """Return the sentence that says how far what was named is from the end of a branch."""
    first, rows = end.path.first, there.rows["position"]
    lacks = np.abs(first / there.scale["position"]) > CLOSED
    far = [i for i in np.flatnonzero(lacks) if rows[i].kind == "driver"]
    if not far:
        return gaps(rows, there.residual(end.q) * there.scale["position"])
    off = ", ".join(f"{rows[i].owner} by {(1 - end.s) * abs(first[i]):.4g}" for i in far[:6])
    return (
        f"the branch of the drawing of '{name}' does not reach what start names: it ends "
        f"before {off}{', …' if len(far) > 6 else ''}. Name values nearer to the drawing, or "
        "draw it on the branch that is wanted."
    )


def check_rounding(
    machine: Assembled, state: AssembledState, sizes: Array, slack: float, exact: float = EXACT
) -> None:
    """Complain about rows that repeat others within the slack, but not to round-off.

    They can neither be held nor are they left out here. Exact ones do no harm.

    Args:
        machine: The machine.
        state: Where it begins.
        sizes: Nominal sizes of speeds.
        slack: What counts as rounding.
        exact: What is new by less is round-off.

    Raises:
        StartError: Naming some of them.
    """
    linear = Linear(machine, state)
    try:
        idle = idle_multipliers(linear, state)
    except Singular:
        return  # of inertia, which is said later
    if idle is None:
        return
    weight = idle * np.array([row.scale for row in machine.equations.rows])
    off = float(np.linalg.norm(linear.columns_times(idle) * sizes) / np.linalg.norm(weight))
    if not exact < off <= MARGIN * slack:
        return
    share = np.abs(weight) > 1e-3 * np.abs(weight).max()
    owners = dict.fromkeys(machine.equations.rows[i].owner for i in np.flatnonzero(share))
    told = ", ".join(map(repr, list(owners)[:6])) + (", …" if len(owners) > 6 else "")
    raise StartError(
        f"constraints of '{machine.equations.name}' are redundant only to within {off:.1g} (of "
        f"the machine's length, or rad): {told}. Equations that are assembled from kinds of "
        "elements need redundancy to be exact: give positions and axes with all digits, remove "
        "redundant joints or constraints, or use bc.JointCoordinates() or "
        "bc.Cartesian(assembled=False), which leave such rows out."
    )
