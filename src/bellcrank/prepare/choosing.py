"""The formulation of a run that names none.

Joint coordinates have the fewest unknowns, and straight-line code of them is right for trees of
any size and for loops up to some dozens. Beyond that, code and matrices grow with the square of
the machine, where a sum over like elements grows with its size alone.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from bellcrank.errors import NotSupported, StartError
from bellcrank.formulations import AbstractFormulation, Cartesian
from bellcrank.integrators import Auto, Status, Track
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import compiled
from bellcrank.prepare.backends import backend
from bellcrank.prepare.options import USUAL, Request
from bellcrank.prepare.problem import InitialState, assemble

ROWS = 200  # of loops in joint coordinates, from which on a sum over batches is tried first


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
        # Controllers remember: what they were asked in an attempt cannot be taken back.
        only = bool(request.bound.controllers)
        found = None
        with suppress(NotSupported, StartError):
            found = _begun(request, Cartesian(assembled=True), slack, last=only)
        if found is not None:
            yield found
    yield _begun(request, request.formulation or USUAL, slack, last=True)


def _many_loops(request: Request, slack: float) -> bool:
    model, plain = request.bound.model, request.constraints == "project"
    if not (plain and isinstance(request.integrator, Auto) and model.graph.loops):
        return False
    return len(compiled(model, USUAL, 1, 1, slack).equations.rows) >= ROWS


def _begun(
    request: Request, formulation: AbstractFormulation, slack: float, *, last: bool
) -> Attempt:
    if request.formulation is not formulation:
        request = request._replace(formulation=formulation)
    system = compiled(request.bound.model, formulation, 1, 1, slack)
    machine = backend(system, request)
    return Attempt(request, machine, assemble(machine, request), last)
