"""Fully implicit methods: simplified Newton in the variables in which A⁻¹ is diagonal.

With Z = T W, the step h and A⁻¹ = T diag(γ, α ± iβ) T⁻¹, an iteration evaluates f at the stages
x + Z_i, and solves one real and one complex system of the size of the state:

    (γ/h - J) ΔW₁ = (T⁻¹ f)₁ - γ/h W₁
    (μ/h - J) (ΔW₂ + iΔW₃) = (T⁻¹ f)₂ + i(T⁻¹ f)₃ - μ/h (W₂ + iW₃),   μ = α - iβ

Rows of K: 0 derivative at X, 1 … s right-hand sides, then s rows W, s rows of the polynomial
of the last step, and one each for the error and what is small.
"""

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.integrators.native import linear, newton
from bellcrank.integrators.native.control import EPSILON
from bellcrank.integrators.native.relative import total_squares
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import combinations, finite
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.raw import constants, doubles, native

if TYPE_CHECKING:
    from bellcrank.integrators.methods.collocation import Collocation


def table(matrix: np.ndarray, first: int) -> Any:
    """Return combine(number, out, x, h, K, stride): out = x + h Σ_j matrix[number, j] K_j.

    The rows of K taken are those from `first` on.
    """
    terms = [[(first + j, float(w)) for j, w in enumerate(row) if w != 0.0] for row in matrix]
    return combinations(terms)


def _iteration(method: "Collocation") -> Any:
    """Return `iterate(run)`: one correction of W; return its norm over what is small."""
    s, gamma, mu, T = method.stages, *method.spectrum()
    r, re, im = int(method.real), mu.real, -mu.imag
    times, inverse = constants(method.c.tolist()), np.linalg.inv(T)
    weigh = [constants(row.tolist()) for row in inverse.T]
    first, second, third = weigh[0], weigh[1], weigh[-1]
    stage, fixed = table(T, s + 1), not method.adaptive

    @native
    def transform(run):
        """Replace the derivatives in rows 1 … s by T⁻¹ times them."""
        stride, k = run.stride, doubles(run.slopes)
        for n in range(run.nx):
            f1, f2, f3 = k[stride + n], k[2 * stride + n], k[s * stride + n]
            for row in range(s):
                value = first(row) * f1 + second(row) * f2
                if s == 3:
                    value += third(row) * f3
                k[(1 + row) * stride + n] = value

    @native
    def correct(run):
        """Solve for the correction, in rows 1 … s."""
        stride, h, k = run.stride, run.step, run.slopes
        if r == 1:
            b, w = doubles(k + 8 * stride), doubles(k + 8 * stride * (s + 1))
            for n in range(run.nx):
                b[n] -= gamma / h * w[n]
            linear.solve_real(run, gamma / h, b)
        b, d = doubles(k + 8 * stride * (1 + r)), doubles(k + 8 * stride * (2 + r))
        w, v = (
            doubles(k + 8 * stride * (s + 1 + r)),
            doubles(k + 8 * stride * (s + 2 + r)),
        )
        for n in range(run.nx):
            b[n] -= (re * w[n] - im * v[n]) / h
            d[n] -= (re * v[n] + im * w[n]) / h
        linear.solve_complex(run, re / h, im / h, b, d)

    @native
    def iterate(run, scale):
        stride, x, place, k = (
            run.stride,
            doubles(run.x),
            doubles(run.place),
            doubles(run.slopes),
        )
        for number in range(s):
            stage(number, place, x, 1.0, k, stride)
            row = run.slopes + 8 * stride * (1 + number)
            derivative(run, run.time + times(number) * run.step, run.place, row)
        transform(run)
        correct(run)
        total = 0.0
        for number in range(s):
            change = doubles(run.slopes + 8 * stride * (1 + number))
            w = doubles(run.slopes + 8 * stride * (s + 1 + number))
            for n in range(run.nx):
                w[n] += change[n]
            if fixed and run.newtons == 1:
                newton.enlarge(run, change, scale, run.nx)
            total += total_squares(run, change, scale)
        return sqrt(total / (s * max(run.nx, 1)))

    return iterate


def _factors(method: "Collocation", algebra: newton.Algebra) -> Any:
    """Return `factor(run)`: make the factors of this step, if there are none that serve."""
    gamma, mu, _ = method.spectrum()
    real, re, im = method.real, mu.real, -mu.imag
    renew = newton.renewer(algebra.take)
    factor_real, factor_complex = algebra.factor_real, algebra.factor_complex

    @native
    def factor(run):
        if not renew(run):
            return False
        if newton.factors_serve(run):
            return True
        h = run.step
        run.factored_h = 0.0
        if real and not factor_real(run, gamma / h):
            return False
        if not factor_complex(run, re / h, im / h):
            return False
        run.factored_h = h
        return True

    return factor


def _guess(method: "Collocation") -> Any:
    """Return `guess(run)`: W from the polynomial of the last step, or zero."""
    s, (_, _, T) = method.stages, method.spectrum()
    inverse = [constants(row.tolist()) for row in np.linalg.inv(T).T]
    first, second, third = inverse[0], inverse[1], inverse[-1]
    times = constants(method.c.tolist())

    @native
    def beyond(c1, c2, c3, theta):
        """Return the change of the polynomial from its end to θ > 1."""
        return (theta - 1.0) * (c1 - theta * (c2 + theta * c3))

    @native
    def guess(run):
        stride, k = run.stride, doubles(run.slopes)
        ratio = 0.0
        if run.guide_h != 0.0:
            ratio = run.step / run.guide_h
        for n in range(run.nx):
            c1, c2, c3 = (
                k[(2 * s + 1) * stride + n],
                k[(2 * s + 2) * stride + n],
                k[3 * s * stride + n],
            )
            if s == 2:
                c3 = 0.0
            z1 = beyond(c1, c2, c3, 1.0 + times(0) * ratio)
            z2 = beyond(c1, c2, c3, 1.0 + times(1) * ratio)
            z3 = beyond(c1, c2, c3, 1.0 + times(s - 1) * ratio)
            for row in range(s):
                value = first(row) * z1 + second(row) * z2
                if s == 3:
                    value += third(row) * z3
                k[(s + 1 + row) * stride + n] = value if ratio > 0.0 else 0.0

    return guess


@native
def _nothing(run):
    """Without constraints there are only states."""


def algebra(method: "Collocation", constrained: bool) -> newton.Algebra:
    """Return how Newton's method works, with or without constraints."""
    if constrained:
        from bellcrank.integrators.methods.native import index2

        return index2.algebra(method)
    return newton.Algebra(
        linear.take_jacobian, linear.factor_real, linear.factor_complex, linear.solve_real,
        _iteration(method), _nothing, _nothing,
    )  # fmt: skip


def stages(method: "Collocation", adaptive: bool, algebra: newton.Algebra) -> Any:
    """Return `newton(run)`: W of this step; say whether it was found."""
    s = method.stages
    iterate, progress = algebra.iterate, newton.watcher(adaptive, hidden=algebra.hidden)
    factor, guess, scales = _factors(method, algebra), _guess(method), newton.scales(adaptive)
    more, fixed_steps = algebra.guess, not adaptive

    @native
    def once(run):
        """Iterate from a first guess with the factors there are."""
        if not factor(run):
            return False
        guess(run)
        more(run)
        scale = doubles(run.slopes + 8 * run.stride * (3 * s + 2))
        scales(run, scale)
        run.outlook = max(run.outlook, EPSILON) ** 0.8
        before, run.newtons = 1.0, 0
        while True:
            run.newtons += 1
            size = iterate(run, scale)
            verdict = progress(run, size, before)
            if verdict != 0:
                return verdict > 0
            if fixed_steps and newton.unsettled(run, size):
                newton.blur(run, scale, run.slopes + 8 * run.stride)
            before = size

    @native
    def solve(run):
        while not once(run):
            if run.jacobian_fresh != 0:
                return False
            run.jacobian_due, run.guide_h = 1, 0.0
        return True

    return solve


def keeper(method: "Collocation") -> Any:
    """Return `keep(run)`: note the polynomial of this step, to begin the next one with."""
    s, (_, _, T) = method.stages, method.spectrum()
    polynomial = table(method.nested() @ T, s + 1)

    @native
    def keep(run):
        stride, k, zero = run.stride, doubles(run.slopes), doubles(run.scratch)
        for n in range(stride):
            zero[n] = 0.0
        for number in range(s):
            out = doubles(run.slopes + 8 * stride * (2 * s + 1 + number))
            polynomial(number, out, zero, 1.0, k, stride)
        run.guide_h = run.step

    return keep


def fixed(method: "Collocation", constrained: bool) -> Stepper:
    """Return the stepper of a method with steps of fixed length."""
    s, (_, _, T) = method.stages, method.spectrum()
    way = algebra(method, constrained)
    solve, note, keep = stages(method, False, way), way.note, keeper(method)
    ends = table((method.weights() @ T)[None], s + 1)

    @native
    def attempt(run):
        newton.begin(run)
        if not solve(run):
            return nan
        stride, x1 = run.stride, doubles(run.x1)
        ends(0, x1, doubles(run.x), 1.0, doubles(run.slopes), stride)
        note(run)
        keep(run)
        newton.carry_on(run)
        return finite(x1, stride)

    @native
    def dense(run):
        """The cubic with values and slopes of both ends, of order 3."""
        hermite(run, 1)

    return Stepper(
        attempt, dense, order=method.order, error_order=0, beta=0.0, safety=0.0, blend=4, last=1
    )
