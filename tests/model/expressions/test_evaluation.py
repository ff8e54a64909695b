"""Values of expressions, and what is said where there is none."""

import math

import numpy as np
import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Input, Parameter, Signal, evaluate, expression

m = Parameter("m", 2.0)


def test_names_have_the_values_given():
    law = m * Signal("A.angle") + Input("w")
    assert evaluate(law, {"A.angle": 3.0, "w": 1.0}) == 7.0
    assert evaluate(law, {"A.angle": np.float64(3.0), "w": 1, "m": 10.0}) == 31.0


def test_a_branch_that_is_not_taken_may_be_infinite():
    assert evaluate(expression("where(x > 0, log(x), 0)"), {"x": -1.0}) == 0.0
    assert evaluate(expression("exp(-1/x**2)"), {"x": 0.0}) == 0.0


@pytest.mark.parametrize(
    ("expr", "values", "message"),
    [
        (
            expression("A.angel"),
            {"A.angle": 1.0},
            "no value was given for signal 'A.angel'. Did you mean 'A.angle'?",
        ),
        (Input("w"), {}, "no value was given for input 'w'."),
        (
            1 / m + Signal("t"),
            {"m": 0.0, "t": 1.5},
            "'1/m + t' has no finite value at m = 0, t = 1.5, got inf.",
        ),
        (
            expression("log(a + b + c + d + e + f + g)"),
            dict.fromkeys("abcdefg", -1.0),
            "'log(a + b + c + d + e + f + g)' has no finite value at a = -1, b = -1, c = -1, "
            "d = -1, e = -1, f = -1, …, got nan.",
        ),
        (m, {"m": math.nan}, "parameter 'm': a finite number is needed, got nan."),
        (Signal("x"), {"x": "1"}, "signal 'x': a finite number is needed, got '1'."),
    ],
)
def test_missing_and_infinite_values_are_refused(expr, values, message):
    with pytest.raises(ExpressionError) as caught:
        evaluate(expr, values)
    assert str(caught.value) == message
