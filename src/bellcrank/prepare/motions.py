"""Prescribed motions by pieces: do their pieces meet?"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bellcrank.errors import ExpressionError, NotSupported
from bellcrank.formulations.contract.breaks import operations_of
from bellcrank.formulations.contract.switches import switches
from bellcrank.model import Expression, Model, VelocityConstraint
from bellcrank.model.expressions import evaluate, inputs, signals
from bellcrank.model.expressions.crossings import SmoothSpans, TooMany, pieces
from bellcrank.model.expressions.enclosures import enclose
from bellcrank.prepare.speed_jumps import REASONS, state_jump

JUMP = 1e-8  # of what a motion and its speed are, beyond rounding of their coefficients
BLUR = 1e-6  # rounding of an angle [rad] that is too much
EPS = 2.0**-52
NEAR = 2.0**-49  # of the largest time, within which an edge is known: 8 units of rounding
LED = {
    True: (("it", " rad"), ("its speed", " rad/s")),
    False: (("it", " m"), ("its speed", " m/s")),
}
"""What may not jump of an angle and of a length that are led, and its unit."""


class PrescribedMotion(NamedTuple):
    """A law that leads something: a place by time, a speed or a coefficient by states as well.

    Attributes:
        owner: Whose it is, in words.
        law: Of a place, of a speed, or of a coefficient of a row of speeds.
        led: What may not jump, in words with its unit: a place and its speed, a speed that is
            led, or a coefficient.
    """

    owner: str
    law: Expression
    led: tuple[tuple[str, str], ...]


@lru_cache(maxsize=128)
def _prescribed(model: Model) -> tuple[PrescribedMotion, ...]:
    """Return motions of drivers, and speeds and coefficients of rows that ask for speeds."""
    found = [
        PrescribedMotion(
            f"driver '{driver.name}', {coordinate}", motion, LED[coordinate[:5] == "angle"]
        )
        for driver in model.drivers
        for coordinate, motion in driver.motion
    ]
    for row in model.constraints:
        if not isinstance(row, VelocityConstraint):
            continue
        owner = f"constraint '{row.name}'"
        if not inputs(row.equals):
            (_, kind, _), *_ = row.quantities(model)
            found.append(PrescribedMotion(owner, row.equals, LED[kind == "torque"][1:]))
        found += [
            PrescribedMotion(owner, law, ((f"the coefficient of '{speed}'", ""),))
            for speed, law in row.terms
            if isinstance(law, Expression) and not inputs(law)
        ]
    return tuple(found)


def check_motions(model: Model, values: Mapping[str, float], span: tuple[float, float]) -> None:
    """Refuse drivers whose place or speed jumps within a span of time, and rows of speeds.

    What is before and after an edge is bounded, rounding of the edge and of every part of the
    law included: a jump is where the bounds are apart, by more than `JUMP` of what the law is.
    Rows of speeds that jump with a state are refused wherever the state will be. A jump of
    acceleration is one of the effort, and steps meet it. Angles are refused where they become
    so large that double precision has no digits left for them.

    Args:
        model: The machine.
        values: Of parameters by name.
        span: Beginning and end [s].

    Raises:
        NotSupported: Naming the driver, the time or the state, and the size of the jump.
    """
    complaints = []
    for owner, law, led in _prescribed(model):
        if _of_time(law):
            said = _jump(law, values, (min(span), max(span)), led)
            said = said or (_coarse(law, values, span) if led is LED[True] else "")
        else:
            jump = state_jump(law, values, span)
            said = "" if jump is None else jump.told(*led[-1])
        if said:
            complaints.append(f"{owner}: {said}")
    if complaints:
        raise NotSupported(" ".join(complaints))


def _of_time(law: Expression) -> bool:
    return not signals(law) - {"t"}


def _coarse(motion: Expression, values: Mapping[str, float], span: tuple[float, float]) -> str:
    """Return what is said where rounding of an angle at either end is more than `BLUR`."""
    for t in span:
        try:
            angle = evaluate(motion, {**values, "t": t})
        except ExpressionError:  # told where it is met
            continue
        if (blur := EPS * abs(angle)) > BLUR:
            return (
                f"it is {angle:.3g} rad at t = {t:.9g} s, which rounding knows to {blur:.1g} "
                "rad only: no step is short enough. Take a slower law, or less time."
            )
    return ""


def _jump(
    motion: Expression,
    values: Mapping[str, float],
    span: tuple[float, float],
    led: tuple[tuple[str, str], ...],
) -> str:
    """Return what is said about the first jump of a motion; nothing where there is none.

    Args:
        motion: Its law, an expression of time and parameters.
        values: Of parameters by name.
        span: Beginning and end [s].
        led: As of `PrescribedMotion`.
    """
    operations = operations_of(s for s in switches([motion]) if s[0].op != "atan2")
    if not operations or span[0] == span[1]:
        return ""
    try:
        parts = pieces(operations, span, values)
    except TooMany:
        return ""  # as many pieces are not looked through
    orders = [_sides(motion, parts, values, order) for order in range(len(led))]
    for sides, (what, unit) in zip(orders, led, strict=True):
        size = 0.0 if sides is orders[0] else orders[0].size / (span[1] - span[0])
        bad = np.flatnonzero(sides.apart & (np.abs(sides.gaps) > JUMP * (sides.size + size)))
        if bad.size:
            t = parts.edges[1 + bad[0]]
            return (
                f"{what} jumps by {sides.gaps[bad[0]]:.6g}{unit} at t = {t:.9g} s, "
                f"{REASONS[bool(unit)]}. Let its pieces meet, or take a law such as "
                "cycloidal((t - t0)/T)."
            )
    return ""


class _Sides(NamedTuple):
    """Bounds of a law, or of its speed, before and after each inner edge, shape (2, edges)."""

    lo: np.ndarray
    hi: np.ndarray

    @property
    def gaps(self) -> np.ndarray:
        """By how much it jumps at each edge."""
        before, after = 0.5 * (self.lo + self.hi)
        return after - before

    @property
    def apart(self) -> np.ndarray:
        """Whether rounding alone cannot be what parts the sides of an edge."""
        return (self.lo[1] > self.hi[0]) | (self.hi[1] < self.lo[0])

    @property
    def size(self) -> float:
        """The largest there is at any edge."""
        return float(np.abs(0.5 * (self.lo + self.hi)).max(initial=0.0))


def _sides(
    motion: Expression, parts: SmoothSpans, values: Mapping[str, float], order: int
) -> _Sides:
    """Return a derivative of a motion before and after each inner edge.

    An edge is where it is within `NEAR`; the bounds are those of all times that near.
    """
    edges, found = parts.edges[1:-1], []
    near = NEAR * np.abs(parts.edges).max()
    cells = edges - near, edges + near
    for side in (slice(None, -1), slice(1, None)):
        ways = {operation: way[side] for operation, way in parts.branches.items()}
        jet, _ = enclose(motion, cells, values, order, ways)
        found.append([
            np.broadcast_to(bound, edges.shape) for bound in jet[order] or (0.0, 0.0)
        ])
    lo, hi = np.array(found).transpose(1, 0, 2)
    return _Sides(lo, hi)
