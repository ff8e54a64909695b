"""Whether a machine is run as straight-line code or as a sum over batches of like elements."""

from collections.abc import Callable
from functools import partial

from bellcrank.errors import OptionError
from bellcrank.integrators import Method, holding
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.start import parameter_values
from bellcrank.machine.straight_line import StraightLineMachine
from bellcrank.machine.system import System, compiled
from bellcrank.prepare.modes import Mode
from bellcrank.prepare.options import USUAL, Request

HUGE = 40  # bodies from which on straight-line code is no choice


def backend(system: System, request: Request) -> Integrable:
    """Return a machine as it is begun, integrated and recorded.

    Raises:
        OptionError: It must be run as a sum over batches, and the rest does not go with that.
    """
    model, asked = request.bound.model, (request.integrator, request.constraints)
    batched = in_batches(system, *asked)
    p = parameter_values(request.model, system, request.parameters)
    if not batched:
        return StraightLineMachine(model, system, p, jointed(system, request))
    from bellcrank.machine.batched.backend import BatchedMachine  # small machines do without

    assert request.formulation is not None
    equations = request.formulation.equations
    return BatchedMachine(model, system, p, jointed(system, request), equations)


def jointed(system: System, request: Request) -> Callable[[], System]:
    """Return the function that gives the same machine in joint coordinates."""
    return partial(compiled, request.bound.model, USUAL, 1, 1, system.slack)


def in_batches(system: System, method: Method, constraints: Mode) -> bool:
    """Return whether a machine is run as a sum over batches of like elements.

    Args:
        system: Its equations.
        method: The integrator asked for.
        constraints: What is to be done with constraints.

    Raises:
        OptionError: It must be, and the rest does not go with that.
    """
    equations = system.equations
    if not equations.batches:
        return False
    must, huge, found = not equations.straight_line, len(equations.bodies) >= HUGE, False
    if method.index == 2:
        found = constraints in ("project", "index2")
    elif method.index == 3:
        found = constraints in ("project", "index3")
    elif method.stiff is not None:
        found = constraints in ("project", "index2") and (must or huge)
    if must and not found:
        raise OptionError(
            f"a machine assembled from kinds of elements is integrated by {holding(2)} with "
            f"constraints='index2', or by {holding(3)} with constraints='index3', got "
            f"{method!r} and {constraints!r}. Leave assembled out for others."
        )
    return found
