"""Solutions of the linear systems of implicit methods with constraints; see `saddle`.

η is what is nearest to β with C_h η = g b_Φ - b_c; speeds and multipliers follow from the
factors, steps Δξ = (g - K)⁻¹ (Δu + η) from speeds.
"""

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native.saddle import unknowns
from bellcrank.linear.native.dense import solve, solve_pair
from bellcrank.linear.native.factor import add, at, dot
from bellcrank.linear.native.raw import doubles, native


@native
def _vector(t, work, number):
    """Return one of the spare vectors."""
    length = max(t[d.NQ], t[d.NU] + t[d.M]) + 8
    return at(part(t, work, d.SPARE), number * length)


@native
def _slope(t, work, b, out):
    """Set out = S⁻¹ W⁺ b_q."""
    nq, nu, s, inverse = t[d.NQ], t[d.NU], part(t, work, d.S), part(t, work, d.INVERSE)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nq):
        add(out, b[col], at(inverse, col * nu), nu)
    for row in range(nu):
        out[row] /= s[row]


@native
def _nearest(t, work, beta, eta, mu):
    """Set η = β - C_hᵀ μ with C_h η = μ as it was given; all scaled, μ of length HELD.

    C_h C_hᵀ = Rᵀ R is known from how rows were chosen, in rows of other lengths.
    """
    nu, n, held = t[d.NU], unknowns(t, work), whole(t, work, d.COUNTS)[d.HELD]
    m0, b, rows = part(t, work, d.M0), part(t, work, d.B), whole(t, work, d.CHOSEN)
    norm, weight = part(t, work, d.NORM), doubles(t[d.WEIGHT])
    for row in range(nu):
        eta[row] = beta[row]
    for number in range(held):
        mu[number] = -mu[number]
        for col in range(nu):
            mu[number] += m0[col * n + nu + number] * beta[col]
        mu[number] *= weight[rows[number]] / norm[number]
    for number in range(held):
        mu[number] -= dot(at(b, number * nu), mu, number)
        mu[number] /= b[number * (nu + 1)]
    for step in range(held):
        number = held - 1 - step
        mu[number] /= b[number * (nu + 1)]
        add(mu, -mu[number], at(b, number * nu), number)
    for number in range(held):
        mu[number] *= weight[rows[number]] / norm[number]
        add(eta, -mu[number], at(m0, (nu + number) * n), nu)


@native
def _shares(t, work, b, eta, first, second):
    """Write the parts of a right-hand side that take ε and ε²; rows have one that takes 1.

    first is [S b_u, -E η], second [-r_q η, -E K η].
    """
    nq, nu, n, s = t[d.NQ], t[d.NU], unknowns(t, work), part(t, work, d.S)
    m1, m2 = part(t, work, d.M1), part(t, work, d.M2)
    for row in range(n):
        first[row] = s[row] * b[nq + row] if row < nu else 0.0
        second[row] = 0.0
    for col in range(nu):
        add(at(first, nu), -eta[col], at(m1, col * n + nu), n - nu)
        add(second, -eta[col], at(m2, col * n), n)


@native
def _held_rows(t, work, b, number):
    """Return b_Φ and b_c of a held row, scaled."""
    norm, row = part(t, work, d.NORM)[number], whole(t, work, d.CHOSEN)[number]
    first = t[d.NQ] + t[d.NU]
    return norm * b[first + t[d.M] + row], norm * b[first + row]


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
def _turning(t, work, v, out):
    """Set out = K v, scaled."""
    nu, s, k = t[d.NU], part(t, work, d.S), part(t, work, d.K)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nu):
        add(out, s[col] * v[col], at(k, col * nu), nu)
    for row in range(nu):
        out[row] /= s[row]


@native
def _unload(t, work, step, x, lam, mu, beside, b):
    """Write Δq, Δu, Δλ, Δμ over b; `step` is Δξ, `x` Δu, `beside` as of `_beside` times ε."""
    nq, nu, counts = t[d.NQ], t[d.NU], whole(t, work, d.COUNTS)
    s, rows, norm, w = (
        part(t, work, d.S),
        whole(t, work, d.CHOSEN),
        part(t, work, d.NORM),
        part(t, work, d.W0),
    )
    for row in range(nu):
        b[nq + row] = s[row] * x[row]
    for row in range(nq):
        b[row] = beside[row]
    for col in range(nu):
        add(b, s[col] * step[col], at(w, col * nq), nq)
    for row in range(t[d.M] + t[d.MH]):
        b[nq + nu + row] = 0.0
    for number in range(counts[d.RANKED]):
        b[nq + nu + rows[number]] = norm[number] * lam[number]
    for number in range(counts[d.HELD]):
        b[nq + nu + t[d.M] + rows[number]] = norm[number] * mu[number]


@native
def solve_real(i, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, n, counts = t[d.NQ], t[d.NU], unknowns(t, work), whole(t, work, d.COUNTS)
    eta, first, second = _vector(t, work, 0), _vector(t, work, 1), _vector(t, work, 2)
    mu, x, e = _vector(t, work, 3), part(t, work, d.SIDE), 1.0 / g
    norm, rows = part(t, work, d.NORM), whole(t, work, d.CHOSEN)
    _slope(t, work, b, first)
    for number in range(counts[d.HELD]):
        phi, rate = _held_rows(t, work, b, number)
        mu[number] = g * phi - rate
    _nearest(t, work, first, eta, mu)
    _shares(t, work, b, eta, first, second)
    for row in range(n):
        x[row] = e * (first[row] + e * second[row])
        if row >= nu:
            x[row] += norm[row - nu] * b[nq + nu + rows[row - nu]]
    solve(part(t, work, d.REAL), part(t, work, d.PIVOTS), n, x)
    for row in range(nu):
        eta[row] += x[row]
    _turning(t, work, eta, first)
    for row in range(nu):
        eta[row] = e * (eta[row] + e * first[row])
    for number in range(n - nu):
        first[number] = g * x[nu + number]
    _beside(t, work, b, eta, second)
    for row in range(nq):
        second[row] *= e
    _unload(t, work, eta, x, first, mu, second, b)


@native
def _times(x, y, re, im, n):
    """Multiply x + i y by re + i im."""
    for row in range(n):
        a, b = x[row], y[row]
        x[row], y[row] = re * a - im * b, re * b + im * a


@native
def _plus(x, y, f, g, n):
    """Add f + i g to x + i y."""
    for row in range(n):
        x[row], y[row] = x[row] + f[row], y[row] + g[row]


@native
def _load_pair(t, work, re, im, b, h, vectors):
    """Set η, μ, and the right-hand side in SIDE, of the system for g = re + i im.

    `vectors` are pairs: η, shares of ε, shares of ε², μ.
    """
    (eta, zeta), (f0, f1), (g0, g1), (mu, nu_) = vectors
    nq, nu, n, counts = t[d.NQ], t[d.NU], unknowns(t, work), whole(t, work, d.COUNTS)
    norm, rows, size = part(t, work, d.NORM), whole(t, work, d.CHOSEN), re * re + im * im
    x, ex, ey = part(t, work, d.SIDE), re / size, -im / size
    y = at(x, n)
    _slope(t, work, b, f0)
    _slope(t, work, h, f1)
    for number in range(counts[d.HELD]):
        p, q = _held_rows(t, work, b, number)
        r, w = _held_rows(t, work, h, number)
        mu[number], nu_[number] = re * p - im * r - q, re * r + im * p - w
    _nearest(t, work, f0, eta, mu)
    _nearest(t, work, f1, zeta, nu_)
    _shares(t, work, b, eta, f0, g0)
    _shares(t, work, h, zeta, f1, g1)
    _times(g0, g1, ex, ey, n)
    _plus(f0, f1, g0, g1, n)
    _times(f0, f1, ex, ey, n)
    for row in range(n):
        x[row], y[row] = f0[row], f1[row]
        if row >= nu:
            place = nq + nu + rows[row - nu]
            x[row] += norm[row - nu] * b[place]
            y[row] += norm[row - nu] * h[place]


@native
def solve_complex(i, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    n, nu, nq, size = unknowns(t, work), t[d.NU], t[d.NQ], re * re + im * im
    eta, zeta = _vector(t, work, 0), _vector(t, work, 1)
    f0, f1, g0, g1 = (
        _vector(t, work, 2),
        _vector(t, work, 3),
        _vector(t, work, 4),
        _vector(t, work, 5),
    )
    mu, nu_, ex, ey = _vector(t, work, 6), _vector(t, work, 7), re / size, -im / size
    _load_pair(t, work, re, im, b, h, ((eta, zeta), (f0, f1), (g0, g1), (mu, nu_)))
    x, real = part(t, work, d.SIDE), part(t, work, d.COMPLEX)
    y = at(x, n)
    solve_pair(real, at(real, n * n), at(part(t, work, d.PIVOTS), n), n, x, y)
    _plus(eta, zeta, x, y, nu)
    _turning(t, work, eta, f0)
    _turning(t, work, zeta, f1)
    _times(f0, f1, ex, ey, nu)
    _plus(eta, zeta, f0, f1, nu)
    _times(eta, zeta, ex, ey, nu)
    for number in range(n - nu):
        f0[number], f1[number] = x[nu + number], y[nu + number]
    _times(f0, f1, re, im, n - nu)
    _beside(t, work, b, eta, g0)
    _beside(t, work, h, zeta, g1)
    _times(g0, g1, ex, ey, nq)
    _unload(t, work, eta, x, f0, mu, g0, b)
    _unload(t, work, zeta, y, f1, nu_, g1, h)
