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

import ctypes
from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Any

import numpy as np

from bellcrank.integrators import sparse_table as d
from bellcrank.integrators.methods import GeneralizedAlpha
from bellcrank.integrators.problem import Array
from bellcrank.integrators.shims import routine
from bellcrank.integrators.sparse_linear import SPEEDS, Linear, accelerations
from bellcrank.kernels.assembled import State
from bellcrank.kernels.rounds import play_address

TOLERANCE = 1e-5  # of u̇ [m/s², rad/s²], as far as Newton's method may leave it
ROUNDING = 1e-15  # of q
NEWTONS = 10  # iterations with one matrix
STRAY = 0.5  # angle between guess and found, beyond which a step is too long [rad]
TURNING = ("angular_velocity", "angle_rate")  # quantities whose steps are angles
SLOW = 5  # iterations of a step after which the next has a new matrix


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
        self._far = 0.0  # the largest coordinate when the matrix was made
        self._last: tuple[Point, Point, float] | None = None  # a step: its ends, its length
        self._iteration = _Iteration(linear)

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
                self._factor(point, h, w, fresh)
            found = self._newton(point, h, w)
            if found is not None:
                self._last = point, found, h
                return found
            self._last = None  # what was foreseen may have misled
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

    def _factor(self, point: Point, h: float, w: Array, fresh: bool) -> None:
        """Factorise the matrix where a step is expected to end."""
        speed, s = self.gamma / (self.beta * h), self._share(h)
        c = np.array([1.0, s * speed, s, 1.0, 1.0 / speed])
        self._begin(point, h, w)
        self._far = float(np.abs(point.q).max(initial=0.0))
        self.linear.factor(replace(self._iteration.place(), c=c), fresh or self._h == 0.0)
        self._h, self._due = h, False

    def _share(self, h: float) -> float:
        """Return s = ∂ξ/∂u̇₁."""
        return self.beta * h * h * (1.0 - self.af) / (1.0 - self.am)

    def _begin(self, point: Point, h: float, w: Array) -> Array:
        """Set what is known of a step, and ξ and λ as they are expected.

        Speeds and accelerations at the end are linear in ξ − h u₀. Returns the algorithm's own
        accelerations where that is zero; their slope is 1/(β h²).
        """
        b, g, one, rest = self.beta, self.gamma, self._iteration, 1.0 - self.af
        share, slope = (1.0 - self.am) / rest, 1.0 / (b * h * h)
        kept = 1.0 - 0.5 / b  # of a where ξ = h u₀
        np.multiply(point.u, h, out=one.free)
        one.a0[:] = (share * kept + self.am / rest) * point.a - (self.af / rest) * point.ud
        one.u0[:] = point.u + (h * (1.0 - g + g * kept)) * point.a
        rise, lam = self._foreseen(point, h)
        one.guess[:] = one.free + (0.5 * h * h) * point.a + (b * h * h) * rise
        one.f[d.A_SLOPE], one.f[d.U_SLOPE] = share * slope, h * g * slope
        one.f[d.SHARE] = self._share(h)
        one.rows(-self._share(h), -b * h / g)
        values = self.machine.vectors
        values["t"][0], values["w"][:], values["k"][:] = point.t + h, w, point.k
        values["q0"][:], values["x"][:], values["lam"][:] = point.q, one.guess, lam
        return kept * point.a

    def _foreseen(self, point: Point, h: float) -> tuple[Array | float, Array]:
        """Return by how much accelerations are expected to change in a step, and λ after it.

        Where the step before was as long as this one, both change as they did in that.
        """
        last = self._last
        if last is None or last[1] is not point or last[2] != h:
            return 0.0, point.lam
        before = last[0]
        return point.a - before.a, 2.0 * point.lam - before.lam

    def _newton(self, point: Point, h: float, w: Array) -> Point | None:
        """Return the end of a step, found with the matrix there is."""
        one, before, rate = self._iteration, inf, self._rate
        # Errors of ξ come back as errors of a, divided by h²: an absolute bound would not do.
        enough = TOLERANCE * self.beta * h * h
        enough += ROUNDING * self._far
        a = self._begin(point, h, w)
        for count in range(1, NEWTONS + 1):
            size, stray = one.correct()
            self.iterations += 1
            # What Newton's method finds far from the guess may be another motion.
            if not isfinite(size) or stray > STRAY:
                return None
            if count > 1:
                rate = size / before if before else 0.0
                if rate >= 1.0 and size > 100 * enough:
                    return None
            stuck = rate > 0.5 and count > 2 and size <= 100 * enough  # in rounding
            if stuck or size * min(rate, 1.0) <= (1.0 - min(rate, 0.9)) * enough:
                self._due, self._rate = count >= SLOW, max(rate, 1e-2)
                return self._end(a, h)
            before = size
        return None

    def _end(self, a: Array, h: float) -> Point:
        """Return the end of a step that was found."""
        one, state = self._iteration, self._iteration.place()
        a = a + (state.x - one.free) / (self.beta * h * h)
        copies = [part.copy() for part in (state.q, state.u, state.a, state.lam)]
        k = self.machine.revised(state)
        q, u, ud, lam = copies
        return Point(state.t, q, u, a, ud, lam, k)


class _Iteration:
    """The vectors of a step; what is done to them in every iteration is native.

    Attributes:
        free: h u₀.
        u0, a0: Speeds and u̇ at the end of a step of that.
        guess: ξ to begin with.
        f: The numbers of `sparse_table`.
    """

    def __init__(self, linear: Linear) -> None:
        machine, self._linear, self._last = linear.machine, linear, (0.0, 0.0)
        self._machine, values = machine, machine.vectors
        self.free, self.u0, self.a0, self.guess = (np.zeros(machine.nu) for _ in range(4))
        self._factors, self.f = np.zeros(machine.size), np.zeros(d.NUMBERS)
        turning = [v.quantity in TURNING for v in machine.equations.speeds]
        self._turning = np.flatnonzero(turning)
        self._solve = linear.factors.solver(machine.lacking)
        vectors = {
            d.X: values["x"], d.U: values["u"], d.A: values["a"], d.LAM: values["lam"],
            d.LACKING: machine.lacking, d.FREE: self.free, d.U0: self.u0, d.A0: self.a0,
            d.GUESS: self.guess, d.FACTORS: self._factors, d.SCALE: linear.scale,
            d.TURNING: self._turning,
        }  # fmt: skip
        self._table = table = np.zeros(d.LENGTH, dtype=np.int64)
        for slot, vector in vectors.items():
            table[slot] = vector.ctypes.data
        table[[d.NU, d.M, d.TURNS]] = machine.nu, machine.m, len(self._turning)
        table[d.PLAY], table[d.MOVE] = play_address(), machine.moving.address
        table[d.RESIDUAL] = machine.round("residual").address
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(routine("sparse_alpha", _find))
        given = (table.ctypes.data, self.f.ctypes.data, 0, 0)
        self._do: Callable[[int], Any] = lambda what: call(*given, what)

    def rows(self, top: float, speeds: float) -> None:
        """Set what equations of motion and rows of speeds are multiplied by."""
        if (top, speeds) != self._last:
            self._last, nu = (top, speeds), self._machine.nu
            self._factors[:nu], self._factors[nu:] = top, -1.0
            self._factors[nu + self._machine.mh :] = speeds
            self._factors *= self._linear.scale

    def place(self) -> State:
        """Return the state at the end of the step ξ; its vectors are the machine's own."""
        self._do(d.PLACE)
        own = self._machine.vectors
        names = ("q", "u", "w", "k", "a", "lam", "c", "x")
        return State(float(own["t"][0]), *(own[name] for name in names))

    def correct(self) -> tuple[float, float]:
        """Correct ξ and λ; return the largest change of ξ, and how far it is from the guess."""
        self._do(d.LACK)
        self._solve()
        self._do(d.TAKE)
        return float(self.f[d.SIZE]), float(self.f[d.STRAY])


def _find() -> Callable[..., None]:
    from bellcrank.integrators.native.sparse_alpha import alpha

    return alpha
