"""A right-hand side in independent coordinates v and independent speeds w.

Everything asked for is evaluated at the point that `chart` finds, and not-a-number where there
is none. `t` is a table laid out by `constraints.independent_table`.
"""

from math import nan

from bellcrank.constraints import independent_table as e
from bellcrank.constraints import table as c
from bellcrank.constraints.native.chart import accelerations, anchor, load, positions, speeds
from bellcrank.constraints.native.machine import compute, evaluate, integers, part, whole
from bellcrank.linear.native.factor import add, at
from bellcrank.linear.native.raw import doubles, native

APART = 1e-6  # of points whose rates are compared


@native
def _write(address, found, size, good):
    out = doubles(address)
    for n in range(size):
        out[n] = found[n] if good else nan


@native
def _rates(t, work, out, good):
    """Write v̇ = E (W u + x), ẇ and ṡ."""
    nq, nv, x = t[c.NQ], t[e.NV], part(t, work, c.X)
    u, w = part(t, work, c.U), part(t, work, c.W)
    for j in range(t[c.NU]):
        add(x, u[j], at(w, j * nq), nq)
    rate = doubles(out[0])
    if t[c.MH] == 0:
        _write(out[0], x, nq, good)
    else:
        for i in range(nv):
            rate[i] = 0.0
        for n in range(nq):
            add(rate, x[n], at(doubles(t[e.E]), n * nv), nv)
        _write(out[0], rate, nv, good)
    if good and t[c.AUXILIARY] != 0:
        compute(t, work, c.AUXILIARY, c.S_RATE, c.SPARE)
    _write(out[1], part(t, work, e.RATE), t[e.NW], good)
    _write(out[2], part(t, work, c.S_RATE), t[c.NS], good)


@native
def _full(t, work, out, good):
    """Write u̇ = T ẇ + DRIFT, and DRIFT."""
    nu, total = t[c.NU], part(t, work, c.V)
    rates, drift = part(t, work, e.RATE), part(t, work, e.DRIFT)
    for j in range(nu):
        total[j] = drift[j]
    for i in range(t[e.NW]):
        add(total, rates[i], at(part(t, work, e.T), i * nu), nu)
    _write(out[0], total, nu, good)
    _write(out[1], drift, nu, good)


@native
def _beside(t, work, number, shift, place):
    """Write the rates where one of v, w, s is shifted; False where there is no such point."""
    nv, nw = t[e.NV], t[e.NW]
    given, n = part(t, work, e.V_GIVEN), number
    if number >= nv:
        given, n = part(t, work, e.W_GIVEN), number - nv
    if number >= nv + nw:
        given, n = part(t, work, e.S_GIVEN), number - nv - nw
    kept = given[n]
    given[n] = kept + shift
    good = positions(t, work) >= 0 and speeds(t, work) and accelerations(t, work)
    outs, first = whole(t, work, e.OUTS), work + 8 * t[place]
    outs[0], outs[1], outs[2] = first, first + 8 * nv, first + 8 * (nv + nw)
    _rates(t, work, outs, good)
    given[n] = kept
    return good


@native
def _slopes_of_rates(t, work, out):
    """Write ∂(v̇, ẇ, ṡ)/∂(v, w, s) by central differences, and the unit matrix.

    A shift moves q, u or s by `APART` in nominal units.
    """
    nv, nw, nx = t[e.NV], t[e.NW], t[e.NV] + t[e.NW] + t[c.NS]
    F, unit = doubles(out[0]), doubles(out[1])
    up, down = part(t, work, e.UP), part(t, work, e.DOWN)
    of_v, of_w, of_s = doubles(t[e.LENGTH_V]), doubles(t[e.LENGTH_W]), doubles(t[e.LENGTH_S])
    for j in range(nx * nx):
        F[j] = 0.0
    for j in range(nw * nw):
        unit[j] = 0.0
    for j in range(nw):
        unit[j * nw + j] = 1.0
    for j in range(nx):
        length = of_v[j] if j < nv else of_w[j - nv] if j < nv + nw else of_s[j - nv - nw]
        shift = APART / max(length, 1e-30)
        good = _beside(t, work, j, shift, e.UP) and _beside(t, work, j, -shift, e.DOWN)
        for n in range(nx):
            F[j * nx + n] = (up[n] - down[n]) / (2.0 * shift) if good else nan


@native
def _recalled(t, work, time):
    """Set q and u to those of the last place of switches; False if this is another place."""
    kept, v, w = doubles(t[e.KEPT]), part(t, work, e.V_GIVEN), part(t, work, e.W_GIVEN)
    nv, nw, nq, q, u = t[e.NV], t[e.NW], t[c.NQ], part(t, work, c.Q), part(t, work, c.U)
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
    for n in range(t[c.NU]):
        u[n] = kept[2 + nv + nw + nq + n]
    return True


@native
def _keep(t, work, time):
    """Keep this place as that of switches."""
    kept, v, w = doubles(t[e.KEPT]), part(t, work, e.V_GIVEN), part(t, work, e.W_GIVEN)
    nv, nw, nq, q, u = t[e.NV], t[e.NW], t[c.NQ], part(t, work, c.Q), part(t, work, c.U)
    kept[0], kept[1] = 1.0, time
    for n in range(nv):
        kept[2 + n] = v[n]
    for n in range(nw):
        kept[2 + nv + n] = w[n]
    for n in range(nq):
        kept[2 + nv + nw + n] = q[n]
    for n in range(t[c.NU]):
        kept[2 + nv + nw + nq + n] = u[n]


@native
def _stand(t, work):
    """Set q and u for switches: while modes change at one place, the machine stays there.

    Modes may be those of a relation, and change one after the other: between the first and the
    last the relation is none that the machine ever meets, and would put it somewhere else.
    """
    time = part(t, work, c.CLOCK)[0]
    if not _recalled(t, work, time) and positions(t, work) >= 0 and speeds(t, work):
        _keep(t, work, time)


def independent(inputs, outputs, work, table, what):
    """Write what is asked for at the point (v, w); not-a-number where there is none.

    Args:
        inputs: Address of seven addresses: t, v, w, s, inputs, p, k.
        outputs: Address of up to three addresses.
        work: Address of the working memory.
        table: Address of the table.
        what: Which of the questions at the end of `constraints.independent_table`.
    """
    t, out = integers(table), integers(outputs)
    load(t, work, inputs)
    if what == e.SLOPES:
        _slopes_of_rates(t, work, out)
        return
    if what == e.AT_SWITCHES:
        _stand(t, work)
        evaluate(t, work, e.SWITCHES, out[0], out[0])
        return
    iterations = positions(t, work)
    good = iterations >= 0 and speeds(t, work)
    if what == e.RATES:
        good = good and accelerations(t, work)
        _rates(t, work, out, good)
    elif what == e.ACCELERATIONS:
        good = good and accelerations(t, work)
        _full(t, work, out, good)
    elif what == e.AT_EVENTS:
        evaluate(t, work, e.EVENTS, out[0], out[0])
    elif what == e.AT_REVISE:
        evaluate(t, work, e.REVISE, out[0], out[0])
    elif what == e.CHECK:
        _write(out[0], part(t, work, e.V_GIVEN), t[e.NV], good)
        _write(out[1], part(t, work, e.W_GIVEN), t[e.NW], good)
    else:
        if what == e.SET_ANCHOR:
            good = good and anchor(t, work, iterations)
        _write(out[0], part(t, work, c.Q), t[c.NQ], good)
        _write(out[1], part(t, work, c.U), t[c.NU], good)
