"""H12: tableaus held against the order conditions and against another publication of them."""

import itertools
from functools import cache

import numpy as np
import pytest
from scipy.integrate import DOP853 as ORACLE_853
from scipy.integrate import RK45 as ORACLE_45

from bellcrank.integrators import methods
from bellcrank.integrators.methods.explicit import Tableau

KINDS = [
    kind for kind in methods.METHODS if isinstance(getattr(kind, "tableau", None), Tableau)
]
RKF45, DOPRI5, DOP853 = (
    kind.tableau for kind in (methods.RKF45, methods.DOPRI5, methods.DOP853)
)
every_method = pytest.mark.parametrize(
    "tableau", [kind.tableau for kind in KINDS], ids=[kind.__name__ for kind in KINDS]
)

# A rooted tree is the sorted tuple of the trees that hang on its root.


@cache
def trees(nodes: int) -> tuple:
    """Return all rooted trees with so many nodes."""
    return tuple(sorted(set(_forests(nodes - 1))))


def _forests(nodes: int):
    if nodes == 0:
        yield ()
        return
    for first in range(1, nodes + 1):
        for tree, rest in itertools.product(trees(first), _forests(nodes - first)):
            yield tuple(sorted((tree, *rest)))


def size(tree: tuple) -> int:
    return 1 + sum(size(branch) for branch in tree)


def density(tree: tuple) -> int:
    return size(tree) * int(np.prod([density(branch) for branch in tree], dtype=int))


def elementary(a: np.ndarray, tree: tuple) -> np.ndarray:
    """Return Φ_i of every stage: the product over branches of Σ_j a_ij Φ_j(branch)."""
    result = np.ones(len(a))
    for branch in tree:
        result = result * (a @ elementary(a, branch))
    return result


def matrix(tableau: Tableau) -> np.ndarray:
    """Return a over all derivatives that are kept, bootstrap aside."""
    rows = [*tableau.a, tableau.b, *tableau.extra_a]
    a = np.zeros((len(rows), len(rows)))
    for number, row in enumerate(rows):
        a[number, : len(row)] = row
    return a


@pytest.mark.parametrize("nodes", range(1, 9))
def test_the_number_of_rooted_trees_is_cayleys(nodes):
    assert len(trees(nodes)) == [1, 1, 2, 4, 9, 20, 48, 115][nodes - 1]


@every_method
def test_H12_order_conditions_hold_up_to_the_declared_order(tableau):
    a = matrix(tableau)[: tableau.stages, : tableau.stages]
    for nodes in range(1, tableau.order + 1):
        for tree in trees(nodes):
            weight = np.dot(tableau.b, elementary(a, tree))
            assert abs(weight - 1 / density(tree)) < 1e-12, tree


@every_method
def test_order_is_not_higher_than_declared(tableau):
    a = matrix(tableau)[: tableau.stages, : tableau.stages]
    rests = [
        abs(np.dot(tableau.b, elementary(a, tree)) - 1 / density(tree))
        for tree in trees(tableau.order + 1)
    ]
    assert max(rests) > 1e-6


@every_method
def test_stage_times_are_row_sums(tableau):
    a, times = matrix(tableau), (*tableau.c, 1.0, *tableau.extra_c)
    np.testing.assert_allclose(a.sum(axis=1), times, atol=1e-13)


@pytest.mark.parametrize(
    ("tableau", "order"), [(RKF45, 4), (DOPRI5, 4), (DOP853, 5)], ids=["RKF45", "DOPRI5", "853"]
)
def test_error_weights_vanish_up_to_the_order_of_the_embedded_method(tableau, order):
    a, weights = matrix(tableau), np.zeros(len(matrix(tableau)))
    weights[: len(tableau.errors[0])] = tableau.errors[0]
    for nodes in range(1, order + 1):
        for tree in trees(nodes):
            assert abs(weights @ elementary(a, tree)) < 1e-12
    assert max(abs(weights @ elementary(a, tree)) for tree in trees(order + 1)) > 1e-6


@pytest.mark.parametrize(
    ("tableau", "order"), [(DOPRI5, 4), (DOP853, 7)], ids=["DOPRI5", "853"]
)
@pytest.mark.parametrize("theta", [0.1, 0.37, 0.5, 0.9])
def test_dense_output_satisfies_the_conditions_at_every_theta(tableau, order, theta):
    """Σ b_i(θ) Φ_i = θ^n / γ for every tree with n nodes."""
    a, rest = matrix(tableau), 1 - theta
    rows = len(a)
    b, first, last = np.zeros(rows), np.eye(rows)[0], np.eye(rows)[tableau.stages]
    b[: tableau.stages] = tableau.b
    nested = [b, first - b, b - last - (first - b)]
    nested.extend(np.pad(row, (0, rows - len(row))) for row in tableau.dense)
    weights, factor = np.zeros(rows), 1.0
    for number, row in enumerate(nested):
        factor *= theta if number % 2 == 0 else rest
        weights += factor * row
    for nodes in range(1, order + 1):
        for tree in trees(nodes):
            expected = theta**nodes / density(tree)
            assert abs(weights @ elementary(a, tree) - expected) < 1e-11


def test_dopri5_is_the_one_of_scipy():
    np.testing.assert_allclose(matrix(DOPRI5)[:6, :5], ORACLE_45.A, atol=1e-15)
    np.testing.assert_allclose(DOPRI5.b, ORACLE_45.B, atol=1e-15)
    np.testing.assert_allclose(DOPRI5.c, ORACLE_45.C, atol=1e-15)
    np.testing.assert_allclose(np.abs(DOPRI5.errors[0]), np.abs(ORACLE_45.E), atol=1e-15)


def test_dop853_is_the_one_of_scipy():
    a = matrix(DOP853)
    np.testing.assert_array_equal(a[:12, :12], ORACLE_853.A)
    np.testing.assert_array_equal(a[13:, :16], ORACLE_853.A_EXTRA)
    np.testing.assert_array_equal(DOP853.b, ORACLE_853.B)
    np.testing.assert_array_equal(DOP853.c, ORACLE_853.C)
    np.testing.assert_array_equal(DOP853.extra_c, ORACLE_853.C_EXTRA)
    np.testing.assert_array_equal(DOP853.errors[0], ORACLE_853.E5[:12])
    np.testing.assert_array_equal(DOP853.errors[1], ORACLE_853.E3[:12])
    np.testing.assert_array_equal(DOP853.dense, ORACLE_853.D)
