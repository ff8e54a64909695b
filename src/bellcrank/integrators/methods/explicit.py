"""Explicit Runge-Kutta methods: their tableaus.

    Y_i = x + h Σ_j a_ij f_j,   f_i = f(t + c_i h, Y_i),   x₁ = x + h Σ b_i f_i

A tableau also says how far off x₁ is (`errors`) and how the solution runs inside the step
(`dense`). Row number `stages` of the derivatives is f(t + h, x₁), which is the first stage of
the next step.

References:
    Hairer, Nørsett, Wanner (1993), Solving Ordinary Differential Equations I, II.1 to II.6.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper

Numbers = tuple[float, ...]


@dataclass(frozen=True)
class Tableau:
    """An explicit Runge-Kutta method.

    Attributes:
        order: Of x₁, which is what is carried on.
        c: Stage times, shape (stages,).
        a: Stage weights; row i has i entries.
        b: Weights of x₁, shape (stages,).
        errors: Weights e over the derivatives, last one included, of the estimate h Σ e_i f_i.
            None: the method has fixed steps. Two: the estimate is e₁²/√(e₁² + e₂²/100).
        error_order: The step is changed with this root of the error.
        beta: Weight of the previous error in the choice of the step (PI control).
        safety: Part of the step that the error allows which is taken.
        extra_c: Stage times of stages for the dense output only.
        extra_a: Their weights over all derivatives before them.
        dense: Weights of the rows of the dense output from the fifth on.
        bootstrap: θ at which one more derivative makes the cubic between the ends a
            quartic; 0 if there is none.
    """

    order: int
    c: Numbers
    a: tuple[Numbers, ...]
    b: Numbers
    errors: tuple[Numbers, ...] = ()
    error_order: int = 0
    beta: float = 0.0
    safety: float = 0.9
    extra_c: Numbers = ()
    extra_a: tuple[Numbers, ...] = ()
    dense: tuple[Numbers, ...] = ()
    bootstrap: float = 0.0

    @property
    def implicit(self) -> bool:
        """Whether stages are solved for."""
        return False

    @property
    def stages(self) -> int:
        """Number of derivatives that x₁ is made of."""
        return len(self.b)

    @property
    def adaptive(self) -> bool:
        """Whether errors are estimated."""
        return bool(self.errors)

    @property
    def first_same_as_last(self) -> bool:
        """Whether the error estimate needs f(t + h, x₁)."""
        return any(len(e) > self.stages and e[self.stages] != 0 for e in self.errors)

    @property
    def shape(self) -> tuple[int, int]:
        """Number of derivatives that are kept, and of rows of the dense output."""
        extra = self.bootstrap != 0
        return self.stages + 1 + len(self.extra_c) + extra, 4 + len(self.dense) + extra

    def stepper(self, constrained: bool) -> "Stepper":
        """Return the native functions of the method; its right-hand side holds constraints."""
        from bellcrank.integrators.methods.native.explicit import runge_kutta

        return runge_kutta(self)


def numbers(text: str) -> Numbers:
    """Return numbers from fractions of whole numbers, `1/2 3 -4/5`, correctly rounded."""
    pairs = (each.partition("/") for each in text.split())
    return tuple(int(above) / int(below or 1) for above, _, below in pairs)


def rows(text: str) -> tuple[Numbers, ...]:
    """Return rows of numbers, separated by `|`."""
    return tuple(numbers(line) for line in text.split("|"))
