"""The contract of every integrator: one function that can be interrupted and resumed.

    int64 advance(int64 *i, double *f, int64 budget)

All that an integration is at any moment lies in two blocks of memory, `i` (counters, sizes
and addresses) and `f` (numbers). `advance` makes at most `budget` attempts at a step, leaves
everything in the blocks, and says with one of the codes below why it came back. Whatever
the reason, the blocks are then consistent: (TIME, X) is a point of the solution, and calling
again carries on from there. Ctrl-C, progress, events, sampled controllers and partial
results live in the loop around it (`solve.py`) and nowhere else.

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
are written once, in `native/loop.py`. A method brings three Numba functions over (i, f),
held together by `native.stepper.Stepper`; `methods.method` says what else a method is:

1. `attempt(i, f) -> float` goes from (TIME, X) by STEP, whose sign is the direction of time,
   to X1, and returns the norm of the error estimate divided by the tolerance (1 is just
   acceptable; 0 if the method has none; not-a-number if anything was not finite). K row 0
   holds the derivative at X when F0_VALID. Set F1_VALID = 1 if the derivative at X1 came
   along (it lies in row `last`), else 0.
2. `dense(i, f)` fills the rows of C so that, with θ from 0 to 1 over the step,
   x(θ) = C0 + θ(C1 + (1-θ)(C2 + θ(C3 + (1-θ)(C4 + …)))).  It is called for a step only when
   something between its ends is wanted.
3. Constants: `order` (of the error estimate, for the controller), `rows` of K, `blend` (rows
   of C), `last` (row of the derivative at the end of the step), `beta` and `safety`
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

from itertools import count

LANES = 8  # doubles handled together in loops over rows
TRAIL_ROWS = 64  # parts of a step through which measured angles are followed, at most
SAMPLES = 4  # pieces of a part of a step, at whose ends events and switches are looked at

# --- what advance returns -----------------------------------------------------------------
DONE, BUDGET, RECORD_FULL, EVENT, TICK, WINDOW = range(6)
NON_FINITE, SMALLEST_STEP, STEP_LIMIT, CHATTERING, UNDEFINED, STALLED = range(10, 16)

# --- PHASE: where to resume ---------------------------------------------------------------
START = 0  # nothing has been evaluated yet
REVISE = 1  # at a point whose inputs have just changed
POINT = 2  # at a point that is not recorded yet
READY = 3  # at a point, recorded
EMIT = 4  # a step from TIME to TIME1 is accepted, records inside it are being written

# --- the block of integers ----------------------------------------------------------------
_i = count()
PHASE = next(_i)
NQ, NU, NX, STRIDE = (
    next(_i),
    next(_i),
    next(_i),
    next(_i),
)  # numbers of coordinates, speeds, states
NW, NK, NE = next(_i), next(_i), next(_i)  # inputs, switches, events
NP = next(_i)  # angles that turn inside sin, cos, tan of switches and events
MEMORY_SIZE = next(_i)  # entries of k; the first NK of them are modes of switches
TRAIL_PARTS = next(_i)  # parts of the step in hand whose lines are in TRAIL; 0 if one holds
TIMED = next(_i)  # entries of k after those: modes that change at breaks, with time alone
ANGLES = next(_i)  # where measured angles begin in k: after all modes
RAMP = next(_i)  # 1 if inputs vary with time between ticks
F0_VALID, F1_VALID, DENSE_VALID = next(_i), next(_i), next(_i)
LANDING = next(_i)  # 1 if the step in hand ends on END, on a tick or on a break
AFTER_REJECTION = next(_i)
NON_FINITE_ROW = next(_i)  # attempts in a row that were not finite
STEPS, REJECTED, EVALUATIONS, FLIPS = next(_i), next(_i), next(_i), next(_i)
MAX_STEPS = next(_i)  # attempts allowed
FIXED_COUNT = next(_i)  # steps of fixed size since BASE
CUT = next(_i)  # 1 if the step in hand was cut short by a switch or a terminal event
STOPPED_BY = next(_i)  # number of the terminal event, or NE more: of one that is lost; or -1
EVERY = next(_i)  # 1: record every accepted step; 0: record on the grid
GRID_SIZE, GRID_NEXT = next(_i), next(_i)
RECORDS, RECORD_ROOM = next(_i), next(_i)  # rows written, rows there are
HITS, HIT_ROOM = next(_i), next(_i)  # the same of event hits

# what is known ahead of the time until WINDOW_END, in the order it is passed
BREAK_SIZE, BREAK_NEXT = next(_i), next(_i)  # breaks there are, the first one not passed
LIMIT_SIZE, LIMIT_NEXT = next(_i), next(_i)  # limits of the step there are, the one that holds
MARK_SIZE, MARK_NEXT = next(_i), next(_i)  # events of time alone, the first one not met

# what implicit methods keep
SECOND_ORDER = next(_i)  # 1 if q̇ = u exactly and there are no other states
JACOBIANS, FACTORIZATIONS = next(_i), next(_i)  # statistics
JACOBIAN_DUE, JACOBIAN_FRESH = next(_i), next(_i)  # wanted anew; taken at (TIME, X)
NEWTONS = next(_i)  # iterations in the attempt
SEEN_FLIPS, SEEN_LANDING = next(_i), next(_i)  # at the last accepted step
BLEND = next(_i)  # rows of C
GROWING = next(_i)  # 1 while ATOL grows with the motion
EXPECT = next(_i)  # address of the routine that sets ATOL at the start
DEPENDENT = next(_i)  # 1 if constraints were too close to dependent for the method

# addresses of kernels; 0 where there is none
RHS, NORMALIZE, SWITCHES, EVENTS = next(_i), next(_i), next(_i), next(_i)
JACOBIAN = next(_i)
REVISER = next(_i)  # gives k at a point: the lines k₁ + k₂ t of measured angles
SADDLE = next(_i)  # address of the table of `saddle_table`
AUDITOR, AUDIT = (
    next(_i),
    next(_i),
)  # addresses of the routine and of the table of `audit_table`

# addresses of arrays of doubles
CLOCK = next(_i)  # (1,) the time a kernel sees
X, X1 = next(_i), next(_i)  # (STRIDE,) state at TIME and at TIME1
PLACE = next(_i)  # (STRIDE,) stage or interpolated state
SCRATCH = next(_i)  # (STRIDE,) what a kernel gives that must not overwrite what it takes
K = next(_i)  # (rows, STRIDE) derivatives
C = next(_i)  # (blend, STRIDE) coefficients of the dense output
ATOL = next(_i)  # (STRIDE,)
# What ATOL grows with where it follows the motion; see `scales`.
MOST_ATOL, REST, GROUP = next(_i), next(_i), next(_i)  # (STRIDE,) limit; where it began; kind
MOTION, ROUNDING = next(_i), next(_i)  # of each kind: the largest seen, and the least ATOL
W0, W1, W = next(_i), next(_i), next(_i)  # (NW,) inputs are W = W0 + W1 t
P = next(_i)  # parameters
MEMORY = next(_i)  # (MEMORY_SIZE,) k
REVISED = next(_i)  # (MEMORY_SIZE,) what REVISER gives
TRAIL = next(_i)  # (TRAIL_ROWS, MEMORY_SIZE - ANGLES) lines of measured angles, by parts
Z, Z_ROOT = next(_i), next(_i)  # (NK,) switching functions; θ of their roots
Z_FLIPS, Z_SINCE = next(_i), next(_i)  # (NK,) flips of a switch, and since when
G, G_ROOT = next(_i), next(_i)  # (NE + NP,) events, then angles that turn; (NE,) θ of roots
SEEN = next(_i)  # (SAMPLES + 1, NK + NE + NP) their values at the points of a part
G_SIGN = next(_i)  # (NE,) side on which an event function was last seen; 0 unknown
G_DIRECTION, G_TERMINAL = next(_i), next(_i)  # (NE,)
GRID = next(_i)  # (GRID_SIZE,) times wanted
RECORD_T, RECORD_X, RECORD_W, RECORD_K = (
    next(_i),
    next(_i),
    next(_i),
    next(_i),
)  # (room,), (room, NX), …
HIT_T, HIT_INDEX, HIT_X = next(_i), next(_i), next(_i)  # (room,), (room,), (room, NX)
BREAKS, BREAK_MODES = next(_i), next(_i)  # (BREAK_SIZE,), (BREAK_SIZE + 1, TIMED)
BREAK_AFTER = next(_i)  # (BREAK_SIZE,) where the time goes on, a few units of the clock later
LIMIT_START, LIMIT_LENGTH = next(_i), next(_i)  # (LIMIT_SIZE,) where it begins; longest step
MARKS, MARK_X = next(_i), next(_i)  # (MARK_SIZE,), (MARK_SIZE, NX)
WORK = next(_i)  # scratch of the kernels
MATRICES = next(_i)  # Jacobian, mass and factors, laid out in `native.linear`
POWERS = next(_i)  # (MOST_STAGES,) power at the stages of a step; 0 where none is asked for
POWER_KERNEL, POWER_OUT, POWER_WORK = (
    next(_i),
    next(_i),
    next(_i),
)  # the slot `audit_rates`: its address, that of the addresses of its outputs, its scratch
POWER = next(_i)  # (2,) what it gives first: power of two kinds, the second zero where one is

IN = next(_i)  # 8 addresses: t, q, u, s, w, p, k; u̇, for kernels that take it
OUT = IN + 8  # 3 addresses
I_SIZE = OUT + 3

# --- the head of the block of doubles; the arrays follow it -------------------------------
_f = count()
TIME, TIME1 = next(_f), next(_f)  # the step in hand goes from TIME to TIME1
STEP = next(_f)  # its signed length as attempted; TIME1 - TIME is shorter if it was cut
BEGIN, END, NEXT_TICK = next(_f), next(_f), next(_f)
NEXT_BREAK = next(_f)  # where a step must end because a mode changes with time
WINDOW_END = next(_f)  # until when breaks, limits and marks are known
SIGN = next(_f)  # +1.0 or -1.0
H, MAX_H = next(_f), next(_f)  # length of the next step; 0 at the start: choose one
RTOL = next(_f)
MOTION_TOL = next(_f)  # ATOL of a unit of motion
ASKED = next(_f)  # RTOL, also where ATOL stands for it and RTOL is 0
ERROR_BEFORE = next(_f)  # error of the last accepted step, for the controller
BASE = next(_f)  # fixed steps are counted from here
FIRST_H, LEAST_H, MOST_H = next(_f), next(_f), next(_f)  # statistics
FACTORED_H = next(_f)  # the signed step the factors belong to; 0 if there are none
RATE, OUTLOOK = next(_f), next(_f)  # of Newton's method: contraction, and what remains of it
H_BEFORE = next(_f)  # length of the last accepted step, for the controller
GUIDE_H, HISTORY_H = next(_f), next(_f)  # signed lengths of the last two steps; 0 if none
ALPHA_M, ALPHA_F = next(_f), next(_f)  # knobs of the generalized-α method
STAGE_WORK, STAGE_DOUBT, STAGE_SIZE = next(_f), next(_f), next(_f)  # ∫ P dt by the stages [J]
F_SIZE = next(_f)
