"""The order in which speeds and rows are eliminated.

It decides about the time that takes, not about the result.
"""

import numpy as np

Array = np.ndarray


def orders(rows: Array, mass: Array) -> tuple[Array, Array]:
    """Return orders of speeds and rows in which neighbours come close to each other.

    Args:
        rows: Where C is not zero, shape (m, nu).
        mass: Where A is not zero, shape (nu, nu).
    """
    nu = rows.shape[1]
    speeds = _neighbourly(mass | ((rows.T.astype(np.int64) @ rows) > 0))
    places = np.argsort(speeds)
    first = np.where(rows, places, nu).min(axis=1, initial=nu)
    last = np.where(rows, places, -1).max(axis=1, initial=-1)
    return speeds, np.lexsort((last, first)).astype(np.int64)


def _neighbourly(joined: Array) -> Array:
    """Return the order of Cuthill and McKee for a symmetric pattern."""
    degree, left = joined.sum(axis=0), set(range(len(joined)))
    order: list[int] = []
    while left:
        wave = [min(left, key=lambda j: degree[j])]
        wave = [_farthest(joined, wave[0])]
        left.difference_update(wave)
        while wave:
            order += wave
            reached = {int(k) for j in wave for k in np.flatnonzero(joined[j])} & left
            left -= reached
            wave = sorted(reached, key=lambda j: degree[j])
    return np.array(order, dtype=np.int64)


def _farthest(joined: Array, start: int) -> int:
    """Return a member of the last wave that goes out from `start`."""
    seen, wave = {start}, [start]
    while True:
        reached = {int(k) for j in wave for k in np.flatnonzero(joined[j])} - seen
        if not reached:
            return wave[0]
        seen |= reached
        wave = sorted(reached)
