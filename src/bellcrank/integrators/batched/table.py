"""The table that iterations of large machines work on: sizes, addresses, numbers."""

from bellcrank.kernels.layout import layout

LAYOUT = layout(
    integers=(
        "nq nu m mh nk",
        "turns",  # speeds that turn something
        "pass_routine move residual",  # what makes a pass, and two passes
        "lu matrix",  # the routine and the record of `linear.sparse_lu`
        # vectors: q, where a step begins, the step, u, u̇, λ as the machine takes them
        "q q0 x u a lam",
        "lacking",  # what is lacking, later its solution
        "free u0 a0 guess",  # h u₀; u and u̇ there; x to begin with
        "scale",  # of equations and solutions
        "turning",  # (TURNS,) integers
        # memory: a pass; k, what it gives of switches and of angles, and what each number of
        # k is
        "memory k z angles kinds",
    ),
    doubles=(
        "h half rise",  # h, h²/2, β h²
        "a_of_a a_of_ud u_of_a",  # u̇ and u at the end of a step h u₀
        "kept",  # and the method's own accelerations there, of those before
        "own_slope a_slope u_slope",  # Δa/Δx, Δu̇/Δx, Δu/Δx
        "share u_share",  # s of s λ; Δx/Δu
        "size stray",  # largest change of x; farthest from the guess
    ),
)

BEGIN, PLACE, CORRECT, END = range(4)

SIDE, ANGLE = 1, 2  # kinds of memory that change in a step
