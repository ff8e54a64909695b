"""Assembly by continuation: from the drawing to what is named, along one branch.

    Φ(q) = 0,   named(q) = (1 − s) drawn + s wanted        s from 0 to 1

What is named are coordinates in q, coordinates of joints that close loops, and what drivers ask
for at the start. A step goes along the tangent, in the mass metric where the machine has
freedom left, and Newton's method brings it back; it is taken if nothing singular can lie
between its ends: with C₊ the pseudoinverse of the free columns of C at one end and C' those at
the other, ‖C' C₊ − 1‖ < ½ on the range of C, so that no matrix between them loses rank. Steps
therefore halve on the way to a singular position, and when they are as short as `NEAR` it is
seen for what it is: a bifurcation, which the tangent passes, or the end of the branch.
"""

import warnings
from collections.abc import Iterator

import numpy as np

from bellcrank.assembly.branching import branches, kernel, left_kernel
from bellcrank.assembly.closing import (
    CLOSED,
    NEARLY,
    Held,
    Point,
    Target,
    approached,
    closed,
)
from bellcrank.errors import Bifurcation, StartError

Array = np.ndarray
SMALL = 0.2  # [rad, lengths of the machine] that is come to in one go
STRIDE = 0.4  # that a step of the continuation may go
BENT = 0.5  # most that C may change in a step, relative to itself
NEAR = 1e-4  # steps shorter than this have come to a singular position
LAST = 1e-6  # and this near is one that nothing passes
RANK = 1e-9  # smallest scaled singular value that counts
LONG = 4 * np.pi  # angles beyond this are come to by whole turns [rad]
TRIES = 12  # from which another branch is looked for


def followed(there: Point, drawn: Array, q: Array, held: Held, near: Held) -> Array:
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
        return _beside(there, q, held, near)
    if np.abs(there.residual(q)).max(initial=0.0) <= NEARLY:
        return closed(there, q, free)
    quick = _in_one_go(there, drawn, q, free)
    if quick is not None:
        return quick
    try:
        begin = closed(there, drawn, np.ones(len(free), dtype=bool), ~there.asked)
    except StartError:  # what is named may close what the drawing does not
        return closed(there, q, free)
    try:
        return _along(there, begin, q, held)
    except _Overdetermined:
        return _by_all_names(there, begin, q, held)
    except _End as end:
        if _distance(there, drawn, begin) > STRIDE:  # the drawing shows no branch
            found, left = approached(there, q, free)
            if np.abs(left).max(initial=0.0) <= NEARLY:
                return found
        raise StartError(_ended(there, end, q, held)) from None


class _Overdetermined(Exception):
    """What is named is more than the machine has freedom for."""


class _End(Exception):
    """The branch ends before what is named."""

    def __init__(self, path: "_Path", s: float, q: Array) -> None:
        self.path, self.s, self.q = path, s, q
        super().__init__("the branch ends")


# --- near the drawing, or near what was hinted


def _in_one_go(there: Point, drawn: Array, q: Array, free: Array) -> Array | None:
    """Return q closed by Newton's method if it stays near the drawing and is regular there."""
    if _distance(there, drawn, q) > SMALL:
        return None
    found, left = approached(there, q, free)
    if np.abs(left).max(initial=0.0) > CLOSED or _distance(there, drawn, found) > SMALL:
        return None
    begin = _Stand(there, 0.0, drawn, free)
    end = _Stand(there, 1.0, found, free)
    return found if begin.rank == end.rank and begin.bend(end) < BENT else None


def _distance(there: Point, one: Array, other: Array) -> float:
    """Return how far two positions are apart [rad, lengths of the machine]."""
    W = there.ask("kinematics", one)[0]
    return there.size(np.linalg.lstsq(W, other - one, rcond=None)[0])


def _beside(there: Point, q: Array, held: Held, near: Held) -> Array:
    """Return q closed from what is hinted: held first, as near as it goes, and then let go."""
    hinted = _with_targets(there, (*held.targets, *near.targets))
    q, _ = approached(hinted, q, ~(held.coordinates | near.coordinates))
    return closed(there, q, ~held.coordinates)


def _with_targets(there: Point, targets: tuple[Target, ...]) -> Point:
    """Return the machine with other targets."""
    return Point(there.system, there.t, *there.rest, targets)


# --- along the branch


class _Path:
    """What is named, from where the drawing has it to where it should be."""

    def __init__(
        self, there: Point, begin: Array, end: Array, held: Held, change: Array | None = None
    ) -> None:
        self.there, self.begin, self.end, self.held = there, begin, end, held
        self.free = ~held.coordinates
        self.first = there.residual(begin) * there.scale["position"] * there.asked
        self.change = -self.first if change is None else change  # of drivers and targets

    def put(self, q: Array, s: float) -> Array:
        """Return q with what is named as it is at s."""
        q = q.copy()
        for first, size, _ in self.held.names.values():
            part = slice(first, first + size)
            q[part] = self.end[part] if s >= 1 else self._between(part, s)[0]
        return q

    def _between(self, part: slice, s: float) -> tuple[Array, Array]:
        """Return named coordinates at s and their rate; Euler parameters on a great circle."""
        a, b = self.begin[part], self.end[part]
        turn = 0.0
        if len(a) == 4:
            b = b if a @ b >= 0 else -b
            turn = float(np.arccos(min(1.0, a @ b)))
        if turn < 1e-9:
            return a + s * (b - a), b - a
        across = (b - a * np.cos(turn)) / np.sin(turn)
        place = a * np.cos(s * turn) + across * np.sin(s * turn)
        return place, turn * (across * np.cos(s * turn) - a * np.sin(s * turn))

    def rate(self, q: Array, s: float) -> Array:
        """Return the speeds of what is named, per unit of s."""
        v = np.zeros(len(self.free))
        W = self.there.ask("kinematics", q)[0]
        for first, size, mask in self.held.names.values():
            part = slice(first, first + size)
            rate = self._between(part, s)[1]
            v[mask] = np.linalg.lstsq(W[part][:, mask], rate, rcond=None)[0]
        return v

    def lag(self, s: float) -> Array:
        """Return by how much drivers and targets are off at s."""
        return self.first + s * self.change

    def stand(self, s: float, q: Array) -> "_Stand":
        """Return a place on the path, with its tangent."""
        there, found = self.there, _Stand(self.there, s, q, self.free)
        v = self.rate(q, s)
        b = self.change / there.scale["position"] - found.C @ v
        found.A = there.ask("mass", q)[0]
        found.tangent = v + there.nearest(q, b, self.free, known=(found.A, found.C))
        found.missed = float(np.abs(found.C @ (found.tangent - v) - b).max(initial=0.0))
        found.missed /= max(1e-30, float(np.abs(b).max(initial=0.0)))
        felt = np.abs(found.C).max(axis=0, initial=0.0) > RANK
        found.speed = there.size(found.tangent * felt)
        return found

    def corrected(self, here: "_Stand", s: float, share: float) -> Array | None:
        """Return q at s from a stand: predicted along the tangent, brought back by Newton.

        Args:
            here: Where the step begins.
            s: Where it ends.
            share: Of the step's length that the first correction may have.
        """
        there, h = self.there, s - here.s
        q = self.put(there.moved(here.q, h * here.tangent), s)
        most = share * h * max(here.speed, there.size(here.tangent) * 1e-9)
        for _ in range(10):
            phi = there.residual(q, self.lag(s))
            left = float(np.abs(phi).max(initial=0.0))
            if left <= CLOSED:
                return q
            C = there.matrix("position", q)
            step = there.nearest(q, -phi, self.free, known=(here.A, C))
            size = there.size(step)
            if size <= 1e-10 and left <= NEARLY:
                return there.moved(q, step)
            if size > most:
                return None
            most = 0.3 * size
            q = there.moved(q, step)
        return None


class _Stand:
    """A place on the path: C there, its rank and its range."""

    def __init__(self, there: Point, s: float, q: Array, free: Array) -> None:
        self.s, self.q, self.C = s, q, there.matrix("position", q)
        self.tangent, self.speed, self.missed = np.zeros(len(free)), 0.0, 0.0
        self.A = np.zeros((len(free), len(free)))
        self._F = self.C[:, free] * there.reach[free]
        U, sigma, Vt = np.linalg.svd(self._F, full_matrices=False)
        floor = RANK * max(1.0, float(sigma.max(initial=0.0)))
        self.rank = r = int((sigma > floor).sum())
        self._U, self._back = U[:, :r], Vt[:r].T / sigma[:r]

    def bend(self, other: "_Stand") -> float:
        """Return how much the rows change towards another stand, relative to themselves."""
        change = self._U.T @ (other._F - self._F) @ self._back
        return float(np.linalg.norm(change, 2)) if change.size else 0.0


def _along(there: Point, begin: Array, end: Array, held: Held) -> Array:
    """Return q at the end of the path; whole turns are taken at once where they repeat."""
    begin = _by_turns(there, begin, end, held)
    path = _Path(there, begin, end, held)
    try:
        return _walk(path)
    except _End:
        short = _short_way(path)
        if short is None:
            raise
        return _walk(_Path(there, short, end, held))


def _walk(path: _Path) -> Array:
    """Return q at the end of a path.

    Raises:
        _End: The branch ends before.
        _Overdetermined: What is named contradicts the rows everywhere.
    """
    here = path.stand(0.0, path.begin)
    if here.missed > 1e-6:
        here = _off_dead_centre(path, here)
    else:
        here = _first(path, here)
    h, least = 1.0, NEAR
    while here.s < 1.0:
        h = min(h, 1.0 - here.s, STRIDE / max(here.speed, STRIDE * 1e-9))
        s = 1.0 if h >= 1.0 - here.s else here.s + h
        q, bend = path.corrected(here, s, 0.25), 2 * BENT
        if q is not None:
            there = path.stand(s, q)
            bend = here.bend(there) if there.rank == here.rank else 2 * BENT
            if bend <= BENT:
                here = there
                h *= min(3.0, 0.7 * BENT / max(bend, 1e-9))
                continue
        h *= max(0.2, min(0.5, 0.7 * BENT / bend))
        if h * here.speed < least:
            beyond = _passed(path, here)
            if beyond is None and least == LAST:
                raise _End(path, here.s, here.q)
            least = LAST if beyond is None else NEAR
            here = beyond or here
            h = max(h, 2 * least / max(here.speed, least))
    return here.q


def _passed(path: _Path, here: _Stand) -> _Stand | None:
    """Return the stand beyond a singular position along the same tangent, if there is one."""
    for far in (6 * NEAR, 20 * NEAR):
        h = far / here.speed
        s = 1.0 if h >= 1.0 - here.s else here.s + h
        q = path.corrected(here, s, 0.02)
        if q is None:
            continue
        beyond = path.stand(s, q)
        change = path.there.size(beyond.tangent - here.tangent)
        if s == 1.0 or change <= 0.05 * path.there.size(here.tangent):
            if s < 1.0:
                _tell_passed(path, here)
            return beyond
    if (1.0 - here.s) * here.speed < 20 * NEAR:  # a dead centre is what was asked for
        q, left = approached(path.there, path.put(here.q, 1.0), path.free)
        near = _distance(path.there, here.q, q) < 100 * NEAR
        if near and np.abs(left).max(initial=0.0) <= NEARLY:
            return path.stand(1.0, q)
    return None


# --- drawings that are singular themselves


def _first(path: _Path, here: _Stand) -> _Stand:
    """Return the first stand, or the next one where branches leave from it."""
    there, t = path.there, here.tangent
    if here.speed == 0.0:
        return here
    N = left_kernel(here.C[:, path.free])
    if not N.size:
        return here

    def conditions(v: Array) -> Array:
        eps = 1e-4 / there.size(v)
        after, before = (
            there.matrix("position", there.moved(here.q, step * v)) for step in (eps, -eps)
        )
        return -N.T @ ((after - before) / (2 * eps) @ v)

    size = there.size(t)
    if np.abs(conditions(t)).max() <= 1e-6 * size**2:
        return here
    found = branches(conditions, t, kernel(here.A, here.C, path.free), size, 1e-6)
    found.sort(key=lambda one: float(one @ here.A @ one))
    for tangent in found:
        here.tangent, here.speed = tangent, there.size(tangent)
        for far in (0.02, 20 * NEAR, 5 * NEAR):
            h = min(1.0, far / here.speed)
            q = path.corrected(here, h, 0.1)
            if q is None:
                continue
            beyond = path.stand(h, q)
            if there.size(beyond.tangent - tangent) <= 0.1 * here.speed:
                if len(found) > 1:
                    _tell_left(path, found, tangent)
                return beyond
    raise _End(path, 0.0, here.q)


def _off_dead_centre(path: _Path, here: _Stand) -> _Stand:
    """Return a stand beside a drawing in a dead centre of what is named.

    Raises:
        _Overdetermined: It is none; what is named contradicts the rows.
    """
    there = path.there
    Z = kernel(here.A, here.C, path.free)
    everything = np.ones(len(path.free), dtype=bool)
    found = []
    for z in (*Z.T, *-Z.T):
        step = z * (0.02 / there.size(z))
        try:
            q = closed(there, there.moved(here.q, step), everything, ~there.asked)
        except StartError:
            continue
        other = _Path(there, q, path.end, path.held)
        stand = other.stand(0.0, q)
        if stand.missed > 1e-6:
            continue
        try:
            found.append(_walk(other))
        except _End:
            continue
    if not found:
        raise _Overdetermined
    q = min(found, key=lambda one: _distance(there, here.q, one))
    if any(_distance(there, q, one) > 1e-6 for one in found):
        warnings.warn(
            f"'{there.system.equations.name}' is drawn in a dead centre of what start names, "
            f"and branches leave from there; the nearest was taken, {_shown(path, q, found)}.",
            Bifurcation,
            stacklevel=8,
        )
    return path.stand(1.0, q)


# --- more names than freedoms


def _by_all_names(there: Point, begin: Array, q: Array, held: Held) -> Array:
    """Return q with all that is named: as many followed as there is freedom for.

    The rest chooses among the positions that these leave.
    """
    own = len(there.rows["position"]) - len(there.wanted["position"])
    C = there.matrix("position", begin)[:own] * there.reach
    full, mask, names = np.linalg.matrix_rank(C, RANK), np.zeros(len(there.reach), bool), {}
    for name, (first, size, columns) in held.names.items():
        if np.linalg.matrix_rank(C[:, ~(mask | columns)], RANK) == full:
            mask, names[name] = mask | columns, (first, size, columns)
    if names and (len(names) < len(held.names) or there.wanted["position"]):
        fewer = Held(mask, held.speeds, (), names)
        try:
            found = _along(_with_targets(there, ()), begin, q, fewer)
        except (_Overdetermined, _End):
            found = begin
        found = _Path(there, begin, q, held).put(found, 1.0)
        found, left = approached(there, found, ~held.coordinates)
        if np.abs(left).max(initial=0.0) <= NEARLY:
            return found
    return closed(there, q, ~held.coordinates)


# --- whole turns


def _turning(there: Point, begin: Array, end: Array, held: Held) -> Iterator[tuple]:
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
        columns = np.flatnonzero(np.abs(C[row]) > RANK)
        places = np.flatnonzero(W[:, columns[0]]) if len(columns) == 1 else []
        if len(places) == 1 and angle[places[0]] and W[places[0], columns[0]] == 1.0:
            factor = C[row, columns[0]]
            yield places[0], -off[row] / factor, (row, factor * there.scale["position"][row])


def _by_turns(there: Point, begin: Array, end: Array, held: Held) -> Array:
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
            after = _walk(_Path(there, begin, there_and, only, asked)) - begin
        except (_Overdetermined, _End):
            continue
        turns = np.where(angle, np.round(after / (2 * np.pi)), 0.0)
        if np.abs(after - 2 * np.pi * turns).max() < 1e-6:
            begin = begin + 2 * np.pi * turns * np.floor(abs(change) / (2 * np.pi))
    return begin


def _short_way(path: _Path) -> Array | None:
    """Return where to begin to come to named angles by less than half a turn, if it is so."""
    there, begin = path.there, path.begin.copy()
    for place, change, _ in _turning(there, path.begin, path.end, path.held):
        begin[place] += 2 * np.pi * np.round(change / (2 * np.pi))
    if np.array_equal(begin, path.begin):
        return None
    felt = (there.residual(begin) - there.residual(path.begin))[~there.asked]
    return begin if np.abs(felt).max(initial=0.0) <= NEARLY else None


# --- words


def _values(path: _Path, s: float) -> str:
    """Return what is named, as it is at s."""
    q, lag, there = path.put(path.begin, s), path.lag(s), path.there
    said = [
        f"{name} = {q[first]:.6g}"
        for name, (first, size, _) in path.held.names.items()
        if size == 1
    ]
    said += [name for name, (_, size, _) in path.held.names.items() if size > 1]
    own = len(lag) - len(there.wanted["position"])
    for target, off in zip(there.wanted["position"], lag[own:], strict=True):
        said.append(f"{target.name} = {target.value + off:.6g}")
    for row, off in zip(there.rows["position"][:own], lag[:own], strict=True):
        if row.kind == "driver" and path.first.any():
            said.append(f"driver '{row.owner}' off by {abs(off):.6g}")
    return ", ".join(said)


def _ended(there: Point, end: _End, q: Array, held: Held) -> str:
    """Return the sentence that says where a branch ends, and which other one goes on."""
    said = (
        f"the branch of the drawing does not reach {_values(end.path, 1.0)}: it ends in a dead "
        f"centre at {_values(end.path, end.s)}"
    )
    found = _another(there, end.path.put(end.q, 1.0), held)
    if found is None:
        return f"{said}. No other branch that reaches it was found. Name a value before it."
    name, value = _difference(there, end.q, found, ~held.coordinates)
    return (
        f"{said}. Another branch reaches it with {name} = {value:.6g}; to take that one, give "
        f"'{name}': bc.Near({value:.3g}) in start as well."
    )


def _another(there: Point, q: Array, held: Held) -> Array | None:
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
    return min(found, key=lambda one: _distance(there, q, one), default=None)


def _principal(angle: Array) -> Array:
    return (angle + np.pi) % (2 * np.pi) - np.pi


def _difference(there: Point, q: Array, other: Array, free: Array) -> tuple[str, float]:
    """Return the scalar coordinate in which two positions differ most, and its second value."""
    change = np.abs(other - q)
    for _, (vector, first, size) in there.system.places.items():
        if vector == "q" and size > 1:
            change[first : first + size] = 0.0
    W = there.ask("kinematics", q)[0]
    change *= np.abs(W[:, free]).max(axis=1, initial=0.0) > 0
    place = int(np.argmax(change))
    return there.system.coordinates[place], float(other[place])


def _shown(path: _Path, q: Array, found: list[Array]) -> str:
    other = max(found, key=lambda one: _distance(path.there, q, one))
    name, value = _difference(path.there, other, q, path.free)
    return f"{name} = {value:.6g} and not {other[path.there.system.coordinates.index(name)]:.6g}"


def _tell_passed(path: _Path, here: _Stand) -> None:
    """Warn of branches that meet on the way."""
    warnings.warn(
        f"assembly of '{path.there.system.equations.name}' passes a position in which branches "
        f"meet, at {_values(path, here.s)}; it went straight on. bc.Near chooses another.",
        Bifurcation,
        stacklevel=8,
    )


def _tell_left(path: _Path, found: list[Array], taken: Array) -> None:
    """Warn of branches that leave from the drawing."""
    other = max(found, key=lambda one: path.there.size(one - taken))
    place = int(np.argmax(np.abs((other - taken) / path.there.reach) * path.free))
    name = path.there.system.speeds[place]
    warnings.warn(
        f"'{path.there.system.equations.name}' is drawn where its motions branch; the one that "
        f"moves least was taken, on which '{name}' begins with {taken[place]:.6g} and not "
        f"{other[place]:.6g} for the whole way. bc.Near chooses another.",
        Bifurcation,
        stacklevel=8,
    )
