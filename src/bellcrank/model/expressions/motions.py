"""The usual laws of motion: from 0 to 1 while x goes from 0 to 1, at rest before and after.

All are twice differentiable. A motion of height h within T seconds from t0 on is
`h*cycloidal((t - t0)/T)`.

References:
    Norton (2009), Cam Design and Manufacturing Handbook, ch. 3.
"""

from math import pi
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.functions import (
    cos,
    maximum,
    minimum,
    mod,
    sin,
    where,
)
from bellcrank.model.expressions.tree import Operators


def _within(x: Any) -> Any:
    return minimum(maximum(x, 0.0), 1.0)


def cycloidal(x: Any) -> Any:
    """Return u − sin(2πu)/2π of u = x between 0 and 1: acceleration is a full sine.

    Examples:
        >>> cycloidal(0.5)
        0.5
    """
    u = _within(x)
    return u - sin(2 * pi * u) * (0.5 / pi)


def modified_sine(x: Any) -> Any:
    """Return the modified sine: quarters of a quick sine, and of a slow one between them.

    Its largest speed is 1.760 and its largest acceleration 5.528, for a rise of 1 in 1.

    Examples:
        >>> import bellcrank as bc
        >>> bc.modified_sine(0.5)
        0.49999999999999994
    """
    u = _within(x)
    scale = 1.0 / (4.0 + pi)
    first = scale * (pi * u - 0.25 * sin(4 * pi * u))
    middle = scale * (2.0 + pi * u - 2.25 * sin((pi + 4 * pi * u) / 3))
    last = scale * (4.0 + pi * u - 0.25 * sin(4 * pi * u))
    return where(u < 0.125, first, where(u < 0.875, middle, last))


def trapezoid(x: Any, ramp: Any = 0.25) -> Any:
    """Return a motion of constant speed, with rounded ramps at both ends.

    Acceleration is (1 − cos) over each ramp, so that it is smooth as well.

    Args:
        x: From 0 to 1.
        ramp: Part of the time that each ramp takes, above 0 and at most 0.5.

    Raises:
        ExpressionError: The part is another number.

    Examples:
        >>> import bellcrank as bc
        >>> bc.trapezoid(0.5)
        0.5
    """
    if not isinstance(ramp, Operators) and not 0.0 < ramp <= 0.5:
        raise ExpressionError(f"trapezoid: the ramp is above 0 and at most 0.5, got {ramp:g}.")
    u = _within(x)

    def risen(v: Any) -> Any:
        wave = ramp * (cos(2 * pi * v / ramp) - 1.0) * (0.25 / pi**2)
        return (v * v / (2 * ramp) + wave) / (1 - ramp)

    middle = (u - 0.5 * ramp) / (1 - ramp)
    return where(u < ramp, risen(u), where(u <= 1 - ramp, middle, 1 - risen(1 - u)))


def dwell(x: Any, rise: Any, stay: Any, fall: Any) -> Any:
    """Return rise, dwell, return, dwell, again and again, each rise and fall cycloidal.

    Args:
        x: Counts periods: an angle over 2π, a time over the period.
        rise: Part of the period in which it goes from 0 to 1.
        stay: Part in which it stays at 1.
        fall: Part in which it goes back; for the rest it is 0.

    Raises:
        ExpressionError: The parts are more than the period, or one is not positive.

    Examples:
        >>> import bellcrank as bc
        >>> bc.dwell(0.5, 0.25, 0.25, 0.25)
        1.0
    """
    parts = (rise, stay, fall)
    known = not any(isinstance(part, Operators) for part in parts)
    if known and (rise <= 0.0 or fall <= 0.0 or stay < 0.0 or sum(parts) > 1.0):
        told = ", ".join(f"{part:g}" for part in parts)
        raise ExpressionError(
            "dwell: rise and fall are positive, stay is not negative, and they are at most "
            f"1 together, got {told}."
        )
    u = mod(x, 1.0)
    return cycloidal(u / rise) - cycloidal((u - rise - stay) / fall)


MOTIONS = {each.__name__: each for each in (cycloidal, modified_sine, trapezoid, dwell)}
"""By the names they have in expressions."""
