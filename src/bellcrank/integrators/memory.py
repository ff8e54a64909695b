"""The two blocks of memory that `contract` lays out, and the records beside them."""

from math import inf

import numpy as np

from bellcrank.integrators import contract as c
from bellcrank.integrators.problem import Array, EventHit, Native, Problem
from bellcrank.integrators.saddle import Saddle
from bellcrank.integrators.scales import GROUPS

CHUNK = 1 << 22  # doubles of records held before they are handed over
HITS = 64  # events held at least


class Blocks:
    """The state of one integration.

    Attributes:
        i: The block of integers.
        f: The block of doubles.
        addresses: Where they are, to be handed to a driver.
        x, w0, w1, w, k: Views of parts of `f`.
    """

    def __init__(
        self, problem: Problem, rows: int, blend: int, grid: Array | None, matrices: int = 0
    ) -> None:
        # An implicit method is what has matrices.
        nx, nw, nk, ne = problem.nx, problem.nw, len(problem.memory), len(problem.directions)
        stride = -(-max(nx, 1) // c.LANES) * c.LANES
        sizes = {
            **dict.fromkeys((c.X, c.X1, c.PLACE, c.SCRATCH, c.ATOL), stride),
            **dict.fromkeys((c.MOST_ATOL, c.REST, c.GROUP), stride),
            **dict.fromkeys((c.MOTION, c.ROUNDING), GROUPS),
            c.K: rows * stride,
            c.C: blend * stride,
            c.CLOCK: 1,
            **dict.fromkeys((c.W0, c.W1, c.W), nw),
            c.P: len(problem.parameters),
            **dict.fromkeys((c.MEMORY, c.REVISED, c.Z, c.Z_BEFORE, c.Z_ROOT), nk),
            **dict.fromkeys((c.G, c.G_BEFORE, c.G_ROOT, c.G_SIGN), ne),
            **dict.fromkeys((c.G_DIRECTION, c.G_TERMINAL), ne),
            c.WORK: max(kernel.work for kernel in _kernels(problem, matrices > 0)),
            c.MATRICES: matrices,
        }
        self._place, end = {}, c.F_SIZE
        for slot, size in sizes.items():
            end = -(-end // c.LANES) * c.LANES
            self._place[slot] = (end, size)
            end += size
        store = np.zeros(end + c.LANES)
        skip = -(store.ctypes.data // 8) % c.LANES  # rows begin at whole vectors
        self.f = store[skip : skip + end]
        self.i = np.array(self._integers(problem, stride, grid), dtype=np.int64)
        self.addresses = (self.i.ctypes.data, self.f.ctypes.data)
        self.x = self.view(c.X)[:nx]
        self.w0, self.w1, self.w = self.view(c.W0), self.view(c.W1), self.view(c.W)
        self.k = self.view(c.MEMORY)
        self._fill(problem, nx)
        self.labels = problem.labels or [f"event {n}" for n in range(ne)]

    @property
    def places(self) -> tuple[int, ...]:
        """The slots of addresses of parts of `f`."""
        return tuple(self._place)

    @property
    def stopped_by(self) -> str:
        """What ended it, where an event did."""
        number = int(self.i[c.STOPPED_BY])
        return self.labels[number % len(self.labels)] if number >= 0 else ""

    def view(self, slot: int) -> Array:
        """Return the array behind a slot of addresses."""
        start, size = self._place[slot]
        return self.f[start : start + size]

    def _integers(self, problem: Problem, stride: int, grid: Array | None) -> list[int]:
        i, base = [0] * c.I_SIZE, self.f.ctypes.data
        for slot, (start, _) in self._place.items():
            i[slot] = base + 8 * start
        i[c.NQ], i[c.NU], i[c.NX], i[c.STRIDE] = problem.nq, problem.nu, problem.nx, stride
        i[c.NW], i[c.NE] = problem.nw, len(problem.directions)
        i[c.MEMORY_SIZE] = len(problem.memory)
        i[c.NK] = problem.nz
        i[c.RHS] = problem.rhs.address
        i[c.NORMALIZE] = problem.normalize.address if problem.normalize else 0
        i[c.SWITCHES] = problem.switches.address if problem.switches else 0
        i[c.EVENTS] = problem.events.address if problem.events else 0
        i[c.REVISER] = problem.revise.address if problem.revise else 0
        if self._place[c.MATRICES][1]:
            i[c.JACOBIAN] = problem.jacobian.address if problem.jacobian else 0
            i[c.SADDLE] = problem.saddle.table.ctypes.data if problem.saddle else 0
        i[c.SECOND_ORDER] = int(problem.second_order and not problem.ns)
        for n, slot in ((0, c.CLOCK), (4, c.W), (5, c.P), (6, c.MEMORY)):
            i[c.IN + n] = i[slot]
        i[c.STOPPED_BY] = -1
        if grid is None:
            i[c.EVERY] = 1
        else:
            i[c.GRID], i[c.GRID_SIZE] = grid.ctypes.data, len(grid)
        return i

    def _fill(self, problem: Problem, nx: int) -> None:
        self.view(c.P)[:] = problem.parameters
        self.k[:] = problem.memory
        self.view(c.ATOL)[nx:] = 1.0
        self.view(c.G_DIRECTION)[:] = problem.directions
        self.view(c.G_TERMINAL)[:] = problem.terminal
        self.f[c.MAX_H] = self.f[c.LEAST_H] = inf
        self.f[c.SIGN] = self.f[c.ERROR_BEFORE] = 1.0


def _kernels(problem: Problem, implicit: bool) -> list[Native | Saddle]:
    given = [problem.rhs, problem.normalize, problem.switches, problem.events, problem.revise]
    if implicit:  # otherwise they may not even be made yet
        given += [problem.jacobian, problem.saddle]
    return [kernel for kernel in given if kernel is not None]


class Records:
    """Rows written by a driver: time, state, inputs, memory; and events beside them.

    Arrays are handed to the driver by address. When they are full they are put aside and larger
    ones take their place. One row is always spare, for the point where it all ends.
    """

    def __init__(self, blocks: Blocks, expected: int) -> None:
        self.blocks = blocks
        i = blocks.i
        self.sizes = (int(i[c.NX]), int(i[c.NW]), int(i[c.MEMORY_SIZE]))
        self.limit = max(1024, CHUNK // (1 + sum(self.sizes)))
        self.full: list[tuple[Array, ...]] = []
        self.events: list[EventHit] = []
        self._allot(min(expected, self.limit))
        room = HITS + 2 * c.SAMPLES * int(i[c.NE])
        self.hits = np.empty(room), np.empty(room), np.empty((room, self.sizes[0]))
        i[c.HIT_T], i[c.HIT_INDEX], i[c.HIT_X] = (each.ctypes.data for each in self.hits)
        i[c.HIT_ROOM] = room

    def _allot(self, room: int) -> None:
        rows = room + 1
        self.current = (np.empty(rows), *(np.empty((rows, size)) for size in self.sizes))
        i = self.blocks.i
        i[c.RECORD_T : c.RECORD_K + 1] = [each.ctypes.data for each in self.current]
        i[c.RECORD_ROOM], i[c.RECORDS] = room, 0

    def drain(self) -> None:
        """Make room, where there is none."""
        i = self.blocks.i
        self._drain_events()
        if i[c.RECORDS] >= i[c.RECORD_ROOM]:
            done = int(i[c.RECORDS])
            self.full.append(tuple(each[:done] for each in self.current))
            self._allot(min(2 * done, self.limit))

    def _drain_events(self) -> None:
        times, indices, states = self.hits
        number, self.blocks.i[c.HITS] = int(self.blocks.i[c.HITS]), 0
        for n in range(number):
            self.events.append(EventHit(int(indices[n]), float(times[n]), states[n].copy()))

    def close(self) -> tuple[Array, ...]:
        """Return all rows (t, x, w, k), ending with the point that was reached."""
        self._drain_events()
        rows, time = int(self.blocks.i[c.RECORDS]), self.blocks.f[c.TIME]
        last = (
            self.current[0][rows - 1] if rows else (self.full[-1][0][-1] if self.full else None)
        )
        if last is None or (time - last) * self.blocks.f[c.SIGN] > 0:
            self.blocks.w[:] = self.blocks.w0 + self.blocks.w1 * time
            point = (time, self.blocks.x, self.blocks.w, self.blocks.k)
            for out, value in zip(self.current, point, strict=True):
                out[rows] = value
            rows += 1
        tail = tuple(each[:rows] for each in self.current)
        if not self.full:
            return tail
        return tuple(np.concatenate(parts) for parts in zip(*self.full, tail, strict=True))
