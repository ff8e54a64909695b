"""Letters as formulas."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction as Ratio
from typing import Any

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
    line,
    numeral,
    numerals,
)
from bellcrank.spatial.letters.algebra import (
    Atom,
    Call,
    Chain,
    ColumnFactor,
    Dot,
    Factor,
    Letters,
    Matrix,
    Monomial,
    Shape,
    SkewFactor,
    Symbol,
    chain_key,
)


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
            return f"<{chain_key(chain)}>"
