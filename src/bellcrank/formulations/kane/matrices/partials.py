"""Partial velocities and partial angular velocities, and their rates, block by block.

In the base speeds y = (ω′, ṡ′), with C the body of path(K) next beyond J:

    [ω′_K,y1][J] = 1 for J = K            [ω′_K,y2] = 0
    [v_K,y1][J]  = −[R_J]ᵀ ~(q′_C + s′_C)     J below K;      −[R_K]ᵀ r̃′_K       J = K
    [v_K,y2][J]  = [R_L(J)]ᵀ                  J in path(K)
    d/dt [v_K,y1][J] = −[R_J]ᵀ ω̃′_J ~(q′_C + s′_C) − [R_J]ᵀ ~ṡ′_C;    −[R_K]ᵀ ω̃′_K r̃′_K
    d/dt [v_K,y2][J] = [R_L(J)]ᵀ ω̃′_L(J)      L(J) ≠ 0

In other speeds, y = T u + c:  [v_K,u] = [v_K,y] T,  d/dt [v_K,u] = d/dt [v_K,y] T + [v_K,y] Ṫ.
"""

from functools import cached_property
from itertools import pairwise

import casadi as ca

from bellcrank.formulations.kane.matrices.blocks import BlockRow, block, blocks_of, column_of
from bellcrank.formulations.kane.school import KaneSchool
from bellcrank.spatial.arithmetic import (
    ORIGIN,
    Matrix,
    Vector,
    apply,
    matrix_sum,
    plus,
    product,
    scaled_matrix,
    skew,
    transpose,
)


class Partials:
    """The partial velocities of all bodies, for the speeds of a school.

    Attributes:
        school: Kane's equations of a machine.
    """

    def __init__(self, school: KaneSchool) -> None:
        self.school, self._connection = school, school.connection
        self._motion, self._count = school.still.motion, school.connection.count

    def turning(self, k: int) -> BlockRow:
        """Return the blocks of [v_K,y1]."""
        motion, path = self._motion, self._connection.paths[k]
        found = {j: self._swept(j, motion.arms[c]) for j, c in pairwise(path)}
        return found | {k: self._swept(k, motion.geometry.r[k])}

    def _swept(self, j: int, arm: Vector) -> Matrix:
        return scaled_matrix(-1.0, product(self._motion.A[j], skew(arm)))

    def sliding(self, k: int) -> BlockRow:
        """Return the blocks of [v_K,y2]."""
        lower = self._connection.lower
        return {j: self._motion.A[lower[j - 1]] for j in self._connection.paths[k]}

    def turning_rate(self, k: int) -> BlockRow:
        """Return the blocks of d/dt [v_K,y1]."""
        motion, path = self._motion, self._connection.paths[k]
        found = {}
        for j, c in pairwise(path):
            slid = self._swept(j, motion.slides[c])
            found[j] = matrix_sum(self._swept_rate(j, motion.arms[c]), slid)
        return found | {k: self._swept_rate(k, motion.geometry.r[k])}

    def _swept_rate(self, j: int, arm: Vector) -> Matrix:
        turned = product(self._motion.A[j], skew(self._motion.spins[j]))
        return scaled_matrix(-1.0, product(turned, skew(arm)))

    def sliding_rate(self, k: int) -> BlockRow:
        """Return the blocks of d/dt [v_K,y2]."""
        lower, motion = self._connection.lower, self._motion
        lows = {j: lower[j - 1] for j in self._connection.paths[k]}
        return {
            j: product(motion.A[low], skew(motion.spins[low])) for j, low in lows.items() if low
        }

    def _row(self, turns: BlockRow, slides: BlockRow) -> ca.SX:
        n = 3 * self._count
        return blocks_of(turns, 0, 2 * n) + blocks_of(slides, n, 2 * n)

    # --- in the chosen speeds

    @cached_property
    def _T(self) -> ca.SX:
        T = self.school.speeds.T
        return ca.SX.eye(6 * self._count) if T is None else T

    @cached_property
    def _T_rate(self) -> ca.SX:
        if self.school.speeds.T is None:
            return ca.SX(6 * self._count, 6 * self._count)
        pattern = self._T.sparsity()
        return ca.SX(pattern, self.school.along(self._T.nz[:]))

    @cached_property
    def _c(self) -> ca.SX:
        """Y at u = 0."""
        spins, slides = self.school.speeds.base
        y = column_of([e for part in (spins, slides) for v in part[1:] for e in v])
        u = self.school.symbols.columns["u"]
        return ca.substitute(y, u, ca.SX.zeros(u.shape))

    def velocity(self, k: int) -> ca.SX:
        """Return [v_K,u], 3×6N, inertial components."""
        return self._row(self.turning(k), self.sliding(k)) @ self._T

    def velocity_rate(self, k: int) -> ca.SX:
        """Return d/dt [v_K,u]."""
        row = self._row(self.turning_rate(k), self.sliding_rate(k))
        return row @ self._T + self._row(self.turning(k), self.sliding(k)) @ self._T_rate

    def velocity_remainder(self, k: int) -> ca.SX:
        """Return v_K at u = 0."""
        return self._row(self.turning(k), self.sliding(k)) @ self._c

    def _own(self, k: int) -> slice:
        return slice(3 * (k - 1), 3 * k)

    def angular(self, k: int) -> ca.SX:
        """Return [ω′_K,u], 3×6N, along body K."""
        return self._T[self._own(k), :]

    def angular_rate(self, k: int) -> ca.SX:
        """Return d/dt [ω′_K,u]."""
        return self._T_rate[self._own(k), :]

    def angular_remainder(self, k: int) -> ca.SX:
        """Return ω′_K at u = 0."""
        return self._c[self._own(k)]

    # --- in the rates of the coordinates

    @cached_property
    def base_of_rates(self) -> ca.SX:
        """N of y = N q̇, 6N×nq."""
        layout, attitudes = self.school.layout, self.school.attitudes
        qd = ca.SX.sym("qd", layout.size)
        scalars, spins = ca.vertsplit(qd), [ORIGIN]
        for k in self._connection.bodies:
            own = scalars[layout.width * (k - 1) : layout.width * k]
            spin = apply(attitudes.spin_block(k), own)
            low = self._connection.lower[k - 1]
            if attitudes.relative and low:
                spin = plus(apply(attitudes.between(k, low), spins[low]), spin)
            spins.append(spin)
        y = column_of([*(e for spin in spins[1:] for e in spin), *scalars[layout.turns :]])
        return ca.jacobian(y, qd)

    @cached_property
    def speeds_of_rates(self) -> tuple[ca.SX, ca.SX]:
        """Y and z of u = Y q̇ + z."""
        speeds = self.school.speeds
        if hasattr(speeds, "Y"):
            return speeds.Y, speeds.z  # type: ignore[attr-defined]
        y = ca.SX.sym("y", 6 * self._count)
        triples = [[0.0] * 3, *(ca.vertsplit(part) for part in ca.vertsplit(y, 3))]
        slides = [triples[0], *triples[self._count + 1 :]]
        u = column_of(speeds.from_base(triples[: self._count + 1], slides))
        return ca.jacobian(u, y) @ self.base_of_rates, ca.SX(6 * self._count, 1)

    def velocity_by_rates(self, k: int) -> ca.SX:
        """Return [v_K,q̇], 3×nq."""
        return self._row(self.turning(k), self.sliding(k)) @ self.base_of_rates

    def angular_by_rates(self, k: int) -> ca.SX:
        """Return [ω′_K,q̇], 3×nq."""
        return self.base_of_rates[self._own(k), :]

    def rotation(self, k: int) -> ca.SX:
        """Return [R_K], inertial to body components."""
        return block(transpose(self._motion.A[k]))
