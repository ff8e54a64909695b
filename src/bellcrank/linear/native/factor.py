"""Small dense linear algebra on raw memory, column by column.

    A = L Lᵀ                    Cholesky; the diagonal holds 1 / Lⱼⱼ
    B P = Q [R₁₁ R₁₂; 0 R₂₂]    Householder, the longest remaining column first, stopped where
                                every remaining column is short: the rank is what was done

`stairs` does the latter in the order given while that is clearly good enough. It and
`cholesky` look only at the part of a column between its first and last nonzero, so that
machines of many loops, each of few bodies, cost in proportion to their loops.

Matrices are pointers to doubles with their columns one after the other; `lead` is the
distance between columns. Reflectors lie below the diagonal of B, their factors in `tau`.

References:
    Golub, Van Loan (2013), Matrix Computations, 4th ed., 4.2, 5.1, 5.4.
"""

from math import copysign, inf, sqrt
from typing import Any

import numba

from bellcrank.linear.native.raw import OPTIONS, address, doubles, native

_njit: Any = numba.njit
_associative = {**OPTIONS, "fastmath": {"contract", "reassoc"}}
quick = _njit(**_associative, no_cpython_wrapper=True, no_cfunc_wrapper=True)

SEMIDEFINITE = 1e-13  # a pivot this small against its diagonal entry is zero
CANCELLED = 1e-4  # a squared length that shrank so much is computed anew
REPEATED = 1e-10  # against the longest: below every cut of `linear.rank`, so surely nothing


@native
def at(pointer, offset):
    """Return the pointer to `pointer[offset]`."""
    return doubles(address(pointer, offset))


@quick
def dot(a, b, n):
    """Return aᵀ b."""
    total = 0.0
    for j in range(n):
        total += a[j] * b[j]
    return total


@native
def without_infinite(x, n):
    """Set entries that are infinite or no numbers to zero."""
    for j in range(n):
        if not abs(x[j]) < inf:
            x[j] = 0.0


@native
def wipe(x, n):
    """Set all entries to zero."""
    for j in range(n):
        x[j] = 0.0


@quick
def nothing(x, n):
    """Return whether all entries are zero."""
    total = 0.0
    for j in range(n):
        total += abs(x[j])
    return total == 0.0


@quick
def squares(x, size, n):
    """Return Σ (x / size)²."""
    total = 0.0
    for j in range(n):
        ratio = x[j] / size[j]
        total += ratio * ratio
    return total


@quick
def add(y, factor, x, n):
    """Set y = y + factor x."""
    for j in range(n):
        y[j] += factor * x[j]


# --- A = L Lᵀ -----------------------------------------------------------------------------


@native
def cholesky(a, n, diagonal, last):
    """Factorize in place, lower triangle; False if A is not definite.

    Args:
        a: A, of which column j has nothing from row last[j] on.
        n: Rows and columns.
        diagonal: n spare.
        last: Integers, one for each column; columns of L may be longer.
    """
    for j in range(n):
        diagonal[j] = a[j * n + j]
    for j in range(n):
        pivot, end = a[j * n + j], last[j]
        if not pivot > SEMIDEFINITE * diagonal[j]:
            return False
        inverse = 1.0 / sqrt(pivot)
        a[j * n + j] = inverse
        for k in range(j + 1, end):
            a[j * n + k] *= inverse
        for k in range(j + 1, end):
            factor = a[j * n + k]
            if factor != 0.0:
                add(at(a, k * n + k), -factor, at(a, j * n + k), end - k)
                last[k] = max(last[k], end)
    return True


@native
def forward(lower, last, n, first, end, b):
    """Set b = L⁻¹ b, b being nonzero from `first` to `end`; return its new end."""
    j = first
    while j < end:
        if b[j] != 0.0:
            b[j] *= lower[j * n + j]
            add(at(b, j + 1), -b[j], at(lower, j * n + j + 1), last[j] - j - 1)
            end = max(end, last[j])
        j += 1
    return end


@native
def backward(lower, last, n, b):
    """Set b = L⁻ᵀ b."""
    for step in range(n):
        j = n - 1 - step
        rest = dot(at(lower, j * n + j + 1), at(b, j + 1), last[j] - j - 1)
        b[j] = (b[j] - rest) * lower[j * n + j]


# --- B P = Q R ----------------------------------------------------------------------------


@native
def _longest(first, m, lengths):
    best = first
    for column in range(first + 1, m):
        if lengths[column] > lengths[best]:
            best = column
    return best


@native
def _swap(b, lead, n, i, j, lengths, order, m):
    """Exchange columns i and j, their lengths and their numbers."""
    for row in range(n):
        b[i * lead + row], b[j * lead + row] = b[j * lead + row], b[i * lead + row]
    for part in range(2):
        x, y = part * m + i, part * m + j
        lengths[x], lengths[y] = lengths[y], lengths[x]
    order[i], order[j] = order[j], order[i]


@native
def _reflect(column, n):
    """Make the reflector that leaves β e₀ of a column, in place; return its factor τ."""
    tail = dot(at(column, 1), at(column, 1), n - 1)
    if tail == 0.0:
        return 0.0
    alpha = column[0]
    beta = -copysign(sqrt(alpha * alpha + tail), alpha)
    inverse = 1.0 / (alpha - beta)
    for row in range(1, n):
        column[row] *= inverse
    column[0] = beta
    return (beta - alpha) / beta


@native
def _apply(column, tau, y, n):
    """Apply the reflector of a column to y, both beginning at its diagonal."""
    factor = tau * (y[0] + dot(at(column, 1), at(y, 1), n - 1))
    y[0] -= factor
    add(at(y, 1), -factor, at(column, 1), n - 1)


@native
def _aside(b, lead, n, m, lengths, order):
    """Put columns that are zero behind all others; return how many others there are."""
    count = m
    for step in range(m):
        column = m - 1 - step
        if lengths[column] == 0.0:
            count -= 1
            if column != count:
                _swap(b, lead, n, column, count, lengths, order, m)
    return count


@native
def triangularize(b, lead, n, m, cut, least, tau, order, lengths):
    """Factorize n × m columns in place and return the rank.

    Args:
        b: The columns.
        lead: Distance between columns.
        n: Rows.
        m: Columns.
        cut: Columns no longer than this times the longest are not taken any more.
        least: Neither are columns no longer than this.
        tau: Receives the factors of the reflectors, at least min(n, m).
        order: Numbers of the columns (integers), exchanged as they are.
        lengths: 2 m spare.
    """
    for column in range(m):
        square = dot(at(b, column * lead), at(b, column * lead), n)
        lengths[column] = lengths[m + column] = square
    count = _aside(b, lead, n, m, lengths, order)
    limit, rank = 0.0, 0
    while rank < n and rank < count:
        best = _longest(rank, count, lengths)
        if rank == 0:
            limit = max(cut * cut * lengths[best], least * least)
        if not lengths[best] > limit:
            break
        if best != rank:
            _swap(b, lead, n, rank, best, lengths, order, m)
        pivot = at(b, rank * lead + rank)
        tau[rank] = _reflect(pivot, n - rank)
        for column in range(rank + 1, count):
            y = at(b, column * lead + rank)
            _apply(pivot, tau[rank], y, n - rank)
            lengths[column] -= y[0] * y[0]
            if lengths[column] < CANCELLED * lengths[m + column]:
                left = dot(at(y, 1), at(y, 1), n - rank - 1)
                lengths[column] = lengths[m + column] = left
        rank += 1
    return rank


@native
def stairs(b, lead, n, m, clear, least, tau, order, first, last, lengths):
    """Factorize columns in the order they have, each only where it is not zero.

    Returns:
        The rank, if what is left of every column, without those before it, is either
        nothing or `clear` against the longest; else -1.

    Args:
        b: The columns.
        lead: Distance between columns.
        n: Rows.
        m: Columns.
        clear: What is left of a column that is clearly independent.
        least: Columns no longer than this are nothing.
        tau: As for `triangularize`.
        order: As for `triangularize`; columns left out come last.
        first: Row in which each column begins (integers).
        last: Row before which it ends (integers).
        lengths: 2 m spare.
    """
    # lengths[m + column] is where this column and those behind it begin, before any is filled:
    # as long as no reflector has reached that row, none of them is touched.
    most, rank, begin, reached = 0.0, 0, n, 0
    for step in range(m):
        column = m - 1 - step
        y = at(b, column * lead + first[column])
        lengths[column] = dot(y, y, last[column] - first[column])
        most = max(most, lengths[column])
        if last[column] > first[column]:
            begin = min(begin, first[column])
        lengths[m + column] = begin
    nothing = max(REPEATED * REPEATED * most, least * least)
    for column in range(m):
        y, end = at(b, column * lead + rank), last[column]
        left = dot(y, y, end - rank) if end > rank else 0.0
        if left <= nothing:
            continue
        if left < clear * clear * most:
            return -1
        if column != rank:
            _swap(b, lead, n, rank, column, lengths, order, m)
            first[rank], first[column] = first[column], first[rank]
            last[rank], last[column] = last[column], last[rank]
        pivot = at(b, rank * lead + rank)
        tau[rank] = _reflect(pivot, end - rank)
        reached = max(reached, end)
        for other in range(column + 1, m):
            if lengths[m + other] >= reached:
                break
            if first[other] < end and last[other] > rank:
                _apply(pivot, tau[rank], at(b, other * lead + rank), end - rank)
                first[other] = min(first[other], rank)
                last[other] = max(last[other], end)
        rank += 1
    return rank


@native
def growth(b, lead, rank, first, y):
    """Return about how much R₁₁⁻ᵀ enlarges a vector (Cline, Moler, Stewart, Wilkinson)."""
    for j in range(rank):
        begin = first[j]
        rest = dot(at(b, j * lead + begin), at(y, begin), j - begin)
        y[j] = -(rest + copysign(1.0, rest)) / b[j * lead + j]
    return sqrt(dot(y, y, rank) / rank)


@native
def rotate(b, lead, rank, last, tau, y):
    """Set y = Qᵀ y."""
    for j in range(rank):
        _apply(at(b, j * lead + j), tau[j], at(y, j), last[j] - j)


@native
def unrotate(b, lead, rank, last, tau, y):
    """Set y = Q y."""
    for step in range(rank):
        j = rank - 1 - step
        _apply(at(b, j * lead + j), tau[j], at(y, j), last[j] - j)


@native
def meet(b, lead, rank, order, first, right, y):
    """Set the first `rank` entries of y to R₁₁⁻ᵀ r, r being `right` in the order of pivots."""
    for j in range(rank):
        begin = first[j]
        rest = dot(at(b, j * lead + begin), at(y, begin), j - begin)
        y[j] = (right[order[j]] - rest) / b[j * lead + j]


@native
def combine(b, lead, rank, column, x):
    """Set x = R₁₁⁻¹ (column of R₁₂): how a column left out is made of those taken."""
    for j in range(rank):
        x[j] = b[column * lead + j]
    for step in range(rank):
        j = rank - 1 - step
        x[j] /= b[j * lead + j]
        add(x, -x[j], at(b, j * lead), j)
