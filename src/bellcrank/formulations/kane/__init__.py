"""Kane's equations with body-connection arrays, for any machine.

Every body has three translations relative to its lower body and an orientation of its own, 6N
generalized speeds in all. Joints, loops, drivers and nonholonomic constraints are rows on that
unconstrained system.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

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
from bellcrank.formulations.contract.rows import nominal_length, refuse, rows
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.kane.choices import (
    AngleRates,
    Angles,
    LinearSpeeds,
    Orientation,
    Speeds,
    checked_orientation,
    checked_speeds,
)
from bellcrank.formulations.kane.connection import Connection
from bellcrank.formulations.kane.guards import guards
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.formulations.kane.matrices.names import NAMES
from bellcrank.model import Model
from bellcrank.model.spins import resisting, spinning

if TYPE_CHECKING:
    from bellcrank.formulations.kane.slots import KaneSlots

__all__ = ["AngleRates", "Angles", "Kane", "LinearSpeeds", "memory"]


@dataclass(frozen=True)
class Kane:
    """Kane's equations, in the language of body-connection arrays.

    Attributes:
        speeds: Angular velocity components, `"absolute body"` (the default), `"absolute
            fixed"`, `"relative body"` or `"relative fixed"`; `AngleRates(…)`; or any
            `LinearSpeeds(Y, z)`.
        orientation: `"Euler parameters"`, `"relative Euler parameters"` or `Angles(…)`; if not
            given, the angles whose rates are speeds, or Euler parameters.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Kane(speeds="relative body").speeds
        'relative body'
    """

    speeds: Speeds = "absolute body"
    orientation: Orientation | None = None

    def __post_init__(self) -> None:
        speeds = checked_speeds(self.speeds)
        object.__setattr__(self, "orientation", checked_orientation(self.orientation, speeds))

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model.

        Raises:
            NotSupported: A constraint that cannot be written.
            OptionError: Speeds that do not fit the machine.
        """
        refuse(model)
        idle, model = spinning(model), resisting(model)
        assert self.orientation is not None
        layout = KaneLayout(Connection(model), self.speeds, self.orientation)
        if isinstance(self.speeds, LinearSpeeds):
            from bellcrank.formulations.kane.combination import check_drawing

            check_drawing(layout, self.speeds)
        joints = tuple(joint.name for joint in model.joints)
        kept = memory(model, remembered_angles(model, joints))
        constraints = rows(model, nominal_length(model), joints)

        @cache
        def build() -> "KaneSlots":
            from bellcrank.formulations.kane.school import KaneSchool  # needs CasADi
            from bellcrank.formulations.kane.slots import KaneSlots

            counts = sizes(model, layout.coordinates, layout.rates, kept)
            return KaneSlots(KaneSchool(layout, constraints, modes(model), counts))

        names = {*(CONSTRAINED if constraints else FREE), "embed"}
        names |= {"normalize"} if layout.width == 4 else set()
        names |= memory_slots(kept)
        light = layout.connection.completions
        bodywise = not isinstance(self.speeds, LinearSpeeds)
        names |= {"bodywise"} if constraints and bodywise else set()
        names |= {"completion"} if constraints and light else set()
        found = describe(
            self,
            model,
            coordinates=layout.coordinates,
            speeds=layout.rates,
            memory=kept,
            rows=constraints,
            slots=names,
            build=build,
            drawing=layout.drawing,
            closing=measured_coordinates(model, joints),
            mass_kind="semidefinite" if light else "definite",
            guards=guards(layout),
            idle=idle,
            quantities={name: _quantity(build, name) for name in NAMES},
        )
        return replace(found, key=_key(found.key, light))


def _quantity(build: Callable[[], "KaneSlots"], name: str) -> Callable[[], Any]:
    return lambda: build().quantities.get(name)


def _key(key: str, light: tuple) -> str:
    """Return the key; what has no inertia may depend on nominal values of parameters."""
    return hashlib.sha256(f"{key} {light}".encode()).hexdigest() if light else key
