"""Projection onto the constraints by straight-line kernels that watch their pivots.

Newton steps on Φ and one evaluation of the motion, both by kernels made for this machine. The
routine reports whether its pivots are large enough; if not, the rank-revealing projection takes
over.
"""

from math import nan

from bellcrank.constraints.table import STRAIGHT_LINE
from bellcrank.linear.native.raw import call, doubles, integers, native
from bellcrank.linear.native.raw import record as record_at

table_at = record_at(STRAIGHT_LINE)

WATCH = 1e-3  # squared sine between rows below which S is not to be trusted
FAR = 0.03  # of the squared sine: residuals beyond may lead to another branch
QUADRATIC = 1e-15  # squared residual over squared sine that a Newton step leaves nothing of
ENOUGH = 2e-14  # scaled residual over squared sine that needs no correction
STEPS = 6
LEFT = 1e-11  # what speeds may leave of C u = ν, relative to their size


@native
def _evaluate(kernel, table, work):
    call(kernel, work + 8 * table.inputs, work + 8 * table.outputs, work + 8 * table.kernel)


@native
def _closed(table, work):
    """Bring q onto Φ = 0; return whether it is there."""
    out, scalars = integers(work + 8 * table.outputs), doubles(work + 8 * table.scalars)
    q, spare = doubles(work + 8 * table.q), doubles(work + 8 * table.spare)
    before = 1e300
    for _ in range(STEPS):
        out[0] = work + 8 * table.spare
        out[1] = work + 8 * table.scalars
        out[2] = work + 8 * table.scalars + 8
        _evaluate(table.correction, table, work)
        size = scalars[0]
        table.best_h = max(table.best_h, scalars[1])
        if not (scalars[1] > max(WATCH, table.suspect * table.best_h)) or not (
            size < FAR * scalars[1]
        ):
            return False
        if not (size < 0.5 * before) and size > ENOUGH * scalars[1]:
            return size <= 1e-12
        before = size
        # Also where rows are met: the step has brought norms of Euler parameters to one.
        for n in range(table.nq):
            q[n] = spare[n]
        if size <= ENOUGH * scalars[1]:
            return True
        if size * size < QUADRATIC * scalars[1]:
            return True
    return False


@native
def _finite(values, n):
    """Say whether n numbers are all finite."""
    nothing = 0.0
    for k in range(n):
        nothing += 0.0 * values[k]
    return nothing == 0.0


@native
def _spoil(table, results):
    """Write not-a-number to both outputs."""
    first, second = doubles(results[0]), doubles(results[1])
    for n in range(table.nq):
        first[n] = nan
    for n in range(table.nu):
        second[n] = nan


def straight_line(inputs, outputs, work, record, derivatives):
    """Write q̇ and u̇ at the point brought onto the constraints, or q and u of that point.

    Args:
        inputs: Address of seven addresses: t, q, u, s, w, p, k.
        outputs: Address of three or two addresses.
        work: Address of the working memory.
        record: Address of the table.
        derivatives: 1 for derivatives, 0 for the point.

    Returns:
        1, or 0 where nothing was written because it could not be trusted.
    """
    table, given, results = table_at(record), integers(inputs), integers(outputs)
    own, out = integers(work + 8 * table.inputs), integers(work + 8 * table.outputs)
    q, from_q = doubles(work + 8 * table.q), doubles(given[1])
    for n in range(7):
        own[n] = given[n]
    own[1] = work + 8 * table.q
    for n in range(table.nq):
        q[n] = from_q[n]
    if not _finite(doubles(given[1]), table.nq) or not _finite(doubles(given[2]), table.nu):
        _spoil(table, results)  # no way leads anywhere
        return 1
    if table.correction != 0 and not _closed(table, work):
        return 0
    spare, scalars = work + 8 * table.spare, doubles(work + 8 * table.scalars)
    out[0] = spare
    out[1] = spare + 8 * table.nq
    out[2] = spare + 8 * (table.nq + table.nu)
    out[3] = work + 8 * table.scalars
    out[4] = work + 8 * table.scalars + 8
    _evaluate(table.motion, table, work)
    rates = doubles(spare)
    most = 1.0
    for n in range(table.nu):
        most = max(most, abs(rates[table.nq + table.nu + n]))
    table.best = max(table.best, scalars[1])
    if not (scalars[1] > max(WATCH, table.suspect * table.best)) or not (
        scalars[0] <= LEFT * most
    ):
        return 0
    if not _finite(rates, table.nq + 2 * table.nu):
        return 0
    first, second = doubles(results[0]), doubles(results[1])
    if derivatives != 0:
        for n in range(table.nq):
            first[n] = rates[n]
        for n in range(table.nu):
            second[n] = rates[table.nq + n]
        if table.auxiliary != 0:
            own[2] = spare + 8 * (table.nq + table.nu)
            out[0] = results[2]
            _evaluate(table.auxiliary, table, work)
    else:
        for n in range(table.nq):
            first[n] = q[n]
        for n in range(table.nu):
            second[n] = rates[table.nq + table.nu + n]
    return 1
