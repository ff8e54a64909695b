"""Whole runs by `bc.simulate`, as a user calls it: records and tip positions included."""

from collections.abc import Callable

import numpy as np

import bellcrank as bc
from benchmarks.machines import Chain
from benchmarks.ours.chains import model

NAME = f"bellcrank {bc.__version__}"
SETTINGS = tuple(10.0 ** (-k / 4) for k in range(12, 52))
"""Relative and absolute tolerance."""


def build(machine: Chain) -> Callable[[float], tuple[np.ndarray, np.ndarray]]:
    """Return `run(tolerance)`, everything compiled."""
    chain = model(machine)
    start = {f"J{k}.angle": angle for k, angle in enumerate(machine.start, start=1)}

    def run(tolerance: float) -> tuple[np.ndarray, np.ndarray]:
        result = bc.simulate(
            chain, machine.until, start=start, rtol=tolerance, atol=tolerance, every=0.1
        )  # fmt: skip
        return np.asarray(result.t), np.asarray(result.values("tip.position"))

    for tolerance in (1e-3, 1e-9):  # loose and tight runs may use different methods
        run(tolerance)
    return run
