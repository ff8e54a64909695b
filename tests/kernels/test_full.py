"""Sparse kernels as full ones."""

import casadi as ca
import numpy as np

from bellcrank.kernels.build import build
from bellcrank.kernels.full import full


def sparse():
    x, y = ca.SX.sym("x", 3), ca.SX.sym("y", 2)
    A = ca.SX(4, 3)
    A[0, 0], A[3, 1], A[2, 2] = x[0] * y[1], ca.sin(x[1]), x[2] + 1
    B = ca.SX(2, 2)  # nothing stored at all
    C = ca.SX(2, 3)
    C[1, 2] = y[0]
    outputs = [A, ca.densify(x * 2), B, C]
    return ca.Function("f", [x, y], outputs, ["x", "y"], ["A", "b", "B", "C"])


def test_full_outputs_are_the_sparse_ones_with_their_zeros():
    kernel = build(sparse())
    filled = full(kernel)
    assert all(port.nonzeros is None for port in filled.outputs)
    rng = np.random.default_rng(0)
    for batch in ((), (5,), (2, 3)):
        x, y = rng.normal(size=(*batch, 3)), rng.normal(size=(*batch, 2))
        for found, known in zip(filled(x, y), kernel(x, y), strict=True):
            np.testing.assert_array_equal(found, known)


def test_a_kernel_that_is_full_stays_as_it_is():
    x = ca.SX.sym("x", 3)
    kernel = build(ca.Function("f", [x], [2 * x], ["x"], ["y"]))
    assert full(kernel) is kernel
