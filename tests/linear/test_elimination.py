"""Orders of elimination: what may go first, and how much fills in."""

import numpy as np

from bellcrank.linear.elimination import elimination, minimum_degree


def test_a_chain_is_eliminated_from_its_free_end_and_late_rows_last():
    """Three bodies of 6, hinges of 5 rows: one charged to each, a fourth hinge comes late."""
    bodies = [np.arange(6) + 6 * i for i in range(3)]
    holds = [(bodies[0],), (bodies[0], bodies[1]), (bodies[1], bodies[2]), (bodies[2],)]
    ties = [(18 + 5 * j + np.arange(5), np.concatenate(held)) for j, held in enumerate(holds)]
    pairs = [np.stack(np.meshgrid(rows, held)).reshape(2, -1) for rows, held in ties]
    order = elimination(bodies, ties, np.concatenate(pairs, axis=1))
    place = np.argsort(order)
    assert sorted(order) == list(range(38))
    for rows, held in ties:
        first = min(place[held[:6]].max(), place[held[-6:]].max())
        assert place[rows].min() > first  # a row follows a body that can carry it
    assert place[ties[3][0]].min() > place[bodies[2]].max()


def joined(n: int, one: np.ndarray, other: np.ndarray) -> list[set[int]]:
    """Return the neighbours of every node."""
    found: list[set[int]] = [set() for _ in range(n)]
    for i, j in zip(one.tolist(), other.tolist(), strict=True):
        found[i].add(j)
        found[j].add(i)
    return found


def filled(n: int, one: np.ndarray, other: np.ndarray, order: np.ndarray) -> int:
    """Return the edges that elimination adds."""
    near, added = joined(n, one, other), 0
    for i in order:
        for j in near[i]:
            new = near[i] - near[j] - {j}
            added += len(new)
            near[j] |= new
            near[j].discard(i)
    return added // 2


def test_trees_fill_in_nothing_and_nets_little():
    rng = np.random.default_rng(4)
    parents = np.array([rng.integers(0, i) for i in range(1, 300)])
    tree = 300, np.arange(1, 300), parents
    order = minimum_degree(*tree)
    assert sorted(order) == list(range(300))
    assert filled(*tree, order) == 0
    nodes = np.arange(400).reshape(20, 20)
    down = np.concatenate([nodes[1:].ravel(), nodes[:, 1:].ravel()])
    across = np.concatenate([nodes[:-1].ravel(), nodes[:, :-1].ravel()])
    net = 400, down, across
    # Row by row, a square net of k² nodes fills in about k³.
    assert filled(*net, minimum_degree(*net)) < 0.5 * filled(*net, np.arange(400))
