"""A machine given by a table: parts of its working memory, calls of its kernels.

`table` is a record laid out by `bellcrank.constraints.table`, `work` the address of memory.
"""

from bellcrank.constraints.table import LAYOUT
from bellcrank.linear.native.raw import call, doubles, integers, native, record

table_at = record(LAYOUT)


@native
def part(work, offset):
    """Return a part of the working memory."""
    return doubles(work + 8 * offset)


@native
def whole(work, offset):
    """Return a part of the working memory that holds integers."""
    return integers(work + 8 * offset)


@native
def evaluate(table, work, kernel, first, second):
    """Call a kernel at the point; `first` and `second` are addresses for what it gives."""
    out = integers(work + 8 * table.outputs)
    out[0] = first
    out[1] = second
    call(kernel, work + 8 * table.inputs, work + 8 * table.outputs, work + 8 * table.kernel)


@native
def compute(table, work, kernel, first, second):
    """Call a kernel; `first` and `second` are offsets for what it gives."""
    evaluate(table, work, kernel, work + 8 * first, work + 8 * second)


@native
def normalize(table, work):
    """Bring q back onto the invariants of the coordinates."""
    if table.normalize != 0:
        compute(table, work, table.normalize, table.q_next, table.spare)
        q, new = part(work, table.q), part(work, table.q_next)
        for n in range(table.nq):
            q[n] = new[n]


@native
def aim(table, work, inputs):
    """Point the kernels at t, q, u in the working memory, and at what is given of the rest."""
    given, own = integers(inputs), integers(work + 8 * table.inputs)
    for n in range(7):
        own[n] = given[n]
    own[0] = work + 8 * table.clock
    own[1] = work + 8 * table.q
    own[2] = work + 8 * table.u
    part(work, table.clock)[0] = doubles(given[0])[0]


@native
def load(table, work, inputs):
    """Copy the point to the working memory and point the kernels at it."""
    aim(table, work, inputs)
    given = integers(inputs)
    time, q, u = doubles(given[0]), doubles(given[1]), doubles(given[2])
    part(work, table.t_given)[0] = time[0]
    own_q, keep_q = part(work, table.q), part(work, table.q_given)
    own_u, keep_u = part(work, table.u), part(work, table.u_given)
    for n in range(table.nq):
        own_q[n] = keep_q[n] = q[n]
    for n in range(table.nu):
        own_u[n] = keep_u[n] = u[n]
