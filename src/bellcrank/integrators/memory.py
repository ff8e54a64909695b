"""The two blocks of memory that `contract` lays out, and the records beside them."""

from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table
from bellcrank.integrators.problem import Array, EventHit, Problem
from bellcrank.integrators.scales import GROUPS
from bellcrank.kernels.guards import Guards, Scratch, spots, width

CHUNK = 1 << 22  # doubles of records held before they are handed over
HITS = 256  # events held at least
KERNELS = {
    "rhs": c.RHS, "normalize": c.NORMALIZE, "switches": c.SWITCHES, "events": c.EVENTS,
    "revise": c.REVISER, "jacobian": c.JACOBIAN,
}  # fmt: skip
ARRAYS = (
    *("CLOCK", "X", "X1", "PLACE", "SCRATCH", "K", "C", "ATOL", "W0", "W1", "W", "P"),
    *("MEMORY", "REVISED", "TRAIL", "Z", "Z_ROOT", "Z_FLIPS", "Z_SINCE", "G", "G_ROOT", "SEEN"),
    *("G_SIGN", "G_DIRECTION", "G_TERMINAL", "WORK", "MATRICES"),
    *("MOST_ATOL", "REST", "GROUP", "MOTION", "ROUNDING"),
)


class BlockLayout(NamedTuple):
    """Where the parts of a block of doubles are, for a problem of certain sizes.

    Attributes:
        places: Beginning and number of doubles of each part, by its slot.
        size: Doubles in all.
        slots: The slots of addresses of parts, in order.
        integers: The block of integers: sizes, and addresses of parts in bytes from the
            beginning of the block of doubles.
    """

    places: dict[int, tuple[int, int]]
    size: int
    slots: Array
    integers: Array


@lru_cache(maxsize=64)
def _layout(
    nx: int, nw: int, parameters: int, nk: int, nz: int, ne: int, turning: int,
    *, kept: int, rows: int, blend: int, scratch: int, matrices: int,
) -> BlockLayout:  # fmt: skip
    """Return where everything is; sizes as in `contract`, `kept` being angles of the memory."""
    stride = -(-max(nx, 1) // c.LANES) * c.LANES
    sizes = {
        **dict.fromkeys((c.X, c.X1, c.PLACE, c.SCRATCH, c.ATOL), stride),
        **dict.fromkeys((c.MOST_ATOL, c.REST, c.GROUP), stride),
        **dict.fromkeys((c.MOTION, c.ROUNDING), GROUPS),
        c.K: rows * stride,
        c.C: blend * stride,
        c.CLOCK: 1,
        **dict.fromkeys((c.W0, c.W1, c.W), nw),
        c.P: parameters,
        **dict.fromkeys((c.MEMORY, c.REVISED, c.Z, c.Z_ROOT, c.Z_FLIPS, c.Z_SINCE), nk),
        c.TRAIL: c.TRAIL_ROWS * kept,
        c.G: ne + turning,
        **dict.fromkeys((c.G_ROOT, c.G_SIGN, c.G_DIRECTION, c.G_TERMINAL), ne),
        c.SEEN: (c.SAMPLES + 1) * (nz + ne + turning),
        c.WORK: scratch,
        c.MATRICES: matrices,
    }
    places, end, guard = {}, c.F_SIZE, width()
    for slot, size in sizes.items():
        end = -(-end // c.LANES) * c.LANES
        places[slot] = (end, size)
        end += size + guard
    i = np.zeros(c.I_SIZE, dtype=np.int64)
    i[c.NX], i[c.STRIDE], i[c.NW], i[c.NE], i[c.MEMORY_SIZE] = nx, stride, nw, ne, nk
    i[c.ANGLES], i[c.NP], i[c.BLEND] = nz, turning, blend
    slots = np.array(list(places))
    i[slots] = [8 * start for start, _ in places.values()]
    return BlockLayout(places, end, slots, i)


class Blocks:
    """The state of one integration.

    Attributes:
        i: The block of integers.
        f: The block of doubles.
        addresses: Where they are, to be handed to a driver.
        x, w0, w1, w, k: Views of parts of `f`.
        guards: Words in all of it, and in what belongs to it, that must stay as they are.
        labels, numbers: Of the events that are looked for.
        ended_by: The label of an event of time alone that ended the run.
    """

    def __init__(
        self,
        problem: Problem,
        rows: int,
        blend: int,
        grid: Array | None,
        matrices: int | None = None,
    ) -> None:
        """Lay them out.

        Args:
            problem: What is integrated.
            rows: Of K.
            blend: Rows of C.
            grid: Times to record; None for every step.
            matrices: Doubles of an implicit method's matrices; None if it is none.
        """
        self.guards, self._implicit = Guards(), matrices is not None
        kernels = _kernels(problem, self._implicit)
        self._scratch = Scratch(kernels.items())
        nx, ne, nz = problem.nx, len(problem.directions), problem.nz
        nk, turning = len(problem.memory), problem.turning
        layout = _layout(
            nx, problem.nw, len(problem.parameters), nk, nz, ne, turning,
            kept=nk - nz if problem.revise else 0, rows=rows, blend=blend,
            scratch=self._scratch.size, matrices=matrices or 0,
        )  # fmt: skip
        self._place = layout.places
        store = np.zeros(layout.size + c.LANES)
        skip = -(store.ctypes.data // 8) % c.LANES  # rows begin at whole vectors
        self.f = store[skip : skip + layout.size]
        self.i = self.guards.array("the block of integers", (c.I_SIZE,), np.int64)
        self.i[:] = layout.integers
        self.i[layout.slots] += store.ctypes.data + 8 * skip
        self._write_integers(problem, kernels, grid)
        self.addresses = (self.i.ctypes.data, self.f.ctypes.data)
        self.x = self.view(c.X)[:nx]
        self.w0, self.w1, self.w = self.view(c.W0), self.view(c.W1), self.view(c.W)
        self.k = self.view(c.MEMORY)
        self._fill(problem, nx)
        self._guard(problem)
        self.labels = problem.labels or [f"event {n}" for n in range(ne)]
        self.states = problem.states or [f"state {n}" for n in range(nx)]
        self.numbers = problem.numbers or range(ne)
        self.ended_by = ""

    @property
    def places(self) -> tuple[int, ...]:
        """The slots of addresses of parts of `f`."""
        return tuple(self._place)

    @property
    def stopped_by(self) -> str:
        """What ended it, where an event did."""
        if self.ended_by:
            return self.ended_by
        number = int(self.i[c.STOPPED_BY])
        return self.labels[number % len(self.labels)] if number >= 0 else ""

    def view(self, slot: int) -> Array:
        """Return the array behind a slot of addresses."""
        start, size = self._place[slot]
        return self.f[start : start + size]

    def _guard(self, problem: Problem) -> None:
        """Set guard words behind every array, and inside those with parts of their own."""
        if not width():
            return
        names = {getattr(c, name): name for name in ARRAYS}
        found = {start + size: names[slot] for slot, (start, size) in self._place.items()}
        first, size = self._place[c.WORK]
        found.pop(first + size)  # it ends with guards of its own
        found |= {first + at: what for at, what in self._scratch.spots.items()}
        if problem.saddle is not None and self._implicit:
            self.guards.include(problem.saddle.guards)
            first, places = self._place[c.MATRICES][0], problem.saddle.places
            found |= {first + at: what for at, what in spots(places, saddle_table).items()}
        self.guards.put(self.f, found)

    def _write_integers(
        self, problem: Problem, kernels: dict[str, Any], grid: Array | None
    ) -> None:
        """Write what is known of the problem besides its sizes."""
        i = self.i
        i[c.NQ], i[c.NU] = problem.nq, problem.nu
        i[c.TIMED], i[c.NK] = problem.timed, problem.nz - problem.timed
        for name, slot in KERNELS.items():
            if name in kernels:
                i[slot] = self._scratch.address(name, kernels[name])
        if self._implicit and problem.saddle is not None:
            i[c.SADDLE] = problem.saddle.table.ctypes.data
        i[c.SECOND_ORDER] = int(problem.second_order and not problem.ns)
        for n, slot in ((0, c.CLOCK), (4, c.W), (5, c.P), (6, c.MEMORY)):
            i[c.IN + n] = i[slot]
        i[c.STOPPED_BY] = -1
        if grid is None:
            i[c.EVERY] = 1
        else:
            i[c.GRID], i[c.GRID_SIZE] = grid.ctypes.data, len(grid)

    def _fill(self, problem: Problem, nx: int) -> None:
        self.view(c.P)[:] = problem.parameters
        self.k[:] = problem.memory
        self.view(c.ATOL)[nx:] = 1.0
        self.view(c.G_DIRECTION)[:] = problem.directions
        self.view(c.G_TERMINAL)[:] = problem.terminal
        self.f[c.MAX_H] = self.f[c.LEAST_H] = inf
        self.f[c.SIGN] = self.f[c.ERROR_BEFORE] = 1.0


def _kernels(problem: Problem, implicit: bool) -> dict[str, Any]:
    """Return what wants scratch, by name."""
    # Those of implicit methods may not even be made yet where there is none.
    names = [name for name in KERNELS if implicit or name != "jacobian"]
    found = {name: getattr(problem, name) for name in ["saddle"] * implicit + names}
    return {name: kernel for name, kernel in found.items() if kernel is not None}


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
        self._guards, self._hit_guards = Guards(), Guards()
        self._allot(min(expected, self.limit))
        room = HITS + 2 * c.SAMPLES * int(i[c.NE])
        self.hits = tuple(
            self._hit_guards.array(name, (room, *size))
            for name, size in (("HIT_T", ()), ("HIT_INDEX", ()), ("HIT_X", self.sizes[:1]))
        )
        i[c.HIT_T], i[c.HIT_INDEX], i[c.HIT_X] = (each.ctypes.data for each in self.hits)
        i[c.HIT_ROOM] = room

    def _allot(self, room: int) -> None:
        rows = room + 1
        self._guards.forget()  # what was full is not written to any more
        names = ("RECORD_X", "RECORD_W", "RECORD_K")
        self.current = (
            self._guards.array("RECORD_T", (rows,)),
            *(
                self._guards.array(name, (rows, size))
                for name, size in zip(names, self.sizes, strict=True)
            ),
        )
        i = self.blocks.i
        i[c.RECORD_T : c.RECORD_K + 1] = [each.ctypes.data for each in self.current]
        i[c.RECORD_ROOM], i[c.RECORDS] = room, 0

    def check(self) -> None:
        """Raise where native code has written beyond any array of the run; see `guards`.

        Raises:
            Overrun: Naming the array.
        """
        for each in (self.blocks.guards, self._guards, self._hit_guards):
            each.check()

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
            index = self.blocks.numbers[int(indices[n])]
            self.events.append(EventHit(index, float(times[n]), states[n].copy()))

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
