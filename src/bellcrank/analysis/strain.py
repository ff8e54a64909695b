"""Energy that springs store, and their shares in a vibration.

    U = ½ F²/k       of a spring of stiffness k under the force F = k (l − l₀)
    δU = ½ δF δl     of a small change, laws included: δF by positions alone

A bushing is six such springs along its axes, whose torques are taken as those of small turns.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bellcrank.machine.state import State
from bellcrank.model.elements.ends import end_name
from bellcrank.model.elements.forces import Bushing, JointSpring, SpringDamper
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.spatial.attitudes import rotation

Array = np.ndarray
Shown = Callable[[str], Any]


def stored(state: State) -> dict[str, float]:
    """Return the energy of every spring at a state, by the name of its element [J].

    Of a stiffness that is a number or a parameter; what a law of the user's own stores is not
    known, and its element is left out.
    """
    found = {}
    for element in state.model.forces:
        if isinstance(element, SpringDamper | JointSpring):
            k = _number(element.stiffness, state.parameters)
            if element.law is None and k:
                found[element.name] = 0.5 * k * _stretch(element, state) ** 2
        elif isinstance(element, Bushing):
            wrench = _along(element, state, state.__getitem__)
            found[element.name] = _half(wrench, element, state)
    return found


def _stretch(element: SpringDamper | JointSpring, state: State) -> float:
    """Return how far a spring is from its rest [m or rad]."""
    if isinstance(element, JointSpring):
        return state[_coordinate(element, state)] - _number(element.rest, state.parameters)
    k, c = (_number(v, state.parameters) for v in (element.stiffness, element.damping))
    return (state[f"{element.name}.force"] - c * state[f"{element.name}.length_rate"]) / k


def shares(state: State, shown: Shown) -> dict[str, float]:
    """Return the parts that springs have in the strain energy of a small change.

    Args:
        state: Where it is.
        shown: Returns complex changes of quantities, by positions alone.
    """
    found = {name: energy for name, (energy, _) in strained(state, shown).items()}
    total = sum(found.values())
    return {name: part / total if total else 0.0 for name, part in found.items()}


def strained(state: State, shown: Shown) -> dict[str, tuple[float, float]]:
    """Return the energy δU of every spring in a small change [J], and its stretch [m or rad].

    Args:
        state: Where it is.
        shown: As of `shares`.
    """
    found = {}
    for element in state.model.forces:
        if isinstance(element, SpringDamper):
            force, length = (shown(f"{element.name}.{n}") for n in ("force", "length"))
        elif isinstance(element, JointSpring):
            force = -shown(f"{element.name}.effort")  # what acts on the coordinate
            length = shown(_coordinate(element, state))
        elif isinstance(element, Bushing):
            wrench = _along(element, state, shown)
            found[element.name] = _half(wrench, element, state), _most(wrench, element, state)
            continue
        else:
            continue
        found[element.name] = 0.5 * float((np.conj(force) * length).real), float(abs(length))
    return found


def _most(wrench: Array, element: Bushing, state: State) -> float:
    """Return the largest stretch of the six springs of a bushing [m or rad]."""
    K = np.array([_number(each, state.parameters) for each in element.stiffness])
    return float((np.abs(wrench[K != 0]) / np.abs(K[K != 0])).max(initial=0.0))


def _half(wrench: Array, element: Bushing, state: State) -> float:
    """Return ½ Σ |F|²/k of the six springs of a bushing."""
    K = np.array([_number(each, state.parameters) for each in element.stiffness])
    stiff = K != 0
    return float(0.5 * (np.abs(wrench[stiff]) ** 2 / K[stiff]).sum())


def _along(element: Bushing, state: State, shown: Shown) -> Array:
    """Return the wrench of a bushing, or its change, along its axes, shape (6,)."""
    name = end_name(element.first)
    bodies = {body.name for body in state.model.bodies}
    body = name if name in bodies or name == "ground" else state.model[name].body
    R = np.eye(3)
    if body != "ground":
        R = np.array(rotation(state[f"{body}.orientation"].tolist()))
    axes = [[_number(entry, state.parameters) for entry in row] for row in element.axes]
    R = R @ np.array(axes)
    return np.concatenate([R.T @ shown(f"{element.name}.{n}") for n in ("force", "torque")])


def _coordinate(element: JointSpring, state: State) -> str:
    """Return the coordinate that a spring on a joint is along."""
    only = scalar_coordinates(state.model[element.joint])[0]
    return f"{element.joint}.{element.coordinate or only}"


def _number(value: Any, values: Mapping[str, float]) -> float:
    return float(evaluate(value, dict(values)) if isinstance(value, Expression) else value)
