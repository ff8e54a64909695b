"""Small vectors and matrices of scalars, each a float or a CasADi scalar.

Straight-line code is only as good as its graph. Products with zeros and ones are dropped here,
constants are folded as Python floats, and the entries of a symmetric matrix are computed once,
because no later pass would find them equal.

Conventions:
    vector   list of 3 scalars                 symmetric  [xx, yy, zz, xy, xz, yz]
    matrix   list of 3 rows
"""

from collections.abc import Callable, Sequence
from typing import Any

Scalar = Any
"""`float` or a 1×1 `casadi.SX`; CasADi is not imported for a type."""
Vector = list[Scalar]
Matrix = list[Vector]

ORIGIN: Vector = [0.0, 0.0, 0.0]
IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]


def add(a: Scalar, b: Scalar) -> Scalar:
    """Return a + b."""
    if type(a) is float:
        if a == 0.0:
            return b
        return a + b
    if type(b) is float and b == 0.0:
        return a
    return a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """Return a − b."""
    if type(b) is float and b == 0.0:
        return a
    if type(a) is float and a == 0.0:
        return neg(b)
    return a - b


def neg(a: Scalar) -> Scalar:
    """Return −a, with 0 for 0."""
    if type(a) is float and a == 0.0:
        return 0.0
    return -a


def mul(a: Scalar, b: Scalar) -> Scalar:
    """Return a b."""
    if type(a) is float:
        if a == 0.0:
            return 0.0
        if a == 1.0:
            return b
        if a == -1.0:
            return neg(b)
    if type(b) is float:
        if b == 0.0:
            return 0.0
        if b == 1.0:
            return a
        if b == -1.0:
            return neg(a)
    return a * b


def total(terms: Sequence[Scalar]) -> Scalar:
    """Return the sum of the terms."""
    result: Scalar = 0.0
    for term in terms:
        result = add(result, term)
    return result


def each(operation: Callable[..., Scalar], *vectors: Sequence[Scalar]) -> Vector:
    """Return the vector whose entries are `operation` of the entries of `vectors`."""
    return [operation(*entries) for entries in zip(*vectors, strict=True)]


def plus(*vectors: Sequence[Scalar]) -> Vector:
    """Return the sum of vectors."""
    return [total(entries) for entries in zip(*vectors, strict=True)]


def minus(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return a − b."""
    return each(sub, a, b)


def scaled(factor: Scalar, a: Sequence[Scalar]) -> Vector:
    """Return factor · a."""
    return [mul(factor, entry) for entry in a]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return a · b."""
    return total([mul(x, y) for x, y in zip(a, b, strict=True)])


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return a × b."""
    return [
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    ]


def centripetal(w: Sequence[Scalar], r: Sequence[Scalar]) -> Vector:
    """Return w × (w × r)."""
    if all(type(entry) is float and entry == 0.0 for entry in r):
        return list(ORIGIN)
    return cross(w, cross(w, r))


def unit(axis: int, value: Scalar = 1.0) -> Vector:
    """Return `value` along one of the three axes."""
    return [value if i == axis else 0.0 for i in range(3)]


def transpose(A: Matrix) -> Matrix:
    """Return Aᵀ."""
    return [list(column) for column in zip(*A, strict=True)]


def apply(A: Matrix, b: Sequence[Scalar]) -> Vector:
    """Return A b."""
    return [dot(row, b) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


SYMMETRIC_INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Where entry (i, j) of a symmetric matrix is kept."""
SYMMETRIC_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Which entry (i, j) each kept number is."""


def full(S: Sequence[Scalar]) -> Matrix:
    """Return the matrix of a symmetric one kept as six numbers."""
    return [[S[SYMMETRIC_INDEX[i][j]] for j in range(3)] for i in range(3)]


def symmetric(A: Matrix) -> list[Scalar]:
    """Return the six kept numbers of a symmetric matrix."""
    return [A[i][j] for i, j in SYMMETRIC_PAIRS]


def congruent(R: Matrix, S: Sequence[Scalar]) -> list[Scalar]:
    """Return R S Rᵀ of a symmetric S, as six numbers."""
    RS = product(R, full(S))
    return [dot(RS[i], R[j]) for i, j in SYMMETRIC_PAIRS]


def symmetric_apply(S: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return S b of a symmetric S kept as six numbers."""
    return apply(full(S), b)


def gyration(r: Sequence[Scalar]) -> list[Scalar]:
    """Return r̃ᵀ r̃ = (r·r) I − r rᵀ, as six numbers."""
    x, y, z = (mul(entry, entry) for entry in r)
    return [
        add(y, z),
        add(x, z),
        add(x, y),
        neg(mul(r[0], r[1])),
        neg(mul(r[0], r[2])),
        neg(mul(r[1], r[2])),
    ]
