"""What constraints leave free at a state: V, U, B and Ψ_v of independent coordinates.

    U = Φ_q(q0)ᵀ,   Φ_q(q0) V = 0,   Vᵀ V = 1
    q = Ψ(v) = q0 + V v − U h(v),    Φ(q0 + V v − U h) = 0
    B(q) = (Φ_q(q) U)⁻¹,   Ψ_v = (1 − U B Φ_q) V,   (Ψ_v v̂̇)_v v̇ = U B γ

Φ are the rows of positions and, where Euler parameters are coordinates and their norms are not
among these, ½(pᵀp − 1). Rows that repeat others at q0 are left out.

References:
    Haug (2021), Computer-Aided Kinematics and Dynamics of Mechanical Systems, ch. 4.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.constraints.projecting import projection
from bellcrank.errors import NotSupported, OptionError
from bellcrank.linear import rank

if TYPE_CHECKING:
    from bellcrank.machine.system import System

Array = np.ndarray
ITERATIONS, CLOSED = 20, 1e-13


class MachineConstraints:
    """The constraints of a compiled machine as matrices, and its projection onto them.

    Attributes:
        system: The machine.
        names: Names of the rows of positions, norms of Euler parameters last.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> machine = bc.compile(examples.load("four-bar"))
        >>> q, u = machine.pack({"A": 0.2})
        >>> machine.constraints.at(q).V.shape
        (3, 1)
    """

    def __init__(self, system: "System") -> None:
        self.system = system
        e = system.equations
        held = [row.name for row in e.rows if row.level == "position"]
        self._count = len(held)
        has_norms = any(row.kind == "norm" for row in e.rows)
        self._norms = [] if has_norms else [
            i for i, variable in enumerate(e.coordinates) if _scalar_part(variable.name)
        ]  # fmt: skip
        owners = [f"{e.coordinates[i].owner}: norm" for i in self._norms]
        self.names = (*held, *owners)

    def _arguments(self, q: Any, u: Any, t: float, parameters: Any) -> list[Array]:
        n = len(self.system.speeds)
        u = np.zeros(n) if u is None else u
        inputs = dict.fromkeys(self.system.inputs, 0.0)
        return self.system._arguments(q, u, t, parameters, inputs)

    def residual(self, q: Any, t: float = 0.0, parameters: Any = None) -> Array:
        """Return Φ(t, q), shape (m,)."""
        given = self._arguments(q, None, t, parameters)
        held = self.system.ask("position", given, level=0)[0] if self._count else np.zeros(0)
        norms = [0.5 * (self._parameters(given[1], i) @ self._parameters(given[1], i) - 1.0)
                 for i in self._norms]  # fmt: skip
        return np.concatenate([held, norms])

    def matrix(self, q: Any, t: float = 0.0, parameters: Any = None) -> Array:
        """Return Φ_q(t, q), shape (m, nq): C W⁺, and pᵀ of the norms."""
        given = self._arguments(q, None, t, parameters)
        found = np.zeros((len(self.names), len(self.system.coordinates)))
        if self._count:
            W = self.system.ask("kinematics", given, level=0)[0]
            C = self.system.ask("velocity", given, level=0)[0][: self._count]
            found[: self._count] = C @ np.linalg.pinv(W)
        for row, i in enumerate(self._norms, self._count):
            found[row, i : i + 4] = self._parameters(given[1], i)
        return found

    def right_side(self, q: Any, u: Any, t: float = 0.0, parameters: Any = None) -> Array:
        """Return γ of Φ_q q̈ = γ, shape (m,): that of C u̇ = γ, and what q̈ has besides W u̇.

        Raises:
            NotSupported: q̇ depends on time by itself.
        """
        given = self._arguments(q, u, t, parameters)
        W, x = self.system.ask("kinematics", given, level=0)
        if np.any(x):
            raise NotSupported("right_side: q̇ = W u + x with x ≠ 0 is not differentiated.")
        bent = self.system.ask("kinematics_jacobian", given, level=0)[0] @ given[2]
        rate, found = W @ given[2], np.zeros(len(self.names))
        if self._count:
            gamma = self.system.ask("acceleration", given, level=0)[0][: self._count]
            found[: self._count] = gamma + self.matrix(q, t, parameters)[: self._count] @ bent
        for row, i in enumerate(self._norms, self._count):
            found[row] = -rate[i : i + 4] @ rate[i : i + 4]
        return found

    def project(
        self, q: Any, u: Any = None, t: float = 0.0, parameters: Any = None
    ) -> tuple[Array, Array]:
        """Return q and u brought onto the constraints, as every step of a run is."""
        given = self._arguments(q, u, t, parameters)
        found = projection(self.system, given[5])
        if found is None:
            return given[1], given[2]
        return found.points(t, *given[1:])

    def at(self, q: Any, t: float = 0.0, parameters: Any = None) -> "TangentSpace":
        """Return the independent directions at coordinates that keep the constraints.

        Raises:
            OptionError: They do not.
        """
        phi, Phi_q = self.residual(q, t, parameters), self.matrix(q, t, parameters)
        open_by = np.abs(phi).max(initial=0.0)
        if open_by > 1e-6:
            worst = self.names[int(np.argmax(np.abs(phi)))]
            raise OptionError(
                f"constraints of '{self.system.equations.name}': q is off them by "
                f"{open_by:.3g} ({worst}); system.pack and project close it."
            )
        return TangentSpace(self, np.array(q, dtype=float), t, parameters, Phi_q)

    @staticmethod
    def _parameters(q: Array, i: int) -> Array:
        return q[..., i : i + 4]


class TangentSpace:
    """Independent coordinates v at a base point: q = Ψ(v) = q0 + V v − U h(v).

    Attributes:
        q0: The base point, nq.
        rows: Names of the rows that are kept.
        V: Orthonormal directions that constraints leave free, nq×nv.
        U: Φ_q(q0)ᵀ, nq×m.
    """

    def __init__(
        self, rows: MachineConstraints, q0: Array, t: float, parameters: Any, Phi_q: Array
    ) -> None:
        self._of, self.q0, self._t, self._p = rows, q0, t, parameters
        self._kept = sorted(rank.independent(Phi_q)) if Phi_q.size else []
        self.rows = tuple(rows.names[i] for i in self._kept)
        self.U = Phi_q[self._kept].T
        size = len(self._kept)
        turned = np.linalg.qr(self.U, mode="complete")[0] if size else np.eye(len(q0))
        self.V = turned[:, size:]

    def _matrix(self, q: Any) -> Array:
        return self._of.matrix(q, self._t, self._p)[self._kept]

    def B(self, q: Any) -> Array:
        """Return (Φ_q(q) U)⁻¹, m×m."""
        return np.linalg.inv(self._matrix(q) @ self.U)

    def Psi(self, v: Any) -> Array:
        """Return q = Ψ(v), by Newton's method h ← h + B Φ.

        Raises:
            OptionError: It does not close there: v is too far from the base point.
        """
        q = self.q0 + self.V @ np.asarray(v, dtype=float)
        for _ in range(ITERATIONS):
            phi = self._of.residual(q, self._t, self._p)[self._kept]
            if np.abs(phi).max(initial=0.0) < CLOSED:
                return q
            q = q - self.U @ (self.B(q) @ phi)
        raise OptionError(
            f"Psi: the constraints do not close at v of length {np.linalg.norm(v):.3g}."
        )

    def Psi_v(self, q: Any) -> Array:
        """Return Ψ_v = (1 − U B Φ_q) V at q, nq×nv: q̇ = Ψ_v v̇ where nothing is prescribed."""
        return self.V - self.U @ (self.B(q) @ (self._matrix(q) @ self.V))

    def bending(self, q: Any, u: Any) -> Array:
        """Return (Ψ_v v̂̇)_v v̇ = U B γ, what q̈ has besides Ψ_v v̈, nq."""
        gamma = self._of.right_side(q, u, self._t, self._p)[self._kept]
        return self.U @ (self.B(q) @ gamma)


def _scalar_part(name: str) -> bool:
    """Return whether a coordinate is the first of four Euler parameters."""
    return name.endswith(("orientation_0", "epsilon_1"))
