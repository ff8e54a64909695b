"""The operations an expression may contain: their names, how many arguments, their values.

The arithmetic is that of IEEE 754, as in native code: 1/0 is infinite, log(-1) is not a
number, and neither stops the calculation. Who wants a finite result checks it at the end.
Only the sign of zero is left out: what is folded and what is not shall agree.

Conventions:
    A condition counts 1 where it holds and 0 where it does not.
    step(x) is 1 where x ≥ 0 and 0 elsewhere; sign(0) is 0.
    interp takes x, then all knots x0 … xn, then all values y0 … yn; outside the knots the
    end values are held.
"""

import math
import operator
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple


class Arity(NamedTuple):
    """How many arguments an operation takes.

    Attributes:
        least: The smallest number of arguments.
        most: The largest number, None where there is no limit.
    """

    least: int
    most: int | None


OPERATIONS: Mapping[str, Arity] = MappingProxyType(
    dict.fromkeys(("add", "sub", "mul", "div", "pow", "atan2", "min", "max"), Arity(2, 2))
    | dict.fromkeys(("lt", "le", "gt", "ge", "and", "or"), Arity(2, 2))
    | dict.fromkeys(("neg", "sin", "cos", "tan", "asin", "acos", "atan"), Arity(1, 1))
    | dict.fromkeys(("sinh", "cosh", "tanh", "exp", "log", "sqrt"), Arity(1, 1))
    | dict.fromkeys(("abs", "sign", "step", "floor", "not"), Arity(1, 1))
    | {"where": Arity(3, 3), "interp": Arity(5, None)}
)
"""Every operation and its arity."""

CONDITIONS = frozenset({"lt", "le", "gt", "ge", "and", "or", "not"})
"""The operations whose value is a condition."""

COMPOSED = frozenset({
    "mod", "ceil", "round", "hypot", "cycloidal", "modified_sine", "trapezoid", "dwell",
})  # fmt: skip
"""Functions of the grammar that are made of operations when they are read."""

FUNCTIONS = (
    frozenset(OPERATIONS) - CONDITIONS - {"add", "sub", "mul", "div", "pow", "neg"} | COMPOSED
)
"""All that is written as a function call, `sin(x)`."""

RESERVED = (FUNCTIONS - COMPOSED - {"floor"}) | {"t", "pi", "nan", "inf"}
"""Names that mean something in every expression, so that nothing else may have them.

Bodies are called `floor` and `round`: as a name of a function these are told by what follows.
"""


def fits(op: str, count: int) -> bool:
    """Return whether the operation takes that many arguments.

    Examples:
        >>> fits("atan2", 2), fits("interp", 6)
        (True, False)
    """
    least, most = OPERATIONS[op]
    pairs = op != "interp" or count % 2 == 1
    return least <= count and (most is None or count <= most) and pairs


def calculate(op: str, args: Sequence[float]) -> float:
    """Return the value of one operation on numbers, by the rules of IEEE 754.

    Examples:
        >>> calculate("atan2", [1.0, 0.0]) == math.pi / 2
        True
        >>> calculate("div", [1.0, 0.0])
        inf
    """
    try:
        return float(_VALUE[op](*args)) + 0.0  # -0.0 becomes 0.0
    except ValueError:
        return math.nan  # outside the domain: asin(2), sqrt(-1), sin(inf)
    except OverflowError:
        return math.inf


def _div(a: float, b: float) -> float:
    if b != 0.0:
        return a / b
    if a == 0.0 or math.isnan(a):
        return math.nan
    return math.copysign(math.inf, a) * math.copysign(1.0, b)


def _pow(a: float, b: float) -> float:
    odd = b % 2.0 == 1.0 if math.isfinite(b) else False
    if a == 0.0 and b < 0.0:
        return math.copysign(math.inf, a) if odd else math.inf
    try:
        return math.pow(a, b)
    except OverflowError:
        return -math.inf if a < 0.0 and odd else math.inf


def _sinh(a: float) -> float:
    try:
        return math.sinh(a)
    except OverflowError:
        return math.copysign(math.inf, a)


def _log(a: float) -> float:
    return math.log(a) if a != 0.0 else -math.inf


def _sign(a: float) -> float:
    return a if math.isnan(a) else float((a > 0.0) - (a < 0.0))


def _min(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else min(a, b)


def _max(a: float, b: float) -> float:
    return math.nan if math.isnan(a) or math.isnan(b) else max(a, b)


def _interp(x: float, *table: float) -> float:
    half = len(table) // 2
    knots, values = table[:half], table[half:]
    if math.isnan(x):
        return x
    if x <= knots[0]:
        return values[0]
    if x >= knots[-1]:
        return values[-1]
    i = bisect_right(knots, x) - 1
    share = (x - knots[i]) / (knots[i + 1] - knots[i])
    return values[i] + share * (values[i + 1] - values[i])


_VALUE: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _div,
    "pow": _pow,
    "neg": operator.neg,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "sinh": _sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "exp": math.exp,
    "log": _log,
    "sqrt": math.sqrt,
    "abs": abs,
    "sign": _sign,
    "min": _min,
    "max": _max,
    "step": lambda a: a >= 0.0,
    "floor": lambda a: math.floor(a) if math.isfinite(a) else a,
    "where": lambda condition, a, b: a if condition != 0.0 else b,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": lambda a, b: a != 0.0 and b != 0.0,
    "or": lambda a, b: a != 0.0 or b != 0.0,
    "not": lambda a: a == 0.0,
    "interp": _interp,
}
