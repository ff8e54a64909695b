"""Machines with constraints as implicit methods take them."""

from typing import TYPE_CHECKING

import numpy as np

from bellcrank.constraints.index2.saddle import Saddle
from bellcrank.constraints.projecting import Known
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System

if TYPE_CHECKING:
    from bellcrank.machine.batched.index2 import SparseSaddle


class Saddles:
    """Those of one machine, by rows left out and rank; `System.once` keeps them with it."""

    def __init__(self, system: System) -> None:
        self.made: dict[object, Saddle] = {}


def saddle(machine: Integrable) -> "Saddle | SparseSaddle":
    """Return a machine as implicit methods take it where there are constraints.

    How many of its rows are independent is known where `chosen` has looked.
    """
    if machine.batched is not None:
        from bellcrank.machine.batched.index2 import SparseSaddle

        return SparseSaddle(machine.batched)
    return full_saddle(machine.system, machine.p)


def full_saddle(system: System, p: np.ndarray) -> Saddle:
    """Return a machine of straight-line code as implicit methods take it.

    Args:
        system: The machine.
        p: Parameter values in order: rows left out may depend on them.
    """
    found, made = system.once(Known).chosen.get(p.tobytes()), system.once(Saddles).made
    rank = None if found is None else len(found.rows)
    key, equations = (system.left_out(p), rank), system.equations
    if key in made:
        return made[key]

    made[key] = Saddle(
        len(system.coordinates),
        len(system.speeds) + len(equations.auxiliary),
        len(equations.rows),
        sum(row.level == "position" for row in equations.rows),
        system.extended,
        system.row_scales(p),
        np.array([each.scale for each in (*equations.speeds, *equations.auxiliary)]),
        ns=len(equations.auxiliary),
        normalized=equations.has("normalize"),
        rank=rank,
    )
    return made[key]
