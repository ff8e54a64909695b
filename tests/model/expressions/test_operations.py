"""Operations on numbers, held against IEEE 754 as NumPy keeps it."""

import math

import numpy as np
import pytest

from bellcrank.model.expressions.operations import OPERATIONS, calculate, fits

NUMPY = (
    {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "div": np.divide,
        "pow": np.power,
        "atan2": np.arctan2,
        "min": np.minimum,
        "max": np.maximum,
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "and": np.logical_and,
        "or": np.logical_or,
        "neg": np.negative,
        "asin": np.arcsin,
        "acos": np.arccos,
        "atan": np.arctan,
        "abs": np.abs,
        "not": np.logical_not,
        "step": lambda x: np.greater_equal(x, 0.0),
    }
    | {
        name: getattr(np, name)
        for name in ["sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "sign"]
    }
    | {"floor": np.floor}
)
SPECIAL = [0.0, 1.0, -1.0, 2.0, -2.0, 3.0, 0.5, -2.5, 1e3, -1e3, 1e200, math.inf, -math.inf]
SPECIAL += [math.nan]


@pytest.mark.parametrize("op", sorted(NUMPY))
def test_special_values_are_those_of_numpy(op):
    places = (
        [(a,) for a in SPECIAL] if fits(op, 1) else [(a, b) for a in SPECIAL for b in SPECIAL]
    )
    for args in places:
        if op == "pow" and args == (-math.inf, 0.5):
            continue  # NumPy takes a square root here; pow of C, and ours, is infinite
        with np.errstate(all="ignore"):
            by_numpy = float(NUMPY[op](*map(np.float64, args)))
        # A few units in the last place: NumPy has its own sine and exponential.
        assert calculate(op, args) == pytest.approx(by_numpy, rel=1e-14, nan_ok=True), args


def test_tables_are_those_of_numpy():
    knots, values = [-1.0, 0.0, 0.5, 2.0], [3.0, -1.0, -1.0, 4.0]
    for x in [*np.linspace(-2, 3, 41), math.inf, -math.inf]:
        value = calculate("interp", [x, *knots, *values])
        assert value == pytest.approx(float(np.interp(x, knots, values)), rel=1e-14)
    assert math.isnan(calculate("interp", [math.nan, *knots, *values]))


def test_where_takes_the_branch():
    assert calculate("where", [1.0, 2.0, math.nan]) == 2.0
    assert calculate("where", [0.0, math.inf, 3.0]) == 3.0


def test_every_operation_has_a_value():
    tested = set(NUMPY) | {"interp", "where"}
    assert tested == set(OPERATIONS)


def test_arity_of_tables_counts_pairs():
    assert [fits("interp", n) for n in (1, 3, 4, 5, 6, 7)] == [False] * 3 + [True, False, True]
