"""What NumPy's functions do with an expression.

NumPy hands its functions over to the operators of our tree, so that `np.sin(A.angle)` is the
same node as `sin(A.angle)` in a string. NumPy itself is imported only where arrays come in.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

from bellcrank.errors import ExpressionError, unknown_name
from bellcrank.model.expressions import functions
from bellcrank.model.expressions.checks import plain
from bellcrank.model.expressions.functions import apply


def _op(name: str) -> Callable[..., Any]:
    return lambda *args: apply(name, *args)


_NAMED = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "div",
    "power": "pow",
    "float_power": "pow",
    "negative": "neg",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    "arctan2": "atan2",
    "absolute": "abs",
    "fabs": "abs",
    "minimum": "min",
    "maximum": "max",
    "fmin": "min",
    "fmax": "max",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "logical_and": "and",
    "logical_or": "or",
    "logical_not": "not",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "invert": "not",
}
_SAME = ("sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign", "floor")

_UFUNCS: Mapping[str, Callable[..., Any]] = {
    **{name: _op(op) for name, op in _NAMED.items()},
    **{name: _op(name) for name in _SAME},
    "positive": lambda x: x,
    "square": lambda x: apply("pow", x, 2.0),
    "reciprocal": lambda x: apply("div", 1.0, x),
    "hypot": lambda x, y: apply("sqrt", x**2 + y**2),
    "ceil": functions.ceil,
    "mod": functions.mod,
    "remainder": functions.mod,
    "exp2": lambda x: apply("pow", 2.0, x),
    "log2": lambda x: apply("log", x) / math.log(2.0),
    "log10": lambda x: apply("log", x) / math.log(10.0),
    "deg2rad": lambda x: x * (math.pi / 180.0),
    "radians": lambda x: x * (math.pi / 180.0),
    "rad2deg": lambda x: x * (180.0 / math.pi),
    "degrees": lambda x: x * (180.0 / math.pi),
    "clip": lambda x, low, high: apply("min", apply("max", x, low), high),
    "equal": lambda a, b: plain(a) == plain(b),
    "not_equal": lambda a, b: plain(a) != plain(b),
}

_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "where": functions.where,
    "interp": functions.interp,
    "clip": _UFUNCS["clip"],
}


def call_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], options: Any) -> Any:
    """Return what a universal function of NumPy gives, node by node where arrays come in.

    Raises:
        ExpressionError: The function is not among the operations, or is called with options.
    """
    name = ufunc.__name__
    if method != "__call__" or options:
        how = f"np.{name}.{method}" if method != "__call__" else f"np.{name} with options"
        raise ExpressionError(f"{how} cannot take an expression; call np.{name}(…) plainly.")
    if name not in _UFUNCS:
        raise ExpressionError(
            f"np.{name} cannot take an expression: "
            + unknown_name("NumPy function to trace", name, _UFUNCS)
        )
    if not any(_has_axes(value) for value in inputs):
        return _UFUNCS[name](*inputs)
    import numpy as np

    boxed = [np.asarray(value, dtype=object) for value in inputs]
    return np.frompyfunc(_UFUNCS[name], len(boxed), 1)(*boxed)


def call_function(function: Any, args: tuple[Any, ...], options: Any) -> Any:
    """Return what one of NumPy's other functions gives.

    Raises:
        ExpressionError: The function is none of those that have an operation of ours.
    """
    name = function.__name__
    if name not in _FUNCTIONS:
        raise ExpressionError(
            f"np.{name} cannot take an expression: "
            + unknown_name("NumPy function to trace", name, {*_UFUNCS, *_FUNCTIONS})
        )
    if options or len(args) != 3:
        raise ExpressionError(f"np.{name} on an expression takes 3 arguments and no options.")
    return _FUNCTIONS[name](*args)


def _has_axes(value: Any) -> bool:
    return hasattr(value, "__array_interface__") and value.shape != ()
