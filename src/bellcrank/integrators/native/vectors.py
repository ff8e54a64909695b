"""Loops over padded rows, written out in LLVM vectors.

Numba cannot know that the rows of a Runge-Kutta method do not overlap, and would not
vectorise the sums over them. Here each sum over a fixed set of rows is one intrinsic with its
coefficients folded in: no zero is multiplied, no test is made, nothing remains at the end
of a row, because rows are padded to whole vectors.
"""

from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils

from bellcrank.integrators.contract import LANES
from bellcrank.linear.native.raw import DOUBLES, intrinsic
from bellcrank.units import LARGEST

Terms = Sequence[tuple[int, float]]  # (row, coefficient), zeros left out
FUSED = ("contract",)
DOUBLE, LONG, SHORT = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
VECTOR = ir.VectorType(DOUBLE, LANES)


class RowWriter:
    """A writer of vector instructions."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder

    def splat(self, scalar: Any) -> Any:
        """Return a vector of equal entries."""
        nothing = ir.Constant(VECTOR, ir.Undefined)
        first = self.builder.insert_element(nothing, scalar, SHORT(0))
        zeros = ir.Constant(ir.VectorType(SHORT, LANES), [0] * LANES)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def constant(self, value: float) -> Any:
        """Return a vector of equal numbers known now."""
        return ir.Constant(VECTOR, [value] * LANES)

    def at(self, pointer: Any, index: Any) -> Any:
        """Return where the vector at `pointer[index]` is."""
        place = self.builder.gep(pointer, [index], source_etype=DOUBLE)
        return self.builder.bitcast(place, VECTOR.as_pointer())

    def load(self, pointer: Any, index: Any) -> Any:
        """Return the vector at `pointer[index]`."""
        found = self.builder.load(self.at(pointer, index), typ=VECTOR)
        found.align = 8
        return found

    def store(self, value: Any, pointer: Any, index: Any) -> None:
        """Write the vector at `pointer[index]`."""
        self.builder.store(value, self.at(pointer, index), align=8)

    def product(self, a: Any, b: Any, c: Any) -> Any:
        """Return a b + c."""
        return self.builder.fadd(self.builder.fmul(a, b, flags=FUSED), c, flags=FUSED)

    def sum(self, terms: Terms, rows: Any, stride: Any, index: Any) -> Any:
        """Return Σ cⱼ rowⱼ, in two chains so that additions overlap."""
        chains: list[Any] = []
        for number, (row, coefficient) in enumerate(terms):
            place = self.builder.add(self.builder.mul(stride, LONG(row)), index)
            value = self.load(rows, place)
            if number < 2:
                weight = self.constant(coefficient)
                chains.append(self.builder.fmul(value, weight, flags=FUSED))
            else:
                chains[number % 2] = self.product(
                    value, self.constant(coefficient), chains[number % 2]
                )
        return chains[0] if len(chains) == 1 else self.builder.fadd(*chains, flags=FUSED)

    def largest(self, a: Any, b: Any) -> Any:
        """Return max(|a|, |b|)."""
        kind = ir.FunctionType(VECTOR, [VECTOR])
        name = f"llvm.fabs.v{LANES}f64"
        magnitude = cgutils.get_or_insert_function(self.builder.module, kind, name)
        a, b = self.builder.call(magnitude, [a]), self.builder.call(magnitude, [b])
        return self.builder.select(self.builder.fcmp_ordered(">", a, b), a, b)

    def total(self, vector: Any) -> Any:
        """Return the sum of the entries of a vector."""
        result = self.builder.extract_element(vector, SHORT(0))
        for lane in range(1, LANES):
            result = self.builder.fadd(
                result, self.builder.extract_element(vector, SHORT(lane))
            )
        return result

    @contextmanager
    def over(self, stride: Any):
        """Go along a row, vector by vector."""
        loop = cgutils.for_range_slice(self.builder, LONG(0), stride, LONG(LANES))
        with loop as (index, _):
            yield index


def combinations(table: Sequence[Terms]) -> Any:
    """Return the intrinsic out = x + h Σ cⱼ Kⱼ over (number, out, x, h, K, stride).

    Args:
        table: One set of terms for each `number`; nothing is done for an empty one. The
            choice is made when it runs, so that a method is a loop over its stages with a
            single place that calls the kernel.
    """

    @intrinsic
    def combine(typing, number, out, x, h, rows, stride):
        def generate(context, builder, signature, args):
            number, out, x, h, rows, stride = args
            write = RowWriter(builder)
            step = write.splat(h)
            finished = builder.append_basic_block("finished")
            choice = builder.switch(number, finished)
            for case, terms in enumerate(table):
                if not terms:
                    continue
                block = builder.append_basic_block(f"combination{case}")
                choice.add_case(LONG(case), block)
                builder.position_at_end(block)
                with write.over(stride) as index:
                    slope = write.sum(terms, rows, stride, index)
                    write.store(write.product(step, slope, write.load(x, index)), out, index)
                builder.branch(finished)
            builder.position_at_end(finished)
            return context.get_dummy_value()

        whole, real = types.int64, types.float64
        return types.void(whole, DOUBLES, DOUBLES, real, DOUBLES, whole), generate

    return combine


def scaled_squares(terms: Terms) -> Any:
    """Return the intrinsic Σᵢ (Σⱼ cⱼ Kⱼᵢ / sᵢ)², sᵢ = atolᵢ + rtol max(|xᵢ|, |yᵢ|).

    Its arguments are (K, stride, x, y, atol, rtol).
    """

    @intrinsic
    def measure(typing, rows, stride, x, y, atol, rtol):
        def generate(context, builder, signature, args):
            rows, stride, x, y, atol, rtol = args
            write = RowWriter(builder)
            relative = write.splat(rtol)
            total = cgutils.alloca_once_value(builder, write.constant(0.0))
            with write.over(stride) as index:
                size = write.largest(write.load(x, index), write.load(y, index))
                scale = write.product(relative, size, write.load(atol, index))
                error = builder.fdiv(write.sum(terms, rows, stride, index), scale)
                builder.store(write.product(error, error, builder.load(total)), total)
            return write.total(builder.load(total))

        whole, real = types.int64, types.float64
        return real(DOUBLES, whole, DOUBLES, DOUBLES, DOUBLES, real), generate

    return measure


def nested(rows: int) -> Any:
    """Return the intrinsic out = C₀ + θ(C₁ + θ₁(C₂ + θ(C₃ + θ₁(C₄ + …)))), θ₁ = 1 - θ.

    Its arguments are (out, C, stride, theta).
    """

    @intrinsic
    def blend(typing, out, coefficients, stride, theta):
        def generate(context, builder, signature, args):
            out, coefficients, stride, theta = args
            write = RowWriter(builder)
            rest = builder.fsub(DOUBLE(1.0), theta)
            factors = (write.splat(theta), write.splat(rest))
            with write.over(stride) as index:
                value = None
                for row in reversed(range(rows)):
                    place = builder.add(builder.mul(stride, LONG(row)), index)
                    here = write.load(coefficients, place)
                    value = (
                        here if value is None else write.product(factors[row % 2], value, here)
                    )
                write.store(value, out, index)
            return context.get_dummy_value()

        return types.void(DOUBLES, DOUBLES, types.int64, types.float64), generate

    return blend


@intrinsic
def finite(typing, row, stride):
    """Return 0.0 if no entry exceeds LARGEST, and not-a-number otherwise: Σ 0 (s xᵢ)²."""

    def generate(context, builder, signature, args):
        row, stride = args
        write = RowWriter(builder)
        total = cgutils.alloca_once_value(builder, write.constant(0.0))
        with write.over(stride) as index:
            large = builder.fmul(write.load(row, index), write.constant(1e154 / LARGEST))
            nothing = builder.fmul(builder.fmul(large, large), write.constant(0.0))
            builder.store(builder.fadd(nothing, builder.load(total)), total)
        return write.total(builder.load(total))

    return types.float64(DOUBLES, types.int64), generate


@intrinsic
def copy(typing, out, row, stride):
    """Copy a row."""

    def generate(context, builder, signature, args):
        out, row, stride = args
        write = RowWriter(builder)
        with write.over(stride) as index:
            write.store(write.load(row, index), out, index)
        return context.get_dummy_value()

    return types.void(DOUBLES, DOUBLES, types.int64), generate
