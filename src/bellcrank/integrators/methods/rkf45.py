"""RKF45: Fehlberg's pair of orders 4 and 5.

References:
    Fehlberg (1969), NASA TR R-315.
"""

from dataclasses import dataclass

from bellcrank.integrators.methods.explicit import Tableau, numbers, rows
from bellcrank.integrators.methods.method import AdaptiveStep


@dataclass(frozen=True)
class RKF45(AdaptiveStep):
    """Fehlberg's pair 4(5), carried on with order 5; dense output of order 4.

    Examples:
        >>> import bellcrank as bc
        >>> bc.RKF45().order
        5
    """

    tableau = Tableau(
        order=5,
        c=numbers("0 1/4 3/8 12/13 1 1/2"),
        a=rows(
            "| 1/4 | 3/32 9/32 | 1932/2197 -7200/2197 7296/2197"
            "| 439/216 -8 3680/513 -845/4104 | -8/27 2 -3544/2565 1859/4104 -11/40"
        ),
        b=numbers("16/135 0 6656/12825 28561/56430 -9/50 2/55"),
        # b - b̂ with b̂ = 25/216 0 1408/2565 2197/4104 -1/5 0
        errors=(numbers("1/360 0 -128/4275 -2197/75240 1/50 2/55"),),
        error_order=5,
        beta=0.02,
        # The slope of θ²(1-θ)² is steepest here: ½ - 1/√12. At ½ it vanishes.
        bootstrap=0.21132486540518713,
    )
