"""Implicit methods by name."""

from bellcrank.integrators import implicit_tableaus as tableaus
from bellcrank.integrators.native.collocation import gauss2
from bellcrank.integrators.native.diagonal import diagonal
from bellcrank.integrators.native.radau import radau5
from bellcrank.integrators.native.steppers import Stepper


def stepper(name: str) -> Stepper:
    """Return the stepper of an implicit method."""
    if name == "Radau5":
        return radau5()
    if name == "Gauss2":
        return gauss2()
    return diagonal(
        {each.name: each for each in (tableaus.TRAPEZOIDAL, tableaus.SDIRK54)}[name]
    )
