"""How well a run kept what must be kept: energy, and the constraints.

What went along with the run (`judging`) is there at once. Singular values and undetermined
reactions are found when they are asked for, and so is the work that no audit along the run can
know: it is the integral of recorded power by cubic pieces, as good as the records are dense.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from bellcrank.kernels.protocol import Observed
from bellcrank.machine.system import System

Values = Callable[[str], np.ndarray]
"""Recorded arrays by name, vectors by their components too."""


def audit(seen: Observed, system: System, values: Values, judged: Mapping[str, Any]) -> dict:
    """Return the largest errors over a run.

    Args:
        seen: The machine at the records.
        system: Its names, and what its relations of speeds do.
        values: What was recorded.
        judged: What went along with the run, see `judging.judge`.

    Returns:
        That, and of straight-line machines `smallest_singular_value`: of the scaled constraint
        matrix at the records, infinite without constraints, and `left_out`: for each element
        whose rows repeat others only within the slack, by how much it does not close, in
        lengths of the machine or in radians. `undetermined`: components of reactions that
        redundant constraints leave open at the first record; what is recorded of them is the
        smallest possible.
    """
    found, t = dict(judged), seen.arguments[0][:, 0]
    if not seen.followed or found.get("energy_drift") is None:
        found["energy_drift"] = drift(t, _power(seen, system, values), values)
    if not seen.followed or "position_residual" not in found:
        for level, name in (("position", "residual"), ("velocity", "rate_residual")):
            most = values(f"constraint_{name}").max(initial=0.0)
            found[f"{level}_residual"] = float(most)
    return found | seen.diagnosis() | {"undetermined": list(seen.undetermined())}


def drift(t: np.ndarray, power: np.ndarray, values: Values) -> float:
    """Return max |E − E₀ − ∫P dt| / max T over the records."""
    energy, most = values("energy"), values("kinetic_energy").max(initial=0.0)
    gap = np.abs(energy - energy[0] - integral(t, power)).max(initial=0.0)
    return float(gap / most) if most > 0 else float(gap)


def _power(seen: Observed, system: System, values: Values) -> np.ndarray:
    """Return the power of all that is not conservative, forces, drivers, relations [W]."""
    power = seen.power() + power_of_relations(system, seen.arguments, values)
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
