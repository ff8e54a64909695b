"""Where a large machine begins: on the branch of its drawing, with what is named.

What is named or driven, and joints that the drawing leaves open, go there from the drawing,

    Φ(q) = (1 − s) Φ(drawing)       s from 0 to 1

in steps along the tangent that are short enough for Newton's method to bring each back at once:
the first correction is a part of the step, each further one a part of that before it.
"""

import numpy as np

from bellcrank.constraints.closing import gaps
from bellcrank.errors import StartError
from bellcrank.integrators.sparse_linear import POSITIONS, Linear
from bellcrank.kernels.assembled import Assembled, State
from bellcrank.prepare.large_closing import CLOSED, TRIES, correction, open_rows, row_scales

Array = np.ndarray
STRIDE = 0.2  # [rad, lengths of the machine] that a step may go
RETURN = 0.25  # of a step, the most that its first correction may have, and
SHRINK = 0.3  # of each correction the next
NEAR = 1e-4  # steps shorter than this have come to the end of a branch


def driven(machine: Assembled, t: float, q: Array, sizes: Array, w: Array) -> Array:
    """Return q with what was named, on the branch of the drawing.

    Args:
        machine: The machine, with what was named held.
        t: The time [s].
        q: The drawing.
        sizes: Nominal sizes of speeds.
        w: Inputs.

    Raises:
        StartError: The branch ends before.
    """
    path, s, h = Path(machine, t, q, sizes, w), 0.0, 1.0
    while s < 1.0:
        tangent, speed = path.step(path.q, path.first)
        h = min(h, 1.0 - s, STRIDE / max(speed, STRIDE))
        ahead = 1.0 if h >= 1.0 - s else s + h
        if path.stepped(h * tangent, h * speed, 1.0 - ahead):
            s, h = ahead, 2.0 * h
        elif h * speed < NEAR:
            raise StartError(path.ended(s))
        else:
            h *= 0.5
    return path.q


class Path:
    """What is named, on its way from where the drawing has it.

    Attributes:
        q: Where the machine is.
        first: Φ of the drawing.
    """

    def __init__(self, machine: Assembled, t: float, q: Array, sizes: Array, w: Array) -> None:
        self.machine, self.q = machine, q
        self._t, self._sizes, self._w = t, sizes, w
        self._still = np.zeros(self.machine.nu)
        self._rest = np.zeros(self.machine.m - self.machine.mh)
        self._scale = row_scales(self.machine)[: self.machine.mh]
        self._linear = Linear(self.machine, self._state(q))
        self.first = self._open(q)

    def _state(self, q: Array) -> State:
        return self.machine.state(self._t, q, self._still, w=self._w, c=POSITIONS)

    def _open(self, q: Array) -> Array:
        return open_rows(self.machine, self._t, q, self._still, self._w)[0]

    def step(self, q: Array, gap: Array) -> tuple[Array, float]:
        """Return the least step that closes a gap of rows, and its size."""
        step = correction(self._linear, self._state(q), np.concatenate([gap, self._rest]))
        return step, float(np.abs(step / self._sizes).max(initial=0.0))

    def stepped(self, step: Array, size: float, left: float) -> bool:
        """Go a step and say so, if Newton's method brings it back at once.

        Args:
            step: Along the tangent.
            size: Of the step.
            left: What rows may still lack then, as a part of `first`.
        """
        q, most = self.machine.moved(self._state(self.q), step), RETURN * size
        for _ in range(TRIES):
            gap = self._open(q) - left * self.first
            if np.abs(gap / self._scale).max(initial=0.0) <= CLOSED:
                self.q = q
                return True
            step, size = self.step(q, gap)
            if size > max(most, CLOSED):
                return False
            q, most = self.machine.moved(self._state(q), step), SHRINK * size
        return False

    def ended(self, s: float) -> str:
        """Return the sentence that says how far what was named is from the end of a branch."""
        rows = self.machine.equations.rows[: self.machine.mh]
        lacks = np.abs(self.first / self._scale) > CLOSED
        far = [i for i in np.flatnonzero(lacks) if rows[i].kind == "driver"]
        if not far:
            return gaps(rows, self._open(self.q))
        off = ", ".join(
            f"{rows[i].owner} by {(1 - s) * abs(self.first[i]):.4g}" for i in far[:6]
        )
        return (
            f"the branch of the drawing of '{self.machine.equations.name}' does not reach what "
            f"start names: it ends before {off}{', …' if len(far) > 6 else ''}. Name values "
            "nearer to the drawing, or draw it on the branch that is wanted."
        )
