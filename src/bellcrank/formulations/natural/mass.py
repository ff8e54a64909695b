"""What may be assumed of the mass matrix, before any symbol exists."""

import numpy as np

from bellcrank.formulations.equations import MassKind
from bellcrank.formulations.points.places import Places, value
from bellcrank.model import Model, mass_properties

THIN = 1e-9  # of the largest second moment of mass: what counts as no extension


def mass_kind(model: Model, plan: Places) -> MassKind:
    """Return `constant` where A is constant and definite, else `semidefinite`.

    A body in space that two directions and their product describe has more coordinates than
    freedoms to move in, and thin bodies have no inertia against some changes of their vectors:
    A is then definite only on the rates that keep bodies rigid.
    """
    framed = {n for f in plan.frames.values() for n in (f.base, *f.directions)}
    moving = {i for i, basic in enumerate(plan.basics) if basic.start >= 0}
    if moving - framed:
        return "semidefinite"
    for body in model.bodies:
        count = len(plan.frames[body.name].directions)
        properties = mass_properties(body)
        mass = value(properties.mass)
        J = np.array([[value(entry) for entry in row] for row in properties.inertia])
        if mass <= 0.0:
            return "semidefinite"
        if count == 0:
            continue
        if plan.planar:
            if J[2, 2] <= 0.0:
                return "semidefinite"
            continue
        spread = np.linalg.eigvalsh(np.trace(J) / 2 * np.eye(3) - J)
        if count == 2 or spread[0] <= THIN * abs(spread[2]):
            return "semidefinite"
    return "constant"
