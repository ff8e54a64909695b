"""A machine with constraints, made ready for integrators that know none."""

from weakref import WeakKeyDictionary

import numpy as np

from bellcrank.integrators.projection import Constrained, Projected
from bellcrank.kernels.system import System

_known: WeakKeyDictionary[System, Projected] = WeakKeyDictionary()


def projection(system: System) -> Projected | None:
    """Return the projected right-hand side of a machine, None where nothing constrains it."""
    equations = system.equations
    if not equations.rows:
        return None
    if system not in _known:
        mh = sum(row.level == "position" for row in equations.rows)
        slots = ("kinematics", "velocity", "acceleration", "mass", "force", "jerk")
        kernels = {slot: system.kernel(slot, full=True) for slot in slots}
        machine = Constrained(
            nq=len(system.coordinates),
            nu=len(system.speeds),
            ns=len(equations.auxiliary),
            m=len(equations.rows),
            mh=mh,
            normalize=system.kernel("normalize") if equations.has("normalize") else None,
            position=system.kernel("position") if mh else None,
            row_scale=np.array([row.scale for row in equations.rows]),
            speed_scale=np.array([speed.scale for speed in equations.speeds]),
            **kernels,
        )
        _known[system] = Projected(machine)
    return _known[system]
