"""Trapezoidal: the implicit trapezoidal rule."""

from dataclasses import dataclass

import numpy as np

from bellcrank.integrators.methods.diagonal import Diagonal, lower
from bellcrank.integrators.methods.method import FixedStep


@dataclass(frozen=True)
class Trapezoidal(FixedStep):
    """The implicit trapezoidal rule of order 2 with steps of fixed length; A-stable.

    Newton's method is iterated to rounding.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Trapezoidal(step=0.01).order
        2
    """

    tableau = Diagonal(
        order=2,
        c=np.array([0.0, 1.0]),
        a=lower("0 | 1/2 1/2", 2),
        gamma=0.5,
        explicit_first=True,
    )
    unfit = "it does not damp what the forces of constraints do from step to step."
