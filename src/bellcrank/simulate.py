"""From a model to a result: the whole flow on one page."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from bellcrank.files.written import Written
from bellcrank.formulations import AbstractFormulation, Equations, JointCoordinates
from bellcrank.integrators import Auto, Method
from bellcrank.kernels.build import check_build
from bellcrank.linear.rank import SLACK
from bellcrank.machine.state import State
from bellcrank.machine.system import System, compiled
from bellcrank.model import Event, Model
from bellcrank.prepare import options
from bellcrank.prepare.choosing import attempts
from bellcrank.prepare.modes import Mode
from bellcrank.prepare.problem import integrate, prepare
from bellcrank.results import Result
from bellcrank.results.record import finish
from bellcrank.views.progress import Progress, bar


def simulate(
    model: Model,
    until: float,
    *,
    begin: float | None = None,
    start: Mapping[str, Any] | Result | State | None = None,
    parameters: Mapping[str, float] | None = None,
    formulation: AbstractFormulation | None = None,
    integrator: Method = Auto(),
    constraints: Mode = "project",
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
        begin: Its beginning [s]; 0, or the end of the result or the time of the state it
            continues.
        start: Coordinates and rates by name, places of points that are to be reached, or a
            result or a state to continue, of any formulation. What is not named is as drawn
            and at rest.
        parameters: Values by name over the model's own.
        formulation: How the equations are written. If not given, `JointCoordinates()`, or for
            machines of many loops `Cartesian(assembled=True)`, which has the same results and
            more.
        integrator: How they are integrated; its knobs are its own.
        constraints: What is done with constraints: `project`, `independent`, `index2`,
            `index3` or `baumgarte`, or an `Independent` or `Baumgarte` with knobs; a tree has
            none. With `project`, an implicit integrator holds them in its own way, by `index2`
            or `index3`.
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
        The result. Ctrl-C returns what was computed until then, with status `interrupted`;
        before the run has begun, while code is compiled, there is nothing to return, and it
        is a `KeyboardInterrupt`.

    Raises:
        IntegrationFailed: The run stopped before its end; it carries the partial result.
        ModelError: Names or values that do not fit the model.
        OptionError: Options that do not fit each other.
        NotSupported: The formulation cannot do this model.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.simulate(examples.load("double-pendulum"), until=0.1).status
        'done'
    """
    request = options.request(
        model, until, begin=begin, start=start, parameters=parameters, formulation=formulation,
        integrator=integrator, constraints=constraints, rtol=rtol, atol=atol, every=every,
        events=events, inputs=inputs, progress=progress,
    )  # fmt: skip
    for attempt in attempts(request, options.check_slack(slack)):
        problem = prepare(attempt.machine, attempt.request, attempt.state)
        with bar(progress, model.name, request.begin, request.until) as shown:
            track = integrate(problem, attempt.request, attempt.state, progress=shown)
        if attempt.settles(track):
            return finish(attempt, problem, track, Written(model))
    raise AssertionError("the last attempt settles")


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

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.compile(examples.load("double-pendulum")).state_names
        ('A.angle', 'B.angle', 'A.angle_rate', 'B.angle_rate')
    """
    options.check_machine(model, formulation)
    check_build(lanes, level)
    return compiled(model, formulation, lanes, level, options.check_slack(slack))


def equations(model: Model, formulation: AbstractFormulation = JointCoordinates()) -> Equations:
    """Return the equations of motion of a machine, as CasADi functions by slot.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.equations(examples.load("double-pendulum"), bc.Kane()).formulation
        "Kane(speeds='absolute body', orientation='Euler parameters')"
    """
    options.check_machine(model, formulation)
    return formulation.equations(model)
