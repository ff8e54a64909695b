"""From SymPy expressions to formulas."""

from collections.abc import Mapping
from typing import Any

from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    Fence,
    Formula,
    Fraction,
    Letter,
    Line,
    Numeral,
    Root,
    Script,
    Terms,
    Words,
    line,
    numeral,
)

THIN = Words("\u2009")
SHORT = (1, 2, 3, 4, 6, 8, 9, 12)
"""Denominators that are printed as such."""
Names = Mapping[Any, Formula]
"""How each symbol is printed."""


def terms(expression: Any, names: Names) -> list[Formula]:
    """Return the terms of a sum, each with its sign."""
    found: list[Formula] = []
    for term in expression.as_ordered_terms():
        minus = _negative(term)
        body = formula(-term if minus else term, names)
        if minus:
            body = Line((MINUS, body))
        elif found:
            body = Line((PLUS, body))
        found.append(body)
    return found


def formula(expression: Any, names: Names) -> Formula:
    """Return an expression as a formula."""
    if expression.is_Symbol:
        return names[expression]
    if expression.is_Number:
        return _number(expression)
    if expression.is_Add:
        return Terms(tuple(terms(expression, names)))
    if expression.is_Mul:
        return _product(expression, names)
    if expression.is_Pow:
        return _power(expression, names)
    if expression.is_Function and type(expression).__name__ == "Abs":
        return Fence(formula(expression.args[0], names), "||")
    if expression.is_Function:
        arguments = [formula(argument, names) for argument in expression.args]
        name = Letter(type(expression).__name__.lower())
        if len(arguments) == 1 and expression.args[0].is_Symbol:
            return Line((name, THIN, arguments[0]))
        parts: list[Formula] = []
        for argument in arguments:
            parts += [Words(", ")] if parts else []
            parts.append(argument)
        return Line((name, Fence(line(*parts), "()")))
    return Letter("π") if str(expression) == "pi" else Words(str(expression))


def factor(expression: Any, names: Names) -> Formula:
    """Return an expression that something stands beside: sums in round brackets."""
    shown = formula(expression, names)
    return Fence(shown, "()") if expression.is_Add else shown


def _negative(term: Any) -> bool:
    return bool(term.as_coeff_Mul()[0].is_negative)


def _number(value: Any) -> Formula:
    if value.is_Rational and value.q > 1 and value.q in SHORT:
        shown: Formula = Fraction(Numeral(str(abs(value.p))), Numeral(str(value.q)))
        return Line((MINUS, shown)) if value.p < 0 else shown
    return numeral(float(value))


def _product(expression: Any, names: Names) -> Formula:
    above, below = _quotient(expression)
    if below != 1:
        return Fraction(formula(above, names), formula(below, names))
    number, rest = expression.as_coeff_Mul()
    factors = sorted(rest.as_ordered_factors(), key=_rank)
    parts: list[Formula] = [] if number == 1 else [_number(number)]
    for entry in factors:
        if parts and entry.as_base_exp()[0].is_Function:
            parts.append(THIN)
        parts.append(factor(entry, names))
    return line(*parts)


def _quotient(expression: Any) -> tuple[Any, Any]:
    """Return numerator and denominator as they stand, nothing multiplied out."""
    from sympy import Integer

    above, below = Integer(1), Integer(1)
    for entry in expression.args:
        base, exponent = entry.as_base_exp()
        if entry.is_Rational and entry.q in SHORT:
            above, below = above * entry.p, below * entry.q
        elif exponent.is_number and exponent.is_negative:
            below = below * base**-exponent
        else:
            above = above * entry
    return above, below


_ORDER = "Imgqrsac"  # of letters in a product


def _rank(entry: Any) -> tuple[int, int]:
    """Return where a factor stands: letters first, then speeds, then functions and sums."""
    base = entry.as_base_exp()[0]
    if not base.is_Symbol:
        return (5, 0) if base.is_Add else (4, 0)
    kind, _, name = base.name.partition(":")
    if kind == "p":
        return 1, _ORDER.find(name.removeprefix("letter_")[0]) if "letter_" in name else -1
    return (2, 0) if kind == "q" else (3, 0)


def _power(expression: Any, names: Names) -> Formula:
    base, exponent = expression.as_base_exp()
    if exponent.is_negative:
        return Fraction(Numeral("1"), formula(base**-exponent, names))
    if exponent.is_Rational and exponent.p == 1 and exponent.q == 2:
        return Root(formula(base, names))
    shown = formula(base, names)
    power = formula(exponent, names)
    if isinstance(shown, Script) and shown.upper is None:
        return Script(shown.base, shown.lower, power)
    if base.is_Function and base.args[0].is_Symbol and isinstance(shown, Line):
        return Line((Script(shown.parts[0], None, power), *shown.parts[1:]))
    if base.is_Symbol and isinstance(shown, Letter):
        return Script(shown, None, power)
    return Script(Fence(shown, "()"), None, power)
