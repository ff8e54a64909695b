"""Whatever the user wrote, as an expression or a number."""

from fractions import Fraction

import numpy as np
import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Constant, Input, Parameter, Signal, expression, number

m = Parameter("m", 2.0)


def test_expressions_from_everything():
    assert expression(2) == Constant(2.0)
    assert expression("2*x") == expression(lambda x: 2 * x) == 2 * Signal("x")
    assert expression(m) is m


@pytest.mark.parametrize(
    "value", [2, 2.0, np.float32(2), np.int64(2), np.array(2.0), Fraction(2), "2", "1 + 1"]
)
def test_numbers_become_floats(value):
    assert number(value) == 2.0
    assert type(number(value)) is float


def test_zero_has_no_sign():
    assert str(number(-0.0)) == "0.0"
    assert str(number("-0.0")) == "0.0"


def test_numbers_may_be_expressions_of_parameters():
    assert number(2 * m) == 2 * m
    assert number("2*m") == 2 * Signal("m")
    assert number(lambda m: 2 * m) == 2 * Signal("m")
    assert number(m - m) == 0.0
    assert number(Constant(3.0)) == 3.0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "a finite number is needed, got nan."),
        (float("inf"), "a finite number is needed, got inf."),
        (10**400, "a finite number is needed, got inf."),
        (True, "a finite number is needed, got True."),
        (np.False_, "a finite number is needed, got False."),
        (1j, "a finite number is needed, got 1j."),
        (None, "a finite number is needed, got None."),
        ([1, 2], "a finite number is needed, got a list of 2."),
        (np.array([2.0]), "a finite number is needed, got an array of shape (1,)."),
        (b"2", "a finite number is needed, got a value of type bytes."),
        ("nan", "cannot read 'nan': 'nan' is not a finite number."),
        ("2*t", "a number may use parameters only, but '2*t' uses t."),
        (
            "m*A.angle + B.x",
            "a number may use parameters only, but 'm*A.angle + B.x' uses A.angle, B.x.",
        ),
        (m * Input("w"), "a number may use parameters only, but 'm*w' uses input 'w'."),
    ],
)
def test_what_is_no_number_is_refused(value, message):
    with pytest.raises(ExpressionError) as caught:
        number(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "a number, a string or a callable is needed, got None."),
        ({}, "a number, a string or a callable is needed, got a value of type dict."),
        ((1, 2, 3), "a number, a string or a callable is needed, got a tuple of 3."),
        (
            np.zeros(3),
            "a number, a string or a callable is needed, got an array of shape (3,).",
        ),
        (float("nan"), "a finite number is needed, got nan."),
        (True, "a finite number is needed, got True."),
    ],
)
def test_what_is_no_expression_is_refused(value, message):
    with pytest.raises(ExpressionError) as caught:
        expression(value)
    assert str(caught.value) == message
