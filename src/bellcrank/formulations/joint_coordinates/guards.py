"""Where joint coordinates lose digits: gimbal lock of a suspension whose rings weigh nothing.

Three hinges in a row, each perpendicular to the next, are singular where the first and the
third axis coincide: what the two can do against each other moves the rings only. Its inertia is
a difference of large ones, to which the rings add theirs, and rounding takes what is less than
1e-16 of those. Rings of ordinary weight do no harm.

Needs no CasADi.
"""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from bellcrank.formulations.equations import Guard
from bellcrank.model import Joint, Model, Revolute, mass_properties
from bellcrank.model.expressions import Expression, Signal, cos, evaluate, sin

LIGHT = 1e-7  # of the inertia of what is carried: rings that weigh nothing
CLOSE = 1e-3  # angle between the axes [rad] below which a run warns
SQUARE = 1e-9  # cosine of an angle that counts as right


def guards(model: Model) -> tuple[Guard, ...]:
    """Return what warns of gimbal lock."""
    found: list[Guard] = []
    for first, second, third in _suspensions(model):
        a, b, c = (_numbers(joint.axis_first) for joint in (first, second, third))
        if abs(a @ b) > SQUARE or abs(b @ c) > SQUARE:
            continue
        angle = Signal(f"{second.name}.angle") - _number(second.drawn[0])
        # The rate of a·c as the second hinge turns: zero, and of either sign, at the lock.
        measure: Expression = float(a @ np.cross(b, c)) * cos(angle) - float(a @ c) * sin(angle)
        rings = f"'{first.second}' and '{second.second}'"
        message = (
            f"the axes of '{first.name}' and '{third.name}' are within {CLOSE:g} rad of each "
            f"other, and {rings} between them have less than {LIGHT:g} of the inertia of "
            f"'{third.second}': close to this gimbal lock they swing within moments, and joint "
            "coordinates lose digits. One Spherical joint in place of the three hinges has no "
            "such attitude."
        )
        found += [Guard(sign * measure - CLOSE, message, stops=False) for sign in (1.0, -1.0)]
    return tuple(found)


def _suspensions(model: Model) -> Iterator[tuple[Joint, Joint, Joint]]:
    """Yield three hinges in a row with two light rings between them."""
    hinges = [joint for joint in model.joints if isinstance(joint, Revolute)]
    ends = [end for joint in model.joints for end in (joint.first, joint.second)]
    for second in hinges:
        rings = (second.first, second.second)
        if "ground" in rings or any(ends.count(ring) != 2 for ring in rings):
            continue
        first = next((j for j in hinges if j.second == second.first), None)
        third = next((j for j in hinges if j.first == second.second), None)
        if first is None or third is None or third.second == "ground":
            continue
        carried = _inertia(model, third.second, third)
        if max(_inertia(model, ring, second) for ring in rings) < LIGHT * carried:
            yield first, second, third


def _inertia(model: Model, body: str, joint: Joint) -> float:
    """Return the largest moment of inertia of a body about the point of a joint [kg m²]."""
    mass = mass_properties(model[body])
    away = _numbers(mass.com) - _numbers(joint.at_first)
    own = max(_number(mass.inertia[i][i]) for i in range(3))
    return own + _number(mass.mass) * float(away @ away)


def _numbers(entries: Iterable[Any]) -> np.ndarray:
    return np.array([_number(entry) for entry in entries])


def _number(entry: Any) -> float:
    """Return a number of the drawing, parameters at their own values."""
    return float(evaluate(entry, {}) if isinstance(entry, Expression) else entry)
