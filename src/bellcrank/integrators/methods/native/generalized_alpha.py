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

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native import calls
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.integrators.native import newton
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import finite
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.factor import add, at
from bellcrank.linear.native.raw import doubles, native

FINE = 0.02  # part of what is small elsewhere, to which coordinates are iterated
AHEAD = 1e-3  # part of a step over which the first change of accelerations is measured
SCALE, CHANGE = 2, 3  # rows of K


@native
def _knobs(run):
    """Return αm, αf, β, γ."""
    am, af = run.alpha_m, run.alpha_f
    root = 1.0 - am + af
    return am, af, 0.25 * root * root, 0.5 - am + af


@native
def _gains(run):
    """Return Δu/Δξ and Δu̇/Δξ."""
    am, af, beta, gamma = _knobs(run)
    h = run.step
    return gamma / (beta * h), (1.0 - am) / ((1.0 - af) * beta * h * h)


@native
def _begin(run):
    """Take speeds and accelerations from the point, where there are none to go on with."""
    saddle, work, stride = saddle_at(run.saddle), run.matrices, run.stride
    nq, nu, ahead = saddle.nq, saddle.nu, AHEAD * run.step
    x, place, first = doubles(run.x), doubles(run.place), doubles(run.slopes)
    second, shift = doubles(run.slopes + 8 * stride), (run.alpha_m - run.alpha_f) / AHEAD
    for n in range(run.nx):
        place[n] = x[n] + ahead * first[n]
    derivative(run, run.time + ahead, run.place, run.slopes + 8 * stride)
    own, alpha, last = (
        part(work, saddle.own_speed),
        part(work, saddle.alpha),
        part(work, saddle.last),
    )
    for j in range(nu):
        own[j], last[j] = x[nq + j], first[nq + j]
        alpha[j] = last[j] + shift * (second[nq + j] - last[j])


@native
def _middle(run):
    """Set W_MIDDLE and X_MIDDLE, with q there from the speeds at the beginning."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, own, place = saddle.nq, part(work, saddle.own_speed), doubles(run.place)
    x, w, rate = doubles(run.x), part(work, saddle.w_middle), part(work, saddle.x_middle)
    for n in range(run.nx):
        place[n] = x[n]
    calls.kinematics(run, run.time, run.place)
    for j in range(saddle.nu):
        add(rate, own[j], at(w, j * nq), nq)
    add(place, 0.5 * run.step, rate, nq)
    calls.kinematics(run, run.time + 0.5 * run.step, run.place)


@native
def _advance(run, alpha1):
    """Set X1 and ACCELERATION for a guess of α₁."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, h, (am, af, beta, gamma) = saddle.nq, saddle.nu, run.step, _knobs(run)
    own, alpha, last = (
        part(work, saddle.own_speed),
        part(work, saddle.alpha),
        part(work, saddle.last),
    )
    a, x, x1 = part(work, saddle.acceleration), doubles(run.x), doubles(run.x1)
    w, rate = part(work, saddle.w_middle), part(work, saddle.x_middle)
    for n in range(nq):
        x1[n] = x[n] + h * rate[n]
    for j in range(nu):
        a[j] = ((1.0 - am) * alpha1[j] + am * alpha[j] - af * last[j]) / (1.0 - af)
        xi = h * own[j] + h * h * ((0.5 - beta) * alpha[j] + beta * alpha1[j])
        add(x1, xi, at(w, j * nq), nq)
        x1[nq + j] = own[j] + h * ((1.0 - gamma) * alpha[j] + gamma * alpha1[j])


@native
def _correct(run, alpha1):
    """Make one correction of α₁ and λ; return its norm over what is small."""
    saddle, work, stride = saddle_at(run.saddle), run.matrices, run.stride
    nq, nu, (g, ca), (_, _, beta, _) = saddle.nq, saddle.nu, _gains(run), _knobs(run)
    b, lam, w = part(work, saddle.rows), part(work, saddle.before), part(work, saddle.w_middle)
    calls.solve_second(run, g, ca, b)
    change = doubles(run.slopes + 8 * stride * CHANGE)
    for n in range(nq):
        change[n] = 0.0
    for j in range(nu):
        xi = b[nq + j]
        alpha1[j] += xi / (beta * run.step * run.step)
        add(change, xi, at(w, j * nq), nq)
    for n in range(saddle.m):
        lam[n] += b[nq + nu + n]
    # Speeds and accelerations follow from ξ; they magnify its round-off, and say no more.
    scale, total = doubles(run.slopes + 8 * stride * SCALE), 0.0
    if run.newtons == 1:
        newton.enlarge(run, change, scale, nq)
    for n in range(nq):
        total += (change[n] / (FINE * scale[n])) ** 2
    for j in range(nu - saddle.ns, nu):  # auxiliary states have no coordinate to follow
        total += (g * b[nq + j] / (FINE * scale[nq + j])) ** 2
    return sqrt(total / max(nq + saddle.ns, 1))


@native
def _guess(run, alpha1):
    """Begin with the accelerations and multipliers of the last step, where they serve."""
    saddle, work, (am, _, _, _) = saddle_at(run.saddle), run.matrices, _knobs(run)
    alpha, last, counts = (
        part(work, saddle.alpha),
        part(work, saddle.last),
        whole(work, saddle.counts),
    )
    lam, known = part(work, saddle.before), part(work, saddle.lam0)
    for j in range(saddle.nu):
        alpha1[j] = (last[j] - am * alpha[j]) / (1.0 - am)
    if run.guide_h == 0.0 or counts[d.RENEWED] != 0:
        for n in range(saddle.m):
            lam[n] = known[n]
    counts[d.RENEWED] = 0


@native
def _enlarge(run, scale):
    """Let nothing count as small below the round-off of what accelerations do in a step."""
    saddle, work, h = saddle_at(run.saddle), run.matrices, run.step
    alpha, w, nq = part(work, saddle.alpha), part(work, saddle.w_middle), saddle.nq
    for j in range(saddle.nu):
        for n in range(nq):
            scale[n] = max(scale[n], newton.ROUNDING * abs(h * h * alpha[j] * w[j * nq + n]))


def _newton() -> Any:
    """Return `find(run, alpha1)`: α₁ and λ of this step; say whether they were found."""
    renew, progress, scales = (
        newton.renewer(calls.take_jacobian),
        newton.watcher(False),
        newton.scales(False),
    )

    @native
    def once(run, alpha1):
        saddle, work = saddle_at(run.saddle), run.matrices
        given, lam, mu = (
            part(work, saddle.lam),
            part(work, saddle.before),
            part(work, saddle.spare),
        )
        if not renew(run):
            return False
        if not newton.factors_serve(run):
            run.factored_h = 0.0
            g, ca = _gains(run)
            if not calls.factor_second(run, g, ca):
                return False
            run.factored_h = run.step
        _guess(run, alpha1)
        scale = doubles(run.slopes + 8 * run.stride * SCALE)
        scales(run, scale)
        _enlarge(run, scale)
        before, verdict, run.newtons = 1.0, 0, 0
        while verdict == 0:
            run.newtons += 1
            _advance(run, alpha1)
            for n in range(saddle.m):
                given[n] = lam[n]
            for n in range(saddle.mh):
                mu[n] = 0.0
            calls.residuals(run, run.time1, run.x1, mu, part(work, saddle.rows))
            size = _correct(run, alpha1)
            verdict = progress(run, size, before)
            if verdict == 0 and newton.unsettled(run, size):
                newton.blur(run, scale, run.slopes + 8 * run.stride * CHANGE)
            before = size
        return verdict > 0

    @native
    def find(run, alpha1):
        while not once(run, alpha1):
            if run.jacobian_fresh != 0:
                return False
            run.jacobian_due = 1
        return True

    return find


def generalized_alpha() -> Stepper:
    """Return the stepper of the generalized-α method."""
    find = _newton()

    @native
    def attempt(run):
        saddle, work = saddle_at(run.saddle), run.matrices
        newton.begin(run)
        if run.guide_h == 0.0:
            _begin(run)
        _middle(run)
        alpha1, x1 = part(work, saddle.next), doubles(run.x1)
        if not find(run, alpha1):
            return nan
        _advance(run, alpha1)
        own, alpha, last = (
            part(work, saddle.own_speed),
            part(work, saddle.alpha),
            part(work, saddle.last),
        )
        a = part(work, saddle.acceleration)
        for j in range(saddle.nu):
            own[j], alpha[j], last[j] = x1[saddle.nq + j], alpha1[j], a[j]
        run.guide_h = run.step
        newton.carry_on(run)
        return finite(x1, run.stride)

    @native
    def dense(run):
        """The cubic with values and slopes of both ends."""
        hermite(run, 1)

    return Stepper(
        attempt, dense, order=2, error_order=0, beta=0.0, safety=0.0, blend=4, last=1
    )
