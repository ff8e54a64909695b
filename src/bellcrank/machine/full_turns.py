"""Full turns of angles that are sums of coordinates, at a start."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from bellcrank.errors import StartError

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
                f"'{name}' is asked to be {wanted[name]:.9g} and is {now:.9g} with what else "
                "start names: it is a sum of those angles. Name fewer of them."
            )
    return q
