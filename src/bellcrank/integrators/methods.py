"""The methods one can choose, as values.

A method is a frozen dataclass whose fields are its knobs; its `repr` is how it was made.
What it does is in `native/`, found by the name of its class.
"""

import sys
from dataclasses import dataclass
from typing import ClassVar

from bellcrank.errors import OptionError

LARGEST = sys.float_info.max


def _positive(method: object, **knobs: float | None) -> None:
    """Complain about knobs that are given but are not finite and positive."""
    name = type(method).__name__
    for knob, value in knobs.items():
        if value is None and knob != "step":  # all but a fixed step have a default
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and 0 < value <= LARGEST):  # pyright: ignore[reportOperatorIssue, reportOptionalOperand]
            got = (
                f"{value!r}" if len(repr(value)) < 40 else f"one of {len(repr(value))} letters"
            )
            raise OptionError(f"{name}: {knob} must be a positive number, got {got}.")


def _within(method: object, knob: str, value: float, most: float) -> None:
    """Complain about a knob that is not between 0 and a limit."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not (number and 0.0 <= value <= most):
        raise OptionError(
            f"{type(method).__name__}: {knob} must lie between 0 and {most:.3g}, got {value!r}."
        )


@dataclass(frozen=True)
class _Fixed:
    """A method with steps of fixed length.

    Attributes:
        step: Length of a step [s]. The last one may be shorter, and so may those that end
            on a tick of a sampled input.
        max_steps: Attempts allowed; None for no limit.
    """

    step: float
    max_steps: int | None = None
    adaptive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)


@dataclass(frozen=True)
class RK4(_Fixed):
    """The classical Runge-Kutta method of order 4 with steps of fixed length."""

    order: ClassVar[int] = 4


@dataclass(frozen=True)
class Nystrom4(_Fixed):
    """Nyström's method of order 4 for q̈ = f(t, q, q̇), with steps of fixed length."""

    order: ClassVar[int] = 4


@dataclass(frozen=True)
class _Adaptive:
    """A method that chooses its steps.

    Attributes:
        first_step: Length of the first step tried [s]; None to choose it.
        max_step: Longest step [s]; None for no limit.
        max_steps: Attempts allowed; None for no limit.
    """

    first_step: float | None = None
    max_step: float | None = None
    max_steps: int | None = None
    adaptive: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _positive(
            self, first_step=self.first_step, max_step=self.max_step, max_steps=self.max_steps
        )


@dataclass(frozen=True)
class RKF45(_Adaptive):
    """Fehlberg's pair 4(5), carried on with order 5; dense output of order 4."""

    order: ClassVar[int] = 5


@dataclass(frozen=True)
class DOPRI5(_Adaptive):
    """The pair 5(4) of Dormand and Prince with dense output of order 4: for rtol above 1e-5."""

    order: ClassVar[int] = 5


@dataclass(frozen=True)
class DOP853(_Adaptive):
    """The method 8(5,3) of Dormand and Prince with dense output of order 7."""

    order: ClassVar[int] = 8


@dataclass(frozen=True)
class Radau5(_Adaptive):
    """Radau IIA of order 5, implicit and L-stable: for stiff machines.

    Newton's method takes exact Jacobians. Dense output is of order 5 where a step has one
    before it, else the collocation polynomial of order 3, with a tighter step.
    """

    order: ClassVar[int] = 5


@dataclass(frozen=True)
class SDIRK54(_Adaptive):
    """The diagonally implicit pair 4(3) of Hairer and Wanner with five stages, L-stable.

    For stiff machines at loose tolerances; dense output of order 3.
    """

    order: ClassVar[int] = 4


@dataclass(frozen=True)
class Gauss2(_Fixed):
    """Gauss's implicit method of order 4 with steps of fixed length; symplectic, A-stable.

    Newton's method is iterated to rounding.
    """

    order: ClassVar[int] = 4


@dataclass(frozen=True)
class Trapezoidal(_Fixed):
    """The implicit trapezoidal rule of order 2 with steps of fixed length; A-stable.

    Newton's method is iterated to rounding.
    """

    order: ClassVar[int] = 2


@dataclass(frozen=True)
class GeneralizedAlpha:
    """The generalized-α method of Chung and Hulbert with steps of fixed length, of order 2.

    Constraints are held at position level (index 3); what is fast and unresolved is damped.

    Attributes:
        step: Length of a step [s]. The last one may be shorter, and so may those that end
            on a tick of a sampled input. Newton's method is iterated to rounding.
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

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)
        _within(self, "spectral_radius", self.spectral_radius, 1.0)
        if self.hht is not None:
            _within(self, "hht", self.hht, 1.0 / 3.0)

    @property
    def averages(self) -> tuple[float, float]:
        """αm and αf: the parts of the beginning in what is taken of inertia and of forces."""
        if self.hht is not None:
            return 0.0, self.hht
        rho = self.spectral_radius
        return (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)


@dataclass(frozen=True)
class Auto(_Adaptive):
    """The method that suits: `DOP853`, or `DOPRI5` when rtol is above 1e-5.

    Where stability rather than accuracy holds its steps back, `Radau5` takes over until it
    no longer does; the statistics of a run list each change with its time and reason.
    """

    order: ClassVar[int] = 8

    def choose(self, rtol: float) -> "DOP853 | DOPRI5":
        """Return the method used at a relative tolerance.

        Examples:
            >>> Auto(max_step=0.1).choose(1e-9)
            DOP853(first_step=None, max_step=0.1, max_steps=None)
        """
        kind = DOPRI5 if rtol > 1e-5 else DOP853
        return kind(self.first_step, self.max_step, self.max_steps)


Implicit = Radau5 | SDIRK54 | Gauss2 | Trapezoidal | GeneralizedAlpha
Method = RK4 | Nystrom4 | RKF45 | DOPRI5 | DOP853 | Auto | Implicit
