"""Kernels that are a routine shared by all machines, called with the table of one of them.

A routine is `void f(int64 in, int64 out, int64 work, int64 table, int64 what)`, compiled by
Numba once and kept in the cache; one that answers returns an int64. A shim of a few
instructions gives it the signature of a kernel, `void f(const double **in, double **out,
double *work)`.
"""

import functools
from collections.abc import Callable, Mapping
from typing import Any

from bellcrank.kernels import cache, jit
from bellcrank.kernels.interrupts import whole

_linked: list[jit.Library] = []  # code lives as long as its library


def routine(name: str, find: Callable[[], Callable[..., Any]], answers: bool = False) -> int:
    """Return the address of a routine.

    Args:
        name: Of the routine.
        find: Returns the Python function; called only where it has never been compiled.
        answers: Whether it returns an integer.
    """
    return _routine(name, find, answers)


@functools.cache
def _routine(name: str, find: Callable[[], Callable[..., Any]], answers: bool) -> int:
    numba, sources = cache.version("numba"), cache.fingerprint(*cache.NATIVE)
    symbol, key = f"bellcrank_{name}", f"{name}\nnumba {numba}\nsources {sources}"

    def make() -> bytes:
        whole("numba")
        from numba import types

        from bellcrank.kernels.freed import freed

        kind = (types.int64 if answers else types.void)(*[types.int64] * 5)
        return jit.machine(2).emit_object(freed(find(), kind, symbol))

    library = jit.link(cache.blob(key, make, name="the integrators"), [symbol])
    _linked.append(library)
    return library[symbol]


def shims(routine: int, table: int, whats: Mapping[str, int]) -> jit.Library:
    """Return kernels that call a routine with a table, one for each `what`, by name."""
    code = _shims(tuple(whats.items()))
    return jit.link(code, tuple(whats), {"routine": routine, "table": table})


@functools.cache
def _shims(whats: tuple[tuple[str, int], ...]) -> bytes:
    """Return their code, which leaves the routine and the table open."""
    lines = ["declare void @routine(i64, i64, i64, i64, i64)", "@table = external global i8"]
    for name, what in whats:
        lines += [
            f"define void @{name}(ptr %in, ptr %out, ptr %work) {{",
            *(
                f"  %{x} = ptrtoint ptr {y} to i64"
                for x, y in zip("iowt", ("%in", "%out", "%work", "@table"), strict=True)
            ),
            f"  tail call void @routine(i64 %i, i64 %o, i64 %w, i64 %t, i64 {what})",
            "  ret void",
            "}",
        ]
    return jit.assemble("\n".join(lines))
