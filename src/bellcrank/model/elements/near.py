"""Start values that choose, and are not held."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Near:
    """A start value that is not held: assembly begins there in place of the drawing.

    It chooses between positions that all have what is named: `start={"A": 1.1, "D": Near(2)}`
    is the one with the rocker near 2 rad. Of a rate, it chooses between branches of the motion.

    Attributes:
        value: Where to begin, in the unit of what it is given for.

    Examples:
        >>> import bellcrank as bc
        >>> start = {"A": 1.1, "D": bc.Near(-2.5)}  # A is held, D chooses the branch
    """

    value: float | Sequence[float]
