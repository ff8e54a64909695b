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
    def places(self) -> Mapping[int, int]:
        """Where each part of the working memory of a run begins [doubles]."""
        machine = self.rounds.machine
        nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
        return offsets({
            d.NUMBERS: 2, d.ACCELERATION: nu, d.LAM: m, d.COUNTS: 4, d.WEAKEST: 2, d.LAM0: m,
            d.NOISE: nu, d.SPARE: max(nu, m) + 8, d.ROWS: d.STAGES * (nq + nu + m + mh),
            d.MULTIPLIERS: d.STAGES * (m + mh), d.BEFORE: d.STAGES * m,
        }, d.SIZE)  # fmt: skip

    @cached_property
    def table(self) -> Array:
        """The table laid out in `saddle_table`."""
        table = np.zeros(d.SIZE + 1, dtype=np.int64)
        for slot, offset in self.places.items():
            table[slot] = offset
        for slot in ("NQ", "NU", "M", "MH"):
            table[getattr(d, slot)] = getattr(self.rounds.machine, slot.lower())
        table[d.RANK], table[d.SPARSE] = -1, self.rounds.table.ctypes.data
        table[d.ROUTINE] = routine("sparse_saddle", _find, answers=True)
        return table

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        return int(self.table[d.SIZE])


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.sparse_saddle import sparse_saddle

    return sparse_saddle
