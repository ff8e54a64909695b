"""The functions of the grammar, for expressions and for plain numbers alike.

A law written with them can be traced into an expression, and called with floats as well.
"""

from collections.abc import Iterable
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.folding import combine
from bellcrank.model.expressions.tree import Constant, Operators, condition, operand


def apply(op: str, *args: Any) -> Any:
    """Return one operation on numbers or expressions.

    Args:
        op: A name in `OPERATIONS`.
        args: Finite numbers or expressions.

    Returns:
        A float where all arguments are numbers, an expression otherwise.

    Raises:
        ExpressionError: An argument is neither, or the result is not finite.

    Examples:
        >>> apply("max", 1, 2.5)
        2.5
    """
    conditions = {"where": 1, "and": 2, "or": 2, "not": 1}.get(op, 0)
    nodes = [condition(arg) for arg in args[:conditions]]
    nodes += [operand(arg) for arg in args[conditions:]]
    result = combine(op, *nodes)
    symbolic = any(isinstance(arg, Operators) for arg in args)
    return result if symbolic or not isinstance(result, Constant) else result.value


def sin(x: Any) -> Any:
    """Return the sine of an angle [rad]."""
    return apply("sin", x)


def cos(x: Any) -> Any:
    """Return the cosine of an angle [rad]."""
    return apply("cos", x)


def tan(x: Any) -> Any:
    """Return the tangent of an angle [rad]."""
    return apply("tan", x)


def asin(x: Any) -> Any:
    """Return the angle [rad] whose sine is x, from -π/2 to π/2."""
    return apply("asin", x)


def acos(x: Any) -> Any:
    """Return the angle [rad] whose cosine is x, from 0 to π."""
    return apply("acos", x)


def atan(x: Any) -> Any:
    """Return the angle [rad] whose tangent is x, from -π/2 to π/2."""
    return apply("atan", x)


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine."""
    return apply("sinh", x)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine."""
    return apply("cosh", x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent."""
    return apply("tanh", x)


def exp(x: Any) -> Any:
    """Return e to the power x."""
    return apply("exp", x)


def log(x: Any) -> Any:
    """Return the natural logarithm of x > 0."""
    return apply("log", x)


def sqrt(x: Any) -> Any:
    """Return the square root of x ≥ 0."""
    return apply("sqrt", x)


def absolute(x: Any) -> Any:
    """Return |x|."""
    return apply("abs", x)


def sign(x: Any) -> Any:
    """Return 1 where x > 0, -1 where x < 0, and 0 where x = 0."""
    return apply("sign", x)


def step(x: Any) -> Any:
    """Return 1 where x ≥ 0, and 0 elsewhere."""
    return apply("step", x)


def atan2(y: Any, x: Any) -> Any:
    """Return the angle [rad] of the point (x, y), from -π to π."""
    return apply("atan2", y, x)


def minimum(first: Any, second: Any, *more: Any) -> Any:
    """Return the smallest of two or more."""
    result = apply("min", first, second)
    for value in more:
        result = apply("min", result, value)
    return result


def maximum(first: Any, second: Any, *more: Any) -> Any:
    """Return the largest of two or more."""
    result = apply("max", first, second)
    for value in more:
        result = apply("max", result, value)
    return result


def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, and b elsewhere.

    Examples:
        >>> where(2.0 > 1.0, 5.0, 6.0)
        5.0
    """
    return apply("where", condition, a, b)


def interp(x: Any, knots: Iterable[float], values: Iterable[Any]) -> Any:
    """Return the value at x of the line through a table; outside it the end values are held.

    Args:
        x: Where to read the table.
        knots: At least two numbers that increase.
        values: The value at each knot.

    Raises:
        ExpressionError: There are not as many values as knots, or the knots do not increase.

    Examples:
        >>> interp(0.5, [0, 1, 2], [0, 10, 10])
        5.0
    """
    xs, ys = tuple(knots), tuple(values)
    if len(xs) != len(ys):
        raise ExpressionError(
            f"interp takes as many knots as values, got {len(xs)} knots and {len(ys)} values."
        )
    return apply("interp", x, *xs, *ys)
