"""Every operation, scalar and in lanes, held against CasADi and NumPy."""

import casadi as ca
import numpy as np
import pytest

from bellcrank.kernels.build import build
from bellcrank.kernels.lower import lower
from bellcrank.kernels.program import BINARY, OPERATIONS, UNARY

UNARY_IN_CASADI = {
    "neg": lambda x: -x,
    "exp": ca.exp,
    "log": ca.log,
    "sqrt": ca.sqrt,
    "sq": lambda x: x * x,
    "twice": lambda x: 2 * x,
    "sin": ca.sin,
    "cos": ca.cos,
    "tan": ca.tan,
    "asin": ca.asin,
    "acos": ca.acos,
    "atan": ca.atan,
    "not": ca.logic_not,
    "floor": ca.floor,
    "ceil": ca.ceil,
    "fabs": ca.fabs,
    "sign": ca.sign,
    "erf": ca.erf,
    "inv": lambda x: 1 / x,
    "sinh": ca.sinh,
    "cosh": ca.cosh,
    "tanh": ca.tanh,
    "asinh": ca.asinh,
    "acosh": ca.acosh,
    "atanh": ca.atanh,
    "log1p": ca.log1p,
    "expm1": ca.expm1,
}
BINARY_IN_CASADI = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x != y,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "fmod": ca.fmod,
    "copysign": ca.copysign,
    "if_else_zero": lambda x, y: ca.if_else(x, y, 0),
    "fmin": ca.fmin,
    "fmax": ca.fmax,
    "atan2": ca.atan2,
    "hypot": ca.hypot,
    "remainder": ca.remainder,
}
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 1e-310, 1e300, 7e9, np.inf, -np.inf])
SPECIAL = np.append(SPECIAL, np.nan)
# The C library and NumPy round transcendental functions differently, by an ulp or two.
RTOL = 2e-15


def test_all_operations_are_tried():
    assert set(UNARY_IN_CASADI) | {"assign"} == set(UNARY)
    assert set(BINARY_IN_CASADI) == set(BINARY)


def by_casadi(function, *columns):
    return np.array([[float(function(*row))] for row in zip(*columns, strict=True)])


def same(ours, theirs, *, signs=True):
    np.testing.assert_allclose(ours, theirs, rtol=RTOL, atol=0, equal_nan=True)
    if signs:
        zero = theirs == 0
        np.testing.assert_array_equal(np.signbit(ours[zero]), np.signbit(theirs[zero]))


@pytest.mark.parametrize("name", UNARY_IN_CASADI)
def test_one_operand(name):
    x = ca.SX.sym("x")
    function = ca.Function(name, [x], [UNARY_IN_CASADI[name](x)])
    program = lower(function)
    assert name in {OPERATIONS[code] for code in program.operations}
    values = np.concatenate([SPECIAL, np.random.default_rng(1).normal(0, 2, 40)])
    expected = by_casadi(function, values)
    same(program.evaluate(values[:, None])[0], expected)
    scalar = build(program)(values[:, None])[0]
    same(scalar, expected)
    for lanes in (2, 4, 8):
        (found,) = build(program, lanes=lanes)(values[:, None])
        np.testing.assert_array_equal(found, scalar)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(scalar))


@pytest.mark.parametrize("name", BINARY_IN_CASADI)
def test_two_operands(name):
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    function = ca.Function(name, [x, y], [BINARY_IN_CASADI[name](x, y)])
    program = lower(function)
    assert name in {OPERATIONS[code] for code in program.operations}
    rng = np.random.default_rng(2)
    grid = np.array(np.meshgrid(SPECIAL, SPECIAL)).reshape(2, -1)
    a, b = np.concatenate([grid, rng.normal(0, 2, (2, 40))], axis=1)
    expected = by_casadi(function, a, b)
    # C leaves open which zero fmin(0, -0) is, and whether 0 is of either sign in `eq`.
    signs = name not in {"fmin", "fmax"}
    same(program.evaluate(a[:, None], b[:, None])[0], expected, signs=signs)
    scalar = build(program)(a[:, None], b[:, None])[0]
    same(scalar, expected, signs=signs)
    for lanes in (2, 8):
        (found,) = build(program, lanes=lanes)(a[:, None], b[:, None])
        np.testing.assert_array_equal(found, scalar)


def test_level_0_agrees():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    results = [f(x) for f in UNARY_IN_CASADI.values()]
    results += [f(x, y) for f in BINARY_IN_CASADI.values()]
    function = ca.Function("all", [x, y], [ca.vertcat(*results)])
    a, b = np.random.default_rng(3).uniform(0.1, 0.9, (2, 19, 1))
    expected = np.array([np.array(function(*row)).ravel() for row in zip(a, b, strict=True)])
    for lanes in (1, 4):
        (found,) = build(function, lanes=lanes, level=0)(a, b)
        np.testing.assert_allclose(found, expected, rtol=1e-14, atol=1e-300)


def test_if_else_never_sees_the_branch_not_taken():
    x = ca.SX.sym("x")
    function = ca.Function("f", [x], [ca.if_else(x > 0, ca.log(x), -ca.sqrt(-x))])
    values = np.array([2.0, -4.0, 0.25, -0.25])[:, None]
    for lanes in (1, 2, 4):
        (found,) = build(function, lanes=lanes)(values)
        np.testing.assert_allclose(found[:, 0], [np.log(2), -2, np.log(0.25), -0.5], rtol=1e-15)


def test_comparisons_feed_logic_and_numbers():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    inside = ca.logic_and(ca.logic_not(x < y), ca.logic_or(x <= 1, y == 2))
    function = ca.Function("f", [x, y], [ca.if_else(inside, x, y) + 10 * inside])
    a, b = np.random.default_rng(4).integers(0, 3, (2, 64, 1)).astype(float)
    expected = by_casadi(function, a[:, 0], b[:, 0])
    for lanes in (1, 8):
        np.testing.assert_array_equal(build(function, lanes=lanes)(a, b)[0], expected)
