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

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native import newton
from bellcrank.integrators.native import saddle_calls as saddle
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import constants, doubles, native

if TYPE_CHECKING:
    from bellcrank.integrators.methods.collocation import Collocation

FORESEEN = 0.03  # part of a change of speeds by λ that counts: about what an iteration leaves
ROUNDING = 2e-15  # of coordinates, against the largest of them, over what may be left of it


@native
def _length(t):
    """Return the length of the residual of a stage."""
    return t[d.NQ] + t[d.NU] + t[d.M] + t[d.MH]


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
    """Return `evaluate(i, f, number, out)`: the residuals of a stage."""
    s, (_, _, T) = method.stages, method.spectrum()
    weigh = constants(T.ravel().tolist())
    rates = constants((np.linalg.inv(method.a) @ T).ravel().tolist())
    times = constants(method.c.tolist())

    @native
    def evaluate(i, f, number, out):
        t, work, stride = integers(i[c.SADDLE]), i[c.MATRICES], i[c.STRIDE]
        nq, nu, m, mh = t[d.NQ], t[d.NU], t[d.M], t[d.MH]
        x, place, k = doubles(i[c.X]), doubles(i[c.PLACE]), doubles(i[c.K])
        a, lam = part(t, work, d.ACCELERATION), part(t, work, d.LAM)
        mu, both = part(t, work, d.SPARE), part(t, work, d.MULTIPLIERS)
        for n in range(nq + nu):
            place[n] = x[n]
            for j in range(s):
                place[n] += weigh(number * s + j) * k[(s + 1 + j) * stride + n]
        for n in range(nu):
            a[n] = 0.0
            for j in range(s):
                a[n] += rates(number * s + j) * k[(s + 1 + j) * stride + nq + n]
            a[n] /= f[c.STEP]
        for n in range(m + mh):
            value = 0.0
            for j in range(s):
                value += weigh(number * s + j) * both[j * (m + mh) + n]
            if n < m:
                lam[n] = value
            else:
                mu[n - m] = value
        saddle.residuals(i, f[c.TIME] + times(number) * f[c.STEP], i[c.PLACE], mu, out)

    return evaluate


@native
def _raise(i, f, scale):
    """Let nothing count as small that is below the round-off of the largest of its kind.

    Nor speeds that are below what the round-off of coordinates makes of them.
    """
    noise = part(integers(i[c.SADDLE]), i[c.MATRICES], d.NOISE)
    nq, x, most, fastest = i[c.NQ], doubles(i[c.X]), 0.0, 0.0
    for n in range(i[c.NX]):
        if n < nq:
            most = max(most, abs(x[n]))
        else:
            fastest = max(fastest, abs(x[n]))
    for n in range(i[c.NX]):
        scale[n] = max(scale[n], ROUNDING * (most if n < nq else fastest))
        if n >= nq:
            scale[n] = max(scale[n], noise[n - nq])


@native
def _pushed(i, f, change, scale):
    """Return Σ (part / scale)² of what a change of λ does to speeds in a step.

    Where states are foreseen well and λ is not, the first correction of states is small and
    the second one is due to that of λ: their ratio would say nothing.
    """
    t, h, total = integers(i[c.SADDLE]), FORESEEN * abs(f[c.STEP]), 0.0
    push = part(t, i[c.MATRICES], d.SPARE)
    saddle.push(i, at(change, i[c.NX]), push)
    for j in range(t[d.NU]):
        total += (h * push[j] / scale[t[d.NQ] + j]) ** 2
    return total


def _iteration(method: "Collocation") -> Any:
    """Return `iterate(i, f, scale)`: one correction; return its norm over what is small."""
    s, gamma, mu, T = method.stages, *method.spectrum()
    r, re, im = int(method.real), mu.real, -mu.imag
    evaluate, transform = _stage(method), _mix(np.linalg.inv(T))

    @native
    def correct(i, f, rows, length):
        """Solve for the correction of all unknowns, over the residuals."""
        nq, stride, h, k = i[c.NQ], i[c.STRIDE], f[c.STEP], doubles(i[c.K])
        w = at(k, (s + 1) * stride)
        if r == 1:
            for n in range(nq):
                rows[n] -= gamma / h * w[n]
            saddle.solve_real(i, gamma / h, rows)
        b, e = at(rows, r * length), at(rows, (r + 1) * length)
        first, second = at(w, r * stride), at(w, (r + 1) * stride)
        for n in range(nq):
            b[n] -= (re * first[n] - im * second[n]) / h
            e[n] -= (re * second[n] + im * first[n]) / h
        saddle.solve_complex(i, re / h, im / h, b, e)

    @native
    def iterate(i, f, scale):
        t, work, stride = integers(i[c.SADDLE]), i[c.MATRICES], i[c.STRIDE]
        length, count, total = _length(t), t[d.M] + t[d.MH], 0.0
        _raise(i, f, scale)
        rows, both = part(t, work, d.ROWS), part(t, work, d.MULTIPLIERS)
        for number in range(s):
            evaluate(i, f, number, at(rows, number * length))
        transform(rows, length, length)
        correct(i, f, rows, length)
        for number in range(s):
            change = at(rows, number * length)
            w = doubles(i[c.K] + 8 * stride * (s + 1 + number))
            for n in range(i[c.NX]):
                w[n] += change[n]
            for n in range(count):
                both[number * count + n] += change[i[c.NX] + n]
            total += newton.squares(i, change, scale) + _pushed(i, f, change, scale)
        return sqrt(total / (s * max(i[c.NX], 1)))

    return iterate


def _guess(method: "Collocation") -> Any:
    """Return `begin(i, f)`: λ from the last step, or as it is at the beginning; μ is zero."""
    s, (_, _, T) = method.stages, method.spectrum()
    nodes, transform = constants(method.c.tolist()), _mix(np.linalg.inv(T))

    @native
    def begin(i, f):
        t, work = integers(i[c.SADDLE]), i[c.MATRICES]
        m, mh, renewed = t[d.M], t[d.MH], whole(t, work, d.COUNTS)[d.RENEWED]
        both, known = part(t, work, d.MULTIPLIERS), part(t, work, d.LAM0)
        before, old = part(t, work, d.BEFORE), f[c.GUIDE_H] != 0.0 and renewed == 0
        for number in range(s):
            row = at(both, number * (m + mh))
            for n in range(m + mh):
                row[n] = known[n] if n < m and not old else 0.0
            if old:
                theta = 1.0 + nodes(number) * f[c.STEP] / f[c.GUIDE_H]
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
    """Return `keep(i, f)`: note λ of the stages of an accepted step."""
    s, (_, _, T) = method.stages, method.spectrum()
    weigh = constants(T.ravel().tolist())

    @native
    def note(i, f):
        t, work = integers(i[c.SADDLE]), i[c.MATRICES]
        m, count = t[d.M], t[d.M] + t[d.MH]
        both, before = part(t, work, d.MULTIPLIERS), part(t, work, d.BEFORE)
        for number in range(s):
            for n in range(m):
                value = 0.0
                for j in range(s):
                    value += weigh(number * s + j) * both[j * count + n]
                before[number * m + n] = value
        whole(t, work, d.COUNTS)[d.RENEWED] = 0

    return note


@native
def _filter_error(i, g, b):
    """Replace a row b by [Δq, Δu] of the linear system with M b on its right; see `radau5`."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, out = t[d.NQ], t[d.NU], part(t, work, d.ROWS)
    for n in range(_length(t)):
        out[n] = b[n] if n < nq else 0.0
    saddle.mass_times(i, at(b, nq), at(out, nq))
    saddle.solve_real(i, g, out)
    for n in range(nq + nu):
        b[n] = out[n]


def algebra(method: "Collocation") -> newton.Algebra:
    """Return how Newton's method works with constraints.

    Where the end of a step is no stage, only speeds are held at stages: see `take_loosely`.
    """
    end = method.c[-1] == 1.0
    return newton.Algebra(
        saddle.take_jacobian if end else saddle.take_loosely, saddle.factor_real,
        saddle.factor_complex, _filter_error, _iteration(method), _guess(method), _keep(method),
    )  # fmt: skip
