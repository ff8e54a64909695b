"""Diagonally implicit Runge-Kutta methods: their tableaus.

    Y_i = x + h Σ_j≤i a_ij f_j,   f_i = f(t + c_i h, Y_i),   x₁ = Y_s

Newton's method has one linear system per stage, all of them with the same matrix.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.6.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.integrators.methods.collocation import nested_basis

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Diagonal:
    """A diagonally implicit method with equal entries on the diagonal, x₁ = Y_s.

    Attributes:
        order: Of x₁.
        c, a: The tableau; b is the last row of a.
        gamma: The entry on the diagonal.
        explicit_first: Whether the first stage is x itself.
        errors: b - b̂; empty if the method has fixed steps.
        error_order: The step is changed with this root of the error.
        dense: Weights of θ, θ², θ³, … in b_i(θ), one row each; empty for a cubic between
            the ends.
    """

    order: int
    c: Array
    a: Array
    gamma: float
    explicit_first: bool = False
    errors: Array | tuple[()] = ()
    error_order: int = 0
    dense: Array | tuple[()] = ()

    @property
    def implicit(self) -> bool:
        """Whether stages are solved for."""
        return True

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.c)

    @property
    def adaptive(self) -> bool:
        """Whether errors are estimated."""
        return len(self.errors) > 0

    @property
    def b(self) -> Array:
        """Weights of x₁, shape (s,)."""
        return self.a[-1]

    @property
    def last(self) -> int:
        """Row of K of the derivative of the last stage."""
        return self.stages - self.explicit_first

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of K, see `native.diagonal`, and of the dense output."""
        return self.last + 5, 1 + len(self.dense) if len(self.dense) else 4

    def stepper(self, constrained: bool) -> "Stepper":
        """Return the native functions of the method."""
        from bellcrank.integrators.methods.native.diagonal import diagonal

        return diagonal(self)

    def nested(self) -> Array:
        """Return N with C_k = h Σ N_ki f_i, the dense output as `contract` writes it."""
        powers = len(self.dense)
        theta = np.arange(1, powers + 1) / powers
        values = theta[:, None] ** np.arange(1, powers + 1) @ np.asarray(self.dense)
        return np.linalg.solve(nested_basis(theta, powers), values)


def numbers(text: str) -> list[float]:
    """Return numbers from fractions of whole numbers, `1/2 3 -4/5`."""
    return [float(Fraction(each)) for each in text.split()]


def lower(text: str, size: int) -> Array:
    """Return a lower triangular matrix from its rows, separated by `|`."""
    rows = [numbers(line) for line in text.split("|")]
    return np.array([row + [0.0] * (size - len(row)) for row in rows])
