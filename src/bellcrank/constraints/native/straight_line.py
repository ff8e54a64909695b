"""The quick way onto the constraints: straight-line kernels, watched.

Newton steps on Φ and one evaluation of the motion, both by kernels made for this machine. The
routine says whether it may be believed; where it may not, the rank-revealing projection takes
over.
"""

from math import nan

from bellcrank.constraints.native.projection import integers
from bellcrank.linear.native.raw import call, doubles, native

# The table of a machine.
NQ, NU, CORRECTION, MOTION, IN, OUT, Q, SCALARS, SPARE, KERNEL, AUXILIARY = range(11)
SIZE = 11

WATCH = 1e-3  # squared sine between rows below which S is not to be trusted
FAR = 0.03  # of the squared sine: residuals beyond may lead to another branch
QUADRATIC = 1e-15  # squared residual over squared sine that a Newton step leaves nothing of
ENOUGH = 2e-14  # scaled residual over squared sine that needs no correction
STEPS = 6
LEFT = 1e-11  # what speeds may leave of C u = ν, relative to their size


@native
def _evaluate(kernel, t, work):
    call(kernel, work + 8 * t[IN], work + 8 * t[OUT], work + 8 * t[KERNEL])


@native
def _closed(t, work):
    """Bring q onto Φ = 0; return whether it is there."""
    out, scalars = integers(work + 8 * t[OUT]), doubles(work + 8 * t[SCALARS])
    q, spare = doubles(work + 8 * t[Q]), doubles(work + 8 * t[SPARE])
    before = 1e300
    for _ in range(STEPS):
        out[0] = work + 8 * t[SPARE]
        out[1] = work + 8 * t[SCALARS]
        out[2] = work + 8 * t[SCALARS] + 8
        _evaluate(t[CORRECTION], t, work)
        size = scalars[0]
        if not (scalars[1] > WATCH) or not (size < FAR * scalars[1]):
            return False
        if not (size < 0.5 * before) and size > ENOUGH * scalars[1]:
            return size <= 1e-12
        before = size
        # Also where rows are met: the step has brought norms of Euler parameters to one.
        for n in range(t[NQ]):
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
def _spoil(t, results):
    """Write not-a-number to both outputs."""
    first, second = doubles(results[0]), doubles(results[1])
    for n in range(t[NQ]):
        first[n] = nan
    for n in range(t[NU]):
        second[n] = nan


def straight_line(inputs, outputs, work, table, derivatives):
    """Write q̇ and u̇ at the point brought onto the constraints, or q and u of that point.

    Args:
        inputs: Address of seven addresses: t, q, u, s, w, p, k.
        outputs: Address of three or two addresses.
        work: Address of the working memory.
        table: Address of the table.
        derivatives: 1 for derivatives, 0 for the point.

    Returns:
        1, or 0 where nothing was written because it could not be trusted.
    """
    t, given, results = integers(table), integers(inputs), integers(outputs)
    own, out = integers(work + 8 * t[IN]), integers(work + 8 * t[OUT])
    q, from_q = doubles(work + 8 * t[Q]), doubles(given[1])
    for n in range(7):
        own[n] = given[n]
    own[1] = work + 8 * t[Q]
    for n in range(t[NQ]):
        q[n] = from_q[n]
    if not _finite(doubles(given[1]), t[NQ]) or not _finite(doubles(given[2]), t[NU]):
        _spoil(t, results)  # no way leads anywhere
        return 1
    if t[CORRECTION] != 0 and not _closed(t, work):
        return 0
    spare, scalars = work + 8 * t[SPARE], doubles(work + 8 * t[SCALARS])
    out[0] = spare
    out[1] = spare + 8 * t[NQ]
    out[2] = spare + 8 * (t[NQ] + t[NU])
    out[3] = work + 8 * t[SCALARS]
    out[4] = work + 8 * t[SCALARS] + 8
    _evaluate(t[MOTION], t, work)
    rates = doubles(spare)
    most = 1.0
    for n in range(t[NU]):
        most = max(most, abs(rates[t[NQ] + t[NU] + n]))
    if not (scalars[1] > WATCH) or not (scalars[0] <= LEFT * most):
        return 0
    if not _finite(rates, t[NQ] + 2 * t[NU]):
        return 0
    first, second = doubles(results[0]), doubles(results[1])
    if derivatives != 0:
        for n in range(t[NQ]):
            first[n] = rates[n]
        for n in range(t[NU]):
            second[n] = rates[t[NQ] + n]
        if t[AUXILIARY] != 0:
            own[2] = spare + 8 * (t[NQ] + t[NU])
            out[0] = results[2]
            _evaluate(t[AUXILIARY], t, work)
    else:
        for n in range(t[NQ]):
            first[n] = q[n]
        for n in range(t[NU]):
            second[n] = rates[t[NQ] + t[NU] + n]
    return 1
