"""A batched machine as native code takes it: its rounds, vectors, matrices and factors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.kernels import jit
from bellcrank.kernels.assembled import Assembled, AssembledState, add_up
from bellcrank.kernels.rounds import play_address
from bellcrank.kernels.routines import routine, shims
from bellcrank.machine.batched.matrix import Linear, epsilons, factors
from bellcrank.machine.batched.native import table as s

Array = np.ndarray
KERNELS = {
    "rhs": s.RHS, "normalize": s.NORMALIZE, "switches": s.SWITCHES, "revise": s.REVISE,
}  # fmt: skip


class Rounds:
    """A batched machine, ready to be integrated by one run at a time.

    Attributes:
        machine: Its sums over elements.
        linear: The matrix of accelerations; its scale is that of all.
    """

    def __init__(self, machine: Assembled, state: AssembledState) -> None:
        """Scale the matrix; the table is laid out when native code first asks for it.

        Args:
            machine: The machine.
            state: Where it begins, by which matrices are scaled.
        """
        self.machine, self.linear = machine, Linear(machine, state)
        self._state = state
        self._keep: list[Any] = []

    def kernel(self, name: str) -> "RoundKernel":
        """Return one of `KERNELS`: q̇ and u̇, states on the constraints, z, or k."""
        return RoundKernel(self, name)

    @cached_property
    def library(self) -> jit.Library:
        """The kernels, by name."""
        return shims(routine("sparse_kernels", _find), self.table.ctypes.data, KERNELS)

    @cached_property
    def table(self) -> Array:
        """The table laid out in `native.table`."""
        machine, e = self.machine, np.zeros(s.LENGTH, dtype=np.int64)
        for slot in ("NQ", "NU", "M", "MH"):
            e[getattr(s, slot)] = getattr(machine, slot.lower())
        equations = machine.equations
        e[s.NW], e[s.MODES] = len(equations.inputs), equations.modes
        e[s.NK], e[s.HELD] = len(equations.memory), 1
        e[s.PLAY], e[s.ENTRIES] = play_address(), len(machine.pattern[1])
        own = self._vectors()
        for slot, vector in (own | self._rounds(own, e) | self._matrices()).items():
            e[slot] = vector.ctypes.data
            self._keep.append(vector)
        for slot in (s.REAL, s.COMPLEX, s.NEAREST, s.PLAIN):
            made = factors(machine, complex if slot == s.COMPLEX else float)
            e[s.LU_COMPLEX if slot == s.COMPLEX else s.LU] = made.routine
            e[slot] = made.address
            self._keep.append(made)
        return e

    def _vectors(self) -> dict[int, Array]:
        """Return what rounds look at and fill, by slot."""
        machine, own = self.machine, self.machine.vectors
        names = {
            s.T: "t", s.Q0: "q0", s.X: "x", s.Q: "q", s.U: "u", s.W: "w", s.K: "k", s.A: "a",
            s.LAM: "lam", s.FACTORS: "c",
        }  # fmt: skip
        sizes = {
            s.V: machine.nu, s.Q_TAKEN: machine.nq, s.V_TAKEN: machine.nu, s.B: machine.nq,
            s.PLAIN_AT: machine.nq + 1 + own["w"].size + own["k"].size,
            s.R: machine.nu, s.PHI: machine.mh, s.RATES: machine.m, s.Q_RATE: machine.nq,
            s.TANGENT_FOUND: machine.nu, s.Q_RATE_TAKEN: machine.nq, s.KNOWN: machine.m,
        }  # fmt: skip
        found = {slot: own[name] for slot, name in names.items()}
        return found | {slot: machine.pieces.zeros(size) for slot, size in sizes.items()}

    def _rounds(self, own: dict[int, Array], e: Array) -> dict[int, Array]:
        """Lay out rounds, write their addresses, and return the vectors they fill."""
        machine = self.machine
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
            s.GAMMA: machine.tied[2], s.FOUND: machine.entries,
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

    def _matrices(self) -> dict[int, Array]:
        machine = self.machine
        starts, down = machine.pattern
        weight = 1.0 / np.array([row.scale for row in machine.equations.rows], dtype=float)
        n, zeros, copy = len(down), machine.pieces.zeros, machine.pieces.copy
        return {
            s.STARTS: copy(starts, np.int64), s.DOWN: copy(down, np.int64),
            s.DIAGONAL: machine.diagonal,
            s.SCALE: self.linear.scale, s.WEIGHT: weight,
            s.EPSILON: epsilons(self.linear, self._state),
            s.M0: zeros(n), s.M1: zeros(n), s.M2: zeros(n), s.MIXED: zeros(2 * n),
            s.SIDE: zeros(s.SIDES * machine.size),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class RoundKernel:
    """A kernel of a batched machine; native code is made when its address is asked for.

    Attributes:
        rounds: The machine.
        name: Which of `KERNELS`.
        work: Doubles of scratch.
    """

    rounds: Rounds
    name: str
    work: int = 0

    @property
    def address(self) -> int:
        """Address of the function."""
        return self.rounds.library[self.name]


def _find() -> Callable[..., None]:
    from bellcrank.machine.batched.native.kernels import kernels

    return kernels
