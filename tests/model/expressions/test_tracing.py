"""Callables, traced into the expression that a string would give."""

import functools
import math

import numpy as np
import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Input, Parameter, Signal, expression, interp, sin, where

TRUTH = (
    "is neither true nor false until the machine runs, so `if`, `and`, `or`, `not`, min() and "
    "max() cannot decide on it. Use where(condition, a, b) to choose, &, | and ~ to join "
    "conditions, minimum(a, b) and maximum(a, b)."
)
NUMBER = (
    "has no number until the machine runs, so float() and the functions of `math` cannot take "
    "it. Use those of numpy or bellcrank: np.sin(x) or bc.sin(x) instead of math.sin(x)."
)
EQUAL = (
    "== and != make no condition: two real numbers are hardly ever equal. Use <, <=, > or >=."
)
DEFAULT = (
    "has a default. Every argument is a quantity by its name; write numbers into the body, or "
    "make them a Parameter."
)


def law(t, A, *, length):
    """Use all kinds of argument."""
    return 3 * length - np.sin(t) * A.angle_rate


class Controller:
    """A callable with a state of its own."""

    gain = 2.0

    def __call__(self, t):
        """Return a ramp."""
        return self.gain * t

    def effort(self, A):
        """Return a restoring effort."""
        return -self.gain * A.angle


@pytest.mark.parametrize(
    ("function", "source"),
    [
        (lambda t, A: -0.2 * A.angle_rate + np.sin(t), "-0.2*A.angle_rate + sin(t)"),
        (law, "3*length - sin(t)*A.angle_rate"),
        (Controller(), "2*t"),
        (Controller().effort, "-2*A.angle"),
        (lambda: 5, "5"),
        (lambda length: length, "length"),
        (lambda A: sin(A.angle), "sin(A.angle)"),
        (lambda A: where(A.angle > 0, A.angle, 0), "where(A.angle > 0, A.angle, 0)"),
        (lambda A: abs(A.x) / 2 + +(A.y**2), "abs(A.x)/2 + A.y**2"),
        (lambda t: 2**t - 1 / t, "2**t - 1/t"),
        (lambda t, x: (t > 1) & ~(x <= 2) | (x < 2), "t > 1 and not x <= 2 or x < 2"),
        (lambda t: interp(t, [0, 1], [0, 2]), "interp(t, [0, 1], [0, 2])"),
        (lambda t: np.array(2 * t), "2*t"),
        (lambda A: A.shape + A.args, "A.shape + A.args"),
        (lambda m, g: m * g, "m*g"),
        (functools.partial(lambda k, t: k * t, 3.0), "3*t"),
    ],
)
def test_callables_give_what_strings_give(function, source):
    assert expression(function) == expression(source)


def test_parameters_and_inputs_come_in_from_around_the_callable():
    k, w = Parameter("k", 3.0), Input("w")
    assert expression(lambda A: k * A.angle + w) == k * Signal("A.angle") + w


def branching(t):
    """Return a number that depends on the time by `if`."""
    return 1 if t > 1 else 0


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (branching, f"expression('t > 1') {TRUTH}"),
        (lambda A: max(A.x, 1), f"expression('A.x < 1') {TRUTH}"),
        (lambda A: not A, f"Signal('A') {TRUTH}"),
        (lambda A: math.sin(A.angle), f"Signal('A.angle') {NUMBER}"),
        (lambda A: math.sin(A), f"Signal('A') {NUMBER}"),
        (lambda A: A.angle == 0, EQUAL),
        (lambda A: A == 0, EQUAL),
        (lambda A: np.where(np.equal(A.angle, 0), 1, 2), EQUAL),
        (lambda t: None, "it must return one finite number or expression, got None."),
        (lambda t: (t, t), "it must return one finite number or expression, got a tuple of 2."),
        (
            lambda t: np.array([t, t]),
            "it must return one finite number or expression, got an array of shape (2,).",
        ),
        (lambda t: "2*t", "it must return one finite number or expression, got '2*t'."),
        (lambda t: math.nan, "it must return one finite number or expression, got nan."),
        (lambda t: t * math.inf, "a finite number is needed, got inf."),
        (
            lambda t: 1 / 0,
            "it fails on expressions with ZeroDivisionError: division by zero.",
        ),
        (
            lambda t: t % 2,
            "it fails on expressions with TypeError: unsupported operand type(s) for %: "
            "'Signal' and 'int'.",
        ),
        (
            lambda A: A.angle.rate,
            "it fails on expressions with AttributeError: 'Signal' object has no attribute "
            "'rate'.",
        ),
        (lambda t, k=3: k * t, f"argument 'k' {DEFAULT}"),
        (
            lambda *a: 1,
            "'*a' names no quantity. Every argument is a quantity by its name, such as t or a "
            "joint A.",
        ),
        (
            lambda **a: 1,
            "'**a' names no quantity. Every argument is a quantity by its name, such as t or a "
            "joint A.",
        ),
        (
            float,
            "its arguments have no names to read. Wrap it in a lambda: lambda t, A: …",
        ),
    ],
)
def test_what_cannot_be_traced_says_why(function, reason):
    with pytest.raises(ExpressionError) as caught:
        expression(function)
    assert str(caught.value) == f"cannot trace the callable {function.__name__!r}: {reason}"


def test_equality_is_structural_again_after_tracing():
    with pytest.raises(ExpressionError):
        expression(lambda A: A.angle == 0)
    assert Signal("x") == Signal("x")
    assert Signal("x") != 0
