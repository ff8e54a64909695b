"""Numbers of a model, floats or expressions of its parameters, in the vectors of `spatial`.

Conventions:
    vector  tuple of 3 numbers
    matrix  tuple of 3 rows, each a vector
    R_AB    takes components of a vector in B to its components in A
"""

import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from bellcrank.model.expressions import Constant, Expression, evaluate, signals, sqrt
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    dot,
    matrix_sum,
    outer,
    product,
    scaled_matrix,
    transpose,
)

Number: TypeAlias = float | Expression
Vector: TypeAlias = tuple[Number, Number, Number]
Matrix: TypeAlias = tuple[Vector, Vector, Vector]


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


def diagonal(a: Number, b: Number, c: Number) -> Matrix:
    """Return the matrix with a, b, c on its diagonal."""
    return ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))


def congruent(R: Matrix, A: Matrix) -> Matrix:
    """Return R A Rᵀ."""
    return A if R == IDENTITY else product(product(R, A), transpose(R))


def reflection(normal: Vector) -> Matrix:
    """Return S = I − 2 n nᵀ, the mirror through the origin with unit normal n."""
    return matrix_sum(IDENTITY, scaled_matrix(-2.0, outer(normal, normal)))


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
    found = tuple([nominal(value) for value in values])
    return None if None in found else found  # pyright: ignore[reportReturnType]
