"""Joint coordinates: one variable for each freedom of each joint along a spanning tree.

No constraint is needed for a tree, and u̇ follows in O(n) operations. Spherical and free joints
use Euler parameters and angular velocity, and have no singular attitude.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from bellcrank.formulations.coaxial import Sum, loop_sums
from bellcrank.formulations.description import (
    CONSTRAINED,
    FREE,
    describe,
    measured_coordinates,
    memory,
    memory_slots,
    modes,
    sizes,
)
from bellcrank.formulations.equations import Equations
from bellcrank.formulations.joint_coordinates.guards import guards
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, drawn, layout
from bellcrank.formulations.rows import nominal_length, refuse, rows
from bellcrank.formulations.turns import Angle, remembered_angles
from bellcrank.model import Model
from bellcrank.model.spins import resisting, spinning

if TYPE_CHECKING:
    from bellcrank.formulations.joint_coordinates.slots import TreeSlots


PER_BODY = ("partial_velocity", "partial_angular_velocity")
"""Matrices of each body, by its name."""
QUANTITIES = (
    *PER_BODY, "mass_matrix", "force", "constraint_residual", "constraint_matrix",
    "velocity_right_side", "acceleration_right_side", "kinematics_matrix",
)  # fmt: skip
"""The matrices that equations in this formulation have by name."""


@dataclass(frozen=True)
class JointCoordinates:
    """Joint variables along a spanning tree, and their rates as speeds.

    Examples:
        >>> import bellcrank as bc
        >>> bc.JointCoordinates()
        JointCoordinates()
    """

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model; loops and constraints become rows.

        Raises:
            NotSupported: A constraint that cannot be written in these coordinates.
        """
        refuse(model)
        idle, model = spinning(model), resisting(model)
        plan, sums = layout(model), loop_sums(model)
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

            counts = sizes(model, plan.coordinates, plan.speeds, kept)
            return TreeSlots(TreeSchool(model, plan, constraints, modes(model), counts))

        names = {*FREE, *(CONSTRAINED if constraints else ())}
        names |= {"normalize"} if turning else set()
        names |= memory_slots(kept)
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
            closing=measured_coordinates(model, model.graph.loops),
            sums=_named(sums, plan),
            second_order=not turning,
            guards=guards(model),
            idle=idle,
            quantities={name: _quantity(build, name) for name in QUANTITIES},
        )


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
