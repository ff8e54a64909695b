"""Saddle-point elimination of speeds and rows, in straight-line code as long as the machine.

    [ M  Cᵀ ] [ u̇ ]   [ f + Cᵀ μ γ ]
    [ C  0  ] [ λ ] = [     γ      ],   M = A + Cᵀ μ C

M is A itself where that is definite. Where it is definite on ker C only, M asks for the same u̇,
and μ makes each row weigh as much as the inertia it holds.

The Schur complement S = C A⁻¹ Cᵀ is as short only while A⁻¹ is sparse. It is not in natural
coordinates, where neighbours share their points, and not where thin bodies have no inertia
about themselves.
"""

from collections.abc import Mapping, Sequence

import casadi as ca

from bellcrank.linear.pivots import Pivots
from bellcrank.linear.straight_line import Factored, Sparse, SparseVector
from bellcrank.spatial.arithmetic import Scalar, add, mul, sub


class FactoredSaddle:
    """A mass matrix and chosen rows, factored in a given order.

    Attributes:
        watch: The least squared sine between a row and those before it.
    """

    def __init__(
        self,
        A: ca.SX,
        C: ca.SX,
        rows: Mapping[int, float],
        scale: Sequence[float],
        pivots: Pivots,
        definite: bool,
    ) -> None:
        """Factor the matrix.

        Args:
            A: Mass matrix.
            C: All rows.
            rows: Those that are chosen, each with its nominal cᵀ M⁻¹ c.
            scale: Nominal residuals of all rows.
            pivots: In which order.
            definite: Whether A is definite.
        """
        self._n, self._rows, self._scale = A.shape[0], tuple(rows), scale
        self._weights = [0.0 if definite else 1.0 / size for size in rows.values()]
        place = {row: i for i, row in enumerate(rows)}
        self._columns: list[SparseVector] = [{} for _ in rows]
        for (i, j), value in entries(C):
            if i in place:
                self._columns[place[i]][j] = mul(1.0 / scale[i], value)
        matrix = {at: value for at, value in entries(A) if at[0] >= at[1]}
        for i, column in enumerate(self._columns):
            self._put(matrix, i, column)
        self._factored = Factored(self._n + len(rows), matrix, order=pivots.order)
        sines = [
            -self._factored.pivots[self._n + i] / length
            for i, length in enumerate(pivots.lengths)
        ]
        least = ca.mmin(ca.vertcat(*sines)) if sines else ca.SX(1.0)
        self.watch: ca.SX = ca.fmin(least, 1.0)

    def _put(self, matrix: Sparse, i: int, column: SparseVector) -> None:
        """Put a row into the matrix, and its share of M."""
        for j, value in column.items():
            matrix[self._n + i, j] = value
            if self._weights[i]:
                pushed = mul(self._weights[i], value)
                for k, other in column.items():
                    if k <= j:
                        matrix[j, k] = add(matrix.get((j, k), 0.0), mul(pushed, other))

    def meeting(self, free: Sequence[Scalar], right: ca.SX) -> list[Scalar]:
        """Return the vector nearest to `free` in the mass metric with C x = right."""
        lacking = [
            sub(wanted, along(column, free))
            for wanted, column in zip(self._scaled(right), self._columns, strict=True)
        ]
        moved = self._solved({}, lacking)
        return [free[j] + moved.get(j, 0.0) for j in range(self._n)]

    def accelerated(self, force: ca.SX, right: ca.SX) -> tuple[list[Scalar], ca.SX]:
        """Return u̇ under forces with C u̇ = right, and the watched pivot."""
        found = self._solved(dict(enumerate(ca.vertsplit(force))), self._scaled(right))
        return [found.get(j, 0.0) for j in range(self._n)], self.watch

    def _scaled(self, right: ca.SX) -> list[Scalar]:
        return [mul(1.0 / self._scale[row], right[row]) for row in self._rows]

    def _solved(self, push: SparseVector, right: Sequence[Scalar]) -> SparseVector:
        for column, weight, value in zip(self._columns, self._weights, right, strict=True):
            if weight:
                for j, entry in column.items():
                    push[j] = add(push.get(j, 0.0), mul(entry, mul(weight, value)))
        return self._factored.solve(push | {self._n + i: x for i, x in enumerate(right)})


def entries(matrix: ca.SX) -> list[tuple[tuple[int, int], ca.SX]]:
    """Return the entries that are not zero by structure."""
    pattern = matrix.sparsity()
    rows, cols = pattern.get_triplet()
    return [((i, j), matrix.nz[k]) for k, (i, j) in enumerate(zip(rows, cols, strict=True))]


def along(column: SparseVector, vector: Sequence[Scalar]) -> Scalar:
    """Return the product of a sparse and a full vector."""
    found: Scalar = 0.0
    for i, value in column.items():
        found = add(found, mul(value, vector[i]))
    return found
