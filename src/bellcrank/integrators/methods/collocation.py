"""Fully implicit Runge-Kutta methods: their tableaus, and what Newton's method makes of them.

    Y_i = x + h Σ_j a_ij f_j,   f_i = f(t + c_i h, Y_i),   x₁ = x + h Σ b_i f_i

With Z_i = Y_i - x, (A⁻¹/h) Z = f(x + Z) is solved. A⁻¹ = T diag(γ, α ± iβ) T⁻¹ turns the linear
systems of Newton's method, s n large, into one real and one complex system of size n.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.5, IV.8.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Collocation:
    """A fully implicit method of two or three stages, of which two are a complex pair.

    Attributes:
        order: Of x₁.
        c, a, b: The tableau, shapes (s,), (s, s), (s,).
        real: Whether A⁻¹ has a real eigenvalue; it then comes first.
    """

    order: int
    c: Array
    a: Array
    b: Array
    real: bool

    @property
    def implicit(self) -> bool:
        """Whether stages are solved for."""
        return True

    @property
    def adaptive(self) -> bool:
        """Whether errors are estimated: a method that does has a stepper of its own."""
        return False

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.b)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows of K, see `native.collocation`, and of the cubic between the ends."""
        return 3 * self.stages + 3, 4

    def stepper(self, constrained: bool) -> "Stepper":
        """Return the native functions of the method with steps of fixed length."""
        from bellcrank.integrators.methods.native.collocation import fixed

        return fixed(self, constrained)

    def spectrum(self) -> tuple[float, complex, Array]:
        """Return γ (0 if there is none), α + iβ with β > 0, and T, shape (s, s).

        The columns of T are the real eigenvector of A⁻¹ and the real and imaginary parts of
        the complex one, all scaled to a last entry of 1.
        """
        values, vectors = np.linalg.eig(np.linalg.inv(self.a))
        vectors = vectors / vectors[-1]
        upper = int(np.argmax(np.imag(values)))
        columns = [vectors[:, upper].real, vectors[:, upper].imag]
        gamma = 0.0
        if self.real:
            alone = int(np.argmin(abs(np.imag(values))))
            gamma = float(values[alone].real)
            columns.insert(0, vectors[:, alone].real)
        return gamma, complex(values[upper]), np.column_stack(columns)

    def weights(self) -> Array:
        """Return d with x₁ = x + Σ d_i Z_i, that is d = A⁻ᵀ b, shape (s,)."""
        return np.linalg.solve(self.a.T, self.b)

    def nested(self) -> Array:
        """Return N with C_k = Σ N_ki Z_i, k = 1 … s: the collocation polynomial.

        It is x + θ(C₁ + (1-θ)(C₂ + θ C₃)), has the values Y_i at c_i, and order s.
        """
        return np.linalg.inv(nested_basis(self.c, self.stages))


def nested_basis(theta: Array, rows: int) -> Array:
    """Return θ, θ(1-θ), θ²(1-θ), θ²(1-θ)², …, as many as `rows`, shape (len(θ), rows)."""
    columns, value = [], np.ones_like(theta)
    for row in range(rows):
        value = value * (theta if row % 2 == 0 else 1 - theta)
        columns.append(value)
    return np.column_stack(columns)
