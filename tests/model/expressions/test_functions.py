"""Functions for expressions and for floats alike."""

import math

import numpy as np
import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model import expressions
from bellcrank.model.expressions import (
    Constant,
    Expression,
    Signal,
    absolute,
    atan2,
    evaluate,
    expression,
    interp,
    maximum,
    minimum,
    sign,
    sin,
    step,
    where,
)

x, y = Signal("x"), Signal("y")


@pytest.mark.parametrize(
    "name",
    ["sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt"],
)
def test_functions_have_the_value_of_math(name):
    ours, theirs = getattr(expressions, name), getattr(math, name)
    assert ours(0.3) == theirs(0.3)
    assert type(ours(0.3)) is float
    assert ours(x) == expression(f"{name}(x)")
    assert evaluate(ours(x), {"x": 0.3}) == theirs(0.3)


def test_other_functions_on_numbers():
    assert (absolute(-2), sign(-2), step(0), step(-1e-9)) == (2.0, -1.0, 1.0, 0.0)
    assert atan2(1, -1) == math.atan2(1, -1)
    assert (minimum(3, 1, 2), maximum(3, 1, 4, 2)) == (1.0, 4.0)
    assert where(1 > 2, 5, 6) == 6.0
    assert where(np.True_, 5, 6) == 5.0
    assert interp(np.float64(0.25), np.array([0.0, 1.0]), [0, 4]) == 1.0


def test_other_functions_on_expressions():
    assert minimum(x, 1, y) == expression("min(x, 1, y)")
    assert maximum(x, 1, y) == expression("max(x, 1, y)")
    assert absolute(x) == expression("abs(x)")
    assert atan2(y, x) == expression("atan2(y, x)")
    assert where(x > 0, y, 2) == expression("where(x > 0, y, 2)")
    assert interp(x, range(3), [0, y, 1]) == expression("interp(x, [0, 1, 2], [0, y, 1])")


def test_an_expression_stays_one_where_it_is_constant():
    assert sin(Constant(0.0)) == Constant(0.0)
    assert isinstance(where(x > 0, 1, 1), Expression)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: expressions.log(0), "'log(0)' has no finite value, got -inf."),
        (lambda: sin("x"), "a finite number is needed, got 'x'."),
        (lambda: sin(np.zeros(3)), "a finite number is needed, got an array of shape (3,)."),
        (lambda: sin(math.nan), "a finite number is needed, got nan."),
        (
            lambda: where(2, 1, 0),
            "'where' needs a condition such as 'A.angle > 0' first, got '2'.",
        ),
        (
            lambda: interp(x, [0, 1], [1]),
            "interp takes as many knots as values, got 2 knots and 1 values.",
        ),
        (
            lambda: interp(x, [0], [1]),
            "interp takes x and as many knots as values, at least 2, got 3 arguments.",
        ),
    ],
)
def test_what_has_no_value_is_refused(call, message):
    with pytest.raises(ExpressionError) as caught:
        call()
    assert str(caught.value) == message
