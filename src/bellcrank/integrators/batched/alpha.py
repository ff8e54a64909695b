"""Generalized-α on index 3 for large machines: sparse matrices, factors kept while they serve.

With ξ the step along T, a the accelerations that the method averages and u̇ the true ones:

    q₁ = q₀ moved by ξ,            ξ = h u₀ + h² ((½ − β) a₀ + β a₁)
    u₁ = u₀ + h ((1 − γ) a₀ + γ a₁)
    (1 − αm) a₁ + αm a₀ = (1 − αf) u̇₁ + αf u̇₀
    A u̇₁ − f + Cᵀ λ₁ = 0,          Φ(q₁) = 0,   velocity rows C u₁ = ν

Attitudes move on their group (q₁ is q₀ turned by ξ), so that Euler parameters stay at unit
length without a constraint. Newton's method takes ξ and s λ for unknowns, with s the part of
u̇₁ that ξ is: the matrix then does not degenerate with h. It is factorised anew only where the
iteration has slowed down, and then for a place some steps ahead, so that it fits the motion
better and better before it fits worse and worse. Where steps change their length or Newton's
method has failed, it is made for the step at hand.

References:
    Brüls, Cardona, Arnold (2012), Lie group generalized-α time integration of constrained
    flexible multibody systems.
    Arnold, Brüls (2007), Convergence of the generalized-α scheme for constrained mechanical
    systems.
"""

from dataclasses import replace
from math import inf, isfinite
from typing import final

import numpy as np

from bellcrank.integrators.batched.iteration import Iteration, MotionPoint, Scheme
from bellcrank.integrators.methods import GeneralizedAlpha
from bellcrank.integrators.problem import Array
from bellcrank.kernels.batched.assembled import AssembledState
from bellcrank.linear.sparse_lu import Singular
from bellcrank.machine.batched.matrix import SPEEDS, Linear, accelerations

TOLERANCE = 1e-5  # of u̇ [m/s², rad/s²], as far as Newton's method may leave it
LEFT = 1e-3  # of its first correction, that it may leave as well,
OPEN = 1e-9  # but no more than this of ξ, by which constraints stay open [m, rad],
OPEN_RATE = 1e-6  # nor more than this of ξ/h [m/s, rad/s]
ROUNDING = 1e-15  # of q
NEWTONS = 10  # iterations with one matrix
STRAY = 0.5  # angle between guess and found, beyond which a step is too long [rad]
SLOW = 4  # iterations of a step after which the next has a new matrix
AHEAD = 0.25  # of the steps that a matrix served: how far ahead the next one is made,
FARTHEST = 10  # and at most that many steps
FRESH = 0.05  # what a correction is expected to leave with a new matrix


@final
class Alpha:
    """Makes steps.

    Attributes:
        linear: The matrix.
        machine: The machine.
        scheme: The numbers of the method.
        iterations: Newton iterations so far.
    """

    def __init__(self, linear: Linear, method: GeneralizedAlpha) -> None:
        self.linear, self.machine = linear, linear.machine
        self.scheme, self.iterations = Scheme.of(method), 0
        self._h, self._rate, self._due = 0.0, FRESH, True
        self._age, self._ahead = 0, 0.0  # steps made with the matrix; before it fits best
        self._count = 0  # iterations of the last step
        self._far = 0.0  # the largest coordinate when the matrix was made
        self._last: tuple[MotionPoint, MotionPoint, float] | None = (
            None  # a step: its ends, its length
        )
        self._iteration = Iteration(linear, self.scheme)

    def step(self, point: MotionPoint, h: float, w: Array) -> MotionPoint | None:
        """Return the point a step of h later, or None where Newton's method fails.

        Args:
            point: Where it begins.
            h: The length of the step [s].
            w: The inputs at its end.

        Raises:
            Singular: The matrix has no inverse.
        """
        for fresh in (False, True):
            self._begin(point, h, w)
            if self._due or h != self._h or fresh:
                self._factor(point, h, w, fresh)
            if self._newton(h):
                found = self._iteration.end(point)
                self._last = point, found, h
                return found
            self._last = None  # what was foreseen may have misled
        return None

    def again(self, point: MotionPoint, w: Array) -> MotionPoint:
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
        return MotionPoint.begin(machine, point.t, point.q, u, a, lam, point.k)

    def _factor(self, point: MotionPoint, h: float, w: Array, fresh: bool) -> None:
        """Factorise the matrix where the step begun will end, or somewhat after that."""
        speed, s = self.scheme.gamma / (self.scheme.beta * h), self.scheme.share(h)
        c = np.array([1.0, s * speed, s, 1.0, 1.0 / speed])
        fresh, steady = fresh or self._h == 0.0, self._last is not None and h == self._h
        self._ahead = min(AHEAD * self._age, FARTHEST) if steady and not fresh else 0.0
        if self._ahead:
            try:
                self.linear.factor(replace(self._further(self._ahead * h), c=c))
            except Singular:  # laws need not reach that far, nor need the matrix be regular
                self._ahead = 0.0
            self._begin(point, h, w)  # the machine had been moved
        if not self._ahead:
            self.linear.factor(replace(self._iteration.place(), c=c), fresh)
        self._far = float(np.abs(point.q).max(initial=0.0))
        self._h, self._due, self._age, self._count = h, False, 0, NEWTONS
        self._rate = max(FRESH, self._rate) if self._ahead else FRESH

    def _further(self, time: float) -> AssembledState:
        """Return a state some time after a step, as far as accelerations tell."""
        state = self._iteration.place()
        x, u = state.x.copy(), state.u + time * state.a
        q = self.machine.moved(state, (0.5 * time) * (state.u + u))
        return replace(state, t=state.t + time, q=q, u=u, x=x)

    def _begin(self, point: MotionPoint, h: float, w: Array) -> None:
        """Set what is known of a step, and ξ and λ as they are expected.

        Accelerations and multipliers change as they did in the step before, where that was as
        long as this one.
        """
        last, values = self._last, self.machine.vectors
        before = last[0] if last and last[1] is point and last[2] == h else point
        values["t"][0], values["w"][:], values["k"][:] = point.t + h, w, point.k
        self._iteration.begin(before, point, h)

    def _newton(self, h: float) -> bool:
        """Find the end of the step begun with the matrix there is; say whether it was found."""
        before, rate = inf, self._rate
        # Errors of ξ come back as errors of a, divided by h²: an absolute bound would not do.
        floor = TOLERANCE * self.scheme.beta * h * h + ROUNDING * self._far
        enough = floor
        for count in range(1, NEWTONS + 1):
            size, stray = self._iteration.correct()
            self.iterations += 1
            # What Newton's method finds far from the guess may be another motion.
            if not isfinite(size) or stray > STRAY:
                return False
            if count == 1:
                enough += min(LEFT * size, OPEN, OPEN_RATE * abs(h))
            else:
                seen = size / before if before else 0.0
                if seen >= 1.0 and size > 100 * floor:
                    return False
                # What the guess lacks shrinks faster at first than later, with a stale matrix.
                rate = max(seen, self._rate) if count == 2 else seen
            stuck = rate > 0.5 and count > 2 and size <= 100 * floor  # in rounding
            if stuck or size * min(rate, 1.0) <= (1.0 - min(rate, 0.9)) * enough:
                self._rate, self._age = max(rate, 0.01), self._age + 1
                better = self._age <= self._ahead and count <= self._count
                self._due, self._count = count >= SLOW and not better, count
                return True
            before = size
        return False
