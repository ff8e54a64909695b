"""The table that iterations of large machines work on: sizes, addresses, numbers."""

from itertools import count

_i = count()
NQ, NU, M, MH, NK = (next(_i) for _ in range(5))
TURNS = next(_i)  # speeds that turn something
PLAY, MOVE, RESIDUAL = (next(_i) for _ in range(3))  # what makes a round, and two rounds
LU, MATRIX = next(_i), next(_i)  # the routine and the record of `linear.sparse_lu`

# vectors: q, where a step begins, the step, u, u̇, λ as the machine takes them
Q, Q0, X, U, A, LAM = (next(_i) for _ in range(6))
LACKING = next(_i)  # what is lacking, later its solution
FREE, U0, A0, GUESS = (next(_i) for _ in range(4))  # h u₀; u and u̇ there; x to begin with
SCALE = next(_i)  # of equations and solutions
TURNING = next(_i)  # (TURNS,) integers
# memory: a round; k, what it gives of switches and of angles, and what each number of k is
MEMORY, K, Z, ANGLES, KINDS = (next(_i) for _ in range(5))
LENGTH = next(_i)

_f = count()
H, HALF, RISE = (next(_f) for _ in range(3))  # h, h²/2, β h²
A_OF_A, A_OF_UD, U_OF_A = (next(_f) for _ in range(3))  # u̇ and u at the end of a step h u₀
KEPT = next(_f)  # and the method's own accelerations there, of those before
OWN_SLOPE, A_SLOPE, U_SLOPE = (next(_f) for _ in range(3))  # Δa/Δx, Δu̇/Δx, Δu/Δx
SHARE, U_SHARE = next(_f), next(_f)  # s of s λ; Δx/Δu
SIZE, STRAY = next(_f), next(_f)  # largest change of x; farthest from the guess
NUMBERS = next(_f)

BEGIN, PLACE, CORRECT, END = range(4)

SIDE, ANGLE = 1, 2  # kinds of memory that change in a step
