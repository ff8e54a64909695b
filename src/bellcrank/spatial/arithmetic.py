"""Small vectors and matrices of scalars: floats, expressions of parameters, CasADi's, letters.

Straight-line code is only as good as its graph. Products with zeros and ones are dropped here,
constants are folded as Python floats, and the entries of a symmetric matrix are computed once,
because no later pass would find them equal. Nothing becomes −0.0. NumPy arrays are scalars
too: then many vectors are computed at once. Whole vectors and matrices may be `Printable`: they
have no components, and what is computed is then written. Needs neither NumPy nor CasADi.

Conventions:
    vector   sequence of 3 scalars; a tuple where it is returned
    matrix   sequence of 3 rows                symmetric  (xx, yy, zz, xy, xz, yz)
"""

from collections.abc import Callable, Sequence
from typing import Any

Scalar = Any
"""`float`, an expression of parameters, a 1×1 `casadi.SX`, an array or `Printable`."""
Vector = Sequence[Scalar]
Matrix = Sequence[Vector]
Entries = tuple[Scalar, ...]
Rows = tuple[Any, ...]

ORIGIN: Entries = (0.0, 0.0, 0.0)
IDENTITY: Rows = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


class Printable:
    """A scalar, vector or matrix that is printed, as a whole: what letters have to offer.

    An interface, whose one implementation is `letters.Letters`. It is no `abc.ABC`, because
    `isinstance` is asked for every vector that is added.
    """

    __slots__ = ()

    @property
    def T(self) -> Any:
        """The transpose."""
        raise NotImplementedError

    def __matmul__(self, other: Any) -> Any:
        raise NotImplementedError

    def __mul__(self, other: Any) -> Any:
        raise NotImplementedError

    def column(self, value: Any) -> Any:
        """Return a vector, given by its components, in letters."""
        raise NotImplementedError

    def cross(self, other: Any) -> Any:
        """Return self × other."""
        raise NotImplementedError

    def skew(self) -> Any:
        """Return ã."""
        raise NotImplementedError

    def function(self, name: str, *arguments: Any) -> Any:
        """Return a function of scalars."""
        raise NotImplementedError


def add(a: Scalar, b: Scalar) -> Scalar:
    """Return a + b."""
    if type(a) is float:
        if type(b) is float:
            return a + b + 0.0
        return b if a == 0.0 else a + b
    if type(b) is float and b == 0.0:
        return a
    return a + b


def sub(a: Scalar, b: Scalar) -> Scalar:
    """Return a − b."""
    if type(b) is float:
        if type(a) is float:
            return a - b + 0.0
        return a if b == 0.0 else a - b
    if type(a) is float and a == 0.0:
        return -b
    return a - b


def neg(a: Scalar) -> Scalar:
    """Return −a, with 0 for 0."""
    if type(a) is float and a == 0.0:
        return 0.0
    return -a


def mul(a: Scalar, b: Scalar) -> Scalar:
    """Return a b."""
    if type(a) is float:
        if type(b) is float:
            return a * b + 0.0 if a and b else 0.0
        if a == 0.0:
            return 0.0
        if a == 1.0:
            return b
        if a == -1.0:
            return -b
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


def each(operation: Callable[..., Any], *vectors: Sequence[Any]) -> Entries:
    """Return the vector whose entries are `operation` of the entries of `vectors`."""
    return tuple([operation(*entries) for entries in zip(*vectors, strict=True)])


def plus(*vectors: Vector) -> Entries:
    """Return the sum of vectors."""
    if any([isinstance(vector, Printable) for vector in vectors]):
        first, *others = _columns(*vectors)
        for other in others:
            first = first + other
        return first
    return tuple([total(entries) for entries in zip(*vectors, strict=True)])


def minus(a: Vector, b: Vector) -> Entries:
    """Return a − b."""
    if isinstance(a, Printable) or isinstance(b, Printable):
        one, other = _columns(a, b)
        return one - other
    return each(sub, a, b)


def scaled(factor: Scalar, a: Vector) -> Entries:
    """Return factor · a."""
    if isinstance(a, Printable):
        return a * factor
    return tuple([mul(factor, entry) for entry in a])


def dot(a: Vector, b: Vector) -> Scalar:
    """Return a · b."""
    if isinstance(a, Printable) or isinstance(b, Printable):
        one, other = _columns(a, b)
        return one.T @ other
    return total([mul(x, y) for x, y in zip(a, b, strict=True)])


def cross(a: Vector, b: Vector) -> Entries:
    """Return a × b.

    Examples:
        >>> cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        (0.0, 0.0, 1.0)
    """
    if isinstance(a, Printable) or isinstance(b, Printable):
        one, other = _columns(a, b)
        return one.cross(other)
    return (
        sub(mul(a[1], b[2]), mul(a[2], b[1])),
        sub(mul(a[2], b[0]), mul(a[0], b[2])),
        sub(mul(a[0], b[1]), mul(a[1], b[0])),
    )


def centripetal(w: Vector, r: Vector) -> Entries:
    """Return w × (w × r)."""
    if not isinstance(r, Printable) and all(type(x) is float and x == 0.0 for x in r):
        return ORIGIN
    return cross(w, cross(w, r))


def unit(axis: int, value: Scalar = 1.0) -> Entries:
    """Return `value` along one of the three axes."""
    return tuple([value if i == axis else 0.0 for i in range(3)])


def transpose(A: Matrix) -> Rows:
    """Return Aᵀ."""
    if isinstance(A, Printable):
        return A.T
    return tuple(zip(*A, strict=True))


def apply(A: Matrix, b: Vector) -> Entries:
    """Return A b."""
    if isinstance(A, Printable):
        return A @ A.column(b)
    return tuple([dot(row, b) for row in A])


def product(A: Matrix, B: Matrix) -> Rows:
    """Return A B."""
    if isinstance(A, Printable):
        return A @ B
    columns = transpose(B)
    return tuple([tuple([dot(row, column) for column in columns]) for row in A])


def matrix_sum(*matrices: Matrix) -> Rows:
    """Return the sum of matrices."""
    return each(plus, *matrices)


def scaled_matrix(factor: Scalar, A: Matrix) -> Rows:
    """Return factor · A."""
    return tuple([scaled(factor, row) for row in A])


def outer(a: Vector, b: Vector) -> Rows:
    """Return a bᵀ."""
    return tuple([scaled(entry, b) for entry in a])


def trace(A: Matrix) -> Scalar:
    """Return the sum of the diagonal of A."""
    return total([A[0][0], A[1][1], A[2][2]])


def determinant(A: Matrix) -> Scalar:
    """Return det A = a·(b × c) of the rows a, b, c."""
    return dot(A[0], cross(A[1], A[2]))


def skew(a: Vector) -> Rows:
    """Return ã, for which ã b = a × b."""
    if isinstance(a, Printable):
        return a.skew()
    x, y, z = a
    return ((0.0, neg(z), y), (z, 0.0, neg(x)), (neg(y), x, 0.0))


def function(name: str, *arguments: Scalar) -> Scalar:
    """Return a function of scalars that CasADi has under this name: sqrt, tanh, atan2, …."""
    for argument in arguments:
        if isinstance(argument, Printable):
            return argument.function(name, *arguments)
    import casadi as ca

    return getattr(ca, name)(*arguments)


def _columns(*vectors: Any) -> list[Any]:
    """Return vectors, of which one at least is written as a whole, in letters."""
    whole = next(vector for vector in vectors if isinstance(vector, Printable))
    return [whole.column(vector) for vector in vectors]


SYMMETRIC_INDEX = ((0, 3, 4), (3, 1, 5), (4, 5, 2))
"""Where entry (i, j) of a symmetric matrix is kept."""
SYMMETRIC_PAIRS = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
"""Which entry (i, j) each kept number is."""


def full(S: Vector) -> Rows:
    """Return the matrix of a symmetric one kept as six numbers."""
    xx, yy, zz, xy, xz, yz = S
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def symmetric(A: Matrix) -> Entries:
    """Return the six kept numbers of a symmetric matrix."""
    return tuple([A[i][j] for i, j in SYMMETRIC_PAIRS])


def congruent(R: Matrix, S: Vector) -> Entries:
    """Return R S Rᵀ of a symmetric S, as six numbers."""
    RS = product(R, full(S))
    return tuple([dot(RS[i], R[j]) for i, j in SYMMETRIC_PAIRS])


def symmetric_apply(S: Vector, b: Vector) -> Entries:
    """Return S b of a symmetric S kept as six numbers."""
    return apply(full(S), b)


def gyration(r: Vector) -> Entries:
    """Return r̃ᵀ r̃ = (r·r) I − r rᵀ, as six numbers."""
    x, y, z = (mul(entry, entry) for entry in r)
    return (
        add(y, z),
        add(x, z),
        add(x, y),
        neg(mul(r[0], r[1])),
        neg(mul(r[0], r[2])),
        neg(mul(r[1], r[2])),
    )
