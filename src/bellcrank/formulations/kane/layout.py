"""Which scalars x and y have, in which order, and their values in the drawing.

    q = (orientations, s′)      u = (ω-like speeds, ṡ′)

Needs no CasADi.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bellcrank.formulations.contract.equations import StateVariable
from bellcrank.formulations.kane.choices import (
    AngleRates,
    Angles,
    LinearSpeeds,
    Orientation,
    Speeds,
    is_relative,
)
from bellcrank.formulations.kane.connection import Connection, number_at
from bellcrank.spatial.attitudes import euler_parameters

_STEMS = {
    "absolute body": "angular_velocity_body",
    "absolute fixed": "angular_velocity",
    "relative body": "relative_angular_velocity_body",
    "relative fixed": "relative_angular_velocity",
}


@dataclass(frozen=True)
class KaneLayout:
    """The scalars of a machine.

    Attributes:
        connection: The numbered bodies.
        speeds: The chosen speeds.
        orientation: The chosen orientation.
    """

    connection: Connection
    speeds: Speeds
    orientation: Orientation

    @property
    def width(self) -> int:
        """Numbers per orientation: 3 or 4."""
        return 3 if isinstance(self.orientation, Angles) else 4

    @property
    def turns(self) -> int:
        """Where s′ begins in q."""
        return self.width * self.connection.count

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return self.turns + 3 * self.connection.count

    @property
    def coordinates(self) -> tuple[StateVariable, ...]:
        """The scalars of q."""
        found = []
        for name in self.connection.names:
            if self.width == 3:
                found += [StateVariable(f"{name}.angle{i}", "angle", name) for i in (1, 2, 3)]
            else:
                stem = "relative_epsilon" if is_relative(self.orientation) else "epsilon"
                found += [
                    StateVariable(f"{name}.{stem}_{i}", "orientation", name)
                    for i in (1, 2, 3, 4)
                ]
        found += _places(self.connection.names, "s", "position")
        return tuple(found)

    @property
    def rates(self) -> tuple[StateVariable, ...]:
        """The scalars of u."""
        names = self.connection.names
        if isinstance(self.speeds, LinearSpeeds):
            model = self.connection.model.name
            return tuple(
                StateVariable(name, "generalized_speed", model) for name in self.speeds.names
            )
        if isinstance(self.speeds, AngleRates):
            found = [
                StateVariable(f"{name}.angle{i}_rate", "angle_rate", name)
                for name in names
                for i in (1, 2, 3)
            ]
        else:
            found = _places(names, _STEMS[self.speeds], "angular_velocity")
        return (*found, *_places(names, "s_rate", "velocity"))

    def drawing(self, parameters: Mapping[str, float]) -> list[float]:
        """Return q of the drawing at parameter values."""
        at, bodies = self.connection, self.connection.bodies
        axes = {
            k: [[number_at(e, parameters) for e in row] for row in at.axes(k)]
            for k in range(at.count + 1)
        }
        q: list[float] = []
        for k in bodies:
            R = axes[k]
            if is_relative(self.orientation):
                R = _seen_from(axes[at.lower[k - 1]], R)
            if isinstance(self.orientation, Angles):
                q += angles_of(self.orientation, R, math)
            else:
                e0, e1, e2, e3 = euler_parameters(R)
                q += [e1, e2, e3, e0]
        for k in bodies:
            q += [number_at(entry, parameters) for entry in at.s(k)]
        return q


def _places(names: tuple[str, ...], stem: str, quantity: str) -> list[StateVariable]:
    return [StateVariable(f"{n}.{stem}_{axis}", quantity, n) for n in names for axis in "xyz"]


def _seen_from(first: list[list[float]], second: list[list[float]]) -> list[list[float]]:
    """Return R₁ᵀ R₂."""
    return [
        [sum(first[m][i] * second[m][j] for m in range(3)) for j in range(3)] for i in range(3)
    ]


def angles_of(angles: Angles, R: Sequence[Sequence[Any]], lib: Any) -> list[Any]:
    """Return the three angles of a rotation from body to base components.

    The middle angle lies in [−π/2, π/2], or in [0, π] where the first and third axis are the
    same. The last is found from what the first leaves over.

    Args:
        angles: The sequence.
        R: R_AB, three rows, numbers or symbols.
        lib: `math` or `casadi`.
    """
    i, j, k = angles.axes
    proper = i == k
    k = 6 - i - j if proper else k
    s = (i - j) * (j - k) * (k - i) // 2
    i, j, k = i - 1, j - 1, k - 1
    if proper:
        b = lib.atan2(lib.sqrt(R[j][i] * R[j][i] + R[k][i] * R[k][i]), R[i][i])
        a = lib.atan2(R[j][i], -s * R[k][i])
    else:
        b = lib.atan2(s * R[i][k], lib.sqrt(R[i][i] * R[i][i] + R[i][j] * R[i][j]))
        a = lib.atan2(-s * R[j][k], R[k][k])
    # Row j of R_i(a)ᵀ R; with (i, j, k) cyclic for s = 1, the turn takes j towards s k.
    c, d = lib.cos(a), s * lib.sin(a)
    rest = [c * R[j][n] + d * R[k][n] for n in range(3)]
    last = lib.atan2(-s * rest[k] if proper else s * rest[i], rest[j])
    return [a, b, last] if angles.fixed == "body" else [last, b, a]
