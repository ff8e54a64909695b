"""Linear algebra of implicit methods with constraints.

At a frozen Jacobian, with g for d/dt, b the negative residuals and T = W, Newton's method has

    (g - K) Δξ - Δu + D C_hᵀ Δμ = β = W⁺ b_q         K = W⁺ (W u + x)_q T
    (g A + r_u) Δu + r_q Δξ + Cᵀ Δλ = b_u
    C Δu + E Δξ = b_c,    C_h Δξ = b_Φ              E = (C u - ν)_q T

With Δξ = (g - K)⁻¹ (Δu + η), ε = 1/g, and (E - C_h K) Δξ left out of the first, these are two
systems, solved one after the other: η is what is nearest to β with C_h η = g b_Φ - b_c, and

    A + ε r_u + ε² r_q     Cᵀ       Δu     ε b_u - ε² r_q η
    C + ε E + ε² E K       0        ε Δλ   b_c - (ε E + ε² E K) η

up to higher orders of ε. What is left out is of the order of a step's turning, as is what the
frozen Jacobian leaves out. The matrix stays well conditioned however short the step, and the
round-off of positions is not magnified by g on its way to speeds.

Auxiliary states stand among Δu. No row has a column of C for them, and what its rate changes by
with them stands in E, which has no other use for these columns: C is (C u - ν)_s there in the
lower left of the matrix, zero in the upper right.

Speeds are scaled so that A has ones on its diagonal (D is the square of that scale), chosen
rows to length one. What q has beside W Δξ (the length of Euler parameters) follows from b_q.
"""

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.linear.native.dense import factor, factor_pair
from bellcrank.linear.native.factor import add, at, dot
from bellcrank.linear.native.raw import native


@native
def unknowns(t, work):
    """Return the number of unknowns."""
    return t[d.NU] + whole(t, work, d.COUNTS)[d.RANKED]


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
    """Return an entry of chosen row `number` of C or E, scaled."""
    row = whole(t, work, d.CHOSEN)[number]
    norm, s = part(t, work, d.NORM)[number], part(t, work, d.S)
    return part(t, work, slot)[col * t[d.M] + row] * norm * s[col]


@native
def _rows(t, work, n):
    """Fill the blocks of chosen rows below those of speeds, and Cᵀ beside them."""
    nu, ranked, k = t[d.NU], whole(t, work, d.COUNTS)[d.RANKED], part(t, work, d.SPARE)
    m0, m1, m2 = part(t, work, d.M0), part(t, work, d.M1), part(t, work, d.M2)
    moving = nu - t[d.NS]
    for number in range(ranked):
        for col in range(moving):
            value = chosen(t, work, d.C, number, col)
            m0[col * n + nu + number] = m0[(nu + number) * n + col] = value
            m1[col * n + nu + number] = chosen(t, work, d.E, number, col)
        for col in range(moving, nu):
            m0[col * n + nu + number] = chosen(t, work, d.E, number, col)
    for col in range(nu):
        for row in range(nu):
            k[row] = _turned(t, work, row, col)
        for other in range(nu):
            if k[other] != 0.0:
                add(at(m2, col * n + nu), k[other], at(m1, other * n + nu), ranked)


@native
def assemble(t, work):
    """Fill M0, M1 and M2 from what was evaluated at the point."""
    nu, n = t[d.NU], unknowns(t, work)
    m0, m1, m2 = part(t, work, d.M0), part(t, work, d.M1), part(t, work, d.M2)
    for place in range(n * n):
        m0[place] = m1[place] = m2[place] = 0.0
    for col in range(nu):
        for row in range(nu):
            place = col * n + row
            m0[place] = scaled(t, work, d.A, row, col)
            m1[place] = scaled(t, work, d.R_U, row, col)
            m2[place] = scaled(t, work, d.R_Q, row, col)
    _rows(t, work, n)


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
