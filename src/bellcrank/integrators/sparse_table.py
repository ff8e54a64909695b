"""The table that iterations of large machines work on: sizes, addresses, numbers."""

from itertools import count

_i = count()
NU, M, TURNS = (next(_i) for _ in range(3))  # speeds, rows, speeds that turn something
PLAY, MOVE, RESIDUAL = (next(_i) for _ in range(3))  # what makes a round, and two rounds

# vectors: the step, u, u̇, λ as the machine takes them; what is lacking, later its solution
X, U, A, LAM, LACKING = (next(_i) for _ in range(5))
FREE, U0, A0, GUESS = (next(_i) for _ in range(4))  # h u₀; u and u̇ there; x to begin with
FACTORS, SCALE = next(_i), next(_i)  # of right-hand sides, and of solutions
TURNING = next(_i)  # (TURNS,) integers
LENGTH = next(_i)

_f = count()
A_SLOPE, U_SLOPE, SHARE = (next(_f) for _ in range(3))  # Δu̇/Δx, Δu/Δx, and s of s λ
SIZE, STRAY = next(_f), next(_f)  # what `TAKE` says: largest change; farthest from the guess
NUMBERS = next(_f)

PLACE, LACK, TAKE = range(3)
