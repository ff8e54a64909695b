"""The matrices of fully Cartesian coordinates by name, to read and to evaluate."""

from collections.abc import Callable

import casadi as ca

from bellcrank.formulations.contract.quantities import PerBody, Quantity
from bellcrank.formulations.contract.symbols import Symbols
from bellcrank.formulations.points.assembled import (
    AssembledBodies,
    AssembledBody,
    length_matrix,
)
from bellcrank.model import Model
from bellcrank.spatial.vectors import Expr


class Matrices:
    """Each method is a quantity of the equations; names with `body` give one per body."""

    def __init__(
        self, assembled: AssembledBodies, symbols: Symbols, model: Model, rigid: ca.SX, q: ca.SX
    ) -> None:
        self._bodies, self._total = assembled.bodies, assembled.total
        self._rigid, self._q, self._assembled, self._model = rigid, q, assembled, model
        self._symbols = symbols
        self._parameters = {parameter.name: parameter.value for parameter in model.parameters}

    def _quantity(self, name: str, value: Expr) -> Quantity:
        return Quantity(name, ca.sparsify(ca.SX(value)), self._symbols, self._parameters)

    def _per_body(self, name: str, of: Callable[[AssembledBody], Expr]) -> PerBody:
        entries = {
            placed.name: self._quantity(f"{name} of '{placed.name}'", of(placed))
            for placed in self._bodies
        }
        return PerBody(name, entries)

    def momentum_matrix(self) -> Quantity:
        """Φ of the machine: linear momentum Q = Φ q̇."""
        return self._quantity("momentum_matrix", self._total("Phi"))

    def body_momentum_matrix(self) -> PerBody:
        """Φ of each body."""
        return self._per_body("body_momentum_matrix", lambda b: b.Phi)

    def angular_momentum_matrix(self) -> Quantity:
        """Ψ of the machine: angular momentum about the origin H = Ψ q̇."""
        return self._quantity("angular_momentum_matrix", self._total("Psi"))

    def body_angular_momentum_matrix(self) -> PerBody:
        """Ψ of each body."""
        return self._per_body("body_angular_momentum_matrix", lambda b: b.Psi)

    def angular_velocity_matrix(self) -> Quantity:
        """G of all bodies, one below the other."""
        parts = [placed.to_body @ placed.G for placed in self._bodies]
        return self._quantity("angular_velocity_matrix", ca.vertcat(*parts))

    def body_angular_velocity_matrix(self) -> PerBody:
        """G of each body: ω′ = G q̇ along the axes of the body's own frame."""
        return self._per_body("body_angular_velocity_matrix", lambda b: b.to_body @ b.G)

    def first_order_matrix(self) -> Quantity:
        """A of A q̇ = B of the open chain (23), (53): Ψ, Φ, then the rates of rigid bodies."""
        rows = ca.jacobian(self._rigid, self._q) if self._rigid.numel() else ca.SX(0, 0)
        parts = [self._total("Psi"), self._total("Phi")]
        parts += [rows] if rows.numel() else []
        return self._quantity("first_order_matrix", ca.vertcat(*parts))

    def mass_centre_matrix(self) -> PerBody:
        """D of each body: the velocity of its mass centre is D q̇ (8), (31)."""
        return self._per_body("mass_centre_matrix", lambda b: b.V)

    def partial_velocity(self) -> PerBody:
        """D of each body, under the name that all formulations have."""
        return self._per_body("partial_velocity", lambda b: b.V)

    def partial_angular_velocity(self) -> PerBody:
        """G of each body, along its own frame."""
        return self._per_body("partial_angular_velocity", lambda b: b.to_body @ b.G)

    def place_matrix(self) -> PerBody:
        """C of each named point: r = C q, and `place_remainder` of what ground holds (7)."""
        return self._per_point("place_matrix", 0)

    def place_remainder(self) -> PerBody:
        """What points on the ground add to r = C q."""
        return self._per_point("place_remainder", 1)

    def _per_point(self, name: str, part: int) -> PerBody:
        entries = {
            point.name: self._quantity(
                f"{name} of '{point.name}'", self._assembled.place(point.body, point.at)[part]
            )
            for point in self._model.points
            if point.body != "ground"
        }
        return PerBody(name, entries)

    def length_matrix(self) -> PerBody:
        """L of each body: ρ − ρ_i = L c (4), (27)."""
        return self._per_body("length_matrix", lambda b: length_matrix(b.body))

    def _open_right_side(self, Psi: Expr, Phi: Expr, rates: ca.SX) -> Quantity:
        """Return B of the open chain: momenta of given rates, then zeros."""
        momenta = ca.vertcat(Psi @ rates, Phi @ rates, ca.SX.zeros(self._rigid.numel()))
        return self._quantity("first_order_right_side", momenta)

    def of_momenta(self, kept: ca.SX) -> Quantity:
        """Return B of the open chain for momenta (Q, H): H, Q, then zeros."""
        linear = self._total("Phi").shape[0]
        momenta = ca.vertcat(kept[linear:], kept[:linear], ca.SX.zeros(self._rigid.numel()))
        return self._quantity("first_order_right_side", momenta)

    def body_frame(self) -> PerBody:
        """R of each body: from the axes of its points and vectors to the world (26)."""
        return self._per_body("body_frame", lambda b: b.R)

    def generalized_inertia(self) -> Quantity:
        """M of the machine: T = ½ q̇ᵀ M q̇."""
        return self._quantity("generalized_inertia", self._total("M"))

    def body_inertia(self) -> PerBody:
        """M of each body."""
        return self._per_body("body_inertia", lambda b: b.M)
