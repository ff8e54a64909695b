"""Drivers brought to life: object code from the cache, or made by Numba the first time."""

import ctypes
import functools
import hashlib
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.problem import Sought
from bellcrank.kernels import cache, jit
from bellcrank.kernels.interrupts import whole

SYMBOL = "bellcrank_advance"
_Advance = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
_linked: list[jit.Library] = []  # code lives as long as its library


@functools.cache
def driver(kind: type[Method], constrained: bool, watched: Sought) -> Callable[[int, int], int]:
    """Return `advance(run, budget)` of a method; see `contract`.

    The record is given by its address. Numba is imported only if the driver has never been
    compiled on this computer.

    Args:
        kind: The class of the method.
        constrained: Whether it holds constraints itself.
        watched: What it looks for.
    """
    library = jit.link(code(kind, constrained, watched), [SYMBOL])
    _linked.append(library)
    return _Advance(library[SYMBOL])


def code(kind: type[Method], constrained: bool, watched: Sought) -> bytes:
    """Return the object code of the driver of a method, which exports `SYMBOL`."""
    make = functools.partial(_make, kind, constrained, watched)
    source = _source(kind)
    if source is None:
        return make()
    on = f" on index {kind.index}" if constrained else ""
    name = f"{kind.__name__}{on} watching for {watched.value}"
    known = f"numba {cache.version('numba')}\nsources {cache.fingerprint(*cache.NATIVE)}"
    return cache.blob(f"driver {name}\n{known}{source}", make, name="the integrators")


def _source(kind: type[Method]) -> str | None:
    """Return what decides what a method from outside does; None where that is not known.

    What those of this package do follows from its sources. Others are known by the numbers of
    their tableau, or by their file where they have a stepper of their own.
    """
    if _shipped(kind):
        return ""
    if _shipped(kind.stepper) and _shipped(type(kind.tableau)):
        values = vars(kind.tableau).values()
        numbers = [each.tolist() if isinstance(each, np.ndarray) else each for each in values]
        return f"\n{type(kind.tableau).__name__} {numbers}"
    file = getattr(sys.modules.get(kind.__module__), "__file__", None)
    if file is None or not Path(file).is_file():
        return None
    return f"\n{kind.__qualname__} {hashlib.sha256(Path(file).read_bytes()).hexdigest()}"


def _shipped(thing: Any) -> bool:
    return thing.__module__.startswith("bellcrank.")


def _make(kind: type[Method], constrained: bool, watched: Sought) -> bytes:
    whole("numba")
    from bellcrank.integrators.native.build import build

    return build(kind.stepper(constrained), watched, SYMBOL)
