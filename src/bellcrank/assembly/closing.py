"""Consistent coordinates and speeds: the nearest ones to what was drawn and what was said.

    positions   min ‖Δξ‖_A  with  Φ(q + T Δξ) = 0      damped Newton
    speeds      min ‖u − u₀‖_A  with  C u = ν

What the user named is held: its columns are left out. The metric is that of the mass matrix, so
that light bodies give way to heavy ones.
"""

from dataclasses import dataclass

import numpy as np

from bellcrank.errors import StartError
from bellcrank.formulations.equations import Row
from bellcrank.kernels import gauss
from bellcrank.kernels.system import System
from bellcrank.model.expressions import Signal

CLOSED = 1e-12  # largest scaled residual of a machine that is closed
RANK = 1e-9  # smallest scaled singular value that counts
STEPS = 60  # of Newton's method
HALVINGS = 8  # of a step that does not help


@dataclass(frozen=True)
class Target:
    """What a coordinate of a joint that closes a loop must show.

    Attributes:
        name: The coordinate, a signal. rate: the signal of its rate.
        value: Wanted.
        level: Whether of the coordinate (`position`) or of its rate (`velocity`).
        turns: Whether full turns make no difference.
    """

    name: str
    rate: str
    value: float
    level: str
    turns: bool


@dataclass(frozen=True)
class Held:
    """What the user named: coordinates and speeds as masks over u, and targets."""

    coordinates: np.ndarray
    speeds: np.ndarray
    targets: tuple[Target, ...] = ()


def close(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray, held: Held
) -> np.ndarray:
    """Return the nearest consistent state to x = [q, u].

    Args:
        system: The machine.
        t: The time [s].
        x: The state as drawn and said.
        w: Inputs.
        p: Parameter values in order.
        held: What the user named.

    Raises:
        StartError: It cannot be closed; which joints do not close, and by how much.
    """
    if not system.equations.rows:
        return x
    nq, nu = len(system.coordinates), len(system.speeds)
    q, u, s = np.split(x, [nq, nq + nu])
    there = _Point(system, t, s, w, p, held.targets)
    q = _positions(there, q, ~held.coordinates)
    u = _speeds(there, q, u, ~held.speeds)
    return np.concatenate([q, u, s])


class _Point:
    """The slots of a constrained machine at any q and u, with targets as further rows."""

    def __init__(
        self,
        system: System,
        t: float,
        s: np.ndarray,
        w: np.ndarray,
        p: np.ndarray,
        targets: tuple[Target, ...],
    ) -> None:
        self.system, self._rest = system, (s, w, p)
        self._t = np.array([t])
        own = system.equations.rows
        mh = sum(row.level == "position" for row in own)
        self.wanted = {
            level: [target for target in targets if target.level == level]
            for level in ("position", "velocity")
        }
        self._mh = mh
        self.rows = {
            "position": (*own[:mh], *map(_target_row, self.wanted["position"])),
            "velocity": (*own, *map(_target_row, self.wanted["velocity"])),
        }
        self.scale = {
            level: np.array([row.scale for row in rows]) for level, rows in self.rows.items()
        }

    def ask(self, slot: str, q: np.ndarray, u: np.ndarray | None = None) -> tuple:
        """Return what a slot gives at q and u."""
        u = np.zeros(len(self.system.speeds)) if u is None else u
        arguments = [self._t, q, u, *self._rest]
        return self.system.ask(slot, [*arguments, self.system.modes(arguments)], level=0)

    def _signals(self, names: list[str], q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return signals at q and u, which may be a batch."""
        kernel = self.system.signals(tuple(Signal(name) for name in names))
        k = np.ones(len(self.system.equations.memory))
        return kernel(self._t, q, u, *self._rest, k)[0]

    def _gradient(self, names: list[str], q: np.ndarray) -> np.ndarray:
        """Return the matrix by which speeds give rates, column by column."""
        nu = len(self.system.speeds)
        ends = self._signals(names, q, np.vstack([np.zeros(nu), np.eye(nu)]))
        return (ends[1:] - ends[0]).T

    def residual(self, q: np.ndarray) -> np.ndarray:
        """Return the scaled Φ, then what the targets lack."""
        phi = self.ask("position", q)[0]
        targets = self.wanted["position"]
        if targets:
            seen = self._signals(
                [one.name for one in targets], q, np.zeros(len(self.system.speeds))
            )
            gap = seen - [one.value for one in targets]
            turn = np.array([one.turns for one in targets])
            gap = np.where(turn, (gap + np.pi) % (2 * np.pi) - np.pi, gap)
            phi = np.concatenate([phi, gap])
        return phi / self.scale["position"]

    def matrix(self, level: str, q: np.ndarray) -> np.ndarray:
        """Return the scaled rows of positions or of speeds."""
        C = self.ask("velocity", q)[0]
        C = C[: self._mh] if level == "position" else C
        if self.wanted[level]:
            C = np.vstack([C, self._gradient([one.rate for one in self.wanted[level]], q)])
        return C / self.scale[level][:, None]

    def lacking(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the scaled ν − C u, then what the targets lack."""
        C, nu = self.ask("velocity", q, u)
        gap, targets = nu - C @ u, self.wanted["velocity"]
        if targets:
            seen = self._signals([one.rate for one in targets], q, u)
            gap = np.concatenate([gap, np.array([one.value for one in targets]) - seen])
        return gap / self.scale["velocity"]

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return q after Δξ, with Euler parameters at unit length."""
        q = q + self.ask("kinematics", q)[0] @ step
        if self.system.equations.has("normalize"):
            q = self.ask("normalize", q)[0]
        return q


def _target_row(target: Target) -> Row:
    return Row(f"{target.name}: start", f"start of {target.name}", "driver", "position")


def _positions(there: _Point, q: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return q on the constraints by damped Newton steps in the mass metric."""
    phi = there.residual(q)
    for _ in range(STEPS):
        if np.abs(phi).max(initial=0.0) <= CLOSED:
            return q
        step = _nearest(there.ask("mass", q)[0], there.matrix("position", q), -phi, free)
        for halving in range(HALVINGS + 1):
            tried = there.moved(q, step * 0.5**halving)
            fresh = there.residual(tried)
            if np.linalg.norm(fresh) < np.linalg.norm(phi):
                break
        else:
            break
        q, phi = tried, fresh
    if np.abs(phi).max(initial=0.0) <= 1e3 * CLOSED:
        return q
    raise StartError(gaps(there.rows["position"], phi * there.scale["position"]))


def _speeds(there: _Point, q: np.ndarray, u: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the nearest speeds with C u = ν."""
    C = there.matrix("velocity", q)
    u = u + _nearest(there.ask("mass", q)[0], C, there.lacking(q, u), free)
    left = there.lacking(q, u)
    if np.abs(left).max(initial=0.0) > 1e-9 * (1 + np.abs(u).max(initial=0.0)):
        said = not free.all() or bool(there.wanted["velocity"])
        scaled = left * there.scale["velocity"]
        raise StartError(gaps(there.rows["velocity"], scaled, "speed", said))
    return u


def _nearest(A: np.ndarray, C: np.ndarray, b: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the smallest step in the metric of A with C step = b, zero where not free."""
    step = np.zeros(len(A))
    if not free.any():
        return step
    L = np.linalg.cholesky(gauss.metric(A[np.ix_(free, free)], C[:, free]))
    B = np.linalg.solve(L, C[:, free].T)
    y = np.linalg.lstsq(B.T, b, rcond=RANK)[0]
    step[free] = np.linalg.solve(L.T, y)
    return step


def gaps(
    rows: tuple[Row, ...], residual: np.ndarray, of: str = "position", said: bool = True
) -> str:
    """Return the sentence that names what does not close, worst first.

    Args:
        rows: Constraints.
        residual: Theirs.
        of: `position`, `speed` or `acceleration`.
        said: Whether the user named any speeds.
    """
    worst: dict[str, tuple[float, str]] = {}
    per = {"position": "", "speed": "/s", "acceleration": "/s²"}[of]
    length, number = f"m{per}", f"1{per}" if per else ""
    for row, value in zip(rows, np.abs(residual), strict=True):
        unit = length if row.scale != 1.0 else number
        if value > 1e-9 * row.scale and value > worst.get(row.owner, (0.0, ""))[0]:
            worst[row.owner] = float(value), unit
    ranked = sorted(worst.items(), key=lambda item: -item[1][0])
    shown = ", ".join(f"'{name}' by {v:.3g} {unit}".rstrip() for name, (v, unit) in ranked[:8])
    if of == "acceleration":
        return f"constraints contradict each other in their accelerations: {shown}."
    if of == "position":
        advice = (
            "Check the lengths and points of these joints, or name fewer coordinates in start."
        )
        return f"the machine cannot be assembled: {shown} does not close. {advice}"
    if said:
        return f"the speeds named in start contradict {shown}. Name fewer speeds."
    return f"constraints contradict each other in their rates: {shown}. Take one of them away."
