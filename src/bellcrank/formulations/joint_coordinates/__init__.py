"""Joint coordinates: one variable for each freedom of each joint along a spanning tree.

No constraint is needed for a tree, and u̇ follows in O(n) operations. Spherical and free joints
use Euler parameters and angular velocity, and have no singular attitude.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bellcrank.formulations.equations import Equations, Variable
from bellcrank.formulations.joint_coordinates.layout import Layout, drawn, layout, variables
from bellcrank.formulations.laws import expressions
from bellcrank.formulations.rows import machine_length, multipliers, refuse, rows
from bellcrank.formulations.switches import Switch, switches
from bellcrank.model import Expression, Free, Model, Spherical
from bellcrank.model.expressions import evaluate
from bellcrank.model.joints import scalar_coordinates
from bellcrank.model.names import channels

if TYPE_CHECKING:
    import casadi as ca

    from bellcrank.formulations.joint_coordinates.slots import TreeSlots

_SLOTS = (
    "kinematics", "mass", "force", "solve_mass", "accelerate", "residual", "residual_jacobian",
    "kinematics_jacobian", "bodies", "applied", "energy", "power", "observe", "derivatives",
    "jacobian",
)  # fmt: skip
_CONSTRAINED = (
    "position",
    "velocity",
    "acceleration",
    "jerk",
    "constraint_jacobian",
    "reactions",
)


@dataclass(frozen=True)
class JointCoordinates:
    """Joint variables along a spanning tree, and their rates as speeds."""

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of a model; loops and constraints become rows.

        Raises:
            NotSupported: A constraint that cannot be written in these coordinates.
        """
        refuse(model)
        plan = layout(model)
        modes = switches(expressions(model))
        memory = tuple(
            Variable(f"mode {i + 1} ({switch[0].op})", "residual", model.name)
            for i, switch in enumerate(modes)
        )
        sizes = {
            "t": 1,
            "q": len(plan.coordinates),
            "u": len(plan.speeds),
            "s": 0,
            "w": len(model.inputs),
            "p": len(model.parameters),
            "k": len(modes),
        }
        build = _builder(model, plan, modes, sizes)
        names = list(_SLOTS)
        turning = any(isinstance(link.joint, Spherical | Free) for link in plan.links)
        length = machine_length(model)
        constraints = rows(model, length)
        weights, efforts = multipliers(model, length)
        names += list(_CONSTRAINED) * bool(constraints)
        names += ["normalize"] * turning + ["switches"] * bool(modes)
        return Equations(
            name=model.name,
            formulation=repr(self),
            key=_key(self, model),
            coordinates=plan.coordinates,
            speeds=plan.speeds,
            inputs=tuple(given.name for given in model.inputs),
            parameters={parameter.name: parameter.value for parameter in model.parameters},
            channels=channels(model),
            bodies=tuple(body.name for body in model.bodies),
            elements=tuple(element.name for element in model.forces),
            slots={name: _slot(build, name) for name in names},
            signals=lambda wanted: build().signals(wanted),
            drawing=lambda parameters: drawn(model, plan, parameters),
            memory=memory,
            rows=constraints,
            closing=_closing(model),
            joints=tuple(joint.name for joint in model.joints),
            row_weights=weights,
            efforts=efforts,
            second_order=not turning,
        )


def _builder(
    model: Model, plan: Layout, modes: tuple[Switch, ...], sizes: dict[str, int]
) -> "Callable[[], TreeSlots]":
    """Return a function that makes the symbolic slots once, when first called."""

    @cache
    def build() -> "TreeSlots":
        from bellcrank.formulations.joint_coordinates.slots import TreeSlots  # needs CasADi

        return TreeSlots(model, plan, modes, sizes)

    return build


def _slot(build: "Callable[[], TreeSlots]", name: str) -> "Callable[[], ca.Function]":
    method = "switches_slot" if name == "switches" else name
    return lambda: getattr(build(), method)()


def _closing(model: Model) -> tuple[Variable, ...]:
    joints = [model[name] for name in model.graph.loops]
    return tuple(v for joint in joints for v in variables(joint, scalar_coordinates(joint)))


def _key(formulation: JointCoordinates, model: Model) -> str:
    """Return the digest of all the slots depend on.

    Parameter values stay out, but where an axis depends on parameters, its nominal direction
    chooses the frame.
    """
    axes = [
        [
            round(evaluate(entry, {}), 6)
            for entry in joint.axis_first
            if isinstance(entry, Expression)
        ]
        for joint in model.joints
        if joint.axis is not None
    ]
    what = f"{formulation!r}\n{model.digest}\n{axes}"
    return hashlib.sha256(what.encode()).hexdigest()
