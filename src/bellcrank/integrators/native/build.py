"""Drivers as object code: a stepper of a method in the loop of all methods."""

from typing import Any

from numba import types

from bellcrank.integrators.native.loop import driver
from bellcrank.integrators.native.stepper import Stepper
from bellcrank.integrators.problem import Sought
from bellcrank.kernels import jit
from bellcrank.kernels.freed import freed


def build(stepper: Stepper, watched: Sought, symbol: str) -> bytes:
    """Return the object code of the driver of a method.

    Args:
        stepper: Of the method.
        watched: What it looks for.
        symbol: What it exports.
    """
    return jit.machine(2).emit_object(module(stepper, watched, symbol))


def module(stepper: Stepper, watched: Sought, symbol: str) -> Any:
    """Return the LLVM module of a driver, free of everything but mathematics."""
    kind = types.int64(types.int64, types.int64)
    return freed(driver(stepper, watched), kind, symbol)
