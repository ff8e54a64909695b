"""3×3 blocks of scalars, and matrices assembled from them."""

from collections.abc import Mapping, Sequence

import casadi as ca

from bellcrank.formulations.arithmetic import Matrix, Scalar, Vector, mul, neg, plus

BlockRow = dict[int, Matrix]
"""Blocks of a matrix of three rows by their block column; what is not there is zero."""


def skew(a: Sequence[Scalar]) -> Matrix:
    """Return ã, for which ã b = a × b."""
    x, y, z = a
    return [[0.0, neg(z), y], [z, 0.0, neg(x)], [neg(y), x, 0.0]]


def negative(A: Matrix) -> Matrix:
    """Return −A."""
    return [[neg(entry) for entry in row] for row in A]


def summed(*matrices: Matrix) -> Matrix:
    """Return the sum of matrices."""
    return [plus(*rows) for rows in zip(*matrices, strict=True)]


def times(factor: Scalar, A: Matrix) -> Matrix:
    """Return factor · A."""
    return [[mul(factor, entry) for entry in row] for row in A]


def listed(matrix: ca.SX) -> Matrix:
    """Return the rows of a matrix, with constants as floats."""
    rows, cols = matrix.shape
    return [[folded(matrix[i, j]) for j in range(cols)] for i in range(rows)]


def folded(entry: ca.SX) -> Scalar:
    """Return a scalar, a constant as a float."""
    return float(entry) if entry.is_constant() else entry


def column_of(vector: Sequence[Scalar]) -> ca.SX:
    """Return a column of scalars."""
    return ca.vertcat(*(ca.SX(entry) for entry in vector)) if vector else ca.SX(0, 1)


class Assembly:
    """A sparse matrix put together from entries and blocks; zeros stay out of its pattern."""

    def __init__(self, rows: int, cols: int) -> None:
        self.shape = rows, cols
        self._entries: dict[tuple[int, int], Scalar] = {}

    def put(self, row: int, col: int, block: Sequence[Sequence[Scalar]]) -> None:
        """Set a block whose first entry is at (row, col)."""
        for i, line in enumerate(block):
            for j, entry in enumerate(line):
                if not (type(entry) is float and entry == 0.0):
                    self._entries[row + i, col + j] = entry

    def put_both(self, row: int, col: int, block: Matrix) -> None:
        """Set a block and its mirror image in the other triangle."""
        self.put(row, col, block)
        if row != col:
            self.put(col, row, [list(line) for line in zip(*block, strict=True)])

    def matrix(self) -> ca.SX:
        """Return the matrix."""
        if not self._entries:
            return ca.SX(*self.shape)
        places = list(self._entries)
        values = column_of(list(self._entries.values()))
        rows, cols = zip(*places, strict=True)
        pattern = ca.Sparsity.triplet(*self.shape, list(rows), list(cols))
        order = {place: n for n, place in enumerate(places)}
        found_rows, found_cols = pattern.get_triplet()
        wanted = [order[place] for place in zip(found_rows, found_cols, strict=True)]
        return ca.SX(pattern, values[wanted])


def blocks_of(row: Mapping[int, Matrix], first: int, total: int) -> ca.SX:
    """Return a block row as a 3×`total` matrix whose block columns begin at `first`.

    Args:
        row: Blocks by number, from 1.
        first: The column of block 1.
        total: The number of columns.
    """
    assembly = Assembly(3, total)
    for j, block in row.items():
        assembly.put(0, first + 3 * (j - 1), block)
    return assembly.matrix()


def vectors(scalars: Sequence[Scalar], count: int) -> list[Vector]:
    """Return consecutive triples."""
    return [list(scalars[3 * i : 3 * i + 3]) for i in range(count)]
