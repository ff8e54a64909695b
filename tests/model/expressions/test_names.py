"""The names in an expression, collected and changed."""

from bellcrank.model.expressions import (
    Constant,
    Input,
    Parameter,
    Signal,
    expression,
    inputs,
    parameters,
    renamed,
    signals,
    substitute,
)

m, k, w = Parameter("m", 2.0), Parameter("k", 3.0), Input("w")
law = k * Signal("A.angle") + m * Signal("t") - w + k


def test_names_are_collected():
    assert signals(law) == {"A.angle", "t"}
    assert parameters(law) == (k, m)
    assert inputs(law) == (w,)


def test_names_are_looked_up_by_substitution():
    found = substitute(expression("2*m + m*w"), {Signal("m"): m, Signal("w"): w})
    assert found == 2 * m + m * w


def test_substitution_folds_what_becomes_constant():
    assert substitute(expression("2*m + m*w"), {Signal("m"): Constant(0.0)}) == Constant(0.0)


def test_whole_parts_can_be_replaced():
    assert substitute(law, {law: m}) == m
    assert substitute(law + 1, {k * Signal("A.angle"): w}) == w + m * Signal("t") - w + k + 1


def test_nothing_is_rebuilt_where_nothing_changes():
    assert substitute(law, {Signal("absent"): m}) is law
    assert renamed(law, {"B": "C"}) is law


def test_elements_are_renamed_in_all_their_quantities():
    other = renamed(law, {"A": "left_A", "m": "left_m", "w": "left_w"})
    assert signals(other) == {"left_A.angle", "t"}
    assert parameters(other) == (k, Parameter("left_m", 2.0))
    assert inputs(other) == (Input("left_w"),)


def test_names_can_be_exchanged():
    assert renamed(expression("a.x - b.x"), {"a": "b", "b": "a"}) == expression("b.x - a.x")
