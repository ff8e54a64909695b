"""The mass metric, and the rows of constraints factorized in it.

With A = L Lᵀ, v = Lᵀ u and B = L⁻¹ Cᵀ, the least uᵀ A u with C u = r is the shortest v with
Bᵀ v = r. B = Q R gives it without B Bᵀ, which is never formed.
"""

from bellcrank.constraints import table as c
from bellcrank.constraints.native.machine import compute, integers, part, whole
from bellcrank.linear.native.factor import (
    at,
    backward,
    cholesky,
    forward,
    growth,
    meet,
    stairs,
    triangularize,
    unrotate,
)
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import FLOOR, WATCH

CLEAR = 1e-5  # without pivoting, pivots must be larger than that against the longest column


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
def _ordered(t, work):
    """Set L to the lower triangle of A, speeds in their order, and L_LAST to its ends."""
    nu, speed = t[c.NU], integers(t[c.SPEED_ORDER])
    a, lower, last = part(t, work, c.A), part(t, work, c.L), whole(t, work, c.L_LAST)
    for j in range(nu):
        column, end = at(a, speed[j] * nu), j + 1
        for k in range(j, nu):
            entry = column[speed[k]]
            lower[j * nu + k] = entry
            if entry != 0.0:
                end = k + 1
        last[j] = end


@native
def metric(t, work):
    """Factorize A. Return 0; or α, if A + α Cᵀ C was taken; or -1, if that fails as well.

    On C u̇ = γ, adding α Cᵀ(C u̇ - γ) to the equations changes nothing, and the least
    corrections are the same in both metrics.
    """
    nu, m = t[c.NU], t[c.M]
    compute(t, work, c.MASS, c.A, c.SPARE)
    lower, last, spare = part(t, work, c.L), whole(t, work, c.L_LAST), part(t, work, c.SPARE)
    if t[c.SINGULAR_MASS] == 0:
        _ordered(t, work)
        if cholesky(lower, nu, spare, last):
            return 0.0
    a, rows, weight = part(t, work, c.A), part(t, work, c.C), doubles(t[c.WEIGHT])
    alpha = _penalty(t, work)
    for j in range(nu):
        for k in range(nu):
            total = 0.0
            for i in range(m):
                total += rows[j * m + i] * rows[k * m + i] * weight[i] * weight[i]
            a[j * nu + k] += alpha * total
    _ordered(t, work)
    if not cholesky(lower, nu, spare, last):
        return -1.0
    t[c.SINGULAR_MASS] = 1
    return alpha


@native
def _columns(t, work, rows):
    """Give each of the first `rows` rows its column of B."""
    order, column = whole(t, work, c.ORDER), whole(t, work, c.COLUMN)
    given, number = integers(t[c.ROW_ORDER]), 0
    for n in range(t[c.M]):
        row = given[n]
        if row < rows:
            order[number], column[row] = row, number
            number += 1


@native
def fill(t, work, rows):
    """Set B = L⁻¹ Cᵀ of the first `rows` rows, scaled; return the largest scaled entry of C.

    That is what a residual owes to a nominal change of a coordinate.
    """
    nu, m, most = t[c.NU], t[c.M], 0.0
    b, jacobian = part(t, work, c.B), part(t, work, c.C)
    weight, size, speed = doubles(t[c.WEIGHT]), doubles(t[c.SPEED]), integers(t[c.SPEED_ORDER])
    first, last = whole(t, work, c.B_FIRST), whole(t, work, c.B_LAST)
    column = whole(t, work, c.COLUMN)
    _columns(t, work, rows)
    for n in range(rows * nu):
        b[n] = 0.0
    for i in range(rows):
        first[i], last[i] = nu, 0
    for place in range(nu):
        j = speed[place]
        for i in range(rows):
            entry = jacobian[j * m + i]
            if entry != 0.0:
                entry *= weight[i]
                number = column[i]
                b[number * nu + place] = entry
                first[number] = min(first[number], place)
                last[number] = place + 1
                most = max(most, abs(entry) / size[j])
    lower, ends = part(t, work, c.L), whole(t, work, c.L_LAST)
    for i in range(rows):
        first[i] = min(first[i], last[i])
        last[i] = forward(lower, ends, nu, first[i], last[i], at(b, i * nu))
    return most


@native
def _least(t, work):
    """Return the length of columns of B that are nothing: the floor of `linear.rank`.

    A row with entries 1 / nominal speed is about as long as the largest of 1 / (nominal speed
    Lⱼⱼ). Measured against it, what round-off leaves of a row that cancels is nothing, also
    where there is no other row to measure it against.
    """
    nu, lower, natural = t[c.NU], part(t, work, c.L), 0.0
    size, speed = doubles(t[c.SPEED]), integers(t[c.SPEED_ORDER])
    for place in range(nu):
        natural = max(natural, lower[place * (nu + 1)] * size[speed[place]])
    return FLOOR * natural


@native
def _unpivoted(t, work, rows, cut, known, best):
    """Factorize B, just filled, in the order it has; -1 if that is not clearly good enough."""
    nu, b, first = t[c.NU], part(t, work, c.B), whole(t, work, c.B_FIRST)
    tau, order, last = part(t, work, c.TAU), whole(t, work, c.ORDER), whole(t, work, c.B_LAST)
    lengths, ratio = part(t, work, c.LENGTHS), part(t, work, c.RATIO)
    clear = max(CLEAR, cut)
    least = _least(t, work)
    rank = stairs(b, nu, nu, rows, clear, least, tau, order, first, last, lengths)
    if rank < known:
        return -1
    if rank == 0:
        ratio[0] = 1.0
        return 0
    most = 0.0
    for j in range(rank):
        most = max(most, abs(b[j * (nu + 1)]))
    ratio[0] = 1.0 / (most * growth(b, nu, rank, first, part(t, work, c.Z)))
    return rank if ratio[0] > max(WATCH * best, clear) else -1


@native
def _pivoted(t, work, rows, cut):
    """Factorize B, just filled, the longest column first."""
    nu, b, first = t[c.NU], part(t, work, c.B), whole(t, work, c.B_FIRST)
    tau, order, last = part(t, work, c.TAU), whole(t, work, c.ORDER), whole(t, work, c.B_LAST)
    lengths = part(t, work, c.LENGTHS)
    rank = triangularize(b, nu, nu, rows, cut, _least(t, work), tau, order, lengths)
    for i in range(rows):
        first[i], last[i] = 0, nu
    part(t, work, c.RATIO)[0] = abs(b[(rank - 1) * (nu + 1)] / b[0]) if rank > 0 else 1.0
    return rank


@native
def factorize(t, work, rows, cut, known, best):
    """Factorize B, just filled; set RATIO, 0 if there are fewer pivots than usual.

    Args:
        t: The table.
        work: The working memory.
        rows: Columns of B.
        cut: Pivots so small against the largest are none.
        known: The usual rank; negative if it is unknown.
        best: The largest RATIO seen.

    Returns:
        The rank.
    """
    rank = -1
    if known >= 0:
        rank = _unpivoted(t, work, rows, cut, known, best)
        if rank < 0:
            fill(t, work, rows)
    if rank < 0:
        rank = _pivoted(t, work, rows, cut)
        if rank < known:
            part(t, work, c.RATIO)[0] = 0.0
    return rank


@native
def restore(t, work):
    """Set V = L⁻ᵀ Z, speeds in their own order again."""
    nu, z, v = t[c.NU], part(t, work, c.Z), part(t, work, c.V)
    speed = integers(t[c.SPEED_ORDER])
    backward(part(t, work, c.L), whole(t, work, c.L_LAST), nu, z)
    for place in range(nu):
        v[speed[place]] = z[place]


@native
def correction(t, work, rank):
    """Set V to the least change of speeds that gives the rows RIGHT, already scaled."""
    nu, b, z = t[c.NU], part(t, work, c.B), part(t, work, c.Z)
    first, last = whole(t, work, c.B_FIRST), whole(t, work, c.B_LAST)
    meet(b, nu, rank, whole(t, work, c.ORDER), first, part(t, work, c.RIGHT), z)
    for j in range(rank, nu):
        z[j] = 0.0
    unrotate(b, nu, rank, last, part(t, work, c.TAU), z)
    restore(t, work)
