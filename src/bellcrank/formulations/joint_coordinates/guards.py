"""Where joint coordinates lose digits: gimbal lock of a suspension whose rings weigh nothing.

Three hinges in a row are singular where the first and the third axis coincide: what the two can
do against each other moves the rings only. At an angle ε from there both turn 1/ε times as fast
as what they carry, whose rate is their difference: it has ε⁻¹ times the rounding error. Where
hinges are not perpendicular to the next one, the inertia that is left is a difference as well,
and has ε⁻² times the rounding error. Rings of ordinary weight do no harm.

Needs no CasADi.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from bellcrank.formulations.contract.equations import Guard
from bellcrank.formulations.joint_coordinates.layout import nominal, nominal_inertia
from bellcrank.model import Joint, Model, Revolute
from bellcrank.model.expressions import Expression, Signal, cos, sin

LIGHT, CLOSE = 1e-12, 1e-6  # of the inertia carried, and the angle below which a run warns,
LIGHT_ASKEW, CLOSE_ASKEW = 1e-7, 1e-3  # the same where axes are not perpendicular
SQUARE = 1e-9  # cosine of an angle that counts as right


def guards(model: Model) -> tuple[Guard, ...]:
    """Return what warns of gimbal lock."""
    found: list[Guard] = []
    for first, second, third, weight in _suspensions(model):
        a, b, c = (_numbers(joint.axis_first) for joint in (first, second, third))
        if abs(abs(a @ b) - abs(b @ c)) > SQUARE:
            continue  # they cannot meet
        square = abs(a @ b) <= SQUARE
        light, close = (LIGHT, CLOSE) if square else (LIGHT_ASKEW, CLOSE_ASKEW)
        if weight >= light:
            continue
        message = (
            f"the axes of '{first.name}' and '{third.name}' are within {close:g} rad of each "
            f"other, and '{first.second}' and '{second.second}' between them have less than "
            f"{light:g} of the inertia of '{third.second}': close to this gimbal lock they "
            "swing within moments, and joint coordinates lose digits. One Spherical joint in "
            "place of the three hinges has no such attitude."
        )
        angle = Signal(f"{second.name}.angle") - nominal(second.drawn[0])
        least = close if square else close**2
        found += [Guard(x - least, message, stops=False) for x in _apart(a, b, c, angle)]
    return tuple(found)


def _apart(a: np.ndarray, b: np.ndarray, c: np.ndarray, angle: Expression) -> list[Expression]:
    """Return what is small or negative where the first and the third axis coincide.

    The sine of the angle between them where both are perpendicular to the second, either sign;
    else its square, 1 − (a·c)², c having turned about b.
    """
    mean, cosine, sine = float((a @ b) * (b @ c)), float(a @ c), float(a @ np.cross(b, c))
    if abs(mean) <= SQUARE:
        across: Expression = sine * cos(angle) - cosine * sin(angle)
        return [across, -1.0 * across]
    along = mean + (cosine - mean) * cos(angle) + sine * sin(angle)
    return [1.0 - along * along]


def _suspensions(model: Model) -> Iterator[tuple[Joint, Joint, Joint, float]]:
    """Yield three hinges in a row, and what inertia the rings have of what they carry."""
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
        carried = nominal_inertia(model, third.second, third.at_first)
        if carried > 0.0:
            heavier = max(nominal_inertia(model, ring, second.at_first) for ring in rings)
            yield first, second, third, heavier / carried


def _numbers(entries: Iterable[float | Expression]) -> np.ndarray:
    return np.array([nominal(entry) for entry in entries])
