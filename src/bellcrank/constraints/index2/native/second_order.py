"""Methods for equations of second order: how a step ξ moves, and Δu = g Δξ, Δu̇ = ca Δξ.

    q₁ = q₀ + W ξ + h x,  normalized

W and x are those of the middle of the step, so that q is of order 2 whatever the coordinates.
What was evaluated and assembled at the frozen Jacobian is as in `saddle`.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.algebra import chosen, scaled, unknowns
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.index2.native.residuals import compute, face, take_jacobian
from bellcrank.constraints.native.machine import part, whole
from bellcrank.kernels.native.run import normalize
from bellcrank.linear.native.dense import factor, solve
from bellcrank.linear.native.factor import add, at
from bellcrank.linear.native.raw import doubles, native


@native
def _own(run):
    """Set PLACE of the run to the state that the method goes on with."""
    saddle, work = saddle_at(run.saddle), run.matrices
    q, u, place = (
        part(work, saddle.own_place),
        part(work, saddle.own_speed),
        doubles(run.place),
    )
    for n in range(saddle.nq):
        place[n] = q[n]
    for j in range(saddle.nu):
        place[saddle.nq + j] = u[j]


@native
def _flow(nq, nu, w, u, rate):
    """Add W u to a rate."""
    for j in range(nu):
        add(rate, u[j], at(w, j * nq), nq)


@native
def halfway(run):
    """Set W_MIDDLE and X_MIDDLE, with q there from the speeds at the beginning."""
    saddle, work, nq = saddle_at(run.saddle), run.matrices, saddle_at(run.saddle).nq
    w, rate = part(work, saddle.w_middle), part(work, saddle.x_middle)
    _own(run)
    face(run, run.time, run.place)
    compute(run, saddle.kinematics, saddle.w_middle, saddle.x_middle)
    _flow(nq, saddle.nu, w, part(work, saddle.own_speed), rate)
    add(doubles(run.place), 0.5 * run.step, rate, nq)
    face(run, run.time + 0.5 * run.step, run.place)
    compute(run, saddle.kinematics, saddle.w_middle, saddle.x_middle)


@native
def move(run):
    """Set q of X1 to OWN_PLACE moved by SHIFT, and point the kernels there."""
    saddle, work, nq = saddle_at(run.saddle), run.matrices, saddle_at(run.saddle).nq
    q, q1, found = part(work, saddle.own_place), doubles(run.x1), part(work, saddle.place)
    for n in range(nq):
        q1[n] = q[n]
    add(q1, run.step, part(work, saddle.x_middle), nq)
    _flow(nq, saddle.nu, part(work, saddle.w_middle), part(work, saddle.shift), q1)
    face(run, run.time1, run.x1)
    for n in range(nq):
        q1[n] = found[n]


@native
def rates(run, out):
    """Write q̇ = W u + x where the kernels point, u being that of X1."""
    saddle, work, nq = saddle_at(run.saddle), run.matrices, saddle_at(run.saddle).nq
    x, w = part(work, saddle.x), part(work, saddle.w)
    compute(run, saddle.kinematics, saddle.w, saddle.x)
    for n in range(nq):
        out[n] = x[n]
    _flow(nq, saddle.nu, w, doubles(run.x1 + 8 * nq), out)


@native
def factor_second(run, g, ca):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ; say whether it could be.

    X is brought onto the constraints first, where it is seen which rows are independent. Where
    there are none, X1 is the place: in a body whose frame is far from it, at c, inertia about
    its own centre cancels only where the matrix has the attitude of the residual. One that is
    behind by δ contracts by δ² m c²/J.

    [A + (g r_u + r_q)/ca  Cᵀ; C_h  0; C + E/g  0] in the unknowns Δξ and λ' = Δλ/ca, the last
    line for rows of speeds only.
    """
    saddle, work = saddle_at(run.saddle), run.matrices
    if run.rough != 0:
        normalize(run, run.time, run.x)
        run.rough = 0
    if saddle.m == 0:
        if not take_jacobian(run, run.time1, run.x1, True):
            return False
    elif not take_jacobian(run, run.time, run.x, True):
        return False
    nu, counts, out = saddle.nu, whole(work, saddle.counts), part(work, saddle.real)
    ranked, held, m0 = counts[d.RANKED], counts[d.HELD], part(work, saddle.m0)
    n, lead = nu + ranked, unknowns(saddle, work)
    for col in range(nu):
        for row in range(nu):
            slope = g * scaled(saddle, work, saddle.r_u, row, col) + scaled(
                saddle, work, saddle.r_q, row, col
            )
            out[col * n + row] = m0[col * lead + row] + slope / ca
        for number in range(ranked):
            value = m0[col * lead + nu + number]
            out[(nu + number) * n + col] = m0[(nu + number) * lead + col]
            if number >= held and col < nu - saddle.ns:
                value += chosen(saddle, work, saddle.e, number, col) / g
            out[col * n + nu + number] = value
    for col in range(nu, n):
        for row in range(nu, n):
            out[col * n + row] = 0.0
    run.factorizations += 1
    return factor(out, part(work, saddle.pivots), n)


@native
def solve_second(run, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    saddle, work = saddle_at(run.saddle), run.matrices
    nq, nu, m, counts = saddle.nq, saddle.nu, saddle.m, whole(work, saddle.counts)
    ranked, held, y = counts[d.RANKED], counts[d.HELD], part(work, saddle.side)
    rows, norm, s = whole(work, saddle.chosen), part(work, saddle.norm), part(work, saddle.s)
    for j in range(nu):
        y[j] = s[j] * b[nq + j] / ca
    for number in range(ranked):
        left = b[nq + nu + rows[number]] / g
        if number < held:
            left = b[nq + nu + m + rows[number]]
        y[nu + number] = norm[number] * left
    solve(part(work, saddle.real), part(work, saddle.pivots), nu + ranked, y)
    for j in range(nu):
        b[nq + j] = s[j] * y[j]
    for row in range(m):
        b[nq + nu + row] = 0.0
    for number in range(ranked):
        b[nq + nu + rows[number]] = norm[number] * ca * y[nu + number]
