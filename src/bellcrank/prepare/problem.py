"""A machine, its start and what is looked for → a problem ready to be integrated."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.errors import ModelError
from bellcrank.integrators import Auto, Gauss2, GeneralizedAlpha, Implicit, Method, Problem
from bellcrank.integrators.stiffness import Deferred
from bellcrank.kernels import Kernel
from bellcrank.kernels.protocol import Integrable
from bellcrank.model import Event, Expression, Model
from bellcrank.prepare.saddles import saddle
from bellcrank.prepare.timeline import timed_events, timeline
from bellcrank.prepare.watching import watching

if TYPE_CHECKING:
    from bellcrank.integrators.saddle import Saddle
    from bellcrank.integrators.sparse_saddle import SparseSaddle


def problem(
    machine: Integrable,
    model: Model,
    state: tuple[np.ndarray, np.ndarray],
    w: np.ndarray,
    events: Sequence[Event],
    method: Method,
    span: tuple[float, float],
) -> Problem:
    """Return what the integrator needs: kernels and sizes.

    Args:
        machine: The machine.
        model: Its drawing.
        state: x and k at the beginning.
        w: Inputs then.
        events: What is looked for.
        method: How it is integrated.
        span: The beginning and the end [s].
    """
    (x, k), system, equations = state, machine.system, machine.system.equations
    # Gauss's method has its order only if the ends of its steps, which are no stages, are
    # brought onto the constraints along the directions in which these push.
    motion = machine.motion(span[0], x, w, k, pushed=isinstance(method, Gauss2))
    return Problem(
        nq=len(system.coordinates),
        nu=len(system.speeds),
        ns=len(equations.auxiliary),
        nw=len(system.inputs),
        parameters=machine.p,
        memory=k,
        modes=equations.modes,
        second_order=equations.second_order,
        states=(*system.coordinates, *system.speeds, *(v.name for v in equations.auxiliary)),
        jacobian=_jacobian(machine, method),
        saddle=_saddle(machine, method),
        **vars(motion),
        **_watched(model, machine, events, span),
    )


def _watched(
    model: Model, machine: Integrable, events: Sequence[Event], span: tuple[float, float]
) -> dict[str, Any]:
    """Return what a problem says of events, guards after them, and of the time ahead."""
    values = machine.system.named(machine.p)
    found, guards = _crossings(model, events), machine.system.equations.guards
    ahead = timed_events(events, found, values, span)
    numbers = sorted(set(range(len(events))) - {each.number for each in ahead})
    looked = [events[n] for n in numbers]
    crossings = (*(found[n] for n in numbers), *(guard.when for guard in guards))
    kernel, turning = watching(model, machine, crossings)
    return {
        "events": kernel,
        "turning": turning,
        "directions": [*(event.direction for event in looked), *(-1 for _ in guards)],
        "terminal": [*(event.terminal for event in looked), *(guard.stops for guard in guards)],
        "labels": [
            *(f"event {event.name!r}" for event in looked),
            *(f"what tells that {guard.message}" for guard in guards),
        ],
        "numbers": [*numbers, *(len(events) + n for n in range(len(guards)))],
        "timeline": timeline(model, ahead, values, span),
    }


def _jacobian(machine: Integrable, method: Method) -> Kernel | Deferred | None:
    """Return the kernel that implicit methods need for trees besides the right-hand side."""
    system = machine.system
    if machine.rounds or system.equations.rows or isinstance(method, GeneralizedAlpha):
        return None
    if isinstance(method, Auto):
        return Deferred(lambda: system.kernel("jacobian"))
    return system.kernel("jacobian") if isinstance(method, Implicit) else None


def _saddle(machine: Integrable, method: Method) -> "Saddle | SparseSaddle | None":
    """Return what implicit methods need where there are constraints."""
    equations = machine.system.equations
    if isinstance(method, Auto):
        return saddle(machine) if equations.rows and not equations.auxiliary else None
    if machine.rounds or isinstance(method, GeneralizedAlpha):  # which take none of them, too
        return saddle(machine)
    return saddle(machine) if equations.rows and isinstance(method, Implicit) else None


def _crossings(model: Model, events: Sequence[Event]) -> tuple[Expression, ...]:
    """Return the expressions of events, with their names looked up, all of them at once."""
    found, complaints = [], []
    for event in events:
        try:
            found.append(model.resolve(event.when, f"event '{event.name}'"))
        except ModelError as error:
            complaints += error.complaints
    ModelError.gather(complaints)
    return tuple(found)
