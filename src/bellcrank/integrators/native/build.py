"""From a Numba function to object code without a trace of Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc, types
from numba.core import config as _config

from bellcrank.integrators import tableaus
from bellcrank.integrators.dop853 import DOP853
from bellcrank.integrators.drivers import SYMBOL
from bellcrank.integrators.native.loop import driver
from bellcrank.integrators.native.raw import DOUBLES, INTEGERS, OPTIONS
from bellcrank.integrators.native.steppers import Stepper, nystrom, runge_kutta
from bellcrank.kernels import jit

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


def freed(function: Any, kind: Any, symbol: str) -> Any:
    """Return the LLVM module of a Python function that never raises, exported as `symbol`."""
    with _unoptimized():
        compiled: Any = cfunc(kind, **OPTIONS)(function)
    module = llvm.parse_assembly(compiled._library.get_llvm_str())
    for each in module.functions:
        if each.name == compiled.native_name:
            each.name = symbol
        elif not each.is_declaration:
            each.linkage = "internal"
    for variable in module.global_variables:
        variable.linkage = "internal"
    # Inside, nothing raises. Once functions are internal LLVM sees that, and the branches
    # in which Numba would call the interpreter go.
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    builder = llvm.create_pass_builder(jit.machine(2), options)
    builder.getModulePassManager().run(module, builder)
    return module


@contextmanager
def _unoptimized() -> Iterator[None]:
    """Keep Numba from optimizing every small function: the whole is optimized once, later."""
    config: Any = _config
    level = config.OPT
    config.OPT = type(level)(0)
    try:
        yield
    finally:
        config.OPT = level
