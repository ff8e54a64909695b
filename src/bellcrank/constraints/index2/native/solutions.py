"""Solutions of the linear systems of implicit methods with constraints; see `saddle`.

η is what is nearest to β with C_h η = g b_Φ - b_c; speeds and multipliers follow from the
factors, steps Δξ = (g - K)⁻¹ (Δu + η) from speeds.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.algebra import unknowns
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.linear.native.dense import solve, solve_pair
from bellcrank.linear.native.factor import add, at, dot
from bellcrank.linear.native.raw import doubles, native


@native
def _vector(saddle, work, number):
    """Return one of the spare vectors."""
    length = max(saddle.nq, saddle.nu + saddle.m) + 8
    return at(part(work, saddle.spare), number * length)


@native
def _slope(saddle, work, b, out):
    """Set out = S⁻¹ W⁺ b_q."""
    nq, nu, s, inverse = saddle.nq, saddle.nu, part(work, saddle.s), part(work, saddle.inverse)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nq):
        add(out, b[col], at(inverse, col * nu), nu)
    for row in range(nu):
        out[row] /= s[row]


@native
def _nearest(saddle, work, beta, eta, mu):
    """Set η = β - C_hᵀ μ with C_h η = μ as it was given; all scaled, μ of length HELD.

    C_h C_hᵀ = Rᵀ R is known from how rows were chosen, in rows of other lengths.
    """
    nu, n, held = saddle.nu, unknowns(saddle, work), whole(work, saddle.counts)[d.HELD]
    m0, b, rows = part(work, saddle.m0), part(work, saddle.b), whole(work, saddle.chosen)
    norm, weight = part(work, saddle.norm), doubles(saddle.weight)
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
def _shares(saddle, work, b, eta, first, second):
    """Write the parts of a right-hand side that take ε and ε²; rows have one that takes 1.

    first is [S b_u, -E η], second [-r_q η, -E K η].
    """
    nq, nu, n, s = saddle.nq, saddle.nu, unknowns(saddle, work), part(work, saddle.s)
    m1, m2 = part(work, saddle.m1), part(work, saddle.m2)
    for row in range(n):
        first[row] = s[row] * b[nq + row] if row < nu else 0.0
        second[row] = 0.0
    for col in range(nu):
        add(at(first, nu), -eta[col], at(m1, col * n + nu), n - nu)
        add(second, -eta[col], at(m2, col * n), n)


@native
def _held_rows(saddle, work, b, number):
    """Return b_Φ and b_c of a held row, scaled."""
    norm, row = part(work, saddle.norm)[number], whole(work, saddle.chosen)[number]
    first = saddle.nq + saddle.nu
    return norm * b[first + saddle.m + row], norm * b[first + row]


@native
def _beside(saddle, work, b, x, out):
    """Set out to the part of b_q + (W u + x)_q T Δξ that W does not reach."""
    nq, nu, s = saddle.nq, saddle.nu, part(work, saddle.s)
    slopes, inverse, w = (
        part(work, saddle.qd_q),
        part(work, saddle.inverse),
        part(work, saddle.w0),
    )
    within = part(work, saddle.tau)
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
def _turning(saddle, work, v, out):
    """Set out = K v, scaled."""
    nu, s, k = saddle.nu, part(work, saddle.s), part(work, saddle.k)
    for row in range(nu):
        out[row] = 0.0
    for col in range(nu):
        add(out, s[col] * v[col], at(k, col * nu), nu)
    for row in range(nu):
        out[row] /= s[row]


@native
def _unload(saddle, work, step, x, lam, mu, beside, b):
    """Write Δq, Δu, Δλ, Δμ over b; `step` is Δξ, `x` Δu, `beside` as of `_beside` times ε."""
    nq, nu, counts = saddle.nq, saddle.nu, whole(work, saddle.counts)
    s, rows, norm, w = (
        part(work, saddle.s),
        whole(work, saddle.chosen),
        part(work, saddle.norm),
        part(work, saddle.w0),
    )
    for row in range(nu):
        b[nq + row] = s[row] * x[row]
    for row in range(nq):
        b[row] = beside[row]
    for col in range(nu):
        add(b, s[col] * step[col], at(w, col * nq), nq)
    for row in range(saddle.m + saddle.mh):
        b[nq + nu + row] = 0.0
    for number in range(counts[d.RANKED]):
        b[nq + nu + rows[number]] = norm[number] * lam[number]
    for number in range(counts[d.HELD]):
        b[nq + nu + saddle.m + rows[number]] = norm[number] * mu[number]


@native
def solve_real(run, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, n, counts = saddle.nq, saddle.nu, unknowns(saddle, work), whole(work, saddle.counts)
    eta, first, second = (
        _vector(saddle, work, 0),
        _vector(saddle, work, 1),
        _vector(saddle, work, 2),
    )
    mu, x, e = _vector(saddle, work, 3), part(work, saddle.side), 1.0 / g
    norm, rows = part(work, saddle.norm), whole(work, saddle.chosen)
    _slope(saddle, work, b, first)
    for number in range(counts[d.HELD]):
        phi, rate = _held_rows(saddle, work, b, number)
        mu[number] = g * phi - rate
    _nearest(saddle, work, first, eta, mu)
    _shares(saddle, work, b, eta, first, second)
    for row in range(n):
        x[row] = e * (first[row] + e * second[row])
        if row >= nu:
            x[row] += norm[row - nu] * b[nq + nu + rows[row - nu]]
    solve(part(work, saddle.real), part(work, saddle.pivots), n, x)
    for row in range(nu):
        eta[row] += x[row]
    _turning(saddle, work, eta, first)
    for row in range(nu):
        eta[row] = e * (eta[row] + e * first[row])
    for number in range(n - nu):
        first[number] = g * x[nu + number]
    _beside(saddle, work, b, eta, second)
    for row in range(nq):
        second[row] *= e
    _unload(saddle, work, eta, x, first, mu, second, b)


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
def _load_pair(saddle, work, re, im, b, h, vectors):
    """Set η, μ, and the right-hand side in SIDE, of the system for g = re + i im.

    `vectors` are pairs: η, shares of ε, shares of ε², μ.
    """
    (eta, zeta), (f0, f1), (g0, g1), (mu, nu_) = vectors
    nq, nu, n, counts = saddle.nq, saddle.nu, unknowns(saddle, work), whole(work, saddle.counts)
    norm, rows, size = part(work, saddle.norm), whole(work, saddle.chosen), re * re + im * im
    x, ex, ey = part(work, saddle.side), re / size, -im / size
    y = at(x, n)
    _slope(saddle, work, b, f0)
    _slope(saddle, work, h, f1)
    for number in range(counts[d.HELD]):
        p, q = _held_rows(saddle, work, b, number)
        r, w = _held_rows(saddle, work, h, number)
        mu[number], nu_[number] = re * p - im * r - q, re * r + im * p - w
    _nearest(saddle, work, f0, eta, mu)
    _nearest(saddle, work, f1, zeta, nu_)
    _shares(saddle, work, b, eta, f0, g0)
    _shares(saddle, work, h, zeta, f1, g1)
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
def solve_complex(run, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    saddle, work = saddle_at(run.saddle), run.matrices
    n, nu, nq, size = unknowns(saddle, work), saddle.nu, saddle.nq, re * re + im * im
    eta, zeta = _vector(saddle, work, 0), _vector(saddle, work, 1)
    f0, f1, g0, g1 = (
        _vector(saddle, work, 2),
        _vector(saddle, work, 3),
        _vector(saddle, work, 4),
        _vector(saddle, work, 5),
    )
    mu, nu_, ex, ey = _vector(saddle, work, 6), _vector(saddle, work, 7), re / size, -im / size
    _load_pair(saddle, work, re, im, b, h, ((eta, zeta), (f0, f1), (g0, g1), (mu, nu_)))
    x, real = part(work, saddle.side), part(work, saddle.complex)
    y = at(x, n)
    solve_pair(real, at(real, n * n), at(part(work, saddle.pivots), n), n, x, y)
    _plus(eta, zeta, x, y, nu)
    _turning(saddle, work, eta, f0)
    _turning(saddle, work, zeta, f1)
    _times(f0, f1, ex, ey, nu)
    _plus(eta, zeta, f0, f1, nu)
    _times(eta, zeta, ex, ey, nu)
    for number in range(n - nu):
        f0[number], f1[number] = x[nu + number], y[nu + number]
    _times(f0, f1, re, im, n - nu)
    _beside(saddle, work, b, eta, g0)
    _beside(saddle, work, h, zeta, g1)
    _times(g0, g1, ex, ey, nq)
    _unload(saddle, work, eta, x, f0, mu, g0, b)
    _unload(saddle, work, zeta, y, f1, nu_, g1, h)
