"""Residuals and Jacobians of a machine with constraints, evaluated at a time and a place.

`saddle` is the record laid out by `bellcrank.constraints.index2.table`, `work` the memory at
`run.matrices`; `place` is the address of a state [q, u].
"""

from math import sqrt

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.algebra import assemble
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.kernels.native.run import inputs_of, look
from bellcrank.linear.native.factor import (
    add,
    at,
    dot,
    rotate,
    triangularize,
    unrotate,
    without_infinite,
)
from bellcrank.linear.native.raw import call, doubles, native
from bellcrank.linear.rank import FLOOR, RELATIVE

LIGHT = 1e-4  # what has less inertia than this part is scaled as if it had it
RESOLVED = 2e-14  # part of coordinates below which changes of them are lost in round-off
WEAK = 1e-6  # rows nearer to dependent than this, against the best seen, are not gone on with


@native
def face(run, time, place):
    """Point the kernels at a time and a place, with q brought back on its invariants."""
    saddle, work = saddle_at(run.saddle), run.matrices
    given, own = part(work, saddle.place), integers(work + 8 * saddle.inputs)
    look(run, time, place)
    given_to = integers(inputs_of(run))
    for n in range(7):
        own[n] = given_to[n]
    own[7], own[8] = work + 8 * saddle.acceleration, work + 8 * saddle.lam
    q = doubles(place)
    if saddle.normalize != 0:
        compute(run, saddle.normalize, saddle.place, saddle.place)
    else:
        for n in range(saddle.nq):
            given[n] = q[n]
    own[1] = work + 8 * saddle.place


@native
def compute(run, kernel, first, second):
    """Call a kernel where `face` points; `first` and `second` are offsets for what it gives."""
    saddle, work = saddle_at(run.saddle), run.matrices
    if kernel == 0:
        return
    out = integers(work + 8 * saddle.outputs)
    out[0], out[1] = work + 8 * first, work + 8 * second
    call(kernel, work + 8 * saddle.inputs, work + 8 * saddle.outputs, run.work)


@native
def residuals(run, time, place, mu, out):
    """Write what is left of the equations, with its sign changed, and W (u - D C_hᵀ μ) + x.

    ACCELERATION and LAM are to be set.

    Args:
        run: The record of the run.
        time: The time [s].
        place: Address of the state.
        mu: Multipliers of position rows.
        out: Receives q̇, -r, -(C u - ν), -Φ.
    """
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, m, mh = saddle.nq, saddle.nu, saddle.m, saddle.mh
    face(run, time, place)
    left_over(run, doubles(place), out)
    compute(run, saddle.kinematics, saddle.w, saddle.x)
    w, x, rows = part(work, saddle.w), part(work, saddle.x), part(work, saddle.c)
    s, u = part(work, saddle.s), doubles(place + 8 * nq)
    for n in range(nq):
        out[n] = x[n]
    for j in range(nu):
        speed = u[j] - s[j] * s[j] * dot(at(rows, j * m), mu, mh)
        add(out, speed, at(w, j * nq), nq)


@native
def left_over(run, state, out):
    """Write [.., -r, -(C u - ν), -Φ] of a state that `face` points at."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, m = saddle.nq, saddle.nu, saddle.m
    compute(run, saddle.velocity, saddle.c, saddle.rate)
    compute(run, saddle.position, saddle.phi, saddle.phi)
    compute(run, saddle.residual, saddle.r, saddle.r)
    run.evaluations += 1
    rate, phi, r = part(work, saddle.rate), part(work, saddle.phi), part(work, saddle.r)
    rows, left = part(work, saddle.c), at(out, nq + nu)
    for n in range(m):
        left[n] = rate[n]
    for j in range(nu):
        add(left, -state[nq + j], at(rows, j * m), m)
        out[nq + j] = -r[j]
    for n in range(saddle.mh):
        out[nq + nu + m + n] = -phi[n]


# --- the Jacobian -------------------------------------------------------------------------


@native
def _scale(saddle, work):
    """Set S so that S A S has ones on its diagonal, as far as it has one."""
    nu, a, s, speed = (
        saddle.nu,
        part(work, saddle.a),
        part(work, saddle.s),
        doubles(saddle.speed),
    )
    moving, most = nu - saddle.ns, 0.0
    for j in range(moving, nu):
        s[j] = 1.0
    for j in range(moving):
        most = max(most, a[j * nu + j] * speed[j] * speed[j])
    for j in range(moving):
        own = a[j * nu + j] * speed[j] * speed[j]
        s[j] = speed[j] / sqrt(max(own, LIGHT * most) if most > 0.0 else 1.0)


@native
def _invert(saddle, work):
    """Set INVERSE = (Wᵀ W)⁻¹ Wᵀ by elimination; say whether speeds follow from rates.

    Auxiliary states follow from none: their rows are zero.
    """
    nq, nu, w = saddle.nq, saddle.nu, part(work, saddle.w0)
    out, gram = part(work, saddle.inverse), part(work, saddle.k)
    for j in range(nu):
        for k in range(nu):
            gram[k * nu + j] = dot(at(w, j * nq), at(w, k * nq), nq)
        for n in range(nq):
            out[n * nu + j] = w[j * nq + n]
    for j in range(nu - saddle.ns, nu):
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
def _pick(saddle, work, first, count, rank):
    """Choose independent rows among `count` from `first` on, `rank` being chosen already.

    B holds rows as columns, rotated by the reflectors of those chosen already. Returns how many
    were found.
    """
    nu, b, tau = saddle.nu, part(work, saddle.b), part(work, saddle.tau)
    order, rows, lengths = (
        whole(work, saddle.order),
        whole(work, saddle.chosen),
        part(work, saddle.lengths),
    )
    for n in range(count):
        order[first + n] = first + n
    corner, natural = at(b, first * nu + rank), 0.0
    s, speed = part(work, saddle.s), doubles(saddle.speed)
    for j in range(nu - saddle.ns):
        natural = max(natural, s[j] / speed[j])
    found = triangularize(
        corner, nu, nu - rank, count, RELATIVE, FLOOR * natural, at(tau, rank),
        integers(work + 8 * (saddle.order + first)), lengths,
    )  # fmt: skip
    for n in range(found):
        rows[rank + n] = order[first + n]
        for j in range(nu):  # columns of chosen rows side by side
            b[(rank + n) * nu + j] = b[(first + n) * nu + j]
    return found


@native
def _row(saddle, work, row, out):
    """Write a row of C, scaled."""
    m, jacobian, s = saddle.m, part(work, saddle.c), part(work, saddle.s)
    weight = doubles(saddle.weight)[row]
    for j in range(saddle.nu):
        out[j] = jacobian[j * m + row] * weight * s[j]


@native
def _hash(saddle, work):
    """Return a number that tells one choice of rows from another."""
    rows, found = whole(work, saddle.chosen), whole(work, saddle.counts)[d.RANKED]
    for n in range(whole(work, saddle.counts)[d.RANKED]):
        found = 1000003 * found + rows[n]
    return found


@native
def _choose(saddle, work):
    """Choose independent rows of C, those at position level first; False if they are too few.

    Rows are measured by D. Where the choice differs from the last one, RENEWED is set.
    """
    nu, m, mh, counts = saddle.nu, saddle.m, saddle.mh, whole(work, saddle.counts)
    b, y, tau = part(work, saddle.b), part(work, saddle.spare), part(work, saddle.tau)
    rows, ends, before = (
        whole(work, saddle.chosen),
        whole(work, saddle.ends),
        _hash(saddle, work),
    )
    for row in range(m):
        _row(saddle, work, row, at(b, row * nu))
        ends[row] = nu
    held = _pick(saddle, work, 0, mh, 0)
    for row in range(mh, m):
        rotate(b, nu, held, ends, tau, at(b, row * nu))
    ranked = held + _pick(saddle, work, mh, m - mh, held)
    for n in range(held, ranked):  # what pivoting has not exchanged
        _row(saddle, work, rows[n], y)
        rotate(b, nu, held, ends, tau, y)
        for j in range(held):
            b[n * nu + j] = y[j]
    counts[d.HELD], counts[d.RANKED] = held, ranked
    if _hash(saddle, work) != before:
        counts[d.RENEWED] = 1
    return _normed(saddle, work) and ranked >= saddle.rank


@native
def _normed(saddle, work):
    """Set NORM of chosen rows and WEAKEST; False where they are close to dependent."""
    nu, ranked = saddle.nu, whole(work, saddle.counts)[d.RANKED]
    b, norm, y = part(work, saddle.b), part(work, saddle.norm), part(work, saddle.spare)
    rows, ratio, least, most = (
        whole(work, saddle.chosen),
        part(work, saddle.weakest),
        1e300,
        1e-300,
    )
    for n in range(ranked):
        _row(saddle, work, rows[n], y)
        length = sqrt(dot(y, y, nu))
        norm[n] = doubles(saddle.weight)[rows[n]] / length
        pivot = abs(b[n * (nu + 1)])
        least, most = min(least, pivot), max(most, pivot)
    ratio[0] = min(least / most, 1.0)
    ratio[1] = max(ratio[0], ratio[1])
    return ratio[0] > WEAK * ratio[1]


@native
def _multipliers(saddle, work):
    """Set LAM0 to λ with Cᵀ λ = -r of the chosen rows, and zero for others."""
    nu, ranked, b = saddle.nu, whole(work, saddle.counts)[d.RANKED], part(work, saddle.b)
    lam, r, s = part(work, saddle.lam0), part(work, saddle.r), part(work, saddle.s)
    y, rows, ends = (
        part(work, saddle.spare),
        whole(work, saddle.chosen),
        whole(work, saddle.ends),
    )
    for j in range(nu):
        y[j] = -s[j] * r[j]
    rotate(b, nu, ranked, ends, part(work, saddle.tau), y)
    for n in range(saddle.m):
        lam[n] = 0.0
    for step in range(ranked):
        n = ranked - 1 - step
        y[n] /= b[n * (nu + 1)]
        add(y, -y[n], at(b, n * nu), n)
        lam[rows[n]] = y[n] * doubles(saddle.weight)[rows[n]]


@native
def _answer(saddle, work, slopes, count, y, z):
    """Set z so that S Q z is the least by which `count` chosen rows answer changes y of q.

    `slopes` are those of the rows, and all that they have to answer adds up.
    """
    nu, m, b = saddle.nu, saddle.m, part(work, saddle.b)
    rows, weight = whole(work, saddle.chosen), doubles(saddle.weight)
    for n in range(count):
        z[n] = 0.0
        for j in range(nu):
            z[n] += abs(slopes[j * m + rows[n]]) * y[j]
        z[n] *= weight[rows[n]]
        z[n] = (z[n] - dot(at(b, n * nu), z, n)) / b[n * (nu + 1)]


@native
def _noise(saddle, work):
    """Set NOISE to the least change of speeds by which C u = ν answers the round-off of q.

    Angles grow with every turn, and their round-off with them: that of speeds which follow from
    them does as well, however short the step. Far from the origin Φ = 0 makes of the round-off
    of places one of attitudes. Bounds are those of the length of S⁻¹ Δu.
    """
    nq, nu, counts = saddle.nq, saddle.nu, whole(work, saddle.counts)
    inverse, b = part(work, saddle.inverse), part(work, saddle.b)
    q, s, noise = part(work, saddle.place), part(work, saddle.s), part(work, saddle.noise)
    y, held, ranked = part(work, saddle.spare), counts[d.HELD], counts[d.RANKED]
    for j in range(nu):
        y[j] = 0.0
        for n in range(nq):
            y[j] += abs(inverse[n * nu + j] * q[n])
    z = at(y, nu)
    for j in range(nu):
        z[j] = 0.0
    _answer(saddle, work, part(work, saddle.c), held, y, z)
    unrotate(b, nu, held, whole(work, saddle.ends), part(work, saddle.tau), z)
    for j in range(nu):
        y[j] += s[j] * abs(z[j])
    _answer(saddle, work, part(work, saddle.e), ranked, y, z)
    length = sqrt(dot(z, z, ranked))
    for j in range(nu):
        noise[j] = RESOLVED * s[j] * length


@native
def _slopes(saddle, work):
    """Set K = W⁺ (W u + x)_q T."""
    nq, nu, k = saddle.nq, saddle.nu, part(work, saddle.k)
    slopes, inverse = part(work, saddle.qd_q), part(work, saddle.inverse)
    for col in range(nu):
        for row in range(nu):
            k[col * nu + row] = 0.0
        for n in range(nq):
            value = slopes[col * nq + n]
            if value != 0.0:
                add(at(k, col * nu), value, at(inverse, n * nu), nu)


@native
def take_jacobian(run, time, place, held):
    """Evaluate everything at a point where K row 0 has the derivative; False if it is singular.

    Stages hold positions only if `held`.
    """
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, rate = saddle.nq, saddle.nu, doubles(run.slopes)
    a, lam, found = (
        part(work, saddle.acceleration),
        part(work, saddle.lam),
        part(work, saddle.lam0),
    )
    for j in range(nu):
        a[j] = rate[nq + j]
    for n in range(saddle.m):
        lam[n] = 0.0
    run.jacobians += 1
    run.dependent = 1
    face(run, time, place)
    compute(run, saddle.kinematics, saddle.w0, saddle.x)
    compute(run, saddle.mass, saddle.a, saddle.a)
    compute(run, saddle.velocity, saddle.c, saddle.rate)
    compute(run, saddle.residual, saddle.r, saddle.r)
    _scale(saddle, work)
    if not (_invert(saddle, work) and _choose(saddle, work)):
        return False
    _multipliers(saddle, work)
    for n in range(saddle.m):
        lam[n] = found[n]
    compute(run, saddle.kinematics_jacobian, saddle.qd_q, saddle.qd_q)
    compute(run, saddle.constraint_jacobian, saddle.e, saddle.e)
    compute(run, saddle.residual_jacobian, saddle.r_q, saddle.r_u)
    without_infinite(part(work, saddle.r_q), nu * nu)  # laws may have vertical tangents
    without_infinite(part(work, saddle.r_u), nu * nu)
    _slopes(saddle, work)
    _noise(saddle, work)
    if not held:
        whole(work, saddle.counts)[d.HELD] = 0
    assemble(saddle, work)
    run.dependent = 0
    return True
