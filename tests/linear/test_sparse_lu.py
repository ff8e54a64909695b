"""Sparse factors against dense ones, over random matrices of all kinds."""

import gc

import numpy as np
import pytest

from bellcrank.linear.sparse_lu import Singular, SparseLU
from bellcrank.machine.batched.matrix import lu_routine

KINDS = (float, complex)


def factors(pattern: np.ndarray, dtype: type = float, order=None) -> SparseLU:
    """Return factors of a pattern given as a dense array of booleans."""
    starts = np.cumsum([0, *pattern.sum(axis=0)])
    rows = np.nonzero(pattern.T)[1]
    order = np.arange(len(pattern)) if order is None else order
    return SparseLU(starts, rows, order, lu_routine(dtype), dtype)


def stored(matrix: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    """Return the stored entries of a matrix, by columns."""
    return matrix.T[pattern.T]


def numbers(rng: np.random.Generator, shape, dtype: type) -> np.ndarray:
    found = rng.normal(size=shape)
    return found + 1j * rng.normal(size=shape) if dtype is complex else found


def backward_error(matrix: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    """Return |M x − b| / (|M| |x| + |b|), the largest of all rows."""
    most = np.abs(matrix).max(initial=0.0) * np.abs(x).sum() + np.abs(b).max(initial=0.0)
    return float(np.abs(matrix @ x - b).max(initial=0.0) / most)


@pytest.mark.parametrize("dtype", KINDS)
@pytest.mark.parametrize("n", [1, 2, 7, 40, 90])
def test_solutions_are_those_of_dense_factors(n, dtype):
    """Random patterns and orders, with nothing on the diagonal but what happens to be there."""
    rng = np.random.default_rng(n)
    for _ in range(5):
        pattern = rng.random((n, n)) < 4.0 / n
        pattern[np.arange(n), rng.permutation(n)] = True  # so that there are pivots at all
        made = factors(pattern, dtype, rng.permutation(n))
        for _ in range(3):  # later ones keep their pivots while these serve
            matrix = numbers(rng, (n, n), dtype) * pattern
            b = numbers(rng, n, dtype)
            made.factor(stored(matrix, pattern))
            x = made.solve(b)
            assert backward_error(matrix, x, b) < 1e-11
            scale = np.linalg.cond(matrix) * np.abs(x).max()
            assert np.abs(x - np.linalg.solve(matrix, b)).max() < 1e-11 * scale


@pytest.mark.parametrize("dtype", KINDS)
def test_a_saddle_point_needs_pivots_off_the_diagonal(dtype):
    """[A Cᵀ; C 0], rows eliminated before what they hold: their diagonal is zero."""
    rng, n, m = np.random.default_rng(3), 30, 12
    matrix = np.zeros((n + m, n + m), dtype=dtype)
    matrix[:n, :n] = np.diag(1.0 + rng.random(n))
    matrix[n:, :n] = numbers(rng, (m, n), dtype) * (rng.random((m, n)) < 0.3)
    matrix[:n, n:] = matrix[n:, :n].T
    pattern = (matrix != 0) | np.eye(n + m, dtype=bool)
    made, b = factors(pattern, dtype, np.arange(n + m)[::-1]), numbers(rng, n + m, dtype)
    made.factor(stored(matrix, pattern))
    assert backward_error(matrix, made.solve(b), b) < 1e-13


@pytest.mark.parametrize("dtype", KINDS)
def test_redundant_rows_made_regular_are_solved_to_rounding(dtype):
    """C has every row twice; −1e-10 on their diagonal is all that keeps the matrix regular."""
    rng, n, m = np.random.default_rng(5), 24, 8
    C = np.tile(numbers(rng, (m, n), dtype) * (rng.random((m, n)) < 0.4), (2, 1))
    matrix = np.block([[np.eye(n), C.T], [C, -1e-10 * np.eye(2 * m)]])
    pattern = matrix != 0
    made = factors(pattern, dtype)
    x = numbers(rng, n + 2 * m, dtype)
    made.factor(stored(matrix, pattern))
    found = made.solve(matrix @ x)
    assert backward_error(matrix, found, matrix @ x) < 1e-13
    np.testing.assert_allclose(found[:n], x[:n], atol=1e-9)  # what is determined
    np.testing.assert_allclose(found[n:], x[n:], atol=1e-3)  # what hardly is: 1e10 times less


@pytest.mark.parametrize("dtype", KINDS)
def test_nearly_singular_matrices_are_solved_backward_stably(dtype):
    rng, n = np.random.default_rng(8), 30
    pattern = (rng.random((n, n)) < 0.2) | np.eye(n, dtype=bool)
    matrix = numbers(rng, (n, n), dtype) * pattern
    singular = np.linalg.svd(matrix)
    least = np.outer(singular[0][:, -1], singular[2][-1]) * singular[1][-1]
    full = np.ones((n, n), dtype=bool)
    made, b = factors(full, dtype), numbers(rng, n, dtype)
    made.factor(stored(matrix - (1 - 1e-13) * least, full))
    x = made.solve(b)
    assert np.abs(x).max() > 1e9
    assert backward_error(matrix - (1 - 1e-13) * least, x, b) < 1e-13


@pytest.mark.parametrize("dtype", KINDS)
def test_pivots_are_kept_while_they_serve_and_chosen_anew_when_they_grow_small(dtype):
    """A path of matrices along which the first pivot goes through zero."""
    rng, n = np.random.default_rng(11), 20
    pattern = (rng.random((n, n)) < 0.3) | np.eye(n, dtype=bool)
    matrix = numbers(rng, (n, n), dtype) * pattern
    np.fill_diagonal(matrix, 3.0)
    pattern[1, 0] = True
    matrix[1, 0] = 1.0
    made, b = factors(pattern, dtype), numbers(rng, n, dtype)
    for first, choices in ((3.0, 1), (1.0, 1), (1e-2, 1), (1e-12, 2), (1e-2, 2), (3.0, 2)):
        matrix[0, 0] = first
        made.factor(stored(matrix, pattern))
        assert made.choices == choices
        assert backward_error(matrix, made.solve(b), b) < 1e-12
    made.factor(stored(matrix, pattern), fresh=True)
    assert made.choices == 3


@pytest.mark.parametrize("dtype", KINDS)
def test_what_has_no_inverse_is_refused_by_its_column_and_forgotten(dtype):
    rng, n = np.random.default_rng(13), 12
    pattern = (rng.random((n, n)) < 0.4) | np.eye(n, dtype=bool)
    matrix = numbers(rng, (n, n), dtype) * pattern
    order, b = rng.permutation(n), numbers(rng, n, dtype)
    made = factors(pattern, dtype, order)
    empty = matrix.copy()
    empty[:, order[4]] = 0.0
    for bad in (empty, np.nan * matrix, 0 * matrix):
        with pytest.raises(Singular) as caught:
            made.factor(stored(bad, pattern))
        assert caught.value.column == order[4 if bad is empty else 0]
        made.factor(stored(matrix, pattern))
        assert backward_error(matrix, made.solve(b), b) < 1e-12


@pytest.mark.parametrize("dtype", KINDS)
def test_empty_rows_and_columns_are_refused(dtype):
    rng, n = np.random.default_rng(17), 9
    for cut in (np.s_[3, :], np.s_[:, 3]):
        pattern = (rng.random((n, n)) < 0.5) | np.eye(n, dtype=bool)
        pattern[cut] = False
        matrix = numbers(rng, (n, n), dtype) * pattern
        with pytest.raises(Singular):
            factors(pattern, dtype).factor(stored(matrix, pattern))
    none = factors(np.zeros((0, 0), dtype=bool), dtype)
    none.factor(np.zeros(0))
    assert none.solve(np.zeros(0)).size == 0


def test_much_fill_finds_room():
    """An arrow that points the wrong way fills in completely: L and U grow beyond a guess."""
    n = 200
    pattern = np.eye(n, dtype=bool)
    pattern[0], pattern[:, 0] = True, True
    matrix = pattern + 0.5 * n * np.eye(n)
    made, b = factors(pattern), np.arange(1.0, n + 1)
    made.factor(stored(matrix, pattern))
    assert made.fill == n * n
    assert backward_error(matrix, made.solve(b), b) < 1e-14
    away = factors(pattern, order=np.arange(n)[::-1])
    away.factor(stored(matrix, pattern))
    assert away.fill == pattern.sum()
    del made, away
    gc.collect()
