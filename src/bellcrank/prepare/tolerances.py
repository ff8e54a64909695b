"""What an absolute tolerance means for a machine: of its length, of a radian, of its motion."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bellcrank.formulations import Equations
from bellcrank.integrators.scales import (
    ANGLE,
    ANGLE_RATE,
    GROUPS,
    LENGTH,
    LENGTH_RATE,
    OTHER,
    Scales,
)
from bellcrank.model.elements.variables import Variable, usual_size
from bellcrank.units import QUANTITIES

ROUNDING = 1e-15  # of a nominal size: tolerances below it ask for digits that do not exist
METRES = ("m", "m/s")
Array = np.ndarray
NONE = np.zeros(0)
AXES = "xyz"


def scales(
    equations: Equations,
    atol: float,
    inertias: np.ndarray | None = None,
    variables: Sequence[Variable] = (),
    s: Array = NONE,
) -> Scales:
    """Return the absolute tolerances of a machine's states.

    Args:
        equations: The machine.
        atol: The tolerance of a unit of motion.
        inertias: The diagonal of A where rows tie speeds together, shape (nu,).
        variables: The user's own; those without a given scale have the size they begin with.
        s: Their values where the run begins.
    """
    nominal, group, rounding = _described(equations)
    most = atol * nominal
    for place, (each, start) in enumerate(zip(variables, s, strict=True), -len(variables)):
        if each.scale is None:
            most[place] = atol * usual_size(float(start))
    lever = 0.0 if inertias is None else _lever(equations, inertias.tobytes())
    return Scales(atol, most, group, rounding, lever)


def nominal_scales(equations: Equations) -> np.ndarray:
    """Return the nominal sizes of all states, shape (nx,)."""
    return _described(equations)[0]


@lru_cache(maxsize=128)
def _lever(equations: Equations, diagonal: bytes) -> float:
    """Return √(largest moment / least mass) of speeds, 0 where there are none of both [m]."""
    inertias, nq = np.frombuffer(diagonal), len(equations.coordinates)
    group = _described(equations)[1][nq : nq + len(inertias)]
    masses = inertias[(group == LENGTH_RATE) & (inertias > 0.0)]
    moments = inertias[group == ANGLE_RATE]
    if not masses.size or not moments.size:
        return 0.0
    return float(np.sqrt(max(moments.max(), 0.0) / masses.min()))


def nominal_sizes(equations: Equations, x: np.ndarray) -> np.ndarray:
    """Return sizes by which the round-off of states of different units is compared, (nx,).

    They are the nominal ones. Where no row ties lengths to angles, as of satellites that float
    apart, lengths are at least as large as the largest of them, whose round-off they have, and
    rates of lengths likewise: what is small for an orbit is not small for an attitude.

    Args:
        equations: The machine.
        x: The state.
    """
    sizes, apart = _compared(equations)
    if not apart:
        return sizes
    found = sizes.copy()
    for like in apart:
        found[like] = np.maximum(found[like], np.abs(x[like]).max())
    return found


@lru_cache(maxsize=128)
def vectors(equations: Equations) -> dict[str, Any]:
    """Return which states are components of a position or a velocity, and the nominal length.

    Where the machine is planar, the third is -1. A single position has nothing to be compared
    with.
    """
    found: dict[str, list[int]] = {}
    sizes, group, _ = _described(equations)
    for n, each in enumerate((*equations.coordinates, *equations.speeds)):
        name, _, axis = each.name.rpartition("_")
        if each.quantity in ("position", "velocity") and axis in AXES:
            found.setdefault(name, [-1, -1, -1])[AXES.index(axis)] = n
    whole = [each for each in found.values() if min(each[:2]) >= 0]
    if len(whole) < 3:
        return {}
    length = float(sizes[group == LENGTH].max(initial=0.0))
    return {"vectors": np.array(whole, dtype=float), "length": length}


@lru_cache(maxsize=128)
def _compared(equations: Equations) -> tuple[np.ndarray, tuple[np.ndarray, ...]]:
    """Return nominal sizes, and which states are lengths and which their rates, if apart."""
    sizes, group, _ = _described(equations)
    found = np.where(sizes > 0.0, sizes, 1.0)
    if any(row.kind != "norm" for row in equations.rows):
        return found, ()
    like = (np.flatnonzero(group == kind) for kind in (LENGTH, LENGTH_RATE))
    return found, tuple(each for each in like if each.size)


@lru_cache(maxsize=128)
def _described(equations: Equations) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nominal size and kind of every state, and the rounding of every kind."""
    nq, more = len(equations.coordinates), len(equations.auxiliary)
    variables = (*equations.coordinates, *equations.speeds)
    long = np.array([QUANTITIES[v.quantity].unit in METRES for v in variables], dtype=bool)
    late = np.arange(len(variables)) >= nq
    group = np.where(long, LENGTH, ANGLE) + np.where(late, LENGTH_RATE - LENGTH, 0)
    nominal = np.array([v.scale for v in variables])
    rounding = np.zeros(GROUPS)
    rounding[ANGLE] = ROUNDING
    if not equations.lengthless:
        rounding[LENGTH] = ROUNDING * nominal[group == LENGTH].max(initial=0.0)
    return (
        np.append(nominal, [v.scale for v in equations.auxiliary]),
        np.append(group, np.full(more, OTHER)).astype(float),
        rounding,
    )
