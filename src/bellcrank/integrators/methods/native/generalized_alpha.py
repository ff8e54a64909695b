"""The generalized-α method on the equations of index 3, with steps of fixed length.

    (1-αm) α₁ + αm α₀ = (1-αf) u̇₁ + αf u̇₀
    ξ  = h u₀ + h² ((½-β) α₀ + β α₁),    q₁ = q₀ moved by ξ
    u₁ = u₀ + h ((1-γ) α₀ + γ α₁)
    r(t₁, q₁, u₁, u̇₁, λ₁) = 0,   Φ(t₁, q₁) = 0,   C u₁ = ν for rows of speeds only

How q is moved by ξ, and the linear algebra, is left to the routine of the machine:
`constraints.index2.native.second_order` has it for dense matrices, and
`machine.batched.native.second_order` for sparse ones. The method goes on with q and u of its
own; u meets C u = ν up to O(h²). What others see is brought onto the constraints. α begins as u̇
at t + (αm-αf) h, where it will stay.

**Predictor.** α and λ change as they did in the step before, where that was as long; else u̇ and
λ stay.

**Stopping rule.** With ϑ the contraction of Newton's method, a correction Δξ leaves about
ϑ/(1-ϑ) Δξ. The first correction of a step is what the predictor lacks, β h² (α₁ - 2α₀ + α₋₁):
as large as the error that the method itself makes in accelerations. The iteration ends where
`LEFT` of that is left, as mean square over nominal speeds, and no coordinate is off by
more than `OPEN` of its nominal size; or where rounding of coordinates is left, `FINE` of what
is small elsewhere (`newton.scales`). Where accelerations hardly change, `LEAST` of what they do
themselves, β h² |α₁|, stands for the first correction. Where that is not reached with a new
matrix, and there are no rows, by which u̇ would differ from the rates at X, what rounding makes
of rates is measured (`newton.blur`), and the next correction may be `NOISY` times as large.

**Matrix.** It is kept while it serves: a new one is made where a step took `SLOW` corrections,
where the length of steps changes, or where the iteration has failed, and then for the step at
hand. Where a machine allows it (AHEAD), it is made for a place some steps further on, so that
it fits better and better before it fits worse. Where the iteration fails with a new matrix, the
step is made in halves, down to `PARTS`.

References:
    Chung, Hulbert (1993), J. Appl. Mech. 60, 371-375.
    Arnold, Brüls (2007), Multibody System Dynamics 18, 185-202.
    Brüls, Cardona, Arnold (2012), Mechanism and Machine Theory 48, 121-137 (on groups).
"""

from math import nan, sqrt

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native import calls
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.integrators.native import newton
from bellcrank.integrators.native.stepper import Stepper, hermite
from bellcrank.integrators.native.vectors import finite
from bellcrank.kernels.native.run import derivative
from bellcrank.linear.native.factor import at, squares
from bellcrank.linear.native.raw import doubles, native

LEFT = 3e-4  # of the first correction, that Newton's method may leave,
LEAST = 1e-8  # of what accelerations do in a step, which counts as first correction at least,
OPEN = 1e-9  # and of nominal coordinates
FINE = 0.002  # part of what is small elsewhere, which is rounding
ROUGH = 1e4  # the same, up to which an iteration that gets no better has ended in rounding
NOISY = 10.0  # corrections over what rounding makes of rates, which are nothing else
NEWTONS = 10  # corrections with a matrix that was made for another step
STRAY = 0.5  # nominal coordinates between guess and found, beyond which a step is too long
SLOW = 5  # corrections of a step after which the next has a new matrix
STALE = 0.3  # contraction, worse than which an old matrix is not gone on with
FRESH = 0.05  # contraction that is expected of a new matrix
QUICK = 0.01  # the best that is expected at all
SHARE = 0.25  # of the steps that a matrix served: how far ahead the next one is made,
FARTHEST = 10.0  # and at most that many steps
PARTS = 64  # of a step, at most, where Newton's method fails
WEAK = 0.05  # a failure is blamed on constraints that are so much nearer to dependent
AHEAD = 1e-3  # part of a step over which the first change of accelerations is measured
SCALE, OLD, GUESS = 2, 3, 4  # rows of K
# in `service`: steps that the matrix served, how many ahead it was made, its contraction,
# corrections in the last step; when the state is that the method goes on with
AGE, LEAD, RATE, COUNT, WHEN = range(5)


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
def _row(run, number):
    """Return a row of K."""
    return doubles(run.slopes + 8 * run.stride * number)


@native
def _begin(run):
    """Take q, u and accelerations from the point, where there are none to go on with."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, ahead = saddle.nq, saddle.nu, AHEAD * run.step
    x, place, first, second = doubles(run.x), doubles(run.place), _row(run, 0), _row(run, 1)
    for n in range(run.nx):
        place[n] = x[n] + ahead * first[n]
    derivative(run, run.time + ahead, run.place, run.slopes + 8 * run.stride)
    q, u, alpha, last = (
        part(work, saddle.own_place),
        part(work, saddle.own_speed),
        part(work, saddle.alpha),
        part(work, saddle.last),
    )
    shift = (run.alpha_m - run.alpha_f) / AHEAD
    for n in range(nq):
        q[n] = x[n]
    for j in range(nu):
        u[j], last[j] = x[nq + j], first[nq + j]
        alpha[j] = last[j] + shift * (second[nq + j] - last[j])


@native
def _advance(run, alpha1):
    """Set X1, SHIFT and ACCELERATION for a guess of α₁."""
    saddle, work, h = saddle_at(run.saddle), run.matrices, run.step
    am, af, beta, gamma = _knobs(run)
    own, alpha, last = (
        part(work, saddle.own_speed),
        part(work, saddle.alpha),
        part(work, saddle.last),
    )
    a, xi, u1 = (
        part(work, saddle.acceleration),
        part(work, saddle.shift),
        at(doubles(run.x1), saddle.nq),
    )
    nu, old, new, kept = saddle.nu, am / (1.0 - af), (1.0 - am) / (1.0 - af), -af / (1.0 - af)
    for j in range(nu):  # one vector at a time: loops with several are not vectorised
        a[j] = new * alpha1[j] + old * alpha[j] + kept * last[j]
    for j in range(nu):
        xi[j] = h * own[j] + h * h * ((0.5 - beta) * alpha[j] + beta * alpha1[j])
    for j in range(nu):
        u1[j] = own[j] + h * ((1.0 - gamma) * alpha[j] + gamma * alpha1[j])
    calls.move(run)


@native
def _guess(run, alpha1, foreseen):
    """Set α₁ and λ to begin with; `foreseen` if they go on as in the step before."""
    saddle, work, (am, _, _, _) = saddle_at(run.saddle), run.matrices, _knobs(run)
    alpha, last, before = (
        part(work, saddle.alpha),
        part(work, saddle.last),
        part(work, saddle.alpha_before),
    )
    # λ now, where the step begins and where the one before did
    lam, m, counts = part(work, saddle.before), saddle.m, whole(work, saddle.counts)
    for j in range(saddle.nu):
        alpha1[j] = (last[j] - am * alpha[j]) / (1.0 - am)
        if foreseen:
            alpha1[j] = 2.0 * alpha[j] - before[j]
    if run.guide_h == 0.0 or counts[d.RENEWED] != 0:  # other rows may hold
        known, foreseen = part(work, saddle.lam0), False
        for n in range(m):
            lam[m + n] = known[n]
    counts[d.RENEWED] = 0
    for n in range(m):
        lam[n] = 2.0 * lam[m + n] - lam[2 * m + n] if foreseen else lam[m + n]


@native
def _correct(run, alpha1):
    """Correct α₁ and λ where X1 is; return the size of Δξ over nominal speeds."""
    saddle, work, h = saddle_at(run.saddle), run.matrices, run.step
    nq, nu, m, (g, ca), (_, _, beta, _) = (
        saddle.nq,
        saddle.nu,
        saddle.m,
        _gains(run),
        _knobs(run),
    )
    b, lam, given = part(work, saddle.rows), part(work, saddle.before), part(work, saddle.lam)
    xi, more, slope = at(b, nq), at(b, nq + nu), 1.0 / (beta * h * h)
    for n in range(m):
        given[n] = lam[n]
    calls.lacking(run, b)
    calls.solve_second(run, g, ca, b)
    for j in range(nu):
        alpha1[j] += slope * xi[j]
    for n in range(m):
        lam[n] += more[n]
    return sqrt(squares(xi, at(doubles(run.nominal), nq), nu) / max(nu, 1))


@native
def _least(run, alpha1):
    """Return `LEAST` of what accelerations do in a step, over nominal speeds."""
    saddle, (_, _, beta, _), h = saddle_at(run.saddle), _knobs(run), run.step
    nu, nominal = saddle.nu, at(doubles(run.nominal), saddle.nq)
    return LEAST * beta * h * h * sqrt(squares(alpha1, nominal, nu) / max(nu, 1))


@native
def _sizes(run):
    """Set SCALE to what is rounding of X1, the guess: by its size and its change."""
    saddle, scale, own = saddle_at(run.saddle), _row(run, SCALE), doubles(run.atol)
    x, x1, nominal, most = doubles(run.x), doubles(run.x1), doubles(run.nominal), 1e-290
    nq, nx = run.nq, run.nx
    for n in range(nq):
        scale[n] = max(abs(x[n]), abs(x1[n])) + abs(x1[n] - x[n])
    for n in range(nx - saddle.ns, nx):
        scale[n] = max(abs(x[n]), abs(x1[n]))
        most = max(most, scale[n] / nominal[n])
    for n in range(nq):
        most = max(most, scale[n] / nominal[n])
    most *= 1e-3
    for n in range(nq):
        scale[n] = newton.ROUNDING * max(scale[n], most * nominal[n], 1e-2 * own[n])
    for n in range(nx - saddle.ns, nx):
        scale[n] = newton.ROUNDING * max(scale[n], most * nominal[n], 1e-2 * own[n])


@native
def _moved(run):
    """Return how far X1 is from OLD: over what is rounding, and farthest over nominal sizes.

    Speeds and accelerations follow from ξ; they magnify its round-off, and say no more. But
    auxiliary states have no coordinate to follow.
    """
    saddle, (g, _), scale = saddle_at(run.saddle), _gains(run), _row(run, SCALE)
    nq, nu, ns, b = saddle.nq, saddle.nu, saddle.ns, part(run.matrices, saddle.rows)
    x1, old = doubles(run.x1), _row(run, OLD)
    for n in range(nq):
        old[n] = x1[n] - old[n]
    if run.newtons == 1:
        newton.enlarge(run, old, scale, nq)
    total = squares(old, scale, nq)
    if ns > 0:
        first = nq + nu - ns
        total += g * g * squares(at(b, first), at(scale, first), ns)
    wide = sqrt(squares(old, doubles(run.nominal), nq))
    for n in range(nq):
        old[n] = x1[n]
    return sqrt(total / max(nq + ns, 1)), wide


@native
def _strayed(run):
    """Say whether X1 is so far from the guess that it may belong to another motion."""
    x1, guess, nominal, most = doubles(run.x1), _row(run, GUESS), doubles(run.nominal), 0.0
    for n in range(run.nq):
        most = max(most, abs(x1[n] - guess[n]) / nominal[n])
    return most > STRAY


@native
def _judge(run, size, before, share):
    """Return -1 if the iteration fails, 0 if it goes on, 1 if it is at its end.

    Args:
        run: The record of the run.
        size: The newest correction of coordinates, over what is small.
        before: The one before it.
        share: The newest correction over what may be left of it.
    """
    service, number = part(run.matrices, saddle_at(run.saddle).service), run.newtons
    if not size < 1e200 or (number > 2 and _strayed(run)):
        return -1
    rate = service[RATE]
    if number > 1:
        rate = size / before if before > 0.0 else 0.0
        if number == 2:  # what the guess lacks shrinks faster at first than later
            rate = max(rate, service[RATE])
    left = rate / (1.0 - min(rate, 0.9))
    small = size <= FINE or left * size <= FINE
    if small or left * share <= 1.0:
        service[RATE] = max(rate if number > 1 else service[RATE], QUICK)
        return 1
    fresh = run.jacobian_fresh != 0
    if number > 2 and rate > STALE:  # rounding, or a matrix that serves no longer
        if rate > 0.5 and size < (ROUGH if fresh else 1.0):
            return 1
        if not fresh or rate >= 1.0:
            return -1
    return -1 if number >= (newton.FIXED_ITERATIONS if fresh else NEWTONS) else 0


@native
def _factor(run, again):
    """Have a matrix made for the steps that come; `again` for this one. False if it fails."""
    saddle = saddle_at(run.saddle)
    service, (g, ca) = part(run.matrices, saddle.service), _gains(run)
    steady = run.guide_h != 0.0 and newton.factors_serve(run) and not again
    lead = min(SHARE * service[AGE], FARTHEST) if steady and saddle.ahead != 0 else 0.0
    run.factored_h, run.jacobian_fresh = 0.0, 0 if lead > 0.0 else 1
    good = False
    if saddle.ahead != 0:  # laws need not reach that far, nor need the matrix be regular
        good = calls.factor_second(run, g, ca, (1.0 + lead) * run.step)
    if not good:
        lead, run.jacobian_fresh = 0.0, 1
        good = calls.factor_second(run, g, ca, 0.0)
    if good:
        run.jacobian_due, run.factored_h = 0, run.step
        service[RATE] = max(FRESH, service[RATE]) if lead > 0.0 else FRESH
        service[AGE], service[LEAD], service[COUNT] = 0.0, lead, NEWTONS
    return good


@native
def _once(run, alpha1, foreseen):
    """Iterate with the matrix there is; say whether α₁ and λ of this step were found."""
    old, guess, x1, nq = _row(run, OLD), _row(run, GUESS), doubles(run.x1), run.nq
    _guess(run, alpha1, foreseen)
    _advance(run, alpha1)
    _sizes(run)
    for n in range(nq):
        old[n] = x1[n]
    for n in range(nq):
        guess[n] = x1[n]
    before, allowed, verdict, run.newtons = 1.0, 1.0, 0, 0
    sharp, free = True, saddle_at(run.saddle).m == 0
    while verdict == 0:
        run.newtons += 1
        change = _correct(run, alpha1)
        _advance(run, alpha1)
        if run.newtons == 1:
            allowed = LEFT * max(change, _least(run, alpha1), 1e-290)
        size, wide = _moved(run)
        verdict = _judge(run, size, before, max(change / allowed, wide / OPEN))
        if not sharp:
            verdict = 1 if size <= NOISY else -1
        elif verdict < 0 and free and run.jacobian_fresh != 0 and size < 1e200:
            newton.blur(run, _row(run, SCALE), run.slopes + 8 * run.stride)
            _advance(run, alpha1)  # X1 was in use
            verdict, sharp = 0, False
        before = size
    return verdict > 0


@native
def _find(run, alpha1):
    """Find α₁ and λ of this step; say whether they were found."""
    foreseen = abs(run.step - run.guide_h) <= newton.SAME * abs(run.step)
    again = False
    while True:
        due = run.jacobian_due != 0 or again or not newton.factors_serve(run)
        if due and saddle_at(run.saddle).m == 0:  # the matrix is made for this guess
            _guess(run, alpha1, foreseen)
            _advance(run, alpha1)
        if due and not _factor(run, again):
            return False
        if _once(run, alpha1, foreseen):
            return True
        if run.jacobian_fresh != 0:
            run.jacobian_due = 1
            return False
        again, foreseen = True, False  # what was foreseen may have misled


@native
def _blame(run):
    """After a failure: see whether constraints are close to dependent, as never before."""
    weakest = part(run.matrices, saddle_at(run.saddle).weakest)
    if weakest[0] < WEAK * weakest[1]:
        run.dependent = 1


@native
def _carry_on(run, alpha1):
    """After a step: note its end, and whether the next one needs a new matrix."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, m, x1, f1 = saddle.nq, saddle.nu, saddle.m, doubles(run.x1), _row(run, 1)
    own, alpha, last, before = (
        part(work, saddle.own_speed),
        part(work, saddle.alpha),
        part(work, saddle.last),
        part(work, saddle.alpha_before),
    )
    q, a, lam = (
        part(work, saddle.own_place),
        part(work, saddle.acceleration),
        part(work, saddle.before),
    )
    calls.rates(run, run.slopes + 8 * run.stride)
    for n in range(nq):
        q[n] = x1[n]
    for j in range(nu):
        f1[nq + j] = a[j]
    for j in range(nu):
        own[j] = x1[nq + j]
    for j in range(nu):
        before[j] = alpha[j]
    for j in range(nu):
        alpha[j] = alpha1[j]
    for j in range(nu):
        last[j] = a[j]
    for n in range(m):
        lam[2 * m + n], lam[m + n] = lam[m + n], lam[n]
    run.f1_valid, run.guide_h = 1, run.step
    service, count = part(work, saddle.service), float(run.newtons)
    service[AGE] += 1.0
    better = service[AGE] <= service[LEAD] and count <= service[COUNT]
    run.jacobian_due = 1 if count >= SLOW and not better else 0
    service[COUNT], service[WHEN] = count, run.time1
    run.jacobian_fresh, run.seen_landing = 0, run.landing


def generalized_alpha() -> Stepper:
    """Return the stepper of the generalized-α method."""

    @native
    def attempt(run):
        newton.begin(run)
        saddle, work = saddle_at(run.saddle), run.matrices
        if run.guide_h == 0.0 or part(work, saddle.service)[WHEN] != run.time:
            run.guide_h = 0.0
            _begin(run)
        calls.halfway(run)
        alpha1 = part(work, saddle.next)
        if not _find(run, alpha1):
            _blame(run)
            return nan
        _carry_on(run, alpha1)
        return finite(doubles(run.x1), run.stride)

    @native
    def dense(run):
        """The cubic with values and slopes of both ends."""
        hermite(run, 1)

    return Stepper(
        attempt, dense, order=2, error_order=0, beta=0.0, safety=0.0, blend=4, last=1,
        parts=PARTS,
    )  # fmt: skip
