"""Residuals and Jacobians of a machine with constraints, evaluated at a time and a place.

`t` is the table laid out by `bellcrank.integrators.saddle_table`, `work` the memory behind
MATRICES; `place` is the address of a state [q, u].
"""

from math import sqrt

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native.evaluate import look
from bellcrank.integrators.native.saddle import assemble
from bellcrank.linear.native.factor import add, at, dot, rotate, triangularize
from bellcrank.linear.native.raw import call, doubles, native
from bellcrank.linear.rank import FLOOR, RELATIVE

LIGHT = 1e-4  # what has less inertia than this part is scaled as if it had it
RESOLVED = 2e-14  # part of coordinates below which changes of them are lost in round-off
WEAK = 1e-6  # rows nearer to dependent than this, against the best seen, are not gone on with


@native
def face(i, time, place):
    """Point the kernels at a time and a place, with q brought back on its invariants."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    given, own = part(t, work, d.PLACE), integers(work + 8 * t[d.IN])
    look(i, time, place)
    for n in range(7):
        own[n] = i[c.IN + n]
    own[7], own[8] = work + 8 * t[d.ACCELERATION], work + 8 * t[d.LAM]
    q = doubles(place)
    if t[d.NORMALIZE] != 0:
        compute(i, d.NORMALIZE, d.PLACE, d.PLACE)
    else:
        for n in range(t[d.NQ]):
            given[n] = q[n]
    own[1] = work + 8 * t[d.PLACE]


@native
def compute(i, kernel, first, second):
    """Call a kernel where `face` points; `first` and `second` are slots for what it gives."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    if t[kernel] == 0:
        return
    out = integers(work + 8 * t[d.OUT])
    out[0], out[1] = work + 8 * t[first], work + 8 * t[second]
    call(t[kernel], work + 8 * t[d.IN], work + 8 * t[d.OUT], i[c.WORK])


@native
def residuals(i, time, place, mu, out):
    """Write what is left of the equations, with its sign changed, and W (u - D C_hᵀ μ) + x.

    ACCELERATION and LAM are to be set.

    Args:
        i: The block of integers.
        time: The time [s].
        place: Address of the state.
        mu: Multipliers of position rows.
        out: Receives q̇, -r, -(C u - ν), -Φ.
    """
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, m, mh = t[d.NQ], t[d.NU], t[d.M], t[d.MH]
    face(i, time, place)
    compute(i, d.KINEMATICS, d.W, d.X)
    compute(i, d.VELOCITY, d.C, d.RATE)
    compute(i, d.POSITION, d.PHI, d.PHI)
    compute(i, d.RESIDUAL, d.R, d.R)
    i[c.EVALUATIONS] += 1
    w, x, rows = part(t, work, d.W), part(t, work, d.X), part(t, work, d.C)
    rate, phi, r = part(t, work, d.RATE), part(t, work, d.PHI), part(t, work, d.R)
    s, u, left = part(t, work, d.S), doubles(place + 8 * nq), at(out, nq + nu)
    for n in range(nq):
        out[n] = x[n]
    for n in range(m):
        left[n] = rate[n]
    for j in range(nu):
        speed = u[j] - s[j] * s[j] * dot(at(rows, j * m), mu, mh)
        add(out, speed, at(w, j * nq), nq)
        add(left, -u[j], at(rows, j * m), m)
        out[nq + j] = -r[j]
    for n in range(mh):
        out[nq + nu + m + n] = -phi[n]


# --- the Jacobian -------------------------------------------------------------------------


@native
def _scale(t, work):
    """Set S so that S A S has ones on its diagonal, as far as it has one."""
    nu, a, s, speed = t[d.NU], part(t, work, d.A), part(t, work, d.S), doubles(t[d.SPEED])
    moving, most = nu - t[d.NS], 0.0
    for j in range(moving, nu):
        s[j] = 1.0
    for j in range(moving):
        most = max(most, a[j * nu + j] * speed[j] * speed[j])
    for j in range(moving):
        own = a[j * nu + j] * speed[j] * speed[j]
        s[j] = speed[j] / sqrt(max(own, LIGHT * most) if most > 0.0 else 1.0)


@native
def _invert(t, work):
    """Set INVERSE = (Wᵀ W)⁻¹ Wᵀ by elimination; say whether speeds follow from rates.

    Auxiliary states follow from none: their rows are zero.
    """
    nq, nu, w = t[d.NQ], t[d.NU], part(t, work, d.W0)
    out, gram = part(t, work, d.INVERSE), part(t, work, d.K)
    for j in range(nu):
        for k in range(nu):
            gram[k * nu + j] = dot(at(w, j * nq), at(w, k * nq), nq)
        for n in range(nq):
            out[n * nu + j] = w[j * nq + n]
    for j in range(nu - t[d.NS], nu):
        gram[j * nu + j] = 1.0
    for j in range(nu):
        pivot = gram[j * nu + j]
        if (
            not pivot > 1e-14
        ):  # of squares of numbers: their rounding, an attitude without rates
            return False
        for k in range(nu):
            factor = gram[j * nu + k] / pivot
            if k != j and factor != 0.0:
                for other in range(j, nu):
                    gram[other * nu + k] -= factor * gram[other * nu + j]
                for n in range(nq):
                    out[n * nu + k] -= factor * out[n * nu + j]
    for n in range(nq):
        for j in range(nu):
            out[n * nu + j] /= gram[j * nu + j]
    return True


@native
def _pick(t, work, first, count, rank):
    """Choose independent rows among `count` from `first` on, `rank` being chosen already.

    B holds rows as columns, rotated by the reflectors of those chosen already. Returns how many
    were found.
    """
    nu, b, tau = t[d.NU], part(t, work, d.B), part(t, work, d.TAU)
    order, rows, lengths = (
        whole(t, work, d.ORDER),
        whole(t, work, d.CHOSEN),
        part(t, work, d.LENGTHS),
    )
    for n in range(count):
        order[first + n] = first + n
    corner, natural = at(b, first * nu + rank), 0.0
    s, speed = part(t, work, d.S), doubles(t[d.SPEED])
    for j in range(nu - t[d.NS]):
        natural = max(natural, s[j] / speed[j])
    found = triangularize(
        corner, nu, nu - rank, count, RELATIVE, FLOOR * natural, at(tau, rank),
        integers(work + 8 * (t[d.ORDER] + first)), lengths,
    )  # fmt: skip
    for n in range(found):
        rows[rank + n] = order[first + n]
        for j in range(nu):  # columns of chosen rows side by side
            b[(rank + n) * nu + j] = b[(first + n) * nu + j]
    return found


@native
def _row(t, work, row, out):
    """Write a row of C, scaled."""
    m, jacobian, s = t[d.M], part(t, work, d.C), part(t, work, d.S)
    weight = doubles(t[d.WEIGHT])[row]
    for j in range(t[d.NU]):
        out[j] = jacobian[j * m + row] * weight * s[j]


@native
def _hash(t, work):
    """Return a number that tells one choice of rows from another."""
    rows, found = whole(t, work, d.CHOSEN), whole(t, work, d.COUNTS)[d.RANKED]
    for n in range(whole(t, work, d.COUNTS)[d.RANKED]):
        found = 1000003 * found + rows[n]
    return found


@native
def _choose(t, work):
    """Choose independent rows of C, those at position level first; False if they are too few.

    Rows are measured by D. Where the choice differs from the last one, RENEWED is set.
    """
    nu, m, mh, counts = t[d.NU], t[d.M], t[d.MH], whole(t, work, d.COUNTS)
    b, y, tau = part(t, work, d.B), part(t, work, d.SPARE), part(t, work, d.TAU)
    rows, ends, before = whole(t, work, d.CHOSEN), whole(t, work, d.ENDS), _hash(t, work)
    for row in range(m):
        _row(t, work, row, at(b, row * nu))
        ends[row] = nu
    held = _pick(t, work, 0, mh, 0)
    for row in range(mh, m):
        rotate(b, nu, held, ends, tau, at(b, row * nu))
    ranked = held + _pick(t, work, mh, m - mh, held)
    for n in range(held, ranked):  # what pivoting has not exchanged
        _row(t, work, rows[n], y)
        rotate(b, nu, held, ends, tau, y)
        for j in range(held):
            b[n * nu + j] = y[j]
    counts[d.HELD], counts[d.RANKED] = held, ranked
    if _hash(t, work) != before:
        counts[d.RENEWED] = 1
    return _normed(t, work) and ranked >= t[d.RANK]


@native
def _normed(t, work):
    """Set NORM of chosen rows and WEAKEST; False where they are close to dependent."""
    nu, ranked = t[d.NU], whole(t, work, d.COUNTS)[d.RANKED]
    b, norm, y = part(t, work, d.B), part(t, work, d.NORM), part(t, work, d.SPARE)
    rows, ratio, least, most = whole(t, work, d.CHOSEN), part(t, work, d.WEAKEST), 1e300, 1e-300
    for n in range(ranked):
        _row(t, work, rows[n], y)
        length = sqrt(dot(y, y, nu))
        norm[n] = doubles(t[d.WEIGHT])[rows[n]] / length
        pivot = abs(b[n * (nu + 1)])
        least, most = min(least, pivot), max(most, pivot)
    ratio[0] = min(least / most, 1.0)
    ratio[1] = max(ratio[0], ratio[1])
    return ratio[0] > WEAK * ratio[1]


@native
def _multipliers(t, work):
    """Set LAM0 to λ with Cᵀ λ = -r of the chosen rows, and zero for others."""
    nu, ranked, b = t[d.NU], whole(t, work, d.COUNTS)[d.RANKED], part(t, work, d.B)
    lam, r, s = part(t, work, d.LAM0), part(t, work, d.R), part(t, work, d.S)
    y, rows, ends = part(t, work, d.SPARE), whole(t, work, d.CHOSEN), whole(t, work, d.ENDS)
    for j in range(nu):
        y[j] = -s[j] * r[j]
    rotate(b, nu, ranked, ends, part(t, work, d.TAU), y)
    for n in range(t[d.M]):
        lam[n] = 0.0
    for step in range(ranked):
        n = ranked - 1 - step
        y[n] /= b[n * (nu + 1)]
        add(y, -y[n], at(b, n * nu), n)
        lam[rows[n]] = y[n] * doubles(t[d.WEIGHT])[rows[n]]


@native
def _noise(t, work):
    """Set NOISE to the least change of speeds by which C u = ν answers the round-off of q.

    Angles grow with every turn, and their round-off with them: that of speeds which follow from
    them does as well, however short the step. Bounds are those of the length of S⁻¹ Δu.
    """
    nq, nu, m, ranked = t[d.NQ], t[d.NU], t[d.M], whole(t, work, d.COUNTS)[d.RANKED]
    e, inverse, b = part(t, work, d.E), part(t, work, d.INVERSE), part(t, work, d.B)
    q, s, noise = part(t, work, d.PLACE), part(t, work, d.S), part(t, work, d.NOISE)
    rows, y = whole(t, work, d.CHOSEN), part(t, work, d.SPARE)
    for j in range(nu):
        y[j] = 0.0
        for n in range(nq):
            y[j] += abs(inverse[n * nu + j] * q[n])
    z, total = at(y, nu), 0.0
    for n in range(ranked):
        z[n] = 0.0
        for j in range(nu):
            z[n] += abs(e[j * m + rows[n]]) * y[j]
        z[n] *= doubles(t[d.WEIGHT])[rows[n]]
        z[n] = (z[n] - dot(at(b, n * nu), z, n)) / b[n * (nu + 1)]
        total += z[n] * z[n]
    for j in range(nu):
        noise[j] = RESOLVED * s[j] * sqrt(total)


@native
def _slopes(t, work):
    """Set K = W⁺ (W u + x)_q T."""
    nq, nu, k = t[d.NQ], t[d.NU], part(t, work, d.K)
    slopes, inverse = part(t, work, d.QD_Q), part(t, work, d.INVERSE)
    for col in range(nu):
        for row in range(nu):
            k[col * nu + row] = 0.0
        for n in range(nq):
            value = slopes[col * nq + n]
            if value != 0.0:
                add(at(k, col * nu), value, at(inverse, n * nu), nu)


@native
def take_jacobian(i, time, place, held):
    """Evaluate everything at a point where K row 0 has the derivative; False if it is singular.

    Stages hold positions only if `held`.
    """
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, rate = t[d.NQ], t[d.NU], doubles(i[c.K])
    a, lam, found = (
        part(t, work, d.ACCELERATION),
        part(t, work, d.LAM),
        part(t, work, d.LAM0),
    )
    for j in range(nu):
        a[j] = rate[nq + j]
    for n in range(t[d.M]):
        lam[n] = 0.0
    i[c.JACOBIANS] += 1
    i[c.DEPENDENT] = 1
    face(i, time, place)
    compute(i, d.KINEMATICS, d.W0, d.X)
    compute(i, d.MASS, d.A, d.A)
    compute(i, d.VELOCITY, d.C, d.RATE)
    compute(i, d.RESIDUAL, d.R, d.R)
    _scale(t, work)
    if not (_invert(t, work) and _choose(t, work)):
        return False
    _multipliers(t, work)
    for n in range(t[d.M]):
        lam[n] = found[n]
    compute(i, d.KINEMATICS_JACOBIAN, d.QD_Q, d.QD_Q)
    compute(i, d.CONSTRAINT_JACOBIAN, d.E, d.E)
    compute(i, d.RESIDUAL_JACOBIAN, d.R_Q, d.R_U)
    _slopes(t, work)
    _noise(t, work)
    if not held:
        whole(t, work, d.COUNTS)[d.HELD] = 0
    assemble(t, work)
    i[c.DEPENDENT] = 0
    return True
