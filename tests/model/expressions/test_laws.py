"""What must hold for any expression."""

import math
import pickle
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import (
    CONDITIONS,
    OPERATIONS,
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    combine,
    evaluate,
    expression,
    inputs,
    parameters,
    renamed,
    signals,
    substitute,
    text,
    walk,
)

few = settings(max_examples=50, deadline=None)

numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.5, -3.0, math.pi, 1e-3, 1e20]) | st.floats(
    -10, 10, allow_subnormal=False
)
names = st.sampled_from(["t", "x", "A.angle", "A.angle_rate"])
leaves = numbers.map(Constant) | names.map(Signal)
VALUES = sorted(set(OPERATIONS) - CONDITIONS)


def value(draw, levels: int) -> Expression:
    if levels == 0 or draw(st.integers(0, 4)) == 0:
        return draw(leaves)
    op = draw(st.sampled_from([*VALUES, "condition"]))
    if op == "condition":
        return condition(draw, levels - 1)
    if op == "where":
        args = condition(draw, levels - 1), value(draw, levels - 1), value(draw, levels - 1)
    elif op == "interp":
        knots = draw(st.lists(st.floats(-5, 5), min_size=2, max_size=4, unique=True))
        args = value(draw, levels - 1), *map(Constant, sorted(knots))
        args += tuple(value(draw, levels - 2) for _ in knots) if levels > 1 else args[1:]
    else:
        args = tuple(value(draw, levels - 1) for _ in range(OPERATIONS[op].least))
    return Operation(op, args)


def condition(draw, levels: int) -> Expression:
    op = draw(st.sampled_from(sorted(CONDITIONS) if levels else ["lt", "ge"]))
    below = condition if op in ("and", "or", "not") else value
    below_levels = max(levels - 1, 0)
    args = tuple(below(draw, below_levels) for _ in range(OPERATIONS[op].least))
    return Operation(op, args)


trees = st.composite(lambda draw: value(draw, 4))()
places = st.fixed_dictionaries({
    name: st.floats(-3, 3) for name in ("t", "x", "A.angle", "A.angle_rate")
})


def folded(raw: Expression) -> Expression:
    """Build the tree again from its leaves, folding on the way."""
    done: dict[int, Expression] = {}
    for node in walk(raw):
        if isinstance(node, Operation):
            done[id(node)] = combine(node.op, *(done[id(arg)] for arg in node.args))
        else:
            done[id(node)] = node
    return done[id(raw)]


def folded_or_rejected(raw: Expression) -> Expression:
    try:
        return folded(raw)
    except ExpressionError:
        assume(False)
        raise


def finite_throughout(raw: Expression, values: dict[str, float]) -> bool:
    try:
        return all(math.isfinite(evaluate(node, values)) for node in walk(raw))
    except ExpressionError:
        return False


@few
@given(trees, places)
def test_folding_changes_no_value(raw, values):
    assume(finite_throughout(raw, values))
    assert evaluate(folded(raw), values) == evaluate(raw, values)


@few
@given(trees)
def test_folding_twice_is_folding_once(raw):
    once = folded_or_rejected(raw)
    assert folded(once) == once


@few
@given(trees)
def test_text_reads_back_as_the_same_tree(raw):
    expr = folded_or_rejected(raw)
    assert expression(text(expr)) == expr


PYTHON = {name: getattr(math, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan")}
PYTHON |= {name: getattr(math, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "sqrt")}
PYTHON |= {
    "atan2": lambda y, x: math.atan2(y + 0.0, x + 0.0),  # our zero has no sign
    "abs": abs,
    "min": min,
    "max": max,
    "pi": math.pi,
    "sign": lambda x: float((x > 0) - (x < 0)),
    "step": lambda x: float(np.heaviside(x, 1.0)),
    "floor": math.floor,
    "where": lambda condition, a, b: a if condition else b,
    "interp": lambda x, knots, values: float(np.interp(x, knots, values)),
}


@few
@given(trees, places)
def test_value_is_that_of_python_on_the_text(raw, values):
    expr = folded_or_rejected(raw)
    element = SimpleNamespace(angle=values["A.angle"], angle_rate=values["A.angle_rate"])
    scope = PYTHON | {"t": values["t"], "x": values["x"], "A": element}
    try:
        by_python = float(eval(text(expr), {"__builtins__": {}}, scope))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        assume(False)  # outside a domain, or a complex power
        raise
    assume(math.isfinite(by_python) and finite_throughout(expr, values))
    # Tables are read with another order of operations by NumPy; the rest is the same digits,
    # which steps and quotients may carry far only where a table is in the text.
    if "interp" in text(expr):
        assume(
            not any(word in text(expr) for word in ("<", ">", "step", "sign", "**", "/", "tan"))
        )
        assert evaluate(expr, values) == pytest.approx(by_python, rel=1e-6, abs=1e-6)
    else:
        assert evaluate(expr, values) == by_python


@few
@given(trees)
def test_copies_are_equal_and_hash_the_same(raw):
    copy = pickle.loads(pickle.dumps(raw))
    assert copy == raw
    assert hash(copy) == hash(raw)
    assert text(copy) == text(raw)


@few
@given(trees, trees)
def test_trees_are_equal_exactly_where_their_texts_are(a, b):
    a, b = folded_or_rejected(a), folded_or_rejected(b)
    assert (a == b) == (text(a) == text(b))


@few
@given(trees, places)
def test_putting_in_the_values_is_evaluating(raw, values):
    assume(finite_throughout(raw, values))
    mapping = {Signal(name): Constant(value) for name, value in values.items()}
    assert substitute(folded(raw), mapping) == Constant(evaluate(raw, values))


@few
@given(trees, places)
def test_renaming_changes_the_names_and_nothing_else(raw, values):
    assume(finite_throughout(raw, values))
    other = renamed(raw, {"A": "left arm", "x": "y"})
    assert not signals(other) & {"x", "A.angle", "A.angle_rate"}
    place = values | {"y": values["x"], "left arm.angle": values["A.angle"]}
    place["left arm.angle_rate"] = values["A.angle_rate"]
    assert evaluate(other, place) == evaluate(raw, values)


@few
@given(st.text(min_size=1))
def test_every_name_reads_back(name):
    assert expression(text(Signal(name))) == Signal(name)


@few
@given(st.text(min_size=1), st.text(min_size=1))
def test_every_name_of_an_element_reads_back(element, quantity):
    signal = Signal(f"{element}.{quantity}")
    assert expression(text(2 * signal)) == 2 * signal


@few
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_reads_back(value):
    assert expression(text(Constant(value))) == Constant(value)


@few
@given(st.text(max_size=30) | st.text("t0.1+-*/()[]'<>=, sinwhere&|~!:{}\\#\"", max_size=30))
def test_any_string_gives_an_expression_or_an_expression_error(source):
    try:
        assert isinstance(expression(source), Expression)
    except ExpressionError:
        with pytest.raises(ExpressionError, match=r"^cannot read .*\.$"):
            expression(source)


TERMS = 10_000


def long_sum() -> Expression:
    total: Expression = Constant(0.0)
    for i in range(TERMS):
        total = total + Parameter(f"p{i}", i) * Signal("t") + Input(f"w{i}")
    return total


def deep_sine() -> Expression:
    nested: Expression = Signal("t")
    for _ in range(TERMS):
        nested = combine("sin", nested)
    return nested


@pytest.mark.parametrize("make", [long_sum, deep_sine])
def test_deep_trees_do_all_that_small_ones_do(make):
    a, b = make(), make()
    assert a == b
    assert hash(a) == hash(b)
    assert pickle.loads(pickle.dumps(a)) == a
    assert a != a + 1
    assert len(text(a)) > TERMS
    assert len(repr(a)) < 250
    assert signals(renamed(a, {"t": "s"})) == {"s"}
    assert len(parameters(a)) == len(inputs(a)) == (TERMS if make is long_sum else 0)
    values = {"t": 2.0} | {f"w{i}": 1.0 for i in range(TERMS)}
    exact = TERMS * (TERMS - 1.0) + TERMS
    value = evaluate(a, values)
    assert value == exact if make is long_sum else 0.0 < value < 0.1


def test_shared_parts_cost_once():
    a, b = Signal("x"), Signal("x")
    for _ in range(200):
        a, b = a * a * 0.5 + 0.5, b * b * 0.5 + 0.5
    assert a == b
    assert evaluate(a, {"x": 1.0}) == 1.0
    assert pickle.loads(pickle.dumps(a)) == a
    assert sum(1 for _ in walk(a)) == 1 + 200 * 5  # two products, a sum, two constants
    with pytest.raises(ExpressionError) as caught:
        text(a)
    assert str(caught.value) == (f"an expression starting '{'(' * 59}…' is too long to write.")
