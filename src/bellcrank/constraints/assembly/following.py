"""Where a machine begins: on the branch of its drawing, with what is named.

What is named near the drawing is come to by Newton's method in one go, where nothing singular
can lie between; all else by `continuation`. Names that say more than there is freedom for
choose between the positions that the others leave, and so does `Near`.
"""

from collections.abc import Iterator

import numpy as np

from bellcrank.constraints.assembly.closing import (
    CLOSED,
    NEARLY,
    ClosingPoint,
    Held,
    Target,
    approached,
    closed,
)
from bellcrank.constraints.assembly.continuation import (
    BENT,
    STRIDE,
    ContinuationPath,
    End,
    Overdetermined,
    RankedStand,
    difference,
    distance,
    values,
    walk,
)
from bellcrank.errors import StartError
from bellcrank.kernels.protocol import Machine
from bellcrank.linear import rank

Array = np.ndarray
SMALL = 0.2  # [rad, lengths of the machine] that is come to in one go
LONG = 4 * np.pi  # angles beyond this are come to by whole turns [rad]
TRIES = 12  # from which another branch is looked for


def followed(there: ClosingPoint, drawn: Array, q: Array, held: Held, near: Held) -> Array:
    """Return q on the constraints, on the branch of the drawing, with what is named.

    Args:
        there: The machine, with what is named of joints that close loops.
        drawn: Its coordinates as drawn.
        q: The same with what is named, and what it should be near, in their places.
        held: What is named.
        near: What is not held, but should be near the value given.

    Warns:
        Bifurcation: Branches meet on the way, and which was taken.

    Raises:
        StartError: It does not close, or the branch ends before what was named.
    """
    free = ~held.coordinates
    if near.names or near.targets:
        return _from_hints(there, q, held, near)
    if np.abs(there.residual(q)).max(initial=0.0) <= NEARLY:
        return closed(there, q, free)
    try:
        begin = there.system.once(Drawings).closed(there, drawn)
    except StartError:  # what is named may close what the drawing does not
        return closed(there, q, free)
    quick = _in_one_go(
        there, begin, ContinuationPath(there, begin, q, held).put(begin, 1.0), free
    )
    if quick is not None:
        return quick
    try:
        return _along(there, begin, q, held)
    except Overdetermined:
        return _by_all_names(there, begin, q, held)
    except End as end:
        if distance(there, drawn, begin) > STRIDE:  # the drawing shows no branch
            found, left = approached(there, q, free)
            if np.abs(left).max(initial=0.0) <= NEARLY:
                return found
        raise StartError(_ended(there, end, q, held)) from None


class Drawings:
    """The drawing of a machine, closed; kept for the last values of parameters."""

    def __init__(self, system: Machine) -> None:
        self._kept = (b"", np.zeros(0))

    def closed(self, there: ClosingPoint, drawn: Array) -> Array:
        """Return q as drawn, closed but for drivers and targets.

        Raises:
            StartError: It does not close.
        """
        floor, scale = np.float64(there.floor), there.scale["position"]
        parts = (drawn, there.clock, *there.rest, floor, scale, there.asked)
        key = b"".join(part.tobytes() for part in parts)
        kept, found = self._kept
        if key != kept:
            everything = np.ones(len(there.reach), dtype=bool)
            found = closed(there, drawn, everything, ~there.asked)
            self._kept = key, found
        return found


# --- near the drawing, or near what was hinted


def _in_one_go(there: ClosingPoint, begin: Array, q: Array, free: Array) -> Array | None:
    """Return q closed by Newton's method if it stays near the drawing and is regular there."""
    if distance(there, begin, q) > SMALL:
        return None
    found, left = approached(there, q, free)
    if np.abs(left).max(initial=0.0) > CLOSED or distance(there, begin, found) > SMALL:
        return None
    ends = ((0.0, begin), (1.0, found))
    first, last = (RankedStand(there, s, place, free) for s, place in ends)
    return found if first.rank == last.rank and first.bend(last) < BENT else None


def _from_hints(there: ClosingPoint, q: Array, held: Held, near: Held) -> Array:
    """Return q closed from what is hinted: held first, as near as it goes, and then let go."""
    hinted = _with_targets(there, (*held.targets, *near.targets))
    q, _ = approached(hinted, q, ~(held.coordinates | near.coordinates))
    return closed(there, q, ~held.coordinates)


def _with_targets(there: ClosingPoint, targets: tuple[Target, ...]) -> ClosingPoint:
    """Return the machine with other targets."""
    return ClosingPoint(there.system, there.t, *there.rest, targets, there.kept)


# --- along the branch


def _along(there: ClosingPoint, begin: Array, end: Array, held: Held) -> Array:
    """Return q at the end of the path; whole turns are taken at once where they repeat."""
    begin = _by_turns(there, begin, end, held)
    path = ContinuationPath(there, begin, end, held)
    try:
        return walk(path)
    except End:
        short = _short_way(path)
        if short is None:
            raise
        return walk(ContinuationPath(there, short, end, held))


# --- more names than freedoms


def _by_all_names(there: ClosingPoint, begin: Array, q: Array, held: Held) -> Array:
    """Return q with all that is named: as many followed as there is freedom for.

    The rest chooses among the positions that these leave.
    """
    own = len(there.rows["position"]) - len(there.wanted["position"])
    C = there.measured("position", there.matrix("position", begin))[:own]
    full, mask, names = rank.rank(C, floor=there.floor), np.zeros(len(there.reach), bool), {}
    for name, (first, size, columns) in held.names.items():
        if rank.rank(C[:, ~(mask | columns)], floor=there.floor) == full:
            mask, names[name] = mask | columns, (first, size, columns)
    if names and (len(names) < len(held.names) or there.wanted["position"]):
        fewer = Held(mask, held.speeds, (), names)
        try:
            found = _along(_with_targets(there, ()), begin, q, fewer)
        except (Overdetermined, End):
            found = begin
        found = ContinuationPath(there, begin, q, held).put(found, 1.0)
        found, left = approached(there, found, ~held.coordinates)
        if np.abs(left).max(initial=0.0) <= NEARLY:
            return found
    return closed(there, q, ~held.coordinates)


# --- whole turns


def _turning(there: ClosingPoint, begin: Array, end: Array, held: Held) -> Iterator[tuple]:
    """Yield each angle that is named or driven: its place in q, its change, how it is said.

    That is the name, or for a driver the number of its row and the factor of the angle in it.
    """
    system = there.system
    angle = [each.quantity == "angle" for each in system.equations.coordinates]
    for name, (first, size, _) in held.names.items():
        if size == 1 and angle[first]:
            yield first, end[first] - begin[first], name
    own = len(there.rows["position"]) - len(there.wanted["position"])
    rows = np.flatnonzero(there.asked[:own])
    if not rows.size:
        return
    C, W = there.matrix("position", begin), there.ask("kinematics", begin)[0]
    off = there.residual(begin)
    for row in rows:
        columns = np.flatnonzero(np.abs(C[row]) > rank.FLOOR)
        places = np.flatnonzero(W[:, columns[0]]) if len(columns) == 1 else []
        if len(places) == 1 and angle[places[0]] and W[places[0], columns[0]] == 1.0:
            factor = C[row, columns[0]]
            yield places[0], -off[row] / factor, (row, factor * there.scale["position"][row])


def _by_turns(there: ClosingPoint, begin: Array, end: Array, held: Held) -> Array:
    """Return where to begin so that angles that are many turns away are not followed there.

    One turn is followed; where the machine is the same after it, so it is after all of them.
    """
    angle = np.array([v.quantity == "angle" for v in there.system.equations.coordinates])
    for place, change, said in list(_turning(there, begin, end, held)):
        if abs(change) <= LONG:
            continue
        turn, there_and = np.copysign(2 * np.pi, change), begin.copy()
        asked = np.zeros(len(there.rows["position"]))
        names = {}
        if isinstance(said, str):
            there_and[place] += turn
            names[said] = held.names[said]
        else:
            asked[said[0]] = turn * said[1]
        mask = np.zeros(len(there.reach), dtype=bool)
        for _, _, columns in names.values():
            mask |= columns
        only = Held(mask, held.speeds, (), names)
        try:
            after = walk(ContinuationPath(there, begin, there_and, only, asked)) - begin
        except (Overdetermined, End):
            continue
        turns = np.where(angle, np.round(after / (2 * np.pi)), 0.0)
        if np.abs(after - 2 * np.pi * turns).max() < 1e-6:
            begin = begin + 2 * np.pi * turns * np.floor(abs(change) / (2 * np.pi))
    return begin


def _short_way(path: ContinuationPath) -> Array | None:
    """Return where to begin to come to named angles by less than half a turn, if it is so."""
    there, begin = path.there, path.begin.copy()
    for place, change, _ in _turning(there, path.begin, path.end, path.held):
        begin[place] += 2 * np.pi * np.round(change / (2 * np.pi))
    if np.array_equal(begin, path.begin):
        return None
    felt = (there.residual(begin) - there.residual(path.begin))[~there.asked]
    return begin if np.abs(felt).max(initial=0.0) <= NEARLY else None


# --- words


def _ended(there: ClosingPoint, end: End, q: Array, held: Held) -> str:
    """Return the sentence that says where a branch ends, and which other one goes on."""
    said = (
        f"the branch of the drawing does not reach {values(end.path, 1.0)}: it ends in a dead "
        f"centre at {values(end.path, end.s)}"
    )
    found = _another(there, end.path.put(end.q, 1.0), held)
    if found is None:
        return f"{said}. No other branch that reaches it was found. Name a value before it."
    name, value = difference(there, end.q, found, ~held.coordinates)
    return (
        f"{said}. Another branch reaches it with {name} = {value:.6g}; to take that one, give "
        f"'{name}': bc.Near({value:.3g}) in start as well."
    )


def _another(there: ClosingPoint, q: Array, held: Held) -> Array | None:
    """Return a closed position with what is named, the nearest of those found."""
    noise, free, found = np.random.default_rng(1), ~held.coordinates, []
    for k in range(TRIES):
        away = noise.uniform(-np.pi, np.pi, len(free)) * free * there.reach * (k > 0)
        one, left = approached(there, there.moved(q, away), free, steps=20)
        if np.abs(left).max(initial=0.0) <= NEARLY:
            found.append(one)
        if len(found) == 3:
            break
    turns = [v.quantity == "angle" for v in there.system.equations.coordinates]
    found = [np.where(turns, q + _principal(one - q), one) for one in found]
    return min(found, key=lambda one: distance(there, q, one), default=None)


def _principal(angle: Array) -> Array:
    return (angle + np.pi) % (2 * np.pi) - np.pi
