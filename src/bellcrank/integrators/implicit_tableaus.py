"""Tableaus of implicit Runge-Kutta methods, and what Newton's method makes of them.

    Y_i = x + h Σ_j a_ij f_j,   f_i = f(t + c_i h, Y_i),   x₁ = x + h Σ b_i f_i

With Z_i = Y_i - x, a fully implicit method solves (A⁻¹/h) Z = f(x + Z). A⁻¹ = T diag(γ, α ± iβ)
T⁻¹ turns the linear systems of Newton's method, s n large, into one real and one complex
system of size n. A diagonally implicit method has one real system per stage, all of them
with the same matrix.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.5, IV.6, IV.8.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Collocation:
    """A fully implicit method in the variables in which A is diagonal.

    Attributes:
        name: Its name.
        order: Of x₁.
        c, a, b: The tableau, shapes (s,), (s, s), (s,).
        real: Whether A⁻¹ has a real eigenvalue; it then comes first.
    """

    name: str
    order: int
    c: Array
    a: Array
    b: Array
    real: bool

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.b)

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


S6, S3 = sqrt(6.0), sqrt(3.0)

RADAU5 = Collocation(
    name="Radau5",
    order=5,
    c=np.array([(4 - S6) / 10, (4 + S6) / 10, 1.0]),
    a=np.array([
        [(88 - 7 * S6) / 360, (296 - 169 * S6) / 1800, (-2 + 3 * S6) / 225],
        [(296 + 169 * S6) / 1800, (88 + 7 * S6) / 360, (-2 - 3 * S6) / 225],
        [(16 - S6) / 36, (16 + S6) / 36, 1 / 9],
    ]),
    b=np.array([(16 - S6) / 36, (16 + S6) / 36, 1 / 9]),
    real=True,
)
RADAU5_ERROR = np.array([-13 - 7 * S6, -13 + 7 * S6, -1.0]) / 3.0
"""e of the estimate (γ/h - J)⁻¹ (f₀ + Σ e_i Z_i / h), which is of order 3."""

GAUSS2 = Collocation(
    name="Gauss2",
    order=4,
    c=np.array([0.5 - S3 / 6, 0.5 + S3 / 6]),
    a=np.array([[0.25, 0.25 - S3 / 6], [0.25 + S3 / 6, 0.25]]),
    b=np.array([0.5, 0.5]),
    real=False,
)


@dataclass(frozen=True, eq=False)
class Diagonal:
    """A diagonally implicit method with equal entries on the diagonal, x₁ = Y_s.

    Attributes:
        name: Its name.
        order: Of x₁.
        c, a: The tableau; b is the last row of a.
        gamma: The entry on the diagonal.
        explicit_first: Whether the first stage is x itself.
        errors: b - b̂; empty if the method has fixed steps.
        error_order: The step is changed with this root of the error.
        dense: Weights of θ, θ², θ³, … in b_i(θ), one row each; empty for a cubic between
            the ends.
    """

    name: str
    order: int
    c: Array
    a: Array
    gamma: float
    explicit_first: bool = False
    errors: Array | tuple[()] = ()
    error_order: int = 0
    dense: Array | tuple[()] = ()

    @property
    def stages(self) -> int:
        """Number of stages s."""
        return len(self.c)

    @property
    def b(self) -> Array:
        """Weights of x₁, shape (s,)."""
        return self.a[-1]

    def nested(self) -> Array:
        """Return N with C_k = h Σ N_ki f_i, the dense output as `contract` writes it."""
        powers = len(self.dense)
        theta = np.arange(1, powers + 1) / powers
        values = theta[:, None] ** np.arange(1, powers + 1) @ np.asarray(self.dense)
        return np.linalg.solve(nested_basis(theta, powers), values)


def _numbers(text: str) -> list[float]:
    return [float(Fraction(each)) for each in text.split()]


def _lower(text: str, size: int) -> Array:
    rows = [_numbers(line) for line in text.split("|")]
    return np.array([row + [0.0] * (size - len(row)) for row in rows])


TRAPEZOIDAL = Diagonal(
    name="Trapezoidal",
    order=2,
    c=np.array([0.0, 1.0]),
    a=_lower("0 | 1/2 1/2", 2),
    gamma=0.5,
    explicit_first=True,
)

SDIRK54 = Diagonal(
    name="SDIRK54",
    order=4,
    c=np.array(_numbers("1/4 3/4 11/20 1/2 1")),
    a=_lower(
        "1/4 | 1/2 1/4 | 17/50 -1/25 1/4 | 371/1360 -137/2720 15/544 1/4"
        "| 25/24 -49/48 125/16 -85/12 1/4",
        5,
    ),
    gamma=0.25,
    # b - b̂ with b̂ = 59/48 -17/96 225/32 -85/12 0
    errors=np.array(_numbers("-3/16 -27/32 25/32 0 1/4")),
    error_order=4,
    dense=np.array([
        _numbers("11/3 11/2 -125/18 0 -11/9"),
        _numbers("-463/72 -385/16 20125/432 -85/4 557/108"),
        _numbers("217/36 661/24 -8875/216 85/6 -359/54"),
        _numbers("-20/9 -10 250/27 0 80/27"),
    ]),
)
