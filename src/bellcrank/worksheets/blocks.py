"""Blocks: small products of rotations and skew matrices that print and that have values.

What stands on the page and what is computed from it are one object. A `MatrixBlock` is a sum of
products such as −[R₂]ᵀ[q̃′₃ + s̃′₃]; without terms it is the zero block, and a product without
factors is the identity.

Conventions:
    [R_K]    takes inertial components to components in body K; [R_0] is the identity
    a′       components along a body; ã b = a × b
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from bellcrank.spatial.arithmetic import skew
from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    PRIME,
    Accent,
    Formula,
    Line,
    Numeral,
    Script,
    Sign,
    Stack,
    braces,
    indexed,
    line,
    matrix,
    numerals,
    symbol,
)

Array: TypeAlias = np.ndarray
ZERO = matrix(Numeral("0"))
IDENTITY = matrix("I")


@dataclass(frozen=True, slots=True)
class VectorQuantity:
    """A vector of the machine: a letter, its index, and whether it is a rate.

    Attributes:
        letter: r, q, s or ω of a body; f, g, h, k, a or c of a joint.
        index: The number of the body, or the name of the joint.
        rate: Whether it is the rate of the components.
    """

    letter: str
    index: int | str
    rate: bool = False

    @property
    def constant(self) -> bool:
        """Whether it is a number of the machine and not of its motion."""
        return self.letter not in "sω"

    def formula(self, skew: bool = False) -> Formula:
        """Return the letter with its marks, such as q′₂, ṡ′₂ or ω̃′₂."""
        body: Formula = symbol(self.letter)
        body = Accent(body, "tilde") if skew else body
        body = Accent(body, "dot") if self.rate else body
        return Script(body, symbol(str(self.index)), PRIME)


@dataclass(frozen=True)
class Style:
    """How constants are printed: by their letters, or by numbers where there are any.

    Attributes:
        numbers: Of constants, shape (3,) each; empty for letters.
    """

    numbers: Mapping[VectorQuantity, tuple[float, ...]] = field(default_factory=dict)

    def gone(self, quantity: VectorQuantity) -> bool:
        """Return whether a quantity is a number, and zero."""
        return quantity in self.numbers and not any(self.numbers[quantity])

    def written(self, terms: tuple[VectorQuantity, ...], skew: bool) -> Formula:
        """Return the sum of the terms, without those that are zero numbers."""
        parts: list[Formula] = []
        for term in terms:
            if self.gone(term):
                continue
            if term in self.numbers:
                body = numerals(self.numbers[term])
                shown: Formula = Script(body, None, Sign("∼")) if skew else body
            else:
                shown = term.formula(skew)
            parts += [PLUS, shown] if parts else [shown]
        return parts[0] if len(parts) == 1 else Line(tuple(parts))


LETTERS = Style()


@dataclass(frozen=True)
class Values:
    """Numbers behind the letters: constants of the machine and one state of it.

    Attributes:
        constants: Vectors by quantity, shape (3,).
        R: [R_K] for K = 1 … N, shape (N, 3, 3).
        s, w, sd: s′_K [m], ω′_K [rad/s], ṡ′_K [m/s], shape (N, 3).
    """

    constants: Mapping[VectorQuantity, tuple[float, ...]]
    R: Array
    s: Array
    w: Array
    sd: Array

    def vector(self, quantity: VectorQuantity) -> Array:
        """Return the value of a quantity, shape (3,)."""
        if quantity.constant or isinstance(quantity.index, str):
            return np.asarray(self.constants[quantity])
        rows = self.sd if quantity.rate else self.s if quantity.letter == "s" else self.w
        return np.asarray(rows)[quantity.index - 1]

    def total(self, terms: tuple[VectorQuantity, ...]) -> Array:
        """Return the sum of quantities, shape (3,)."""
        return np.sum([self.vector(term) for term in terms], axis=0)

    def rotation(self, body: int) -> Array:
        """Return [R_K], the identity for K = 0, shape (3, 3)."""
        return np.eye(3) if body == 0 else np.asarray(self.R)[body - 1]


@dataclass(frozen=True, slots=True)
class Rotation:
    """[R_K]ᵀ, or [R_K] where it is not transposed."""

    body: int
    transposed: bool = True

    def value(self, values: Values) -> Array:
        """Return the matrix, shape (3, 3)."""
        R = values.rotation(self.body)
        return R.T if self.transposed else R

    def formula(self, style: Style) -> Formula:
        """Return [R_K]ᵀ."""
        return matrix(indexed("R", self.body), self.transposed)


@dataclass(frozen=True, slots=True)
class Skew:
    """[q̃′₂ + s̃′₂]: the skew matrix of a sum."""

    terms: tuple[VectorQuantity, ...]

    def value(self, values: Values) -> Array:
        """Return the matrix, shape (3, 3)."""
        return np.array(skew(values.total(self.terms).tolist()))

    def formula(self, style: Style) -> Formula:
        """Return the sum with tildes, in brackets."""
        return matrix(style.written(self.terms, skew=True))


@dataclass(frozen=True, slots=True)
class Column:
    """{q′₂ + s′₂}: a sum of vectors."""

    terms: tuple[VectorQuantity, ...]

    def value(self, values: Values) -> Array:
        """Return the vector, shape (3,)."""
        return values.total(self.terms)

    def formula(self, style: Style) -> Formula:
        """Return the sum, in braces."""
        return braces(style.written(self.terms, skew=False))


@dataclass(frozen=True, slots=True)
class Spin:
    """[ω′_{K,y}]{y}: the angular velocity of a body by its partial angular velocities."""

    body: int

    def value(self, values: Values) -> Array:
        """Return ω′_K, shape (3,)."""
        return values.vector(VectorQuantity("ω", self.body))

    def formula(self, style: Style) -> Formula:
        """Return [ω′_{K,y}]{y}."""
        return line(matrix(indexed("ω", self.body, ",", "y", prime=True)), braces("y"))


Factor: TypeAlias = Rotation | Skew | Column | Spin


@dataclass(frozen=True, slots=True)
class Product:
    """A sign and factors from left to right; rotations of the inertial frame are left out."""

    sign: int
    factors: tuple[Factor, ...]

    def value(self, values: Values) -> Array:
        """Return the product, shape (3, 3) or (3,)."""
        result: Array = self.sign * np.eye(3)
        for factor in self.factors:
            result = result @ factor.value(values)
        return result

    def vanishes(self, style: Style) -> bool:
        """Return whether a factor is printed as a sum of no terms."""
        return any(
            all(map(style.gone, factor.terms))
            for factor in self.factors
            if isinstance(factor, Skew | Column)
        )

    def formula(self, style: Style) -> Formula:
        """Return the factors side by side, without the sign."""
        parts = [factor.formula(style) for factor in self.factors if not _plain(factor)]
        return line(*parts) if parts else IDENTITY


def _plain(factor: Factor) -> bool:
    return isinstance(factor, Rotation) and factor.body == 0


def product(sign: int, *factors: Factor) -> Product:
    """Return a product."""
    return Product(sign, tuple(factor for factor in factors if not _plain(factor)))


@dataclass(frozen=True, slots=True)
class MatrixBlock:
    """A sum of products: a 3×3 block of a matrix, or a vector."""

    terms: tuple[Product, ...] = ()

    def value(self, values: Values) -> Array:
        """Return the sum, shape (3, 3) or (3,); zeros (3, 3) without terms."""
        total: Array = np.zeros((3, 3))
        for i, term in enumerate(self.terms):
            total = term.value(values) if i == 0 else total + term.value(values)
        return total

    def parts(self, style: Style = LETTERS) -> tuple[Formula, ...]:
        """Return the terms with their signs, one part each."""
        parts: list[Formula] = []
        for term in self.terms:
            if term.vanishes(style):
                continue
            shown = term.formula(style)
            if term.sign < 0:
                shown = Line((MINUS, shown))
            elif parts:
                shown = Line((PLUS, shown))
            parts.append(shown)
        return tuple(parts)

    def formula(self, style: Style = LETTERS) -> Formula:
        """Return the sum, in round brackets if it has several terms; [0] and [I] as such."""
        parts = self.parts(style)
        if not parts:
            return ZERO
        return parts[0] if len(parts) == 1 else Stack(parts)


NOTHING = MatrixBlock()
UNIT = MatrixBlock((Product(1, ()),))
