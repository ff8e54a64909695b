"""What implicit methods with constraints ask of a large machine: sparse linear algebra.

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

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part
from bellcrank.kernels.native.run import inputs, run_at
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import doubles, native, run_pass
from bellcrank.machine.batched.native import second_order
from bellcrank.machine.batched.native.machine import (
    copy,
    face,
    factor,
    machine_at,
    matrix,
    nearest,
    pushed,
    scaled,
    side,
    solve,
    solve_nearest,
    times,
    unproven,
)


@native
def _look(run, machine, time, place):
    """Point the machine at a time and a state, with the inputs and the memory of the run."""
    inputs(run, time)
    q, u = doubles(place), doubles(place + 8 * machine.nq)
    face(machine, time, q, u, doubles(run.w), doubles(run.memory))


@native
def _residuals(run, machine, time, place, mu, out):
    """Write q̇ = W (u − D C_hᵀ μ), −r, −(C u − ν), −Φ; a and λ are in the run's memory."""
    saddle, work, nq, nu, m = (
        saddle_at(run.saddle),
        run.matrices,
        machine.nq,
        machine.nu,
        machine.m,
    )
    _look(run, machine, time, place)
    copy(doubles(machine.a), part(work, saddle.acceleration), nu)
    copy(doubles(machine.lam), part(work, saddle.lam), m)
    v, u = doubles(machine.v), doubles(machine.u)
    pushed(machine, doubles(machine.m0), mu, machine.mh, v)
    for n in range(nu):
        v[n] = u[n] - v[n]
    run_pass(machine.pass_routine, machine.flow)
    run_pass(machine.pass_routine, machine.stage)
    run.evaluations += 1
    r, phi, rates = doubles(machine.r), doubles(machine.phi), doubles(machine.rates)
    copy(out, doubles(machine.q_rate), nq)
    for n in range(nu):
        out[nq + n] = -r[n]
    for n in range(m):
        out[nq + nu + n] = -rates[n]
    for n in range(machine.mh):
        out[nq + nu + m + n] = -phi[n]


@native
def _take(run, machine, time, place):
    """Evaluate M0, M1, M2 at a point where K row 0 has the derivative; False if singular."""
    saddle, work, nu, nq = saddle_at(run.saddle), run.matrices, machine.nu, machine.nq
    m0, m1, m2 = doubles(machine.m0), doubles(machine.m1), doubles(machine.m2)
    _look(run, machine, time, place)
    copy(doubles(machine.a), at(doubles(run.slopes), nq), nu)
    copy(doubles(machine.lam), doubles(machine.known), machine.m)
    copy(part(work, saddle.lam0), doubles(machine.known), machine.m)
    copy(doubles(machine.q_taken), doubles(machine.q), nq)
    run.jacobians += 1
    run.dependent = 1
    matrix(machine, m0, 0.0, 0.0, 0.0, 0.0, 0.0)  # what has no factor
    matrix(machine, m1, 0.0, 1.0, 0.0, 0.0, 0.0)
    matrix(machine, m2, 0.0, 0.0, 1.0, 0.0, 0.0)
    run_pass(machine.pass_routine, machine.slopes)
    slopes = doubles(machine.e_found)
    for n in range(machine.entries):
        m1[n] += slopes[n] - m0[n]
        m2[n] -= m0[n]
    matrix(machine, m0, 1.0, 0.0, 0.0, 1.0, 0.0)
    if machine.held != 0 and not nearest(machine, m0, unproven(run, machine)):
        return False
    run.dependent = 0
    return True


@native
def _factor_real(run, machine, g):
    m0, m1, m2 = doubles(machine.m0), doubles(machine.m1), doubles(machine.m2)
    out, x = doubles(machine.mixed), 1.0 / g
    for n in range(machine.entries):
        out[n] = m0[n] + x * (m1[n] + x * m2[n])
    scaled(machine, out, 1)
    run.factorizations += 1
    return factor(machine, machine.real, unproven(run, machine), out)


@native
def _factor_complex(run, machine, re, im):
    m0, m1, m2 = doubles(machine.m0), doubles(machine.m1), doubles(machine.m2)
    out, size = doubles(machine.mixed), re * re + im * im
    x, y = re / size, -im / size
    for n in range(machine.entries):
        out[2 * n] = m0[n] + x * m1[n] + (x * x - y * y) * m2[n]
        out[2 * n + 1] = y * m1[n] + 2.0 * x * y * m2[n]
    scaled(machine, out, 2)
    run.factorizations += 1
    good = factor(machine, machine.complex, unproven(run, machine), out)
    machine.seen = run.rejected
    return good


@native
def _tangent(machine, b, out):
    """Set out = W⁺ b_q."""
    copy(doubles(machine.b), b, machine.nq)
    run_pass(machine.pass_routine, machine.tangent)
    copy(out, doubles(machine.tangent_found), machine.nu)


@native
def _finish(machine, b, shift):
    """Make Δq = ε b_q + W (Δξ − ε β) of b, which holds ε b_q; `shift` is what W takes."""
    copy(doubles(machine.v_taken), shift, machine.nu)
    run_pass(machine.pass_routine, machine.flow_taken)
    found = doubles(machine.q_rate_taken)
    for n in range(machine.nq):
        b[n] += found[n]


@native
def _nearest(machine, b):
    """Replace [β, Δ] by [η, μ], or by [β, 0] where stages do not hold positions."""
    if machine.held != 0:
        solve_nearest(machine, b)
    else:
        for n in range(machine.m):
            b[machine.nu + n] = 0.0


@native
def _turned(machine, eta, out):
    """Set out = [r_q η; E η]."""
    nu, m = machine.nu, machine.m
    times(machine, doubles(machine.m2), eta, 0, nu, out)
    times(machine, doubles(machine.m1), eta, nu, nu + m, at(out, nu))


@native
def _solve_real(machine, g, b):
    """Replace b = [b_q, b_u, b_c, b_Φ] by Δq, Δu, Δλ, Δμ for a real g."""
    nq, nu, m, mh, scale = machine.nq, machine.nu, machine.m, machine.mh, doubles(machine.scale)
    beta, eta, x, turned, k = (
        side(machine, 0),
        side(machine, 1),
        side(machine, 2),
        side(machine, 3),
        1.0 / g,
    )
    bu, bc, bphi = at(b, nq), at(b, nq + nu), at(b, nq + nu + m)
    _tangent(machine, b, beta)
    copy(eta, beta, nu)
    for n in range(m):
        eta[nu + n] = g * bphi[n] - bc[n] if n < mh else 0.0
    _nearest(machine, eta)
    _turned(machine, eta, turned)
    for n in range(nu):
        x[n] = scale[n] * k * (bu[n] - k * turned[n])
    for n in range(nu, nu + m):
        x[n] = scale[n] * (b[nq + n] - k * turned[n])
    solve(machine, machine.real, x)
    for n in range(nu):
        bu[n] = scale[n] * x[n]
        beta[n] = k * (bu[n] + eta[n] - beta[n])
    for n in range(m):
        bc[n] = g * scale[nu + n] * x[nu + n]
    for n in range(mh):
        bphi[n] = eta[nu + n]
    for n in range(nq):
        b[n] *= k
    _finish(machine, b, beta)


@native
def _complex_side(machine, x, y, b, h, first, second, z):
    """Write the scaled right-hand side of the complex system, real and imaginary in turn.

    `first` and `second` are η, ε = x + i y.
    """
    nu, m, nq, scale = machine.nu, machine.m, machine.nq, doubles(machine.scale)
    top, low = side(machine, 4), side(machine, 5)
    _turned(machine, first, top)
    _turned(machine, second, low)
    for n in range(nu):
        p, q = b[nq + n] - x * top[n] + y * low[n], h[nq + n] - x * low[n] - y * top[n]
        z[2 * n], z[2 * n + 1] = scale[n] * (x * p - y * q), scale[n] * (x * q + y * p)
    for n in range(nu, nu + m):
        z[2 * n] = scale[n] * (b[nq + n] - x * top[n] + y * low[n])
        z[2 * n + 1] = scale[n] * (h[nq + n] - x * low[n] - y * top[n])


@native
def _solve_complex(machine, re, im, b, h):
    """Replace b + i h by the solution for g = re + i im."""
    nq, nu, m, mh, scale = machine.nq, machine.nu, machine.m, machine.mh, doubles(machine.scale)
    size, z = re * re + im * im, side(machine, 6)
    x, y = re / size, -im / size
    beta0, beta1, eta0, eta1 = (
        side(machine, 0),
        side(machine, 1),
        side(machine, 2),
        side(machine, 3),
    )
    _tangent(machine, b, beta0)
    _tangent(machine, h, beta1)
    copy(eta0, beta0, nu)
    copy(eta1, beta1, nu)
    for n in range(m):
        p, q = b[nq + nu + m + n] if n < mh else 0.0, h[nq + nu + m + n] if n < mh else 0.0
        eta0[nu + n] = re * p - im * q - b[nq + nu + n] if n < mh else 0.0
        eta1[nu + n] = re * q + im * p - h[nq + nu + n] if n < mh else 0.0
    _nearest(machine, eta0)
    _nearest(machine, eta1)
    _complex_side(machine, x, y, b, h, eta0, eta1, z)
    solve(machine, machine.complex, z)
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
    _finish(machine, b, beta0)
    _finish(machine, h, beta1)


def sparse_saddle(block, first, second, third, what):
    """Do what is asked, as `index2.native.routine` does; return 1 if it could be done."""
    run = run_at(block)
    saddle = saddle_at(run.saddle)
    machine, numbers = machine_at(saddle.sparse), part(run.matrices, saddle.numbers)
    x, y, good = numbers[0], numbers[1], True
    if what == d.TAKE:
        machine.held = second
        good = _take(run, machine, x, first)
    elif what == d.FACTOR_REAL:
        good = _factor_real(run, machine, x)
    elif what == d.FACTOR_COMPLEX:
        good = _factor_complex(run, machine, x, y)
    elif what == d.SOLVE_REAL:
        _solve_real(machine, x, doubles(first))
    elif what == d.SOLVE_COMPLEX:
        _solve_complex(machine, x, y, doubles(first), doubles(second))
    elif what == d.RESIDUALS:
        _residuals(run, machine, x, first, doubles(second), doubles(third))
    elif what == d.PUSH:
        pushed(machine, doubles(machine.m0), doubles(first), machine.m, doubles(second))
    elif what == d.MASS_TIMES:
        times(machine, doubles(machine.m0), doubles(first), 0, machine.nu, doubles(second))
    elif what == d.MOVE:
        second_order.move(run, machine)
    elif what == d.LACKING:
        second_order.lacking(run, machine, doubles(first))
    elif what == d.RATES:
        second_order.rates(machine, doubles(first))
    elif what == d.FACTOR_SECOND:
        good = second_order.factor_second(run, machine, x, y, numbers[2])
    elif what == d.SOLVE_SECOND:
        second_order.solve_second(machine, x, y, doubles(first))
    return 1 if good else 0  # HALFWAY is not needed: bodies move on their groups
