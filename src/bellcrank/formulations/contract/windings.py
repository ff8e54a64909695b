"""Angles that relations take from two lengths, atan2(y, x), followed over full turns.

A relation that stays zero is smooth along the motion, atan2 jumps by 2π. Where a relation is
linear in it, Φ = a + c atan2(y, x), the rest of it says what turn the angle is in, as the
travel of a screw does (`unwrapped`):

    θ = atan2(y, x) + 2π n,    a + c θ = Φ − J round(Φ/J),    J = 2π c

so that no memory is needed: it holds up to whole turns. Where it is not linear and jumps, as
atan2(y, x)³ does, or bends, as its square does, a run that comes there is stopped.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import cos, pi

import numpy as np

from bellcrank.errors import ExpressionError
from bellcrank.formulations.contract.equations import Guard
from bellcrank.model import Expression, Model, Relation
from bellcrank.model.expressions import (
    Constant,
    Operation,
    Signal,
    derivative,
    evaluate,
    signals,
    sqrt,
    substitute,
    walk,
)

ANGLE = Signal("winding")
"""Stands for one atan2 in a relation."""
TRIES = 8  # places at which the two sides of a jump are compared
ONES = (Constant(1.0), Constant(-1.0))
ROUGH = 1e-3  # of the relation: tables that end near π, as typed, are taken for periodic
NEAR = 2e-3  # of the jump [rad], where a run is stopped


@lru_cache(maxsize=256)
def winding(zero: Expression) -> Expression | None:
    """Return J, by what a relation changes where its angles go on by a turn.

    None where it has no angles by atan2 or is not linear in them; and where there are several
    that do not all count as they are, by ±1, so that they have no turn in common.
    """
    slopes = [slope for slope in map(_slope, _replaced(zero)) if slope != Constant(0.0)]
    if not slopes or any(signals(slope) for slope in slopes):
        return None
    if len(slopes) > 1 and any(slope not in ONES for slope in slopes):
        return None
    return 2.0 * pi * slopes[0]


def winding_guards(model: Model) -> tuple[Guard, ...]:
    """Return what stops a run where a relation is not smooth in an atan2, as at its jump."""
    return tuple(
        Guard(
            _open(*node.args),
            f"the relation '{each.name}' is not smooth where its atan2 jumps, at half a turn. "
            "Let it be linear in it, as 'A.angle - 2*atan2(y, x)' is, and it is followed over "
            "full turns; or take the coordinate of a joint.",
        )
        for each in model.constraints
        if isinstance(each, Relation) and winding(each.zero) is None
        for node in _angles(each.zero)
        if _jumps(substitute(each.zero, {node: ANGLE}))
    )


def _open(y: Expression, x: Expression) -> Expression:
    """Return x + cos(δ) √(x² + y²), positive up to δ from the jump, and smooth across it."""
    return x + cos(NEAR) * sqrt(x * x + y * y)


def _angles(zero: Expression) -> Iterator[Operation]:
    """Yield every angle by atan2 that changes."""
    for node in walk(zero):
        if isinstance(node, Operation) and node.op == "atan2" and signals(node):
            yield node


def _replaced(zero: Expression) -> Iterator[Expression]:
    """Yield a relation with each of its angles in turn called `ANGLE`."""
    for node in dict.fromkeys(_angles(zero)):
        yield substitute(zero, {node: ANGLE})


def _slope(law: Expression) -> Expression:
    return derivative(law, ANGLE.name)


def _jumps(law: Expression) -> bool:
    """Return whether a law of `ANGLE`, or its slope, has another value at π than at −π."""
    return any(map(_differs, (law, _slope(law))))


def _differs(law: Expression) -> bool:
    draw, found = np.random.default_rng(0), False
    for _ in range(TRIES):
        at = {name: float(draw.normal(0.0, 2.0)) for name in sorted(signals(law))}
        try:
            one, other = (evaluate(law, at | {ANGLE.name: side * pi}) for side in (1.0, -1.0))
        except ExpressionError:  # it has no finite value there
            continue
        found |= abs(one - other) > ROUGH * (abs(one) + abs(other))
    return found
