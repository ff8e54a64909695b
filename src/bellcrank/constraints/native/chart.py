"""The point at independent coordinates v and independent speeds w, and accelerations there.

    positions      Φ(t, q) = 0,  E (q - q0) = v        Newton, from the anchor
    speeds         C u = ν,      F u = w
    accelerations  u̇ = T ẇ + c,  C T = 0, F T = 1,  C c = γ, F c = 0
                   (Tᵀ A T) ẇ = Tᵀ (f - A c)

Of rows that repeat others only independent ones are taken; the others must be met as well.
`table` is laid out by `constraints.table`.
"""

from math import inf, sqrt

from bellcrank.constraints.native.machine import aim, compute, integers, normalize, part, whole
from bellcrank.linear.native.factor import (
    add,
    at,
    backward,
    cholesky,
    dot,
    forward,
    meet,
    triangularize,
    unrotate,
)
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import FLOOR, RELATIVE

ITERATIONS = 12
EPS = 2.0**-52
ENOUGH = 2e-14  # scaled residual of positions that needs no further correction, of rows that
# are far from dependent
ACCEPT = 5e-13  # what must be reached,
DIGITS = 16.0  # or so many times what rounding leaves of a row, unless
FINEST = 1e-15  # the last correction was so small against q,
ROUGH = 1e-9  # and then this
COARSE = 1e-7  # above it, the next correction gets its own factorization


@native
def load(table, work, inputs):
    """Copy the point to the working memory and point the kernels at it."""
    aim(table, work, inputs)
    given = integers(inputs)
    v, w, s = part(work, table.v_given), part(work, table.w_given), part(work, table.s_given)
    for n in range(table.nv):
        v[n] = doubles(given[1])[n]
    for n in range(table.nw):
        w[n] = doubles(given[2])[n]
    for n in range(table.ns):
        s[n] = doubles(given[3])[n]
    integers(work + 8 * table.inputs)[3] = work + 8 * table.s_given
    u = part(work, table.u)
    for n in range(table.nu):
        u[n] = 0.0


# --- K x = r ------------------------------------------------------------------------------


@native
def _factorize(table, work, rows, taken, free, lengths, count):
    """Factorize K = [chosen rows of C; rows `free`], in nominal units; False if singular."""
    nu, m, k = table.nu, table.m, part(work, table.k)
    jacobian, weight, speed = (
        part(work, table.c),
        doubles(table.weight),
        doubles(table.speed),
    )
    order = whole(work, table.k_order)
    first, last = whole(work, table.k_first), whole(work, table.k_last)
    for i in range(nu):
        order[i], first[i], last[i] = i, 0, nu
    for i in range(taken):
        row = rows[i]
        for j in range(nu):
            k[i * nu + j] = jacobian[j * m + row] * weight[row] / speed[j]
    for i in range(count):
        for j in range(nu):
            k[(taken + i) * nu + j] = free[j * count + i] * lengths[i] / speed[j]
    tau, spare = part(work, table.k_tau), part(work, table.k_lengths)
    return triangularize(k, nu, nu, nu, RELATIVE, FLOOR, tau, order, spare) == nu


@native
def _solve(table, work, x):
    """Set x = K⁻¹ K_RIGHT."""
    nu, k, speed = table.nu, part(work, table.k), doubles(table.speed)
    order = whole(work, table.k_order)
    first, last = whole(work, table.k_first), whole(work, table.k_last)
    meet(k, nu, nu, order, first, part(work, table.k_right), x)
    unrotate(k, nu, nu, last, part(work, table.k_tau), x)
    for j in range(nu):
        x[j] /= speed[j]


@native
def _column(table, work, taken, number, length, x):
    """Set x to the solution of K x = 0 but for one in the free row `number`."""
    right = part(work, table.k_right)
    for j in range(table.nu):
        right[j] = 0.0
    right[taken + number] = length
    _solve(table, work, x)


# --- positions ----------------------------------------------------------------------------


@native
def _move(table, work, step):
    """Set q = q + W step, back on the invariants; return the change relative to q."""
    nq, nu, q, before = (
        table.nq,
        table.nu,
        part(work, table.q),
        part(work, table.spare_chart),
    )
    change, size = 0.0, 0.0
    for n in range(nq):
        before[n] = q[n]
    for j in range(nu):
        add(q, step[j], at(part(work, table.w), j * nq), nq)
    for n in range(nq):
        change, size = max(change, abs(q[n] - before[n])), max(size, abs(q[n]))
    normalize(table, work)
    return change / size if size > 0.0 else inf


@native
def _predict(table, work):
    """Set q to where the tangent at the anchor leads."""
    nq, q, v = table.nq, part(work, table.q), part(work, table.v_given)
    near, there, slope = (
        doubles(table.anchor_q),
        doubles(table.anchor_v),
        doubles(table.anchor_d),
    )
    for n in range(nq):
        q[n] = near[n]
    for i in range(table.nv):
        add(q, v[i] - there[i], at(slope, i * nq), nq)
    normalize(table, work)


@native
def _lack(table, work):
    """Set K_RIGHT to what q lacks, scaled; return the largest of it, of all rows."""
    nq, nv, taken = table.nq, table.nv, table.taken_h
    compute(table, work, table.position, table.phi, table.spare)
    phi, weight, right = (
        part(work, table.phi),
        doubles(table.weight),
        part(work, table.k_right),
    )
    rows, size = integers(table.rows_h), 0.0
    for i in range(table.mh):
        if not abs(phi[i] * weight[i]) <= size:
            size = abs(phi[i] * weight[i])
    for i in range(taken):
        right[i] = -phi[rows[i]] * weight[rows[i]]
    q, base, matrix = part(work, table.q), doubles(table.base), doubles(table.e)
    v, length = part(work, table.v_given), doubles(table.length_v)
    for i in range(nv):
        left = v[i]
        for n in range(nq):
            left -= matrix[n * nv + i] * (q[n] - base[n])
        right[taken + i] = left * length[i]
        if not abs(right[taken + i]) <= size:
            size = abs(right[taken + i])
    return size


@native
def _row_round_off(table, work, i):
    """Return what rounding leaves of Φᵢ, scaled: as measured at the base, and of q as it is.

    A coordinate is round to ε |q|, a row to ε Σⱼ |Cᵢⱼ| |W⁺ q|ⱼ.
    """
    nq, q, w, c = table.nq, part(work, table.q), part(work, table.w), part(work, table.c)
    total = 0.0
    for j in range(table.nu):
        slope = abs(c[j * table.m + i])
        if slope > 0.0:
            far, square = 0.0, 0.0
            for n in range(nq):
                far += abs(w[j * nq + n] * q[n])
                square += w[j * nq + n] * w[j * nq + n]
            total += slope * far / max(square, 1e-300)
    return max(doubles(table.round_off)[i], EPS * total * doubles(table.weight)[i])


@native
def _rounded(table, work):
    """Return whether nothing is lacking but what rounding leaves of rows and coordinates."""
    nq, nv, q = table.nq, table.nv, part(work, table.q)
    phi, weight, right = part(work, table.phi), doubles(table.weight), part(work, table.k_right)
    for i in range(table.mh):
        size = abs(phi[i] * weight[i])
        if not (size <= ACCEPT or size <= DIGITS * _row_round_off(table, work, i)):
            return False
    base, matrix, length = doubles(table.base), doubles(table.e), doubles(table.length_v)
    for i in range(nv):
        least = 0.0
        for n in range(nq):
            least += abs(matrix[n * nv + i]) * (abs(q[n]) + abs(base[n]))
        limit = max(ACCEPT, DIGITS * EPS * least * length[i])
        if not abs(right[table.taken_h + i]) <= limit:
            return False
    return True


@native
def _slopes(table, work):
    """Evaluate and factorize [Φ_q W; E W]; False if it is singular."""
    nq, nu, nv = table.nq, table.nu, table.nv
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    w, matrix, product = part(work, table.w), doubles(table.e), part(work, table.ew)
    for j in range(nu):
        for i in range(nv):
            product[j * nv + i] = 0.0
        for n in range(nq):
            if w[j * nq + n] != 0.0:
                add(at(product, j * nv), w[j * nq + n], at(matrix, n * nv), nv)
    rows, lengths = integers(table.rows_h), doubles(table.length_v)
    return _factorize(table, work, rows, table.taken_h, product, lengths, nv)


@native
def _distance(table, work):
    """Return the least pivot of K over the largest: θ, the distance to a singular position.

    What is left of rows makes 1/θ of it in q, 1/θ² in u and 1/θ³ in u̇.
    """
    nu, k = table.nu, part(work, table.k)
    return abs(k[nu * nu - 1] / k[0])


@native
def positions(table, work):
    """Set q = Ψ(v); return the number of iterations, -1 if they do not converge."""
    nq, q = table.nq, part(work, table.q)
    if table.mh == 0:
        v = part(work, table.v_given)
        for n in range(nq):
            q[n] = v[n]
        return 0
    _predict(table, work)
    step, before, change, factored = part(work, table.v), inf, inf, False
    enough = ENOUGH
    for iteration in range(ITERATIONS):
        size = _lack(table, work)
        if not size < inf:
            return -1
        if size <= enough or (size > 0.5 * before and _rounded(table, work)):
            return iteration
        if change <= FINEST:  # rows that were left out may still be far off
            return iteration if size <= ROUGH or _rounded(table, work) else -1
        if not factored or size > COARSE or size > 0.1 * before:
            if not _slopes(table, work):
                return -1
            factored, enough = True, ENOUGH * _distance(table, work)
        _solve(table, work, step)
        change, before = _move(table, work, step), size
    return -1


# --- speeds and accelerations -------------------------------------------------------------


@native
def speeds(table, work):
    """Factorize [C; F] and set u; False if it is singular."""
    taken, nw = table.taken, table.nw
    rows, lengths = integers(table.rows), doubles(table.length_w)
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    if not _factorize(table, work, rows, taken, doubles(table.f), lengths, nw):
        return False
    right, given = part(work, table.k_right), part(work, table.nu_row)
    weight, w = doubles(table.weight), part(work, table.w_given)
    for i in range(taken):
        right[i] = given[rows[i]] * weight[rows[i]]
    for i in range(nw):
        right[taken + i] = w[i] * lengths[i]
    _solve(table, work, part(work, table.u))
    return True


@native
def _reduce(table, work):
    """Set T and DRIFT of u̇ = T ẇ + DRIFT."""
    nu, nw, taken, lengths = table.nu, table.nw, table.taken, doubles(table.length_w)
    for i in range(nw):
        _column(table, work, taken, i, lengths[i], at(part(work, table.t), i * nu))
    compute(table, work, table.acceleration, table.gamma, table.spare)
    gamma, weight, rows = (
        part(work, table.gamma),
        doubles(table.weight),
        integers(table.rows),
    )
    right = part(work, table.k_right)
    for i in range(taken):
        right[i] = gamma[rows[i]] * weight[rows[i]]
    for i in range(nw):
        right[taken + i] = 0.0
    _solve(table, work, part(work, table.drift))


@native
def accelerations(table, work):
    """Set RATE to ẇ; False if Tᵀ A T is not definite."""
    nu, nw = table.nu, table.nw
    _reduce(table, work)
    compute(table, work, table.mass, table.a, table.spare)
    compute(table, work, table.force, table.push, table.spare)
    a, f, drift = part(work, table.a), part(work, table.push), part(work, table.drift)
    directions, product = part(work, table.t), part(work, table.at)
    reduced, rate = part(work, table.reduced), part(work, table.rate)
    last = whole(work, table.rate_last)
    for j in range(nu):
        add(f, -drift[j], at(a, j * nu), nu)
    for i in range(nw):
        column = at(product, i * nu)
        for j in range(nu):
            column[j] = 0.0
        for j in range(nu):
            add(column, directions[i * nu + j], at(a, j * nu), nu)
        rate[i] = dot(at(directions, i * nu), f, nu)
    for i in range(nw):
        last[i] = nw
        for j in range(nw):
            reduced[i * nw + j] = dot(at(directions, j * nu), at(product, i * nu), nu)
    if not cholesky(reduced, nw, part(work, table.spare_chart), last):
        return False
    forward(reduced, last, nw, 0, nw, rate)
    backward(reduced, last, nw, rate)
    return True


# --- the anchor ---------------------------------------------------------------------------


@native
def _growth(table, work):
    """Return the most that a unit of w moves speeds now, against what it did at the base."""
    nu, most, taken = table.nu, 0.0, table.taken
    x, speed = part(work, table.spare_chart), doubles(table.speed)
    for i in range(table.nw):
        _column(table, work, taken, i, 1.0, x)
        total = 0.0
        for j in range(nu):
            total += x[j] * speed[j] * x[j] * speed[j]
        most = max(most, sqrt(total))
    return most


@native
def anchor(table, work, iterations):
    """Make this the point from which others are sought."""
    nq, nu = table.nq, table.nu
    seen, speed = doubles(table.seen), doubles(table.speed)
    seen[0] = iterations
    seen[1], seen[2] = _growth(table, work), _distance(table, work)
    if table.mh == 0:
        return True
    if not _slopes(table, work):
        return False
    q, v = part(work, table.q), part(work, table.v_given)
    near, there, slope = (
        doubles(table.anchor_q),
        doubles(table.anchor_v),
        doubles(table.anchor_d),
    )
    x, w, lengths = part(work, table.spare_chart), part(work, table.w), doubles(table.length_v)
    for n in range(nq):
        near[n] = q[n]
    for i in range(table.nv):
        there[i] = v[i]
        _column(table, work, table.taken_h, i, lengths[i], x)
        for n in range(nq):
            slope[i * nq + n] = 0.0
        total = 0.0
        for j in range(nu):
            add(at(slope, i * nq), x[j], at(w, j * nq), nq)
            total += x[j] * speed[j] * x[j] * speed[j]
        # Where rows hold speeds only, coordinates have directions of their own.
        seen[1] = max(seen[1], sqrt(total) / max(lengths[i], 1e-300))
    return True
