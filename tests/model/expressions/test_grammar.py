"""Strings: what they mean, and what is said of those that mean nothing."""

import math

import pytest

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Constant, Signal, expression, text

FUNCTIONS = (
    "There are: abs, acos, asin, atan, atan2, ceil, cos, cosh, cycloidal, dwell, exp, floor, "
    "… (29 in all)."
)
DOT = (
    "must follow the name of an element, as in A.angle; a name that is more than one word is "
    "quoted: 'body 3'.angle."
)
DEEP = "it is nested too deeply; 1000 levels and 200 parentheses are allowed."
TABLE = (
    "interp takes x, a list of at least 2 knots and a list of as many values: "
    "interp(t, [0, 1, 2], [0, 5, 5])."
)
EQUAL = "makes no condition: two real numbers are hardly ever equal; use < or >."


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("5*sin(2*pi*t)", "5*sin(6.283185307179586*t)"),
        ("t\n  + x", "t + x"),
        ("\tt ", "t"),
        ("+t", "t"),
        ("-t**2", "-t**2"),
        ("(-t)**2", "(-t)**2"),
        ("2**-t", "2**-t"),
        ("a**b**c", "a**b**c"),
        ("(a**b)**c", "(a**b)**c"),
        ("a - (b - c)", "a - (b - c)"),
        ("a - b - c", "a - b - c"),
        ("a/(b*c)", "a/(b*c)"),
        ("a/b*c", "a/b*c"),
        ("-(a + b)", "-(a + b)"),
        ("a*-b", "a*-b"),
        ("0 <= x < 1", "0 <= x and x < 1"),
        ("not (t > 0 and x > 0)", "not (t > 0 and x > 0)"),
        ("(t > 0)*5", "(t > 0)*5"),
        ("a > 0 or b > 0 and not c > 0", "a > 0 or b > 0 and not c > 0"),
        ("(a > 0 or b > 0) and c > 0", "(a > 0 or b > 0) and c > 0"),
        ("min(a, b, c)", "min(min(a, b), c)"),
        ("where(A.angle > 0, 1, -1)", "where(A.angle > 0, 1, -1)"),
        ("interp(t, (0, 1), [0, m])", "interp(t, [0, 1], [0, m])"),
        ("'body 3'.angle_rate + 'my mass'", "'body 3'.angle_rate + 'my mass'"),
        ('"A".angle', "A.angle"),
        ("'lambda'.angle", "'lambda'.angle"),
        ("1_000 + 0x10 + 1e3", "2016"),
    ],
)
def test_strings_mean_what_python_would_mean(source, canonical):
    assert text(expression(source)) == canonical


def test_names_and_numbers():
    assert expression("pi") == Constant(math.pi)
    assert expression("t") == Signal("t")
    assert expression("'pi'") == Signal("pi")
    assert expression("A.angle") == expression("'A'.angle") == Signal("A.angle")


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "it is empty."),
        (" \n ", "it is empty."),
        ("1 +", "not an expression near character 3."),
        ("a b", "not an expression near character 3."),
        ("a; b", "not an expression near character 2."),
        ("a\0b", "it contains characters that cannot be printed."),
        ("t # per second", "there is no meaning in '# per second'."),
        ("sine(t)", f"no function named 'sine'. Did you mean 'sin'? {FUNCTIONS}"),
        ("__import__('os')", f"no function named '__import__'. {FUNCTIONS}"),
        ("sin", "'sin' is a function; write sin(…)."),
        ("sin(1, 2)", "sin takes 1 argument, got 2."),
        ("atan2(t)", "atan2 takes 2 arguments, got 1."),
        ("min(t)", "min takes 2 arguments, got 1."),
        ("sin(x=1)", "sin takes plain arguments, without '=' or '*'."),
        ("sin(*x)", "sin takes plain arguments, without '=' or '*'."),
        ("A.angle(1)", "only the functions of the grammar can be called, by their name."),
        ("1/0", "'1/0' has no finite value, got inf."),
        ("t/0", "'t/0' divides by zero."),
        ("log(-1)*t", "'log(-1)' has no finite value, got nan."),
        ("nan", "'nan' is not a finite number."),
        ("-inf", "'inf' is not a finite number."),
        ("1e999", "a finite number is needed, got inf."),
        ("1" + "0" * 320, "a finite number is needed, got inf."),
        ("2j", "2j is not a number."),
        ("True", "True is not a number."),
        ("None", "None is not a number."),
        ("...", "Ellipsis is not a number."),
        ("b'x'", "b'x' is not a number."),
        ("''", "'' is not a name."),
        ("a.b.c", f"'.c' {DOT}"),
        ("t.x", f"'.x' {DOT}"),
        ("().__class__", f"'.__class__' {DOT}"),
        ("x^2", "'^' is not an operator here; write a power as x**2."),
        ("x & y", "'&' is not an operator here; write 'and'."),
        ("x | y", "'|' is not an operator here; write 'or'."),
        ("~x", "'~' is not an operator here; write 'not'."),
        ("x % 2", "'%' is not an operator here; write mod(x, period)."),
        ("x // 2", "'//' is not an operator here; write a quotient as x/y."),
        ("x @ y", "'@' is not an operator here; an expression is one number."),
        ("x << 2", "'<<' is not an operator here; write a condition as a < b."),
        ("x >> 2", "'>>' is not an operator here; write a condition as a > b."),
        ("x == 1", f"'==' {EQUAL}"),
        ("x != 1", f"'!=' {EQUAL}"),
        ("x in y", "In is not in the grammar."),
        ("a if b else c", "'if' is not in the grammar; write where(condition, a, b)."),
        ("x[0]", "[…] is not in the grammar; components have names, such as tip.position_x."),
        ("[1]", "a list belongs only in interp(x, [knots], [values])."),
        ("a, b", "one expression is needed, got several with commas between them."),
        ("(x := 1)", "':=' is not in the grammar."),
        ("lambda: 1", "'lambda' is not in the grammar."),
        ("{1: 2}", "Dict is not in the grammar."),
        ("f'{x}'", "JoinedStr is not in the grammar."),
        ("where(t, 1, 2)", "'where' needs a condition such as 'A.angle > 0' first, got 't'."),
        ("not t", "'not' needs a condition such as 'A.angle > 0' after it, got 't'."),
        (
            "t > 0 and x",
            "'and' needs a condition such as 'A.angle > 0' on each side, got 'x'.",
        ),
        ("interp(t, [0, 1])", TABLE),
        ("interp(t, [0, 1], [1])", TABLE),
        ("interp(t, [0], [1])", TABLE),
        ("interp(t, [1, 0], [1, 2])", "interp: the knots must increase, got 0 after 1."),
        ("interp(t, [0, m], [1, 2])", "interp: the knots are plain numbers, got 'm'."),
        ("'\\w'", "not an expression near character 1."),
    ],
)
def test_what_is_outside_the_grammar_is_refused_by_name(source, reason):
    with pytest.raises(ExpressionError) as caught:
        expression(source)
    shown = source if len(source) <= 60 else source[:59] + "…"
    assert str(caught.value) == f"cannot read {shown!r}: {reason}"


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("(" * 300 + "t" + ")" * 300, DEEP),
        ("sin(" * 5000, DEEP),
        ("-" * 5000 + "t", DEEP),
        ("+".join(["t"] * 1002), DEEP),
        ("+".join(["t"] * 60_000), DEEP),
        ("t**" * 50_000 + "t", DEEP),
        ("a" * 200_001, "it has 200001 characters, more than the 200000 allowed."),
        (f"min({'t,' * 50_000} t)", "it has more than the 50000 parts allowed."),
    ],
    ids=["parentheses", "calls", "signs", "sum", "long sum", "power", "length", "parts"],
)
def test_huge_and_deep_strings_are_refused_calmly(source, reason):
    with pytest.raises(ExpressionError) as caught:
        expression(source)
    assert str(caught.value) == f"cannot read {source[:59] + '…'!r}: {reason}"


def test_a_long_but_reasonable_sum_is_read():
    source = " + ".join(f"p{i}" for i in range(900))
    assert text(expression(source)) == source
