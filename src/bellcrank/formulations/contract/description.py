"""What all formulations say of a machine in the same words, before any symbol exists."""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Protocol

from bellcrank.formulations.contract.breaks import in_order
from bellcrank.formulations.contract.equations import (
    SLOTS,
    Equations,
    Guard,
    Row,
    StateVariable,
)
from bellcrank.formulations.contract.laws import expressions
from bellcrank.formulations.contract.outside import told
from bellcrank.formulations.contract.rows import (
    drawn_length,
    length_parameters,
    machine_length,
    multiplier_channels,
    multipliers,
    nominal_length,
)
from bellcrank.formulations.contract.switches import Switch, switches
from bellcrank.formulations.contract.unwrapped import Angle, turn_memory
from bellcrank.formulations.contract.windings import winding_guards
from bellcrank.model import Expression, Joint, Model, Relation, VelocityConstraint
from bellcrank.model.algebra import nominal
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.expressions import Constant, derivative, evaluate
from bellcrank.model.names import SIZES, channels, components, quantity_of
from bellcrank.units import QUANTITIES, variable_quantity

if TYPE_CHECKING:
    import casadi as ca

FREE = (
    "kinematics", "mass", "force", "accelerate", "residual", "residual_jacobian",
    "kinematics_jacobian", "bodies", "applied", "energy", "power", "audit",
    "audit_rates", "observe", "derivatives", "jacobian",
)  # fmt: skip
"""Slots of every machine that nothing constrains."""

CONSTRAINED = (
    "kinematics", "mass", "force", "residual", "residual_jacobian", "kinematics_jacobian",
    "bodies", "applied", "energy", "power", "audit", "audit_rates", "observe", "position",
    "velocity", "acceleration", "jerk", "constraint_jacobian", "reactions",
)  # fmt: skip
"""Slots of every machine with constraints."""


LENGTHS = ("m", "m/s")
"""Units of what has the machine's length as nominal size."""


class SlotBuilder(Protocol):
    """Builds the symbolic slots of a machine."""

    def slot(self, name: str) -> "ca.Function":
        """Return the function of a slot."""
        ...

    def signals(self, expressions: tuple[Expression, ...]) -> "ca.Function":
        """Return the function of expressions of the machine's signals."""
        ...


def modes(model: Model) -> tuple[Switch, ...]:
    """Return the nonsmooth operations of a model's laws, those of time alone at the end."""
    return in_order(switches(expressions(model)))


def mode_memory(model: Model) -> tuple[StateVariable, ...]:
    """Return the memory k of a model's nonsmooth operations."""
    return tuple(
        StateVariable(f"mode {i + 1} ({switch[0].op})", "residual", model.name)
        for i, switch in enumerate(modes(model))
    )


def memory(model: Model, angles: Iterable[Angle]) -> tuple[StateVariable, ...]:
    """Return k: the modes of nonsmooth operations, then what is kept of measured angles.

    Args:
        model: The machine.
        angles: The angles whose turns only memory knows (`remembered_angles`).
    """
    return mode_memory(model) + turn_memory(angles)


def memory_slots(kept: Sequence[StateVariable]) -> set[str]:
    """Return the names of the slots that memory needs."""
    turns = any(variable.quantity == "angle" for variable in kept)
    modes = any(variable.quantity == "residual" for variable in kept)
    return ({"switches"} if modes else set()) | ({"revise"} if turns else set())


def variables(joint: Joint, names: tuple[str, ...]) -> list[StateVariable]:
    """Return the scalars of a joint's coordinates or speeds."""
    return [
        StateVariable(part, quantity_of(name), joint.name)
        for name in names
        for part in components(f"{joint.name}.{name}", SIZES.get(name, 1))
    ]


def measured_coordinates(model: Model, joints: Iterable[str]) -> tuple[StateVariable, ...]:
    """Return the scalar coordinates of joints that are measured, not in q."""
    found = [model[name] for name in joints]
    return tuple(v for joint in found for v in variables(joint, scalar_coordinates(joint)))


def auxiliary(model: Model) -> tuple[StateVariable, ...]:
    """Return s: the variables of the user's own."""
    return tuple(
        StateVariable(
            each.name, variable_quantity(each.unit), each.name, nominal(each.size) or 1.0
        )
        for each in model.variables
    )


def _begun(model: Model, parameters: Mapping[str, float]) -> list[float]:
    """Return the values that variables begin with."""
    starts = (each.start for each in model.variables)
    return [evaluate(x, parameters) if isinstance(x, Expression) else x for x in starts]


def sizes(
    model: Model,
    coordinates: Sequence[StateVariable],
    speeds: Sequence[StateVariable],
    memory: Sequence[StateVariable],
) -> dict[str, int]:
    """Return the sizes of `ARGUMENTS`."""
    return {
        "t": 1,
        "q": len(coordinates),
        "u": len(speeds),
        "s": len(model.variables),
        "w": len(model.inputs),
        "p": len(model.parameters),
        "k": len(memory),
    }


def describe(
    formulation: object,
    model: Model,
    *,
    coordinates: tuple[StateVariable, ...],
    speeds: tuple[StateVariable, ...],
    memory: tuple[StateVariable, ...],
    rows: tuple[Row, ...],
    slots: Iterable[str],
    build: Callable[[], SlotBuilder],
    drawing: Callable[[Mapping[str, float]], list[float]],
    guards: tuple[Guard, ...] = (),
    **others: Any,
) -> Equations:
    """Return the equations of a model whose slots `build` makes when first asked.

    Args:
        formulation: Its `repr` is part of the key.
        model: The machine.
        coordinates: The scalars of q.
        speeds: The scalars of u.
        memory: The scalars of k.
        rows: The constraints.
        slots: Names of the slots there are.
        build: Imports CasADi and makes the symbols; called once.
        drawing: Returns q of the drawing for parameter values.
        guards: What must stay positive for this formulation; relations have their own.
        others: Further fields of `Equations`.
    """
    length = nominal_length(model)
    turns, efforts = multipliers(model)
    once, there = cache(build), frozenset(slots)
    if model.variables:
        there |= {"auxiliary"}
    return Equations(
        name=model.name,
        formulation=repr(formulation),
        key=key(formulation, model),
        coordinates=_with_length(coordinates, length),
        speeds=_with_length(speeds, length),
        inputs=tuple(given.name for given in model.inputs),
        parameters={parameter.name: parameter.value for parameter in model.parameters},
        channels=channels(model),
        bodies=tuple(body.name for body in model.bodies),
        elements=tuple(element.name for element in model.forces),
        slots={name: _slot(once, name) for name in SLOTS if name in there},
        signals=lambda wanted: once().signals(wanted),
        drawing=drawing,
        auxiliary=auxiliary(model),
        begun=partial(_begun, model),
        memory=memory,
        rows=rows,
        joints=tuple(joint.name for joint in model.joints),
        constraints=tuple(one.name for one in model.constraints if one.quantities(model)),
        row_turns=turns,
        multipliers=multiplier_channels(model, turns) if "reactions" in there else (),
        length=partial(machine_length, model),
        efforts=efforts,
        works=_works(model),
        lengthless=drawn_length(model) == 0.0,
        guards=guards + winding_guards(model),
        **others,
    )


def _with_length(
    variables: Iterable[StateVariable], length: float
) -> tuple[StateVariable, ...]:
    """Return scalars of which those in metres have the machine's length as nominal size."""
    return tuple(
        replace(each, scale=length) if QUANTITIES[each.quantity].unit in LENGTHS else each
        for each in variables
    )


def _works(model: Model) -> dict[str, Expression]:
    """Return the right-hand sides of relations that are not zero, by the effort's channel.

    Those of speeds are written so; of a relation of positions it is −∂Φ/∂t.
    """
    found = {}
    for one in model.constraints:
        if isinstance(one, VelocityConstraint):
            found[f"{one.name}.effort"] = one.equals
        elif isinstance(one, Relation):
            found[f"{one.name}.effort"] = -derivative(one.zero, "t")
    return {name: right for name, right in found.items() if right != Constant(0.0)}


def _slot(build: Callable[[], SlotBuilder], name: str) -> "Callable[[], ca.Function]":
    return lambda: build().slot(name)


def key(formulation: object, model: Model) -> str:
    """Return the digest of all the slots depend on.

    Parameter values stay out, but where an axis depends on parameters, its nominal direction
    chooses the frame, and where lengths do, residuals are measured by the nominal length.
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
    if length_parameters(model):
        what += f"\n{nominal_length(model)!r}"
    what += told(model.elements)
    return hashlib.sha256(what.encode()).hexdigest()
