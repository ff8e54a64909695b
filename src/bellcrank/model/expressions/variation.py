"""How long a step may be so that what an expression of time does cannot hide inside it.

An integrator sees an expression at a few points of a step. A pulse between them leaves no trace
in its error estimate. Where the fourth derivative is bounded, |f⁗|/4! ≤ c, the expression is a
cubic over a length ℓ but for c ℓ⁴, so that with R, the range of its values, nothing that counts
is narrower than

    ℓ = (ε R / c)^¼,

and steps of κ ℓ sample it well enough for the error estimate to take over: for a sine that is
half a period, longer than any step that follows it to tolerance. Spans of time are divided
where that makes the steps longer, so that a pulse shortens only the steps that meet it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import numpy as np

from bellcrank.model.expressions.crossings import TooMany
from bellcrank.model.expressions.enclosures import enclose
from bellcrank.model.expressions.tree import Constant, Expression, Operation, Parameter

ORDER = 4
SHARE = 1e-3  # ε: what is smaller than this part of the range may be lost in ℓ
STEPS = 8.0  # κ: steps are at most so many ℓ
FEW = 4.0  # a span with so few steps is not divided
TIGHT = 3.0  # nor is one where bounds ask for so many times the steps that points ask for
LOOSE = 30.0  # … or where they do when there are too many cells
NOTHING = 1e-250  # a range that is zero but for rounding of bounds
POINTS = 64
GRADES = 10  # halvings of the way between two points where a law is not smooth
DEEPEST = 36  # divisions: a part of 1e-11
CELLS = 1 << 13  # parts of a span, at most


def longest_steps(
    terms: Iterable[Expression], span: tuple[float, float], values: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Return where limits of the step begin to hold [s], and the limits [s].

    Args:
        terms: Expressions of `t` and parameters, each looked at by itself.
        span: Beginning and end [s].
        values: Of parameters by name.

    Returns:
        Beginnings, ascending from that of the span, and the longest steps from there on; both
        empty where no step needs to be limited.

    Raises:
        TooMany: The span is too long.
    """
    whole = abs(span[1] - span[0])
    limits = [found for term in terms if (found := _limits(term, span, values)) is not None]
    if not limits:
        return np.zeros(0), np.zeros(0)
    starts, lengths = shortest(limits)
    lengths[lengths > whole] = inf
    return _merged(starts, lengths)


Limits = tuple[np.ndarray, np.ndarray]
"""Where limits of the step begin to hold, ascending, and the limits [s]."""


def shortest(limits: Iterable[Limits]) -> Limits:
    """Return the shortest of several limits; those that are empty hold nowhere."""
    held = [each for each in limits if len(each[0])]
    if not held:
        return np.zeros(0), np.zeros(0)
    starts = np.unique(np.concatenate([begin for begin, _ in held]))
    lengths = np.full(starts.shape, inf)
    for begin, length in held:
        at = np.searchsorted(begin, starts, side="right") - 1
        lengths = np.where(at >= 0, np.minimum(lengths, length[at]), lengths)
    return starts, lengths


def graded(edges: np.ndarray) -> Limits:
    """Return limits with which steps shrink towards points where a law is not smooth.

    Behind a root, |t|^½ or |t|^{3/2}, no error estimate sees what a step leaves out. Steps
    that are as long as they are far from it halve that, or better, each time, and the first
    one is so short that what it leaves out is nothing.

    Args:
        edges: Such points, ascending, shape (n,).
    """
    if len(edges) < 2:
        return np.zeros(0), np.zeros(0)
    halves = 0.5 ** np.arange(GRADES, 0, -1)
    begin = np.concatenate([[0.0], halves, 1.0 - halves[-2::-1]])
    length = np.concatenate([halves[:1], halves[:-1], 0.5 * halves[:0:-1], halves[:1]])
    a, gap = edges[:-1, None], np.diff(edges)[:, None]
    return (a + gap * begin).ravel(), (gap * length).ravel()


def additive(expr: Expression) -> Iterator[Expression]:
    """Yield the terms of a sum, without factors that do not change."""
    todo = [expr]
    while todo:
        node = todo.pop()
        match node:
            case Operation("add" | "sub", (a, b)):
                todo += [a, b]
            case Operation("neg", (a,)):
                todo.append(a)
            case Operation("mul", (Constant() | Parameter(), a)):
                todo.append(a)
            case Operation("mul" | "div", (a, Constant() | Parameter())):
                todo.append(a)
            case Constant() | Parameter():
                pass
            case _:
                yield node


def _limits(
    term: Expression, span: tuple[float, float], values: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return beginnings and longest steps of one term, or None where it sets no limit."""
    pace = _pace(term, values)
    if pace is not None:
        length = STEPS * (48.0 * SHARE) ** 0.25 / pace
        return np.array([span[0]]), np.array([length])
    a, b, done = np.array([span[0]]), np.array([span[1]]), list[Cells]()
    with np.errstate(all="ignore"):
        part = (np.arange(POINTS) + 0.5) * 0.6180339887498949 % 1.0  # evenly, without a rhythm
        there = a + part * (b - a)
        points = _cells(term, there, there, values)
        if points is None:
            return None
        for depth in range(DEEPEST + 1):
            cells = _cells(term, a, b, values)
            assert cells is not None
            range_ = _range([*done, cells])
            steps = (b - a) / STEPS / cells.length(range_)
            # Points may miss a pulse, which cells do not: cells ask for more, and are divided.
            seen = _finite_mean((span[1] - span[0]) / STEPS / points.length(range_))
            known = np.isfinite(steps)
            asked = float(steps[known].sum()) + sum(one.steps for one in done)
            enough = depth == DEEPEST or (known.all() and asked <= TIGHT * seen)
            split = ~(steps <= FEW) & (not enough)
            done.append(cells.where(~split, float(steps[~split & known].sum())))
            if not split.any():
                break
            if 2 * split.sum() > CELLS:
                if asked > LOOSE * seen:
                    raise TooMany
                done.append(cells.where(split))
                break
            a, b = a[split], b[split]
            middle = 0.5 * (a + b)
            a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
        begin = np.concatenate([each.begin for each in done])
        range_ = _range(done)
        if range_ < NOTHING:  # it is one number all the time, whatever its parts do
            return None
        length = STEPS * np.concatenate([each.length(range_) for each in done])
        length[~np.isfinite(np.concatenate([each.bend for each in done]))] = inf  # a pole
    order = np.argsort(begin)
    return (begin[order], length[order]) if np.isfinite(length).any() else None


def _finite_mean(values: np.ndarray) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if known.size else 0.0


def _pace(term: Expression, values: Mapping[str, float]) -> float | None:
    """Return ω of sin(ω t + φ) or its cosine [1/s]: the frequent case, known by itself."""
    if not (isinstance(term, Operation) and term.op in ("sin", "cos")):
        return None
    (_, slope, *rest), _ = enclose(term.args[0], (np.zeros(1), np.ones(1)), values, ORDER)
    if slope is None or any(part is not None for part in rest):
        return None
    return float(np.max(np.abs(slope)))


@dataclass(frozen=True)
class Cells:
    """Spans of time, with |c_4| at most and the bounds of the values in each."""

    begin: np.ndarray
    bend: np.ndarray
    lo: np.ndarray
    hi: np.ndarray
    steps: float = 0.0

    def where(self, which: np.ndarray, steps: float = 0.0) -> "Cells":
        """Return some of them."""
        begin, bend, lo, hi = (p[which] for p in (self.begin, self.bend, self.lo, self.hi))
        return Cells(begin, bend, lo, hi, steps)

    def length(self, range_: float) -> np.ndarray:
        """Return ℓ of each."""
        return np.where(self.bend == 0.0, inf, (SHARE * range_ / self.bend) ** 0.25)


def _cells(
    term: Expression, a: np.ndarray, b: np.ndarray, values: Mapping[str, float]
) -> Cells | None:
    """Return the bounds of cells; None if c_4 is zero everywhere.

    Where the values are one number they are level, whatever overflows in parts of the term.
    """
    jet, _ = enclose(term, (a, b), values, ORDER)
    c0, c4 = jet[0] or (0.0, 0.0), jet[ORDER]
    if c4 is None:
        return None
    bend = np.maximum(np.abs(c4[0]), np.abs(c4[1]))
    bend = np.where(np.isnan(bend), inf, bend)
    bend, lo, hi = (np.broadcast_to(part, a.shape) for part in (bend, c0[0], c0[1]))
    level = (hi - lo < NOTHING) & (a < b)
    return Cells(a, np.where(level, 0.0, bend), lo, hi)


def _range(cells: Sequence[Cells]) -> float:
    """Return the range of the values of all cells whose bounds are finite."""
    lo = np.concatenate([each.lo for each in cells])
    hi = np.concatenate([each.hi for each in cells])
    known = np.isfinite(lo) & np.isfinite(hi)
    return float(hi[known].max() - lo[known].min()) if known.any() else 0.0


def _merged(starts: np.ndarray, lengths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the same with neighbours of nearly one length taken together."""
    begins, kept = [], []
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        if kept and max(length, kept[-1]) <= 1.5 * min(length, kept[-1]):
            kept[-1] = min(kept[-1], length)
        elif not (kept and kept[-1] == length):
            begins.append(start)
            kept.append(length)
    if all(length == inf for length in kept):
        return np.zeros(0), np.zeros(0)
    return np.array(begins), np.array(kept)
