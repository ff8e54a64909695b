"""What is simplified, and what is left as it was written."""

import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Constant, Signal, combine, expression, is_condition

x, y = Signal("x"), Signal("y")


@pytest.mark.parametrize(
    ("source", "simpler"),
    [
        ("2*3 + 4**0.5", "8"),
        ("x + 0", "x"),
        ("0 + x", "x"),
        ("x - 0", "x"),
        ("0 - x", "-x"),
        ("x - x", "0"),
        ("x + -y", "x - y"),
        ("x - -y", "x + y"),
        ("x*1", "x"),
        ("1*x", "x"),
        ("-1*x", "-x"),
        ("0*x", "0"),
        ("x*0", "0"),
        ("x/1", "x"),
        ("x/-1", "-x"),
        ("0/x", "0"),
        ("x**1", "x"),
        ("x**0", "1"),
        ("--x", "x"),
        ("where(1 < 2, x, y)", "x"),
        ("where(1 > 2, x, y)", "y"),
        ("where(x > 0, y, y)", "y"),
        ("1 < 2 and x > 0", "x > 0"),
        ("1 > 2 and x > 0", "0"),
        ("1 < 2 or x > 0", "1"),
        ("x > 0 or 1 > 2", "x > 0"),
        ("interp(0.5, [0, 1], [0, 4])", "2"),
    ],
)
def test_what_does_nothing_is_dropped(source, simpler):
    assert expression(source) == expression(simpler)


@pytest.mark.parametrize("source", ["2*(3*x)", "x + 1 + 2", "x*x", "x/x", "x**2", "min(x, x)"])
def test_what_would_change_digits_or_domains_stays(source):
    assert repr(expression(source)) == f"expression({source!r})"


def test_conditions_are_known_as_such():
    assert is_condition(x > 0)
    assert is_condition(Constant(1.0))
    assert not is_condition(Constant(2.0))
    assert not is_condition(x)
    assert not is_condition(x + y)


@pytest.mark.parametrize(
    ("op", "args", "message"),
    [
        ("sqrt", [Constant(-1.0)], "'sqrt(-1)' has no finite value, got nan."),
        (
            "mul",
            [Constant(1e200), Constant(1e200)],
            "'1e+200*1e+200' has no finite value, got inf.",
        ),
        ("div", [x, Constant(0.0)], "'x/0' divides by zero."),
        ("add", [x], "add takes 2 arguments, got 1."),
    ],
)
def test_constant_parts_that_are_not_finite_are_refused(op, args, message):
    with pytest.raises(ExpressionError) as caught:
        combine(op, *args)
    assert str(caught.value) == message
