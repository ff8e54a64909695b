"""NumPy's functions on expressions, and on arrays that hold them."""

import numpy as np
import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Signal, evaluate, expression

x, y = Signal("x"), Signal("y")


@pytest.mark.parametrize(
    "name",
    [
        "sin",
        "cos",
        "tan",
        "arcsin",
        "arccos",
        "arctan",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "sign",
        "absolute",
        "fabs",
        "negative",
        "positive",
        "square",
        "reciprocal",
        "exp2",
        "log2",
        "log10",
        "deg2rad",
        "radians",
        "rad2deg",
        "degrees",
    ],
)
def test_functions_of_one_argument_have_the_value_of_numpy(name):
    function = getattr(np, name)
    assert evaluate(function(x), {"x": 0.3}) == pytest.approx(function(0.3), rel=1e-15)


@pytest.mark.parametrize(
    "name",
    [
        "add",
        "subtract",
        "multiply",
        "divide",
        "power",
        "float_power",
        "arctan2",
        "hypot",
        "minimum",
        "maximum",
        "fmin",
        "fmax",
        "less",
        "less_equal",
        "greater",
        "greater_equal",
    ],
)
def test_functions_of_two_arguments_have_the_value_of_numpy(name):
    function = getattr(np, name)
    by_numpy = float(function(0.3, 0.7))
    for a, b in ((x, y), (0.3, y), (x, np.float64(0.7)), (np.array(0.3), y)):
        value = evaluate(function(a, b), {"x": 0.3, "y": 0.7})
        assert value == pytest.approx(by_numpy, rel=1e-15)


def test_conditions_are_joined_as_in_strings():
    assert np.logical_and(x > 0, y > 0) == expression("x > 0 and y > 0")
    assert np.logical_or(x > 0, y > 0) == expression("x > 0 or y > 0")
    assert np.logical_not(x > 0) == expression("not x > 0")


def test_where_interp_and_clip_are_traced():
    assert np.where(x > 0, 1.0, y) == expression("where(x > 0, 1, y)")
    assert np.interp(x, [0, 1], [2, 3]) == expression("interp(x, [0, 1], [2, 3])")
    assert np.clip(x, -1, 1) == expression("min(max(x, -1), 1)")


def test_numpy_numbers_are_numbers():
    assert np.float64(2) * x == expression("2*x")
    assert x * np.int64(2) == expression("x*2")
    assert (np.float64(2) < x) == expression("2 < x")
    assert (np.float64(2) == x) is False
    assert (np.float64(2) != x) is True


def test_arrays_are_taken_entry_by_entry():
    scaled = np.array([1.0, 2.0]) * x
    assert list(scaled) == [x, 2 * x]
    assert list(x - np.array([1.0, 2.0])) == [x - 1, x - 2]
    assert np.array([[1.0, 2.0], [3.0, 4.0]])[0] @ np.array([x, y]) == 1 * x + 2 * y


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: np.trunc(x),
            "np.trunc cannot take an expression: no NumPy function to trace named 'trunc'. "
            "There are: absolute, add, arccos, arcsin, arctan, arctan2, bitwise_and, "
            "bitwise_or, ceil, clip, cos, cosh, … (55 in all).",
        ),
        (
            lambda: np.cumsum(x),
            "np.cumsum cannot take an expression: no NumPy function to trace named 'cumsum'. "
            "There are: absolute, add, arccos, arcsin, arctan, arctan2, bitwise_and, "
            "bitwise_or, ceil, clip, cos, cosh, … (57 in all).",
        ),
        (
            lambda: np.add(x, 1, out=np.zeros(1)),
            "np.add with options cannot take an expression; call np.add(…) plainly.",
        ),
        (
            lambda: np.add.outer(x, 1),
            "np.add.outer cannot take an expression; call np.add(…) plainly.",
        ),
        (
            lambda: np.where(x > 0),
            "np.where on an expression takes 3 arguments and no options.",
        ),
        (lambda: x * np.float64("nan"), "a finite number is needed, got nan."),
        (lambda: np.sin(x) * np.array([np.inf]), "a finite number is needed, got inf."),
        (
            lambda: np.where(x, 1, 2),
            "'where' needs a condition such as 'A.angle > 0' first, got 'x'.",
        ),
    ],
)
def test_other_calls_are_refused(call, message):
    with pytest.raises(ExpressionError) as caught:
        call()
    assert str(caught.value) == message
