"""Bodies in space that two or three directions describe, in fully Cartesian coordinates.

    spatial    q = (r_i, r_j, u)           r = r_i + c₁ r_ij + c₂ u + c₃ r_ij×u/(α l)
    spanned    q = (r_i, r_j, u, v)        r = r_i + c₁ r_ij + c₂ u + c₃ v,  linear

What each method gives, and the literature, is said in `bodies`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import casadi as ca

from bellcrank.spatial.arithmetic import function
from bellcrank.spatial.vectors import Expr

E3 = ca.DM.eye(3)


class VectorAlgebra(NamedTuple):
    """What blocks are made with: of CasADi’s matrices, or of letters."""

    eye: Any
    skew: Callable[[Any], Any]
    cross: Callable[[Any, Any], Any]


SYMBOLIC = VectorAlgebra(E3, ca.skew, ca.cross)


@dataclass(frozen=True)
class SpatialBody:
    """A body in space with a point pair and a vector, q = (r_i, r_j, u).

    Attributes:
        l: |r_ij| [m]. mu: |u| [m].
        beta: Cosine of the angle between r_ij and u, not ±1.
        a: Mass centre, r_O = r_i + a₁ r_ij + a₂ u + a₃ v with v = r_ij×u/(α l), shape (3,).
        m: Mass [kg].
        J: Inertia about the mass centre along the frame [kg m²], 3×3.
    """

    l: Expr | float
    mu: Expr | float
    beta: Expr | float
    a: Expr
    m: Expr | float
    J: Expr

    @property
    def alpha(self) -> Expr:
        """Sine of the angle between r_ij and u."""
        return function("sqrt", 1 - self.beta**2)

    def place(self, c: Expr, q: Expr) -> Expr:
        """Return C of r = C q for a point with r − r_i = c₁ r_ij + c₂ u + c₃ v (30)."""
        return ca.horzcat(*self.place_blocks(c, q[6:9], SYMBOLIC))

    def place_blocks(self, c: Any, u: Any, algebra: "VectorAlgebra") -> list[Any]:
        """Return the blocks of C of r_i, r_j and u (30)."""
        E = algebra.eye
        U = c[2] / (self.alpha * self.l) * algebra.skew(u)
        return [(1 - c[0]) * E + U, c[0] * E - U, c[1] * E]

    def length_rows(self) -> list[list[Any]]:
        """Return the rows of L, for which ρ − ρ_i = L c (27)."""
        mu = self.mu
        return [[self.l, mu * self.beta, 0.0], [0.0, mu * self.alpha, 0.0], [0.0, 0.0, mu]]

    def velocity(self, q: Expr) -> Expr:
        """Return Φ/m (33), 3×9."""
        r, u = q[3:6] - q[0:3], q[6:9]
        return ca.horzcat(*self.velocity_blocks(r, u, SYMBOLIC))

    def velocity_blocks(self, r: Any, u: Any, algebra: "VectorAlgebra") -> list[Any]:
        """Return the blocks of Φ/m of r_i, r_j and u (33)."""
        k = self.a[2] / (self.alpha * self.l)
        a1, a2, E, skewed = self.a[0], self.a[1], algebra.eye, algebra.skew
        U = k * skewed(u)
        return [(1 - a1) * E + U, a1 * E - U, a2 * E + k * skewed(r)]

    def rotation(self, q: Expr) -> Expr:
        """Return R = [e₁ e₂ e₃] (26)."""
        return ca.horzcat(*self.axes(q[3:6] - q[0:3], q[6:9], SYMBOLIC))

    def axes(self, r: Any, u: Any, algebra: "VectorAlgebra") -> list[Any]:
        """Return e₁, e₂, e₃ (26)."""
        size = self.alpha * self.l * self.mu
        e2 = (self.l * u - self.mu * self.beta * r) / size
        return [r / self.l, e2, algebra.cross(r, u) / size]

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G (35), 3×9."""
        r, u = q[3:6] - q[0:3], q[6:9]
        return self._pattern(r, u, ca.cross(u, r))

    def _pattern(self, r: Expr, u: Expr, w: Expr) -> Expr:
        """Return G for given r_ij, u and w = u × r_ij, in which it is linear."""
        return ca.blockcat(self.spin_blocks(r, u, w, ca.DM(1, 3)))

    def spin_blocks(self, r: Any, u: Any, w: Any, zero: Any) -> list[list[Any]]:
        """Return the rows of G, blocks of r_i, r_j and u (35)."""
        l, mu, beta, alpha = self.l, self.mu, self.beta, self.alpha
        one, last = beta * w.T / (alpha**2 * l**2 * mu), -w.T / (alpha**2 * l * mu**2)
        two, three = w.T / (alpha * l**2 * mu), (l * u - mu * beta * r).T / (alpha * l**2 * mu)
        return [[-one, one, last], [-two, two, zero], [-three, three, zero]]

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ = R J G + r̃_O Φ (39), 3×9."""
        r_O = self.place(self.a, q) @ q
        H_O = self.rotation(q) @ self.J @ self.angular_velocity(q)
        return H_O + ca.skew(r_O) @ (self.m * self.velocity(q))

    def inertia(self, q: Expr) -> Expr:
        """Return ΦᵀΦ/m + Gᵀ J G."""
        V, G = self.velocity(q), self.angular_velocity(q)
        return self.m * V.T @ V + G.T @ self.J @ G

    def rates(self, q: Expr, qd: Expr) -> tuple[Expr, Expr]:
        """Return V̇ q̇ and Ġ q̇."""
        r, u = q[3:6] - q[0:3], q[6:9]
        rd, ud = qd[3:6] - qd[0:3], qd[6:9]
        G_rate = self._pattern(rd, ud, ca.cross(ud, r) + ca.cross(u, rd))
        return 2 * self.a[2] / (self.alpha * self.l) * ca.cross(rd, ud), G_rate @ qd

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return Φᵀ Φ̇q̇/m + Gᵀ (J Ġq̇ + ω′ × J ω′)."""
        V, G = self.velocity(q), self.angular_velocity(q)
        along, turn = self.rates(q, qd)
        w = G @ qd
        return self.m * V.T @ along + G.T @ (self.J @ turn + ca.cross(w, self.J @ w))


@dataclass(frozen=True)
class SpannedBody:
    """A body in space that its directions span, q = (r_i, r_j, u, v).

    Attributes:
        K: [r_ij u v]⁻¹ [e₁ e₂ e₃] as drawn [1/m], 3×3; e_k = K₁ₖ r_ij + K₂ₖ u + K₃ₖ v.
        a: Mass centre, r_O = r_i + a₁ r_ij + a₂ u + a₃ v, shape (3,).
        m: Mass [kg].
        J: Inertia about the mass centre along the frame [kg m²], 3×3.
    """

    K: Expr
    a: Expr
    m: Expr | float
    J: Expr

    def place(self, c: Expr) -> Expr:
        """Return C of r = C q for a point with r − r_i = c₁ r_ij + c₂ u + c₃ v, constant."""
        return ca.horzcat((1 - c[0]) * E3, *(c[k] * E3 for k in range(3)))

    def velocity(self, q: Expr) -> Expr:
        """Return D, constant."""
        return self.place(self.a)

    def rotation(self, q: Expr) -> Expr:
        """Return R = [r_ij u v] K."""
        return ca.horzcat(q[3:6] - q[0:3], q[6:9], q[9:12]) @ self.K

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G of ω′ = (ė₂·e₃, ė₃·e₁, ė₁·e₂), 3×12."""
        R, K = self.rotation(q), self.K
        rows = []
        for k in range(3):
            turned, along = (k + 1) % 3, R[:, (k + 2) % 3].T
            first, *others = (K[j, turned] * along for j in range(3))
            rows.append(ca.horzcat(-first, first, *others))
        return ca.vertcat(*rows)

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ = R J G + r̃_O Φ, 3×12."""
        D = self.velocity(q)
        spin = self.rotation(q) @ self.J @ self.angular_velocity(q)
        return spin + ca.skew(D @ q) @ (self.m * D)

    def inertia(self, q: Expr) -> Expr:
        """Return ∫ CᵀC dm, constant.

        The second moments of mass along the frame are ½ tr(J) − J; K takes them to c.
        """
        spread = self.K @ (ca.trace(self.J) / 2 * E3 - self.J) @ self.K.T
        c = ca.vertcat(self.a[0], self.a[1], self.a[2])
        second = spread + self.m * c @ c.T
        P = ca.blockcat([[self.m, self.m * c.T], [self.m * c, second]])
        T = ca.DM([[1, 0, 0, 0], [-1, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
        return ca.kron(T.T @ P @ T, E3)

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return zero: M is constant and the places are linear."""
        return 0 * q


@dataclass(frozen=True)
class FlatBody:
    """A body of `SpatialBody` without extension across r_ij and u: a thin rod, a plate.

    Its places are linear where its mass is, so that its inertia is constant.

    Attributes:
        spatial: The same body with its product direction, a₃ = 0.
    """

    spatial: SpatialBody

    @property
    def m(self) -> Expr | float:
        """Mass [kg]."""
        return self.spatial.m

    def velocity(self, q: Expr) -> Expr:
        """Return D, constant."""
        a = self.spatial.a
        return ca.horzcat((1 - a[0]) * E3, a[0] * E3, a[1] * E3)

    def rotation(self, q: Expr) -> Expr:
        """Return R = [e₁ e₂ e₃] (26)."""
        return self.spatial.rotation(q)

    def angular_velocity(self, q: Expr) -> Expr:
        """Return G (35), 3×9."""
        return self.spatial.angular_velocity(q)

    def angular_momentum(self, q: Expr) -> Expr:
        """Return Ψ = R J G + r̃_O Φ (39), 3×9."""
        return self.spatial.angular_momentum(q)

    def inertia(self, q: Expr) -> Expr:
        """Return ∫ CᵀC dm, constant."""
        body = self.spatial
        L = ca.blockcat([[body.l, body.mu * body.beta], [0, body.mu * body.alpha]])
        spread = (ca.trace(body.J) / 2 * E3 - body.J)[:2, :2]
        across = ca.solve(ca.SX(L), ca.solve(ca.SX(L), ca.SX(spread)).T)
        c = ca.vertcat(body.a[0], body.a[1])
        P = ca.blockcat([[body.m, body.m * c.T], [body.m * c, across + body.m * c @ c.T]])
        T = ca.DM([[1, 0, 0], [-1, 1, 0], [0, 0, 1]])
        return ca.kron(T.T @ P @ T, E3)

    def bias(self, q: Expr, qd: Expr) -> Expr:
        """Return zero: M is constant and the places of mass are linear."""
        return 0 * q
