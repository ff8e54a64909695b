"""Equations → CasADi functions → Program → native code.

The way of a function: `lower` makes it a flat `Program`, `plan` decides how to emit it,
`llvm` (with `text`, `sine`, `batch`) writes it, `jit` assembles and links it, `cache` keeps
it, and `build` hands out the `Kernel` one calls. Only `lower` imports CasADi, so it is not
imported here.
"""

from bellcrank.kernels.build import Kernel, kernel
from bellcrank.kernels.ports import Port
from bellcrank.kernels.program import Program

__all__ = ["Kernel", "Port", "Program", "kernel"]
