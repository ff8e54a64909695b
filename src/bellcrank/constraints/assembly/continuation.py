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

from typing import Any

import numpy as np

from bellcrank.constraints.assembly.branching import branches, kernel, left_kernel
from bellcrank.constraints.assembly.closing import (
    CLOSED,
    NEARLY,
    ClosingPoint,
    Held,
    approached,
    closed,
)
from bellcrank.errors import StartError
from bellcrank.kernels.protocol import Closable
from bellcrank.linear import rank

Array = np.ndarray
STRIDE = 0.4  # [rad, lengths of the machine] that a step may go
BENT = 0.5  # most that C may change in a step, relative to itself
NEAR = 1e-4  # steps shorter than this have come to a singular position
LAST = 1e-6  # and this near is one that nothing passes
SETTLED = 1e-9  # a correction by so little is rounding


class Overdetermined(Exception):
    """What is named is more than the machine has freedom for."""


class End(Exception):
    """The branch ends before what is named."""

    def __init__(self, path: Any, s: float, q: Array) -> None:
        self.path, self.s, self.q = path, s, q
        super().__init__("the branch ends")


def distance(there: ClosingPoint, one: Array, other: Array) -> float:
    """Return how far two positions are apart [rad, lengths of the machine]."""
    W = there.ask("kinematics", one)[0]  # of full column rank
    return there.size(np.linalg.lstsq(W, other - one, rcond=None)[0])


class Branch:
    """Positions whose rows are open in the drawing, and close along the way.

    Attributes:
        there: The machine.
        begin: Where the way begins.
        free: Which speeds may be in a step.
        first: What rows lack there.
        change: Of that, along the whole way.
        stride: How far a step may go [rad, lengths of the machine].
    """

    def __init__(
        self, there: Closable, begin: Array, free: Array, stride: float = STRIDE
    ) -> None:
        self.there, self.begin, self.free, self.stride = there, begin, free, stride
        self.first = there.residual(begin) * there.nominal("position")
        self.change = -self.first

    def put(self, q: Array, s: float) -> Array:
        """Return q with what is named as it is at s."""
        return q

    def lag(self, s: float) -> Array:
        """Return by how much rows are off at s."""
        return self.first + s * self.change

    def stand(self, s: float, q: Array) -> "Stand":
        """Return a place on the way, with its tangent."""
        there, found = self.there, Stand(self.there, s, q)
        b = self.change / there.scale["position"]
        found.tangent = there.nearest("position", q, b, self.free)
        found.speed = there.size(found.tangent)
        return found

    def corrected(self, here: "Stand", s: float, share: float) -> Array | None:
        """Return q at s from a stand: predicted along the tangent, brought back by Newton.

        Args:
            here: Where the step begins.
            s: Where it ends.
            share: Of the step's length that the first correction may have.
        """
        there, h = self.there, s - here.s
        q = self.put(there.moved(here.q, h * here.tangent), s)
        most = max(SETTLED, share * h * here.speed)
        for _ in range(10):
            phi = there.residual(q, self.lag(s))
            left = float(np.abs(phi).max(initial=0.0))
            if left <= CLOSED:
                return q
            step = here.back(q, phi, self.free)
            size = there.size(step)
            if size <= 1e-10 and left <= NEARLY:
                return there.moved(q, step)
            if size > most:
                return None
            most = 0.3 * size
            q = there.moved(q, step)
        return None


class ContinuationPath(Branch):
    """What is named, from where the drawing has it to where it should be."""

    there: ClosingPoint

    def __init__(
        self,
        there: ClosingPoint,
        begin: Array,
        end: Array,
        held: Held,
        change: Array | None = None,
    ) -> None:
        super().__init__(there, begin, ~held.coordinates)
        self.end, self.held = end, held
        self.first = np.where(there.asked, self.first, 0.0)
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

    def stand(self, s: float, q: Array) -> "RankedStand":
        """Return a place on the path, with its tangent."""
        there, found = self.there, RankedStand(self.there, s, q, self.free)
        v = self.rate(q, s)
        b = self.change / there.scale["position"] - found.C @ v
        found.A = there.ask("mass", q)[0]
        found.tangent = v + there.nearest("position", q, b, self.free, known=(found.A, found.C))
        found.missed = float(np.abs(found.C @ (found.tangent - v) - b).max(initial=0.0))
        found.missed /= max(1e-30, float(np.abs(b).max(initial=0.0)))
        felt = np.abs(found.C).max(axis=0, initial=0.0) > rank.FLOOR
        # What no row feels here, rows may feel further on.
        found.speed = there.size(found.tangent * felt) or there.size(found.tangent)
        return found


class Stand:
    """A place on a branch.

    Attributes:
        there: The machine.
        s, q: The place.
        tangent: The step along the branch per unit of s; speed: how far it goes.
        rank: Of the rows there, where that is looked at.
    """

    rank = 0

    def __init__(self, there: Closable, s: float, q: Array) -> None:
        self.there, self.s, self.q = there, s, q
        self.tangent, self.speed = np.zeros(0), 0.0

    def back(self, q: Array, phi: Array, free: Array) -> Array:
        """Return the least step by which rows that are off by phi close."""
        return self.there.nearest("position", q, -phi, free)

    def bend(self, other: Any) -> float:
        """Return how much the rows change towards another stand, where that is looked at."""
        return 0.0

    def left(self, path: Any) -> "Stand":
        """Return where the way is begun."""
        return self

    def passed(self, path: Any) -> "Stand | None":
        """Return the stand beyond a singular position, if it can be passed."""
        return None


class RankedStand(Stand):
    """A place on the path: C there, its rank and its range."""

    there: ClosingPoint

    def __init__(self, there: ClosingPoint, s: float, q: Array, free: Array) -> None:
        super().__init__(there, s, q)
        self.C = there.matrix("position", q)
        self.tangent, self.missed = np.zeros(len(free)), 0.0
        self.A = np.zeros((len(free), len(free)))
        self._F = there.measured("position", self.C)[:, free]
        U, sigma, Vt = np.linalg.svd(self._F, full_matrices=False)
        self.rank = r = int(rank.counted(sigma, floor=there.floor).sum())
        self._U, self._back = U[:, :r], Vt[:r].T / sigma[:r]

    def back(self, q: Array, phi: Array, free: Array) -> Array:
        """Return the least step in the metric of this place."""
        C = self.there.matrix("position", q)
        return self.there.nearest("position", q, -phi, free, known=(self.A, C))

    def bend(self, other: "RankedStand") -> float:
        """Return how much the rows change towards another stand, relative to themselves."""
        change = self._U.T @ (other._F - self._F) @ self._back
        return float(np.linalg.norm(change, 2)) if change.size else 0.0

    def left(self, path: ContinuationPath) -> "RankedStand":
        """Return the first stand beyond a drawing that is singular itself."""
        return _off_dead_centre(path, self) if self.missed > 1e-6 else _first(path, self)

    def passed(self, path: ContinuationPath) -> "RankedStand | None":
        """Return the stand beyond a singular position along the same tangent."""
        return _passed(path, self)


def walk(path: Branch) -> Array:
    """Return q at the end of a way along a branch.

    Raises:
        End: The branch ends before.
        Overdetermined: What is named contradicts the rows everywhere.
    """
    here = path.stand(0.0, path.begin).left(path)
    h, least = 1.0, NEAR
    while here.s < 1.0:
        h = min(h, 1.0 - here.s, path.stride / max(here.speed, path.stride * 1e-9))
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
            beyond = here.passed(path)
            if beyond is None and least == LAST:
                raise End(path, here.s, here.q)
            least = LAST if beyond is None else NEAR
            here = beyond or here
            h = max(h, 2 * least / max(here.speed, least))
    return here.q


def _passed(path: ContinuationPath, here: RankedStand) -> RankedStand | None:
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
        near = distance(path.there, here.q, q) < 100 * NEAR
        if near and np.abs(left).max(initial=0.0) <= NEARLY:
            return path.stand(1.0, q)
    return None


# --- drawings that are singular themselves


def _first(path: ContinuationPath, here: RankedStand) -> RankedStand:
    """Return the first stand, or the next one where branches leave from it."""
    there, t = path.there, here.tangent
    if here.speed == 0.0:
        return here
    natural = there.natural("position", here.C)[:, None]
    C = here.C / natural
    N = left_kernel((C * there.reach)[:, path.free])
    if not N.size:
        return here

    def conditions(v: Array) -> Array:
        eps = 1e-4 / there.size(v)
        after, before = (
            there.matrix("position", there.moved(here.q, step * v)) for step in (eps, -eps)
        )
        return -N.T @ ((after - before) / (2 * eps * natural) @ v)

    size = there.size(t)
    if np.abs(conditions(t)).max() <= 1e-6 * size**2:
        return here
    Z = kernel(here.A, C, path.free, there.reach)
    found = branches(conditions, t, Z, there.reach, size, 1e-6)
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
    raise End(path, 0.0, here.q)


def _off_dead_centre(path: ContinuationPath, here: RankedStand) -> RankedStand:
    """Return the end of a path that begins in a dead centre of what is named.

    Raises:
        Overdetermined: It is none; what is named contradicts the rows.
        End: What is named lies on the far side of it.
    """
    there = path.there
    C = here.C / there.natural("position", here.C)[:, None]
    Z = kernel(here.A, C, path.free, there.reach)
    everything = np.ones(len(path.free), dtype=bool)
    found, ended = [], False
    for z in (*Z.T, *-Z.T):
        step = z * (0.02 / there.size(z))
        try:
            q = closed(there, there.moved(here.q, step), everything, ~there.asked)
        except StartError:
            continue
        other = ContinuationPath(there, q, path.end, path.held)
        stand = other.stand(0.0, q)
        if stand.missed > 1e-6:
            continue
        try:
            found.append(walk(other))
        except End:
            ended = True
    if ended and not found:
        raise End(path, 0.0, here.q)
    if not found:
        raise Overdetermined
    q = min(found, key=lambda one: distance(there, here.q, one))
    if any(distance(there, q, one) > 1e-6 for one in found):
        there.tell(
            f"'{there.system.equations.name}' is drawn at a dead centre of the coordinates "
            "named in start, where branches meet; the nearest configuration was taken: "
            f"{_shown(path, q, found)}."
        )
    return path.stand(1.0, q)


# --- words


def values(path: ContinuationPath, s: float) -> str:
    """Return what is named as it is at s, in words."""
    q, lag, there = path.put(path.begin, s), path.lag(s), path.there
    own = len(lag) - len(there.wanted["position"])
    said = [
        f"{name} = {q[first]:.6g}"
        if size == 1
        else f"{name} = {np.round(q[first : first + size], 6)}"
        for name, (first, size, _) in path.held.names.items()
    ]
    for target, off in zip(there.wanted["position"], lag[own:], strict=True):
        said.append(f"{target.name} = {target.value + off:.6g}")
    for row, off, first in zip(there.rows["position"][:own], lag, path.first, strict=False):
        if row.kind == "driver" and first != 0.0:
            short = f"{abs(off):.6g} before " if off else ""
            said.append(f"{short}the start of driver '{row.owner}'")
    return ", ".join(said)


def difference(there: ClosingPoint, q: Array, other: Array, free: Array) -> tuple[str, float]:
    """Return the scalar coordinate in which two positions differ most, and its second value."""
    change = np.abs(other - q)
    for vector, first, size in there.system.places.values():
        if vector == "q" and size > 1:
            change[first : first + size] = 0.0
    W = there.ask("kinematics", q)[0]
    change *= np.abs(W[:, free]).max(axis=1, initial=0.0) > 0
    place = int(np.argmax(change))
    return there.system.coordinates[place], float(other[place])


def _shown(path: ContinuationPath, q: Array, found: list[Array]) -> str:
    other = max(found, key=lambda one: distance(path.there, q, one))
    name, value = difference(path.there, other, q, path.free)
    return f"{name} = {value:.6g}, not {other[path.there.system.coordinates.index(name)]:.6g}"


def _tell_passed(path: ContinuationPath, here: Stand) -> None:
    """Warn of branches that meet on the way."""
    path.there.tell(
        f"assembly of '{path.there.system.equations.name}' passes a position in which branches "
        f"meet, at {values(path, here.s)}; it continued on the smooth branch. "
        "Use bc.Near to select another."
    )


def _tell_left(path: ContinuationPath, found: list[Array], taken: Array) -> None:
    """Warn of branches that leave from the drawing."""
    other = max(found, key=lambda one: path.there.size(one - taken))
    place = int(np.argmax(np.abs((other - taken) / path.there.reach) * path.free))
    name = path.there.system.speeds[place]
    path.there.tell(
        f"'{path.there.system.equations.name}' is drawn at a bifurcation point; the branch "
        f"with the smallest motion was taken. If start were reached in 1 s, '{name}' would "
        f"begin at {taken[place]:.6g} on it, at {other[place]:.6g} on another. Use bc.Near to "
        "select one."
    )
