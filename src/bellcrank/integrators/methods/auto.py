"""Auto: the method that suits a tolerance, and another one where it is held back."""

from dataclasses import dataclass
from typing import ClassVar

from bellcrank.integrators.methods.dop853 import DOP853
from bellcrank.integrators.methods.dopri5 import DOPRI5
from bellcrank.integrators.methods.method import AdaptiveStep
from bellcrank.integrators.methods.radau5 import Radau5


@dataclass(frozen=True)
class Auto(AdaptiveStep):
    """The method that suits: `DOP853`, or `DOPRI5` when rtol is above 1e-5.

    Where stability rather than accuracy holds its steps back, `Radau5` takes over until it
    no longer does; the statistics of a run list each change with its time and reason.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Auto(max_step=0.1)
        Auto(first_step=None, max_step=0.1, max_steps=None)
    """

    order: ClassVar[int] = 8

    @property
    def stiff(self) -> Radau5:
        """The method that takes over where a problem is stiff."""
        return Radau5(self.first_step, self.max_step, self.max_steps)

    def choose(self, rtol: float) -> DOP853 | DOPRI5:
        """Return the method used at a relative tolerance.

        Examples:
            >>> Auto(max_step=0.1).choose(1e-9)
            DOP853(first_step=None, max_step=0.1, max_steps=None)
        """
        kind = DOPRI5 if rtol > 1e-5 else DOP853
        return kind(self.first_step, self.max_step, self.max_steps)
