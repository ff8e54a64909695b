"""From a Numba function to object code without a trace of Python."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
from numba import cfunc
from numba.core import config as _config

from bellcrank.kernels import jit
from bellcrank.linear.native.raw import OPTIONS


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
