"""What a run knows of the time ahead: where laws switch, how fast they vary, when events are.

Everything here depends on time and parameters alone. It is found window by window, each as long
as can be looked at together, and handed to the integrator, which ends steps on every break.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf

import numpy as np

from bellcrank.errors import ExpressionError, OptionError
from bellcrank.formulations.contract.breaks import Timed, of_time, operations_of
from bellcrank.formulations.contract.switches import switches
from bellcrank.integrators.timed import Window
from bellcrank.model import Event, Expression
from bellcrank.model.expressions import Constant, Operation, evaluate
from bellcrank.model.expressions.crossings import (
    EPSILON,
    SmoothSpans,
    TooMany,
    crossings,
    pieces,
)
from bellcrank.model.expressions.enclosures import enclose, values_at
from bellcrank.model.expressions.variation import additive, graded, longest_steps, shortest

SHORTEST = 1e-7  # of the run: a window in which there is still too much ends it
PATIENT = 1e-3  # of the run: in shorter windows variation that is too much sets no limit
ENTRIES = 1 << 22  # modes given together, at most
Values = Mapping[str, float]


@dataclass(frozen=True)
class Watched:
    """An event that depends on time alone.

    Attributes:
        number: Which of the events it is.
        event: As it was asked for.
        when: Its expression, of `t` and parameters.
    """

    number: int
    event: Event
    when: Expression


def timed_events(
    events: Sequence[Event],
    found: Sequence[Expression],
    values: Values,
    span: tuple[float, float],
) -> tuple[Watched, ...]:
    """Return the events that depend on time alone and are defined all the time.

    Args:
        events: All events.
        found: Their expressions, with names looked up.
        values: Of parameters by name.
        span: Beginning and end of the run [s].
    """
    return tuple(
        Watched(number, event, when)
        for number, (event, when) in enumerate(zip(events, found, strict=True))
        if of_time(when) and _defined(when, (min(span), max(span)), values)
    )


def _defined(expr: Expression, span: tuple[float, float], values: Values) -> bool:
    """Return whether an expression is a number at every time, as far as bounds tell."""
    a, b = np.array([span[0]]), np.array([span[1]])
    for _ in range(40):
        _, bad = enclose(expr, (a, b), values)
        a, b = a[bad], b[bad]
        if not a.size:
            return True
        if a.size > 512:
            return False
        middle = 0.5 * (a + b)
        a, b = np.concatenate([a, middle]), np.concatenate([middle, b])
    return False


class RunTimeline:
    """The timeline of one run; windows are asked for in the order of time."""

    def __init__(
        self,
        laws: Timed,
        watched: tuple[Watched, ...],
        values: Values,
        span: tuple[float, float],
    ) -> None:
        self._laws, self._watched, self._values = laws, watched, values
        self._begin, self._until = span
        self._sign = -1.0 if self._until < self._begin else 1.0
        self._length = abs(self._until - self._begin)
        self._sides = [0.0] * len(watched)

    @property
    def count(self) -> int:
        """How many modes change with time alone."""
        return len(self._laws.switches)

    def label(self, number: int) -> str:
        """Return what messages call an event."""
        return next(f"event {w.event.name!r}" for w in self._watched if w.number == number)

    def window(self, t: float) -> Window:
        """Return what is known of the time from `t` [s] on."""
        whole, left = abs(self._until - self._begin), abs(self._until - t)
        length = min(self._length, left)
        while True:
            last = length >= left
            end = self._until if last else t + self._sign * length
            try:
                span = min(t, end), max(t, end)
                patient = length > PATIENT * whole
                known = _known(self._laws, span, tuple(self._values.items()), patient)
                met = [self._crossed(watched, t, end) for watched in self._watched]
                break
            except TooMany:
                length /= 7.93  # no round number, at which something may happen
                if length < SHORTEST * whole:
                    raise OptionError(
                        "a law or an event of time changes its sign more often than can be "
                        f"followed: thousands of times between t = {t:.9g} s and {end:.9g} s. "
                        "Take its mean, or a shorter run."
                    ) from None
        self._length = 3.97 * length
        return self._told(known, met, end, last)

    def _told(
        self,
        known: "KnownLaws",
        met: list[tuple[np.ndarray, np.ndarray]],
        end: float,
        last: bool,
    ) -> Window:
        """Return a window in the order of travel, cut where it would be too large."""
        breaks, after, modes, starts, lengths = known.along(self._sign)
        most = max(1, ENTRIES // max(1, self.count))
        if len(breaks) > most:
            breaks, after, modes, last = breaks[:most], after[:most], modes[: most + 1], False
            end = float(after[-1])
        marks, numbers, stop = self._marks(met, end, last)
        if not last and not (len(after) and after[-1] == end):
            breaks, after = np.append(breaks, end), np.append(after, end)
            modes = np.concatenate([modes, modes[-1:]])
        end = inf if last else end
        return Window(end, breaks, after, modes, starts, lengths, marks, numbers, stop)

    def _marks(
        self, met: list[tuple[np.ndarray, np.ndarray]], end: float, last: bool
    ) -> tuple[np.ndarray, list[int], bool]:
        """Return events in the order they are met, and whether the last one is terminal."""
        found = []
        for n, (watched, (times, signs)) in enumerate(zip(self._watched, met, strict=True)):
            side = self._sides[n]
            for time, sign in zip(times.tolist(), signs.tolist(), strict=True):
                if (time - end) * self._sign > 0:
                    break
                pole, sign = abs(sign) == 2, np.sign(sign)
                event = watched.event
                leaves = side != 0.0 and sign != side and not pole
                if leaves and event.direction * side <= 0 and not self._at_the_start(time):
                    found.append((time, watched.number, event.terminal))
                side = sign
            wanted = side != 0.0 and watched.event.direction * side <= 0
            if last and wanted and self._ends(watched, side):
                found.append((self._until, watched.number, watched.event.terminal))
            self._sides[n] = side
        found.sort(key=lambda each: self._sign * each[0])
        for n, (*_, terminal) in enumerate(found):
            if terminal:
                return _columns(found[: n + 1], True)
        return _columns(found, False)

    def _crossed(self, watched: Watched, t: float, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Return when an event changes its sign, and the signs after; ±2 past a pole.

        The first entry is the sign from `t` on.
        """
        span = min(t, end), max(t, end)
        operations = operations_of(switches([watched.when]))
        parts = pieces(operations, span, self._values)
        found = crossings(watched.when, np.zeros(1), parts, self._values)
        at = parts.divide(found.t)
        sign = np.sign(values_at(watched.when, parts.middles, self._values, parts.branches))
        pole = np.zeros(len(parts.edges), dtype=int)
        pole[at[found.pole]] = 1
        if self._sign > 0:
            return parts.edges[:-1], sign * (1 + pole[:-1])
        return parts.edges[:0:-1], sign[::-1] * (1 + pole[:0:-1])

    def _ends(self, watched: Watched, side: float) -> bool:
        """Return whether an event reaches zero just at the end of the run."""
        try:
            value = evaluate(watched.when, {**self._values, "t": self._until})
        except ExpressionError:
            return False
        return side * value <= 0.0

    def _at_the_start(self, t: float) -> bool:
        """Return whether a crossing is the start itself, but for rounding: that is no event."""
        whole = abs(self._until - self._begin)
        return abs(t - self._begin) <= 64.0 * EPSILON * abs(self._begin) + 1e-13 * whole


def _columns(
    found: list[tuple[float, int, bool]], stop: bool
) -> tuple[np.ndarray, list[int], bool]:
    return np.array([each[0] for each in found]), [each[1] for each in found], stop


@dataclass(frozen=True, eq=False)
class KnownLaws:
    """What laws do in a span of time, ascending.

    Attributes:
        breaks: Where modes change, and where laws bend or jump without a mode [s].
        modes: Before the first break, between breaks and after the last.
        starts, lengths: Limits of the step, from where on.
        span: Beginning and end [s].
        gap: What lies this much before and after a break is left out [s].
    """

    breaks: np.ndarray
    modes: np.ndarray
    starts: np.ndarray
    lengths: np.ndarray
    span: tuple[float, float]
    gap: float

    def along(self, sign: float) -> tuple[np.ndarray, ...]:
        """Return breaks, where time goes on after them, modes and limits, as they are passed.

        A break that rounding cannot tell from the end is put just before it.
        """
        begin, end = self.span if sign > 0 else self.span[::-1]
        breaks, modes, starts, lengths = self.breaks, self.modes, self.starts, self.lengths
        modes = modes.copy()
        if sign < 0:
            breaks, modes, lengths = breaks[::-1], modes[::-1], lengths[::-1]
            starts = np.append(starts[1:], begin)[::-1] if len(starts) else starts
        if not self.gap:
            return breaks, breaks, modes, starts, lengths
        first = int(np.sum((breaks - begin) * sign <= 4 * self.gap))
        breaks, modes = breaks[first:], modes[first:]
        last = int(np.sum((end - breaks) * sign > 4 * self.gap))
        before, after = breaks - sign * self.gap, breaks + sign * self.gap
        if last < len(breaks):
            before[last], after[last], modes[last + 1] = (
                end - 4 * sign * self.gap,
                end,
                modes[-1],
            )
        return before[: last + 1], after[: last + 1], modes[: last + 2], starts, lengths


@lru_cache(maxsize=64)
def _known(
    laws: Timed,
    span: tuple[float, float],
    values: tuple[tuple[str, float], ...],
    patient: bool,
) -> KnownLaws:
    """Return what laws do in a span of time; kept, because runs are repeated."""
    given = dict(values)
    rooted = any(node.op != "atan2" for node in laws.seams)
    gap = _apart(span) if rooted else 0.0
    parts = pieces(laws.operations, (span[0] - 8 * gap, span[1] + 8 * gap), given)
    modes = _modes(laws, parts)
    change = np.flatnonzero((modes[1:] != modes[:-1]).any(axis=1))
    breaks, modes = parts.edges[1 + change], modes[np.append(change, len(modes) - 1)]
    seams = [_seams(node, parts, given) for node in laws.seams]
    more = np.concatenate(seams) if seams else np.zeros(0)
    if more.size:
        more = more[(more > span[0]) & (more < span[1])]
        every = np.unique(np.concatenate([breaks, more]))
        modes = modes[np.searchsorted(breaks, np.append(every, inf), side="left")]
        breaks = every
    terms = tuple(dict.fromkeys(term for part in laws.terms for term in additive(part)))
    try:
        starts, lengths = longest_steps(terms, span, given)
    except TooMany:
        if patient:
            raise
        starts = lengths = np.zeros(0)
    if rooted:
        edges = np.concatenate([span[:1], breaks, span[1:]])
        starts, lengths = shortest([(starts, lengths), graded(edges)])
    return KnownLaws(breaks, modes, starts, lengths, span, gap)


def _apart(span: tuple[float, float]) -> float:
    """Return a time within which rounding may take one side of a break for the other [s]."""
    return 8.0 * EPSILON * max(abs(span[0]), abs(span[1]))


def _modes(laws: Timed, parts: SmoothSpans) -> np.ndarray:
    """Return the modes of switches in each piece, shape (pieces, switches)."""
    found = np.empty((len(parts.edges) - 1, len(laws.switches)))
    for n, (operation, knot) in enumerate(laws.switches):
        way = parts.branches[operation]
        if operation.op == "interp":
            way = np.where(way > knot, 1.0, -1.0)
        elif operation.op == "sign":
            way = np.where((way < 0) if knot else (way > 0), 1.0, -1.0)
        found[:, n] = way
    return found


def _seams(node: Operation, parts: SmoothSpans, values: Values) -> np.ndarray:
    """Return where an operation bends or jumps although it has no switch.

    A jump is put between two breaks that are a few units of the clock apart.
    """
    first = node.args[0]
    if node.op == "atan2":
        t = crossings(first, np.zeros(1), parts, values).t
        t = t[values_at(node.args[1], t, values) < 0.0]
        apart = _apart((parts.edges[0], parts.edges[-1]))
        return np.concatenate([t - apart, t + apart])
    levels = np.array([-1.0, 1.0]) if node.op in ("asin", "acos") else np.zeros(1)
    if isinstance(first, Constant):
        return np.zeros(0)
    found = crossings(first, levels, parts, values)
    t = np.concatenate([found.t, found.touches])
    # Where it ends to be defined there is nothing to go on to, and the run ends there.
    gap = 2.0 * _apart((parts.edges[0], parts.edges[-1]))
    beside = np.stack([values_at(first, t + way * gap, values) for way in (-1.0, 1.0)])
    if node.op in ("asin", "acos"):
        return t[(np.abs(beside) <= 1.0).all(axis=0)]
    return t[(beside >= 0.0).all(axis=0)]
