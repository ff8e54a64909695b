"""Joint coordinates: one variable for each freedom of each joint along a spanning tree.

No constraint is needed for a tree, and u̇ follows in O(n) operations. Spherical and free joints
use Euler parameters and angular velocity, and have no singular attitude.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bellcrank.formulations.contract.coaxial import Sum, loop_sums
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
from bellcrank.formulations.contract.linear_speeds import LinearSpeeds
from bellcrank.formulations.contract.rows import nominal_length, refuse, rows
from bellcrank.formulations.contract.unwrapped import Angle, remembered_angles
from bellcrank.formulations.joint_coordinates.guards import guards
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, drawn, layout
from bellcrank.formulations.joint_coordinates.massless import is_massless
from bellcrank.formulations.joint_coordinates.speeds import checked_choice, chosen_speeds
from bellcrank.model import Model
from bellcrank.model.spins import resisting, spinning

if TYPE_CHECKING:
    from bellcrank.formulations.joint_coordinates.slots import TreeSlots


PER_BODY = (
    "partial_velocity", "partial_angular_velocity", "partial_angular_velocity_fixed",
)  # fmt: skip
"""Matrices of each body, by its name."""
QUANTITIES = (
    *PER_BODY, "mass_matrix", "force", "constraint_residual", "constraint_matrix",
    "velocity_right_side", "acceleration_right_side", "kinematics_matrix",
    "kinematics_remainder", "generalized_active_force", "generalized_inertia_force",
    "element_force", "constraint_force",
)  # fmt: skip
"""The matrices that equations in this formulation have by name."""
OF_SPEEDS = ("speeds_matrix", "speeds_remainder")
"""Those that a choice of speeds adds."""


@dataclass(frozen=True, repr=False)
class JointCoordinates:
    """Joint variables along a spanning tree; their rates as speeds, or speeds of your choice.

    Kane's generalized speeds are linear combinations of the rates, u = Y q̇ + z. Fewer of them
    than rates are completed by joint rates: those of a machine with loops follow from them.

    Attributes:
        speeds: Expressions of joint rates by the names of the speeds, which may depend on t,
            parameters and joint coordinates; or `LinearSpeeds(Y, z)`. Kept as pairs.

    Examples:
        >>> import bellcrank as bc
        >>> bc.JointCoordinates()
        JointCoordinates()
        >>> bc.JointCoordinates(speeds={"u1": "A.angle_rate + B.angle_rate"})
        JointCoordinates(speeds={'u1': 'A.angle_rate + B.angle_rate'})
    """

    speeds: Any = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "speeds", checked_choice(self.speeds))

    def __repr__(self) -> str:
        """In full, because it is part of the key under which kernels are kept."""
        if self.speeds is None:
            return "JointCoordinates()"
        given = self.speeds if isinstance(self.speeds, LinearSpeeds) else dict(self.speeds)
        return f"JointCoordinates(speeds={given!r})"

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model; loops and constraints become rows.

        Raises:
            NotSupported: A constraint that cannot be written in these coordinates.
            OptionError: Speeds that do not fit the machine.
        """
        refuse(model)
        idle, model = spinning(model), resisting(model)
        plan, sums = layout(model), loop_sums(model)
        choice = None if self.speeds is None else chosen_speeds(model, plan, self.speeds)
        speeds = plan.speeds if choice is None else choice.variables
        kept = memory(model, remembered_angles(model, model.graph.loops, sums))
        constraints = rows(model, nominal_length(model), model.graph.loops)
        turning = any(
            link.joint is not None and link.joint.mobility.ball for link in plan.links
        )

        @cache
        def build() -> "TreeSlots":
            from bellcrank.formulations.joint_coordinates.slots import (  # needs CasADi
                TreeSchool,
                TreeSlots,
            )

            counts = sizes(model, plan.coordinates, speeds, kept)
            if choice is not None:
                from bellcrank.formulations.joint_coordinates.chosen import (
                    ChosenSchool,
                    ChosenSlots,
                )

                arguments = (model, plan, choice, constraints, modes(model), counts)
                return ChosenSlots(ChosenSchool(*arguments))
            return TreeSlots(TreeSchool(model, plan, constraints, modes(model), counts))

        names = {*FREE, *(CONSTRAINED if constraints else ())}
        names |= {"normalize"} if turning else set()
        names |= memory_slots(kept) | (set() if choice is None else {"embed"})
        turns = {} if choice is None else tree_angles(plan)
        return describe(
            self,
            model,
            coordinates=plan.coordinates,
            speeds=speeds,
            memory=kept,
            rows=constraints,
            slots=names,
            build=build,
            drawing=lambda parameters: drawn(model, plan, parameters),
            closing=measured_coordinates(model, model.graph.loops),
            sums=turns | _named(sums, plan),
            mass_kind="semidefinite" if is_massless(model, plan) else "definite",
            second_order=not turning and choice is None,
            guards=guards(model) + (() if choice is None else choice.guards),
            idle=idle,
            quantities={
                name: _quantity(build, name)
                for name in (QUANTITIES if choice is None else (*QUANTITIES, *OF_SPEEDS))
            },
        )


def tree_angles(plan: LinkLayout) -> dict[str, tuple[tuple[int, float], ...]]:
    """Return the angles among the coordinates, each the sum of itself."""
    return {
        variable.name: ((i, 1.0),)
        for i, variable in enumerate(plan.coordinates)
        if variable.quantity == "angle"
    }


def _quantity(build: "Callable[[], TreeSlots]", name: str) -> "Callable[[], Any]":
    return lambda: build().quantity(name)


def _named(
    sums: Mapping[Angle, Sum], plan: LinkLayout
) -> dict[str, tuple[tuple[int, float], ...]]:
    """Return sums by the names of their angles, terms by their places in q."""
    places = {variable.name: i for i, variable in enumerate(plan.coordinates)}
    return {
        f"{joint}.{angle}": tuple((places[name], sign) for name, sign in one.terms)
        for (joint, angle), one in sums.items()
    }
