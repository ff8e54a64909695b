"""Machines with constraints as implicit methods take them."""

import numpy as np

from bellcrank.constraints.projecting import Known
from bellcrank.integrators.saddle import Saddle
from bellcrank.kernels.build import Kernel
from bellcrank.machine.system import System


class Saddles:
    """Those of one machine, by rows left out and rank; `System.once` keeps them with it."""

    def __init__(self, system: System) -> None:
        self.made: dict[object, Saddle] = {}


def saddle(system: System, p: np.ndarray | None = None) -> Saddle:
    """Return a machine as implicit methods take it where there are constraints.

    How many of its rows are independent is known where `chosen` has looked.

    Args:
        system: The machine.
        p: Parameter values in order: rows left out may depend on them. None for the model's.
    """
    p = system.parameter_vector() if p is None else p
    found, made = system.once(Known).chosen.get(p.tobytes()), system.once(Saddles).made
    rank = None if found is None else len(found.rows)
    key, equations = (system.left_out(p), rank), system.equations
    if key in made:
        return made[key]

    def kernel(slot: str) -> Kernel:
        return system.kernel(slot, full=True)

    made[key] = Saddle(
        len(system.coordinates),
        len(system.speeds),
        len(equations.rows),
        sum(row.level == "position" for row in equations.rows),
        kernel,
        system.row_scales(p),
        np.array([speed.scale for speed in equations.speeds]),
        normalized=equations.has("normalize"),
        rank=rank,
    )
    return made[key]
