"""The matrices of fully Cartesian coordinates by name, to read and to evaluate."""

from collections.abc import Callable

import casadi as ca

from bellcrank.formulations.points.assembled import AssembledBodies, AssembledBody
from bellcrank.formulations.quantities import PerBody, Quantity
from bellcrank.formulations.symbols import Symbols
from bellcrank.model import Model
from bellcrank.spatial.vectors import Expr


class Matrices:
    """Each method is a quantity of the equations; names with `body` give one per body."""

    def __init__(
        self, assembled: AssembledBodies, symbols: Symbols, model: Model, rigid: ca.SX, q: ca.SX
    ) -> None:
        self._bodies, self._total = assembled.bodies, assembled.total
        self._rigid, self._q = rigid, q
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

    def body_frame(self) -> PerBody:
        """R of each body: from the axes of its points and vectors to the world (26)."""
        return self._per_body("body_frame", lambda b: b.R)

    def generalized_inertia(self) -> Quantity:
        """M of the machine: T = ½ q̇ᵀ M q̇."""
        return self._quantity("generalized_inertia", self._total("M"))

    def body_inertia(self) -> PerBody:
        """M of each body."""
        return self._per_body("body_inertia", lambda b: b.M)
