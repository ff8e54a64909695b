"""GeneralizedAlpha: the generalized-α method, on equations of index 3.

References:
    Chung, Hulbert (1993), J. Appl. Mech. 60, 371-375.
    Arnold, Brüls (2007), Multibody System Dynamics 18, 185-202.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bellcrank.errors import OptionError
from bellcrank.integrators.methods.method import Method, positive, within

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper
    from bellcrank.integrators.problem import Problem
    from bellcrank.kernels.layout import Record


@dataclass(frozen=True)
class GeneralizedAlpha(Method):
    """The generalized-α method of Chung and Hulbert with steps of fixed length, of order 2.

    Constraints are held at position level (index 3); what is fast and unresolved is damped.

    Attributes:
        step: Length of a step [s]. The last one may be shorter, and so may those that end
            on a tick of a sampled input. Where Newton's method fails, a step is made in
            parts, up to 64. It is iterated until 3e-4 is left of what accelerations
            differ by from those foreseen, which is about what the method itself is off by.
        spectral_radius: What is left per step of what is much faster than a step, from 0 (all
            damped) to 1 (nothing damped; not with constraints).
        hht: α of Hilber, Hughes and Taylor, from 0 to 1/3, in place of `spectral_radius`.
        max_steps: Attempts allowed; None for no limit.

    Examples:
        >>> GeneralizedAlpha(step=1e-3, hht=0.1).averages
        (0.0, 0.1)
    """

    step: float
    spectral_radius: float = 0.8
    hht: float | None = None
    max_steps: int | None = None
    order: ClassVar[int] = 2
    adaptive: ClassVar[bool] = False
    implicit: ClassVar[bool] = True
    index: ClassVar[int] = 3
    damps: ClassVar[bool] = True

    def __post_init__(self) -> None:
        positive(self, step=self.step, max_steps=self.max_steps)
        within(self, "spectral_radius", self.spectral_radius, 1.0)
        if self.hht is not None:
            within(self, "hht", self.hht, 1.0 / 3.0)

    @property
    def averages(self) -> tuple[float, float]:
        """αm and αf: the parts of the beginning in what is taken of inertia and of forces."""
        if self.hht is not None:
            return 0.0, self.hht
        rho = self.spectral_radius
        return (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)

    @classmethod
    def shape(cls) -> tuple[int, int]:
        """Rows of K, see `native.generalized_alpha`, and of the cubic between the ends."""
        return 5, 4

    @classmethod
    def stepper(cls, constrained: bool) -> "Stepper":
        """Return its native functions, which take constraints, also none of them."""
        from bellcrank.integrators.methods.native.generalized_alpha import generalized_alpha

        return generalized_alpha()

    def check(self, problem: "Problem") -> None:
        """Complain where there are no accelerations as unknowns."""
        if problem.saddle is None:
            raise OptionError("GeneralizedAlpha needs the problem's saddle. Use DOP853().")

    def begin(self, run: "Record") -> None:
        """Write the step and the averages."""
        run.h, run.parts = self.step, 1
        run.alpha_m, run.alpha_f = self.averages
