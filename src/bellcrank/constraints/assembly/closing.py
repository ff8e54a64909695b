"""Consistent coordinates and speeds: the nearest ones to what was drawn and what was said.

    positions   min ‖Δξ‖_A  with  Φ(q + T Δξ) = 0      damped Newton, bounded steps
    speeds      min ‖u − u₀‖_A  with  C u = ν           and on a branch: `branching`

What the user named is held: its columns are left out. The metric is that of the mass matrix, so
that light bodies give way to heavy ones. Names far from the drawing are come to by
`following`, which keeps to the branch of the drawing.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.constraints.assembly.redundancy import choice, natural_lengths
from bellcrank.constraints.assembly.steadfast import motions, steadfast
from bellcrank.errors import Bifurcation, StartError, outside
from bellcrank.formulations.contract.equations import Row
from bellcrank.kernels.protocol import Closable, Machine
from bellcrank.linear import rank
from bellcrank.model.expressions import Signal

CLOSED = 1e-12  # largest scaled residual of a machine that is closed
NEARLY = 1e-9  # of one that is taken for closed where Newton's method gets no further
STEPS = 100  # of Newton's method
STRIDE = 0.5  # [rad, lengths of the machine] that it may move by at once
REACHES = (0.05, 0.2, 0.5, 0.5, 1.0, 1.0, 2.0)  # how far off rows are looked at
SETTLED = 1e-11  # the largest change of a coordinate that is none
HALVINGS = 8  # of a step that does not help


@dataclass(frozen=True)
class Target:
    """What a coordinate of a joint that closes a loop must show.

    Attributes:
        name: The coordinate, a signal. rate: the signal of its rate.
        value: Wanted.
        level: Whether of the coordinate (`position`) or of its rate (`velocity`).
        turns: Whether full turns make no difference.
    """

    name: str
    rate: str
    value: float
    level: str
    turns: bool


@dataclass(frozen=True)
class Held:
    """What the user named: coordinates and speeds as masks over u, and targets.

    Attributes:
        coordinates: Which speeds change named coordinates.
        speeds: Which are named themselves.
        targets: What joints that close loops must show.
        names: First place in q, number of places and mask over u of each named coordinate.
    """

    coordinates: np.ndarray
    speeds: np.ndarray
    targets: tuple[Target, ...] = ()
    names: Mapping[str, tuple[int, int, np.ndarray]] = field(default_factory=dict)


def close(
    system: Machine,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    held: Held,
    kept: np.ndarray | None = None,
) -> np.ndarray:
    """Return the nearest consistent state to x = [q, u]; nothing is followed.

    Args:
        system: The machine.
        t: The time [s].
        x: The state as drawn and said.
        w: Inputs.
        p: Parameter values in order.
        held: What the user named.
        kept: As of `ClosingPoint`.

    Raises:
        StartError: It cannot be closed; which joints do not close, and by how much.
    """
    rows = system.equations.rows
    if not held.targets and len(system.left_out(p)) == len(rows):  # nothing is left to close
        return x
    nq, nu = len(system.coordinates), len(system.speeds)
    q, u, s = np.split(x, [nq, nq + nu])
    there = ClosingPoint(system, t, s, w, p, held.targets, kept)

    def attempt() -> np.ndarray:
        found = closed(there, q, ~held.coordinates)
        return np.concatenate([found, nearest_speeds(there, found, u, ~held.speeds), s])

    return within_slack(there, q, held, attempt)


def within_slack(
    there: "ClosingPoint", q: np.ndarray, held: Held, attempt: Callable[[], np.ndarray]
) -> np.ndarray:
    """Return the state that an attempt to close finds, rounded rows left out where they repeat.

    Args:
        there: The machine.
        q: Where it begins.
        held: What the user named.
        attempt: Returns the state [q, u, s].

    Raises:
        StartError: As of the attempt.
    """
    try:
        found = attempt()
        at = found[: len(q)]
        if there.met(at) or not there.leave_out_repeated(at, held):
            return found
    except StartError:  # rounded rows stand in each other's way, or it is nearly singular
        if not np.isfinite(there.residual(q)).all():
            raise
        if not there.leave_out_repeated(q, held):
            there.floor = rank.FLOOR
    return attempt()


def leave_out_repeated(
    system: Machine, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> None:
    """Leave out rows that repeat others within the slack, but not to round-off.

    Args:
        system: The machine.
        t: The time [s].
        x: A consistent state.
        w: Inputs.
        p: Parameter values in order.
    """
    nq, nu = len(system.coordinates), len(system.speeds)
    nothing = np.zeros(nu, dtype=bool)
    there = ClosingPoint(system, t, x[nq + nu :], w, p, ())
    there.leave_out_repeated(x[:nq], Held(nothing, nothing))


class ClosingPoint:
    """The slots of a constrained machine at any q and u, with targets as further rows.

    Attributes:
        kept: What k keeps of measured angles, whose full turns rows may count; None for
            principal values.
    """

    def __init__(
        self,
        system: Machine,
        t: float,
        s: np.ndarray,
        w: np.ndarray,
        p: np.ndarray,
        targets: tuple[Target, ...],
        kept: np.ndarray | None = None,
    ) -> None:
        self.system, self.t, self.rest, self.kept = system, t, (s, w, p), kept
        self.clock = np.array([t])
        own = system.equations.rows
        mh = sum(row.level == "position" for row in own)
        self.wanted = {
            level: [target for target in targets if target.level == level]
            for level in ("position", "velocity")
        }
        self._mh = mh
        self.floor = max(rank.MARGIN * system.slack, rank.FLOOR)
        self.rows = {
            "position": (*own[:mh], *map(_target_row, self.wanted["position"])),
            "velocity": (*own, *map(_target_row, self.wanted["velocity"])),
        }
        self.scale = {
            level: np.array([row.scale for row in rows]) for level, rows in self.rows.items()
        }
        self.leave_out(system.left_out(p))

    def ask(self, slot: str, q: np.ndarray, u: np.ndarray | None = None) -> tuple:
        """Return what a slot gives at q and u."""
        u = np.zeros(len(self.system.speeds)) if u is None else u
        arguments = [self.clock, q, u, *self.rest]
        k = self.system.modes(arguments, self.kept)
        return self.system.ask(slot, [*arguments, k], level=0)

    def _signals(self, names: list[str], q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return signals at q and u, which may be a batch."""
        kernel = self.system.signals(tuple(Signal(name) for name in names))
        k = np.ones(len(self.system.equations.memory))
        return kernel(self.clock, q, u, *self.rest, k)[0]

    def _gradient(self, names: list[str], q: np.ndarray) -> np.ndarray:
        """Return the matrix by which speeds give rates, column by column."""
        nu = len(self.system.speeds)
        ends = self._signals(names, q, np.vstack([np.zeros(nu), np.eye(nu)]))
        return (ends[1:] - ends[0]).T

    def residual(self, q: np.ndarray, lag: np.ndarray | float = 0.0) -> np.ndarray:
        """Return the scaled Φ, then what the targets lack.

        Args:
            q: Coordinates.
            lag: By how much each row may be off, in its own unit.
        """
        phi, targets = self.ask("position", q)[0], self.wanted["position"]
        if not targets:
            return (phi - lag) / self.scale["position"]
        seen = self._signals([one.name for one in targets], q, np.zeros(len(self.reach)))
        gap = np.concatenate([phi, seen - [one.value for one in targets]]) - lag
        turn = np.array([*(False for _ in phi), *(one.turns for one in targets)])
        gap = np.where(turn, (gap + np.pi) % (2 * np.pi) - np.pi, gap)
        return gap / self.scale["position"]

    @cached_property
    def asked(self) -> np.ndarray:
        """Which rows of positions are drivers and targets, and not the machine's own."""
        return np.array([row.kind == "driver" for row in self.rows["position"]], dtype=bool)

    @cached_property
    def reach(self) -> np.ndarray:
        """What counts as far, by speed: a radian, or the length of the machine."""
        return self.system.speed_sizes

    def size(self, step: np.ndarray) -> float:
        """Return how far a step goes [rad, lengths of the machine]."""
        return float(np.abs(step / self.reach).max(initial=0.0))

    def matrix(self, level: str, q: np.ndarray) -> np.ndarray:
        """Return the scaled rows of positions or of speeds."""
        C = self.ask("velocity", q)[0]
        C = C[: self._mh] if level == "position" else C
        if self.wanted[level]:
            C = np.vstack([C, self._gradient([one.rate for one in self.wanted[level]], q)])
        return C / self.scale[level][:, None]

    def lacking(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return the scaled ν − C u, then what the targets lack."""
        C, nu = self.ask("velocity", q, u)
        gap, targets = nu - C @ u, self.wanted["velocity"]
        if targets:
            seen = self._signals([one.rate for one in targets], q, u)
            gap = np.concatenate([gap, np.array([one.value for one in targets]) - seen])
        return gap / self.scale["velocity"]

    def tell(self, words: str) -> None:
        """Warn of branches."""
        self.system.told += 1
        warnings.warn(words, Bifurcation, stacklevel=outside())

    def met(self, q: np.ndarray) -> bool:
        """Return whether positions are met to round-off, not just well enough."""
        return bool(np.abs(self.residual(q)).max(initial=0.0) <= rank.EXACT)

    def nearest(
        self,
        level: str,
        q: np.ndarray,
        b: np.ndarray,
        free: np.ndarray,
        rows: np.ndarray | slice = slice(None),
        known: tuple[np.ndarray, np.ndarray] | None = None,
    ) -> np.ndarray:
        """Return the smallest step in the mass metric that gives the scaled rows b.

        What counts as independent is decided on the geometry of rows, not on masses.

        Args:
            level: Whether rows are of positions or of speeds.
            q: Coordinates.
            b: What all rows should give; those that do not count are not looked at.
            free: Which speeds may be in the step.
            rows: Which rows count.
            known: A and all scaled rows C, where they are known.
        """
        A, C = known or (self.ask("mass", q)[0], self.matrix(level, q))
        natural = self.natural(level, C)
        C, b = (C / natural[:, None])[rows], (b / natural)[rows]
        keep = rank.split(C[:, free] * self.reach[free], floor=self.floor)[0]
        return _nearest(A, keep.T @ C, keep.T @ b, free, self.reach)

    def natural(self, level: str, C: np.ndarray) -> np.ndarray:
        """Return the natural lengths of the scaled rows of positions or of speeds."""
        rows, own = self.rows[level], len(self.rows[level]) - len(self.wanted[level])
        unknown = [row.kind == "nonholonomic" or i >= own for i, row in enumerate(rows)]
        return natural_lengths(rows, C, self.reach, unknown)

    def measured(self, level: str, C: np.ndarray) -> np.ndarray:
        """Return the scaled rows as ranks are decided on them."""
        return C * self.reach / self.natural(level, C)[:, None]

    def leave_out(self, rows: Sequence[int]) -> None:
        """Leave out rows that repeat others: they have no residual and no direction."""
        for level, scale in self.scale.items():
            scale[[i for i in rows if level == "velocity" or i < self._mh]] = np.inf

    def nominal(self, level: str) -> np.ndarray:
        """Return the nominal residuals of rows; nothing for those left out."""
        scale = self.scale[level]
        return np.where(np.isfinite(scale), scale, 0.0)

    def leave_out_repeated(self, q: np.ndarray, held: Held) -> bool:
        """Leave out rows that repeat others within the slack; say whether there are any.

        They do so near the state and some way from it: at a singular position rows are
        dependent, too, but they are all needed beside it.
        """
        _, w, p = self.rest
        if not self.system.slack or self.system.left_out(p):
            return False
        nu, noise = len(self.system.speeds), np.random.default_rng(1)
        states = [self._within_slack(q, ~held.coordinates)]
        for reach in REACHES:
            moved = self.moved(states[0], reach * self.reach * noise.normal(size=nu))
            states.append(self._within_slack(moved, np.ones(nu, dtype=bool)))
        limit = rank.MARGIN * self.system.slack
        near = [q for q in states if np.abs(self.residual(q)).max(initial=0.0) <= limit]
        if not near:
            return False
        if choice(self.system, float(self.clock[0]), near, w, p).exact:
            return False
        self._check_slopes(near)
        found = steadfast(self, near, motions(self, near[0]))
        self.system.leave_out(p, found.out, exact=False)
        if found.mixing is not None:
            self.system.mix(p, found.mixing, found.mixed)
        self.leave_out(found.out)
        return bool(found.out)

    def _check_slopes(self, near: Sequence[np.ndarray]) -> None:
        """Refuse a relation that has no slope wherever it is met: it repeats no other row.

        Raises:
            StartError: Naming the relation and its slope.
        """
        slopes = [np.abs(self.measured("position", self.matrix("position", q))) for q in near]
        steepest = np.max(slopes, axis=(0, 2), initial=0.0)
        for row, slope in zip(self.rows["position"], steepest, strict=True):
            if is_relation(row) and slope <= self.floor:
                raise StartError(
                    f"constraint '{row.owner}': the gradient of the relation vanishes where it "
                    f"is satisfied (it is {slope:.1g}), so it does not constrain the motion. "
                    "Write it with a nonzero gradient at its root, such as A.angle instead of "
                    "A.angle**3."
                )

    def _within_slack(self, q: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Return q after Newton steps along what counts; the rest may not close."""
        for _ in range(STEPS):
            step = self.nearest("position", q, -self.residual(q), free)
            q = self.moved(q, step)
            if np.abs(step).max(initial=0.0) <= SETTLED:
                break
        return q

    def speeds_step(self, q: np.ndarray, u: np.ndarray, free: np.ndarray) -> np.ndarray:
        """Return the smallest change of speeds that meets the machine's own rows."""
        own = slice(len(self.system.equations.rows))
        return self.nearest("velocity", q, self.lacking(q, u), free, own)

    def moved(self, q: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Return q after Δξ, with Euler parameters at unit length."""
        q = q + self.ask("kinematics", q)[0] @ step
        if self.system.equations.has("normalize"):
            q = self.ask("normalize", q)[0]
        return q


def _target_row(target: Target) -> Row:
    return Row(f"{target.name}: start", f"start of {target.name}", "driver", "position")


def closed(
    there: Closable, q: np.ndarray, free: np.ndarray, rows: np.ndarray | slice = slice(None)
) -> np.ndarray:
    """Return q on the constraints, by Newton steps in the mass metric from where it is.

    Args:
        there: The machine.
        q: Coordinates.
        free: Which speeds may change them.
        rows: Which of the rows count.

    Raises:
        StartError: They do not close.
    """
    q, phi = approached(there, q, free, rows)
    if np.abs(phi).max(initial=0.0) <= NEARLY:
        return q
    named = tuple(np.array(there.rows["position"], dtype=object)[rows])
    raise StartError(gaps(named, phi * there.nominal("position")[rows]))


def approached(
    there: Closable,
    q: np.ndarray,
    free: np.ndarray,
    rows: np.ndarray | slice = slice(None),
    steps: int = STEPS,
) -> tuple[np.ndarray, np.ndarray]:
    """Return q as near the constraints as Newton's method brings it, and what is left.

    Raises:
        StartError: A constraint is not a number where it begins.
    """
    phi = there.residual(q)[rows]
    if not np.isfinite(phi).all():
        raise StartError(_undefined(there, rows, phi))
    for _ in range(steps):
        if np.abs(phi).max(initial=0.0) <= CLOSED:
            break
        left = np.zeros(len(there.rows["position"]))
        left[rows] = -phi
        step = there.nearest("position", q, left, free, rows)
        step = step * min(1.0, STRIDE / max(there.size(step), STRIDE))
        for halving in range(HALVINGS + 1):
            tried = there.moved(q, step * 0.5**halving)
            fresh = there.residual(tried)[rows]
            if np.linalg.norm(fresh) < np.linalg.norm(phi):
                break
        else:
            break
        q, phi = tried, fresh
    return q, phi


def _undefined(there: Closable, rows: np.ndarray | slice, phi: np.ndarray) -> str:
    """Return the sentence that names constraints that are not numbers."""
    named = np.array([row.owner for row in there.rows["position"]], dtype=object)[rows]
    names = ", ".join(f"'{name}'" for name in dict.fromkeys(named[~np.isfinite(phi)]))
    return (
        f"the machine cannot be assembled: {names} has no finite value where it is drawn. Name "
        "coordinates in start with which it has one, or change its expression."
    )


def nearest_speeds(
    there: Closable, q: np.ndarray, u: np.ndarray, free: np.ndarray
) -> np.ndarray:
    """Return the nearest speeds with C u = ν.

    Args:
        there: The machine.
        q: Consistent coordinates.
        u: Speeds as said.
        free: Which of them may change.

    Raises:
        StartError: Those that are named contradict the constraints.
    """
    u = u + there.nearest("velocity", q, there.lacking(q, u), free)
    left = there.lacking(q, u)
    if np.abs(left).max(initial=0.0) > 1e-9 * (1 + np.abs(u).max(initial=0.0)):
        said = not free.all() or bool(there.wanted["velocity"])
        scaled = left * there.nominal("velocity")
        raise StartError(gaps(there.rows["velocity"], scaled, "speed", said))
    return u


def _nearest(
    A: np.ndarray, C: np.ndarray, b: np.ndarray, free: np.ndarray, sizes: np.ndarray
) -> np.ndarray:
    """Return the smallest step in the metric of A with C step = b, zero where not free.

    Rows are independent: what counts as that is decided on their geometry, not on masses.
    """
    step = np.zeros(len(A))
    if not free.any():
        return step
    L = np.linalg.cholesky(gauss.metric(A[np.ix_(free, free)], C[:, free], sizes[free]))
    B = np.linalg.solve(L, C[:, free].T)
    y = np.linalg.lstsq(B.T, b, rcond=None)[0]
    step[free] = np.linalg.solve(L.T, y)
    return step


def is_relation(row: Row) -> bool:
    """Return whether a row is that of a relation of positions."""
    return row.name.endswith(": relation")


def gaps(
    rows: tuple[Row, ...], residual: np.ndarray, of: str = "position", said: bool = True
) -> str:
    """Return the sentence that names what does not close, worst first.

    Args:
        rows: Constraints.
        residual: Theirs.
        of: `position`, `speed` or `acceleration`.
        said: Whether the user named any speeds.
    """
    worst: dict[str, tuple[float, str]] = {}
    per = {"position": "", "speed": "/s", "acceleration": "/s²"}[of]
    length, number = f"m{per}", f"1{per}" if per else ""
    for row, value in zip(rows, np.abs(residual), strict=True):
        unit = length if row.scale != 1.0 else number
        if value > 1e-9 * row.scale and value > worst.get(row.owner, (0.0, ""))[0]:
            worst[row.owner] = float(value), unit
    ranked = sorted(worst.items(), key=lambda item: -item[1][0])
    shown = ", ".join(f"'{name}' by {v:.3g} {unit}".rstrip() for name, (v, unit) in ranked[:8])
    if of == "acceleration":
        return f"constraints contradict each other in their accelerations: {shown}."
    if of == "position":
        advice = (
            "Check the lengths and points of these joints, or name fewer coordinates in start."
        )
        relations = {row.owner for row in rows if is_relation(row)}
        if set(worst) <= relations:
            advice = (
                "A relation needs a root, and a slope that leads to it from where the machine "
                "is drawn. Begin nearer to its root with start=, or change its expression."
            )
        return f"the machine cannot be assembled: {shown} does not close. {advice}"
    if said:
        return f"the speeds named in start contradict {shown}. Name fewer speeds."
    return f"constraints contradict each other in their rates: {shown}. Take one of them away."
