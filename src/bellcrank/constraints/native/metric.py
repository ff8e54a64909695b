"""The mass metric, and the rows of constraints factorized in it.

With A = L Lᵀ, v = Lᵀ u and B = L⁻¹ Cᵀ, the least uᵀ A u with C u = r is the shortest v with
Bᵀ v = r. B = Q R gives it without B Bᵀ, which is never formed.
"""

from math import inf

from bellcrank.constraints.native.machine import compute, integers, part, whole
from bellcrank.linear.native.factor import (
    at,
    backward,
    cholesky,
    forward,
    growth,
    meet,
    nothing,
    stairs,
    triangularize,
    unrotate,
    wipe,
)
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import FLOOR, WATCH

MASSLESS = 1e-14  # of the largest inertia: what rounding leaves of moments that cancel
BLOCK = 16  # rows that are looked at together, most of which are zero
LONG = 64  # in machines of so many
CLEAR = 1e-5  # without pivoting, pivots must be larger than that against the longest column


@native
def _penalty(table, work):
    """Return tr A / tr Cᵀ C, rows scaled: `gauss.weight_of_rows`."""
    nu, m = table.nu, table.m
    a, rows, weight = part(work, table.a), part(work, table.c), doubles(table.weight)
    inertia, square = 0.0, 0.0
    for j in range(nu):
        inertia += a[j * nu + j]
        for i in range(m):
            entry = rows[j * m + i] * weight[i]
            square += entry * entry
    return inertia / square if square > 0.0 and inertia > 0.0 else 1.0


@native
def _ordered(table, work):
    """Set L to the lower triangle of A, speeds in their order, and L_LAST to its ends."""
    nu, speed = table.nu, integers(table.speed_order)
    a, lower, last = part(work, table.a), part(work, table.l), whole(work, table.l_last)
    for j in range(nu):
        column, end = at(a, speed[j] * nu), j + 1
        for k in range(j, nu):
            entry = column[speed[k]]
            lower[j * nu + k] = entry
            if entry != 0.0:
                end = k + 1
        last[j] = end


@native
def _massive(table, work):
    """Return whether all inertias are more than rounding, speeds in nominal sizes.

    Points and vectors of a flat body have a moment of zero, ½ (Jx + Jy - Jz).
    """
    nu, a, speed = table.nu, part(work, table.a), doubles(table.speed)
    least, most = inf, 0.0
    for j in range(nu):
        own = a[j * nu + j] / (speed[j] * speed[j])
        least, most = min(least, own), max(most, own)
    return least > MASSLESS * most


@native
def metric(table, work):
    """Factorize A. Return 0; or α, if A + α Cᵀ C was taken; or -1, if that fails as well.

    On C u̇ = γ, adding α Cᵀ(C u̇ - γ) to the equations changes nothing, and the least
    corrections are the same in both metrics.
    """
    nu, m = table.nu, table.m
    compute(table, work, table.mass, table.a, table.spare)
    lower, last, spare = part(work, table.l), whole(work, table.l_last), part(work, table.spare)
    if table.singular_mass == 0:
        _ordered(table, work)
        if _massive(table, work) and cholesky(lower, nu, spare, last):
            return 0.0
    a, rows, weight = part(work, table.a), part(work, table.c), doubles(table.weight)
    alpha = _penalty(table, work)
    for j in range(nu):
        for k in range(nu):
            total = 0.0
            for i in range(m):
                total += rows[j * m + i] * rows[k * m + i] * weight[i] * weight[i]
            a[j * nu + k] += alpha * total
    _ordered(table, work)
    if not cholesky(lower, nu, spare, last):
        return -1.0
    table.singular_mass = 1
    return alpha


@native
def _columns(table, work, rows):
    """Give each of the first `rows` rows its column of B."""
    order, column = whole(work, table.order), whole(work, table.column)
    given, number = integers(table.row_order), 0
    for n in range(table.m):
        row = given[n]
        if row < rows:
            order[number], column[row] = row, number
            number += 1


@native
def fill(table, work, rows):
    """Set B = L⁻¹ Cᵀ of the first `rows` rows, scaled; return the largest scaled entry of C.

    The latter is what a residual owes to a nominal change of a coordinate. Columns that are
    zero end where they begin and are not written.
    """
    nu, m, most = table.nu, table.m, 0.0
    b, jacobian = part(work, table.b), part(work, table.c)
    weight, size, speed = (
        doubles(table.weight),
        doubles(table.speed),
        integers(table.speed_order),
    )
    first, last = whole(work, table.b_first), whole(work, table.b_last)
    column = whole(work, table.column)
    _columns(table, work, rows)
    for i in range(rows):
        first[i], last[i] = nu, 0
    for place in range(nu):
        j = speed[place]
        for start in range(0, rows, BLOCK):
            end = min(start + BLOCK, rows)
            if rows > LONG and nothing(at(jacobian, j * m + start), end - start):
                continue
            for i in range(start, end):
                entry = jacobian[j * m + i]
                if entry != 0.0:
                    entry *= weight[i]
                    number = column[i]
                    if last[number] == 0:
                        wipe(at(b, number * nu), nu)
                    b[number * nu + place] = entry
                    first[number] = min(first[number], place)
                    last[number] = place + 1
                    most = max(most, abs(entry) / size[j])
    lower, ends = part(work, table.l), whole(work, table.l_last)
    for i in range(rows):
        if last[i] == 0:
            first[i] = 0
            continue
        last[i] = forward(lower, ends, nu, first[i], last[i], at(b, i * nu))
    return most


@native
def natural_length(table, work):
    """Return how long a row with entries 1 / nominal speed may be, as a column of B.

    That is about the largest of 1 / (nominal speed Lⱼⱼ).
    """
    nu, lower, natural = table.nu, part(work, table.l), 0.0
    size, speed = doubles(table.speed), integers(table.speed_order)
    for place in range(nu):
        natural = max(natural, lower[place * (nu + 1)] * size[speed[place]])
    return natural


@native
def _least(table, work):
    """Return the length of columns of B that are nothing: the floor of `linear.rank`.

    Measured against their natural length, what round-off leaves of a row that cancels is
    nothing, also where there is no other row to measure it against.
    """
    return FLOOR * natural_length(table, work)


@native
def _unpivoted(table, work, rows, cut, known, best):
    """Factorize B, just filled, in the order it has; -1 if that is not clearly good enough."""
    nu, b, first = table.nu, part(work, table.b), whole(work, table.b_first)
    tau, order, last = (
        part(work, table.tau),
        whole(work, table.order),
        whole(work, table.b_last),
    )
    lengths, ratio = part(work, table.lengths), part(work, table.ratio)
    clear = max(CLEAR, cut)
    least = _least(table, work)
    rank = stairs(b, nu, nu, rows, clear, least, tau, order, first, last, lengths)
    if rank < known:
        return -1
    if rank == 0:
        ratio[0] = 1.0
        return 0
    most = 0.0
    for j in range(rank):
        most = max(most, abs(b[j * (nu + 1)]))
    ratio[0] = 1.0 / (most * growth(b, nu, rank, first, part(work, table.z)))
    return rank if ratio[0] > max(WATCH * best, clear) else -1


@native
def _pivoted(table, work, rows, cut):
    """Factorize B, just filled, the longest column first."""
    nu, b, first = table.nu, part(work, table.b), whole(work, table.b_first)
    tau, order, last = (
        part(work, table.tau),
        whole(work, table.order),
        whole(work, table.b_last),
    )
    lengths = part(work, table.lengths)
    for i in range(rows):
        if last[i] == 0:
            wipe(at(b, i * nu), nu)
    rank = triangularize(b, nu, nu, rows, cut, _least(table, work), tau, order, lengths)
    for i in range(rows):
        first[i], last[i] = 0, nu
    part(work, table.ratio)[0] = abs(b[(rank - 1) * (nu + 1)] / b[0]) if rank > 0 else 1.0
    return rank


@native
def factorize(table, work, rows, cut, known, best):
    """Factorize B, just filled; set RATIO, 0 if there are fewer pivots than usual.

    Args:
        table: The table.
        work: The working memory.
        rows: Columns of B.
        cut: Pivots so small against the largest are none.
        known: The usual rank; negative if it is unknown.
        best: The largest RATIO seen, if it matters whether one is close to a singular position;
            else 0.

    Returns:
        The rank.
    """
    rank = -1
    if known >= 0:
        rank = _unpivoted(table, work, rows, cut, known, best)
        if rank < 0:
            fill(table, work, rows)
    if rank < 0:
        rank = _pivoted(table, work, rows, cut)
        if rank < known:
            part(work, table.ratio)[0] = 0.0
    return rank


@native
def restore(table, work):
    """Set V = L⁻ᵀ Z, speeds in their own order again."""
    nu, z, v = table.nu, part(work, table.z), part(work, table.v)
    speed = integers(table.speed_order)
    backward(part(work, table.l), whole(work, table.l_last), nu, z)
    for place in range(nu):
        v[speed[place]] = z[place]


@native
def correction(table, work, rank):
    """Set V to the least change of speeds that gives the rows RIGHT, already scaled."""
    nu, b, z = table.nu, part(work, table.b), part(work, table.z)
    first, last = whole(work, table.b_first), whole(work, table.b_last)
    meet(b, nu, rank, whole(work, table.order), first, part(work, table.right), z)
    for j in range(rank, nu):
        z[j] = 0.0
    unrotate(b, nu, rank, last, part(work, table.tau), z)
    restore(table, work)
