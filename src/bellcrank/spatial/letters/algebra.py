"""Sums of products of letters: scalars, columns, matrices and skew matrices."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bellcrank.spatial.arithmetic import Printable
from bellcrank.spatial.formula import Formula, Letter, Script

Shape: TypeAlias = tuple[int, int]


@dataclass(frozen=True)
class Symbol:
    """A letter of a page; two are the same if their keys are.

    Attributes:
        key: What it stands for.
        formula: How it is printed.
        shape: Rows and columns; (1, 1) for a scalar.
        rate: Its rate along the motion, None for a constant or a speed whose rate is zero.
        spin: ω′ of a rotation, which is orthonormal then.
        definition: What it abbreviates, None for a symbol of its own.
        rigid: Whether it is a rotation, whose transpose is its inverse, without a spin.
        numbers: The entries of a column that is the same everywhere.
        inward: Whether a rotation takes world components to those along the body, whose rate
            is then −ω̃′ R.
    """

    key: Hashable
    formula: Formula = field(compare=False)
    shape: Shape = field(default=(3, 1), compare=False)
    rate: "Callable[[], Letters] | None" = field(default=None, compare=False, repr=False)
    spin: "Letters | None" = field(default=None, compare=False, repr=False)
    definition: "Letters | None" = field(default=None, compare=False, repr=False)
    rigid: bool = field(default=False, compare=False, repr=False)
    numbers: tuple[float, ...] = field(default=(), compare=False, repr=False)
    inward: bool = field(default=False, compare=False, repr=False)

    def __call__(self) -> "Letters":
        """Return the symbol as an expression."""
        if self.shape == (1, 1):
            return Letters((1, 1), {(((self, 1),), ()): 1.0})
        if self.shape[1] == 1:
            return Letters(self.shape, {((), (ColumnFactor(((self, 1.0),)),)): 1.0})
        return Letters(self.shape, {((), (Matrix(self),)): 1.0})


@dataclass(frozen=True)
class Matrix:
    """A matrix symbol, or its transpose."""

    symbol: Symbol
    transposed: bool = False

    @property
    def T(self) -> "Matrix":
        """The transpose."""
        return Matrix(self.symbol, not self.transposed)


@dataclass(frozen=True)
class ColumnFactor:
    """A sum of column symbols, or its transpose, a row."""

    parts: tuple[tuple[Symbol, float], ...]
    transposed: bool = False

    @property
    def T(self) -> "ColumnFactor":
        """The transpose."""
        return ColumnFactor(self.parts, not self.transposed)


@dataclass(frozen=True)
class SkewFactor:
    """ã of a vector; its transpose is −ã, whose sign a term carries."""

    vector: "Letters"


@dataclass(frozen=True)
class Dot:
    """A product of factors that is a number: aᵀ … b."""

    chain: "Chain"


@dataclass(frozen=True)
class Call:
    """A function of scalars: sin, sqrt, atan2, …."""

    name: str
    arguments: "tuple[Letters, ...]"


Factor: TypeAlias = Matrix | ColumnFactor | SkewFactor
Chain: TypeAlias = tuple[Factor, ...]
Atom: TypeAlias = Symbol | Dot | Call
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
Term: TypeAlias = tuple[Monomial, Chain]


class Letters(Printable):
    """A sum of terms; a scalar, a vector or a matrix.

    Attributes:
        shape: Rows and columns.
        terms: Coefficients by (scalars, factors).
    """

    __slots__ = ("_hash", "shape", "terms")

    def __init__(self, shape: Shape, terms: Mapping[Term, float] | None = None) -> None:
        self.shape = shape
        self.terms = {term: c for term, c in (terms or {}).items() if c != 0.0}
        self._hash: int | None = None

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Letters)
            and self.shape == other.shape
            and self.terms == other.terms
        )

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.shape, frozenset(self.terms.items())))
        return self._hash

    def __repr__(self) -> str:
        return f"<Letters {self.shape[0]}×{self.shape[1]}, {len(self.terms)} terms>"

    def __bool__(self) -> bool:
        return bool(self.terms)

    # --- scalars and sums

    def __add__(self, other: Any) -> "Letters":
        other = as_letters(other, self.shape)
        found = dict(self.terms)
        for term, c in other.terms.items():
            found[term] = found.get(term, 0.0) + c
        return Letters(self.shape, _grouped(found))

    __radd__ = __add__

    def __neg__(self) -> "Letters":
        return Letters(self.shape, {term: -c for term, c in self.terms.items()})

    def __sub__(self, other: Any) -> "Letters":
        return self + (-as_letters(other, self.shape))

    def __rsub__(self, other: Any) -> "Letters":
        return as_letters(other, self.shape) - self

    def __mul__(self, other: Any) -> "Letters":
        """Return the product with a scalar."""
        other = as_letters(other, (1, 1))
        if other.shape != (1, 1):
            return other * self
        found: dict[Term, float] = {}
        for (ours, chain), c in self.terms.items():
            for (theirs, _), d in other.terms.items():
                term = (times(ours, theirs), chain)
                found[term] = found.get(term, 0.0) + c * d
        return Letters(self.shape, found)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Letters":
        return self * as_letters(other, (1, 1)).inverse()

    def __rtruediv__(self, other: Any) -> "Letters":
        return as_letters(other, (1, 1)) * self.inverse()

    def inverse(self) -> "Letters":
        """Return 1 / self of a scalar; sums are kept together."""
        if len(self.terms) == 1:
            ((monomial, _), c) = next(iter(self.terms.items()))
            return Letters((1, 1), {(tuple((a, -n) for a, n in monomial), ()): 1.0 / c})
        return Letters((1, 1), {(((Call("", (self,)), -1),), ()): 1.0})

    def __pow__(self, power: Any) -> "Letters":
        if power == 0.5:
            return _rooted(self)
        count = round(float(power))
        if count != power:
            return call("pow", self, as_letters(power, (1, 1)))
        if count < 0:
            return (self**-count).inverse()
        found = as_letters(1.0, (1, 1))
        for _ in range(count):
            found = found * self
        return found

    # --- matrices

    @property
    def T(self) -> "Letters":
        """The transpose."""
        found: dict[Term, float] = {}
        for (monomial, chain), c in self.terms.items():
            flipped, sign = transposed_chain(chain)
            found[monomial, flipped] = c * sign
        return Letters((self.shape[1], self.shape[0]), found)

    def __matmul__(self, other: "Letters") -> "Letters":
        if (1, 1) in (self.shape, other.shape):
            return self * other
        found: dict[Term, float] = {}
        shape = (self.shape[0], other.shape[1])
        for (ours, left), c in self.terms.items():
            for (theirs, right), d in other.terms.items():
                chain, monomial = _joined(left, right), times(ours, theirs)
                if _vanishes(chain):
                    continue
                if shape == (1, 1):
                    atom, sign = _scalar(chain)
                    monomial, chain = times(monomial, ((atom, 1),)), ()
                    d = d * sign
                term = (monomial, chain)
                found[term] = found.get(term, 0.0) + c * d
        return Letters(shape, _grouped(found))

    # --- what arithmetic asks

    def column(self, value: Any) -> "Letters":
        """Return a vector, given by its components, as a sum along the world's axes."""
        return as_letters(value, (3, 1))

    def cross(self, other: "Letters") -> "Letters":
        """Return self × other."""
        return cross(self, other)

    def skew(self) -> "Letters":
        """Return ã."""
        return skew(self)

    def function(self, name: str, *arguments: Any) -> "Letters":
        """Return a function of scalars."""
        return call(name, *arguments)


def zero(shape: Shape = (3, 1)) -> Letters:
    """Return a sum of no terms."""
    return Letters(shape)


def identity(size: int = 3) -> Letters:
    """Return the identity matrix."""
    return Letters((size, size), {((), ()): 1.0})


def as_letters(value: Any, shape: Shape = (1, 1)) -> Letters:
    """Return a number as letters, and a list of scalars as a sum along the world's axes.

    Raises:
        TypeError: It is something else.
    """
    if isinstance(value, Letters):
        return value
    if isinstance(value, int | float):
        number = Letters((1, 1), {((), ()): float(value)})
        return number if shape == (1, 1) else Letters(shape) if value == 0 else number
    if isinstance(value, list | tuple) and len(value) <= 3:
        found = zero((3, 1))
        for axis, entry in zip(AXES, value, strict=False):
            if isinstance(entry, Letters) or entry:
                found = found + axis() * as_letters(entry)
        return found
    raise TypeError(f"{value!r} has no letter")


AXES = tuple(
    Symbol(("axis", i), Script(Letter("e"), Letter("xyz"[i])), numbers=row)
    for i, row in enumerate(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
)
"""Unit vectors of the world."""


PI = Symbol("pi", Letter("π"), (1, 1), numbers=(3.141592653589793,))


def component(vector: Letters, axis: int) -> Letters:
    """Return a world component of a vector."""
    return AXES[axis]().T @ vector


def _rooted(square: Letters) -> Letters:
    """Return √ of a scalar, of a square without the sign."""
    if len(square.terms) == 1:
        ((monomial, _), c) = next(iter(square.terms.items()))
        if c > 0 and all(n % 2 == 0 for _, n in monomial):
            return Letters((1, 1), {(tuple((a, n // 2) for a, n in monomial), ()): c**0.5})
    return call("sqrt", square)


def call(name: str, *arguments: Any) -> Letters:
    """Return a function of scalars."""
    given = tuple(as_letters(argument, (1, 1)) for argument in arguments)
    return Letters((1, 1), {(((Call(name, given), 1),), ()): 1.0})


def skew(a: Letters) -> Letters:
    """Return ã; of A a′ with a rotation A it is left as it is."""
    found: dict[Term, float] = {}
    for (monomial, chain), c in a.terms.items():
        term = (monomial, (SkewFactor(Letters(a.shape, {((), chain): 1.0})),))
        found[term] = found.get(term, 0.0) + c
    return Letters((3, 3), found)


def cross(a: Letters, b: Letters) -> Letters:
    """Return a × b; what one rotation turns on both sides is turned once: A (a′ × b′)."""
    found = zero()
    for (one, left), c in as_letters(a, (3, 1)).terms.items():
        for (two, right), d in as_letters(b, (3, 1)).terms.items():
            turn: Chain = ()
            while (
                len(left) > 1 and len(right) > 1 and left[0] == right[0] and _orthonormal(left)
            ):
                turn, left, right = (*turn, left[0]), left[1:], right[1:]
            if left == right:
                left = (*turn, *left)
                continue
            chain = (*turn, SkewFactor(Letters((3, 1), {((), left): 1.0})), *right)
            found = found + Letters((3, 1), {(times(one, two), chain): c * d})
            left = (*turn, *left)
    return found


def _orthonormal(chain: Chain) -> bool:
    symbol = chain[0].symbol if isinstance(chain[0], Matrix) else None
    return symbol is not None and (symbol.spin is not None or symbol.rigid)


def transposed_chain(chain: Chain) -> tuple[Chain, float]:
    """Return the factors of the transpose of a product, and its sign."""
    sign = -1.0 if sum(isinstance(f, SkewFactor) for f in chain) % 2 else 1.0
    return tuple(f if isinstance(f, SkewFactor) else f.T for f in reversed(chain)), sign


def _joined(left: Chain, right: Chain) -> Chain:
    """Return a product of factors, without AᵀA of rotations."""
    while left and right:
        a, b = left[-1], right[0]
        if isinstance(a, Matrix) and isinstance(b, Matrix) and a == b.T and _orthonormal((a,)):
            left, right = left[:-1], right[1:]
        else:
            break
    return left + right


def _vanishes(chain: Chain) -> bool:
    """Return whether a product ends in ã a."""
    if len(chain) < 2 or not isinstance(chain[-2], SkewFactor):
        return False
    ((_, inner),) = chain[-2].vector.terms
    return inner == chain[-1:]


def chain_key(chain: Chain) -> str:
    """Return a text by which products are put in order."""
    return "|".join(_factor_key(factor) for factor in chain)


def _factor_key(factor: Factor) -> str:
    match factor:
        case Matrix(symbol, transposed):
            return f"{symbol.key}{transposed}"
        case ColumnFactor(parts):
            return "+".join(f"{symbol.key}" for symbol, _ in parts)
        case SkewFactor(vector):
            return "~" + "+".join(chain_key(chain) for _, chain in vector.terms)


def _scalar(chain: Chain) -> tuple[Atom, float]:
    """Return aᵀ … b and bᵀ … a as one atom, and the sign."""
    flipped, sign = transposed_chain(chain)
    return (Dot(chain), 1.0) if chain_key(chain) <= chain_key(flipped) else (Dot(flipped), sign)


def times(a: Monomial, b: Monomial) -> Monomial:
    """Return the product of scalars, each atom once, in order."""
    if not a or not b:
        return a or b
    powers = dict(a)
    for atom, n in b:
        powers[atom] = powers.get(atom, 0) + n
    return tuple(sorted(((at, n) for at, n in powers.items() if n), key=_atom_key))


def _atom_key(entry: tuple[Atom, int]) -> str:
    atom = entry[0]
    match atom:
        case Symbol(key):
            return f"0{key}"
        case Dot(chain):
            return f"1{chain_key(chain)}"
        case Call(name, arguments):
            return f"2{name}{[len(a.terms) for a in arguments]}"


def _grouped(terms: dict[Term, float]) -> dict[Term, float]:
    """Return terms with single columns added up to one."""
    alone = [
        t for t in terms if not t[0] and len(t[1]) == 1 and isinstance(t[1][0], ColumnFactor)
    ]
    if len(alone) < 2:
        return terms
    totals: dict[bool, dict[Symbol, float]] = {}
    for term in alone:
        column = term[1][0]
        assert isinstance(column, ColumnFactor)
        sums = totals.setdefault(column.transposed, {})
        for symbol, c in column.parts:
            sums[symbol] = sums.get(symbol, 0.0) + c * terms[term]
    found = {}
    for transposed, sums in totals.items():
        parts = tuple((symbol, c) for symbol, c in sums.items() if c)
        if len(parts) == 1:
            found[(), (ColumnFactor(((parts[0][0], 1.0),), transposed),)] = parts[0][1]
        elif parts:
            found[(), (ColumnFactor(parts, transposed),)] = 1.0
    return found | {term: c for term, c in terms.items() if term not in alone}
