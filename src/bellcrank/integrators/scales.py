"""Absolute tolerances that carry the size of a machine and of its motion.

    atolᵢ = max(a × min(nominalᵢ, motion of like states), rounding of like states)

Where rows tie lengths to angles, both are corrected together in the metric of A, so that the
round-off of angles shows in lengths: ε √(largest moment / least mass) times their motion.

The nominal size is the machine's length for lengths, and a radian for angles. Motion is the
largest change of coordinates, and the largest speed, that any state of the same kind has shown
so far, or is expected to show from how the run begins (`native.motion`): so the tolerance of a
vibration of picometres is not that of a machine of metres. It only grows, and once the motion
has reached nominal size it is constant.
"""

from dataclasses import dataclass

import numpy as np

GROUPS = 5
"""Kinds of states, in order: lengths, angles and all without unit, rates of both, others."""

LENGTH, ANGLE, LENGTH_RATE, ANGLE_RATE, OTHER = range(GROUPS)


@dataclass(frozen=True, eq=False)
class Scales:
    """An absolute tolerance for every state.

    Attributes:
        atol: What it is of a unit of motion.
        most: The largest of each state, that of motion of nominal size, shape (nx,).
        group: To which of `GROUPS` kinds a state belongs, shape (nx,).
        rounding: Tolerances of each kind below which there are no digits, shape (GROUPS,).
        lever: √(largest moment / least mass) where rows tie angles to lengths, else 0 [m].
    """

    atol: float
    most: np.ndarray
    group: np.ndarray
    rounding: np.ndarray
    lever: float = 0.0
