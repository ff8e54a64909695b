"""From a model to a result: the whole flow on one page."""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from math import inf
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bellcrank.errors import IntegrationFailed, StartError
from bellcrank.files.written import Written
from bellcrank.formulations import AbstractFormulation, Equations, JointCoordinates
from bellcrank.formulations.equations import Guard
from bellcrank.integrators import Auto, GeneralizedAlpha, Method, Track
from bellcrank.linear.rank import SLACK
from bellcrank.machine.start import of_size, parameter_values
from bellcrank.machine.system import System
from bellcrank.model import Event, Model
from bellcrank.prepare import options
from bellcrank.prepare.backends import backend, in_batches
from bellcrank.prepare.bushings import tell_of_bushings
from bellcrank.prepare.guarding import check_guards, check_left_out, tell
from bellcrank.prepare.inputs import bind
from bellcrank.prepare.modes import fitting, integrate
from bellcrank.prepare.problem import problem
from bellcrank.prepare.tolerances import scales
from bellcrank.results import Result
from bellcrank.results.judging import circumstances, judge, speak
from bellcrank.results.noticing import missed_event, named, resolution, unseen_switch
from bellcrank.results.record import record, track_arguments
from bellcrank.views.progress import Progress, bar

if TYPE_CHECKING:
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
    batched = in_batches(system, integrator, constraints, len(events))
    jointed = partial(compile, bound.model, slack=slack)
    p, w = parameter_values(model, system, parameters), bound.first(system, begin)
    machine = backend(bound.model, formulation, system, p, jointed, batched)
    x0, k0 = machine.begin(
        _within(start, system, jointed), begin, w, _angles(start, system),
        exact=not isinstance(start, Result),
    )  # fmt: skip
    check_guards(system, begin, x0, w, p, k0)
    machine.check_motion(begin, x0, w, k0)
    alpha = isinstance(integrator, GeneralizedAlpha)  # it takes rows, also none of them
    moved = machine if alpha else machine.moving(begin, x0, w)
    method = fitting(moved, constraints, integrator)
    asked = problem(moved, bound.model, (x0, k0), w, events, method, (begin, until))
    sizes: Any = scales(system.equations, atol) if own and atol is not None else atol
    if sizes is not atol and asked.timeline is not None:
        sizes = sizes.most  # where time itself moves things, its rounding does, too
    with bar(progress, model.name, begin, until) as shown:
        track = integrate(
            moved, asked, constraints, method, begin, x0, until,
            rtol=rtol, atol=sizes, grid=grid,
            schedule=bound.schedule(system, p, begin), progress=shown,
        )  # fmt: skip
    made = circumstances(
        system, method, constraints, rtol, p,
        missed=named(events, missed_event(asked, track, len(events))),
        unseen=unseen_switch(machine, track),
        resolved=_resolution(system, track, sizes) if own else inf,
        turned=machine.unasked_turns(begin, x0, w, start),
    )  # fmt: skip
    given = options.given(rtol=rtol, atol=None if own else atol)
    run = record(
        machine, track,
        events=events, driven=bound.expressions, drawn=Written(model),
        provenance={"integrator": repr(integrator)} | given, judged=judge(track, made),
    )  # fmt: skip
    tell(track, system.equations.guards, len(events))
    check_left_out(system, track, p, run)
    seen = machine.observed(track_arguments(system, track, p))
    tell_of_bushings(bound.model, track.t, seen.orientation, system.named(p))
    return _finished(track, run, system.equations.guards, len(events), moved.problem)


def _resolution(system: System, track: Track, atol: Any) -> float:
    """Return how many absolute tolerances a run moves by, where they are not of the motion."""
    if not isinstance(atol, float | np.ndarray):
        return inf
    nominal = np.array([each.scale for each in system.equations.coordinates])
    return resolution(track, np.broadcast_to(atol, track.x.shape[1:])[: len(nominal)], nominal)


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
    start: Mapping[str, Any] | Result | None, system: System, jointed: Callable[[], System]
) -> Mapping[str, Any] | None:
    """Return start values by name; of a result, those at its end.

    Raises:
        StartError: The result is of a machine with other coordinates.
    """
    if not isinstance(start, Result):
        return start
    known = system.state_names
    if system.equations.has("embed") and set(start.states) <= set(jointed().state_names):
        known = jointed().state_names
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


def _finished(
    track: Track,
    run: Result,
    guards: Sequence[Guard],
    events: int,
    cause: BaseException | None = None,
) -> Result:
    """Return the result, or raise with it where the run failed or a guard stopped it."""
    if cause is not None:
        message = f"what is needed near a singular position could not be made: {cause!r}."
        raise IntegrationFailed(message, track.until_reached, run) from cause
    if track.status == "terminated" and track.events[-1].index >= events:
        message = guards[track.events[-1].index - events].message
        raise IntegrationFailed(message, track.until_reached, run)
    if track.status in ("done", "terminated", "interrupted"):
        speak(run)
        return run
    raise IntegrationFailed(track.message, track.until_reached, run)
