"""Stiffness noticed, and the method changed because of it: between calls of a driver.

An explicit method is held back by stability, not by accuracy, when the length h of its steps
times the spectral radius ρ of the Jacobian stays near the limit of its stability region. ρ is
found by Arnoldi's method on differences of the right-hand side, which needs no Jacobian.

Where constraints are projected onto, stiffness shows earlier: the rounding of coordinates,
times a large stiffness, is a noise of the right-hand side that no step but a short one keeps
below the tolerance. Then h ρ is well below the limit, and h times the noise is not.

In either case an implicit method is tried, and kept while its steps are worth their cost; once
an explicit one would be stable with steps as long, it takes over again.

References:
    Saad (2011), Numerical Methods for Large Eigenvalue Problems, 6.2.
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.2.
"""

import ctypes
from collections.abc import Callable
from functools import cached_property

import numpy as np

from bellcrank.integrators import contract as c
from bellcrank.integrators.drivers import driver
from bellcrank.integrators.memory import CALLS, KERNELS, Blocks, Records
from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.problem import Array, Problem
from bellcrank.kernels.entries import Native

Advance = Callable[[int, int], int]

NEAR = 0.7  # part of the limit at which stability is what holds steps back
FAR = 0.35  # part of the limit below which it does not
SUSPICIONS = 2  # looks in a row that must agree
WORTH = 8.0  # a step of the implicit method must be longer by this to be worth it
FIRST_LOOK, LAST_LOOK = 300, 10_000  # attempts between looks at an explicit method
IMPLICIT_LOOK, LAST_IMPLICIT_LOOK = 12, 60  # … at the implicit one
ITERATIONS = 8  # directions per look; it goes on where the last look ended
NOISE = 5e-3  # of a tolerance, which rounding adds to a step: no longer one would do
FAST = 0.3  # of h ρ: the fastest part of the motion is no slower than the step
LOOKS, APART = 6, 1e-3  # places at which noise is looked for, and how far apart in steps
SHARED = (
    "x", "x1", "place", "scratch", "atol", "nominal", "most_atol", "rest", "group", "motion",
    "rounding", "w0", "w1", "w", "p", "memory", "z", "z_root", "z_flips", "z_since",
    "g", "g_root", "g_sign", "g_direction", "g_terminal", "clock",
)  # fmt: skip


class Deferred:
    """A kernel that is made when it is first asked for."""

    def __init__(self, make: Callable[[], Native]) -> None:
        self._make = make

    @cached_property
    def _kernel(self) -> Native:
        return self._make()

    @property
    def address(self) -> int:
        """Address of the function."""
        return self._kernel.address

    @property
    def work(self) -> int:
        """Doubles of scratch."""
        return self._kernel.work


class Watch:
    """Looks at a run now and then, and changes its method where that is worth while.

    It looks after so many attempts at a step, however a run is cut into calls of its driver:
    what it does depends on the run alone, not on how long calls take.

    Attributes:
        budget: Attempts from one look to the next.
        looked: Attempts made at the last look.
        changes: What was changed, when and why, in words.
        kind: Of the method at work.
    """

    def __init__(
        self, problem: Problem, explicit: type[Method], implicit: type[Method]
    ) -> None:
        self.problem, self.explicit, self.implicit = problem, explicit, implicit
        self.kind, self.limit, self.look = explicit, explicit.stable, FIRST_LOOK
        self.changes: list[str] = []
        self.suspicions, self.before, self.implicit_look = 0, 0.0, 1.0 * IMPLICIT_LOOK
        self.seen: tuple[int, float] | None = None
        self.looked = 0
        self.direction = any_direction(problem.nx)
        self.watched = problem.watched

    @property
    def budget(self) -> int:
        """Attempts from one look to the next."""
        return self.look if self.kind is self.explicit else int(self.implicit_look)

    def left(self, blocks: Blocks) -> int:
        """Return the attempts until the next look."""
        return max(1, self.budget - (blocks.attempts - self.looked))

    def consider(
        self, advance: Advance, blocks: Blocks, records: Records
    ) -> tuple[Advance, Blocks]:
        """Return the driver and the blocks to go on with."""
        run = blocks.run
        steps, time = run.steps, run.time
        if self.seen is None:
            self.seen = 0, run.begin
        made, tried = steps - self.seen[0], blocks.attempts
        if tried - self.looked < self.budget or run.phase not in (c.READY, c.REVISE):
            return advance, blocks
        self.looked = tried
        if made < self.budget // 2:  # most attempts were rejected
            return advance, blocks
        length = abs(time - self.seen[1]) / made
        self.seen = steps, time
        radius, self.direction = spectral_radius(self.problem, blocks, self.direction)
        if self.kind is self.explicit:
            fast = self.problem.saddle is not None and length * radius > FAST
            noise = rounding_noise(self.problem, blocks, length) if fast else 0.0
            reason = self._stiff(length, radius, noise)
        else:
            reason = self._relaxed(run.h, radius)
        if not reason:
            return advance, blocks
        return self._change(blocks, records, time, reason, radius)

    def may_rescue(self, code: int, blocks: Blocks) -> bool:
        """Return whether the implicit method failed where the explicit one may go on."""
        failed = code in (c.NON_FINITE, c.SMALLEST_STEP, c.STALLED)
        return failed and self.kind is not self.explicit and blocks.run.phase == c.READY

    def rescue(self, blocks: Blocks, records: Records) -> tuple[Advance, Blocks]:
        """Return the explicit driver and the blocks to go on with, after a failure."""
        time, self.look = blocks.run.time, LAST_LOOK
        self.seen, self.looked = (blocks.run.steps, time), blocks.attempts
        blocks.run.h, blocks.run.dependent = self.before, 0
        reason = "implicit steps, however short, lead no further"
        return self._change(blocks, records, time, reason, 0.0)

    def _stiff(self, length: float, radius: float, noise: float) -> str:
        """Return why the implicit method should take over, or nothing."""
        stability = length * radius > NEAR * self.limit
        self.suspicions = self.suspicions + 1 if stability or noise > NOISE else 0
        if self.suspicions < SUSPICIONS:
            if not self.suspicions:
                self.look = min(2 * self.look, LAST_LOOK)
            return ""
        self.before = length
        holds = "stability" if stability else "rounding, times a large stiffness,"
        return (
            f"{holds} holds steps at {length:.2g} s, where the fastest part of the motion "
            f"takes {1 / radius:.2g} s"
        )

    def _relaxed(self, length: float, radius: float) -> str:
        """Return why the explicit method should take over again, or nothing."""
        if length * radius < FAR * self.limit:
            return f"steps of {length:.2g} s are stable again"
        if length < WORTH * self.before:
            self.look = LAST_LOOK
            return f"implicit steps of {length:.2g} s are no longer than explicit ones"
        self.implicit_look = min(1.2 * self.implicit_look, LAST_IMPLICIT_LOOK)
        return ""

    def _change(
        self, old: Blocks, records: Records, time: float, reason: str, radius: float
    ) -> tuple[Advance, Blocks]:
        was, stiff = self.kind, self.kind is self.explicit
        self.suspicions = 0
        self.kind = now = self.implicit if stiff else self.explicit
        self.implicit_look = IMPLICIT_LOOK
        blocks = Blocks(self.problem, *now.shape(), None, now.room(self.problem))
        _move(old, blocks)
        records.blocks = blocks
        if not stiff:
            blocks.run.h = min(blocks.run.h, 0.5 * self.limit / max(radius, 1e-300))
            if self.look != LAST_LOOK:
                self.look = FIRST_LOOK
        self.changes.append(
            f"t = {time:.6g} s: {was.__name__} to {now.__name__}, because {reason}"
        )
        return driver(now, now.constrained(self.problem), self.watched), blocks


def any_direction(nx: int) -> Array:
    """Return a direction in which every state takes part, shape (nx,)."""
    return np.cos(np.arange(nx) + 1.0)


def spectral_radius(problem: Problem, blocks: Blocks, direction: Array) -> tuple[float, Array]:
    """Return the spectral radius of the Jacobian at the point reached [1/s].

    Args:
        problem: What is integrated.
        blocks: Of the run.
        direction: Where to begin; what comes back with the radius is a better one.
    """
    x, there = rates_here(problem, blocks)
    here, size = there(x).copy(), 1.0 + float(np.linalg.norm(x))

    def slope(v: Array) -> Array:
        return (there(x + 1e-7 * size * v) - here) / (1e-7 * size)

    blocks.run.evaluations += ITERATIONS + 1
    return _dominant(slope, direction)


def rounding_noise(problem: Problem, blocks: Blocks, h: float) -> float:
    """Return what rounding adds to a step of length h, in tolerances.

    It is what the right-hand side has besides a parabola, along a short part of a step.
    """
    x, there = rates_here(problem, blocks)
    part = APART * np.arange(LOOKS)
    rate = blocks.run.sign * h * there(x)
    seen = np.array([there(x + (0.5 + each) * rate).copy() for each in part])
    blocks.run.evaluations += LOOKS + 1
    if not np.isfinite(seen).all():
        return 0.0
    smooth = np.vander(part / APART, 3)
    left = seen - smooth @ np.linalg.lstsq(smooth, seen, rcond=None)[0]
    tolerance = blocks.view("atol")[: len(x)] + blocks.run.rtol * np.abs(x)
    return float(h * np.sqrt(np.mean((left / tolerance) ** 2)))


def rates_here(problem: Problem, blocks: Blocks) -> tuple[Array, Callable[[Array], Array]]:
    """Return the point reached, and x → ẋ at its time; it gives the same array again."""
    time = blocks.run.time
    blocks.view("clock")[0] = time
    blocks.w[:] = blocks.w0 + blocks.w1 * time
    return blocks.x.copy(), _caller(problem, blocks)


def _dominant(slope: Callable[[Array], Array], v: Array) -> tuple[float, Array]:
    """Return the modulus of the largest eigenvalue of a matrix, and a direction rich in it.

    Arnoldi's method: on an orthonormal basis V of v, J v, J² v, … the matrix is the Hessenberg
    matrix H = Vᵀ J V. Its largest eigenvalues, pairs of complex ones included, come out first;
    the growth of J v alone would swing with their phase.

    Args:
        slope: v → J v.
        v: Where to begin, shape (n,).
    """
    V, H, count = np.zeros((ITERATIONS + 1, len(v))), np.zeros((ITERATIONS + 1, ITERATIONS)), 0
    V[0] = v / np.sqrt(v @ v)
    for k in range(ITERATIONS):
        w, known = slope(V[k]), V[: k + 1]
        size = float(np.sqrt(w @ w))
        if not np.isfinite(size):
            return 0.0, v
        H[: k + 1, k] = known @ w
        w = w - H[: k + 1, k] @ known
        H[k + 1, k], count = np.sqrt(w @ w), k + 1
        if H[k + 1, k] <= 1e-6 * size or k + 1 == len(v):
            break
        V[k + 1] = w / H[k + 1, k]
    values, vectors = np.linalg.eig(H[:count, :count])
    largest = int(np.abs(values).argmax())
    rich = V[:count].T @ (np.real(vectors) + np.imag(vectors))[:, largest]
    length = float(np.linalg.norm(rich))
    return float(np.abs(values[largest])), rich / length if length > 0.0 else v


def _caller(problem: Problem, blocks: Blocks) -> Callable[[Array], Array]:
    """Return x → ẋ at the blocks' time, inputs and memory; it gives the same array again."""
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(blocks.run.rhs)
    nq, nu, nx = problem.nq, problem.nu, problem.nx
    state, rate = np.zeros(nx + 1), np.zeros(nx + 1)
    given = np.array([getattr(blocks.run, f"in_{name}") for name in "tquswpk"])
    given[1:4] = state.ctypes.data + 8 * np.array([0, nq, nq + nu])
    taken = rate.ctypes.data + 8 * np.array([0, nq, nq + nu])
    work = blocks.run.work

    def rates(x: Array) -> Array:
        state[:nx] = x
        function(given.ctypes.data, taken.ctypes.data, work)
        return rate[:nx]

    return rates


def _move(old: Blocks, new: Blocks) -> None:
    """Carry a run from blocks of one shape to those of another, between two steps."""
    kept = {*new.places, *KERNELS.values(), "blend", "saddle", *CALLS}
    for name in c.LAYOUT.names or ():
        if name not in kept:
            setattr(new.run, name, getattr(old.run, name))
    for name in SHARED:
        new.view(name)[:] = old.view(name)
    for name in ("f0_valid", "f1_valid", "dense_valid", "after_rejection", "non_finite_row"):
        setattr(new.run, name, 0)
    new.run.jacobian_due, new.run.jacobian_fresh = 1, 0
    new.run.factored_h = new.run.guide_h = new.run.history_h = new.run.h_before = 0.0
    new.run.error_before = new.run.outlook = 1.0
