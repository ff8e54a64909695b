"""A batched machine as native code takes it: its passes, vectors, matrices and factors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.kernels import jit
from bellcrank.kernels.batched.assembled import Assembled, AssembledState, add_up
from bellcrank.kernels.batched.element_pass import pass_address
from bellcrank.kernels.routines import routine, shims
from bellcrank.machine.batched.matrix import Linear, epsilons, factors
from bellcrank.machine.batched.native import table as s

Array = np.ndarray
KERNELS = {
    "rhs": s.RHS, "normalize": s.NORMALIZE, "switches": s.SWITCHES, "revise": s.REVISE,
}  # fmt: skip


class BatchedKernels:
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

    def kernel(self, name: str) -> "BatchedKernel":
        """Return one of `KERNELS`: q̇ and u̇, states on the constraints, z, or k."""
        return BatchedKernel(self, name)

    @cached_property
    def library(self) -> jit.Library:
        """The kernels, by name."""
        return shims(routine("sparse_kernels", _find), self.table.ctypes.data, KERNELS)

    @cached_property
    def table(self) -> Array:
        """The table laid out in `native.table`."""
        machine, e = self.machine, np.zeros((), s.LAYOUT)
        for name in ("nq", "nu", "m", "mh"):
            e[name] = getattr(machine, name)
        equations = machine.equations
        e["nw"], e["modes"] = len(equations.inputs), equations.modes
        e["nk"], e["held"] = len(equations.memory), 1
        e["pass_routine"], e["entries"] = pass_address(), len(machine.pattern[1])
        own = self._vectors()
        for name, vector in (own | self._passes(own, e) | self._matrices()).items():
            e[name] = vector.ctypes.data
            self._keep.append(vector)
        e["plain"] = self.linear.factors.address  # whose pivots are chosen
        for name in ("real", "complex", "nearest"):
            made = factors(machine, complex if name == "complex" else float)
            e["lu_complex" if name == "complex" else "lu"] = made.routine
            e[name] = made.address
            self._keep.append(made)
        return e

    def _vectors(self) -> dict[str, Array]:
        """Return what passes look at and fill, by field."""
        machine, own = self.machine, self.machine.vectors
        names = {
            "t": "t", "q0": "q0", "x": "x", "q": "q", "u": "u", "w": "w", "k": "k", "a": "a",
            "lam": "lam", "factors": "c",
        }  # fmt: skip
        sizes = {
            "v": machine.nu, "q_taken": machine.nq, "v_taken": machine.nu, "b": machine.nq,
            "plain_at": machine.nq + 1 + own["w"].size + own["k"].size,
            "r": machine.nu, "phi": machine.mh, "rates": machine.m, "q_rate": machine.nq,
            "tangent_found": machine.nu, "q_rate_taken": machine.nq, "known": machine.m,
        }  # fmt: skip
        found = {field: own[name] for field, name in names.items()}
        return found | {field: machine.arena.zeros(size) for field, size in sizes.items()}

    def _passes(self, own: dict[str, Array], e: Array) -> dict[str, Array]:
        """Lay out passes, write their addresses, and return the vectors they fill."""
        machine = self.machine
        stage, flow = machine.lay("stage"), machine.lay("flow", a=own["v"])
        add_up(stage, {"r": ("u", 0)}, own["r"])
        add_up(stage, {"Phi": ("rows", 0)}, own["phi"])
        add_up(stage, {"rates": ("rows", 0)}, own["rates"])
        add_up(flow, {"q_rate": ("q", 0)}, own["q_rate"])
        taken = machine.lay("flow", q=own["q_taken"], a=own["v_taken"])
        add_up(taken, {"q_rate": ("q", 0)}, own["q_rate_taken"])
        tangent = machine.lay("tangent", q=own["q_taken"], b=own["b"])
        add_up(tangent, {"v": ("u", 0)}, own["tangent_found"])
        z, _, turns, angles = machine.kept
        filled = {
            "gamma": machine.tied[2], "found": machine.entries,
            "e_found": machine.slopes, "lacking": machine.lacking, "z": z, "angles": turns,
            "is_angle": np.isin(np.arange(len(turns)), angles).astype(np.int64),
        }  # fmt: skip
        passes = {
            "move": machine.moving, "stage": stage, "flow": flow, "flow_taken": taken,
            "tangent": tangent, "rows": machine.element_pass("rows"),
            "iteration": machine.element_pass("iteration"),
            "slopes": machine.element_pass("slopes"), "memory": machine.element_pass("memory"),
            "residual": machine.element_pass("residual"),
        }  # fmt: skip
        for name, each in passes.items():
            e[name] = each.address
        self._keep.append(passes)
        return filled

    def _matrices(self) -> dict[str, Array]:
        machine = self.machine
        starts, down = machine.pattern
        weight = 1.0 / np.array([row.scale for row in machine.equations.rows], dtype=float)
        n, zeros, copy = len(down), machine.arena.zeros, machine.arena.copy
        return {
            "starts": copy(starts, np.int64), "down": copy(down, np.int64),
            "diagonal": machine.diagonal,
            "scale": self.linear.scale, "weight": weight,
            "epsilon": epsilons(self.linear, self._state),
            "m0": zeros(n), "m1": zeros(n), "m2": zeros(n), "mixed": zeros(2 * n),
            "side": zeros(s.SIDES * machine.size),
        }  # fmt: skip


@dataclass(frozen=True, eq=False)
class BatchedKernel:
    """A kernel of a batched machine; native code is made when its address is asked for.

    Attributes:
        machine: The machine.
        name: Which of `KERNELS`.
        work: Doubles of scratch.
    """

    machine: BatchedKernels
    name: str
    work: int = 0

    @property
    def address(self) -> int:
        """Address of the function."""
        return self.machine.library[self.name]


def _find() -> Callable[..., None]:
    from bellcrank.machine.batched.native.kernels import kernels

    return kernels
