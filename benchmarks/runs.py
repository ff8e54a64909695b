"""Whole runs: each package at the coarsest setting that puts the tip within 1e-5 m.

Settings are tried from coarse to fine until the tip is right at every time of the 0.1 s grid;
then that run is timed. Building the model and generating code are timed apart.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.machines import Chain
from benchmarks.reference import Reference
from benchmarks.timing import best, once

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
        seconds: Shortest time of the run [s].
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


def whole_run(package: Any, machine: Chain, reference: Reference) -> WholeRun:
    """Return how long a package takes to put the tip within `WANTED` of the reference."""
    try:
        build, run = once(lambda: package.build(machine))
    except NotImplementedError as reason:
        return WholeRun(machine.name, package.NAME, note=str(reason))
    found = _coarsest(run, package.SETTINGS, reference)
    if found is None:
        return WholeRun(machine.name, package.NAME, build=build, note="no setting is right")
    setting, error = found
    seconds = best(lambda: run(setting), seconds=1.0)
    return WholeRun(machine.name, package.NAME, setting, error, seconds, build)


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
