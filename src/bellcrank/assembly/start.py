"""The state a run begins with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bellcrank.errors import StartError
from bellcrank.kernels.system import System


def initial_state(system: System, start: Mapping[str, Any] | None, p: np.ndarray) -> np.ndarray:
    """Return x = [q, u] for start values by name; the rest is as drawn and at rest.

    Args:
        system: The machine.
        start: Such as {"A.angle": 0.3, "A.angle_rate": 2.0}.
        p: Parameter values in order.

    Raises:
        StartError: Names or values that do not fit the machine, all at once.
    """
    if start is not None and not isinstance(start, Mapping):
        raise StartError(f"start takes values by name or a Result, got {type(start).__name__}.")
    q, u = system.pack(start, parameters=p)
    return np.concatenate([q, u, np.zeros(len(system.equations.auxiliary))])
