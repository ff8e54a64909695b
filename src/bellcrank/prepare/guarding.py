"""Guards of a formulation and of rows left out: said at the start, told of after a run."""

import warnings
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.redundancy import NEARLY, residuals
from bellcrank.constraints.projecting import Known
from bellcrank.errors import IntegrationFailed, NearlySingular, StartError, outside
from bellcrank.formulations.contract.coaxial import tree_path
from bellcrank.formulations.contract.equations import Guard
from bellcrank.formulations.contract.rows import joints_apart
from bellcrank.integrators import Track
from bellcrank.linear.rank import MARGIN
from bellcrank.machine.system import System
from bellcrank.model import Model

MANY = 10  # elements whose rows add up to little where none of them is rounded: a long chain
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


def tell_of_near_repeats(model: Model, system: System, p: np.ndarray) -> None:
    """Warn where constraints hold a machine that would move if they repeated others.

    A loop that is small itself has small rows, and a long chain of loops adds up to little:
    they say nothing of rounding.

    Args:
        model: The machine.
        system: Its equations.
        p: Parameter values in order.
    """
    known = system.once(Known).chosen.get(p.tobytes())
    size, owners = (np.inf, ()) if known is None else known.nearly
    if not 0 < len(owners) <= MANY or size > _most(model, system, p, owners):
        return
    slack = 10.0 ** np.ceil(np.log10(size / MARGIN))
    warnings.warn(
        f"'{model.name}': constraints of {', '.join(map(repr, owners))} repeat others but for "
        f"{size:.1g} (of the machine's length, or rad), and hold what would move if they did. "
        "If the drawing is rounded, give its positions and axes with more digits, or "
        f"slack={slack:.0e}.",
        NearlySingular,
        stacklevel=outside(),
    )


def _most(model: Model, system: System, p: np.ndarray, owners: Sequence[str]) -> float:
    """Return how little rows of a loop may say before that may be rounding."""
    names = [
        joint.name
        for joint in model.joints
        if {joint.name, joint.first, joint.second} & set(owners)
    ]
    loops = [name for name in names if name in model.graph.loops]
    along = [joint for name in loops for joint, _ in tree_path(model, model[name])]
    part = joints_apart(model, (*names, *along), system.named(p)) / system.equations.length()
    return NEARLY * MARGIN * system.slack * min(1.0, part)


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
