"""The audit that goes along with a run: its memory, and what it found."""

from collections.abc import Callable
from math import ceil

import numpy as np

from bellcrank.integrators import audit_table as d
from bellcrank.integrators import contract as c
from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.problem import Problem, Weighed
from bellcrank.integrators.shims import routine


class Auditor:
    """The memory of one audit; see `audit_table`.

    Args:
        problem: What is integrated; it has a kernel `audit`.
        blocks: Of the run, to which the audit is attached.
        tolerant: Whether the method has a tolerance.
    """

    def __init__(self, problem: Problem, blocks: Blocks, tolerant: bool) -> None:
        kernel = problem.audit
        powers, angles, timed = (port.size for port in kernel.outputs[1:])
        stride, nz = int(blocks.i[c.STRIDE]), problem.nz
        sizes = {
            d.NUMBERS: d.A_SIZE, d.Y: 4, d.POWER: 3, d.RATES: angles, d.RATES_BEFORE: angles,
            d.ANGLES_BEFORE: angles, d.SWEPT: angles, d.LOST: angles, d.SPARE: timed,
            d.UD: stride, d.PLACE: stride, d.Z: nz, d.Z_MOST: nz, d.WORK: kernel.work,
        }  # fmt: skip
        starts, end = {}, 0
        for slot, size in sizes.items():
            starts[slot], end = end, end + c.LANES * ceil(size / c.LANES)
        store = np.zeros(end + c.LANES)
        skip = -(store.ctypes.data // 8) % c.LANES
        self._store, self._kernel, base = store[skip:], kernel, store[skip:].ctypes.data
        t = [0] * d.T_SIZE
        for slot, start in starts.items():
            t[slot] = base + 8 * start
        t[d.KERNEL], t[d.POWERS], t[d.ANGLES] = kernel.address, powers, angles
        t[d.TOLERANT], t[d.TIMED], t[d.PANELS] = int(tolerant), timed, 1
        t[d.OUT : d.OUT + 4] = t[d.Y], t[d.POWER], t[d.RATES], t[d.SPARE]
        self._t = np.array(t, dtype=np.int64)
        self._lost = self._store[starts[d.LOST] : starts[d.LOST] + angles]
        blocks.i[c.AUDITOR] = routine("audit", _find, answers=True)
        blocks.i[c.AUDIT] = self._t.ctypes.data

    def found(self) -> Weighed:
        """Return what it found until now."""
        a, t = self._store, self._t
        return Weighed(
            gap=float(a[d.GAP]),
            doubt=float(a[d.DOUBT]),
            work=float(a[d.WORK_DONE]),
            kinetic=float(a[d.KINETIC]),
            size=float(a[d.SIZE]),
            unit=float(a[d.UNIT]) if t[d.TOLERANT] else 0.0,
            jump=float(a[d.JUMP]),
            jump_time=float(a[d.JUMP_TIME]),
            powers=int(t[d.POWERS]),
            position=float(a[d.POSITION]),
            velocity=float(a[d.VELOCITY]),
            unseen=int(t[d.UNSEEN]),
            unseen_time=float(a[d.UNSEEN_TIME]),
            lost=tuple(self._lost.tolist()),
            finite=not a[d.NOT_FINITE],
            looks=int(t[d.WEIGHED]),
        )


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.auditing import audit

    return audit
