"""A right-hand side that first brings its argument onto the constraints.

    positions      q ← q + W Δξ,  C Δξ = -Φ with the least Δξᵀ A Δξ; repeated
    speeds         u ← u + Δu,    C Δu = ν - C u with the least Δuᵀ A Δu
    accelerations  C u̇ = γ with the least (u̇ - A⁻¹f)ᵀ A (u̇ - A⁻¹f)       (Gauss)

With A = L Lᵀ, v = Lᵀ u̇ and B = L⁻¹ Cᵀ each is a problem of least length, solved with the
orthogonal factors of B: B Bᵀ is never formed. Rows that repeat others are left out by their
rank. Where the rank falls below what it was elsewhere, combinations of rows that vanish are
replaced by the same combinations of `jerk` rows.

`t` is a table laid out by `bellcrank.integrators.table`, `work` the address of memory.
"""

from math import inf, nan

from bellcrank.integrators import table as c
from bellcrank.integrators.native.factor import (
    add,
    at,
    backward,
    cholesky,
    combine,
    dot,
    forward,
    meet,
    rotate,
    triangularize,
    unrotate,
)
from bellcrank.integrators.native.raw import INTEGERS, call, doubles, intrinsic, native
from numba import types

ITERATIONS = 12
ENOUGH = 2e-14  # scaled residual of positions that needs no further correction
ROUND = 2e-16  # the same where rows are nearly dependent
ACCEPT = 1e-12  # what must be reached
COARSE = 1e-7  # above it, the next correction gets its own factorization
NEARLY = 1e-2  # pivots so small against the largest make rows nearly dependent
CUT_POSITION = 1e-8  # pivots so small against the largest are none, for positions,
CUT = 5e-6  # for speeds and accelerations,
CUT_JERK = 1e-7  # and for jerk rows
CAUTION = 10.0  # off the constraints by Φ, repeated rows seem independent by about Φ


@intrinsic
def integers(typing, address):
    """Return the pointer to integers that an integer holds."""

    def generate(context, builder, signature, args):
        return builder.inttoptr(args[0], context.get_value_type(INTEGERS))

    return INTEGERS(types.int64), generate


@native
def part(t, work, slot):
    """Return a part of the working memory."""
    return doubles(work + 8 * t[slot])


@native
def evaluate(t, work, kernel, first, second):
    """Call a kernel at the point; `first` and `second` are addresses for what it gives."""
    out = integers(work + 8 * t[c.OUT])
    out[0] = first
    out[1] = second
    call(t[kernel], work + 8 * t[c.IN], work + 8 * t[c.OUT], work + 8 * t[c.KERNEL])


@native
def compute(t, work, kernel, first, second):
    """Call a kernel; `first` and `second` are slots."""
    evaluate(t, work, kernel, work + 8 * t[first], work + 8 * t[second])


@native
def load(t, work, inputs):
    """Copy the point to the working memory and point the kernels at it."""
    given, own = integers(inputs), integers(work + 8 * t[c.IN])
    for n in range(7):
        own[n] = given[n]
    own[1] = work + 8 * t[c.Q]
    own[2] = work + 8 * t[c.U]
    q, u, q0, u0 = part(t, work, c.Q), part(t, work, c.U), doubles(given[1]), doubles(given[2])
    for n in range(t[c.NQ]):
        q[n] = q0[n]
    for n in range(t[c.NU]):
        u[n] = u0[n]


# --- the metric and the rows --------------------------------------------------------------


@native
def _penalty(t, work):
    """Return the factor of Cᵀ C that makes it as large as A."""
    nu, m = t[c.NU], t[c.M]
    a, rows, weight = part(t, work, c.A), part(t, work, c.C), doubles(t[c.WEIGHT])
    mass, most = 0.0, 0.0
    for j in range(nu):
        mass = max(mass, a[j * nu + j])
        total = 0.0
        for i in range(m):
            entry = rows[j * m + i] * weight[i]
            total += entry * entry
        most = max(most, total)
    return mass / most if most > 0.0 and mass > 0.0 else 1.0


@native
def metric(t, work):
    """Factorize A. Return 0; or α, if A + α Cᵀ C was taken; or -1, if that fails as well.

    On C u̇ = γ, adding α Cᵀ(C u̇ - γ) to the equations changes nothing, and the least
    corrections are the same in both metrics.
    """
    nu, m = t[c.NU], t[c.M]
    if t[c.SINGULAR_MASS] == 0:
        compute(t, work, c.MASS, c.A, c.SPARE)
        if cholesky(part(t, work, c.A), nu, part(t, work, c.SPARE)):
            return 0.0
    compute(t, work, c.MASS, c.A, c.SPARE)
    a, rows, weight = part(t, work, c.A), part(t, work, c.C), doubles(t[c.WEIGHT])
    alpha = _penalty(t, work)
    for j in range(nu):
        for k in range(j, nu):
            total = 0.0
            for i in range(m):
                total += rows[j * m + i] * rows[k * m + i] * weight[i] * weight[i]
            a[j * nu + k] += alpha * total
    if not cholesky(a, nu, part(t, work, c.SPARE)):
        return -1.0
    t[c.SINGULAR_MASS] = 1
    return alpha


@native
def factorize(t, work, rows, cut):
    """Factorize B = L⁻¹ Cᵀ of the first `rows` rows, scaled; return the rank."""
    nu, m = t[c.NU], t[c.M]
    b, jacobian, weight = part(t, work, c.B), part(t, work, c.C), doubles(t[c.WEIGHT])
    order, lower = integers(work + 8 * t[c.ORDER]), part(t, work, c.A)
    for i in range(rows):
        order[i] = i
        for j in range(nu):
            b[i * nu + j] = jacobian[j * m + i] * weight[i]
        forward(lower, nu, at(b, i * nu))
    tau, lengths = part(t, work, c.TAU), part(t, work, c.LENGTHS)
    return triangularize(b, nu, nu, rows, cut, 0.0, tau, order, lengths)


@native
def correction(t, work, rank):
    """Set V to the least change of speeds that gives the rows RIGHT, already scaled."""
    nu, b, v = t[c.NU], part(t, work, c.B), part(t, work, c.V)
    order = integers(work + 8 * t[c.ORDER])
    meet(b, nu, rank, order, part(t, work, c.RIGHT), v)
    for j in range(rank, nu):
        v[j] = 0.0
    unrotate(b, nu, nu, rank, part(t, work, c.TAU), v)
    backward(part(t, work, c.A), nu, v)


# --- positions ----------------------------------------------------------------------------


@native
def _residual(t, work):
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
    """Set q = q + W V, back on the invariants of the coordinates."""
    nq, nu = t[c.NQ], t[c.NU]
    q, w, v = part(t, work, c.Q), part(t, work, c.W), part(t, work, c.V)
    for j in range(nu):
        add(q, v[j], at(w, j * nq), nq)
    if t[c.NORMALIZE] != 0:
        compute(t, work, c.NORMALIZE, c.Q_NEXT, c.SPARE)
        new = part(t, work, c.Q_NEXT)
        for n in range(nq):
            q[n] = new[n]


@native
def _slopes(t, work, size):
    """Evaluate and factorize the position rows; return the rank."""
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    if metric(t, work) < 0.0:
        return -1
    rank = factorize(t, work, t[c.MH], max(CUT_POSITION, CAUTION * size))
    t[c.RANK_H] = max(t[c.RANK_H], rank)
    return rank


@native
def _nearly(t, work, rank):
    """Say whether the position rows are nearly dependent."""
    if rank == 0:
        return False
    nu, b = t[c.NU], part(t, work, c.B)
    last = rank - 1
    return rank < t[c.RANK_H] or abs(b[last * nu + last]) < NEARLY * abs(b[0])


@native
def bring(t, work):
    """Bring q onto Φ = 0; False if that fails."""
    if t[c.MH] == 0:
        return True
    before, rank, weak, size = inf, -1, False, 0.0
    for _ in range(ITERATIONS):
        size = _residual(t, work)
        if not size < inf:
            return False
        if size <= ROUND or (size <= ENOUGH and not weak):
            return True
        if size <= ACCEPT and size > 0.5 * before:
            return True
        if rank < 0 or weak or size > COARSE or size > 0.1 * before:
            rank = _slopes(t, work, size)
            if rank < 0:
                return False
            weak = _nearly(t, work, rank)
        correction(t, work, rank)
        _move(t, work)
        before = size
    return size <= ACCEPT


# --- speeds and accelerations -------------------------------------------------------------


@native
def _speeds(t, work, rank):
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
def _supplied(t, work, rank):
    """Make the rows G z = G_RIGHT that jerk supplies; return the size of jerk rows.

    Row j left out is the combination x of rows taken, so that cⱼ - Σ xᵢ cᵢ vanishes. The same
    combination of D u̇ = d - C ü is free of ü. G holds them as B does, rotated by Q.
    """
    nu, m = t[c.NU], t[c.M]
    compute(t, work, c.JERK, c.D, c.D_RIGHT)
    b, d, given = part(t, work, c.B), part(t, work, c.D), part(t, work, c.D_RIGHT)
    g, right, weight = part(t, work, c.G), part(t, work, c.G_RIGHT), doubles(t[c.WEIGHT])
    order, mix = integers(work + 8 * t[c.ORDER]), part(t, work, c.MIX)
    lower, size = part(t, work, c.A), 0.0
    for column in range(m):
        row = order[column]
        y = at(g, max(column - rank, 0) * nu)
        for j in range(nu):
            y[j] = d[j * m + row] * weight[row]
        value = given[row] * weight[row]
        forward(lower, nu, y)
        size = max(size, dot(y, y, nu) ** 0.5)
        if column < rank:
            continue
        combine(b, nu, rank, column, mix)
        for j in range(nu):
            y[j] = d[j * m + row] * weight[row]
        for i in range(rank):
            other = order[i]
            factor = mix[i] * weight[other]
            value -= factor * given[other]
            for j in range(nu):
                y[j] -= factor * d[j * m + other]
        forward(lower, nu, y)
        rotate(b, nu, nu, rank, part(t, work, c.TAU), y)
        right[column - rank] = value
    return size


@native
def _by_jerk(t, work, rank):
    """Correct V, rotated, so that it meets the rows that jerk supplies; return their rank."""
    nu, left = t[c.NU], t[c.M] - rank
    size = _supplied(t, work, rank)
    g, right, v = part(t, work, c.G), part(t, work, c.G_RIGHT), part(t, work, c.V)
    tau, order = part(t, work, c.G_TAU), integers(work + 8 * t[c.G_ORDER])
    for column in range(left):
        order[column] = column
        right[column] -= dot(at(g, column * nu), v, nu)
    tail, spare = at(g, rank), part(t, work, c.SPARE)
    lengths = part(t, work, c.LENGTHS)
    gained = triangularize(
        tail, nu, nu - rank, left, CUT_JERK, CUT_JERK * size, tau, order, lengths
    )
    meet(tail, nu, gained, order, right, spare)
    for j in range(gained, nu - rank):
        spare[j] = 0.0
    unrotate(tail, nu, nu - rank, gained, tau, spare)
    add(at(v, rank), 1.0, spare, nu - rank)
    return gained


@native
def _accelerations(t, work, rank, alpha):
    """Set V to u̇."""
    nu, m = t[c.NU], t[c.M]
    compute(t, work, c.FORCE, c.V, c.SPARE)
    compute(t, work, c.ACCELERATION, c.GAMMA, c.SPARE)
    b, v, tau = part(t, work, c.B), part(t, work, c.V), part(t, work, c.TAU)
    gamma, right = part(t, work, c.GAMMA), part(t, work, c.RIGHT)
    weight, rows = doubles(t[c.WEIGHT]), part(t, work, c.C)
    for i in range(m):
        right[i] = gamma[i] * weight[i]
    if alpha > 0.0:
        for j in range(nu):
            for i in range(m):
                v[j] += alpha * rows[j * m + i] * weight[i] * right[i]
    forward(part(t, work, c.A), nu, v)
    rotate(b, nu, nu, rank, tau, v)
    meet(b, nu, rank, integers(work + 8 * t[c.ORDER]), right, v)
    if rank < t[c.RANK] or t[c.RANK] < 0:
        if t[c.JERK] != 0 and rank < m and rank < nu:
            t[c.RANK] = max(t[c.RANK], rank + _by_jerk(t, work, rank))
    t[c.RANK] = max(t[c.RANK], rank)
    unrotate(b, nu, nu, rank, tau, v)
    backward(part(t, work, c.A), nu, v)


@native
def _ready(t, work, inputs):
    """Bring q and u onto the constraints; return α of `metric`, or -1 if that fails."""
    load(t, work, inputs)
    if not bring(t, work):
        return -1.0, 0
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    alpha = metric(t, work)
    if alpha < 0.0:
        return -1.0, 0
    rank = factorize(t, work, t[c.M], CUT)
    _speeds(t, work, rank)
    return alpha, rank


@native
def _derivatives(t, work, out, rank, alpha):
    """Write q̇ = W u + x, u̇ and ṡ."""
    nq, nu = t[c.NQ], t[c.NU]
    _accelerations(t, work, rank, alpha)
    qd, ud, v = doubles(out[0]), doubles(out[1]), part(t, work, c.V)
    w, x, u = part(t, work, c.W), part(t, work, c.X), part(t, work, c.U)
    for n in range(nq):
        qd[n] = x[n]
    for j in range(nu):
        ud[j] = v[j]
        add(qd, u[j], at(w, j * nq), nq)
    if t[c.AUXILIARY] != 0:
        evaluate(t, work, c.AUXILIARY, out[2], work + 8 * t[c.SPARE])


def project(inputs, outputs, work, table, derivatives):
    """Write q̇, u̇, ṡ at the point brought onto the constraints, or that point's q and u.

    All that cannot be brought there is not-a-number.

    Args:
        inputs: Address of seven addresses: t, q, u, s, w, p, k.
        outputs: Address of three or two addresses.
        work: Address of the working memory.
        table: Address of the table.
        derivatives: 1 for derivatives, 0 for the point.
    """
    t, out = integers(table), integers(outputs)
    alpha, rank = _ready(t, work, inputs)
    if alpha >= 0.0:
        if derivatives != 0:
            _derivatives(t, work, out, rank, alpha)
            return
        q, u, first, second = (
            part(t, work, c.Q),
            part(t, work, c.U),
            doubles(out[0]),
            doubles(out[1]),
        )
        for n in range(t[c.NQ]):
            first[n] = q[n]
        for n in range(t[c.NU]):
            second[n] = u[n]
        return
    first, second = doubles(out[0]), doubles(out[1])
    for n in range(t[c.NQ]):
        first[n] = nan
    for n in range(t[c.NU]):
        second[n] = nan
    if derivatives != 0:
        third = doubles(out[2])
        for n in range(t[c.NS]):
            third[n] = nan
