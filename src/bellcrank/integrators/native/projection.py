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

from numba import types

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

ITERATIONS = 12
ENOUGH = 2e-14  # scaled residual of positions that needs no further correction
ROUND = 2e-16  # the same where rows are nearly dependent
ACCEPT = 1e-12  # what must be reached, unless
FINEST = 1e-15  # the last correction was so small against q
COARSE = 1e-7  # above it, the next correction gets its own factorization
NEARLY = 0.05  # pivots so small against the largest make rows nearly dependent
STRONG = 1e-2  # pivots that are corrected after interpolation
CUT_POSITION = 1e-8  # pivots so small against the largest are none, for positions,
CUT = 5e-6  # for speeds and accelerations,
CUT_JERK = 1e-7  # and for jerk rows
WATCH = 2e-3  # pivots so small make it better to look at points beside
ASIDE = 0.015  # how far beside, in nominal units of the coordinates
SLOW = 1e-9  # nominal speed below which nothing moves
SOON = 0.05  # the longest time to look ahead where constraints depend on time [s]
CAUTION = 10.0  # pivots must exceed the distance from the constraints by this factor,
FAR = 0.1  # but need not exceed this

FINE, WEAK, FAILED = 0, 1, 2


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
    own[0] = work + 8 * t[c.CLOCK]
    own[1] = work + 8 * t[c.Q]
    own[2] = work + 8 * t[c.U]
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    part(t, work, c.CLOCK)[0] = part(t, work, c.T_GIVEN)[0] = time[0]
    own_q, keep_q = part(t, work, c.Q), part(t, work, c.Q_GIVEN)
    own_u, keep_u = part(t, work, c.U), part(t, work, c.U_GIVEN)
    for n in range(t[c.NQ]):
        own_q[n] = keep_q[n] = q[n]
    for n in range(t[c.NU]):
        own_u[n] = keep_u[n] = u[n]


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
def _normalize(t, work):
    """Bring q back onto the invariants of the coordinates."""
    if t[c.NORMALIZE] != 0:
        compute(t, work, c.NORMALIZE, c.Q_NEXT, c.SPARE)
        q, new = part(t, work, c.Q), part(t, work, c.Q_NEXT)
        for n in range(t[c.NQ]):
            q[n] = new[n]


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
    _normalize(t, work)
    return change / size if size > 0.0 else inf


@native
def _reach(t, work):
    """Return the largest scaled entry of C: what the residual owes to a nominal change."""
    nu, m, mh = t[c.NU], t[c.M], t[c.MH]
    rows, weight, speed = part(t, work, c.C), doubles(t[c.WEIGHT]), doubles(t[c.SPEED])
    most = 0.0
    for j in range(nu):
        for i in range(mh):
            most = max(most, abs(rows[j * m + i]) * weight[i] / speed[j])
    return most


@native
def _slopes(t, work, size, cut, fresh):
    """Evaluate and factorize the position rows; return the rank, -1 if that fails.

    Off the constraints, rows that repeat others seem independent by about the distance.
    """
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    if fresh and metric(t, work) < 0.0:
        return -1
    distance = min(CAUTION * size / max(_reach(t, work), 1e-300), FAR)
    rank = factorize(t, work, t[c.MH], max(cut, distance))
    nu, b, sure = t[c.NU], part(t, work, c.B), 0
    while sure < rank and abs(b[sure * (nu + 1)]) > max(STRONG, 10.0 * distance) * abs(b[0]):
        sure += 1
    t[c.RANK_H] = max(t[c.RANK_H], sure)
    return rank


@native
def _independence(t, work, rank, known):
    """Return the smallest pivot over the largest; 0 where there are fewer than usual."""
    if rank < known:
        return 0.0
    if rank == 0:
        return 1.0
    nu, b = t[c.NU], part(t, work, c.B)
    return abs(b[(rank - 1) * (nu + 1)] / b[0])


@native
def bring(t, work, cut, watchful):
    """Bring q onto Φ = 0; return `FINE` or `FAILED`.

    If `watchful`, leave q alone and return `WEAK` where rows are close to dependent.
    """
    if t[c.MH] == 0:
        return FINE
    before, rank, weak, size, change = inf, -1, False, 0.0, inf
    for _ in range(ITERATIONS):
        size = _residual(t, work)
        if not size < inf:
            return FAILED
        if size <= ROUND or (size <= ENOUGH and not weak):
            return FINE
        if size > 0.5 * before and (size <= ACCEPT or (change <= FINEST and size < COARSE)):
            return FINE
        if rank < 0 or weak or size > COARSE or size > 0.1 * before:
            rank = _slopes(t, work, size, cut, rank < 0)
            if rank < 0:
                return FAILED
            ratio = _independence(t, work, rank, t[c.RANK_H])
            if watchful and ratio < WATCH:
                return WEAK
            weak = ratio < NEARLY
        correction(t, work, rank)
        change = _move(t, work)
        before = size
    return FINE if size <= ACCEPT else FAILED


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
    """Correct V, rotated, so that it meets the rows that jerk supplies."""
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
    if rank < t[c.RANK] and t[c.JERK] != 0:
        _by_jerk(t, work, rank)
    unrotate(b, nu, nu, rank, tau, v)
    backward(part(t, work, c.A), nu, v)


# --- the point, and points beside it ------------------------------------------------------


@native
def settle(t, work, cut_position, cut, watchful):
    """Bring q and u onto the constraints and factorize there.

    Returns:
        How it went (`FINE`, `WEAK`, `FAILED`), α of `metric`, rank.
    """
    _normalize(t, work)
    verdict = bring(t, work, cut_position, watchful)
    if verdict != FINE:
        return verdict, 0.0, 0
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    alpha = metric(t, work)
    if alpha < 0.0:
        return FAILED, alpha, 0
    rank = factorize(t, work, t[c.M], cut)
    t[c.RANK] = max(t[c.RANK], rank)
    if watchful and _independence(t, work, rank, t[c.RANK]) < WATCH:
        return WEAK, alpha, rank
    _speeds(t, work, rank)
    return FINE, alpha, rank


@native
def evaluate_there(t, work, derivatives):
    """Bring the point onto the constraints as it is; set V = u̇ and S_RATE = ṡ."""
    verdict, alpha, rank = settle(t, work, CUT_POSITION, CUT, False)
    if verdict == FINE and derivatives != 0:
        _accelerations(t, work, rank, alpha)
        if t[c.AUXILIARY] != 0:
            compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    return verdict == FINE, _independence(t, work, rank, t[c.RANK])


@native
def _direction(t, work):
    """Set AWAY = q̇ and return the time in which that leads away from here, or 0.

    Time itself goes on only where the constraints depend on it.
    """
    nq, nu, m = t[c.NQ], t[c.NU], t[c.M]
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    u, w, x = part(t, work, c.U), part(t, work, c.W), part(t, work, c.X)
    away, given, scale = part(t, work, c.AWAY), part(t, work, c.NU_ROW), doubles(t[c.SPEED])
    moving, speed = 0.0, 0.0
    for n in range(nq):
        away[n] = x[n]
        moving = max(moving, abs(x[n]))
    for i in range(m):
        moving = max(moving, abs(given[i]))
    for j in range(nu):
        add(away, u[j], at(w, j * nq), nq)
        speed = max(speed, abs(u[j]) * scale[j])
    if not speed > SLOW:
        return 0.0, 0.0
    time = ASIDE / speed
    if moving > 0.0:
        return (time, time) if time < SOON else (0.0, 0.0)
    return time, 0.0


@native
def _place(t, work, shift, clock):
    """Go to the point beside the given one."""
    q, u, q0, u0 = (
        part(t, work, c.Q),
        part(t, work, c.U),
        part(t, work, c.Q_GIVEN),
        part(t, work, c.U_GIVEN),
    )
    away = part(t, work, c.AWAY)
    for n in range(t[c.NQ]):
        q[n] = q0[n] + shift * away[n]
    for j in range(t[c.NU]):
        u[j] = u0[j]
    part(t, work, c.CLOCK)[0] = part(t, work, c.T_GIVEN)[0] + clock


@native
def _gather(t, work, weight, first):
    """Add what was found at a point to the sums SUM = [q, u, u̇, ṡ]."""
    total, base = part(t, work, c.SUM), 0
    for number in range(4):
        if number == 0:
            size, slot = t[c.NQ], c.Q
        elif number == 1:
            size, slot = t[c.NU], c.U
        elif number == 2:
            size, slot = t[c.NU], c.V
        else:
            size, slot = t[c.NS], c.S_RATE
        found = part(t, work, slot)
        for n in range(size):
            before = 0.0 if first else total[base + n]
            total[base + n] = before + weight * found[n]
        base += size


@native
def _scatter(t, work):
    """Take the point and its derivatives from the sums."""
    total, nq, nu = part(t, work, c.SUM), t[c.NQ], t[c.NU]
    q, u, v, rate = (
        part(t, work, c.Q),
        part(t, work, c.U),
        part(t, work, c.V),
        part(t, work, c.S_RATE),
    )
    for n in range(nq):
        q[n] = total[n]
    for j in range(nu):
        u[j] = total[nq + j]
        v[j] = total[nq + nu + j]
    for n in range(t[c.NS]):
        rate[n] = total[nq + 2 * nu + n]


@native
def evaluate_beside(t, work, derivatives):
    """Find q, u and u̇ of a point close to a singular one from points beside it.

    Along q + τ q̇ brought onto the constraints, q, u and u̇ are smooth functions of τ. Where
    rows are nearly dependent they are known badly, at a distance d with errors ε/d, ε/d²
    and ε/d³; six points on both sides give them by interpolation. False if that cannot be
    done.
    """
    time, clock = _direction(t, work)
    if time == 0.0:
        return False
    for number in range(6):
        step = number // 2 + 1.0
        weight = 0.75 if number < 2 else (-0.3 if number < 4 else 0.05)
        if number % 2 != 0:
            step = -step
        _place(t, work, step * time, step * clock)
        good, ratio = evaluate_there(t, work, derivatives)
        if not good or ratio < WATCH:
            _place(t, work, 0.0, 0.0)
            return False
        _gather(t, work, weight, number == 0)
    _place(t, work, 0.0, 0.0)
    _scatter(t, work)
    part(t, work, c.CLOCK)[0] = part(t, work, c.T_GIVEN)[0]
    v, saved = part(t, work, c.V), part(t, work, c.SUM)
    verdict, _, _ = settle(t, work, STRONG, STRONG, False)
    for j in range(t[c.NU]):
        v[j] = saved[t[c.NQ] + t[c.NU] + j]
    return verdict == FINE


@native
def _learn(t, work):
    """Find out how many rows are independent beside the point, the first time."""
    time, clock = _direction(t, work)
    _place(t, work, time, clock)
    settle(t, work, CUT_POSITION, CUT, False)
    _place(t, work, 0.0, 0.0)


@native
def _evaluate(t, work, derivatives):
    """Bring the point onto the constraints; set V = u̇ and S_RATE = ṡ; False if it fails."""
    if t[c.RANK] < 0:
        _learn(t, work)
    verdict, alpha, rank = settle(t, work, CUT_POSITION, CUT, True)
    if verdict == WEAK:
        if evaluate_beside(t, work, derivatives):
            return True
        good, _ = evaluate_there(t, work, derivatives)
        return good
    if verdict == FINE and derivatives != 0:
        _accelerations(t, work, rank, alpha)
        if t[c.AUXILIARY] != 0:
            compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    return verdict == FINE


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


@native
def _rates(t, work):
    """Set Q = W u + x."""
    nq, q, u = t[c.NQ], part(t, work, c.Q), part(t, work, c.U)
    w, x = part(t, work, c.W), part(t, work, c.X)
    for n in range(nq):
        q[n] = x[n]
    for j in range(t[c.NU]):
        add(q, u[j], at(w, j * nq), nq)


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
    load(t, work, inputs)
    good = _evaluate(t, work, derivatives)
    if derivatives != 0:
        _rates(t, work)
        _write(out[1], part(t, work, c.V), t[c.NU], good)
        _write(out[2], part(t, work, c.S_RATE), t[c.NS], good)
    else:
        _write(out[1], part(t, work, c.U), t[c.NU], good)
    _write(out[0], part(t, work, c.Q), t[c.NQ], good)
