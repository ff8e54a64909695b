"""How well a run kept what must be kept: energy, and the constraints.

Where nothing dissipates and nothing drives, energy is constant; else its change is the work
of what is not conservative, here the integral of recorded power by cubic pieces, which is as
good as the records are dense.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bellcrank.assembly import projection
from bellcrank.assembly.freedom import off
from bellcrank.assembly.redundancy import residuals
from bellcrank.kernels.system import System

Values = Callable[[str], np.ndarray]
"""Recorded arrays by name, vectors by their components too."""


def audit(system: System, arguments: Sequence[np.ndarray], values: Values) -> dict[str, Any]:
    """Return the largest errors over the records of a run.

    Args:
        system: The machine.
        arguments: Of its slots, at the records.
        values: What was recorded.

    Returns:
        `energy_drift`: max |E − E₀ − ∫P dt| / max T. `position_residual` and
        `velocity_residual`: of the scaled constraints. `smallest_singular_value`: of the
        scaled constraint matrix, infinite without constraints. `left_out`: for each element
        whose rows repeat others only within the slack, by how much it does not close, in
        lengths of the machine or in radians. `undetermined`: components of
        reactions that redundant constraints leave open at the first record; what is recorded
        of them is the smallest possible.
    """
    t, energy, kinetic = arguments[0][:, 0], values("energy"), values("kinetic_energy")
    work = integral(t, _power(system, arguments, values))
    gap = np.abs(energy - energy[0] - work).max(initial=0.0)
    most = kinetic.max(initial=0.0)
    held = projection(system, arguments[5])
    smallest = np.inf
    if held is not None:
        smallest = float(held.diagnose(t, *arguments[1:]).smallest.min(initial=np.inf))
    position, rate = values("constraint_residual"), values("constraint_rate_residual")
    if system.rounded(arguments[5]):
        position, rate, _ = residuals(system, arguments)
    return {
        "energy_drift": float(gap / most) if most > 0 else float(gap),
        "position_residual": float(position.max(initial=0.0)),
        "velocity_residual": float(rate.max(initial=0.0)),
        "left_out": off(system, arguments),
        "smallest_singular_value": smallest,
        "undetermined": list(system.undetermined(_first(arguments))),
    }


def _first(arguments: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return the arguments at the first record."""
    return [part[0] if part.ndim > 1 else part for part in arguments]


def _power(system: System, arguments: Sequence[np.ndarray], values: Values) -> np.ndarray:
    """Return the power of all that is not conservative, forces, drivers, relations [W]."""
    power = power_of_relations(system, arguments, values)
    if system.equations.elements:
        power = power + system.kernel("power", level=0)(*arguments)[0].sum(axis=-1)
    for effort, (_, rate) in system.equations.efforts.items():
        power = power + values(effort) * values(rate)
    return power


def power_of_relations(
    system: System, arguments: Sequence[np.ndarray], values: Values
) -> np.ndarray:
    """Return what relations of speeds with a right-hand side put into a machine [W]."""
    power, works = np.zeros(len(arguments[0])), system.equations.works
    if works:
        rates = system.signals(tuple(works.values()))(*arguments)[0]
        power = sum((values(name) * rates[:, i] for i, name in enumerate(works)), power)
    return power


def integral(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ∫ y dt from the first time on, through a cubic on every four neighbours.

    Args:
        t: Times, shape (n,).
        y: Values, shape (n,).

    Examples:
        >>> t = np.linspace(0, 1, 6)
        >>> bool(np.allclose(integral(t, t**3), t**4 / 4))
        True
    """
    n = len(t)
    if n < 4 or not np.any(y):
        steps = np.diff(t) * (y[1:] + y[:-1]) / 2
        return np.concatenate([[0.0], np.cumsum(steps)])
    first = np.clip(np.arange(n - 1) - 1, 0, n - 4)
    window = first[:, None] + np.arange(4)
    middle = (t[:-1] + t[1:]) / 2
    x = t[window] - middle[:, None]
    coefficients = np.linalg.solve(x[..., None] ** np.arange(4), y[window][..., None])[..., 0]
    half = np.diff(t) / 2
    # Odd powers vanish between −h and h.
    steps = 2 * (coefficients[:, 0] * half + coefficients[:, 2] * half**3 / 3)
    return np.concatenate([[0.0], np.cumsum(steps)])
