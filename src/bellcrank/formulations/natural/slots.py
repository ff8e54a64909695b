"""The slots and matrices of a machine in natural coordinates."""

from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.contract.quantities import Quantity
from bellcrank.formulations.contract.slots import BodySlots
from bellcrank.formulations.contract.symbols import column
from bellcrank.formulations.natural.school import NaturalSchool
from bellcrank.formulations.points.embedding import embedded
from bellcrank.formulations.points.matrices import Matrices
from bellcrank.model import Expression


class NaturalSlots:
    """Slots of the contract: those of body space, and `embed`."""

    def __init__(self, school: NaturalSchool) -> None:
        self.school, self.symbols = school, school.symbols
        # Coordinates are on the conditions of rigid bodies only where these rows hold, too.
        self.common = BodySlots(school, chain=("rigid", "loop"))

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self.embed() if name == "embed" else getattr(self.common, name)()

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions of the machine's signals."""
        return self.common.signals(expressions)

    def embed(self) -> ca.Function:
        """Q and u of given poses and twists of the bodies."""
        count = len(self.school.model.bodies)
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        q, u = embedded(self.school.still, pose, twist)
        outputs = {"q_out": column(q), "u_out": column(u)}
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})

    @cached_property
    def quantities(self) -> Matrices:
        """The school's matrices by name."""
        school = self.school
        values = column([value for value, _ in school.own_rows()])
        q = self.symbols.columns["q"]
        return NaturalMatrices(school.assembled, self.symbols, school.model, values, q, self)


class NaturalMatrices(Matrices):
    """The matrices of points and vectors, and those of the second-order equations."""

    def __init__(self, *given: Any) -> None:
        *others, slots = given
        super().__init__(*others)
        self._slots = slots

    def mass_matrix(self) -> Quantity:
        """M of M q̈ = f − Cᵀλ."""
        return self._quantity("mass_matrix", self._slots.school.A)

    def force(self) -> Quantity:
        """F of M q̈ = f − Cᵀλ."""
        return self._quantity("force", self._slots.school.f)

    def _row(self, name: str) -> Quantity:
        return self._quantity(name, self._slots.common.row_quantities()[name]())

    def constraint_residual(self) -> Quantity:
        """Φ."""
        return self._row("constraint_residual")

    def constraint_matrix(self) -> Quantity:
        """C of C q̇ = ν."""
        return self._row("constraint_matrix")

    def velocity_right_side(self) -> Quantity:
        """ν of C q̇ = ν."""
        return self._row("velocity_right_side")

    def acceleration_right_side(self) -> Quantity:
        """γ of C q̈ = γ."""
        return self._row("acceleration_right_side")

    def first_order_right_side(self) -> Quantity:
        """B of A q̇ = B of the open chain: H, Q of these rates, then zeros."""
        u = self._slots.symbols.columns["u"]
        return self._open_right_side(self._total("Psi"), self._total("Phi"), u)

    def element_force(self) -> Any:
        """Qᴬ of each force element, and of gravity."""
        return self._slots.common.named_forces("element_force")

    def constraint_force(self) -> Any:
        """Q^C of each element with rows, for λ of these."""
        return self._slots.common.named_forces("constraint_force")
