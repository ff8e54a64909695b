"""The generalized-α method on the equations of index 3, with steps of fixed length.

    (1-αm) α₁ + αm α₀ = (1-αf) u̇₁ + αf u̇₀
    ξ  = h u₀ + h² ((½-β) α₀ + β α₁),    q₁ = q₀ + W ξ + h x,  normalized
    u₁ = u₀ + h ((1-γ) α₀ + γ α₁)
    r(t₁, q₁, u₁, u̇₁, λ₁) = 0,   Φ(t₁, q₁) = 0,   C u₁ = ν for rows of speeds only

W and x are those of the middle of the step, so that q is of order 2 whatever the coordinates.
The method goes on with its own speeds, which meet C u = ν up to O(h²); what others see is
brought onto the constraints. α begins as u̇ at t + (αm-αf) h, where it will stay.

References:
    Chung, Hulbert (1993), J. Appl. Mech. 60, 371-375.
    Arnold, Brüls (2007), Multibody System Dynamics 18, 185-202.
"""

from math import nan, sqrt
from typing import Any

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native import newton
from bellcrank.integrators.native import saddle_calls as saddle
from bellcrank.integrators.native.evaluate import derivative
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import finite
from bellcrank.linear.native.factor import add, at
from bellcrank.linear.native.raw import doubles, native

FINE = 0.02  # part of what is small elsewhere, to which coordinates are iterated
AHEAD = 1e-3  # part of a step over which the first change of accelerations is measured
SCALE, CHANGE = 2, 3  # rows of K


@native
def _knobs(f):
    """Return αm, αf, β, γ."""
    am, af = f[c.ALPHA_M], f[c.ALPHA_F]
    root = 1.0 - am + af
    return am, af, 0.25 * root * root, 0.5 - am + af


@native
def _gains(f):
    """Return Δu/Δξ and Δu̇/Δξ."""
    am, af, beta, gamma = _knobs(f)
    h = f[c.STEP]
    return gamma / (beta * h), (1.0 - am) / ((1.0 - af) * beta * h * h)


@native
def _begin(i, f):
    """Take speeds and accelerations from the point, where there are none to go on with."""
    t, work, stride = integers(i[c.SADDLE]), i[c.MATRICES], i[c.STRIDE]
    nq, nu, ahead = t[d.NQ], t[d.NU], AHEAD * f[c.STEP]
    x, place, first = doubles(i[c.X]), doubles(i[c.PLACE]), doubles(i[c.K])
    second, shift = doubles(i[c.K] + 8 * stride), (f[c.ALPHA_M] - f[c.ALPHA_F]) / AHEAD
    for n in range(i[c.NX]):
        place[n] = x[n] + ahead * first[n]
    derivative(i, f[c.TIME] + ahead, i[c.PLACE], i[c.K] + 8 * stride)
    own, alpha, last = (
        part(t, work, d.OWN_SPEED),
        part(t, work, d.ALPHA),
        part(t, work, d.LAST),
    )
    for j in range(nu):
        own[j], last[j] = x[nq + j], first[nq + j]
        alpha[j] = last[j] + shift * (second[nq + j] - last[j])


@native
def _middle(i, f):
    """Set W_MIDDLE and X_MIDDLE, with q there from the speeds at the beginning."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, own, place = t[d.NQ], part(t, work, d.OWN_SPEED), doubles(i[c.PLACE])
    x, w, rate = doubles(i[c.X]), part(t, work, d.W_MIDDLE), part(t, work, d.X_MIDDLE)
    for n in range(i[c.NX]):
        place[n] = x[n]
    saddle.kinematics(i, f[c.TIME], i[c.PLACE])
    for j in range(t[d.NU]):
        add(rate, own[j], at(w, j * nq), nq)
    add(place, 0.5 * f[c.STEP], rate, nq)
    saddle.kinematics(i, f[c.TIME] + 0.5 * f[c.STEP], i[c.PLACE])


@native
def _advance(i, f, alpha1):
    """Set X1 and ACCELERATION for a guess of α₁."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, h, (am, af, beta, gamma) = t[d.NQ], t[d.NU], f[c.STEP], _knobs(f)
    own, alpha, last = (
        part(t, work, d.OWN_SPEED),
        part(t, work, d.ALPHA),
        part(t, work, d.LAST),
    )
    a, x, x1 = part(t, work, d.ACCELERATION), doubles(i[c.X]), doubles(i[c.X1])
    w, rate = part(t, work, d.W_MIDDLE), part(t, work, d.X_MIDDLE)
    for n in range(nq):
        x1[n] = x[n] + h * rate[n]
    for j in range(nu):
        a[j] = ((1.0 - am) * alpha1[j] + am * alpha[j] - af * last[j]) / (1.0 - af)
        xi = h * own[j] + h * h * ((0.5 - beta) * alpha[j] + beta * alpha1[j])
        add(x1, xi, at(w, j * nq), nq)
        x1[nq + j] = own[j] + h * ((1.0 - gamma) * alpha[j] + gamma * alpha1[j])


@native
def _correct(i, f, alpha1):
    """Make one correction of α₁ and λ; return its norm over what is small."""
    t, work, stride = integers(i[c.SADDLE]), i[c.MATRICES], i[c.STRIDE]
    nq, nu, (g, ca), (_, _, beta, _) = t[d.NQ], t[d.NU], _gains(f), _knobs(f)
    b, lam, w = part(t, work, d.ROWS), part(t, work, d.BEFORE), part(t, work, d.W_MIDDLE)
    saddle.solve_second(i, g, ca, b)
    change = doubles(i[c.K] + 8 * stride * CHANGE)
    for n in range(nq):
        change[n] = 0.0
    for j in range(nu):
        xi = b[nq + j]
        alpha1[j] += xi / (beta * f[c.STEP] * f[c.STEP])
        add(change, xi, at(w, j * nq), nq)
    for n in range(t[d.M]):
        lam[n] += b[nq + nu + n]
    # Speeds and accelerations follow from ξ; they magnify its round-off, and say no more.
    scale, total = doubles(i[c.K] + 8 * stride * SCALE), 0.0
    for n in range(nq):
        total += (change[n] / (FINE * scale[n])) ** 2
    for j in range(nu - t[d.NS], nu):  # auxiliary states have no coordinate to follow
        total += (g * b[nq + j] / (FINE * scale[nq + j])) ** 2
    return sqrt(total / max(nq + t[d.NS], 1))


@native
def _guess(i, f, alpha1):
    """Begin with the accelerations and multipliers of the last step, where they serve."""
    t, work, (am, _, _, _) = integers(i[c.SADDLE]), i[c.MATRICES], _knobs(f)
    alpha, last, counts = (
        part(t, work, d.ALPHA),
        part(t, work, d.LAST),
        whole(t, work, d.COUNTS),
    )
    lam, known = part(t, work, d.BEFORE), part(t, work, d.LAM0)
    for j in range(t[d.NU]):
        alpha1[j] = (last[j] - am * alpha[j]) / (1.0 - am)
    if f[c.GUIDE_H] == 0.0 or counts[d.RENEWED] != 0:
        for n in range(t[d.M]):
            lam[n] = known[n]
    counts[d.RENEWED] = 0


def _newton() -> Any:
    """Return `find(i, f, alpha1)`: α₁ and λ of this step; say whether they were found."""
    renew, progress, scales = (
        newton.renewer(saddle.take_jacobian),
        newton.watcher(False),
        newton.scales(False),
    )

    @native
    def once(i, f, alpha1):
        t, work = integers(i[c.SADDLE]), i[c.MATRICES]
        given, lam, mu = part(t, work, d.LAM), part(t, work, d.BEFORE), part(t, work, d.SPARE)
        if not renew(i, f):
            return False
        if not newton.factors_serve(f):
            f[c.FACTORED_H] = 0.0
            g, ca = _gains(f)
            if not saddle.factor_second(i, g, ca):
                return False
            f[c.FACTORED_H] = f[c.STEP]
        _guess(i, f, alpha1)
        scales(i, f, doubles(i[c.K] + 8 * i[c.STRIDE] * SCALE))
        before, verdict, i[c.NEWTONS] = 1.0, 0, 0
        while verdict == 0:
            i[c.NEWTONS] += 1
            _advance(i, f, alpha1)
            for n in range(t[d.M]):
                given[n] = lam[n]
            for n in range(t[d.MH]):
                mu[n] = 0.0
            saddle.residuals(i, f[c.TIME1], i[c.X1], mu, part(t, work, d.ROWS))
            size = _correct(i, f, alpha1)
            verdict = progress(i, f, size, before)
            before = size
        return verdict > 0

    @native
    def find(i, f, alpha1):
        while not once(i, f, alpha1):
            if i[c.JACOBIAN_FRESH] != 0:
                return False
            i[c.JACOBIAN_DUE] = 1
        return True

    return find


def generalized_alpha() -> Stepper:
    """Return the stepper of the generalized-α method."""
    find = _newton()

    @native
    def attempt(i, f):
        t, work = integers(i[c.SADDLE]), i[c.MATRICES]
        newton.begin(i, f)
        if f[c.GUIDE_H] == 0.0:
            _begin(i, f)
        _middle(i, f)
        alpha1, x1 = part(t, work, d.NEXT), doubles(i[c.X1])
        if not find(i, f, alpha1):
            return nan
        _advance(i, f, alpha1)
        own, alpha, last = (
            part(t, work, d.OWN_SPEED),
            part(t, work, d.ALPHA),
            part(t, work, d.LAST),
        )
        a = part(t, work, d.ACCELERATION)
        for j in range(t[d.NU]):
            own[j], alpha[j], last[j] = x1[t[d.NQ] + j], alpha1[j], a[j]
        f[c.GUIDE_H] = f[c.STEP]
        newton.carry_on(i)
        return finite(x1, i[c.STRIDE])

    @native
    def dense(i, f):
        """The cubic with values and slopes of both ends."""
        hermite(i, f, 1)

    return Stepper(
        attempt, dense, order=2, error_order=0, beta=0.0, safety=0.0, blend=4, last=1
    )
