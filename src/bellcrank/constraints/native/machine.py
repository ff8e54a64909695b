"""A machine given by a table: parts of its working memory, calls of its kernels.

`t` is a table laid out by `bellcrank.constraints.table`, `work` the address of memory.
"""

from bellcrank.constraints import table as c
from bellcrank.linear.native.raw import call, doubles, integers, native


@native
def part(t, work, slot):
    """Return a part of the working memory."""
    return doubles(work + 8 * t[slot])


@native
def whole(t, work, slot):
    """Return a part of the working memory that holds integers."""
    return integers(work + 8 * t[slot])


@native
def evaluate(t, work, kernel, first, second):
    """Call a kernel at the point; `first` and `second` are addresses for what it gives."""
    out = integers(work + 8 * t[c.OUT])
    out[0] = first
    out[1] = second
    call(t[kernel], work + 8 * t[c.IN], work + 8 * t[c.OUT], work + 8 * t[c.KERNEL])


@native
def compute(t, work, kernel, first, second):
    """Call a kernel; `first` and `second` are slots."""
    evaluate(t, work, kernel, work + 8 * t[first], work + 8 * t[second])


@native
def normalize(t, work):
    """Bring q back onto the invariants of the coordinates."""
    if t[c.NORMALIZE] != 0:
        compute(t, work, c.NORMALIZE, c.Q_NEXT, c.SPARE)
        q, new = part(t, work, c.Q), part(t, work, c.Q_NEXT)
        for n in range(t[c.NQ]):
            q[n] = new[n]


@native
def aim(t, work, inputs):
    """Point the kernels at t, q, u in the working memory, and at what is given of the rest."""
    given, own = integers(inputs), integers(work + 8 * t[c.IN])
    for n in range(7):
        own[n] = given[n]
    own[0] = work + 8 * t[c.CLOCK]
    own[1] = work + 8 * t[c.Q]
    own[2] = work + 8 * t[c.U]
    part(t, work, c.CLOCK)[0] = doubles(given[0])[0]


@native
def load(t, work, inputs):
    """Copy the point to the working memory and point the kernels at it."""
    aim(t, work, inputs)
    given = integers(inputs)
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    part(t, work, c.T_GIVEN)[0] = time[0]
    own_q, keep_q = part(t, work, c.Q), part(t, work, c.Q_GIVEN)
    own_u, keep_u = part(t, work, c.U), part(t, work, c.U_GIVEN)
    for n in range(t[c.NQ]):
        own_q[n] = keep_q[n] = q[n]
    for n in range(t[c.NU]):
        own_u[n] = keep_u[n] = u[n]
