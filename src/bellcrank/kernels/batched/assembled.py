"""Large machines: one kernel per kind of element, over all instances in lanes.

A question is one pass (`passes`): values are gathered from the machine's vectors, kernels run
over all elements of a kind, and what they give is added up in a vector or a sparse matrix whose
pattern never changes:

    [ J   Cᵀ ]   speeds                J = c₀ A + c₁ r_u + c₂ r_q T B
    [ G   0  ]   rows                  G = C B, or c₃ C + c₄ (C u − ν)_q T B of velocity rows

The matrix is kept by columns, row numbers ascending, with a place for every entry of its
diagonal.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np

from bellcrank.formulations.contract.equations import Batch, Equations
from bellcrank.kernels.batched.arena import Arena
from bellcrank.kernels.batched.element_pass import ElementPass, Output
from bellcrank.kernels.build import Kernel, kernel
from bellcrank.linear.elimination import elimination

Array = np.ndarray
FACTORS = 5  # of `iteration`
MANY = 3000  # speeds from which on arrays lie in large arena of memory
OFTEN = ("residual", "iteration", "move", "stage", "flow")
"""Questions of every iteration; the code of others is made with less effort."""


@dataclass(frozen=True, eq=False)
class AssembledState:
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


class Assembled:
    """The equations of a large machine with given parameters.

    Attributes:
        equations: Where they come from.
        nq, nu, m, mh: Numbers of coordinates, speeds (variables among them, the last ones),
            rows, and position rows among these.
        vectors: What passes look at, by the names of `AssembledState`, and `q0`, where `move`
            begins. A question puts a state there first. Whoever runs passes by their
            addresses must be the only one to use the machine meanwhile.
        arena: Where these, places, numbers and matrices are kept.
    """

    def __init__(
        self, equations: Equations, p: Array, *, lanes: int = 8, level: int = 1
    ) -> None:
        self.equations, self._lanes, self._level = equations, lanes, level
        self.nq = len(equations.coordinates)
        self.nu = len(equations.speeds) + len(equations.auxiliary)
        self.m = len(equations.rows)
        self.mh = sum(row.level == "position" for row in equations.rows)
        values = dict(zip(equations.parameters, p.tolist(), strict=True))
        self._numbers = [batch.numbers(values) for batch in equations.batches]
        sizes = {"t": 1, "q": self.nq, "u": self.nu, **self._others, "q0": self.nq}
        self.arena = Arena(self.nu >= MANY)
        self.vectors = {name: self.arena.zeros(size) for name, size in sizes.items()}
        self._passes: dict[str, ElementPass] = {}
        self._lock = RLock()  # passes let other threads run, and share the vectors

    @property
    def _others(self) -> dict[str, int]:
        """Sizes of what a state need not give."""
        e = self.equations
        sizes = {"w": len(e.inputs), "k": len(e.memory), "a": self.nu, "lam": self.m}
        return sizes | {"c": FACTORS, "x": self.nu}

    @property
    def size(self) -> int:
        """Unknowns: speeds and rows."""
        return self.nu + self.m

    # --- passes

    def element_pass(self, question: str) -> ElementPass:
        """Return the pass of a question over all batches that have it."""
        if question not in self._passes:
            self._passes[question] = self.lay(question)
        return self._passes[question]

    def lay(self, question: str, **others: Array) -> ElementPass:
        """Return a new pass of a question, with other vectors in place of the machine's."""
        level = self._level if question in OFTEN else 0
        asked = (
            (
                batch,
                _kernel(batch, question, self._lanes, level),
                _kernel(batch, f"{question} numbers", 1, 0)(numbers)[0],
            )
            for batch, numbers in zip(self.equations.batches, self._numbers, strict=True)
            if question in batch.kernels
        )
        return ElementPass(self.vectors | others, asked, self.arena)

    def ask(self, question: str, state: AssembledState) -> None:
        """Make the pass of a question at a state."""
        asked = self.element_pass(question)
        for name in asked.takes:
            if (given := getattr(state, name)) is not self.vectors[name]:
                self.vectors[name][:] = given
        asked()

    def state(self, t: float, q: Array, u: Array, **others: Any) -> AssembledState:
        """Return a state; what is not given is zero."""
        rest = {name: others.get(name, np.zeros(size)) for name, size in self._others.items()}
        return AssembledState(
            t, q, u, **{k: np.asarray(v, dtype=float) for k, v in rest.items()}
        )

    # --- vectors

    @cached_property
    def lacking(self) -> Array:
        """What the last pass of `residual` gave: r, then g, shape (nu + m,)."""
        homes = {"r": ("u", 0), "g": ("rows", self.nu)}
        return add_up(self.element_pass("residual"), homes, self.arena.zeros(self.size))

    def residual(self, state: AssembledState) -> tuple[Array, Array]:
        """Return r = A a − f + Cᵀλ (nu), and g (m): Φ, then rates of velocity rows."""
        with self._lock:
            lacking = self.lacking
            self.ask("residual", state)
            return lacking[: self.nu].copy(), lacking[self.nu :].copy()

    @cached_property
    def tied(self) -> tuple[Array, Array, Array]:
        """What the last pass of `rows` gave: Φ, C u − ν and γ."""
        sizes = {"Phi": self.mh, "rates": self.m, "gamma": self.m}
        phi, rates, gamma = (
            add_up(self.element_pass("rows"), {name: ("rows", 0)}, self.arena.zeros(size))
            for name, size in sizes.items()
        )
        return phi, rates, gamma

    def rows(self, state: AssembledState) -> tuple[Array, Array, Array]:
        """Return Φ (mh), C u − ν (m) and γ (m)."""
        with self._lock:
            phi, rates, gamma = self.tied
            self.ask("rows", state)
            return phi.copy(), rates.copy(), gamma.copy()

    @cached_property
    def moving(self) -> ElementPass:
        """The pass that sets q to q0 moved by x."""
        asked = self.lay("move", q=self.vectors["q0"], a=self.vectors["x"])
        add_up(asked, {"q_out": ("q", 0)}, self.vectors["q"])
        return asked

    def moved(self, state: AssembledState, step: Array) -> Array:
        """Return q a step along T further."""
        with self._lock:
            moving = self.moving
            self.vectors["q0"][:], self.vectors["x"][:] = state.q, step
            moving()
            return self.vectors["q"].copy()

    @cached_property
    def kept(self) -> tuple[Array, Array, Array, Array]:
        """What the last pass of `memory` gave: z, and whose; angles, and whose."""
        asked, nk = self.element_pass("memory"), len(self.equations.memory)
        homes: tuple[list, list] = [], []
        for (batch, _), values in zip(asked.kernels, asked.outputs, strict=True):
            place, count = batch.places["k"], values["z"].width
            homes[0].append((values["z"], place[:, :count]))
            homes[1].append((values["turns"], place[:, count:][:, : values["turns"].width]))
        z, turns = (asked.total(self.arena.zeros(nk), parts) for parts in homes)
        which = [np.concatenate([p.ravel() for _, p in parts] or [[]]) for parts in homes]
        return z, which[0].astype(int), turns, which[1].astype(int)

    def revised(self, state: AssembledState) -> Array:
        """Return k as it is at a state: the side of each switch, angles over full turns."""
        k = state.k.copy()
        if not k.size:
            return k
        with self._lock:
            z, switches, turns, angles = self.kept
            self.ask("memory", state)
            if switches.size:
                k[switches] = np.where(z[switches] >= 0, 1.0, -1.0)
            k[angles] = turns[angles]
            return k

    @cached_property
    def _sums(self) -> Array:
        asked = self.element_pass("balance")
        parts = [
            (values["sums"], np.tile(np.arange(9), (len(batch.elements), 1)))
            for (batch, _), values in zip(asked.kernels, asked.outputs, strict=True)
        ]
        return asked.total(np.zeros(9), parts)

    def balance(self, state: AssembledState) -> Array:
        """Return kinetic and potential energy, power, linear and angular momentum (9)."""
        with self._lock:
            sums = self._sums
            self.ask("balance", state)
            return sums.copy()

    @cached_property
    def works(self) -> bool:
        """Whether an element may have a power that is not conservative, at some time."""
        ports = (
            port for _, run in self.element_pass("balance").kernels for port in run.outputs
        )
        return any(port.name == "power" and port.size for port in ports)

    def element(self, number: int, i: int, question: str) -> tuple[Kernel, Array]:
        """Return the kernel of a batch, and what it takes for the numbers of one element."""
        batch = self.equations.batches[number]
        kernel = _kernel(batch, question, self._lanes, 0)
        prepare = _kernel(batch, f"{question} numbers", 1, 0)
        return kernel, prepare(self._numbers[number][i])[0]

    def embedded(
        self, pose: Mapping[str, Array], twist: Mapping[str, Array]
    ) -> tuple[Array, Array]:
        """Return q and u of bodies that are and move as given, by name."""
        q, u = np.zeros(self.nq), np.zeros(self.nu)
        for batch, numbers in zip(self.equations.batches, self._numbers, strict=True):
            if "embed" not in batch.kernels:
                continue
            asked, prepare = (_kernel(batch, f"embed{what}", 1, 0) for what in ("", " numbers"))
            given = {"n": prepare(numbers)[0]}
            given["pose"] = np.array([pose[name] for name in batch.elements])
            given["twist"] = np.array([twist[name] for name in batch.elements])
            found = asked(*(given[port.name] for port in asked.inputs))
            for out, letter, values in zip((q, u), "qu", found, strict=True):
                out[batch.places[letter]] = values.reshape(batch.places[letter].shape)
        return q, u

    # --- the matrix

    def blocks(self, question: str) -> list[tuple[Output, Array, Array]]:
        """Return all that a pass gives to the matrix, with its rows and columns."""
        asked, found = self.element_pass(question), []
        for (batch, run), values in zip(asked.kernels, asked.outputs, strict=True):
            u, rows = batch.places["u"], batch.places["rows"] + self.nu
            homes = {"J": (u, u), "G": (rows, u), "C": (rows, u), "E": (rows, u)}
            for port in run.outputs:
                if not port.size:
                    continue
                stored = np.arange(port.rows * port.cols)
                stored = stored if port.nonzeros is None else np.array(port.nonzeros)
                down, across = homes[port.name]
                i, j = down[:, stored % port.rows], across[:, stored // port.rows]
                pair = (j, i) if port.name == "C" else (i, j)  # C is there transposed
                found.append((values[port.name], *pair))
        return found

    @cached_property
    def pattern(self) -> tuple[Array, Array]:
        """Starts of columns and row numbers of the matrix, as 32-bit integers."""
        n = self.size
        entries = self._codes
        starts = np.searchsorted(entries, n * np.arange(n + 1))
        return starts.astype(np.int32), (entries % n).astype(np.int32)

    @cached_property
    def columns(self) -> Array:
        """The column of every stored entry of the matrix."""
        return np.repeat(np.arange(self.size), np.diff(self.pattern[0]))

    @cached_property
    def diagonal(self) -> Array:
        """Which stored entries are those of the diagonal."""
        return np.flatnonzero(self.columns == self.pattern[1])

    @cached_property
    def _codes(self) -> Array:
        """The entries of the matrix, as row + size · column, ascending."""
        n, diagonal = self.size, np.arange(self.size)
        blocks = self.blocks("iteration")
        return np.unique(
            np.concatenate([*((i + n * j).ravel() for _, i, j in blocks), (n + 1) * diagonal])
        )

    def _entries_of(self, question: str) -> Array:
        """Return the vector of entries that the passes of a question fill, shape (entries,).

        What the pattern has no place for is left out.
        """
        count = self._codes.size
        parts = []
        for values, i, j in self.blocks(question):
            code = i + self.size * j
            place = np.searchsorted(self._codes, code)
            known = self._codes[np.minimum(place, count - 1)] == code
            parts.append((values, np.where(known, place, count)))
        return self.element_pass(question).total(self.arena.zeros(count + 1), parts)[:count]

    @cached_property
    def entries(self) -> Array:
        """What the last pass of `iteration` gave."""
        return self._entries_of("iteration")

    @cached_property
    def slopes(self) -> Array:
        """What the last pass of `slopes` gave: E, in the places of C."""
        return self._entries_of("slopes")

    @cached_property
    def order(self) -> Array:
        """The unknowns in the order of elimination: bodies, each with its joint."""
        moving = len(self.equations.speeds)
        bodies, ties = [np.array([n]) for n in range(moving, self.nu)], []
        for batch in self.equations.batches:
            speeds, rows = batch.places["u"], batch.places["rows"] + self.nu
            if "move" in batch.kernels:
                bodies += list(speeds)
            elif rows.shape[1]:
                ties += [
                    (own, held[held < moving]) for own, held in zip(rows, speeds, strict=True)
                ]
        entries = np.stack([self.pattern[1], self.columns])
        return elimination(bodies, ties, entries)

    def matrix(
        self, state: AssembledState, times: Array | float = 1.0, out: Array | None = None
    ) -> Array:
        """Return the stored entries of the matrix; c of the state are its factors.

        Args:
            state: The state.
            times: What entries are multiplied with.
            out: Where they are put.
        """
        with self._lock:
            entries = self.entries
            self.ask("iteration", state)
            return np.multiply(entries, times, out=out)


def add_up(asked: ElementPass, homes: Mapping[str, tuple[str, int]], out: Array) -> Array:
    """Have outputs of a pass added up in a vector; return it.

    Args:
        asked: The pass.
        homes: By output, the name of its places and what is added to these.
        out: The vector.
    """
    parts = []
    for (batch, _), values in zip(asked.kernels, asked.outputs, strict=True):
        for name, (where, offset) in homes.items():
            found = values[name]
            parts.append((found, batch.places[where][:, : found.width] + offset))
    return asked.total(out, parts)


def _kernel(batch: Batch, question: str, lanes: int, level: int) -> Kernel:
    title = f"{batch.kind}, {question}\n{batch.key}"
    return kernel(title, batch.kernels[question], lanes=lanes, level=level)
