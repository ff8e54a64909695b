"""The record of an audit that goes along with a run.

The routine `native/auditing.py` is called by the loop of every method:

    BEGIN    at the start
    END      at (TIME1, X1); answers whether it wants to look inside
    INSIDE   the dense output is there
    POINT    at (TIME, X), memory revised
"""

from bellcrank.kernels.layout import layout

BEGIN, END, INSIDE, POINT = range(4)
MOST_STAGES = 24
LAYOUT = layout(
    integers=(
        "kernel",  # address of the slot `audit`
        "rates_kernel",  # and of `audit_rates`, 0 where it gives nothing
        "powers",  # how much power there is to integrate: 0, 1, 2, or 3 where it is not known
        "timed",  # 1 if forces depend on time by themselves
        "angles",  # number of angles in k
        "tolerant",  # 1 if the method has a tolerance, to be turned into one of energy
        "y power rates",  # addresses of what the kernels give
        "rates_before angles_before swept unsure",  # (ANGLES,)
        "lost",  # (ANGLES,) angles less the integrals of their rates [rad]
        "forced",  # (TIMED,) the sum of such forces, as the kernel gives it
        "ud",  # (STRIDE,) rates of speeds, where power needs them
        "place",  # (STRIDE,) a state inside the step
        "start moved",  # (STRIDE,) the first state, and the most by which ends of steps differ
        "stages",  # (MOST_STAGES,) power at the stages of a step
        "z z_most",  # (NK,) switching functions, and the most seen of them
        "work",  # scratch of the kernels
        "skip weighed",  # steps not to be looked at; how many were
        "panels",  # parts of a step that are integrated over at first
        "working",  # 1 if power in the step is to be integrated, 0 if only angles are
        "calm coast",  # steps in a row of no interest; steps taken together
        "staged",  # 1 if stages of steps tell power
        "unseen",  # places inside steps where a mode is not what the law says
        # addresses for what the kernels give: `audit` the first, `audit_rates` the others
        "out out_power out_rates out_forced",
    ),
    doubles=(
        "first",  # energy at the start [J]
        "work_done",  # ∫ P dt [J]
        "doubt",  # what that may be wrong by [J]
        "turned_over",  # ∫ |P| dt [J]
        "gap gap_before",  # most and last of E − E₀ − ∫ P dt [J]
        "jump jump_time",  # its largest change between two looks, and when
        "kinetic size",  # most of T, and of |T| + |V| [J]
        "unit",  # what the tolerance of a step is worth [J]
        "position velocity",  # most of the scaled residuals
        "unseen_time",  # of the first place of UNSEEN
        "not_finite",  # 1 if energy was not finite
        "t_coast p_coast slope",  # where coasting began; slope before
        "h_coast",
        "pushed pushed_unseen",  # ∫ |such forces| dt, and what two panels miss
        "t_end v_end p_end",  # what was found at the end of the step
    ),
)
