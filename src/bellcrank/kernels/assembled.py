"""Large machines: one kernel per kind of element, over all instances in lanes.

Values are gathered from the machine's vectors, kernels run over all elements of a kind, and
what they give is added up in a vector or a sparse matrix whose pattern never changes:

    [ J   Cᵀ ]   speeds                J = c₀ A + c₁ r_u + c₂ r_q T B
    [ G   0  ]   rows                  G = C B, or c₃ C + c₄ (C u − ν)_q T B of velocity rows

The matrix is kept by columns, row numbers ascending, with a place for every entry of its
diagonal.
"""

import ctypes
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from bellcrank.formulations.equations import Batch, Equations
from bellcrank.kernels.build import Kernel, kernel
from bellcrank.kernels.elimination import Order, elimination

Array = np.ndarray
OFTEN = ("residual", "iteration", "move")
"""Questions of every iteration; the code of others is made with less effort."""
_ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 5)  # releases the GIL


@dataclass(frozen=True, eq=False)
class State:
    """Where a machine is: what kernels may take.

    Attributes:
        t: Time [s].
        q, u: Coordinates and speeds.
        w: Inputs.
        k: Memory.
        a: Accelerations.
        lam: Multipliers.
        c: The factors of `iteration`.
        x: The step ξ that led here.
    """

    t: float
    q: Array
    u: Array
    w: Array
    k: Array
    a: Array
    lam: Array
    c: Array
    x: Array


class Running:
    """A kernel over all elements of a batch, with its own memory in and out.

    Attributes:
        kernel: The kernel.
        values: What it gave last, by output: one row of stored numbers per element.
    """

    def __init__(
        self,
        batch: Batch,
        question: str,
        numbers: Array,
        kernel: Kernel,
        gather: "Gather",
        given: Mapping[str, Iterator[Array]],
    ) -> None:
        self.kernel = kernel
        prepared = _kernel(batch, f"{question} numbers", 1, 0)(numbers)[0]
        self._count = count = len(batch.elements)
        inputs, strides = [], []
        for port in kernel.inputs:
            shared = port.name in ("t", "c")
            if port.name == "n":
                room = np.ascontiguousarray(prepared.reshape(count, port.size))
            else:
                room = gather.room(port.name, None if shared else _places(batch, port.name))
            inputs.append(room)
            strides.append(0 if shared else port.size)
        outputs = [next(given[port.name]) for port in kernel.outputs]
        names = [port.name for port in kernel.outputs]
        self.values = dict(zip(names, outputs, strict=True))
        self._keep = [
            _addresses(inputs), np.array(strides or [0], dtype=np.int64), _addresses(outputs),
            np.array([port.size for port in kernel.outputs] or [0], dtype=np.int64),
            np.zeros(kernel.work + 8), inputs, outputs,
        ]  # fmt: skip
        room = self._keep[4].ctypes.data
        tables = [table.ctypes.data for table in self._keep[:4]]
        self._tables = (*tables, room + (-room) % 64)
        self._entry = _ENTRY(kernel.batch_address)

    def __call__(self) -> Mapping[str, Array]:
        """Return the outputs for what was gathered; the next call overwrites the arrays."""
        self._entry(self._count, *self._tables)
        return self.values


class Gather:
    """Brings what kernels read from a state to where they read it, all batches at once."""

    def __init__(self, wanted: Iterable[tuple[str, Array | None]]) -> None:
        places: dict[str, list[Array]] = {}
        shared: dict[str, None] = {}
        for name, place in wanted:
            if place is None:
                shared[name] = None
            elif place.size:
                places.setdefault(name, []).append(place.ravel())
        self._shared = {name: np.zeros(5 if name == "c" else 1) for name in shared}
        self._places = {name: np.concatenate(parts) for name, parts in places.items()}
        self._rooms = {name: np.zeros(place.size) for name, place in self._places.items()}
        self._used = dict.fromkeys(self._rooms, 0)
        self._steps = [(name, self._places[name], room) for name, room in self._rooms.items()]

    def room(self, name: str, place: Array | None) -> Array:
        """Return where the numbers of one batch come to be; asked in the order of `wanted`."""
        if place is None:
            return self._shared[name]
        if not place.size:
            return np.zeros(place.shape)
        first = self._used[name]
        self._used[name] = first + place.size
        return self._rooms[name][first : first + place.size].reshape(place.shape)

    def __call__(self, state: State) -> None:
        """Gather from a state."""
        for name, room in self._shared.items():
            room[:] = getattr(state, name)
        for name, place, room in self._steps:
            getattr(state, name).take(place, out=room, mode="clip")


def _rooms(found: Sequence[tuple[Batch, Kernel]]) -> dict[str, Iterator[Array]]:
    """Return memory for outputs: of one name one after the other, to be added up as one."""
    shapes: dict[str, list[tuple[int, int]]] = {}
    for batch, asked in found:
        for port in asked.outputs:
            shapes.setdefault(port.name, []).append((len(batch.elements), port.size))
    rooms = {}
    for name, each in shapes.items():
        ends = np.cumsum([0, *(a * b for a, b in each)])
        flat = np.zeros(ends[-1])
        parts = [flat[i:j].reshape(s) for (i, j), s in zip(pairwise(ends), each, strict=True)]
        rooms[name] = iter(parts)
    return rooms


def _places(batch: Batch, name: str) -> Array:
    """Return the places an input of a kernel is read from, one row per element."""
    return batch.places[_SOURCE.get(name, name)]


_SOURCE = {"a": "u", "x": "u", "lam": "rows"}


def _kernel(batch: Batch, question: str, lanes: int, level: int) -> Kernel:
    title = f"{batch.kind}, {question}\n{batch.key}"
    return kernel(title, batch.kernels[question], lanes=lanes, level=level)


def _addresses(arrays: Sequence[Array]) -> Array:
    return np.array([array.ctypes.data for array in arrays] or [0], dtype=np.uintp)


class Sum:
    """Adds numbers that kernels gave at fixed places.

    Attributes:
        size: Places there are; those that nothing is added to stay zero.
    """

    def __init__(self, size: int, parts: Iterable[tuple[Array, Array]]) -> None:
        pairs = [(values, place) for values, place in parts if place.size]
        self.size = size
        self._sources = [values for values, _ in pairs]
        ends = np.cumsum([0, *(values.size for values in self._sources)])
        self._flat = _as_one(self._sources)
        self._slices: list[Array] = []
        if self._flat is None:
            self._flat = np.zeros(ends[-1])
            self._slices = [self._flat[a:b] for a, b in pairwise(ends)]
        places = [place.ravel() for _, place in pairs] or [np.zeros(0, dtype=np.intp)]
        self._to = np.concatenate(places).astype(np.intp)

    def __call__(self) -> Array:
        """Return the sums of what the kernels' outputs hold now."""
        for part, source in zip(self._slices, self._sources, strict=False):
            part[:] = source.ravel()
        return np.bincount(self._to, weights=self._flat, minlength=self.size)


def _as_one(sources: Sequence[Array]) -> Array | None:
    """Return arrays that follow each other in one memory as one, or None where they do not."""
    if not sources or sources[0].base is None:
        return None
    first, end = sources[0].ctypes.data, sources[0].ctypes.data
    for source in sources:
        if source.base is not sources[0].base or source.ctypes.data != end:
            return None
        end += source.nbytes
    base = sources[0].base
    start = (first - base.ctypes.data) // base.itemsize
    return base[start : start + (end - first) // base.itemsize]


class Assembled:
    """The equations of a large machine with given parameters.

    Attributes:
        equations: Where they come from.
        nq, nu, m, mh: Numbers of coordinates, speeds, rows, and position rows among these.
    """

    def __init__(
        self, equations: Equations, p: Array, *, lanes: int = 8, level: int = 1
    ) -> None:
        self.equations, self._lanes, self._level = equations, lanes, level
        self.nq, self.nu = len(equations.coordinates), len(equations.speeds)
        self.m = len(equations.rows)
        self.mh = sum(row.level == "position" for row in equations.rows)
        values = dict(zip(equations.parameters, p.tolist(), strict=True))
        self._numbers = [batch.numbers(values) for batch in equations.batches]
        self._runs: dict[str, tuple[Gather, list[tuple[Batch, Running]]]] = {}

    @property
    def size(self) -> int:
        """Unknowns: speeds and rows."""
        return self.nu + self.m

    def runs(self, question: str) -> list[tuple[Batch, Running]]:
        """Return the kernels of a question over all batches that have it."""
        return self._asked(question)[1]

    def _asked(self, question: str) -> tuple[Gather, list[tuple[Batch, Running]]]:
        if question not in self._runs:
            level = self._level if question in OFTEN else 0
            found = [
                (batch, numbers, _kernel(batch, question, self._lanes, level))
                for batch, numbers in zip(self.equations.batches, self._numbers, strict=True)
                if question in batch.kernels
            ]
            gather = Gather(
                (port.name, None if port.name in ("t", "c") else _places(batch, port.name))
                for batch, _, kernel in found
                for port in kernel.inputs
                if port.name != "n"
            )
            rooms = _rooms([(batch, kernel) for batch, _, kernel in found])
            runs = [
                (batch, Running(batch, question, numbers, kernel, gather, rooms))
                for batch, numbers, kernel in found
            ]
            self._runs[question] = gather, runs
        return self._runs[question]

    def ask(self, question: str, state: State) -> list[tuple[Batch, Running]]:
        """Run the kernels of a question at a state; their outputs are in `values`."""
        gather, runs = self._asked(question)
        gather(state)
        for _, run in runs:
            run()
        return runs

    def state(self, t: float, q: Array, u: Array, **others: Any) -> State:
        """Return a state; what is not given is zero."""
        e = self.equations
        zeros = {"w": len(e.inputs), "k": len(e.memory), "a": self.nu, "lam": self.m}
        zeros |= {"c": 5, "x": self.nu}
        rest = {name: others.get(name, np.zeros(size)) for name, size in zeros.items()}
        return State(t, q, u, **{k: np.asarray(v, dtype=float) for k, v in rest.items()})

    # --- vectors

    @cached_property
    def _residual(self) -> tuple[Sum, Sum]:
        runs = self.runs("residual")
        r = Sum(self.nu, [(run.values["r"], batch.places["u"]) for batch, run in runs])
        g = Sum(self.m, [(run.values["g"], batch.places["rows"]) for batch, run in runs])
        return r, g

    def residual(self, state: State) -> tuple[Array, Array]:
        """Return r = A a − f + Cᵀλ (nu), and g (m): Φ, then rates of velocity rows."""
        self.ask("residual", state)
        r, g = self._residual
        return r(), g()

    @cached_property
    def _tied(self) -> dict[str, Sum]:
        runs = self.runs("rows")
        found = {}
        for name in ("Phi", "rates", "gamma"):
            parts = []
            for batch, run in runs:
                values = run.values[name]
                parts.append((values, batch.places["rows"][:, : values.shape[1]]))
            found[name] = Sum(self.mh if name == "Phi" else self.m, parts)
        return found

    def rows(self, state: State) -> tuple[Array, Array, Array]:
        """Return Φ (mh), C u − ν (m) and γ (m)."""
        self.ask("rows", state)
        return self._tied["Phi"](), self._tied["rates"](), self._tied["gamma"]()

    def moved(self, state: State, step: Array) -> Array:
        """Return q a step along T further."""
        there = State(
            state.t, state.q, state.u, state.w, state.k, step, state.lam, state.c, state.x
        )
        found = np.empty(self.nq)
        for batch, run in self.ask("move", there):
            found[batch.places["q"]] = run.values["q_out"]
        return found

    def revised(self, state: State, modes: bool = True) -> Array:
        """Return k as it is at a state: the side of each switch, angles over full turns."""
        k = state.k.copy()
        for batch, run in self.ask("memory", state):
            found = run.values
            place, count = batch.places["k"], found["z"].shape[1]
            if modes and count:
                k[place[:, :count]] = np.where(found["z"] >= 0, 1.0, -1.0)
            if found["turns"].size:
                k[place[:, count:]] = found["turns"]
        return k

    def balance(self, state: State) -> Array:
        """Return kinetic and potential energy, power, linear and angular momentum (9)."""
        total = np.zeros(9)
        for _, run in self.ask("balance", state):
            total += run.values["sums"].sum(axis=0)
        return total

    def element(self, number: int, i: int, question: str) -> tuple[Kernel, Array]:
        """Return the kernel of a batch, and what it takes for the numbers of one element."""
        batch = self.equations.batches[number]
        kernel = _kernel(batch, question, self._lanes, 0)
        prepare = _kernel(batch, f"{question} numbers", 1, 0)
        return kernel, prepare(self._numbers[number][i])[0]

    # --- the matrix

    @cached_property
    def _blocks(self) -> list[tuple[Array, Array, Array]]:
        """Values, rows and columns of everything kernels give to the matrix."""
        found = []
        for batch, run in self.runs("iteration"):
            u, rows = batch.places["u"], batch.places["rows"] + self.nu
            homes = {"J": (u, u), "G": (rows, u), "C": (rows, u)}
            for port in run.kernel.outputs:
                if not port.size:
                    continue
                stored = np.arange(port.rows * port.cols)
                stored = stored if port.nonzeros is None else np.array(port.nonzeros)
                down, across = homes[port.name]
                i, j = down[:, stored % port.rows], across[:, stored // port.rows]
                pair = (j, i) if port.name == "C" else (i, j)  # C is there transposed
                found.append((run.values[port.name], *pair))
        return found

    @cached_property
    def pattern(self) -> tuple[Array, Array]:
        """Starts of columns and row numbers of the matrix, as 32-bit integers."""
        return self._matrix[0], self._matrix[1]

    @cached_property
    def _matrix(self) -> tuple[Array, Array, Sum]:
        n = self.size
        down = [i.ravel() for _, i, _ in self._blocks]
        across = [j.ravel() for _, _, j in self._blocks]
        diagonal = np.arange(n)
        codes = np.concatenate([*down, diagonal]) + n * np.concatenate([*across, diagonal])
        entries = np.unique(codes)
        parts = [(values, np.searchsorted(entries, i + n * j)) for values, i, j in self._blocks]
        starts = np.searchsorted(entries, n * np.arange(n + 1))
        total = Sum(entries.size, parts)
        return starts.astype(np.int32), (entries % n).astype(np.int32), total

    def order(self, order: Order) -> Array:
        """Return the unknowns in the order of elimination; `order` orders groups of them."""
        bodies, ties = [], []
        for batch in self.equations.batches:
            speeds, rows = batch.places["u"], batch.places["rows"] + self.nu
            if "move" in batch.kernels:
                bodies += list(speeds)
            elif rows.shape[1]:
                ties += list(zip(rows, speeds, strict=True))
        starts, down = self.pattern
        across = np.repeat(np.arange(self.size), np.diff(starts))
        return elimination(bodies, ties, np.stack([down, across]), order)

    def matrix(self, state: State) -> Array:
        """Return the stored entries of the matrix; c of the state are its factors."""
        self.ask("iteration", state)
        total = self._matrix[2]
        return total()
