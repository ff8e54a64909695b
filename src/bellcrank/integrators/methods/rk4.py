"""RK4: the classical Runge-Kutta method."""

from dataclasses import dataclass

from bellcrank.integrators.methods.explicit import Tableau, numbers, rows
from bellcrank.integrators.methods.method import FixedStep


@dataclass(frozen=True)
class RK4(FixedStep):
    """The classical Runge-Kutta method of order 4 with steps of fixed length.

    Examples:
        >>> import bellcrank as bc
        >>> bc.RK4(step=1e-3)
        RK4(step=0.001, max_steps=None)
    """

    tableau = Tableau(
        order=4,
        c=numbers("0 1/2 1/2 1"),
        a=rows("| 1/2 | 0 1/2 | 0 0 1"),
        b=numbers("1/6 1/3 1/3 1/6"),
    )
