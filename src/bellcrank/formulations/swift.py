"""Constrained motion in straight-line code, for rows that are independent.

    S = C A⁻¹ Cᵀ,   S λ = C A⁻¹ f − γ,   u̇ = A⁻¹ (f − Cᵀ λ)

S squares C, which costs nothing while rows are well apart. How well is watched: a pivot of S
against the diagonal entry it came from is the squared sine between a row and all rows before
it, and against the nominal size of that entry it tells a row that vanishes. Where pivots
collapse, and for rows that repeat others, there is the rank-revealing way of
`bellcrank.integrators.projection`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from bellcrank.formulations.arithmetic import Scalar, add, mul, sub
from bellcrank.formulations.equations import ARGUMENTS, Equations
from bellcrank.formulations.factor import Factored, SparseVector


class _Metric:
    """A factored mass matrix and chosen rows in its metric; norms are met first."""

    def __init__(
        self,
        equations: Equations,
        A: ca.SX,
        C: ca.SX,
        rows: Mapping[int, float],
        scale: Sequence[float],
    ) -> None:
        self._mass = Factored(A.shape[0], {e: v for e, v in _entries(A) if e[0] >= e[1]})
        columns: dict[int, SparseVector] = {i: {} for i in range(len(rows))}
        place = {row: i for i, row in enumerate(rows)}
        for (i, j), value in _entries(C):
            if i in place:
                columns[place[i]][j] = mul(1.0 / scale[i], value)
        self._rows, self._scale, self._columns = tuple(rows), scale, columns
        half = {i: self._mass.halfway(column) for i, column in columns.items()}
        schur = {}
        for i in half:
            for j in range(i + 1):
                entry = self._mass.product(half[i], half[j])
                if entry is not None:
                    schur[i, j] = entry
        norms = {i for row, i in place.items() if equations.rows[row].kind == "norm"}
        self._schur = Factored(len(rows), schur, norms)
        ratios = [
            self._schur.pivots[i] / ca.fmax(schur[i, i], nominal)
            for i, nominal in enumerate(rows.values())
        ]
        self.watch: ca.SX = ca.mmin(ca.vertcat(*ratios)) if ratios else ca.SX(1.0)

    def along(self, column: SparseVector) -> list[Scalar]:
        """Return Ã⁻¹ b, brought to C x = 0, for a sparse b."""
        n = len(self._mass.order)
        found = self._mass.solve(column)
        free = [found.get(j, 0.0) for j in range(n)]
        return self.meeting(free, ca.SX(len(self._scale), 1))

    def meeting(self, free: Sequence[Scalar], right: ca.SX) -> list[Scalar]:
        """Return the vector nearest to `free` in the mass metric with C x = right."""
        lacking = {}
        for i, column in self._columns.items():
            row = self._rows[i]
            reached: Scalar = 0.0
            for j, value in column.items():
                reached = reached + mul(value, free[j])
            lacking[i] = sub(mul(1.0 / self._scale[row], right[row]), reached)
        multipliers = self._schur.solve(lacking)
        push: SparseVector = {}
        for i, value in multipliers.items():
            for j, entry in self._columns[i].items():
                push[j] = push.get(j, 0.0) + mul(entry, value)
        moved = self._mass.solve(push)
        return [free[j] + moved.get(j, 0.0) for j in range(len(free))]

    def solve(self, b: ca.SX) -> list[Scalar]:
        """Return A⁻¹ b."""
        found = self._mass.solve(dict(enumerate(ca.vertsplit(b))))
        return [found[j] for j in range(b.numel())]


def correction(
    equations: Equations, rows: Mapping[int, float], scale: Sequence[float]
) -> ca.Function:
    """Return a function of `ARGUMENTS`: q one Newton step nearer to Φ = 0, in the mass metric.

    With it come the largest scaled |Φ| before the step, of all rows, and the watched pivot.

    Args:
        equations: Of the machine.
        rows: Independent rows, each with its nominal cᵀ A⁻¹ c.
        scale: Nominal residuals of all rows.
    """
    inputs = _inputs(equations)
    held = {row: rows[row] for row in rows if equations.rows[row].level == "position"}
    # Invariants first: a step that also made good for their drift would be undone by them.
    there = dict(inputs)
    if equations.has("normalize"):
        there["q"] = _call(equations, "normalize", inputs)[0]
    phi = _call(equations, "position", there)[0]
    form = _Form.of(equations, there, scale)
    metric = _Metric(equations, form.M, form.C, held, scale)
    free = [ca.SX(0.0)] * form.M.shape[0]
    step = form.back(ca.vertcat(*metric.meeting(free, -phi)))
    q = there["q"] + _call(equations, "kinematics", there)[0] @ step
    if equations.has("normalize"):
        q = _call(equations, "normalize", inputs | {"q": q})[0]
    size = _largest(phi, scale)
    return _function("correction", inputs, {"q_out": q, "size": size, "watch": metric.watch})


def motion(
    equations: Equations, rows: Mapping[int, float], scale: Sequence[float]
) -> ca.Function:
    """Return a function of `ARGUMENTS`: q̇ and u̇ with speeds on C u = ν, and those speeds.

    With them come the largest scaled |C u − ν| that is left, of all rows, and the watched
    pivot. Arguments as of `correction`.
    """
    inputs = _inputs(equations)
    nu = _call(equations, "velocity", inputs)[1]
    form = _Form.of(equations, inputs, scale)
    metric = _Metric(equations, form.M, form.C, rows, scale)
    met = ca.vertcat(*metric.meeting(ca.vertsplit(form.w), nu))
    speeds = form.back(met)
    there = inputs | {"u": speeds}
    (gamma,) = _call(equations, "acceleration", there)
    ud = metric.meeting(metric.solve(form.forces(equations, there, gamma)), gamma)
    ud, watch = _without(metric, form.N, ud)
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
        M: A definite matrix to take for A.
        N: Columns of inertia in M that is not there.
        C: Rows.
        w: The speeds.
        to_speeds: u = J⁻¹ w; None where they are the same.
        added: Returns what M adds to forces, for the right side of the rows.
    """

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
            return _Form(M, N, C, w, back, lambda _: 0.0)
        (A,), (C, _) = _call(equations, "mass", inputs), _call(equations, "velocity", inputs)

        def definite(right: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
            return _definite(equations, A, C, scale, right, inputs)

        M, _, N = definite(ca.SX(len(scale), 1))
        return _Form(M, N, C, inputs["u"], None, lambda right: definite(right)[1])

    def forces(self, equations: Equations, there: dict[str, ca.SX], right: ca.SX) -> ca.SX:
        """Return the forces on w at given arguments, and what M adds to them."""
        if self.to_speeds is not None:
            return _call(equations, "bodywise", there)[3]
        return _call(equations, "force", there)[0] + self.added(right)

    def back(self, w: ca.SX) -> ca.SX:
        """Return u of w."""
        return w if self.to_speeds is None else ca.densify(self.to_speeds @ w)


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
    rows = ca.diag(1.0 / ca.SX(list(scale))) @ C
    mu = ca.trace(A) / ca.trace(rows.T @ rows)
    push = mu * (rows.T @ (right / ca.SX(list(scale))))
    return A + mu * (rows.T @ rows), push, none


def _without(metric: _Metric, N: ca.SX, ud: list[Scalar]) -> tuple[list[Scalar], ca.SX]:
    """Return u̇ of A where `ud` is that of A + N Nᵀ, and the watched pivot.

    A u̇ = (A + N Nᵀ) u̇ − N z with z = Nᵀ u̇; so u̇ = u̇₀ + U z, where column j of U answers to
    the force N_j, and (1 − Nᵀ U) z = Nᵀ u̇₀. The factor is between 0, where nothing but N gives
    inertia, and 1.
    """
    count = N.shape[1]
    if not count:
        return ud, metric.watch
    columns: list[SparseVector] = [{} for _ in range(count)]
    for (i, j), value in _entries(N):
        columns[j][i] = value
    U = [metric.along(column) for column in columns]
    entries = {}
    for i in range(count):
        for j in range(i + 1):
            share = _along(columns[i], U[j])
            entries[i, j] = sub(1.0 if i == j else 0.0, share)
    factored = Factored(count, entries)
    z = factored.solve({j: _along(column, ud) for j, column in enumerate(columns)})
    for j, moved in enumerate(U):
        ud = [a + mul(z[j], b) for a, b in zip(ud, moved, strict=True)]
    # Shares may be small where bodies are thin; round-off is 1e-16 of them.
    least = ca.mmin(ca.vertcat(*(ca.SX(pivot) for pivot in factored.pivots.values())))
    return ud, ca.fmin(metric.watch, 1e3 * least)


def _along(column: SparseVector, vector: Sequence[Scalar]) -> Scalar:
    """Return the product of a sparse and a full vector."""
    found: Scalar = 0.0
    for i, value in column.items():
        found = add(found, mul(value, vector[i]))
    return found


def _largest(rows: ca.SX, scale: Sequence[float]) -> ca.SX:
    """Return the largest of scaled rows in size."""
    return ca.mmax(ca.fabs(ca.densify(rows) / ca.DM(list(scale[: rows.numel()]))))


def _inputs(equations: Equations) -> dict[str, ca.SX]:
    return {name: ca.SX.sym(name, size) for name, size in equations.sizes.items()}


def _call(equations: Equations, slot: str, inputs: dict[str, ca.SX]) -> list[ca.SX]:
    return equations.function(slot).call([inputs[name] for name in ARGUMENTS], True, False)


def _function(name: str, inputs: dict[str, ca.SX], outputs: dict[str, ca.SX]) -> ca.Function:
    return ca.Function(
        name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
    )


def _entries(matrix: ca.SX) -> list[tuple[tuple[int, int], ca.SX]]:
    """Return the entries that are not zero by structure."""
    pattern = matrix.sparsity()
    rows, cols = pattern.get_triplet()
    return [((i, j), matrix.nz[k]) for k, (i, j) in enumerate(zip(rows, cols, strict=True))]
