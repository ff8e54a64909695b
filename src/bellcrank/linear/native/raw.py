"""Raw memory for Numba: pointers and records from addresses, calls through addresses.

No array objects, no reference counts, no exceptions: what is compiled from these has no
trace of Python in it and can be kept as object code.
"""

from collections.abc import Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types
from numba.core import cgutils

DOUBLES = types.CPointer(types.float64)
INTEGERS = types.CPointer(types.int64)
INDICES = types.CPointer(types.int32)
COMPLEX = types.CPointer(types.complex128)
intrinsic: Any = extending.intrinsic  # typed by the signature it returns
_njit: Any = numba.njit
_cfunc: Any = numba.cfunc


def text_only(passes: type | None = None) -> dict[str, Any]:
    """Return the option by which Numba only writes LLVM text, where it can be made to.

    It takes hold of Numba's inner parts. Where another version has changed these, nothing is
    returned and everything takes longer to make.

    Args:
        passes: Numba's passes without machine code, `pipeline.Listing` if not given.
    """
    try:
        if passes is None:
            from bellcrank.linear.native.pipeline import Listing as passes
        option = {"pipeline_class": passes}
        inner = _njit(**option, no_cpython_wrapper=True, no_cfunc_wrapper=True)(lambda x: x + 1)
        outer = _cfunc(types.float64(types.float64), **option)(lambda x: 2 * inner(x))
        return option if outer._library.get_llvm_str().count("\ndefine") > 1 else {}
    except Exception:
        return {}


OPTIONS: dict[str, Any] = {
    "error_model": "numpy",
    "fastmath": {"contract"},
    "boundscheck": False,
    "_nrt": False,
    **text_only(),
}
native = _njit(**OPTIONS, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def pointer(kind: Any) -> Any:
    """Return the intrinsic that makes a pointer, or a record, of the address in an integer."""

    @intrinsic
    def at(typing, address):
        def generate(context, builder, signature, args):
            return builder.inttoptr(args[0], context.get_value_type(kind))

        return kind(types.int64), generate

    return at


def record(layout: np.dtype) -> Any:
    """Return the intrinsic that makes of an address the record that lies there."""
    return pointer(numba.from_dtype(layout))


@intrinsic
def address_of(typing, record):
    """Return the address of a record."""

    def generate(context, builder, signature, args):
        return builder.ptrtoint(args[0], ir.IntType(64))

    return types.int64(record), generate


def field(layout: np.dtype, name: str) -> Any:
    """Return the intrinsic that gives the address of a field of a record."""
    fields: Any = layout.fields
    offset = fields[name][1]

    @intrinsic
    def at(typing, record):
        def generate(context, builder, signature, args):
            whole = ir.IntType(64)
            return builder.add(builder.ptrtoint(args[0], whole), whole(offset))

        return types.int64(record), generate

    return at


doubles, integers, indices, complexes = (
    pointer(kind) for kind in (DOUBLES, INTEGERS, INDICES, COMPLEX)
)


@intrinsic
def address(typing, pointer, offset):
    """Return the address of `pointer[offset]`."""

    def generate(context, builder, signature, args):
        place = builder.ptrtoint(args[0], ir.IntType(64))
        return builder.add(place, builder.mul(args[1], ir.IntType(64)(8)))

    return types.int64(pointer, types.int64), generate


@intrinsic
def resize(typing, allocate, memory, size):
    """Call `void *allocate(void *memory, size_t size)` by address."""

    def generate(context, builder, signature, args):
        whole = ir.IntType(64)
        kind = ir.FunctionType(whole, [whole, whole])
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(types.int64, types.int64, types.int64), generate


# --- calls through addresses

CODE: Any = ir.IntType(8).as_pointer()


@intrinsic
def call(typing, kernel, inputs, outputs, work):
    """Call `void kernel(const double **in, double **out, double *work)` by address."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [CODE, CODE, CODE])
        kernel = builder.inttoptr(args[0], kind.as_pointer())
        builder.call(kernel, [builder.inttoptr(each, CODE) for each in args[1:]])
        return context.get_dummy_value()

    whole = types.int64
    return types.void(whole, whole, whole, whole), generate


@intrinsic
def request(typing, routine, first, second, third, fourth, what):
    """Call `int64 routine(int64, int64, int64, int64, int64)` by address."""

    def generate(context, builder, signature, args):
        whole = ir.IntType(64)
        kind = ir.FunctionType(whole, [whole] * 5)
        return builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])

    return types.int64(*[types.int64] * 6), generate


@intrinsic
def run_pass(typing, routine, table):
    """Call `void routine(int64)` by address."""

    def generate(context, builder, signature, args):
        kind = ir.FunctionType(ir.VoidType(), [ir.IntType(64)])
        builder.call(builder.inttoptr(args[0], kind.as_pointer()), args[1:])
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate


def constants(values: Sequence[float]) -> Any:
    """Return the intrinsic n -> values[n], with no check and hence no exception."""
    numbers = tuple(values) or (0.0,)

    @intrinsic
    def entry(typing, number):
        def generate(context, builder, signature, args):
            kind = ir.ArrayType(ir.DoubleType(), len(numbers))
            table = cgutils.global_constant(builder, "numbers", ir.Constant(kind, numbers))
            place = builder.gep(table, [ir.IntType(64)(0), args[0]])
            return builder.load(place)

        return types.float64(types.int64), generate

    return entry
