"""How close to a singular position values are taken from neighbouring points instead.

At a distance d from a singular position round-off leaves about ε/d³ of accelerations. What a
run with loose tolerances does not see need not be interpolated: it begins farther off the less
is tolerated. See `native.near_singular`.
"""

from dataclasses import dataclass

STRICT = 1e-10  # relative tolerance at which it begins
FARTHEST = 0.03  # as far off, in nominal units of the coordinates,
CLOSEST = 0.0065  # and at any looser one: there it takes little of a run
STEEP = 2 / 3  # of tolerances; by 1/3 errors would be the same part of them, without a margin
NODES = 12  # neighbouring points, where they are far apart
FEW = 8  # and where they are as close as they may be
PIVOTS = 0.03  # pivots against the best seen, as far off,
LEAST_PIVOTS = 0.008  # and as close
SINES = 0.01  # squared sines between rows against the best seen, as far off


@dataclass(frozen=True)
class Nearness:
    """When a position is close to a singular one.

    Attributes:
        aside: Where the first neighbouring point is at most, seen from the singular position,
            in nominal units of the coordinates.
        nodes: How many of them there are, on both sides.
        pivots: Pivots against the best seen, below which one looks for it.
        sines: Squared sines between rows against the best seen, below which one does.
    """

    aside: float
    nodes: int
    pivots: float
    sines: float


def nearness(rtol: float | None) -> Nearness:
    """Return when a position is close to a singular one, for a run.

    Args:
        rtol: Its relative tolerance; None where steps are fixed, which is the strictest.

    Examples:
        >>> nearness(1e-9).aside
        0.0065
        >>> nearness(None).aside
        0.03
    """
    part = 1.0 if rtol is None else (STRICT / max(rtol, STRICT)) ** STEEP
    aside = max(FARTHEST * part, CLOSEST)
    return Nearness(
        aside=aside,
        nodes=FEW if aside == CLOSEST else NODES,
        pivots=max(PIVOTS * part, LEAST_PIVOTS),
        sines=SINES * part**2,
    )
