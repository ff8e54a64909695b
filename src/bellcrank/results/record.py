"""Arrays of an integration → `Result`."""

import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import inf, isfinite
from typing import Any

import numpy as np

from bellcrank import __version__
from bellcrank.errors import IntegrationFailed
from bellcrank.formulations.contract.equations import Guard
from bellcrank.integrators import Problem, Status, Track
from bellcrank.integrators.auditing import worth
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model import Event, Expression
from bellcrank.model.names import Channel
from bellcrank.prepare.choosing import Attempt
from bellcrank.prepare.options import Request
from bellcrank.prepare.problem import InitialState, Prepared
from bellcrank.prepare.tolerances import nominal_scales
from bellcrank.results.audit import audit
from bellcrank.results.judging import ROUNDING, Circumstances, circumstances, judge, speak
from bellcrank.results.labels import Label, labels
from bellcrank.results.noticing import (
    farthest_place,
    few_roundings,
    missed_event,
    place_coordinates,
    resolution,
    tied_places,
    unseen_switch,
    widest_turn,
)
from bellcrank.results.result import Machine, Result


def record(
    machine: Integrable,
    track: Track,
    *,
    events: Sequence[Event] = (),
    driven: Mapping[str, Expression] | None = None,
    provenance: Mapping[str, Any] | None = None,
    drawn: Machine = None,
    judged: Mapping[str, Any] | None = None,
) -> Result:
    """Return the result of a track, in the names of the machine.

    Coordinates, rates and inputs are there at once; all else is computed when asked for.

    Args:
        machine: The machine.
        track: What the integrator left.
        events: What was looked for, in the order of the track's indices.
        driven: Inputs that were driven by expressions.
        provenance: How the run was asked for.
        drawn: What draws the result.
        judged: What the audit that went along found, see `judging.judge`.
    """
    system, p = machine.system, machine.p
    arguments = track_arguments(system, track, p)
    seen = machine.observed(arguments)
    inputs = {name: track.w[:, i] for i, name in enumerate(system.inputs)}
    for name, expression in (driven or {}).items():
        inputs[name] = system.signals((expression,))(*arguments)[0][:, 0]
    return Result(
        track.t,
        seen.everything,
        system.once(all_labels),
        states=system.unpack(*arguments[1:4]),
        inputs=inputs,
        events=hits_of(system, track, events),
        statistics=vars(track.statistics),
        provenance=made_by(system, p) | dict(provenance or {}),
        status=track.status,
        audit=lambda run: audit(seen, system, run.values, judged or {}),
        judged=judged,
        later=seen.later,
        machine=drawn,
        single=seen.single,
        ending=lambda: record(machine, _last(track), driven=driven),
    )


def _last(track: Track) -> Track:
    """Return the last record of a track, as one."""
    rows = {name: getattr(track, name)[-1:] for name in "txwk"}
    return replace(track, events=[], **rows)


def finish(attempt: Attempt, prepared: Prepared, track: Track, drawn: Machine) -> Result:
    """Return the result of a run, with what its audit found.

    Args:
        attempt: The machine, what was asked for, and where it began.
        prepared: What was integrated.
        track: What the integrator left.
        drawn: What draws the result.

    Raises:
        IntegrationFailed: The run stopped before its end; it carries the partial result.
    """
    request, machine, state, _ = attempt
    system, p, events = machine.system, machine.p, request.events
    model, guards = request.bound.model, prepared.guards
    made = _circumstances(machine, request, state, prepared, track)
    run = record(
        machine, track,
        events=events, driven=request.bound.expressions, provenance=request.asked, drawn=drawn,
        judged=judge(track, made),
    )  # fmt: skip
    if guards:
        from bellcrank.prepare.guarding import tell

        tell(track, guards, len(events))
    if system.rounded(p):
        from bellcrank.prepare.guarding import check_left_out

        check_left_out(system, track, p, run)
    if machine.batched:
        from bellcrank.prepare.bushings import tell_of_bushings

        seen = machine.observed(track_arguments(system, track, p))
        tell_of_bushings(model, track.t, seen.orientation, system.named(p))
    cause, raised = prepared.machine.problem, prepared.outside.cause
    return finished(track, run, guards, len(events), cause, raised)


def _circumstances(
    machine: Integrable,
    request: Request,
    state: InitialState,
    prepared: Prepared,
    track: Track,
) -> Circumstances:
    """Return how a run was made, and what was noticed of it."""
    system, events, (x, w, _) = machine.system, request.events, state
    missed = missed_event(prepared.problem, track, events) if events else ""
    coarse: dict[str, Any] = {}
    if not prepared.method.adaptive:
        coarse["widest"] = widest_turn(machine, prepared.method, track)
    if places := system.once(place_coordinates):
        coarse["faint"] = few_roundings(system.equations, places, request.start, track)
    if system.equations.rows and (places := system.once(tied_places)):
        coarse["farthest"] = farthest_place(
            system.equations, places, prepared.problem, track, prepared.method
        )
    return circumstances(
        system, prepared.method, request.constraints, request.rtol, machine.p,
        missed=missed,
        unseen=unseen_switch(machine, track) if system.equations.modes else None,
        resolved=_resolution(system, track, prepared.atol) if request.own else inf,
        turned=machine.unasked_turns(request.begin, x, w, request.start),
        blur=partial(_blur, system, prepared.problem, track), **coarse,
    )  # fmt: skip


def _blur(system: System, problem: Problem, track: Track) -> float:
    """Return what the rounding of states changes of the energy where a run ends [J]."""
    if problem.audit is None:
        return 0.0
    nominal = nominal_scales(system.equations)
    last = (track.t[-1], track.x[-1], track.w[-1], track.k[-1])
    found = worth(problem, *last, ROUNDING, ROUNDING * nominal)
    return found if isfinite(found) else 0.0


def _resolution(system: System, track: Track, atol: Any) -> float:
    """Return how many absolute tolerances a run moves by, where they are not of the motion.

    Those of the user's own variables never are; those of coordinates may be.
    """
    if atol is None:  # fixed steps have none
        return inf
    followed = not isinstance(atol, float | np.ndarray)
    if followed and not system.equations.auxiliary:
        return inf
    sizes = np.broadcast_to(atol.most if followed else atol, track.x.shape[1:])
    moved = np.ptp(track.x, axis=0)
    if track.weighed is not None and track.weighed.moved:  # records may be in step with it
        moved = np.maximum(moved, track.weighed.moved)
    places, _, variables = system.split(np.arange(len(moved)))
    own, nominal = np.append(places, variables), nominal_scales(system.equations)
    return resolution(moved[own], sizes[own], nominal[own], len(places) if followed else 0)


def finished(
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
        message = f"compiling the equations for singular positions failed: {cause!r}."
        raise IntegrationFailed(message, track.until_reached, run) from cause
    if track.status is Status.TERMINATED and track.events[-1].index >= events:
        message = guards[track.events[-1].index - events].message
        raise IntegrationFailed(message, track.until_reached, run)
    if track.status.failed:
        raise IntegrationFailed(track.message, track.until_reached, run) from raised
    speak(run)
    return run


def track_arguments(system: System, track: Track, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arguments of slots at all records of a track."""
    return track.t[:, None], *system.split(track.x), track.w, p, track.k


def all_labels(system: System) -> tuple[Label, ...]:
    """Return the labels of all that a run of a machine can show."""
    e = system.equations
    return labels((*e.channels, *own_channels(system), *e.multipliers))


def own_channels(system: System) -> list[Channel]:
    """Return channels for coordinates and speeds that only this formulation has."""
    known = {channel.name for channel in system.equations.channels}
    names = frozenset(system.state_names)
    e = system.equations
    variables = {"q": e.coordinates, "u": e.speeds, "s": e.auxiliary}
    return [
        Channel(name, variables[vector][start].quantity, size, variables[vector][start].owner)
        for name, (vector, start, size) in system.places.items()
        if name not in known and name in names
    ]


def hits_of(
    system: System, track: Track, events: Sequence[Event]
) -> list[tuple[str, float, dict[str, Any]]]:
    """Return name, time and state of every event that was hit."""
    seen = [hit for hit in track.events if hit.index < len(events)]  # guards come after them
    return [
        (events[hit.index].name, hit.t, system.unpack(*system.split(hit.x))) for hit in seen
    ]


def made_by(system: System, p: np.ndarray) -> dict[str, Any]:
    """Return what computed a result."""
    equations = system.equations
    return {
        "model": equations.name,
        "equations": equations.key,
        "formulation": equations.formulation,
        "parameters": dict(zip(system.parameters, p.tolist(), strict=True)),
        "bellcrank": __version__,
        "python": platform.python_version(),
    }
