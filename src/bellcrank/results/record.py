"""Arrays of an integration → `Result`."""

import platform
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from bellcrank import __version__
from bellcrank.integrators import Track
from bellcrank.machine.system import System
from bellcrank.model import Event, Expression
from bellcrank.model.names import Channel
from bellcrank.results.audit import audit
from bellcrank.results.labels import Label, labels
from bellcrank.results.result import Machine, Result


def record(
    system: System,
    track: Track,
    p: np.ndarray,
    *,
    events: Sequence[Event] = (),
    driven: Mapping[str, Expression] | None = None,
    provenance: Mapping[str, Any] | None = None,
    machine: Machine = None,
    judged: Mapping[str, Any] | None = None,
) -> Result:
    """Return the result of a track, in the names of the machine.

    Coordinates, rates and inputs are there at once; all else is computed when asked for.

    Args:
        system: The machine.
        track: What the integrator left.
        p: Parameter values in order.
        events: What was looked for, in the order of the track's indices.
        driven: Inputs that were driven by expressions.
        provenance: How the run was asked for.
        machine: What draws the result.
        judged: What the audit that went along found, see `judging.judge`.
    """
    arguments = track_arguments(system, track, p)
    rates = cache(lambda: system.rates(arguments))  # for all that needs them
    inputs = {name: track.w[:, i] for i, name in enumerate(system.inputs)}
    for name, expression in (driven or {}).items():
        inputs[name] = system.signals((expression,))(*arguments)[0][:, 0]
    return Result.from_arrays(
        track.t,
        lambda: system.observe_arguments(arguments, rates()),
        system.once(all_labels),
        states=system.unpack(*arguments[1:3]),
        inputs=inputs,
        events=hits_of(system, track, events),
        statistics=vars(track.statistics),
        provenance=made_by(system, p) | dict(provenance or {}),
        status=track.status,
        audit=lambda run: audit(system, arguments, run.values, judged or {}),
        judged=judged,
        later=[lambda: system.reactions(arguments, rates())],
        machine=machine,
    )


def track_arguments(system: System, track: Track, p: np.ndarray) -> tuple[np.ndarray, ...]:
    """Return the arguments of slots at all records of a track."""
    return track.t[:, None], *system.split(track.x), track.w, p, track.k


def all_labels(system: System) -> tuple[Label, ...]:
    """Return the labels of all that a run of a machine can show."""
    return labels((*system.equations.channels, *own_channels(system)))


def own_channels(system: System) -> list[Channel]:
    """Return channels for coordinates and speeds that only this formulation has."""
    known = {channel.name for channel in system.equations.channels}
    names = frozenset(system.state_names)
    variables = {"q": system.equations.coordinates, "u": system.equations.speeds}
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
        (events[hit.index].name, hit.t, system.unpack(*system.split(hit.x)[:2])) for hit in seen
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
