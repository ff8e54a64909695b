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
from bellcrank.kernels.system import System

CLOSED = 1e-12  # largest scaled residual of a machine that is closed
RANK = 1e-9  # smallest scaled singular value that counts
STEPS = 60  # of Newton's method
HALVINGS = 8  # of a step that does not help


@dataclass(frozen=True)
class Held:
    """Which coordinates and speeds the user named, as masks over u."""

    coordinates: np.ndarray
    speeds: np.ndarray


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
    there = _Point(system, t, s, w, p)
    q = _positions(there, q, ~held.coordinates)
    u = _speeds(there, q, u, ~held.speeds)
    return np.concatenate([q, u, s])


class _Point:
    """The slots of a constrained machine, at any q and u."""

    def __init__(
        self, system: System, t: float, s: np.ndarray, w: np.ndarray, p: np.ndarray
    ) -> None:
        self.system, self._rest = system, (s, w, p)
        self._t = np.array([t])
        self.rows = system.equations.rows
        self.scale = np.array([row.scale for row in self.rows])
        self.mh = sum(row.level == "position" for row in self.rows)

    def ask(self, slot: str, q: np.ndarray, u: np.ndarray | None = None) -> tuple:
        """Return what a slot gives at q and u."""
        u = np.zeros(len(self.system.speeds)) if u is None else u
        arguments = [self._t, q, u, *self._rest]
        return self.system.kernel(slot, level=0)(*arguments, self.system.modes(arguments))

    def residual(self, q: np.ndarray) -> np.ndarray:
        """Return the scaled Φ."""
        return self.ask("position", q)[0] / self.scale[: self.mh]

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return q after Δξ, with Euler parameters at unit length."""
        q = q + self.ask("kinematics", q)[0] @ step
        if self.system.equations.has("normalize"):
            q = self.ask("normalize", q)[0]
        return q


def _positions(there: _Point, q: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return q on the constraints by damped Newton steps in the mass metric."""
    phi = there.residual(q)
    for _ in range(STEPS):
        size = np.abs(phi).max(initial=0.0)
        if size <= CLOSED:
            return q
        C = there.ask("velocity", q)[0][: there.mh] / there.scale[: there.mh, None]
        step = _nearest(there.ask("mass", q)[0], C, -phi, free)
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
    raise StartError(_gaps(there.rows[: there.mh], phi * there.scale[: there.mh]))


def _speeds(there: _Point, q: np.ndarray, u: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the nearest speeds with C u = ν."""
    C, nu = there.ask("velocity", q, u)
    C, gap = C / there.scale[:, None], (nu - C @ u) / there.scale
    u = u + _nearest(there.ask("mass", q)[0], C, gap, free)
    left = (there.ask("velocity", q, u)[1] / there.scale) - C @ u
    if np.abs(left).max(initial=0.0) > 1e-9 * (1 + np.abs(u).max(initial=0.0)):
        raise StartError(_gaps(there.rows, left * there.scale, rate=True))
    return u


def _nearest(A: np.ndarray, C: np.ndarray, b: np.ndarray, free: np.ndarray) -> np.ndarray:
    """Return the smallest step in the metric of A with C step = b, zero where not free."""
    step = np.zeros(len(A))
    if not free.any():
        return step
    L = np.linalg.cholesky(A[np.ix_(free, free)])
    B = np.linalg.solve(L, C[:, free].T)
    y = np.linalg.lstsq(B.T, b, rcond=RANK)[0]
    step[free] = np.linalg.solve(L.T, y)
    return step


def _gaps(rows: tuple[Row, ...], residual: np.ndarray, *, rate: bool = False) -> str:
    """Return the sentence that names what does not close, worst first."""
    worst: dict[str, tuple[float, str]] = {}
    for row, value in zip(rows, np.abs(residual), strict=True):
        unit = ("m/s" if rate else "m") if row.scale != 1.0 else ("1/s" if rate else "")
        if value > 1e-9 * row.scale and value > worst.get(row.owner, (0.0, ""))[0]:
            worst[row.owner] = float(value), unit
    ranked = sorted(worst.items(), key=lambda item: -item[1][0])
    shown = ", ".join(
        f"'{name}' by {value:.3g} {unit}".rstrip() for name, (value, unit) in ranked[:8]
    )
    what = (
        "the speeds named in start contradict" if rate else "the machine cannot be assembled:"
    )
    verb = "" if rate else "does not close"
    advice = (
        "Name fewer speeds."
        if rate
        else "Check the lengths and points of these joints, or name fewer coordinates in start."
    )
    return " ".join(filter(None, (what, shown, verb))) + f". {advice}"
