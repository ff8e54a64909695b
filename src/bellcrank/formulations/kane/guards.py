"""Where the chosen coordinates and speeds are singular: angles at gimbal lock, a singular Y.

Needs no CasADi.
"""

from bellcrank.formulations.contract.equations import Guard
from bellcrank.formulations.contract.speeds_matrix import singular_guards
from bellcrank.formulations.kane.choices import Angles, LinearSpeeds
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.model.expressions import Expression, Signal, cos, sin

WARN, STOP = 1e-2, 1e-4
"""Sizes of cos θ2 (or sin θ2) below which a run warns, and below which it stops."""


def guards(layout: KaneLayout) -> tuple[Guard, ...]:
    """Return what must not come near zero in a run."""
    found: list[Guard] = []
    if isinstance(layout.orientation, Angles):
        for name in layout.connection.names:
            found += _of_angles(layout.orientation, name)
    chosen = layout.speeds
    if isinstance(chosen, LinearSpeeds) and _varies(chosen):
        found += singular_guards()
    return tuple(found)


def _of_angles(angles: Angles, body: str) -> list[Guard]:
    """Return the guards of the angles of a body, one for each sign of cos θ2 and each level."""
    i, j, k = angles.sequence
    proper = i == k
    angle = Signal(f"{body}.angle2")
    measure: Expression = sin(angle) if proper else cos(angle)
    other = "1-2-3" if proper else f"{i}-{j}-{i}"
    remedy = (
        "Describe the attitude by Euler parameters, which have no singular attitude, or by "
        f"another sequence, such as {other}."
    )
    what = f"|{'sin' if proper else 'cos'} θ2| of the {i}-{j}-{k} angles of '{body}' is below"
    near = f"{what} {WARN:g}, close to a singular attitude. {remedy}"
    lost = f"{what} {STOP:g}, where the rates of the other two are undefined. {remedy}"
    return [
        Guard(sign * measure - level, message, stops)
        for level, message, stops in ((STOP, lost, True), (WARN, near, False))
        for sign in (1.0, -1.0)
    ]


def _varies(speeds: LinearSpeeds) -> bool:
    return any(isinstance(entry, Expression) for row in speeds.Y for entry in row)
