"""Which rows of joints and constraints are left in the plane.

In the x-y plane a row that asks an axis along z for anything is met by itself. What is left is
what the planar library lists: a pin has two rows, a slide has (P₂ v)₁·d and (P₂ v)₁·v₂.

Needs no CasADi.
"""

from bellcrank.model import Constraint, Joint
from bellcrank.model.plane import upright_axis


def planar_rows(element: Joint | Constraint) -> tuple[int, ...]:
    """Return which of an element's position rows are left in the plane, by their numbers."""
    if isinstance(element, Constraint):
        return element.planar_rows()
    upright = upright_axis(element)
    return tuple(
        place
        for place, condition in enumerate(element.mobility.conditions)
        if (2 if condition.form == "point" else upright) not in condition.axes
    )


def planar_velocity_rows(element: Joint | Constraint) -> tuple[int, ...]:
    """Return which of an element's velocity rows are left in the plane, by their numbers."""
    return element.planar_slips() if isinstance(element, Constraint) else ()
