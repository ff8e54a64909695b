"""The matrix of a batched machine, scaled, and its factors, kept while they serve."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bellcrank.kernels.batched.arena import in_large_pages
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.kernels.routines import routine
from bellcrank.linear.sparse_lu import Singular, SparseLU
from bellcrank.machine.batched.native.table import REGULAR, REGULAR_REPEATED

Array = np.ndarray
SPEEDS = np.array([1.0, 0.0, 0.0, 1.0, 0.0])  # the factors of [A Cᵀ; C 0]
PASSES = 8  # until nothing but null-space multipliers is left
SHARE = 1e-6  # of the largest of them: rows with less are not redundant
POSITIONS = np.array([1.0, 0.0, 0.0, 0.0, 0.0])  # the same with position rows alone


class Linear:
    """The matrix of a machine, scaled, and its factors.

    Speeds are counted in 1/√A_ii and rows so that C A⁻¹ Cᵀ has a diagonal of one; then every
    pivot is of the size of one where it comes. −ε on the diagonal of rows keeps the matrix
    regular where rows are redundant: what nothing determines of λ stays small, and a Newton
    iteration still meets all rows that can be met.

    Attributes:
        machine: The machine.
        scale: What equations are multiplied with, and solutions.
        factors: Of the scaled matrix.
    """

    def __init__(self, machine: Assembled, state: AssembledState) -> None:
        self.machine = machine
        rows = machine.pattern[1]
        self._ties = (rows >= machine.nu) & (machine.columns < machine.nu)  # entries of C
        self._tied = rows[self._ties] - machine.nu, machine.columns[self._ties]
        arena = machine.arena
        self.scale = arena.copy(self._scales(machine.matrix(replace(state, c=SPEEDS))))
        self._product = arena.copy(self.scale[rows] * self.scale[machine.columns])
        self._entries = arena.zeros(rows.size)
        self.factors, self._choices = factors(machine), 0
        self._at: AssembledState | None = None  # where [A Cᵀ; C 0] was factorised last

    def _scales(self, entries: Array) -> Array:
        """Return what unknowns are divided by, and equations multiplied with."""
        masses = entries[self.machine.diagonal][: self.machine.nu]
        heavy = masses[masses > 0.0]
        masses = np.where(masses > 0.0, masses, heavy.min() if heavy.size else 1.0)
        row, column = self._tied
        shares = entries[self._ties] ** 2 / masses[column]
        size = np.bincount(row, weights=shares, minlength=self.machine.m)
        size = np.where(size > 0.0, size, 1.0)
        return 1.0 / np.sqrt(np.concatenate([masses, size]))

    def factor(self, state: AssembledState, fresh: bool = False, soft: float = 0.0) -> None:
        """Factorise the matrix at a state.

        Args:
            state: The state.
            fresh: Whether pivots are chosen anew.
            soft: What is added to the diagonal of the scaled mass matrix.

        Raises:
            Singular: It has no inverse, or is not finite.
        """
        with np.errstate(invalid="ignore", over="ignore"):  # which is what is looked for
            entries = self.machine.matrix(state, self._product, self._entries)
            if not np.isfinite(entries.sum()):
                raise Singular
        nu, diagonal = self.machine.nu, self.machine.diagonal
        entries[diagonal[nu:]] -= REGULAR
        if soft:
            entries[diagonal[:nu]] += soft
        self._at = None
        self.factors.factor(entries, fresh)
        if not soft and np.array_equal(state.c, SPEEDS):
            self._at = replace(state, q=state.q.copy(), w=state.w.copy(), k=state.k.copy())
        if self.factors.choices != self._choices:
            self._choices = self.factors.choices
            for block in self.factors.memory:
                in_large_pages(*block)

    def holds(self, state: AssembledState) -> bool:
        """Return whether the factors are those of [A Cᵀ; C 0] at a state."""
        known = self._at
        return (
            known is not None
            and known.t == state.t
            and all(
                np.array_equal(getattr(known, name), getattr(state, name)) for name in "qwk"
            )
        )

    def solve(self, top: Array, bottom: Array) -> tuple[Array, Array]:
        """Return the parts of the solution along speeds and along rows."""
        x = self.scale * self.factors.solve(self.scale * np.concatenate([top, bottom]))
        return x[: self.machine.nu], x[self.machine.nu :]

    def rows_times(self, a: Array) -> Array:
        """Return C a, C being in the matrix that was factorised last."""
        (row, column), nu, m = self._tied, self.machine.nu, self.machine.m
        scaled = self._entries[self._ties] * (a / self.scale[:nu])[column]
        return np.bincount(row, weights=scaled, minlength=m) / self.scale[nu:]

    def columns_times(self, lam: Array) -> Array:
        """Return Cᵀ λ, C being in the matrix that was factorised last."""
        (row, column), nu = self._tied, self.machine.nu
        scaled = self._entries[self._ties] * (lam / self.scale[nu:])[row]
        return np.bincount(column, weights=scaled, minlength=nu) / self.scale[:nu]


def factors(machine: Assembled, dtype: type = float) -> SparseLU:
    """Return factors of the pattern of a machine, real or complex."""
    return SparseLU(*machine.pattern, machine.order, lu_routine(dtype), dtype)


def lu_routine(dtype: type = float) -> int:
    """Return the address of the native routine of `SparseLU` for real or complex numbers."""
    name, find = ("sparse_lu", _real) if dtype is float else ("sparse_lu_complex", _complex)
    return routine(name, find, answers=True)


def _real() -> Callable[..., int]:
    from bellcrank.linear.native.sparse_lu import sparse_lu

    return sparse_lu


def _complex() -> Callable[..., int]:
    from bellcrank.linear.native.sparse_lu import sparse_lu_complex

    return sparse_lu_complex


def accelerations(linear: Linear, state: AssembledState) -> tuple[Array, Array]:
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
    for _ in range(2):  # what −ε leaves of C u̇ = γ
        left = gamma - linear.rows_times(a)
        more, pull = linear.solve(-machine.residual(replace(zero, a=a, lam=lam))[0], left)
        a, lam = a + more, lam + pull
    return a, lam


def idle_multipliers(linear: Linear, state: AssembledState) -> Array | None:
    """Return λ of the null space, Cᵀ λ = 0, with a part in every row left open by redundancy.

    Along these rows −ε on the diagonal is all that answers: what is asked comes back 1/ε times
    as large, and anything else far less. So they are what is left of any vector after a while.
    None where no row is redundant.

    Raises:
        Singular: Something that can move has no inertia.
    """
    machine, growth = linear.machine, 0.0
    if not linear.holds(state):
        linear.factor(replace(state, c=SPEEDS), fresh=True)
    x = np.random.default_rng(0).normal(size=machine.m)
    for _ in range(PASSES if machine.m else 0):
        x /= np.linalg.norm(x)
        x = linear.factors.solve(np.concatenate([np.zeros(machine.nu), x]))[machine.nu :]
        growth = float(np.linalg.norm(x))
    return linear.scale[machine.nu :] * x / growth if growth > 0.5 / REGULAR else None


def epsilons(linear: Linear, state: AssembledState) -> Array:
    """Return ε of each row in Newton's method: larger where it repeats others.

    Raises:
        Singular: Something that can move has no inertia.
    """
    idle = idle_multipliers(linear, state)
    if idle is None:
        return np.full(linear.machine.m, REGULAR)
    share = np.abs(idle / linear.scale[linear.machine.nu :])
    return np.where(share > SHARE * share.max(), REGULAR_REPEATED, REGULAR)


def without_solution(machine: Assembled, problem: Singular, t: float) -> str:
    """Return what a matrix without an inverse says of the machine."""
    e, place = machine.equations, problem.column
    if 0 <= place < machine.nu:
        what = f"'{(*e.speeds, *e.auxiliary)[place].name}' has no inertia"
    elif place >= machine.nu:
        what = f"the row '{e.rows[place - machine.nu].name}' does not constrain the motion"
    else:
        what = "something that can move has no inertia, or a law is not finite"
    return f"the equations have no solution at t = {t:.9g} s: {what}."
