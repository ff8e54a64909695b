"""Constrained motion in straight-line code, for rows that are independent.

    S = C A⁻¹ Cᵀ,   S λ = C A⁻¹ f − γ,   u̇ = A⁻¹ (f − Cᵀ λ)

Where the Schur complement S would be full although the machine is sparse, speeds and rows are
eliminated from the saddle-point matrix instead, see `augmented`.

S squares C, which costs nothing while rows are well conditioned. That is watched: a pivot of S
against the diagonal entry it came from is the squared sine between a row and all rows before
it, and against the nominal size of that entry it tells a row that vanishes. Where pivots
collapse, and for redundant rows, there is the rank-revealing projection of
`bellcrank.constraints.projection`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

import casadi as ca

from bellcrank.constraints.augmented import FactoredSaddle, along, entries
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.equations import Equations
from bellcrank.linear.pivots import Pivots
from bellcrank.linear.straight_line import Factored, Sparse, SparseVector
from bellcrank.spatial.arithmetic import Scalar, add, mul, neg, sub


class _Metric:
    """A factored mass matrix and chosen rows in its metric; norms are met first."""

    def __init__(
        self,
        equations: Equations,
        form: "_Form",
        rows: Mapping[int, float],
        scale: Sequence[float],
    ) -> None:
        M, C, self._N = form.M, form.C, form.N
        self._mass = Factored(M.shape[0], {e: v for e, v in entries(M) if e[0] >= e[1]})
        columns: dict[int, SparseVector] = {i: {} for i in range(len(rows))}
        place = {row: i for i, row in enumerate(rows)}
        for (i, j), value in entries(C):
            if i in place:
                columns[place[i]][j] = mul(1.0 / scale[i], value)
        self._rows, self._scale, self._columns = tuple(rows), scale, columns
        self._half = {i: self._mass.halfway(column) for i, column in columns.items()}
        self._entries = schur = self._products(self._half, self._half)
        self._norms = {i for row, i in place.items() if equations.rows[row].kind == "norm"}
        self._schur = Factored(len(rows), schur, self._norms)
        ratios = [
            self._schur.pivots[i] / ca.fmax(schur[i, i], nominal)
            for i, nominal in enumerate(rows.values())
        ]
        self.watch: ca.SX = ca.mmin(ca.vertcat(*ratios)) if ratios else ca.SX(1.0)

    def meeting(self, free: Sequence[Scalar], right: ca.SX) -> list[Scalar]:
        """Return the vector nearest to `free` in the mass metric with C x = right."""
        multipliers = self._schur.solve(self._lacking(free, right))
        push: SparseVector = {}
        for i, value in multipliers.items():
            for j, entry in self._columns[i].items():
                push[j] = push.get(j, 0.0) + mul(entry, value)
        moved = self._mass.solve(push)
        return [free[j] + moved.get(j, 0.0) for j in range(len(free))]

    def _lacking(self, free: Sequence[Scalar], right: ca.SX) -> SparseVector:
        """Return right − C x of the chosen rows, scaled."""
        lacking = {}
        for i, column in self._columns.items():
            row = self._rows[i]
            wanted = mul(1.0 / self._scale[row], right[row])
            lacking[i] = sub(wanted, along(column, free))
        return lacking

    def _products(
        self, left: Mapping[int, SparseVector], right: Mapping[int, SparseVector]
    ) -> Sparse:
        """Return aᵀ M⁻¹ b of half-way solutions, for a not before b."""
        found = {}
        for i, a in left.items():
            for j, b in right.items():
                entry = self._mass.product(a, b) if j <= i else None
                if entry is not None:
                    found[i, j] = entry
        return found

    def accelerated(self, force: ca.SX, right: ca.SX) -> tuple[list[Scalar], ca.SX]:
        """Return u̇ under forces with C u̇ = right, and the watched pivot.

        M has inertia N Nᵀ that is not there, so that with z = Nᵀ u̇, B = C M⁻¹ N, E = Nᵀ M⁻¹ N

            [  S     −B   ] [ λ ]   [ C M⁻¹ f − γ ]
            [ −Bᵀ   E − 1 ] [ z ] = [  −Nᵀ M⁻¹ f  ],    u̇ = M⁻¹ (f − Cᵀ λ + N z)

        which is as sparse as S. Each z follows the rows that hold its body; its pivot is
        between −1 and 0, where nothing but N gives inertia.
        """
        found = self._mass.solve(dict(enumerate(ca.vertsplit(force))))
        free = [found[j] for j in range(force.numel())]
        massless = self._massless()
        if not massless:
            return self.meeting(free, right), self.watch
        solver, own = self._bordered(massless)
        given = {i: neg(value) for i, value in self._lacking(free, right).items()}
        given |= {k: neg(along(column, free)) for k, column in massless.items()}
        found = solver.solve(given)
        push: SparseVector = {}
        for i, value in found.items():
            for j, entry in (massless[i] if i in massless else self._columns[i]).items():
                moved = mul(entry, value)
                push[j] = add(push.get(j, 0.0), moved if i in massless else neg(moved))
        moved = self._mass.solve(push)
        # Shares may be small where bodies are thin; round-off is 1e-16 of them.
        least = ca.mmin(ca.vertcat(*(ca.SX(-solver.pivots[k]) for k in own)))
        ud = [free[j] + moved.get(j, 0.0) for j in range(len(free))]
        return ud, ca.fmin(self.watch, 1e3 * least)

    def _massless(self) -> dict[int, SparseVector]:
        """Return the massless directions, columns of N, numbered after the rows."""
        first = len(self._columns)
        found: dict[int, SparseVector] = {first + j: {} for j in range(self._N.shape[1])}
        for (i, j), value in entries(self._N):
            found[first + j][i] = value
        return found

    def _bordered(self, massless: dict[int, SparseVector]) -> tuple[Factored, list[int]]:
        """Return the factored matrix of λ and z, and the numbers of z."""
        half = {k: self._mass.halfway(column) for k, column in massless.items()}
        border = {at: neg(value) for at, value in self._products(half, self._half).items()}
        corner = self._products(half, half)
        for k in massless:
            corner[k, k] = sub(corner[k, k], 1.0)
        later = {k: [i for j, i in border if j == k] for k in massless}
        count = len(self._columns) + len(massless)
        matrix = self._entries | border | corner
        return Factored(count, matrix, self._norms, later=later), list(massless)


def correction(
    equations: Equations,
    rows: Mapping[int, float],
    scale: Sequence[float],
    pivots: Pivots | None = None,
) -> ca.Function:
    """Return a function of `ARGUMENTS`: q one Newton step nearer to Φ = 0, in the mass metric.

    With it come the largest scaled |Φ| before the step, of all rows, and the watched pivot.

    Args:
        equations: Of the machine.
        rows: Independent rows, each with its nominal cᵀ A⁻¹ c.
        scale: Nominal residuals of all rows.
        pivots: For the rows at position level, in saddle-point elimination.
    """
    inputs = _inputs(equations)
    held = {row: rows[row] for row in rows if equations.rows[row].level == "position"}
    # Invariants first: a step that also made good for their drift would be undone by them.
    there = dict(inputs)
    if equations.has("normalize"):
        there["q"] = _call(equations, "normalize", inputs)[0]
    phi = _call(equations, "position", there)[0]
    form = _Form.of(equations, there, scale)
    metric = _metric(equations, form, held, scale, pivots)
    free = [ca.SX(0.0)] * form.M.shape[0]
    step = form.back(ca.vertcat(*metric.meeting(free, -phi)))
    q = there["q"] + _call(equations, "kinematics", there)[0] @ step
    if equations.has("normalize"):
        q = _call(equations, "normalize", inputs | {"q": q})[0]
    size = _largest(phi, scale)
    return _function("correction", inputs, {"q_out": q, "size": size, "watch": metric.watch})


def motion(
    equations: Equations,
    rows: Mapping[int, float],
    scale: Sequence[float],
    pivots: Pivots | None = None,
) -> ca.Function:
    """Return a function of `ARGUMENTS`: q̇ and u̇ with speeds on C u = ν, and those speeds.

    With them come the largest scaled |C u − ν| that is left, of all rows, and the watched
    pivot. Arguments as of `correction`, with pivots for all rows.
    """
    inputs = _inputs(equations)
    nu = _call(equations, "velocity", inputs)[1]
    form = _Form.of(equations, inputs, scale)
    metric = _metric(equations, form, rows, scale, pivots)
    met = ca.vertcat(*metric.meeting(ca.vertsplit(form.w), nu))
    speeds = form.back(met)
    there = inputs | {"u": speeds}
    (gamma,) = _call(equations, "acceleration", there)
    force = form.forces(equations, there)
    if pivots is None:
        force += form.added(gamma)
    ud, watch = metric.accelerated(force, gamma)
    ud = ca.vertsplit(form.back(ca.vertcat(*ud)))
    W, x = _call(equations, "kinematics", there)
    qd = ca.densify(W @ speeds + x)
    left = _largest(form.C @ met - nu, scale)
    outputs = {"qd": qd, "ud": ca.vertcat(*ud), "speeds": speeds, "left": left}
    return _function("motion", inputs, outputs | {"watch": watch})


@dataclass(frozen=True)
class _Form:
    """The equations in the speeds w in which they are sparse.

    Attributes:
        A: The mass matrix.
        M: A definite matrix to take for A.
        N: Columns of inertia in M that is not there.
        C: Rows.
        w: The speeds.
        to_speeds: u = J⁻¹ w; None where they are the same.
        added: Returns what M adds to forces, for the right side of the rows.
    """

    A: ca.SX
    M: ca.SX
    N: ca.SX
    C: ca.SX
    w: ca.SX
    to_speeds: ca.SX | None
    added: Callable[[ca.SX], ca.SX | float]

    @staticmethod
    def of(equations: Equations, inputs: dict[str, ca.SX], scale: Sequence[float]) -> "_Form":
        """Return the equations at given arguments."""
        if equations.has("bodywise"):
            M, N, C, _, w, back = _call(equations, "bodywise", inputs)
            return _Form(ca.sparsify(M - N @ N.T), M, N, C, w, back, lambda _: 0.0)
        (A,), (C, _) = _call(equations, "mass", inputs), _call(equations, "velocity", inputs)

        def definite(right: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
            return _definite(equations, A, C, scale, right, inputs)

        M, _, N = definite(ca.SX(len(scale), 1))
        return _Form(A, M, N, C, inputs["u"], None, lambda right: definite(right)[1])

    def forces(self, equations: Equations, there: dict[str, ca.SX]) -> ca.SX:
        """Return the forces on w at given arguments."""
        if self.to_speeds is not None:
            return _call(equations, "bodywise", there)[3]
        return _call(equations, "force", there)[0]

    def back(self, w: ca.SX) -> ca.SX:
        """Return u of w."""
        return w if self.to_speeds is None else ca.densify(self.to_speeds @ w)


def _metric(
    equations: Equations,
    form: _Form,
    rows: Mapping[int, float],
    scale: Sequence[float],
    pivots: Pivots | None,
) -> _Metric | FactoredSaddle:
    """Return the mass matrix and rows, factored one way or the other."""
    if pivots is None:
        return _Metric(equations, form, rows, scale)
    definite = equations.mass_kind != "semidefinite" and not form.N.shape[1]
    return FactoredSaddle(form.A, form.C, rows, scale, pivots, definite)


def _definite(
    equations: Equations,
    A: ca.SX,
    C: ca.SX,
    scale: Sequence[float],
    right: ca.SX,
    inputs: dict[str, ca.SX],
) -> tuple[ca.SX, ca.SX, ca.SX]:
    """Return a definite matrix to take for A, what it adds to forces, and N to be taken off.

    Where the formulation completes A by inertia that is not there, M = A + N Nᵀ is as sparse
    as A. Else it is A + μ Cᵀ C: where C u̇ = γ it asks for the same u̇ if μ Cᵀ γ is added to
    the forces, and it is definite if A is so on ker C.
    """
    none, nothing = ca.SX(A.shape[0], 0), ca.SX(A.shape[0], 1)
    if equations.has("completion"):
        M, N = _call(equations, "completion", inputs)
        return M, nothing, N
    if equations.mass_kind != "semidefinite":
        return A, nothing, none
    weight = ca.SX([1.0 / size for size in scale])
    rows = ca.sparsify(ca.diag(weight) @ C)
    mu = ca.trace(A) / ca.trace(rows.T @ rows)
    push = mu * (rows.T @ (weight * right))
    return A + mu * (rows.T @ rows), push, none


def _largest(rows: ca.SX, scale: Sequence[float]) -> ca.SX:
    """Return the largest of scaled rows in size; those of infinite scale are left out."""
    sizes = [(i, size) for i, size in enumerate(scale[: rows.numel()]) if size < inf]
    if not sizes:
        return ca.SX(0.0)
    kept = ca.densify(rows)[[i for i, _ in sizes]]
    return ca.mmax(ca.fabs(kept / ca.DM([size for _, size in sizes])))


def _inputs(equations: Equations) -> dict[str, ca.SX]:
    return {name: ca.SX.sym(name, size) for name, size in equations.sizes.items()}


def _call(equations: Equations, slot: str, inputs: dict[str, ca.SX]) -> list[ca.SX]:
    return equations.function(slot).call([inputs[name] for name in ARGUMENTS], True, False)


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    return ca.Function(
        name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
    )
