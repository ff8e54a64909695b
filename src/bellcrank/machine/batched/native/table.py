"""The table of a batched machine, for routines in native code: `machine`, `kernels`.

All but sizes are addresses. Matrices hold the stored entries of one pattern, by columns.
"""

from itertools import count

_i = count()
NQ, NU, M, MH, NW, MODES, NK = (next(_i) for _ in range(7))  # as everywhere; modes and all of k
ENTRIES = next(_i)  # stored entries of the matrix

# rounds, and what makes one
PLAY, MOVE, STAGE, FLOW, ROWS, ITERATION, SLOPES, MEMORY = (next(_i) for _ in range(8))
FLOW_TAKEN, TANGENT = next(_i), next(_i)  # where the Jacobian was taken

# vectors that rounds look at; Q0 and X are those of `move`, V those of `flow`
T, Q0, X, Q, U, W, K, A, LAM, FACTORS = (next(_i) for _ in range(10))
V, Q_TAKEN, V_TAKEN, B = (next(_i) for _ in range(4))
PLAIN_AT = next(_i)  # q, t, w and k where [A Cᵀ; C 0] was factorised

# what rounds give: r; Φ; C u − ν (of `stage`); T v; γ; entries; E; T⁺ b; z and angles
R, PHI, RATES, Q_RATE, GAMMA, FOUND, E_FOUND, TANGENT_FOUND, Q_RATE_TAKEN = (
    next(_i) for _ in range(9)
)
Z, ANGLES, IS_ANGLE = next(_i), next(_i), next(_i)

# the pattern, and places of the diagonal
STARTS, DOWN, DIAGONAL = (next(_i) for _ in range(3))
SCALE = next(_i)  # (NU + M,) of equations and unknowns; D is its square
WEIGHT = next(_i)  # (M,) 1 / nominal size of residuals
EPSILON = next(_i)  # (M,) ε on the scaled diagonal of rows, in Newton's method

# M0 = [A Cᵀ; C 0], M1 = [r_u 0; E 0], M2 = [r_q 0; 0 0] where the Jacobian was taken
M0, M1, M2 = (next(_i) for _ in range(3))
MIXED = next(_i)  # (2 ENTRIES,) what is being factorised
SIDE = next(_i)  # (SIDES, NU + M) right-hand sides; the complex one takes the last two
KNOWN = next(_i)  # (M,) λ as `rhs` found it last

# factors: routines for real and for complex matrices and records, as of `linear.sparse_lu`
LU, LU_COMPLEX = next(_i), next(_i)
REAL, COMPLEX, NEAREST, PLAIN = (next(_i) for _ in range(4))
SEEN = next(_i)  # for how many rejected steps pivots have served
HELD = next(_i)  # whether stages hold positions
LENGTH = next(_i)

SIDES = 8
REGULAR = 1e-10  # ε on the scaled diagonal of rows, so that redundant ones do no harm
# The same of rows that repeat others, in Newton's method, which meets them all the same. Away
# from the constraints they disagree by δ, which 1/ε times as large becomes multipliers that
# nothing determines: with 1e-10 they drowned the iteration. All other rows have 1e-10: in long
# lattices of n cells C A⁻¹ Cᵀ is as small as 1/n⁴ along some rows, and ε has to be smaller.
REGULAR_REPEATED = 1e-7

# what kernels of a machine are asked for
RHS, NORMALIZE, SWITCHES, REVISE = range(4)
