"""Cartesian coordinates: every body on its own, every joint a constraint.

    q = (r, p) of each body;   M u̇ + Φ_qᵀ λ = Qᴬ + S,   Φ = 0

Particles have r alone, planar bodies (x, y, φ). Speeds of a spatial body are ṙ and ω′, or ṙ
and ṗ with ½(pᵀp − 1) among the rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, get_args

from bellcrank.errors import NotSupported, OptionError
from bellcrank.formulations.cartesian.layout import (
    BodyLayout,
    Form,
    Reference,
    drawn,
    lacking,
    layout,
    norm_rows,
)
from bellcrank.formulations.cartesian.turning import planar_sums, remembered
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
from bellcrank.formulations.contract.equations import (
    Batch,
    Equations,
    MassKind,
    Row,
    StateVariable,
)
from bellcrank.formulations.contract.rows import nominal_length, refuse, rows
from bellcrank.model import Distance, ForceElement, Model, Variable
from bellcrank.model.elements.gravity import Everywhere
from bellcrank.model.elements.walking import expressions_of
from bellcrank.model.expressions import signals
from bellcrank.model.names import machine_names
from bellcrank.model.spins import resisting, spinning

if TYPE_CHECKING:
    from bellcrank.formulations.cartesian.slots import CartesianSlots

LARGE = 8
"""Bodies from which on a machine is assembled from kinds of elements.

By measurement: steps are faster from four on; below eight they differ by less than 0.1 ms, and
straight-line code takes events with generalized-α and audits singular values.
"""

QUANTITIES = (
    "partial_velocity", "partial_angular_velocity", "element_force", "constraint_force",
    "mass_matrix", "force", "velocity_quadratic", "generalized_force", "constraint_residual",
    "constraint_matrix", "velocity_right_side", "acceleration_right_side", "rate_matrix",
)  # fmt: skip
"""The matrices that equations in this formulation have by name."""


@dataclass(frozen=True)
class Cartesian:
    """Position and attitude of every body as coordinates, joints as constraints.

    Attributes:
        form: Speeds of spatial bodies: `omega` for ṙ and ω′ (angular velocity along the body),
            `euler` for ṙ and ṗ, whose mass matrix is singular by one per body and whose rows
            begin with ½(pᵀp − 1).
        reference: The point of a body that r is: its `centroid`, or the origin of its `frame`.
        assembled: Whether equations are summed over kinds of elements, each compiled once, for
            large machines, or are straight-line code of the whole machine; None chooses by
            size: from `LARGE` bodies on. Needs `form="omega"`.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Cartesian()
        Cartesian(form='omega', reference='centroid', assembled=None)
    """

    form: Form = "omega"
    reference: Reference = "centroid"
    assembled: bool | None = None

    def __post_init__(self) -> None:
        complaints = [
            f"{name} takes {' or '.join(map(repr, get_args(known)))}, got {value!r}."
            for name, known, value in (
                ("form", Form, self.form),
                ("reference", Reference, self.reference),
            )
            if value not in get_args(known)
        ]
        if self.assembled not in (True, False, None):
            complaints.append(f"assembled takes True, False or None, got {self.assembled!r}.")
        elif self.assembled and self.form == "euler":
            complaints.append("assembled=True needs form='omega', got 'euler'.")
        if complaints:
            raise OptionError(f"Cartesian: {' '.join(complaints)}")

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model; every joint becomes rows.

        Raises:
            NotSupported: A constraint that cannot be written.
        """
        refuse(model)
        idle, model = spinning(model), resisting(model)
        plan = layout(model, self.form, self.reference)
        joints = tuple(joint.name for joint in model.joints)
        kept = memory(model, remembered(model))
        constraints = norm_rows(plan) + rows(
            model, nominal_length(model), joints, flat=model.planar
        )

        @cache
        def build() -> "CartesianSlots":
            from bellcrank.formulations.cartesian.slots import (  # needs CasADi
                BodySchool,
                CartesianSlots,
            )

            counts = sizes(model, plan.coordinates, plan.speeds, kept)
            return CartesianSlots(BodySchool(model, plan, constraints, modes(model), counts))

        def named(name: str) -> Any:
            return lambda: build().quantity(name)

        spatial = any(placed.kind == "spatial" for placed in plan.bodies)
        names = {"embed", *(CONSTRAINED if constraints else FREE)} | memory_slots(kept)
        kind = _mass_kind(model, plan)
        names |= {"completion"} if constraints and kind == "semidefinite" else set()
        names |= {"normalize"} if spatial and self.form == "omega" else set()
        return describe(
            self,
            model,
            coordinates=plan.coordinates,
            speeds=plan.speeds,
            memory=kept,
            rows=constraints,
            slots=names,
            build=build,
            drawing=lambda parameters: drawn(model, plan, parameters),
            closing=measured_coordinates(model, joints),
            sums=planar_sums(model, plan),
            mass_kind=kind,
            second_order=not spatial or self.form == "euler",
            quantities={name: named(name) for name in QUANTITIES},
            batches=self._batches(model, plan, constraints, kept),
            straight_line=self.assembled is not True,
            idle=idle,
        )

    def _batches(
        self,
        model: Model,
        plan: BodyLayout,
        constraints: tuple[Row, ...],
        kept: Sequence[StateVariable],
    ) -> tuple[Batch, ...]:
        """Return the kinds of elements of a large machine; none of a small one."""
        rams = (d for d in model.drivers if isinstance(model[d.of], Distance))
        whole = [f"driver '{each.name}' of a length" for each in rams]
        whole += [f"'{each.name}'" for each in model.forces if isinstance(each, Everywhere)]
        whole += [
            f"the law of '{each.name}', which uses more than positions and speeds,"
            for each in (*model.forces, *model.variables)
            if _reads_whole(model, each)
        ]
        if whole and self.assembled:
            raise NotSupported(
                f"Cartesian(assembled=True) does not take {whole[0]} of '{model.name}'. Leave "
                "assembled= out."
            )
        large = len(model.bodies) >= LARGE and self.form == "omega" and not whole
        if not (large if self.assembled is None else self.assembled):
            return ()
        from bellcrank.formulations.cartesian.batches import batches

        return batches(model, plan, constraints, kept, modes(model))


def _reads_whole(model: Model, element: ForceElement | Variable) -> bool:
    """Return whether a law uses what takes more than bodies, joints and points to know."""
    used = {name for _, law in expressions_of(element) for name in signals(law)}
    others = (name.rpartition(".") for name in used if not name.startswith(f"{element.name}."))
    owners = {owner for owner, dot, part in others if dot and not part.startswith("length")}
    acting = any(isinstance(model[owner], ForceElement | Variable) for owner in owners)
    return acting or bool(used & {*machine_names()})


def _mass_kind(model: Model, plan: BodyLayout) -> MassKind:
    """Return what may be assumed of M: ṗ as speeds, points and thin rods leave it singular."""
    for placed in plan.bodies:
        if plan.form == "euler" and placed.kind == "spatial":
            return "semidefinite"
        if lacking(model, placed):
            return "semidefinite"
    return "definite"
