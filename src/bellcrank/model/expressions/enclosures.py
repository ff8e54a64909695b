"""Bounds of an expression of time and of its derivatives over many cells of time at once.

Automatic differentiation in intervals: over a cell [a, b] an expression has the Taylor
coefficients c_k = f⁽ᵏ⁾/k!, each enclosed for every point of the cell. A coefficient that is
zero everywhere is None. A nonsmooth operation is on the branch it is told, else on all that
the cell allows: what is enclosed is then every smooth piece, and the derivatives at a bend or
jump are those of its two sides.

References:
    Moore, Kearfott, Cloud (2009), Introduction to Interval Analysis, ch. 9.
    Griewank, Walther (2008), Evaluating Derivatives, ch. 13 (recurrences of Taylor series).
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf, pi
from typing import Any

import numpy as np

from bellcrank.model.expressions import intervals as iv
from bellcrank.model.expressions.intervals import ONE, ZERO, Interval
from bellcrank.model.expressions.tree import (
    Constant,
    Expression,
    Operation,
    Parameter,
    Signal,
    walk,
)

Jet = list[Interval | None]
Branches = Mapping[Operation, np.ndarray]
"""For abs, sign, step, floor, min, max and comparisons ±1; of interp the knots passed."""

UPWARDS = {"max": True, "gt": True, "ge": True, "min": False, "lt": False, "le": False}
"""Whether the first argument less the second, or the other way round, is what switches."""


def enclose(
    expr: Expression,
    cells: tuple[np.ndarray, np.ndarray],
    values: Mapping[str, float],
    order: int = 0,
    branches: Branches | None = None,
) -> tuple[Jet, np.ndarray]:
    """Return the enclosed Taylor coefficients, and where the expression may be undefined.

    Args:
        expr: An expression of `t` and parameters.
        cells: Beginnings and ends of the cells [s], each of shape (n,).
        values: Of parameters by name; others have their own.
        order: Of the last coefficient.
        branches: Known branches of nonsmooth operations, one entry for each cell.

    Returns:
        The coefficients c_0 to c_order as (lo, hi), each of shape (n,) or a number, or None;
        and for each cell whether some point of it may lie outside the domain of a function.
    """
    with np.errstate(all="ignore"):
        work = _Cells(cells, values, order, branches or {})
        done: dict[int, Jet] = {}
        for node in walk(expr):
            args = [done[id(arg)] for arg in node.args] if isinstance(node, Operation) else []
            done[id(node)] = work.jet(node, args)
        return done[id(expr)], work.undefined


def values_at(
    expr: Expression,
    t: np.ndarray,
    values: Mapping[str, float],
    branches: Branches | None = None,
) -> np.ndarray:
    """Return the expression at times, shape (n,): the middle of its enclosures there."""
    (c0, *_), _ = enclose(expr, (t, t), values, 0, branches)
    assert c0 is not None
    with np.errstate(all="ignore"):
        middle = 0.5 * (np.asarray(c0[0]) + np.asarray(c0[1]))
    return np.broadcast_to(middle, t.shape)


class _Cells:
    """Rules by which jets are combined."""

    def __init__(
        self,
        cells: tuple[np.ndarray, np.ndarray],
        values: Mapping[str, float],
        order: int,
        branches: Branches,
    ) -> None:
        self.cells, self.values, self.order, self.branches = cells, values, order, branches
        self.undefined = np.zeros(cells[0].shape, dtype=bool)

    def jet(self, node: Expression, args: list[Jet]) -> Jet:
        """Return the jet of a node from those of its arguments."""
        match node:
            case Constant(value):
                return self.constant(value)
            case Parameter(name, value):
                return self.constant(float(self.values.get(name, value)))
            case Signal("t"):
                return ([self.cells, ONE] + [None] * self.order)[: self.order + 1]
            case Operation(op, _):
                if op == "interp":
                    return self.table(node, args)
                if op == "floor":
                    return self.floor(node, args[0])
                if op in _BRANCHED:
                    return self.branched(node, args)
                return _RULES[op](self, *args)
        raise TypeError(f"{node!r} does not depend on time alone")

    def constant(self, value: float) -> Jet:
        return [(value, value)] + [None] * self.order

    def forbid(self, where: Any) -> None:
        """Note cells in which a function may be undefined."""
        self.undefined |= where

    # --- arithmetic

    def add(self, a: Jet, b: Jet) -> Jet:
        return [_plus(x, y) for x, y in zip(a, b, strict=True)]

    def neg(self, a: Jet) -> Jet:
        return [None if x is None else iv.neg(x) for x in a]

    def sub(self, a: Jet, b: Jet) -> Jet:
        return self.add(a, self.neg(b))

    def mul(self, a: Jet, b: Jet) -> Jet:
        return [_convolution(a, b, k) for k in range(self.order + 1)]

    def div(self, a: Jet, b: Jet) -> Jet:
        (a0, b0), found = (_first(a), _first(b)), list[Interval | None]()
        self.forbid((a0[0] <= 0) & (a0[1] >= 0) & (b0[0] <= 0) & (b0[1] >= 0))
        inverse = iv.inverse(b0)
        for k in range(self.order + 1):
            known = _total(_times(b[i], found[k - i]) for i in range(1, k + 1))
            found.append(_times(_plus(a[k], known and iv.neg(known)), inverse))
        found[0] = found[0] or ZERO
        return found

    # --- functions of one argument, by y' = g u'

    def chain(self, u: Jet, y0: Interval, slope: Callable[[Jet, int], Interval | None]) -> Jet:
        """Return the jet of y with y' = g u', where slope(y, m) is the coefficient m of g."""
        y: Jet = [y0]
        for k in range(1, self.order + 1):
            terms = (
                _times(_scaled(u[j], j / k), slope(y, k - j))
                for j in range(1, k + 1)
                if u[j] is not None
            )
            y.append(_total(terms))
        return y

    def exp(self, u: Jet) -> Jet:
        return self.chain(u, iv.rising(np.exp, _first(u)), lambda y, m: y[m])

    def log(self, u: Jet) -> Jet:
        self.forbid(_first(u)[0] < 0)
        g = self.div(self.constant(1.0), u) if self.order else []
        positive = tuple(np.maximum(end, 0.0) for end in _first(u))
        return self.chain(u, iv.rising(np.log, positive), lambda y, m: g[m])

    def waves(self, u: Jet, sign: float, first: Interval, second: Interval) -> tuple[Jet, Jet]:
        """Return two functions, each ± the other's derivative: sine, cosine and their kin."""
        s: Jet = [first]
        c: Jet = [second]
        for k in range(1, self.order + 1):
            parts = [(_scaled(u[j], j / k), k - j) for j in range(1, k + 1)]
            s.append(_total(_times(du, c[m]) for du, m in parts))
            c.append(_total(_times(_scaled(du, sign), s[m]) for du, m in parts))
        return s, c

    def sin(self, u: Jet) -> Jet:
        return self.waves(u, -1.0, iv.sine(_first(u)), iv.cosine(_first(u)))[0]

    def cos(self, u: Jet) -> Jet:
        return self.waves(u, -1.0, iv.sine(_first(u)), iv.cosine(_first(u)))[1]

    def sinh(self, u: Jet) -> Jet:
        return self.waves(u, 1.0, iv.rising(np.sinh, _first(u)), iv.even_cosh(_first(u)))[0]

    def cosh(self, u: Jet) -> Jet:
        return self.waves(u, 1.0, iv.rising(np.sinh, _first(u)), iv.even_cosh(_first(u)))[1]

    def _riccati(self, u: Jet, y0: Interval, sign: float, slope0: Interval) -> Jet:
        """Return y with y' = (1 ± y²) u'; `slope0` is 1 ± y²."""

        def slope(y: Jet, m: int) -> Interval | None:
            return slope0 if m == 0 else _scaled(_convolution(y, y, m), sign)

        return self.chain(u, y0, slope)

    def tan(self, u: Jet) -> Jet:
        y0 = iv.tangent(_first(u))
        return self._riccati(u, y0, 1.0, iv.add(ONE, iv.power(y0, 2)))

    def tanh(self, u: Jet) -> Jet:
        # 1 - y² would be nothing but rounding where y is nearly 1.
        slope0 = iv.power(iv.inverse(iv.even_cosh(_first(u))), 2)
        return self._riccati(u, iv.rising(np.tanh, _first(u)), -1.0, slope0)

    def atan(self, u: Jet) -> Jet:
        g = self.div(self.constant(1.0), self.add(self.constant(1.0), self.mul(u, u)))
        return self.chain(u, iv.rising(np.arctan, _first(u)), lambda y, m: g[m])

    def asin(self, u: Jet) -> Jet:
        lo, hi = _first(u)
        self.forbid((lo < -1.0) | (hi > 1.0))
        g: Jet = []
        if self.order:
            rest = self.sub(self.constant(1.0), self.mul(u, u))
            g = self.root(rest, -0.5, False)
        inside = np.clip(lo, -1.0, 1.0), np.clip(hi, -1.0, 1.0)
        return self.chain(u, iv.rising(np.arcsin, inside), lambda y, m: g[m])

    def acos(self, u: Jet) -> Jet:
        return self.sub(self.constant(0.5 * pi), self.asin(u))

    def atan2(self, y: Jet, x: Jet) -> Jet:
        found: Jet = [iv.angle(_first(y), _first(x))]
        if self.order:
            across = self.sub(self.mul(x, _rate(y)), self.mul(y, _rate(x)))
            g = self.div(across, self.add(self.mul(x, x), self.mul(y, y)))
            found += [_scaled(g[k - 1], 1.0 / k) for k in range(1, self.order + 1)]
        return found

    # --- powers

    def sqrt(self, u: Jet) -> Jet:
        return self.root(u, 0.5)

    def root(self, u: Jet, r: float, told: bool = True) -> Jet:
        """Return u^r for u ≥ 0; r is no whole number."""
        lo, hi = _first(u)
        if told:
            self.forbid(lo < 0.0)
        ends = np.power(np.maximum(lo, 0.0), r), np.power(np.maximum(hi, 0.0), r)
        y: Jet = [iv.outward(np.minimum(*ends), np.maximum(*ends), iv.FUNCTION)]
        inverse = iv.inverse((np.maximum(lo, 0.0), np.maximum(hi, 0.0)))
        for k in range(1, self.order + 1):
            terms = (
                _times(_scaled(u[j], (r * j - (k - j)) / k), y[k - j]) for j in range(1, k + 1)
            )
            y.append(_times(_total(terms), inverse))
        return y

    def pow(self, a: Jet, b: Jet) -> Jet:
        lo, hi = _first(b)
        fixed = all(part is None for part in b[1:]) and np.ndim(lo) == 0 and lo == hi
        if not fixed:
            return self.exp(self.mul(b, self.log(a)))
        r = float(lo)
        if r != round(r) or abs(r) > 64:
            return self.root(a, r)
        if r < 0:
            return self.div(self.constant(1.0), self._whole(a, int(-r)))
        return self._whole(a, int(r))

    def _whole(self, a: Jet, n: int) -> Jet:
        """Return aⁿ: even where n is even, without a detour by products of equal factors."""
        if n == 0:
            return self.constant(1.0)
        y = [iv.power(_first(a), n)]
        if not self.order:
            return [*y]
        g = [_scaled(part, float(n)) for part in self._whole(a, n - 1)]
        return self.chain(a, y[0], lambda _, m: g[m])

    # --- conditions and branches

    def both(self, a: Jet, b: Jet) -> Jet:
        (a0, a1), (b0, b1) = _first(a), _first(b)
        return [(np.minimum(a0, b0), np.minimum(a1, b1))] + [None] * self.order

    def either(self, a: Jet, b: Jet) -> Jet:
        (a0, a1), (b0, b1) = _first(a), _first(b)
        return [(np.maximum(a0, b0), np.maximum(a1, b1))] + [None] * self.order

    def contrary(self, a: Jet) -> Jet:
        lo, hi = _first(a)
        return [(1.0 - hi, 1.0 - lo)] + [None] * self.order

    def where(self, condition: Jet, a: Jet, b: Jet) -> Jet:
        lo, hi = _first(condition)
        return _either(lo > 0.0, hi <= 0.0, a, b)

    def branched(self, node: Operation, args: list[Jet]) -> Jet:
        """Return an operation that switches on the sign of one function."""
        op, a = node.op, args[0]
        z = _first(a)
        if op in UPWARDS:
            z = _first(self.sub(a, args[1]) if UPWARDS[op] else self.sub(args[1], a))
        told = self.branches.get(node)
        above, below = (z[0] > 0.0, z[1] < 0.0) if told is None else (told > 0, told < 0)
        if op == "abs":
            found = _either(above, below, a, self.neg(a))
            if told is None:
                found[0] = iv.absolute(_first(a))
            return found
        if op in ("min", "max"):
            found = _either(above, below, a, args[1])
            if told is None:
                one, other = _first(a), _first(args[1])
                take = np.maximum if op == "max" else np.minimum
                found[0] = take(one[0], other[0]), take(one[1], other[1])
            return found
        high, low = self.constant(1.0), self.constant(-1.0 if op == "sign" else 0.0)
        nothing = (z[0] == 0.0) & (z[1] == 0.0)
        found = _either(above, below, high, low)
        if told is not None:
            nothing = told == 0  # of a sign alone
        if np.any(nothing):
            rest = ZERO if op in ("sign", "gt", "lt") else ONE
            found[0] = iv.choose(nothing, rest, _first(found))
        return found

    def floor(self, node: Operation, x: Jet) -> Jet:
        """Return the whole number below x; where it is known to be even or odd, that one."""
        lo, hi = _first(x)
        told = self.branches.get(node)
        if told is None:
            return [(np.floor(lo), np.floor(hi))] + [None] * self.order
        odd = np.where(told < 0, 1.0, 0.0)
        value = 2.0 * np.rint(0.25 * (np.asarray(lo) + hi) - 0.5 * odd - 0.25) + odd
        return [(value, value)] + [None] * self.order

    def table(self, node: Operation, args: list[Jet]) -> Jet:
        """Return a piecewise linear table, constant beyond its ends."""
        x, half = args[0], (len(args) - 1) // 2
        knots = np.array([float(_first(arg)[0]) for arg in args[1 : 1 + half]])
        tops = args[1 + half :]
        flat = all(part is None for jet in tops for part in jet[1:])
        if not flat or any(np.ndim(_first(jet)[0]) for jet in tops):
            return self._moving_table(node, x, knots, tops)
        y = np.array([float(_first(jet)[0]) for jet in tops])
        slopes = np.concatenate([[0.0], np.diff(y) / np.diff(knots), [0.0]])
        told = self.branches.get(node)
        lo, hi = (np.broadcast_to(end, self.undefined.shape) for end in _first(x))
        if told is None:
            first = np.searchsorted(knots, lo, side="left")
            last = np.searchsorted(knots, hi, side="right")
        else:
            first = last = np.asarray(told, dtype=int)
        ends = [_on_piece(end, at, knots, y, slopes) for end, at in ((lo, first), (hi, last))]
        inner = _range(y, first, np.maximum(last, first) - 1, first < last)
        bounds = np.minimum(*ends), np.maximum(*ends)
        scale = np.abs(y).max() * 4 * iv.EPSILON
        c0 = iv.hull(bounds, (np.where(first < last, inner[0], inf), inner[1]))
        c0 = iv.outward(c0[0] - scale, np.where(first < last, c0[1], bounds[1]) + scale)
        slope = _range(slopes, first, last, np.ones(first.shape, bool))
        return [c0] + [_times(slope, part) for part in x[1:]]

    def _moving_table(
        self, node: Operation, x: Jet, knots: np.ndarray, tops: Sequence[Jet]
    ) -> Jet:
        """Return a table whose values change: as a sum of bends."""
        told, found, before = self.branches.get(node), tops[0], self.constant(0.0)
        for i, knot in enumerate(knots):
            after = self.constant(0.0)
            if i + 1 < len(knots):
                rise = self.sub(tops[i + 1], tops[i])
                after = self.mul(rise, self.constant(1.0 / (knots[i + 1] - knot)))
            past = self.sub(x, self.constant(float(knot)))
            bend = self.mul(self.sub(after, before), past)
            z = _first(past)
            above, below = (z[0] > 0, z[1] < 0) if told is None else (told > i, told <= i)
            found = self.add(found, _either(above, below, bend, self.constant(0.0)))
            before = after
        return found


_BRANCHED = frozenset({"abs", "sign", "step", *UPWARDS})
_RULES: Mapping[str, Callable[..., Jet]] = {
    name: getattr(_Cells, name)
    for name in (
        "add", "sub", "mul", "div", "pow", "neg", "sin", "cos", "tan", "asin", "acos", "atan",
        "atan2", "sinh", "cosh", "tanh", "exp", "log", "sqrt", "where",
    )
} | {"and": _Cells.both, "or": _Cells.either, "not": _Cells.contrary}  # fmt: skip


def _first(jet: Jet) -> Interval:
    """Return c_0, zero where it is None."""
    return jet[0] if jet[0] is not None else ZERO


def _plus(a: Interval | None, b: Interval | None) -> Interval | None:
    if a is None or b is None:
        return b if a is None else a
    return iv.add(a, b)


def _times(a: Interval | None, b: Interval | None) -> Interval | None:
    return None if a is None or b is None else iv.mul(a, b)


def _scaled(a: Interval | None, c: float) -> Interval | None:
    if a is None or c == 0.0:
        return None
    return a if c == 1.0 else iv.scale(a, c)


def _total(terms: Any) -> Interval | None:
    found = None
    for term in terms:
        found = _plus(found, term)
    return found


def _convolution(a: Jet, b: Jet, k: int) -> Interval | None:
    """Return the coefficient k of a product."""
    if a is b and k > 0:  # equal pairs once, doubled
        pairs = _total(_times(a[i], a[k - i]) for i in range((k + 1) // 2))
        middle = _times(a[k // 2], a[k // 2]) if k % 2 == 0 else None
        return _plus(_scaled(pairs, 2.0), middle)
    return _total(_times(a[i], b[k - i]) for i in range(k + 1))


def _rate(u: Jet) -> Jet:
    """Return the jet of the derivative, whose last coefficient is not known and left out."""
    return [_scaled(u[k], float(k)) for k in range(1, len(u))] + [None]


def _either(above: Any, below: Any, a: Jet, b: Jet) -> Jet:
    """Return a where `above`, b where `below`, and what holds both elsewhere."""
    if np.all(above):
        return list(a)
    if np.all(below):
        return list(b)
    found: Jet = []
    for x, y in zip(a, b, strict=True):
        if x is None and y is None:
            found.append(None)
            continue
        x, y = x or ZERO, y or ZERO
        found.append(iv.choose(above, x, iv.choose(below, y, iv.hull(x, y))))
    return found


def _on_piece(
    x: np.ndarray, piece: np.ndarray, knots: np.ndarray, y: np.ndarray, slopes: np.ndarray
) -> np.ndarray:
    """Return the line of a piece at x; piece i begins at knot i - 1."""
    base = np.clip(piece - 1, 0, None)
    value = y[base] + slopes[piece] * (x - knots[base])
    return np.where(slopes[piece] == 0.0, y[base], value)


def _range(values: np.ndarray, first: Any, last: Any, there: Any) -> Interval:
    """Return the least and the most of values[first] to values[last], where they are there."""
    first, last = np.where(there, first, 0), np.where(there, last, 0)
    length = last - first + 1
    level = np.frexp(length)[1] - 1  # of the largest power of two that is not longer
    lo, hi = np.empty(length.shape), np.empty(length.shape)
    least = most = values
    for n in range(int(level.max(initial=0)) + 1):
        at = level == n
        if at.any():
            one, two = first[at], last[at] - (1 << n) + 1
            lo[at] = np.minimum(least[one], least[two])
            hi[at] = np.maximum(most[one], most[two])
        step = 1 << n
        if len(least) > step:
            least = np.minimum(least[:-step], least[step:])
            most = np.maximum(most[:-step], most[step:])
    return lo, hi
