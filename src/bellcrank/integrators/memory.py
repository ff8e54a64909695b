"""The record that `contract` lays out, its arrays, and the rows that are recorded."""

from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

import numpy as np

from bellcrank.integrators import contract as c
from bellcrank.integrators.problem import Array, EventHit, Problem
from bellcrank.integrators.scales import GROUPS
from bellcrank.kernels.guards import Guards, Scratch, spots, width
from bellcrank.kernels.layout import structure, words

CALLS = (*(f"in_{name}" for name in "tquswpka"), "out", "out1", "out2")  # of kernels
CHUNK = 1 << 22  # doubles of records held before they are handed over
HITS = 256  # events held at least
KERNELS = {
    "rhs": "rhs", "normalize": "normalize", "switches": "switches", "events": "events",
    "revise": "reviser", "jacobian": "jacobian",
}  # fmt: skip
RunRecord = structure(c.LAYOUT)
GIVEN = {"in_t": "clock", "in_w": "w", "in_p": "p", "in_k": "memory"}
"""Arrays that kernels are called with."""


class BlockLayout(NamedTuple):
    """Where the arrays of a run are, for a problem of certain sizes.

    Attributes:
        places: Beginning and number of doubles of each array in the memory of all, by name.
        size: Doubles in all.
        record: The words of the record of the run, with its sizes; addresses of arrays are not
            in it yet.
        fields: Which words of the record are addresses of arrays.
        starts: Where these begin in the memory of all [bytes].
    """

    places: dict[str, tuple[int, int]]
    size: int
    record: Array
    fields: Array
    starts: Array


@lru_cache(maxsize=64)
def _layout(
    nx: int, nw: int, parameters: int, nk: int, nz: int, ne: int, turning: int,
    *, kept: int, rows: int, blend: int, scratch: int, matrices: int, vectors: int,
) -> BlockLayout:  # fmt: skip
    """Return where everything is; sizes as in `contract`, `kept` being angles of the memory."""
    stride = -(-max(nx, 1) // c.LANES) * c.LANES
    sizes = {
        **dict.fromkeys(("x", "x1", "place", "scratch", "atol", "nominal"), stride),
        **dict.fromkeys(("most_atol", "rest", "group", "bases"), stride),
        "vectors": 3 * vectors,
        **dict.fromkeys(("motion", "rounding"), GROUPS),
        "slopes": rows * stride,
        "dense": blend * stride,
        "clock": 1,
        **dict.fromkeys(("w0", "w1", "w"), nw),
        "p": parameters,
        **dict.fromkeys(("memory", "revised", "z", "z_root", "z_flips", "z_since"), nk),
        "trail": c.TRAIL_ROWS * kept,
        "g": ne + turning,
        **dict.fromkeys(("g_root", "g_sign", "g_direction", "g_terminal"), ne),
        "seen": (c.SAMPLES + 1) * (nz + ne + turning),
        "work": scratch,
        "matrices": matrices,
    }
    places, end, guard = {}, 0, width()
    for name, size in sizes.items():
        end = -(-end // c.LANES) * c.LANES
        places[name] = (end, size)
        end += size + guard
    record = np.zeros(c.LAYOUT.itemsize // 8, dtype=np.int64)
    run = RunRecord.of(record)
    run.nx, run.stride, run.nw, run.ne, run.memory_size = nx, stride, nw, ne, nk
    run.angles, run.turning, run.blend = nz, turning, blend
    run.stopped_by = -1
    run.max_h = run.least_h = inf
    run.sign = run.error_before = 1.0
    names = {name: name for name in places} | GIVEN
    starts = np.array([8 * places[name][0] for name in names.values()])
    return BlockLayout(places, end, record, words(c.LAYOUT, names), starts)


class Blocks:
    """The state of one integration.

    Attributes:
        run: The record that `contract` lays out.
        address: Where it is, to be handed to a driver.
        x, w0, w1, w, k: Arrays of the run.
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
            scratch=self._scratch.size, matrices=matrices or 0, vectors=len(problem.vectors),
        )  # fmt: skip
        self._place = layout.places
        store = np.zeros(layout.size + c.LANES)
        skip = -(store.ctypes.data // 8) % c.LANES  # rows begin at whole vectors
        self._store = store[skip : skip + layout.size]
        record = self.guards.array("the record of the run", layout.record.shape, np.int64)
        record[:] = layout.record
        record[layout.fields] = self._store.ctypes.data + layout.starts
        self.run, self.address = RunRecord.of(record), record.ctypes.data
        self._write_sizes(problem, kernels, grid)
        self.x = self.view("x")[:nx]
        self.w0, self.w1, self.w = self.view("w0"), self.view("w1"), self.view("w")
        self.k = self.view("memory")
        self._fill(problem, nx)
        self._guard(problem)
        self.labels = problem.labels or [f"event {n}" for n in range(ne)]
        self.states = problem.states or [f"state {n}" for n in range(nx)]
        self.numbers = problem.numbers or range(ne)
        self.ended_by = ""

    @property
    def places(self) -> tuple[str, ...]:
        """The names of the arrays, whose addresses are in the record."""
        return tuple(self._place)

    @property
    def attempts(self) -> int:
        """How many steps were tried."""
        return int(self.run.steps + self.run.rejected)

    @property
    def stopped_by(self) -> str:
        """What ended it, where an event did."""
        if self.ended_by:
            return self.ended_by
        number: int = self.run.stopped_by
        return self.labels[number % len(self.labels)] if number >= 0 else ""

    def view(self, name: str) -> Array:
        """Return an array."""
        start, size = self._place[name]
        return self._store[start : start + size]

    def _guard(self, problem: Problem) -> None:
        """Set guard words behind every array, and inside those with parts of their own."""
        if not width():
            return
        found = {start + size: name for name, (start, size) in self._place.items()}
        first, size = self._place["work"]
        found.pop(first + size)  # it ends with guards of its own
        found |= {first + at: what for at, what in self._scratch.spots.items()}
        if problem.saddle is not None and self._implicit:
            self.guards.include(problem.saddle.guards)
            first, places = self._place["matrices"][0], problem.saddle.places
            found |= {first + at: what for at, what in spots(places, "saddle").items()}
        self.guards.put(self._store, found)

    def _write_sizes(
        self, problem: Problem, kernels: dict[str, Any], grid: Array | None
    ) -> None:
        """Write what is known of the problem besides its sizes."""
        run = self.run
        run.nq, run.nu = problem.nq, problem.nu
        run.timed, run.nk = problem.timed, problem.nz - problem.timed
        for name, field in KERNELS.items():
            if name in kernels:
                setattr(run, field, self._scratch.address(name, kernels[name]))
        if self._implicit and problem.saddle is not None:
            run.saddle = problem.saddle.table.ctypes.data
        run.vector_count, run.length = len(problem.vectors), problem.length
        run.second_order = int(problem.second_order and not problem.ns)
        if grid is None:
            run.every = 1
        else:
            run.grid, run.grid_size = grid.ctypes.data, len(grid)

    def _fill(self, problem: Problem, nx: int) -> None:
        self.view("p")[:] = problem.parameters
        self.k[:] = problem.memory
        self.view("atol")[nx:] = 1.0
        self.view("bases")[:] = -1.0
        self.view("vectors")[:] = np.ravel(problem.vectors)
        self.view("g_direction")[:] = problem.directions
        self.view("g_terminal")[:] = problem.terminal


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
        run = blocks.run
        self.sizes = (run.nx, run.nw, run.memory_size)
        self.limit = max(1024, CHUNK // (1 + sum(self.sizes)))
        self.full: list[tuple[Array, ...]] = []
        self.events: list[EventHit] = []
        self._guards, self._hit_guards = Guards(), Guards()
        self._allot(min(expected, self.limit))
        events = run.ne
        room = HITS + 2 * c.SAMPLES * events if events else 0
        self.hits = tuple(
            self._hit_guards.array(name, (room, *size))
            for name, size in (("hit_t", ()), ("hit_index", ()), ("hit_x", self.sizes[:1]))
        )
        run.hit_t, run.hit_index, run.hit_x = (each.ctypes.data for each in self.hits)
        run.hit_room = room

    def _allot(self, room: int) -> None:
        rows = room + 1
        self._guards.forget()  # what was full is not written to any more
        names = ("record_x", "record_w", "record_k")
        self.current = (
            self._guards.array("record_t", (rows,)),
            *(
                self._guards.array(name, (rows, size))
                for name, size in zip(names, self.sizes, strict=True)
            ),
        )
        run = self.blocks.run
        for name, each in zip("txwk", self.current, strict=True):
            setattr(run, f"record_{name}", each.ctypes.data)
        run.record_room, run.records = room, 0

    def check(self) -> None:
        """Raise where native code has written beyond any array of the run; see `guards`.

        Raises:
            Overrun: Naming the array.
        """
        for each in (self.blocks.guards, self._guards, self._hit_guards):
            each.check()

    def drain(self) -> None:
        """Make room, where there is none."""
        run = self.blocks.run
        self._drain_events()
        if run.records >= run.record_room:
            done = run.records
            self.full.append(tuple(each[:done] for each in self.current))
            self._allot(min(2 * done, self.limit))

    def _drain_events(self) -> None:
        times, indices, states = self.hits
        number, self.blocks.run.hits = self.blocks.run.hits, 0
        for n in range(number):
            index = self.blocks.numbers[int(indices[n])]
            self.events.append(EventHit(index, float(times[n]), states[n].copy()))

    def close(self) -> tuple[Array, ...]:
        """Return all rows (t, x, w, k), ending with the point that was reached."""
        self._drain_events()
        rows, time = self.blocks.run.records, self.blocks.run.time
        last = (
            self.current[0][rows - 1] if rows else (self.full[-1][0][-1] if self.full else None)
        )
        if last is None or (time - last) * self.blocks.run.sign > 0:
            self.blocks.w[:] = self.blocks.w0 + self.blocks.w1 * time
            point = (time, self.blocks.x, self.blocks.w, self.blocks.k)
            for out, value in zip(self.current, point, strict=True):
                out[rows] = value
            rows += 1
        tail = tuple(each[:rows] for each in self.current)
        if not self.full:
            return tail
        return tuple(np.concatenate(parts) for parts in zip(*self.full, tail, strict=True))
