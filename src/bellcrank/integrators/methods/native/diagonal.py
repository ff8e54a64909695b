"""Diagonally implicit methods: stage after stage, all with the same factors.

    Z_i = Z̄_i + h γ f(t + c_i h, x + Z_i),   Z̄_i = h Σ_{j<i} a_ij f_j
    (μ - J) ΔZ = f(x + Z) - μ (Z - Z̄),   μ = 1/(hγ);   f_i = μ (Z_i - Z̄_i)

Derivatives of stages come from the last line, not from f: that does not magnify what is left
of Newton's method by the stiffness. Rows of K: 0 derivative at X, then those of the stages
(the first is row 0 itself where it is explicit), Z, Z̄, right-hand side, what is small.
"""

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.integrators.native import linear, newton
from bellcrank.integrators.native.control import EPSILON
from bellcrank.integrators.native.relative import (
    near,
    step_size,
    tolerance,
    total_squares,
)
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import combinations, finite
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.raw import constants, doubles, native

if TYPE_CHECKING:
    from bellcrank.integrators.methods.diagonal import Diagonal


def _row(method: "Diagonal", stage: int) -> int:
    return stage if method.explicit_first else stage + 1


def _known(method: "Diagonal") -> Any:
    """Return the combinations Z̄_i of derivatives."""
    table = [
        [(_row(method, j), float(w)) for j, w in enumerate(method.a[stage, :stage]) if w != 0.0]
        for stage in range(method.stages)
    ]
    return combinations(table)


def _foresight(method: "Diagonal") -> Any:
    """Return the combinations that guess γ f_i: the polynomial through derivatives before."""
    table = []
    for stage in range(method.stages):
        nodes = [0.0, *method.c[:stage].tolist()]
        rows = [0, *(_row(method, j) for j in range(stage))]
        if method.explicit_first and stage:
            nodes, rows = nodes[1:], rows[1:]
        powers = np.vander(nodes, increasing=True)
        wanted = method.c[stage] ** np.arange(len(nodes))
        weights = np.linalg.solve(powers.T, wanted) * method.gamma
        table.append([(r, float(w)) for r, w in zip(rows, weights, strict=True) if w != 0.0])
    return combinations(table)


def _stage(method: "Diagonal", adaptive: bool) -> Any:
    """Return `stage(run, number, scale)`: Z_i and f_i; say whether they were found."""
    last, gamma = method.last, method.gamma
    shift = 0 if method.explicit_first else 1
    known, foresee, times = _known(method), _foresight(method), constants(method.c.tolist())
    progress, fixed = newton.watcher(adaptive, 1e-3), not adaptive

    @native
    def iterate(run, time, scale):
        stride, mu = run.stride, 1.0 / (run.step * gamma)
        x, place = doubles(run.x), doubles(run.place)
        z, z0 = (
            doubles(run.slopes + 8 * stride * (last + 1)),
            doubles(run.slopes + 8 * stride * (last + 2)),
        )
        row = run.slopes + 8 * stride * (last + 3)
        for n in range(run.nx):
            place[n] = x[n] + z[n]
        derivative(run, time, run.place, row)
        change = doubles(row)
        for n in range(run.nx):
            change[n] -= mu * (z[n] - z0[n])
        linear.solve_real(run, mu, change)
        for n in range(run.nx):
            z[n] += change[n]
        if fixed and run.newtons == 1:
            newton.enlarge(run, change, scale, run.nx)
        return sqrt(total_squares(run, change, scale) / max(run.nx, 1))

    @native
    def stage(run, number, scale):
        stride, h, k = run.stride, run.step, doubles(run.slopes)
        z, z0 = (
            doubles(run.slopes + 8 * stride * (last + 1)),
            doubles(run.slopes + 8 * stride * (last + 2)),
        )
        zero = doubles(run.scratch)
        for n in range(stride):
            zero[n] = z0[n] = 0.0
        known(number, z0, zero, h, k, stride)
        foresee(number, z, z0, h, k, stride)
        run.outlook = max(run.outlook, EPSILON) ** 0.8
        before, verdict, run.newtons = 1.0, 0, 0
        while verdict == 0:
            run.newtons += 1
            size = iterate(run, run.time + times(number) * h, scale)
            verdict = progress(run, size, before)
            if fixed and verdict == 0 and newton.unsettled(run, size):
                newton.blur(run, scale, run.slopes + 8 * stride * (last + 3))
            before = size
        slope = doubles(run.slopes + 8 * stride * (shift + number))
        for n in range(run.nx):
            slope[n] = (z[n] - z0[n]) / (h * gamma)
        return verdict > 0

    return stage


def _newton(method: "Diagonal", adaptive: bool) -> Any:
    """Return `solve(run)`: all stages of this step; say whether they were found."""
    s, last, gamma = method.stages, method.last, method.gamma
    begin, scales, stage = (
        int(method.explicit_first),
        newton.scales(adaptive),
        _stage(method, adaptive),
    )

    renew = newton.renewer(linear.take_jacobian)

    @native
    def factor(run):
        renew(run)
        if newton.factors_serve(run):
            return True
        run.factored_h = 0.0
        if not linear.factor_real(run, 1.0 / (run.step * gamma)):
            return False
        run.factored_h = run.step
        return True

    @native
    def once(run):
        if not factor(run):
            return False
        scale = doubles(run.slopes + 8 * run.stride * (last + 4))
        scales(run, scale)
        most, rate = 0, 0.0
        for number in range(begin, s):
            if not stage(run, number, scale):
                return False
            most = max(most, run.newtons)
            if run.newtons > 1:
                rate = max(rate, run.rate)
        run.newtons, run.rate = most, rate
        return True

    @native
    def solve(run):
        while not once(run):
            if run.jacobian_fresh != 0:
                return False
            run.jacobian_due = 1
        return True

    return solve


def _estimate(method: "Diagonal") -> Any:
    """Return the norm of μ (μ - J)⁻¹ h Σ e_i f_i over the tolerance."""
    last, gamma = method.last, method.gamma
    terms = [(_row(method, j), float(w)) for j, w in enumerate(method.errors) if w != 0.0]
    combine = combinations([terms])

    @native
    def estimate(run):
        stride, mu = run.stride, 1.0 / (run.step * gamma)
        error, zero = doubles(run.slopes + 8 * stride * (last + 3)), doubles(run.scratch)
        for n in range(stride):
            zero[n] = 0.0
        combine(0, error, zero, 1.0 / gamma, doubles(run.slopes), stride)
        linear.solve_real(run, mu, error)
        total = 0.0
        for n in range(run.nx):
            part = error[n] if run.related == 0 else near(run, error, n)
            part /= tolerance(run, n, step_size(run, n))
            total += part * part
        return sqrt(total / max(run.nx, 1))

    return estimate


def _dense(method: "Diagonal") -> Any:
    last = method.last
    if not len(method.dense):

        @native
        def cubic(run):
            hermite(run, last)

        return cubic

    weights = method.nested()
    rows = len(weights)
    combine = combinations([
        [(_row(method, j), float(w)) for j, w in enumerate(row)] for row in weights
    ])

    @native
    def dense(run):
        stride, zero, x = run.stride, doubles(run.scratch), doubles(run.x)
        first = doubles(run.dense)
        for n in range(stride):
            zero[n] = 0.0
            first[n] = x[n]
        for number in range(rows):
            out = doubles(run.dense + 8 * stride * (1 + number))
            combine(number, out, zero, run.step, doubles(run.slopes), stride)

    return dense


@native
def _nothing(run):
    """Keep nothing: derivatives of stages foretell the next ones."""


def diagonal(method: "Diagonal") -> Stepper:
    """Return the stepper of a diagonally implicit method."""
    adaptive, last = method.error_order > 0, method.last
    solve = _newton(method, adaptive)
    estimate = _estimate(method) if adaptive else None

    @native
    def attempt(run):
        newton.begin(run)
        if not solve(run):
            return nan
        stride, x, x1 = run.stride, doubles(run.x), doubles(run.x1)
        z = doubles(run.slopes + 8 * stride * (last + 1))
        for n in range(run.nx):
            x1[n] = x[n] + z[n]
        run.f1_valid = 1
        if adaptive:
            return estimate(run) + finite(x1, stride)  # type: ignore[misc]
        newton.carry_on(run)
        return finite(x1, stride)

    return Stepper(
        attempt, _dense(method), order=method.order, error_order=method.error_order, beta=0.0,
        safety=newton.SAFETY, blend=method.shape[1], last=last,
        judge=newton.judge(method.error_order, _nothing) if adaptive else None,
    )  # fmt: skip
