"""SDIRK54: the diagonally implicit pair of Hairer and Wanner of orders 4 and 3.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.6.
"""

from dataclasses import dataclass

import numpy as np

from bellcrank.integrators.methods.diagonal import Diagonal, lower, numbers
from bellcrank.integrators.methods.method import AdaptiveStep


@dataclass(frozen=True)
class SDIRK54(AdaptiveStep):
    """The diagonally implicit pair 4(3) of Hairer and Wanner with five stages, L-stable.

    For stiff machines at loose tolerances; dense output of order 3.

    Examples:
        >>> import bellcrank as bc
        >>> bc.SDIRK54().order
        4
    """

    tableau = Diagonal(
        order=4,
        c=np.array(numbers("1/4 3/4 11/20 1/2 1")),
        a=lower(
            "1/4 | 1/2 1/4 | 17/50 -1/25 1/4 | 371/1360 -137/2720 15/544 1/4"
            "| 25/24 -49/48 125/16 -85/12 1/4",
            5,
        ),
        gamma=0.25,
        # b - b̂ with b̂ = 59/48 -17/96 225/32 -85/12 0
        errors=np.array(numbers("-3/16 -27/32 25/32 0 1/4")),
        error_order=4,
        dense=np.array([
            numbers("11/3 11/2 -125/18 0 -11/9"),
            numbers("-463/72 -385/16 20125/432 -85/4 557/108"),
            numbers("217/36 661/24 -8875/216 85/6 -359/54"),
            numbers("-20/9 -10 250/27 0 80/27"),
        ]),
    )
    unfit = "where constraints are held, its stages are of order 1 and leave it with order 2."
