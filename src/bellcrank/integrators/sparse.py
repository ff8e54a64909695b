"""Generalized-α on index 3 for large machines: sparse matrices, factors kept while they serve.

With ξ the step along T, a the accelerations that the method averages and u̇ the true ones:

    q₁ = q₀ moved by ξ,            ξ = h u₀ + h² ((½ − β) a₀ + β a₁)
    u₁ = u₀ + h ((1 − γ) a₀ + γ a₁)
    (1 − αm) a₁ + αm a₀ = (1 − αf) u̇₁ + αf u̇₀
    A u̇₁ − f + Cᵀ λ₁ = 0,          Φ(q₁) = 0,   velocity rows C u₁ = ν

Attitudes move on their group (q₁ is q₀ turned by ξ), so that Euler parameters stay at unit
length without a constraint. Newton's method takes ξ and s λ for unknowns, with s the part of
u̇₁ that ξ is: the matrix then does not degenerate with h. It is factorised anew only where the
iteration has slowed down.

References:
    Brüls, Cardona, Arnold (2012), Lie group generalized-α time integration of constrained
    flexible multibody systems.
    Arnold, Brüls (2007), Convergence of the generalized-α scheme for constrained mechanical
    systems.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

import numpy as np

from bellcrank.integrators.methods import GeneralizedAlpha
from bellcrank.integrators.problem import Array
from bellcrank.integrators.sparse_factors import (
    Factors,
    Singular,
    factors,
    minimum_degree,
)
from bellcrank.kernels.assembled import Assembled, State

TOLERANCE = 1e-5  # of u̇ [m/s², rad/s²], as far as Newton's method may leave it
ROUNDING = 1e-15  # of q
NEWTONS = 10  # iterations with one matrix
STRAY = 0.5  # angle between guess and found, beyond which a step is too long [rad]
TURNING = ("angular_velocity", "angle_rate")  # quantities whose steps are angles
SLOW = 5  # iterations of a step after which the next has a new matrix
REGULAR = 1e-10  # ε of the scaled matrix
PAUSE = 0.05  # seconds between reports of progress

Progress = Callable[[float, int], None]


class Linear:
    """The matrix of a machine, scaled, and its factors.

    Speeds are counted in 1/√A_ii and rows so that C A⁻¹ Cᵀ has a diagonal of one; then every
    pivot is of the size of one where it comes. −ε on the diagonal of rows keeps the matrix
    regular where rows are redundant: what nothing determines of λ stays small, and a Newton
    iteration still meets all rows that can be met.

    Attributes:
        machine: The machine.
        count: Factorisations so far.
    """

    def __init__(self, machine: Assembled, state: State) -> None:
        self.machine, self.count = machine, 0
        starts, rows = machine.pattern
        self._columns, self._rows = np.repeat(np.arange(machine.size), np.diff(starts)), rows
        self._diagonal = np.flatnonzero(self._columns == rows)
        self._scale = self._scales(machine.matrix(replace(state, c=SPEEDS)))
        self._product = self._scale[rows] * self._scale[self._columns]
        self._factors: Factors = factors(starts, rows, machine.order(minimum_degree))

    def _scales(self, entries: Array) -> Array:
        """Return what unknowns are divided by, and equations multiplied with."""
        nu = self.machine.nu
        masses = entries[self._diagonal][:nu]
        heavy = masses[masses > 0.0]
        masses = np.where(masses > 0.0, masses, heavy.min() if heavy.size else 1.0)
        ties = (self._rows >= nu) & (self._columns < nu)
        shares = entries[ties] ** 2 / masses[self._columns[ties]]
        size = np.bincount(self._rows[ties] - nu, weights=shares, minlength=self.machine.m)
        size = np.where(size > 0.0, size, 1.0)
        return 1.0 / np.sqrt(np.concatenate([masses, size]))

    def factor(self, state: State, fresh: bool = False, soft: float = 0.0) -> None:
        """Factorise the matrix at a state.

        Args:
            state: The state.
            fresh: Whether pivots are chosen anew.
            soft: What is added to the diagonal of the scaled mass matrix.

        Raises:
            Singular: It has no inverse, or is not finite.
        """
        entries = self.machine.matrix(state)
        if not np.isfinite(entries.sum()):
            raise Singular
        entries *= self._product
        entries[self._diagonal[self.machine.nu :]] -= REGULAR
        entries[self._diagonal[: self.machine.nu]] += soft
        self._factors.factor(entries, fresh)
        self.count += 1

    def solve(self, top: Array, bottom: Array) -> tuple[Array, Array]:
        """Return the parts of the solution along speeds and along rows."""
        return self.solve_scaled(np.concatenate([top, bottom]), self._scale)

    def scaled(self, top: float, bottom: Array) -> Array:
        """Return the factors of right-hand sides that are still to be multiplied by these."""
        return self._scale * np.concatenate([np.full(self.machine.nu, top), bottom])

    def solve_scaled(self, b: Array, factors: Array) -> tuple[Array, Array]:
        """Return what `solve` does, for a right-hand side with factors of `scaled`."""
        b *= factors
        x = self._factors.solve(b)
        x *= self._scale
        return x[: self.machine.nu], x[self.machine.nu :]


SPEEDS = np.array([1.0, 0.0, 0.0, 1.0, 0.0])  # the factors of [A Cᵀ; C 0]
POSITIONS = np.array([1.0, 0.0, 0.0, 0.0, 0.0])  # the same with position rows alone


def accelerations(linear: Linear, state: State) -> tuple[Array, Array]:
    """Return u̇ and λ of A u̇ + Cᵀ λ = f, C u̇ = γ.

    Raises:
        Singular: Something that can move has no inertia.
    """
    machine = linear.machine
    zero = replace(state, a=np.zeros(machine.nu), lam=np.zeros(machine.m), c=SPEEDS)
    r, _ = machine.residual(zero)
    _, _, gamma = machine.rows(zero)
    linear.factor(zero, fresh=True)
    a, lam = linear.solve(-r, gamma)
    for _ in range(2):  # what −ε leaves of C u̇ = γ; C is in the matrix, not by itself
        left = gamma - _rows_times(machine, zero, a)
        more, pull = linear.solve(-machine.residual(replace(zero, a=a, lam=lam))[0], left)
        a, lam = a + more, lam + pull
    return a, lam


def _rows_times(machine: Assembled, state: State, a: Array) -> Array:
    """Return C a."""
    entries = machine.matrix(state)
    starts, rows = machine.pattern
    columns = np.repeat(np.arange(machine.size), np.diff(starts))
    chosen = (rows >= machine.nu) & (columns < machine.nu)
    weights = entries[chosen] * a[columns[chosen]]
    return np.bincount(rows[chosen] - machine.nu, weights=weights, minlength=machine.m)


@dataclass(eq=False)
class Point:
    """A point of the motion: time, state, and the accelerations of both kinds."""

    t: float
    q: Array
    u: Array
    a: Array
    ud: Array
    lam: Array
    k: Array


@dataclass(frozen=True, eq=False)
class Line:
    """What is linear in ξ at the end of a step: value and slope over ξ − h u₀.

    Attributes:
        free: h u₀.
        a: The algorithm's own accelerations.
        ud: u̇.
        u: Speeds.
    """

    free: Array
    a: tuple[Array, float]
    ud: tuple[Array, float]
    u: tuple[Array, float]


class Alpha:
    """Makes steps.

    Attributes:
        linear: The matrix.
        iterations: Newton iterations so far.
    """

    def __init__(self, linear: Linear, method: GeneralizedAlpha) -> None:
        self.linear, self.machine = linear, linear.machine
        self.am, self.af = method.averages
        self.gamma = 0.5 - self.am + self.af
        self.beta = 0.25 * (0.5 + self.gamma) ** 2
        self.iterations = 0
        self._h, self._rate, self._due = 0.0, 0.3, True
        turning = [v.quantity in TURNING for v in linear.machine.equations.speeds]
        self._turning = np.flatnonzero(turning)

    def step(self, point: Point, h: float, w: Array) -> Point | None:
        """Return the point a step of h later, or None where Newton's method fails.

        Args:
            point: Where it begins.
            h: The length of the step [s].
            w: The inputs at its end.

        Raises:
            Singular: The matrix has no inverse.
        """
        for fresh in (False, True):
            if self._due or h != self._h or fresh:
                self._factor(self._at(point, h, w, self._guess(point, h), point.lam), h, fresh)
            found = self._newton(point, h, w)
            if found is not None:
                return found
        return None

    def again(self, point: Point, w: Array) -> Point:
        """Return a point as a run would begin there: speeds and accelerations on all rows.

        Steps that were too long leave speeds off the constraints and accelerations that swing
        from step to step; shorter steps would inherit both.

        Raises:
            Singular: The matrix has no inverse.
        """
        machine, self._due = self.machine, True
        state = machine.state(point.t, point.q, point.u, w=w, k=point.k, c=SPEEDS)
        self.linear.factor(state, fresh=True)
        u = point.u + self.linear.solve(np.zeros(machine.nu), -machine.rows(state)[1])[0]
        a, lam = accelerations(self.linear, replace(state, u=u))
        return Point(point.t, point.q, u, a, a, lam, point.k)

    def _factor(self, state: State, h: float, fresh: bool) -> None:
        speed, s = self.gamma / (self.beta * h), self._share(h)
        c = np.array([1.0, s * speed, s, 1.0, 1.0 / speed])
        self.linear.factor(replace(state, c=c), fresh or self._h == 0.0)
        self._h, self._due = h, False

    def _share(self, h: float) -> float:
        """Return s = ∂ξ/∂u̇₁."""
        return self.beta * h * h * (1.0 - self.af) / (1.0 - self.am)

    def _guess(self, point: Point, h: float) -> Array:
        """Return ξ of accelerations that stay."""
        return h * point.u + 0.5 * h * h * point.a

    def _line(self, point: Point, h: float) -> Line:
        """Return how speeds and accelerations at the end of a step follow from ξ."""
        b, g = self.beta, self.gamma
        slope, share = 1.0 / (b * h * h), (1.0 - self.am) / (1.0 - self.af)
        a = -(0.5 / b - 1.0) * point.a
        ud = share * a + (self.am * point.a - self.af * point.ud) / (1.0 - self.af)
        u = point.u + h * ((1.0 - g) * point.a + g * a)
        return Line(h * point.u, (a, slope), (ud, share * slope), (u, h * g * slope))

    def _at(self, point: Point, h: float, w: Array, step: Array, lam: Array) -> State:
        """Return the state at the end of a step ξ."""
        return self._on(self._line(point, h), point, h, w, step, lam)

    def _on(
        self, line: Line, point: Point, h: float, w: Array, step: Array, lam: Array
    ) -> State:
        """Return the state at the end of a step ξ, with what is known of the step."""
        off = step - line.free
        ud = line.ud[0] + line.ud[1] * off
        start = State(point.t, point.q, point.u, w, point.k, ud, lam, SPEEDS, step)
        q, u = self.machine.moved(start, step), line.u[0] + line.u[1] * off
        return State(point.t + h, q, u, w, point.k, ud, lam, SPEEDS, step)

    def _newton(self, point: Point, h: float, w: Array) -> Point | None:
        """Return the end of a step, found with the matrix there is."""
        machine, s = self.machine, self._share(h)
        rows = np.ones(machine.m)
        rows[machine.mh :] = self.beta * h / self.gamma
        step = guess = self._guess(point, h)
        lam, before, rate = point.lam, inf, self._rate
        # Errors of ξ come back as errors of a, divided by h²: an absolute bound would not do.
        enough = TOLERANCE * self.beta * h * h
        enough += ROUNDING * float(np.abs(point.q).max(initial=0.0))
        line, factors = self._line(point, h), self.linear.scaled(-s, -rows)
        for count in range(1, NEWTONS + 1):
            state = self._on(line, point, h, w, step, lam)
            lacking = np.concatenate(machine.residual(state))
            more, pull = self.linear.solve_scaled(lacking, factors)
            step, lam = step + more, lam + pull / s
            self.iterations += 1
            size = float(np.abs(more).max(initial=0.0))
            if not np.isfinite(size) or self._strays(step - guess):
                return None
            if count > 1:
                rate = size / before if before else 0.0
                if rate >= 1.0 and size > 100 * enough:
                    return None
            stuck = rate > 0.5 and count > 2 and size <= 100 * enough  # in rounding
            if stuck or size * min(rate, 1.0) <= (1.0 - min(rate, 0.9)) * enough:
                self._due, self._rate = count >= SLOW, max(rate, 1e-2)
                return self._end(line, point, h, w, step, lam)
            before = size
        return None

    def _strays(self, off: Array) -> bool:
        """Return whether an attitude is far from its guess.

        What Newton's method finds there may be another solution than the motion.
        """
        return float(np.abs(off[self._turning]).max(initial=0.0)) > STRAY

    def _end(
        self, line: Line, point: Point, h: float, w: Array, step: Array, lam: Array
    ) -> Point:
        state = self._on(line, point, h, w, step, lam)
        a = line.a[0] + line.a[1] * (step - line.free)
        k = self.machine.revised(state)
        return Point(state.t, state.q, state.u, a, state.a, lam, k)
