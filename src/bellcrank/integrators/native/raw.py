"""Calls through addresses for Numba; what else native code is written with is in `linear`."""

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from bellcrank.linear.native.raw import (
    DOUBLES,
    INTEGERS,
    OPTIONS,
    address,
    doubles,
    integers,
    intrinsic,
    native,
)

__all__ = (
    "DOUBLES", "INTEGERS", "OPTIONS", "address", "call", "constants", "doubles", "integers",
    "intrinsic", "native", "play", "request",
)  # fmt: skip
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
def play(typing, player, table):
    """Call `void player(int64)` by address."""

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
