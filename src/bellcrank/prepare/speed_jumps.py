"""Laws of speed that jump with a state: no force makes a speed jump, wherever the state passes.

So do the coefficients of a row of speeds, Σ c u = e: where c jumps, u has to, which takes an
impact whose share of energy a row does not say.

A law of time is followed over the span of a run (`motions`). Where a state will be is not known
before the run, so a law of states is looked at on the surfaces on which it switches, z = 0: one
name is moved across such a surface, the others being anywhere, and what the law does there is
compared over two distances. A bend becomes smaller with the distance, a jump does not.
"""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from bellcrank.errors import ExpressionError
from bellcrank.formulations.contract.switches import JUMPING, switches, switching_function
from bellcrank.model.expressions import Expression, Operation, evaluate, signals
from bellcrank.model.expressions.writing import shown

JUMP = 1e-8  # of what the law is, beyond rounding of its coefficients
NEAR, FAR = 1e-9, 1e-6  # of the place where it switches: distances to either side
TRIES, PASSES = 12, 3  # places of the other names, and surfaces met from each, per switch
REACH = np.concatenate([np.linspace(-4.0, 4.0, 65), np.logspace(0.7, 4, 12)])
REACH = np.sort(np.concatenate([REACH, -np.logspace(0.7, 4, 12)]))


REASONS = {True: "which no force can do", False: "by which speeds would jump, too"}
"""What is wrong with a jump: of a speed, which has a unit, and of a coefficient."""


class StateJump(NamedTuple):
    """Where a law jumps: by how much, at which operation, and the name that was moved."""

    size: float
    operation: Operation
    name: str
    place: float

    def told(self, what: str, unit: str) -> str:
        """Return it in words: what jumps, and its unit."""
        return (
            f"{what} jumps by {self.size:.6g}{unit} where {shown(self.operation)!r} does, "
            f"as at {self.name} = {self.place:.6g}, {REASONS[bool(unit)]}. Let its pieces "
            f"meet, as those of interp({self.name}, …) do."
        )


def state_jump(
    law: Expression, values: Mapping[str, float], span: tuple[float, float]
) -> StateJump | None:
    """Return a jump of a law of states, if one is found.

    Args:
        law: An expression of positions, variables, time and parameters.
        values: Of parameters by name.
        span: Of time [s].
    """
    times = (min(span), max(span)) if "t" in signals(law) else (0.0, 1.0)
    return _searched(law, tuple(sorted(values.items())), times)


@lru_cache(maxsize=256)
def _searched(
    law: Expression, values: tuple[tuple[str, float], ...], span: tuple[float, float]
) -> StateJump | None:
    draw = np.random.default_rng(0)
    for switch in switches([law]):
        z, operation = switching_function(switch), switch[0]
        if operation.op not in JUMPING:
            continue
        for number in range(TRIES):
            names = sorted(signals(z))
            at = dict(values) | {
                name: float(draw.uniform(*span) if name == "t" else draw.normal(0.0, 2.0))
                for name in sorted(signals(law))
            }
            name = names[number % len(names)]
            for place in _crossings(z, at, name, span):
                size = _gap(law, at, name, place)
                if size:
                    return StateJump(size, operation, name, place)
    return None


def _crossings(
    z: Expression, at: Mapping[str, float], name: str, span: tuple[float, float]
) -> Iterator[float]:
    """Yield places of one name at which z changes its sign, nearest to zero first."""
    reach = np.linspace(*span, len(REACH)) if name == "t" else REACH
    found = np.array([_value(z, at, name, x) for x in reach]) > 0.0
    changes = np.flatnonzero(found[1:] != found[:-1])
    for i in sorted(changes, key=lambda i: abs(reach[i]))[:PASSES]:
        low, high = float(reach[i]), float(reach[i + 1])
        while low < (middle := 0.5 * (low + high)) < high:
            if (_value(z, at, name, middle) > 0.0) == found[i]:
                low = middle
            else:
                high = middle
        yield 0.0 if abs(low) < 1e-12 else low


def _gap(law: Expression, at: Mapping[str, float], name: str, place: float) -> float:
    """Return by how much a law jumps at a place; zero where it does not."""
    gaps, size = [], 0.0
    for distance in (NEAR, FAR):
        away = distance * max(abs(place), 1.0)
        before, after = (_value(law, at, name, place + side * away) for side in (-1, 1))
        gaps.append(after - before)
        size = max(size, abs(before), abs(after))
    near, far = np.abs(gaps)  # not numbers where the law has no value
    return float(gaps[0]) if near > max(JUMP * size, 0.5 * far) else 0.0


def _value(expr: Expression, at: Mapping[str, float], name: str, x: float) -> float:
    try:
        return evaluate(expr, {**at, name: float(x)})
    except ExpressionError:  # it has no finite value there
        return float("nan")
