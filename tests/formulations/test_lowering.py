"""Expressions lowered to CasADi, held against their own evaluation."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.contract.switches import switches, switching_function
from bellcrank.kernels.build import build
from bellcrank.kernels.lower import lower
from bellcrank.model.expressions import OPERATIONS, evaluate, expression, inputs, signals

NAMES = ("a", "b")
SAMPLES = {
    "neg": "-a", "add": "a + b", "sub": "a - b", "mul": "a*b", "div": "a/b",
    "pow": "(a*a + 1)**b",
    "sin": "sin(a)", "cos": "cos(a)", "tan": "tan(a)", "asin": "asin(sin(a))",
    "acos": "acos(cos(a))", "atan": "atan(a)", "atan2": "atan2(a, b)", "sinh": "sinh(a)",
    "cosh": "cosh(a)", "tanh": "tanh(a)", "exp": "exp(a)", "log": "log(1 + a*a)",
    "sqrt": "sqrt(1 + a*a)", "abs": "abs(a)", "sign": "sign(a)", "min": "min(a, b)",
    "max": "max(a, b)", "step": "step(a)", "where": "where(a < b, sin(a), 3*b)",
    "lt": "where(a < b, 1, 2)", "le": "where(a <= b, 1, 2)", "gt": "where(a > b, 1, 2)",
    "ge": "where(a >= b, 1, 2)", "and": "where((a > 0) and (b > 0), 1, a)",
    "or": "where((a > 0) or (b > 0), 1, a)", "not": "where(not (a > 0), b, a)",
    "interp": "interp(a, [-1, 0, 0.5, 2], [3, 1, 4, -1])", "floor": "floor(a*b)",
}  # fmt: skip
values = st.floats(-3, 3).filter(lambda x: abs(x) > 1e-3)


def lowered(text, modes=None):
    """Return the function of (a, b) an expression is lowered to, with modes if given."""
    symbols = dict(zip(NAMES, ca.vertsplit(ca.SX.sym("x", 2)), strict=True))
    found = Lowering(symbols.__getitem__, {}, {}, modes or {})(expression(text))
    return lambda a, b: float(
        ca.evalf(ca.substitute(ca.SX(found), ca.vertcat(*symbols.values()), ca.DM([a, b])))
    )


def test_every_operation_has_a_sample():
    assert set(SAMPLES) == set(OPERATIONS)


@pytest.mark.parametrize("op", SAMPLES)
@given(a=values, b=values)
def test_lowering_keeps_the_value(op, a, b):
    expected = evaluate(expression(SAMPLES[op]), {"a": a, "b": b})
    assert lowered(SAMPLES[op])(a, b) == pytest.approx(expected, rel=1e-13, abs=1e-14)


@pytest.mark.parametrize(
    "op", ["abs", "sign", "step", "min", "max", "where", "and", "not", "interp", "atan2"]
)
@given(a=values, b=values)
def test_a_nonsmooth_expression_on_its_branch_has_its_value(op, a, b):
    """With k_i the sign of z_i, the smooth branch is the expression itself."""
    tree = expression(SAMPLES[op])
    found = switches([tree])
    assert found
    numbers = {"a": a, "b": b}
    z = [evaluate(switching_function(switch), numbers) for switch in found]
    assume(all(abs(value) > 1e-6 for value in z))
    modes = {switch: float(np.sign(value)) for switch, value in zip(found, z, strict=True)}
    assert lowered(SAMPLES[op], modes)(a, b) == pytest.approx(
        evaluate(tree, numbers), abs=1e-13
    )


@pytest.mark.parametrize(
    "text",
    [
        "atan2(a, b)", "atan2(a*b, -1)", "atan2(-a, b)", "atan2(0 - a, -1)", "atan2(0, a)",
        "atan(b/a)", "atan(1/(0 - a))", "atan(1/(a*b))", "atan(a**-1)", "atan(a**-3)",
        "atan(a**(b - 2))", "sqrt(a) + sqrt(b*b)", "atan(tanh(1/a))",
    ],
)  # fmt: skip
@pytest.mark.parametrize("a", [0.0, -0.0])
@pytest.mark.parametrize("b", [1.0, -1.0])
def test_zero_has_no_sign(text, a, b):
    """Evaluated, by CasADi, and as native code: −0 is 0, also where it comes from folding."""
    expected = evaluate(expression(text), {"a": a, "b": b})
    x = ca.SX.sym("x", 2)
    symbols = dict(zip(NAMES, ca.vertsplit(x), strict=True))
    found = Lowering(symbols.__getitem__, {}, {}, {})(expression(text))
    function = ca.Function("f", [x], [found], ["x"], ["y"])
    assert float(function(np.array([a, b]))) == expected
    kernel = build(lower(function), level=0)
    assert kernel(np.array([a, b]))[0] == pytest.approx(expected, rel=1e-15)


@given(b=values)
def test_taking_minus_zero_for_zero_keeps_derivatives(b):
    """∂/∂a of atan2(a, b) at a = 0 is 1/b, and of b/(1 + a) at a = −0 is −b."""
    x = ca.SX.sym("x", 2)
    symbols = dict(zip(NAMES, ca.vertsplit(x), strict=True))
    for text, expected in (("atan2(a, b)", 1 / b), ("b/(1 + a)", -b)):
        found = Lowering(symbols.__getitem__, {}, {}, {})(expression(text))
        slope = ca.substitute(ca.jacobian(found, symbols["a"]), x, ca.DM([0.0, b]))
        assert float(ca.evalf(slope)) == pytest.approx(expected, rel=1e-14)


def test_what_depends_on_parameters_alone_does_not_switch():
    from bellcrank.model import Parameter

    assert switches([abs(Parameter("m", 2.0)) * 3]) == ()


def test_a_long_sum_lowers_without_recursion():
    tree = expression("a")
    for _ in range(5000):
        tree = tree + expression("b")
    symbols = {"a": ca.SX(1.0), "b": ca.SX(2.0)}
    assert float(Lowering(symbols.__getitem__, {}, {}, {})(tree)) == pytest.approx(10001.0)
    assert signals(tree) == {"a", "b"}
    assert inputs(tree) == ()
