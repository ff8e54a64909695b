"""Symmetric systems solved in straight-line code, as sparse as they are.

    P A Pᵀ = L D Lᵀ, rows in the order of least degree

A matrix is a mapping (i, j) → scalar of its lower triangle, a vector a mapping i → scalar. What
is not in a mapping is zero and stays out of the graph, so that the code of a ladder of loops is
as long as the ladder.
"""

from collections.abc import Collection, Mapping, Sequence

from bellcrank.spatial.arithmetic import Scalar, add, mul, sub

Sparse = dict[tuple[int, int], Scalar]
SparseVector = dict[int, Scalar]


class Factored:
    """A symmetric matrix without pivoting by size: definite ones need none.

    Rows named `first` are eliminated before others, and rows in `later` not before those they
    are told to follow; or all in a given `order`. Indefinite matrices need that.

    Attributes:
        order: The rows in the order of elimination.
        pivots: D, by row.
    """

    def __init__(
        self,
        n: int,
        entries: Mapping[tuple[int, int], Scalar],
        first: Collection[int] = (),
        order: Sequence[int] = (),
        later: Mapping[int, Sequence[int]] | None = None,
    ) -> None:
        rows: list[dict[int, Scalar]] = [{} for _ in range(n)]
        for (i, j), value in entries.items():
            rows[i][j] = rows[j][i] = value
        self.order: list[int] = []
        self.pivots: SparseVector = {}
        self._below: dict[int, SparseVector] = {}
        for k in order:
            self._eliminate(rows, k)
        left, later = set(range(n)).difference(order), later or {}
        while left:
            ready = (i for i in left if left.isdisjoint(later.get(i, ())))
            k = min(ready, key=lambda i: (i not in first, len(rows[i]), i))
            left.discard(k)
            self._eliminate(rows, k)

    def _eliminate(self, rows: list[dict[int, Scalar]], k: int) -> None:
        """Take row k out of the rest, which gets its Schur complement."""
        self.order.append(k)
        pivot = rows[k].pop(k)
        inverse = 1.0 / pivot
        column = {i: mul(value, inverse) for i, value in rows[k].items()}
        for i in column:
            del rows[i][k]
        others = sorted(column)
        for a, i in enumerate(others):
            for j in others[: a + 1]:
                fresh = sub(rows[i].get(j, 0.0), mul(column[i], rows[k][j]))
                rows[i][j] = rows[j][i] = fresh
        self.pivots[k], self._below[k] = pivot, column

    def halfway(self, b: SparseVector) -> SparseVector:
        """Return L⁻¹ b."""
        y = dict(b)
        for k in self.order:
            if k in y:
                for i, factor in self._below[k].items():
                    y[i] = sub(y.get(i, 0.0), mul(factor, y[k]))
        return y

    def solve(self, b: SparseVector) -> SparseVector:
        """Return A⁻¹ b."""
        y = {k: value / self.pivots[k] for k, value in self.halfway(b).items()}
        for k in reversed(self.order):
            for i, factor in self._below[k].items():
                if i in y:
                    y[k] = sub(y.get(k, 0.0), mul(factor, y[i]))
        return y

    def product(self, a: SparseVector, b: SparseVector) -> Scalar | None:
        """Return aᵀ D⁻¹ b of two half-way solutions, or None where it is zero by structure."""
        common = sorted(a.keys() & b.keys())
        if not common:
            return None
        total: Scalar = 0.0
        for k in common:
            total = add(total, mul(a[k], b[k]) / self.pivots[k])
        return total
