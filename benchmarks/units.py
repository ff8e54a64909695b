"""Units of effort for demands that no other multibody package has a number for.

Making code takes seconds that depend on the processor. What is demanded is a ratio to a fixed
piece of work of the same kind, measured in the same run.
"""

from functools import cache

import llvmlite.binding as llvm

from benchmarks.timing import spent

OPERATIONS = 5000
"""Of the fixed function, as many as one of our functions has at most."""

BY_HAND = """
import math, numba, numpy as np

@numba.njit
def rates(x):
    c, s = math.cos(x[0] - x[1]), math.sin(x[0] - x[1])
    f1 = -0.5 * s * x[3] ** 2 - 1.5 * 9.81 * math.sin(x[0])
    f2 = 0.5 * s * x[2] ** 2 - 0.5 * 9.81 * math.sin(x[1])
    determinant = 4 / 9 - c * c / 4
    a1, a2 = (f1 / 3 - c / 2 * f2) / determinant, (4 / 3 * f2 - c / 2 * f1) / determinant
    return np.array([x[2], x[3], a1, a2])

@numba.njit
def run(x, h, steps):
    angles = np.empty((steps + 1, 2))
    angles[0] = x[:2]
    for k in range(steps):
        k1 = rates(x)
        k2 = rates(x + h / 2 * k1)
        k3 = rates(x + h / 2 * k2)
        k4 = rates(x + h * k3)
        x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        angles[k + 1] = x[:2]
    return angles

angles = run(np.array([math.pi / 2, math.pi / 2, 0.0, 0.0]), 1e-3, 10000)
print(angles[-1, 0], angles[-1, 1] - angles[-1, 0])
"""
"""The unit of a first run: a fresh process in which Numba compiles the double pendulum of the
whole runs, its equations and RK4 written by hand, two rods of 1 m and 1 kg, and runs it for
10 s. Like a first run of ours it is Python, imports and LLVM."""


@cache
def code_generation() -> float:
    """Return the processor time of LLVM for one operation of a fixed function [s].

    Straight-line code, from text to object code at level 1, by llvmlite alone.
    """
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text, target = _text(), llvm.Target.from_default_triple()
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=1
    )
    taken = [
        spent(lambda: machine.emit_object(llvm.parse_assembly(text)))[0] for _ in range(20)
    ]
    return min(taken) / OPERATIONS


def _text() -> str:
    """Return a function of sums, differences and products of values made not long before."""
    lines = [
        *(f"%a{i} = getelementptr double, ptr %x, i64 {i}" for i in range(16)),
        *(f"%v{i} = load double, ptr %a{i}" for i in range(16)),
    ]
    for i in range(16, OPERATIONS + 16):
        one, other = i - 1 - (7 * i) % 13, i - 1 - (11 * i) % 16
        kind = ("fadd", "fmul", "fsub")[i % 3]
        lines.append(f"%v{i} = {kind} double %v{one}, %v{other}")
    last = OPERATIONS + 15
    lines += [f"store double %v{last - i}, ptr %a{i}" for i in range(16)]
    body = "\n  ".join(lines)
    return f"define void @fixed(ptr %x) {{\n  {body}\n  ret void\n}}\n"
