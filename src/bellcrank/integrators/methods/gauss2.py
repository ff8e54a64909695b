"""Gauss2: Gauss's method with two stages.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.5.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from bellcrank.integrators.methods.collocation import Collocation
from bellcrank.integrators.methods.method import FixedStep

ROOT = sqrt(3.0)


@dataclass(frozen=True)
class Gauss2(FixedStep):
    """Gauss's implicit method of order 4 with steps of fixed length; symplectic, A-stable.

    Newton's method is iterated to rounding. Constraints are held at its stages (index 2).

    Examples:
        >>> import bellcrank as bc
        >>> bc.Gauss2(step=0.01).order
        4
    """

    tableau = Collocation(
        order=4,
        c=np.array([0.5 - ROOT / 6, 0.5 + ROOT / 6]),
        a=np.array([[0.25, 0.25 - ROOT / 6], [0.25 + ROOT / 6, 0.25]]),
        b=np.array([0.5, 0.5]),
        real=False,
    )
    index = 2
    along_mass = True
