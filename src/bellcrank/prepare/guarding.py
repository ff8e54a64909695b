"""Guards of a formulation and of rows left out: said at the start, told of after a run."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.redundancy import residuals
from bellcrank.errors import IntegrationFailed, NearlySingular, StartError, outside
from bellcrank.formulations.contract.equations import Guard
from bellcrank.integrators import Track
from bellcrank.linear.rank import MARGIN
from bellcrank.machine.system import System

TOLERATED = 10.0  # times what rounding may add up to: beyond, rows were not redundant


def check_guards(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray, k: np.ndarray
) -> None:
    """Warn or complain where a run would begin at or near a singularity.

    Guards with the same message are the sides on which all is well; being on one is enough.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u, s].
        w: Inputs.
        p: Parameter values in order.
        k: Memory.

    Raises:
        StartError: The run would stop as it begins.
    """
    guards = system.equations.guards
    if not guards:
        return
    kernel = system.signals(tuple(guard.when for guard in guards))
    values = kernel(np.array([t]), *system.split(x), w, p, k)[0]
    well = {g.message for g, value in zip(guards, values, strict=True) if value > 0.0}
    lost = {g.message: g.stops for g in guards if g.message not in well}
    ending = [message for message, stops in lost.items() if stops]
    if ending:
        raise StartError(f"at the start, t = {t:g} s: {' '.join(ending)}")
    for message in lost:
        warnings.warn(
            f"at the start, t = {t:g} s: {message}", NearlySingular, stacklevel=outside()
        )


def tell(track: Track, guards: Sequence[Guard], events: int) -> None:
    """Warn of what a run came near to, each thing once.

    Args:
        track: What the integrator left.
        guards: Whose crossings come after those of the events.
        events: How many events were looked for.
    """
    near: dict[str, float] = {}
    for hit in track.events:
        if hit.index >= events and not guards[hit.index - events].stops:
            near.setdefault(guards[hit.index - events].message, hit.t)
    for message, time in near.items():
        warnings.warn(f"at t = {time:.6g} s: {message}", NearlySingular, stacklevel=outside())


def check_left_out(system: System, track: Track, p: np.ndarray, run: Any) -> None:
    """Complain where rows that were left out as repeating others do not go on doing so.

    Args:
        system: The machine.
        track: What the integrator left.
        p: Parameter values in order.
        run: The result, kept in what is raised.

    Raises:
        IntegrationFailed: Naming what is off, by how much, and from when on.
    """
    arguments = [track.t[:, None], *system.split(track.x), track.w, p, track.k]
    for owner, size in residuals(system, arguments)[2].items():
        lost = size > TOLERATED * MARGIN * system.slack
        if lost.any():
            raise IntegrationFailed(
                f"{owner!r} was taken as redundant within the slack and left out, but the run "
                f"violates it from here on, by up to {size.max():.2g} (of the machine's "
                "length, or rad).",
                float(track.t[np.argmax(lost)]),
                run,
                "Give its positions and axes with more digits, or a smaller slack.",
            )


@lru_cache(maxsize=128)
def tell_of_spins(machine: str, idle: tuple[str, ...]) -> None:
    """Warn once of rods of a machine whose spin nothing resists or drives."""
    if names := ", ".join(map(repr, idle)):
        warnings.warn(
            f"'{machine}': nothing resists or drives the spin of {names} about its own line, "
            "so it stays as it is. Nothing else depends on it.",
            UserWarning,
            stacklevel=outside(),
        )
