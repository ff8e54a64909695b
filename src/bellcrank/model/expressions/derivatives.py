"""The derivative of an expression by one of its signals, as an expression."""

from collections.abc import Callable
from typing import Any

from bellcrank.model.expressions.functions import (
    cos,
    cosh,
    exp,
    log,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
    where,
)
from bellcrank.model.expressions.tree import (
    Constant,
    Expression,
    Operation,
    Signal,
    operand,
    walk,
)

_SLOPES: dict[str, Callable[..., Any]] = {
    "neg": lambda x: -1.0,
    "sin": cos,
    "cos": lambda x: -sin(x),
    "tan": lambda x: 1.0 + tan(x) ** 2,
    "asin": lambda x: 1.0 / sqrt(1.0 - x * x),
    "acos": lambda x: -1.0 / sqrt(1.0 - x * x),
    "atan": lambda x: 1.0 / (1.0 + x * x),
    "sinh": cosh,
    "cosh": sinh,
    "tanh": lambda x: 1.0 - tanh(x) ** 2,
    "exp": exp,
    "log": lambda x: 1.0 / x,
    "sqrt": lambda x: 0.5 / sqrt(x),
    "abs": sign,
}
"""Of functions of one argument; those that are not here are constant from jump to jump."""


def derivative(expr: Expression, name: str) -> Expression:
    """Return ∂expr/∂name; at a bend or a jump that of one of its sides.

    Examples:
        >>> derivative(operand(3 * Signal("t") ** 2), "t")
        expression('3*(2*t)')
    """
    done: dict[int, Expression] = {}
    for node in walk(expr):
        if isinstance(node, Operation):
            done[id(node)] = operand(_rule(node, [done[id(arg)] for arg in node.args]))
        else:
            done[id(node)] = Constant(float(isinstance(node, Signal) and node.name == name))
    return done[id(expr)]


def _rule(node: Operation, rates: list[Expression]) -> Any:
    """Return the derivative of an operation from those of its arguments."""
    a, da = node.args[0], rates[0]
    if node.op in _SLOPES:
        return _times(da, lambda: _SLOPES[node.op](a))
    if node.op == "interp":
        return _times(da, lambda: _table_slope(node))
    if len(node.args) == 3:  # where
        return where(a, rates[1], rates[2])
    if len(node.args) == 1:
        return 0.0
    b, db = node.args[1], rates[1]
    match node.op:
        case "add":
            return da + db
        case "sub":
            return da - db
        case "mul":
            return _times(da, lambda: b) + _times(db, lambda: a)
        case "div":
            return _times(da, lambda: 1.0 / b) - _times(db, lambda: a / (b * b))
        case "pow":
            base = _times(da, lambda: b * a ** (b - 1.0))
            return base + _times(db, lambda: a**b * log(a))
        case "atan2":
            size = a * a + b * b
            return _times(da, lambda: b / size) - _times(db, lambda: a / size)
        case "min":
            return where(a < b, da, db)
        case "max":
            return where(a > b, da, db)
    return 0.0  # conditions


def _times(rate: Expression, slope: Callable[[], Any]) -> Any:
    """Return rate · slope; the slope is not looked at where nothing changes."""
    still = isinstance(rate, Constant) and rate.value == 0.0
    return 0.0 if still else slope() * rate


def _table_slope(node: Operation) -> Any:
    """Return the slope of a piecewise linear table, zero beyond its ends."""
    x, half = node.args[0], len(node.args) // 2
    knots, values = node.args[1 : 1 + half], node.args[1 + half :]
    total: Any = 0.0
    before: Any = 0.0
    for i, knot in enumerate(knots):
        after: Any = 0.0
        if i + 1 < half:
            after = (values[i + 1] - values[i]) / (knots[i + 1] - knot)
        total = total + step(x - knot) * (after - before)
        before = after
    return total
