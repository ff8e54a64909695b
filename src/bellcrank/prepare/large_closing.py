"""A large machine brought onto its constraints, positions and speeds, with sparse matrices."""

import numpy as np

from bellcrank.constraints.closing import gaps
from bellcrank.errors import StartError
from bellcrank.integrators.sparse_linear import POSITIONS, SPEEDS, Linear, idle_multipliers
from bellcrank.kernels.assembled import Assembled, State
from bellcrank.linear.rank import MARGIN
from bellcrank.linear.sparse_lu import Singular

Array = np.ndarray
Pair = tuple[Assembled, Assembled]
"""A machine, and the same with what was named held."""

EXACT = 1e-13  # of rows in nominal sizes: what is new by less is round-off of sums
TRIES = 40  # corrections
CLOSED = 1e-12  # of Φ over its scale
SOFT = 1e-6  # added to the scaled mass matrix, for bodies without inertia in some direction


def closed(machines: Pair, t: float, q: Array, u: Array, w: Array) -> Array:
    """Return q on the constraints."""
    plain, machine = machines
    if open_rows(plain, t, q, u, w)[1] <= CLOSED:
        return q
    rows = machine.equations.rows[: machine.mh]
    linear: Linear | None = None
    phi, size = open_rows(machine, t, q, u, w)
    for _ in range(TRIES):
        if size <= CLOSED:
            return q
        state = machine.state(t, q, u, w=w, c=POSITIONS)
        linear = linear or Linear(machine, state)
        step = correction(
            linear, state, np.concatenate([phi, np.zeros(machine.m - machine.mh)])
        )
        for factor in 0.5 ** np.arange(8):
            there = machine.moved(state, factor * step)
            found, left = open_rows(machine, t, there, u, w)
            if left < (1.0 - 0.25 * factor) * size:
                break
        else:
            break
        q, phi, size = there, found, left
    if size > 1e-9:
        raise StartError(gaps(rows, phi))
    return q


def row_scales(machine: Assembled) -> Array:
    """Return the nominal residuals of rows."""
    return np.array([row.scale for row in machine.equations.rows])


def open_rows(
    machine: Assembled, t: float, q: Array, u: Array, w: Array
) -> tuple[Array, float]:
    """Return Φ, and the largest of it over its scale."""
    phi = machine.rows(machine.state(t, q, u, w=w))[0]
    return phi, float(np.abs(phi / row_scales(machine)[: machine.mh]).max(initial=0.0))


def moving(machines: Pair, t: float, q: Array, u: Array, w: Array, said: bool) -> Array:
    """Return u on the constraints."""
    machine = machines[1]
    scale = row_scales(machine)
    linear = None
    for _ in range(4):
        state = machine.state(t, q, u, w=w, c=SPEEDS)
        rates = machine.rows(state)[1]
        size = float(np.abs(rates / scale).max(initial=0.0))
        if size <= CLOSED * max(1.0, float(np.abs(u).max(initial=0.0))):
            return u
        linear = linear or Linear(machine, state)
        u = u + correction(linear, state, rates)
    rates = machine.rows(machine.state(t, q, u, w=w))[1]
    if float(np.abs(rates / scale).max(initial=0.0)) > 1e-9:
        raise StartError(gaps(machine.equations.rows, rates, "speed", said))
    return u


def correction(linear: Linear, state: State, left: Array) -> Array:
    """Return the smallest step that meets rows off by `left`."""
    try:
        linear.factor(state, fresh=True, soft=SOFT)
    except Singular:
        raise StartError(
            f"the constraints of '{linear.machine.equations.name}' are not finite where it is "
            "drawn. Look for axes or lengths of zero."
        ) from None
    return linear.solve(np.zeros(linear.machine.nu), -left)[0]


def check_rounding(
    machine: Assembled, state: State, sizes: Array, slack: float, exact: float = EXACT
) -> None:
    """Complain about rows that repeat others within the slack, but not to round-off.

    They can neither be held nor are they left out here. Exact ones do no harm.

    Args:
        machine: The machine.
        state: Where it begins.
        sizes: Nominal sizes of speeds.
        slack: What counts as rounding.
        exact: What is new by less is round-off.

    Raises:
        StartError: Naming some of them.
    """
    linear = Linear(machine, state)
    try:
        idle = idle_multipliers(linear, state)
    except Singular:
        return  # of inertia, which is said later
    if idle is None:
        return
    weight = idle * row_scales(machine)
    off = float(np.linalg.norm(linear.columns_times(idle) * sizes) / np.linalg.norm(weight))
    if not exact < off <= MARGIN * slack:
        return
    share = np.abs(weight) > 1e-3 * np.abs(weight).max()
    owners = dict.fromkeys(machine.equations.rows[i].owner for i in np.flatnonzero(share))
    told = ", ".join(map(repr, list(owners)[:6])) + (", …" if len(owners) > 6 else "")
    raise StartError(
        f"constraints of '{machine.equations.name}' repeat others but for rounding, by some "
        f"{off:.1g} of its length or radians: {told}. A machine assembled from kinds of "
        "elements needs them exact, or not at all: write their numbers with all digits, take "
        "away what repeats, or use bc.JointCoordinates() or bc.Cartesian(assembled=False), "
        "which leave such rows out."
    )
