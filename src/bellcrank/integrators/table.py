"""The table that the projection of one machine works on: sizes, kernels, places.

The routine in `native/projection.py` is compiled once for all machines. What it must know
of a machine lies in a block of integers laid out here: numbers of coordinates, speeds and
rows, addresses of kernels, and where in the working memory things are kept.
"""

from itertools import count

_i = count()
NQ, NU, NS = next(_i), next(_i), next(_i)  # coordinates, speeds, auxiliary states
M, MH = next(_i), next(_i)  # rows; those of them at position level, which come first

# What was learnt. It saves work and decides nothing: two threads may write it at once.
RANK, RANK_H = next(_i), next(_i)  # most independent rows seen, of all and of the first MH
SINGULAR_MASS = next(_i)  # 1 once the mass matrix was found not to be definite

# addresses of kernels; 0 where there is none
KINEMATICS, NORMALIZE, POSITION, VELOCITY, ACCELERATION = (next(_i) for _ in range(5))
MASS, FORCE, JERK, AUXILIARY = (next(_i) for _ in range(4))

# addresses of doubles: 1 / nominal size, of the residuals of rows (M,) and of speeds (NU,)
WEIGHT, SPEED = next(_i), next(_i)

# offsets into the working memory, in doubles
IN, OUT = next(_i), next(_i)  # 7 and 3 addresses
T_GIVEN, Q_GIVEN, U_GIVEN = next(_i), next(_i), next(_i)  # the point as given
CLOCK, Q, Q_NEXT, U = (next(_i) for _ in range(4))  # the point being projected
S_RATE = next(_i)  # ṡ
AWAY, SUM = next(_i), next(_i)  # q̇ at the point given; [q, u, u̇, ṡ] from points beside it
W, X = next(_i), next(_i)  # q̇ = W u + x
PHI, C, NU_ROW, GAMMA = (next(_i) for _ in range(4))  # Φ = 0, C u = ν, C u̇ = γ
A, F = next(_i), next(_i)  # A = L Lᵀ and f
B, TAU, ORDER, LENGTHS = (next(_i) for _ in range(4))  # L⁻¹ Cᵀ = Q R, factored
RIGHT, V = next(_i), next(_i)  # right-hand side by rows, unknown by speeds
D, D_RIGHT = next(_i), next(_i)  # D u̇ = d
G, G_TAU, G_ORDER, G_RIGHT, MIX = (next(_i) for _ in range(5))  # the rows it supplies
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
        AWAY: nq, SUM: nq + 2 * nu + ns, Q: nq, Q_NEXT: nq, U: nu, W: nq * nu, X: nq,
        PHI: m, C: m * nu, NU_ROW: m, GAMMA: m, A: nu * nu, F: nu, B: nu * m, TAU: m,
        ORDER: m, LENGTHS: 2 * m,
        RIGHT: m, V: nu, D: m * nu, D_RIGHT: m, G: nu * m, G_TAU: m, G_ORDER: m, G_RIGHT: m,
        MIX: m, SPARE: nu, KERNEL: kernel,
    }  # fmt: skip
    found, end = {}, 0
    for slot, size in sizes.items():
        found[slot] = end
        end += size
    found[SIZE] = end
    return found
