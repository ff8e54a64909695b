"""Degrees of freedom of a machine, and which constraints repeat others."""

from dataclasses import dataclass

import numpy as np

from bellcrank.kernels.system import System

RANK = 1e-8  # scaled singular values below this part of the largest count as zero


@dataclass(frozen=True)
class Freedom:
    """What the rank of the scaled constraints says.

    Attributes:
        speeds: Number of generalized speeds.
        rank: Rank of the constraints.
        redundant: For each element that repeats directions held by others: how many.
    """

    speeds: int
    rank: int
    redundant: dict[str, int]

    @property
    def degrees(self) -> int:
        """Degrees of freedom."""
        return self.speeds - self.rank


def freedom(system: System, q: np.ndarray, p: np.ndarray, t: float = 0.0) -> Freedom:
    """Return the freedom of a machine at consistent coordinates.

    The rank is decided on the constraints, where redundant rows are exactly so.

    Args:
        system: The machine.
        q: Consistent coordinates.
        p: Parameter values in order.
        t: The time [s].
    """
    rows, nu = system.equations.rows, len(system.speeds)
    if not rows:
        return Freedom(nu, 0, {})
    arguments = [np.array([t]), q, np.zeros(nu), np.zeros(0), np.zeros(len(system.inputs)), p]
    C = system.ask("velocity", [*arguments, system.modes(arguments)], level=0)[0]
    C = C / np.array([row.scale for row in rows])[:, None]
    owners = np.array([row.owner for row in rows])
    rank = _rank(C)
    redundant = {}
    for owner in dict.fromkeys(owners):
        own = owners == owner
        repeated = int(own.sum()) - (rank - _rank(C[~own]))
        if repeated:
            redundant[str(owner)] = repeated
    return Freedom(nu, rank, redundant)


def _rank(C: np.ndarray) -> int:
    if not C.size:
        return 0
    sigma = np.linalg.svd(C, compute_uv=False)
    return int((sigma > RANK * sigma[0]).sum()) if sigma[0] > 0 else 0
