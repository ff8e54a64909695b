"""Drivers brought to life: object code from the cache, or made by Numba the first time."""

import ctypes
import functools
from collections.abc import Callable

from bellcrank.kernels import cache, jit

SYMBOL = "bellcrank_advance"
_Advance = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_linked: list[jit.Library] = []  # code lives as long as its library


@functools.cache
def driver(name: str) -> Callable[[int, int, int], int]:
    """Return `advance(i, f, budget)` of the method `name`; see `contract`.

    The blocks are given by their addresses. Numba is imported only if the driver has
    never been compiled on this computer.
    """
    numba = cache.version("numba")
    key = f"driver {name}\nnumba {numba}\nsources {cache.fingerprint('integrators')}"
    code = cache.blob(key, functools.partial(_make, name), name=f"integrator {name}")
    library = jit.link(code, [SYMBOL])
    _linked.append(library)
    return _Advance(library[SYMBOL])


def _make(name: str) -> bytes:
    from bellcrank.integrators.native.build import build

    return build(name)
