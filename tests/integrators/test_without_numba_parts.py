"""Numba left whole: what is compiled without its subclassed parts is the same code."""

import subprocess
import sys

CHILD = """
import ctypes, sys
sys.modules["bellcrank.linear.native.pipeline"] = None  # as where importing it fails
from numba import types
from bellcrank.integrators.native.build import freed
from bellcrank.linear.native.raw import OPTIONS, native
from bellcrank.kernels import jit

@native
def squared(x):
    return x * x

def fourth(x):
    return squared(squared(x))

assert "pipeline_class" not in OPTIONS
module = freed(fourth, types.int64(types.int64), "fourth")
library = jit.link(jit.machine(2).emit_object(module), ["fourth"])
print(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library["fourth"])(3))
"""


def test_functions_are_compiled_by_a_numba_that_is_left_whole():
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("81", "")
