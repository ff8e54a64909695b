"""A stepper: the functions that `contract` asks of a method, and the cubic that many share."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import derivative
from bellcrank.linear.native.raw import doubles, native


class Stepper(NamedTuple):
    """What a method brings; see `contract`."""

    attempt: Callable[..., Any]
    dense: Callable[..., Any]
    order: int
    error_order: int
    beta: float
    safety: float
    blend: int
    last: int
    judge: Any = None  # in place of the controller of explicit methods


@native
def hermite(i, f, last):
    """Fill C0 to C3: the cubic with the values and slopes of both ends."""
    stride = i[c.STRIDE]
    if i[c.F1_VALID] == 0:
        derivative(i, f[c.TIME] + f[c.STEP], i[c.X1], i[c.K] + 8 * stride * last)
        i[c.F1_VALID] = 1
    x, x1, dt = doubles(i[c.X]), doubles(i[c.X1]), f[c.STEP]
    f0, f1, rows = doubles(i[c.K]), doubles(i[c.K] + 8 * stride * last), doubles(i[c.C])
    for n in range(stride):
        change = x1[n] - x[n]
        bend = dt * f0[n] - change
        rows[n] = x[n]
        rows[stride + n] = change
        rows[2 * stride + n] = bend
        rows[3 * stride + n] = change - dt * f1[n] - bend
