"""The table that implicit methods with constraints work on: sizes, kernels, places.

    q̇ = W (u - D C_hᵀ μ) + x,   r(t, q, u, u̇, λ) = A u̇ - f + Cᵀ λ = 0,   C u = ν,   Φ = 0

Routines in `native/` are compiled once for all machines. What they must know of a machine lies
in a record laid out here; everything they write lies behind MATRICES, so that a
table may serve several runs at once. C_h are the first MH rows of C, T = W.
"""

from bellcrank.kernels.layout import layout, offsets

LAYOUT = layout(
    integers=(
        "nq nu m mh",  # coordinates, speeds, rows, position rows
        "ns",  # auxiliary states: the last of the speeds, which no coordinate has as rate
        "rank",  # independent rows there should be; negative if that is not known
        "ahead",  # 1 if the matrix of second order may be taken off the constraints
        "routine",  # address of what does the linear algebra: `native/routine.py`
        "sparse",  # address of the table of a batched machine, for its sparse twin
        # addresses of kernels; 0 where there is none
        "kinematics normalize position velocity mass",
        "residual residual_jacobian",
        "constraint_jacobian kinematics_jacobian",
        # addresses of doubles: 1 / nominal size of residuals (M,), nominal size of speeds (NU,)
        "weight speed",
        # offsets into the working memory, in doubles
        "inputs outputs",  # 9 and 3 addresses
        "numbers",  # three numbers handed to the routine: time or g, …
        "place acceleration lam",  # normalized q; a; λ: what kernels take
        "w x c rate phi r",  # at a stage; RATE is ν, R is r
        # where the Jacobian was taken
        "w0 inverse qd_q k",  # W, W⁺, (W u + x)_q T, W⁺ times it
        "a r_q r_u e",  # A, r_q T, r_u, (C u - ν)_q T
        "s",  # (NU,) what makes the diagonal of A one; D = S²
        "b tau order ends lengths",  # rows being chosen from
        "chosen norm",  # independent rows and what makes their length one
        "counts",  # integers: RANKED, HELD, RENEWED
        "weakest",  # smallest over largest pivot of chosen rows: now, and the best seen
        "lam0",  # λ there
        "noise",  # (NU,) what round-off of coordinates makes of speeds there, many times over
        "m0 m1 m2",  # the matrix is M0 + ε M1 + ε² M2
        "real complex pivots side",  # factors and right-hand sides
        "spare",  # eight vectors
        # of collocation: residuals of stages [q, u, C u - ν, Φ]; their [λ, μ]; λ of the step
        # before
        "rows multipliers before",
        # of the generalized-α method: q and u as it has them; its α before, now and next; u̇;
        # ξ; W, x halfway; how its matrix serves
        "own_place own_speed alpha_before alpha next last shift",
        "w_middle x_middle",
        "service",
        "size",  # of all
    ),
)

RANKED, HELD, RENEWED = range(3)  # in `counts`: chosen rows; first ones at position level; news
STAGES = 3  # at most

# what the routine is asked to do
TAKE, FACTOR_REAL, FACTOR_COMPLEX, SOLVE_REAL, SOLVE_COMPLEX = range(5)
RESIDUALS, PUSH, MASS_TIMES = range(5, 8)
# of methods for equations of second order
HALFWAY, MOVE, LACKING, RATES, FACTOR_SECOND, SOLVE_SECOND = range(8, 14)


def places(nq: int, nu: int, m: int, mh: int) -> dict[str, int]:
    """Return the offset of every part of the working memory, and of its end under `size`.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds.
        m: Number of rows.
        mh: Those at position level.
    """
    n, most = nu + m, max(nq, nu, m) + 8
    sizes = {
        "inputs": 9, "outputs": 3, "numbers": 3, "place": nq, "acceleration": nu, "lam": m,
        "w": nq * nu, "x": nq, "c": m * nu, "rate": m, "phi": mh, "r": nu, "w0": nq * nu,
        "inverse": nu * nq, "qd_q": nq * nu, "k": nu * nu, "a": nu * nu, "r_q": nu * nu,
        "r_u": nu * nu, "e": m * nu, "s": nu, "b": nu * m, "tau": most, "order": m, "ends": m,
        "lengths": 2 * m, "chosen": m, "norm": m, "counts": 4, "weakest": 2, "lam0": m,
        "noise": nu, "m0": n * n, "m1": n * n, "m2": n * n, "real": n * n,
        "complex": 2 * n * n, "pivots": 2 * n, "side": 2 * n, "spare": 8 * (max(nq, n) + 8),
        "rows": STAGES * (nq + nu + m + mh), "multipliers": STAGES * (m + mh),
        "before": STAGES * m, "w_middle": nq * nu, "x_middle": nq, **second_order(nq, nu),
    }  # fmt: skip
    return offsets(sizes)


def second_order(nq: int, nu: int) -> dict[str, int]:
    """Return the sizes of what the generalized-α method keeps of any machine."""
    return {
        "own_place": nq, "own_speed": nu, "alpha_before": nu, "alpha": nu, "next": nu,
        "last": nu, "shift": nu, "service": 5,
    }  # fmt: skip
