"""What `simulate` is asked for, checked at the door before anything is compiled."""

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.integrators import Method
from bellcrank.machine.continuing import Start, time_of
from bellcrank.machine.start import of_size
from bellcrank.model import Event, Model
from bellcrank.model.elements.fields import short
from bellcrank.prepare.inputs import Bound, bind
from bellcrank.prepare.modes import Mode, mode

INTERVALS = 1000  # recorded by default
MOST = 100_000_000  # records
MOST_STEPS = 5_000_000  # by lengths of steps alone; `max_steps` says otherwise
RTOL, ATOL = 1e-9, 1e-11


USUAL = JointCoordinates()
"""The formulation of a run that names none, and of starts."""


class Request(NamedTuple):
    """A run that is asked for, as `simulate` describes it, checked.

    Attributes:
        model: The machine as given.
        bound: It, of the size that parameters give it, and its inputs.
        begin: When the run begins [s].
        until: When it ends [s].
        start: Where it begins.
        parameters: Values by name over the model's own.
        formulation: How the equations are written; None where that is left open.
        integrator: How they are integrated.
        constraints: What is done with constraints.
        rtol: Relative tolerance; None where steps are fixed.
        atol: Absolute tolerance; likewise.
        own: Whether the absolute tolerance is the default one, which is of the motion, too.
        grid: Times to record [s]; None for every step.
        events: What to look for.
    """

    model: Model
    bound: Bound
    begin: float
    until: float
    start: Start
    parameters: Mapping[str, float] | None
    formulation: AbstractFormulation | None
    integrator: Method
    constraints: Mode
    rtol: float | None
    atol: Any
    own: bool
    grid: np.ndarray | None
    events: Sequence[Event]

    @property
    def asked(self) -> dict[str, Any]:
        """What of it a result keeps."""
        return {"integrator": repr(self.integrator)} | given(
            rtol=self.rtol, atol=None if self.own else self.atol
        )


def request(
    model: Model,
    until: float,
    *,
    begin: float | None,
    start: Start,
    parameters: Mapping[str, float] | None,
    formulation: AbstractFormulation | None,
    integrator: Method,
    constraints: Mode,
    rtol: float | None,
    atol: Any,
    every: Any,
    events: Sequence[Event],
    inputs: Mapping[str, Any] | None,
    progress: Any,
) -> Request:
    """Return what is asked of `simulate`, whose arguments these are.

    Raises:
        OptionError: Options of the wrong kind, or that do not fit each other.
        ModelError: Names or values that do not fit the model.
    """
    check_machine(model, USUAL if formulation is None else formulation)
    check_options(integrator, constraints, events, progress)
    if begin is None:
        begin = 0.0 if isinstance(start, Mapping | None) else time_of(start) or 0.0
    begin, until = span(begin, until)
    check_steps(integrator, until - begin)
    grid, own = times(begin, until, every), atol is None
    rtol, atol = tolerances(integrator, rtol, atol)
    sized = of_size(model, parameters)
    bound = Bound(sized) if inputs is None and not sized.inputs else bind(sized, inputs)
    return Request(
        model, bound, begin, until, start, parameters, formulation, integrator, constraints,
        rtol, atol, own, grid, events,
    )  # fmt: skip


def check_machine(model: Any, formulation: Any) -> None:
    """Complain where there is no model, or no formulation of it.

    Raises:
        OptionError: Naming what was got, and what would do.
    """
    if not isinstance(model, Model):
        hint = " bc.load reads one from a file." if isinstance(model, str) else ""
        raise OptionError(f"a machine is a bc.Model, got {short(model)}.{hint}")
    if isinstance(formulation, type) or not hasattr(formulation, "equations"):
        raise OptionError(
            f"formulation takes one such as bc.JointCoordinates(), got {_given(formulation)}."
        )


def check_options(integrator: Any, constraints: Any, events: Any, progress: Any) -> None:
    """Complain about options of the wrong kind.

    Raises:
        OptionError: Naming the option, what was got, and what would do.
        NotSupported: A way with constraints that is not there yet.
    """
    if not isinstance(integrator, Method):
        raise OptionError(
            f"integrator takes one such as bc.DOP853(), got {_given(integrator)}."
        )
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise OptionError(
            f"progress takes True, False or a function of (time, steps), got {short(progress)}."
        )
    _check_events(events)
    mode(constraints)


def _check_events(events: Any) -> None:
    if not isinstance(events, Iterable) or isinstance(events, str):
        raise OptionError(f"events takes a list of bc.Event, got {short(events)}.")
    for event in events:
        if not isinstance(event, Event):
            raise OptionError(f"events takes a list of bc.Event, got {short(event)} in it.")
    names = [event.name for event in events]
    if len(set(names)) < len(names):
        raise OptionError(f"events need different names, got {', '.join(map(repr, names))}.")


def _given(value: Any) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else short(value)


def span(begin: Any, until: Any) -> tuple[float, float]:
    """Return the beginning and the end of a run [s].

    Raises:
        OptionError: One is no finite number, or there is no time between them.
    """
    first, last = _seconds("begin", begin), _seconds("until", until)
    if first == last:
        raise OptionError(f"until must differ from begin, got {last:g} s for both.")
    return first, last


def check_steps(integrator: Method, time: float) -> None:
    """Complain about steps so short that a run would take days, unless they are bounded.

    Args:
        integrator: With `step` (the fixed length of its steps), or `max_step`, or neither.
        time: From begin to until [s].

    Raises:
        OptionError: There would be more than `MOST_STEPS` and `max_steps` is not given.
    """
    for option in ("step", "max_step"):
        longest = getattr(integrator, option, None)
        if longest is None or integrator.max_steps is not None:
            continue
        if (steps := abs(time) / longest) > MOST_STEPS:
            raise OptionError(
                f"{option}={longest:g} of {type(integrator).__name__} makes {steps:.3g} steps "
                f"in {abs(time):g} s, more than {MOST_STEPS:.0e}. Take longer ones, or say "
                "max_steps=… if so many are meant."
            )


def _seconds(option: str, value: Any) -> float:
    found = _float(value)
    if not isfinite(found):
        raise OptionError(f"{option} takes a finite number of seconds, got {short(value)}.")
    return found


def _float(value: Any) -> float:
    """Return a float, NaN for what is none or too large for one."""
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return np.nan


def times(begin: float, until: float, every: Any) -> np.ndarray | None:
    """Return the times to record, or None for every step.

    Args:
        begin: The first [s].
        until: The last [s].
        every: The interval [s]; None for a thousand equal ones, `"step"` for every step.

    Raises:
        OptionError: There is no such interval, or it is too short.
    """
    if isinstance(every, str) and every == "step":
        return None
    if every is None:
        grid = begin + np.arange(INTERVALS + 1.0) * ((until - begin) / INTERVALS)
        grid[-1] = until
        return grid
    given, every = every, np.nan if isinstance(every, str | bytes) else _float(every)
    if not (isfinite(every) and every > 0):
        raise OptionError(
            f"every takes a positive number of seconds or 'step', got {short(given)}."
        )
    count = abs(until - begin) / every
    if count > MOST:
        raise OptionError(
            f"every={every!r} asks for {count:.3g} records; choose a longer interval."
        )
    whole = int(np.floor(count + 1e-9))
    grid = begin + np.arange(whole + 1) * (every if until >= begin else -every)
    if abs(grid[-1] - until) <= 1e-9 * every:
        grid[-1] = until
        return grid
    return np.append(grid, until)


def tolerances(integrator: Method, rtol: Any, atol: Any) -> tuple[Any, Any]:
    """Return the tolerances: as given, the usual for a method that chooses its steps, or None.

    Raises:
        OptionError: One is no number, or rtol is several.
    """
    rtol = None if rtol is None else _tolerance("rtol", rtol)
    atol = None if atol is None else _tolerance("atol", atol)
    if np.ndim(rtol):
        raise OptionError(f"rtol takes one number for all states, got {short(rtol)}.")
    if not integrator.adaptive:
        return rtol, atol
    return RTOL if rtol is None else rtol, ATOL if atol is None else atol


def _tolerance(option: str, value: Any) -> float | np.ndarray:
    try:
        found = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{option} takes a number, got {short(value)}.") from None
    return found if found.ndim else float(found)


def check_slack(slack: Any) -> float:
    """Return the slack within which constraints count as repeating others.

    Raises:
        OptionError: It is no number from 0 to 0.01.
    """
    good = isinstance(slack, int | float) and not isinstance(slack, bool)
    if not good or not 0.0 <= slack <= 0.01:
        raise OptionError(
            "slack takes a part of the machine's length and of a radian, from 0 to 0.01, got "
            f"{short(slack)}."
        )
    return float(slack)


def given(**asked: Any) -> dict[str, Any]:
    """Return the options that have a value."""
    return {name: value for name, value in asked.items() if value is not None}
