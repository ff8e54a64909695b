"""A request and a machine → a state that begins a run, and a problem ready to be integrated."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from bellcrank.constraints.projecting import moving, projection, quick_projection
from bellcrank.errors import ModelError, StartError
from bellcrank.formulations import JointCoordinates
from bellcrank.integrators import Method, Problem, Track
from bellcrank.integrators.solve import Progress
from bellcrank.integrators.stiffness import Deferred
from bellcrank.kernels import Kernel
from bellcrank.machine.mobility import check_motion
from bellcrank.machine.start import beginning, parameter_values
from bellcrank.machine.system import System, compiled
from bellcrank.model import Event, Expression, Model
from bellcrank.prepare import modes
from bellcrank.prepare.guarding import check_guards
from bellcrank.prepare.inputs import Ticks
from bellcrank.prepare.options import Continued, Request, Start
from bellcrank.prepare.saddles import saddle
from bellcrank.prepare.timeline import timed_events, timeline
from bellcrank.prepare.tolerances import scales
from bellcrank.prepare.watching import watching

if TYPE_CHECKING:
    from bellcrank.constraints.projection import Projected
    from bellcrank.constraints.straight_line import StraightLine
    from bellcrank.integrators.saddle import Saddle


class InitialState(NamedTuple):
    """Where a run begins.

    Attributes:
        x: [q, u, s], which meets the constraints.
        w: Inputs.
        p: Parameter values in order.
        k: Memory.
    """

    x: np.ndarray
    w: np.ndarray
    p: np.ndarray
    k: np.ndarray


def assemble(system: System, request: Request) -> InitialState:
    """Return the state that a run begins with.

    Raises:
        StartError: There is none with what is named, or it cannot move on from there.
    """
    begin, start, bound = request.begin, request.start, request.bound
    p = parameter_values(request.model, system, request.parameters)
    w = bound.first(system, begin)
    picture = None
    if system.equations.has("embed"):
        picture = compiled(bound.model, JointCoordinates(), 1, 1, system.slack)
    named = within(start, system, picture)
    x, k = beginning(system, named, begin, w, p, picture, angles(start, system))
    check_guards(system, begin, x, w, p, k)
    check_motion(system, bound.model, begin, x, w, p)
    return InitialState(x, w, p, k)


@dataclass(frozen=True, eq=False)
class Prepared:
    """What is integrated, by what, and how exactly.

    Attributes:
        machine: The machine, without its rows where these do not bind.
        method: The method that fits it.
        problem: It as the method takes it.
        atol: Absolute tolerances.
        schedule: Ticks of its inputs.
        held: What brings arguments onto the constraints.
    """

    machine: System
    method: Method
    problem: Problem
    atol: Any
    schedule: Ticks | None
    held: "Projected | StraightLine | None"


def prepare(system: System, request: Request, state: InitialState) -> Prepared:
    """Return the problem of a run: inputs, events, how constraints are held.

    Raises:
        NotSupported: The integrator and what is to be done with constraints do not fit.
    """
    x, w, p, k = state
    begin, span = request.begin, (request.begin, request.until)
    rows = request.integrator.index == 3  # it takes rows, also none of them
    machine = system if rows else moving(system, begin, x, w, p)
    method = modes.fitting(machine, request.constraints, request.integrator)
    held = quick_projection(machine, begin, x, w, p)
    model, events = request.bound.model, request.events
    problem = _problem(model, machine, p, k, events, method, held, span)
    atol = request.atol
    if request.own and atol is not None:
        atol = scales(system.equations, atol)
        if problem.timeline is not None:
            atol = atol.most  # where time itself moves things, its rounding does, too
    schedule = request.bound.schedule(system, p, begin)
    return Prepared(machine, method, problem, atol, schedule, held)


def integrate(
    prepared: Prepared, request: Request, state: InitialState, progress: Progress | None = None
) -> Track:
    """Return the motion of a machine, or as much of it as there is."""
    return modes.integrate(
        prepared.machine, prepared.problem, request.constraints, prepared.method,
        request.begin, state.x, request.until,
        rtol=request.rtol, atol=prepared.atol, grid=request.grid,
        schedule=prepared.schedule, progress=progress,
    )  # fmt: skip


def within(start: Start, system: System, picture: System | None) -> Mapping[str, Any] | None:
    """Return start values by name; of a result, those at its end.

    Raises:
        StartError: The result is of a machine with other coordinates.
    """
    if not isinstance(start, Continued):
        return start
    known = system.state_names
    if picture is not None and set(start.states) <= set(picture.state_names):
        known = picture.state_names
    strange = [name for name in start.states if name not in known]
    if strange:
        raise StartError(
            f"the result to continue has {', '.join(map(repr, strange[:6]))}"
            f"{', …' if len(strange) > 6 else ''}, which '{system.equations.name}' has not. "
            "Give what carries over by name."
        )
    return {name: start.values(name)[-1] for name in start.states}


def angles(start: Start, system: System) -> dict[str, float]:
    """Return the angles at the end of a result whose full turns a start must know [rad]."""
    if not isinstance(start, Continued):
        return {}
    e, there = system.equations, frozenset(start.names)
    kept = [v.name for v in e.memory if v.quantity == "angle"]
    wanted = (*kept, *e.sums)
    return {name: float(start.values(name)[-1]) for name in wanted if name in there}


def _problem(
    model: Model,
    system: System,
    p: np.ndarray,
    k: np.ndarray,
    events: Sequence[Event],
    method: Method,
    held: "Projected | StraightLine | None",
    span: tuple[float, float],
) -> Problem:
    """Return what the integrator needs: kernels and sizes."""
    equations = system.equations
    normalize = system.kernel("normalize") if equations.has("normalize") else None
    return Problem(
        rhs=held.rhs if held else system.kernel("derivatives"),
        nq=len(system.coordinates),
        nu=len(system.speeds),
        ns=len(equations.auxiliary),
        nw=len(system.inputs),
        parameters=p,
        memory=k,
        modes=equations.modes,
        revise=system.kernel("revise") if equations.has("revise") else None,
        normalize=_projection(system, p, method, held).project if held else normalize,
        switches=system.kernel("switches") if equations.has("switches") else None,
        second_order=equations.second_order,
        states=(*system.coordinates, *system.speeds, *(v.name for v in equations.auxiliary)),
        jacobian=_jacobian(system, method),
        saddle=_saddle(system, method, p),
        audit=system.kernel("audit", level=0),
        audit_rates=system.kernel("audit_rates", level=0),
        **watched(model, system, p, events, span),
    )


def _projection(
    system: System, p: np.ndarray, method: Method, held: "Projected | StraightLine"
) -> "Projected | StraightLine":
    """Return what brings the end of a step onto the constraints.

    Gauss's method has its order only if that is done along A⁻¹ Cᵀ, the directions in which
    constraints push. Quick code takes another matrix for A where that is singular.
    """
    plain = system.equations.mass_kind != "semidefinite"
    if not method.along_mass or (plain and not system.equations.has("completion")):
        return held
    return projection(system, p) or held


def watched(
    model: Model,
    system: System,
    p: np.ndarray,
    events: Sequence[Event],
    span: tuple[float, float],
) -> dict[str, Any]:
    """Return what a problem says of events, guards after them, and of the time ahead."""
    values = dict(zip(system.equations.parameters, p.tolist(), strict=True))
    found, guards = _crossings(model, events), system.equations.guards
    ahead = timed_events(events, found, values, span)
    numbers = sorted(set(range(len(events))) - {each.number for each in ahead})
    looked = [events[n] for n in numbers]
    crossings = (*(found[n] for n in numbers), *(guard.when for guard in guards))
    kernel, turning = watching(model, system, crossings)
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


def _jacobian(system: System, method: Method) -> Kernel | Deferred | None:
    """Return the kernel that implicit methods need for trees besides the right-hand side."""
    if system.equations.rows or method.index == 3:
        return None
    if method.stiff is not None:
        return Deferred(lambda: system.kernel("jacobian"))
    return system.kernel("jacobian") if method.implicit else None


def _saddle(system: System, method: Method, p: np.ndarray) -> "Saddle | None":
    """Return what implicit methods need where there are constraints."""
    rows, auxiliary = bool(system.equations.rows), bool(system.equations.auxiliary)
    if method.stiff is not None:
        return saddle(system, p) if rows and not auxiliary else None
    if method.index == 3 or (rows and method.implicit):
        return saddle(system, p)
    return None


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
