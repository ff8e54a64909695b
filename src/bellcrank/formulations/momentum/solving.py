"""A x = b by orthogonal rows in straight-line code, as sparse as it is.

    A = L Q with orthonormal rows of Q, by the modified Gram-Schmidt process;  x = Qᵀ L⁻¹ b

Nothing is squared and no pivot has to be searched for. L_ii against the length of row i of A is
the sine between that row and all rows before it: how far A is from singular.
"""

from collections.abc import Sequence

import casadi as ca

from bellcrank.spatial.arithmetic import Scalar, Vector, mul, sub, total

Sparse = dict[int, Scalar]


class Orthogonal:
    """The rows of a matrix, made orthonormal one after the other.

    Attributes:
        watch: The smallest sine between a row and all rows before it.
    """

    def __init__(self, A: ca.SX) -> None:
        self._columns = A.shape[1]
        self._rows: list[Sparse] = []
        self._below: list[Sparse] = []
        sines = []
        for row in _sparse_rows(A):
            length = ca.sqrt(_dot(row, row))
            sines.append(self._add(row) / length)
        self.watch: ca.SX = ca.mmin(ca.vertcat(*sines)) if sines else ca.SX(1.0)

    def _add(self, row: Sparse) -> Scalar:
        """Add a row; return what is left of its length."""
        left, below = dict(row), {}
        for j, q in enumerate(self._rows):
            if not left.keys() & q.keys():
                continue
            below[j] = along = _dot(left, q)
            for k, entry in q.items():
                left[k] = sub(left.get(k, 0.0), mul(along, entry))
        size = ca.sqrt(_dot(left, left))
        below[len(self._rows)] = size
        self._rows.append({k: entry / size for k, entry in left.items()})
        self._below.append(below)
        return size

    def solve(self, b: Sequence[Scalar]) -> Vector:
        """Return x with A x = b; the smallest one where A is wide."""
        y: list[Scalar] = []
        x: list[Scalar] = [0.0] * self._columns
        for i, (right, below) in enumerate(zip(b, self._below, strict=True)):
            known = total([mul(entry, y[j]) for j, entry in below.items() if j < i])
            gap = sub(right, known)
            y.append(0.0 if type(gap) is float and gap == 0.0 else gap / below[i])
            for k, entry in self._rows[i].items():
                part = mul(entry, y[i])
                x[k] = part if type(x[k]) is float and x[k] == 0.0 else x[k] + part
        return x


def _dot(a: Sparse, b: Sparse) -> Scalar:
    return total([mul(a[k], b[k]) for k in sorted(a.keys() & b.keys())])


def _sparse_rows(A: ca.SX) -> list[Sparse]:
    pattern = A.sparsity()
    rows: list[Sparse] = [{} for _ in range(A.shape[0])]
    for k, (i, j) in enumerate(zip(*pattern.get_triplet(), strict=True)):
        entry = A.nz[k]
        rows[i][j] = float(entry) if entry.is_constant() else entry
    return rows
