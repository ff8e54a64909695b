"""All times at which an expression of time crosses given levels, and the pieces in between.

Cells of time are halved until the bounds of `enclosures` say that an expression does not reach
a level in them, or that it is monotone there; then each level is crossed once at most, and the
crossing is found by Newton's method in its bracket. What is left when cells are as short as
the clock can tell is looked at from both sides: the expression crosses (a multiple root, or a
pole), or it only touches.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bellcrank.model.expressions.enclosures import (
    UPWARDS,
    Branches,
    Jet,
    enclose,
    values_at,
)
from bellcrank.model.expressions.functions import sin
from bellcrank.model.expressions.tree import Expression, Operation

CELLS = 1 << 15  # cells looked at together, at most
PART = 0.4871  # where a cell is divided: not in the middle, where crossings like to be
FLOOR = 1e-13  # of the whole time: cells that are not divided any more
EPSILON = 2.0**-52
MEAN_VALUE = 8  # divisions after which the mean value form is worth its cost
WHOLE = 3e-16  # of a number: as near to a whole one, it is that one but for rounding
AT_REST = {"gt": -1, "lt": -1, "ge": 1, "le": 1, "step": 1, "sign": 0}
"""Branches of operations that jump, where what switches them rests at zero."""
ITERATIONS = 60  # of Newton's method, or of halving where it leaves the bracket


class TooMany(Exception):
    """There is more in a span of time than is looked at together: take a shorter one."""


@dataclass(frozen=True)
class Crossings:
    """Times at which an expression crosses a level, in order.

    Attributes:
        t: The times [s].
        pole: For each, whether it crosses by way of infinity.
        touches: Times at which it reaches a level and turns back.
    """

    t: np.ndarray
    pole: np.ndarray
    touches: np.ndarray


@dataclass
class SmoothSpans:
    """Parts of a span of time in which nonsmooth operations stay on one branch.

    Attributes:
        edges: Where they begin and end [s], ascending, shape (n + 1,).
        branches: Of operations, for each piece.
    """

    edges: np.ndarray
    branches: dict[Operation, np.ndarray] = field(default_factory=dict)

    @property
    def middles(self) -> np.ndarray:
        """A time inside each piece, far from where anything changes."""
        return 0.5 * (self.edges[:-1] + self.edges[1:])

    def divide(self, t: np.ndarray) -> np.ndarray:
        """Divide pieces at further times; return which edge each of these is."""
        least = 4.0 * EPSILON * np.maximum(np.abs(self.edges[0]), np.abs(self.edges[-1]))
        at = np.clip(np.searchsorted(self.edges, t), 1, len(self.edges) - 1)
        near = np.minimum(np.abs(self.edges[at] - t), np.abs(t - self.edges[at - 1])) <= least
        new = np.sort(t[~near])
        new = new[np.concatenate([[True], np.diff(new) > least])] if new.size else new
        if new.size:
            old = self.edges
            self.edges = np.sort(np.concatenate([old, new]))
            place = np.clip(np.searchsorted(old, self.middles) - 1, 0, len(old) - 2)
            self.branches = {op: way[place] for op, way in self.branches.items()}
        right = np.clip(np.searchsorted(self.edges, t), 1, len(self.edges) - 1)
        nearer = np.abs(self.edges[right - 1] - t) < np.abs(self.edges[right] - t)
        return np.where(nearer, right - 1, right)


def switched(operation: Operation) -> tuple[Expression, np.ndarray]:
    """Return the function whose crossing of levels switches an operation, and the levels."""
    args = operation.args
    if operation.op == "interp":
        knots = args[1 : 1 + (len(args) - 1) // 2]
        return args[0], np.array([knot.value for knot in knots])  # type: ignore[attr-defined]
    if operation.op in UPWARDS:
        a, b = args
        return (a - b if UPWARDS[operation.op] else b - a), np.zeros(1)
    if operation.op == "floor":
        return sin(math.pi * args[0]), np.zeros(1)
    return args[0], np.zeros(1)


def pieces(
    operations: Iterable[Operation], span: tuple[float, float], values: Mapping[str, float]
) -> SmoothSpans:
    """Return the parts of a span of time in which operations stay on one branch.

    Args:
        operations: Nonsmooth operations that switch with time alone, inner ones first.
        span: Beginning and end [s].
        values: Of parameters by name.

    Raises:
        TooMany: The span is too long.
    """
    found = SmoothSpans(np.array(span, dtype=float))
    for operation in operations:
        z, levels = switched(operation)
        found.divide(crossings(z, levels, found, values).t)
        found.branches[operation] = way(operation, found, values)
    return found


def way(operation: Operation, within: SmoothSpans, values: Mapping[str, float]) -> np.ndarray:
    """Return the branch of an operation in each piece, of which the inner ones are known.

    An argument may rest where the operation switches, as that of floor(t) > 2 does for a
    second: what is compared is then equal, and a sign is zero.
    """
    z, levels = switched(operation)
    t = within.middles
    if operation.op == "floor":
        x = values_at(operation.args[0], t, values, within.branches)
        return np.where(np.floor(x + WHOLE * (1.0 + np.abs(x))) % 2 == 0, 1, -1)
    there = values_at(z, t, values, within.branches)
    if operation.op == "interp":
        return np.searchsorted(levels, there, side="right")
    found = np.where(there < 0.0, -1, 1)
    if operation.op in AT_REST:
        found[_rests(z, t, values, within.branches)] = AT_REST[operation.op]
    return found


def _rests(
    z: Expression, t: np.ndarray, values: Mapping[str, float], branches: Branches
) -> np.ndarray:
    """Say at which times an expression is zero, but for rounding, and does not change."""
    (value, slope), _ = enclose(z, (t, t), values, 1, branches)
    lo, hi = value or (0.0, 0.0)
    least, most = slope or (0.0, 0.0)
    still = (np.asarray(least) == 0.0) & (np.asarray(most) == 0.0)
    return np.broadcast_to((np.asarray(lo) <= 0.0) & (np.asarray(hi) >= 0.0) & still, t.shape)


def crossings(
    expr: Expression, levels: np.ndarray, within: SmoothSpans, values: Mapping[str, float]
) -> Crossings:
    """Return where an expression crosses or touches levels inside pieces of time.

    Args:
        expr: An expression of `t` and parameters.
        levels: The levels, ascending.
        within: Pieces in which its nonsmooth operations stay on one branch.
        values: Of parameters by name.

    Raises:
        TooMany: The span is too long.
    """
    with np.errstate(all="ignore"):
        return _Search(expr, levels, within, values).run()


class _Search:
    """One search. Cells are given by beginnings, ends, and the numbers of their pieces."""

    def __init__(
        self,
        expr: Expression,
        levels: np.ndarray,
        within: SmoothSpans,
        values: Mapping[str, float],
    ) -> None:
        self.expr, self.levels, self.within, self.values = expr, levels, within, values
        start, end = float(within.edges[0]), float(within.edges[-1])
        self.floor = max(FLOOR * (end - start), 16 * EPSILON * max(abs(start), abs(end)))
        self.found: list[np.ndarray] = []
        self.left: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []

    def run(self) -> Crossings:
        """Return what there is."""
        edges, depth = self.within.edges, 0
        a, b, at = edges[:-1], edges[1:], np.arange(len(edges) - 1)
        while a.size:
            if a.size > CELLS + 4 * len(edges):
                raise TooMany
            a, b, at = self._divided(a, b, at, depth)
            depth += 1
        crossed, pole, touches = self._clusters()
        t = np.concatenate([*self.found, crossed])
        order = np.argsort(t)
        poles = np.concatenate([np.zeros(len(t) - len(crossed), bool), pole])
        return Crossings(t[order], poles[order], touches)

    def _divided(
        self, a: np.ndarray, b: np.ndarray, at: np.ndarray, depth: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Take from the cells what is decided; return the halves of the others."""
        jet, undefined = self._jet(a, b, at, 1)
        lo, hi = self._bounds(jet, 0, a)
        least, most = self._bounds(jet, 1, a)
        reached = np.searchsorted(self.levels, lo, "left") < np.searchsorted(
            self.levels, hi, "right"
        )  # also where the bounds are infinite: a pole has every level
        reached &= ~((least == 0.0) & (most == 0.0))  # at rest nothing is crossed
        if depth >= MEAN_VALUE:
            reached[reached] = self._reached(
                a[reached], b[reached], at[reached], least[reached], most[reached]
            )
        monotone = reached & ((least > 0.0) | (most < 0.0)) & ~undefined
        monotone &= np.isfinite(lo) & np.isfinite(hi)
        self._take(a[monotone], b[monotone], at[monotone])
        open_ = reached & ~monotone
        short = open_ & (b - a <= self.floor)
        if depth % 6 == 5:
            short |= open_ & self._noise(a, b, at, open_)
        infinite = ~(np.isfinite(lo) & np.isfinite(hi))
        if short.any():
            self.left.append((a[short], b[short], at[short], infinite[short]))
        go = open_ & ~short
        a, b, at = a[go], b[go], at[go]
        middle = a + PART * (b - a)
        return (
            np.concatenate([a, middle]),
            np.concatenate([middle, b]),
            np.concatenate([at, at]),
        )

    def _reached(
        self,
        a: np.ndarray,
        b: np.ndarray,
        at: np.ndarray,
        least: np.ndarray,
        most: np.ndarray,
    ) -> np.ndarray:
        """Say where a level is reached by f(m) + f'(cell) (t - m), which is closer where short.

        Where terms cancel, at multiple roots, `f(cell)` alone would leave too many cells.
        """
        middle = 0.5 * (a + b)
        lo, hi = self._bounds(self._jet(middle, middle, at, 0)[0], 0, a)
        reach = 0.5 * (b - a) * np.maximum(np.abs(least), np.abs(most)) * (1.0 + 4 * EPSILON)
        apart = np.searchsorted(self.levels, lo - reach, "left") >= np.searchsorted(
            self.levels, hi + reach, "right"
        )
        return ~apart | ~np.isfinite(reach)

    def _jet(
        self, a: np.ndarray, b: np.ndarray, at: np.ndarray, order: int
    ) -> tuple[Jet, np.ndarray]:
        ways: Branches = {op: way[at] for op, way in self.within.branches.items()}
        return enclose(self.expr, (a, b), self.values, order, ways)

    def _bounds(self, jet: Jet, k: int, like: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        part = jet[k] or (0.0, 0.0)
        return np.broadcast_to(part[0], like.shape), np.broadcast_to(part[1], like.shape)

    def _at(self, t: np.ndarray, at: np.ndarray) -> np.ndarray:
        ways = {op: way[at] for op, way in self.within.branches.items()}
        return values_at(self.expr, t, self.values, ways)

    def _noise(
        self, a: np.ndarray, b: np.ndarray, at: np.ndarray, among: np.ndarray
    ) -> np.ndarray:
        """Say of which cells three points lie on a level but for rounding, or nowhere."""
        found = among.copy()
        for part in (0.25, 0.55, 0.8):
            t = a[found] + part * (b[found] - a[found])
            lo, hi = self._bounds(self._jet(t, t, at[found], 0)[0], 0, t)
            on = np.searchsorted(self.levels, lo, "left") < np.searchsorted(
                self.levels, hi, "right"
            )
            found[np.flatnonzero(found)[~(on | ~np.isfinite(hi - lo))]] = False
        return found

    def _take(self, a: np.ndarray, b: np.ndarray, at: np.ndarray) -> None:
        """Find the crossings of cells in which the expression is monotone."""
        if not a.size:
            return
        fa, fb = self._at(a, at), self._at(b, at)
        # A crossing at the beginning of a cell is its own, one at its end the next one's.
        up = fa < fb
        first = np.where(
            up,
            np.searchsorted(self.levels, fa, "left"),
            np.searchsorted(self.levels, fb, "right"),
        )
        last = np.where(
            up,
            np.searchsorted(self.levels, fb, "left"),
            np.searchsorted(self.levels, fa, "right"),
        )
        count = np.maximum(last - first, 0)
        which = np.repeat(np.arange(len(a)), count)
        if not which.size:
            return
        offset = np.arange(len(which)) - np.repeat(np.cumsum(count) - count, count)
        level = self.levels[first[which] + offset]
        self.found.append(
            self._newton(a[which], b[which], at[which], level, np.where(up, 1.0, -1.0)[which])
        )

    def _newton(
        self, a: np.ndarray, b: np.ndarray, at: np.ndarray, level: np.ndarray, up: np.ndarray
    ) -> np.ndarray:
        """Return the crossing in each bracket [a, b], `up` or down."""
        x, todo = 0.5 * (a + b), np.arange(len(a))
        a, b = a.copy(), b.copy()
        for _ in range(ITERATIONS):
            jet, _ = self._jet(x[todo], x[todo], at[todo], 1)
            value, slope = (0.5 * sum(self._bounds(jet, k, todo)) for k in (0, 1))
            over = (value - level[todo]) * up[todo]
            a[todo] = np.where(over < 0, x[todo], a[todo])
            b[todo] = np.where(over < 0, b[todo], x[todo])
            new = x[todo] - (value - level[todo]) / slope
            inside = (new >= a[todo]) & (new <= b[todo])
            new = np.where(inside, new, 0.5 * (a[todo] + b[todo]))
            moved = np.abs(new - x[todo]) > 2.0 * EPSILON * np.abs(x[todo])
            x[todo] = np.where(over == 0.0, x[todo], new)
            todo = todo[moved & (over != 0.0)]
            if not todo.size:
                break
        return x

    def _clusters(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return crossings, whether they are poles, and touches, of cells that are left."""
        nothing = np.zeros(0)
        if not self.left:
            return nothing, nothing.astype(bool), nothing
        a, b, at, infinite = (np.concatenate(part) for part in zip(*self.left, strict=True))
        order = np.argsort(a)
        a, b, at, infinite = a[order], b[order], at[order], infinite[order]
        begins = np.concatenate([[True], (a[1:] != b[:-1]) | (at[1:] != at[:-1])])
        group = np.cumsum(begins) - 1
        first, last = np.flatnonzero(begins), np.append(np.flatnonzero(begins)[1:], len(a)) - 1
        fa, fb = self._at(a[first], at[first]), self._at(b[last], at[last])
        crosses = np.searchsorted(self.levels, fa) != np.searchsorted(self.levels, fb)
        pole = np.zeros(len(first), bool)
        np.logical_or.at(pole, group, infinite)
        # Where it ends to be defined, the last time at which it is.
        middle = np.where(np.isfinite(fb), 0.5 * (a[first] + b[last]), a[first])
        return middle[crosses], pole[crosses], middle[~crosses & ~pole]
