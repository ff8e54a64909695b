"""Kane's matrices by name: `equations.partial_velocity["body 3"]` and all the others."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca

from bellcrank.formulations.contract.quantities import OfAccelerations, PerBody, Quantity
from bellcrank.formulations.contract.symbols import Symbols, dense
from bellcrank.formulations.kane.matrices.accelerations import body_components, fixed_components
from bellcrank.formulations.kane.matrices.blocks import column_of
from bellcrank.formulations.kane.matrices.elimination import Eliminator
from bellcrank.formulations.kane.matrices.names import PER_BODY
from bellcrank.formulations.kane.matrices.partials import Partials

if TYPE_CHECKING:
    from bellcrank.formulations.kane.slots import KaneSlots


class KaneQuantities:
    """Builds the named matrices of a machine.

    Attributes:
        slots: Its equations.
    """

    def __init__(self, slots: "KaneSlots") -> None:
        self.slots, self.school = slots, slots.school
        self._parameters = {p.name: p.value for p in self.school.model.parameters}

    @cached_property
    def partials(self) -> Partials:
        """Partial velocities of all bodies."""
        return Partials(self.school)

    def get(self, name: str) -> Any:
        """Return the quantity of a name of `NAMES`."""
        if name in PER_BODY:
            make = self._makers[name]
            bodies = self.school.connection.bodies
            entries = {
                self.school.connection.name(k): self._quantity(
                    f"{name} of '{self.school.connection.name(k)}'", make(k)
                )
                for k in bodies
            }
            return PerBody(name, entries)
        found = getattr(self, f"_{name}")()
        return self._quantity(name, found) if isinstance(found, ca.SX) else found

    def _quantity(self, name: str, value: ca.SX, symbols: Symbols | None = None) -> Quantity:
        return Quantity(name, value, symbols or self.school.symbols, self._parameters)

    @cached_property
    def _makers(self) -> dict[str, Callable[[int], ca.SX]]:
        partials, motion = self.partials, self.school.still.motion
        centre = motion.geometry.r
        return {
            "rotation_matrix": partials.rotation,
            "positions": lambda k: column_of(motion.point(k, centre[k]).position),
            "velocities": lambda k: column_of(motion.point(k, centre[k]).velocity),
            "angular_velocities": lambda k: column_of(motion.spins[k]),
            "partial_angular_velocity": partials.angular,
            "partial_angular_velocity_rate": partials.angular_rate,
            "angular_velocity_remainder": partials.angular_remainder,
            "partial_velocity": partials.velocity,
            "partial_velocity_rate": partials.velocity_rate,
            "velocity_remainder": partials.velocity_remainder,
            "partial_angular_velocity_qdot": partials.angular_by_rates,
            "partial_velocity_qdot": partials.velocity_by_rates,
            "partial_angular_velocity_fixed": lambda k: self._turn(k) @ partials.angular(k),
            "applied_force": lambda k: self._applied(k)[0],
            "applied_moment": lambda k: self._turn(k).T @ self._applied(k)[1],
            "orientation_matrix": self._orientation,
            "orientation_matrix_fixed": self._orientation_fixed,
            "orientation_matrix_fixed_rate": lambda k: self._rated(self._orientation_fixed(k)),
            "relative_rotation_matrix": self._relative_rotation,
        }

    def _turn(self, k: int) -> ca.SX:
        """Return [R_K]ᵀ."""
        return self.partials.rotation(k).T

    def _applied(self, k: int) -> tuple[ca.SX, ca.SX]:
        """Return the force on a body and the torque about its mass centre, inertial."""
        force, torque = self.school.balance.applied[self.school.connection.name(k)]
        return column_of(force), column_of(torque)

    def _orientation(self, k: int) -> ca.SX:
        """Return [E′_K] of ω′ = 2 E′ ε̇, or [Y_K] of ω′ = Y θ̇."""
        rows = dense(self.school.attitudes.spin_block(k))
        return rows if self.school.attitudes.angles is not None else rows / 2

    def _orientation_fixed(self, k: int) -> ca.SX:
        """Return [E_K], or [Γ_K] of ω̂ = Γ θ̇, along the frame that K is counted from."""
        attitudes = self.school.attitudes
        low = self.school.connection.lower[k - 1] if attitudes.relative else 0
        return dense(attitudes.between(low, k)) @ self._orientation(k)

    def _rated(self, value: ca.SX) -> ca.SX:
        """Return the rate of a matrix along the motion."""
        return ca.reshape(self.school.along(ca.vec(ca.densify(value))), *value.shape)

    def _relative_rotation(self, k: int) -> ca.SX:
        """Return [R_K][R_L]ᵀ, from the lower body to K."""
        low = self.school.connection.lower[k - 1]
        return dense(self.school.attitudes.between(k, low))

    # --- the machine as a whole

    def _numbering(self) -> Any:
        return self.school.connection

    def _lower_bodies(self) -> tuple[int, ...]:
        return self.school.connection.lower

    def _lower_body_counts(self) -> tuple[int, ...]:
        return self.school.model.graph.depth

    def _mass_matrix(self) -> ca.SX:
        return self.school.A

    def _right_side(self) -> ca.SX:
        return ca.densify(self.school.f)

    def _element_force(self) -> Any:
        return self.slots.common.named_forces("element_force")

    def _constraint_force(self) -> Any:
        return self.slots.common.named_forces("constraint_force")

    _force = _right_side  # the name that all formulations have

    def _kinematical_equations(self) -> ca.SX:
        u = self.school.symbols.columns["u"]
        return ca.densify(self.school.W @ u + self.school.x)

    def _kinematics_matrix(self) -> ca.SX:
        return self.school.W

    def _kinematics_remainder(self) -> ca.SX:
        return ca.densify(self.school.x)

    def _speeds_matrix(self) -> ca.SX:
        return self.partials.speeds_of_rates[0]

    def _speeds_remainder(self) -> ca.SX:
        return ca.densify(self.partials.speeds_of_rates[1])

    # --- constraints

    def _asked(self, slot: str) -> list[ca.SX]:
        given = list(self.school.symbols.columns.values())
        return self.slots.slot(slot).call(given, True, False)

    def _constraint_matrix(self) -> ca.SX:
        return self._asked("velocity")[0] if self.school.rows else self._no_rows()

    def _constraint_remainder(self) -> ca.SX:
        return -self._asked("velocity")[1] if self.school.rows else ca.SX(0, 1)

    def _constraint_acceleration(self) -> ca.SX:
        """Return γ of b u̇ = γ."""
        return self._asked("acceleration")[0] if self.school.rows else ca.SX(0, 1)

    def _no_rows(self) -> ca.SX:
        return ca.SX(0, self.school.symbols.columns["u"].numel())

    def _in_rates(self) -> tuple[ca.SX, ca.SX]:
        """Return a = Φ_q and a0 = Φ_t; of rows without Φ, a = b Y and a0 = b0 + b z."""
        columns = self.school.symbols.columns
        held = sum(row.level == "position" for row in self.school.rows)
        b, b0 = self._constraint_matrix(), self._constraint_remainder()
        Y, z = self.partials.speeds_of_rates
        a, a0 = b[held:, :] @ Y, b0[held:] + b[held:, :] @ z
        if held:
            phi = self._asked("position")[0]
            a = ca.vertcat(ca.jacobian(phi, columns["q"]), a)
            a0 = ca.vertcat(ca.jacobian(phi, columns["t"]), a0)
        return a, ca.densify(a0)

    def _constraint_matrix_qdot(self) -> ca.SX:
        return self._in_rates()[0]

    def _constraint_remainder_qdot(self) -> ca.SX:
        return self._in_rates()[1]

    def _elimination(self) -> Eliminator:
        return Eliminator(self.slots, self.get)

    # --- angular accelerations, functions of u̇ too

    def _accelerated(self, name: str, make: Callable[..., list[ca.SX]]) -> PerBody:
        columns = dict(self.school.symbols.columns)
        a = ca.SX.sym("udot", columns["u"].numel())
        symbols = Symbols(columns | {"s": a})
        values = make(self.school, a)
        entries = {
            body: OfAccelerations(self._quantity(f"{name} of '{body}'", value, symbols))
            for body, value in zip(self.school.connection.names, values, strict=True)
        }
        return PerBody(name, entries)  # type: ignore[arg-type]

    def _angular_acceleration_body(self) -> PerBody:
        return self._accelerated("angular_acceleration_body", body_components)

    def _angular_acceleration_fixed(self) -> PerBody:
        return self._accelerated("angular_acceleration_fixed", fixed_components)
