"""The table and the numbers of an audit that goes along with a run.

`t` are integers (sizes, counts, addresses), `a` doubles whose address is in `t`. The routine
`native/auditing.py` is called by the loop of every method:

    BEGIN    at the start
    END      at (TIME1, X1); answers whether it wants to look inside
    INSIDE   the dense output is there
    POINT    at (TIME, X), memory revised
"""

from itertools import count

BEGIN, END, INSIDE, POINT = range(4)

# --- integers -----------------------------------------------------------------------------
_i = count()
KERNEL = next(_i)  # address of the slot `audit`
RATES_KERNEL = next(_i)  # and of `audit_rates`, 0 where it gives nothing
POWERS = next(_i)  # how much power there is to integrate: 0, 1, 2, or 3 where it is not known
TIMED = next(_i)  # 1 if forces depend on time by themselves
ANGLES = next(_i)  # number of angles in k
TOLERANT = next(_i)  # 1 if the method has a tolerance, to be turned into one of energy
NUMBERS = next(_i)  # address of `a`
Y, POWER, RATES = next(_i), next(_i), next(_i)  # addresses of what the kernels give
RATES_BEFORE, ANGLES_BEFORE, SWEPT = next(_i), next(_i), next(_i)  # (ANGLES,)
LOST = next(_i)  # (ANGLES,) angles less the integrals of their rates [rad]
FORCED = next(_i)  # (TIMED,) the sum of such forces, as the kernel gives it
UD = next(_i)  # (STRIDE,) rates of speeds, where power needs them
PLACE = next(_i)  # (STRIDE,) a state inside the step
STAGES = next(_i)  # (MOST_STAGES,) power at the stages of a step
Z, Z_MOST = next(_i), next(_i)  # (NK,) switching functions, and the most seen of them
WORK = next(_i)  # scratch of the kernels
SKIP, WEIGHED = next(_i), next(_i)  # steps not to be looked at; how many were
PANELS = next(_i)  # parts of a step that are integrated over at first
WORKING = next(_i)  # 1 if power in the step is to be integrated, 0 if only angles are
CALM, COAST = next(_i), next(_i)  # steps in a row of no interest; steps taken together
STAGED = next(_i)  # 1 if stages of steps tell power
UNSEEN = next(_i)  # places inside steps where a mode is not what the law says
OUT = next(_i)  # 4 addresses
T_SIZE = OUT + 4

# --- doubles ------------------------------------------------------------------------------
_f = count()
FIRST = next(_f)  # energy at the start [J]
WORK_DONE = next(_f)  # ∫ P dt [J]
DOUBT = next(_f)  # what that may be wrong by [J]
TURNED_OVER = next(_f)  # ∫ |P| dt [J]
GAP, GAP_BEFORE = next(_f), next(_f)  # most and last of E − E₀ − ∫ P dt [J]
JUMP, JUMP_TIME = next(_f), next(_f)  # its largest change between two looks, and when
KINETIC, SIZE = next(_f), next(_f)  # most of T, and of |T| + |V| [J]
UNIT = next(_f)  # what the tolerance of a step is worth [J]
POSITION, VELOCITY = next(_f), next(_f)  # most of the scaled residuals
UNSEEN_TIME = next(_f)  # of the first place of UNSEEN
NOT_FINITE = next(_f)  # 1 if energy was not finite
T_COAST, P_COAST, SLOPE = next(_f), next(_f), next(_f)  # where coasting began; slope before
H_COAST = next(_f)
PUSHED, PUSHED_UNSEEN = next(_f), next(_f)  # ∫ |such forces| dt, and what one panel misses
T_END, V_END, P_END = next(_f), next(_f), next(_f)  # what was found at the end of the step
A_SIZE = next(_f)
MOST_STAGES = 24
