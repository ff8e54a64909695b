"""3×3 blocks of scalars, and matrices assembled from them."""

from collections.abc import Mapping, Sequence

import casadi as ca
import numpy as np

from bellcrank.spatial.arithmetic import Matrix, Scalar, Vector
from bellcrank.spatial.vectors import Expr

BlockRow = dict[int, Matrix]
"""Blocks of a matrix of three rows by their block column; what is not there is zero."""


def listed(matrix: Expr) -> Matrix:
    """Return the rows of a matrix, with constants as floats."""
    rows, cols = matrix.shape
    return [[folded(matrix[i, j]) for j in range(cols)] for i in range(rows)]


def folded(entry: Expr) -> Scalar:
    """Return a scalar, a constant as a float."""
    return float(entry) if entry.is_constant() else entry


def column_of(vector: Sequence[Scalar]) -> ca.SX:
    """Return a column of scalars."""
    return ca.vertcat(*(ca.SX(entry) for entry in vector)) if vector else ca.SX(0, 1)


def block(rows: Sequence[Sequence[Scalar]]) -> ca.SX:
    """Return a matrix of scalars; zeros stay out of its pattern."""
    flat = column_of([entry for line in rows for entry in line])
    return ca.sparsify(ca.reshape(flat, len(rows[0]), len(rows)).T)


class Assembly:
    """A sparse matrix put together from blocks; zeros stay out of its pattern."""

    def __init__(self, rows: int, cols: int) -> None:
        self.shape = rows, cols
        self._blocks: list[ca.SX] = []
        self._places: list[np.ndarray] = []

    def put(self, row: int, col: int, block: ca.SX) -> None:
        """Set a block whose first entry is at (row, col); each place is set once."""
        i, j = block.sparsity().get_triplet()
        self._blocks.append(block.nz[:])
        self._places.append(np.array([i, j], dtype=int) + np.array([[row], [col]]))

    def put_both(self, row: int, col: int, block: ca.SX) -> None:
        """Set a block and its mirror image in the other triangle."""
        self.put(row, col, block)
        if row != col:
            self.put(col, row, block.T)

    def matrix(self) -> ca.SX:
        """Return the matrix."""
        if not self._blocks:
            return ca.SX(*self.shape)
        rows, cols = np.concatenate(self._places, axis=1)
        order = np.lexsort((rows, cols))
        starts = np.searchsorted(cols[order], np.arange(self.shape[1] + 1))
        pattern = ca.Sparsity(*self.shape, starts.tolist(), rows[order].tolist())
        return ca.SX(pattern, ca.vertcat(*self._blocks)[order.tolist()])


def blocks_of(row: Mapping[int, Matrix], first: int, total: int) -> ca.SX:
    """Return a block row as a 3×`total` matrix whose block columns begin at `first`.

    Args:
        row: Blocks by number, from 1.
        first: The column of block 1.
        total: The number of columns.
    """
    assembly = Assembly(3, total)
    for j, rows in row.items():
        assembly.put(0, first + 3 * (j - 1), block(rows))
    return assembly.matrix()


def vectors(scalars: Sequence[Scalar], count: int) -> list[Vector]:
    """Return consecutive triples."""
    return [list(scalars[3 * i : 3 * i + 3]) for i in range(count)]
