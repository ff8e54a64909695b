"""Machines with constraints as ordinary right-hand sides.

    q̇ = W u + x,   A u̇ = f - Cᵀ λ,   Φ = 0,   C u = ν,   C u̇ = γ

`Projected` makes of the kernels of such a machine one kernel with the usual inputs t, q, u, s,
w, p, k and outputs q̇, u̇, ṡ. It first brings q and u onto the constraints and evaluates there,
so that every explicit integrator works on it and its order is untouched. What cannot be
brought there is not-a-number, and the integrator tries a shorter step.

Redundant rows do no harm. Close to positions where rows that are independent elsewhere become
dependent (a four-bar that lies flat), the motion is interpolated from neighbouring points;
where that cannot be done, combinations of `jerk` rows take the place of those that vanish.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bellcrank.constraints import table as c
from bellcrank.constraints.constrained import Constrained, described, scratch
from bellcrank.constraints.near_singular import FARTHEST, looseness, suspect_pivots
from bellcrank.kernels.entries import Entry, each_point, vectors
from bellcrank.kernels.guards import spots
from bellcrank.kernels.routines import routine, shims
from bellcrank.linear import rank
from bellcrank.linear.bandwidth import orders

Array = np.ndarray


class Projected:
    """A machine with constraints, ready to be integrated.

    Attributes:
        machine: What it was made of.
        rhs: Gives q̇, u̇, ṡ at the point brought onto the constraints.
        project: Gives q and u of that point. As `Problem.normalize` it is applied to accepted
            steps and to records.
    """

    def __init__(self, machine: Constrained) -> None:
        self.machine = machine
        places = c.places(machine.nq, machine.nu, machine.ns, machine.m, scratch(machine))
        self._scales, self._table = described(machine, places)
        self._weight = self._scales[0]
        self.begin()
        self._orders = orders(*_patterns(machine))
        self._table["speed_order"], self._table["row_order"] = (
            order.ctypes.data for order in self._orders
        )
        address = self._table.ctypes.data
        library = shims(routine("projection", _find), address, {"rhs": 1, "project": 0})
        owner = (self, library)
        within = spots(places, "projection")
        self.rhs = Entry(library["rhs"], places["size"], owner, within)
        self.project = Entry(library["project"], places["size"], owner, within)

    def begin(self, rtol: float | None = None) -> None:
        """Forget what an earlier run learnt of singular positions; see `near_singular`."""
        self._table["aside"], self._table["slope"] = FARTHEST, 0.0
        self._table["suspect"], self._table["loose"] = suspect_pivots(rtol), looseness(rtol)

    @property
    def usual(self) -> tuple[int, int]:
        """How many position rows, and how many rows, were independent where most were."""
        return int(self._table["rank_h"]), int(self._table["rank"])

    @property
    def problem(self) -> BaseException | None:
        """What kept jerk rows from being compiled, if they were needed."""
        return getattr(self.machine.jerk, "problem", None)

    # --- at many points -------------------------------------------------------------------

    def points(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> tuple[Array, Array]:
        """Return q and u brought onto the constraints.

        Leading axes are a batch. A point that cannot be brought there is not-a-number.

        Args:
            t: Times [s], shape (...).
            q: Coordinates, shape (..., nq).
            u: Speeds, shape (..., nu).
            s: Auxiliary states, shape (..., ns).
            w: Inputs, shape (..., nw).
            p: Parameters, shape (..., np).
            k: Memory, shape (..., nk).
        """
        sizes = (self.machine.nq, self.machine.nu)
        q, u = each_point(self.project, (t, q, u, s, w, p, k), sizes, np.zeros(self.rhs.work))
        return q, u

    def derivatives(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> tuple[Array, Array, Array]:
        """Return q̇, u̇, ṡ at points brought onto the constraints; arguments as `points`."""
        sizes = (self.machine.nq, self.machine.nu, self.machine.ns)
        qd, ud, sd = each_point(self.rhs, (t, q, u, s, w, p, k), sizes, np.zeros(self.rhs.work))
        return qd, ud, sd

    def multipliers(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> Array:
        """Return λ of A u̇ = f - Cᵀ λ at consistent points, shape (..., m).

        Where redundant rows leave it undetermined, it is the one with the least sum of
        (λᵢ × nominal residual)². Arguments as `points`.
        """
        machine, given = self.machine, vectors((t, q, u, s, w, p, k))
        _, ud, _ = self.derivatives(t, q, u, s, w, p, k)
        (mass,), (force,) = machine.mass(*given), machine.force(*given)
        rows, _ = machine.velocity(*given)
        rows = _matrix(rows, machine.m, machine.nu)
        mass = _matrix(mass, machine.nu, machine.nu)
        left, sigma, right = np.linalg.svd(self._weight[:, None] * rows, full_matrices=False)
        kept = rank.counted(sigma, relative=rank.COLLAPSED)
        inverse = np.where(kept, 1.0 / np.where(kept, sigma, 1.0), 0.0)
        effort = force - np.einsum("...ij,...j->...i", mass, ud)
        middle = inverse * np.einsum("...ij,...j->...i", right, effort)
        return self._weight * np.einsum("...ij,...j->...i", left, middle)

    def diagnose(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> "Diagnosis":
        """Return rank, singular values and residuals at points as given; see `Diagnosis`."""
        machine, given = self.machine, vectors((t, q, u, s, w, p, k))
        rows, wanted = machine.velocity(*given)
        rows = _matrix(rows, machine.m, machine.nu)
        scaled = self._weight[:, None] * rows * np.asarray(machine.speed_scale)
        sigma = np.linalg.svd(scaled, compute_uv=False)
        found = rank.counted(sigma, relative=rank.COLLAPSED).sum(axis=-1)
        typical = int(found.max()) if found.size else 0
        batch = found.shape
        position = machine.position(*given)[0] if machine.position else np.zeros((*batch, 0))
        rate = np.einsum("...ij,...j->...i", rows, given[2]) - wanted
        return Diagnosis(
            rank=found,
            smallest=sigma[..., typical - 1] if typical else np.full(batch, np.inf),
            largest=sigma[..., 0] if sigma.shape[-1] else np.zeros(batch),
            position=np.abs(position * self._weight[: machine.mh]).max(axis=-1, initial=0.0),
            velocity=np.abs(rate * self._weight).max(axis=-1, initial=0.0),
        )


@dataclass(frozen=True)
class Diagnosis:
    """How well conditioned constraints are, and how well they are met.

    Speeds are measured by their nominal sizes, rows by those of their residuals.

    Attributes:
        rank: Number of independent rows, shape (...).
        smallest: Smallest singular value of the rows that are independent at most of the
            points: the one that goes to zero in a singular position.
        largest: Largest singular value.
        position: Largest residual of Φ = 0.
        velocity: Largest residual of C u = ν.
    """

    rank: Array
    smallest: Array
    largest: Array
    position: Array
    velocity: Array


def _patterns(machine: Constrained) -> tuple[Array, Array]:
    """Return where C and A are not zero; found out by trying."""
    random = np.random.default_rng(0)
    given = [random.uniform(0.5, 1.5, port.shape) for port in machine.velocity.inputs]
    rows = _matrix(machine.velocity(*given)[0], machine.m, machine.nu)
    mass = _matrix(machine.mass(*given)[0], machine.nu, machine.nu)
    return rows != 0, mass != 0


def _matrix(numbers: Array, rows: int, cols: int) -> Array:
    """Return the output of a kernel as matrices, also those of one column."""
    return numbers[..., None] if cols == 1 else numbers.reshape(*numbers.shape[:-2], rows, cols)


def _find() -> Callable[..., None]:
    from bellcrank.constraints.native.near_singular import project

    return project
