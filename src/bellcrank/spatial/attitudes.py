"""Euler parameters on scalars: numbers, arrays, expressions of parameters, CasADi's, letters.

    A(p) = (e0² − e·e) I + 2 e eᵀ + 2 e0 ẽ      body to world
    G(p) = [−e | e0 I − ẽ]                      ω′ = 2 G ṗ,  ṗ = ½ Gᵀ ω′

p has its scalar e0 first. Both matrices are homogeneous in p, so that Ġ = G(ṗ). CasADi is
needed only for rotations that depend on parameters.
"""

from typing import Any

from bellcrank.spatial.arithmetic import (
    IDENTITY,
    Entries,
    Matrix,
    Rows,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    each,
    mul,
    neg,
    plus,
    scaled,
    sub,
    total,
    transpose,
)


def rotation(p: Vector) -> Rows:
    """Return A(p), which takes components along the body to components along the world."""
    e0, e = p[0], p[1:]
    diagonal = sub(mul(e0, e0), dot(e, e))
    A = [[mul(2.0, mul(a, b)) for b in e] for a in e]
    for i in range(3):
        A[i][i] = add(A[i][i], diagonal)
        j, k = (i + 1) % 3, (i + 2) % 3
        turn = mul(2.0, mul(e0, e[i]))
        A[k][j], A[j][k] = add(A[k][j], turn), sub(A[j][k], turn)
    return tuple(map(tuple, A))


def rigid_rotation(p: Vector) -> Rows:
    """Return A of p brought to unit length: a rotation for any p.

    The stages of an integrator leave the unit sphere a little, and still see rigid bodies.
    """
    return _rigid(p, 2.0 / dot(p, p))


def rotation_matrices(p: Any) -> Any:
    """Return rigid rotations of arrays of Euler parameters: (..., 4) → (..., 3, 3)."""
    import numpy as np

    rows = rigid_rotation(tuple(np.moveaxis(p, -1, 0)))
    return np.moveaxis(np.array(rows), (0, 1), (-2, -1))


def to_body(e: Vector) -> Rows:
    """Return R_BW of unit Euler parameters: world components to those along the body."""
    return transpose(_rigid(e, 2.0))


def _rigid(p: Vector, factor: Scalar) -> Rows:
    e0, x, y, z = p
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    return (
        (1.0 - factor * (yy + zz), factor * (xy - e0 * z), factor * (xz + e0 * y)),
        (factor * (xy + e0 * z), 1.0 - factor * (xx + zz), factor * (yz - e0 * x)),
        (factor * (xz - e0 * y), factor * (yz + e0 * x), 1.0 - factor * (xx + yy)),
    )


def rate_matrix(p: Vector) -> Rows:
    """Return G(p), 3×4."""
    e0, x, y, z = p
    return ((neg(x), e0, z, neg(y)), (neg(y), neg(z), e0, x), (neg(z), y, neg(x), e0))


def euler_product(a: Vector, b: Vector) -> Entries:
    """Return the Euler parameters of R(a) R(b), scalar first."""
    vector = plus(scaled(a[0], b[1:]), scaled(b[0], a[1:]), cross(a[1:], b[1:]))
    parts = each(mul, a[1:], b[1:])
    return (total([mul(a[0], b[0]), *map(neg, parts)]), *vector)


def conjugate(p: Vector) -> Entries:
    """Return the Euler parameters of the opposite turn."""
    return (p[0], *map(neg, p[1:]))


def scalar_first(eps: Vector) -> Entries:
    """Return p = [ε4, ε1, ε2, ε3] of eps = [ε1, ε2, ε3, ε4], the order of Kane and Kamman."""
    return (eps[3], *eps[:3])


def scalar_last(p: Vector) -> Entries:
    """Return eps = [e1, e2, e3, e0] of p = [e0, e1, e2, e3]."""
    return (*p[1:], p[0])


def is_identity(R: Matrix) -> bool:
    """Return whether a rotation is none, as numbers."""
    return all(
        type(entry) is float and abs(entry - IDENTITY[i][j]) < 1e-15
        for i, row in enumerate(R)
        for j, entry in enumerate(row)
    )


def euler_parameters(R: Matrix) -> tuple[float, ...]:
    """Return the Euler parameters of a rotation of numbers, scalar first and not negative.

    Of the four rows of the matrix 4 p pᵀ the one with the largest diagonal is taken.
    """
    rows = _outer(R)
    row = max((rows[i][i], -i) for i in range(4))
    best = rows[-row[1]]
    length = sum(entry * entry for entry in best) ** 0.5 * (-1 if best[0] < 0 else 1)
    return tuple([entry / length + 0.0 for entry in best])


def turn_parameters(R: Matrix) -> Entries:
    """Return the Euler parameters of a rotation that may depend on parameters.

    The row of 4 p pᵀ is chosen by the numbers themselves; its divisor is at least 1.
    """
    import casadi as ca

    rows = _outer(R)
    e, best = [ca.SX(entry) for entry in rows[0]], ca.SX(rows[0][0])
    for i in range(1, 4):
        better = ca.SX(rows[i][i]) > best
        e = [ca.if_else(better, new, old) for new, old in zip(rows[i], e, strict=True)]
        best = ca.fmax(best, rows[i][i])
    length = ca.sqrt(sum(entry * entry for entry in e))
    found = [entry / length for entry in e]
    return tuple([float(entry) if entry.is_constant() else entry for entry in found])


def _outer(R: Matrix) -> Rows:
    """Return 4 p pᵀ of a rotation."""
    trace = R[0][0] + R[1][1] + R[2][2]
    d = [1.0 + trace, *(1.0 + 2.0 * R[i][i] - trace for i in range(3))]
    wx, wy, wz = R[2][1] - R[1][2], R[0][2] - R[2][0], R[1][0] - R[0][1]
    xy, xz, yz = R[0][1] + R[1][0], R[0][2] + R[2][0], R[1][2] + R[2][1]
    return ((d[0], wx, wy, wz), (wx, d[1], xy, xz), (wy, xy, d[2], yz), (wz, xz, yz, d[3]))
