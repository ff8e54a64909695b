"""The formulation of a run that names none.

Joint coordinates have the fewest unknowns, and straight-line code of them is right for trees of
any size and for loops up to some dozens. Beyond that, code and matrices grow with the square of
the machine, where a sum over like elements grows with its size alone.
"""

from contextlib import suppress
from dataclasses import replace

from bellcrank.errors import NotSupported, StartError
from bellcrank.formulations import Cartesian, JointCoordinates
from bellcrank.integrators import Auto, Status, Track
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import compiled
from bellcrank.prepare.backends import backend
from bellcrank.prepare.options import Request
from bellcrank.prepare.problem import InitialState, assemble

ROWS = 200  # of loops in joint coordinates, from which on a sum over batches is tried first


def begun(request: Request, slack: float) -> tuple[Request, Integrable, InitialState]:
    """Return a request with its formulation, the machine, and the state it begins with.

    Where none is asked for, that is joint coordinates, or for machines of many loops
    `Cartesian(assembled=True)`, if they can be begun so.

    Args:
        request: What is asked for.
        slack: As of `simulate`.

    Raises:
        StartError: There is no state with what is named, or it cannot move on from there.
        NotSupported: The formulation cannot do this model.
    """
    if request.formulation is None and _many_loops(request):
        with suppress(NotSupported, StartError):
            return _begun(replace(request, formulation=Cartesian(assembled=True)), slack)
    return _begun(
        replace(request, formulation=request.formulation or JointCoordinates()), slack
    )


def stopped_in_batches(asked: Request, chosen: Request, track: Track) -> bool:
    """Return whether a run stopped in batches where joint coordinates may go on.

    Implicit methods do not pass a singular position, such as that of a ladder that falls flat,
    and batches have no other. Sampled laws may remember: they are not run a second time.

    Args:
        asked: As the user asked.
        chosen: With the formulation that was chosen where none is named.
        track: The run.
    """
    halted = track.status.stuck or track.status in (Status.DEPENDENT, Status.SINGULAR)
    own = asked.formulation is None and isinstance(chosen.formulation, Cartesian)
    return own and halted and not asked.bound.controllers


def _many_loops(request: Request) -> bool:
    model, plain = request.bound.model, request.constraints == "project"
    if not (plain and isinstance(request.integrator, Auto) and model.graph.loops):
        return False
    return len(JointCoordinates().equations(model).rows) >= ROWS


def _begun(request: Request, slack: float) -> tuple[Request, Integrable, InitialState]:
    assert request.formulation is not None
    system = compiled(request.bound.model, request.formulation, 1, 1, slack)
    machine = backend(system, request)
    return request, machine, assemble(machine, request)
