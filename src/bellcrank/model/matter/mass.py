"""Mass, mass centre and inertia, and the rules that carry them from frame to frame.

Conventions:
    I = ∫ (s·s E − s sᵀ) dm: off-diagonal entries are minus the products of inertia.
    All work on numbers and on expressions of parameters, except what says numeric.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from bellcrank.model.algebra import (
    Matrix,
    Number,
    Vector,
    congruent,
    diagonal,
    nominals,
    plain_number,
    plain_vector,
)
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    matrix_sum,
    minus,
    outer,
    plus,
    scaled,
    scaled_matrix,
    trace,
    transpose,
)

if TYPE_CHECKING:
    import numpy as np

SLACK = 1e-6  # of the largest moment: inertias are typed with six digits or so
NOTHING = 1e-12  # of the largest moment: what is no more is none


@dataclass(frozen=True)
class MassProperties:
    """What a rigid body is to dynamics.

    Attributes:
        mass: [kg].
        com: Mass centre, world numbers of the drawing [m], shape (3,).
        inertia: About the mass centre along the world axes of the drawing [kg m²],
            shape (3, 3).
        own: What of `inertia` is the body's, where some of it was made up to hold a spin; see
            `bellcrank.model.spins`. None where all of it is.
    """

    mass: Number
    com: Vector
    inertia: Matrix
    own: Matrix | None = field(default=None, repr=False)

    def about(self, point: Vector) -> Matrix:
        """Return the inertia about a point, by the parallel axis [kg m²]."""
        return matrix_sum(self.inertia, parallel_axis(self.mass, minus(self.com, point)))

    def along(self, R_WA: Matrix) -> Matrix:
        """Return the inertia about the mass centre along axes A instead of the world's."""
        return rotate_inertia(transpose(R_WA), self.inertia)

    def principal(self) -> "tuple[np.ndarray, np.ndarray]":
        """Return the principal moments, ascending, and their axes; see `principal_axes`."""
        return principal_axes(self.inertia)


def rotate_inertia(R_AB: Matrix, inertia: Matrix) -> Matrix:
    """Return R I Rᵀ: an inertia along B, along A instead [kg m²].

    Examples:
        >>> import bellcrank as bc
        >>> bc.rotate_inertia(((0, -1, 0), (1, 0, 0), (0, 0, 1)), ((1, 0, 0), (0,
        ...     2, 0), (0, 0, 3)))[0][0]
        2.0
    """
    return congruent(_floats(R_AB), _floats(inertia))


def _floats(matrix: Matrix) -> Any:
    """Return a matrix with floats for whole numbers, as those of a model are."""
    return tuple(tuple(float(x) if isinstance(x, int) else x for x in row) for row in matrix)


def parallel_axis(mass: Number, offset: Vector) -> Matrix:
    """Return m (d·d E − d dᵀ), to be added on going from the mass centre to d away [kg m²].

    Examples:
        >>> import bellcrank as bc
        >>> bc.parallel_axis(2.0, (0.0, 0.0, 1.0))
        ((2.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 0.0))
    """
    return second_to_inertia(scaled_matrix(mass, outer(offset, offset)))


def second_to_inertia(moments: Matrix) -> Matrix:
    """Return tr(P) E − P for the second moments P = ∫ s sᵀ dm [kg m²]."""
    t = trace(moments)
    return matrix_sum(diagonal(t, t, t), scaled_matrix(-1.0, moments))


def axisymmetric(across: Number, along: Number, axis: Vector) -> Matrix:
    """Return J_t E + (J_a − J_t) u uᵀ for a unit axis u [kg m²]."""
    return matrix_sum(
        diagonal(across, across, across), scaled_matrix(along - across, outer(axis, axis))
    )


def combine(parts: Sequence[MassProperties]) -> MassProperties:
    """Return the mass properties of several bodies rigidly joined.

    m = Σ m_k, c = Σ m_k c_k / m, I = Σ (I_k + m_k (d_k·d_k E − d_k d_kᵀ)), d_k = c_k − c.
    """
    if len(parts) == 1:
        return parts[0]
    mass, moment = parts[0].mass, scaled(parts[0].mass, parts[0].com)
    for part in parts[1:]:
        mass, moment = mass + part.mass, plus(moment, scaled(part.mass, part.com))
    com: Vector = (moment[0] / mass, moment[1] / mass, moment[2] / mass)
    inertia = scaled_matrix(0.0, IDENTITY)
    for part in parts:
        shift = parallel_axis(part.mass, minus(part.com, com))
        inertia = matrix_sum(inertia, matrix_sum(part.inertia, shift))
    return MassProperties(mass, com, inertia)


def with_mass(properties: MassProperties, mass: Number) -> MassProperties:
    """Return the same distribution with another mass: inertia grows with it."""
    if properties.mass == mass:
        return properties
    inertia = scaled_matrix(mass / properties.mass, properties.inertia)
    return MassProperties(mass, properties.com, inertia)


def plain(properties: MassProperties) -> MassProperties:
    """Return the same with constant expressions as floats."""
    (a, b, c) = properties.inertia
    rows = (plain_vector(a), plain_vector(b), plain_vector(c))
    return MassProperties(plain_number(properties.mass), plain_vector(properties.com), rows)


def principal_axes(inertia: Any) -> "tuple[np.ndarray, np.ndarray]":
    """Return the principal moments, ascending, and V with I = V diag(J) Vᵀ; numeric.

    Args:
        inertia: Symmetric, shape (3, 3) [kg m²].

    Returns:
        J, shape (3,) [kg m²], and V, a right-handed rotation, shape (3, 3).

    Examples:
        >>> import bellcrank as bc
        >>> bc.principal_axes(((2.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0,
        ...     3.0)))[0].tolist()
        [1.0, 2.0, 3.0]
    """
    import numpy as np

    J, V = np.linalg.eigh(np.asarray(inertia, dtype=float))
    if np.linalg.det(V) < 0:
        V[:, 2] *= -1.0
    return J, V


def massless_axes(inertia: Any) -> "np.ndarray":
    """Return the axes about which a body has no moment of inertia, or one that is rounding.

    A thin rod that lies askew has some 1e-17 of its largest moment about its own line.

    Args:
        inertia: Symmetric, shape (3, 3) [kg m²].

    Returns:
        Unit axes, shape (3, n).

    Examples:
        >>> massless_axes(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1e-17))).shape
        (3, 1)
    """
    import numpy as np

    values, axes = np.linalg.eigh(np.asarray(inertia, dtype=float))
    return axes[:, values <= NOTHING * max(values[-1], 0.0)]


def inadmissible(inertia: Matrix, *, as_given: bool = False) -> str:
    """Return what is wrong with an inertia at nominal values, or an empty string.

    The principal moments are those of some distribution of mass iff each is at most the sum
    of the other two. Zero moments, of point masses and thin rods, are such a case.

    Args:
        inertia: The tensor [kg m²].
        as_given: Whether finite numbers will do.
    """
    rows = [nominals(row) for row in inertia]
    if None in rows:
        return ""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = rows  # pyright: ignore[reportGeneralTypeIssues]
    if not all(map(math.isfinite, (xx, yy, zz, xy, xz, yz))):
        return "it is not finite"
    if as_given:
        return ""
    if xy == xz == yz == 0.0:
        a, b, c = sorted((xx, yy, zz))
    else:
        a, b, c = _eigenvalues(xx, yy, zz, xy, xz, yz)
    slack = SLACK * max(abs(a), abs(c))
    if a < -slack:
        return f"its smallest principal moment is negative, {a:.6g} kg m²"
    if c > a + b + slack:
        return f"its principal moments break c ≤ a + b: {c:.6g} > {a:.6g} + {b:.6g} kg m²"
    return ""


def _eigenvalues(
    xx: float, yy: float, zz: float, xy: float, xz: float, yz: float
) -> tuple[float, float, float]:
    """Return the eigenvalues of a symmetric matrix, ascending, by the trigonometric formula.

    Its error, some 1e-8 of the largest, is far below `SLACK`.
    """
    mean = (xx + yy + zz) / 3.0
    a, b, c = xx - mean, yy - mean, zz - mean
    p = math.sqrt((a * a + b * b + c * c + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0)
    if p == 0.0:
        return mean, mean, mean
    det = a * (b * c - yz * yz) - xy * (xy * c - yz * xz) + xz * (xy * yz - b * xz)
    third = math.acos(max(-1.0, min(1.0, det / (2.0 * p * p * p)))) / 3.0
    high = mean + 2.0 * p * math.cos(third)
    low = mean + 2.0 * p * math.cos(third + 2.0 * math.pi / 3.0)
    return low, 3.0 * mean - high - low, high
