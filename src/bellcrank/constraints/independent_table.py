"""The table of independent coordinates: that of `table`, and these slots behind it.

v = E (q - q0) are the independent coordinates and w = F u the independent speeds. Where no
row is at position level, v is q itself.
"""

from itertools import count

from bellcrank.constraints import table
from bellcrank.kernels.layout import offsets

_i = count(table.SIZE + 1)
NV, NW = next(_i), next(_i)  # independent coordinates and speeds
TAKEN_H, TAKEN = next(_i), next(_i)  # independent rows, of the first MH and of all
EVENTS, SWITCHES, REVISE = (next(_i) for _ in range(3))  # addresses of kernels, or 0

# addresses of integers: numbers of the independent rows
ROWS_H, ROWS = next(_i), next(_i)

# addresses of doubles, matrices by columns
BASE = next(_i)  # (NQ,) q0
E, F = next(_i), next(_i)  # (NV, NQ), (NW, NU)
LENGTH_V, LENGTH_W = next(_i), next(_i)  # speeds in nominal units that a unit of v̇, w makes
LENGTH_S = next(_i)  # (NS,) nominal units in a unit of s
ANCHOR_Q, ANCHOR_V, ANCHOR_D = (next(_i) for _ in range(3))  # (NQ,), (NV,), ∂q/∂v (NQ, NV)
SEEN = next(_i)  # (2,) iterations and growth at the last anchor
KEPT = next(
    _i
)  # (2 + NV + NW + NQ + NU,) 1 if there is one, t, v, w; q, u: where switches were

# offsets into the working memory, in doubles
V_GIVEN, W_GIVEN, S_GIVEN = next(_i), next(_i), next(_i)
EW = next(_i)  # (NV, NU) E W
K, K_TAU, K_ORDER, K_LENGTHS = (next(_i) for _ in range(4))  # [C; F] or [Φ_q; E W], factored
K_FIRST, K_LAST = next(_i), next(_i)  # begins and ends of its columns: all of them
K_RIGHT = next(_i)  # (NU,)
T, AT = next(_i), next(_i)  # (NU, NW) u = T w + …; A T
DRIFT = next(_i)  # (NU,) u̇ = T ẇ + DRIFT
REDUCED = next(_i)  # (NW, NW) Tᵀ A T
FORCE = next(_i)  # (NU,) f - A DRIFT
RATE, RATE_LAST = next(_i), next(_i)  # (NW,) ẇ; ends of columns of REDUCED
SPARE = next(_i)  # (NU,)
UP, DOWN = next(_i), next(_i)  # (NV + NW + NS,) rates a little beside the point
OUTS = next(_i)  # addresses of their parts
SIZE = next(_i)

# what the routine is asked for
POINT = 0  # q, u
RATES = 1  # v̇, ẇ, ṡ
AT_EVENTS, AT_SWITCHES = 2, 3  # what these kernels give
ACCELERATIONS = 4  # u̇ and the part of it that ẇ does not make
SET_ANCHOR = 5  # q, u; later points are sought from this one
CHECK = 6  # v, w as given, if there is such a point
SLOPES = 7  # ∂(v̇, ẇ, ṡ)/∂(v, w, s) by columns, and a unit matrix (NW, NW)
AT_REVISE = 8  # what that kernel gives


def places(nq: int, nu: int, ns: int, nv: int, nw: int, start: int) -> dict[int, int]:
    """Return the offset of every part of the working memory, and of its end under `SIZE`.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        ns: Number of auxiliary states.
        nv: Number of independent coordinates.
        nw: Number of independent speeds.
        start: Where they begin.
    """
    sizes = {
        V_GIVEN: nv, W_GIVEN: nw, S_GIVEN: ns, EW: nv * nu, K: nu * nu, K_TAU: nu, K_ORDER: nu,
        K_LENGTHS: 2 * nu, K_FIRST: nu, K_LAST: nu, K_RIGHT: nu, T: nu * nw, AT: nu * nw,
        DRIFT: nu, REDUCED: nw * nw, FORCE: nu, RATE: nw, RATE_LAST: nw, SPARE: max(nq, nu),
        UP: nv + nw + ns, DOWN: nv + nw + ns, OUTS: 3,
    }  # fmt: skip
    return offsets(sizes, SIZE, start)
