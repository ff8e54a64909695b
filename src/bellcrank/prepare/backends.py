"""Whether a machine is run as straight-line code or as a sum over batches of like elements."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.formulations import AbstractFormulation
from bellcrank.integrators import Auto, Gauss2, GeneralizedAlpha, Method, Radau5
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.straight_line import StraightLineMachine
from bellcrank.machine.system import System
from bellcrank.model import Model

if TYPE_CHECKING:
    from bellcrank.prepare.modes import Mode

HUGE = 40  # bodies from which on straight-line code is no choice


def backend(
    model: Model,
    formulation: AbstractFormulation,
    system: System,
    p: np.ndarray,
    jointed: Callable[[], System],
    batched: bool,
) -> Integrable:
    """Return a machine as it is begun, integrated and recorded.

    Args:
        model: The machine.
        formulation: How its equations are written.
        system: Its equations.
        p: Parameter values in order.
        jointed: Returns the same machine in joint coordinates.
        batched: Whether it is run as a sum over batches, see `in_batches`.
    """
    if not batched:
        return StraightLineMachine(model, system, p, jointed)
    from bellcrank.machine.batched.backend import BatchedMachine  # small machines do without

    return BatchedMachine(model, system, p, jointed, formulation.equations)


def in_batches(system: System, method: Method, constraints: "Mode", events: int) -> bool:
    """Return whether a machine is run as a sum over batches of like elements.

    Args:
        system: Its equations.
        method: The integrator asked for.
        constraints: What is to be done with constraints.
        events: How many there are to look for.

    Raises:
        OptionError: It must be, and the rest does not go with that.
    """
    equations = system.equations
    if not equations.batches:
        return False
    must, huge, found = not equations.straight_line, len(equations.bodies) >= HUGE, False
    if isinstance(method, Radau5 | Gauss2):
        found = constraints in ("project", "index2")
    elif isinstance(method, GeneralizedAlpha):
        found = constraints in ("project", "index3") and not events
    elif isinstance(method, Auto):
        found = constraints in ("project", "index2") and (must or huge)
    if must and not found:
        raise OptionError(
            "a machine assembled from kinds of elements is integrated by Radau5() or "
            "Gauss2(step=…) with constraints='index2', or by GeneralizedAlpha(step=…) with "
            f"constraints='index3' and no events, got {method!r}, {constraints!r} and "
            f"{events} events. Leave assembled out for others."
        )
    return found
