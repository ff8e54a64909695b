"""Large machines as implicit methods with constraints take them: sparse matrices.

The same drivers integrate them as small machines; their linear algebra is left to
`native/sparse_saddle.py`.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bellcrank.integrators import saddle_table as d
from bellcrank.integrators import sparse_saddle_table as s
from bellcrank.integrators.problem import Array
from bellcrank.integrators.sparse_linear import Linear, factors
from bellcrank.kernels.assembled import Assembled, State, add_up
from bellcrank.kernels.entries import Entry
from bellcrank.kernels.layout import offsets
from bellcrank.kernels.rounds import play_address
from bellcrank.kernels.routines import routine, shims

KERNELS = {
    "rhs": s.RHS, "normalize": s.NORMALIZE, "switches": s.SWITCHES, "revise": s.REVISE,
}  # fmt: skip


class SparseSaddle:
    """A large machine, ready to be integrated by one run at a time.

    Attributes:
        linear: The matrix of accelerations; its scale is that of all.
        table: Laid out in `saddle_table`.
        kernels: `rhs`, `normalize`, `switches` and `revise`.
        work: Doubles of scratch that kernels want.
    """

    def __init__(self, machine: Assembled, state: State) -> None:
        """Lay out the tables.

        Args:
            machine: The machine.
            state: Where it begins, by which matrices are scaled.
        """
        self.work, self.linear = 0, Linear(machine, state)
        self._keep: list[Any] = [machine]
        self._e = self._sparse(machine)
        self.table = np.zeros(d.SIZE + 1, dtype=np.int64)
        self.places, self.guards = _places(machine), machine.pieces.guards
        for slot, offset in self.places.items():
            self.table[slot] = offset
        for slot in ("NQ", "NU", "M", "MH"):
            self.table[getattr(d, slot)] = getattr(machine, slot.lower())
        self.table[d.RANK], self.table[d.SPARSE] = -1, self._e.ctypes.data
        self.table[d.ROUTINE] = routine("sparse_saddle", _find, answers=True)
        library = shims(routine("sparse_kernels", _find_kernels), self._e.ctypes.data, KERNELS)
        # Not `self`, which would then live until the next collection of garbage.
        owner = (self._keep, self._e, library)
        self.kernels = {name: Entry(library[name], 0, owner) for name in KERNELS}

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        return int(self.table[d.SIZE])

    # --- the table of the machine

    def _sparse(self, machine: Assembled) -> Array:
        """Return the table of `sparse_saddle_table`."""
        e = np.zeros(s.LENGTH, dtype=np.int64)
        for slot in ("NQ", "NU", "M", "MH"):
            e[getattr(s, slot)] = getattr(machine, slot.lower())
        equations = machine.equations
        e[s.NW], e[s.MODES] = len(equations.inputs), equations.modes
        e[s.NK], e[s.HELD] = len(equations.memory), 1
        e[s.PLAY], e[s.ENTRIES] = play_address(), len(machine.pattern[1])
        for slot, vector in (
            self._vectors(machine) | self._rounds(machine, e) | self._matrices(machine)
        ).items():
            e[slot] = vector.ctypes.data
            self._keep.append(vector)
        for slot in (s.REAL, s.COMPLEX, s.NEAREST, s.PLAIN):
            made = factors(machine, complex if slot == s.COMPLEX else float)
            e[s.LU_COMPLEX if slot == s.COMPLEX else s.LU] = made.routine
            e[slot] = made.address
            self._keep.append(made)
        return e

    def _vectors(self, machine: Assembled) -> dict[int, Array]:
        own = machine.vectors
        names = {
            s.T: "t", s.Q0: "q0", s.X: "x", s.Q: "q", s.U: "u", s.W: "w", s.K: "k", s.A: "a",
            s.LAM: "lam", s.FACTORS: "c",
        }  # fmt: skip
        found = {slot: own[name] for slot, name in names.items()}
        sizes = {
            s.V: machine.nu, s.Q_TAKEN: machine.nq, s.V_TAKEN: machine.nu, s.B: machine.nq,
            s.PLAIN_AT: machine.nq + 1 + own["w"].size + own["k"].size,
            s.R: machine.nu, s.PHI: machine.mh, s.RATES: machine.m, s.Q_RATE: machine.nq,
            s.TANGENT_FOUND: machine.nu, s.Q_RATE_TAKEN: machine.nq, s.KNOWN: machine.m,
        }  # fmt: skip
        found |= {slot: machine.pieces.zeros(size) for slot, size in sizes.items()}
        self._own = found
        return found

    def _rounds(self, machine: Assembled, e: Array) -> dict[int, Array]:
        """Lay out rounds, write their addresses, and return the vectors they fill."""
        own, tied = self._own, machine.tied
        stage, flow = machine.lay("stage"), machine.lay("flow", a=own[s.V])
        add_up(stage, {"r": ("u", 0)}, own[s.R])
        add_up(stage, {"Phi": ("rows", 0)}, own[s.PHI])
        add_up(stage, {"rates": ("rows", 0)}, own[s.RATES])
        add_up(flow, {"q_rate": ("q", 0)}, own[s.Q_RATE])
        taken = machine.lay("flow", q=own[s.Q_TAKEN], a=own[s.V_TAKEN])
        add_up(taken, {"q_rate": ("q", 0)}, own[s.Q_RATE_TAKEN])
        tangent = machine.lay("tangent", q=own[s.Q_TAKEN], b=own[s.B])
        add_up(tangent, {"v": ("u", 0)}, own[s.TANGENT_FOUND])
        z, _, turns, angles = machine.kept
        filled = {
            s.GAMMA: tied[2], s.FOUND: machine.entries,
            s.E_FOUND: machine.slopes, s.Z: z, s.ANGLES: turns,
            s.IS_ANGLE: np.isin(np.arange(len(turns)), angles).astype(np.int64),
        }  # fmt: skip
        rounds = {
            s.MOVE: machine.moving, s.STAGE: stage, s.FLOW: flow, s.FLOW_TAKEN: taken,
            s.TANGENT: tangent, s.ROWS: machine.round("rows"),
            s.ITERATION: machine.round("iteration"), s.SLOPES: machine.round("slopes"),
            s.MEMORY: machine.round("memory"),
        }  # fmt: skip
        for slot, each in rounds.items():
            e[slot] = each.address
        self._keep.append(rounds)
        return filled

    def _matrices(self, machine: Assembled) -> dict[int, Array]:
        starts, down = machine.pattern
        weight = 1.0 / np.array([row.scale for row in machine.equations.rows], dtype=float)
        n, zeros, copy = len(down), machine.pieces.zeros, machine.pieces.copy
        return {
            s.STARTS: copy(starts, np.int64), s.DOWN: copy(down, np.int64),
            s.DIAGONAL: machine.diagonal,
            s.SCALE: self.linear.scale, s.WEIGHT: weight, s.M0: zeros(n), s.M1: zeros(n),
            s.M2: zeros(n), s.MIXED: zeros(2 * n), s.SIDE: zeros(s.SIDES * machine.size),
        }  # fmt: skip


def _places(machine: Assembled) -> Mapping[int, int]:
    """Return offsets into the memory of a run."""
    nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
    return offsets({
        d.NUMBERS: 2, d.ACCELERATION: nu, d.LAM: m, d.COUNTS: 4, d.WEAKEST: 2, d.LAM0: m,
        d.NOISE: nu, d.SPARE: max(nu, m) + 8, d.ROWS: d.STAGES * (nq + nu + m + mh),
        d.MULTIPLIERS: d.STAGES * (m + mh), d.BEFORE: d.STAGES * m,
    }, d.SIZE)  # fmt: skip


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.sparse_saddle import sparse_saddle

    return sparse_saddle


def _find_kernels() -> Callable[..., None]:
    from bellcrank.integrators.native.sparse_kernels import kernels

    return kernels
