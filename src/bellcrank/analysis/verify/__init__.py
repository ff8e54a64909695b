"""One model, every formulation, checked.

bc.verify(model) → states of one run, mapped into every formulation that takes the model;
poses, velocities, accelerations, energies, efforts and reactions compared in body space;
the laws of mechanics audited in each; costs listed.
"""

import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from bellcrank.analysis.verify import audits as laws
from bellcrank.analysis.verify.audits import Audit
from bellcrank.analysis.verify.body_space import Seen, embedded_states, regular, see, spread
from bellcrank.analysis.verify.candidates import candidates, label, other_machine
from bellcrank.analysis.verify.comparison import compare
from bellcrank.analysis.verify.reference import Reference, along, reference
from bellcrank.analysis.verify.verification import Cost, Verification
from bellcrank.errors import (
    AuditWarning,
    BellcrankError,
    IntegrationFailed,
    LockedStart,
    NearlySingular,
    NotSupported,
    OptionError,
    StartError,
)
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.formulations.contract.rows import machine_length
from bellcrank.kernels.build import build, kernel
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.arguments import finite
from bellcrank.machine.start import parameter_values
from bellcrank.machine.system import System
from bellcrank.model import Model, mass_properties
from bellcrank.model.algebra import nominal
from bellcrank.model.edit import with_values
from bellcrank.model.elements.fields import short
from bellcrank.prepare.inputs import bind
from bellcrank.simulate import compile, simulate

__all__ = ["Verification", "verify", "verify_states"]

MOST_STATES = 1_000_000


def verify(
    model: Model,
    until: float = 1.0,
    *,
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    formulations: Sequence[AbstractFormulation] | None = None,
    states: int = 21,
    tolerance: float = 1e-8,
    runs: bool = True,
) -> Verification:
    """Return whether all formulations of a machine agree, and what each costs.

    Args:
        model: The machine.
        until: End of the reference run [s].
        start: Coordinates and rates by name, as of `simulate`.
        parameters: Values by name over the model's own.
        inputs: For each input of the model what drives it, as of `simulate`.
        formulations: Which to compare; all there are if not given.
        states: How many states of the reference run are compared.
        tolerance: Relative differences up to this count as agreement.
        runs: Whether each formulation is also compiled and run, for energy, order and cost.

    Raises:
        OptionError: Fewer than two states, or a tolerance or an end that is not positive.
        BellcrankError: The machine or what is asked is not right. A reference run that
            stops, or cannot begin, is a failure that the result names.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.verify(examples.load("tsda"), until=0.1, states=2, runs=False).agrees
        True
    """
    until, tolerance = finite("until", until), finite("tolerance", tolerance)
    if not isinstance(states, int) or not 2 <= states <= MOST_STATES or not tolerance > 0:
        raise OptionError(
            f"verify takes 2 to {MOST_STATES} states and tolerance > 0, got {short(states)} "
            f"and {tolerance!r}."
        )
    if not until > 0:
        raise OptionError(
            f"verify runs from 0 to until, which must be positive, got {until!r}."
        )
    if not isinstance(runs, bool):
        raise OptionError(f"runs takes True or False, got {short(runs)}.")
    schools = _checked(formulations)
    asked = {"start": start, "parameters": parameters, "inputs": inputs}
    every, form = until / (states - 1), JointCoordinates()
    try:
        with _spoken_for():
            run = simulate(model, until, every=every, formulation=form, **asked)
    except LockedStart as error:
        return _without_states(model, tolerance, {label(form): str(error)})
    except IntegrationFailed as error:
        return _without_states(model, tolerance, {label(form): _stopped(error)})
    bound = bind(model, inputs)
    picture = compile(bound.model)
    p = parameter_values(model, picture, parameters)
    where = reference(picture, along(picture, run, p))
    rerun = partial(simulate, model, **asked)
    named = with_values(bound.model, parameters) if parameters else bound.model
    return _verification(
        named,
        bound.model,
        where,
        schools,
        tolerance,
        kernel if runs else interpret,
        partial(_runs, rerun, until) if runs else None,
    )


def _checked(formulations: Any) -> Sequence[AbstractFormulation]:
    """Return what to compare: what is given, or all there are.

    Raises:
        OptionError: One is no formulation.
    """
    if formulations is None:
        return candidates()
    found = list(formulations) if isinstance(formulations, Iterable) else [formulations]
    for one in found:
        if not isinstance(one, AbstractFormulation):
            raise OptionError(
                f"formulations takes a list such as [bc.Kane()], got {short(one)} in it."
            )
    return found or candidates()


def verify_states(
    model: Model,
    where: Reference,
    formulations: Sequence[AbstractFormulation] | None = None,
    tolerance: float = 1e-8,
) -> Verification:
    """Return whether formulations agree at given states, without compiling or running.

    Args:
        model: The machine; it has no inputs.
        where: States of it in joint coordinates.
        formulations: Which to compare; all there are if not given.
        tolerance: Relative differences up to this count as agreement.
    """
    return _verification(
        model, model, where, formulations or candidates(), tolerance, interpret, None
    )


def _verification(
    named: Model,
    model: Model,
    where: Reference,
    formulations: Sequence[AbstractFormulation],
    tolerance: float,
    builder: Callable[..., Any],
    runs: Callable[..., tuple[list[Audit], Cost]] | None,
) -> Verification:
    """Return the comparison of formulations at states, with audits and costs."""
    seen: dict[str, Seen] = {}
    refused, failures, audits, costs = {}, {}, {}, {}
    for formulation in formulations:
        name = label(formulation)
        why = other_machine(formulation, model)
        if why is not None:
            refused[name] = why
            continue
        try:
            system = _system(model, formulation, builder)
        except NotSupported as error:
            refused[name] = str(error)
            continue
        try:
            own = None if system.equations.has("embed") else where.arguments
            there, at_states = _at_states(named, system, where, own)
            if there is None:
                refused[name] = _singular(system)
                continue
            seen[name] = there
            ran, cost = runs(formulation, system, named) if runs else ([], _cost(system))
            audits[name], costs[name] = (*at_states, *ran), cost
        except IntegrationFailed as error:
            failures[name] = _stopped(error)
        except (BellcrankError, np.linalg.LinAlgError) as error:
            failures[name] = str(error)
    differences = compare(
        seen,
        where.states.t,
        length=machine_length(named),
        condition=where.condition,
        determined=where.determined,
    )
    return Verification(
        model=model.name,
        tolerance=tolerance,
        formulations=tuple(seen),
        refused=refused,
        times=tuple(where.states.t.tolist()),
        aside=where.aside,
        condition=float(where.condition.max(initial=1.0)),
        differences=differences,
        audits=audits,
        costs=costs,
        failures=failures,
    )


def _without_states(
    model: Model, tolerance: float, failures: Mapping[str, str]
) -> Verification:
    """Return what is found where there is no reference run: why there is none."""
    return Verification(
        model.name, tolerance, formulations=(), refused={}, times=(), aside=0, condition=1.0,
        differences=(), audits={}, costs={}, failures=failures,
    )  # fmt: skip


def _stopped(error: IntegrationFailed) -> str:
    """Return when and why a run stopped."""
    return f"stopped at t = {error.time:.9g} s: {error.reason}"


def _system(model: Model, formulation: AbstractFormulation, builder: Any) -> System:
    if builder is kernel:
        return compile(model, formulation)
    return System(formulation.equations(model), build=builder)


def _at_states(
    model: Model, system: System, where: Reference, own: Sequence[np.ndarray] | None
) -> tuple[Seen | None, list[Audit]]:
    """Return what a formulation says at the states, and the laws it keeps there.

    At its own singular attitudes it says nothing; None if all states are such.
    """
    mass = sum(nominal(mass_properties(body).mass) or 0.0 for body in model.bodies)
    arguments = embedded_states(system, where.states) if own is None else own
    well = regular(system, arguments)
    if not well.any():
        return None, []
    states = where.states
    if not well.all():
        arguments = [part[well] if part.ndim > 1 else part for part in arguments]
        states = states.only(well)
    found, arguments, ud = see(system, states, mass, arguments)
    residual = float(found.residual.max(initial=0.0))
    least = laws.least_power(system, arguments, mass, machine_length(model))
    kept = [
        *laws.power_balances(system, arguments, ud, least),
        laws.virtual_power(model, system, arguments, ud, least),
        Audit("residual", residual, "of the reference states"),
    ]
    return found if well.all() else spread(found, well), kept


def _singular(system: System) -> str:
    """Return what the guards of a formulation say where they stop."""
    messages = dict.fromkeys(g.message for g in system.equations.guards if g.stops)
    return f"all states are at its own singular attitude: {' '.join(messages)}"


@contextmanager
def _spoken_for() -> Iterator[None]:
    """Keep runs from warning of what a verification tells itself."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AuditWarning)
        warnings.simplefilter("ignore", NearlySingular)
        yield


def _runs(
    rerun: Callable[..., Any],
    until: float,
    formulation: AbstractFormulation,
    system: System,
    model: Model,
) -> tuple[list[Audit], Cost]:
    """Return what a run in one formulation keeps, and what it costs.

    A run that ends at a singular attitude of the formulation's own breaks no law.
    """
    own = partial(rerun, formulation=formulation)
    messages = {guard.message for guard in system.equations.guards}
    with _spoken_for():
        try:
            run = own(until=until)
        except (IntegrationFailed, StartError) as error:
            if not any(message in str(error) for message in messages):
                raise
            return [Audit("energy", None, "it ends at its own singular attitude")], _cost(
                system
            )
        begun = time.perf_counter()
        run = own(until=until)
        wall = time.perf_counter() - begun
        smooth = not system.equations.has("switches")
        found = laws.run_audits(model, run)
        found.append(laws.order(own, min(until, 0.5), model, smooth))
    return found, _cost(system, wall, until, run.statistics["evaluations"])


def _cost(system: System, wall: float = 0.0, until: float = 1.0, evaluations: int = 0) -> Cost:
    """Return the sizes of a formulation, and with a run what it costs."""
    equations = system.equations
    sizes = len(equations.coordinates), len(equations.speeds), len(equations.rows)
    if not evaluations:
        return Cost(*sizes)
    slots = ("mass", "force", "velocity", "acceleration", "position", "kinematics")
    kernels = [slot for slot in slots if equations.has(slot)] if sizes[2] else ["derivatives"]
    operations = sum(system.kernel(slot).operations for slot in kernels)
    begun = time.perf_counter()
    for slot in kernels:
        build(equations.function(slot))
    seconds = time.perf_counter() - begun
    return Cost(*sizes, operations, seconds, wall / evaluations, wall / until, evaluations)
