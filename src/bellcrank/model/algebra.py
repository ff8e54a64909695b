"""Vectors and matrices as tuples, over numbers or expressions of parameters alike.

A machine drawn with parameters has expressions for its coordinates, so the few products that
geometry and mass properties need are written here once, over anything that adds and multiplies.

Conventions:
    vector  tuple of 3 numbers
    matrix  tuple of 3 rows, each a vector
    R_AB    takes components of a vector in B to its components in A
"""

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from bellcrank.model.expressions import Constant, Expression, evaluate, signals, sqrt

Number: TypeAlias = float | Expression
Vector: TypeAlias = tuple[Number, Number, Number]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]

ORIGIN: Vector = (0.0, 0.0, 0.0)
IDENTITY: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add(a: Vector, b: Vector) -> Vector:
    """Return a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: Vector, b: Vector) -> Vector:
    """Return a − b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(factor: Number, a: Vector) -> Vector:
    """Return the vector a times a number; no component becomes −0.0."""
    return (factor * a[0] + 0.0, factor * a[1] + 0.0, factor * a[2] + 0.0)


def dot(a: Vector, b: Vector) -> Number:
    """Return a·b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector, b: Vector) -> Vector:
    """Return a × b.

    Examples:
        >>> cross((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))
        (0.0, 0.0, 1.0)
    """
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def norm(a: Vector) -> Number:
    """Return |a|."""
    if all(type(x) is float for x in a):
        return math.hypot(*a)
    return root(dot(a, a))


def root(x: Number) -> Number:
    """Return √x."""
    return sqrt(x) if isinstance(x, Expression) else math.sqrt(x)


def unit(a: Vector) -> Vector:
    """Return a / |a|; a vector of unit length to the last digits is returned as it is."""
    length = norm(a)
    if isinstance(length, float) and abs(length - 1.0) < 1e-15:
        return a
    return (a[0] / length + 0.0, a[1] / length + 0.0, a[2] / length + 0.0)


def matvec(A: Matrix, a: Vector) -> Vector:
    """Return A a; no component becomes −0.0."""
    return (dot(A[0], a) + 0.0, dot(A[1], a) + 0.0, dot(A[2], a) + 0.0)


def transpose(A: Matrix) -> Matrix:
    """Return Aᵀ."""
    return tuple(zip(*A, strict=True))  # pyright: ignore[reportReturnType]


def matmul(A: Matrix, B: Matrix) -> Matrix:
    """Return A B; no entry becomes −0.0."""
    columns = transpose(B)
    rows = (tuple(dot(row, column) + 0.0 for column in columns) for row in A)
    return tuple(rows)  # pyright: ignore[reportReturnType]


def outer(a: Vector, b: Vector) -> Matrix:
    """Return a bᵀ."""
    return (scale(a[0], b), scale(a[1], b), scale(a[2], b))


def add_matrices(A: Matrix, B: Matrix) -> Matrix:
    """Return A + B."""
    return (add(A[0], B[0]), add(A[1], B[1]), add(A[2], B[2]))


def scale_matrix(factor: Number, A: Matrix) -> Matrix:
    """Return the matrix A times a number."""
    return (scale(factor, A[0]), scale(factor, A[1]), scale(factor, A[2]))


def diagonal(a: Number, b: Number, c: Number) -> Matrix:
    """Return the matrix with a, b, c on its diagonal."""
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


def trace(A: Matrix) -> Number:
    """Return the sum of the diagonal of A."""
    return A[0][0] + A[1][1] + A[2][2]


def congruent(R: Matrix, A: Matrix) -> Matrix:
    """Return R A Rᵀ."""
    return A if R == IDENTITY else matmul(matmul(R, A), transpose(R))


def determinant(A: Matrix) -> Number:
    """Return det A = a·(b × c) of the rows a, b, c."""
    return dot(A[0], cross(A[1], A[2]))


def reflection(normal: Vector) -> Matrix:
    """Return S = I − 2 n nᵀ, the mirror through the origin with unit normal n."""
    return add_matrices(IDENTITY, scale_matrix(-2.0, outer(normal, normal)))


def rotation_from_euler_parameters(p: tuple[Number, Number, Number, Number]) -> Matrix:
    """Return R_AB = (e0² − e·e) I + 2 e eᵀ + 2 e0 ẽ of unit Euler parameters, scalar first."""
    e0, e1, e2, e3 = p
    return (
        (
            e0 * e0 + e1 * e1 - e2 * e2 - e3 * e3,
            2.0 * (e1 * e2 - e0 * e3),
            2.0 * (e1 * e3 + e0 * e2),
        ),
        (
            2.0 * (e1 * e2 + e0 * e3),
            e0 * e0 - e1 * e1 + e2 * e2 - e3 * e3,
            2.0 * (e2 * e3 - e0 * e1),
        ),
        (
            2.0 * (e1 * e3 - e0 * e2),
            2.0 * (e2 * e3 + e0 * e1),
            e0 * e0 - e1 * e1 - e2 * e2 + e3 * e3,
        ),
    )


def euler_parameters(R: Matrix) -> tuple[float, float, float, float]:
    """Return the Euler parameters of a numeric rotation matrix, scalar first, e0 ≥ 0.

    The largest of the four is taken from the diagonal and the others from sums and
    differences across it, so that nothing small is divided by.
    """
    (a, b, c), (d, e, f), (g, h, i) = ((nominal(x) or 0.0 for x in row) for row in R)
    squares = (1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i)
    k = max(range(4), key=squares.__getitem__)
    p = (
        (squares[0], h - f, c - g, d - b),
        (h - f, squares[1], b + d, c + g),
        (c - g, b + d, squares[2], f + h),
        (d - b, c + g, f + h, squares[3]),
    )[k]
    length = math.copysign(math.hypot(*p), p[0])
    return tuple(x / length + 0.0 for x in p)  # pyright: ignore[reportReturnType]


def plain_number(value: Number) -> Number:
    """Return a constant expression as the float it is; anything else as it is."""
    return value.value if isinstance(value, Constant) else value


def plain_vector(a: Vector) -> Vector:
    """Return the vector with constant expressions as floats."""
    if type(a[0]) is type(a[1]) is type(a[2]) is float:
        return a
    return (plain_number(a[0]), plain_number(a[1]), plain_number(a[2]))


def nominal(value: Number) -> float | None:
    """Return the value with every parameter at its own value, or None where names are open."""
    if not isinstance(value, Expression):
        return value
    return None if signals(value) else evaluate(value, {})


def nominals(values: Iterable[Any]) -> tuple[float, ...] | None:
    """Return the nominal values of several numbers, or None where one has none."""
    found = tuple(nominal(value) for value in values)
    return None if None in found else found  # pyright: ignore[reportReturnType]
