"""Programs: lowered, stored, read back, run without CasADi."""

import dataclasses
import subprocess
import sys

import casadi as ca
import numpy as np
import pytest

from bellcrank.errors import FileError, NotSupported, OptionError
from bellcrank.kernels.build import build
from bellcrank.kernels.lower import lower
from bellcrank.kernels.ports import Port
from bellcrank.kernels.program import CODE, Program


@pytest.fixture
def function():
    x, y = ca.SX.sym("x", 3), ca.SX.sym("Y", ca.Sparsity.lower(2))
    z = ca.SX(2, 3)
    z[0, 1], z[1, 2] = ca.sin(x[0]) * y[1, 0], x[2] ** 3.5 - y[1, 1]
    return ca.Function("f", [x, y], [z, ca.sumsqr(x) + y[0, 0]], ["x", "Y"], ["Z", "s"])


def test_ports_say_names_shapes_and_stored_places(function):
    program = lower(function)
    assert program.inputs == (Port("x", 3), Port("Y", 2, 2, (0, 1, 3)))
    assert program.outputs == (Port("Z", 2, 3, (2, 5)), Port("s", 1))
    assert repr(program) == f"<Program f: (x, Y) -> (Z, s), {len(program)} operations>"


def test_evaluation_is_that_of_casadi_over_leading_axes(function):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(0.5, 1, (4, 1, 3)), np.tril(rng.normal(size=(5, 2, 2)))
    z, s = lower(function).evaluate(x, y)
    assert z.shape == (4, 5, 2, 3)
    assert s.shape == (4, 5, 1)
    for i in range(4):
        for j in range(5):
            expected = function(x[i, 0], y[j])
            np.testing.assert_allclose(z[i, j], np.array(expected[0]), rtol=1e-15)
            np.testing.assert_allclose(s[i, j], float(expected[1]), rtol=1e-15)


def test_a_stored_program_is_the_same_program(function, tmp_path):
    program = lower(function)
    program.save(tmp_path / "f.program")
    loaded = Program.load(tmp_path / "f.program")
    assert loaded == program
    assert hash(loaded) == hash(program)
    assert loaded.digest == program.digest
    assert b"pickle" not in program.to_bytes()
    assert program != lower(ca.Function("g", [], [ca.SX(1)]))


def test_a_program_runs_where_there_is_no_casadi(function, tmp_path):
    program = lower(function)
    program.save(tmp_path / "f.program")
    code = f"""
import sys
sys.modules["casadi"] = None
import numpy as np
from bellcrank.kernels import Program
from bellcrank.kernels.build import build
program = Program.load({str(tmp_path / "f.program")!r})
x, y = np.array([0.1, 0.2, 0.3]), np.array([[1.0, 0.0], [2.0, 3.0]])
for result in (program.evaluate(x, y), build(program)(x, y)):
    print(repr(float(result[0][0, 1])), repr(float(result[1][0])))
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    lines = [[float(v) for v in line.split()] for line in found.stdout.decode().splitlines()]
    expected = [np.sin(0.1) * 2, 0.01 + 0.04 + 0.09 + 1]
    np.testing.assert_allclose(lines, [expected, expected], rtol=1e-15)


def test_matrix_functions_are_expanded():
    x = ca.MX.sym("x", 2)
    program = lower(ca.Function("f", [x], [ca.mtimes(ca.DM([[1, 2], [3, 4]]), x)]))
    np.testing.assert_array_equal(program.evaluate([1.0, 10.0])[0], [21, 43])


def test_constants_keep_every_bit():
    numbers = [0.1, -0.0, 0.0, np.inf, np.nan, 5e-324, 1.7976931348623157e308]
    any_seven = lower(ca.Function("f", [], [ca.SX(ca.DM(range(1, 8)))]))
    program = dataclasses.replace(any_seven, constants=np.array(numbers))
    for found in (Program.from_bytes(program.to_bytes()).evaluate()[0], build(program)()[0]):
        np.testing.assert_array_equal(found, numbers)
        np.testing.assert_array_equal(np.signbit(found), np.signbit(numbers))


def test_an_operation_without_machine_code_is_refused_by_name():
    x = ca.SX.sym("x")
    table = ca.interpolant("table", "bspline", [[0, 1, 2, 3]], [0, 1, 0, 1])
    for value, name in ((ca.erfinv(x), "erfinv"), (table(x), "call")):
        with pytest.raises(NotSupported) as caught:
            lower(ca.Function("f", [x], [value]))
        assert str(caught.value) == (
            f"function 'f' uses {name}, which cannot be made machine code."
        )


def test_a_function_that_cannot_be_expanded_is_refused():
    x = ca.MX.sym("x")
    with pytest.raises(NotSupported) as caught:
        lower(ca.Function("f", [x], [ca.low(ca.DM([0, 1, 2]), x)]))
    assert str(caught.value) == "function 'f' cannot be expanded into scalar operations."


def test_free_symbols_are_refused_by_name():
    x, y = ca.SX.sym("x"), ca.SX.sym("y")
    function = ca.Function("f", [x], [x * y], {"allow_free": True})
    with pytest.raises(NotSupported) as caught:
        lower(function)
    assert str(caught.value) == "function 'f' has free symbols: y."


def test_wrong_arguments_are_named(function):
    program = lower(function)
    y = np.eye(2)
    for arguments, message in (
        ((y,), "f takes 2 inputs (x, Y), got 1."),
        ((np.zeros(4), y), "f: input 'x' has shape (..., 3), got (4,)."),
        ((np.zeros(3), np.zeros(3)), "f: input 'Y' has shape (..., 2, 2), got (3,)."),
        ((1.0, y), "f: input 'x' has shape (..., 3), got ()."),
        (
            (np.zeros((2, 3)), np.zeros((5, 2, 2))),
            "f: the leading axes of the inputs do not broadcast: x (2,), Y (5,).",
        ),
    ):
        with pytest.raises(OptionError) as caught:
            program.evaluate(*arguments)
        assert str(caught.value) == message


def test_bytes_that_are_no_program_are_refused(function):
    data = lower(function).to_bytes()
    for bad, reason in (
        (b"something else", "they do not begin like one"),
        (data[:-8], "bytes of arrays announced"),
        (data.replace(b'"sin"', b'"sun"'), "'sun'"),
    ):
        with pytest.raises(FileError, match=reason) as caught:
            Program.from_bytes(bad)
        assert str(caught.value).startswith("these bytes are no bellcrank program: ")


def test_instructions_out_of_range_are_refused(function):
    program = lower(function)
    data = bytearray(program.to_bytes())
    start = len(data) - 8 * len(program.constants) - 4 * len(program)  # targets
    data[start : start + 4] = (10**6).to_bytes(4, "little")
    with pytest.raises(FileError, match="out of range"):
        Program.from_bytes(bytes(data))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda p: ("operands", p.operations == CODE["input"], 1),
         "an input is read beyond its end"),
        (lambda p: ("targets", p.operations == CODE["output"], None),
         "an output is written beyond its end"),
        (lambda p: ("operands", p.operations == CODE["sin"], 0),
         "'sin' reads a register that is never written"),
    ],
)  # fmt: skip
def test_instructions_that_reach_too_far_are_refused(function, change, reason):
    program = lower(function)
    array, at, column = change(program)
    values = getattr(program, array).copy()
    first = np.flatnonzero(at)[0]
    far = program.registers if "register" in reason else 10**6
    values[first if column is None else (first, column)] = far
    bad = dataclasses.replace(program, **{array: values}, registers=program.registers + 1)
    with pytest.raises(FileError) as caught:
        Program.from_bytes(bad.to_bytes())
    assert str(caught.value) == f"these bytes are no bellcrank program: {reason}."


def test_codes_of_an_older_list_are_translated(function):
    program = lower(function)
    names = list(CODE)
    header = program.to_bytes()
    swapped = header.replace(b'"sin", "cos"', b'"cos", "sin"')
    other = Program.from_bytes(swapped)
    sines = program.operations == CODE["sin"]
    assert sines.any()
    assert {names[code] for code in other.operations[sines]} == {"cos"}
