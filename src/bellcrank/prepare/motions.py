"""Prescribed motions by pieces: do their pieces meet?"""

from collections.abc import Mapping

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.formulations.contract.breaks import operations_of
from bellcrank.formulations.contract.switches import switches
from bellcrank.model import Expression, Model
from bellcrank.model.expressions.crossings import SmoothSpans, TooMany, pieces
from bellcrank.model.expressions.enclosures import enclose

JUMP = 1e-8  # of what a motion and its speed are, beyond rounding of their coefficients
UNITS = {True: ("rad", "rad/s"), False: ("m", "m/s")}


def check_motions(model: Model, values: Mapping[str, float], span: tuple[float, float]) -> None:
    """Refuse drivers whose place or speed jumps within a span of time.

    A jump of acceleration is one of the effort, and steps meet it.

    Args:
        model: The machine.
        values: Of parameters by name.
        span: Beginning and end [s].

    Raises:
        NotSupported: Naming the driver, the time and the size of the jump.
    """
    complaints = []
    for driver in model.drivers:
        for coordinate, motion in driver.motion:
            said = _jump(motion, values, (min(span), max(span)), coordinate)
            if said:
                complaints.append(f"driver '{driver.name}', {coordinate}: {said}")
    if complaints:
        raise NotSupported(" ".join(complaints))


def _jump(
    motion: Expression, values: Mapping[str, float], span: tuple[float, float], coordinate: str
) -> str:
    """Return what is said about the first jump of a motion; nothing where there is none."""
    operations = operations_of(s for s in switches([motion]) if s[0].op != "atan2")
    if not operations or span[0] == span[1]:
        return ""
    try:
        parts = pieces(operations, span, values)
    except TooMany:
        return ""  # as many pieces are not looked through
    place, speed = (_sides(motion, parts, values, order) for order in (0, 1))
    units = UNITS[coordinate.startswith("angle")]
    for sides, what, unit in ((place, "it", units[0]), (speed, "its speed", units[1])):
        gap = sides[1] - sides[0]
        size = np.abs(place).max(initial=0.0) / (span[1] - span[0]) if sides is speed else 0.0
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
