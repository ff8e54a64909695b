"""Positions, speeds and accelerations of a machine brought onto its constraints.

    positions      q ← q + W Δξ,  C Δξ = -Φ with the least Δξᵀ A Δξ; repeated
    speeds         u ← u + Δu,    C Δu = ν - C u with the least Δuᵀ A Δu
    accelerations  C u̇ = γ with the least (u̇ - A⁻¹f)ᵀ A (u̇ - A⁻¹f)       (Gauss)

Rows that repeat others are left out by their rank. Where the rank is below what it was
elsewhere, combinations of rows that vanish can be replaced by the same combinations of
`jerk` rows.
"""

from math import inf, sqrt

from bellcrank.constraints import table as c
from bellcrank.constraints.native.machine import compute, integers, normalize, part, whole
from bellcrank.constraints.native.metric import correction, factorize, fill, metric, restore
from bellcrank.linear.native.factor import (
    add,
    at,
    combine,
    dot,
    forward,
    meet,
    rotate,
    triangularize,
    unrotate,
)
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import COLLAPSED, RELATIVE, SECOND_ORDER

ITERATIONS = 12
ENOUGH = 2e-14  # scaled residual of positions that needs no further correction
ROUND = 2e-16  # the same where rows are nearly dependent
ACCEPT = 1e-12  # what must be reached, unless
FINEST = 1e-15  # the last correction was so small against q
COARSE = 1e-7  # above it, the next correction gets its own factorization
NEARLY = 0.3  # pivots so small against the best seen ask for all digits of Φ
STRONG = 1e-2  # pivots that are corrected after interpolation
CUT_POSITION = RELATIVE  # pivots so small against the largest are none, for positions,
CUT = COLLAPSED  # for speeds and accelerations,
CUT_JERK = SECOND_ORDER  # and for jerk rows
CAUTION = 10.0  # pivots must exceed the distance from the constraints by this factor,
FAR = 0.1  # but need not exceed this

FINE, WEAK, FAILED = 0, 1, 2


# --- positions ----------------------------------------------------------------------------


@native
def residual(t, work):
    """Evaluate Φ; set RIGHT = -Φ, scaled; return the largest of its entries."""
    compute(t, work, c.POSITION, c.PHI, c.SPARE)
    phi, right, weight = part(t, work, c.PHI), part(t, work, c.RIGHT), doubles(t[c.WEIGHT])
    size = 0.0
    for i in range(t[c.MH]):
        right[i] = -phi[i] * weight[i]
        if not abs(right[i]) <= size:
            size = abs(right[i])
    return size


@native
def _move(t, work):
    """Set q = q + W V, back on the invariants; return the change relative to q."""
    nq, nu = t[c.NQ], t[c.NU]
    q, new = part(t, work, c.Q), part(t, work, c.Q_NEXT)
    w, v = part(t, work, c.W), part(t, work, c.V)
    change, size = 0.0, 0.0
    for n in range(nq):
        new[n] = 0.0
    for j in range(nu):
        add(new, v[j], at(w, j * nq), nq)
    for n in range(nq):
        change, size = max(change, abs(new[n])), max(size, abs(q[n]))
        q[n] += new[n]
    normalize(t, work)
    return change / size if size > 0.0 else inf


@native
def _slopes(t, work, size, cut, fresh):
    """Evaluate and factorize the position rows; return the rank, -1 if that fails.

    Off the constraints, rows that repeat others seem independent by about the distance.
    """
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    if fresh and metric(t, work) < 0.0:
        return -1
    best = doubles(t[c.BEST])
    distance = min(CAUTION * size / max(fill(t, work, t[c.MH]), 1e-300), FAR)
    rank = factorize(t, work, t[c.MH], max(cut, distance), t[c.RANK_H], best[1])
    nu, b, sure = t[c.NU], part(t, work, c.B), 0
    while sure < rank and abs(b[sure * (nu + 1)]) > max(STRONG, 10.0 * distance) * abs(b[0]):
        sure += 1
    t[c.RANK_H] = max(t[c.RANK_H], sure)
    best[1] = max(best[1], part(t, work, c.RATIO)[0])
    return rank


@native
def bring(t, work, cut, watchful):
    """Bring q onto Φ = 0; return `FINE` or `FAILED`.

    If `watchful`, leave q alone and return `WEAK` where rows are close to dependent.
    """
    if t[c.MH] == 0:
        return FINE
    normalize(t, work)  # also where rows are met already
    # What is left of Φ moves q by that over the distance d to a singular position, and u̇ by
    # that over d³: only where rows are known to be well apart, `ENOUGH` is enough.
    before, rank, weak, size, change = inf, -1, True, 0.0, inf
    for _ in range(ITERATIONS):
        size = residual(t, work)
        if not size < inf:
            return FAILED
        if size <= ROUND or (size <= ENOUGH and not weak):
            return FINE
        if size > 0.5 * before and (size <= ACCEPT or (change <= FINEST and size < COARSE)):
            return FINE
        if rank < 0 or size > COARSE or size > 0.1 * before:
            rank = _slopes(t, work, size, cut, rank < 0)
            if rank < 0:
                return FAILED
            ratio, best = part(t, work, c.RATIO)[0], doubles(t[c.BEST])[1]
            if watchful and ratio < doubles(t[c.BEST])[2] * best:
                return WEAK
            weak = ratio < NEARLY * best
            if size <= ENOUGH and not weak:
                return FINE
        correction(t, work, rank)
        change = _move(t, work)
        before = size
    return FINE if size <= ACCEPT else FAILED


# --- speeds and accelerations -------------------------------------------------------------


@native
def speeds(t, work, rank):
    """Bring u onto C u = ν."""
    nu, m = t[c.NU], t[c.M]
    u, rows, given = part(t, work, c.U), part(t, work, c.C), part(t, work, c.NU_ROW)
    right, weight, v = part(t, work, c.RIGHT), doubles(t[c.WEIGHT]), part(t, work, c.V)
    for i in range(m):
        right[i] = given[i]
    for j in range(nu):
        add(right, -u[j], at(rows, j * m), m)
    for i in range(m):
        right[i] *= weight[i]
    correction(t, work, rank)
    add(u, 1.0, v, nu)


@native
def _row(t, work, row, factor, y):
    """Add a row of D to y, scaled and times a factor, speeds in their order."""
    nu, m, speed = t[c.NU], t[c.M], integers(t[c.SPEED_ORDER])
    d, factor = part(t, work, c.D), factor * doubles(t[c.WEIGHT])[row]
    for place in range(nu):
        y[place] += factor * d[speed[place] * m + row]


@native
def _supplied(t, work, rank):
    """Make the rows G z = G_RIGHT that jerk supplies; return the size of jerk rows.

    Row j left out is the combination x of rows taken, so that cⱼ - Σ xᵢ cᵢ vanishes. The same
    combination of D u̇ = d - C ü is free of ü. G holds them as B does, rotated by Q.
    """
    nu, m, size = t[c.NU], t[c.M], 0.0
    compute(t, work, c.JERK, c.D, c.D_RIGHT)
    b, given, mix = part(t, work, c.B), part(t, work, c.D_RIGHT), part(t, work, c.MIX)
    g, right, weight = part(t, work, c.G), part(t, work, c.G_RIGHT), doubles(t[c.WEIGHT])
    order, lower, ends = whole(t, work, c.ORDER), part(t, work, c.L), whole(t, work, c.L_LAST)
    for column in range(m):
        row, y = order[column], at(g, max(column - rank, 0) * nu)
        for j in range(nu):
            y[j] = 0.0
        _row(t, work, row, 1.0, y)
        size = max(size, sqrt(dot(y, y, nu)))
        if column < rank:
            continue
        value = given[row] * weight[row]
        combine(b, nu, rank, column, mix)
        for i in range(rank):
            value -= mix[i] * weight[order[i]] * given[order[i]]
            _row(t, work, order[i], -mix[i], y)
        forward(lower, ends, nu, 0, nu, y)
        rotate(b, nu, rank, whole(t, work, c.B_LAST), part(t, work, c.TAU), y)
        right[column - rank] = value
    return size * lower[0]


@native
def _by_jerk(t, work, rank):
    """Correct Z, rotated, so that it meets the rows that jerk supplies."""
    nu, left = t[c.NU], t[c.M] - rank
    size = _supplied(t, work, rank)
    g, right, z = part(t, work, c.G), part(t, work, c.G_RIGHT), part(t, work, c.Z)
    tau, order = part(t, work, c.G_TAU), whole(t, work, c.G_ORDER)
    first, last = whole(t, work, c.G_FIRST), whole(t, work, c.G_LAST)
    for column in range(left):
        order[column] = column
        right[column] -= dot(at(g, column * nu), z, nu)
        first[column], last[column] = 0, nu - rank
    tail, spare = at(g, rank), part(t, work, c.SPARE)
    lengths = part(t, work, c.LENGTHS)
    gained = triangularize(
        tail, nu, nu - rank, left, CUT_JERK, CUT_JERK * size, tau, order, lengths
    )
    meet(tail, nu, gained, order, first, right, spare)
    for j in range(gained, nu - rank):
        spare[j] = 0.0
    unrotate(tail, nu, gained, last, tau, spare)
    add(at(z, rank), 1.0, spare, nu - rank)


@native
def accelerations(t, work, rank, alpha):
    """Set V to u̇."""
    compute(t, work, c.FORCE, c.V, c.SPARE)
    meet_rows(t, work, rank, alpha)


@native
def meet_rows(t, work, rank, alpha):
    """Set V, which holds f, to u̇."""
    nu, m, speed = t[c.NU], t[c.M], integers(t[c.SPEED_ORDER])
    compute(t, work, c.ACCELERATION, c.GAMMA, c.SPARE)
    b, z, v, tau = (
        part(t, work, c.B),
        part(t, work, c.Z),
        part(t, work, c.V),
        part(t, work, c.TAU),
    )
    gamma, right = part(t, work, c.GAMMA), part(t, work, c.RIGHT)
    weight, rows = doubles(t[c.WEIGHT]), part(t, work, c.C)
    first, last = whole(t, work, c.B_FIRST), whole(t, work, c.B_LAST)
    for i in range(m):
        right[i] = gamma[i] * weight[i]
    if alpha > 0.0:
        for j in range(nu):
            for i in range(m):
                v[j] += alpha * rows[j * m + i] * weight[i] * right[i]
    for place in range(nu):
        z[place] = v[speed[place]]
    forward(part(t, work, c.L), whole(t, work, c.L_LAST), nu, 0, nu, z)
    rotate(b, nu, rank, last, tau, z)
    meet(b, nu, rank, whole(t, work, c.ORDER), first, right, z)
    if rank < t[c.RANK] and t[c.JERK] != 0:
        _by_jerk(t, work, rank)
    unrotate(b, nu, rank, last, tau, z)
    restore(t, work)
