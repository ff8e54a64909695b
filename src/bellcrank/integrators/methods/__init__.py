"""The methods one can choose, one file each; this is the one list of them.

Messages, the command line, the viewer and tests read `METHODS`. A method from outside this
package is a class like these, handed to `simulate`; `docs/write-a-kind.md` shows one.
"""

from bellcrank.integrators.methods.auto import Auto
from bellcrank.integrators.methods.dop853 import DOP853
from bellcrank.integrators.methods.dopri5 import DOPRI5
from bellcrank.integrators.methods.gauss2 import Gauss2
from bellcrank.integrators.methods.generalized_alpha import GeneralizedAlpha
from bellcrank.integrators.methods.method import AdaptiveStep, FixedStep, Method
from bellcrank.integrators.methods.nystrom4 import Nystrom4
from bellcrank.integrators.methods.radau5 import Radau5
from bellcrank.integrators.methods.rk4 import RK4
from bellcrank.integrators.methods.rkf45 import RKF45
from bellcrank.integrators.methods.sdirk54 import SDIRK54
from bellcrank.integrators.methods.trapezoidal import Trapezoidal

__all__ = [
    "DOP853", "DOPRI5", "METHODS", "RK4", "RKF45", "SDIRK54", "AdaptiveStep", "Auto",
    "FixedStep", "Gauss2", "GeneralizedAlpha", "Method", "Nystrom4", "Radau5", "Trapezoidal",
    "holding",
]  # fmt: skip

METHODS: tuple[type[Method], ...] = (
    Auto, DOP853, DOPRI5, RKF45, Radau5, SDIRK54,
    RK4, Nystrom4, Gauss2, Trapezoidal, GeneralizedAlpha,
)  # fmt: skip
"""All of them, in the order in which they are shown: first those that choose their steps."""


def holding(*indices: int) -> str:
    """Return, for messages, the methods that hold constraints on equations of some index.

    Examples:
        >>> holding(2)
        'Radau5() and Gauss2(step=…)'
    """
    *first, last = [kind.written() for kind in METHODS if kind.index in indices]
    return f"{', '.join(first)} and {last}" if first else last
