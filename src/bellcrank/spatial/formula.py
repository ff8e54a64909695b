"""Formulas as a tree of a dozen kinds of node, printed as MathML or as LaTeX.

Only what a worksheet needs: letters with accents, indices and primes, brackets, block rows,
matrices, fractions, sums. What a formula means is not known here.
"""

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Letter:
    """A symbol: one letter is slanted, several are upright."""

    text: str


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number, as it is to be read."""

    text: str


@dataclass(frozen=True, slots=True)
class Sign:
    """An operator or a relation: + − = · , and the like."""

    text: str


@dataclass(frozen=True, slots=True)
class Words:
    """Text within a formula."""

    text: str


@dataclass(frozen=True, slots=True)
class Line:
    """Parts side by side."""

    parts: "tuple[Formula, ...]"


@dataclass(frozen=True, slots=True)
class Script:
    """A base with an index, a superscript, or both; `′` and `T` are superscripts."""

    base: "Formula"
    lower: "Formula | None" = None
    upper: "Formula | None" = None


@dataclass(frozen=True, slots=True)
class Accent:
    """A mark above: `tilde`, `hat`, `dot` or `ddot`."""

    base: "Formula"
    mark: str


@dataclass(frozen=True, slots=True)
class Fence:
    """Something within brackets, `[]`, `{}` or `()`."""

    body: "Formula"
    kind: str = "[]"


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells, with brackets of a kind, or without them where `kind` is empty."""

    rows: "tuple[tuple[Formula, ...], ...]"
    kind: str = "[]"


@dataclass(frozen=True, slots=True)
class BlockRow:
    """One row of matrix blocks, `[a, b, c]`; it may be broken into lines."""

    cells: "tuple[Formula, ...]"


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms one after the other, each with its sign; they may be broken into lines."""

    parts: "tuple[Formula, ...]"


@dataclass(frozen=True, slots=True)
class Stack:
    """A sum in round brackets whose terms may be set one below the other."""

    parts: "tuple[Formula, ...]"


@dataclass(frozen=True, slots=True)
class Fraction:
    """A quotient."""

    above: "Formula"
    below: "Formula"


@dataclass(frozen=True, slots=True)
class Root:
    """A square root."""

    body: "Formula"


@dataclass(frozen=True, slots=True)
class Summation:
    """A sum sign with limits."""

    lower: "Formula"
    upper: "Formula | None" = None


Formula: TypeAlias = (
    Letter
    | Numeral
    | Sign
    | Words
    | Line
    | Script
    | Accent
    | Fence
    | Grid
    | BlockRow
    | Terms
    | Stack
    | Fraction
    | Root
    | Summation
)

PRIME = Letter("′")
TRANSPOSED = Words("T")
EQUALS = Sign("=")
PLUS, MINUS = Sign("+"), Sign("−")


def line(*parts: "Formula | str") -> Formula:
    """Return parts side by side; strings are taken as by `symbol`."""
    found = tuple(symbol(part) if isinstance(part, str) else part for part in parts)
    return found[0] if len(found) == 1 else Line(found)


def symbol(text: str) -> Formula:
    """Return a letter, a numeral or a sign, whichever a text is; names of elements are letters.

    Examples:
        >>> symbol("12"), symbol("ω"), symbol("=")
        (Numeral(text='12'), Letter(text='ω'), Sign(text='='))
        >>> symbol("#2 bolt")
        Letter(text='#2 bolt')
    """
    if text.isascii() and text.isdigit():
        return Numeral(text)
    lettered = len(text) > 1 or text.isalnum() or text in "′∅"
    return Letter(text) if lettered else Sign(text)


def indexed(base: "Formula | str", *index: "int | str", prime: bool = False) -> Formula:
    """Return a letter with an index and, if wanted, a prime."""
    body = symbol(base) if isinstance(base, str) else base
    parts = tuple(symbol(str(part)) for part in index)
    lower = None if not parts else parts[0] if len(parts) == 1 else Line(parts)
    return Script(body, lower, PRIME if prime else None)


def numeral(value: float, digits: int = 6) -> Formula:
    """Return a number with so many digits; powers of ten as such.

    Examples:
        >>> numeral(-0.25)
        Line(parts=(Sign(text='−'), Numeral(text='0.25')))
    """
    text = f"{abs(value):.{digits}g}"
    shown, e, power = text.partition("e")
    size: Formula = Numeral(shown)
    if e:
        exponent = numeral(int(power))
        size = Line((size, Sign("×"), Script(Numeral("10"), None, exponent)))
    return size if value >= 0 else Line((MINUS, size))


def numerals(values: "tuple[float, ...]") -> Formula:
    """Return numbers in round brackets, with commas."""
    parts: list[Formula] = []
    for value in values:
        parts += [Sign(","), numeral(value)] if parts else [numeral(value)]
    return Fence(Line(tuple(parts)), "()")


def braces(body: "Formula | str") -> Formula:
    """Return a column matrix, {body}."""
    return Fence(symbol(body) if isinstance(body, str) else body, "{}")


def matrix(body: "Formula | str", transposed: bool = False) -> Formula:
    """Return a matrix, [body], or its transpose."""
    found = Fence(symbol(body) if isinstance(body, str) else body, "[]")
    return Script(found, None, TRANSPOSED) if transposed else found


def sized(formula: Formula, rows: int, columns: int) -> Formula:
    """Return a formula with its dimensions as an index, as in [A]_{36×36}."""
    lower = Line((Numeral(str(rows)), Sign("×"), Numeral(str(columns))))
    if isinstance(formula, Script) and formula.lower is None:
        return Script(formula.base, lower, formula.upper)
    return Script(formula, lower)


def width(formula: "Formula | None") -> float:
    """Return about how wide a formula is, in em: for the breaking of lines only."""
    match formula:
        case None:
            return 0.0
        case Letter(text) | Words(text) | Numeral(text):
            return 0.55 * len(text)
        case Sign(text):
            return 0.5 if text in ",.()" else 1.2
        case Script(base, lower, upper):
            return width(base) + 0.7 * max(width(lower), width(upper))
        case Accent(base):
            return width(base)
        case Fence(body) | Root(body):
            return 0.9 + width(body)
        case Fraction(above, below):
            return 0.3 + max(width(above), width(below))
        case Grid(rows):
            columns = zip(*rows, strict=True)
            return 0.9 + sum(0.8 + max(map(width, column)) for column in columns)
        case BlockRow(cells):
            return 0.9 + sum(1.1 + width(cell) for cell in cells)
        case Line(parts) | Terms(parts):
            return sum(map(width, parts))
        case Stack(parts):
            return 0.9 + sum(map(width, parts))
        case Summation():
            return 2.0
