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

from bellcrank.integrators import audit_table as d
from bellcrank.kernels.native.run import inputs_of, look, normalize, outputs_of, run_at
from bellcrank.linear.native.raw import call, constants, doubles, field, native, record

audit_at = record(d.LAYOUT)
audit_outputs_of = field(d.LAYOUT, "out")
rates_outputs_of = field(d.LAYOUT, "out_power")

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
BRIEF = 1e-12  # of the run: in a shorter step, between two switches, every mode may be rounding
SHIFT = 0.0371  # of a panel, by which all lie aside: in middles of steps laws touch their jumps
FIXED = 1e-7  # of the energy, as good as work is integrated where there is no tolerance
SHORT = 1.5  # an angle that turns less in a step has lost no turn [rad]


@native
def _ask(run, audit, time, place):
    """Fill Y at a time and a place."""
    look(run, time, place)
    call(audit.kernel, inputs_of(run), audit_outputs_of(audit), audit.work)


@native
def _ask_rates(run, audit, time, place):
    """Fill POWER, RATES and FORCED at a time and a place; UD is there where power needs it."""
    look(run, time, place)
    if audit.rates_kernel == 0:
        return
    run.in_a = audit.ud + 8 * run.nq
    call(audit.rates_kernel, inputs_of(run), rates_outputs_of(audit), audit.work)


@native
def _power(audit):
    """Return what is put in at the place looked at [W]."""
    power = doubles(audit.power)
    if audit.powers == 1:
        return power[0]
    return power[0] + power[1] if audit.powers == 2 else 0.0


@native
def _interpolate(run, theta, out):
    """Write the state at θ of the step whose dense output is in C."""
    rows, x, stride = doubles(run.dense), doubles(out), run.stride
    last = run.blend - 1
    for n in range(stride):
        x[n] = rows[last * stride + n]
    for back in range(last):
        row = last - 1 - back
        factor = theta if row % 2 == 0 else 1.0 - theta
        for n in range(stride):
            x[n] = rows[row * stride + n] + factor * x[n]


@native
def _interpolate_rates(run, theta, out):
    """Write the derivative of the dense output at θ, which errs by as much as it in the mean.

    What u is off by vanishes at both ends, so its rate adds nothing to a work that is slowly
    weighted: no right-hand side needs to be asked.
    """
    rows, rate, stride = doubles(run.dense), doubles(out), run.stride
    last, scale = run.blend - 1, 1.0 / run.step
    for n in range(run.nq, run.nq + run.nu):
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
def _worth(run, audit, time, place):
    """Set UNIT to what errors as large as the tolerance may change of the energy.

    Their norm over the tolerance is a root mean square, so the most is √nx |∂E/∂x · tol|. The
    mean square of what changes of random signs do is the square of the latter, whatever nx.
    """
    x, moved, y = doubles(place), doubles(audit.place), doubles(audit.y)
    atol, here, total = doubles(run.atol), y[0] + y[1], 0.0
    for probe in range(PROBES):
        for n in range(run.nx):
            size = PROBE * (atol[n] + run.rtol * abs(x[n]))
            sign = (((n + 1) * (2 * probe + 40503) * 2654435761) >> 13) & 1
            moved[n] = x[n] + (size if sign != 0 else -size)
        _ask(run, audit, time, audit.place)
        change = (y[0] + y[1] - here) / PROBE
        total += change * change
    unit = sqrt(total * run.nx / PROBES)
    if unit < 1e300:
        audit.unit = max(audit.unit, unit)


@native
def _keep(audit):
    """Keep what was found at the end of a step: looking elsewhere overwrites it."""
    y = doubles(audit.y)
    audit.t_end, audit.v_end, audit.p_end = y[0], y[1], _power(audit)


@native
def _weigh(audit, time):
    """Compare the energy at the end of the step with what was put in."""
    kinetic, potential = audit.t_end, audit.v_end
    gap = kinetic + potential - audit.first - audit.work_done
    if not abs(gap) < 1e300:
        audit.not_finite = 1.0
        return
    jump = abs(gap - audit.gap_before)
    if jump > audit.jump:
        audit.jump, audit.jump_time = jump, time
    audit.gap_before = gap
    audit.gap = max(audit.gap, abs(gap))
    audit.kinetic = max(audit.kinetic, kinetic)
    audit.size = max(audit.size, abs(kinetic) + abs(potential))
    if audit.tolerant == 0:
        audit.unit = FIXED * audit.size


@native
def _remembered(run, n, time):
    """Return an angle that is remembered, k₁ + k₂ t."""
    k = doubles(run.memory + 8 * run.angles)
    return k[2 * n] + k[2 * n + 1] * time


@native
def _move(run, audit):
    """Keep how far each state is from where it began."""
    x, start, moved = doubles(run.x1), doubles(audit.start), doubles(audit.moved)
    for n in range(run.nx):
        moved[n] = max(moved[n], abs(x[n] - start[n]))


@native
def _begin(run, audit):
    time, y = run.time, doubles(audit.y)
    x, start = doubles(run.x), doubles(audit.start)
    for n in range(run.nx):
        start[n] = x[n]
    _ask_rates(run, audit, time, run.x)
    _ask(run, audit, time, run.x)
    audit.first = y[0] + y[1]
    audit.position, audit.velocity = y[2], y[3]
    _keep(audit)
    _weigh(audit, time)
    rates, before = doubles(audit.rates), doubles(audit.rates_before)
    angles = doubles(audit.angles_before)
    for n in range(audit.angles):
        before[n], angles[n] = rates[n], _remembered(run, n, time)
    if audit.tolerant != 0:
        _worth(run, audit, time, run.x)


@native
def _due(run, audit):
    """Return whether energy and power at the end of the step are to be looked at."""
    if audit.skip == 0 or run.time1 == run.end or run.landing + run.cut != 0:
        return True
    audit.skip -= 1
    return False


@native
def _end(run, audit):
    """Look at (TIME1, X1); return 1 if the inside of the step is to be looked at."""
    _move(run, audit)
    inside = audit.powers % 3 != 0 or run.nk != 0
    if inside and _told_by_stages(run, audit):
        inside = False
    due = (inside and audit.coast == 0) or _due(run, audit)
    if not due and audit.angles == 0:
        return 0
    time, y = run.time1, doubles(audit.y)
    _ask_rates(run, audit, time, run.x1)
    fast = _sweep(run, audit)
    if not due:
        audit.working = 0  # only angles are looked at inside
        return 1 if fast else 0
    _ask(run, audit, time, run.x1)
    _keep(audit)
    if run.cut == 0:  # else the point is brought onto the constraints later
        audit.position, audit.velocity = max(audit.position, y[2]), max(audit.velocity, y[3])
    audit.weighed += 1
    if not inside:
        _weigh(audit, time)
        audit.skip = RARELY
    elif audit.coast != 0:
        inside = False
        # Inputs change on a tick, and power with them.
        if not _coasted(audit, time) or run.landing + run.cut != 0:
            audit.coast = audit.calm = 0
        _weigh(audit, time)
    last = time == run.end or (audit.weighed & (audit.weighed - 1)) == 0
    if audit.tolerant != 0 and last:
        _worth(run, audit, time, run.x1)
    audit.working = 1 if inside else 0
    return 1 if inside or fast else 0


@native
def _told_by_stages(run, audit):
    """Add the work of the step that its stages tell, if they tell it well enough."""
    work, doubt, size = run.stage_work, run.stage_doubt, run.stage_size
    audit.staged |= 1 if doubt < inf else 0
    run.stage_doubt = inf  # until the next step tells
    if run.powers == 0 or run.cut + audit.coast != 0 or (audit.timed != 0 and not _short(run)):
        return False
    if not doubt <= max(SHARE * audit.unit, 0.1 * run.asked * size):
        return False
    audit.work_done += work
    audit.doubt += doubt
    audit.turned_over += size
    return True


@native
def _short(run):
    """Return whether nothing long enough to be looked for can hide in the step."""
    return abs(run.time1 - run.time) * LOOKS < abs(run.end - run.begin)


@native
def _sweep(run, audit):
    """Set SWEPT by the trapezoidal rule; return whether a turn could have been lost.

    UNSURE is what it may be wrong by where rates are smooth: half of what either end alone
    would make of it; less than a quarter of a turn, since longer steps are looked at inside.
    """
    rates, before, unsure = (
        doubles(audit.rates),
        doubles(audit.rates_before),
        doubles(audit.unsure),
    )
    swept, h, fast = doubles(audit.swept), run.time1 - run.time, False
    for n in range(audit.angles):
        swept[n] = 0.5 * h * (before[n] + rates[n])
        unsure[n] = min(0.25 * abs(h * (rates[n] - before[n])), 0.5 * SHORT)
        fast |= abs(h) * max(abs(before[n]), abs(rates[n])) > SHORT
        before[n] = rates[n]
    return fast


@native
def _coasted(audit, time):
    """Integrate power from the last look to this one; return whether that was good enough.

    The trapezoidal rule is corrected by the curvature seen over two such parts.
    """
    h, power = time - audit.t_coast, audit.p_end
    slope = (power - audit.p_coast) / h
    bend = 2.0 * (slope - audit.slope) / (h + audit.h_coast)
    correction = h * h * h * bend / 12.0
    audit.work_done += 0.5 * h * (power + audit.p_coast) - correction
    doubt = abs(correction)
    audit.doubt += doubt
    audit.turned_over += 0.5 * abs(h) * (abs(power) + abs(audit.p_coast))
    audit.t_coast, audit.p_coast, audit.slope, audit.h_coast = time, power, slope, h
    bound = CALM * audit.unit
    if not doubt <= bound:
        audit.coast //= 2
    elif doubt < 0.02 * bound:
        audit.coast = min(2 * audit.coast, MOST_TOGETHER)
    if audit.coast == 0:
        return False
    audit.skip = audit.coast - 1
    return True


@native
def _panel(run, audit, first, length, keep):
    """Integrate over a part of the step.

    Returns work, what it may be wrong by, ∫|P| dt; ∫F dt and ∫|F| dt of forces of time.

    Args:
        run: The record of the run.
        audit: The record of the audit.
        first: θ where it begins.
        length: Its length in θ.
        keep: Whether modes and angles are looked at.
    """
    swept, rates = doubles(audit.swept), doubles(audit.rates)
    forced, push, much = doubles(audit.forced), 0.0, 0.0
    high = low = size = rough = 0.0
    p0 = p1 = p2 = p3 = p4 = 0.0
    for n in range(5):
        theta = first + length * node(n)
        time = run.time + theta * run.step
        _interpolate(run, theta, audit.place)
        if audit.tolerant == 0 and audit.angles != 0:
            # Inside a long step its polynomials leave attitudes a length that is none.
            normalize(run, time, audit.place)
        if audit.powers == 2:
            _interpolate_rates(run, theta, audit.ud)
        _ask_rates(run, audit, time, audit.place)
        power = _power(audit)
        high += kronrod(n) * power
        low += gauss(n) * power
        size += kronrod(n) * abs(power)
        if audit.timed != 0:
            push += kronrod(n) * forced[0]
            much += kronrod(n) * abs(forced[0])
        p0, p1, p2, p3, p4 = p1, p2, p3, p4, power
        if keep:
            for m in range(audit.angles):
                swept[m] += run.step * length * kronrod(n) * rates[m]
            _check_modes(run, audit, time)
    rough = (
        kronrod(0) * (abs(p0 - high) + abs(p4 - high))
        + kronrod(1) * (abs(p1 - high) + abs(p3 - high))
        + kronrod(2) * abs(p2 - high)
    )
    doubt = abs(high - low)
    if doubt > 0.0:  # Kronrod's rule has twice the order
        doubt = min(doubt, TRUST * doubt * doubt / rough)
    scale = run.step * length
    long = abs(scale)
    return scale * high, long * doubt, long * size, scale * push, long * much


@native
def _check_modes(run, audit, time):
    """Count switching functions whose sign is not the mode held, at the place looked at."""
    if run.nk == 0 or abs(run.time1 - run.time) <= BRIEF * abs(run.end - run.begin):
        return
    run.out = audit.z
    call(run.switches, inputs_of(run), outputs_of(run), run.work)
    z, most, k = doubles(audit.z), doubles(audit.z_most), doubles(run.memory)
    for n in range(run.nk):
        most[n] = max(most[n], abs(z[n]))
        if z[n] * k[n] < 0.0 and abs(z[n]) > NOISE * most[n]:
            if audit.unseen == 0:
                audit.unseen_time = time
            audit.unseen += 1


@native
def _edge(whole, n, panels):
    """Return θ where panel n of a step begins."""
    return whole * (n + SHIFT) / panels if 0 < n < panels else (whole if n == panels else 0.0)


@native
def _inside(run, audit):
    """Integrate over the step, in as many parts as it takes, then look at the energy."""
    whole, swept = (run.time1 - run.time) / run.step, doubles(audit.swept)
    least, panels = 1, audit.panels
    if run.nk != 0 or audit.timed != 0:
        part = (run.time1 - run.time) / (run.end - run.begin)
        least = min(MOST_PANELS, 1 + int(LOOKS * abs(part)))
    panels = max(panels, least)
    work = doubt = size = push = force = 0.0
    keep = True
    for n in range(audit.angles):
        swept[n] = 0.0
    while True:
        work = doubt = size = push = force = 0.0
        for n in range(panels):
            first, last = _edge(whole, n, panels), _edge(whole, n + 1, panels)
            some, wrong, much, pushed, hard = _panel(run, audit, first, last - first, keep)
            work += some
            doubt += wrong
            size += much
            push += pushed
            force += hard
        keep = False
        wanted = max(SHARE * audit.unit, 0.1 * run.asked * size)
        if not doubt > wanted or panels >= MOST_PANELS:
            break
        panels = min(2 * panels, MOST_PANELS)
    if audit.timed != 0:
        seen = push
        if panels > 1:
            middle = _edge(whole, 1, 2)
            _, _, _, seen, _ = _panel(run, audit, 0.0, middle, False)
            _, _, _, more, _ = _panel(run, audit, middle, whole - middle, False)
            seen += more
        if abs(push - seen) < 1e300:
            audit.pushed_unseen += abs(push - seen)
            audit.pushed += force
    if audit.working == 0:
        return
    audit.panels = panels if doubt > 1e-2 * wanted else max(1, panels // 2)
    if abs(work) + doubt < 1e300:
        audit.work_done += work
        audit.doubt += doubt
        audit.turned_over += size
    else:
        audit.doubt = 1e300
    _weigh(audit, run.time1)
    _settle_down(run, audit, work)


@native
def _settle_down(run, audit, work):
    """Take steps together once their ends alone have told the work in several."""
    h, before = run.time1 - run.time, audit.p_coast
    audit.p_coast = audit.p_end
    calm = abs(0.5 * h * (before + audit.p_end) - work) < CALM * audit.unit
    sudden = run.nk + audit.timed + run.landing + run.cut
    if not calm or audit.powers != 1 or sudden + audit.staged != 0:
        audit.calm = 0
        return
    audit.calm += 1
    if audit.calm >= CALM_STEPS:
        audit.coast = 1
        audit.skip = 0
        audit.t_coast, audit.h_coast = run.time1, h
        audit.slope = (audit.p_end - before) / h


@native
def _point(run, audit):
    """Compare what angles in k changed by with the integral of their rates.

    What the trapezoidal rule may be wrong by is not counted: it would add up.
    """
    angles, swept, lost, unsure = (
        doubles(audit.angles_before),
        doubles(audit.swept),
        doubles(audit.lost),
        doubles(audit.unsure),
    )
    for n in range(audit.angles):
        now = _remembered(run, n, run.time)
        gap = now - angles[n] - swept[n]
        if abs(gap) > unsure[n]:
            lost[n] += gap
        angles[n] = now


def audit(block, table, what, _1, _2):
    """Do what is asked; return 1 if `END` wants to look inside the step, else 0.

    Args:
        block: Address of the record of the run.
        table: Address of the record of `audit_table`.
        what: One of its requests.
        _1, _2: Nothing.
    """
    run, audit = run_at(block), audit_at(table)
    if what == d.END:
        return _end(run, audit)
    if what == d.INSIDE:
        _inside(run, audit)
    elif what == d.POINT:
        _point(run, audit)
    else:
        _begin(run, audit)
    return 0
