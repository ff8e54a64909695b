"""Zero crossings inside a step: events to record, switches to flip.

After a step, switching functions z and event functions g are looked at on the dense output,
part by part. A part has SAMPLES + 1 equally spaced points. Through the values of a function
there goes a quartic, and its Bernstein coefficients bound it; differences of third and fourth
order say how far the function itself may be from it. A part is halved until, for each function,

    all coefficients are clearly on the side it began on: it does not cross zero, or
    it falls, or the coefficients change sign once: it crosses once, between two points,

and, where angles a in sin a, cos a, tan a turn (`contract.NP` of them follow the event
functions), until no a turns by more than TURN within a part, so that nothing periodic hides
between points. A function that crosses and comes back within a step is thus found wherever the
dense output resolves it. What is not smooth is halved a number of times only.

Crossings are located between two points. What cuts a step short is the earliest flip or
terminal event; the cut lies on the far side of the crossing, where the function already has its
new sign, so that it is not met again.

An event is met where its function leaves the side of zero it was on, unless it does so by way
of infinity. While the function rests at zero it is on no side, and leaving zero, back or on, is
no event: a rest is one event at most. Where a function is not a number the run ends, after what
was met before.
"""

from math import inf
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import normalize, watch
from bellcrank.integrators.native.parts import (
    QUIET,
    TURN,
    UNSETTLED,
    copy_row,
    judge,
    keep,
    recall,
    row_size,
    turned,
)
from bellcrank.linear.native.raw import doubles, native

EPSILON = 2.220446049250313e-16
FLIPS_WATCHED = 64  # so many flips of one switch …
STILL = 1e-9  # … within this part of the whole time are chattering

MOST_TURNS = 20  # halvings for the sake of turning angles
LOOKS = 160  # looks at a step beyond those that turning angles ask for


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
    before that, at θ = 0 if it begins so, and STOPPED_BY is NE and its number. Where there is
    no room for further events it cuts before the next one.
    """
    see, inspect = _seer(interpolate), _inspector(interpolate)
    cut_at = _cutter(interpolate)

    @native
    def halve(i, f, left, width):
        """Take the left half of the part in hand: [left, left + width] is that half."""
        copy_row(i, 4, 2)
        copy_row(i, 2, 1)
        see(i, f, left + 0.25 * width, 1)
        see(i, f, left + 0.75 * width, 3)

    @native
    def scan(i, f):
        if i[c.NE] + i[c.NK] + i[c.NP] == 0:
            return
        watch(i, f[c.TIME], i[c.X])
        keep(i, 0)
        lost = _undefined(i)
        if lost >= 0:
            i[c.STOPPED_BY] = i[c.NE] + lost
            cut_at(i, f, 0.0)
            return
        for point in range(1, c.SAMPLES + 1):
            see(i, f, point / c.SAMPLES, point)
        # Parts are the leaves of a binary tree: the one in hand is number `part` of 2**level.
        top, turn = 0, turned(i)
        while turn > TURN and top < MOST_TURNS:
            top, turn = top + 1, 0.5 * turn
        part, level, left, width = 0, 0, 0.0, 1.0
        looks = LOOKS + 4 * (1 << top)
        while True:
            while True:
                found = UNSETTLED
                if level >= top and (level >= MOST_TURNS or not turned(i) > TURN):
                    found = judge(i, level - top)
                    if found != UNSETTLED or looks <= 0:
                        break
                part, level, width = 2 * part, level + 1, 0.5 * width
                halve(i, f, left, width)
                looks -= 2 if level > top else 0
            if found != QUIET and inspect(i, f, left, width):
                return
            part += 1
            while level > top and part % 2 == 0:
                part, level, width = part // 2, level - 1, 2.0 * width
            if part == 1 << level:
                return
            left = part * width
            copy_row(i, 0, 4)
            for point in range(1, c.SAMPLES + 1):
                see(i, f, left + point / c.SAMPLES * width, point)
            looks -= 4 if level > top else 0

    return scan


# --- what happens between two points ------------------------------------------------------


def _cutter(interpolate: Any) -> Any:
    @native
    def cut_at(i, f, theta):
        """End the step at θ."""
        i[c.CUT] = 1
        f[c.TIME1] = _when(f, theta)
        interpolate(i, f, theta, i[c.X1])
        watch(i, f[c.TIME1], i[c.X1])
        _choose_sides(i)

    return cut_at


def _inspector(interpolate: Any) -> Any:
    locate, log = _locator(interpolate), _logger(interpolate)
    last_defined, cut_at = _last_defined(interpolate), _cutter(interpolate)

    @native
    def inspect(i, f, left, width):
        """Look for crossings from point to point of a part; True if one cuts the step."""
        for piece in range(c.SAMPLES):
            a, b = left + piece / c.SAMPLES * width, left + (piece + 1) / c.SAMPLES * width
            recall(i, piece + 1)
            lost = _undefined(i)
            if lost >= 0:
                b = last_defined(i, f, a, b)
                keep(i, piece + 1)
            if _crossed(i):
                if i[c.HIT_ROOM] - i[c.HITS] < i[c.NE]:
                    _forget_flips(i)
                    cut_at(i, f, a)
                    return True
                cut = locate(i, f, piece, a, b)
                log(i, f, cut)
                if cut <= 1.0:
                    cut_at(i, f, cut)
                    return True
                recall(i, piece + 1)
            _choose_sides(i)
            if lost >= 0:
                i[c.STOPPED_BY] = i[c.NE] + lost
                cut_at(i, f, b)
                return True
        return False

    return inspect


@native
def _forget_flips(i):
    root = doubles(i[c.Z_ROOT])
    for n in range(i[c.NK]):
        root[n] = inf


def _seer(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def see(i, f, theta, row):
        """Evaluate the functions at θ and keep the values as a row."""
        look(i, f, theta)
        keep(i, row)

    return see


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
    root, by_infinity = _root(interpolate), _pole(interpolate)

    @native
    def locate(i, f, row, left, right):
        """Replace marks by θ of the crossings; return θ of the cut, or ∞.

        The values at the two ends are those of rows `row` and `row + 1`.
        """
        k, sign, direction = (
            doubles(i[c.MEMORY]),
            doubles(i[c.G_SIGN]),
            doubles(i[c.G_DIRECTION]),
        )
        z_root, g_root = doubles(i[c.Z_ROOT]), doubles(i[c.G_ROOT])
        terminal, seen, size = doubles(i[c.G_TERMINAL]), doubles(i[c.SEEN]), row_size(i)
        cut = inf
        for n in range(i[c.NK] + i[c.NE]):
            switch = n < i[c.NK]
            m = n if switch else n - i[c.NK]
            roots = z_root if switch else g_root
            if roots[m] == inf:
                continue
            before, after = seen[row * size + n], seen[(row + 1) * size + n]
            side = k[m] if switch else sign[m]
            roots[m] = root(i, f, switch, m, side, left, before, right, after)
            if switch:
                cut = min(cut, roots[m])
            elif by_infinity(i, f, m, roots[m], max(abs(before), abs(after))):
                roots[m], sign[m] = inf, 0.0  # it takes the side it is seen on next
            elif terminal[m] != 0.0 and direction[m] * side <= 0.0:
                cut = min(cut, roots[m])
        return cut

    return locate


def _pole(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def by_infinity(i, f, n, theta, size):
        """Say whether an event function changes its sign at a pole: the nearer, the larger.

        `size` is its size at the points the pole was found between.
        """
        g, step = doubles(i[c.G]), 8.0 * _resolution(f)
        look(i, f, theta - step)
        if not abs(g[n]) > size:
            return False
        look(i, f, theta + step)
        if not abs(g[n]) > size:
            return False
        near = abs(g[n])
        look(i, f, theta + 64.0 * step)
        if not near > 8.0 * abs(g[n]):
            return False
        look(i, f, theta - step)
        near = abs(g[n])
        look(i, f, theta - 64.0 * step)
        return near > 8.0 * abs(g[n])

    return by_infinity


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

    Returns False if this is chattering: a switch that goes to and fro in next to no time. Many
    that flip together, such as the knots of a table where its argument jumps, are none.
    """
    k, z, root = doubles(i[c.MEMORY]), doubles(i[c.Z]), doubles(i[c.Z_ROOT])
    before = doubles(i[c.SEEN])
    cut = inf
    for n in range(i[c.NK]):
        cut = min(cut, root[n])
    if cut == inf or i[c.STOPPED_BY] >= 0:
        return True
    watch(i, f[c.TIME], i[c.X])
    regular = True
    for n in range(i[c.NK]):
        before[n] = z[n]
        if root[n] == cut:
            regular = _flip_one(i, f, n) and regular
    # Others follow where the flips moved them to the other side. Where they were there already
    # it is by rounding, or by the projection of the point onto constraints: if they stay
    # there, the next step will tell.
    for _ in range(i[c.NK]):
        watch(i, f[c.TIME], i[c.X])
        flips = i[c.FLIPS]
        for n in range(i[c.NK]):
            if k[n] * z[n] < 0.0 and z[n] != before[n]:
                regular = _flip_one(i, f, n) and regular
            before[n] = z[n]
        if flips == i[c.FLIPS]:
            break
    return regular


@native
def _flip_one(i, f, n):
    """Flip a mode; False if it did so too often of late."""
    k, count, since = doubles(i[c.MEMORY]), doubles(i[c.Z_FLIPS]), doubles(i[c.Z_SINCE])
    k[n] = -k[n]
    i[c.FLIPS] += 1
    if count[n] == 0.0:
        since[n] = f[c.TIME]
    count[n] += 1.0
    if count[n] < FLIPS_WATCHED:
        return True
    count[n] = 0.0
    return abs(f[c.TIME] - since[n]) > STILL * abs(f[c.END] - f[c.BEGIN])
