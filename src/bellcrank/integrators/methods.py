"""The methods one can choose, as values.

A method is a frozen dataclass whose fields are its knobs; its `repr` is how it was made.
What it does is in `native/`, found by the name of its class.
"""

from dataclasses import dataclass
from math import isfinite
from typing import ClassVar

from bellcrank.errors import OptionError


def _positive(method: object, **knobs: float | None) -> None:
    """Complain about knobs that are given but are not finite and positive."""
    name = type(method).__name__
    for knob, value in knobs.items():
        if value is None and knob != "step":  # all but a fixed step have a default
            continue
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not (number and isfinite(value) and value > 0):  # pyright: ignore[reportArgumentType, reportOptionalOperand]
            raise OptionError(f"{name}: {knob} must be a positive number, got {value!r}.")


@dataclass(frozen=True)
class RK4:
    """The classical Runge-Kutta method of order 4 with steps of fixed length.

    Attributes:
        step: Length of a step [s]. The last one may be shorter, and so may those that end
            on a tick of a sampled input.
        max_steps: Attempts allowed; None for no limit.
    """

    step: float
    max_steps: int | None = None
    order: ClassVar[int] = 4
    adaptive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)


@dataclass(frozen=True)
class Nystrom4:
    """Nyström's method of order 4 for q̈ = f(t, q, q̇), with steps of fixed length.

    Attributes:
        step: Length of a step [s], as for `RK4`.
        max_steps: Attempts allowed; None for no limit.
    """

    step: float
    max_steps: int | None = None
    order: ClassVar[int] = 4
    adaptive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)


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
class Gauss2:
    """Gauss's implicit method of order 4 with steps of fixed length; symplectic, A-stable.

    Attributes:
        step: Length of a step [s], as for `RK4`. Newton's method is iterated to rounding.
        max_steps: Attempts allowed; None for no limit.
    """

    step: float
    max_steps: int | None = None
    order: ClassVar[int] = 4
    adaptive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)


@dataclass(frozen=True)
class Trapezoidal:
    """The implicit trapezoidal rule of order 2 with steps of fixed length; A-stable.

    Attributes:
        step: Length of a step [s], as for `RK4`. Newton's method is iterated to rounding.
        max_steps: Attempts allowed; None for no limit.
    """

    step: float
    max_steps: int | None = None
    order: ClassVar[int] = 2
    adaptive: ClassVar[bool] = False

    def __post_init__(self) -> None:
        _positive(self, step=self.step, max_steps=self.max_steps)


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


Implicit = Radau5 | SDIRK54 | Gauss2 | Trapezoidal
Method = RK4 | Nystrom4 | RKF45 | DOPRI5 | DOP853 | Auto | Implicit
