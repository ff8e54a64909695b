"""Householder factors in native code against the matrices they are made of."""

import ctypes

import numpy as np
import pytest

from bellcrank.kernels.routines import routine

ROUTINE = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * 5)
STAIRS, PIVOTED = 0, 1


def _find():
    from bellcrank.linear.native.factor import at, stairs, triangularize
    from bellcrank.linear.native.raw import doubles, integers

    def factors(b, spare, columns, sizes, what):
        """Factorize; `columns` holds order, begins and ends, `spare` τ and lengths."""
        n, m = integers(sizes)[0], integers(sizes)[1]
        B, tau, order = doubles(b), doubles(spare), integers(columns)
        first, last = integers(columns + 8 * m), integers(columns + 16 * m)
        if what == 0:
            return stairs(B, n, n, m, 1e-6, 0.0, tau, order, first, last, at(tau, m))
        return triangularize(B, n, n, m, 1e-9, 0.0, tau, order, at(tau, m))

    return factors


def factorized(matrix: np.ndarray, what: int) -> tuple[int, np.ndarray, np.ndarray]:
    """Return the rank, the order of columns, and R above what was not eliminated."""
    n, m = matrix.shape
    b, spare = matrix.T.copy(), np.zeros(3 * m)
    there = matrix != 0
    first = np.where(there.any(axis=0), there.argmax(axis=0), 0)
    last = np.where(there.any(axis=0), n - there[::-1].argmax(axis=0), 0)
    columns = np.concatenate([np.arange(m), first, last]).astype(np.int64)
    sizes = np.array([n, m], dtype=np.int64)
    call = ROUTINE(routine("factors in tests", _find, answers=True))
    rank = call(*(each.ctypes.data for each in (b, spare, columns, sizes)), what)
    return rank, columns[:m], np.triu(b.T[:rank])


def banded(random: np.random.Generator, n: int, m: int, zeros: int) -> np.ndarray:
    """Return columns of a few neighbouring entries each, some of them zero, in any order."""
    matrix = np.zeros((n, m))
    for column in range(m):
        begin = column * (n - 4) // m
        matrix[begin : begin + 5, column] = random.normal(size=min(5, n - begin))
    matrix[:, random.permutation(m)[:zeros]] = 0.0
    return matrix[:, random.permutation(m)] if random.random() < 0.5 else matrix


@pytest.mark.parametrize("what", [STAIRS, PIVOTED])
@pytest.mark.parametrize("zeros", [0, 1, 7])
def test_factors_make_the_matrix_again(what, zeros):
    """RᵀR = PᵀBᵀB P, also with columns that are zero, wherever they stand."""
    random = np.random.default_rng(zeros)
    for _ in range(20):
        matrix = banded(random, 30, 20, zeros)
        rank, order, R = factorized(matrix, what)
        assert rank == np.linalg.matrix_rank(matrix) == 20 - zeros
        taken = matrix[:, order[:rank]]
        assert np.abs(R[:, :rank].T @ R[:, :rank] - taken.T @ taken).max() < 1e-12
        assert not matrix[:, order[rank:]].any()
