"""Callables as expressions: called once, with stand-ins for the quantities they name.

`lambda t, A: np.sin(t) - 0.2*A.angle_rate` is called with the time and with a stand-in for
`A`, and what comes back is the expression. After that the callable is forgotten, so a model
made with it compares, hashes and saves like one made with strings.
"""

import inspect
from collections.abc import Callable
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.checks import kind
from bellcrank.model.expressions.tree import Expression, Operators, Signal, operand, tracing


class StandIn(Operators):
    """What a traced callable gets for an argument: `A.angle` and bare `A` are both signals."""

    __slots__ = ("_name",)

    def __init__(self, name: str) -> None:
        self._name = name

    def __expression__(self) -> Expression:
        """Return the signal that has the bare name."""
        return Signal(self._name)

    def __getattr__(self, name: str) -> Expression:
        if name.startswith("__"):
            raise AttributeError(name)  # what NumPy and Python ask for is not a quantity
        return Signal(f"{self._name}.{name}")

    def __repr__(self) -> str:
        return f"Signal({self._name!r})"


def traced(function: Callable[..., Any]) -> Expression:
    """Return the expression that a callable computes.

    Args:
        function: A callable of quantities, each argument named as in a string: `t`, an
            element, a parameter, an input. It returns one number or expression.

    Raises:
        ExpressionError: The arguments cannot be traced, the callable fails on expressions,
            or it returns something else than one scalar.

    Examples:
        >>> traced(lambda t, length: 100 * (length - 0.1 * t))
        expression('100*(length - 0.1*t)')
    """
    positional, named = _arguments(function)
    token = tracing.set(True)
    try:
        result = function(*map(_stand_in, positional), **{n: _stand_in(n) for n in named})
    except ExpressionError as error:
        raise ExpressionError(f"cannot trace {_title(function)}: {error}") from None
    except Exception as error:
        raise ExpressionError(
            f"cannot trace {_title(function)}: it fails on expressions with "
            f"{type(error).__name__}: {error}."
        ) from error
    finally:
        tracing.reset(token)
    return _scalar(function, result)


def _scalar(function: Callable[..., Any], result: Any) -> Expression:
    try:
        return operand(result)
    except ExpressionError:
        raise ExpressionError(
            f"cannot trace {_title(function)}: it must return one finite number or expression, "
            f"got {kind(result)}."
        ) from None


def _stand_in(name: str) -> Operators:
    return Signal(name) if name == "t" else StandIn(name)


def _arguments(function: Callable[..., Any]) -> tuple[list[str], list[str]]:
    """Return the names of the arguments: those given by position, and those by name."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        found = None
    if found is None or isinstance(function, type):
        raise ExpressionError(
            f"cannot trace {_title(function)}: its arguments have no names to read. "
            "Wrap it in a lambda: lambda t, A: …"
        )
    for argument in found:
        _check_argument(function, argument)
    by_name = [a.name for a in found if a.kind is a.KEYWORD_ONLY]
    return [a.name for a in found if a.kind is not a.KEYWORD_ONLY], by_name


def _check_argument(function: Callable[..., Any], argument: inspect.Parameter) -> None:
    if argument.kind in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD):
        raise ExpressionError(
            f"cannot trace {_title(function)}: '{argument}' names no quantity. Every argument "
            "is a quantity by its name, such as t or a joint A."
        )
    if argument.default is not argument.empty:
        raise ExpressionError(
            f"cannot trace {_title(function)}: argument {argument.name!r} has a default. Every "
            "argument is a quantity by its name; write numbers into the body, or make them a "
            "Parameter."
        )


def _title(function: Callable[..., Any]) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return f"the callable {name!r}"
