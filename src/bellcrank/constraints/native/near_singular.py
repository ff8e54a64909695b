"""The point brought onto the constraints; near a singular position, neighbouring points.

Where rows become dependent (a four-bar that lies flat), coordinates, speeds and accelerations
are known worse and worse: at a distance d with errors ε/d, ε/d² and ε/d³ for round-off ε,
and the branch of the motion itself becomes doubtful. But its geometry is smooth there. So what
belongs to it is evaluated on both sides of the singular position, where all is clear, and
interpolated: errors stay about what they are where that begins. Forces are not interpolated:
they are taken at the point itself, since they may change over much less than the distance of
those points, and even jump (a spring through zero length).

    u̇ = c + K f,  K = N (Nᵀ A N)⁻¹ Nᵀ,  C N = 0,  C c = γ with the least cᵀ A c
"""

from math import inf, nan

from bellcrank.constraints.native.machine import (
    compute,
    integers,
    load,
    normalize,
    part,
    table_at,
    whole,
)
from bellcrank.constraints.native.metric import factorize, fill, metric, restore
from bellcrank.constraints.native.projection import (
    CUT,
    CUT_POSITION,
    FAILED,
    FINE,
    STRONG,
    WEAK,
    accelerations,
    bring,
    meet_rows,
    residual,
    speeds,
)
from bellcrank.constraints.near_singular import CLOSEST, FARTHEST, NODES
from bellcrank.linear.native.factor import add, at, unrotate
from bellcrank.linear.native.raw import doubles, native

# At a distance d from a singular position round-off in u̇ is ε/d³. Interpolation between n
# points on each side of it, from a on, errs by about (n!)² (a/R)²ⁿ where geometry and inertias
# are analytic within R. R depends on the machine (it is small where light bars carry a heavy
# plate through the position in which they are stretched) and on the units of coordinates. So a
# is a part of the distance at which rows are at their best, and less where the last two points
# gain more than may be left out: that is learnt.
PROBE = 2.0  # in a: how far off one looks for the singular position,
REACH = 1.2  # and how far off one knows that it is too far, if slopes are as before
OFF = 1e-10  # what should be left out of u̇ at most,
OFF_STEP = 1e-13  # and of u at the end of a step, which nothing averages,
MOST = 10.0  # and what may be, in these
TRIES = 3
PART = 0.05  # of the distance at which rows are at their best: (6!)² PART¹² is 1e-10
EPSILON = 2.0**-52
CLOSED = 1e-11  # scaled Φ that interpolated coordinates may leave
STRAY = 0.1  # of the speed, by which interpolated speeds may differ from given ones
SLOW = 1e-9  # nominal speed below which nothing moves
STEPS_OFF = 10  # in a, to where rows are known to be independent
SOON = 0.05  # the longest time to look ahead where constraints depend on time [s]


@native
def settle(table, work, cut_position, cut, watchful, usual, known):
    """Bring q and u onto the constraints and factorize there; arguments as of `bring`.

    `known` is the usual rank, or negative: then RATIO is that of pivots in any case, so that
    those of two points compare.

    Returns:
        How it went (`FINE`, `WEAK`, `FAILED`), α of `metric`, rank.
    """
    normalize(table, work)
    verdict = bring(table, work, cut_position, watchful, usual)
    if verdict != FINE:
        return verdict, 0.0, 0
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    alpha = metric(table, work)
    if alpha < 0.0:
        return FAILED, alpha, 0
    ratio = part(work, table.ratio)
    fill(table, work, table.m)
    rank = factorize(table, work, table.m, cut, known, table.best)
    if rank > table.rank:
        table.rank, table.best = rank, 0.0  # what fewer rows have is no measure for more
    table.best = max(table.best, ratio[0])
    if watchful and ratio[0] < table.suspect * table.best:
        return WEAK, alpha, rank
    speeds(table, work, rank)
    return FINE, alpha, rank


@native
def _move_there(table, work, derivatives, rank, alpha):
    """Set V = u̇ and S_RATE = ṡ, if wanted, of the point that was settled last."""
    if derivatives != 0:
        accelerations(table, work, rank, alpha)
        if table.auxiliary != 0:
            compute(table, work, table.auxiliary, table.s_rate, table.spare)


@native
def evaluate_there(table, work, derivatives):
    """Bring the point onto the constraints as it is; set V = u̇ and S_RATE = ṡ."""
    verdict, alpha, rank = settle(table, work, CUT_POSITION, CUT, False, False, table.rank)
    if verdict == FINE:
        _move_there(table, work, derivatives, rank, alpha)
    return verdict == FINE


@native
def _direction(table, work):
    """Set AWAY = q̇ and return the time in which that leads away from here, or 0.

    Time itself goes on only where the constraints depend on it.
    """
    nq, nu, m = table.nq, table.nu, table.m
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    u, w, x = part(work, table.u), part(work, table.w), part(work, table.x)
    away, given, scale = part(work, table.away), part(work, table.nu_row), doubles(table.speed)
    moving, speed = 0.0, 0.0
    for n in range(nq):
        away[n] = x[n]
        moving = max(moving, abs(x[n]))
    for i in range(m):
        moving = max(moving, abs(given[i]))
    for j in range(nu):
        add(away, u[j], at(w, j * nq), nq)
        speed = max(speed, abs(u[j]) * scale[j])
    if not speed > SLOW:
        return 0.0, 0.0
    time = table.aside / speed
    if moving > 0.0:
        return (time, time) if time < SOON else (0.0, 0.0)
    return time, 0.0


@native
def _place(table, work, shift, clock):
    """Go to a neighbouring point of the given one."""
    q, u, q0, u0 = (
        part(work, table.q),
        part(work, table.u),
        part(work, table.q_given),
        part(work, table.u_given),
    )
    away = part(work, table.away)
    for n in range(table.nq):
        q[n] = q0[n] + shift * away[n]
    for j in range(table.nu):
        u[j] = u0[j]
    part(work, table.clock)[0] = part(work, table.t_given)[0] + clock


@native
def _add_vector(total, weight, found, size, first):
    """Add what was found to a sum, or begin it."""
    for n in range(size):
        total[n] = weight * found[n] + (0.0 if first else total[n])


@native
def _add_mobility(table, work, rank, weight, last, before):
    """Add K, found from the factors of B, to SUM, LAST and BEFORE; column by column of N."""
    nu, b, z, v = table.nu, part(work, table.b), part(work, table.z), part(work, table.v)
    total = at(part(work, table.sum), table.nq + 2 * nu)
    latest, earlier = at(part(work, table.last), nu), at(part(work, table.before), nu)
    for free in range(rank, nu):
        for j in range(nu):
            z[j] = 0.0
        z[free] = 1.0
        unrotate(b, nu, rank, whole(work, table.b_last), part(work, table.tau), z)
        restore(table, work)
        for j in range(nu):
            add(at(total, j * nu), weight * v[j], v, nu)
            add(at(latest, j * nu), last * v[j], v, nu)
            add(at(earlier, j * nu), before * v[j], v, nu)


@native
def _gather(table, work, number, middle, derivatives):
    """Add what belongs to a neighbouring point to SUM = [q, u, c, K]; False if not clear.

    What all points have at the singular position more than two less, of c and K or of u, goes
    to LAST; what those have more than another two less, to BEFORE.
    """
    nq, nu, first = table.nq, table.nu, number == 0
    total, last, before = (
        part(work, table.sum),
        part(work, table.last),
        part(work, table.before),
    )
    verdict, alpha, rank = settle(table, work, CUT_POSITION, CUT, False, True, table.rank)
    if verdict != FINE or rank != table.rank:
        return False
    weight, less = _weight(number, NODES, -middle), _weight(number, NODES - 2, 0.0)
    gained, earlier = _weight(number, NODES, 0.0) - less, less - _weight(number, NODES - 4, 0.0)
    u, v = part(work, table.u), part(work, table.v)
    _add_vector(total, weight, part(work, table.q), nq, first)
    _add_vector(at(total, nq), weight, u, nu, first)
    if derivatives == 0:
        _add_vector(last, gained, u, nu, first)
        _add_vector(before, earlier, u, nu, first)
        return True
    for j in range(nu):
        v[j] = 0.0
    meet_rows(table, work, rank, alpha)
    _add_vector(at(total, nq + nu), weight, v, nu, first)
    _add_vector(last, gained, v, nu, first)
    _add_vector(before, earlier, v, nu, first)
    if first:
        for n in range(nu * nu):
            total[nq + 2 * nu + n] = last[nu + n] = before[nu + n] = 0.0
    _add_mobility(table, work, rank, weight, gained, earlier)
    return True


@native
def _scatter(table, work):
    """Take the point from the sums."""
    total, nq, nu = part(work, table.sum), table.nq, table.nu
    q, u = part(work, table.q), part(work, table.u)
    for n in range(nq):
        q[n] = total[n]
    for j in range(nu):
        u[j] = total[nq + j]


@native
def _respond(table, motion, force, found):
    """Set `found` = c + K f, of c and K one after the other."""
    nu = table.nu
    for j in range(nu):
        found[j] = motion[j]
    for j in range(nu):
        add(found, force[j], at(motion, nu + j * nu), nu)


@native
def _accelerate(table, work):
    """Set V = c + K f with c and K of the sums, and S_RATE = ṡ, both at the point itself."""
    compute(table, work, table.force, table.v, table.spare)
    v, z = part(work, table.v), part(work, table.z)
    _respond(table, at(part(work, table.sum), table.nq + table.nu), v, z)
    for j in range(table.nu):
        v[j] = z[j]
    if table.auxiliary != 0:
        compute(table, work, table.auxiliary, table.s_rate, table.spare)


@native
def _apart(table, work, shift, clock):
    """Settle a neighbouring point; return how far from dependent its rows are, rank and α.

    The first is 0 if that fails.
    """
    _place(table, work, shift, clock)
    verdict, alpha, rank = settle(table, work, CUT_POSITION, CUT, False, True, -1)
    if verdict != FINE or rank < table.rank:
        return 0.0, rank, alpha
    return part(work, table.ratio)[0], rank, alpha


@native
def _singular(table, work, time, clock, here):
    """Return where the singular position is, ∞ if that is not close, and a for the machine.

    Both are in units of a. RATIO is about s |τ - τ*|. Where τ* lies between two points, they
    have 2 s PROBE together, and their difference tells it. If it lies elsewhere, they have
    twice what this point has. Geometry is analytic about as far as rows are at their best, at
    BEST / s, or less.
    """
    ahead, _, _ = _apart(table, work, PROBE * time, PROBE * clock)
    behind, _, _ = _apart(table, work, -PROBE * time, -PROBE * clock)
    between = 2.0 * PROBE * here <= ahead + behind
    rise = ahead + behind if between else abs(ahead - behind)
    slope = rise / (2.0 * PROBE)
    table.slope = max(table.slope, slope / table.aside)
    if not between or not slope > 0.0:
        return inf, 0.0
    return 0.5 * (behind - ahead) / slope, min(PART * table.best / slope, 1.0)


@native
def _node(number):
    """Return ±1, ±2, …: where values are taken, seen from the singular position."""
    step = 1.0 + number // 2
    return -step if number % 2 != 0 else step


@native
def _weight(number, count, x):
    """Return Lagrange's polynomial at x of one of the first nodes, 0 for others."""
    own, weight = _node(number), 1.0
    for other in range(count):
        if other != number:
            weight *= (x - _node(other)) / (own - _node(other))
    return weight if number < count else 0.0


@native
def _largest(table, x):
    """Return the largest of speeds or accelerations, in nominal sizes."""
    scale, most = doubles(table.speed), 0.0
    for j in range(table.nu):
        most = max(most, abs(x[j]) * scale[j])
    return most


@native
def _strays(table, work):
    """Return whether u is far from what was given: speeds on no branch are not put on one."""
    u, given, z = part(work, table.u), part(work, table.u_given), part(work, table.z)
    for j in range(table.nu):
        z[j] = u[j] - given[j]
    return _largest(table, z) > STRAY * _largest(table, u)


@native
def _gained(table, work, derivatives):
    """Return what the last two points gained, and the two before: of u̇ to u² or u̇, or of u.

    With half a they gain 2¹⁰ and 2⁸ times less, and what is left out is 2¹² times less.
    """
    u, last, before = part(work, table.u), part(work, table.last), part(work, table.before)
    speed = _largest(table, u)
    if derivatives == 0:
        return _largest(table, last) / speed, _largest(table, before) / speed
    z, v = part(work, table.z), part(work, table.v)
    compute(table, work, table.force, table.v, table.spare)
    _respond(table, last, v, z)
    gained = _largest(table, z)
    _respond(table, before, v, z)
    earlier = _largest(table, z)
    _respond(table, at(part(work, table.sum), table.nq + table.nu), v, z)
    size = max(speed * speed, _largest(table, z))
    return gained / size, earlier / size


@native
def _along(table, work, time, clock, middle):
    """Set PATH to neighbouring points close to the branch; False if that fails.

    Those of the tangent are y off the branch. Bringing them onto it moves them along it by
    about y² / (τ - τ*), and a pole cannot be interpolated. So a polynomial is laid through half
    as many points, twice as far apart, and moved until it leads through the given one.
    """
    nq, q, count = table.nq, part(work, table.q), NODES // 2
    path, given = part(work, table.path), part(work, table.q_given)
    for number in range(NODES):
        _add_vector(at(path, number * nq), 1.0, given, nq, True)
    for rough in range(count):
        step = middle + 2.0 * _node(rough)
        _place(table, work, step * time, step * clock)
        if bring(table, work, CUT_POSITION, False, True) != FINE:
            return False
        here = _weight(rough, count, -0.5 * middle)
        for number in range(NODES):
            weight = _weight(rough, count, 0.5 * _node(number)) - here
            add(at(path, number * nq), weight, q, nq)
    return True


@native
def _interpolate(table, work, derivatives, time, clock, middle):
    """Set SUM, LAST, BEFORE from neighbouring points, q and u from SUM; False if it fails."""
    if not _along(table, work, time, clock, middle):
        return False
    nq, path = table.nq, part(work, table.path)
    for number in range(NODES):
        step = middle + _node(number)
        _place(table, work, 0.0, step * clock)
        _add_vector(part(work, table.q), 1.0, at(path, number * nq), nq, True)
        if not _gather(table, work, number, middle, derivatives):
            return False
    _place(table, work, 0.0, 0.0)
    _scatter(table, work)
    return True


@native
def _off(table, work, derivatives, time, clock, middle):
    """Interpolate; return what is left out, of u̇ or u, or ∞ where that is on no branch."""
    if not _interpolate(table, work, derivatives, time, clock, middle):
        return inf
    left = residual(table, work) if table.mh != 0 else 0.0
    if not left <= CLOSED or _strays(table, work):
        return inf
    gained, earlier = _gained(table, work, derivatives)
    if not gained < inf or not earlier < inf:
        return inf
    return gained * min(1.0, gained / max(earlier, 1e-300))


@native
def _noise(distance, derivatives):
    """Return what round-off leaves of u̇ or u so far from a singular position, nominal units."""
    return EPSILON / max(distance**3 if derivatives != 0 else distance**2, EPSILON)


@native
def _from_both_sides(table, work, derivatives, time, clock, middle, factor):
    """Interpolate from points as far apart as is right for the machine; False if it fails.

    That is as far as no more is left out than may be. If that is nowhere, it is where least
    is, as long as that is less than the noise of the point itself.
    """
    aside, limit = table.aside, OFF if derivatives != 0 else OFF_STEP
    first, least, best = factor, inf, factor
    for _ in range(TRIES):
        if not abs(middle) <= factor or factor * aside < CLOSEST:
            break
        off = _off(table, work, derivatives, factor * time, factor * clock, middle / factor)
        wanted = min(max((limit / max(off, 1e-30)) ** (1.0 / NODES), 0.3), 1.5)
        if off <= MOST * limit:
            if derivatives != 0 and (factor < first or first == 1.0):
                table.aside = min(max(wanted, 1.0) * factor * aside, FARTHEST)
            return True
        if off < least:
            least, best = off, factor
        factor *= min(wanted, 0.7)
    if not least <= _noise(abs(middle) * aside, derivatives):
        return False
    return _interpolate(table, work, derivatives, best * time, best * clock, middle / best)


@native
def evaluate_near(table, work, derivatives):
    """Find q, u and u̇ of a point close to a singular one from neighbouring points, if it is.

    Along q + τ q̇ brought onto the constraints, q, u, c and K are smooth functions of τ. Where
    rows are nearly dependent they are known badly; points on both sides of the singular
    position give them by interpolation. Where that is too far off, or they do not close, what
    was found at the point itself is taken: a machine that only comes close to a singular
    position turns there and does not pass.
    """
    time, clock = _direction(table, work)
    if time > 0.0:
        here, rank, alpha = _apart(table, work, 0.0, 0.0)
        if here > REACH * table.slope * table.aside > 0.0:
            _move_there(table, work, derivatives, rank, alpha)
            return True
        middle, factor = _singular(table, work, time, clock, here)
        if _from_both_sides(table, work, derivatives, time, clock, middle, factor):
            verdict, _, _ = settle(table, work, STRONG, STRONG, False, False, table.rank)
            if verdict == FINE and derivatives != 0:
                _accelerate(table, work)
            return verdict == FINE
        _place(table, work, 0.0, 0.0)
    return evaluate_there(table, work, derivatives)


@native
def _learn(table, work):
    """Find out how independent the rows are some way off the point, the first time.

    The way is gone in short steps: off the constraints, rows that repeat others cannot be told
    from those that are nearly dependent.
    """
    time, clock = _direction(table, work)
    nq, q, u, now = table.nq, part(work, table.q), part(work, table.u), part(work, table.clock)
    w, x = part(work, table.w), part(work, table.x)
    for _ in range(STEPS_OFF):
        for n in range(nq):
            q[n] += time * x[n]
        for j in range(table.nu):
            add(q, time * u[j], at(w, j * nq), nq)
        now[0] += clock
        verdict, _, _ = settle(table, work, CUT_POSITION, CUT, False, False, table.rank)
        if verdict != FINE:
            break
    _place(table, work, 0.0, 0.0)


@native
def _evaluate(table, work, derivatives):
    """Bring the point onto the constraints; set V = u̇ and S_RATE = ṡ; False if it fails."""
    if table.rank < 0:
        _learn(table, work)
    verdict, alpha, rank = settle(table, work, CUT_POSITION, CUT, True, False, table.rank)
    if verdict == WEAK:
        return evaluate_near(table, work, derivatives)
    if verdict == FINE:
        _move_there(table, work, derivatives, rank, alpha)
    return verdict == FINE


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


@native
def _rates(table, work):
    """Set Q = W u + x."""
    nq, q, u = table.nq, part(work, table.q), part(work, table.u)
    w, x = part(work, table.w), part(work, table.x)
    for n in range(nq):
        q[n] = x[n]
    for j in range(table.nu):
        add(q, u[j], at(w, j * nq), nq)


def project(inputs, outputs, work, record, derivatives):
    """Write q̇, u̇, ṡ at the point brought onto the constraints, or that point's q and u.

    All that cannot be brought there is not-a-number.

    Args:
        inputs: Address of seven addresses: t, q, u, s, w, p, k.
        outputs: Address of three or two addresses.
        work: Address of the working memory.
        record: Address of the table.
        derivatives: 1 for derivatives, 0 for the point.
    """
    table, out = table_at(record), integers(outputs)
    load(table, work, inputs)
    good = _evaluate(table, work, derivatives)
    if derivatives != 0:
        _rates(table, work)
        _write(out[1], part(work, table.v), table.nu, good)
        _write(out[2], part(work, table.s_rate), table.ns, good)
    else:
        _write(out[1], part(work, table.u), table.nu, good)
    _write(out[0], part(work, table.q), table.nq, good)
