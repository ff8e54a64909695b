"""Spanning trees, loops and body-connection arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.machines.everything import four_bar

from bellcrank.errors import ModelError
from bellcrank.model import Body, Free, Model, Revolute, lower_bodies
from bellcrank.model.graph import path, spanning_graph


def tree(lower):
    """A model whose body K hangs on L(K)."""
    name = lambda k: "ground" if k == 0 else f"b{k}"  # noqa: E731
    bodies = [
        Body(name(k), mass=1, inertia=(1, 1, 1, 0, 0, 0)) for k in range(1, len(lower) + 1)
    ]
    joints = [
        Free(f"j{k}", name(low), name(k))
        if low == 0
        else Revolute(f"j{k}", name(low), name(k), at=(0, 0, 0), axis="x")
        for k, low in enumerate(lower, start=1)
    ]
    return Model("tree", bodies=bodies, joints=joints)


def test_K01_lower_bodies_of_the_six_body_example():
    assert lower_bodies((0, 1, 2, 2, 1, 5)) == (0, 1, 2, 2, 1, 2)
    graph = tree((0, 1, 2, 2, 1, 5)).graph
    steps = dict(zip(graph.order, graph.depth, strict=True))
    assert [steps[f"b{k}"] for k in range(1, 7)] == [0, 1, 2, 2, 1, 2]


def test_K12_a_forest_counts_to_the_root_of_each_tree():
    lower = (0, 1, 1, 1, 3, 3, 0, 7)
    assert lower_bodies(lower) == (0, 1, 1, 1, 2, 2, 0, 1)
    graph = tree(lower).graph
    assert graph.order == tuple(f"b{k}" for k in range(1, 9))
    assert graph.lower == lower
    assert graph.depth == (0, 1, 1, 1, 2, 2, 0, 1)
    assert graph.children(0) == (1, 7)
    assert graph.children(3) == (5, 6)
    assert graph.path(8) == (7, 8)
    assert graph.number["b6"] == 6
    assert graph.loops == ()


def test_connection_arrays_need_not_be_sorted():
    assert lower_bodies((2, 3, 0)) == (2, 1, 0)
    assert path((2, 3, 0), 1) == (3, 2, 1)
    assert lower_bodies(()) == ()


def test_the_joint_that_closes_a_loop():
    graph = four_bar().graph
    assert graph.order == ("crank", "coupler", "rocker")
    assert graph.tree_joint == ("A", "B", "D")
    assert graph.loops == ("C",)
    assert graph.lower == (0, 1, 0)
    assert graph.reversed == (False, False, False)


def test_a_joint_that_names_the_outer_body_first_is_reversed():
    graph = spanning_graph(["a", "b"], [("i", "a", "ground"), ("j", "a", "b")])
    assert graph.reversed == (True, False)


def test_the_order_of_joints_decides_between_equal_ways():
    joints = [("p", "ground", "a"), ("q", "ground", "b"), ("r", "a", "b")]
    assert spanning_graph(["a", "b"], joints).tree_joint == ("p", "q")
    both = [("r", "a", "b"), ("p", "ground", "a"), ("q", "ground", "b"), ("s", "c", "b")]
    assert spanning_graph(["c", "a", "b"], [*both, ("t", "a", "c")]).tree_joint[1] == "t"
    twice = [("p", "ground", "a"), ("p2", "ground", "a")]
    assert spanning_graph(["a"], twice).loops == ("p2",)


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 30), st.integers(0, 12), st.integers(0, 2**20))
def test_any_connected_machine_has_a_tree_of_all_its_bodies(count, extra, seed):
    rng = np.random.default_rng(seed)
    names = ["ground", *(f"b{k}" for k in range(1, count + 1))]
    ties = [(names[rng.integers(k)], names[k]) for k in range(1, count + 1)]
    ties += [tuple(rng.choice(names, 2, replace=False)) for _ in range(extra)]
    order = rng.permutation(len(ties))
    joints = [(f"j{i}", *ties[i][:: rng.choice([1, -1])]) for i in order]
    graph = spanning_graph(names[1:], joints)
    assert sorted(graph.order) == sorted(names[1:])
    assert len(graph.loops) == extra
    assert not graph.loose
    assert all(low < k for k, low in enumerate(graph.lower, start=1))
    if not extra:  # each hangs on one given before it: the order is the one given
        assert graph.order == tuple(names[1:])
    by_name = {name: ends for name, *ends in joints}
    for k, name in enumerate(graph.order, start=1):
        low = graph.order[graph.lower[k - 1] - 1] if graph.lower[k - 1] else "ground"
        first, second = by_name[graph.tree_joint[k - 1]]
        assert (first, second) == ((name, low) if graph.reversed[k - 1] else (low, name))
        assert graph.path(k)[-1] == k
        assert len(graph.path(k)) == graph.depth[k - 1] + 1
        assert k in graph.children(graph.lower[k - 1])


@pytest.mark.parametrize(
    ("lower", "message"),
    [
        ((0, 3, 2), "connection array: bodies go round in a circle, 2 → 3 → 2."),
        ((1,), "connection array: bodies go round in a circle, 1 → 1."),
        ((0, 5), "connection array: L(2) must be 0 or a body from 1 to 2, got 5."),
        ((0, -1), "connection array: L(2) must be 0 or a body from 1 to 2, got -1."),
    ],
)
def test_messages(lower, message):
    with pytest.raises(ModelError) as raised:
        lower_bodies(lower)
    assert str(raised.value) == message
