"""The table that implicit methods with constraints work on: sizes, kernels, places.

    q̇ = W (u - D C_hᵀ μ) + x,   r(t, q, u, u̇, λ) = A u̇ - f + Cᵀ λ = 0,   C u = ν,   Φ = 0

Routines in `native/` are compiled once for all machines. What they must know of a machine lies
in a block of integers laid out here; everything they write lies behind MATRICES, so that a
table may serve several runs at once. C_h are the first MH rows of C, T = W.
"""

from itertools import count

from bellcrank.kernels.layout import offsets

_i = count()
NQ, NU, M, MH = (next(_i) for _ in range(4))  # coordinates, speeds, rows, position rows
NS = next(_i)  # auxiliary states: the last of the speeds, which no coordinate has as rate
RANK = next(_i)  # independent rows there should be; negative if that is not known

ROUTINE = next(_i)  # address of what does the linear algebra: `native/saddle_routine.py`
SPARSE = next(_i)  # address of the table of a batched machine, for its sparse twin

# addresses of kernels; 0 where there is none
KINEMATICS, NORMALIZE, POSITION, VELOCITY, MASS = (next(_i) for _ in range(5))
RESIDUAL, RESIDUAL_JACOBIAN = next(_i), next(_i)
CONSTRAINT_JACOBIAN, KINEMATICS_JACOBIAN = next(_i), next(_i)

# addresses of doubles: 1 / nominal size of residuals (M,), nominal size of speeds (NU,)
WEIGHT, SPEED = next(_i), next(_i)

# offsets into the working memory, in doubles
IN, OUT = next(_i), next(_i)  # 9 and 3 addresses
NUMBERS = next(_i)  # numbers handed to the routine: time or g
PLACE, ACCELERATION, LAM = (next(_i) for _ in range(3))  # normalized q; a; λ: what kernels take
W, X, C, RATE, PHI, R = (next(_i) for _ in range(6))  # at a stage; RATE is ν, R is r

# where the Jacobian was taken
W0, INVERSE, QD_Q, K = (next(_i) for _ in range(4))  # W, W⁺, (W u + x)_q T, W⁺ times it
A, R_Q, R_U, E = (next(_i) for _ in range(4))  # A, r_q T, r_u, (C u - ν)_q T
S = next(_i)  # (NU,) what makes the diagonal of A one; D = S²
B, TAU, ORDER, ENDS, LENGTHS = (next(_i) for _ in range(5))  # rows being chosen from
CHOSEN, NORM = next(_i), next(_i)  # independent rows and what makes their length one
COUNTS = next(_i)  # integers: RANKED, HELD, RENEWED
WEAKEST = next(_i)  # smallest over largest pivot of chosen rows: now, and the best seen
LAM0 = next(_i)  # λ there
NOISE = next(_i)  # (NU,) what round-off of coordinates makes of speeds there, many times over
M0, M1, M2 = next(_i), next(_i), next(_i)  # the matrix is M0 + ε M1 + ε² M2
REAL, COMPLEX, PIVOTS, SIDE = (next(_i) for _ in range(4))  # factors and right-hand sides
SPARE = next(_i)  # eight vectors

# of collocation: residuals of stages [q, u, C u - ν, Φ]; their [λ, μ]; λ of the step before
ROWS, MULTIPLIERS, BEFORE = next(_i), next(_i), next(_i)
# of the generalized-α method: speeds as it has them, its α now and next, and u̇; W, x halfway
OWN_SPEED, ALPHA, NEXT, LAST = (next(_i) for _ in range(4))
W_MIDDLE, X_MIDDLE = next(_i), next(_i)
SIZE = next(_i)

RANKED, HELD, RENEWED = range(3)  # in COUNTS: chosen rows; first ones at position level; news
STAGES = 3  # at most

# what the routine is asked to do
TAKE, FACTOR_REAL, FACTOR_COMPLEX, SOLVE_REAL, SOLVE_COMPLEX = range(5)
RESIDUALS, KINEMATICS_MIDDLE, FACTOR_SECOND, SOLVE_SECOND = range(5, 9)
PUSH, MASS_TIMES = range(9, 11)


def places(nq: int, nu: int, m: int, mh: int) -> dict[int, int]:
    """Return the offset of every part of the working memory, and of its end under `SIZE`.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        m: Number of rows.
        mh: Those at position level.
    """
    n, most = nu + m, max(nq, nu, m) + 8
    sizes = {
        IN: 9, OUT: 3, NUMBERS: 2, PLACE: nq, ACCELERATION: nu, LAM: m, W: nq * nu, X: nq,
        C: m * nu, RATE: m, PHI: mh, R: nu, W0: nq * nu, INVERSE: nu * nq, QD_Q: nq * nu,
        K: nu * nu,
        A: nu * nu, R_Q: nu * nu, R_U: nu * nu, E: m * nu, S: nu, B: nu * m, TAU: most,
        ORDER: m, ENDS: m, LENGTHS: 2 * m, CHOSEN: m, NORM: m, COUNTS: 4, WEAKEST: 2, LAM0: m,
        NOISE: nu, M0: n * n,
        M1: n * n, M2: n * n, REAL: n * n, COMPLEX: 2 * n * n, PIVOTS: 2 * n, SIDE: 2 * n,
        SPARE: 8 * (max(nq, n) + 8), ROWS: STAGES * (nq + nu + m + mh),
        MULTIPLIERS: STAGES * (m + mh),
        BEFORE: STAGES * m, OWN_SPEED: nu, ALPHA: nu, NEXT: nu, LAST: nu,
        W_MIDDLE: nq * nu, X_MIDDLE: nq,
    }  # fmt: skip
    return offsets(sizes, SIZE)
