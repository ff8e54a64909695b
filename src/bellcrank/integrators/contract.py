"""The contract of every integrator: one function that can be interrupted and resumed.

    int64 advance(int64 run, int64 budget)

All that an integration is at any moment lies in one record, `kernels.run`: counters, sizes,
addresses of arrays, numbers. Python and native code both read `run.time`; texts write
TIME. `advance` makes at most `budget` attempts at a step, leaves everything in the record and
its arrays, and says with one of the codes below why it came back. Whatever the reason, they
are then consistent: (TIME, X) is a point of the solution, and calling again carries on from
there. Ctrl-C, progress, events, sampled controllers and partial results live in the loop
around it (`solve.py`) and nowhere else.

    DONE           TIME is END
    BUDGET         the attempts are used up
    RECORD_FULL    no room for the next record or event: empty or enlarge, then resume
    EVENT          TIME is a crossing of the terminal event number STOPPED_BY
    TICK           TIME is NEXT_TICK: set W0, W1, W, RAMP, the tick after this one,
                   F0_VALID = 0 and PHASE = REVISE, then resume
    WINDOW         TIME is WINDOW_END: give breaks, limits and marks of the time that
                   follows, then resume
    NON_FINITE     smaller and smaller steps all end in infinity or not-a-number
    SMALLEST_STEP  the step needed is below the resolution of the clock
    STEP_LIMIT     MAX_STEPS attempts were made
    CHATTERING     switches flip without time passing
    UNDEFINED      beyond TIME event number STOPPED_BY - NE is not a number

and the loop around it one more: STALLED, thousands of steps and hardly any time passed.

**How to write an integrator.** The loop, the events, the switches, the ticks and the records
are written once, in `native/loop.py`. A method brings three Numba functions of the record,
held together by `native.stepper.Stepper`; `methods.method` says what else a method is:

1. `attempt(run) -> float` goes from (TIME, X) by STEP, whose sign is the direction of time,
   to X1, and returns the norm of the error estimate divided by the tolerance (1 is just
   acceptable; 0 if the method has none; not-a-number if anything was not finite). SLOPES row 0
   holds the derivative at X when F0_VALID. Set F1_VALID = 1 if the derivative at X1 came
   along (it lies in row `last`), else 0.
2. `dense(run)` fills the rows C of DENSE so that, with θ from 0 to 1 over the step,
   x(θ) = C0 + θ(C1 + (1-θ)(C2 + θ(C3 + (1-θ)(C4 + …)))).  It is called for a step only when
   something between its ends is wanted.
3. Constants: `order` (of the error estimate, for the controller), `rows` of SLOPES, `blend`
   (rows of DENSE), `last` (row of the derivative at the end of the step), `beta` and `safety`
   (of the controller).

An implicit method keeps its matrices behind MATRICES, brings a `judge` of its own (which also
says when the Jacobian is due), and reports a Newton iteration that fails like a step that is
not finite: by returning not-a-number. The kernel JACOBIAN gives F = M ∂ẋ/∂x (NX × NX) and the
block A (NU × NU) of M = diag(1, A, 1), column by column, so that no mass matrix is inverted.

Vectors with an entry per state lie in rows of STRIDE doubles, STRIDE being the number of
states rounded up to a multiple of LANES. The padding is zero in every row but ATOL, where
it is one; loops over rows need no remainder. x = [q, u, s], and a kernel is called as
`void kernel(const double **in, double **out, double *work)` with in = t, q, u, s, w, p, k.

Time runs forwards or backwards; SIGN is +1.0 or -1.0, and H is a length, never negative.
"""

from bellcrank.kernels.run import LANES as LANES
from bellcrank.kernels.run import LAYOUT as LAYOUT
from bellcrank.kernels.run import SAMPLES as SAMPLES
from bellcrank.kernels.run import TRAIL_ROWS as TRAIL_ROWS

# --- what advance returns -----------------------------------------------------------------
DONE, BUDGET, RECORD_FULL, EVENT, TICK, WINDOW = range(6)
NON_FINITE, SMALLEST_STEP, STEP_LIMIT, CHATTERING, UNDEFINED, STALLED = range(10, 16)

# --- PHASE: where to resume ---------------------------------------------------------------
START = 0  # nothing has been evaluated yet
REVISE = 1  # at a point whose inputs have just changed
POINT = 2  # at a point that is not recorded yet
READY = 3  # at a point, recorded
EMIT = 4  # a step from TIME to TIME1 is accepted, records inside it are being written
