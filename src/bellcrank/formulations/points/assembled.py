"""The bodies of a machine in its coordinates: Φ = Σ Φ_b S_b, Ψ = Σ Ψ_b S_b, M = Σ S_bᵀ M_b S_b.

S_b takes the coordinates q of the machine to those of a body, q_b = S_b q + s_b; s_b is what
the ground holds.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.contract.symbols import column, dense
from bellcrank.formulations.points.basics import PointFrame
from bellcrank.formulations.points.bodies import (
    AbstractBody,
    PlanarBody,
    PointMass,
    RodBody,
    momentum,
)
from bellcrank.formulations.points.moments import is_flat
from bellcrank.formulations.points.scene import PointScene, Spanned
from bellcrank.formulations.points.spatial_bodies import FlatBody, SpannedBody, SpatialBody
from bellcrank.model import Body, Particle, mass_properties
from bellcrank.spatial.arithmetic import (
    Matrix,
    Scalar,
    Vector,
    apply,
    minus,
    product,
    trace,
    transpose,
)
from bellcrank.spatial.vectors import Expr

ROUNDING = 4e-15  # of moments of a body, and of places: what is no more is nothing


@dataclass(frozen=True)
class AssembledBody:
    """A body in the coordinates of the machine.

    Attributes:
        name: Which.
        body: Its matrices.
        S: From the machine's coordinates to the body's.
        q: The body's coordinates.
        qd: Their rates.
        to_body: From the frame's axes to those of the body's own frame, 3×3 (1×1 in the plane).
    """

    name: str
    body: AbstractBody
    S: ca.DM
    q: ca.SX
    qd: ca.SX
    to_body: ca.SX

    @cached_property
    def V(self) -> Expr:
        """ṙ_O = V q̇."""
        return self.body.velocity(self.q) @ self.S

    @cached_property
    def G(self) -> Expr:
        """ω′ = G q̇, along the frame's axes."""
        return self.body.angular_velocity(self.q) @ self.S

    @property
    def R(self) -> Expr:
        """Frame to world."""
        return self.body.rotation(self.q)

    @cached_property
    def Phi(self) -> Expr:
        """Linear momentum Q = Φ q̇."""
        return momentum(self.body, self.q) @ self.S

    @cached_property
    def Psi(self) -> Expr:
        """Angular momentum about the origin H = Ψ q̇."""
        return self.body.angular_momentum(self.q) @ self.S

    @cached_property
    def M(self) -> Expr:
        """Generalized inertia."""
        return self.S.T @ self.body.inertia(self.q) @ self.S

    @cached_property
    def bias(self) -> Expr:
        """What M q̈ lacks of the inertia forces."""
        return self.S.T @ self.body.bias(self.q, self.qd)


class AssembledBodies:
    """All bodies of a machine.

    Attributes:
        bodies: In the order of the model.
    """

    def __init__(self, scene: PointScene, q: ca.SX, qd: ca.SX) -> None:
        self._scene, self._plan, self._q, self._qd = scene, scene.plan, q, qd
        self.bodies = [self._placed(body) for body in scene.model.bodies]

    def total(self, name: str) -> ca.SX:
        """Return the sum of a matrix over all bodies: `Phi`, `Psi` or `M`."""
        first, *others = (getattr(placed, name) for placed in self.bodies)
        return ca.sparsify(ca.SX(sum(others, first)))

    def _placed(self, body: Body | Particle) -> AssembledBody:
        frame = self._plan.frames[body.name]
        S, s = self._selection(frame)
        spanned = self._scene.spanned[body.name]
        q_b, qd_b = S @ self._q + s, S @ self._qd
        matrices = self._matrices(body, frame, spanned)
        return AssembledBody(
            body.name, matrices, S, q_b, qd_b, self._to_body(body, frame, spanned)
        )

    def place(self, body: str, at: Sequence[Any]) -> tuple[ca.SX, ca.SX]:
        """Return C and c of r = C q + c, the place of a point of a body (5), (28).

        c is what points on the ground add, which are not among the coordinates.

        Args:
            body: Its name.
            at: The point in the drawing [m].
        """
        frame, spanned = self._plan.frames[body], self._scene.spanned[body]
        placed = next(one for one in self.bodies if one.name == body)
        S, s = self._selection(frame)
        number = self._scene.number
        C = _place_of(placed.body, spanned, [number(entry) for entry in at], placed.q)
        return C @ S, ca.densify(C @ s)

    def _to_body(self, body: Body | Particle, frame: PointFrame, spanned: Spanned) -> ca.SX:
        if self._plan.planar:
            return ca.SX(1.0)
        if not frame.directions:
            return ca.SX.eye(3)
        if len(frame.directions) == 1:  # a rod's frame is the world's
            axes = zip(*body.pose.rotation, strict=True)
            number, carried = self._scene.number, self._scene.carried
            return dense([carried(body.name, [number(e) for e in axis]) for axis in axes])
        pose = [[self._scene.number(entry) for entry in row] for row in body.pose.rotation]
        return dense(product(transpose(pose), transpose(spanned.axes_drawn)))

    def _selection(self, frame: PointFrame) -> tuple[ca.DM, ca.SX]:
        """Return S and s of q_b = (r_i, r_j, u, …) = S q + s."""
        size = self._plan.size
        base = self._one(frame.base)
        parts = [base]
        for k, number in enumerate(frame.directions):
            here, vector = self._one(number), self._plan.basics[number].vector
            if k == 0:
                parts.append(_sum(here, base, 1) if vector else here)
            else:
                parts.append(here if vector else _sum(here, base, -1))
        S = ca.vertcat(*(part[0] for part in parts))
        return S, column([entry for part in parts for entry in part[1][:size]])

    def _one(self, number: int) -> tuple[ca.DM, Vector]:
        """Return the selection of a basic point or vector, and what the ground holds of it."""
        basic, size = self._plan.basics[number], self._plan.size
        S = ca.DM(size, self._q.numel())
        if basic.start < 0:
            return S, self._scene.basic(number)[0]
        S[:, basic.start : basic.start + size] = ca.DM.eye(size)
        return S, [0.0, 0.0, 0.0]

    def _matrices(
        self, body: Body | Particle, frame: PointFrame, spanned: Spanned
    ) -> AbstractBody:
        """Return the matrices of a body along its frame."""
        number, properties = self._scene.number, mass_properties(body)
        m = number(properties.mass)
        if not frame.directions:
            return PointMass(m, self._plan.size)
        com = [number(entry) for entry in properties.com]
        F = transpose(spanned.axes_drawn)
        size = sum(abs(float(x)) for x in com + list(spanned.origin) if isinstance(x, float))
        s = [_rounded(x, size) for x in apply(transpose(F), minus(com, spanned.origin))]
        J_drawn = [[number(entry) for entry in row] for row in properties.inertia]
        J = product(transpose(F), product(J_drawn, F))
        J = J if self._plan.planar else _clean(J)
        drawn = [apply(transpose(F), d) for d in spanned.drawn]
        l = drawn[0][0]
        if self._plan.planar:
            return PlanarBody(l, column([s[0] / l, s[1] / l]), m, J[2][2])
        if len(frame.directions) == 1:
            return RodBody(l, s[0] / l, m, J[1][1])
        if len(frame.directions) == 3:
            K = product(spanned.inverse, F)
            a = apply(spanned.inverse, minus(com, spanned.origin))
            return SpannedBody(dense(K), column(a), m, dense(J))
        found = _spatial(drawn, s, m, J)
        return FlatBody(found) if is_flat(body, frame, self._plan) else found


def _clean(J: Matrix) -> Matrix:
    """Return an inertia whose second moments of mass, ½ tr(J) − J, are zero where they cancel.

    What rounding leaves of them would pass for inertia of a thin rod that lies askew.
    """
    if not all(isinstance(entry, float) for row in J for entry in row):
        return J
    half: Any = 0.5 * trace(J)
    S = [[_rounded(half * (i == j) - J[i][j], half) for j in range(3)] for i in range(3)]
    if all(S[i][i] != 0.0 for i in range(3)):
        return J
    whole = trace(S)
    return [[whole * (i == j) - S[i][j] for j in range(3)] for i in range(3)]


def _rounded(x: Scalar, size: float) -> Scalar:
    """Return a number, or zero where it is no more than the rounding of others of a size."""
    return 0.0 if isinstance(x, float) and abs(x) <= ROUNDING * size else x


def _spatial(drawn: Matrix, s: Vector, m: object, J: Matrix) -> SpatialBody:
    """Return a body by its directions and its mass centre from the base, along its frame.

    a = L⁻¹ s with L = [l μβ 0; 0 μα 0; 0 0 μ] (27), (32).
    """
    l, (u1, u2, _) = drawn[0][0], drawn[1]
    mu = (u1 * u1 + u2 * u2) ** 0.5
    a2 = s[1] / u2
    a = [(s[0] - u1 * a2) / l, a2, s[2] / mu]
    return SpatialBody(l, mu, u1 / mu, column(a), m, dense(J))  # type: ignore[arg-type]


def _place_of(body: AbstractBody, spanned: Spanned, at: Vector, q: ca.SX) -> ca.SX:
    """Return C of a point in the body's own coordinates."""
    if isinstance(body, PointMass):
        return ca.SX.eye(q.numel())
    F = transpose(spanned.axes_drawn)
    s = apply(transpose(F), minus(at, spanned.origin))
    if isinstance(body, PlanarBody):
        return ca.SX(body.place(column([s[0] / body.l, s[1] / body.l])))
    if isinstance(body, RodBody):
        c = s[0] / body.l
        return ca.horzcat((1 - c) * ca.SX.eye(3), c * ca.SX.eye(3))
    if isinstance(body, SpannedBody):
        return ca.SX(body.place(column(apply(spanned.inverse, minus(at, spanned.origin)))))
    spatial = body.spatial if isinstance(body, FlatBody) else body
    assert isinstance(spatial, SpatialBody)
    c = ca.solve(length_matrix(spatial), column(s))
    return ca.SX(spatial.place(c, q))


def length_matrix(body: AbstractBody) -> ca.SX:
    """Return L of ρ − ρ_i = L c (4), (27)."""
    if isinstance(body, PointMass):
        return ca.SX(0, 0)
    if isinstance(body, PlanarBody):
        return ca.SX(body.l) * ca.SX.eye(2)
    if isinstance(body, RodBody):
        return ca.SX(body.l)
    if isinstance(body, SpannedBody):
        return ca.inv(ca.SX(body.K))
    spatial = body.spatial if isinstance(body, FlatBody) else body
    assert isinstance(spatial, SpatialBody)
    return dense(spatial.length_rows())


def _sum(a: tuple[ca.DM, Vector], b: tuple[ca.DM, Vector], sign: int) -> tuple[ca.DM, Vector]:
    values = [x + sign * y for x, y in zip(a[1], b[1], strict=True)]
    return a[0] + sign * b[0], values
