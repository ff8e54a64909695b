"""A right-hand side in independent coordinates v and independent speeds w.

Everything asked for is evaluated at the point that `chart` finds, and not-a-number where there
is none. `table` is laid out by `constraints.table`.
"""

from math import nan

from bellcrank.constraints import table as c
from bellcrank.constraints.native.chart import accelerations, anchor, load, positions, speeds
from bellcrank.constraints.native.machine import (
    compute,
    evaluate,
    integers,
    part,
    table_at,
    whole,
)
from bellcrank.linear.native.factor import add, at
from bellcrank.linear.native.raw import doubles, native

APART = 1e-6  # of points whose rates are compared


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


@native
def _rates(table, work, out, good):
    """Write v̇ = E (W u + x), ẇ and ṡ."""
    nq, nv, x = table.nq, table.nv, part(work, table.x)
    u, w = part(work, table.u), part(work, table.w)
    for j in range(table.nu):
        add(x, u[j], at(w, j * nq), nq)
    rate = doubles(out[0])
    if table.mh == 0:
        _write(out[0], x, nq, good)
    else:
        for i in range(nv):
            rate[i] = 0.0
        for n in range(nq):
            add(rate, x[n], at(doubles(table.e), n * nv), nv)
        _write(out[0], rate, nv, good)
    if good and table.auxiliary != 0:
        compute(table, work, table.auxiliary, table.s_rate, table.spare)
    _write(out[1], part(work, table.rate), table.nw, good)
    _write(out[2], part(work, table.s_rate), table.ns, good)


@native
def _full(table, work, out, good):
    """Write u̇ = T ẇ + DRIFT, and DRIFT."""
    nu, total = table.nu, part(work, table.v)
    rates, drift = part(work, table.rate), part(work, table.drift)
    for j in range(nu):
        total[j] = drift[j]
    for i in range(table.nw):
        add(total, rates[i], at(part(work, table.t), i * nu), nu)
    _write(out[0], total, nu, good)
    _write(out[1], drift, nu, good)


@native
def _rates_shifted(table, work, number, shift, place):
    """Write the rates where one of v, w, s is shifted; False where there is no such point."""
    nv, nw = table.nv, table.nw
    given, n = part(work, table.v_given), number
    if number >= nv:
        given, n = part(work, table.w_given), number - nv
    if number >= nv + nw:
        given, n = part(work, table.s_given), number - nv - nw
    kept = given[n]
    given[n] = kept + shift
    good = positions(table, work) >= 0 and speeds(table, work) and accelerations(table, work)
    outs, first = whole(work, table.outs), work + 8 * place
    outs[0], outs[1], outs[2] = first, first + 8 * nv, first + 8 * (nv + nw)
    _rates(table, work, outs, good)
    given[n] = kept
    return good


@native
def _slopes_of_rates(table, work, out):
    """Write ∂(v̇, ẇ, ṡ)/∂(v, w, s) by central differences, and the unit matrix.

    A shift moves q, u or s by `APART` in nominal units.
    """
    nv, nw, nx = table.nv, table.nw, table.nv + table.nw + table.ns
    F, unit = doubles(out[0]), doubles(out[1])
    up, down = part(work, table.up), part(work, table.down)
    of_v, of_w, of_s = doubles(table.length_v), doubles(table.length_w), doubles(table.length_s)
    for j in range(nx * nx):
        F[j] = 0.0
    for j in range(nw * nw):
        unit[j] = 0.0
    for j in range(nw):
        unit[j * nw + j] = 1.0
    for j in range(nx):
        length = of_v[j] if j < nv else of_w[j - nv] if j < nv + nw else of_s[j - nv - nw]
        shift = APART / max(length, 1e-30)
        good = _rates_shifted(table, work, j, shift, table.up) and _rates_shifted(
            table, work, j, -shift, table.down
        )
        for n in range(nx):
            F[j * nx + n] = (up[n] - down[n]) / (2.0 * shift) if good else nan


@native
def _recalled(table, work, time):
    """Set q and u to those of the last place of switches; False if this is another place."""
    kept, v, w = doubles(table.kept), part(work, table.v_given), part(work, table.w_given)
    nv, nw, nq, q, u = (
        table.nv,
        table.nw,
        table.nq,
        part(work, table.q),
        part(work, table.u),
    )
    if kept[0] == 0.0 or kept[1] != time:
        return False
    for n in range(nv):
        if kept[2 + n] != v[n]:
            return False
    for n in range(nw):
        if kept[2 + nv + n] != w[n]:
            return False
    for n in range(nq):
        q[n] = kept[2 + nv + nw + n]
    for n in range(table.nu):
        u[n] = kept[2 + nv + nw + nq + n]
    return True


@native
def _keep(table, work, time):
    """Keep this place as that of switches."""
    kept, v, w = doubles(table.kept), part(work, table.v_given), part(work, table.w_given)
    nv, nw, nq, q, u = (
        table.nv,
        table.nw,
        table.nq,
        part(work, table.q),
        part(work, table.u),
    )
    kept[0], kept[1] = 1.0, time
    for n in range(nv):
        kept[2 + n] = v[n]
    for n in range(nw):
        kept[2 + nv + n] = w[n]
    for n in range(nq):
        kept[2 + nv + nw + n] = q[n]
    for n in range(table.nu):
        kept[2 + nv + nw + nq + n] = u[n]


@native
def _stand(table, work):
    """Set q and u for switches: while modes change at one place, the machine stays there.

    Modes may be those of a relation, and change one after the other: between the first and the
    last the relation is none that the machine ever meets, and would put it somewhere else.
    """
    time = part(work, table.clock)[0]
    if not _recalled(table, work, time) and positions(table, work) >= 0 and speeds(table, work):
        _keep(table, work, time)


def independent(inputs, outputs, work, record, what):
    """Write what is asked for at the point (v, w); not-a-number where there is none.

    Args:
        inputs: Address of seven addresses: t, v, w, s, inputs, p, k.
        outputs: Address of up to three addresses.
        work: Address of the working memory.
        record: Address of the table.
        what: Which of the questions at the end of `constraints.table`.
    """
    table, out = table_at(record), integers(outputs)
    load(table, work, inputs)
    if what == c.SLOPES:
        _slopes_of_rates(table, work, out)
        return
    if what == c.AT_SWITCHES:
        _stand(table, work)
        evaluate(table, work, table.switches, out[0], out[0])
        return
    iterations = positions(table, work)
    good = iterations >= 0 and speeds(table, work)
    if what == c.RATES:
        good = good and accelerations(table, work)
        _rates(table, work, out, good)
    elif what == c.ACCELERATIONS:
        good = good and accelerations(table, work)
        _full(table, work, out, good)
    elif what == c.AT_EVENTS:
        evaluate(table, work, table.events, out[0], out[0])
    elif what == c.AT_REVISE:
        evaluate(table, work, table.revise, out[0], out[0])
    elif what == c.CHECK:
        _write(out[0], part(work, table.v_given), table.nv, good)
        _write(out[1], part(work, table.w_given), table.nw, good)
    else:
        if what == c.SET_ANCHOR:
            good = good and anchor(table, work, iterations)
        _write(out[0], part(work, table.q), table.nq, good)
        _write(out[1], part(work, table.u), table.nu, good)
