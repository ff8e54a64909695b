"""Absolute tolerances that carry the size of a machine and of its motion.

    atolᵢ = a × max(least, min(nominalᵢ, motion of like states))

The nominal size is the machine's length for lengths, and a radian for angles. Motion is the
largest change of coordinates, and the largest speed, that any state of the same kind has shown
so far, or is expected to show from how the run begins: so the tolerance of a vibration of
picometres is not that of a machine of metres. It only grows, and where the motion has reached
nominal size it is constant.
"""

from dataclasses import dataclass

import numpy as np

GROUPS = 5
"""Kinds of states: lengths, angles and the like, the rates of both, and all others."""


@dataclass(frozen=True, eq=False)
class Scales:
    """An absolute tolerance for every state.

    Attributes:
        atol: What it is of a unit of motion.
        nominal: The motion beyond which it does not grow, of each state, shape (nx,).
        least: The motion below which it does not fall, shape (nx,).
        rest: From where motion is measured, shape (nx,).
        group: To which of `GROUPS` kinds a state belongs, shape (nx,).
        motion: What is expected of each kind, shape (GROUPS,).
    """

    atol: float
    nominal: np.ndarray
    least: np.ndarray
    rest: np.ndarray
    group: np.ndarray
    motion: np.ndarray

    @property
    def first(self) -> np.ndarray:
        """The tolerances that a run begins with, shape (nx,)."""
        seen = np.minimum(self.motion[self.group], self.nominal)
        return self.atol * np.maximum(seen, self.least)
