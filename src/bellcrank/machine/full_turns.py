"""Full turns of angles at a start: of sums of coordinates, and those that nobody asked for."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from bellcrank.errors import StartError
from bellcrank.machine.system import System

TURN = 2 * np.pi

Terms = tuple[tuple[int, float], ...]
"""Places in q and factors ±1."""


def with_full_turns(
    q: np.ndarray,
    sums: Mapping[str, Terms],
    seen: Mapping[str, Any],
    wanted: Mapping[str, Any],
    held: Collection[int] = (),
    said: Collection[str] = (),
) -> np.ndarray:
    """Return coordinates turned by full turns, so that their sums show what is wanted.

    The machine stands where it stood. Of each sum the first coordinate that is not held turns.

    Args:
        q: The coordinates, shape (..., nq).
        sums: Angles that are sums of coordinates, by name (`Equations.sums`).
        seen: Those angles as they are at q [rad], shape (...).
        wanted: Angles by name [rad], likewise; only their full turns count.
        held: Places in q that must stay.
        said: Names of the angles that the user named.

    Raises:
        StartError: An angle that the user named differs by full turns from what else was named.
    """
    before, q = q, q.copy()
    for name, terms in sums.items():
        if name not in wanted:
            continue
        now = seen[name] + sum(f * (q[..., i] - before[..., i]) for i, f in terms)
        turns = np.round((wanted[name] - now) / TURN)
        free = [(i, factor) for i, factor in terms if i not in held]
        if free:
            place, factor = free[0]
            q[..., place] += TURN * turns * factor
        elif np.any(turns) and name in said:
            raise StartError(
                f"start gives '{name}' = {wanted[name]:.9g}, but the other angles named there, "
                f"of which it is a sum, make it {now:.9g}. Name fewer of them."
            )
    return q


def unasked_turns(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray, start: object
) -> dict[str, float]:
    """Return how far angles begin from the drawing that could be a turn nearer [rad], by name.

    Constraints close as well a full turn nearer, and what is named does not explain the turn:
    bodies turn by up to half a turn besides, and an angle between two by the sum of theirs. A
    gear does not close there, and is not among them.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u, s].
        w: Inputs.
        p: Parameter values in order.
        start: What was named.
    """
    equations, q = system.equations, x[: len(system.coordinates)]
    if not equations.has("position") or not isinstance(start, Mapping) or not start:
        return {}
    if np.abs(q).max() <= np.pi / 2:  # then a drawing within as much is no turn away
        return {}
    drawn = equations.drawing(dict(zip(system.parameters, p.tolist(), strict=True)))
    turns = np.round((q - drawn) / TURN)
    if not turns.any():
        return {}
    explained, found = np.pi + sum(_named(*each) for each in start.items()), {}
    for n in np.flatnonzero(np.abs(q - drawn) > explained):
        nearer = q.copy()
        nearer[n] -= TURN * turns[n]
        here, there = (
            system.ask("position", system.at_rest(t, each, w, p), level=0)[0]
            for each in (q, nearer)
        )
        scale = system.row_scales(p)[: len(here)]
        angle = equations.coordinates[n].quantity == "angle"
        if angle and (np.abs(there - here) <= 1e-9 * scale).all():
            found[system.coordinates[n]] = float(q[n] - drawn[n])
    return found


def _named(name: str, value: Any) -> float:
    """Return how far a start value is from zero, 0 for a rate [rad]."""
    if name.endswith("_rate"):
        return 0.0
    try:
        return float(np.abs(np.asarray(value, dtype=float)).sum())
    except (TypeError, ValueError, OverflowError):
        return np.inf
