"""The linear algebra of methods for equations of second order: Δu = g Δξ, Δu̇ = ca Δξ.

What was evaluated and assembled at the frozen Jacobian is as in `saddle`.
"""

from bellcrank.constraints.native.machine import integers, part, whole
from bellcrank.integrators import contract as c
from bellcrank.integrators import saddle_table as d
from bellcrank.integrators.native.saddle import chosen, scaled, unknowns
from bellcrank.linear.native.dense import factor, solve
from bellcrank.linear.native.raw import native


@native
def factor_second(i, g, ca):
    """Factorise where Δu = g Δξ and Δu̇ = ca Δξ; say whether it could be.

    [A + (g r_u + r_q)/ca  Cᵀ; C_h  0; C + E/g  0] in the unknowns Δξ and λ' = Δλ/ca, the last
    line for rows of speeds only.
    """
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nu, counts, out = t[d.NU], whole(t, work, d.COUNTS), part(t, work, d.REAL)
    ranked, held, m0 = counts[d.RANKED], counts[d.HELD], part(t, work, d.M0)
    n, lead = nu + ranked, unknowns(t, work)
    for col in range(nu):
        for row in range(nu):
            slope = g * scaled(t, work, d.R_U, row, col) + scaled(t, work, d.R_Q, row, col)
            out[col * n + row] = m0[col * lead + row] + slope / ca
        for number in range(ranked):
            value = m0[col * lead + nu + number]
            out[(nu + number) * n + col] = m0[(nu + number) * lead + col]
            if number >= held and col < nu - t[d.NS]:
                value += chosen(t, work, d.E, number, col) / g
            out[col * n + nu + number] = value
    for col in range(nu, n):
        for row in range(nu, n):
            out[col * n + row] = 0.0
    i[c.FACTORIZATIONS] += 1
    return factor(out, part(t, work, d.PIVOTS), n)


@native
def solve_second(i, g, ca, b):
    """Replace b = [.., b_u, b_c, b_Φ] by [.., Δξ, Δλ, ..]."""
    t, work = integers(i[c.SADDLE]), i[c.MATRICES]
    nq, nu, m, counts = t[d.NQ], t[d.NU], t[d.M], whole(t, work, d.COUNTS)
    ranked, held, y = counts[d.RANKED], counts[d.HELD], part(t, work, d.SIDE)
    rows, norm, s = whole(t, work, d.CHOSEN), part(t, work, d.NORM), part(t, work, d.S)
    for j in range(nu):
        y[j] = s[j] * b[nq + j] / ca
    for number in range(ranked):
        left = b[nq + nu + rows[number]] / g
        if number < held:
            left = b[nq + nu + m + rows[number]]
        y[nu + number] = norm[number] * left
    solve(part(t, work, d.REAL), part(t, work, d.PIVOTS), nu + ranked, y)
    for j in range(nu):
        b[nq + j] = s[j] * y[j]
    for row in range(m):
        b[nq + nu + row] = 0.0
    for number in range(ranked):
        b[nq + nu + rows[number]] = norm[number] * ca * y[nu + number]
