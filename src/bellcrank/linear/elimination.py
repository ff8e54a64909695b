"""In which order the unknowns of a saddle-point matrix are eliminated: blocks with their rows.

In [A Cᵀ; C 0] with A made of blocks, a row of C has a pivot only after a block it touches has
been eliminated. So rows are charged to a block that can carry them (it has as many pivots to
give as it has unknowns), and follow it; block and rows together are a group. Groups are ordered
by minimum degree. Rows that no block can carry, such as those that close a loop, come after all
their blocks.

A chain of blocks is then eliminated from its free end on, without any fill.
"""

from collections.abc import Iterable

import numpy as np

Array = np.ndarray


def elimination(
    blocks: Iterable[Array], ties: Iterable[tuple[Array, Array]], edges: Array
) -> Array:
    """Return all unknowns in the order of elimination.

    Args:
        blocks: The unknowns of each block of A.
        ties: Rows of C that belong together: their unknowns, and those of A they touch.
        edges: Pairs of unknowns that share an entry of the matrix, shape (2, n).
    """
    blocks, ties = list(blocks), list(ties)
    size = sum(block.size for block in blocks) + sum(rows.size for rows, _ in ties)
    group, late = _charged(blocks, ties, size)
    one, other = group[edges[0]], group[edges[1]]
    inside = (one >= 0) & (other >= 0) & (one != other)
    pairs = [np.stack([one[inside], other[inside]])]
    pairs += [_clique(np.unique(group[held])) for _, held in late]
    one, other = np.sort(np.concatenate(pairs, axis=1), axis=0)
    found = np.divmod(np.unique(one * len(blocks) + other), max(len(blocks), 1))
    place = np.empty(len(blocks))
    place[minimum_degree(len(blocks), *found)] = np.arange(len(blocks))
    when = np.where(group >= 0, place[group], 0.0)
    for rows, held in late:
        when[rows] = when[held].max(initial=-1.0) + 0.5
    return np.lexsort((np.arange(size), when))


def minimum_degree(n: int, one: Array, other: Array) -> Array:
    """Return the order of n nodes with the edges (one, other) in which they fill in little.

    Examples:
        A star is eliminated from its points on:

        >>> minimum_degree(5, np.zeros(4, dtype=int), np.arange(1, 5))[:3].tolist()
        [1, 2, 3]
    """
    import casadi as ca

    one, other, own = one.tolist(), other.tolist(), range(n)
    down, across = [*one, *other, *own], [*other, *one, *own]
    return np.array(ca.Sparsity.triplet(n, n, down, across).amd(), dtype=np.int64)


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
        carriers = set(group[held].tolist())
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
