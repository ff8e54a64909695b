"""Dense linear algebra of implicit methods: (μM - F) d = M b, real and complex.

Matrices lie column by column. Complex ones are two real ones, so that loops run over whole
vectors. M = diag(1, A, 1), F = M ∂ẋ/∂x.

Where q̇ = u exactly and there are no other states, F = [0 1; F_q F_u] and the system shrinks to
half its size, the factorisation to an eighth of its work:

    (μ²A - μF_u - F_q) d_u = μ A b_u + F_q b_q,   d_q = (b_q + d_u)/μ
"""

from bellcrank.kernels.native.run import inputs_of, look, outputs_of
from bellcrank.linear.native.dense import factor, factor_pair, solve, solve_pair
from bellcrank.linear.native.factor import without_infinite
from bellcrank.linear.native.raw import call, doubles, native

# Behind MATRICES: F (n²), A (nu²), real factors (n²), complex factors (2n²), pivots (2n),
# right-hand sides (2n); n is NX.


@native
def _mass_at(run):
    return run.matrices + 8 * run.nx * run.nx


@native
def _factors_at(run, number):
    """Return where factors are: 0 real, 1 and 2 real and imaginary part."""
    n, nu = run.nx, run.nu
    return run.matrices + 8 * (n * n * (1 + number) + nu * nu)


@native
def _pivots_at(run, number):
    """Return where pivots are: 0 real, 1 complex; 2 and 3 are the right-hand sides."""
    n, nu = run.nx, run.nu
    return run.matrices + 8 * (4 * n * n + nu * nu + number * n)


@native
def take_jacobian(run, time, place):
    """Evaluate F and A at a time and a place; True, for it can always be done.

    Laws with vertical tangents, such as sqrt(abs(x)) at 0, have no slope; Newton's method
    does without.
    """
    look(run, time, place)
    run.out = run.matrices
    run.out1 = _mass_at(run)
    call(run.jacobian, inputs_of(run), outputs_of(run), run.work)
    without_infinite(doubles(run.matrices), run.nx * run.nx)
    run.jacobians += 1
    return True


@native
def _size(run):
    return run.nu if run.second_order != 0 else run.nx


@native
def _assemble(run, out, mu, square, unit):
    """Write the part of the matrix in which μ, μ² and 1 have these parts (real or imaginary).

    unit is 1 for the real part and 0 for the imaginary one; F itself is real.
    """
    n, nq, nu = run.nx, run.nq, run.nu
    jacobian, mass = doubles(run.matrices), doubles(_mass_at(run))
    if run.second_order != 0:
        for col in range(nu):
            for row in range(nu):
                by_q = jacobian[col * n + nq + row]
                by_u = jacobian[(nq + col) * n + nq + row]
                entry = square * mass[col * nu + row] - mu * by_u - unit * by_q
                out[col * nu + row] = entry
        return
    for place in range(n * n):
        out[place] = -unit * jacobian[place]
    for row in range(n):
        if row < nq or row >= nq + nu:
            out[row * n + row] += mu
    for col in range(nu):
        for row in range(nu):
            out[(nq + col) * n + nq + row] += mu * mass[col * nu + row]


@native
def factor_real(run, mu):
    """Factorise μM - F; say whether it could be."""
    out = doubles(_factors_at(run, 0))
    _assemble(run, out, mu, mu * mu, 1.0)
    run.factorizations += 1
    return factor(out, doubles(_pivots_at(run, 0)), _size(run))


@native
def factor_complex(run, re, im):
    """Factorise μM - F for μ = re + i im; say whether it could be."""
    real, imaginary = doubles(_factors_at(run, 1)), doubles(_factors_at(run, 2))
    _assemble(run, real, re, re * re - im * im, 1.0)
    _assemble(run, imaginary, im, 2.0 * re * im, 0.0)
    run.factorizations += 1
    return factor_pair(real, imaginary, doubles(_pivots_at(run, 1)), _size(run))


@native
def _load(run, out, b):
    """Write M b, or of the halved system A b_u alone."""
    mass, n, nq, nu = doubles(_mass_at(run)), run.nx, run.nq, run.nu
    first = nq
    if run.second_order != 0:
        first = 0
    else:
        for row in range(nq):
            out[row] = b[row]
        for row in range(nq + nu, n):
            out[row] = b[row]
    for row in range(nu):
        out[first + row] = 0.0
    for col in range(nu):
        value = b[nq + col]
        for row in range(nu):
            out[first + row] += mass[col * nu + row] * value


@native
def _add_positions(run, out, b):
    """Add F_q b_q to a right-hand side of the halved system."""
    jacobian, n, nq, nu = doubles(run.matrices), run.nx, run.nq, run.nu
    for col in range(nq):
        value = b[col]
        for row in range(nu):
            out[row] += jacobian[col * n + nq + row] * value


@native
def solve_real(run, mu, b):
    """Replace the row b by d of (μM - F) d = M b."""
    n, nu = run.nx, run.nu
    side, factors = doubles(_pivots_at(run, 2)), doubles(_factors_at(run, 0))
    pivots = doubles(_pivots_at(run, 0))
    _load(run, side, b)
    if run.second_order == 0:
        solve(factors, pivots, n, side)
        for row in range(n):
            b[row] = side[row]
        return
    for row in range(nu):
        side[row] *= mu
    _add_positions(run, side, b)
    solve(factors, pivots, nu, side)
    for row in range(nu):
        b[row] = (b[row] + side[row]) / mu
        b[nu + row] = side[row]


@native
def solve_complex(run, re, im, b, d):
    """Replace the rows b + i d by the solution of (μM - F) x = M (b + i d), μ = re + i im."""
    n, nu = run.nx, run.nu
    x, y = doubles(_pivots_at(run, 2)), doubles(_pivots_at(run, 3))
    real, imaginary = doubles(_factors_at(run, 1)), doubles(_factors_at(run, 2))
    pivots = doubles(_pivots_at(run, 1))
    _load(run, x, b)
    _load(run, y, d)
    if run.second_order == 0:
        solve_pair(real, imaginary, pivots, n, x, y)
        for row in range(n):
            b[row] = x[row]
            d[row] = y[row]
        return
    for row in range(nu):
        first, second = x[row], y[row]
        x[row] = re * first - im * second
        y[row] = re * second + im * first
    _add_positions(run, x, b)
    _add_positions(run, y, d)
    solve_pair(real, imaginary, pivots, nu, x, y)
    size = re * re + im * im
    for row in range(nu):
        first, second = b[row] + x[row], d[row] + y[row]
        b[row] = (re * first + im * second) / size
        d[row] = (re * second - im * first) / size
        b[nu + row], d[nu + row] = x[row], y[row]
