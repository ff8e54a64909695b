"""The linear algebra of methods for equations of second order: Δu = g Δξ, Δu̇ = ca Δξ.

What was evaluated and assembled at the frozen Jacobian is as in `saddle`.
"""

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.index2.native.algebra import chosen, scaled, unknowns
from bellcrank.constraints.index2.native.calls import saddle_at
from bellcrank.constraints.native.machine import part, whole
from bellcrank.linear.native.dense import factor, solve
from bellcrank.linear.native.raw import native


@native
def factor_second(run, g, ca):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ; say whether it could be.

    [A + (g r_u + r_q)/ca  Cᵀ; C_h  0; C + E/g  0] in the unknowns Δξ and λ' = Δλ/ca, the last
    line for rows of speeds only.
    """
    saddle, work = saddle_at(run.saddle), run.matrices
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
