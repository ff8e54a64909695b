"""Printable letters: the algebra of frames on symbols that are written, not computed.

The functions of `arithmetic` take letters as they take numbers and CasADi scalars, so that what
a formulation evaluates can be printed from the same lines. A `Letters` is a sum of terms

    coefficient · scalars · F₁ F₂ … F_n

of matrix factors: matrices, columns, skew matrices, and their transposes. It can be
differentiated along the motion (`rate`), it gives the matrix with which it depends on a vector
(`coefficient`), it has a value for values of its symbols (`value`), and it is written as a
formula (`written`).

Conventions:
    Ȧ = A ω̃′     for a rotation A (body to world) whose `spin` is ω′
    ã b = a × b
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from fractions import Fraction as Ratio
from typing import Any, TypeAlias

from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    TRANSPOSED,
    Accent,
    Fence,
    Formula,
    Fraction,
    Grid,
    Letter,
    Line,
    Numeral,
    Root,
    Script,
    Sign,
    Terms,
    Words,
    line,
    numeral,
    numerals,
)

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


class Letters:
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
                term = (_times(ours, theirs), chain)
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
            flipped, sign = _flipped(chain)
            found[monomial, flipped] = c * sign
        return Letters((self.shape[1], self.shape[0]), found)

    def __matmul__(self, other: "Letters") -> "Letters":
        if (1, 1) in (self.shape, other.shape):
            return self * other
        found: dict[Term, float] = {}
        shape = (self.shape[0], other.shape[1])
        for (ours, left), c in self.terms.items():
            for (theirs, right), d in other.terms.items():
                chain, monomial = _joined(left, right), _times(ours, theirs)
                if _vanishes(chain):
                    continue
                if shape == (1, 1):
                    atom, sign = _scalar(chain)
                    monomial, chain = _times(monomial, ((atom, 1),)), ()
                    d = d * sign
                term = (monomial, chain)
                found[term] = found.get(term, 0.0) + c * d
        return Letters(shape, _grouped(found))


ONE: Monomial = ()


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
            found = found + Letters((3, 1), {(_times(one, two), chain): c * d})
            left = (*turn, *left)
    return found


def _orthonormal(chain: Chain) -> bool:
    symbol = chain[0].symbol if isinstance(chain[0], Matrix) else None
    return symbol is not None and (symbol.spin is not None or symbol.rigid)


def _flipped(chain: Chain) -> tuple[Chain, float]:
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


def _key(chain: Chain) -> str:
    return "|".join(_factor_key(factor) for factor in chain)


def _factor_key(factor: Factor) -> str:
    match factor:
        case Matrix(symbol, transposed):
            return f"{symbol.key}{transposed}"
        case ColumnFactor(parts):
            return "+".join(f"{symbol.key}" for symbol, _ in parts)
        case SkewFactor(vector):
            return "~" + "+".join(_key(chain) for _, chain in vector.terms)


def _scalar(chain: Chain) -> tuple[Atom, float]:
    """Return aᵀ … b and bᵀ … a as one atom, and the sign."""
    flipped, sign = _flipped(chain)
    return (Dot(chain), 1.0) if _key(chain) <= _key(flipped) else (Dot(flipped), sign)


def _times(a: Monomial, b: Monomial) -> Monomial:
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
            return f"1{_key(chain)}"
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


# --- along the motion


def rate(expression: Letters) -> Letters:
    """Return the rate of an expression along the motion, by the rules of its symbols."""
    total = Letters(expression.shape)
    for (monomial, chain), c in expression.terms.items():
        rest = Letters(expression.shape, {((), chain): c})
        for i, (atom, n) in enumerate(monomial):
            changed = _atom_rate(atom)
            if changed:
                others = (*monomial[:i], *(((atom, n - 1),) if n != 1 else ()))
                others = _times(others, monomial[i + 1 :])
                total = total + rest * (changed * Letters((1, 1), {(others, ()): float(n)}))
        scalars = Letters((1, 1), {(monomial, ()): c})
        for i in range(len(chain)):
            total = total + _moved(chain, i, expression.shape) * scalars
    return total


def _moved(chain: Chain, i: int, shape: Shape) -> Letters:
    """Return a product with its factor i differentiated."""
    changed = _factor_rate(chain[i])
    if not changed:
        return Letters(shape)
    return _wrapped(chain[:i], shape[0]) @ changed @ _wrapped(chain[i + 1 :], shape[1])


def _wrapped(chain: Chain, size: int) -> Letters:
    """Return factors as a matrix of its own; the identity where there are none."""
    if not chain:
        return identity(size)
    rows, columns = _shape(chain[0])[0], _shape(chain[-1])[1]
    return Letters((rows, columns), {((), chain): 1.0})


def _shape(factor: Factor) -> Shape:
    match factor:
        case SkewFactor():
            return 3, 3
        case Matrix(symbol, transposed):
            return _turned(symbol.shape) if transposed else symbol.shape
        case ColumnFactor(parts, transposed):
            shape = parts[0][0].shape
            return _turned(shape) if transposed else shape


def _turned(shape: Shape) -> Shape:
    return shape[1], shape[0]


def _factor_rate(factor: Factor) -> Letters:
    match factor:
        case SkewFactor(vector):
            return skew(rate(vector))
        case ColumnFactor(parts, transposed):
            total = Letters(parts[0][0].shape)
            for symbol, c in parts:
                if symbol.rate is not None:
                    total = total + symbol.rate() * c
            return total.T if transposed else total
        case Matrix(symbol, transposed):
            if symbol.spin is not None and symbol.inward:
                found = -(skew(symbol.spin) @ symbol())
            elif symbol.spin is not None:
                found = symbol() @ skew(symbol.spin)
            elif symbol.rate is not None:
                found = symbol.rate()
            else:
                found = Letters(symbol.shape)
            return found.T if transposed else found


def _atom_rate(atom: Atom) -> Letters:
    match atom:
        case Symbol():
            return zero((1, 1)) if atom.rate is None else atom.rate()
        case Dot(chain):
            total = zero((1, 1))
            for i in range(len(chain)):
                total = total + _moved(chain, i, (1, 1))
            return total
        case Call(name, arguments):
            total = zero((1, 1))
            for argument, slope in zip(arguments, _slopes(name, arguments), strict=False):
                total = total + slope * rate(argument)
            return total


def _slopes(name: str, given: tuple[Letters, ...]) -> list[Letters]:
    """Return the derivatives of a function by its arguments."""
    x = given[0]
    match name:
        case "":
            return [as_letters(1.0)]
        case "sqrt":
            return [0.5 / call("sqrt", x)]
        case "sin":
            return [call("cos", x)]
        case "cos":
            return [-call("sin", x)]
        case "exp":
            return [call("exp", x)]
        case "log":
            return [x.inverse()]
        case "tanh":
            return [1.0 - call("tanh", x) ** 2]
        case "atan2":
            y, x = given
            size = (x * x + y * y).inverse()
            return [x * size, -(y * size)]
    return [call(f"{name}′", *given)]


def coefficient(expression: Letters, symbol: Symbol) -> Letters:
    """Return M of an expression that is M s + …, linear in a vector or scalar symbol s."""
    shape = (expression.shape[0], symbol.shape[0])
    total = Letters(shape)
    for (monomial, chain), c in expression.terms.items():
        scalars = Letters((1, 1), {(monomial, ()): c})
        if chain:
            total = total + _linear(chain, symbol, shape) * scalars
        for i, (atom, n) in enumerate(monomial):
            others = Letters((1, 1), {(monomial[:i] + monomial[i + 1 :], ()): c})
            part = _atom_linear(atom, n, symbol)
            if part:
                rest = _wrapped(chain, expression.shape[0]) if chain else None
                total = total + ((part if rest is None else rest @ part) * others)
    return total


def _atom_linear(atom: Atom, n: int, symbol: Symbol) -> Letters:
    """Return the row with which an atom depends on a symbol."""
    shape = (1, symbol.shape[0])
    match atom:
        case Symbol() if atom == symbol and n == 1:
            return as_letters(1.0)
        case Dot(chain) if n == 1:
            flipped, sign = _flipped(chain)
            ways = [(chain, 1.0), (flipped, sign)]
            found = [(_where(one, symbol), one, s) for one, s in ways]
            reach = [(place, one, s) for place, one, s in found if place is not None]
            if not reach:
                return Letters(shape)
            place, one, s = max(reach, key=lambda way: way[0] - len(way[1]))
            return _linear_at(one, place, symbol, shape) * s
    return Letters(shape)


def _where(chain: Chain, symbol: Symbol) -> int | None:
    """Return the last factor in which a symbol is and that can be brought to the right end."""
    for i in reversed(range(len(chain))):
        factor = chain[i]
        if isinstance(factor, SkewFactor) and _has(factor.vector, symbol):
            return i
        if (
            isinstance(factor, ColumnFactor)
            and not factor.transposed
            and _among(factor, symbol)
        ):
            return i
    return None


def _among(column: ColumnFactor, symbol: Symbol) -> bool:
    return any(part == symbol for part, _ in column.parts)


def _has(vector: Letters, symbol: Symbol) -> bool:
    return any(_where(chain, symbol) is not None for _, chain in vector.terms)


def _linear(chain: Chain, symbol: Symbol, shape: Shape) -> Letters:
    place = _where(chain, symbol)
    return Letters(shape) if place is None else _linear_at(chain, place, symbol, shape)


def _linear_at(chain: Chain, place: int, symbol: Symbol, shape: Shape) -> Letters:
    """Return L of L s, s in the factor at a place: ã b = −b̃ a."""
    before, factor, behind = chain[:place], chain[place], chain[place + 1 :]
    left = _wrapped(before, shape[0])
    if isinstance(factor, ColumnFactor):
        c = next(c for part, c in factor.parts if part == symbol)
        return left * c if before else identity(shape[1]) * c
    assert isinstance(factor, SkewFactor)
    right = Letters((3, 1), {((), behind): 1.0})
    inner = coefficient(factor.vector, symbol)
    return -(left @ skew(right) @ inner)


def counted(expression: Letters, symbol: Symbol) -> Letters:
    """Return Σ n · term over the terms, n of whose factors are a matrix symbol."""
    found = {}
    for (monomial, chain), c in expression.terms.items():
        n = _count(chain, symbol)
        n += sum(
            k * _count(atom.chain, symbol) for atom, k in monomial if isinstance(atom, Dot)
        )
        found[monomial, chain] = c * n
    return Letters(expression.shape, found)


def _count(chain: Chain, symbol: Symbol) -> int:
    return sum(isinstance(f, Matrix) and f.symbol == symbol for f in chain)


def symbols(expression: Letters, inside: bool = True) -> "dict[Symbol, None]":
    """Return the symbols of an expression in order; with `inside` those of definitions too."""
    found: dict[Symbol, None] = {}
    todo = [expression]
    while todo:
        one = todo.pop()
        for monomial, chain in one.terms:
            for atom, _ in monomial:
                match atom:
                    case Symbol():
                        found.setdefault(atom)
                    case Dot(inner):
                        todo.append(Letters((1, 1), {((), inner): 1.0}))
                    case Call(_, arguments):
                        todo.extend(arguments)
            for factor in chain:
                match factor:
                    case Matrix(symbol):
                        found.setdefault(symbol)
                    case ColumnFactor(parts):
                        for symbol, _ in parts:
                            found.setdefault(symbol)
                    case SkewFactor(vector):
                        todo.append(vector)
    if inside:
        for symbol in list(found):
            if symbol.definition is not None:
                found |= symbols(symbol.definition)
    return found


def expanded(expression: Letters, which: Callable[[Symbol], bool]) -> Letters:
    """Return an expression with the definitions of some abbreviations in their place."""
    total = Letters(expression.shape)
    for (monomial, chain), c in expression.terms.items():
        part = _put_in(chain, expression.shape, which) if chain else None
        scalars = as_letters(c)
        for atom, n in monomial:
            scalars = scalars * _atom_put_in(atom, n, which)
        if part is None:
            size = expression.shape[0]
            part = as_letters(1.0) if expression.shape == (1, 1) else identity(size)
        total = total + part * scalars
    return total


def _atom_put_in(atom: Atom, n: int, which: Callable[[Symbol], bool]) -> Letters:
    if isinstance(atom, Symbol) and atom.definition is not None and which(atom):
        return expanded(atom.definition, which) ** n
    if isinstance(atom, Dot):
        return _put_in(atom.chain, (1, 1), which) ** n
    return Letters((1, 1), {(((atom, n),), ()): 1.0})


def _put_in(chain: Chain, shape: Shape, which: Callable[[Symbol], bool]) -> Letters:
    found = None
    for factor in chain:
        one = Letters(_shape(factor), {((), (factor,)): 1.0})
        if isinstance(factor, ColumnFactor):
            one = Letters(factor.parts[0][0].shape)
            for symbol, c in factor.parts:
                open_ = symbol.definition is not None and which(symbol)
                inner = expanded(symbol.definition, which) if open_ else symbol()  # type: ignore[arg-type]
                one = one + inner * c
            one = one.T if factor.transposed else one
        found = one if found is None else found @ one
    assert found is not None
    return found


def through(
    expression: Letters, symbol: Symbol, behind: Callable[[Letters], Letters]
) -> Letters:
    """Return Σ L · behind(R) over the products L S R with a matrix symbol S, R a column.

    With S = Ȧ and behind(s′) = B(p, s′) it is what stands before ṗ in Ȧ s′ = B ṗ.
    """
    total: Letters | None = None
    for (monomial, chain), c in expression.terms.items():
        ways = [(chain, 1.0, monomial)] if chain else []
        for i, (atom, n) in enumerate(monomial):
            if isinstance(atom, Dot) and n == 1:
                flipped, sign = _flipped(atom.chain)
                others = monomial[:i] + monomial[i + 1 :]
                ways += [(atom.chain, 1.0, others), (flipped, sign, others)]
        for one, sign, others in ways:
            for k, factor in enumerate(one):
                if factor == Matrix(symbol):
                    right = Letters((3, 1), {((), one[k + 1 :]): 1.0})
                    left = _wrapped(one[:k], expression.shape[0] if not k else 3)
                    scalars = Letters((1, 1), {(others, ()): c * sign})
                    part = (left @ behind(right) if k else behind(right)) * scalars
                    total = part if total is None else total + part
    return zero((expression.shape[0], 4)) if total is None else total


# --- values


def value(expression: Letters, worth: Callable[[Symbol], Any], algebra: Any = None) -> Any:
    """Return an expression for values of its symbols: NumPy arrays, or CasADi's SX and DM.

    Args:
        expression: A scalar gives a number, all else a matrix of its shape.
        worth: The value of a symbol that abbreviates nothing: a number, or a matrix of its
            shape. Vectors may be flat.
        algebra: The module with `eye`, `zeros` and functions; NumPy if not given.
    """
    return Evaluation(worth, algebra).of(expression)


_NUMPY = {"atan2": "arctan2", "pow": "power", "max": "maximum", "min": "minimum"}
_CASADI = {"max": "fmax", "min": "fmin", "abs": "fabs", "where": "if_else"}


class Evaluation:
    """Values of expressions, each symbol's found once."""

    def __init__(self, worth: Callable[[Symbol], Any], algebra: Any = None) -> None:
        if algebra is None:
            import numpy as algebra
        self.worth, self.algebra = worth, algebra
        self._known: dict[Hashable, Any] = {}

    def of(self, expression: Letters) -> Any:
        """Return the value of an expression."""
        total: Any = 0.0
        for (monomial, chain), c in expression.terms.items():
            part: Any = c
            for atom, n in monomial:
                part = part * self._atom(atom) ** n
            if chain:
                part = part * self._chain(chain)
            elif expression.shape != (1, 1):
                part = part * self._eye(expression.shape[0])
            total = total + part
        if not expression.terms and expression.shape != (1, 1):
            total = self._zeros(expression.shape)
        return total

    def _eye(self, n: int) -> Any:
        kind = getattr(self.algebra, "SX", None)
        return kind.eye(n) if kind is not None else self.algebra.eye(n)

    def _zeros(self, shape: Shape) -> Any:
        kind = getattr(self.algebra, "SX", None)
        return kind.zeros(*shape) if kind is not None else self.algebra.zeros(shape)

    def _chain(self, chain: Chain) -> Any:
        found = self._factor(chain[-1])
        for factor in reversed(chain[:-1]):
            found = self._factor(factor) @ found
        return found

    def _factor(self, factor: Factor) -> Any:
        match factor:
            case SkewFactor(vector):
                return self._skew(self.of(vector))
            case Matrix(symbol, transposed):
                found = self._symbol(symbol)
                return found.T if transposed else found
            case ColumnFactor(parts, transposed):
                found: Any = sum(c * self._symbol(symbol) for symbol, c in parts)
                return found.T if transposed else found

    def _symbol(self, symbol: Symbol) -> Any:
        if symbol.key not in self._known:
            found = symbol.definition
            worth: Any
            if symbol.numbers:
                import numpy as np

                worth = np.squeeze(np.array(symbol.numbers))
            else:
                worth = self.worth(symbol) if found is None else self.of(found)
            if symbol.shape != (1, 1) and hasattr(worth, "reshape"):
                worth = worth.reshape(symbol.shape)
            self._known[symbol.key] = worth
        return self._known[symbol.key]

    def _skew(self, a: Any) -> Any:
        if hasattr(self.algebra, "SX"):
            return self.algebra.skew(a)
        x, y, z = (a[i, 0] for i in range(3))
        return self.algebra.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])

    def _atom(self, atom: Atom) -> Any:
        match atom:
            case Symbol():
                return self._symbol(atom)
            case Dot(chain):
                return self._chain(chain)[0, 0]
            case Call(name, arguments):
                given = [self.of(argument) for argument in arguments]
                if name == "":
                    return given[0]
                own = _CASADI if hasattr(self.algebra, "SX") else _NUMPY
                return getattr(self.algebra, own.get(name, name))(*given)


# --- as formulas


@dataclass(frozen=True)
class Notation:
    """How products are written.

    Attributes:
        brackets: Whether matrices stand in [ ] and columns in { }.
    """

    brackets: bool = False


PLAIN = Notation()
BRACKETS = Notation(brackets=True)
_VALUES: ContextVar[Mapping[Any, Any] | None] = ContextVar("values", default=None)


@contextmanager
def in_numbers(values: Mapping[Any, Any] | None) -> Iterator[None]:
    """Write numbers in place of the letters whose keys have some, within a `with` block."""
    before = _VALUES.set(values)
    try:
        yield
    finally:
        _VALUES.reset(before)


def _own(symbol: Symbol) -> Formula:
    """Return a symbol as it is printed: its letter, or its numbers."""
    values = _VALUES.get()
    if values is None or symbol.key not in values:
        return symbol.formula
    value = values[symbol.key]
    if symbol.shape == (1, 1):
        shown = numeral(float(value))
        return Fence(shown, "()") if float(value) < 0 else shown
    if symbol.shape[1] == 1:
        return numerals(tuple(float(x) + 0.0 for x in value))
    return Grid(tuple(tuple(numeral(float(x) + 0.0) for x in row) for row in value))


def _numbered(symbol: Symbol) -> bool:
    values = _VALUES.get()
    return values is not None and symbol.key in values


def written(expression: Letters, style: Notation = PLAIN) -> Formula:
    """Return an expression as a formula: a sum of signed terms, 0 for none."""
    parts = signed(expression, style)
    if not parts:
        return _zero(expression.shape, style)
    return parts[0] if len(parts) == 1 else Terms(tuple(parts))


def _zero(shape: Shape, style: Notation) -> Formula:
    if not style.brackets or shape == (1, 1):
        return Numeral("0")
    return Fence(Numeral("0"), "{}" if shape[1] == 1 else "[]")


def signed(expression: Letters, style: Notation = PLAIN) -> list[Formula]:
    """Return the terms with their signs, one formula each."""
    parts: list[Formula] = []
    for (monomial, chain), c in expression.terms.items():
        # A sum of columns stands without brackets only where nothing multiplies it.
        bare = c == 1.0 and not monomial and (not parts or _begins_plus(chain))
        body = _term(monomial, chain, abs(c), expression.shape, style, bare)
        if c < 0:
            body = Line((MINUS, body))
        elif parts:
            body = Line((PLUS, body))
        parts.append(body)
    return parts


def _begins_plus(chain: Chain) -> bool:
    return not (chain and isinstance(chain[0], ColumnFactor) and chain[0].parts[0][1] < 0)


def _term(
    monomial: Monomial, chain: Chain, size: float, shape: Shape, style: Notation, bare: bool
) -> Formula:
    above: list[Formula] = []
    below: list[Formula] = []
    for atom, n in monomial:
        (above if n > 0 else below).append(_power(_atom(atom, style, n), abs(n)))
    number = Ratio(size).limit_denominator(24)
    if abs(float(number) - size) > 1e-14 * size:
        above.insert(0, _number(size))
    else:
        if number.numerator != 1:
            above.insert(0, Numeral(str(number.numerator)))
        if number.denominator != 1:
            below.insert(0, Numeral(str(number.denominator)))
    factors = [_factor(f, style, alone=bare and len(chain) == 1) for f in chain]
    if not chain and shape != (1, 1):
        factors = [Fence(Letter("I"), "[]") if style.brackets else Letter("I")]
    scalars: list[Formula] = above
    if below:
        scalars = [Fraction(line(*above) if above else Numeral("1"), line(*below))]
    if not scalars and not factors:
        return Numeral("1")
    return line(*scalars, *factors)


def _power(formula: Formula, n: int) -> Formula:
    if n == 1:
        return formula
    if isinstance(formula, Script) and formula.upper is None:
        return Script(formula.base, formula.lower, Numeral(str(n)))
    plain = isinstance(formula, Letter | Root | Fence)
    return Script(formula if plain else Fence(formula, "()"), None, Numeral(str(n)))


def _atom(atom: Atom, style: Notation, n: int) -> Formula:
    match atom:
        case Symbol():
            return _own(atom)
        case Dot(chain):
            body = line(*(_factor(f, style) for f in chain))
            return Fence(body, "()") if n != 1 else body
        case Call("", (inside,)):
            body = written(inside, style)
            return body if n < 0 else Fence(body, "()")
        case Call("sqrt", (inside,)):
            return Root(written(inside, style))
        case Call(name, arguments):
            parts: list[Formula] = []
            for argument in arguments:
                parts += [Sign(",")] if parts else []
                parts.append(written(argument, style))
            return Line((Letter(name), Fence(line(*parts), "()")))


def _factor(factor: Factor, style: Notation, alone: bool = False) -> Formula:
    match factor:
        case Matrix(symbol, transposed):
            body = _own(symbol)
            if style.brackets and not _numbered(symbol):
                body = Fence(body, "[]")
            return _transposed(body) if transposed else body
        case ColumnFactor(parts, transposed):
            body = _sum(parts)
            if style.brackets:
                body = Fence(body, "{}")
            elif (not alone or transposed) and [c for _, c in parts] != [1.0]:
                body = Fence(body, "()")
            return _transposed(body) if transposed else body
        case SkewFactor(vector):
            return _skewed(vector, style)


def _transposed(body: Formula) -> Formula:
    if isinstance(body, Script) and body.upper is None:
        return Script(body.base, body.lower, TRANSPOSED)
    if isinstance(body, Script) and body.upper == Letter("′"):
        return Script(body.base, body.lower, Line((Letter("′"), TRANSPOSED)))
    return Script(body, None, TRANSPOSED)


def _sum(parts: Iterable[tuple[Symbol, float]], tilde: bool = False) -> Formula:
    shown: list[Formula] = []
    for symbol, c in parts:
        body = _own(symbol)
        if tilde and _numbered(symbol):
            body = Script(body, None, Sign("∼"))
        elif tilde:
            body = _tilde(body)
        if abs(c) != 1.0:
            body = line(_share(abs(c)), body)
        if c < 0:
            shown.append(MINUS)
        elif shown:
            shown.append(PLUS)
        shown.append(body)
    return line(*shown)


def _number(size: float) -> Formula:
    """Return a number of a law, with all its digits among letters."""
    return numeral(size, 15 if _VALUES.get() is None else 6)


def _share(size: float) -> Formula:
    """Return a short fraction as such, any other number by its digits."""
    ratio = Ratio(size).limit_denominator(24)
    if ratio.denominator == 1 or float(ratio) != size:
        return _number(size)
    return Fraction(Numeral(str(ratio.numerator)), Numeral(str(ratio.denominator)))


def _tilde(formula: Formula) -> Formula:
    """Return a letter with a tilde, below a dot it may have."""
    if isinstance(formula, Script):
        return Script(_tilde(formula.base), formula.lower, formula.upper)
    if isinstance(formula, Accent) and formula.mark != "hat":
        return Accent(_tilde(formula.base), formula.mark)
    return Accent(formula, "tilde")


def _skewed(vector: Letters, style: Notation) -> Formula:
    ((_, chain),) = vector.terms
    if len(chain) == 1 and isinstance(chain[0], ColumnFactor):
        parts = chain[0].parts
        body = _sum(parts, tilde=True)
        if style.brackets:
            return Fence(body, "[]")
        return body if len(parts) == 1 and parts[0][1] == 1.0 else Fence(body, "()")
    inner = line(*(_factor(f, style) for f in chain))
    return Script(Fence(inner, "[]" if style.brackets else "()"), None, Sign("∼"))


def name(
    letter: "str | Formula", *index: "int | str", prime: bool = False, marks: str = ""
) -> Formula:
    """Return a letter with marks (`dot`, `hat`, …, from the inside out), index and prime."""
    body: Formula = Letter(letter) if isinstance(letter, str) else letter
    for mark in marks.split():
        body = Accent(body, mark)
    parts: list[Formula] = []
    for part in index:
        parts += [Sign(",")] if parts else []
        parts.append(_index(part))
    lower = None if not parts else parts[0] if len(parts) == 1 else Line(tuple(parts))
    upper = Letter("′") if prime else None
    return body if lower is None and upper is None else Script(body, lower, upper)


def _index(part: "int | str") -> Formula:
    text = str(part)
    return Numeral(text) if text.isascii() and text.isdigit() else Letter(text)


def words(text: str) -> Formula:
    """Return text within a formula."""
    return Words(text)


def text(expression: Letters) -> str:
    """Return a scalar as plain text, symbols by the last part of their keys."""
    parts = []
    for (monomial, _), c in expression.terms.items():
        factors = [] if abs(c) == 1.0 and monomial else [f"{abs(c):.6g}"]
        for atom, n in monomial:
            body = _atom_text(atom)
            factors.append(body if n == 1 else f"{body}**{n}")
        sign = "-" if c < 0 else "+" if parts else ""
        joined = "*".join(factors)
        parts.append(f" {sign} {joined}" if parts else f"{sign}{joined}")
    return "".join(parts) or "0"


def _atom_text(atom: Atom) -> str:
    match atom:
        case Symbol(key):
            return str(key[-1]) if isinstance(key, tuple) else str(key)
        case Call(name, arguments):
            return f"{name}({', '.join(map(text, arguments))})"
        case Dot(chain):
            return f"<{_key(chain)}>"
