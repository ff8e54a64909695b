"""Small vectors and matrices of scalars, each a float, a CasADi scalar or a printable letter.

Straight-line code is only as good as its graph. Products with zeros and ones are dropped here,
constants are folded as Python floats, and the entries of a symmetric matrix are computed once,
because no later pass would find them equal. Whole vectors and matrices may be `Letters`, which
have no components: what is computed here is then written.

Conventions:
    vector   list of 3 scalars                 symmetric  [xx, yy, zz, xy, xz, yz]
    matrix   list of 3 rows
"""

from collections.abc import Callable, Sequence
from typing import Any

from bellcrank.spatial import letters
from bellcrank.spatial.letters import Letters

Scalar = Any
"""`float`, a 1×1 `casadi.SX` or `Letters`; CasADi is not imported for a type."""
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
    if any(type(vector) is Letters for vector in vectors):
        return _written(sum((_column(v) for v in vectors[1:]), _column(vectors[0])))
    return [total(entries) for entries in zip(*vectors, strict=True)]


def minus(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return a − b."""
    if type(a) is Letters or type(b) is Letters:
        return _written(_column(a) - _column(b))
    return each(sub, a, b)


def scaled(factor: Scalar, a: Sequence[Scalar]) -> Vector:
    """Return factor · a."""
    if type(a) is Letters:
        return _written(a * factor)
    return [mul(factor, entry) for entry in a]


def dot(a: Sequence[Scalar], b: Sequence[Scalar]) -> Scalar:
    """Return a · b."""
    if type(a) is Letters or type(b) is Letters:
        return _column(a).T @ _column(b)
    return total([mul(x, y) for x, y in zip(a, b, strict=True)])


def cross(a: Sequence[Scalar], b: Sequence[Scalar]) -> Vector:
    """Return a × b."""
    if type(a) is Letters or type(b) is Letters:
        return _written(letters.cross(_column(a), _column(b)))
    return [
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    ]


def centripetal(w: Sequence[Scalar], r: Sequence[Scalar]) -> Vector:
    """Return w × (w × r)."""
    if type(r) is not Letters and all(type(entry) is float and entry == 0.0 for entry in r):
        return list(ORIGIN)
    return cross(w, cross(w, r))


def unit(axis: int, value: Scalar = 1.0) -> Vector:
    """Return `value` along one of the three axes."""
    return [value if i == axis else 0.0 for i in range(3)]


def transpose(A: Matrix) -> Matrix:
    """Return Aᵀ."""
    if type(A) is Letters:
        return _written(A.T)
    return [list(column) for column in zip(*A, strict=True)]


def apply(A: Matrix, b: Sequence[Scalar]) -> Vector:
    """Return A b."""
    if type(A) is Letters:
        return _written(A @ _column(b))
    return [dot(row, b) for row in A]


def product(A: Matrix, B: Matrix) -> Matrix:
    """Return A B."""
    if type(A) is Letters:
        return _written(A @ B)  # type: ignore[arg-type]
    columns = transpose(B)
    return [[dot(row, column) for column in columns] for row in A]


def skew(a: Vector) -> Matrix:
    """Return ã, for which ã b = a × b."""
    if type(a) is Letters:
        return _written(letters.skew(a))
    return transpose([cross(a, axis) for axis in IDENTITY])


def function(name: str, *arguments: Scalar) -> Scalar:
    """Return a function of scalars that CasADi has under this name: sqrt, tanh, atan2, …."""
    if any(type(argument) is Letters for argument in arguments):
        return letters.call(name, *arguments)
    import casadi as ca

    return getattr(ca, name)(*arguments)


def _column(a: Any) -> Letters:
    return letters.as_letters(a, (3, 1))


def _written(found: Letters) -> Any:
    """Return letters where a list of scalars is promised: they have no components."""
    return found


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
