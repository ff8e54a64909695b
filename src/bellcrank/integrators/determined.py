"""Machines without freedom: the constraints alone are the motion.

Where rows determine every coordinate, there are no independent ones. What is integrated then
is the projected right-hand side: where it brings its argument does not depend on the argument,
so that its Jacobian is zero and implicit methods are quadratures.
"""

from dataclasses import replace
from typing import Any

from bellcrank.integrators.methods import Method
from bellcrank.integrators.problem import Array, Problem, Track
from bellcrank.integrators.solve import solve
from bellcrank.kernels import jit
from bellcrank.kernels.entries import Entry


def solve_determined(
    problem: Problem, method: Method, t0: float, x0: Array, until: float, **options: Any
) -> Track:
    """Return the motion of a machine whose constraints leave it no freedom.

    Args:
        problem: Its right-hand side brings its argument onto the constraints.
        method: How to integrate, implicit ones included.
        t0: When to begin [s].
        x0: The state then, which meets the constraints.
        until: When to end [s].
        options: Further ones of `solve`.
    """
    problem = replace(problem, saddle=None, jacobian=_no_slopes(problem.nx, problem.nu))
    return solve(problem, method, t0, x0, until, **options)


def _no_slopes(nx: int, nu: int) -> Entry:
    """Return the kernel of a Jacobian that is zero, with a unit matrix for the mass matrix."""
    text = f"""
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
define void @slopes(ptr %in, ptr %out, ptr %work) {{
entry:
  %F = load ptr, ptr %out
  %second = getelementptr ptr, ptr %out, i64 1
  %A = load ptr, ptr %second
  call void @llvm.memset.p0.i64(ptr %F, i8 0, i64 {8 * nx * nx}, i1 false)
  call void @llvm.memset.p0.i64(ptr %A, i8 0, i64 {8 * nu * nu}, i1 false)
  br label %next
next:
  %j = phi i64 [0, %entry], [%following, %set]
  %more = icmp slt i64 %j, {nu}
  br i1 %more, label %set, label %end
set:
  %place = mul i64 %j, {nu + 1}
  %entry_of_A = getelementptr double, ptr %A, i64 %place
  store double 1.0, ptr %entry_of_A
  %following = add i64 %j, 1
  br label %next
end:
  ret void
}}
"""
    library = jit.link(jit.assemble(text), ["slopes"])
    return Entry(library["slopes"], 0, library)
