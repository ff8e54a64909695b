"""A right-hand side whose accelerations pull back what has left the constraints.

    C u̇ = γ - 2α (C u - ν) - β² Φ   with the least (u̇ - A⁻¹f)ᵀ A (u̇ - A⁻¹f)       (Gauss)

`t` is a table laid out by `bellcrank.constraints.table`; behind it lie α and β.

Rows that repeat others do so on the constraints only; off them each asks for a little more, and
which of them are met must not change from point to point: u̇ would jump. The rows of the first
point are met until they are close to dependent.

Close to positions where rows become dependent, at a distance d, what is left of Φ counts 1/d³
times in u̇. Where that is too much there is no answer: not-a-number.
"""

from math import nan

from bellcrank.constraints import table as c
from bellcrank.constraints.native.machine import compute, integers, load, part, whole
from bellcrank.constraints.native.metric import factorize, fill, metric, restore
from bellcrank.constraints.native.projection import CUT
from bellcrank.linear.native.factor import add, at, forward, meet, rotate, unrotate
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import WATCH

KNOBS = c.SIZE + 1  # slot of the address of these:
# knobs; largest RATIO seen; 1 where rows were lost; how many rows are met, and their numbers
ALPHA, BETA, BEST, LOST, MET, FIRST_MET = range(6)
NEAR = 0.05  # RATIO against the best seen, above which rows are well apart
SPOILED = 1e-3  # what may become of Φ in u̇


@native
def _wanted(t, work):
    """Set RIGHT to the accelerations of the rows, scaled."""
    m, right = t[c.M], part(t, work, c.RIGHT)
    u, rows, given = part(t, work, c.U), part(t, work, c.C), part(t, work, c.NU_ROW)
    gamma, weight, knobs = part(t, work, c.GAMMA), doubles(t[c.WEIGHT]), doubles(t[KNOBS])
    compute(t, work, c.ACCELERATION, c.GAMMA, c.SPARE)
    for i in range(m):
        right[i] = -given[i]
    for j in range(t[c.NU]):
        add(right, u[j], at(rows, j * m), m)
    for i in range(m):
        right[i] = gamma[i] - 2.0 * knobs[ALPHA] * right[i]
    if t[c.MH] != 0:
        phi = part(t, work, c.PHI)
        compute(t, work, c.POSITION, c.PHI, c.SPARE)
        add(right, -knobs[BETA] * knobs[BETA], phi, t[c.MH])
    for i in range(m):
        right[i] *= weight[i]


@native
def _apart(t, work, rank):
    """Say whether rows are far enough from dependent, and note the best that was seen.

    The usual rank is that of the first point, where it was not told.
    """
    nu, b, knobs, weight = t[c.NU], part(t, work, c.B), doubles(t[KNOBS]), doubles(t[c.WEIGHT])
    if t[c.RANK] < 0:
        t[c.RANK] = rank
    ratio = abs(b[(rank - 1) * (nu + 1)] / b[0]) if rank > 0 else 1.0
    knobs[BEST] = max(knobs[BEST], ratio)
    distance, left, phi = ratio / knobs[BEST], 0.0, part(t, work, c.PHI)
    for i in range(t[c.MH]):
        left = max(left, abs(phi[i] * weight[i]))
    close = distance < WATCH or (distance < NEAR and left > SPOILED * distance**3)
    if rank < t[c.RANK] or close:
        knobs[LOST] = 1.0
        return False
    return True


@native
def _gather(t, work):
    """Exchange columns of B, just filled, so that the rows that were met come first."""
    nu, m, b = t[c.NU], t[c.M], part(t, work, c.B)
    order, knobs = whole(t, work, c.ORDER), doubles(t[KNOBS])
    for k in range(int(knobs[MET])):
        place = k
        while place < m - 1 and order[place] != int(knobs[FIRST_MET + k]):
            place += 1
        for n in range(nu):
            b[k * nu + n], b[place * nu + n] = b[place * nu + n], b[k * nu + n]
        order[k], order[place] = order[place], order[k]


@native
def _factorized(t, work):
    """Factorize B of the rows that were met before, or else of all; return the rank."""
    m, order, knobs = t[c.M], whole(t, work, c.ORDER), doubles(t[KNOBS])
    met = int(knobs[MET])
    fill(t, work, m)
    if met > 0:
        _gather(t, work)
        rank = factorize(t, work, met, CUT, -1, 0.0)
        if rank == met and part(t, work, c.RATIO)[0] > NEAR * knobs[BEST]:
            return rank
        fill(t, work, m)
    rank = factorize(t, work, m, CUT, -1, 0.0)
    if t[c.RANK] >= 0:  # off the constraints, rows that repeat others seem independent
        rank = min(rank, t[c.RANK])
    knobs[MET] = rank
    for k in range(rank):
        knobs[FIRST_MET + k] = order[k]
    return rank


@native
def _accelerations(t, work, alpha):
    """Set V to u̇; False where rows are too close to dependent."""
    nu, m, v, z = t[c.NU], t[c.M], part(t, work, c.V), part(t, work, c.Z)
    b, tau, right = part(t, work, c.B), part(t, work, c.TAU), part(t, work, c.RIGHT)
    weight, rows, speed = doubles(t[c.WEIGHT]), part(t, work, c.C), integers(t[c.SPEED_ORDER])
    first, last = whole(t, work, c.B_FIRST), whole(t, work, c.B_LAST)
    compute(t, work, c.FORCE, c.V, c.SPARE)
    if alpha > 0.0:
        for j in range(nu):
            for i in range(m):
                v[j] += alpha * rows[j * m + i] * weight[i] * right[i]
    for place in range(nu):
        z[place] = v[speed[place]]
    rank = _factorized(t, work)
    if not _apart(t, work, rank):
        return False
    forward(part(t, work, c.L), whole(t, work, c.L_LAST), nu, 0, nu, z)
    rotate(b, nu, rank, last, tau, z)
    meet(b, nu, rank, whole(t, work, c.ORDER), first, right, z)
    unrotate(b, nu, rank, last, tau, z)
    restore(t, work)
    return True


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


def stabilize(inputs, outputs, work, table, what):
    """Write q̇, u̇, ṡ at the point; arguments as those of `projection.project`."""
    t, out = integers(table), integers(outputs)
    load(t, work, inputs)
    compute(t, work, c.KINEMATICS, c.W, c.X)
    compute(t, work, c.VELOCITY, c.C, c.NU_ROW)
    _wanted(t, work)
    alpha = metric(t, work)
    good = alpha >= 0.0 and _accelerations(t, work, alpha)
    if t[c.AUXILIARY] != 0:
        compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    nq, u, w, x = t[c.NQ], part(t, work, c.U), part(t, work, c.W), part(t, work, c.X)
    for j in range(t[c.NU]):
        add(x, u[j], at(w, j * nq), nq)
    _write(out[0], x, nq, good)
    _write(out[1], part(t, work, c.V), t[c.NU], good)
    _write(out[2], part(t, work, c.S_RATE), t[c.NS], good)
