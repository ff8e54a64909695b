"""Batched machines as implicit methods with constraints take them: sparse matrices.

The same drivers integrate them as small machines; their linear algebra is left to
`native/sparse_saddle.py`.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.problem import Array
from bellcrank.kernels.layout import offsets
from bellcrank.kernels.routines import routine
from bellcrank.machine.batched.rounds import Rounds


class SparseSaddle:
    """A batched machine, for one run at a time.

    Attributes:
        rounds: The machine.
        guards: Of its memory.
        work: Doubles of scratch that kernels want.
    """

    def __init__(self, rounds: Rounds) -> None:
        self.rounds, self.guards, self.work = rounds, rounds.machine.pieces.guards, 0

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each part of the working memory of a run begins [doubles]."""
        machine = self.rounds.machine
        nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
        return offsets({
            "numbers": 2, "acceleration": nu, "lam": m, "counts": 4, "weakest": 2, "lam0": m,
            "noise": nu, "spare": max(nu, m) + 8, "rows": d.STAGES * (nq + nu + m + mh),
            "multipliers": d.STAGES * (m + mh), "before": d.STAGES * m,
        })  # fmt: skip

    @cached_property
    def table(self) -> Array:
        """The table laid out in `saddle_table`."""
        table = np.zeros((), d.LAYOUT)
        for name, offset in self.places.items():
            table[name] = offset
        for name in ("nq", "nu", "m", "mh"):
            table[name] = getattr(self.rounds.machine, name)
        table["rank"], table["sparse"] = -1, self.rounds.table.ctypes.data
        table["routine"] = routine("sparse_saddle", _find, answers=True)
        return table

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        return int(self.table["size"])


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.sparse_saddle import sparse_saddle

    return sparse_saddle
