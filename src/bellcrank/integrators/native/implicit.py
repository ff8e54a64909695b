"""Implicit methods by name."""

from bellcrank.integrators import implicit_tableaus as tableaus
from bellcrank.integrators.implicit import INDEX2
from bellcrank.integrators.implicit_tableaus import GAUSS2, RADAU5, Collocation
from bellcrank.integrators.native.collocation import Algebra, gauss2
from bellcrank.integrators.native.diagonal import diagonal
from bellcrank.integrators.native.radau import radau5
from bellcrank.integrators.native.steppers import Stepper


def stepper(name: str) -> Stepper:
    """Return the stepper of an implicit method."""
    if name == "GeneralizedAlpha":
        from bellcrank.integrators.native.alpha import generalized_alpha

        return generalized_alpha()
    if name.endswith(INDEX2):
        return _constrained(name.removesuffix(INDEX2))
    if name == "Radau5":
        return radau5()
    if name == "Gauss2":
        return gauss2()
    return diagonal(
        {each.name: each for each in (tableaus.TRAPEZOIDAL, tableaus.SDIRK54)}[name]
    )


def _constrained(name: str) -> Stepper:
    """Return the stepper of a method on the stabilised index-2 form."""
    from bellcrank.integrators.native import index2
    from bellcrank.integrators.native import saddle_calls as saddle

    def algebra(method: Collocation, take: object) -> Algebra:
        return Algebra(
            take, saddle.factor_real, saddle.factor_complex, index2.iteration(method),
            index2.guess(method),
        )  # fmt: skip

    if name == "Radau5":
        note = index2.keep(RADAU5)
        return radau5(algebra(RADAU5, saddle.take_jacobian), index2.filter_error, note)
    return gauss2(algebra(GAUSS2, saddle.take_loosely), index2.keep(GAUSS2))
