"""A stepper: the functions that `contract` asks of a method, and the cubic that many share."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bellcrank.kernels.native.run import derivative
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
    # Parts, at most, in which a step of fixed length is made where it cannot be made at once;
    # the method then begins anew where GUIDE_H is 0. It goes on with a state of its own, and
    # ends of steps that nobody sees are not brought onto the constraints.
    parts: int = 1


@native
def hermite(run, last):
    """Fill C0 to C3: the cubic with the values and slopes of both ends."""
    stride = run.stride
    if run.f1_valid == 0:
        derivative(run, run.time + run.step, run.x1, run.slopes + 8 * stride * last)
        run.f1_valid = 1
    x, x1, dt = doubles(run.x), doubles(run.x1), run.step
    f0, f1, rows = (
        doubles(run.slopes),
        doubles(run.slopes + 8 * stride * last),
        doubles(run.dense),
    )
    for n in range(stride):
        change = x1[n] - x[n]
        bend = dt * f0[n] - change
        rows[n] = x[n]
        rows[stride + n] = change
        rows[2 * stride + n] = bend
        rows[3 * stride + n] = change - dt * f1[n] - bend
