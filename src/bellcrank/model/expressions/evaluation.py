"""The value of an expression for given values of its names."""

import math
from collections.abc import Mapping

from bellcrank.errors import ExpressionError, did_you_mean
from bellcrank.model.expressions.checks import finite
from bellcrank.model.expressions.operations import calculate
from bellcrank.model.expressions.tree import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    walk,
)
from bellcrank.model.expressions.writing import shown


def evaluate(expr: Expression, values: Mapping[str, float]) -> float:
    """Return the value of an expression.

    Both branches of `where` are evaluated, and only the result has to be finite, as in the
    native code.

    Args:
        expr: The expression.
        values: The value of every signal and input by name; a parameter that is not named
            has its own value.

    Raises:
        ExpressionError: A value is missing or not finite, or the result is not finite.

    Examples:
        >>> evaluate(Parameter("k", 3.0) * Signal("A.angle"), {"A.angle": 2.0})
        6.0
    """
    done: dict[int, float] = {}
    for node in walk(expr):
        if isinstance(node, Operation):
            done[id(node)] = calculate(node.op, [done[id(arg)] for arg in node.args])
        else:
            done[id(node)] = _leaf(node, values)
    result = done[id(expr)]
    if not math.isfinite(result):
        raise ExpressionError(
            f"{shown(expr)!r} has no finite value{_place(expr, values)}, got {result!r}."
        )
    return result


def _leaf(node: Expression, values: Mapping[str, float]) -> float:
    if isinstance(node, Constant):
        return node.value
    assert isinstance(node, Parameter | Input | Signal)
    kind = type(node).__name__.lower()
    if node.name in values:
        try:
            return finite(values[node.name])
        except ExpressionError as error:
            raise ExpressionError(f"{kind} {node.name!r}: {error}") from None
    if isinstance(node, Parameter):
        return node.value
    raise ExpressionError(
        f"no value was given for {kind} {node.name!r}.{did_you_mean(node.name, values)}"
    )


def _place(expr: Expression, values: Mapping[str, float]) -> str:
    """Return ` at m = 0, t = 1` for the names in the expression, the first six of them."""
    found = dict[str, float]()
    for node in walk(expr):
        if isinstance(node, Parameter | Input | Signal):
            found[node.name] = _leaf(node, values)
    listed = [f"{name} = {value:.9g}" for name, value in sorted(found.items())]
    return f" at {', '.join(listed[:6])}{', …' * (len(listed) > 6)}" if listed else ""
