"""The audit that goes along with a run: its memory, and what it found."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import ceil, hypot, inf, sqrt
from typing import Any, NamedTuple

import numpy as np

from bellcrank.integrators import audit_table as d
from bellcrank.integrators import contract as c
from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.problem import Array, Problem, Weighed
from bellcrank.kernels.layout import structure, words
from bellcrank.kernels.routines import routine

_FIELDS: Any = d.LAYOUT.fields
OUT_POWER = _FIELDS["out_power"][1]  # bytes from the beginning of the record
AuditRecord = structure(d.LAYOUT)
UNKNOWN = 3  # kinds of power, where work is not known
LOOKS = 9  # records at which a run is looked at where no audit goes along


class Auditor:
    """The memory of one audit; see `audit_table`.

    Args:
        problem: What is integrated; it has kernels `audit` and `audit_rates`.
        blocks: Of the run, to which the audit is attached.
        tolerant: Whether the method has a tolerance.
    """

    def __init__(self, problem: Problem, blocks: Blocks, tolerant: bool) -> None:
        kernel, rates = problem.audit, problem.audit_rates
        powers, angles, timed = (port.size for port in rates.outputs)
        stride, work = blocks.run.stride, max(kernel.work, rates.work)
        layout = _layout(stride, problem.nz, angles, timed, work)
        store = np.zeros(layout.size + c.LANES)
        skip = -(store.ctypes.data // 8) % c.LANES
        self._store, self._kernels = store[skip:], (kernel, rates)
        record = np.zeros(d.LAYOUT.itemsize // 8, dtype=np.int64)
        record[layout.fields] = self._store.ctypes.data + layout.starts
        self._audit = t = AuditRecord.of(record)
        run, address = blocks.run, record.ctypes.data
        t.kernel, t.powers, t.angles = kernel.address, powers, angles
        t.rates_kernel = rates.address if powers + angles + timed else 0
        t.tolerant, t.timed, t.panels = int(tolerant), timed, 1
        self._lost = self._store[layout.lost : layout.lost + angles]
        self._moved = self._store[layout.moved : layout.moved + problem.nx]
        run.auditor = routine("audit", _find, answers=True)
        run.audit, run.stage_doubt = address, inf
        if powers in (1, 2) and problem.nz == 0:  # methods with stages tell power, too
            run.powers, run.power, run.power_work = t.stages, t.power, t.work
            run.power_kernel = rates.address
            run.power_out = address + OUT_POWER

    def found(self) -> Weighed:
        """Return what it found until now."""
        a = self._audit
        return Weighed(
            gap=a.gap,
            final=a.gap_before,
            doubt=a.doubt,
            work=a.work_done,
            kinetic=a.kinetic,
            size=a.size,
            unit=a.unit if a.tolerant else 0.0,
            jump=a.jump,
            jump_time=a.jump_time,
            powers=a.powers,
            position=a.position,
            velocity=a.velocity,
            unseen=a.unseen,
            unseen_time=a.unseen_time,
            lost=tuple(self._lost.tolist()),
            moved=tuple(self._moved.tolist()),
            hidden=float(a.pushed_unseen / max(a.pushed, 1e-300)),
            finite=not a.not_finite,
            looks=a.weighed,
            turned=a.turned_over,
        )


class AuditLayout(NamedTuple):
    """Where the arrays of an audit are.

    Attributes:
        size: Doubles in all.
        fields: Which words of the record are addresses of arrays.
        starts: Where these begin in the memory of all [bytes].
        lost, moved: Where the arrays of lost turns and of ways moved begin [doubles].
    """

    size: int
    fields: Array
    starts: Array
    lost: int
    moved: int


@lru_cache(maxsize=64)
def _layout(stride: int, nz: int, angles: int, timed: int, work: int) -> AuditLayout:
    """Return where parts of the memory begin, and its size.

    Args:
        stride: Of states.
        nz: Number of switches.
        angles: Number of angles in k.
        timed: Number of forces of time.
        work: Doubles of scratch of the kernel.
    """
    sizes = {
        "y": 4, "power": 3, "rates": angles, "rates_before": angles,
        "angles_before": angles, "swept": angles, "unsure": angles, "lost": angles,
        "forced": timed,
        "ud": stride, "place": stride, "start": stride, "moved": stride,
        "stages": d.MOST_STAGES, "z": nz, "z_most": nz,
        "work": work,
    }  # fmt: skip
    starts, end = {}, 0
    for name, size in sizes.items():
        starts[name] = end
        end += c.LANES * ceil(size / c.LANES)
    shown = {"out": "y", "out_power": "power", "out_rates": "rates", "out_forced": "forced"}
    names = {name: name for name in starts} | shown
    begins = np.array([8 * starts[name] for name in names.values()])
    return AuditLayout(end, words(d.LAYOUT, names), begins, starts["lost"], starts["moved"])


def weigh_points(
    problem: Problem,
    points: Sequence[Array],
    tolerance: tuple[float, float | Array] | None,
    most: int = 256,
) -> Weighed:
    """Return what energies and residuals at some points of a run say; work is not known.

    Args:
        problem: What is integrated; it has kernels `audit` and `audit_rates`, or without the
            latter an `audit` that also gives power, infinite where that is not known.
        points: t, x, w, k of the run in order, one row each.
        tolerance: rtol and atol; None for fixed steps.
        most: How many points are looked at; the last always is.
    """
    number = len(points[0])
    rows = np.unique(np.linspace(0, number - 1, min(number, most)).astype(int))
    t, x, w, k = (part[rows] for part in points)
    y = _asked(problem, t, x, w, k)
    energy, size = y[:, 0] + y[:, 1], float(np.abs(y[:, :2]).sum(axis=1).max())
    if problem.audit_rates is not None:
        powers, angles, _ = (port.size for port in problem.audit_rates.outputs)
    else:
        powers, angles = UNKNOWN if y[:, 4].any() else 0, 0
    gap, jumps = np.abs(energy - energy[0]), np.abs(np.diff(energy, prepend=energy[0]))
    unit = 0.0
    if tolerance is not None and problem.audit_rates is None:
        unit = tolerance[0] * size
    elif tolerance is not None:
        unit = max(worth(problem, t[n], x[n], w[n], k[n], *tolerance) for n in (0, -1))
    worst = int(np.argmax(jumps))
    return Weighed(
        gap=float(gap.max()),
        final=float(energy[-1] - energy[0]),
        doubt=0.0,
        work=0.0,
        kinetic=float(y[:, 0].max()),
        size=size,
        unit=unit,
        jump=float(jumps[worst]),
        jump_time=float(t[worst]),
        powers=powers,
        position=float(y[:, 2].max()),
        velocity=float(y[:, 3].max()),
        lost=(0.0,) * angles,
        finite=bool(np.isfinite(energy).all()),
        looks=len(rows),
    )


def _asked(problem: Problem, t: Array, x: Array, w: Array, k: Array) -> Array:
    """Return energies and residuals at points."""
    q, u, s = np.split(x, [problem.nq, problem.nq + problem.nu], axis=-1)
    return problem.audit(t[..., None], q, u, s, w, np.asarray(problem.parameters), k)[0]


def worth(
    problem: Problem, t: Array, x: Array, w: Array, k: Array, rtol: float, atol: Any
) -> float:
    """Return what errors as large as the tolerance may change of the energy at a point [J]."""
    size = 100.0 * (atol + rtol * np.abs(x))
    places = np.vstack([x, x + np.diag(size)])
    same = [np.broadcast_to(each, (len(places), *np.shape(each))) for each in (t, w, k)]
    with np.errstate(over="ignore", invalid="ignore"):  # states of runs that overflowed
        energy = _asked(problem, same[0], places, *same[1:])[:, :2].sum(axis=-1)
        change = (energy[1:] - energy[0]) / 100.0
    return sqrt(len(x)) * hypot(*change)


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.auditing import audit

    return audit
