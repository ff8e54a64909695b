"""The sparse twin of `saddle`: what implicit methods with constraints ask of a large machine.

Newton's method has, with g for d/dt, ε = 1/g, b the negative residuals,

    g Δξ − Δu + D Cᵀ_h Δμ = β = W⁺ b_q
    (g A + r_u) Δu + r_q Δξ + Cᵀ Δλ = b_u
    C Δu + E Δξ = b_c,    C_h Δξ = b_Φ

With Δξ = ε (Δu + η) this is two systems of the machine's own pattern, solved one after the
other; only E Δξ in the first is left out (it is of the order of a step's turning, and the
iteration makes up for it), and so is the change of W along the step:

    [D⁻¹  C_hᵀ; C_h  0] [η; Δμ] = [D⁻¹ β; g b_Φ − b_c]
    [A + ε r_u + ε² r_q  Cᵀ; C + ε E  0] [Δu; ε Δλ] = [ε b_u − ε² r_q η; b_c − ε E η]

Redundant rows stay: −ε on their diagonal keeps the matrices regular.
"""

from bellcrank.constraints.native.machine import integers, part
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native.evaluate import inputs
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import doubles, native, play
from bellcrank.machine.batched.native import table as s
from bellcrank.machine.batched.native.machine import (
    copy,
    face,
    factor,
    matrix,
    nearest,
    pushed,
    scaled,
    side,
    solve,
    solve_nearest,
    times,
)


@native
def _look(i, e, time, place):
    """Point the machine at a time and a state, with the inputs and the memory of the run."""
    inputs(i, time)
    q, u = doubles(place), doubles(place + 8 * e[s.NQ])
    face(e, time, q, u, doubles(i[c.W]), doubles(i[c.MEMORY]))


@native
def _residuals(i, e, time, place, mu, out):
    """Write q̇ = W (u − D C_hᵀ μ), −r, −(C u − ν), −Φ; a and λ are in the run's memory."""
    t, work, nq, nu, m = integers(i[c.SADDLE]), i[c.MATRICES], e[s.NQ], e[s.NU], e[s.M]
    _look(i, e, time, place)
    copy(doubles(e[s.A]), part(t, work, d.ACCELERATION), nu)
    copy(doubles(e[s.LAM]), part(t, work, d.LAM), m)
    v, u = doubles(e[s.V]), doubles(e[s.U])
    pushed(e, doubles(e[s.M0]), mu, e[s.MH], v)
    for n in range(nu):
        v[n] = u[n] - v[n]
    play(e[s.PLAY], e[s.FLOW])
    play(e[s.PLAY], e[s.STAGE])
    i[c.EVALUATIONS] += 1
    r, phi, rates = doubles(e[s.R]), doubles(e[s.PHI]), doubles(e[s.RATES])
    copy(out, doubles(e[s.Q_RATE]), nq)
    for n in range(nu):
        out[nq + n] = -r[n]
    for n in range(m):
        out[nq + nu + n] = -rates[n]
    for n in range(e[s.MH]):
        out[nq + nu + m + n] = -phi[n]


@native
def _take(i, e, time, place):
    """Evaluate M0, M1, M2 at a point where K row 0 has the derivative; False if singular."""
    t, work, nu, nq = integers(i[c.SADDLE]), i[c.MATRICES], e[s.NU], e[s.NQ]
    m0, m1, m2 = doubles(e[s.M0]), doubles(e[s.M1]), doubles(e[s.M2])
    _look(i, e, time, place)
    copy(doubles(e[s.A]), at(doubles(i[c.K]), nq), nu)
    copy(doubles(e[s.LAM]), doubles(e[s.KNOWN]), e[s.M])
    copy(part(t, work, d.LAM0), doubles(e[s.KNOWN]), e[s.M])
    copy(doubles(e[s.Q_TAKEN]), doubles(e[s.Q]), nq)
    i[c.JACOBIANS] += 1
    i[c.DEPENDENT] = 1
    matrix(e, m0, 0.0, 0.0, 0.0, 0.0, 0.0)  # what has no factor
    matrix(e, m1, 0.0, 1.0, 0.0, 0.0, 0.0)
    matrix(e, m2, 0.0, 0.0, 1.0, 0.0, 0.0)
    play(e[s.PLAY], e[s.SLOPES])
    slopes = doubles(e[s.E_FOUND])
    for n in range(e[s.ENTRIES]):
        m1[n] += slopes[n] - m0[n]
        m2[n] -= m0[n]
    matrix(e, m0, 1.0, 0.0, 0.0, 1.0, 0.0)
    if e[s.HELD] != 0 and not nearest(e, m0, _fresh(i, e)):
        return False
    i[c.DEPENDENT] = 0
    return True


@native
def _fresh(i, e):
    """Say whether pivots are to be chosen anew: where a step was rejected since they were."""
    return e[s.SEEN] != i[c.REJECTED]


@native
def _factor_real(i, e, g):
    m0, m1, m2 = doubles(e[s.M0]), doubles(e[s.M1]), doubles(e[s.M2])
    out, x = doubles(e[s.MIXED]), 1.0 / g
    for n in range(e[s.ENTRIES]):
        out[n] = m0[n] + x * (m1[n] + x * m2[n])
    scaled(e, out, 1)
    i[c.FACTORIZATIONS] += 1
    return factor(e, s.REAL, _fresh(i, e), out)


@native
def _factor_complex(i, e, re, im):
    m0, m1, m2 = doubles(e[s.M0]), doubles(e[s.M1]), doubles(e[s.M2])
    out, size = doubles(e[s.MIXED]), re * re + im * im
    x, y = re / size, -im / size
    for n in range(e[s.ENTRIES]):
        out[2 * n] = m0[n] + x * m1[n] + (x * x - y * y) * m2[n]
        out[2 * n + 1] = y * m1[n] + 2.0 * x * y * m2[n]
    scaled(e, out, 2)
    i[c.FACTORIZATIONS] += 1
    good = factor(e, s.COMPLEX, _fresh(i, e), out)
    e[s.SEEN] = i[c.REJECTED]
    return good


@native
def _tangent(e, b, out):
    """Set out = W⁺ b_q."""
    copy(doubles(e[s.B]), b, e[s.NQ])
    play(e[s.PLAY], e[s.TANGENT])
    copy(out, doubles(e[s.TANGENT_FOUND]), e[s.NU])


@native
def _finish(e, b, shift):
    """Make Δq = ε b_q + W (Δξ − ε β) of b, which holds ε b_q; `shift` is what W takes."""
    copy(doubles(e[s.V_TAKEN]), shift, e[s.NU])
    play(e[s.PLAY], e[s.FLOW_TAKEN])
    found = doubles(e[s.Q_RATE_TAKEN])
    for n in range(e[s.NQ]):
        b[n] += found[n]


@native
def _nearest(e, b):
    """Replace [β, Δ] by [η, μ], or by [β, 0] where stages do not hold positions."""
    if e[s.HELD] != 0:
        solve_nearest(e, b)
    else:
        for n in range(e[s.M]):
            b[e[s.NU] + n] = 0.0


@native
def _turned(e, eta, out):
    """Set out = [r_q η; E η]."""
    nu, m = e[s.NU], e[s.M]
    times(e, doubles(e[s.M2]), eta, 0, nu, out)
    times(e, doubles(e[s.M1]), eta, nu, nu + m, at(out, nu))


@native
def _solve_real(e, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    nq, nu, m, mh, scale = e[s.NQ], e[s.NU], e[s.M], e[s.MH], doubles(e[s.SCALE])
    beta, eta, x, turned, k = side(e, 0), side(e, 1), side(e, 2), side(e, 3), 1.0 / g
    bu, bc, bphi = at(b, nq), at(b, nq + nu), at(b, nq + nu + m)
    _tangent(e, b, beta)
    copy(eta, beta, nu)
    for n in range(m):
        eta[nu + n] = g * bphi[n] - bc[n] if n < mh else 0.0
    _nearest(e, eta)
    _turned(e, eta, turned)
    for n in range(nu):
        x[n] = scale[n] * k * (bu[n] - k * turned[n])
    for n in range(nu, nu + m):
        x[n] = scale[n] * (b[nq + n] - k * turned[n])
    solve(e, s.REAL, x)
    for n in range(nu):
        bu[n] = scale[n] * x[n]
        beta[n] = k * (bu[n] + eta[n] - beta[n])
    for n in range(m):
        bc[n] = g * scale[nu + n] * x[nu + n]
    for n in range(mh):
        bphi[n] = eta[nu + n]
    for n in range(nq):
        b[n] *= k
    _finish(e, b, beta)


@native
def _complex_side(e, x, y, b, h, first, second, z):
    """Write the scaled right-hand side of the complex system, real and imaginary in turn.

    `first` and `second` are η, ε = x + i y.
    """
    nu, m, nq, scale = e[s.NU], e[s.M], e[s.NQ], doubles(e[s.SCALE])
    top, low = side(e, 4), side(e, 5)
    _turned(e, first, top)
    _turned(e, second, low)
    for n in range(nu):
        p, q = b[nq + n] - x * top[n] + y * low[n], h[nq + n] - x * low[n] - y * top[n]
        z[2 * n], z[2 * n + 1] = scale[n] * (x * p - y * q), scale[n] * (x * q + y * p)
    for n in range(nu, nu + m):
        z[2 * n] = scale[n] * (b[nq + n] - x * top[n] + y * low[n])
        z[2 * n + 1] = scale[n] * (h[nq + n] - x * low[n] - y * top[n])


@native
def _solve_complex(e, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    nq, nu, m, mh, scale = e[s.NQ], e[s.NU], e[s.M], e[s.MH], doubles(e[s.SCALE])
    size, z = re * re + im * im, side(e, 6)
    x, y = re / size, -im / size
    beta0, beta1, eta0, eta1 = side(e, 0), side(e, 1), side(e, 2), side(e, 3)
    _tangent(e, b, beta0)
    _tangent(e, h, beta1)
    copy(eta0, beta0, nu)
    copy(eta1, beta1, nu)
    for n in range(m):
        p, q = b[nq + nu + m + n] if n < mh else 0.0, h[nq + nu + m + n] if n < mh else 0.0
        eta0[nu + n] = re * p - im * q - b[nq + nu + n] if n < mh else 0.0
        eta1[nu + n] = re * q + im * p - h[nq + nu + n] if n < mh else 0.0
    _nearest(e, eta0)
    _nearest(e, eta1)
    _complex_side(e, x, y, b, h, eta0, eta1, z)
    solve(e, s.COMPLEX, z)
    for n in range(nu):
        b[nq + n], h[nq + n] = scale[n] * z[2 * n], scale[n] * z[2 * n + 1]
        p, q = b[nq + n] + eta0[n] - beta0[n], h[nq + n] + eta1[n] - beta1[n]
        beta0[n], beta1[n] = x * p - y * q, x * q + y * p
    for n in range(nu, nu + m):
        p, q = scale[n] * z[2 * n], scale[n] * z[2 * n + 1]
        b[nq + n], h[nq + n] = re * p - im * q, re * q + im * p
    for n in range(mh):
        b[nq + nu + m + n], h[nq + nu + m + n] = eta0[nu + n], eta1[nu + n]
    for n in range(nq):
        b[n], h[n] = x * b[n] - y * h[n], x * h[n] + y * b[n]
    _finish(e, b, beta0)
    _finish(e, h, beta1)


def sparse_saddle(block, first, second, third, what):
    """Do what is asked, as `saddle_routine.saddle` does; return 1 if it could be done."""
    i = integers(block)
    t = integers(i[c.SADDLE])
    e, numbers = integers(t[d.SPARSE]), part(t, i[c.MATRICES], d.NUMBERS)
    x, y, good = numbers[0], numbers[1], True
    if what == d.TAKE:
        e[s.HELD] = second
        good = _take(i, e, x, first)
    elif what == d.FACTOR_REAL:
        good = _factor_real(i, e, x)
    elif what == d.FACTOR_COMPLEX:
        good = _factor_complex(i, e, x, y)
    elif what == d.SOLVE_REAL:
        _solve_real(e, x, doubles(first))
    elif what == d.SOLVE_COMPLEX:
        _solve_complex(e, x, y, doubles(first), doubles(second))
    elif what == d.RESIDUALS:
        _residuals(i, e, x, first, doubles(second), doubles(third))
    elif what == d.PUSH:
        pushed(e, doubles(e[s.M0]), doubles(first), e[s.M], doubles(second))
    elif what == d.MASS_TIMES:
        times(e, doubles(e[s.M0]), doubles(first), 0, e[s.NU], doubles(second))
    else:
        good = False  # nothing of second order is asked of large machines
    return 1 if good else 0
