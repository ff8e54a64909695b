"""DOPRI5: the pair of Dormand and Prince of orders 5 and 4.

References:
    Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.5 and II.6.
"""

from dataclasses import dataclass

from bellcrank.integrators.methods.explicit import Tableau, numbers, rows
from bellcrank.integrators.methods.method import AdaptiveStep


@dataclass(frozen=True)
class DOPRI5(AdaptiveStep):
    """The pair 5(4) of Dormand and Prince with dense output of order 4: for rtol above 1e-5.

    Examples:
        >>> import bellcrank as bc
        >>> bc.DOPRI5().order
        5
    """

    tableau = Tableau(
        order=5,
        c=numbers("0 1/5 3/10 4/5 8/9 1"),
        a=rows(
            "| 1/5 | 3/40 9/40 | 44/45 -56/15 32/9"
            "| 19372/6561 -25360/2187 64448/6561 -212/729"
            "| 9017/3168 -355/33 46732/5247 49/176 -5103/18656"
        ),
        b=numbers("35/384 0 500/1113 125/192 -2187/6784 11/84"),
        # b - b̂ with b̂ = 5179/57600 0 7571/16695 393/640 -92097/339200 187/2100 1/40
        errors=(numbers("71/57600 0 -71/16695 71/1920 -17253/339200 22/525 -1/40"),),
        error_order=5,
        beta=0.02,
        dense=(
            numbers(
                "-12715105075/11282082432 0 87487479700/32700410799 -10690763975/1880347072"
                " 701980252875/199316789632 -1453857185/822651844 69997945/29380423"
            ),
        ),
    )
    stable = 3.3
