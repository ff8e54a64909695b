"""A right-hand side whose accelerations pull back what has left the constraints.

    C u̇ = γ - 2α (C u - ν) - β² Φ   with the least (u̇ - A⁻¹f)ᵀ A (u̇ - A⁻¹f)       (Gauss)

`table` is a record laid out by `bellcrank.constraints.table`, whose `knobs` are α and β.

Rows that repeat others do so on the constraints only; off them each asks for a little more, and
which of them are met must not change from point to point: u̇ would jump. The rows of the first
point are met until they are close to dependent.

All but q̇ is evaluated with Euler parameters of length one. At stages they are longer or
shorter, and rows would be off by what no motion mends: R(p) r of a second hinge is |p|² of it.

Close to positions where rows become dependent, at a distance d, what is left of Φ counts 1/d³
times in u̇. Where that is too much there is no answer: not-a-number.
"""

from math import nan

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
from bellcrank.constraints.native.projection import CUT
from bellcrank.linear.native.factor import add, at, forward, meet, rotate, unrotate
from bellcrank.linear.native.raw import doubles, native
from bellcrank.linear.rank import WATCH

# In `knobs`: α and β; largest RATIO seen; 1 where rows were lost; how many rows are met, and
# their numbers
ALPHA, BETA, BEST, LOST, MET, FIRST_MET = range(6)
NEAR = 0.05  # RATIO against the best seen, above which rows are well apart
SPOILED = 1e-3  # what may become of Φ in u̇


@native
def _wanted(table, work):
    """Set RIGHT to the accelerations of the rows, scaled."""
    m, right = table.m, part(work, table.right)
    u, rows, given = part(work, table.u), part(work, table.c), part(work, table.nu_row)
    gamma, weight, knobs = part(work, table.gamma), doubles(table.weight), doubles(table.knobs)
    compute(table, work, table.acceleration, table.gamma, table.spare)
    for i in range(m):
        right[i] = -given[i]
    for j in range(table.nu):
        add(right, u[j], at(rows, j * m), m)
    for i in range(m):
        right[i] = gamma[i] - 2.0 * knobs[ALPHA] * right[i]
    if table.mh != 0:
        phi = part(work, table.phi)
        compute(table, work, table.position, table.phi, table.spare)
        add(right, -knobs[BETA] * knobs[BETA], phi, table.mh)
    for i in range(m):
        right[i] *= weight[i]


@native
def _apart(table, work, rank):
    """Say whether rows are far enough from dependent, and note the best that was seen.

    The usual rank is that of the first point, where it was not told.
    """
    nu, b, knobs, weight = (
        table.nu,
        part(work, table.b),
        doubles(table.knobs),
        doubles(table.weight),
    )
    if table.rank < 0:
        table.rank = rank
    ratio = abs(b[(rank - 1) * (nu + 1)] / b[0]) if rank > 0 else 1.0
    knobs[BEST] = max(knobs[BEST], ratio)
    distance, left, phi = ratio / knobs[BEST], 0.0, part(work, table.phi)
    for i in range(table.mh):
        left = max(left, abs(phi[i] * weight[i]))
    close = distance < WATCH or (distance < NEAR and left > SPOILED * distance**3)
    if rank < table.rank or close:
        knobs[LOST] = 1.0
        return False
    return True


@native
def _gather(table, work):
    """Exchange columns of B, just filled, so that the rows that were met come first."""
    nu, m, b = table.nu, table.m, part(work, table.b)
    order, knobs = whole(work, table.order), doubles(table.knobs)
    first, last = whole(work, table.b_first), whole(work, table.b_last)
    for k in range(int(knobs[MET])):
        place = k
        while place < m - 1 and order[place] != int(knobs[FIRST_MET + k]):
            place += 1
        for n in range(nu):
            b[k * nu + n], b[place * nu + n] = b[place * nu + n], b[k * nu + n]
        order[k], order[place] = order[place], order[k]
        first[k], first[place] = first[place], first[k]
        last[k], last[place] = last[place], last[k]


@native
def _factorized(table, work):
    """Factorize B of the rows that were met before, or else of all; return the rank."""
    m, order, knobs = table.m, whole(work, table.order), doubles(table.knobs)
    met = int(knobs[MET])
    fill(table, work, m)
    if met > 0:
        _gather(table, work)
        rank = factorize(table, work, met, CUT, -1, 0.0)
        if rank == met and part(work, table.ratio)[0] > NEAR * knobs[BEST]:
            return rank
        fill(table, work, m)
    rank = factorize(table, work, m, CUT, -1, 0.0)
    if table.rank >= 0:  # off the constraints, rows that repeat others seem independent
        rank = min(rank, table.rank)
    knobs[MET] = rank
    for k in range(rank):
        knobs[FIRST_MET + k] = order[k]
    return rank


@native
def _accelerations(table, work, alpha):
    """Set V to u̇; False where rows are too close to dependent."""
    nu, m, v, z = table.nu, table.m, part(work, table.v), part(work, table.z)
    b, tau, right = part(work, table.b), part(work, table.tau), part(work, table.right)
    weight, rows, speed = (
        doubles(table.weight),
        part(work, table.c),
        integers(table.speed_order),
    )
    first, last = whole(work, table.b_first), whole(work, table.b_last)
    compute(table, work, table.force, table.v, table.spare)
    if alpha > 0.0:
        for j in range(nu):
            for i in range(m):
                v[j] += alpha * rows[j * m + i] * weight[i] * right[i]
    for place in range(nu):
        z[place] = v[speed[place]]
    rank = _factorized(table, work)
    if not _apart(table, work, rank):
        return False
    forward(part(work, table.l), whole(work, table.l_last), nu, 0, nu, z)
    rotate(b, nu, rank, last, tau, z)
    meet(b, nu, rank, whole(work, table.order), first, right, z)
    unrotate(b, nu, rank, last, tau, z)
    restore(table, work)
    return True


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


def stabilize(inputs, outputs, work, record, what):
    """Write q̇, u̇, ṡ at the point; arguments as those of `projection.project`."""
    table, out = table_at(record), integers(outputs)
    load(table, work, inputs)
    compute(table, work, table.kinematics, table.w, table.x)
    normalize(table, work)
    compute(table, work, table.velocity, table.c, table.nu_row)
    _wanted(table, work)
    alpha = metric(table, work)
    good = alpha >= 0.0 and _accelerations(table, work, alpha)
    if table.auxiliary != 0:
        compute(table, work, table.auxiliary, table.s_rate, table.spare)
    nq, u, w, x = table.nq, part(work, table.u), part(work, table.w), part(work, table.x)
    for j in range(table.nu):
        add(x, u[j], at(w, j * nq), nq)
    _write(out[0], x, nq, good)
    _write(out[1], part(work, table.v), table.nu, good)
    _write(out[2], part(work, table.s_rate), table.ns, good)
