"""Which instants a sweep over time passes, so that it goes where its laws lead.

What leads a linkage is a path g(t) of the gaps that its laws open at a position. A sweep goes
along straight pieces of it: however fast a law is, a piece that does not bend is one piece.
"""

from itertools import pairwise

import numpy as np

Array = np.ndarray
LOOKS = 16384  # instants at which laws are looked at
INSIDE = 9  # of them in a piece of a law that is as short as the time between two
APART = 0.25  # [rad, lengths of the machine] that laws may move between values come to at once
BENT = 0.03  # that pieces may be off from the path


def instants(values: Array, times: Array, g: Array) -> Array:
    """Return the instants at which straight pieces of a path meet, the first one left out.

    Args:
        values: That are wanted, some of the times.
        times: In the order they are passed, shape (n,).
        g: The path in nominal sizes there, shape (n, m).
    """
    anchors = _anchors(np.isin(times, values), g)
    kept = {anchors[-1]}
    for first, last in pairwise(anchors):
        kept |= {first, *_bends(g, first, last)}
    return times[sorted(kept - {0})]


def _anchors(wanted: Array, g: Array) -> list[int]:
    """Return the wanted places between which the path is not longer than `APART`, if it can."""
    gone = np.append(0.0, np.cumsum(np.abs(np.diff(g, axis=0)).max(axis=1, initial=0.0)))
    found, places = [0], np.flatnonzero(wanted[1:-1]) + 1
    for before, place in zip(np.append(0, places[:-1]), places, strict=False):
        if gone[place] - gone[found[-1]] > APART:
            if before > found[-1]:
                found.append(int(before))
            if gone[place] - gone[found[-1]] > APART:
                found.append(int(place))
    if places.size and places[-1] > found[-1] and gone[-1] - gone[found[-1]] > APART:
        found.append(int(places[-1]))
    return [*found, len(g) - 1]


def _bends(g: Array, first: int, last: int) -> list[int]:
    """Return where a path between two places is broken into pieces that are straight."""
    found, left = [], [(first, last)]
    while left:
        a, b = left.pop()
        if b - a < 2:
            continue
        chord, inner = g[b] - g[a], g[a + 1 : b] - g[a]
        along = np.clip(inner @ chord / max(float(chord @ chord), 1e-300), 0.0, 1.0)
        off = np.abs(inner - along[:, None] * chord).max(axis=1, initial=0.0)
        # Forth and back on one line is no bend to the side, but is one.
        back = np.maximum.accumulate(along) - along
        off = np.maximum(off, back * np.abs(chord).max(initial=0.0))
        if off.max() > BENT:
            middle = a + 1 + int(np.argmax(off))
            found.append(middle)
            left += [(a, middle), (middle, b)]
    return found
