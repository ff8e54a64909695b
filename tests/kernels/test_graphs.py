"""Whole graphs: scalar code, lanes, chunks, NumPy and CasADi say the same."""

import re

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counting import calls

from bellcrank.kernels import jit
from bellcrank.kernels.build import ENTRIES, Kernel, build
from bellcrank.kernels.emit import llvm
from bellcrank.kernels.emit.plan import operands, plan, results
from bellcrank.kernels.lower import lower

# Smooth operations that keep numbers of size one at size one.
STEPS = [
    lambda a, b: (a + b) / 2,
    lambda a, b: a - 0.5 * b,
    lambda a, b: a * b,
    lambda a, b: a / (1.5 + b * b),
    lambda a, b: ca.sin(a) + ca.cos(b),
    lambda a, b: ca.sin(a) * ca.cos(a),
    lambda a, b: ca.sqrt(1 + a * a) - b,
    lambda a, b: ca.tanh(a - b),
    lambda a, b: ca.atan2(a, 1.1 + b * b),
    lambda a, b: ca.exp(-a * a) * b,
    lambda a, b: ca.if_else(a * a > 0.3, a, 0.3 * b),
    lambda a, b: ca.fmin(a, ca.fmax(b, -a)),
    lambda a, b: ca.fabs(a) - ca.sign(b) * b,
]


def graph(choices, size=4):
    """Return a function of two vectors made by a list of (step, operand, operand)."""
    x, y = ca.SX.sym("x", size), ca.SX.sym("y", size)
    values = [*ca.vertsplit(x), *ca.vertsplit(y)]
    for step, a, b in choices:
        values.append(STEPS[step % len(STEPS)](values[-1 - a % 8], values[b % len(values)]))
    vector, matrix = ca.vertcat(*values[-3:]), ca.SX(2, 2)
    matrix[0, 0], matrix[1, 0] = values[-1], values[-4]
    return ca.Function("graph", [x, y], [vector, matrix], ["x", "y"], ["vector", "matrix"])


def compiled(program, *, lanes=1, chunk=10_000, fma=True):
    """Return a kernel made with a given chunk, which `build` does not offer."""
    text, work = llvm.write(program, lanes=lanes, chunk=chunk, fma=fma)
    library = jit.link(jit.assemble(text), ENTRIES)
    return Kernel(
        program.name, program.inputs, program.outputs, library, work=work, lanes=lanes
    )


choices = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 8), st.integers(0, 60)),
    min_size=1,
    max_size=60,
)


@settings(max_examples=25, deadline=None)
@given(choices, st.sampled_from([2, 4, 8]), st.integers(1, 21), st.integers(1, 30))
def test_scalar_lanes_chunks_numpy_and_casadi_agree(steps, lanes, count, chunk):
    function = graph(steps)
    program = lower(function)
    x, y = np.random.default_rng(count).normal(size=(2, count, 4))
    by_numpy = program.evaluate(x, y)
    by_casadi = [np.array(function(a, b)[1]) for a, b in zip(x, y, strict=True)]
    # Rounding differs (fused products, another sine) and conditions amplify it little.
    tolerance = {"rtol": 1e-9, "atol": 1e-11}
    np.testing.assert_allclose(by_numpy[1], by_casadi, **tolerance)
    scalar = compiled(program)(x, y)
    chunked = compiled(program, chunk=chunk)(x, y)
    wide = compiled(program, lanes=lanes, chunk=chunk)(x, y)
    for ours, numpys, cut, lane in zip(scalar, by_numpy, chunked, wide, strict=True):
        np.testing.assert_allclose(ours, numpys, **tolerance)
        np.testing.assert_array_equal(ours, cut)
        np.testing.assert_array_equal(ours, lane)


def arm(joints=7):
    """Return a recursion with the look of forward dynamics: + - * / sqrt sin cos."""
    q, u = ca.SX.sym("q", joints), ca.SX.sym("u", joints)
    r, w, inertia = ca.SX([0, 0, 1]), ca.SX.zeros(3), ca.SX.eye(3)
    out = []
    for i in range(joints):
        c, s = ca.cos(q[i]), ca.sin(q[i])
        turn = ca.vertcat(ca.horzcat(1, 0, 0), ca.horzcat(0, c, -s), ca.horzcat(0, s, c))
        turn = turn if i % 2 else turn[[1, 0, 2], [1, 0, 2]]
        w = turn.T @ w + ca.vertcat(u[i], 0, 0)
        inertia = turn.T @ inertia @ turn + ca.SX.eye(3) * (1 + 0.1 * i)
        r = turn @ r + ca.cross(w, r) * 0.1
        out.append(ca.dot(w, inertia @ w) / (1 + ca.sqrt(ca.dot(r, r))))
    return ca.Function("arm", [q, u], [ca.vertcat(*out)], ["q", "u"], ["a"])


def body_of(listing, name):
    start = re.search(rf'^"?{re.escape(name)}"?:', listing, re.M)
    assert start, f"no {name} in the listing"
    return listing[start.end() :].split(".Lfunc_end")[0]


@pytest.mark.parametrize("lanes", [2, 4, 8])
def test_the_vector_body_calls_nothing_but_our_sine(lanes):
    program = lower(arm())
    text, _ = llvm.write(program, lanes=lanes, chunk=100, fma=jit.feature("fma"))
    listing = jit.listing(text)
    scheme = plan(program, chunk=100, fuse=True)
    assert len(scheme.chunks) > 2
    for part in range(len(scheme.chunks)):
        assert "call" not in body_of(listing, f"kernel.{lanes}.part{part}")
    called = re.findall(r"\bcallq?\s+(\S+)", body_of(listing, f"kernel.{lanes}"))
    own = [f"kernel.{lanes}.part{part}" for part in range(len(scheme.chunks))]
    assert sorted(called) == sorted(["sweep", *own])


def test_min_max_abs_comparisons_and_choices_are_native_in_lanes():
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 3)
    value = ca.if_else(x < y, ca.fabs(x), ca.fmin(ca.floor(x), ca.fmax(y, ca.sign(x))))
    program = lower(ca.Function("f", [x, y], [value]))
    text, _ = llvm.write(program, lanes=4, chunk=1000, fma=True)
    assert "call" not in body_of(jit.listing(text), "kernel.4")


@pytest.mark.skipif(not jit.feature("avx512f"), reason="the processor has no such registers")
def test_eight_lanes_fill_the_widest_registers():
    text, _ = llvm.write(lower(arm()), lanes=8, chunk=10_000, fma=True)
    body = body_of(jit.listing(text), "kernel.8")
    assert "zmm" in body
    assert "ymm" not in body


def test_lanes_stay_within_the_promised_distance_of_scalar_code():
    program = lower(arm())
    q, u = np.random.default_rng(5).normal(size=(2, 100, 7))
    (scalar,) = build(program)(q, u)
    (lanes,) = build(program, lanes=8)(q, u)
    bound = 1e-13 * np.sqrt(len(program))
    assert np.abs(lanes - scalar).max() <= bound * np.abs(scalar).max()


def test_sine_and_cosine_of_one_argument_are_one_evaluation():
    x = ca.SX.sym("x")
    deep = x
    for i in range(20):
        deep = deep * 0.5 + i
    program = lower(ca.Function("f", [x], [ca.sin(deep), ca.cos(deep), ca.sin(x), ca.cos(x)]))
    scheme = plan(program, chunk=1000, fuse=False)
    assert len(scheme.angles) == 1
    assert [i[0] for chunk in scheme.chunks for i in chunk].count("sincos") == 1


def test_slots_hold_no_two_living_values():
    scheme = plan(lower(arm()), chunk=50, fuse=True)
    home, holder = {}, {}
    for c, chunk in enumerate(scheme.chunks):
        for instruction in chunk:
            for value in operands(instruction):
                if value in scheme.slots and home.get(value, c) != c:
                    assert holder[scheme.slots[value]] == value
            for value in results(instruction):
                home[value] = c
                if value in scheme.slots:
                    holder[scheme.slots[value]] = value
    assert scheme.size < len(scheme.slots)


def test_a_shared_divisor_is_inverted_once():
    x, d = ca.SX.sym("x", 3), ca.SX.sym("d")
    program = lower(ca.Function("f", [x, d], [x / d]))
    names = [i[0] for i in plan(program, chunk=100, fuse=False).chunks[0]]
    assert (names.count("inv"), names.count("div"), names.count("mul")) == (1, 0, 3)
    (found,) = build(program)(np.array([1.0, -2.0, 3.0]), np.array([7.0]))
    np.testing.assert_allclose(found, np.array([1, -2, 3]) / 7, rtol=4e-16)


def long_graph(length):
    rng = np.random.default_rng(6)
    x = ca.SX.sym("x", 40)
    values = ca.vertsplit(x)
    for a, b in rng.integers(0, 200, (length, 2)):
        values.append(values[-1 - a % len(values)] * 0.7 + values[-1 - b % len(values)])
    return lower(ca.Function("big", [x], [ca.vertcat(*values[-40:])]))


def test_work_grows_as_the_graph_does():
    short, program = long_graph(10_000), long_graph(20_000)
    assert calls(lambda: build(program, level=0)) < 2.2 * calls(lambda: build(short, level=0))
    kernel, state = build(program, level=0), np.random.default_rng(6).normal(size=40)
    np.testing.assert_allclose(kernel(state)[0], program.evaluate(state)[0], rtol=1e-9)
