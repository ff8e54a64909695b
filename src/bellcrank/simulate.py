"""From a model to a result: the whole flow on one page."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bellcrank.constraints.projecting import moving, projection, quick_projection
from bellcrank.errors import IntegrationFailed, ModelError, StartError
from bellcrank.files.written import Written
from bellcrank.formulations import AbstractFormulation, Equations, JointCoordinates, Natural
from bellcrank.formulations.equations import Guard
from bellcrank.integrators import (
    Auto,
    Gauss2,
    GeneralizedAlpha,
    Implicit,
    Method,
    Problem,
    Track,
)
from bellcrank.integrators.stiffness import Deferred
from bellcrank.kernels import Kernel
from bellcrank.linear.rank import SLACK
from bellcrank.machine.full_turns import unasked_turns
from bellcrank.machine.mobility import check_motion
from bellcrank.machine.start import beginning, of_size, parameter_values
from bellcrank.machine.system import System
from bellcrank.model import Event, Expression, Model
from bellcrank.model.spins import tell_of_spins
from bellcrank.prepare import options
from bellcrank.prepare.bushings import tell_of_bushings
from bellcrank.prepare.guarding import check_guards, check_left_out, tell
from bellcrank.prepare.inputs import Bound, bind
from bellcrank.prepare.interruption import Interruption
from bellcrank.prepare.large_motion import large_method, large_motion
from bellcrank.prepare.modes import explained, fitting, integrate
from bellcrank.prepare.saddles import saddle
from bellcrank.prepare.timeline import timed_events, timeline
from bellcrank.prepare.tolerances import scales
from bellcrank.prepare.watching import watching
from bellcrank.results import Result
from bellcrank.results.judging import circumstances, judge, speak
from bellcrank.results.noticing import missed_event, named, resolution, unseen_switch
from bellcrank.results.record import record, track_arguments
from bellcrank.views.progress import Progress, bar

if TYPE_CHECKING:
    from bellcrank.constraints.projection import Projected
    from bellcrank.constraints.straight_line import StraightLine
    from bellcrank.integrators.saddle import Saddle
    from bellcrank.prepare.large_motion import Large
    from bellcrank.prepare.modes import Mode


def simulate(
    model: Model,
    until: float,
    *,
    begin: float | None = None,
    start: Mapping[str, Any] | Result | None = None,
    parameters: Mapping[str, float] | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    integrator: Method = Auto(),
    constraints: "Mode" = "project",
    rtol: float | None = None,
    atol: float | None = None,
    every: float | Literal["step"] | None = None,
    events: Sequence[Event] = (),
    inputs: Mapping[str, Any] | None = None,
    slack: float = SLACK,
    progress: Progress = None,
) -> Result:
    """Return the motion of a machine from `begin` to `until`.

    Args:
        model: The machine.
        until: The end of the run [s].
        begin: Its beginning [s]; 0, or the end of the result it continues.
        start: Coordinates and rates by name, or a result to continue. What is not named is as
            drawn and at rest.
        parameters: Values by name over the model's own.
        formulation: How the equations are written.
        integrator: How they are integrated; its knobs are its own.
        constraints: What is done with constraints: `project`, `independent`, `index2`,
            `index3` or `baumgarte`, or an `Independent` or `Baumgarte` with knobs; a tree has
            none. With `project`, Radau5 and Gauss2 hold them by `index2`, GeneralizedAlpha by
            `index3`.
        rtol: Relative tolerance, 1e-9 if not given.
        atol: Absolute tolerance. If not given, 1e-11 of the machine's length for lengths and of
            a radian for angles, or of the motion where that is smaller. A number, or an array
            with one for each state, is taken as it is [m, rad, and per second].
        every: Interval of the records [s]; None for 1,000 equal ones, `"step"` for every step.
        events: What to look for.
        inputs: For each input of the model an expression, (times, values) or a `Sampled`.
        slack: Rounding of lengths, in lengths of the machine, and of angles [rad] within which
            constraints count as repeating others and are left out.
        progress: True or False to show a bar or not, or a function of (time, steps); by default
            a bar is shown on a terminal when a run takes longer than a second.

    Returns:
        The result. Ctrl-C returns what was computed until then, with status `interrupted`.

    Raises:
        IntegrationFailed: The run stopped before its end; it carries the partial result.
        ModelError: Names or values that do not fit the model.
        OptionError: Options that do not fit each other.
        NotSupported: The formulation cannot do this model.
    """
    options.check_machine(model, formulation)
    options.check_options(integrator, constraints, events, progress)
    begin, until = options.span(_begin(begin, start), until)
    grid = options.times(begin, until, every)
    own = atol is None  # then it is of the motion, too
    rtol, atol = options.tolerances(integrator, rtol, atol)
    bound = bind(of_size(model, parameters), inputs)
    system = compile(bound.model, formulation, slack=slack)
    if not isinstance(formulation, Natural):  # where a thin rod is two points
        tell_of_spins(bound.model)
    must = getattr(formulation, "assembled", None) is True
    large = large_method(system.equations, must, integrator, constraints, len(events))
    if large is not None:
        return _large(
            bound, formulation, system, large, (begin, until), (start, parameters), events,
            rtol=rtol, atol=atol, own=own, grid=grid, progress=progress,
        )  # fmt: skip
    p, w = parameter_values(model, system, parameters), bound.first(system, begin)
    picture = compile(bound.model, slack=slack) if system.equations.has("embed") else None
    x0, k0 = beginning(
        system, _within(start, system, picture), begin, w, p, picture, _angles(start, system)
    )
    check_guards(system, begin, x0, w, p, k0)
    check_motion(system, bound.model, begin, x0, w, p)
    alpha = isinstance(integrator, GeneralizedAlpha)  # it takes rows, also none of them
    moved = system if alpha else moving(system, begin, x0, w, p)
    method = fitting(moved, constraints, integrator)
    held = quick_projection(moved, begin, x0, w, p)
    problem = _problem(bound.model, moved, p, k0, events, method, held, (begin, until))
    sizes: Any = scales(system.equations, atol) if own and atol is not None else atol
    if sizes is not atol and problem.timeline is not None:
        sizes = sizes.most  # where time itself moves things, its rounding does, too
    outside = Interruption()
    with bar(progress, model.name, begin, until) as shown:
        track = integrate(
            moved, problem, constraints, method, begin, x0, until,
            rtol=rtol, atol=sizes, grid=grid,
            schedule=outside.schedule(bound.schedule(system, p, begin)),
            progress=outside.report(shown),
        )  # fmt: skip
    track = outside.told(track)
    asked = {"integrator": repr(integrator)} | options.given(
        rtol=rtol, atol=None if own else atol
    )
    made = circumstances(
        system, method, constraints, rtol, p,
        missed=named(events, missed_event(problem, track, len(events))),
        unseen=unseen_switch(system, track, p),
        resolved=_resolution(system, track, sizes) if own else inf,
        turned=unasked_turns(system, begin, x0, w, p, start),
    )  # fmt: skip
    run = record(
        system, track, p,
        events=events, driven=bound.expressions, provenance=asked, machine=Written(model),
        judged=judge(track, made),
    )  # fmt: skip
    tell(track, system.equations.guards, len(events))
    check_left_out(system, track, p, run)
    tell_of_bushings(bound.model, track.t, _orientation(system, track, p), system.named(p))
    cause = getattr(held, "problem", None)
    return _finished(track, run, system.equations.guards, len(events), cause, outside.cause)


def _resolution(system: System, track: Track, atol: Any) -> float:
    """Return how many absolute tolerances a run moves by, where they are not of the motion."""
    if not isinstance(atol, float | np.ndarray):
        return inf
    nominal = np.array([each.scale for each in system.equations.coordinates])
    return resolution(track, np.broadcast_to(atol, track.x.shape[1:])[: len(nominal)], nominal)


def _large(
    bound: Bound,
    formulation: AbstractFormulation,
    system: System,
    method: "Large",
    span: tuple[float, float],
    given: tuple[Mapping[str, Any] | Result | None, Mapping[str, float] | None],
    events: Sequence[Event],
    *,
    rtol: float | None,
    atol: float | None,
    own: bool,
    grid: np.ndarray | None,
    progress: Progress,
) -> Result:
    """Return the motion of a large machine.

    Args:
        bound: The machine and its inputs.
        formulation: How its equations are written.
        system: Its equations.
        method: How they are integrated.
        span: The beginning and the end [s].
        given: Start values and parameters.
        events: What to look for.
        rtol: As of `simulate`.
        atol: As of `simulate`.
        own: Whether it is the default.
        grid: Times to record [s].
        progress: As of `simulate`.
    """
    from bellcrank.kernels.assembled import Assembled
    from bellcrank.prepare.large import large_beginning
    from bellcrank.results.large import record_large

    if not method.adaptive:
        options.refuse_tolerances(method, rtol=rtol, atol=atol)
    model, (begin, until), (start, parameters) = bound.model, span, given
    picture = compile(model) if isinstance(start, Result) else None
    p, w = parameter_values(model, system, parameters), bound.first(system, begin)
    machine = Assembled(system.equations, p)
    state = large_beginning(
        model, formulation, system, machine, _within(start, system, picture),
        _angles(start, system), begin, w, p, exact=not isinstance(start, Result),
    )  # fmt: skip
    watched = _watched(model, system, p, events, span)
    sizes: Any = atol
    if own and method.adaptive and atol is not None:
        sizes = scales(system.equations, atol).most
    outside = Interruption()
    with bar(progress, model.name, begin, until) as shown:
        track = large_motion(
            machine, method, begin, state, until, w, p, watched, rtol=rtol, atol=sizes,
            grid=grid, schedule=outside.schedule(bound.schedule(system, p, begin)),
            progress=outside.report(shown),
        )  # fmt: skip
    track = outside.told(track)
    track = explained(system, p, method, (begin, state[0]), track)
    asked = {"integrator": repr(method)} | options.given(rtol=rtol, atol=None if own else atol)
    run = record_large(
        system, machine, track, p,
        events=events, driven=bound.expressions, asked=asked, drawn=Written(model),
        made=circumstances(system, method, "project", rtol, p),
    )  # fmt: skip
    tell(track, system.equations.guards, len(events))
    tell_of_bushings(
        model, track.t, lambda body: run.values(f"{body}.orientation"), system.named(p)
    )
    return _finished(track, run, system.equations.guards, len(events), raised=outside.cause)


def compile(
    model: Model,
    formulation: AbstractFormulation = JointCoordinates(),
    *,
    lanes: int = 1,
    level: int = 1,
    slack: float = SLACK,
) -> System:
    """Return a machine as native code; each kernel is compiled when first asked for.

    Args:
        model: The machine.
        formulation: How the equations are written.
        lanes: Instances evaluated side by side in a batch: 1, 2, 4 or 8.
        level: Effort of code generation: 1, or 0 to compile faster and run slower.
        slack: As of `simulate`.
    """
    options.check_machine(model, formulation)
    return _compiled(model, formulation, lanes, level, options.check_slack(slack))


@lru_cache(maxsize=128)
def _compiled(
    model: Model, formulation: AbstractFormulation, lanes: int, level: int, slack: float
) -> System:
    return System(formulation.equations(model), lanes=lanes, level=level, slack=slack)


def equations(model: Model, formulation: AbstractFormulation = JointCoordinates()) -> Equations:
    """Return the equations of motion of a machine, as CasADi functions by slot."""
    options.check_machine(model, formulation)
    return formulation.equations(model)


def _begin(begin: float | None, start: Mapping[str, Any] | Result | None) -> float:
    """Return the time a run begins at."""
    if begin is not None:
        return begin
    return float(start.t[-1]) if isinstance(start, Result) else 0.0


def _within(
    start: Mapping[str, Any] | Result | None, system: System, picture: System | None
) -> Mapping[str, Any] | None:
    """Return start values by name; of a result, those at its end.

    Raises:
        StartError: The result is of a machine with other coordinates.
    """
    if not isinstance(start, Result):
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


def _angles(start: Mapping[str, Any] | Result | None, system: System) -> dict[str, float]:
    """Return the angles at the end of a result whose full turns a start must know [rad]."""
    if not isinstance(start, Result):
        return {}
    e, there = system.equations, frozenset(start.names)
    kept = [v.name for v in e.memory if v.quantity == "angle"]
    wanted = (*kept, *e.sums)
    return {name: float(start.values(name)[-1]) for name in wanted if name in there}


def _orientation(system: System, track: Track, p: np.ndarray) -> Callable[[str], np.ndarray]:
    """Return the function that gives the Euler parameters of a body at the records of a run."""
    return lambda body: system.shown(
        [f"{body}.orientation_{i}" for i in range(4)], track_arguments(system, track, p)
    )


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
        **_watched(model, system, p, events, span),
    )


def _projection(
    system: System, p: np.ndarray, method: Method, held: "Projected | StraightLine"
) -> "Projected | StraightLine":
    """Return what brings the end of a step onto the constraints.

    Gauss's method has its order only if that is done along A⁻¹ Cᵀ, the directions in which
    constraints push. Quick code takes another matrix for A where that is singular.
    """
    plain = system.equations.mass_kind != "semidefinite"
    if not isinstance(method, Gauss2) or (plain and not system.equations.has("completion")):
        return held
    return projection(system, p) or held


def _watched(
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
    if system.equations.rows or isinstance(method, GeneralizedAlpha):
        return None
    if isinstance(method, Auto):
        return Deferred(lambda: system.kernel("jacobian"))
    return system.kernel("jacobian") if isinstance(method, Implicit) else None


def _saddle(system: System, method: Method, p: np.ndarray) -> "Saddle | None":
    """Return what implicit methods need where there are constraints."""
    rows, auxiliary = bool(system.equations.rows), bool(system.equations.auxiliary)
    if isinstance(method, Auto):
        return saddle(system, p) if rows and not auxiliary else None
    if isinstance(method, GeneralizedAlpha) or (rows and isinstance(method, Implicit)):
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


def _finished(
    track: Track,
    run: Result,
    guards: Sequence[Guard],
    events: int,
    cause: BaseException | None = None,
    raised: Exception | None = None,
) -> Result:
    """Return the result, or raise with it where the run failed or a guard stopped it.

    Args:
        track: The run.
        run: It as a result.
        guards: What ends a run besides events.
        events: How many there are to look for.
        cause: What kept the equations near a singular position from being made.
        raised: What a function of the caller raised, which ended the run.
    """
    if cause is not None:
        message = f"what is needed near a singular position could not be made: {cause!r}."
        raise IntegrationFailed(message, track.until_reached, run) from cause
    if track.status == "terminated" and track.events[-1].index >= events:
        message = guards[track.events[-1].index - events].message
        raise IntegrationFailed(message, track.until_reached, run)
    if track.status in ("done", "terminated", "interrupted"):
        speak(run)
        return run
    raise IntegrationFailed(track.message, track.until_reached, run) from raised
