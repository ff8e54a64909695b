"""Batched machines as implicit methods with constraints take them: sparse matrices.

The same drivers integrate them as small machines; their linear algebra is left to
`native/index2.py`.
"""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np

from bellcrank.constraints.index2 import table as d
from bellcrank.kernels.layout import offsets
from bellcrank.kernels.routines import routine
from bellcrank.machine.batched.kernels import BatchedKernels

Array = np.ndarray


class SparseSaddle:
    """A batched machine, for one run at a time.

    Attributes:
        batched: The machine.
        guards: Of its memory.
        work: Doubles of scratch that kernels want.
    """

    def __init__(self, batched: BatchedKernels) -> None:
        self.batched, self.guards, self.work = batched, batched.machine.arena.guards, 0

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each part of the working memory of a run begins [doubles]."""
        machine = self.batched.machine
        nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
        return offsets({
            "numbers": 3, "acceleration": nu, "lam": m, "counts": 4, "weakest": 2, "lam0": m,
            "noise": nu, "spare": max(nu, m) + 8, "rows": d.STAGES * (nq + nu + m + mh),
            "multipliers": d.STAGES * (m + mh), "before": d.STAGES * m,
            **d.second_order(nq, nu),
        })  # fmt: skip

    @cached_property
    def table(self) -> Array:
        """Its record, laid out in `constraints.index2.table`."""
        table = np.zeros((), d.LAYOUT)
        for name, offset in self.places.items():
            table[name] = offset
        for name in ("nq", "nu", "m", "mh"):
            table[name] = getattr(self.batched.machine, name)
        table["ns"], table["ahead"] = len(self.batched.machine.equations.auxiliary), 1
        table["rank"], table["sparse"] = -1, self.batched.table.ctypes.data
        table["routine"] = routine("sparse_saddle", _find, answers=True)
        return table

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        return int(self.table["size"])


def _find() -> Callable[..., int]:
    from bellcrank.machine.batched.native.index2 import sparse_saddle

    return sparse_saddle
