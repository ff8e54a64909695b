"""The canonical text."""

import math

import pytest

from bellcrank.model.expressions import Constant, Input, Parameter, Signal, text
from bellcrank.model.expressions.writing import shortened


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("t", "t"),
        ("A.angle", "A.angle"),
        ("body 3.angle", "'body 3'.angle"),
        ("v1.2.angle", "'v1.2'.angle"),
        ("A.2", "'A.2'"),
        ("A.in", "'A.in'"),
        ("lambda.angle", "'lambda'.angle"),
        ("t.angle", "'t'.angle"),
        ("pi", "'pi'"),
        ("sin", "'sin'"),
        ("it's", '"it\'s"'),
        ("θ.angle", "θ.angle"),
        ("µ", "'µ'"),  # Python reads the micro sign as the Greek letter
        ("a.", "'a.'"),
        (".a", "'.a'"),
    ],
)
def test_names_are_quoted_where_needed(name, written):
    assert text(Signal(name)) == written


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (2.0, "2"),
        (-2.0, "-2"),
        (0.1, "0.1"),
        (1e-20, "1e-20"),
        (1e22, "1e+22"),
        (math.pi, "pi"),
        (-math.pi, "-pi"),
    ],
)
def test_numbers_are_short_and_exact(value, written):
    assert text(Constant(value)) == written


def test_parameters_and_inputs_go_by_their_names():
    assert text(Parameter("rod length", 2.0) * Input("w")) == "'rod length'*w"


def test_long_texts_are_cut_for_people():
    assert shortened("a" * 60) == "a" * 60
    assert shortened("a" * 61) == "a" * 59 + "…"
