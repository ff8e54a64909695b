"""Kane's equations [A]{ẏ} = {f} in the base speeds y = (ω′, ṡ′), block by block.

    [A] = Σ_K ( m_K [v_K,y]ᵀ[v_K,y] + [ω′_K,y]ᵀ[I′_K][ω′_K,y] )
    {f} = Σ_K [v_K,y]ᵀ( F_K − m_K [v̇_K,y] y ) + Σ_K [ω′_K,y]ᵀ( M′_K − ω̃′_K I′_K ω′_K )

Block J of [v_K,y] is the same for all bodies K beyond the same body C next to J, so the sum
over these is taken before blocks are multiplied: with M_C the mass of C and all beyond it, and
h_J = m_J r′_J + Σ_C M_C d_C over the bodies C whose lower body is J,

    A[ω_J, ω_J] = I′_J + m_J r̃ᵀr̃ + Σ_C M_C d̃_Cᵀ d̃_C
    A[ω_J, ω_K] = −d̃_C [R_J][R_K]ᵀ h̃_K             J below K, C next to J on the way to K
    A[ω_J, ṡ_K] = M_K d̃_C [R_J][R_L(K)]ᵀ           J below K
    A[ω_K, ṡ_J] = h̃_K [R_K][R_L(J)]ᵀ               J below K or J = K
    A[ṡ_J, ṡ_K] = M_K [R_L(J)][R_L(K)]ᵀ            J below K or J = K
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise

import casadi as ca

from bellcrank.formulations.kane.attitude import Attitudes
from bellcrank.formulations.kane.connection import Connection
from bellcrank.formulations.kane.matrices.blocks import Assembly, block, column_of
from bellcrank.formulations.kane.motion import BodyMotion, Geometry
from bellcrank.spatial.arithmetic import (
    ORIGIN,
    Matrix,
    Vector,
    add,
    apply,
    cross,
    full,
    gyration,
    matrix_sum,
    minus,
    plus,
    scaled,
    scaled_matrix,
    skew,
    transpose,
)

Wrenches = Mapping[str, tuple[Vector, Vector]]
"""Force and torque about the mass centre by body, inertial components."""


class MassMatrix:
    """[A] of a tree.

    Attributes:
        masses: M_K, of K and all beyond it, for K = 0 … N.
        moments: h_K, along K.
    """

    def __init__(
        self,
        connection: Connection,
        geometry: Geometry,
        attitudes: Attitudes,
        arms: Sequence[Vector],
    ) -> None:
        self._connection, self._geometry = connection, geometry
        self._attitudes, self._arms = attitudes, arms
        self._known: dict[tuple[int, int], ca.SX] = {}
        self.masses = list(geometry.mass)
        self.moments = [scaled(m, r) for m, r in zip(geometry.mass, geometry.r, strict=True)]
        for k in reversed(connection.bodies):
            low = connection.lower[k - 1]
            self.masses[low] = add(self.masses[low], self.masses[k])
            self.moments[low] = plus(self.moments[low], scaled(self.masses[k], arms[k]))

    def matrix(self) -> ca.SX:
        """Return [A], 6N×6N."""
        n = 3 * self._connection.count
        assembly = Assembly(2 * n, 2 * n)
        for k in self._connection.bodies:
            self._put(assembly, n, k)
        return assembly.matrix()

    def _put(self, assembly: Assembly, n: int, k: int) -> None:
        """Put the blocks of K with itself and with all bodies below it."""
        at, lower, path = 3 * (k - 1), self._connection.lower, self._connection.paths[k]
        assembly.put(at, at, block(self._turning(k)))
        h, mass = block(skew(self.moments[k])), self.masses[k]
        for j, c in pairwise(path):
            d = block(skew(self._arms[c]))
            turn = -(d @ (self._between(j, k) @ h))
            slide = mass * (d @ self._between(j, lower[k - 1]))
            assembly.put_both(3 * (j - 1), at, turn)
            assembly.put_both(3 * (j - 1), n + at, slide)
        for j in path:
            turn = h @ self._between(k, lower[j - 1])
            slide = mass * self._between(lower[j - 1], lower[k - 1])
            assembly.put_both(at, n + 3 * (j - 1), turn)
            assembly.put_both(n + 3 * (j - 1), n + at, slide)

    def _between(self, j: int, k: int) -> ca.SX:
        """Return [R_J][R_K]ᵀ as one matrix."""
        if (j, k) not in self._known:
            if (k, j) in self._known:
                found = self._known[k, j].T
            elif self._attitudes.is_step(j, k):
                found = block(self._attitudes.between(j, k))
            else:
                found = self._between(0, j).T @ self._between(0, k)
            self._known[j, k] = found
        return self._known[j, k]

    def _turning(self, k: int) -> Matrix:
        """Return A[ω_K, ω_K]."""
        geometry = self._geometry
        arms = [(geometry.mass[k], geometry.r[k])]
        arms += [(self.masses[c], self._arms[c]) for c in self._connection.children[k]]
        spread = [scaled_matrix(m, full(gyration(d))) for m, d in arms]
        return matrix_sum(geometry.inertia[k], *spread)


def generalized(
    connection: Connection, motion: BodyMotion, pushes: Sequence[tuple[Vector, Vector]]
) -> ca.SX:
    """Return Σ_K [v_K,y]ᵀ G_K + [ω′_K,y]ᵀ N_K, 6N, by sums taken inwards.

    Args:
        connection: The bodies.
        motion: Where they are.
        pushes: (G_K, inertial components; N_K, along K) for K = 0 … N.
    """
    carried = [force for force, _ in pushes]
    turning = [torque for _, torque in pushes]
    sliding: list[Vector] = [ORIGIN] * (connection.count + 1)
    for k in reversed(connection.bodies):
        low, geometry = connection.lower[k - 1], motion.geometry
        own = apply(transpose(motion.A[k]), pushes[k][0])
        turning[k] = plus(turning[k], cross(geometry.r[k], own))
        sliding[k] = apply(transpose(motion.A[low]), carried[k]) if low else carried[k]
        if low:
            carried[low] = plus(carried[low], carried[k])
            turning[low] = plus(turning[low], cross(motion.arms[k], sliding[k]))
    return column_of([entry for part in (turning, sliding) for v in part[1:] for entry in v])


def lacking(
    connection: Connection, motion: BodyMotion, wrenches: Wrenches
) -> list[tuple[Vector, Vector]]:
    """Return (F_K − m_K a_K, M′_K − I′_K α′_K − ω′_K × I′_K ω′_K) for K = 0 … N.

    With ẏ = 0, a_K = [v̇_K,y] y and α′_K = 0, these are the brackets of {f}.
    """
    found: list[tuple[Vector, Vector]] = [(ORIGIN, ORIGIN)]
    geometry = motion.geometry
    for k in connection.bodies:
        force, torque = wrenches[connection.name(k)]
        centre = motion.point(k, geometry.r[k])
        w, J = motion.spins[k], geometry.inertia[k]
        rest = minus(apply(transpose(motion.A[k]), torque), cross(w, apply(J, w)))
        rest = minus(rest, apply(J, motion.spin_rates[k]))
        found.append((minus(force, scaled(geometry.mass[k], centre.acceleration)), rest))
    return found
