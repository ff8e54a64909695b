"""The stepper of an explicit Runge-Kutta method, made of its tableau."""

from math import sqrt
from typing import TYPE_CHECKING, Any

from bellcrank.integrators.native.relative import near, step_size, tolerance
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import combinations, finite, scaled_squares
from bellcrank.kernels.native.run import derivative, inputs_of, look
from bellcrank.linear.native.raw import call, constants, doubles, native

if TYPE_CHECKING:
    from bellcrank.integrators.methods.explicit import Tableau


def _terms(weights: tuple[float, ...]) -> list[tuple[int, float]]:
    return [(row, weight) for row, weight in enumerate(weights) if weight != 0.0]


def runge_kutta(tableau: "Tableau") -> Stepper:
    """Return the stepper of an explicit Runge-Kutta method."""
    return Stepper(
        attempt=_attempt(tableau),
        dense=_dense(tableau),
        order=tableau.order,
        error_order=tableau.error_order,
        beta=tableau.beta,
        safety=tableau.safety,
        blend=tableau.shape[1],
        last=tableau.stages,
    )


def _attempt(tableau: "Tableau") -> Any:
    stages, times = tableau.stages, constants(tableau.c)
    fsal = tableau.first_same_as_last
    combine = combinations([_terms(row) for row in (*tableau.a, tableau.b)])
    estimate, power, work = _estimate(tableau), _power(tableau), _work(tableau)

    @native
    def attempt(run):
        time, dt, stride = run.time, run.step, run.stride
        x, x1, place, k = (
            doubles(run.x),
            doubles(run.x1),
            doubles(run.place),
            doubles(run.slopes),
        )
        if run.f0_valid == 0:
            derivative(run, time, run.x, run.slopes)
            run.f0_valid = 1
        if run.powers != 0:
            look(run, time, run.x)
            power(run, 0)
        for stage in range(1, stages):
            combine(stage, place, x, dt, k, stride)
            row = run.slopes + 8 * stride * stage
            derivative(run, time + times(stage) * dt, run.place, row)
            power(run, stage)
        combine(stages, x1, x, dt, k, stride)
        if fsal:
            derivative(run, run.time1, run.x1, run.slopes + 8 * stride * stages)
            power(run, stages)
            run.f1_valid = 1
        work(run)
        return estimate(run) + finite(x1, stride)

    return attempt


def _used(tableau: "Tableau") -> tuple[float, ...]:
    """Return 1 for each derivative which x₁ or its error is made of, else 0."""
    rows = (tableau.b, *tableau.errors)
    return tuple(
        float(any(stage < len(row) and row[stage] != 0.0 for row in rows))
        for stage in range(tableau.stages + 1)
    )


def _power(tableau: "Tableau") -> Any:
    """Return `power(run, stage)`: keep the power where the derivative of a stage was taken."""
    used, tolerant = constants(_used(tableau)), bool(tableau.errors)

    @native
    def power(run, stage):
        if tolerant and run.powers != 0 and used(stage) != 0.0:
            run.in_a = run.slopes + 8 * (run.stride * stage + run.nq)
            call(run.power_kernel, inputs_of(run), run.power_out, run.power_work)
            kinds = doubles(run.power)
            doubles(run.powers)[stage] = kinds[0] + kinds[1]

    return power


def _work(tableau: "Tableau") -> Any:
    """Return `work(run)`: the work of a step as one more state, and what it may be wrong by.

    W = h Σ b_i P(Y_i) is of the order of the method, whatever the order of its stages.
    """
    if not tableau.errors:

        @native
        def none(run):
            return

        return none

    size = tableau.stages + 1
    weights = [
        constants((*row, *[0.0] * (size - len(row))))
        for row in (tableau.b, tableau.errors[0], tableau.errors[-1])
    ]
    b, first, second = weights
    two = len(tableau.errors) == 2
    used = constants(_used(tableau))

    @native
    def work(run):
        if run.powers == 0:
            return
        powers, h, last = doubles(run.powers), run.step, 0.0
        total = error = coarse = 0.0
        for stage in range(size):
            if used(stage) != 0.0:
                last = powers[stage]
                total += b(stage) * last
                error += first(stage) * last
                coarse += second(stage) * last
        error, coarse = abs(error), abs(coarse)
        if two and error > 0.0:
            error *= error / sqrt(error * error + 0.01 * coarse * coarse)
        run.stage_work, run.stage_doubt = h * total, abs(h) * error
        run.stage_size = 0.5 * abs(h) * (abs(powers[0]) + abs(last))

    return work


def _estimate(tableau: "Tableau") -> Any:
    """Return the norm of the error estimate over the tolerance, as a function of (run)."""
    if not tableau.errors:

        @native
        def none(run):
            return 0.0

        return none

    first = scaled_squares(_terms(tableau.errors[0]))
    second = scaled_squares(_terms(tableau.errors[-1]))
    two = len(tableau.errors) == 2
    combine = combinations([_terms(row) for row in tableau.errors])

    @native
    def related(run, number):
        """Return the squares of an estimate where places are based on others."""
        stride, total = run.stride, 0.0
        error, zero = doubles(run.place), doubles(run.scratch)
        for n in range(stride):
            zero[n] = 0.0
        combine(number, error, zero, 1.0, doubles(run.slopes), stride)
        for n in range(run.nx):
            part = near(run, error, n) / tolerance(run, n, step_size(run, n))
            total += part * part
        return total

    @native
    def estimate(run):
        k, x, x1, atol = doubles(run.slopes), doubles(run.x), doubles(run.x1), doubles(run.atol)
        size, dt = float(max(run.nx, 1)), abs(run.step)
        if run.related == 0:
            error = first(k, run.stride, x, x1, atol, run.rtol)
        else:
            error = related(run, 0)
        if not two:
            return dt * sqrt(error / size)
        if run.related == 0:
            whole = error + 0.01 * second(k, run.stride, x, x1, atol, run.rtol)
        else:
            whole = error + 0.01 * related(run, 1)
        if whole == 0.0:
            return 0.0
        return dt * error / sqrt(whole * size)

    return estimate


def _dense(tableau: "Tableau") -> Any:
    if tableau.bootstrap:
        return _quartic(tableau.stages, tableau.bootstrap)
    if tableau.dense:
        return _published(tableau)
    last = tableau.stages

    @native
    def cubic(run):
        hermite(run, last)

    return cubic


def _published(tableau: "Tableau") -> Any:
    last, extras = tableau.stages, len(tableau.extra_c)
    times = constants(tableau.extra_c)
    stage = combinations([_terms(row) for row in tableau.extra_a])
    number = len(tableau.dense)
    sums = combinations([_terms(row) for row in tableau.dense])

    @native
    def dense(run):
        hermite(run, last)
        stride, dt = run.stride, run.step
        x, k, place = doubles(run.x), doubles(run.slopes), doubles(run.place)
        for n in range(extras):
            stage(n, place, x, dt, k, stride)
            row = run.slopes + 8 * stride * (last + 1 + n)
            derivative(run, run.time + times(n) * dt, run.place, row)
        zero = doubles(run.scratch)
        for n in range(stride):
            zero[n] = 0.0
        for n in range(number):
            sums(n, doubles(run.dense + 8 * stride * (4 + n)), zero, dt, k, stride)

    return dense


def _quartic(last: int, theta: float) -> Any:
    """Return a dense output of order 4 from the cubic and one more derivative at θ.

    The cubic errs by O(h⁴) at θ, so its derivative there errs by as much; demanded of
    the quartic, which adds θ²(1-θ)² C4, it leaves an error of O(h⁵).
    """
    rest = 1.0 - theta
    steepness = 2.0 * theta * rest * (1.0 - 2.0 * theta)

    @native
    def dense(run):
        hermite(run, last)
        stride, dt = run.stride, run.step
        rows, place = doubles(run.dense), doubles(run.place)
        for n in range(stride):
            inner = rows[2 * stride + n] + theta * rows[3 * stride + n]
            place[n] = rows[n] + theta * (rows[stride + n] + rest * inner)
        row = run.slopes + 8 * stride * (last + 1)
        derivative(run, run.time + theta * dt, run.place, row)
        slope = doubles(row)
        for n in range(stride):
            cubic = (
                rows[stride + n]
                + (1.0 - 2.0 * theta) * rows[2 * stride + n]
                + theta * (2.0 - 3.0 * theta) * rows[3 * stride + n]
            )
            rows[4 * stride + n] = (dt * slope[n] - cubic) / steepness

    return dense
