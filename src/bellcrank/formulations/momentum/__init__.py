"""The momentum form: torque-free machines as first-order equations A(q) q̇ = B.

Nothing acts on the machine from outside, so that linear and angular momentum are constant. With
the rigid-body conditions and the prescribed motion of its joints, or of a point of it, they
determine q̇, and no acceleration is needed. Coordinates are those of `Natural`: points and
vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

from bellcrank.errors import OptionError
from bellcrank.formulations.description import (
    describe,
    measured_coordinates,
    memory,
    memory_slots,
    modes,
    sizes,
)
from bellcrank.formulations.equations import Equations, Guard, Variable
from bellcrank.formulations.momentum.refusals import refuse_acted_on
from bellcrank.formulations.points.places import Places, places
from bellcrank.formulations.points.rigid import descriptions
from bellcrank.formulations.rows import refuse, rows
from bellcrank.model import Model
from bellcrank.model.expressions import Signal

if TYPE_CHECKING:
    from bellcrank.formulations.momentum.slots import MomentumSlots

SLOTS = (
    "kinematics", "tangent", "normalize", "mass", "force", "solve_mass", "accelerate",
    "residual", "residual_jacobian", "kinematics_jacobian", "bodies", "applied", "reactions",
    "energy", "power", "observe", "derivatives", "jacobian", "embed",
)  # fmt: skip
QUANTITIES = (
    "momentum_matrix",
    "body_momentum_matrix",
    "angular_momentum_matrix",
    "body_angular_momentum_matrix",
    "angular_velocity_matrix",
    "body_angular_velocity_matrix",
    "generalized_inertia",
    "body_inertia",
    "system_matrix",
    "right_side",
)
"""Names of the matrices a user may read and evaluate."""

REGULAR = "regular"
"""The signal that falls below zero where A is singular."""
SINGULAR = (
    "the momenta and the prescribed motion no longer determine the rates: this is a dynamic "
    "singularity of '{name}'. Prescribe another path, or the joints instead of a point."
)


@dataclass(frozen=True)
class Momentum:
    """Constant momenta and prescribed joints or points, with no speeds at all: q̇ = x(t, q).

    Attributes:
        linear: Linear momentum [kg m/s], shape (3,), or (2,) in the plane; None to keep what
            the speeds of the start have.
        angular: Angular momentum about the origin [kg m²/s], shape (3,), in the plane one
            number; None to keep what the speeds of the start have. Speeds that the start does
            not name are such that both momenta are zero.
    """

    linear: Any = None
    angular: Any = None

    def __post_init__(self) -> None:
        for name, lengths in (("linear", (2, 3)), ("angular", (1, 3))):
            object.__setattr__(self, name, _numbers(name, getattr(self, name), lengths))

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model.

        Raises:
            NotSupported: Something acts on the machine from outside, or joints are free.
            OptionError: Momenta that do not fit the machine.
        """
        refuse(model)
        refuse_acted_on(model)
        plan, joints = places(model), [joint.name for joint in model.joints]
        own, kept = descriptions(model, plan), memory(model, joints)
        constraints = own + rows(model, plan.length, plan.joints)
        coordinates = plan.coordinates + _kept(model, plan)
        given = self._given(model)

        def build() -> "MomentumSlots":
            from bellcrank.formulations.momentum.school import MomentumSchool  # needs CasADi
            from bellcrank.formulations.momentum.slots import MomentumSlots

            counts = sizes(model, coordinates, (), kept)
            school = MomentumSchool(model, plan, constraints, modes(model), counts)
            return MomentumSlots(school, given)

        def drawing(parameters: Mapping[str, float]) -> list[float]:
            return plan.drawn(parameters) + [value or 0.0 for value in given]

        from functools import cache

        once = cache(build)
        matrices = {name: (lambda name=name: once().quantity(name)) for name in QUANTITIES}
        return describe(
            self,
            model,
            coordinates=coordinates,
            speeds=(),
            memory=kept,
            rows=(),
            slots={*SLOTS, *memory_slots(kept)},
            build=once,
            drawing=drawing,
            closing=measured_coordinates(model, joints),
            guards=(Guard(Signal(REGULAR), SINGULAR.format(name=model.name)),),
            quantities=matrices,
        )

    def _given(self, model: Model) -> tuple[float | None, ...]:
        """Return Q and H as far as they are given: 6 entries, 3 in the plane."""
        size, turn = (2, 1) if model.planar else (3, 3)
        linear, angular = self.linear, self.angular
        if linear is not None and len(linear) == 3 and model.planar and linear[2] == 0.0:
            linear = linear[:2]
        if angular is not None and len(angular) == 3 and model.planar and not any(angular[:2]):
            angular = angular[2:]
        for name, vector, wanted in (("linear", linear, size), ("angular", angular, turn)):
            if vector is not None and len(vector) != wanted:
                where = "planar" if model.planar else "spatial"
                raise OptionError(
                    f"Momentum: {name} of the {where} machine '{model.name}' takes {wanted} "
                    f"number{'s' * (wanted > 1)}, got {vector!r}."
                )
        return (*(linear or (None,) * size), *(angular or (None,) * turn))


def _numbers(name: str, value: Any, lengths: tuple[int, ...]) -> tuple[float, ...] | None:
    """Return a knob as a tuple of finite numbers."""
    if value is None:
        return None
    entries = [value] if isinstance(value, int | float) and 1 in lengths else value
    try:
        found = tuple(float(entry) for entry in entries)
    except (TypeError, ValueError):
        found = ()
    if len(found) not in lengths or not all(map(isfinite, found)):
        words = " or ".join(map(str, lengths))
        raise OptionError(f"Momentum: {name} takes {words} finite numbers, got {value!r}.")
    return found


def _kept(model: Model, plan: Places) -> tuple[Variable, ...]:
    """Return the scalars of q that are constant: the momenta."""
    axes = (
        (("linear", "xy"), ("angular", "z"))
        if plan.planar
        else (("linear", "xyz"), ("angular", "xyz"))
    )
    return tuple(
        Variable(f"kept.{kind}_momentum_{axis}", f"{kind}_momentum", model.name)
        for kind, found in axes
        for axis in found
    )
