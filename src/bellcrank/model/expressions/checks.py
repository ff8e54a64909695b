"""What comes in from outside, checked: numbers, names, numbers of arguments."""

import math
import numbers
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.operations import OPERATIONS, RESERVED


def finite(value: Any) -> float:
    """Return the value as a finite float, with -0.0 as 0.0.

    Raises:
        ExpressionError: The value is no real number, or not finite.

    Examples:
        >>> finite(3)
        3.0
    """
    value = plain(value)
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ExpressionError(f"a finite number is needed, got {kind(value)}.")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ExpressionError(f"a finite number is needed, got {number!r}.")
    return number + 0.0


def plain(value: Any) -> Any:
    """Return what is inside a NumPy scalar or an array without axes, anything else as it is."""
    if not hasattr(type(value), "__expression__") and getattr(value, "shape", None) == ():
        return value.item()
    return value


def kind(value: Any) -> str:
    """Return what a refused value is, in a few words.

    Examples:
        >>> kind([1, 2]), kind(None)
        ('a list of 2', 'None')
    """
    shape = getattr(value, "shape", None)
    if isinstance(shape, tuple) and shape:
        return f"an array of shape {shape}"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, str | bool | complex | float | type(None)):
        return repr(value)
    return f"a value of type {type(value).__name__}"


def check_name(kind: str, name: Any) -> None:
    """Refuse what cannot be the name of a parameter or an input.

    Raises:
        ExpressionError: The name is empty, means something already, or would not be read back.
    """
    if not isinstance(name, str) or not name:
        raise ExpressionError(f"the name of every {kind} is a non-empty string, got {name!r}.")
    if name in RESERVED:
        raise ExpressionError(
            f"{kind} {name!r}: this name has a meaning in every expression; choose another."
        )
    if any(char in "./" or not char.isprintable() for char in name):
        raise ExpressionError(
            f"{kind} {name!r}: a name has no '.', no '/' and no control characters."
        )


def arity_complaint(name: str, got: int) -> str:
    """Return the sentence that says how many arguments an operation takes."""
    least = OPERATIONS[name].least
    if name == "interp":
        return f"interp takes x and as many knots as values, at least 2, got {got} arguments."
    return f"{name} takes {least} argument{'s' * (least > 1)}, got {got}."
