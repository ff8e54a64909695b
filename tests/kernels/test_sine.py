"""Our sine and cosine, against 200-bit arithmetic."""

import casadi as ca
import mpmath
import numpy as np
import pytest

from bellcrank.kernels import jit
from bellcrank.kernels.build import ENTRIES, Kernel
from bellcrank.kernels.emit import llvm
from bellcrank.kernels.emit.sine import LIMIT, pieces
from bellcrank.kernels.lower import lower


def arguments():
    """Return numbers up to 1e9, many of them next to multiples of π/2."""
    rng = np.random.default_rng(0)
    near = [float(mpmath.pi / 2 * int(k)) for k in rng.integers(-(6 * 10**8), 6 * 10**8, 400)]
    low = [float(mpmath.pi / 2 * k) for k in range(-100, 100)]
    return np.concatenate([
        *(rng.uniform(-size, size, 300) for size in (1, 100, 1e5, 1e9)),
        10.0 ** rng.uniform(-300, 9, 200),
        near,
        low,
        [1e9, -1e9, np.pi / 4, 5e-324],
    ])


def sincos(*, lanes, fma, hoisted):
    """Return a kernel of sine and cosine, from the sweep or from within a body."""
    x, one = ca.SX.sym("x"), ca.SX.sym("one")
    angle = x
    for _ in range(0 if hoisted else 15):
        angle = angle * one
    function = ca.Function("f", [x, one], [ca.sin(angle), ca.cos(angle)])
    program = lower(function)
    text, work = llvm.write(program, lanes=lanes, chunk=1000, fma=fma)
    library = jit.link(jit.assemble(text), ENTRIES)
    kernel = Kernel("f", program.inputs, program.outputs, library, work=work, lanes=lanes)
    return lambda x: np.concatenate(kernel(np.asarray(x)[:, None], 1.0), axis=1)


@pytest.mark.parametrize("fma", [True, False])
def test_within_four_units_in_the_last_place_to_1e9(fma):
    if fma and not jit.feature("fma"):
        pytest.skip("the processor has no fused operations")
    x = arguments()
    found = sincos(lanes=1, fma=fma, hoisted=True)(x)
    with mpmath.workprec(200):
        exact = [(mpmath.sin(mpmath.mpf(v)), mpmath.cos(mpmath.mpf(v))) for v in x.tolist()]
        worst = max(
            abs(mpmath.mpf(ours) - true) / float(np.spacing(abs(float(true))))
            for row, pair in zip(found.tolist(), exact, strict=True)
            for ours, true in zip(row, pair, strict=True)
        )
    assert worst < 4
    assert worst < 2  # what is seen: 1.3, without fused operations 1.8


@pytest.mark.parametrize("fma", [True, False])
def test_every_width_and_place_gives_the_same_bits(fma):
    if fma and not jit.feature("fma"):
        pytest.skip("the processor has no fused operations")
    x = np.concatenate([arguments(), [1e10, -3e15, 1e300, np.inf, np.nan, 0.0, -0.0]])
    reference = sincos(lanes=1, fma=fma, hoisted=True)(x)
    for lanes in (1, 2, 4, 8):
        for hoisted in (True, False):
            found = sincos(lanes=lanes, fma=fma, hoisted=hoisted)(x)
            np.testing.assert_array_equal(found, reference)
            np.testing.assert_array_equal(np.signbit(found[:, 0]), np.signbit(reference[:, 0]))


def test_beyond_the_limit_the_c_library_answers():
    x = np.array([LIMIT * 1.001, 1e10, -1e12, 1e22, 1e300, -1.7e308])
    found = sincos(lanes=4, fma=jit.feature("fma"), hoisted=True)(x)
    np.testing.assert_allclose(found, np.transpose([np.sin(x), np.cos(x)]), rtol=1e-15)


def test_zero_keeps_its_sign_and_what_is_not_finite_gives_nan():
    found = sincos(lanes=1, fma=jit.feature("fma"), hoisted=True)([0.0, -0.0, np.inf, np.nan])
    np.testing.assert_array_equal(found, [[0, 1], [0, 1], [np.nan] * 2, [np.nan] * 2])
    np.testing.assert_array_equal(np.signbit(found[:2, 0]), [False, True])


def test_pieces_add_up_to_half_pi():
    with mpmath.workprec(300):
        for fma, bits in ((True, 158), (False, 160)):
            total = mpmath.fsum(mpmath.mpf(piece) for piece in pieces(fma))
            assert abs(total - mpmath.pi / 2) < mpmath.mpf(2) ** -bits
