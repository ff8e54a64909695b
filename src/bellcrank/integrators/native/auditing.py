"""The audit that goes along with a run, compiled once for all methods and machines.

Energy is looked at where steps end. What is not conservative is integrated with the states, as
one more of them, where the method is an explicit one and nothing switches; else, and where
that is not good enough, over the dense output inside the steps by Kronrod's rule of five
points, whose distance from Gauss's of two tells what it may be wrong by. None of its points is
an end of a step, where a nonsmooth law has two values, nor a place where events are looked
for. The law is asked as it is, not in the mode held in the step: a run that did not see a
switch does not balance, and is told where.

References:
    Kronrod (1965), Nodes and Weights of Quadrature Formulas.
"""

from math import inf, sqrt

from bellcrank.constraints.native.machine import integers
from bellcrank.integrators import audit_table as d
from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import look
from bellcrank.linear.native.raw import address, call, constants, doubles, native

NODES = (
    0.03708995011372493, 0.21132486540518713, 0.5, 0.7886751345948129, 0.9629100498862751,
)  # fmt: skip
KRONROD = (
    0.09898989898989899, 0.24545454545454545, 0.3111111111111111, 0.24545454545454545,
    0.09898989898989899,
)  # fmt: skip
node, kronrod = constants(NODES), constants(KRONROD)
gauss = constants((0.0, 0.5, 0.0, 0.5, 0.0))

MOST_PANELS = 128  # in one step
LOOKS = 256.0  # parts of the whole time that are at least looked at where laws may be hidden
RARELY = 3  # steps passed over after each look at the energy alone
CALM = 0.003  # of the tolerance of a step, below which the shape of power is of no interest
CALM_STEPS = 8  # steps in a row of no interest before several are taken together
MOST_TOGETHER = 64
SHARE = 0.3  # of the tolerance of a step, to which its work is to be known
TRUST = 10.0  # of the square of the distance of two rules, as an estimate
PROBES = 4
PROBE = 100.0  # tolerances by which states are moved to see what they are worth
NOISE = 1e-6  # part of the most seen below which a switching function may be rounding
FIXED = 1e-7  # of the energy, as good as work is integrated where there is no tolerance
SHORT = 1.5  # an angle that turns less in a step has lost no turn [rad]


@native
def _ask(i, t, time, place):
    """Fill Y at a time and a place."""
    look(i, time, place)
    call(t[d.KERNEL], address(i, c.IN), address(t, d.OUT), t[d.WORK])


@native
def _ask_rates(i, t, time, place):
    """Fill POWER, RATES and FORCED at a time and a place; UD is there where power needs it."""
    look(i, time, place)
    if t[d.RATES_KERNEL] == 0:
        return
    i[c.IN + 7] = t[d.UD] + 8 * i[c.NQ]
    call(t[d.RATES_KERNEL], address(i, c.IN), address(t, d.OUT + 1), t[d.WORK])


@native
def _power(t):
    """Return what is put in at the place looked at [W]."""
    power = doubles(t[d.POWER])
    if t[d.POWERS] == 1:
        return power[0]
    return power[0] + power[1] if t[d.POWERS] == 2 else 0.0


@native
def _interpolate(i, theta, out):
    """Write the state at θ of the step whose dense output is in C."""
    rows, x, stride = doubles(i[c.C]), doubles(out), i[c.STRIDE]
    last = i[c.BLEND] - 1
    for n in range(stride):
        x[n] = rows[last * stride + n]
    for back in range(last):
        row = last - 1 - back
        factor = theta if row % 2 == 0 else 1.0 - theta
        for n in range(stride):
            x[n] = rows[row * stride + n] + factor * x[n]


@native
def _interpolate_rates(i, f, theta, out):
    """Write the derivative of the dense output at θ, which errs by as much as it in the mean.

    What u is off by vanishes at both ends, so its rate adds nothing to a work that is slowly
    weighted: no right-hand side needs to be asked.
    """
    rows, rate, stride = doubles(i[c.C]), doubles(out), i[c.STRIDE]
    last, scale = i[c.BLEND] - 1, 1.0 / f[c.STEP]
    for n in range(i[c.NQ], i[c.NQ] + i[c.NU]):
        x, slope = rows[last * stride + n], 0.0
        for back in range(last):
            row = last - 1 - back
            if row % 2 == 0:
                slope = x + theta * slope
                x = rows[row * stride + n] + theta * x
            else:
                slope = (1.0 - theta) * slope - x
                x = rows[row * stride + n] + (1.0 - theta) * x
        rate[n] = scale * slope


@native
def _worth(i, f, t, a, time, place):
    """Set UNIT to what errors as large as the tolerance may change of the energy.

    Their norm over the tolerance is a root mean square, so the most is √nx |∂E/∂x · tol|. The
    mean square of what changes of random signs do is the square of the latter, whatever nx.
    """
    x, moved, y = doubles(place), doubles(t[d.PLACE]), doubles(t[d.Y])
    atol, here, total = doubles(i[c.ATOL]), y[0] + y[1], 0.0
    for probe in range(PROBES):
        for n in range(i[c.NX]):
            size = PROBE * (atol[n] + f[c.RTOL] * abs(x[n]))
            sign = (((n + 1) * (2 * probe + 40503) * 2654435761) >> 13) & 1
            moved[n] = x[n] + (size if sign != 0 else -size)
        _ask(i, t, time, t[d.PLACE])
        change = (y[0] + y[1] - here) / PROBE
        total += change * change
    unit = sqrt(total * i[c.NX] / PROBES)
    if unit < 1e300:
        a[d.UNIT] = max(a[d.UNIT], unit)


@native
def _keep(t, a):
    """Keep what was found at the end of a step: looking elsewhere overwrites it."""
    y = doubles(t[d.Y])
    a[d.T_END], a[d.V_END], a[d.P_END] = y[0], y[1], _power(t)


@native
def _weigh(t, a, time):
    """Compare the energy at the end of the step with what was put in."""
    kinetic, potential = a[d.T_END], a[d.V_END]
    gap = kinetic + potential - a[d.FIRST] - a[d.WORK_DONE]
    if not abs(gap) < 1e300:
        a[d.NOT_FINITE] = 1.0
        return
    jump = abs(gap - a[d.GAP_BEFORE])
    if jump > a[d.JUMP]:
        a[d.JUMP], a[d.JUMP_TIME] = jump, time
    a[d.GAP_BEFORE] = gap
    a[d.GAP] = max(a[d.GAP], abs(gap))
    a[d.KINETIC] = max(a[d.KINETIC], kinetic)
    a[d.SIZE] = max(a[d.SIZE], abs(kinetic) + abs(potential))
    if t[d.TOLERANT] == 0:
        a[d.UNIT] = FIXED * a[d.SIZE]


@native
def _remembered(i, n, time):
    """Return an angle that is remembered, k₁ + k₂ t."""
    k = doubles(i[c.MEMORY] + 8 * i[c.ANGLES])
    return k[2 * n] + k[2 * n + 1] * time


@native
def _begin(i, f, t, a):
    time, y = f[c.TIME], doubles(t[d.Y])
    _ask_rates(i, t, time, i[c.X])
    _ask(i, t, time, i[c.X])
    a[d.FIRST] = y[0] + y[1]
    a[d.POSITION], a[d.VELOCITY] = y[2], y[3]
    _keep(t, a)
    _weigh(t, a, time)
    rates, before = doubles(t[d.RATES]), doubles(t[d.RATES_BEFORE])
    angles = doubles(t[d.ANGLES_BEFORE])
    for n in range(t[d.ANGLES]):
        before[n], angles[n] = rates[n], _remembered(i, n, time)
    if t[d.TOLERANT] != 0:
        _worth(i, f, t, a, time, i[c.X])


@native
def _due(i, f, t):
    """Return whether energy and power at the end of the step are to be looked at."""
    if t[d.SKIP] == 0 or f[c.TIME1] == f[c.END] or i[c.LANDING] + i[c.CUT] != 0:
        return True
    t[d.SKIP] -= 1
    return False


@native
def _end(i, f, t, a):
    """Look at (TIME1, X1); return 1 if the inside of the step is to be looked at."""
    inside = t[d.POWERS] % 3 != 0 or i[c.NK] != 0
    if inside and _told_by_stages(i, f, t, a):
        inside = False
    due = (inside and t[d.COAST] == 0) or _due(i, f, t)
    if not due and t[d.ANGLES] == 0:
        return 0
    time, y = f[c.TIME1], doubles(t[d.Y])
    _ask_rates(i, t, time, i[c.X1])
    fast = _sweep(f, t)
    if not due:
        return 1 if fast else 0
    _ask(i, t, time, i[c.X1])
    _keep(t, a)
    if i[c.CUT] == 0:  # else the point is brought onto the constraints later
        a[d.POSITION], a[d.VELOCITY] = max(a[d.POSITION], y[2]), max(a[d.VELOCITY], y[3])
    t[d.WEIGHED] += 1
    if not inside:
        _weigh(t, a, time)
        t[d.SKIP] = RARELY
    elif t[d.COAST] != 0:
        inside = False
        # Inputs change on a tick, and power with them.
        if not _coasted(t, a, time) or i[c.LANDING] + i[c.CUT] != 0:
            t[d.COAST] = t[d.CALM] = 0
        _weigh(t, a, time)
    last = time == f[c.END] or (t[d.WEIGHED] & (t[d.WEIGHED] - 1)) == 0
    if t[d.TOLERANT] != 0 and last:
        _worth(i, f, t, a, time, i[c.X1])
    t[d.WORKING] = 1 if inside else 0
    return 1 if inside or fast else 0


@native
def _told_by_stages(i, f, t, a):
    """Add the work of the step that its stages tell, if they tell it well enough."""
    work, doubt, size = f[c.STAGE_WORK], f[c.STAGE_DOUBT], f[c.STAGE_SIZE]
    t[d.STAGED] |= 1 if doubt < inf else 0
    f[c.STAGE_DOUBT] = inf  # until the next step tells
    if i[c.POWERS] == 0 or i[c.CUT] + t[d.COAST] != 0 or (t[d.TIMED] != 0 and not _short(f)):
        return False
    if not doubt <= max(SHARE * a[d.UNIT], 0.1 * f[c.ASKED] * size):
        return False
    a[d.WORK_DONE] += work
    a[d.DOUBT] += doubt
    a[d.TURNED_OVER] += size
    return True


@native
def _short(f):
    """Return whether nothing long enough to be looked for can hide in the step."""
    return abs(f[c.TIME1] - f[c.TIME]) * LOOKS < abs(f[c.END] - f[c.BEGIN])


@native
def _sweep(f, t):
    """Set SWEPT by the trapezoidal rule; return whether a turn could have been lost."""
    rates, before = doubles(t[d.RATES]), doubles(t[d.RATES_BEFORE])
    swept, h, fast = doubles(t[d.SWEPT]), f[c.TIME1] - f[c.TIME], False
    for n in range(t[d.ANGLES]):
        swept[n] = 0.5 * h * (before[n] + rates[n])
        fast |= abs(h) * max(abs(before[n]), abs(rates[n])) > SHORT
        before[n] = rates[n]
    return fast


@native
def _coasted(t, a, time):
    """Integrate power from the last look to this one; return whether that was good enough.

    The trapezoidal rule is corrected by the curvature seen over two such parts.
    """
    h, power = time - a[d.T_COAST], a[d.P_END]
    slope = (power - a[d.P_COAST]) / h
    bend = 2.0 * (slope - a[d.SLOPE]) / (h + a[d.H_COAST])
    correction = h * h * h * bend / 12.0
    a[d.WORK_DONE] += 0.5 * h * (power + a[d.P_COAST]) - correction
    doubt = abs(correction)
    a[d.DOUBT] += doubt
    a[d.TURNED_OVER] += 0.5 * abs(h) * (abs(power) + abs(a[d.P_COAST]))
    a[d.T_COAST], a[d.P_COAST], a[d.SLOPE], a[d.H_COAST] = time, power, slope, h
    bound = CALM * a[d.UNIT]
    if not doubt <= bound:
        t[d.COAST] //= 2
    elif doubt < 0.02 * bound:
        t[d.COAST] = min(2 * t[d.COAST], MOST_TOGETHER)
    if t[d.COAST] == 0:
        return False
    t[d.SKIP] = t[d.COAST] - 1
    return True


@native
def _panel(i, f, t, a, first, length, keep):
    """Integrate over a part of the step.

    Returns work, what it may be wrong by, ∫|P| dt; ∫F dt and ∫|F| dt of forces of time.

    Args:
        i: The block of integers.
        f: The block of doubles.
        t: The table.
        a: The numbers.
        first: θ where it begins.
        length: Its length in θ.
        keep: Whether modes and angles are looked at.
    """
    swept, rates = doubles(t[d.SWEPT]), doubles(t[d.RATES])
    forced, push, much = doubles(t[d.FORCED]), 0.0, 0.0
    high = low = size = rough = 0.0
    p0 = p1 = p2 = p3 = p4 = 0.0
    for n in range(5):
        theta = first + length * node(n)
        time = f[c.TIME] + theta * f[c.STEP]
        _interpolate(i, theta, t[d.PLACE])
        if t[d.POWERS] == 2:
            _interpolate_rates(i, f, theta, t[d.UD])
        _ask_rates(i, t, time, t[d.PLACE])
        power = _power(t)
        high += kronrod(n) * power
        low += gauss(n) * power
        size += kronrod(n) * abs(power)
        if t[d.TIMED] != 0:
            push += kronrod(n) * forced[0]
            much += kronrod(n) * abs(forced[0])
        p0, p1, p2, p3, p4 = p1, p2, p3, p4, power
        if keep:
            for m in range(t[d.ANGLES]):
                swept[m] += f[c.STEP] * length * kronrod(n) * rates[m]
            _check_modes(i, t, a, time)
    rough = (
        kronrod(0) * (abs(p0 - high) + abs(p4 - high))
        + kronrod(1) * (abs(p1 - high) + abs(p3 - high))
        + kronrod(2) * abs(p2 - high)
    )
    doubt = abs(high - low)
    if doubt > 0.0:  # Kronrod's rule has twice the order
        doubt = min(doubt, TRUST * doubt * doubt / rough)
    scale = f[c.STEP] * length
    long = abs(scale)
    return scale * high, long * doubt, long * size, scale * push, long * much


@native
def _check_modes(i, t, a, time):
    """Count switching functions whose sign is not the mode held, at the place looked at."""
    if i[c.NK] == 0:
        return
    i[c.OUT] = t[d.Z]
    call(i[c.SWITCHES], address(i, c.IN), address(i, c.OUT), i[c.WORK])
    z, most, k = doubles(t[d.Z]), doubles(t[d.Z_MOST]), doubles(i[c.MEMORY])
    for n in range(i[c.NK]):
        most[n] = max(most[n], abs(z[n]))
        if z[n] * k[n] < 0.0 and abs(z[n]) > NOISE * most[n]:
            if t[d.UNSEEN] == 0:
                a[d.UNSEEN_TIME] = time
            t[d.UNSEEN] += 1


@native
def _inside(i, f, t, a):
    """Integrate over the step, in as many parts as it takes, then look at the energy."""
    whole, swept = (f[c.TIME1] - f[c.TIME]) / f[c.STEP], doubles(t[d.SWEPT])
    least, panels = 1, t[d.PANELS]
    if i[c.NK] != 0 or t[d.TIMED] != 0:
        part = (f[c.TIME1] - f[c.TIME]) / (f[c.END] - f[c.BEGIN])
        least = min(MOST_PANELS, 1 + int(LOOKS * abs(part)))
    panels = max(panels, least)
    work = doubt = size = push = force = 0.0
    keep = True
    for n in range(t[d.ANGLES]):
        swept[n] = 0.0
    while True:
        work = doubt = size = push = force = 0.0
        length = whole / panels
        for n in range(panels):
            some, wrong, much, pushed, hard = _panel(i, f, t, a, n * length, length, keep)
            work += some
            doubt += wrong
            size += much
            push += pushed
            force += hard
        keep = False
        wanted = max(SHARE * a[d.UNIT], 0.1 * f[c.ASKED] * size)
        if not doubt > wanted or panels >= MOST_PANELS:
            break
        panels = min(2 * panels, MOST_PANELS)
    if t[d.TIMED] != 0:
        seen = push
        if panels > 1:
            _, _, _, seen, _ = _panel(i, f, t, a, 0.0, whole, False)
        if abs(push - seen) < 1e300:
            a[d.PUSHED_UNSEEN] += abs(push - seen)
            a[d.PUSHED] += force
    if t[d.WORKING] == 0:
        return
    t[d.PANELS] = panels if doubt > 1e-2 * wanted else max(1, panels // 2)
    if abs(work) + doubt < 1e300:
        a[d.WORK_DONE] += work
        a[d.DOUBT] += doubt
        a[d.TURNED_OVER] += size
    else:
        a[d.DOUBT] = 1e300
    _weigh(t, a, f[c.TIME1])
    _settle_down(i, f, t, a, work)


@native
def _settle_down(i, f, t, a, work):
    """Take steps together once their ends alone have told the work in several."""
    h, before = f[c.TIME1] - f[c.TIME], a[d.P_COAST]
    a[d.P_COAST] = a[d.P_END]
    calm = abs(0.5 * h * (before + a[d.P_END]) - work) < CALM * a[d.UNIT]
    sudden = i[c.NK] + t[d.TIMED] + i[c.LANDING] + i[c.CUT]
    if not calm or t[d.POWERS] != 1 or sudden + t[d.STAGED] != 0:
        t[d.CALM] = 0
        return
    t[d.CALM] += 1
    if t[d.CALM] >= CALM_STEPS:
        t[d.COAST] = 1
        t[d.SKIP] = 0
        a[d.T_COAST], a[d.H_COAST] = f[c.TIME1], h
        a[d.SLOPE] = (a[d.P_END] - before) / h


@native
def _point(i, f, t):
    """Compare what angles in k changed by with the integral of their rates."""
    angles, swept, lost = doubles(t[d.ANGLES_BEFORE]), doubles(t[d.SWEPT]), doubles(t[d.LOST])
    for n in range(t[d.ANGLES]):
        now = _remembered(i, n, f[c.TIME])
        lost[n] += now - angles[n] - swept[n]
        angles[n] = now


def audit(block, numbers, table, what, _):
    """Do what is asked; return 1 if `END` wants to look inside the step, else 0.

    Args:
        block: Address of the block of integers.
        numbers: Address of the block of doubles.
        table: Address of the table of `audit_table`.
        what: One of its requests.
    """
    i, f, t = integers(block), doubles(numbers), integers(table)
    a = doubles(t[d.NUMBERS])
    if what == d.END:
        return _end(i, f, t, a)
    if what == d.INSIDE:
        _inside(i, f, t, a)
    elif what == d.POINT:
        _point(i, f, t)
    else:
        _begin(i, f, t, a)
    return 0
