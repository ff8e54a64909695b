"""Whole runs: each package at the coarsest setting that puts the tip within 1e-5 m.

Settings are tried from coarse to fine until the tip is right at every time of the 0.1 s grid;
then that run is timed, in turns with those of the others. Building the model and generating
code are timed apart.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.machines import Chain
from benchmarks.reference import Reference
from benchmarks.timing import in_turns, once

WANTED = 1e-5
"""Largest distance of the tip from the reference [m]."""

Run = Callable[[float], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class WholeRun:
    """One package on one machine.

    Attributes:
        machine: Name of the machine.
        package: Name and version of the package with its method.
        setting: Step [s] or tolerance that was needed.
        error: Largest distance of the tip from the reference [m].
        seconds: Least processor time of the run [s].
        build: Time to build the model and to generate code [s].
        note: Why there is no number, where there is none.
    """

    machine: str
    package: str
    setting: float | None = None
    error: float | None = None
    seconds: float | None = None
    build: float | None = None
    note: str = ""


def timed_in_turns(
    packages: Sequence[Any], machine: Chain, reference: Reference
) -> list[WholeRun]:
    """Return how long packages take to put the tip within `WANTED` of the reference.

    Those that can are timed in turns, so that their ratios are of the same minutes.
    """
    found, actions = [], {}
    for number, package in enumerate(packages):
        run, action = _prepared(package, machine, reference)
        found.append(run)
        if action is not None:
            actions[number] = action
    for number, seconds in zip(actions, in_turns(*actions.values(), rounds=5), strict=True):
        found[number] = replace(found[number], seconds=seconds)
    return found


def _prepared(
    package: Any, machine: Chain, reference: Reference
) -> tuple[WholeRun, Callable[[], object] | None]:
    """Return what is known of a package before it is timed, and what to time."""
    try:
        build, run = once(lambda: package.build(machine))
    except NotImplementedError as reason:
        return WholeRun(machine.name, package.NAME, note=str(reason)), None
    found = _coarsest(run, package.SETTINGS, reference)
    if found is None:
        note = "no setting is right"
        return WholeRun(machine.name, package.NAME, build=build, note=note), None
    setting, error = found
    known = WholeRun(machine.name, package.NAME, setting, error, build=build)
    return known, partial(run, setting)


def _coarsest(
    run: Run, settings: tuple[float, ...], reference: Reference
) -> tuple[float, float] | None:
    """Return the first setting from which on two in a row are right, and its error.

    A single right one may be luck: in a chaotic run errors cross zero.
    """
    kept: tuple[float, float] | None = None
    for setting in settings:
        error = reference.error(*run(setting))
        if error > WANTED:
            kept = None
        elif kept is None:
            kept = setting, error
        else:
            return kept
    return kept
