"""Drivers brought to life: object code from the cache, or made by Numba the first time."""

import ctypes
import functools
from collections.abc import Callable

from bellcrank.kernels import cache, jit

SYMBOL = "bellcrank_advance"
_Advance = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
_linked: list[jit.Library] = []  # code lives as long as its library


@functools.cache
def driver(name: str, watched: bool) -> Callable[[int, int, int], int]:
    """Return `advance(i, f, budget)` of the method `name`; see `contract`.

    A driver that is not `watched` knows no events and switches, and compiles faster. The
    blocks are given by their addresses. Numba is imported only if the driver has never
    been compiled on this computer.
    """
    library = jit.link(code(name, watched), [SYMBOL])
    _linked.append(library)
    return _Advance(library[SYMBOL])


def code(name: str, watched: bool) -> bytes:
    """Return the object code of the driver of the method `name`, which exports `SYMBOL`."""
    numba = cache.version("numba")
    kind = f"{name}{' with events' if watched else ''}"
    key = f"driver {kind}\nnumba {numba}\nsources {cache.fingerprint(*cache.NATIVE)}"
    return cache.blob(key, functools.partial(_make, name, watched), name=f"integrator {kind}")


def _make(name: str, watched: bool) -> bytes:
    from bellcrank.integrators.native.build import build

    return build(name, watched)
