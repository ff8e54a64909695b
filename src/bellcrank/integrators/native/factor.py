"""Small dense linear algebra on raw memory, column by column.

    A = L Lᵀ                Cholesky; the diagonal holds 1 / Lⱼⱼ
    B P = Q [R₁₁ R₁₂; 0 R₂₂]    Householder, the longest remaining column first, stopped where
                            every remaining column is short: the rank is what was done

Matrices are pointers to doubles with their columns one after the other; `lead` is the
distance between columns. Reflectors lie below the diagonal of B, their factors in `tau`.

References:
    Golub, Van Loan (2013), Matrix Computations, 4th ed., 4.2, 5.1, 5.4.
"""

from math import copysign, sqrt
from typing import Any

import numba

from bellcrank.integrators.native.raw import OPTIONS, address, doubles, native

_njit: Any = numba.njit
_associative = {**OPTIONS, "fastmath": {"contract", "reassoc"}}
quick = _njit(**_associative, no_cpython_wrapper=True, no_cfunc_wrapper=True)

SEMIDEFINITE = 1e-13  # a pivot this small against its diagonal entry is zero
CANCELLED = 1e-4  # a squared length that shrank so much is computed anew


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


@quick
def add(y, factor, x, n):
    """Set y = y + factor x."""
    for j in range(n):
        y[j] += factor * x[j]


# --- A = L Lᵀ -----------------------------------------------------------------------------


@native
def cholesky(a, n, diagonal):
    """Factorize in place, lower triangle; False if A is not definite. `diagonal`: n spare."""
    for j in range(n):
        diagonal[j] = a[j * n + j]
    for j in range(n):
        pivot = a[j * n + j]
        if not pivot > SEMIDEFINITE * diagonal[j]:
            return False
        inverse = 1.0 / sqrt(pivot)
        a[j * n + j] = inverse
        for k in range(j + 1, n):
            a[j * n + k] *= inverse
        for k in range(j + 1, n):
            factor = a[j * n + k]
            if factor != 0.0:
                add(at(a, k * n + k), -factor, at(a, j * n + k), n - k)
    return True


@native
def forward(lower, n, b):
    """Set b = L⁻¹ b."""
    for j in range(n):
        if b[j] != 0.0:
            b[j] *= lower[j * n + j]
            add(at(b, j + 1), -b[j], at(lower, j * n + j + 1), n - j - 1)


@native
def backward(lower, n, b):
    """Set b = L⁻ᵀ b."""
    for step in range(n):
        j = n - 1 - step
        rest = dot(at(lower, j * n + j + 1), at(b, j + 1), n - j - 1)
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
    limit, rank = 0.0, 0
    while rank < n and rank < m:
        best = _longest(rank, m, lengths)
        if rank == 0:
            limit = max(cut * cut * lengths[best], least * least)
        if not lengths[best] > limit:
            break
        if best != rank:
            _swap(b, lead, n, rank, best, lengths, order, m)
        pivot = at(b, rank * lead + rank)
        tau[rank] = _reflect(pivot, n - rank)
        for column in range(rank + 1, m):
            y = at(b, column * lead + rank)
            _apply(pivot, tau[rank], y, n - rank)
            lengths[column] -= y[0] * y[0]
            if lengths[column] < CANCELLED * lengths[m + column]:
                left = dot(at(y, 1), at(y, 1), n - rank - 1)
                lengths[column] = lengths[m + column] = left
        rank += 1
    return rank


@native
def rotate(b, lead, n, rank, tau, y):
    """Set y = Qᵀ y."""
    for j in range(rank):
        _apply(at(b, j * lead + j), tau[j], at(y, j), n - j)


@native
def unrotate(b, lead, n, rank, tau, y):
    """Set y = Q y."""
    for step in range(rank):
        j = rank - 1 - step
        _apply(at(b, j * lead + j), tau[j], at(y, j), n - j)


@native
def meet(b, lead, rank, order, right, y):
    """Set the first `rank` entries of y to R₁₁⁻ᵀ r, r being `right` in the order of pivots."""
    for j in range(rank):
        rest = dot(at(b, j * lead), y, j)
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
