"""Interval arithmetic on arrays: bounds that hold for every point of many cells at once.

An interval is a pair (lo, hi) of arrays of one shape, or of plain numbers; results are rounded
outwards, so that a value is never outside its bounds. Where an operation is not defined on a
part of an interval, the bounds are those of the rest.

References:
    Moore, Kearfott, Cloud (2009), Introduction to Interval Analysis.
"""

from collections.abc import Callable
from math import inf, pi
from typing import Any

import numpy as np

Interval = tuple[Any, Any]

EPSILON = 2.0**-52
FUNCTION = 8 * EPSILON  # relative error allowed to the functions of NumPy: 4 units, twice
ZERO, ONE = (0.0, 0.0), (1.0, 1.0)


def outward(lo: Any, hi: Any, relative: float = EPSILON) -> Interval:
    """Return the bounds moved apart by a relative rounding error."""
    return lo - relative * np.abs(lo), hi + relative * np.abs(hi)


def _clean(value: Any) -> Any:
    """Return 0 where 0 · ∞ was multiplied: the zero is exact, the bound is not a value."""
    return np.where(np.isnan(value), 0.0, value) if np.isnan(value).any() else value


def add(a: Interval, b: Interval) -> Interval:
    """Return a + b."""
    lo, hi = outward(a[0] + b[0], a[1] + b[1])
    return np.where(np.isnan(lo), -inf, lo), np.where(np.isnan(hi), inf, hi)


def neg(a: Interval) -> Interval:
    """Return −a."""
    return -a[1], -a[0]


def scale(a: Interval, c: float) -> Interval:
    """Return c a."""
    lo, hi = (a[0] * c, a[1] * c) if c >= 0 else (a[1] * c, a[0] * c)
    return outward(lo, hi)


def mul(a: Interval, b: Interval) -> Interval:
    """Return a b."""
    if a is b:
        return power(a, 2)
    products = [_clean(x * y) for x in a for y in b]
    lo = np.minimum(np.minimum(products[0], products[1]), np.minimum(products[2], products[3]))
    hi = np.maximum(np.maximum(products[0], products[1]), np.maximum(products[2], products[3]))
    return outward(lo, hi)


def inverse(a: Interval) -> Interval:
    """Return 1/a; unbounded where a has zero in it."""
    lo, hi = a
    below, above = 1.0 / np.asarray(hi, float), 1.0 / np.asarray(lo, float)
    inside = (lo < 0.0) & (hi > 0.0)
    below = np.where(inside | ((hi == 0.0) & (lo <= 0.0)), -inf, below)
    above = np.where(inside | ((lo == 0.0) & (hi >= 0.0)), inf, above)
    return outward(below, above)


def div(a: Interval, b: Interval) -> Interval:
    """Return a / b."""
    return mul(a, inverse(b))


def hull(a: Interval, b: Interval) -> Interval:
    """Return the interval around both."""
    return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])


def choose(which: Any, a: Interval, b: Interval) -> Interval:
    """Return a where `which` holds, else b."""
    return np.where(which, a[0], b[0]), np.where(which, a[1], b[1])


def absolute(a: Interval) -> Interval:
    """Return |a|."""
    most = np.maximum(np.abs(a[0]), np.abs(a[1]))
    least = np.minimum(np.abs(a[0]), np.abs(a[1]))
    return np.where((a[0] <= 0.0) & (a[1] >= 0.0), 0.0, least), most


def power(a: Interval, n: int) -> Interval:
    """Return aⁿ for a whole number n."""
    if n < 0:
        return inverse(power(a, -n))
    low, high = np.power(a[0], 1.0 * n), np.power(a[1], 1.0 * n)
    if n % 2 == 1:
        return outward(low, high, FUNCTION)
    lo = np.where((a[0] <= 0.0) & (a[1] >= 0.0), 0.0, np.minimum(low, high))
    return outward(lo, np.maximum(low, high), FUNCTION)


def rising(function: Callable[[Any], Any], a: Interval) -> Interval:
    """Return the bounds of a function that increases."""
    return outward(function(a[0]), function(a[1]), FUNCTION)


def _meets(a: Interval, offset: float, period: float) -> Any:
    """Say whether offset + n · period may lie in a for a whole number n."""
    slack = 4.0 * EPSILON * (np.abs(a[0]) + np.abs(a[1]) + 1.0)
    first, last = a[0] - offset - slack, a[1] - offset + slack
    found = np.ceil(first / period) * period <= last
    return found | ~np.isfinite(first) | ~np.isfinite(last)


def sine(a: Interval) -> Interval:
    """Return sin a."""
    ends = (
        np.sin(np.where(np.isfinite(a[0]), a[0], 0.0)),
        np.sin(np.where(np.isfinite(a[1]), a[1], 0.0)),
    )
    lo, hi = outward(np.minimum(*ends), np.maximum(*ends), FUNCTION)
    lo = np.where(_meets(a, -0.5 * pi, 2 * pi), -1.0, np.maximum(lo, -1.0))
    return lo, np.where(_meets(a, 0.5 * pi, 2 * pi), 1.0, np.minimum(hi, 1.0))


def cosine(a: Interval) -> Interval:
    """Return cos a."""
    ends = (
        np.cos(np.where(np.isfinite(a[0]), a[0], 0.0)),
        np.cos(np.where(np.isfinite(a[1]), a[1], 0.0)),
    )
    lo, hi = outward(np.minimum(*ends), np.maximum(*ends), FUNCTION)
    lo = np.where(_meets(a, pi, 2 * pi), -1.0, np.maximum(lo, -1.0))
    return lo, np.where(_meets(a, 0.0, 2 * pi), 1.0, np.minimum(hi, 1.0))


def tangent(a: Interval) -> Interval:
    """Return tan a; unbounded where there is a pole in a."""
    pole = _meets(a, 0.5 * pi, pi)
    lo, hi = rising(np.tan, (np.where(pole, 0.0, a[0]), np.where(pole, 0.0, a[1])))
    return np.where(pole, -inf, lo), np.where(pole, inf, hi)


def even_cosh(a: Interval) -> Interval:
    """Return cosh a."""
    size = absolute(a)
    return rising(np.cosh, size)


def angle(y: Interval, x: Interval) -> Interval:
    """Return atan2(y, x), in [-π, π]."""
    corners = [np.arctan2(one, other) for one in y for other in x]
    lo, hi = corners[0], corners[0]
    for corner in corners[1:]:
        lo, hi = np.minimum(lo, corner), np.maximum(hi, corner)
    lo, hi = outward(lo, hi, FUNCTION)
    # Across the cut (y = 0, x < 0) every angle may be met; beside it corners tell all.
    cut = (y[0] <= 0.0) & (y[1] >= 0.0) & (x[0] <= 0.0)
    return np.where(cut, -pi, lo), np.where(cut, pi, hi)
