"""The momentum form: torque-free machines as first-order equations A(q) q̇ = B.

Nothing acts on the machine from outside, so that linear and angular momentum are constant. With
the rigid-body conditions and the prescribed motion of its joints, or of a point of it, they
determine q̇, and no acceleration is needed. Coordinates are those of `Natural`: points and
vectors.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from math import isfinite
from typing import TYPE_CHECKING, Any

from bellcrank.errors import OptionError
from bellcrank.formulations.contract.description import (
    describe,
    measured_coordinates,
    memory,
    memory_slots,
    modes,
    sizes,
)
from bellcrank.formulations.contract.equations import Equations, Guard, StateVariable
from bellcrank.formulations.contract.rows import held_columns, multipliers, refuse, rows
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.momentum.refusals import refuse_acted_on
from bellcrank.formulations.points.basics import Places
from bellcrank.formulations.points.places import places
from bellcrank.formulations.points.rigid import descriptions
from bellcrank.model import Drive, Model, Point
from bellcrank.model.expressions import Signal

if TYPE_CHECKING:
    from bellcrank.formulations.momentum.slots import MomentumSlots

SLOTS = (
    "kinematics", "normalize", "mass", "force", "accelerate", "residual",
    "residual_jacobian", "kinematics_jacobian", "bodies", "applied", "reactions",
    "energy", "power", "audit", "audit_rates", "observe", "derivatives", "jacobian", "embed",
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
    "first_order_matrix",
    "mass_centre_matrix",
    "body_frame",
    "mass_matrix",
    "force",
    "partial_velocity",
    "partial_angular_velocity",
    "first_order_right_side",
    "place_matrix",
    "place_remainder",
    "length_matrix",
    "system_matrix",
    "right_side",
)
"""Names of the matrices a user may read and evaluate."""

REGULAR = "regular"
"""The signal that falls below zero where A comes near to singular."""
SINGULAR = (
    "the momenta and the prescribed motion no longer determine the rates: this is a dynamic "
    "singularity of '{name}'. Prescribe another path, or the joints instead of a point."
)


@dataclass(frozen=True)
class Momentum:
    """Constant momenta and prescribed joints or points, with no speeds at all: q̇ = x(t, q).

    Attributes:
        linear: Linear momentum [kg m/s], shape (3,), or (2,) in the plane; 0 for none, or
            `"start"` to keep what the speeds of the start have.
        angular: Angular momentum about the origin [kg m²/s], shape (3,), in the plane one
            number; 0 for none, or `"start"`.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Momentum()
        Momentum(linear=0.0, angular=0.0)
    """

    linear: Any = 0.0
    angular: Any = 0.0

    def __post_init__(self) -> None:
        for name, lengths in (("linear", (2, 3)), ("angular", (1, 3))):
            object.__setattr__(self, name, _checked(name, getattr(self, name), lengths))

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model.

        Raises:
            NotSupported: Something acts on the machine from outside, or joints are free.
            OptionError: Momenta that do not fit the machine.
        """
        refuse(model)
        refuse_acted_on(model)
        plan, joints = places(model), [joint.name for joint in model.joints]
        own, kept = descriptions(model, plan), memory(model, remembered_angles(model, joints))
        constraints = own + rows(model, plan.length, plan.joints)
        coordinates = plan.coordinates + _kept(model, plan)
        given, led = self._given(model), _led(model)

        def build() -> "MomentumSlots":
            from bellcrank.formulations.momentum.school import MomentumSchool  # needs CasADi
            from bellcrank.formulations.momentum.slots import MomentumSlots

            counts = sizes(model, coordinates, (), kept)
            school = MomentumSchool(model, plan, constraints, modes(model), counts)
            return MomentumSlots(school, given, led)

        def drawing(parameters: Mapping[str, float]) -> list[float]:
            return plan.drawn(parameters) + [value or 0.0 for value in given]

        once = cache(build)
        matrices = {name: (lambda name=name: once().quantity(name)) for name in QUANTITIES}
        found = describe(
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
            takes_speeds="start" in (self.linear, self.angular),
            guards=(Guard(Signal(REGULAR), SINGULAR.format(name=model.name)),),
            quantities=matrices,
        )
        return _with_whole_joints(found, model) if led else found

    def _given(self, model: Model) -> tuple[float | None, ...]:
        """Return Q and H, None where the start says: 6 entries, 3 in the plane."""
        size, turn = (2, 1) if model.planar else (3, 3)
        found: list[float | None] = []
        complaints = []
        for name, wanted in (("linear", size), ("angular", turn)):
            knob = getattr(self, name)
            if knob == "start" or knob == 0.0:
                found += [None if knob == "start" else 0.0] * wanted
                continue
            entries = _in_plane(name, knob) if model.planar else _listed(knob)
            if len(entries) != wanted:
                where = "planar" if model.planar else "spatial"
                complaints.append(
                    f"{name} of the {where} machine '{model.name}' takes {wanted} "
                    f"number{'s' * (wanted > 1)}, got {knob!r}."
                )
            found += entries
        if complaints:
            raise OptionError(f"Momentum: {' '.join(complaints)}")
        return tuple(found)


def _led(model: Model) -> tuple[int, ...]:
    """Return the multipliers of prescribed coordinates of points."""
    efforts = multipliers(model)[1]
    names = {
        name
        for driver in model.drivers
        if isinstance(model[driver.of], Point)
        for name in (f"{driver.name}.effort", *_suffixed(driver))
    }
    return tuple(place for name, (place, _) in efforts.items() if name in names)


def _suffixed(driver: Drive) -> list[str]:
    return [f"{driver.name}.effort_{coordinate}" for coordinate, _ in driver.motion]


def _with_whole_joints(equations: Equations, model: Model) -> Equations:
    """Return the equations with the multipliers of `led_reactions`.

    Six more for each joint, and once more those of the other constraints.
    """
    turns = (False, False, False, True, True, True) * len(equations.joints)
    turns += tuple(equations.row_turns[place] for place in held_columns(model))
    efforts = {
        name: (place + len(turns), rate) for name, (place, rate) in equations.efforts.items()
    }
    return replace(equations, row_turns=turns + equations.row_turns, efforts=efforts)


def _listed(knob: float | tuple[float, ...]) -> list[float]:
    return list(knob) if isinstance(knob, tuple) else [knob]


def _in_plane(name: str, knob: float | tuple[float, ...]) -> list[float]:
    """Return the components in the plane, or all where others are not zero."""
    entries = _listed(knob)
    across = entries[2:] if name == "linear" else entries[:2]
    if len(entries) != 3 or any(across):
        return entries
    return entries[:2] if name == "linear" else entries[2:]


def _checked(name: str, knob: Any, lengths: tuple[int, ...]) -> Any:
    """Return a knob as a float, a tuple of finite floats or `"start"`."""
    if isinstance(knob, str) and knob == "start":
        return knob
    single = isinstance(knob, int | float) and not isinstance(knob, bool)
    try:
        listed: Any = (knob,) if single else knob
        entries = () if isinstance(knob, str) else tuple(map(float, listed))
    except (TypeError, ValueError, OverflowError):
        entries = ()
    if single and len(entries) == 1 and isfinite(entries[0]):
        if entries[0] == 0.0 or 1 in lengths:
            return entries[0]
    elif len(entries) in lengths and all(map(isfinite, entries)):
        return entries
    words = " or ".join(map(str, lengths))
    raise OptionError(
        f"Momentum: {name} takes 0, {words} finite numbers, or 'start', got {knob!r}."
    )


def _kept(model: Model, plan: Places) -> tuple[StateVariable, ...]:
    """Return the scalars of q that are constant: the momenta."""
    axes = {"linear": "xyz"[: plan.size], "angular": "z" if plan.planar else "xyz"}
    return tuple(
        StateVariable(f"kept.{kind}_momentum_{axis}", f"{kind}_momentum", model.name)
        for kind, found in axes.items()
        for axis in found
    )
