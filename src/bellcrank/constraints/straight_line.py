"""A projected right-hand side that is quick where the constraints are well conditioned.

Two kernels in straight-line code do the work, their length linear in the size of the machine;
they watch their own pivots. Where those collapse, the rank-revealing `Projected` takes over. It
is made when that happens for the first time: most runs never reach such a position, and its
kernels are longer than the two.
"""

import _thread
import contextlib
import ctypes
from collections.abc import Callable
from functools import cached_property

import numpy as np

from bellcrank.constraints import table as c
from bellcrank.constraints.near_singular import suspect_sines
from bellcrank.constraints.projection import Projected
from bellcrank.kernels import Kernel, jit
from bellcrank.kernels.entries import KERNEL, Entry
from bellcrank.kernels.routines import routine

SCRATCH = 20_000  # doubles that kernels of the rank-revealing projection may want
WAYS = ("rhs", "project")


class StraightLine:
    """A machine with constraints, ready to be integrated.

    Attributes:
        rhs: Gives q̇, u̇, ṡ at the point brought onto the constraints.
        project: Gives q and u of that point.
        problem: What kept the rank-revealing projection from being made, if anything did.
    """

    def __init__(
        self,
        sizes: tuple[int, int, int, int],
        make: Callable[[], Projected],
        correction: Kernel | None,
        motion: Kernel,
        auxiliary: Kernel | None = None,
    ) -> None:
        """Link the routine for a machine.

        Args:
            sizes: Numbers of coordinates, speeds, rows and auxiliary states.
            make: Makes the rank-revealing projection, when it is needed.
            correction: The kernel `correction` of `bellcrank.constraints.straight_line_code`.
            motion: The kernel `motion`.
            auxiliary: Gives ṡ; None where there is none.
        """
        self._sizes, self._make = sizes, make
        self._rtol: float | None = None
        self.problem: BaseException | None = None
        (nq, nu, m, ns), given = sizes, (correction, motion, auxiliary)
        kernels = [kernel for kernel in given if kernel is not None]
        parts = {
            "inputs": 8, "outputs": 8, "q": nq, "scalars": 2, "spare": nq + 2 * nu,
            "kernel": max(kernel.work for kernel in kernels),
        }  # fmt: skip
        self._table = np.zeros((), c.STRAIGHT_LINE)
        self._table["nq"], self._table["nu"] = nq, nu
        self._table["correction"] = correction.address if correction else 0
        self._table["motion"] = motion.address
        self._table["auxiliary"] = auxiliary.address if auxiliary else 0
        end = 0
        for name, size in parts.items():
            self._table[name] = end
            end += -(-size // 8) * 8
        self._late = [KERNEL(self._called(name)) for name in WAYS]
        self._ways = np.array([_address(each) for each in self._late], dtype=np.int64)
        address = routine("straight_line", _find, answers=True)
        code = _shim(address, self._table.ctypes.data, self._ways.ctypes.data)
        library = jit.link(code, WAYS)
        owner = (self, library, kernels)
        self._work = max(end, c.places(nq, nu, ns, m, SCRATCH)["size"])
        self.rhs = Entry(library["rhs"], self._work, owner)
        self.project = Entry(library["project"], self._work, owner)

    def begin(self, rtol: float | None) -> None:
        """Forget what an earlier run failed of, and what it learnt of singular positions."""
        self.problem, self._rtol = None, rtol
        self._table["best"] = self._table["best_h"] = 0.0
        self._table["suspect"] = suspect_sines(rtol)
        if "rank_revealing" in self.__dict__:
            self.rank_revealing.begin(rtol)

    @cached_property
    def rank_revealing(self) -> Projected:
        """The rank-revealing projection."""
        made = self._make()
        made.begin(self._rtol)
        return made

    def _called(self, name: str) -> Callable[[int, int, int], None]:
        """Return what native code calls where that projection has not been made yet.

        From then on native code calls that, unless it wants more memory than was foreseen.
        """

        def call(given: int, results: int, _: int) -> None:
            if self.problem is not None:
                self._spoil(results)
                return
            try:
                entry: Entry = getattr(self.rank_revealing, name)
                if entry.work <= self._work:
                    made = self.rank_revealing
                    self._ways[:] = made.rhs.address, made.project.address
                work = np.zeros(entry.work)
                KERNEL(entry.address)(given, results, work.ctypes.data)
            except BaseException as problem:
                # Nothing passes through native code: the run sees numbers that are none.
                self._spoil(results)
                if not isinstance(problem, KeyboardInterrupt):
                    self.problem = problem
                    return
                with contextlib.suppress(RuntimeError):
                    _thread.interrupt_main()

        return call

    def _spoil(self, results: int) -> None:
        """Write not-a-number to the first two outputs."""
        places = (ctypes.c_void_p * 2).from_address(results)
        for place, size in zip(places, self._sizes[:2], strict=True):
            np.ctypeslib.as_array((ctypes.c_double * size).from_address(place or 0))[:] = np.nan


def _address(function: object) -> int:
    """Return the address of a function that native code can call."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0  # type: ignore[arg-type]


def _find() -> Callable[..., int]:
    from bellcrank.constraints.native.straight_line import straight_line

    return straight_line


def _shim(routine: int, table: int, ways: int) -> bytes:
    """Return object code of `rhs` and `project`: straight-line, else rank-revealing kernels.

    Addresses of the latter are read from memory at `ways`.
    """
    lines = []
    for place, name in enumerate(WAYS):
        derivatives, rank_revealing = int(name == "rhs"), ways + 8 * place
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
            f"  %at = inttoptr i64 {rank_revealing} to ptr",
            "  %g = load volatile ptr, ptr %at",
            "  call void %g(ptr %in, ptr %out, ptr %work)",
            "  br label %end",
            "end:",
            "  ret void",
            "}",
        ]
    return jit.assemble("\n".join(lines))
