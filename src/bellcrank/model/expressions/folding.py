"""Putting operations together, with what is already known worked out at once.

Wherever the parts of an expression have finite values, folding changes none of them: it
works out operations on constants, and drops what does nothing (x + 0, x*1, x**1, -(-x)).
0*x is 0, which is true of every finite x. Sums are not reordered, since that would change
the last digits.
"""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.checks import arity_complaint
from bellcrank.model.expressions.operations import CONDITIONS, calculate, fits
from bellcrank.model.expressions.tree import Constant, Expression, Operation, same
from bellcrank.model.expressions.writing import shown


def combine(op: str, *args: Expression) -> Expression:
    """Return the operation on these nodes, folded.

    Args:
        op: A name in `OPERATIONS`.
        args: The nodes it works on.

    Raises:
        ExpressionError: The number of arguments is wrong, a condition is missing where one is
            needed, the knots of a table do not increase, or a constant part is not finite.

    Examples:
        >>> combine("mul", Constant(2.0), Constant(3.0))
        Constant(6.0)
    """
    if not fits(op, len(args)):
        raise ExpressionError(arity_complaint(op, len(args)))
    check = _CHECKS.get(op)
    if check is not None:
        check(op, args)
    if all(isinstance(arg, Constant) for arg in args):
        return _worked_out(op, args)
    rule = _RULES.get(op)
    simpler = rule(*args) if rule is not None else None
    return Operation(op, args) if simpler is None else simpler


def is_condition(expr: Expression) -> bool:
    """Return whether the value of an expression is a condition, 1 or 0."""
    if isinstance(expr, Operation):
        return expr.op in CONDITIONS
    return _is(expr, 0.0) or _is(expr, 1.0)


def _worked_out(op: str, args: tuple[Expression, ...]) -> Expression:
    value = calculate(op, [arg.value for arg in args if isinstance(arg, Constant)])
    if not math.isfinite(value):
        raise ExpressionError(
            f"{shown(Operation(op, args))!r} has no finite value, got {value!r}."
        )
    return Constant(value)


def _check_conditions(op: str, args: tuple[Expression, ...]) -> None:
    for arg in args[:1] if op == "where" else args:
        if not is_condition(arg):
            place = "first" if op == "where" else "on each side" if op != "not" else "after it"
            raise ExpressionError(
                f"{op!r} needs a condition such as 'A.angle > 0' {place}, got {shown(arg)!r}."
            )


def _check_knots(op: str, args: tuple[Expression, ...]) -> None:
    knots = args[1 : 1 + len(args) // 2]
    for knot in knots:
        if not isinstance(knot, Constant):
            raise ExpressionError(f"{op}: the knots are plain numbers, got {shown(knot)!r}.")
    values = [knot.value for knot in knots if isinstance(knot, Constant)]
    for before, after in pairwise(values):
        if after <= before:
            raise ExpressionError(
                f"{op}: the knots must increase, got {after:.9g} after {before:.9g}."
            )


_CHECKS: Mapping[str, Callable[[str, tuple[Expression, ...]], None]] = {
    "where": _check_conditions,
    "and": _check_conditions,
    "or": _check_conditions,
    "not": _check_conditions,
    "interp": _check_knots,
}


def _is(expr: Expression, value: float) -> bool:
    return isinstance(expr, Constant) and expr.value == value


def _negated(expr: Expression) -> Expression | None:
    """Return x of -x, None for anything else."""
    return expr.args[0] if isinstance(expr, Operation) and expr.op == "neg" else None


def _add(a: Expression, b: Expression) -> Expression | None:
    if _is(a, 0.0):
        return b
    if _is(b, 0.0):
        return a
    opposite = _negated(b)
    return None if opposite is None else combine("sub", a, opposite)


def _sub(a: Expression, b: Expression) -> Expression | None:
    if _is(b, 0.0):
        return a
    if _is(a, 0.0):
        return combine("neg", b)
    if same(a, b):
        return Constant(0.0)
    opposite = _negated(b)
    return None if opposite is None else combine("add", a, opposite)


def _mul(a: Expression, b: Expression) -> Expression | None:
    for one, other in ((a, b), (b, a)):
        if _is(one, 0.0):
            return one
        if _is(one, 1.0):
            return other
        if _is(one, -1.0):
            return combine("neg", other)
    return None


def _div(a: Expression, b: Expression) -> Expression | None:
    if _is(b, 0.0):
        raise ExpressionError(f"{shown(Operation('div', (a, b)))!r} divides by zero.")
    if _is(b, 1.0) or _is(a, 0.0):
        return a
    return combine("neg", a) if _is(b, -1.0) else None


def _pow(a: Expression, b: Expression) -> Expression | None:
    if _is(b, 0.0):
        return Constant(1.0)
    return a if _is(b, 1.0) else None


def _where(condition: Expression, a: Expression, b: Expression) -> Expression | None:
    if isinstance(condition, Constant):
        return a if condition.value else b
    return a if same(a, b) else None


def _and(a: Expression, b: Expression) -> Expression | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant):
            return other if one.value else one
    return None


def _or(a: Expression, b: Expression) -> Expression | None:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Constant):
            return one if one.value else other
    return None


_RULES: Mapping[str, Callable[..., Expression | None]] = {
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "pow": _pow,
    "neg": _negated,
    "where": _where,
    "and": _and,
    "or": _or,
}
