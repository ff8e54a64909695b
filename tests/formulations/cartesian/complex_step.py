"""Derivatives by a step along the imaginary axis, through the op list of a function.

Im f(x + i h d)/h has no difference of nearby numbers in it and is good to the last digits.
Functions with atan2 have none: they are differentiated by differences of fourth order.
"""

from collections.abc import Callable

import casadi as ca
import numpy as np

from bellcrank.kernels.lower import lower
from bellcrank.kernels.program import CODE


def along(
    function: ca.Function, arguments: list[np.ndarray], place: int, directions: np.ndarray
) -> np.ndarray:
    """Return the derivative of the first output by one argument along columns, (n, count)."""
    program = lower(function)
    if CODE["atan2"] in program.operations:
        return _differences(function, arguments, place, directions)
    found = []
    for direction in directions.T:
        given = [np.asarray(x, dtype=complex).ravel() for x in arguments]
        given[place] = given[place] + 1e-30j * direction
        results = [np.zeros(port.size, dtype=complex) for port in program.outputs]
        program.run(given, results)
        found.append(results[0].imag / 1e-30)
    return np.array(found).T


def _differences(
    function: ca.Function, arguments: list[np.ndarray], place: int, directions: np.ndarray
) -> np.ndarray:
    def value(shift: np.ndarray) -> np.ndarray:
        moved = [np.asarray(x, dtype=float) for x in arguments]
        moved[place] = moved[place] + shift
        return np.array(function.call(moved)[0]).ravel()

    return np.array([slope(lambda h, d=d: value(h * d)) for d in directions.T]).T


def slope(function: Callable[[float], np.ndarray], h: float = 1e-3) -> np.ndarray:
    """Return the derivative at zero, by differences of sixth order."""
    ends = [function(n * h) - function(-n * h) for n in (1, 2, 3)]
    return (45 * ends[0] - 9 * ends[1] + ends[2]) / (60 * h)
