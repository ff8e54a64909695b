"""In which order the unknowns of a large machine are eliminated: bodies, each with its joint.

In the matrix [A Cᵀ; C 0] a row has a pivot only after a body it holds has been eliminated. So
rows are charged to a body that can carry them (it has as many pivots to give as it has speeds),
and follow it; body and rows together are a group. Groups are ordered by minimum degree. Rows
that no body can carry, such as those that close a loop, come after all their bodies.

A chain is then eliminated from its free end on, without any fill.
"""

from collections.abc import Callable, Iterable

import numpy as np

Array = np.ndarray
Order = Callable[[int, Array, Array], Array]
"""Returns the order of n nodes for the edges (one, other), those of minimum degree first."""


def elimination(
    bodies: Iterable[Array], ties: Iterable[tuple[Array, Array]], edges: Array, order: Order
) -> Array:
    """Return all unknowns in the order of elimination.

    Args:
        bodies: The unknowns of each body.
        ties: For each element with rows its unknowns, and those of the speeds it holds.
        edges: Pairs of unknowns that share an entry of the matrix, shape (2, n).
        order: Orders groups.
    """
    blocks = list(bodies)
    ties = list(ties)
    size = sum(block.size for block in blocks) + sum(rows.size for rows, _ in ties)
    group, late = _charged(blocks, ties, size)
    one, other = group[edges[0]], group[edges[1]]
    inside = (one >= 0) & (other >= 0) & (one != other)
    pairs = [np.stack([one[inside], other[inside]])]
    pairs += [_clique(np.unique(group[held])) for _, held in late]
    found = np.unique(np.concatenate(pairs, axis=1), axis=1)
    place = np.empty(len(blocks))
    place[order(len(blocks), found[0], found[1])] = np.arange(len(blocks))
    when = np.where(group >= 0, place[group], 0.0)
    for rows, held in late:
        when[rows] = when[held].max(initial=-1.0) + 0.5
    return np.lexsort((np.arange(size), when))


def _charged(
    blocks: list[Array], ties: list[tuple[Array, Array]], size: int
) -> tuple[Array, list[tuple[Array, Array]]]:
    """Return the group of each unknown, -1 for rows that come late, and those rows."""
    group = np.full(size, -1)
    for number, block in enumerate(blocks):
        group[block] = number
    spare = [block.size for block in blocks]
    late = []
    for rows, held in ties:
        carriers = [int(n) for n in np.unique(group[held])]
        best = max(carriers, key=lambda n: (spare[n], n), default=-1)
        if best >= 0 and spare[best] >= rows.size:
            spare[best] -= rows.size
            group[rows] = best
        else:
            late.append((rows, held))
    return group, late


def _clique(nodes: Array) -> Array:
    one, other = np.meshgrid(nodes, nodes)
    apart = one != other
    return np.stack([one[apart], other[apart]])
