"""Drivers as object code: a stepper of a method in the loop of all methods."""

from typing import Any

from numba import types

from bellcrank.integrators import tableaus
from bellcrank.integrators.dop853 import DOP853
from bellcrank.integrators.drivers import SYMBOL
from bellcrank.integrators.native.loop import driver
from bellcrank.integrators.native.steppers import Stepper, nystrom, runge_kutta
from bellcrank.kernels import jit
from bellcrank.kernels.freed import freed
from bellcrank.linear.native.raw import DOUBLES, INTEGERS

TABLEAUS = {each.name: each for each in (tableaus.RK4, tableaus.RKF45, tableaus.DOPRI5, DOP853)}


def build(name: str, watched: bool) -> bytes:
    """Return the object code of the driver of a method; it exports `SYMBOL`.

    Args:
        name: Of the method.
        watched: Whether it can handle events and switches.
    """
    return jit.machine(2).emit_object(module(_stepper(name), watched))


def _stepper(name: str) -> Stepper:
    """Return the stepper of a method."""
    if name in TABLEAUS:
        return runge_kutta(TABLEAUS[name])
    if name == "Nystrom4":
        return nystrom()
    from bellcrank.integrators.native.implicit import stepper

    return stepper(name)


def module(stepper: Stepper, watched: bool) -> Any:
    """Return the LLVM module of a driver, free of everything but mathematics."""
    kind = types.int64(INTEGERS, DOUBLES, types.int64)
    return freed(driver(stepper, watched), kind, SYMBOL)
