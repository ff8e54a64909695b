"""Linear algebra of implicit methods with constraints.

At a frozen Jacobian, with g for d/dt, b the negative residuals and T = W, Newton's method has

    (g - K) Δξ - Δu + D C_hᵀ Δμ = W⁺ b_q            K = W⁺ (W u + x)_q T
    (g A + r_u) Δu + r_q Δξ + Cᵀ Δλ = b_u
    C Δu + E Δξ = b_c,    C_h Δξ = b_Φ              E = (C u - ν)_q T

Eliminating Δu and scaling Δλ = g² λ', Δμ = g μ', ε = 1/g leaves a matrix that stays well
conditioned however short the step, M0 + ε M1 + ε² M2 in the unknowns Δξ, λ', μ':

    A + ε (r_u - A K) + ε² (r_q - r_u K)    Cᵀ    (A + ε r_u) D C_hᵀ
    C + ε (E - C K)                         0     C D C_hᵀ
    C_h                                     0     0

Speeds are scaled so that A has ones on its diagonal (D is the square of that scale), chosen
rows to length one. What q has beside W Δξ (the length of Euler parameters) follows from b_q.
"""

from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native.dense import (
    factor,
    factor_pair,
    solve,
    solve_pair,
)
from bellcrank.integrators.native.factor import add, at, dot
from bellcrank.integrators.native.machine import integers, part, whole
from bellcrank.integrators.native.raw import native


@native
def unknowns(t, work):
    """Return the number of unknowns."""
    counts = whole(t, work, d.COUNTS)
    return t[d.NU] + counts[d.RANKED] + counts[d.HELD]


# --- the matrix ---------------------------------------------------------------------------


@native
def scaled(t, work, slot, row, col):
    """Return an entry of a matrix over speeds, of rows and columns scaled."""
    nu, s = t[d.NU], part(t, work, d.S)
    return part(t, work, slot)[col * nu + row] * s[row] * s[col]


@native
def _turned(t, work, row, col):
    """Return an entry of S⁻¹ K S."""
    nu, s = t[d.NU], part(t, work, d.S)
    return part(t, work, d.K)[col * nu + row] / s[row] * s[col]


@native
def chosen(t, work, slot, number, col):
    """Return an entry of chosen row `number` of C0 or E, scaled."""
    row = whole(t, work, d.CHOSEN)[number]
    norm, s = part(t, work, d.NORM)[number], part(t, work, d.S)
    return part(t, work, slot)[col * t[d.M] + row] * norm * s[col]


@native
def _upper_left(t, work, n):
    """Fill the blocks over speeds."""
    nu, k = t[d.NU], part(t, work, d.SPARE)
    m0, m1, m2 = part(t, work, d.M0), part(t, work, d.M1), part(t, work, d.M2)
    for col in range(nu):
        for row in range(nu):
            place = col * n + row
            m0[place] = scaled(t, work, d.A, row, col)
            m1[place] = scaled(t, work, d.R_U, row, col)
            m2[place] = scaled(t, work, d.R_Q, row, col)
    for col in range(nu):
        for row in range(nu):
            k[row] = _turned(t, work, row, col)
        for other in range(nu):
            if k[other] != 0.0:
                for row in range(nu):
                    slope = scaled(t, work, d.R_U, row, other)
                    m1[col * n + row] -= m0[other * n + row] * k[other]
                    m2[col * n + row] -= slope * k[other]


@native
def _rows(t, work, n):
    """Fill the blocks of chosen rows below those of speeds, and Cᵀ beside them."""
    nu, counts, k = t[d.NU], whole(t, work, d.COUNTS), part(t, work, d.SPARE)
    m0, m1, ranked = part(t, work, d.M0), part(t, work, d.M1), counts[d.RANKED]
    for col in range(nu):
        for number in range(ranked):
            value = chosen(t, work, d.C, number, col)
            m0[col * n + nu + number] = m0[(nu + number) * n + col] = value
            m1[col * n + nu + number] = chosen(t, work, d.E, number, col)
        for number in range(counts[d.HELD]):
            m0[col * n + nu + ranked + number] = m0[col * n + nu + number]
    for col in range(nu):
        for row in range(nu):
            k[row] = _turned(t, work, row, col)
        for other in range(nu):
            if k[other] != 0.0:
                rows = at(m0, other * n + nu)
                add(at(m1, col * n + nu), -k[other], rows, ranked)


@native
def _columns(t, work, n):
    """Fill the columns of μ: A C_hᵀ + ε r_u C_hᵀ and C C_hᵀ."""
    nu, counts = t[d.NU], whole(t, work, d.COUNTS)
    m0, m1, ranked = part(t, work, d.M0), part(t, work, d.M1), counts[d.RANKED]
    for number in range(counts[d.HELD]):
        first, second = (
            at(m0, (nu + ranked + number) * n),
            at(m1, (nu + ranked + number) * n),
        )
        for col in range(nu):
            value = m0[col * n + nu + number]
            add(first, value, at(m0, col * n), nu + ranked)
            for row in range(nu):
                second[row] += value * scaled(t, work, d.R_U, row, col)


@native
def assemble(t, work):
    """Fill M0, M1 and M2 from what was evaluated at the point."""
    n = unknowns(t, work)
    m0, m1, m2 = part(t, work, d.M0), part(t, work, d.M1), part(t, work, d.M2)
    for place in range(n * n):
        m0[place] = m1[place] = m2[place] = 0.0
    _upper_left(t, work, n)
    _rows(t, work, n)
    _columns(t, work, n)


# --- its factors --------------------------------------------------------------------------


@native
def _mixed(t, work, out, unit, first, second):
    n = unknowns(t, work)
    m0, m1, m2 = part(t, work, d.M0), part(t, work, d.M1), part(t, work, d.M2)
    for place in range(n * n):
        out[place] = unit * m0[place] + first * m1[place] + second * m2[place]


@native
def factor_real(i, g):
    """Factorise for a real g; say whether it could be."""
    t, work, e = integers(i[c.SADDLE]), i[c.MATRICES], 1.0 / g
    out = part(t, work, d.REAL)
    _mixed(t, work, out, 1.0, e, e * e)
    i[c.FACTORIZATIONS] += 1
    return factor(out, part(t, work, d.PIVOTS), unknowns(t, work))


@native
def factor_complex(i, re, im):
    """Factorise for g = re + i im; say whether it could be."""
    t, work, n = (
        integers(i[c.SADDLE]),
        i[c.MATRICES],
        unknowns(integers(i[c.SADDLE]), i[c.MATRICES]),
    )
    size = re * re + im * im
    x, y = re / size, -im / size
    real = part(t, work, d.COMPLEX)
    imaginary = at(real, n * n)
    _mixed(t, work, real, 1.0, x, x * x - y * y)
    _mixed(t, work, imaginary, 0.0, y, 2.0 * x * y)
    i[c.FACTORIZATIONS] += 1
    return factor_pair(real, imaginary, at(part(t, work, d.PIVOTS), n), n)


# --- its solutions ------------------------------------------------------------------------


@native
def _vector(t, work, number):
    """Return one of the spare vectors."""
    length = max(t[d.NQ], t[d.NU] + t[d.M] + t[d.MH]) + 8
    return at(part(t, work, d.SPARE), number * length)


@native
def _load(t, work, b, slope, first, second, side):
    """Write the parts of a right-hand side that take 1 (side), ε (first) and ε² (second).

    slope becomes S⁻¹ W⁺ b_q.
    """
    nq, nu, n, counts = t[d.NQ], t[d.NU], unknowns(t, work), whole(t, work, d.COUNTS)
    m0, s, rows = part(t, work, d.M0), part(t, work, d.S), whole(t, work, d.CHOSEN)
    norm, ranked, inverse = part(t, work, d.NORM), counts[d.RANKED], part(t, work, d.INVERSE)
    for row in range(n):
        first[row] = second[row] = side[row] = 0.0
    for row in range(nu):
        slope[row] = 0.0
        second[row] = s[row] * b[nq + row]
    for col in range(nq):
        add(slope, b[col], at(inverse, col * nu), nu)
    for col in range(nu):
        slope[col] /= s[col]
        add(first, slope[col], at(m0, col * n), nu + ranked)
        for row in range(nu):
            second[row] += scaled(t, work, d.R_U, row, col) * slope[col]
    for number in range(ranked):
        first[nu + number] += norm[number] * b[nq + nu + rows[number]]
    for number in range(counts[d.HELD]):
        place = nq + nu + t[d.M] + rows[number]
        side[nu + ranked + number] = norm[number] * b[place]


@native
def _beside(t, work, b, x, out):
    """Set out to the part of b_q + (W u + x)_q T Δξ that W does not reach."""
    nq, nu, s = t[d.NQ], t[d.NU], part(t, work, d.S)
    slopes, inverse, w = part(t, work, d.QD_Q), part(t, work, d.INVERSE), part(t, work, d.W0)
    within = part(t, work, d.TAU)
    for row in range(nq):
        out[row] = b[row]
    for col in range(nu):
        add(out, s[col] * x[col], at(slopes, col * nq), nq)
        within[col] = 0.0
    for col in range(nq):
        add(within, out[col], at(inverse, col * nu), nu)
    for col in range(nu):
        add(out, -within[col], at(w, col * nq), nq)


@native
def _unload(t, work, x, grown, slope, beside, b):
    """Write Δq, Δu, Δλ, Δμ over b.

    `grown` is [g Δξ, g² λ', g μ'], `beside` is ε times what `_beside` gives.
    """
    nq, nu, n, counts = t[d.NQ], t[d.NU], unknowns(t, work), whole(t, work, d.COUNTS)
    m0, s, rows = part(t, work, d.M0), part(t, work, d.S), whole(t, work, d.CHOSEN)
    norm, ranked, w = part(t, work, d.NORM), counts[d.RANKED], part(t, work, d.W0)
    for row in range(nu):
        value = grown[row] - slope[row]
        for col in range(nu):
            value -= _turned(t, work, row, col) * x[col]
        for number in range(counts[d.HELD]):
            value += m0[row * n + nu + number] * grown[nu + ranked + number]
        b[nq + row] = s[row] * value
    for row in range(nq):
        b[row] = beside[row]
    for col in range(nu):
        add(b, s[col] * x[col], at(w, col * nq), nq)
    for row in range(t[d.M] + t[d.MH]):
        b[nq + nu + row] = 0.0
    for number in range(ranked):
        b[nq + nu + rows[number]] = norm[number] * grown[nu + number]
    for number in range(counts[d.HELD]):
        b[nq + nu + t[d.M] + rows[number]] = norm[number] * grown[nu + ranked + number]


@native
def solve_real(i, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    n, nu, ranked = unknowns(t, work), t[d.NU], whole(t, work, d.COUNTS)[d.RANKED]
    slope, first, second = _vector(t, work, 0), _vector(t, work, 1), _vector(t, work, 2)
    x, e = part(t, work, d.SIDE), 1.0 / g
    _load(t, work, b, slope, first, second, x)
    for row in range(n):
        x[row] += e * (first[row] + e * second[row])
    solve(part(t, work, d.REAL), part(t, work, d.PIVOTS), n, x)
    for row in range(n):
        first[row] = g * x[row] * (g if nu <= row < nu + ranked else 1.0)
    _beside(t, work, b, x, second)
    for row in range(t[d.NQ]):
        second[row] *= e
    _unload(t, work, x, first, slope, second, b)


@native
def _times(x, y, re, im, n):
    """Multiply x + i y by re + i im."""
    for row in range(n):
        a, b = x[row], y[row]
        x[row], y[row] = re * a - im * b, re * b + im * a


@native
def solve_complex(i, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    n, nu, nq = unknowns(t, work), t[d.NU], t[d.NQ]
    ranked, size = whole(t, work, d.COUNTS)[d.RANKED], re * re + im * im
    s0, f0, g0 = _vector(t, work, 0), _vector(t, work, 1), _vector(t, work, 2)
    s1, f1, g1 = _vector(t, work, 3), _vector(t, work, 4), _vector(t, work, 5)
    x, real = part(t, work, d.SIDE), part(t, work, d.COMPLEX)
    y, ex, ey = at(x, n), re / size, -im / size
    _load(t, work, b, s0, f0, g0, x)
    _load(t, work, h, s1, f1, g1, y)
    _times(g0, g1, ex, ey, n)
    for row in range(n):
        f0[row], f1[row] = f0[row] + g0[row], f1[row] + g1[row]
    _times(f0, f1, ex, ey, n)
    for row in range(n):
        x[row], y[row] = x[row] + f0[row], y[row] + f1[row]
    solve_pair(real, at(real, n * n), at(part(t, work, d.PIVOTS), n), n, x, y)
    for row in range(n):
        f0[row], f1[row] = x[row], y[row]
    _times(f0, f1, re, im, n)
    _times(at(f0, nu), at(f1, nu), re, im, ranked)
    _beside(t, work, b, x, g0)
    _beside(t, work, h, y, g1)
    _times(g0, g1, ex, ey, nq)
    _unload(t, work, x, f0, s0, g0, b)
    _unload(t, work, y, f1, s1, g1, h)


# --- products -----------------------------------------------------------------------------


@native
def push(i, lam, out):
    """Set out = D Cᵀ λ."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    m, rows, s = t[d.M], part(t, work, d.C), part(t, work, d.S)
    for j in range(t[d.NU]):
        out[j] = s[j] * s[j] * dot(at(rows, j * m), lam, m)


@native
def mass_times(i, b, out):
    """Set out = A b."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nu, mass = t[d.NU], part(t, work, d.A)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nu):
        add(out, b[col], at(mass, col * nu), nu)
