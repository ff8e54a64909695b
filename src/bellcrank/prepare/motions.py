"""Prescribed motions by pieces: do their pieces meet?"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.formulations.contract.breaks import operations_of
from bellcrank.formulations.contract.switches import switches
from bellcrank.model import Expression, Model, VelocityConstraint
from bellcrank.model.expressions import inputs, signals
from bellcrank.model.expressions.crossings import SmoothSpans, TooMany, pieces
from bellcrank.model.expressions.enclosures import enclose
from bellcrank.prepare.speed_jumps import state_jump

JUMP = 1e-8  # of what a motion and its speed are, beyond rounding of their coefficients
UNITS = {True: ("rad", "rad/s"), False: ("m", "m/s")}


class PrescribedMotion(NamedTuple):
    """A law that leads something: a place by time, a speed by states as well.

    Attributes:
        owner: Whose it is, in words.
        law: Of a place, or of a speed.
        units: Of what may not jump: of the place and the speed, or of a speed that is led.
    """

    owner: str
    law: Expression
    units: tuple[str, ...]


@lru_cache(maxsize=128)
def _prescribed(model: Model) -> tuple[PrescribedMotion, ...]:
    """Return the motions of drivers, and the speeds that rows ask for."""
    found = [
        PrescribedMotion(
            f"driver '{driver.name}', {coordinate}", motion, UNITS[coordinate[:5] == "angle"]
        )
        for driver in model.drivers
        for coordinate, motion in driver.motion
    ]
    for row in model.constraints:
        if isinstance(row, VelocityConstraint) and not inputs(row.equals):
            (_, kind, _), *_ = row.quantities(model)
            units = UNITS[kind == "torque"][1:]
            found.append(PrescribedMotion(f"constraint '{row.name}'", row.equals, units))
    return tuple(found)


def check_motions(model: Model, values: Mapping[str, float], span: tuple[float, float]) -> None:
    """Refuse drivers whose place or speed jumps within a span of time, and rows of speeds.

    Rows of speeds that jump with a state are refused wherever the state will be. A jump of
    acceleration is one of the effort, and steps meet it.

    Args:
        model: The machine.
        values: Of parameters by name.
        span: Beginning and end [s].

    Raises:
        NotSupported: Naming the driver, the time or the state, and the size of the jump.
    """
    complaints = []
    for owner, law, units in _prescribed(model):
        if _of_time(law):
            said = _jump(law, values, (min(span), max(span)), units)
        else:
            jump = state_jump(law, values, span)
            said = "" if jump is None else jump.told(units[-1])
        if said:
            complaints.append(f"{owner}: {said}")
    if complaints:
        raise NotSupported(" ".join(complaints))


def _of_time(law: Expression) -> bool:
    return not signals(law) - {"t"}


def _jump(
    motion: Expression,
    values: Mapping[str, float],
    span: tuple[float, float],
    units: tuple[str, ...],
) -> str:
    """Return what is said about the first jump of a motion; nothing where there is none.

    Args:
        motion: Its law, an expression of time and parameters.
        values: Of parameters by name.
        span: Beginning and end [s].
        units: Of what may not jump: of the place and the speed, or of a speed that is led.
    """
    operations = operations_of(s for s in switches([motion]) if s[0].op != "atan2")
    if not operations or span[0] == span[1]:
        return ""
    try:
        parts = pieces(operations, span, values)
    except TooMany:
        return ""  # as many pieces are not looked through
    led = [_sides(motion, parts, values, order) for order in range(len(units))]
    words = ("it", "its speed")[-len(units) :]
    for sides, what, unit in zip(led, words, units, strict=True):
        gap = sides[1] - sides[0]
        size = 0.0 if sides is led[0] else np.abs(led[0]).max(initial=0.0) / (span[1] - span[0])
        bad = np.flatnonzero(np.abs(gap) > JUMP * (np.abs(sides).max(initial=0.0) + size))
        if bad.size:
            t = parts.edges[1 + bad[0]]
            return (
                f"{what} jumps by {gap[bad[0]]:.6g} {unit} at t = {t:.9g} s, which no force "
                "can do. Let its pieces meet, or take a law such as cycloidal((t - t0)/T)."
            )
    return ""


def _sides(
    motion: Expression, parts: SmoothSpans, values: Mapping[str, float], order: int
) -> np.ndarray:
    """Return a derivative of a motion before and after each inner edge, shape (2, edges)."""
    t, found = parts.edges[1:-1], []
    for side in (slice(None, -1), slice(1, None)):
        ways = {operation: way[side] for operation, way in parts.branches.items()}
        jet, _ = enclose(motion, (t, t), values, order, ways)
        lo, hi = jet[order] or (0.0, 0.0)
        found.append(np.broadcast_to(0.5 * (np.asarray(lo) + hi), t.shape))
    return np.array(found)
