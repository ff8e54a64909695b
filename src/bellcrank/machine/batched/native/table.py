"""The table of a batched machine, for routines in native code: `machine`, `kernels`.

All but sizes are addresses. Matrices hold the stored entries of one pattern, by columns.
"""

from bellcrank.kernels.layout import layout

LAYOUT = layout(
    integers=(
        "nq nu m mh nw modes nk",  # as everywhere; modes and all of k
        "entries",  # stored entries of the matrix
        # passes, and what makes one
        "pass_routine move stage flow rows iteration slopes memory residual",
        "flow_taken tangent",  # where the Jacobian was taken
        # vectors that passes look at; Q0 and X are those of `move`, V those of `flow`
        "t q0 x q u w k a lam factors",
        "v q_taken v_taken b",
        "plain_at",  # q, t, w and k where [A Cᵀ; C 0] was factorised
        # what passes give: r; Φ; C u − ν (of `stage`); T v; γ; entries; E; T⁺ b; z and angles
        "r phi rates q_rate gamma found e_found tangent_found q_rate_taken",
        "lacking",  # of `residual`: r; Φ of position rows, C u − ν of others
        "z angles is_angle",
        # the pattern, and places of the diagonal
        "starts down diagonal",
        "scale",  # (NU + M,) of equations and unknowns; D is its square
        "weight",  # (M,) 1 / nominal size of residuals
        "epsilon",  # (M,) ε on the scaled diagonal of rows, in Newton's method
        # M0 = [A Cᵀ; C 0], M1 = [r_u 0; E 0], M2 = [r_q 0; 0 0] where the Jacobian was taken
        "m0 m1 m2",
        "mixed",  # (2 ENTRIES,) what is being factorised
        "side",  # (SIDES, NU + M) right-hand sides; the complex one takes the last two
        "known",  # (M,) λ as `rhs` found it last
        # factors: routines for real and for complex matrices and records, as of
        # `linear.sparse_lu`
        "lu lu_complex",
        "real complex nearest plain",
        "seen",  # for how many rejected steps pivots have served
        "held",  # whether stages hold positions
    ),
)

SIDES = 8
REGULAR = 1e-10  # ε on the scaled diagonal of rows, so that redundant ones do no harm
# The same of rows that repeat others, in Newton's method, which meets them all the same. Away
# from the constraints they disagree by δ, which 1/ε times as large becomes multipliers that
# nothing determines: with 1e-10 they drowned the iteration. All other rows have 1e-10: in long
# lattices of n cells C A⁻¹ Cᵀ is as small as 1/n⁴ along some rows, and ε has to be smaller.
REGULAR_REPEATED = 1e-7

# what kernels of a machine are asked for
RHS, NORMALIZE, SWITCHES, REVISE = range(4)
