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
from bellcrank.constraints.native.metric import correction, factorize, fill, metric, restore
from bellcrank.constraints.native.projection import (
    CUT,
    CUT_POSITION,
    FAILED,
    FINE,
    ROUND,
    STRONG,
    WEAK,
    accelerations,
    bring,
    meet_rows,
    move,
    residual,
    speeds,
)
from bellcrank.constraints.near_singular import CLOSEST, FARTHEST, NODES
from bellcrank.linear.native.factor import add, at, dot, unrotate, wipe
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import WATCH

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
FEWEST = 6  # points from which on one asks whether they are enough: then the next
SLOWEST = 0.02  # two are taken to gain this part of what the last two gained, or more
TRIES = 3
PART = 0.05  # of the distance at which rows are at their best: (6!)² PART¹² is 1e-10
STRAIGHT = 1e-9  # of a way, by which what leads along a straight branch may leave it
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
    ratio = part(work, table.ratio)
    ratio[0] = inf  # unless `bring` looks at rows
    normalize(table, work)
    verdict = bring(table, work, cut_position, watchful, usual)
    if verdict != FINE:
        return verdict, 0.0, 0
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    alpha = metric(table, work)
    if alpha < 0.0:
        return FAILED, alpha, 0
    fill(table, work, table.m)
    watched = watchful and table.m == table.mh and ratio[0] < inf  # by `bring`
    best = 0.0 if watched else table.best
    rank = factorize(table, work, table.m, cut, known, best)
    if rank > table.rank:
        table.rank, table.best = rank, 0.0  # what fewer rows have is no measure for more
    table.best = max(table.best, ratio[0])
    if watchful and not watched and ratio[0] < table.suspect * table.best:
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
def _copy(target, source, size):
    """Copy numbers."""
    for n in range(size):
        target[n] = source[n]


@native
def _keep_mobility(table, work, number, rank):
    """Keep what K of a neighbouring point is made of, from the factors of B: K = Σ v vᵀ."""
    nu, b, z, v = table.nu, part(work, table.b), part(work, table.z), part(work, table.v)
    free = nu - rank
    kept = at(part(work, table.node_k), number * free * nu)
    for column in range(free):
        wipe(z, nu)
        z[rank + column] = 1.0
        unrotate(b, nu, rank, whole(work, table.b_last), part(work, table.tau), z)
        restore(table, work)
        _copy(at(kept, column * nu), v, nu)


@native
def _gather(table, work, number, derivatives):
    """Keep q, u and, for u̇, c and K of a neighbouring point; False if it is not clear."""
    nq, nu, v = table.nq, table.nu, part(work, table.v)
    verdict, alpha, rank = settle(table, work, CUT_POSITION, CUT, False, True, table.rank)
    if verdict != FINE or rank != table.rank:
        return False
    _copy(at(part(work, table.path), number * nq), part(work, table.q), nq)
    _copy(at(part(work, table.node_u), number * nu), part(work, table.u), nu)
    if derivatives != 0:
        wipe(v, nu)
        meet_rows(table, work, rank, alpha)
        _copy(at(part(work, table.node_c), number * nu), v, nu)
        _keep_mobility(table, work, number, rank)
    return True


@native
def _weigh(table, work, count, middle):
    """Set SHARE to the weights of the first points: at the given one, LAST and BEFORE.

    What all points have at the singular position more than two less is LAST; what those have
    more than another two less, BEFORE.
    """
    share = part(work, table.share)
    for number in range(count):
        less = _weight(number, count - 2, 0.0)
        share[number] = _weight(number, count, -middle)
        share[NODES + number] = _weight(number, count, 0.0) - less
        share[2 * NODES + number] = less - _weight(number, count - 4, 0.0)


@native
def _mix(shares, count, nodes, size, found):
    """Set `found` to a weighted sum over points."""
    wipe(found, size)
    for number in range(count):
        add(found, shares[number], at(nodes, number * size), size)


@native
def _scatter(table, work, count):
    """Take q and u from the first points."""
    share = part(work, table.share)
    _mix(share, count, part(work, table.path), table.nq, part(work, table.q))
    _mix(share, count, part(work, table.node_u), table.nu, part(work, table.u))


@native
def _respond(table, work, shares, count, force, found):
    """Set `found` = c + K f, both weighted sums over the first points."""
    nu, free = table.nu, table.nu - table.rank
    _mix(shares, count, part(work, table.node_c), nu, found)
    for number in range(count):
        kept = at(part(work, table.node_k), number * free * nu)
        for column in range(free):
            mode = at(kept, column * nu)
            add(found, shares[number] * dot(mode, force, nu), mode, nu)


@native
def _accelerate(table, work, count):
    """Set V = c + K f with c and K of the points, and S_RATE = ṡ, both at the point itself."""
    compute(table, work, table.force, table.v, table.spare)
    v, z = part(work, table.v), part(work, table.z)
    _respond(table, work, part(work, table.share), count, v, z)
    _copy(v, z, table.nu)
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
def _gained(table, work, count, derivatives):
    """Return what the last two points gained, and the two before: of u̇ to u² or u̇, or of u.

    With half a, those of 12 gain 2¹⁰ and 2⁸ times less, and 2¹² times less is left out.
    """
    share, v, z = part(work, table.share), part(work, table.v), part(work, table.z)
    last, before = at(share, NODES), at(share, 2 * NODES)
    speed = _largest(table, part(work, table.u))
    if derivatives == 0:
        nodes = part(work, table.node_u)
        _mix(last, count, nodes, table.nu, z)
        gained = _largest(table, z)
        _mix(before, count, nodes, table.nu, z)
        return gained / speed, _largest(table, z) / speed
    compute(table, work, table.force, table.v, table.spare)
    _respond(table, work, last, count, v, z)
    gained = _largest(table, z)
    _respond(table, work, before, count, v, z)
    earlier = _largest(table, z)
    _respond(table, work, share, count, v, z)
    size = max(speed * speed, _largest(table, z))
    return gained / size, earlier / size


@native
def _stays(table, work, shift):
    """Return whether a point of the tangent stayed where it was when it was brought onto Φ."""
    q, given, away = part(work, table.q), part(work, table.q_given), part(work, table.away)
    moved, far = 0.0, 0.0
    for n in range(table.nq):
        moved = max(moved, abs(q[n] - given[n] - shift * away[n]))
        far = max(far, abs(shift * away[n]))
    return moved <= STRAIGHT * far


@native
def _along(table, work, time, clock, middle):
    """Set PATH to neighbouring points close to the branch; False if that fails.

    Those of the tangent are y off the branch. Bringing them onto it moves them along it by
    about y² / (τ - τ*), and a pole cannot be interpolated. So a polynomial is laid through half
    as many points, twice as far apart, and moved until it leads through the given one. Where
    the first two of them stay, the branch is as straight as its tangent.
    """
    nq, q, count, straight = table.nq, part(work, table.q), NODES // 2, True
    path, given, away = (
        part(work, table.path),
        part(work, table.q_given),
        part(work, table.away),
    )
    for number in range(NODES):
        _copy(at(path, number * nq), given, nq)
    for rough in range(count):
        step = middle + 2.0 * _node(rough)
        _place(table, work, step * time, step * clock)
        if bring(table, work, CUT_POSITION, False, True) != FINE:
            return False
        straight = straight and _stays(table, work, step * time)
        if straight and rough == 1:
            for number in range(NODES):
                point = at(path, number * nq)
                _copy(point, given, nq)
                add(point, (middle + _node(number)) * time, away, nq)
            return True
        here = _weight(rough, count, -0.5 * middle)
        for number in range(NODES):
            weight = _weight(rough, count, 0.5 * _node(number)) - here
            add(at(path, number * nq), weight, q, nq)
    return True


@native
def _left_out(table, work, count, derivatives, middle):
    """Take q and u from the first points; return what is left out, of u̇ or u, or ∞.

    The latter where they are on no branch.
    """
    _weigh(table, work, count, middle)
    _place(table, work, 0.0, 0.0)
    _scatter(table, work, count)
    left = residual(table, work) if table.mh != 0 else 0.0
    if not left <= CLOSED or _strays(table, work):
        return inf
    gained, earlier = _gained(table, work, count, derivatives)
    if not gained < inf or not earlier < inf:
        return inf
    rate = gained / max(earlier, 1e-300)
    return gained * min(1.0, rate if count == NODES else max(rate, SLOWEST))


@native
def _interpolate(table, work, derivatives, time, clock, middle, enough):
    """Take q and u from neighbouring points, from few of them if no more than `enough` is left.

    Returns:
        What is left out, of u̇ or u, or ∞ where that is on no branch; how many were needed.
    """
    if not _along(table, work, time, clock, middle):
        return inf, NODES
    nq, path = table.nq, part(work, table.path)
    for number in range(NODES):
        step, count = middle + _node(number), number + 1
        _place(table, work, 0.0, step * clock)
        _copy(part(work, table.q), at(path, number * nq), nq)
        if not _gather(table, work, number, derivatives):
            return inf, NODES
        if FEWEST <= count < NODES and count % 2 == 0:
            off = _left_out(table, work, count, derivatives, middle)
            if off <= enough:
                return off, count
    return _left_out(table, work, NODES, derivatives, middle), NODES


@native
def _noise(distance, derivatives):
    """Return what round-off leaves of u̇ or u so far from a singular position, nominal units."""
    return EPSILON / max(distance**3 if derivatives != 0 else distance**2, EPSILON)


@native
def _from_both_sides(table, work, derivatives, time, clock, middle, factor):
    """Interpolate from points as far apart as is right for the machine.

    That is as far as no more is left out than may be. If that is nowhere, it is where least
    is, as long as that is less than the noise of the point itself.

    Returns:
        How many points were needed; 0 if it fails.
    """
    aside, limit = table.aside, OFF if derivatives != 0 else OFF_STEP
    first, least, best, enough = factor, inf, factor, limit * min(table.loose, MOST)
    for _ in range(TRIES):
        if not abs(middle) <= factor or factor * aside < CLOSEST:
            break
        off, count = _interpolate(
            table, work, derivatives, factor * time, factor * clock, middle / factor, enough
        )
        wanted = min(max((limit / max(off, 1e-30)) ** (1.0 / NODES), 0.3), 1.5)
        if off <= MOST * limit:
            if derivatives != 0 and (factor < first or first == 1.0):
                table.aside = min(max(wanted, 1.0) * factor * aside, FARTHEST)
            return count
        if off < least:
            least, best = off, factor
        factor *= min(wanted, 0.7)
    if not least <= _noise(abs(middle) * aside, derivatives):
        return 0
    _, count = _interpolate(
        table, work, derivatives, best * time, best * clock, middle / best, enough
    )
    return count


@native
def _close(table, work):
    """Bring interpolated q and u onto what is strong of the rows; False if that fails.

    They are close to them: the factors of one point serve both.
    """
    if table.m != table.mh:
        verdict, _, _ = settle(table, work, STRONG, STRONG, False, False, table.rank)
        return verdict == FINE
    normalize(table, work)
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    if metric(table, work) < 0.0:
        return False
    fill(table, work, table.m)
    rank = factorize(table, work, table.m, STRONG, -1, table.best)
    before, size = inf, residual(table, work)
    while size > ROUND and size < 0.5 * before:
        correction(table, work, rank)
        move(table, work)
        before, size = size, residual(table, work)
    compute(table, work, table.kinematics, table.w, table.x)
    compute(table, work, table.velocity, table.c, table.nu_row)
    speeds(table, work, rank)
    return size <= CLOSED


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
        here, reach = part(work, table.ratio)[0], REACH * table.slope * table.aside
        sure = WATCH * min(table.best, table.best_h)  # less than that are pivots in any case
        if table.m != table.mh or not here < min(sure, reach):
            here, rank, alpha = _apart(table, work, 0.0, 0.0)
            if here > reach > 0.0:
                _move_there(table, work, derivatives, rank, alpha)
                return True
        middle, factor = _singular(table, work, time, clock, here)
        count = _from_both_sides(table, work, derivatives, time, clock, middle, factor)
        if count > 0:
            good = _close(table, work)
            if good and derivatives != 0:
                _accelerate(table, work, count)
            return good
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
