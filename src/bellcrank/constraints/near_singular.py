"""How close to a singular position values are taken from neighbouring points instead.

Close to it rows are nearly dependent: round-off leaves ε/d³ of accelerations, with d the
smallest pivot against the best seen. What a run with loose tolerances does not see need not be
interpolated: it begins farther off the less is tolerated. See `native.near_singular`.
"""

STRICT = 1e-10  # relative tolerance at which it begins
PIVOTS = 0.03  # at such pivots against the best seen,
LEAST_PIVOTS = 0.008  # and at these at any looser tolerance
SINES = 0.01  # squared sines between rows against the best seen, at which one looks at pivots
STEEP = 2 / 3  # of tolerances; by 1/3 errors would be the same part of them, without a margin
NODES = 12  # neighbouring points, on both sides of the singular position:
FARTHEST = 0.03  # how far off it the first two are, at most, in nominal units of coordinates,
CLOSEST = 5e-4  # and at least


def suspect_pivots(rtol: float | None) -> float:
    """Return pivots against the best seen, at which a run looks for a singular position.

    Args:
        rtol: Its relative tolerance; None where steps are fixed, which is the strictest.

    Examples:
        >>> suspect_pivots(1e-9), suspect_pivots(None)
        (0.008, 0.03)
    """
    return max(PIVOTS * _part(rtol), LEAST_PIVOTS)


def suspect_sines(rtol: float | None) -> float:
    """Return the same for squared sines between rows; argument as of `suspect_pivots`."""
    return SINES * _part(rtol) ** 2


def looseness(rtol: float | None) -> float:
    """Return how many times as much as of the strictest run may be left out of values.

    Args:
        rtol: As of `suspect_pivots`.

    Examples:
        >>> looseness(1e-10), looseness(None)
        (1.0, 1.0)
    """
    return 1.0 / _part(rtol)


def _part(rtol: float | None) -> float:
    return 1.0 if rtol is None else (STRICT / max(rtol, STRICT)) ** STEEP
