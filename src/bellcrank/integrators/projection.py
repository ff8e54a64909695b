"""Machines with constraints as ordinary right-hand sides.

    q̇ = W u + x,   A u̇ = f - Cᵀ λ,   Φ = 0,   C u = ν,   C u̇ = γ

`projected` makes of the kernels of such a machine one kernel with the usual inputs t, q, u, s,
w, p, k and outputs q̇, u̇, ṡ. It first brings q and u onto the constraints and evaluates there,
so that every explicit integrator works on it and its order is untouched. What cannot be
brought there is not-a-number, and the integrator tries a shorter step.

Redundant rows do no harm. Close to positions where rows that are independent elsewhere become
dependent (a four-bar that lies flat), the motion is interpolated from points beside; where
that cannot be done, combinations of `jerk` rows take the place of those that vanish.
"""

import ctypes
import functools
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import table as c
from bellcrank.integrators.problem import Array
from bellcrank.kernels import Kernel, cache, jit

SYMBOL = "bellcrank_project"
ARGUMENTS = ("t", "q", "u", "s", "w", "p", "k")
SLOTS = {
    "kinematics": c.KINEMATICS, "normalize": c.NORMALIZE, "position": c.POSITION,
    "velocity": c.VELOCITY, "acceleration": c.ACCELERATION, "mass": c.MASS, "force": c.FORCE,
    "jerk": c.JERK, "auxiliary": c.AUXILIARY,
}  # fmt: skip
RANK_CUT = 5e-6  # singular values so small against the largest count as zero
_linked: list[jit.Library] = []  # code lives as long as its library


@dataclass(frozen=True, eq=False)
class Constrained:
    """A machine with constraints, given by kernels whose outputs are full matrices.

    Attributes:
        nq, nu, ns: Numbers of coordinates, speeds and auxiliary states.
        m: Number of rows.
        mh: Those at position level; they come first.
        kinematics: Gives W (nq × nu) and x (nq).
        normalize: Gives q back on the invariants of the coordinates, where there are any.
        position: Gives Φ (mh); None where mh = 0.
        velocity: Gives C (m × nu) and ν (m).
        acceleration: Gives γ (m).
        mass: Gives A (nu × nu), definite on the kernel of C.
        force: Gives f (nu).
        jerk: Gives D (m × nu) and d (m), D u̇ = d being the rate of C u̇ = γ without C ü.
        row_scale: Nominal size of the residual of each row, shape (m,).
        speed_scale: Nominal size of each speed, shape (nu,).
        auxiliary: Gives ṡ (ns); None where ns = 0.
    """

    nq: int
    nu: int
    ns: int
    m: int
    mh: int
    kinematics: Kernel
    normalize: Kernel | None
    position: Kernel | None
    velocity: Kernel
    acceleration: Kernel
    mass: Kernel
    force: Kernel
    jerk: Kernel | None
    row_scale: Array
    speed_scale: Array
    auxiliary: Kernel | None = None

    def __post_init__(self) -> None:
        shapes = {
            "kinematics": ((self.nq, self.nu), (self.nq, 1)),
            "normalize": ((self.nq, 1),),
            "position": ((self.mh, 1),),
            "velocity": ((self.m, self.nu), (self.m, 1)),
            "acceleration": ((self.m, 1),),
            "mass": ((self.nu, self.nu),),
            "force": ((self.nu, 1),),
            "jerk": ((self.m, self.nu), (self.m, 1)),
            "auxiliary": ((self.ns, 1),),
        }
        needed = {"position": self.mh, "auxiliary": self.ns, "normalize": 0, "jerk": 0}
        for name, wanted in shapes.items():
            kernel = getattr(self, name)
            if kernel is not None:
                _check(name, kernel, wanted)
            elif needed.get(name, 1):
                raise OptionError(f"a machine with constraints needs the kernel {name!r}.")
        for name, size in (("row_scale", self.m), ("speed_scale", self.nu)):
            scale = np.asarray(getattr(self, name), dtype=float)
            if scale.shape != (size,) or not (np.isfinite(scale) & (scale > 0)).all():
                raise OptionError(f"{name} must be {size} positive numbers, got {scale}.")

    @property
    def kernels(self) -> dict[str, Kernel]:
        """The kernels there are, by name."""
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: kernel for name, kernel in given if isinstance(kernel, Kernel)}


def _check(name: str, kernel: Kernel, wanted: tuple[tuple[int, int], ...]) -> None:
    """Complain about a kernel whose outputs are not full matrices of the wanted shapes."""
    got = [(port.rows, port.cols) for port in kernel.outputs]
    sparse = [port.name for port in kernel.outputs if port.size != port.rows * port.cols]
    taken = tuple(port.name for port in kernel.inputs)
    if sparse:
        raise OptionError(
            f"output {sparse[0]!r} of the kernel {name!r} must be full, but has structural "
            "zeros. Densify it."
        )
    if [a * b for a, b in got] != [a * b for a, b in wanted]:
        raise OptionError(
            f"the kernel {name!r} must give {', '.join(f'{a} × {b}' for a, b in wanted)}, "
            f"got {', '.join(f'{a} × {b}' for a, b in got)}."
        )
    if taken != ARGUMENTS:
        raise OptionError(
            f"the kernel {name!r} must take {', '.join(ARGUMENTS)}, got {', '.join(taken)}."
        )


@dataclass(frozen=True)
class Entry:
    """Native code with the signature of a kernel.

    Attributes:
        address: Of `void f(const double **in, double **out, double *work)`.
        work: Doubles of scratch.
        owner: What must stay alive.
    """

    address: int
    work: int
    owner: Any


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
        kernels = machine.kernels
        scratch = max(kernel.work for kernel in kernels.values())
        places = c.places(machine.nq, machine.nu, machine.ns, machine.m, scratch)
        self._weight = 1.0 / np.asarray(machine.row_scale, dtype=float)
        self._speed = 1.0 / np.asarray(machine.speed_scale, dtype=float)
        self._table = np.zeros(c.SIZE + 1, dtype=np.int64)
        for slot, offset in places.items():
            self._table[slot] = offset
        for slot in ("nq", "nu", "ns", "m", "mh"):
            self._table[getattr(c, slot.upper())] = getattr(machine, slot)
        for name, kernel in kernels.items():
            self._table[SLOTS[name]] = kernel.address
        self._table[c.WEIGHT] = self._weight.ctypes.data
        self._table[c.SPEED] = self._speed.ctypes.data
        self._best = np.zeros(2)
        self._table[c.BEST] = self._best.ctypes.data
        self._orders = _orders(machine)
        self._table[c.SPEED_ORDER], self._table[c.ROW_ORDER] = (
            order.ctypes.data for order in self._orders
        )
        self._table[c.RANK] = self._table[c.RANK_H] = -1
        library = jit.link(_shim(_routine(), self._table.ctypes.data), ("rhs", "project"))
        owner = (self, library)
        self.rhs = Entry(library["rhs"], places[c.SIZE], owner)
        self.project = Entry(library["project"], places[c.SIZE], owner)

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
        q, u = self._each(self.project, (t, q, u, s, w, p, k), sizes)
        return q, u

    def derivatives(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> tuple[Array, Array, Array]:
        """Return q̇, u̇, ṡ at points brought onto the constraints; arguments as `points`."""
        sizes = (self.machine.nq, self.machine.nu, self.machine.ns)
        qd, ud, sd = self._each(self.rhs, (t, q, u, s, w, p, k), sizes)
        return qd, ud, sd

    def multipliers(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> Array:
        """Return λ of A u̇ = f - Cᵀ λ at consistent points, shape (..., m).

        Where redundant rows leave it undetermined, it is the one with the least sum of
        (λᵢ × nominal residual)². Arguments as `points`.
        """
        machine, given = self.machine, _inputs((t, q, u, s, w, p, k))
        _, ud, _ = self.derivatives(t, q, u, s, w, p, k)
        (mass,), (force,) = machine.mass(*given), machine.force(*given)
        rows, _ = machine.velocity(*given)
        rows = _matrix(rows, machine.m, machine.nu)
        mass = _matrix(mass, machine.nu, machine.nu)
        left, sigma, right = np.linalg.svd(self._weight[:, None] * rows, full_matrices=False)
        kept = sigma > RANK_CUT * sigma[..., :1]
        inverse = np.where(kept, 1.0 / np.where(kept, sigma, 1.0), 0.0)
        effort = force - np.einsum("...ij,...j->...i", mass, ud)
        middle = inverse * np.einsum("...ij,...j->...i", right, effort)
        return self._weight * np.einsum("...ij,...j->...i", left, middle)

    def diagnose(
        self, t: Any, q: Array, u: Array, s: Any = (), w: Any = (), p: Any = (), k: Any = ()
    ) -> "Diagnosis":
        """Return rank, singular values and residuals at points as given; see `Diagnosis`."""
        machine, given = self.machine, _inputs((t, q, u, s, w, p, k))
        rows, wanted = machine.velocity(*given)
        rows = _matrix(rows, machine.m, machine.nu)
        scaled = self._weight[:, None] * rows * np.asarray(machine.speed_scale)
        sigma = np.linalg.svd(scaled, compute_uv=False)
        rank = (sigma > RANK_CUT * sigma[..., :1]).sum(axis=-1)
        typical = int(rank.max()) if rank.size else 0
        batch = rank.shape
        position = machine.position(*given)[0] if machine.position else np.zeros((*batch, 0))
        rate = np.einsum("...ij,...j->...i", rows, given[2]) - wanted
        return Diagnosis(
            rank=rank,
            smallest=sigma[..., typical - 1] if typical else np.full(batch, np.inf),
            largest=sigma[..., 0] if sigma.shape[-1] else np.zeros(batch),
            position=np.abs(position * self._weight[: machine.mh]).max(axis=-1, initial=0.0),
            velocity=np.abs(rate * self._weight).max(axis=-1, initial=0.0),
        )

    def _each(
        self, entry: Entry, arguments: tuple[Any, ...], sizes: tuple[int, ...]
    ) -> list[Array]:
        """Call native code at every point of a batch."""
        given = _inputs(arguments)
        batch = np.broadcast_shapes(*(each.shape[:-1] for each in given))
        rows = [
            np.ascontiguousarray(np.broadcast_to(each, (*batch, each.shape[-1])))
            for each in given
        ]
        results = [np.zeros((*batch, size)) for size in sizes]
        count = int(np.prod(batch, dtype=int))
        start = [each.ctypes.data for each in (*rows, *results)]
        stride = [8 * each.shape[-1] for each in (*rows, *results)]
        table = np.asarray(start) + np.arange(count)[:, None] * np.asarray(stride)
        table = np.ascontiguousarray(table, dtype=np.int64)
        work = np.zeros(entry.work)
        function, memory, width = _KERNEL(entry.address), work.ctypes.data, table.shape[1]
        for first in range(table.ctypes.data, table.ctypes.data + 8 * table.size, 8 * width):
            function(first, first + 8 * len(rows), memory)
        return results


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


def projected(machine: Constrained) -> Projected:
    """Return a machine with constraints as right-hand side; see the head of this module."""
    return Projected(machine)


# --- the order of elimination -------------------------------------------------------------


def _orders(machine: Constrained) -> tuple[Any, Any]:
    """Return orders of speeds and rows in which neighbours come close to each other.

    They decide about the time it takes, not about the result, so what is zero is found out
    by trying.
    """
    random = np.random.default_rng(0)
    given = [random.uniform(0.5, 1.5, port.shape) for port in machine.velocity.inputs]
    rows = _matrix(machine.velocity(*given)[0], machine.m, machine.nu) != 0
    joined = _matrix(machine.mass(*given)[0], machine.nu, machine.nu) != 0
    joined |= (rows.T.astype(np.int64) @ rows) > 0
    speeds = _neighbourly(joined)
    places = np.argsort(speeds)
    first = np.where(rows, places, machine.nu).min(axis=1, initial=machine.nu)
    last = np.where(rows, places, -1).max(axis=1, initial=-1)
    return speeds, np.lexsort((last, first)).astype(np.int64)


def _neighbourly(joined: Any) -> Any:
    """Return the order of Cuthill and McKee for a symmetric pattern."""
    degree, left = joined.sum(axis=0), set(range(len(joined)))
    order: list[int] = []
    while left:
        wave = [min(left, key=lambda j: degree[j])]
        wave = [_farthest(joined, wave[0])]
        left.difference_update(wave)
        while wave:
            order += wave
            reached = {int(k) for j in wave for k in np.flatnonzero(joined[j])} & left
            left -= reached
            wave = sorted(reached, key=lambda j: degree[j])
    return np.array(order, dtype=np.int64)


def _farthest(joined: Any, start: int) -> int:
    """Return a member of the last wave that goes out from `start`."""
    seen, wave = {start}, [start]
    while True:
        reached = {int(k) for j in wave for k in np.flatnonzero(joined[j])} - seen
        if not reached:
            return wave[0]
        seen |= reached
        wave = sorted(reached)


# --- native code --------------------------------------------------------------------------

_KERNEL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


def _inputs(arguments: tuple[Any, ...]) -> list[Array]:
    """Return the seven inputs as arrays of vectors."""
    t, *rest = (np.asarray(each, dtype=float) for each in arguments)
    return [t[..., None], *rest]


def _matrix(numbers: Array, rows: int, cols: int) -> Array:
    """Return the output of a kernel as matrices, also those of one column."""
    return numbers[..., None] if cols == 1 else numbers.reshape(*numbers.shape[:-2], rows, cols)


@functools.cache
def _routine() -> int:
    """Return the address of the routine that all machines share."""
    key = (
        f"projection\nnumba {cache.version('numba')}\n"
        f"sources {cache.fingerprint('integrators')}"
    )
    library = jit.link(cache.blob(key, _make, name="projection"), [SYMBOL])
    _linked.append(library)
    return library[SYMBOL]


def _make() -> bytes:
    from numba import types

    from bellcrank.integrators.native.beside import project
    from bellcrank.integrators.native.build import freed

    kind = types.void(*[types.int64] * 5)
    return jit.machine(2).emit_object(freed(project, kind, SYMBOL))


def _shim(routine: int, table: int) -> bytes:
    """Return object code of `rhs` and `project`: calls of the routine with this table."""
    lines = []
    for name, derivatives in (("rhs", 1), ("project", 0)):
        lines += [
            f"define void @{name}(ptr %in, ptr %out, ptr %work) {{",
            *(
                f"  %{x} = ptrtoint ptr %{y} to i64"
                for x, y in zip("iow", ("in", "out", "work"), strict=True)
            ),
            f"  %f = inttoptr i64 {routine} to ptr",
            f"  tail call void %f(i64 %i, i64 %o, i64 %w, i64 {table}, i64 {derivatives})",
            "  ret void",
            "}",
        ]
    return jit.assemble("\n".join(lines))
