"""Nodes as values, and the operators on them."""

import copy
import dataclasses
import operator
import pickle

import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import (
    OPERATIONS,
    Constant,
    Input,
    Operation,
    Parameter,
    Signal,
    expression,
    walk,
)

x, m, w = Signal("x"), Parameter("m", 2.0), Input("w")


def test_nodes_are_values():
    assert Parameter("m", 2) == m
    assert Parameter("m", 3) != m
    assert Signal("w") != w
    assert Signal("m") != m
    assert Constant(2.0) != 2.0
    assert len({x, Signal("x"), w, m, Parameter("m", 2.0)}) == 3
    assert copy.deepcopy(m) is m
    assert copy.copy(x + m) == x + m
    with pytest.raises(dataclasses.FrozenInstanceError):
        m.value = 3.0  # pyright: ignore


def test_zero_has_no_sign():
    assert str(Constant(-0.0).value) == "0.0"
    assert str(Parameter("m", -0.0).value) == "0.0"


@pytest.mark.parametrize("node", [Constant(1.5), x, m, w, m * x + w])
def test_nodes_pickle_and_match_by_position(node):
    assert pickle.loads(pickle.dumps(node)) == node
    assert type(pickle.loads(pickle.dumps(node))) is type(node)
    match node:
        case Operation(op, args):
            assert (op, args) == ("add", (m * x, w))
        case Parameter(name, value):
            assert (name, value) == ("m", 2.0)
        case Constant(value):
            assert value == 1.5
        case Signal(name) | Input(name):
            assert name in "xw"


def test_reprs_can_be_read():
    assert repr(Constant(1)) == "Constant(1.0)"
    assert repr(m) == "Parameter('m', 2.0)"
    assert repr(w) == "Input('w')"
    assert repr(x) == "Signal('x')"
    assert repr(2 * m + x) == "expression('2*m + x')"


@pytest.mark.parametrize(
    ("node", "source"),
    [
        (x + 1, "x + 1"),
        (1 + x, "1 + x"),
        (x - 1, "x - 1"),
        (1 - x, "1 - x"),
        (x * 2, "x*2"),
        (2 * x, "2*x"),
        (x / 2, "x/2"),
        (2 / x, "2/x"),
        (x**2, "x**2"),
        (2**x, "2**x"),
        (-x, "-x"),
        (+x, "x"),
        (abs(x), "abs(x)"),
        (x < 1, "x < 1"),
        (x <= 1, "x <= 1"),
        (x > 1, "x > 1"),
        (x >= 1, "x >= 1"),
        (operator.lt(1, x), "x > 1"),
        ((x > 0) & (x < 1), "x > 0 and x < 1"),
        ((x > 0) | (x < 1), "x > 0 or x < 1"),
        (True & (x < 1), "x < 1"),
        (False | (x < 1), "x < 1"),
        (~(x > 0), "not x > 0"),
    ],
)
def test_operators_make_the_node_of_the_string(node, source):
    assert node == expression(source)


def test_walk_gives_every_node_once_from_the_bottom():
    product = m * x
    assert list(walk(product + product)) == [m, x, product, product + product]


def test_a_constant_is_a_number():
    assert float(Constant(2.0)) == 2.0


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Parameter("", 1),
            "the name of every parameter is a non-empty string, got ''.",
        ),
        (lambda: Parameter(3, 1), "the name of every parameter is a non-empty string, got 3."),
        (lambda: Input(None), "the name of every input is a non-empty string, got None."),
        (
            lambda: Parameter("t", 1),
            "parameter 't': this name has a meaning in every expression; choose another.",
        ),
        (
            lambda: Input("sin"),
            "input 'sin': this name has a meaning in every expression; choose another.",
        ),
        (
            lambda: Parameter("a.b", 1),
            "parameter 'a.b': a name has no '.', no '/' and no control characters.",
        ),
        (
            lambda: Input("a\n"),
            "input 'a\\n': a name has no '.', no '/' and no control characters.",
        ),
        (
            lambda: Parameter("m", float("nan")),
            "parameter 'm': a finite number is needed, got nan.",
        ),
        (
            lambda: Parameter("m", "2"),
            "parameter 'm': a finite number is needed, got '2'.",
        ),
        (lambda: Constant(float("inf")), "a finite number is needed, got inf."),
        (lambda: Signal(""), "a signal is named by a string such as 'A.angle', got ''."),
        (lambda: x + True, "a finite number is needed, got True."),
        (lambda: x * 10**400, "a finite number is needed, got inf."),
        (lambda: Operation("add", (1, x)), "operation 'add' works on nodes, got 1."),
        (lambda: Operation("sin", (x, x)), "sin takes 1 argument, got 2."),
        (
            lambda: Operation("interp", (x, x, x, x)),
            "interp takes x and as many knots as values, at least 2, got 4 arguments.",
        ),
        (
            lambda: Operation("sine", (x,)),
            "no operation named 'sine'. Did you mean 'sin'? There are: abs, acos, add, and, "
            "asin, atan, atan2, cos, cosh, div, exp, floor, … (34 in all).",
        ),
    ],
)
def test_what_is_no_node_is_refused(make, message):
    with pytest.raises(ExpressionError) as caught:
        make()
    assert str(caught.value) == message


def test_operations_refuse_other_types_as_python_does():
    with pytest.raises(TypeError):
        x + "2*t"  # pyright: ignore
    with pytest.raises(TypeError):
        x + None  # pyright: ignore


def test_every_operation_of_the_interface_is_there():
    assert set(OPERATIONS) == set([
        "add",
        "floor",
        "sub",
        "mul",
        "div",
        "pow",
        "neg",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "sinh",
        "cosh",
        "tanh",
        "exp",
        "log",
        "sqrt",
        "abs",
        "sign",
        "min",
        "max",
        "step",
        "where",
        "lt",
        "le",
        "gt",
        "ge",
        "and",
        "or",
        "not",
        "interp",
    ])
