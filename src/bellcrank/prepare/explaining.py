"""Why a run stopped before its end: what its constraints tell where it did.

Newton's method and the control of steps see only that shorter steps do not help. Five things
are looked for among the rows C u = ν, measured in their nominal sizes, in this order:

    out of reach    a driver's row becomes dependent on the others: the end of its stroke
    flat            the gradient of a relation vanishes: it constrains nothing
    dependent       rows that are independent elsewhere become dependent: a singular position
    nearly rigid    rows are independent, but only just: drawn better they would repeat others
    turning         the direction of a row turns much faster than the parts it holds
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.constraints.assembly.closing import is_relation
from bellcrank.constraints.assembly.redundancy import measured
from bellcrank.integrators import Method, Status, Track
from bellcrank.kernels.protocol import Integrable
from bellcrank.linear import rank
from bellcrank.machine.system import System
from bellcrank.units import QUANTITIES

if TYPE_CHECKING:
    from bellcrank.constraints.independent import Independent

NEAR = 0.2  # of the smallest singular value at the start: close to dependent
JUST = 1e-3  # of the largest singular value: rows that are independent by so little only
TAKES_PART = 0.1  # of the most that a row has of a weak combination: it is named
FAST = 1e4  # how much faster than the parts it holds a direction may turn, in machine lengths
SMALL = 1e-8  # a step that tells how fast directions turn, in nominal sizes
MANY = 300  # rows whose singular values are not looked at


def explained(
    machine: Integrable,
    way: Method | Independent,
    start: tuple[float, np.ndarray],
    track: Track,
) -> Track:
    """Return a run with the reason of its failure, where its constraints tell it.

    Args:
        machine: The machine.
        way: How it was integrated, or what was done with its constraints.
        start: When and where the run began.
        track: The run.
    """
    system, p, nq = machine.system, machine.p, len(machine.system.coordinates)
    told = track.status is Status.DEPENDENT
    if not (track.status.stuck or told) or not 0 < len(system.equations.rows) <= MANY:
        return track
    last = float(track.t[-1]), track.x[-1, :nq]
    usual, there = (_rows(machine, t, q[:nq]) for t, q in (start, last))
    weakest = int(rank.rank(usual)) - 1
    if weakest < 0 or not np.isfinite(there).all():
        return track
    was = float(np.linalg.svd(usual, compute_uv=False)[weakest])
    sides, values, _ = np.linalg.svd(there)
    weak, part = float(values[weakest]), np.abs(sides[:, weakest])
    status, message = track.status, ""
    driven = _driven(system, part)
    if driven and weak < NEAR * was:
        status, message = Status.OUT_OF_REACH, _reach(system, p, track, driven)
    elif told:
        return track
    elif weak < NEAR * was and (flat := _flat(system, part, usual, there)):
        message = (
            f"{_seen(track)} The gradient of the relation {flat!r} vanishes there, so it no "
            "longer constrains the motion. Write it with a nonzero gradient along the whole "
            "motion, or stop earlier."
        )
    elif weak < NEAR * was and isinstance(way, Method) and not way.implicit:
        message = (
            f"{_seen(track)} {_named(system, part)} become dependent there: the machine is at "
            "or near a singular position."
        )
    elif weak < NEAR * was:
        status, message = Status.DEPENDENT, _singular(way, track)
    elif weak < JUST * values[0]:
        message = (
            f"{_seen(track)} {_named(system, part)} are independent by {weak:.1g} only: the "
            "machine is nearly rigid, or drawn with too few digits. See slack."
        )
    else:
        owner, fast = _turning(machine, last, there)
        if fast > FAST:
            message = (
                f"{_seen(track)} {owner!r} is nearly singular there: the directions it holds "
                f"turn {fast:.1g} times as fast as the bodies."
            )
    return replace(track, status=status, message=message) if message else track


def _seen(track: Track) -> str:
    """Return what the integrator saw, without what it makes of that."""
    seen, _, _ = track.message.partition(". ")
    return f"{seen.removesuffix('.')}."


def _rows(machine: Integrable, t: float, q: np.ndarray) -> np.ndarray:
    """Return the rows of C u = ν at a point, measured."""
    system = machine.system
    return measured(system, machine.rows(t, q), system.row_scales(machine.p))


def _owners(system: System, part: np.ndarray) -> tuple[str, ...]:
    """Return the elements whose rows have a part in a combination, each once."""
    most = part.max(initial=0.0)
    rows = system.equations.rows
    found = [row.owner for row, own in zip(rows, part, strict=True) if own > TAKES_PART * most]
    return tuple(dict.fromkeys(found))


def _named(system: System, part: np.ndarray) -> str:
    """Return these elements in words."""
    owners = _owners(system, part)
    more = f" and {len(owners) - 6} more" if len(owners) > 6 else ""
    return f"The constraints of {', '.join(map(repr, owners[:6]))}{more}"


def _flat(system: System, part: np.ndarray, usual: np.ndarray, there: np.ndarray) -> str:
    """Return the relation that is a weak combination by itself, having lost its gradient."""
    most, rows = int(part.argmax()), system.equations.rows
    was, now = (float(np.linalg.norm(C[most])) for C in (usual, there))
    alone = is_relation(rows[most]) and len(_owners(system, part)) == 1
    return rows[most].owner if alone and now < NEAR * was else ""


def _driven(system: System, part: np.ndarray) -> tuple[str, ...]:
    """Return the drivers that take part in a combination."""
    drivers = {row.owner for row in system.equations.rows if row.kind == "driver"}
    return tuple(name for name in _owners(system, part) if name in drivers)


def _reach(system: System, p: np.ndarray, track: Track, drivers: tuple[str, ...]) -> str:
    """Return which drivers cannot continue, and where they are."""
    rates = [
        (key.rpartition(".")[0], rate) for key, (_, rate) in system.equations.efforts.items()
    ]
    places = [_place(system, p, track, rate) for name, rate in rates if name in drivers]
    where = f" where {' and '.join(places)}" if places else ""
    return (
        f"beyond t = {track.until_reached:.9g} s driver {' and '.join(map(repr, drivers))} "
        f"cannot continue: {where.strip() or 'there'} the linkage is at the limit of its "
        "workspace. Reverse its law earlier, or change lengths."
    )


def _place(system: System, p: np.ndarray, track: Track, rate: str) -> str:
    """Return what a driver moves and where that is at the end of a run."""
    name = rate.removesuffix("_rate").replace(".velocity", ".position")
    last = (track.t[-1:], *system.split(track.x[-1]), track.w[-1], p, track.k[-1])
    value = float(system.shown([name], last)[0])
    units = {
        channel.name: QUANTITIES[channel.quantity].unit for channel in system.equations.channels
    }
    return f"{name} = {value:.6g} {units.get(name, '')}".strip()


def _singular(way: Method | Independent, track: Track) -> str:
    """Return that a way of integrating does not pass a singular position."""
    return (
        f"beyond t = {track.until_reached:.9g} s constraints that are independent elsewhere "
        f"become dependent: a singular position, which {type(way).__name__} does not pass. "
        "An explicit method such as DOP853() with constraints='project' does."
    )


def _turning(
    machine: Integrable, place: tuple[float, np.ndarray], there: np.ndarray
) -> tuple[str, float]:
    """Return the element whose directions turn fastest with the coordinates, and how fast.

    It is |c(q + δ) − c(q)| / |c| over |δ|, c being a row and δ a small step, in nominal sizes.
    """
    (t, q), system = place, machine.system
    sizes = np.array([each.scale for each in system.equations.coordinates])
    fast = np.zeros(len(there))
    for n in range(len(q)):
        moved = q + SMALL * sizes * (np.arange(len(q)) == n)
        change = np.linalg.norm(_rows(machine, t, moved) - there, axis=1)
        fast = np.fmax(fast, change / (SMALL * np.linalg.norm(there, axis=1).clip(rank.FLOOR)))
    most = int(fast.argmax())
    return system.equations.rows[most].owner, float(fast[most])
