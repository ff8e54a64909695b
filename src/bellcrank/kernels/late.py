"""Kernels that are compiled when native code first calls them.

For what is long to compile and seldom asked for: the address is there at once, and behind it a
function of Python that makes the kernel, calls it, and keeps it.
"""

import _thread
import contextlib
import ctypes
from collections.abc import Callable, Sequence

import numpy as np

from bellcrank.kernels.build import Kernel
from bellcrank.kernels.entries import KERNEL
from bellcrank.kernels.ports import Port


class Late:
    """A kernel that is made at its first call; outputs are full.

    Attributes:
        inputs: The inputs in order.
        outputs: The outputs in order.
        address: Of `void f(const double **in, double **out, double *work)`.
        work: Doubles of scratch that callers provide: none, it has its own.
        problem: What kept it from being made, if so; it gives not-a-number then.
    """

    work = 0

    def __init__(
        self, inputs: Sequence[Port], outputs: Sequence[Port], make: Callable[[], Kernel]
    ) -> None:
        """Take the ports of what `make` returns."""
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.problem: BaseException | None = None
        self._make, self._made = make, None
        self._entry = KERNEL(self._called)
        self.address = ctypes.cast(self._entry, ctypes.c_void_p).value or 0

    def _called(self, given: int, results: int, _: int) -> None:
        """Make the kernel, unless it is there, and call it. Nothing passes native code."""
        try:
            if self.problem is not None:
                self._spoil(results)
                return
            if self._made is None:
                self._made = self._make()
            work = np.zeros(self._made.work + 8)
            start = work.ctypes.data + -work.ctypes.data % 64
            KERNEL(self._made.address)(given, results, start)
        except BaseException as problem:
            self._spoil(results)
            if not isinstance(problem, KeyboardInterrupt):
                self.problem = problem
                return
            with contextlib.suppress(RuntimeError):
                _thread.interrupt_main()

    def _spoil(self, results: int) -> None:
        """Write not-a-number to all outputs."""
        places = (ctypes.c_void_p * len(self.outputs)).from_address(results)
        for place, port in zip(places, self.outputs, strict=True):
            size = port.rows * port.cols
            np.ctypeslib.as_array((ctypes.c_double * size).from_address(place or 0))[:] = np.nan
