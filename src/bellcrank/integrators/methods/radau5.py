"""Radau5: Radau IIA with three stages and steps that adapt.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.8.
"""

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.integrators.methods.collocation import Collocation
from bellcrank.integrators.methods.method import AdaptiveStep

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper

ROOT = sqrt(6.0)
TABLEAU = Collocation(
    order=5,
    c=np.array([(4 - ROOT) / 10, (4 + ROOT) / 10, 1.0]),
    a=np.array([
        [(88 - 7 * ROOT) / 360, (296 - 169 * ROOT) / 1800, (-2 + 3 * ROOT) / 225],
        [(296 + 169 * ROOT) / 1800, (88 + 7 * ROOT) / 360, (-2 - 3 * ROOT) / 225],
        [(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9],
    ]),
    b=np.array([(16 - ROOT) / 36, (16 + ROOT) / 36, 1 / 9]),
    real=True,
)
ERROR = np.array([-13 - 7 * ROOT, -13 + 7 * ROOT, -1.0]) / 3.0
"""e of the estimate (γ/h - J)⁻¹ (f₀ + Σ e_i Z_i / h), which is of order 3."""


@dataclass(frozen=True)
class Radau5(AdaptiveStep):
    """Radau IIA of order 5, implicit and L-stable: for stiff machines.

    Newton's method takes exact Jacobians. Dense output is of order 5 where a step has one
    before it, else the collocation polynomial of order 3, with a tighter step. Constraints are
    held at its stages (index 2).

    Examples:
        >>> import bellcrank as bc
        >>> bc.Radau5(max_steps=10_000)
        Radau5(first_step=None, max_step=None, max_steps=10000)
    """

    tableau = TABLEAU
    index = 2

    @classmethod
    def shape(cls) -> tuple[int, int]:
        """Rows of K, three more than those of `native.collocation`, and of the quintic."""
        return TABLEAU.shape[0] + 3, 6

    @classmethod
    def stepper(cls, constrained: bool) -> "Stepper":
        """Return its native functions."""
        from bellcrank.integrators.methods.native.radau5 import radau5

        return radau5(TABLEAU, ERROR, constrained)
