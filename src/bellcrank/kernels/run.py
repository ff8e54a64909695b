"""The record of a run: all that an integration is at any moment; see `integrators.contract`.

Texts write TIME for the field `time`.
"""

from bellcrank.kernels.layout import layout

LANES = 8  # doubles handled together in loops over rows
TRAIL_ROWS = 64  # parts of a step through which measured angles are followed, at most
SAMPLES = 4  # pieces of a part of a step, at whose ends events and switches are looked at

LAYOUT = layout(
    integers=(
        "phase",
        "nq nu nx stride",  # numbers of coordinates, speeds, states
        "nw nk ne",  # inputs, switches, events
        "turning",  # angles that turn inside sin, cos, tan of switches and events
        "memory_size",  # entries of k; the first NK of them are modes of switches
        "trail_parts",  # parts of the step in hand whose lines are in TRAIL; 0 if one holds
        "timed",  # entries of k after those: modes that change at breaks, with time alone
        "angles",  # where measured angles begin in k: after all modes
        "ramp",  # 1 if inputs vary with time between ticks
        "f0_valid f1_valid dense_valid",
        "landing",  # 1 if the step in hand ends on END, on a tick or on a break
        "after_rejection",
        "non_finite_row",  # attempts in a row that were not finite
        "steps rejected evaluations flips",
        "max_steps",  # attempts allowed
        "fixed_count",  # steps of fixed size since BASE
        "parts",  # in which a step of fixed size is made, where it cannot be made at once
        "parts_made",  # since their number changed last
        "whole",  # 1 if the step in hand ends where one of full size does
        "rough",  # 1 if X is as a method goes on with it, not brought onto the constraints
        "cut",  # 1 if the step in hand was cut short by a switch or a terminal event
        "stopped_by",  # number of the terminal event, or NE more: of one that is lost; or -1
        "every",  # 1: record every accepted step; 0: record on the grid
        "grid_size grid_next",
        "records record_room",  # rows written, rows there are
        "hits hit_room",  # the same of event hits
        # what is known ahead of the time until WINDOW_END, in the order it is passed
        "break_size break_next",  # breaks there are, the first one not passed
        "limit_size limit_next",  # limits of the step there are, the one that holds
        "mark_size mark_next",  # events of time alone, the first one not met
        # what implicit methods keep
        "second_order",  # 1 if q̇ = u exactly and there are no other states
        "jacobians factorizations",  # statistics
        "jacobian_due jacobian_fresh",  # wanted anew; taken at (TIME, X)
        "newtons",  # iterations in the attempt
        "rounded",  # 1 if coordinates are known no better than what may be left of them
        "seen_flips seen_landing",  # at the last accepted step
        "blend",  # rows of DENSE
        "growing",  # 1 while ATOL grows with the motion
        "expect",  # address of the routine that sets ATOL at the start
        "vector_count",  # places and velocities whose errors may be those of differences
        "related",  # 1 where some are
        "dependent",  # 1 if constraints were too close to dependent for the method
        # addresses of kernels; 0 where there is none
        "rhs normalize switches events",
        "jacobian",
        "reviser",  # gives k at a point: the lines k₁ + k₂ t of measured angles
        "saddle",  # address of the table of `constraints.index2.table`
        "auditor audit",  # addresses of the routine and of the table of `audit_table`
        # addresses of arrays of doubles
        "clock",  # (1,) the time a kernel sees
        "x x1",  # (STRIDE,) state at TIME and at TIME1
        "place",  # (STRIDE,) stage or interpolated state
        "scratch",  # (STRIDE,) what a kernel gives that must not overwrite what it takes
        "slopes",  # (rows, STRIDE) derivatives
        "dense",  # (blend, STRIDE) coefficients of the dense output
        "atol",  # (STRIDE,)
        "nominal",  # (STRIDE,) sizes by which states of different units are compared
        # What ATOL grows with where it follows the motion; see `scales`.
        "most_atol rest group",  # (STRIDE,) limit; where it began; kind
        "motion rounding",  # of each kind: the largest seen, and the least ATOL
        "vectors bases",  # (VECTOR_COUNT, 3), (STRIDE,) see `native.relative`; -1 for none
        "w0 w1 w",  # (NW,) inputs are W = W0 + W1 t
        "p",  # parameters
        "memory",  # (MEMORY_SIZE,) k
        "revised",  # (MEMORY_SIZE,) what REVISER gives
        "trail",  # (TRAIL_ROWS, MEMORY_SIZE - ANGLES) lines of measured angles, by parts
        "z z_root",  # (NK,) switching functions; θ of their roots
        "z_flips z_since",  # (NK,) flips of a switch, and since when
        "g g_root",  # (NE + TURNING,) events, then angles that turn; (NE,) θ of roots
        "seen",  # (SAMPLES + 1, NK + NE + TURNING) their values at the points of a part
        "g_sign",  # (NE,) side on which an event function was last seen; 0 unknown
        "g_direction g_terminal",  # (NE,)
        "grid",  # (GRID_SIZE,) times wanted
        "record_t record_x record_w record_k",  # (room,), (room, NX), …
        "hit_t hit_index hit_x",  # (room,), (room,), (room, NX)
        "breaks break_modes",  # (BREAK_SIZE,), (BREAK_SIZE + 1, TIMED)
        "break_after",  # (BREAK_SIZE,) where the time goes on, a few units of the clock later
        "limit_start limit_length",  # (LIMIT_SIZE,) where it begins; longest step
        "marks mark_x",  # (MARK_SIZE,), (MARK_SIZE, NX)
        "work",  # scratch of the kernels
        "matrices",  # Jacobian, mass and factors, laid out in `native.linear`
        "powers",  # (MOST_STAGES,) power at the stages of a step; 0 where none is asked for
        # the slot `audit_rates`: its address, that of the addresses of its outputs, its scratch
        "power_kernel power_out power_work",
        "power",  # (2,) what it gives first: power of two kinds, the second zero where one is
        # what kernels are called with: addresses of t, q, u, s, w, p, k, and of u̇ where they
        # take it; addresses for what they give
        "in_t in_q in_u in_s in_w in_p in_k in_a",
        "out out1 out2",
    ),
    doubles=(
        "time time1",  # the step in hand goes from TIME to TIME1
        "step",  # its signed length as attempted; TIME1 - TIME is shorter if it was cut
        "begin end next_tick",
        "next_break",  # where a step must end because a mode changes with time
        "window_end",  # until when breaks, limits and marks are known
        "sign",  # +1.0 or -1.0
        "h max_h",  # length of the next step; 0 at the start: choose one
        "rtol",
        "motion_tol",  # ATOL of a unit of motion
        "lever",  # by which round-off of angles shows in lengths [m]; see `scales`
        "length",  # of the machine
        "asked",  # RTOL, also where ATOL stands for it and RTOL is 0
        "error_before",  # error of the last accepted step, for the controller
        "base",  # fixed steps are counted from here
        "first_h least_h most_h",  # statistics
        "factored_h",  # the signed step the factors belong to; 0 if there are none
        "rate outlook",  # of Newton's method: contraction, and what remains of it
        "h_before",  # length of the last accepted step, for the controller
        "guide_h history_h",  # signed lengths of the last two steps; 0 if none
        "alpha_m alpha_f",  # knobs of the generalized-α method
        "stage_work stage_doubt stage_size",  # ∫ P dt by the stages [J]
    ),
)
