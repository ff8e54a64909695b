"""What the user wrote, as an expression or as a number."""

from numbers import Real
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.checks import kind, plain
from bellcrank.model.expressions.grammar import parsed
from bellcrank.model.expressions.names import inputs, signals
from bellcrank.model.expressions.tracing import traced
from bellcrank.model.expressions.tree import Constant, Expression, Operators, operand
from bellcrank.model.expressions.writing import shown


def expression(value: Any) -> Expression:
    """Return a number, a string, a callable or an expression as an expression.

    Args:
        value: A finite number; a string of the grammar; a callable, which is traced once by
            the names of its arguments; or an expression, which is returned as it is.

    Raises:
        ExpressionError: The value is none of these, or cannot be read or traced.

    Examples:
        >>> expression("2*sin(pi*t) - 0.2*A.angle_rate + 0")
        expression('2*sin(pi*t) - 0.2*A.angle_rate')
        >>> expression(lambda t, A: 2 * t - 0.2 * A.angle_rate)
        expression('2*t - 0.2*A.angle_rate')
    """
    if isinstance(value, Operators):
        return value.__expression__()
    if isinstance(value, str):
        return parsed(value)
    if callable(value):
        return traced(value)
    if not isinstance(plain(value), Real | Operators):
        raise ExpressionError(f"a number, a string or a callable is needed, got {kind(value)}.")
    return operand(value)


def number(value: Any) -> float | Expression:
    """Return a number as a finite float, or an expression of parameters as an expression.

    Args:
        value: A finite number, or what `expression` takes, using parameters only. A bare
            name in a string is taken for that of a parameter, which the model looks up.

    Returns:
        A float (-0.0 becomes 0.0), or an expression where parameters are in it.

    Raises:
        ExpressionError: The value is no finite number, or depends on the motion or an input.

    Examples:
        >>> number("2*3"), number("2*m1")
        (6.0, expression('2*m1'))
    """
    if not isinstance(value, str | Operators) and not callable(value):
        value = operand(value)
    expr = expression(value)
    if isinstance(expr, Constant):
        return expr.value
    moving = sorted(name for name in signals(expr) if name == "t" or "." in name)
    moving += [f"input {node.name!r}" for node in inputs(expr)]
    if moving:
        raise ExpressionError(
            f"a number may use parameters only, but {shown(expr)!r} uses {', '.join(moving)}."
        )
    return expr
