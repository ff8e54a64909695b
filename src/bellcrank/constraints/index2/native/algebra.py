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

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.linear.native.dense import factor, factor_pair
from bellcrank.linear.native.factor import add, at, dot
from bellcrank.linear.native.raw import native


@native
def unknowns(saddle, work):
    """Return the number of unknowns."""
    return saddle.nu + whole(work, saddle.counts)[d.RANKED]


# --- the matrix ---------------------------------------------------------------------------


@native
def scaled(saddle, work, slot, row, col):
    """Return an entry of a matrix over speeds, of rows and columns scaled."""
    nu, s = saddle.nu, part(work, saddle.s)
    return part(work, slot)[col * nu + row] * s[row] * s[col]


@native
def _turned(saddle, work, row, col):
    """Return an entry of S⁻¹ K S."""
    nu, s = saddle.nu, part(work, saddle.s)
    return part(work, saddle.k)[col * nu + row] / s[row] * s[col]


@native
def chosen(saddle, work, slot, number, col):
    """Return an entry of chosen row `number` of C or E, scaled."""
    row = whole(work, saddle.chosen)[number]
    norm, s = part(work, saddle.norm)[number], part(work, saddle.s)
    return part(work, slot)[col * saddle.m + row] * norm * s[col]


@native
def _rows(saddle, work, n):
    """Fill the blocks of chosen rows below those of speeds, and Cᵀ beside them."""
    nu, ranked, k = saddle.nu, whole(work, saddle.counts)[d.RANKED], part(work, saddle.spare)
    m0, m1, m2 = part(work, saddle.m0), part(work, saddle.m1), part(work, saddle.m2)
    moving = nu - saddle.ns
    for number in range(ranked):
        for col in range(moving):
            value = chosen(saddle, work, saddle.c, number, col)
            m0[col * n + nu + number] = m0[(nu + number) * n + col] = value
            m1[col * n + nu + number] = chosen(saddle, work, saddle.e, number, col)
        for col in range(moving, nu):
            m0[col * n + nu + number] = chosen(saddle, work, saddle.e, number, col)
    for col in range(nu):
        for row in range(nu):
            k[row] = _turned(saddle, work, row, col)
        for other in range(nu):
            if k[other] != 0.0:
                add(at(m2, col * n + nu), k[other], at(m1, other * n + nu), ranked)


@native
def assemble(saddle, work):
    """Fill M0, M1 and M2 from what was evaluated at the point."""
    nu, n = saddle.nu, unknowns(saddle, work)
    m0, m1, m2 = part(work, saddle.m0), part(work, saddle.m1), part(work, saddle.m2)
    for place in range(n * n):
        m0[place] = m1[place] = m2[place] = 0.0
    for col in range(nu):
        for row in range(nu):
            place = col * n + row
            m0[place] = scaled(saddle, work, saddle.a, row, col)
            m1[place] = scaled(saddle, work, saddle.r_u, row, col)
            m2[place] = scaled(saddle, work, saddle.r_q, row, col)
    _rows(saddle, work, n)


# --- its factors --------------------------------------------------------------------------


@native
def _mixed(saddle, work, out, unit, first, second):
    n = unknowns(saddle, work)
    m0, m1, m2 = part(work, saddle.m0), part(work, saddle.m1), part(work, saddle.m2)
    for place in range(n * n):
        out[place] = unit * m0[place] + first * m1[place] + second * m2[place]


@native
def factor_real(run, g):
    """Factorise for a real g; say whether it could be."""
    saddle, work, e = saddle_at(run.saddle), run.matrices, 1.0 / g
    out = part(work, saddle.real)
    _mixed(saddle, work, out, 1.0, e, e * e)
    run.factorizations += 1
    return factor(out, part(work, saddle.pivots), unknowns(saddle, work))


@native
def factor_complex(run, re, im):
    """Factorise for g = re + i im; say whether it could be."""
    saddle, work, n = (
        saddle_at(run.saddle),
        run.matrices,
        unknowns(saddle_at(run.saddle), run.matrices),
    )
    size = re * re + im * im
    x, y = re / size, -im / size
    real = part(work, saddle.complex)
    imaginary = at(real, n * n)
    _mixed(saddle, work, real, 1.0, x, x * x - y * y)
    _mixed(saddle, work, imaginary, 0.0, y, 2.0 * x * y)
    run.factorizations += 1
    return factor_pair(real, imaginary, at(part(work, saddle.pivots), n), n)


# --- products -----------------------------------------------------------------------------


@native
def push(run, lam, out):
    """Set out = D Cᵀ λ."""
    saddle, work = saddle_at(run.saddle), run.matrices
    m, rows, s = saddle.m, part(work, saddle.c), part(work, saddle.s)
    for j in range(saddle.nu):
        out[j] = s[j] * s[j] * dot(at(rows, j * m), lam, m)


@native
def mass_times(run, b, out):
    """Set out = A b."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nu, mass = saddle.nu, part(work, saddle.a)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nu):
        add(out, b[col], at(mass, col * nu), nu)
