"""How much memory implicit methods take; what they do is in `native/`."""

from bellcrank.integrators.problem import Problem

SHAPES: dict[str, tuple[int, int]] = {
    "Radau5": (15, 6),
    "Gauss2": (9, 4),
    "SDIRK54": (10, 5),
    "Trapezoidal": (6, 4),
}
"""Rows of K and of C, by name of the method."""

INDEX2 = " on index 2"
"""What is added to the name of a method whose driver holds constraints."""

SHAPES |= {f"{name}{INDEX2}": SHAPES[name] for name in ("Radau5", "Gauss2")}
SHAPES |= {"GeneralizedAlpha": (4, 4)}

UNFIT = {
    "SDIRK54": (
        "where constraints are held, its stages are of order 1 and leave it with order 2. "
        "Radau5() has order 5 there."
    ),
    "Trapezoidal": (
        "it does not damp what the forces of constraints do from step to step. "
        "GeneralizedAlpha(step=…) does."
    ),
}
"""Why a method is not for constraints, by its name."""


def driver_name(method: str, problem: Problem) -> str:
    """Return the name of the driver of a method for a problem."""
    if problem.saddle is None or f"{method}{INDEX2}" not in SHAPES:
        return method
    return f"{method}{INDEX2}"


def room(name: str, problem: Problem) -> int | None:
    """Return how many doubles MATRICES points to, for a driver; None for an explicit method.

    `native.linear` lays them out, or `saddle_table` where there are constraints.
    """
    if name not in SHAPES:
        return None
    if problem.saddle is not None:
        return problem.saddle.room
    nx, nu = problem.nx, problem.nu
    return 4 * nx * nx + nu * nu + 4 * nx
