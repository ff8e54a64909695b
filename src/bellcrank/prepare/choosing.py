"""Which formulation a run takes that names none, and which of the two backends.

Joint coordinates have the fewest unknowns, and straight-line code of them is right for trees of
any size and for loops up to some dozens. Beyond that, code and matrices grow with the square of
the machine, where a sum over like elements grows with its size alone.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from bellcrank.errors import NotSupported, OptionError, StartError
from bellcrank.formulations import AbstractFormulation
from bellcrank.integrators import Auto, Method, Status, Track, holding
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.start import parameter_values
from bellcrank.machine.straight_line import StraightLineMachine
from bellcrank.machine.system import System, compiled
from bellcrank.prepare.modes import Mode
from bellcrank.prepare.options import USUAL, Request
from bellcrank.prepare.problem import InitialState, assemble

ROWS = 200  # of loops in joint coordinates, from which on a sum over batches is tried first
HUGE = 40  # bodies from which on straight-line code is no choice


class Attempt(NamedTuple):
    """A run in one formulation, ready to be prepared.

    Attributes:
        request: What is asked for, with the formulation.
        machine: The machine.
        state: Where it begins.
        last: Whether there is no other formulation to try.
    """

    request: Request
    machine: Integrable
    state: InitialState
    last: bool

    def settles(self, track: Track) -> bool:
        """Return whether a run in this formulation is the answer, as it went or as it failed.

        It is not where it ended in or beside a singular position, which implicit methods do
        not pass.
        """
        ended = track.status.stuck or track.status is Status.DEPENDENT
        return self.last or not ended


def attempts(request: Request, slack: float) -> Iterator[Attempt]:
    """Yield a run in the formulation asked for, or in those that are tried one after another.

    Where none is asked for, that is joint coordinates, but for machines of many loops first
    `Cartesian(assembled=True)`, if they can be begun so.

    Args:
        request: What is asked for.
        slack: As of `simulate`.

    Raises:
        StartError: There is no state with what is named, or it cannot move on from there.
        NotSupported: The formulation cannot do this model.
    """
    if request.formulation is None and _many_loops(request, slack):
        from bellcrank.formulations import Cartesian  # small machines do without

        # Controllers remember: what they were asked in an attempt cannot be taken back.
        only = bool(request.bound.controllers)
        found = None
        with suppress(NotSupported, StartError):
            found = _begun(request, Cartesian(assembled=True), slack, last=only)
        if found is not None:
            yield found
            # It has come to a singular position: runs that follow begin as this one goes on.
            _jointed(request, slack).once(BatchedRuns).serve = False
    yield _begun(request, request.formulation or USUAL, slack, last=True)


def _many_loops(request: Request, slack: float) -> bool:
    model, plain = request.bound.model, request.constraints == "project"
    if not (plain and isinstance(request.integrator, Auto) and model.graph.loops):
        return False
    system = _jointed(request, slack)
    return len(system.equations.rows) >= ROWS and system.once(BatchedRuns).serve


def _jointed(request: Request, slack: float) -> System:
    """Return the machine in joint coordinates."""
    return compiled(request.bound.model, USUAL, 1, 1, slack)


class BatchedRuns:
    """Whether runs of a machine as a sum over batches come to their ends; kept with it."""

    def __init__(self, system: System) -> None:
        self.serve = True


def _begun(
    request: Request, formulation: AbstractFormulation, slack: float, *, last: bool
) -> Attempt:
    if request.formulation is not formulation:
        request = request._replace(formulation=formulation)
    system = compiled(request.bound.model, formulation, 1, 1, slack)
    machine = backend(system, request)
    return Attempt(request, machine, assemble(machine, request), last)


def backend(system: System, request: Request) -> Integrable:
    """Return a machine as it is begun, integrated and recorded.

    Raises:
        OptionError: It must be run as a sum over batches, and the rest does not go with that.
    """
    model, p = request.bound.model, parameter_values(request.model, system, request.parameters)
    if not in_batches(system, request.integrator, request.constraints):
        return StraightLineMachine(model, system, p)
    from bellcrank.machine.batched.backend import BatchedMachine  # small machines do without

    assert request.formulation is not None
    return BatchedMachine(model, system, p, request.formulation.equations)


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
            f"Cartesian(assembled=True) is integrated by {holding(2)} with "
            f"constraints='index2', or by {holding(3)} with constraints='index3', got "
            f"{method!r} and {constraints!r}. For other integrators use "
            "Cartesian(assembled=False)."
        )
    return found
