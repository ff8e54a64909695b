"""The backend of large machines: sums over batches of like elements, sparse matrices."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from bellcrank.errors import StartError
from bellcrank.formulations import Equations
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.kernels.protocol import Arguments, MotionKernels
from bellcrank.linear.sparse_lu import Singular
from bellcrank.machine.batched.index2 import SparseSaddle
from bellcrank.machine.batched.kernels import BatchedKernels
from bellcrank.machine.batched.matrix import SPEEDS, accelerations, without_solution
from bellcrank.machine.batched.observation import BatchedObservation, balances, states_of
from bellcrank.machine.batched.start import BatchedStart
from bellcrank.machine.mobility import check_size
from bellcrank.machine.system import System
from bellcrank.model import Model

Array = np.ndarray


class BatchedMachine:
    """A machine that is a sum over its elements; see `kernels.protocol.Integrable`."""

    explicit = False
    batched = True
    problem = None

    def __init__(
        self,
        model: Model,
        system: System,
        p: Array,
        written: Callable[[Model], Equations],
    ) -> None:
        """Take a machine with parameter values.

        Args:
            model: The machine.
            system: Its equations; they have batches.
            p: Parameter values in order.
            written: Returns the equations of a machine in the same formulation.
        """
        self.model, self.system, self.p, self._written = model, system, p, written
        self.sums = Assembled(system.equations, p)
        self._kernels: BatchedKernels | None = None

    def begin(
        self,
        start: Mapping[str, Any] | None,
        t: float,
        w: Array,
        angles: Mapping[str, float],
        exact: bool = True,
    ) -> tuple[Array, Array]:
        """Return the state x for start values by name, and the memory k."""
        begun = BatchedStart(self.model, self.system, self.sums, self._written, self.p)
        x, k = begun.state(start, t, w, angles, exact)
        check_size(self.system, x)
        self._kernels = BatchedKernels(self.sums, self._at(t, x, w, k))
        return x, k

    def _at(self, t: float, x: Array, w: Array, k: Array) -> AssembledState:
        q, u = np.split(x, [self.sums.nq])
        return self.sums.state(t, q, u, w=w, k=k)

    def check_motion(self, t: float, x: Array, w: Array, k: Array) -> None:
        """Raise where the machine has no finite accelerations at the beginning.

        Raises:
            StartError: Something that can move has no inertia.
        """
        try:
            accelerations(self._begun.linear, self._at(t, x, w, k))
        except Singular as problem:
            raise StartError(without_solution(self.sums, problem, t)) from None

    @property
    def _begun(self) -> BatchedKernels:
        assert self._kernels is not None, "a machine is begun before it moves"
        return self._kernels

    def saddle(self) -> SparseSaddle:
        """Return it as implicit methods take it: it always has their matrices."""
        return SparseSaddle(self._begun)

    def tied_inertias(self, t: float, x: Array, w: Array) -> Array | None:
        """Return nothing: implicit methods do not correct along A."""
        return None

    def unasked_turns(self, t: float, x: Array, w: Array, start: object) -> dict[str, float]:
        """Return nothing: joints have no coordinates here, and start where they are named."""
        return {}

    def moving(self, t: float, x: Array, w: Array) -> "BatchedMachine":
        """Return the machine: rows that repeat others do no harm."""
        return self

    def motion(
        self, t: float, x: Array, w: Array, k: Array, *, pushed: bool, rtol: float | None
    ) -> MotionKernels:
        """Return the kernels by which it is integrated; states are always pushed."""
        kernel, modes = self._begun.kernel, self.system.equations.modes
        return MotionKernels(
            rhs=kernel("rhs"),
            normalize=kernel("normalize"),
            switches=kernel("switches") if modes else None,
            revise=kernel("revise") if len(k) > modes else None,
            audit=self._audit,
        )

    def _audit(self, *arguments: Array) -> tuple[Array]:
        """Return energies, residuals and power at points; infinite where work is not known.

        What a driver or a relation of speeds does is found with reactions, not here. What a
        force does between the points is not known from them, though it rest at all of them.
        """
        e, y = self.system.equations, balances(self.sums, states_of(self.sums, arguments))
        if e.efforts or e.works or self.sums.works:
            y[:, 4] = np.inf
        return (y[:, :5],)

    def rows(self, t: float, q: Array) -> Array:
        """Return C of C u = ν at a time and coordinates, shape (m, nu)."""
        sums = self.sums
        entries = sums.matrix(sums.state(t, q, np.zeros(sums.nu), c=SPEEDS))
        down, across, C = sums.pattern[1], sums.columns, np.zeros((sums.m, sums.nu))
        tied = (down >= sums.nu) & (across < sums.nu)
        C[down[tied] - sums.nu, across[tied]] = entries[tied]
        return C

    def switching(self, arguments: Arguments) -> Array | None:
        """Return None: fixed steps change branches at their ends."""
        return None

    def observed(self, arguments: Arguments) -> BatchedObservation:
        """Return what is seen of it at the records of a run."""
        return BatchedObservation(self.sums, arguments)
