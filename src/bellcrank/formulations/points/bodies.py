"""Momentum, angular velocity and inertia of one body in fully Cartesian coordinates.

    planar     q = (r_i, r_j)              r = C(c) q
    rod        q = (r_i, r_j)              r = r_i + c r_ij
    particle   q = r

and, in `spatial_bodies`, those with two or three directions.

Each body gives V (ṙ_O = V q̇ of its mass centre), Φ = m V, G (ω′ = G q̇ along the frame's axes),
R (frame to world), Ψ (angular momentum about the origin) and its inertia M; G and Ψ hold for
rates that keep the body rigid. Where r_j is no point, r_i + a vector stands for it.

References:
    Liu Yanzhu, Dynamics of multibody system described by fully Cartesian coordinates: its
    equations (1) to (41), with the corrections it needs.
    García de Jalón and Bayo (1994), Kinematic and Dynamic Simulation of Multibody Systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import casadi as ca

from bellcrank.spatial.vectors import Expr

E2, E3 = ca.DM.eye(2), ca.DM.eye(3)
P2 = ca.DM([[0, -1], [1, 0]])


class AbstractBody(Protocol):
    """What the equations of a machine need of a body."""

    @property
    def m(self) -> Expr | float:
        """Mass [kg]."""
        ...

    def velocity(self, q: Expr) -> Expr:
        """Return V, for which ṙ_O = V q̇."""
        ...

    def rotation(self, q: Expr) -> Expr:
        """Return R, frame to world; in the plane the turn of r_ij."""
        ...

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G, for which ω′ = G q̇."""
        ...

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ, for which H = Ψ q̇ about the origin."""
        ...

    def inertia(self, q: Expr) -> Expr:
        """Return M, for which T = ½ q̇ᵀ M q̇."""
        ...

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return what M q̈ lacks of the inertia forces: M q̈ + bias = generalized forces."""
        ...


def momentum(body: AbstractBody, q: Expr) -> Expr:
    """Return Φ = m V, for which Q = Φ q̇ (10), (33)."""
    return body.m * body.velocity(q)


@dataclass(frozen=True)
class PlanarBody:
    """A body in the plane, q = (x_i, y_i, x_j, y_j).

    Attributes:
        l: |r_ij| [m].
        a: Mass centre, r_O = r_i + a₁ r_ij + a₂ n×r_ij, shape (2,).
        m: Mass [kg].
        J: Moment of inertia about the mass centre [kg m²].
    """

    l: Expr | float
    a: Expr
    m: Expr | float
    J: Expr | float

    @staticmethod
    def place(c: Expr) -> Expr:
        """Return C of r = C q for a point with r − r_i = c₁ r_ij + c₂ n×r_ij (7)."""
        turn = c[0] * E2 + c[1] * P2
        return ca.horzcat(E2 - turn, turn)

    @staticmethod
    def place_entries(c: Any) -> list[list[Any]]:
        """Return the entries of C, 2×4 (7)."""
        c1, c2 = c[0], c[1]
        return [[1 - c1, c2, c1, -c2], [-c2, 1 - c1, c2, c1]]

    def spin_entries(self, q: Sequence[Any]) -> list[Any]:
        """Return the entries of G (11)."""
        xi, yi, xj, yj = q
        size = self.l * self.l
        return [(yj - yi) / size, (xi - xj) / size, (yi - yj) / size, (xj - xi) / size]

    def momentum_entries(self, q: Sequence[Any]) -> list[Any]:
        """Return the entries of Ψ = J G + Ψ⁰ (14), (15)."""
        xi, yi, xj, yj = q
        a1, a2 = self.a[0], self.a[1]
        s = a1 * a1 + a2 * a2
        psi = [
            -(1 + s - 2 * a1) * yi - a2 * xj + (s - a1) * yj,
            (1 + s - 2 * a1) * xi - (s - a1) * xj - a2 * yj,
            a2 * xi + (s - a1) * yi - s * yj,
            -(s - a1) * xi + a2 * yi + s * xj,
        ]
        turn = self.spin_entries(q)
        return [self.J * g + self.m * p for g, p in zip(turn, psi, strict=True)]

    def velocity(self, q: Expr) -> Expr:
        """Return D (8), constant."""
        return self.place(self.a)

    def rotation(self, q: Expr) -> Expr:
        """Return the turn from the x axis to r_ij, 2×2."""
        r = (q[2:4] - q[0:2]) / self.l
        return ca.horzcat(r, P2 @ r)

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G (11), 1×4."""
        return ca.horzcat(*self.spin_entries(ca.vertsplit(q)))

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ = J G + Ψ⁰ (14), (15), 1×4."""
        return ca.horzcat(*self.momentum_entries(ca.vertsplit(q)))

    def inertia(self, q: Expr) -> Expr:
        """Return ∫ CᵀC dm, constant."""
        a1, a2, m = self.a[0], self.a[1], self.m
        k = self.J / self.l**2 + m * (a1**2 + a2**2)
        coupling = (m * a1 - k) * E2 + m * a2 * P2
        return ca.blockcat([[(m - 2 * m * a1 + k) * E2, coupling], [coupling.T, k * E2]])

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return zero: M is constant and the places are linear."""
        return 0 * q


@dataclass(frozen=True)
class RodBody:
    """A thin rod with two points, whose turn about itself nobody feels; q = (r_i, r_j).

    Its angular velocity is along the world's axes and has no part along the rod.

    Attributes:
        l: |r_ij| [m].
        a: Mass centre, r_O = r_i + a r_ij.
        m: Mass [kg].
        J: Moment of inertia across the rod, about the mass centre [kg m²].
    """

    l: Expr | float
    a: Expr | float
    m: Expr | float
    J: Expr | float

    def velocity(self, q: Expr) -> Expr:
        """Return D, constant."""
        return ca.horzcat((1 - self.a) * E3, self.a * E3)

    def rotation(self, q: Expr) -> Expr:
        """Return the identity: the frame's axes are the world's."""
        return E3

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G of ω = r_ij × ṙ_ij / l², 3×6."""
        r = ca.skew(q[3:6] - q[0:3]) / self.l**2
        return ca.horzcat(-r, r)

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ = J G + r̃_O Φ, 3×6."""
        D = self.velocity(q)
        return self.J * self.angular_velocity(q) + ca.skew(D @ q) @ (self.m * D)

    def inertia(self, q: Expr) -> Expr:
        """Return ∫ CᵀC dm, constant."""
        a, m = self.a, self.m
        k = self.J / self.l**2 + m * a**2
        return ca.kron(ca.blockcat([[m - 2 * m * a + k, m * a - k], [m * a - k, k]]), E3)

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return zero: M is constant and the places are linear."""
        return 0 * q


@dataclass(frozen=True)
class PointMass:
    """A particle, q = r.

    Attributes:
        m: Mass [kg].
        size: Coordinates of r: 2 or 3.
    """

    m: Expr | float
    size: int

    def velocity(self, q: Expr) -> Expr:
        """Return the identity."""
        return ca.DM.eye(self.size)

    def rotation(self, q: Expr) -> Expr:
        """Return the identity: a particle does not turn."""
        return ca.DM.eye(self.size)

    def angular_velocity(self, q: Expr) -> Expr:
        """Return zero."""
        return ca.DM(1 if self.size == 2 else 3, self.size)

    def angular_momentum(self, q: Expr) -> Expr:
        """Return m r̃."""
        if self.size == 2:
            return self.m * ca.horzcat(-q[1], q[0])
        return self.m * ca.skew(q)

    def inertia(self, q: Expr) -> Expr:
        """Return m on the diagonal."""
        return self.m * ca.DM.eye(self.size)

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return zero."""
        return 0 * q
