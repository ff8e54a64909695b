"""Collocation on the stabilised index-2 form (Gear, Gupta, Leimkuhler).

    q̇ = W (u - D C_hᵀ μ) + x,   A u̇ = f - Cᵀ λ,   C u = ν,   Φ = 0

All four hold at every stage; μ vanishes with the step. As in `collocation`, Newton's method
works in the variables W of Z = T W in which A⁻¹ of the tableau is diagonal; λ and μ are
transformed along. Accelerations of stages, u̇ᵢ = Σ ωᵢⱼ Uⱼ/h with ω = A⁻¹, are arguments of the
residual, so that no mass matrix is inverted.

References:
    Gear, Gupta, Leimkuhler (1985), J. Comp. Appl. Math. 12-13, 77-90.
    Hairer, Wanner (1996), Solving Ordinary Differential Equations II, VI.3, VII.4.
"""

from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native import calls
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.integrators.native import newton
from bellcrank.integrators.native.relative import total_squares
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import constants, doubles, native

if TYPE_CHECKING:
    from bellcrank.integrators.methods.collocation import Collocation

FORESEEN = 0.03  # part of a change of speeds by λ that counts: about what an iteration leaves
ROUNDING = 2e-15  # of coordinates, against the largest of them, over what may be left of it
# Of the bound of what round-off makes of speeds: fixed steps go on below it, as what is left of
# every step adds up, and end where corrections get no smaller.
SHARP = 0.01


@native
def _length(saddle):
    """Return the length of the residual of a stage."""
    return saddle.nq + saddle.nu + saddle.m + saddle.mh


def _mix(matrix: np.ndarray) -> Any:
    """Return `mix(first, lead, length)`: replace rows of numbers by matrix times them."""
    size = len(matrix)
    entries = constants(matrix.ravel().tolist())

    @native
    def mix(first, lead, length):
        for n in range(length):
            one, two, three = first[n], first[lead + n], first[(size - 1) * lead + n]
            for row in range(size):
                value = entries(row * size) * one + entries(row * size + 1) * two
                if size == 3:
                    value += entries(row * size + 2) * three
                first[row * lead + n] = value

    return mix


def _stage(method: "Collocation") -> Any:
    """Return `evaluate(run, number, out)`: the residuals of a stage."""
    s, (_, _, T) = method.stages, method.spectrum()
    weigh = constants(T.ravel().tolist())
    rates = constants((np.linalg.inv(method.a) @ T).ravel().tolist())
    times = constants(method.c.tolist())

    @native
    def evaluate(run, number, out):
        saddle, work, stride = saddle_at(run.saddle), run.matrices, run.stride
        nq, nu, m, mh = saddle.nq, saddle.nu, saddle.m, saddle.mh
        x, place, k = doubles(run.x), doubles(run.place), doubles(run.slopes)
        a, lam = part(work, saddle.acceleration), part(work, saddle.lam)
        mu, both = part(work, saddle.spare), part(work, saddle.multipliers)
        for n in range(nq + nu):
            place[n] = x[n]
            for j in range(s):
                place[n] += weigh(number * s + j) * k[(s + 1 + j) * stride + n]
        for n in range(nu):
            a[n] = 0.0
            for j in range(s):
                a[n] += rates(number * s + j) * k[(s + 1 + j) * stride + nq + n]
            a[n] /= run.step
        for n in range(m + mh):
            value = 0.0
            for j in range(s):
                value += weigh(number * s + j) * both[j * (m + mh) + n]
            if n < m:
                lam[n] = value
            else:
                mu[n - m] = value
        calls.residuals(run, run.time + times(number) * run.step, run.place, mu, out)

    return evaluate


@native
def _raise(run, scale, part_of_noise):
    """Let nothing count as small that is below the round-off of the largest of its kind.

    Kinds are coordinates and speeds, each in nominal sizes: lengths in the machine's own, so
    that neither metres of an orbit hide angles nor radians nanometres. Nor do speeds count
    that are below what the round-off of coordinates makes of them, or a part of its bound.
    Where coordinates are known no better than what may be left of them, as those of a machine
    at rest, corrections that stay below that are all rounding: ROUNDED says so.
    """
    noise = part(run.matrices, saddle_at(run.saddle).noise)
    nq, x, nominal, most, fastest = run.nq, doubles(run.x), doubles(run.nominal), 0.0, 0.0
    for n in range(run.nx):
        if n < nq:
            most = max(most, abs(x[n]) / nominal[n])
        else:
            fastest = max(fastest, abs(x[n]) / nominal[n])
    if run.newtons == 1:
        run.rounded = 0
    for n in range(run.nx):
        least = ROUNDING * (most if n < nq else fastest) * nominal[n]
        if n < nq and scale[n] < least:
            run.rounded = 1
        scale[n] = max(scale[n], least)
        if n >= nq:
            scale[n] = max(scale[n], part_of_noise * noise[n - nq])


@native
def _balance(run, scale):
    """Let no speed count as small below the round-off of forces that balance over a step."""
    saddle, h = saddle_at(run.saddle), abs(run.step)
    push = part(run.matrices, saddle.spare)
    calls.push(run, part(run.matrices, saddle.lam0), push)
    for j in range(saddle.nu):
        scale[saddle.nq + j] = max(scale[saddle.nq + j], ROUNDING * h * abs(push[j]))


@native
def _pushed(run, change, scale):
    """Return Σ (part / scale)² of what a change of λ does to speeds in a step.

    Where states are foreseen well and λ is not, the first correction of states is small and
    the second one is due to that of λ: their ratio would say nothing.
    """
    saddle, h, total = saddle_at(run.saddle), FORESEEN * abs(run.step), 0.0
    push = part(run.matrices, saddle.spare)
    calls.push(run, at(change, run.nx), push)
    for j in range(saddle.nu):
        total += (h * push[j] / scale[saddle.nq + j]) ** 2
    return total


def _iteration(method: "Collocation") -> Any:
    """Return `iterate(run, scale)`: one correction; return its norm over what is small."""
    s, gamma, mu, T = method.stages, *method.spectrum()
    r, re, im = int(method.real), mu.real, -mu.imag
    evaluate, transform = _stage(method), _mix(np.linalg.inv(T))
    fixed = not method.adaptive
    share = SHARP if fixed else 1.0

    @native
    def correct(run, rows, length):
        """Solve for the correction of all unknowns, over the residuals."""
        nq, stride, h, k = run.nq, run.stride, run.step, doubles(run.slopes)
        w = at(k, (s + 1) * stride)
        if r == 1:
            for n in range(nq):
                rows[n] -= gamma / h * w[n]
            calls.solve_real(run, gamma / h, rows)
        b, e = at(rows, r * length), at(rows, (r + 1) * length)
        first, second = at(w, r * stride), at(w, (r + 1) * stride)
        for n in range(nq):
            b[n] -= (re * first[n] - im * second[n]) / h
            e[n] -= (re * second[n] + im * first[n]) / h
        calls.solve_complex(run, re / h, im / h, b, e)

    @native
    def iterate(run, scale):
        saddle, work, stride = saddle_at(run.saddle), run.matrices, run.stride
        length, count, total = _length(saddle), saddle.m + saddle.mh, 0.0
        _raise(run, scale, share)
        if fixed and run.newtons == 1:
            _balance(run, scale)
        rows, both = part(work, saddle.rows), part(work, saddle.multipliers)
        for number in range(s):
            evaluate(run, number, at(rows, number * length))
        transform(rows, length, length)
        correct(run, rows, length)
        for number in range(s):
            change = at(rows, number * length)
            w = doubles(run.slopes + 8 * stride * (s + 1 + number))
            for n in range(run.nx):
                w[n] += change[n]
            for n in range(count):
                both[number * count + n] += change[run.nx + n]
            if fixed and run.newtons == 1:
                newton.enlarge(run, change, scale, run.nx)
            total += total_squares(run, change, scale) + _pushed(run, change, scale)
        return sqrt(total / (s * max(run.nx, 1)))

    return iterate


def _guess(method: "Collocation") -> Any:
    """Return `begin(run)`: λ from the last step, or as it is at the beginning; μ is zero."""
    s, (_, _, T) = method.stages, method.spectrum()
    nodes, transform = constants(method.c.tolist()), _mix(np.linalg.inv(T))

    @native
    def begin(run):
        saddle, work = saddle_at(run.saddle), run.matrices
        m, mh, renewed = saddle.m, saddle.mh, whole(work, saddle.counts)[d.RENEWED]
        both, known = part(work, saddle.multipliers), part(work, saddle.lam0)
        before, old = part(work, saddle.before), run.guide_h != 0.0 and renewed == 0
        for number in range(s):
            row = at(both, number * (m + mh))
            for n in range(m + mh):
                row[n] = known[n] if n < m and not old else 0.0
            if old:
                theta = 1.0 + nodes(number) * run.step / run.guide_h
                for j in range(s):
                    weight = 1.0
                    for other in range(s):
                        if other != j:
                            weight *= (theta - nodes(other)) / (nodes(j) - nodes(other))
                    for n in range(m):
                        row[n] += weight * before[j * m + n]
        transform(both, m + mh, m + mh)

    return begin


def _keep(method: "Collocation") -> Any:
    """Return `keep(run)`: note λ of the stages of an accepted step."""
    s, (_, _, T) = method.stages, method.spectrum()
    weigh = constants(T.ravel().tolist())

    @native
    def note(run):
        saddle, work = saddle_at(run.saddle), run.matrices
        m, count = saddle.m, saddle.m + saddle.mh
        both, before = part(work, saddle.multipliers), part(work, saddle.before)
        for number in range(s):
            for n in range(m):
                value = 0.0
                for j in range(s):
                    value += weigh(number * s + j) * both[j * count + n]
                before[number * m + n] = value
        whole(work, saddle.counts)[d.RENEWED] = 0

    return note


@native
def _filter_error(run, g, b):
    """Replace a row b by [Δq, Δu] of the linear system with M b on its right; see `radau5`."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, out = saddle.nq, saddle.nu, part(work, saddle.rows)
    for n in range(_length(saddle)):
        out[n] = b[n] if n < nq else 0.0
    calls.mass_times(run, at(b, nq), at(out, nq))
    calls.solve_real(run, g, out)
    for n in range(nq + nu):
        b[n] = out[n]


def algebra(method: "Collocation") -> newton.Algebra:
    """Return how Newton's method works with constraints.

    Where the end of a step is no stage, only speeds are held at stages: see `take_loosely`.
    """
    end = method.c[-1] == 1.0
    return newton.Algebra(
        calls.take_jacobian if end else calls.take_loosely, calls.factor_real,
        calls.factor_complex, _filter_error, _iteration(method), _guess(method), _keep(method),
        hidden=True,
    )  # fmt: skip
