"""What is done with constraints while a machine is integrated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.assembly.projecting import projection
from bellcrank.errors import NotSupported, OptionError
from bellcrank.integrators import Implicit, Method, Problem, Track, solve
from bellcrank.kernels.system import System

if TYPE_CHECKING:
    from bellcrank.integrators.baumgarte import Baumgarte
    from bellcrank.integrators.independent import Independent

    Mode = str | Independent | Baumgarte

KNOWN = ("project", "independent", "index2", "index3", "baumgarte")


def mode(constraints: Mode) -> Mode:
    """Return what is asked for as a value, the string `project` excepted.

    Raises:
        OptionError: It is not known.
        NotSupported: It is known and not there yet.
    """
    if isinstance(constraints, str) and constraints == "project":
        return constraints
    # Only who asks for another way waits for its import.
    from bellcrank.integrators.baumgarte import Baumgarte
    from bellcrank.integrators.independent import Independent

    if isinstance(constraints, Independent | Baumgarte):
        return constraints
    if constraints not in KNOWN:
        raise OptionError(
            f"constraints takes one of {', '.join(map(repr, KNOWN))}, an Independent(…) or a "
            f"Baumgarte(…), got {constraints!r}."
        )
    if constraints in ("index2", "index3"):
        raise NotSupported(
            f"constraints={constraints!r} is not supported yet; 'project', 'independent' and "
            "'baumgarte' are."
        )
    return Independent() if constraints == "independent" else Baumgarte()


def integrate(
    system: System,
    problem: Problem,
    constraints: Mode,
    method: Method,
    t0: float,
    x0: np.ndarray,
    until: float,
    **options: Any,
) -> Track:
    """Return the motion of a machine; without constraints, `solve` it.

    Args:
        system: The machine.
        problem: It as the mode `project` integrates it.
        constraints: What is done with constraints.
        method: How it is integrated.
        t0: When to begin [s].
        x0: The state then, which meets the constraints.
        until: When to end [s].
        options: Further ones of `solve`.
    """
    wanted = mode(constraints)
    held = projection(system) if wanted != "project" else None
    if held is None:
        return solve(problem, method, t0, x0, until, **options)
    from bellcrank.integrators.baumgarte import Baumgarte, Stabilized
    from bellcrank.integrators.independent import Independent
    from bellcrank.integrators.rebasing import solve_independent

    if isinstance(method, Implicit):
        raise NotSupported(
            f"{type(method).__name__} does not take constraints={constraints!r}. DOP853() does."
        )
    if isinstance(wanted, Independent):
        return solve_independent(
            problem, held.machine, wanted, method, t0, x0, until, **options
        )
    assert isinstance(wanted, Baumgarte)
    rhs = Stabilized(held.machine, wanted).rhs
    problem = replace(problem, rhs=rhs, normalize=held.machine.normalize)
    return solve(problem, method, t0, x0, until, **options)
