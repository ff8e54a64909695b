"""Radau IIA of order 5 with steps that adapt.

The error estimate is of order 3 only. Once a step has one before it, its tolerance is loosened
as Hairer and Wanner do, so that the error of order 5 that remains is about what was asked for.
Between the ends of steps, the quintic with the values and slopes at the ends of this step and
the last one is as good as that; where there is no last step, or the quintic is at odds with the
stages (something fast decays), it is the collocation polynomial, whose error the estimate
bounds. Slopes are those of collocation polynomials, which stiffness does not magnify.

Rows of K after those of `collocation`: slope at the beginning of this step, change over the
last step, slope at its beginning.

References:
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, IV.8.
"""

from math import nan, sqrt
from typing import TYPE_CHECKING, Any

from bellcrank.integrators.methods.native.collocation import algebra, keeper, stages, table
from bellcrank.integrators.native import newton
from bellcrank.integrators.native.relative import near, step_size, tolerance
from bellcrank.integrators.native.stepper import Stepper
from bellcrank.integrators.native.vectors import finite
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.raw import doubles, native

if TYPE_CHECKING:
    import numpy as np

    from bellcrank.integrators.methods.collocation import Collocation

POLYNOMIAL, ERROR, SMALL, SLOPE, LAST_CHANGE, LAST_SLOPE = 7, 10, 11, 12, 13, 14  # rows of K


@native
def _norm(run, row):
    """Return the RMS of a row over the tolerance of the step, or what can be resolved."""
    small, total = doubles(run.slopes + 8 * run.stride * SMALL), 0.0
    for n in range(run.nx):
        error = row[n] if run.related == 0 else near(run, row, n)
        part = error / max(tolerance(run, n, step_size(run, n)), small[n])
        total += part * part
    return sqrt(total / max(run.nx, 1))


def _estimate(method: "Collocation", weights: "np.ndarray", solve_real: Any) -> Any:
    """Return the norm of Hairer's estimate over the tolerance, as a function of (run).

    e = (γ/h - J)⁻¹ (f₀ + Σ e_i Z_i/h). Where it is too large at the start or after a
    rejection, f₀ is replaced by f(x + e), which takes out what only comes from fast parts.
    """
    gamma, _, T = method.spectrum()
    combine = table((weights @ T)[None], 4)

    @native
    def filtered(run, slope):
        stride, h = run.stride, run.step
        error, k = doubles(run.slopes + 8 * stride * ERROR), doubles(run.slopes)
        combine(0, error, slope, 1.0 / h, k, stride)
        solve_real(run, gamma / h, error)
        loosened = newton.loosened(run) if run.guide_h != 0.0 else 1.0
        return _norm(run, error) / loosened

    @native
    def estimate(run):
        size = filtered(run, doubles(run.slopes))
        if size <= 1.0 or (run.steps > 0 and run.after_rejection == 0):
            return size
        stride, x, place = run.stride, doubles(run.x), doubles(run.place)
        error, row = doubles(run.slopes + 8 * stride * ERROR), run.slopes + 8 * stride
        for n in range(run.nx):
            place[n] = x[n] + error[n]
        derivative(run, run.time, run.place, row)
        return filtered(run, doubles(row))

    return estimate


def _keep(method: "Collocation", note: Any) -> Any:
    """Return `keep(run)`: what the step leaves to the next one."""
    polynomial = keeper(method)

    @native
    def keep(run):
        stride, k, h = run.stride, doubles(run.slopes), run.guide_h
        for n in range(run.nx):
            last = POLYNOMIAL * stride + n
            k[LAST_SLOPE * stride + n] = k[SLOPE * stride + n]
            k[LAST_CHANGE * stride + n] = k[last]
            if h != 0.0:  # the slope at the end of the last step
                k[SLOPE * stride + n] = (k[last] - k[last + stride] - k[last + 2 * stride]) / h
            else:
                k[SLOPE * stride + n] = k[n]
        run.history_h = h
        note(run)
        polynomial(run)

    return keep


@native
def _collocation(run):
    """Fill C with the collocation polynomial."""
    stride, k, x, rows = run.stride, doubles(run.slopes), doubles(run.x), doubles(run.dense)
    for n in range(stride):
        rows[n] = x[n]
        for row in range(3):
            rows[(1 + row) * stride + n] = k[(POLYNOMIAL + row) * stride + n]
        rows[4 * stride + n] = rows[5 * stride + n] = 0.0


@native
def _quintic(run):
    """Fill C with the quintic: the cubic of this step, and what the last step adds to it.

    x(θ) = H(θ) + θ²(1-θ)²(C₄ + θ C₅), where the value and slope at θ = -r are known.
    """
    stride, k, h, r = run.stride, doubles(run.slopes), run.step, run.history_h / run.step
    x, x1, rows = doubles(run.x), doubles(run.x1), doubles(run.dense)
    weight = r * r * (1.0 + r) * (1.0 + r)
    steepness = -2.0 * r * (1.0 + r) * (1.0 + 2.0 * r)
    for n in range(run.nx):
        end = POLYNOMIAL * stride + n
        change = x1[n] - x[n]
        bend = h * k[SLOPE * stride + n] - change
        twist = change - (k[end] - k[end + stride] - k[end + 2 * stride]) - bend
        value = -r * (change + (1.0 + r) * (bend - r * twist))
        slope = change + (1.0 + 2.0 * r) * bend - r * (2.0 + 3.0 * r) * twist
        missing = (-k[LAST_CHANGE * stride + n] - value) / weight
        tilt = (h * k[LAST_SLOPE * stride + n] - slope - steepness * missing) / weight
        rows[n] = x[n]
        rows[stride + n] = change
        rows[2 * stride + n] = bend
        rows[3 * stride + n] = twist
        rows[4 * stride + n] = missing + r * tilt
        rows[5 * stride + n] = tilt


@native
def _discord(run, theta):
    """Return how far the quintic is from the collocation polynomial at a stage."""
    stride, k, rows = run.stride, doubles(run.slopes), doubles(run.dense)
    out, rest = doubles(run.slopes + 8 * stride * ERROR), 1.0 - theta
    for n in range(run.nx):
        end = POLYNOMIAL * stride + n
        c1, c2, c3 = k[end], k[end + stride], k[end + 2 * stride]
        more = rows[3 * stride + n] + rest * (
            rows[4 * stride + n] + theta * rows[5 * stride + n]
        )
        quintic = rows[stride + n] + rest * (rows[2 * stride + n] + theta * more)
        out[n] = theta * (quintic - c1 - rest * (c2 + theta * c3))
    return _norm(run, out)


def _dense(method: "Collocation") -> Any:
    """Return the dense output: the quintic where it is to be trusted, else the collocation."""
    first, second = method.c[:2].tolist()

    @native
    def dense(run):
        if run.history_h == 0.0:
            _collocation(run)
            return
        _quintic(run)
        discord = max(_discord(run, first), _discord(run, second))
        if not discord <= 2.0 * newton.loosened(run):
            _collocation(run)

    return dense


def radau5(method: "Collocation", weights: "np.ndarray", constrained: bool) -> Stepper:
    """Return the stepper of Radau IIA of order 5.

    Args:
        method: Its tableau.
        weights: Those of the stages in the error estimate.
        constrained: Whether there are constraints.
    """
    _, _, T = method.spectrum()
    way = algebra(method, constrained)
    solve, estimate = stages(method, True, way), _estimate(method, weights, way.solve_real)
    ends = table(T[-1:], 4)

    @native
    def attempt(run):
        newton.begin(run)
        if not solve(run):
            return nan
        stride, x1 = run.stride, doubles(run.x1)
        ends(0, x1, doubles(run.x), 1.0, doubles(run.slopes), stride)
        return estimate(run) + finite(x1, stride)

    return Stepper(
        attempt, _dense(method), order=5, error_order=4, beta=0.0, safety=newton.SAFETY,
        blend=6, last=1, judge=newton.judge(4, _keep(method, way.note)),
    )  # fmt: skip
