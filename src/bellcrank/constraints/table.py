"""The table that the projection of one machine works on: sizes, kernels, places.

The routine in `native/near_singular.py` is compiled once for all machines. What it must know
of a machine lies in a record laid out here: numbers of coordinates, speeds and
rows, addresses of kernels, and where in the working memory things are kept.
"""

from bellcrank.constraints.near_singular import NODES
from bellcrank.kernels.layout import layout, offsets

LAYOUT = layout(
    integers=(
        "nq nu ns",  # coordinates, speeds, auxiliary states
        "m mh",  # rows; those of them at position level, which come first
        # What was learnt; two threads may write it at once.
        "rank rank_h",  # the usual rank: most independent rows seen, of all and of the first MH
        "singular_mass",  # 1 where the mass matrix may be singular, or once it was found to be
        # addresses of kernels; 0 where there is none
        "kinematics normalize position velocity acceleration",
        "mass force jerk auxiliary",
        # addresses of doubles: 1 / nominal size, of residuals of rows (M,) and of speeds (NU,)
        "weight speed",
        "knobs",  # address of doubles, laid out in `native.baumgarte`
        # addresses of integers: the order in which speeds (NU,) and rows (M,) are eliminated
        "speed_order row_order",
        # offsets into the working memory, in doubles
        "inputs outputs",  # 7 and 3 addresses
        "t_given q_given u_given",  # the point as given
        "clock q q_next u",  # the point being projected
        "s_rate",  # ṡ
        "away",  # q̇ at the point given
        "path node_u node_c node_k",  # q, u, c of neighbouring points; columns v of K = Σ v vᵀ
        "share",  # their weights: at the point, of what the last two gained, and the two before
        "w x",  # q̇ = W u + x
        "phi c nu_row gamma",  # Φ = 0, C u = ν, C u̇ = γ
        "a l l_last",  # A = L Lᵀ, speeds in their order; ends of columns
        "b tau order lengths",  # L⁻¹ Cᵀ = Q R, factored
        "b_first b_last column",  # begins and ends; columns of rows
        "ratio",  # smallest pivot over the largest
        "right z v",  # right-hand side by rows; unknown, ordered and not
        "d d_right",  # D u̇ = d, and the rows it supplies:
        "g g_tau g_order g_first g_last g_right mix",
        "spare",  # NU
        "kernel",  # scratch of the kernels
        "size",  # of all
        # --- of independent coordinates: v = E (q - q0), w = F u; v is q where mh = 0
        "nv nw",  # independent coordinates and speeds
        "taken_h taken",  # independent rows, of the first MH and of all
        "events switches revise",  # addresses of kernels, or 0
        # addresses of integers: numbers of the independent rows
        "rows_h rows",
        # addresses of doubles, matrices by columns
        "base",  # (NQ,) q0
        "e f",  # (NV, NQ), (NW, NU)
        "length_v length_w",  # speeds in nominal units that a unit of v̇, w makes
        "length_s",  # (NS,) nominal units in a unit of s
        "anchor_q anchor_v anchor_d",  # (NQ,), (NV,), ∂q/∂v (NQ, NV)
        "round_off",  # (MH,) what it leaves of Φ at the base, in nominal units
        "seen",  # (3,) at the last anchor: iterations, growth, distance to a singular position
        # (2 + NV + NW + NQ + NU,) 1 if there is one, t, v, w; q, u: where switches were
        "kept",
        # offsets into the working memory, in doubles
        "v_given w_given s_given",
        "ew",  # (NV, NU) E W
        "k k_tau k_order k_lengths",  # [C; F] or [Φ_q; E W], factored
        "k_first k_last",  # begins and ends of its columns: all of them
        "k_right",  # (NU,)
        "t at",  # (NU, NW) u = T w + …; A T
        "drift",  # (NU,) u̇ = T ẇ + DRIFT
        "reduced",  # (NW, NW) Tᵀ A T
        "push",  # (NU,) f - A DRIFT
        "rate rate_last",  # (NW,) ẇ; ends of columns of REDUCED
        "spare_chart",  # (NU,)
        "up down",  # (NV + NW + NS,) rates at neighbouring points
        "outs",  # addresses of their parts
    ),
    doubles=(
        "best best_h",  # largest RATIO seen, of all rows and of the first MH
        "suspect",  # the part of it below which one looks for a singular position
        # how far from it values are taken, at most, in nominal units of the coordinates
        "aside",
        "loose",  # how many times as much may be left out of what is interpolated from few
        "slope",  # largest rate of RATIO in these units that was seen at a singular position
    ),
)

# what the routine of independent coordinates is asked for
POINT = 0  # q, u
RATES = 1  # v̇, ẇ, ṡ
AT_EVENTS, AT_SWITCHES = 2, 3  # what these kernels give
ACCELERATIONS = 4  # u̇ and the part of it that ẇ does not make
SET_ANCHOR = 5  # q, u; later points are sought from this one
CHECK = 6  # v, w as given, if there is such a point
SLOPES = 7  # ∂(v̇, ẇ, ṡ)/∂(v, w, s) by columns, and a unit matrix (NW, NW)
AT_REVISE = 8  # what that kernel gives

STRAIGHT_LINE = layout(
    integers=(
        "nq nu",
        "correction motion auxiliary",  # addresses of kernels; 0 where there is none
        # offsets into the working memory, in doubles
        "inputs outputs q scalars spare kernel",
    ),
    doubles=(
        "best best_h",  # largest squared sine seen, of all rows and of those of Φ
        "suspect",  # the part of it below which a singular position may be close
    ),
)
"""The table of a machine for `native.straight_line`."""


def places(nq: int, nu: int, ns: int, m: int, kernel: int) -> dict[str, int]:
    """Return the offset of every part of the working memory, and of its end under `size`.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        ns: Number of auxiliary states.
        m: Number of rows.
        kernel: Doubles of scratch that the kernels want.
    """
    sizes = {
        "inputs": 8, "outputs": 8, "t_given": 1, "q_given": nq, "u_given": nu, "clock": 1,
        "s_rate": ns, "away": nq, "path": NODES * nq, "node_u": NODES * nu,
        "node_c": NODES * nu, "node_k": NODES * nu * nu, "share": 3 * NODES, "q": nq,
        "q_next": nq, "u": nu,
        "w": nq * nu, "x": nq, "phi": m, "c": m * nu, "nu_row": m, "gamma": m, "a": nu * nu,
        "l": nu * nu, "l_last": nu, "b": nu * m, "b_first": m, "b_last": m, "column": m,
        "ratio": 1, "z": nu, "tau": m, "order": m, "lengths": 2 * m, "right": m, "v": nu,
        "d": m * nu, "d_right": m, "g": nu * m, "g_tau": m, "g_order": m, "g_right": m,
        "g_first": m, "g_last": m, "mix": m, "spare": nu, "kernel": kernel,
    }  # fmt: skip
    return offsets(sizes)


def chart_places(nq: int, nu: int, ns: int, nv: int, nw: int, start: int) -> dict[str, int]:
    """Return the same of what independent coordinates want besides, from `start` on.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        ns: Number of auxiliary states.
        nv: Number of independent coordinates.
        nw: Number of independent speeds.
        start: Where they begin.
    """
    sizes = {
        "v_given": nv, "w_given": nw, "s_given": ns, "ew": nv * nu, "k": nu * nu, "k_tau": nu,
        "k_order": nu, "k_lengths": 2 * nu, "k_first": nu, "k_last": nu, "k_right": nu,
        "t": nu * nw, "at": nu * nw, "drift": nu, "reduced": nw * nw, "push": nu, "rate": nw,
        "rate_last": nw, "spare_chart": max(nq, nu), "up": nv + nw + ns, "down": nv + nw + ns,
        "outs": 3,
    }  # fmt: skip
    return offsets(sizes, start)
