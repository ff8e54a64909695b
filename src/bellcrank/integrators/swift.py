"""A projected right-hand side that is quick where the constraints are well apart.

Two kernels in straight-line code do the work, their length linear in the size of the machine;
they watch their own pivots. Where those collapse, the rank-revealing `Projected` takes over.
"""

from collections.abc import Callable

import numpy as np

from bellcrank.integrators.entries import Entry
from bellcrank.integrators.projection import Projected
from bellcrank.integrators.shims import routine
from bellcrank.kernels import Kernel, jit

_NQ, _NU, _CORRECTION, _MOTION, _IN, _OUT, _Q, _SCALARS, _SPARE, _KERNEL = range(10)


class Swift:
    """A machine with constraints, ready to be integrated.

    Attributes:
        careful: The rank-revealing way.
        rhs: Gives q̇, u̇, ṡ at the point brought onto the constraints.
        project: Gives q and u of that point.
    """

    def __init__(self, careful: Projected, correction: Kernel | None, motion: Kernel) -> None:
        self.careful = careful
        nq, nu = careful.machine.nq, careful.machine.nu
        kernels = [kernel for kernel in (correction, motion) if kernel is not None]
        sizes = {
            _IN: 8, _OUT: 8, _Q: nq, _SCALARS: 2, _SPARE: nq + 2 * nu,
            _KERNEL: max(kernel.work for kernel in kernels),
        }  # fmt: skip
        self._table = np.zeros(len(sizes) + 4, dtype=np.int64)
        self._table[[_NQ, _NU]] = nq, nu
        self._table[_CORRECTION] = correction.address if correction else 0
        self._table[_MOTION] = motion.address
        end = 0
        for slot, size in sizes.items():
            self._table[slot] = end
            end += -(-size // 8) * 8
        ways = (careful.rhs.address, careful.project.address)
        code = _shim(routine("swift", _find, answers=True), self._table.ctypes.data, ways)
        library = jit.link(code, ("rhs", "project"))
        owner = (self, library, kernels)
        work = max(end, careful.rhs.work)
        self.rhs = Entry(library["rhs"], work, owner)
        self.project = Entry(library["project"], work, owner)


def _find() -> Callable[..., int]:
    from bellcrank.integrators.native.swift import swift

    return swift


def _shim(routine: int, table: int, ways: tuple[int, int]) -> bytes:
    """Return object code of `rhs` and `project`: the quick way, and else the careful one."""
    lines = []
    for name, derivatives, careful in (("rhs", 1, ways[0]), ("project", 0, ways[1])):
        lines += [
            f"define void @{name}(ptr %in, ptr %out, ptr %work) {{",
            "  %i = ptrtoint ptr %in to i64",
            "  %o = ptrtoint ptr %out to i64",
            "  %w = ptrtoint ptr %work to i64",
            f"  %f = inttoptr i64 {routine} to ptr",
            f"  %done = call i64 %f(i64 %i, i64 %o, i64 %w, i64 {table}, i64 {derivatives})",
            "  %good = icmp ne i64 %done, 0",
            "  br i1 %good, label %end, label %slow",
            "slow:",
            f"  %g = inttoptr i64 {careful} to ptr",
            "  call void %g(ptr %in, ptr %out, ptr %work)",
            "  br label %end",
            "end:",
            "  ret void",
            "}",
        ]
    return jit.assemble("\n".join(lines))
