"""Drivers are native code without a trace of Python."""

import re

import pytest

from bellcrank.integrators.drivers import SYMBOL, code
from bellcrank.integrators.methods import METHODS, Auto
from bellcrank.integrators.problem import Sought
from bellcrank.kernels import jit

FOREIGN = re.compile(rb"_{0,2}(Py|numba|NRT)\w{3,}")
"""Names of Python's and of Numba's own runtime."""


KINDS = [
    pytest.param(kind, held, id=f"{kind.__name__}{' with constraints' if held else ''}")
    for kind in METHODS if kind is not Auto
    for held in ({False, True} if kind.index == 2 else {kind.index == 3})
]  # fmt: skip


def names(code: bytes) -> set[bytes]:
    """Return all texts in object code that end as names of symbols do."""
    return set(code.split(b"\0"))


def foreign(code: bytes) -> list[bytes]:
    return [name for name in names(code) if FOREIGN.fullmatch(name)]


@pytest.mark.slow
@pytest.mark.parametrize("watched", Sought, ids=lambda each: each.value)
@pytest.mark.parametrize(("kind", "constrained"), KINDS)
def test_a_driver_is_free_of_python(kind, constrained, watched):
    made = code(kind, constrained, watched)
    assert SYMBOL.encode() in names(made)
    assert not foreign(made)


def test_what_calls_python_is_found():
    import llvmlite.binding as llvm
    from numba import cfunc, types

    def checked(x):
        if x < 0:
            raise ValueError("negative")
        return x

    compiled = cfunc(types.float64(types.float64))(checked)
    module = llvm.parse_assembly(compiled.inspect_llvm())
    assert foreign(jit.machine(2).emit_object(module))
