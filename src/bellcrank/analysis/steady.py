"""Steady motions: rates that stay as they are, and what they prescribe of every joint.

Scalar coordinates keep their rates; those that are not named rest. A joint with an orientation
turns at Ω about axes of its first body, `S.rotation_z_rate`, and spins at σ about axes of its
second, `S.spin_z_rate`:

    ω = Ω + R σ,   ω̇ = Ω × R σ,   v̇ = Ω × v

so a top precesses and spins, and a body on a free joint goes round in a circle. All vectors are
along the axes of the first body.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from bellcrank.analysis.coordinates import Coordinate, SeenJoints, vectors
from bellcrank.errors import OptionError, UnknownName
from bellcrank.model.elements.fields import short

Array = np.ndarray
STEADY = 1e-6  # of rates squared, and of what changes along the motion: what counts as none


class SteadyRates:
    """The rates that a steady motion keeps.

    Attributes:
        names: The rates that are named, in order.
        values: What they are; those that are sought begin somewhere.
        sought: Which of them are sought, by their numbers.
        spinning: The joints that spin about axes of their second body.
        named: The numbers of coordinates whose rates are named.
    """

    def __init__(
        self, joints: SeenJoints, rates: Mapping[str, float | None], now: SeenJoints
    ) -> None:
        """Look up what is steady.

        Args:
            joints: All coordinates.
            rates: Values by name; None for one that is sought.
            now: Rates of the state near which those are sought.

        Raises:
            UnknownName: There is no such rate.
            OptionError: A value that is not a number.
        """
        self._coordinates = joints.coordinates
        self._joints = tuple(joints.axes)
        plain = {c.rate: i for i, c in enumerate(joints.coordinates)}
        spins = {f"{j}.spin_{axis}_rate": (j, n) for j in self._joints
                 for n, axis in enumerate("xyz")}  # fmt: skip
        for name in rates:
            if name not in plain and name not in spins:
                raise UnknownName("rate", name, (*plain, *spins))
        self.names = tuple(rates)
        self.sought = [i for i, value in enumerate(rates.values()) if value is None]
        self._plain = {i: plain[n] for i, n in enumerate(rates) if n in plain}
        self._spins = {i: spins[n] for i, n in enumerate(rates) if n in spins}
        self.named = list(self._plain.values())
        self.spinning = sorted({joint for joint, _ in self._spins.values()})
        known = {n: _finite(n, v) for n, v in rates.items() if v is not None}
        self.values = np.array([known.get(name, 0.0) for name in rates])
        self.values[self.sought] = [self._begun(i, now) for i in self.sought]

    def _begun(self, i: int, now: SeenJoints) -> float:
        """Return what a rate that is sought is in the state near which it is looked for."""
        left = now.speed[0] - self.speeds(self.values, now)
        if i in self._plain:
            return float(left[self._plain[i]])
        joint, axis = self._spins[i]
        return float(now.axes[joint][0, :, axis] @ left[self._turns(joint)])

    def _turns(self, joint: str) -> list[int]:
        return vectors(self._coordinates, joint, "rotation")

    @property
    def first(self) -> list[int]:
        """Coordinates whose rates are taken as independent first.

        What is named and scalar, what spins, other scalars, then what turns: in a turn of the
        whole machine these rates stay, while velocities do not. How fast a machine turns that
        rolls follows from how it is steered.
        """
        turning = {i for joint in self._joints for i in self._turns(joint)}
        places = {i for joint in self._joints
                  for i in vectors(self._coordinates, joint, "position")}  # fmt: skip
        order = [i for i in self.named if i not in turning]
        for joint in self.spinning:
            order += self._turns(joint)
        order += [i for i in range(len(self._coordinates)) if i not in turning | places]
        order += [i for i in self.named if i in turning]
        return list(dict.fromkeys([*order, *sorted(turning)]))

    def spins(self, values: Array) -> dict[str, Array]:
        """Return σ of every joint with an orientation, along the axes of its second body."""
        found = {joint: np.zeros(3) for joint in self._joints}
        for i, (joint, axis) in self._spins.items():
            found[joint][axis] += values[i]
        return found

    # --- what joints do

    def speeds(self, values: Array, joints: SeenJoints) -> Array:
        """Return the rates of all coordinates, shape (n,)."""
        found = np.zeros(len(self._coordinates))
        for i, place in self._plain.items():
            found[place] += values[i]
        for joint, spin in self.spins(values).items():
            found[self._turns(joint)] += joints.axes[joint][0] @ spin
        return found

    def pushes(self, values: Array, joints: SeenJoints) -> Array:
        """Return the accelerations of all coordinates, where joints turn as is seen."""
        found = np.zeros(len(self._coordinates))
        for _, turns, places, Omega, spin in self._turning(values, joints):
            found[turns] = np.cross(Omega, spin)
            if places:
                found[places] = np.cross(Omega, joints.speed[0, places])
        return found

    def _turning(self, values: Array, joints: SeenJoints) -> list[tuple]:
        """Return joints, the numbers of their turns and places, Ω, and R σ."""
        found = []
        for joint, spin in self.spins(values).items():
            turns = self._turns(joint)
            along = joints.axes[joint][0] @ spin
            places = vectors(self._coordinates, joint, "position")
            found.append((joint, turns, places, joints.speed[0, turns] - along, along))
        return found

    # --- how that changes: along directions of positions, then by rates that are sought

    def rates_changed(self, values: Array, joints: SeenJoints, k: int) -> Array:
        """Return the changes of rates, shape (n, k + sought).

        Args:
            values: Of the rates.
            joints: What is seen, along k directions of positions first.
            k: How many these are.
        """
        found = np.zeros((len(self._coordinates), k + len(self.sought)))
        for joint, turns, _, Omega, _ in self._turning(values, joints):
            found[turns, :k] = _cross(Omega, joints.position[0, turns, :k])
            for n, i in enumerate(self.sought):
                if i in self._spins and self._spins[i][0] == joint:
                    found[turns, k + n] += joints.axes[joint][0, :, self._spins[i][1]]
        for n, i in enumerate(self.sought):
            if i in self._plain:
                found[self._plain[i], k + n] += 1.0
        return found

    def accelerations_changed(self, values: Array, joints: SeenJoints, k: int) -> Array:
        """Return the changes of accelerations for rates as they are seen to change."""
        found = np.zeros((len(self._coordinates), k + len(self.sought)))
        changed = self._spins_changed(joints, k)
        for joint, turns, places, Omega, spin in self._turning(values, joints):
            theta, rate = joints.position[0, turns], joints.rate[0, turns]
            omega = Omega + spin
            spinning = -_cross(spin, theta) + changed[joint]  # δ(R σ)
            turning = rate - _cross(omega, theta) - spinning  # δΩ
            push = np.cross(Omega, spin)
            alpha = -_cross(spin, turning) + _cross(Omega, spinning)
            found[turns] = alpha + _cross(push, theta) + _cross(omega, rate)
            if places:
                v, dv = joints.speed[0, places], joints.rate[0, places]
                found[places] = -_cross(v, turning) + _cross(Omega, dv)
        return found

    def _spins_changed(self, joints: SeenJoints, k: int) -> dict[str, Array]:
        """Return R δσ of every joint, shape (3, k + sought)."""
        found = {joint: np.zeros((3, k + len(self.sought))) for joint in self._joints}
        for n, i in enumerate(self.sought):
            if i in self._spins:
                joint, axis = self._spins[i]
                found[joint][:, k + n] = joints.axes[joint][0, :, axis]
        return found

    def unsteady(
        self, values: Array, joints: SeenJoints, length: float
    ) -> tuple[Coordinate, float] | None:
        """Return the coordinate that accelerates most of those that should not, and by what.

        Args:
            values: Of the rates.
            joints: Rates and accelerations of the motion.
            length: Of the machine [m].
        """
        sizes = np.array([length if c.unit == "m" else 1.0 for c in self._coordinates])
        over = (joints.push[0] - self.pushes(values, joints)) / sizes
        fastest = float(np.abs(joints.speed[0] / sizes).max(initial=0.0))
        most = int(np.argmax(np.abs(over))) if over.size else 0
        if not fastest or abs(over[most]) <= STEADY * fastest**2:
            return None
        return self._coordinates[most], float(over[most] * sizes[most])


def spins_of(rates: Mapping[str, float], joints: Sequence[str]) -> dict[str, Array]:
    """Return σ of joints that spin in a steady motion, by the names of its rates."""
    found: dict[str, Array] = {}
    for joint in joints:
        for n, axis in enumerate("xyz"):
            value = rates.get(f"{joint}.spin_{axis}_rate")
            if value is not None:
                found.setdefault(joint, np.zeros(3))[n] = value
    return found


def _cross(vector: Array, columns: Array) -> Array:
    """Return v × every column, shape (3, k)."""
    return np.cross(vector, columns.T).T


def _finite(name: str, value: object) -> float:
    try:
        found = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise OptionError(f"rate '{name}' takes a finite number or None, got {short(value)}.")
    return found
