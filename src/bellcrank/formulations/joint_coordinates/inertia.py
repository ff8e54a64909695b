"""Articulated and rigid inertia on the way from one frame to the next one inwards.

An articulated inertia relates the wrench (n, f) that a subtree needs at a point to the
acceleration of that point (classical, not spatial: linear velocities then never appear):

    n = J α + H a + n0        f = Hᵀ α + M a + f0

Rotation about a frame axis, R = [c −s; s c] on the two others i and j, mixes two rows. With
w = s (A_ii − A_jj) + c (A_ij + A_ji) the 2×2 block becomes A_ii − s w, A_jj + s w, c w − A_ji,
c w − A_ij: four products instead of twelve, for symmetric and general blocks alike.
"""

from dataclasses import dataclass

from bellcrank.spatial.arithmetic import (
    SYMMETRIC_INDEX,
    SYMMETRIC_PAIRS,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    congruent,
    cross,
    dot,
    full,
    gyration,
    mul,
    neg,
    plus,
    product,
    scaled,
    sub,
    symmetric_apply,
    total,
    transpose,
)


def turn_vector(axis: int, c: Scalar, s: Scalar, b: Vector) -> Vector:
    """Return R b for the rotation by the angle (c, s) about a frame axis."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    result = list(b)
    result[i] = sub(mul(c, b[i]), mul(s, b[j]))
    result[j] = add(mul(s, b[i]), mul(c, b[j]))
    return result


def turn_matrix(axis: int, c: Scalar, s: Scalar, A: Matrix) -> list[list[Scalar]]:
    """Return R A Rᵀ for the rotation by the angle (c, s) about a frame axis."""
    i, j, k = (axis + 1) % 3, (axis + 2) % 3, axis
    w = add(mul(s, sub(A[i][i], A[j][j])), mul(c, add(A[i][j], A[j][i])))
    sw, cw = mul(s, w), mul(c, w)
    result = [list(row) for row in A]
    result[i][i], result[j][j] = sub(A[i][i], sw), add(A[j][j], sw)
    result[i][j], result[j][i] = sub(cw, A[j][i]), sub(cw, A[i][j])
    result[i][k] = sub(mul(c, A[i][k]), mul(s, A[j][k]))
    result[j][k] = add(mul(s, A[i][k]), mul(c, A[j][k]))
    result[k][i] = sub(mul(c, A[k][i]), mul(s, A[k][j]))
    result[k][j] = add(mul(s, A[k][i]), mul(c, A[k][j]))
    return result


def turn_symmetric(axis: int, c: Scalar, s: Scalar, S: Vector, thin: bool = False) -> Vector:
    """Return R S Rᵀ of a symmetric S for the rotation by (c, s) about a frame axis.

    Args:
        axis: 0, 1 or 2.
        c: Cosine of the angle.
        s: Sine of the angle.
        S: Six numbers.
        thin: Whether S may have next to nothing along an axis that is turned. The diagonal
            is then c² S_ii + s² S_jj ∓ 2 c s S_ij, where S_ii − s² S_ii would leave rounding
            errors of S_ii.
    """
    i, j = (axis + 1) % 3, (axis + 2) % 3
    A = turn_matrix(axis, c, s, full(S))
    S_ii, S_jj, S_ij = (S[SYMMETRIC_INDEX[a][b]] for a, b in ((i, i), (j, j), (i, j)))
    if thin or _nothing(S_ii) or _nothing(S_jj):
        cc, ss, both = mul(c, c), mul(s, s), mul(mul(c, s), mul(2.0, S_ij))
        A[i][i] = sub(add(mul(cc, S_ii), mul(ss, S_jj)), both)
        A[j][j] = add(add(mul(ss, S_ii), mul(cc, S_jj)), both)
    return [A[i][j] for i, j in SYMMETRIC_PAIRS]


def _nothing(entry: Scalar) -> bool:
    return type(entry) is float and entry == 0.0


@dataclass(frozen=True, slots=True)
class Articulated:
    """Inertia and bias wrench of a subtree at a point, in one frame.

    Attributes:
        J: Rotational inertia, six numbers [kg m²].
        H: Coupling [kg m].
        M: Translational inertia, six numbers [kg].
        n: Bias torque about the point [N m].
        f: Bias force [N].
    """

    J: Vector
    H: Matrix
    M: Vector
    n: Vector
    f: Vector

    def __add__(self, other: "Articulated") -> "Articulated":
        return Articulated(
            plus(self.J, other.J),
            [plus(a, b) for a, b in zip(self.H, other.H, strict=True)],
            plus(self.M, other.M),
            plus(self.n, other.n),
            plus(self.f, other.f),
        )

    def biased(self, al: Vector, a: Vector) -> "Articulated":
        """Return it for accelerations counted from (al, a)."""
        n = plus(self.n, symmetric_apply(self.J, al), apply(self.H, a))
        f = plus(self.f, apply(transpose(self.H), al), symmetric_apply(self.M, a))
        return Articulated(self.J, self.H, self.M, n, f)

    def turned_about(self, axis: int, c: Scalar, s: Scalar, thin: bool) -> "Articulated":
        """Return it in a frame against which this one is turned by (c, s) about an axis."""
        return Articulated(
            turn_symmetric(axis, c, s, self.J, thin),
            turn_matrix(axis, c, s, self.H),
            turn_symmetric(axis, c, s, self.M, thin),
            turn_vector(axis, c, s, self.n),
            turn_vector(axis, c, s, self.f),
        )

    def turned(self, R: Matrix) -> "Articulated":
        """Return it in frame A, R = R_AB, this one being in B."""
        return Articulated(
            congruent(R, self.J),
            product(product(R, self.H), transpose(R)),
            congruent(R, self.M),
            apply(R, self.n),
            apply(R, self.f),
        )

    def shifted(self, r: Vector) -> "Articulated":
        """Return it at the point P, this one being at P + r.

        H' = H + r̃ M,   J' = J + r̃ Hᵀ − H' r̃,   n' = n + r × f.
        """
        M = full(self.M)
        columns = [cross(r, column) for column in transpose(M)]
        H = [plus(row, extra) for row, extra in zip(self.H, transpose(columns), strict=True)]
        # (r̃ Hᵀ)_ij = (r × row j of H)_i and (H' r̃)_ij = −(r × row i of H')_j.
        rH = [cross(r, row) for row in self.H]
        Hr = [cross(r, row) for row in H]
        J = [
            total([self.J[SYMMETRIC_INDEX[i][j]], rH[j][i], Hr[i][j]])
            for i, j in SYMMETRIC_PAIRS
        ]
        return Articulated(J, H, self.M, plus(self.n, cross(r, self.f)), self.f)


@dataclass(frozen=True, slots=True)
class Rigid:
    """Inertia of a rigid body at a point: mass, first moment m c and J about the point."""

    m: Scalar
    h: Vector
    J: Vector

    def __add__(self, other: "Rigid") -> "Rigid":
        return Rigid(add(self.m, other.m), plus(self.h, other.h), plus(self.J, other.J))

    def articulated(self, n: Vector, f: Vector) -> Articulated:
        """Return it as an articulated inertia with the bias wrench (n, f)."""
        x, y, z = self.h
        H = [[0.0, neg(z), y], [z, 0.0, neg(x)], [neg(y), x, 0.0]]
        return Articulated(self.J, H, [self.m, self.m, self.m, 0.0, 0.0, 0.0], n, f)

    def wrench(self, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (n, f) = (J α + h × a, m a + α × h)."""
        n = plus(symmetric_apply(self.J, al), cross(self.h, a))
        return n, plus(scaled(self.m, a), cross(al, self.h))

    def bias(self, w: Vector) -> tuple[Vector, Vector]:
        """Return the velocity wrench (ω × J ω, ω × (ω × h))."""
        return cross(w, symmetric_apply(self.J, w)), cross(w, cross(w, self.h))

    def turned_about(self, axis: int, c: Scalar, s: Scalar) -> "Rigid":
        """Return it in a frame against which this one is turned by (c, s) about an axis."""
        h = turn_vector(axis, c, s, self.h)
        return Rigid(self.m, h, turn_symmetric(axis, c, s, self.J))

    def turned(self, R: Matrix) -> "Rigid":
        """Return it in frame A, R = R_AB, this one being in B."""
        return Rigid(self.m, apply(R, self.h), congruent(R, self.J))

    def shifted(self, r: Vector) -> "Rigid":
        """Return it at the point P, this one being at P + r.

        J' = J + (r̃ h̃ᵀ + h̃ r̃ᵀ) + m r̃ᵀ r̃,   h' = h + m r.
        """
        hr2 = mul(2.0, dot(self.h, r))
        mixed = [
            sub(hr2 if i == j else 0.0, add(mul(self.h[i], r[j]), mul(r[i], self.h[j])))
            for i, j in SYMMETRIC_PAIRS
        ]
        J = plus(self.J, mixed, scaled(self.m, gyration(r)))
        return Rigid(self.m, plus(self.h, scaled(self.m, r)), J)
