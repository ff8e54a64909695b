"""What a method is: a value whose fields are its knobs, and whose class says how it integrates.

A method is one file. Its class names a tableau (`explicit`, `diagonal`, `collocation`), from
which its driver is made, or brings a `shape` and a `stepper` of its own; `contract` says what a
stepper is. `bellcrank.integrators.methods` lists those of this package; one from elsewhere
needs no list.
"""

import sys
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeGuard

from bellcrank.errors import OptionError

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper
    from bellcrank.integrators.problem import Problem
    from bellcrank.kernels.layout import Record


class AbstractTableau(Protocol):
    """The numbers of a method, and the native code made of them."""

    @property
    def order(self) -> int:
        """Order of what is carried on."""
        ...

    @property
    def implicit(self) -> bool:
        """Whether its stages are solved for, with Jacobians."""
        ...

    @property
    def adaptive(self) -> bool:
        """Whether it estimates its errors."""
        ...

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of K and of C, see `contract`."""
        ...

    def stepper(self, constrained: bool) -> "Stepper":
        """Return its native functions; `constrained` where it holds constraints itself."""
        ...


class Method:
    """A method of integration.

    Attributes:
        tableau: Its numbers. A method without one has `order`, `implicit`, `shape` and
            `stepper` of its own.
        order: Its order, as that of its tableau.
        implicit: Whether it solves equations for its stages, and needs Jacobians.
        adaptive: Whether it chooses its steps.
        index: Index of the equations on which it holds constraints itself, 2 or 3; 0 if it does
            not.
        unfit: Why an implicit method of index 0 takes no constraints.
        damps: Whether it takes energy out of what is fast, on purpose.
        along_mass: Whether it has its order only if the end of a step is brought onto the
            constraints along A⁻¹ Cᵀ, the directions in which they push.
        stable: h ρ up to which it is stable on the negative real axis, where that is known.
        max_steps: Attempts allowed; None for no limit.
    """

    tableau: ClassVar[AbstractTableau]
    order: ClassVar[int]
    adaptive: ClassVar[bool]
    implicit: ClassVar[bool] = False
    index: ClassVar[int] = 0
    unfit: ClassVar[str] = "it has no way to hold them."
    damps: ClassVar[bool] = False
    along_mass: ClassVar[bool] = False
    stable: ClassVar[float] = inf
    max_steps: int | None

    def __init_subclass__(cls) -> None:
        own = vars(cls)
        if "tableau" not in own:
            return
        cls.order, cls.implicit = cls.tableau.order, cls.tableau.implicit
        if cls.adaptive != cls.tableau.adaptive and "stepper" not in own:
            needed = "an AdaptiveStep" if cls.tableau.adaptive else "a FixedStep"
            does = "estimates" if cls.tableau.adaptive else "does not estimate"
            raise TypeError(f"{cls.__name__} must be {needed}: its tableau {does} errors.")

    @classmethod
    def shape(cls) -> tuple[int, int]:
        """Return how many rows K and C have, see `contract`."""
        return cls.tableau.shape

    @classmethod
    def stepper(cls, constrained: bool) -> "Stepper":
        """Return its native functions; `constrained` where it holds constraints itself."""
        return cls.tableau.stepper(constrained)

    @classmethod
    def constrained(cls, problem: "Problem") -> bool:
        """Return whether it holds constraints of a problem itself."""
        return cls.index > 0 and problem.saddle is not None

    @classmethod
    def room(cls, problem: "Problem") -> int | None:
        """Return how many doubles MATRICES points to; None for an explicit method.

        `native.linear` lays them out, or `index2.table` where there are constraints.
        """
        if not cls.implicit:
            return None
        if problem.saddle is not None:
            return problem.saddle.room
        nx, nu = problem.nx, problem.nu
        return 4 * nx * nx + nu * nu + 4 * nx

    @classmethod
    def written(cls) -> str:
        """Return how it is written by who chooses it, as in messages.

        Examples:
            >>> from bellcrank.integrators.methods import RK4
            >>> RK4.written()
            'RK4(step=…)'
        """
        return f"{cls.__name__}{'()' if cls.adaptive else '(step=…)'}"

    @property
    def stiff(self) -> "Method | None":
        """The method that takes over where a problem is stiff, if there is one."""
        return None

    def choose(self, rtol: float) -> "Method":
        """Return the method used at a relative tolerance."""
        return self

    def check(self, problem: "Problem") -> None:
        """Complain about a problem that it cannot take.

        Raises:
            OptionError: Saying why, and what would do.
        """
        name = type(self).__name__
        if self.implicit and problem.jacobian is None and problem.saddle is None:
            raise OptionError(
                f"{name} is implicit and needs the problem's jacobian. Use DOP853()."
            )
        if self.implicit and not self.index and problem.saddle is not None:
            raise OptionError(f"{name} takes no constraints: {self.unfit}")

    def begin(self, run: "Record") -> None:
        """Write its knobs into the block of doubles, see `contract`."""
        raise NotImplementedError


@dataclass(frozen=True)
class FixedStep(Method):
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
        positive(self, step=self.step, max_steps=self.max_steps)

    def begin(self, run: "Record") -> None:
        """Write the step."""
        run.h = self.step


@dataclass(frozen=True)
class AdaptiveStep(Method):
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
        positive(
            self, first_step=self.first_step, max_step=self.max_step, max_steps=self.max_steps
        )

    def begin(self, run: "Record") -> None:
        """Write the first step, 0 to choose it, and the longest."""
        run.h, run.max_h = self.first_step or 0.0, self.max_step or inf


def positive(method: Method, **knobs: float | None) -> None:
    """Complain about knobs that are given but are not finite and positive."""
    for knob, value in knobs.items():
        if value is None and knob != "step":  # all but a fixed step have a default
            continue
        if not (_number(value) and 0 < value <= sys.float_info.max):
            name, told = type(method).__name__, repr(value)
            got = told if len(told) < 40 else f"one of {len(told)} letters"
            raise OptionError(f"{name}: {knob} must be a positive number, got {got}.")


def within(method: Method, knob: str, value: float, most: float) -> None:
    """Complain about a knob that is not between 0 and a limit."""
    if not (_number(value) and 0.0 <= value <= most):
        name = type(method).__name__
        raise OptionError(f"{name}: {knob} must lie between 0 and {most:.3g}, got {value!r}.")


def _number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
