"""Fully Cartesian ("natural") coordinates: points and vectors that bodies share at joints.

Hinges, ball joints and the crosses of universal joints cost no equations; rigid bodies do. No
angle is a coordinate, positions are linear or quadratic in q, and the mass matrix is constant
where the points and vectors of a body span it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bellcrank.errors import OptionError
from bellcrank.formulations.contract.description import (
    CONSTRAINED,
    FREE,
    describe,
    measured_coordinates,
    memory,
    memory_slots,
    modes,
    sizes,
)
from bellcrank.formulations.contract.equations import Equations
from bellcrank.formulations.contract.rows import refuse, rows
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.points.moments import mass_kind
from bellcrank.formulations.points.places import places
from bellcrank.formulations.points.rigid import descriptions, with_natural_length
from bellcrank.model import Model

if TYPE_CHECKING:
    from bellcrank.formulations.natural.slots import NaturalSlots

QUANTITIES = (
    "momentum_matrix",
    "body_momentum_matrix",
    "angular_momentum_matrix",
    "body_angular_momentum_matrix",
    "angular_velocity_matrix",
    "body_angular_velocity_matrix",
    "generalized_inertia",
    "body_inertia",
    "first_order_matrix",
    "mass_centre_matrix",
    "body_frame",
    "mass_matrix",
    "force",
    "element_force",
    "constraint_force",
    "first_order_right_side",
    "place_matrix",
    "place_remainder",
    "length_matrix",
    "partial_velocity",
    "partial_angular_velocity",
    "constraint_residual",
    "constraint_matrix",
    "velocity_right_side",
    "acceleration_right_side",
)
"""Names of the matrices a user may read and evaluate."""


@dataclass(frozen=True)
class Natural:
    """Points and vectors shared at joints, and their rates as speeds.

    Attributes:
        constant: Whether every body in space gets a vector of its own where its joints give it
            only two directions. The mass matrix is then constant, for three coordinates and
            three conditions more per such body.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Natural(constant=True)
        Natural(constant=True)
    """

    constant: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.constant, bool):
            raise OptionError(f"Natural: constant is True or False, got {self.constant!r}.")

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model.

        Raises:
            NotSupported: A constraint that cannot be written in these coordinates.
        """
        refuse(model)
        plan, joints = places(model, self.constant), [joint.name for joint in model.joints]
        own = descriptions(model, plan)
        joined = rows(model, plan.length, plan.joints)
        constraints = tuple(with_natural_length(model, plan, row) for row in (*own, *joined))
        kept = memory(model, remembered_angles(model, joints))

        @cache
        def build() -> "NaturalSlots":
            from bellcrank.formulations.natural.school import NaturalSchool  # needs CasADi
            from bellcrank.formulations.natural.slots import NaturalSlots

            counts = sizes(model, plan.coordinates, plan.speeds, kept)
            return NaturalSlots(NaturalSchool(model, plan, constraints, modes(model), counts))

        names = {*(CONSTRAINED if constraints else FREE), "embed", *memory_slots(kept)}
        return describe(
            self,
            model,
            coordinates=plan.coordinates,
            speeds=plan.speeds,
            memory=kept,
            rows=constraints,
            slots=names,
            build=build,
            drawing=plan.drawn,
            closing=measured_coordinates(model, joints),
            mass_kind=mass_kind(model, plan),
            second_order=True,
            quantities=_quantities(build),
        )


def _quantities(build: "Callable[[], NaturalSlots]") -> dict[str, Callable[[], Any]]:
    once = cache(lambda: build().quantities)
    return {name: (lambda name=name: getattr(once(), name)()) for name in QUANTITIES}
