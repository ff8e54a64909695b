"""Positions, speeds and accelerations of a machine brought onto its constraints.

    positions      q ← q + W Δξ,  C Δξ = -Φ with the least Δξᵀ A Δξ; repeated
    speeds         u ← u + Δu,    C Δu = ν - C u with the least Δuᵀ A Δu
    accelerations  C u̇ = γ with the least (u̇ - A⁻¹f)ᵀ A (u̇ - A⁻¹f)       (Gauss)

Rows that repeat others are left out by their rank. Where the rank is below what it was
elsewhere, combinations of rows that vanish can be replaced by the same combinations of
`jerk` rows.
"""

from math import inf, sqrt

from bellcrank.constraints.native.machine import compute, integers, normalize, part, whole
from bellcrank.constraints.native.metric import (
    correction,
    factorize,
    fill,
    metric,
    natural_length,
    restore,
)
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
def residual(table, work):
    """Evaluate Φ; set RIGHT = -Φ, scaled; return the largest of its entries."""
    compute(table, work, table.position, table.phi, table.spare)
    phi, right, weight = part(work, table.phi), part(work, table.right), doubles(table.weight)
    size = 0.0
    for i in range(table.mh):
        right[i] = -phi[i] * weight[i]
        if not abs(right[i]) <= size:
            size = abs(right[i])
    return size


@native
def move(table, work):
    """Set q = q + W V, back on the invariants; return the change relative to q."""
    nq, nu = table.nq, table.nu
    q, new = part(work, table.q), part(work, table.q_next)
    w, v = part(work, table.w), part(work, table.v)
    change, size = 0.0, 0.0
    for n in range(nq):
        new[n] = 0.0
    for j in range(nu):
        add(new, v[j], at(w, j * nq), nq)
    for n in range(nq):
        change, size = max(change, abs(new[n])), max(size, abs(q[n]))
        q[n] += new[n]
    normalize(table, work)
    return change / size if size > 0.0 else inf


@native
def _slopes(table, work, size, cut, fresh, usual):
    """Evaluate and factorize the position rows; return the rank, -1 if that fails.

    Off the constraints, rows that repeat others seem independent by about the distance. So
    pivots must exceed that; or, if `usual`, as many count as are independent elsewhere, the
    largest, since what repeats others comes after them. More than that are independent only if
    they exceed what the distance makes of a row along the lightest motion there is.
    """
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    if fresh and metric(table, work) < 0.0:
        return -1
    most = max(fill(table, work, table.mh), 1e-300)
    distance = min(CAUTION * size / most, FAR)
    if usual:
        rank = factorize(table, work, table.mh, cut, table.rank_h, table.best_h)
        return min(rank, table.rank_h)
    rank = factorize(table, work, table.mh, max(cut, distance), table.rank_h, table.best_h)
    nu, b, sure = table.nu, part(work, table.b), 0
    apart = 10.0 * CAUTION * size * natural_length(table, work)
    clear = max(max(STRONG, 10.0 * distance) * abs(b[0]), apart)
    while sure < rank and abs(b[sure * (nu + 1)]) > clear:
        sure += 1
    if sure > table.rank_h:
        table.rank_h, table.best_h = sure, 0.0  # what fewer rows have is no measure for more
    if rank >= table.rank_h:
        table.best_h = max(table.best_h, part(work, table.ratio)[0])
    return rank


@native
def bring(table, work, cut, watchful, usual):
    """Bring q onto Φ = 0; return `FINE` or `FAILED`.

    If `watchful`, leave q alone and return `WEAK` where rows are close to dependent. If
    `usual`, as many rows are independent as elsewhere.
    """
    if table.mh == 0:
        return FINE
    normalize(table, work)  # also where rows are met already
    # What is left of Φ moves q by that over the distance d to a singular position, and u̇ by
    # that over d³: only where rows are known to be well apart, `ENOUGH` is enough.
    before, rank, weak, size, change = inf, -1, True, 0.0, inf
    for _ in range(ITERATIONS):
        size = residual(table, work)
        if not size < inf:
            return FAILED
        if size <= ROUND or (size <= ENOUGH and not weak):
            return FINE
        if size > 0.5 * before and (size <= ACCEPT or (change <= FINEST and size < COARSE)):
            return FINE
        if rank < 0 or size > COARSE or size > 0.1 * before:
            rank = _slopes(table, work, size, cut, rank < 0, usual and table.rank_h > 0)
            if rank < 0:
                return FAILED
            ratio = part(work, table.ratio)[0]
            if watchful and ratio < table.suspect * table.best_h:
                return WEAK
            weak = ratio < NEARLY * table.best_h
            if size <= ENOUGH and not weak:
                return FINE
        correction(table, work, rank)
        change = move(table, work)
        before = size
    return FINE if size <= ACCEPT else FAILED


# --- speeds and accelerations -------------------------------------------------------------


@native
def speeds(table, work, rank):
    """Bring u onto C u = ν."""
    nu, m = table.nu, table.m
    u, rows, given = part(work, table.u), part(work, table.c), part(work, table.nu_row)
    right, weight, v = part(work, table.right), doubles(table.weight), part(work, table.v)
    for i in range(m):
        right[i] = given[i]
    for j in range(nu):
        add(right, -u[j], at(rows, j * m), m)
    for i in range(m):
        right[i] *= weight[i]
    correction(table, work, rank)
    add(u, 1.0, v, nu)


@native
def _row(table, work, row, factor, y):
    """Add a row of D to y, scaled and times a factor, speeds in their order."""
    nu, m, speed = table.nu, table.m, integers(table.speed_order)
    d, factor = part(work, table.d), factor * doubles(table.weight)[row]
    for place in range(nu):
        y[place] += factor * d[speed[place] * m + row]


@native
def _supplied(table, work, rank):
    """Make the rows G z = G_RIGHT that jerk supplies; return the size of jerk rows.

    Row j left out is the combination x of rows taken, so that cⱼ - Σ xᵢ cᵢ vanishes. The same
    combination of D u̇ = d - C ü is free of ü. G holds them as B does, rotated by Q.
    """
    nu, m, size = table.nu, table.m, 0.0
    compute(table, work, table.jerk, table.d, table.d_right)
    b, given, mix = part(work, table.b), part(work, table.d_right), part(work, table.mix)
    g, right, weight = part(work, table.g), part(work, table.g_right), doubles(table.weight)
    order, lower, ends = (
        whole(work, table.order),
        part(work, table.l),
        whole(work, table.l_last),
    )
    for column in range(m):
        row, y = order[column], at(g, max(column - rank, 0) * nu)
        for j in range(nu):
            y[j] = 0.0
        _row(table, work, row, 1.0, y)
        size = max(size, sqrt(dot(y, y, nu)))
        if column < rank:
            continue
        value = given[row] * weight[row]
        combine(b, nu, rank, column, mix)
        for i in range(rank):
            value -= mix[i] * weight[order[i]] * given[order[i]]
            _row(table, work, order[i], -mix[i], y)
        forward(lower, ends, nu, 0, nu, y)
        rotate(b, nu, rank, whole(work, table.b_last), part(work, table.tau), y)
        right[column - rank] = value
    return size * lower[0]


@native
def _by_jerk(table, work, rank):
    """Correct Z, rotated, so that it meets the rows that jerk supplies."""
    nu, left = table.nu, table.m - rank
    size = _supplied(table, work, rank)
    g, right, z = part(work, table.g), part(work, table.g_right), part(work, table.z)
    tau, order = part(work, table.g_tau), whole(work, table.g_order)
    first, last = whole(work, table.g_first), whole(work, table.g_last)
    for column in range(left):
        order[column] = column
        right[column] -= dot(at(g, column * nu), z, nu)
        first[column], last[column] = 0, nu - rank
    tail, spare = at(g, rank), part(work, table.spare)
    lengths = part(work, table.lengths)
    gained = triangularize(
        tail, nu, nu - rank, left, CUT_JERK, CUT_JERK * size, tau, order, lengths
    )
    meet(tail, nu, gained, order, first, right, spare)
    for j in range(gained, nu - rank):
        spare[j] = 0.0
    unrotate(tail, nu, gained, last, tau, spare)
    add(at(z, rank), 1.0, spare, nu - rank)


@native
def accelerations(table, work, rank, alpha):
    """Set V to u̇."""
    compute(table, work, table.force, table.v, table.spare)
    meet_rows(table, work, rank, alpha)


@native
def meet_rows(table, work, rank, alpha):
    """Set V, which holds f, to u̇."""
    nu, m, speed = table.nu, table.m, integers(table.speed_order)
    compute(table, work, table.acceleration, table.gamma, table.spare)
    b, z, v, tau = (
        part(work, table.b),
        part(work, table.z),
        part(work, table.v),
        part(work, table.tau),
    )
    gamma, right = part(work, table.gamma), part(work, table.right)
    weight, rows = doubles(table.weight), part(work, table.c)
    first, last = whole(work, table.b_first), whole(work, table.b_last)
    for i in range(m):
        right[i] = gamma[i] * weight[i]
    if alpha > 0.0:
        for j in range(nu):
            for i in range(m):
                v[j] += alpha * rows[j * m + i] * weight[i] * right[i]
    for place in range(nu):
        z[place] = v[speed[place]]
    forward(part(work, table.l), whole(work, table.l_last), nu, 0, nu, z)
    rotate(b, nu, rank, last, tau, z)
    meet(b, nu, rank, whole(work, table.order), first, right, z)
    if rank < table.rank and table.jerk != 0:
        _by_jerk(table, work, rank)
    unrotate(b, nu, rank, last, tau, z)
    restore(table, work)
