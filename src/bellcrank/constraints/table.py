"""The table that the projection of one machine works on: sizes, kernels, places.

The routine in `native/beside.py` is compiled once for all machines. What it must know
of a machine lies in a block of integers laid out here: numbers of coordinates, speeds and
rows, addresses of kernels, and where in the working memory things are kept.
"""

from itertools import count

from bellcrank.kernels.layout import offsets

_i = count()
NQ, NU, NS = next(_i), next(_i), next(_i)  # coordinates, speeds, auxiliary states
M, MH = next(_i), next(_i)  # rows; those of them at position level, which come first

# What was learnt: the usual rank, and the best ratio of pivots. It says when a position is
# close to a singular one; two threads may write it at once.
RANK, RANK_H = next(_i), next(_i)  # most independent rows seen, of all and of the first MH
# Address of three doubles: largest RATIO seen, of all rows and of the first MH; the part of it
# below which rows are close to dependent.
BEST = next(_i)
SINGULAR_MASS = next(_i)  # 1 once the mass matrix was found not to be definite

# addresses of kernels; 0 where there is none
KINEMATICS, NORMALIZE, POSITION, VELOCITY, ACCELERATION = (next(_i) for _ in range(5))
MASS, FORCE, JERK, AUXILIARY = (next(_i) for _ in range(4))

# addresses of doubles: 1 / nominal size, of the residuals of rows (M,) and of speeds (NU,)
WEIGHT, SPEED = next(_i), next(_i)
# addresses of integers: the order in which speeds (NU,) and rows (M,) are eliminated
SPEED_ORDER, ROW_ORDER = next(_i), next(_i)

# offsets into the working memory, in doubles
IN, OUT = next(_i), next(_i)  # 7 and 3 addresses
T_GIVEN, Q_GIVEN, U_GIVEN = next(_i), next(_i), next(_i)  # the point as given
CLOCK, Q, Q_NEXT, U = (next(_i) for _ in range(4))  # the point being projected
S_RATE = next(_i)  # ṡ
AWAY, SUM = next(_i), next(_i)  # q̇ at the point given; [q, u, c, K] from points beside it
W, X = next(_i), next(_i)  # q̇ = W u + x
PHI, C, NU_ROW, GAMMA = (next(_i) for _ in range(4))  # Φ = 0, C u = ν, C u̇ = γ
A, L, L_LAST = next(_i), next(_i), next(_i)  # A = L Lᵀ, speeds in their order; ends of columns
B, TAU, ORDER, LENGTHS = (next(_i) for _ in range(4))  # L⁻¹ Cᵀ = Q R, factored
B_FIRST, B_LAST, COLUMN = next(_i), next(_i), next(_i)  # begins and ends; columns of rows
RATIO = next(_i)  # smallest pivot over the largest
RIGHT, Z, V = next(_i), next(_i), next(_i)  # right-hand side by rows; unknown, ordered and not
D, D_RIGHT = next(_i), next(_i)  # D u̇ = d, and the rows it supplies:
G, G_TAU, G_ORDER, G_FIRST, G_LAST, G_RIGHT, MIX = (next(_i) for _ in range(7))
SPARE = next(_i)  # NU
KERNEL = next(_i)  # scratch of the kernels
SIZE = next(_i)


def places(nq: int, nu: int, ns: int, m: int, kernel: int) -> dict[int, int]:
    """Return the offset of every part of the working memory, and of its end under `SIZE`.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        ns: Number of auxiliary states.
        m: Number of rows.
        kernel: Doubles of scratch that the kernels want.
    """
    sizes = {
        IN: 8, OUT: 8, T_GIVEN: 1, Q_GIVEN: nq, U_GIVEN: nu, CLOCK: 1, S_RATE: ns,
        AWAY: nq, SUM: nq + 2 * nu + nu * nu, Q: nq, Q_NEXT: nq, U: nu, W: nq * nu, X: nq,
        PHI: m, C: m * nu, NU_ROW: m, GAMMA: m, A: nu * nu, L: nu * nu, L_LAST: nu,
        B: nu * m, B_FIRST: m, B_LAST: m, COLUMN: m, RATIO: 1, Z: nu, TAU: m, ORDER: m,
        LENGTHS: 2 * m,
        RIGHT: m, V: nu, D: m * nu, D_RIGHT: m, G: nu * m, G_TAU: m, G_ORDER: m, G_RIGHT: m,
        G_FIRST: m, G_LAST: m,
        MIX: m, SPARE: nu, KERNEL: kernel,
    }  # fmt: skip
    return offsets(sizes, SIZE)
