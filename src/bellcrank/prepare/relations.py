"""Relations of positions where a run begins: do they hold anything there?"""

from functools import lru_cache

import numpy as np

from bellcrank.errors import StartError
from bellcrank.kernels.protocol import Integrable
from bellcrank.model import Model, Relation

FLAT = 1e-6  # slope, in nominal sizes, below which a relation has a double root
MANY = 300  # rows of a batched machine whose slopes are not looked at


@lru_cache(maxsize=128)
def _relations(model: Model) -> frozenset[str]:
    """Return the names of the relations of positions that a machine has."""
    return frozenset(each.name for each in model.constraints if isinstance(each, Relation))


def check_relations(model: Model, machine: Integrable, t: float, x: np.ndarray) -> None:
    """Refuse a relation whose gradient vanishes at a state: it would hold nothing there.

    Args:
        model: The machine.
        machine: It as it is integrated.
        t: The time [s].
        x: The state [q, u, s].

    Raises:
        StartError: Naming the relation.
    """
    named, system = _relations(model), machine.system
    if not named or (machine.batched and len(system.equations.rows) > MANY):
        return
    C = machine.rows(t, system.split(x)[0])
    for row, slopes in zip(system.equations.rows, C, strict=True):
        steepest = np.abs(slopes * system.speed_sizes).max(initial=0.0) / row.scale
        if row.owner in named and steepest < FLAT:
            raise StartError(
                f"constraint '{row.owner}': the gradient of the relation vanishes where the "
                f"run begins (it is {steepest:.1g}), so it does not constrain the motion. "
                "Write it with a nonzero gradient at its root, such as A.angle instead of "
                "A.angle**2, or begin elsewhere."
            )
