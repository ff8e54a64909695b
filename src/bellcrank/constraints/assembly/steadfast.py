"""Rows that are held in the place of all, where some repeat others within the slack only.

What is held must be the same for a whole run: with another choice the machine is another one,
off by the slack. So it must not become dependent where the machine is not singular. Of a part
S C of as many rows as count, with V an orthonormal basis of what all rows hold, det(S C V) may
change its sign along a motion; there S C is singular. Between neighbouring states k and k + 1
that shows as

    det(S C_k C_{k+1}ᵀ Sᵀ) < 0,

whatever the bases. Motions are followed as far as a turn, and rows chosen of which none is
passed. In the rows of a hinge that closes a spatial loop there may be none such: there S is a
constant combination of rows of the same element; see `constraints.assembly.mixing`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bellcrank.constraints.assembly.redundancy import measured_rows
from bellcrank.linear import rank

if TYPE_CHECKING:
    from bellcrank.constraints.assembly.closing import ClosingPoint

TURN = 3 * np.pi  # how far motions are followed [rad, lengths of the machine]
STRIDE = 0.2  # from state to state
WAYS = 3  # motions that are followed where the machine has more than one freedom
STATES = 300_000  # entries of C that are looked at, at most
NEWTON = 5  # corrections from state to state
SETTLED = 1e-6  # a correction after which there is none
CLEAR = 0.05  # of the best seen: where all rows have less, the machine itself is singular
NEAR = 1e-2  # of what all rows have: a choice with less is dependent
WELL = 0.05  # of what all rows have: a choice serves
SAME = 1e-2  # part by which joints may be the worse choice to give way, against bodies
PRODUCTS = 2e8  # of what exchanges of rows may take in one round
ROUNDS = 20
DRAWS = 400  # combinations of rows that are tried
DIGITS = 3  # of their factors


@dataclass(frozen=True)
class HeldRows:
    """What is held in the place of all rows.

    Attributes:
        out: Rows that are left out.
        mixing: H, where a run holds rows of H C instead, shape (m, m); else None.
        mixed: Rows of H C that are left out.
    """

    out: tuple[int, ...]
    mixing: np.ndarray | None = None
    mixed: tuple[int, ...] = ()


class SeenRows(NamedTuple):
    """Measured rows at states that are not near singular ones, and what they hold.

    Attributes:
        C: Shape (n, m, nu).
        sigma: Their smallest singular value that counts, shape (n,).
        pairs: Which states are neighbours of the one before, shape (n - 1,).
    """

    C: np.ndarray
    sigma: np.ndarray
    pairs: np.ndarray

    def worth(self, held: np.ndarray) -> tuple[int, float]:
        """Return minus how often rows are or become dependent, and how far they are from it.

        Args:
            held: As many rows as count, shape (n, r, nu).
        """
        ahead = held[:-1] @ np.swapaxes(held[1:], -1, -2)
        passed = ((np.linalg.det(ahead) < 0.0) & self.pairs).sum()
        apart = np.linalg.svd(held, compute_uv=False)[:, -1] / self.sigma
        return -int(passed + (apart < NEAR).sum()), float(apart.min())


# --- motions --------------------------------------------------------------------------------


class Motions(NamedTuple):
    """Coordinates along motions.

    Attributes:
        paths: Some, state by state.
        whole: Whether none of them ended in a singular position. Where one does, rounded
            machines are others than exact ones, and a bad choice of rows is no worse.
    """

    paths: list[list[np.ndarray]]
    whole: bool


def motions(there: "ClosingPoint", q: np.ndarray) -> Motions:
    """Return motions of a machine from q on, within the slack.

    Drivers hold nothing here: they lead along such motions.
    """
    line = _Line(there, q)
    if not (line.rank and len(line.along)):
        return Motions([], whole=False)
    noise, f = np.random.default_rng(1), len(line.along)
    ways = line.along if f == 1 else noise.normal(size=(WAYS, f)) @ line.along
    count = min(int(TURN / STRIDE), STATES // (2 * len(ways) * line.size))
    paths = [
        [*_followed(there, q, -way, count)[::-1], q, *_followed(there, q, way, count)]
        for way in ways
    ]
    return Motions(paths, whole=all(len(path) > 2 * count for path in paths))


class _Line:
    """Measured rows of a machine at coordinates, split by what counts there.

    Attributes:
        rank: How many singular values count; or how many did where a motion began, as off
            the constraints, rows that repeat others say something of their own.
        along: Directions that they leave, orthonormal, shape (f, nu).
        size: How many entries they have.
    """

    def __init__(self, there: "ClosingPoint", q: np.ndarray, rank_: int | None = None) -> None:
        C, own = there.matrix("position", q), ~there.asked
        self._natural = there.natural("position", C)[own]
        measured = there.measured("position", C)[own]
        self._U, self._sigma, self._V = np.linalg.svd(measured)
        found = int(rank.counted(self._sigma, floor=there.floor).sum())
        self.rank = found if rank_ is None else min(rank_, len(self._sigma))
        self.along, self.size = self._V[self.rank :], measured.size
        self._own, self.least = own, self._sigma[: self.rank].min(initial=np.inf)

    def nearest(self, phi: np.ndarray) -> np.ndarray:
        """Return the least change, measured, that takes residuals away from rows that count."""
        r = self.rank
        left = self._U[:, :r].T @ (phi[self._own] / self._natural) / self._sigma[:r]
        return -self._V[:r].T @ left


def _followed(
    there: "ClosingPoint", q: np.ndarray, way: np.ndarray, count: int
) -> list[np.ndarray]:
    """Return states along one motion; it ends where the machine is nearly singular.

    Other motions begin there, and beside it directions say little.
    """
    found: list[np.ndarray] = []
    limit, line = rank.MARGIN * there.system.slack, _Line(there, q)
    best = line.least
    for _ in range(count):
        way = line.along.T @ (line.along @ way)
        most = np.abs(way).max(initial=0.0)
        if not most > 0.0:
            break
        q, known = there.moved(q, STRIDE / most * way * there.reach), line.rank
        for _ in range(NEWTON):
            line = _Line(there, q, known)
            best = max(best, line.least)
            if not line.least > CLEAR * best:
                return found
            step = line.nearest(there.residual(q))
            q = there.moved(q, step * there.reach)
            if np.abs(step).max(initial=0.0) <= SETTLED:
                break
        if not np.abs(there.residual(q)[~there.asked]).max(initial=0.0) <= limit:
            break
        found.append(q)
    return found


# --- choices --------------------------------------------------------------------------------


def steadfast(there: "ClosingPoint", states: Sequence[np.ndarray], ahead: Motions) -> HeldRows:
    """Return what is held in the place of rows that repeat others within the slack.

    States in and near singular positions have no say.

    Args:
        there: The machine.
        states: Coordinates that are consistent within the slack, far apart.
        ahead: The same along motions.
    """
    rows = range(len(there.system.equations.rows))
    seen, count = _seen(there, states, ahead.paths)
    if not count:
        return HeldRows(tuple(rows))
    kept = _exchanged(seen, _greedy(there, seen, count))
    worth, mixing = seen.worth(seen.C[:, kept]), None
    if not _serves(worth) and ahead.whole:
        mixing, mixed = _mixing(there, seen, kept)
        if mixed <= worth:
            mixing = None
    if mixing is None:
        return HeldRows(tuple(i for i in rows if i not in kept))
    near, count = _seen(there, states, [])
    here = _exchanged(near, _greedy(there, near, count))
    return HeldRows(tuple(i for i in rows if i not in here), mixing, _places(there, kept)[1])


def _seen(
    there: "ClosingPoint", states: Sequence[np.ndarray], paths: Sequence[Sequence[np.ndarray]]
) -> tuple[SeenRows, int]:
    """Return measured rows where as many as anywhere are independent, and how many are."""
    system, (_, w, p), t = there.system, there.rest, float(there.clock[0])
    chains = [[q] for q in states] + [list(path) for path in paths]
    C = np.array([
        measured_rows(system, system.at_rest(t, q, w, p)) for chain in chains for q in chain
    ])
    number = np.concatenate([[i] * len(chain) for i, chain in enumerate(chains)])
    ranks = rank.rank(C, floor=there.floor)
    count = int(ranks.max(initial=0))
    if not count:
        return SeenRows(C, np.zeros(len(C)), np.zeros(0, dtype=bool)), 0
    sigma = np.linalg.svd(C, compute_uv=False)[:, count - 1]
    clear = (ranks == count) & (sigma > CLEAR * sigma[ranks == count].max())
    C, sigma, number, place = C[clear], sigma[clear], number[clear], np.flatnonzero(clear)
    return SeenRows(C, sigma, (np.diff(number) == 0) & (np.diff(place) == 1)), count


def _greedy(there: "ClosingPoint", seen: SeenRows, count: int) -> list[int]:
    """Give up that row which others say best, one after the other, joints before bodies.

    1 − cᵢ (CᵀC)⁺ cᵢᵀ is by what factor det(CᵀC), over what C holds, shrinks without row i.
    """
    rows, floor = there.system.equations.rows, there.floor
    kept = [i for i in range(seen.C.shape[1]) if np.abs(seen.C[:, i]).max() > floor]
    loose = np.array([row.kind == "loop" for row in rows])
    while len(kept) > count:
        U = np.linalg.svd(seen.C[:, kept], full_matrices=False)[0][..., :count]
        left = 1.0 - (U * U).sum(axis=-1).max(axis=0)
        able = np.where(loose[kept], left, -1.0)
        if able.max() > SAME * left.max():
            left = able
        kept.pop(int(np.argmax(left)))
    return kept


def _serves(worth: tuple[int, float]) -> bool:
    return worth >= (0, WELL)


def _exchanged(seen: SeenRows, kept: list[int]) -> list[int]:
    """Exchange rows, the best first, while that makes a choice better that does not serve."""
    others = [i for i in range(seen.C.shape[1]) if np.abs(seen.C[:, i]).max() > 0.0]
    known = seen.worth(seen.C[:, kept])
    work = len(seen.C) * len(kept) ** 3 * seen.C.shape[2] * max(len(others) - len(kept), 0)
    for _ in range(ROUNDS):
        if _serves(known) or work > PRODUCTS:
            break
        tried = [
            sorted({*kept, new} - {old}) for old in kept for new in others if new not in kept
        ]
        worths = [seen.worth(seen.C[:, one]) for one in tried]
        best = max(range(len(tried)), key=worths.__getitem__, default=None)
        if best is None or worths[best] <= known:
            break
        kept, known = tried[best], worths[best]
    return kept


def _groups(there: "ClosingPoint", kept: Sequence[int]) -> list[tuple[list[int], int]]:
    """Return rows of positions of each element that loses some, and how many it keeps."""
    owners: dict[str, list[int]] = {}
    for i, row in enumerate(there.system.equations.rows):
        if row.level == "position" and row.kind != "driver":
            owners.setdefault(row.owner, []).append(i)
    counts = [(own, sum(i in kept for i in own)) for own in owners.values()]
    return [(own, count) for own, count in counts if 0 < count < len(own)]


def _places(
    there: "ClosingPoint", kept: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return which rows of H C are held and which are not: of mixed ones the first are."""
    held = set(kept)
    for own, count in _groups(there, kept):
        held = (held - set(own)) | set(own[:count])
    rows = range(len(there.system.equations.rows))
    return tuple(sorted(held)), tuple(i for i in rows if i not in held)


def _mixing(
    there: "ClosingPoint", seen: SeenRows, kept: Sequence[int]
) -> tuple[np.ndarray, tuple[int, float]]:
    """Return H of orthonormal combinations of rows, the best of many, and what it is worth."""
    groups, (held, _) = _groups(there, kept), _places(there, kept)
    noise, m = np.random.default_rng(1), seen.C.shape[1]
    best, known = np.eye(m), (-len(seen.C), 0.0)
    for draw in range(DRAWS):
        H = np.eye(m)
        for own, _ in groups:
            near = draw % 2 * best[np.ix_(own, own)]  # every other one beside the best
            drawn = 0.3 * near + 0.1 * noise.normal(size=(len(own),) * 2)
            H[np.ix_(own, own)] = np.round(np.linalg.qr(drawn.T)[0].T, DIGITS)
        worth = seen.worth((H @ seen.C)[:, held])
        if worth > known:
            best, known = H, worth
    return best, known
