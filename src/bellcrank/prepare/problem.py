"""A request and a machine → a state that begins a run, and a problem ready to be integrated."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bellcrank.errors import ModelError, StartError
from bellcrank.formulations.contract.breaks import NEVER, timed
from bellcrank.formulations.contract.equations import Guard
from bellcrank.integrators import Method, Problem, Track
from bellcrank.integrators.solve import Progress
from bellcrank.integrators.stiffness import Deferred
from bellcrank.kernels import Kernel
from bellcrank.kernels.entries import Native
from bellcrank.kernels.protocol import Integrable, SaddlePoint
from bellcrank.machine.continuing import (
    Continued,
    angles_of,
    continued,
    projected,
    values_of,
)
from bellcrank.machine.mobility import check_dead_centre
from bellcrank.machine.state import assemble as placed
from bellcrank.machine.system import System
from bellcrank.machine.targets import split_places
from bellcrank.model import Event, Expression, Model
from bellcrank.prepare import modes
from bellcrank.prepare.bushings import half_turns
from bellcrank.prepare.guarding import check_guards, tell_of_near_repeats, tell_of_spins
from bellcrank.prepare.inputs import Ticks
from bellcrank.prepare.interruption import Interruption
from bellcrank.prepare.observing import own_scalars
from bellcrank.prepare.options import USUAL, Request
from bellcrank.prepare.relations import check_relations
from bellcrank.prepare.tolerances import nominal_sizes, scales, vectors
from bellcrank.prepare.undefined import named_law
from bellcrank.prepare.watching import watching

if TYPE_CHECKING:
    from bellcrank.integrators.timed import Timeline

Watched = tuple[Sequence[Event], Sequence[Guard]]
"""Events, and guards after them."""


class InitialState(NamedTuple):
    """Where a run begins.

    Attributes:
        x: [q, u, s], which meets the constraints.
        w: Inputs.
        k: Memory.
    """

    x: np.ndarray
    w: np.ndarray
    k: np.ndarray


def assemble(machine: Integrable, request: Request) -> InitialState:
    """Return the state that a run begins with.

    Raises:
        StartError: There is none with what is named, or it cannot move on from there.
    """
    begin, start, model = request.begin, request.start, request.bound.model
    system = machine.system
    w = request.bound.first(system, begin) if system.inputs else np.zeros(0)
    if _may_ask_for_places(model, system, start) and split_places(model, system, start)[1]:
        start = placed(
            model, start, t=begin, parameters=request.parameters,
            formulation=request.formulation or USUAL, slack=system.slack,
        )  # fmt: skip
    if isinstance(start, Mapping | None):
        x, k = machine.begin(start, begin, w, {})
    else:
        x, k = _continued(machine, start, begin, w)
    _check_equations(machine, begin, x, w, k)
    if model.constraints:
        check_relations(model, machine, begin, x)
    machine.check_motion(begin, x, w, k)
    return InitialState(x, w, k)


def _check_equations(
    machine: Integrable, t: float, x: np.ndarray, w: np.ndarray, k: np.ndarray
) -> None:
    """Complain about a start at a singular attitude of the formulation; tell of idle spins."""
    system, equations = machine.system, machine.system.equations
    if not (equations.idle or equations.guards):
        return
    if equations.idle:
        tell_of_spins(equations.name, equations.idle)
    if equations.guards:
        check_guards(system, t, x, w, machine.p, k)


def _may_ask_for_places(model: Model, system: System, start: Any) -> bool:
    """Return whether a start has names that are not, or not only, the machine's own."""
    if not isinstance(start, Mapping):
        return False
    points = {point.name for point in model.points}  # which may be coordinates of its own
    return any(
        name not in system.places or str(name).rpartition(".")[0] in points for name in start
    )


def _continued(
    machine: Integrable, start: Continued, t: float, w: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and k where a result ends or a state is; what it has of open loops is closed."""
    values, angles = values_of(start, machine.system), angles_of(start, machine.system)
    try:
        return machine.begin(values, t, w, angles, exact=not continued(start))
    except StartError:
        if not continued(start):
            raise
    return machine.begin(projected(values or {}), t, w, angles, exact=False)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is integrated, by what, and how exactly.

    Attributes:
        machine: The machine, without its rows where these do not bind.
        method: The method that fits it.
        problem: It as the method takes it.
        guards: What is watched besides events: of the formulation, and of bushings.
        atol: Absolute tolerances.
        schedule: Ticks of its inputs.
        outside: What functions of the caller raise while it is integrated.
    """

    machine: Integrable
    method: Method
    problem: Problem
    guards: tuple[Guard, ...]
    atol: Any
    schedule: Ticks | None
    outside: Interruption


def prepare(machine: Integrable, request: Request, state: InitialState) -> Prepared:
    """Return the problem of a run: inputs, events, how constraints are held.

    Raises:
        NotSupported: The integrator and what is to be done with constraints do not fit.
        LockedStart: No motion leaves the state, and forces push it.
    """
    x, w, _ = state
    system, begin, span = machine.system, request.begin, (request.begin, request.until)
    rows = request.integrator.index == 3  # it takes rows, also none of them
    moved = machine if rows else machine.moving(begin, x, w)
    method = modes.fitting(moved, request.constraints, request.integrator)
    outside = Interruption()
    bound, guards = request.bound, system.equations.guards
    if bound.model.forces and not machine.batched:
        guards += half_turns(bound.model)
    events = bound.watched(request.events) if bound.expressions else request.events
    problem = _problem(
        moved, bound.model, state, (events, guards), method, request.rtol, span, outside
    )
    if system.equations.rows and not machine.batched:
        tell_of_near_repeats(bound.model, system, machine.p)
        check_dead_centre(system, bound.model, begin, x, w, machine.p)
    atol = request.atol
    if request.own and atol is not None:
        inertias = moved.tied_inertias(begin, x, w)
        s = system.split(x)[2]
        atol = scales(system.equations, atol, inertias, bound.model.variables, s)
        if problem.timeline is not None:
            atol = atol.most  # where time itself moves things, its rounding does, too
    schedule = None
    if bound.tables or bound.controllers:
        schedule = Ticks(bound, moved, problem.rhs, span)
    return Prepared(moved, method, problem, guards, atol, schedule, outside)


def integrate(
    prepared: Prepared, request: Request, state: InitialState, progress: Progress | None = None
) -> Track:
    """Return the motion of a machine, or as much of it as there is."""
    outside = prepared.outside
    track = modes.integrate(
        prepared.machine, prepared.problem, request.constraints, prepared.method,
        request.begin, state.x, request.until,
        rtol=request.rtol, atol=prepared.atol, grid=request.grid,
        schedule=outside.schedule(prepared.schedule) if prepared.schedule else None,
        progress=outside.report(progress) if progress else None,
    )  # fmt: skip
    if track.status.failed:
        track = named_law(prepared.machine, request.bound.model, track)
    return outside.told(track) if outside.reason else track


def _problem(
    machine: Integrable,
    model: Model,
    state: InitialState,
    watched: Watched,
    method: Method,
    rtol: float | None,
    span: tuple[float, float],
    outside: Interruption,
) -> Problem:
    """Return what the integrator needs: kernels and sizes.

    Args:
        machine: The machine.
        model: Its drawing.
        state: Where it begins.
        watched: What is looked for.
        method: How it is integrated.
        rtol: Relative tolerance; None where steps are fixed.
        span: The beginning and the end [s].
        outside: Takes what is raised while it is integrated.
    """
    (x, w, k), system, equations = state, machine.system, machine.system.equations
    # Gauss's method has its order only if the ends of its steps, which are no stages, are
    # brought onto the constraints along the directions in which these push.
    motion = machine.motion(span[0], x, w, k, pushed=method.along_mass, rtol=rtol)
    return Problem(
        nq=len(system.coordinates),
        nu=len(system.speeds),
        ns=len(equations.auxiliary),
        nw=len(system.inputs),
        parameters=machine.p,
        memory=k,
        modes=equations.modes,
        nominal=nominal_sizes(equations, x),
        **vectors(equations),
        second_order=equations.second_order,
        states=(*system.coordinates, *system.speeds, *(v.name for v in equations.auxiliary)),
        jacobian=_jacobian(machine, method),
        saddle=_saddle(machine, method),
        **vars(motion),
        **_watched(model, machine, watched, span, motion.rhs, outside),
    )


def _watched(
    model: Model,
    machine: Integrable,
    watched: Watched,
    span: tuple[float, float],
    rhs: Native,
    outside: Interruption,
) -> dict[str, Any]:
    """Return what a problem says of events, guards after them, and of the time ahead."""
    (events, guards), values = watched, machine.system.named(machine.p)
    if model.drivers or model.constraints:
        from bellcrank.prepare.motions import check_motions

        check_motions(model, values, span)
    found = _crossings(model, events, _own_names(machine)) if events else ()
    ahead, timeline = _ahead(model, events, found, values, span)
    numbers = sorted(set(range(len(events))) - {each.number for each in ahead})
    looked = [events[n] for n in numbers]
    crossings = [found[n] for n in numbers]
    stops = [guard.when for guard in guards]
    kernel, turning = None, 0
    if events or guards or machine.system.equations.modes:
        kernel, turning = watching(model, machine, crossings, stops, rhs, outside)
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
        "timeline": timeline,
    }


def _ahead(
    model: Model,
    events: Sequence[Event],
    crossings: Sequence[Expression],
    values: Mapping[str, float],
    span: tuple[float, float],
) -> tuple[Sequence[Any], "Timeline | None"]:
    """Return events of time alone, and what is known of the time ahead, if anything is."""
    laws = timed(model)
    if laws is NEVER and not events:
        return (), None
    from bellcrank.prepare.timeline import RunTimeline, timed_events

    found = timed_events(events, crossings, values, span) if events else ()
    known = laws is not NEVER or found
    return found, RunTimeline(laws, found, values, span) if known else None


def _own_names(machine: Integrable) -> tuple[str, ...]:
    """Return what events may name besides what all formulations have."""
    rows = machine.system.equations.multipliers
    return (*own_scalars(machine.system), *(each.name for each in rows))


def _jacobian(machine: Integrable, method: Method) -> Kernel | Deferred | None:
    """Return the kernel that implicit methods need for trees besides the right-hand side."""
    system = machine.system
    if not machine.explicit or system.equations.rows or method.index == 3:
        return None
    if method.stiff is not None:
        return Deferred(lambda: system.kernel("jacobian"))
    return system.kernel("jacobian") if method.implicit else None


def _saddle(machine: Integrable, method: Method) -> SaddlePoint | None:
    """Return what implicit methods need where there are constraints."""
    equations = machine.system.equations
    if method.stiff is not None:
        return machine.saddle() if equations.rows else None
    if not machine.explicit or method.index == 3:  # which take none of them, too
        return machine.saddle()
    return machine.saddle() if equations.rows and method.implicit else None


def _crossings(
    model: Model, events: Sequence[Event], own: Iterable[str]
) -> tuple[Expression, ...]:
    """Return the expressions of events, with their names looked up, all of them at once."""
    found, complaints = [], []
    for event in events:
        try:
            who = f"event '{event.name}'"
            found.append(model.resolve(event.when, who, observed=True, others=own))
        except ModelError as error:
            complaints += error.complaints
    ModelError.gather(complaints)
    return tuple(found)
