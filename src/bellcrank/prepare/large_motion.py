"""The motion of a large machine: which method it is integrated by, and the run itself.

Generalized-α has a loop of its own (`sparse_solve`); collocation runs by the drivers of small
machines, whose linear algebra is sparse (`sparse_saddle`), with events and all.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.errors import OptionError, StartError
from bellcrank.formulations.equations import Equations
from bellcrank.integrators import GeneralizedAlpha, Method, Problem, Track, holding, solve

if TYPE_CHECKING:
    from bellcrank.kernels.assembled import Assembled
    from bellcrank.prepare.modes import Mode

Array = np.ndarray
HUGE = 40  # bodies from which on straight-line code is no choice


def large_method(
    equations: Equations, asked: bool, method: Method, constraints: "Mode", events: int
) -> Method | None:
    """Return the method by which a machine is run as a sum over elements, or None if it is not.

    Args:
        equations: Of the machine.
        asked: Whether it must be.
        method: The integrator asked for.
        constraints: What is to be done with constraints.
        events: How many there are to look for.

    Raises:
        OptionError: It must be, and the rest does not go with that.
    """
    if not equations.batches:
        return None
    huge, found = len(equations.bodies) >= HUGE, None
    if method.index == 2 and constraints in ("project", "index2"):
        found = method
    elif method.index == 3 and constraints in ("project", "index3"):
        found = None if events else method
    elif method.stiff and constraints in ("project", "index2") and (asked or huge):
        found = method.stiff
    if asked and found is None:
        raise OptionError(
            f"a machine assembled from kinds of elements is integrated by {holding(2)} with "
            f"constraints='index2', or by {holding(3)} with "
            f"constraints='index3' and no events, got {method!r}, {constraints!r} and "
            f"{events} events. Leave assembled out for others."
        )
    return found


def large_motion(
    machine: "Assembled",
    method: Method,
    t0: float,
    state: tuple[Array, Array, Array],
    until: float,
    w: Array,
    p: Array,
    watched: Mapping[str, Any],
    *,
    rtol: float | None,
    atol: float | Array | None,
    **options: Any,
) -> Track:
    """Return the motion of a large machine, or as much of it as there is.

    Args:
        machine: The machine.
        method: How it is integrated.
        t0: When to begin [s].
        state: q, u and k then.
        until: When to end [s].
        w: Inputs at the beginning.
        p: Parameter values in order.
        watched: What a `Problem` says of events.
        rtol: Relative tolerance, of a method that chooses its steps.
        atol: Absolute tolerance, one number or one for each state, likewise.
        options: Further ones of `solve`.

    Raises:
        StartError: Something that can move has no inertia.
    """
    if isinstance(method, GeneralizedAlpha):
        from bellcrank.integrators.sparse_solve import solve_sparse

        timeline = watched["timeline"]
        return solve_sparse(machine, method, t0, state, until, timeline=timeline, **options)
    problem = _problem(machine, t0, state, w, p, watched)
    x0 = np.concatenate(state[:2])
    return solve(problem, method, t0, x0, until, rtol=rtol, atol=atol, **options)


def _problem(
    machine: "Assembled",
    t0: float,
    state: tuple[Array, Array, Array],
    w: Array,
    p: Array,
    watched: Mapping[str, Any],
) -> Problem:
    """Return a large machine as drivers take it."""
    from bellcrank.integrators.sparse_linear import accelerations, without_solution
    from bellcrank.integrators.sparse_saddle import SparseSaddle
    from bellcrank.linear.sparse_lu import Singular

    (q, u, k), equations = state, machine.equations
    there = machine.state(t0, q, u, w=w, k=k)
    try:
        saddle = SparseSaddle(machine, there)
        accelerations(saddle.linear, there)
    except Singular as problem:
        raise StartError(without_solution(machine, problem, t0)) from None
    kernels, modes = saddle.kernels, equations.modes
    return Problem(
        rhs=kernels["rhs"],
        nq=machine.nq,
        nu=machine.nu,
        nw=len(equations.inputs),
        parameters=p,
        memory=k,
        modes=modes,
        revise=kernels["revise"] if len(k) > modes else None,
        normalize=kernels["normalize"],
        switches=kernels["switches"] if modes else None,
        saddle=saddle,
        **watched,
    )
