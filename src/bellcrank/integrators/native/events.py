"""Zero crossings inside a step: events to record, switches to flip.

After a step, switching functions z and event functions g are looked at at the ends of
SAMPLES parts of it, so that a function which crosses and comes back within a step is
seen unless it does so within one part. Crossings are located on the dense output.
What cuts a step short is the earliest flip or terminal event; the cut lies on the far side of
the crossing, where the function already has its new sign, so that it is not met again.

An event is met where its function leaves the side of zero it was on. While the function rests
at zero it is on no side, and leaving zero, back or on, is no event: a rest is one event at
most. Where a function is not a number the run ends, after what was met before.
"""

from math import inf
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import normalize, watch
from bellcrank.integrators.native.raw import doubles, native

EPSILON = 2.220446049250313e-16
FLIPS_WATCHED = 64  # so many flips …
STILL = 1e-9  # … within this part of the whole time are chattering


@native
def take_sides(i, f):
    """Note on which side of zero the event functions begin."""
    watch(i, f[c.TIME], i[c.X])
    sign = doubles(i[c.G_SIGN])
    for n in range(i[c.NE]):
        sign[n] = 0.0
    _choose_sides(i)


@native
def _choose_sides(i):
    """Give the event functions that are on no side the one they are seen on."""
    g, sign = doubles(i[c.G]), doubles(i[c.G_SIGN])
    for n in range(i[c.NE]):
        if sign[n] == 0.0:
            sign[n] = -1.0 if g[n] < 0.0 else (1.0 if g[n] > 0.0 else 0.0)


@native
def _undefined(i):
    """Return the number of an event function that is not a number, or -1."""
    g = doubles(i[c.G])
    for n in range(i[c.NE]):
        if g[n] != g[n]:
            return n
    return -1


def scanner(interpolate: Any) -> Any:
    """Return `scan(i, f)`, which looks for crossings in the step in hand.

    It logs events, and where something cuts the step, sets CUT, TIME1 and X1. `Z_ROOT`
    is then finite for the switches that flip. Where an event function is not a number it cuts
    before that, at θ = 0 if it begins so, and STOPPED_BY is NE and its number.
    """
    locate, log = _locator(interpolate), _logger(interpolate)
    look, last_defined = _look(interpolate), _last_defined(interpolate)

    @native
    def cut_at(i, f, theta):
        i[c.CUT] = 1
        f[c.TIME1] = _when(f, theta)
        interpolate(i, f, theta, i[c.X1])
        watch(i, f[c.TIME1], i[c.X1])
        _choose_sides(i)

    @native
    def scan(i, f):
        z, z0 = doubles(i[c.Z]), doubles(i[c.Z_BEFORE])
        g, g0 = doubles(i[c.G]), doubles(i[c.G_BEFORE])
        look(i, f, 0.0)
        lost, left = _undefined(i), 0.0
        for part in range(c.SAMPLES):
            if lost >= 0:
                break
            for n in range(i[c.NK]):
                z0[n] = z[n]
            for n in range(i[c.NE]):
                g0[n] = g[n]
            right = (part + 1) / c.SAMPLES
            look(i, f, right)
            lost = _undefined(i)
            if lost >= 0:
                right = last_defined(i, f, left, right)
            if _crossed(i):
                cut = locate(i, f, left, right)
                log(i, f, cut)
                if cut <= 1.0:
                    cut_at(i, f, cut)
                    return
                look(i, f, right)
            _choose_sides(i)
            left = right
        if lost >= 0:
            i[c.STOPPED_BY] = i[c.NE] + lost
            cut_at(i, f, left)

    return scan


def _look(interpolate: Any) -> Any:
    @native
    def look(i, f, theta):
        """Evaluate the functions at θ."""
        interpolate(i, f, theta, i[c.PLACE])
        watch(i, f[c.TIME] + theta * f[c.STEP], i[c.PLACE])

    return look


def _last_defined(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def last_defined(i, f, left, right):
        """Return the last θ where all event functions are numbers, and look there.

        They are at `left`, and are not at `right`.
        """
        for _ in range(60):
            middle = 0.5 * (left + right)
            if right - left <= 2.0 * _resolution(f):
                break
            look(i, f, middle)
            if _undefined(i) < 0:
                left = middle
            else:
                right = middle
        look(i, f, left)
        return left

    return last_defined


@native
def _resolution(f):
    """Return the least difference of θ that the clock can tell."""
    return EPSILON * max(1.0, abs(f[c.TIME] / f[c.STEP]))


@native
def _when(f, theta):
    """Return the time at θ; the end of the step is its end exactly."""
    return f[c.TIME1] if theta == 1.0 else f[c.TIME] + theta * f[c.STEP]


@native
def _crossed(i):
    """Mark the functions that changed sign (root 0 instead of ∞); say whether any did."""
    k, z, g, sign = doubles(i[c.MEMORY]), doubles(i[c.Z]), doubles(i[c.G]), doubles(i[c.G_SIGN])
    z_root, g_root = doubles(i[c.Z_ROOT]), doubles(i[c.G_ROOT])
    found = False
    for n in range(i[c.NK]):
        crosses = k[n] * z[n] < 0.0
        z_root[n] = 0.0 if crosses else inf
        found = found or crosses
    for n in range(i[c.NE]):
        crosses = sign[n] != 0.0 and sign[n] * g[n] <= 0.0  # from zero nothing is crossed
        g_root[n] = 0.0 if crosses else inf
        found = found or crosses
    return found


def _locator(interpolate: Any) -> Any:
    root, look = _root(interpolate), _look(interpolate)

    @native
    def locate(i, f, left, right):
        """Replace marks by θ of the crossings; return θ of the cut, or ∞."""
        k, sign, direction = (
            doubles(i[c.MEMORY]),
            doubles(i[c.G_SIGN]),
            doubles(i[c.G_DIRECTION]),
        )
        z_root, g_root = doubles(i[c.Z_ROOT]), doubles(i[c.G_ROOT])
        z, z0, g, g0 = (
            doubles(i[c.Z]),
            doubles(i[c.Z_BEFORE]),
            doubles(i[c.G]),
            doubles(i[c.G_BEFORE]),
        )
        terminal = doubles(i[c.G_TERMINAL])
        cut = inf
        # The values at `right` are overwritten by the search, so both ends go in by value;
        # those of functions still to be searched are restored from the end of the part.
        for n in range(i[c.NK] + i[c.NE]):
            switch = n < i[c.NK]
            m = n if switch else n - i[c.NK]
            roots = z_root if switch else g_root
            if roots[m] == inf:
                continue
            look(i, f, right)
            before, after = (z0[m], z[m]) if switch else (g0[m], g[m])
            side = k[m] if switch else sign[m]
            roots[m] = root(i, f, switch, m, side, left, before, right, after)
            if switch or (terminal[m] != 0.0 and direction[m] * side <= 0.0):
                cut = min(cut, roots[m])
        return cut

    return locate


def _root(interpolate: Any) -> Any:
    """Return Chandrupatla's root finder (1997) for one of the functions on the dense output.

    Bisection where inverse quadratic interpolation is not to be trusted. The result is
    the end of the last bracket where the function has left its `side`; where it rests at zero,
    the beginning of the rest.
    """
    look = _look(interpolate)

    @native
    def first_zero(i, f, switch, n, side, near, zero):
        values = doubles(i[c.Z]) if switch else doubles(i[c.G])
        for _ in range(100):
            if abs(zero - near) <= 2.0 * _resolution(f):
                break
            middle = 0.5 * (near + zero)
            look(i, f, middle)
            if side * values[n] > 0.0:
                near = middle
            else:
                zero = middle
        return zero

    @native
    def root(i, f, switch, n, side, a, fa, b, fb):
        values = doubles(i[c.Z]) if switch else doubles(i[c.G])
        if side * fa <= 0.0:
            return a
        # b is the newest point, a the other end of the bracket, e the point before
        e, fe, part = a, fa, 0.5
        for _ in range(100):
            width, resolution = abs(b - a), _resolution(f)
            if fb == 0.0 or width <= 2.0 * resolution:
                break
            if e != a:
                part = _fraction(a, fa, b, fb, e, fe)
                least = resolution / width
                part = max(min(part, 1.0 - least), least)
            new = b + part * (a - b)
            look(i, f, new)
            fn = values[n]
            if (fn < 0.0) == (fb < 0.0):
                e, fe = b, fb
            else:
                e, fe = a, fa
                a, fa = b, fb
            b, fb = new, fn
        if fb == 0.0:
            return first_zero(i, f, switch, n, side, a if side * fa > 0.0 else e, b)
        return b if side * fb <= 0.0 else a

    return root


@native
def _fraction(a, fa, b, fb, e, fe):
    """Return where to look next, as a fraction of the way from b to a."""
    xi, phi = (b - a) / (e - a), (fb - fa) / (fe - fa)
    if phi * phi < xi and (1.0 - phi) * (1.0 - phi) < 1.0 - xi:
        near = fb / (fa - fb) * fe / (fa - fe)
        return near + (e - b) / (a - b) * fb / (fe - fb) * fa / (fe - fa)
    return 0.5


def _logger(interpolate: Any) -> Any:
    @native
    def log(i, f, cut):
        """Write down the events up to the cut in order of time; note the terminal one."""
        sign, direction = doubles(i[c.G_SIGN]), doubles(i[c.G_DIRECTION])
        g_root, terminal = doubles(i[c.G_ROOT]), doubles(i[c.G_TERMINAL])
        for _ in range(i[c.NE]):
            first, theta = -1, inf
            for n in range(i[c.NE]):
                if g_root[n] < theta:
                    first, theta = n, g_root[n]
            if first < 0 or theta > cut:
                return
            g_root[first] = inf
            wanted = direction[first] * sign[first] <= 0.0
            sign[first] = 0.0  # until it is seen at the end of the part, or at the cut
            if wanted and not _at_the_start(f, theta):
                _write(i, f, first, theta)
                if terminal[first] != 0.0:
                    i[c.STOPPED_BY] = first

    @native
    def _write(i, f, number, theta):
        row, time = i[c.HITS], _when(f, theta)
        interpolate(i, f, theta, i[c.PLACE])
        normalize(i, time, i[c.PLACE])
        place, out = doubles(i[c.PLACE]), doubles(i[c.HIT_X] + 8 * row * i[c.NX])
        doubles(i[c.HIT_T])[row] = time
        doubles(i[c.HIT_INDEX])[row] = number
        for n in range(i[c.NX]):
            out[n] = place[n]
        i[c.HITS] += 1

    return log


@native
def _at_the_start(f, theta):
    """Say whether a crossing is the start itself, but for rounding: that is no event."""
    passed = abs(f[c.TIME] + theta * f[c.STEP] - f[c.BEGIN])
    whole = abs(f[c.END] - f[c.BEGIN])
    return passed <= 64.0 * EPSILON * abs(f[c.BEGIN]) + 1e-13 * whole


@native
def flip(i, f):
    """Flip the modes of the switches that cut the step, and of those that depend on them.

    Returns False if this is chattering: many flips in next to no time.
    """
    k, z, root = doubles(i[c.MEMORY]), doubles(i[c.Z]), doubles(i[c.Z_ROOT])
    cut, flips = inf, i[c.FLIPS]
    for n in range(i[c.NK]):
        cut = min(cut, root[n])
    if cut == inf or i[c.STOPPED_BY] >= 0:
        return True
    for n in range(i[c.NK]):
        if root[n] == cut:
            k[n] = -k[n]
            i[c.FLIPS] += 1
    for _ in range(i[c.NK]):
        watch(i, f[c.TIME], i[c.X])
        before = i[c.FLIPS]
        for n in range(i[c.NK]):
            if root[n] != cut and k[n] * z[n] < 0.0:
                k[n] = -k[n]
                i[c.FLIPS] += 1
        if before == i[c.FLIPS]:
            break
    i[c.RECENT_FLIPS] += i[c.FLIPS] - flips
    if i[c.RECENT_FLIPS] < FLIPS_WATCHED:
        return True
    still = abs(f[c.TIME] - f[c.FLIP_TIME]) <= STILL * abs(f[c.END] - f[c.BEGIN])
    i[c.RECENT_FLIPS], f[c.FLIP_TIME] = 0, f[c.TIME]
    return not still
