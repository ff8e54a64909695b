"""The point brought onto the constraints; near a singular position, points beside it.

Where rows become dependent (a four-bar that lies flat), coordinates, speeds and accelerations
are known worse and worse: at a distance d with errors ε/d, ε/d² and ε/d³ for round-off ε,
and the branch of the motion itself becomes doubtful. But its geometry is smooth there. So what
belongs to it is evaluated a little ahead and a little behind, where all is clear, and
interpolated. Forces are not: they are taken at the point itself, since they may change over
much less than the distance of those points, and even jump (a spring through zero length).

    u̇ = c + K f,  K = N (Nᵀ A N)⁻¹ Nᵀ,  C N = 0,  C c = γ with the least cᵀ A c
"""

from math import factorial, inf, nan

from bellcrank.constraints import table as c
from bellcrank.constraints.native.machine import compute, integers, load, normalize, part, whole
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
from bellcrank.linear.native.factor import add, at, unrotate
from bellcrank.linear.native.raw import constants, doubles, native
from bellcrank.linear.rank import WATCH

# Beside a singular position round-off in u̇ is ε/d³ at a distance d, 1e-11 of u² here.
# Interpolation errs by (n!)² (a/R)²ⁿ with n points on each side, a apart, where geometry and
# inertias are analytic within R: by as much, if R is 0.7 nominal units or more. R is 0.3 where
# light bars carry a heavy plate through the position in which they are stretched.
ASIDE = 0.03  # how far apart, in nominal units of the coordinates
POINTS = 6  # on each side
WEIGHTS = [
    -((-1) ** k) * factorial(POINTS) ** 2 / factorial(POINTS - k) / factorial(POINTS + k)
    for k in range(1, POINTS + 1)
]
CLEAR = 0.5 * WATCH  # pivots of points beside, against the best seen
CLOSED = 1e-11  # scaled Φ that interpolated coordinates may leave,
NEARLY = 1e-7  # and where points twice as close will do
SLOW = 1e-9  # nominal speed below which nothing moves
SOON = 0.05  # the longest time to look ahead where constraints depend on time [s]


@native
def settle(t, work, cut_position, cut, watchful):
    """Bring q and u onto the constraints and factorize there.

    Returns:
        How it went (`FINE`, `WEAK`, `FAILED`), α of `metric`, rank.
    """
    normalize(t, work)
    verdict = bring(t, work, cut_position, watchful)
    if verdict != FINE:
        return verdict, 0.0, 0
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    alpha = metric(t, work)
    if alpha < 0.0:
        return FAILED, alpha, 0
    best, ratio = doubles(t[c.BEST]), part(t, work, c.RATIO)
    fill(t, work, t[c.M])
    rank = factorize(t, work, t[c.M], cut, t[c.RANK], best[0])
    t[c.RANK], best[0] = max(t[c.RANK], rank), max(best[0], ratio[0])
    if watchful and ratio[0] < best[2] * best[0]:
        return WEAK, alpha, rank
    speeds(t, work, rank)
    return FINE, alpha, rank


@native
def evaluate_there(t, work, derivatives):
    """Bring the point onto the constraints as it is; set V = u̇ and S_RATE = ṡ."""
    verdict, alpha, rank = settle(t, work, CUT_POSITION, CUT, False)
    if verdict == FINE and derivatives != 0:
        accelerations(t, work, rank, alpha)
        if t[c.AUXILIARY] != 0:
            compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    return verdict == FINE


@native
def _direction(t, work):
    """Set AWAY = q̇ and return the time in which that leads away from here, or 0.

    Time itself goes on only where the constraints depend on it.
    """
    nq, nu, m = t[c.NQ], t[c.NU], t[c.M]
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    u, w, x = part(t, work, c.U), part(t, work, c.W), part(t, work, c.X)
    away, given, scale = part(t, work, c.AWAY), part(t, work, c.NU_ROW), doubles(t[c.SPEED])
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
    time = ASIDE / speed
    if moving > 0.0:
        return (time, time) if time < SOON else (0.0, 0.0)
    return time, 0.0


@native
def _place(t, work, shift, clock):
    """Go to the point beside the given one."""
    q, u, q0, u0 = (
        part(t, work, c.Q),
        part(t, work, c.U),
        part(t, work, c.Q_GIVEN),
        part(t, work, c.U_GIVEN),
    )
    away = part(t, work, c.AWAY)
    for n in range(t[c.NQ]):
        q[n] = q0[n] + shift * away[n]
    for j in range(t[c.NU]):
        u[j] = u0[j]
    part(t, work, c.CLOCK)[0] = part(t, work, c.T_GIVEN)[0] + clock


@native
def _add_vector(total, weight, found, size, first):
    """Add what was found to a sum, or begin it."""
    for n in range(size):
        total[n] = weight * found[n] + (0.0 if first else total[n])


@native
def _add_mobility(t, work, rank, weight, total):
    """Add K, found from the factors of B, times a weight; column by column of N."""
    nu, b, z, v = t[c.NU], part(t, work, c.B), part(t, work, c.Z), part(t, work, c.V)
    for free in range(rank, nu):
        for j in range(nu):
            z[j] = 0.0
        z[free] = 1.0
        unrotate(b, nu, rank, whole(t, work, c.B_LAST), part(t, work, c.TAU), z)
        restore(t, work)
        for j in range(nu):
            add(at(total, j * nu), weight * v[j], v, nu)


@native
def _gather(t, work, weight, derivatives, first):
    """Add what belongs to a point beside to SUM = [q, u, c, K]; False if all is not clear."""
    nq, nu, total = t[c.NQ], t[c.NU], part(t, work, c.SUM)
    verdict, alpha, rank = settle(t, work, CUT_POSITION, CUT, False)
    ratio = part(t, work, c.RATIO)[0]
    if verdict != FINE or not ratio >= CLEAR * doubles(t[c.BEST])[0]:
        return False
    _add_vector(total, weight, part(t, work, c.Q), nq, first)
    _add_vector(at(total, nq), weight, part(t, work, c.U), nu, first)
    if derivatives != 0:
        v, mobility = part(t, work, c.V), at(total, nq + 2 * nu)
        for j in range(nu):
            v[j] = 0.0
        meet_rows(t, work, rank, alpha)
        _add_vector(at(total, nq + nu), weight, v, nu, first)
        if first:
            for n in range(nu * nu):
                mobility[n] = 0.0
        _add_mobility(t, work, rank, weight, mobility)
    return True


@native
def _scatter(t, work):
    """Take the point from the sums."""
    total, nq, nu = part(t, work, c.SUM), t[c.NQ], t[c.NU]
    q, u = part(t, work, c.Q), part(t, work, c.U)
    for n in range(nq):
        q[n] = total[n]
    for j in range(nu):
        u[j] = total[nq + j]


@native
def _accelerate(t, work):
    """Set V = c + K f with c and K of the sums, and S_RATE = ṡ, both at the point itself."""
    nq, nu = t[c.NQ], t[c.NU]
    compute(t, work, c.FORCE, c.V, c.SPARE)
    v, z, total = part(t, work, c.V), part(t, work, c.Z), part(t, work, c.SUM)
    for j in range(nu):
        z[j] = total[nq + nu + j]
    for j in range(nu):
        add(z, v[j], at(total, nq + 2 * nu + j * nu), nu)
    for j in range(nu):
        v[j] = z[j]
    if t[c.AUXILIARY] != 0:
        compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)


_weight = constants(WEIGHTS)


@native
def _interpolate(t, work, derivatives, time, clock):
    """Set SUM from points beside, q and u from SUM; return what q leaves of Φ, or infinity."""
    for number in range(2 * POINTS):
        step, weight = number // 2 + 1.0, _weight(number // 2)
        if number % 2 != 0:
            step = -step
        _place(t, work, step * time, step * clock)
        if not _gather(t, work, weight, derivatives, number == 0):
            return inf
    _place(t, work, 0.0, 0.0)
    _scatter(t, work)
    return residual(t, work) if t[c.MH] != 0 else 0.0


@native
def evaluate_beside(t, work, derivatives):
    """Find q, u and u̇ of a point close to a singular one from points beside it.

    Along q + τ q̇ brought onto the constraints, q, u, c and K are smooth functions of τ. Where
    rows are nearly dependent they are known badly; points on both sides give them by
    interpolation, from closer points where what comes out nearly closes. False if that cannot
    be done, also where it does not close: a machine that only comes close to a singular
    position turns there and does not pass.
    """
    time, clock = _direction(t, work)
    if time == 0.0:
        return False
    left = _interpolate(t, work, derivatives, time, clock)
    if CLOSED < left <= NEARLY:
        left = _interpolate(t, work, derivatives, 0.5 * time, 0.5 * clock)
    if not left <= CLOSED:
        _place(t, work, 0.0, 0.0)
        return False
    verdict, _, _ = settle(t, work, STRONG, STRONG, False)
    if verdict == FINE and derivatives != 0:
        _accelerate(t, work)
    return verdict == FINE


@native
def _learn(t, work):
    """Find out how independent the rows are some way off the point, the first time."""
    time, clock = _direction(t, work)
    for number in range(2):
        factor = 1.0 + 9.0 * number
        _place(t, work, factor * time, factor * clock)
        settle(t, work, CUT_POSITION, CUT, False)
    _place(t, work, 0.0, 0.0)


@native
def _evaluate(t, work, derivatives):
    """Bring the point onto the constraints; set V = u̇ and S_RATE = ṡ; False if it fails."""
    if t[c.RANK] < 0:
        _learn(t, work)
    verdict, alpha, rank = settle(t, work, CUT_POSITION, CUT, True)
    if verdict == WEAK:
        if evaluate_beside(t, work, derivatives):
            return True
        return evaluate_there(t, work, derivatives)
    if verdict == FINE and derivatives != 0:
        accelerations(t, work, rank, alpha)
        if t[c.AUXILIARY] != 0:
            compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    return verdict == FINE


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


@native
def _rates(t, work):
    """Set Q = W u + x."""
    nq, q, u = t[c.NQ], part(t, work, c.Q), part(t, work, c.U)
    w, x = part(t, work, c.W), part(t, work, c.X)
    for n in range(nq):
        q[n] = x[n]
    for j in range(t[c.NU]):
        add(q, u[j], at(w, j * nq), nq)


def project(inputs, outputs, work, table, derivatives):
    """Write q̇, u̇, ṡ at the point brought onto the constraints, or that point's q and u.

    All that cannot be brought there is not-a-number.

    Args:
        inputs: Address of seven addresses: t, q, u, s, w, p, k.
        outputs: Address of three or two addresses.
        work: Address of the working memory.
        table: Address of the table.
        derivatives: 1 for derivatives, 0 for the point.
    """
    t, out = integers(table), integers(outputs)
    load(t, work, inputs)
    good = _evaluate(t, work, derivatives)
    if derivatives != 0:
        _rates(t, work)
        _write(out[1], part(t, work, c.V), t[c.NU], good)
        _write(out[2], part(t, work, c.S_RATE), t[c.NS], good)
    else:
        _write(out[1], part(t, work, c.U), t[c.NU], good)
    _write(out[0], part(t, work, c.Q), t[c.NQ], good)
