"""The point at independent coordinates v and independent speeds w, and accelerations there.

    positions      Φ(t, q) = 0,  E (q - q0) = v        Newton, from the anchor
    speeds         C u = ν,      F u = w
    accelerations  u̇ = T ẇ + c,  C T = 0, F T = 1,  C c = γ, F c = 0
                   (Tᵀ A T) ẇ = Tᵀ (f - A c)

Of rows that repeat others only independent ones are taken; the others must be met as well.
`t` is a table laid out by `constraints.independent_table`.
"""

from math import inf, sqrt

from bellcrank.constraints import independent_table as e
from bellcrank.constraints import table as c
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
ENOUGH = 2e-14  # scaled residual of positions that needs no further correction
ACCEPT = 5e-13  # what must be reached, unless
FINEST = 1e-15  # the last correction was so small against q,
ROUGH = 1e-9  # and then this
COARSE = 1e-7  # above it, the next correction gets its own factorization


@native
def load(t, work, inputs):
    """Copy the point to the working memory and point the kernels at it."""
    aim(t, work, inputs)
    given = integers(inputs)
    v, w, s = part(t, work, e.V_GIVEN), part(t, work, e.W_GIVEN), part(t, work, e.S_GIVEN)
    for n in range(t[e.NV]):
        v[n] = doubles(given[1])[n]
    for n in range(t[e.NW]):
        w[n] = doubles(given[2])[n]
    for n in range(t[c.NS]):
        s[n] = doubles(given[3])[n]
    integers(work + 8 * t[c.IN])[3] = work + 8 * t[e.S_GIVEN]
    u = part(t, work, c.U)
    for n in range(t[c.NU]):
        u[n] = 0.0


# --- K x = r ------------------------------------------------------------------------------


@native
def _factorize(t, work, rows, taken, free, lengths, count):
    """Factorize K = [chosen rows of C; rows `free`], in nominal units; False if singular."""
    nu, m, k = t[c.NU], t[c.M], part(t, work, e.K)
    jacobian, weight, speed = part(t, work, c.C), doubles(t[c.WEIGHT]), doubles(t[c.SPEED])
    order = whole(t, work, e.K_ORDER)
    first, last = whole(t, work, e.K_FIRST), whole(t, work, e.K_LAST)
    for i in range(nu):
        order[i], first[i], last[i] = i, 0, nu
    for i in range(taken):
        row = rows[i]
        for j in range(nu):
            k[i * nu + j] = jacobian[j * m + row] * weight[row] / speed[j]
    for i in range(count):
        for j in range(nu):
            k[(taken + i) * nu + j] = free[j * count + i] * lengths[i] / speed[j]
    tau, spare = part(t, work, e.K_TAU), part(t, work, e.K_LENGTHS)
    return triangularize(k, nu, nu, nu, RELATIVE, FLOOR, tau, order, spare) == nu


@native
def _solve(t, work, x):
    """Set x = K⁻¹ K_RIGHT."""
    nu, k, speed = t[c.NU], part(t, work, e.K), doubles(t[c.SPEED])
    order = whole(t, work, e.K_ORDER)
    first, last = whole(t, work, e.K_FIRST), whole(t, work, e.K_LAST)
    meet(k, nu, nu, order, first, part(t, work, e.K_RIGHT), x)
    unrotate(k, nu, nu, last, part(t, work, e.K_TAU), x)
    for j in range(nu):
        x[j] /= speed[j]


@native
def _column(t, work, taken, number, length, x):
    """Set x to the solution of K x = 0 but for one in the free row `number`."""
    right = part(t, work, e.K_RIGHT)
    for j in range(t[c.NU]):
        right[j] = 0.0
    right[taken + number] = length
    _solve(t, work, x)


# --- positions ----------------------------------------------------------------------------


@native
def _move(t, work, step):
    """Set q = q + W step, back on the invariants; return the change relative to q."""
    nq, nu, q, before = t[c.NQ], t[c.NU], part(t, work, c.Q), part(t, work, e.SPARE)
    change, size = 0.0, 0.0
    for n in range(nq):
        before[n] = q[n]
    for j in range(nu):
        add(q, step[j], at(part(t, work, c.W), j * nq), nq)
    for n in range(nq):
        change, size = max(change, abs(q[n] - before[n])), max(size, abs(q[n]))
    normalize(t, work)
    return change / size if size > 0.0 else inf


@native
def _predict(t, work):
    """Set q to where the tangent at the anchor leads."""
    nq, q, v = t[c.NQ], part(t, work, c.Q), part(t, work, e.V_GIVEN)
    near, there, slope = doubles(t[e.ANCHOR_Q]), doubles(t[e.ANCHOR_V]), doubles(t[e.ANCHOR_D])
    for n in range(nq):
        q[n] = near[n]
    for i in range(t[e.NV]):
        add(q, v[i] - there[i], at(slope, i * nq), nq)
    normalize(t, work)


@native
def _lack(t, work):
    """Set K_RIGHT to what q lacks, scaled; return the largest of it, of all rows."""
    nq, nv, taken = t[c.NQ], t[e.NV], t[e.TAKEN_H]
    compute(t, work, c.POSITION, c.PHI, c.SPARE)
    phi, weight, right = part(t, work, c.PHI), doubles(t[c.WEIGHT]), part(t, work, e.K_RIGHT)
    rows, size = integers(t[e.ROWS_H]), 0.0
    for i in range(t[c.MH]):
        if not abs(phi[i] * weight[i]) <= size:
            size = abs(phi[i] * weight[i])
    for i in range(taken):
        right[i] = -phi[rows[i]] * weight[rows[i]]
    q, base, matrix = part(t, work, c.Q), doubles(t[e.BASE]), doubles(t[e.E])
    v, length = part(t, work, e.V_GIVEN), doubles(t[e.LENGTH_V])
    for i in range(nv):
        left = v[i]
        for n in range(nq):
            left -= matrix[n * nv + i] * (q[n] - base[n])
        right[taken + i] = left * length[i]
        if not abs(right[taken + i]) <= size:
            size = abs(right[taken + i])
    return size


@native
def _slopes(t, work):
    """Evaluate and factorize [Φ_q W; E W]; False if it is singular."""
    nq, nu, nv = t[c.NQ], t[c.NU], t[e.NV]
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    w, matrix, product = part(t, work, c.W), doubles(t[e.E]), part(t, work, e.EW)
    for j in range(nu):
        for i in range(nv):
            product[j * nv + i] = 0.0
        for n in range(nq):
            if w[j * nq + n] != 0.0:
                add(at(product, j * nv), w[j * nq + n], at(matrix, n * nv), nv)
    rows, lengths = integers(t[e.ROWS_H]), doubles(t[e.LENGTH_V])
    return _factorize(t, work, rows, t[e.TAKEN_H], product, lengths, nv)


@native
def positions(t, work):
    """Set q = Ψ(v); return the number of iterations, -1 if they do not converge."""
    nq, q = t[c.NQ], part(t, work, c.Q)
    if t[c.MH] == 0:
        v = part(t, work, e.V_GIVEN)
        for n in range(nq):
            q[n] = v[n]
        return 0
    _predict(t, work)
    step, before, change, factored = part(t, work, c.V), inf, inf, False
    for iteration in range(ITERATIONS):
        size = _lack(t, work)
        if not size < inf:
            return -1
        if size <= ENOUGH or (size <= ACCEPT and size > 0.5 * before):
            return iteration
        if change <= FINEST:  # rows that were left out may still be far off
            return iteration if size <= ROUGH else -1
        if not factored or size > COARSE or size > 0.1 * before:
            if not _slopes(t, work):
                return -1
            factored = True
        _solve(t, work, step)
        change, before = _move(t, work, step), size
    return -1


# --- speeds and accelerations -------------------------------------------------------------


@native
def speeds(t, work):
    """Factorize [C; F] and set u; False if it is singular."""
    taken, nw = t[e.TAKEN], t[e.NW]
    rows, lengths = integers(t[e.ROWS]), doubles(t[e.LENGTH_W])
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    if not _factorize(t, work, rows, taken, doubles(t[e.F]), lengths, nw):
        return False
    right, given = part(t, work, e.K_RIGHT), part(t, work, c.NU_ROW)
    weight, w = doubles(t[c.WEIGHT]), part(t, work, e.W_GIVEN)
    for i in range(taken):
        right[i] = given[rows[i]] * weight[rows[i]]
    for i in range(nw):
        right[taken + i] = w[i] * lengths[i]
    _solve(t, work, part(t, work, c.U))
    return True


@native
def _reduce(t, work):
    """Set T and DRIFT of u̇ = T ẇ + DRIFT."""
    nu, nw, taken, lengths = t[c.NU], t[e.NW], t[e.TAKEN], doubles(t[e.LENGTH_W])
    for i in range(nw):
        _column(t, work, taken, i, lengths[i], at(part(t, work, e.T), i * nu))
    compute(t, work, c.ACCELERATION, c.GAMMA, c.SPARE)
    gamma, weight, rows = part(t, work, c.GAMMA), doubles(t[c.WEIGHT]), integers(t[e.ROWS])
    right = part(t, work, e.K_RIGHT)
    for i in range(taken):
        right[i] = gamma[rows[i]] * weight[rows[i]]
    for i in range(nw):
        right[taken + i] = 0.0
    _solve(t, work, part(t, work, e.DRIFT))


@native
def accelerations(t, work):
    """Set RATE to ẇ; False if Tᵀ A T is not definite."""
    nu, nw = t[c.NU], t[e.NW]
    _reduce(t, work)
    compute(t, work, c.MASS, c.A, c.SPARE)
    compute(t, work, c.FORCE, e.FORCE, c.SPARE)
    a, f, drift = part(t, work, c.A), part(t, work, e.FORCE), part(t, work, e.DRIFT)
    directions, product = part(t, work, e.T), part(t, work, e.AT)
    reduced, rate = part(t, work, e.REDUCED), part(t, work, e.RATE)
    last = whole(t, work, e.RATE_LAST)
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
    if not cholesky(reduced, nw, part(t, work, e.SPARE), last):
        return False
    forward(reduced, last, nw, 0, nw, rate)
    backward(reduced, last, nw, rate)
    return True


# --- the anchor ---------------------------------------------------------------------------


@native
def _growth(t, work):
    """Return the most that a unit of w moves speeds now, against what it did at the base."""
    nu, most, taken = t[c.NU], 0.0, t[e.TAKEN]
    x, speed = part(t, work, e.SPARE), doubles(t[c.SPEED])
    for i in range(t[e.NW]):
        _column(t, work, taken, i, 1.0, x)
        total = 0.0
        for j in range(nu):
            total += x[j] * speed[j] * x[j] * speed[j]
        most = max(most, sqrt(total))
    return most


@native
def anchor(t, work, iterations):
    """Make this the point from which others are sought."""
    nq, nu = t[c.NQ], t[c.NU]
    seen, speed = doubles(t[e.SEEN]), doubles(t[c.SPEED])
    seen[0] = iterations
    seen[1] = _growth(t, work)
    if t[c.MH] == 0:
        return True
    if not _slopes(t, work):
        return False
    q, v = part(t, work, c.Q), part(t, work, e.V_GIVEN)
    near, there, slope = doubles(t[e.ANCHOR_Q]), doubles(t[e.ANCHOR_V]), doubles(t[e.ANCHOR_D])
    x, w, lengths = part(t, work, e.SPARE), part(t, work, c.W), doubles(t[e.LENGTH_V])
    for n in range(nq):
        near[n] = q[n]
    for i in range(t[e.NV]):
        there[i] = v[i]
        _column(t, work, t[e.TAKEN_H], i, lengths[i], x)
        for n in range(nq):
            slope[i * nq + n] = 0.0
        total = 0.0
        for j in range(nu):
            add(at(slope, i * nq), x[j], at(w, j * nq), nq)
            total += x[j] * speed[j] * x[j] * speed[j]
        # Where rows hold speeds only, coordinates have directions of their own.
        seen[1] = max(seen[1], sqrt(total) / max(lengths[i], 1e-300))
    return True
