"""What methods for equations of second order ask of a large machine.

Bodies move on their groups: q₁ is q₀ displaced and turned by ξ, so that Euler parameters stay
at unit length. With Δu = g Δξ, Δu̇ = ca Δξ, s = 1/ca and λ' = s Δλ, Newton's method has

    [A + s g r_u + s r_q  Cᵀ; C_h  0; C + E/g  0] [Δξ; λ'] = [s b_u; b_Φ; b_c/g]

the last line for velocity rows. Redundant rows stay: −ε on their diagonal keeps the matrix
regular.
"""

from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part
from bellcrank.kernels.native.run import inputs
from bellcrank.linear.native.factor import at
from bellcrank.linear.native.raw import doubles, native, run_pass
from bellcrank.machine.batched.native.machine import (
    copy,
    factor,
    matrix,
    scaled,
    side,
    solve,
    unproven,
)


@native
def _look(run, machine, time):
    """Set time, inputs and memory."""
    inputs(run, time)
    doubles(machine.t)[0] = time
    copy(doubles(machine.w), doubles(run.w), machine.nw)
    copy(doubles(machine.k), doubles(run.memory), machine.nk)


@native
def move(run, machine):
    """Set q of X1 to OWN_PLACE moved by SHIFT; the machine is there then, with u of X1."""
    saddle, work, nq, nu = saddle_at(run.saddle), run.matrices, machine.nq, machine.nu
    q1 = doubles(run.x1)
    _look(run, machine, run.time1)
    copy(doubles(machine.q0), part(work, saddle.own_place), nq)
    copy(doubles(machine.x), part(work, saddle.shift), nu)
    copy(doubles(machine.u), at(q1, nq), nu)
    run_pass(machine.pass_routine, machine.move)
    copy(q1, doubles(machine.q), nq)


@native
def lacking(run, machine, out):
    """Write [.., -r, -(C u - ν), -Φ] where the machine is; of C u - ν velocity rows alone."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, m, mh, left = (
        machine.nq,
        machine.nu,
        machine.m,
        machine.mh,
        doubles(machine.lacking),
    )
    copy(doubles(machine.a), part(work, saddle.acceleration), nu)
    copy(doubles(machine.lam), part(work, saddle.lam), m)
    run_pass(machine.pass_routine, machine.residual)
    run.evaluations += 1
    for n in range(nu + m):
        out[nq + n] = -left[n]
    for n in range(mh):
        out[nq + nu + m + n] = -left[nu + n]


@native
def rates(machine, out):
    """Write q̇ where the machine is."""
    copy(doubles(machine.v), doubles(machine.u), machine.nu)
    run_pass(machine.pass_routine, machine.flow)
    copy(out, doubles(machine.q_rate), machine.nq)


@native
def _expect(run, machine, ahead):
    """Put the machine where it is expected to be a time `ahead` after X, with u̇ and λ of X."""
    saddle, work, nq, nu = saddle_at(run.saddle), run.matrices, machine.nq, machine.nu
    x, f0, lam0 = doubles(run.x), doubles(run.slopes), part(work, saddle.lam0)
    step, u, a = doubles(machine.x), doubles(machine.u), doubles(machine.a)
    known = doubles(machine.known)
    if run.guide_h != 0.0:  # λ where the last step ended
        known = at(part(work, saddle.before), machine.m)
    _look(run, machine, run.time + ahead)
    copy(doubles(machine.q0), x, nq)
    for j in range(nu):
        a[j] = f0[nq + j]
        u[j] = x[nq + j] + ahead * a[j]
        step[j] = ahead * (x[nq + j] + 0.5 * ahead * a[j])
    run_pass(machine.pass_routine, machine.move)
    copy(lam0, known, machine.m)
    copy(doubles(machine.lam), known, machine.m)


@native
def factor_second(run, machine, g, ca, ahead):
    """Factorise with the matrices expected a time `ahead` after X; say whether it could be."""
    out, s, nothing = doubles(machine.mixed), 1.0 / ca, 0.0
    _expect(run, machine, ahead)
    matrix(machine, out, 1.0, s * g, s, 1.0, 1.0 / g)
    for n in range(machine.entries):
        nothing += 0.0 * out[n]
    if nothing != 0.0:
        return False
    scaled(machine, out, 1)
    run.jacobians += 1
    run.factorizations += 1
    good = factor(machine, machine.real, unproven(run, machine), out)
    machine.seen = run.rejected
    return good


@native
def solve_second(machine, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
    x, scale = side(machine, 0), doubles(machine.scale)
    for n in range(nu):
        x[n] = scale[n] * b[nq + n] / ca
    for n in range(mh):
        x[nu + n] = scale[nu + n] * b[nq + nu + m + n]
    for n in range(nu + mh, nu + m):
        x[n] = scale[n] * b[nq + n] / g
    solve(machine, machine.real, x)
    for n in range(nu):
        b[nq + n] = scale[n] * x[n]
    for n in range(nu, nu + m):
        b[nq + n] = ca * scale[n] * x[n]
