"""Degrees of freedom of a machine, and which constraints repeat others."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from bellcrank.constraints.assembly.closing import ClosingPoint, Held, close, leave_out_repeated
from bellcrank.constraints.assembly.redundancy import independent_rows as independent_rows
from bellcrank.constraints.assembly.redundancy import measured_rows, residuals
from bellcrank.errors import StartError
from bellcrank.kernels.protocol import Machine
from bellcrank.linear import rank

MANY = 4.0  # the square root of how many speeds may move by a whole step, each at random


@dataclass(frozen=True)
class Freedom:
    """What the rank of the scaled constraints says.

    Attributes:
        speeds: Number of generalized speeds.
        rank: Rank of the constraints.
        redundant: For each element that repeats directions held by others: how many.
        off: For each element with rows that repeat others only within the slack: the largest
            of their residuals, in lengths of the machine or in radians.
    """

    speeds: int
    rank: int
    redundant: dict[str, int]
    off: dict[str, float] = field(default_factory=dict)

    @property
    def degrees(self) -> int:
        """Degrees of freedom."""
        return self.speeds - self.rank


def freedom(system: Machine, q: np.ndarray, p: np.ndarray, t: float = 0.0) -> Freedom:
    """Return the freedom of a machine at consistent coordinates.

    The rank is decided on the constraints, where redundant rows are exactly so, or so within
    the slack of the machine.

    Args:
        system: The machine.
        q: Consistent coordinates.
        p: Parameter values in order.
        t: The time [s].
    """
    rows, nu = system.equations.rows, len(system.speeds)
    if not rows:
        return Freedom(nu, 0, {})
    w = np.zeros(len(system.inputs))
    C, slack = measured_rows(system, system.at_rest(t, q, w, p), whole=True), {}
    coarse = max(rank.MARGIN * system.slack, rank.FLOOR)
    exactly = rank.rank(C, relative=0.0, floor=rank.EXACT)
    if exactly > rank.rank(C, floor=coarse):
        slack = _within_slack(system, t, q, w, p)
    floor = coarse if system.rounded(p) else rank.FLOOR
    K, N = rank.split(C, floor=floor)
    owners, redundant = np.array([row.owner for row in rows]), {}
    for owner in dict.fromkeys(owners):
        # Rows repeat as many directions as they have independent entries in N: without k rows,
        # those combinations of the others that vanish are the ones of N that vanish on the k.
        repeated = int(
            rank.rank(N[owners == owner], relative=0.0, floor=max(rank.RELATIVE, floor))
        )
        if repeated:
            redundant[str(owner)] = repeated
    return Freedom(nu, K.shape[1], redundant, slack)


def _within_slack(
    system: Machine, t: float, q: np.ndarray, w: np.ndarray, p: np.ndarray
) -> dict[str, float]:
    """Leave out what repeats others within the slack; return by how much it does not close."""
    nu, ns = len(system.speeds), len(system.equations.auxiliary)
    x = np.concatenate([q, np.zeros(nu + ns)])
    leave_out_repeated(system, t, x, w, p)
    seen = [off(system, system.at_rest(t, q, w, p))]
    for state in neighbours(system, t, x, w, p, (0.2, 0.5, 1.0, 2.0)):
        seen += [off(system, system.at_rest(t, state[: len(q)], w, p))]
    owners = dict.fromkeys(owner for each in seen for owner in each)
    return {owner: max(each.get(owner, 0.0) for each in seen) for owner in owners}


def off(system: Machine, arguments: Sequence[np.ndarray]) -> dict[str, float]:
    """Return by how much elements with rows that are left out do not close, the worst first.

    Args:
        system: The machine.
        arguments: Of its slots, at some states.

    Returns:
        The largest residual of each, in lengths of the machine or in radians; what closes to
        round-off is not among them.
    """
    if not system.rounded(arguments[5]):
        return {}
    left = residuals(system, arguments)[2]
    sizes = {owner: float(each.max(initial=0.0)) for owner, each in left.items()}
    worst = sorted(sizes.items(), key=lambda item: -item[1])
    return {owner: size for owner, size in worst if size > rank.EXACT}


def neighbours(
    system: Machine,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    reaches: Sequence[float] = (0.05, 0.2),
) -> Iterator[np.ndarray]:
    """Yield consistent states at rest some way from a state, where they can be found.

    They are looked for along the constraints, by random steps of ξ with C ξ = 0, so that what
    is left to close is of second order also where errors of many joints add up.
    """
    nq, nu = len(system.coordinates), len(system.speeds)
    noise, nothing = np.random.default_rng(1), np.zeros(nu, dtype=bool)
    there = ClosingPoint(system, t, x[nq + nu :], w, p, ())
    C = there.measured("position", there.matrix("position", x[:nq]))
    across = rank.pseudo_inverse(C) @ C
    sizes = there.reach * min(1.0, MANY / np.sqrt(max(nu, 1)))
    for reach in reaches:
        along = noise.normal(size=nu)
        along -= across @ along
        moved = np.concatenate([x[:nq], np.zeros(nu), x[nq + nu :]])
        moved[:nq] = there.moved(x[:nq], reach * sizes * along)
        with contextlib.suppress(StartError, np.linalg.LinAlgError):
            yield close(system, t, moved, w, p, Held(nothing, nothing))
