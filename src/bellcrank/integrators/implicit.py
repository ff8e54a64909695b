"""How much memory implicit methods take; what they do is in `native/`."""

SHAPES = {"Radau5": (15, 6), "Gauss2": (9, 4), "SDIRK54": (10, 5), "Trapezoidal": (6, 4)}
"""Rows of K and of C, by name of the method."""


def room(nx: int, nu: int) -> int:
    """Return how many doubles MATRICES points to; `native.linear` lays them out."""
    return 4 * nx * nx + nu * nu + 4 * nx
