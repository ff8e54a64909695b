"""Zero crossings inside a step: events to record, switches to flip.

After a step, switching functions z and event functions g are looked at on the dense output,
part by part. A part has SAMPLES + 1 equally spaced points. Through the values of a function
there goes a quartic, and its Bernstein coefficients bound it; differences of third and fourth
order say how far the function itself may be from it. A part is halved until, for each function,

    all coefficients are clearly on the side it began on: it does not cross zero, or
    it falls, or the coefficients change sign once: it crosses once, between two points,

and, where angles a in sin a, cos a, tan a turn (`turning` of them follow the event
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
from bellcrank.kernels.native.run import normalize, watch
from bellcrank.linear.native.raw import doubles, native

EPSILON = 2.220446049250313e-16
FLIPS_WATCHED = 64  # so many flips of one switch …
STILL = 1e-9  # … within this part of the whole time are chattering

MOST_TURNS = 20  # halvings for the sake of turning angles
LOOKS = 160  # looks at a step beyond those that turning angles ask for


@native
def take_sides(run):
    """Note on which side of zero the event functions begin."""
    watch(run, run.time, run.x)
    sign = doubles(run.g_sign)
    for n in range(run.ne):
        sign[n] = 0.0
    _choose_sides(run)


@native
def _choose_sides(run):
    """Give the event functions that are on no side the one they are seen on."""
    g, sign = doubles(run.g), doubles(run.g_sign)
    for n in range(run.ne):
        if sign[n] == 0.0:
            sign[n] = -1.0 if g[n] < 0.0 else (1.0 if g[n] > 0.0 else 0.0)


@native
def _undefined(run):
    """Return the number of an event function that is not a number, or -1."""
    g = doubles(run.g)
    for n in range(run.ne):
        if g[n] != g[n]:
            return n
    return -1


def scanner(interpolate: Any) -> Any:
    """Return `scan(run)`, which looks for crossings in the step in hand.

    It logs events, and where something cuts the step, sets CUT, TIME1 and X1. `Z_ROOT`
    is then finite for the switches that flip. Where an event function is not a number it cuts
    before that, at θ = 0 if it begins so, and STOPPED_BY is NE and its number. Where there is
    no room for further events it cuts before the next one.
    """
    see, inspect = _seer(interpolate), _inspector(interpolate)
    cut_at = _cutter(interpolate)

    @native
    def halve(run, left, width):
        """Take the left half of the part in hand: [left, left + width] is that half."""
        copy_row(run, 4, 2)
        copy_row(run, 2, 1)
        see(run, left + 0.25 * width, 1)
        see(run, left + 0.75 * width, 3)

    @native
    def scan(run):
        if run.ne + run.nk + run.turning == 0:
            return
        watch(run, run.time, run.x)
        keep(run, 0)
        lost = _undefined(run)
        if lost >= 0:
            run.stopped_by = run.ne + lost
            cut_at(run, 0.0)
            return
        for point in range(1, c.SAMPLES + 1):
            see(run, point / c.SAMPLES, point)
        # Parts are the leaves of a binary tree: the one in hand is number `part` of 2**level.
        top, turn = 0, turned(run)
        while turn > TURN and top < MOST_TURNS:
            top, turn = top + 1, 0.5 * turn
        part, level, left, width = 0, 0, 0.0, 1.0
        looks = LOOKS + 4 * (1 << top)
        while True:
            while True:
                found = UNSETTLED
                if level >= top and (level >= MOST_TURNS or not turned(run) > TURN):
                    found = judge(run, level - top)
                    if found != UNSETTLED or looks <= 0:
                        break
                part, level, width = 2 * part, level + 1, 0.5 * width
                halve(run, left, width)
                looks -= 2 if level > top else 0
            if found != QUIET and inspect(run, left, width):
                return
            part += 1
            while level > top and part % 2 == 0:
                part, level, width = part // 2, level - 1, 2.0 * width
            if part == 1 << level:
                return
            left = part * width
            copy_row(run, 0, 4)
            for point in range(1, c.SAMPLES + 1):
                see(run, left + point / c.SAMPLES * width, point)
            looks -= 4 if level > top else 0

    return scan


# --- what happens between two points ------------------------------------------------------


def _cutter(interpolate: Any) -> Any:
    @native
    def cut_at(run, theta):
        """End the step at θ."""
        run.cut = 1
        run.time1 = _when(run, theta)
        interpolate(run, theta, run.x1)
        watch(run, run.time1, run.x1)
        _choose_sides(run)

    return cut_at


def _inspector(interpolate: Any) -> Any:
    locate, log = _locator(interpolate), _logger(interpolate)
    last_defined, cut_at = _last_defined(interpolate), _cutter(interpolate)

    @native
    def inspect(run, left, width):
        """Look for crossings from point to point of a part; True if one cuts the step."""
        for piece in range(c.SAMPLES):
            a, b = left + piece / c.SAMPLES * width, left + (piece + 1) / c.SAMPLES * width
            recall(run, piece + 1)
            lost = _undefined(run)
            if lost >= 0:
                b = last_defined(run, a, b)
                keep(run, piece + 1)
            if _crossed(run):
                if run.hit_room - run.hits < run.ne:
                    _forget_flips(run)
                    cut_at(run, a)
                    return True
                cut = locate(run, piece, a, b)
                log(run, cut)
                if cut <= 1.0:
                    cut_at(run, cut)
                    return True
                recall(run, piece + 1)
            _choose_sides(run)
            if lost >= 0:
                run.stopped_by = run.ne + lost
                cut_at(run, b)
                return True
        return False

    return inspect


@native
def _forget_flips(run):
    root = doubles(run.z_root)
    for n in range(run.nk):
        root[n] = inf


def _seer(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def see(run, theta, row):
        """Evaluate the functions at θ and keep the values as a row."""
        look(run, theta)
        keep(run, row)

    return see


def _look(interpolate: Any) -> Any:
    @native
    def look(run, theta):
        """Evaluate the functions at θ."""
        interpolate(run, theta, run.place)
        watch(run, run.time + theta * run.step, run.place)

    return look


def _last_defined(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def last_defined(run, left, right):
        """Return the last θ where all event functions are numbers, and look there.

        They are at `left`, and are not at `right`.
        """
        for _ in range(60):
            middle = 0.5 * (left + right)
            if right - left <= 2.0 * _resolution(run):
                break
            look(run, middle)
            if _undefined(run) < 0:
                left = middle
            else:
                right = middle
        look(run, left)
        return left

    return last_defined


@native
def _resolution(run):
    """Return the least difference of θ that the clock can tell."""
    return EPSILON * max(1.0, abs(run.time / run.step))


@native
def _when(run, theta):
    """Return the time at θ; the end of the step is its end exactly."""
    return run.time1 if theta == 1.0 else run.time + theta * run.step


@native
def _crossed(run):
    """Mark the functions that changed sign (root 0 instead of ∞); say whether any did."""
    k, z, g, sign = doubles(run.memory), doubles(run.z), doubles(run.g), doubles(run.g_sign)
    z_root, g_root = doubles(run.z_root), doubles(run.g_root)
    found = False
    for n in range(run.nk):
        crosses = k[n] * z[n] < 0.0
        z_root[n] = 0.0 if crosses else inf
        found = found or crosses
    for n in range(run.ne):
        crosses = sign[n] != 0.0 and sign[n] * g[n] <= 0.0  # from zero nothing is crossed
        g_root[n] = 0.0 if crosses else inf
        found = found or crosses
    return found


def _locator(interpolate: Any) -> Any:
    root, by_infinity = _root(interpolate), _pole(interpolate)

    @native
    def locate(run, row, left, right):
        """Replace marks by θ of the crossings; return θ of the cut, or ∞.

        The values at the two ends are those of rows `row` and `row + 1`.
        """
        k, sign, direction = (
            doubles(run.memory),
            doubles(run.g_sign),
            doubles(run.g_direction),
        )
        z_root, g_root = doubles(run.z_root), doubles(run.g_root)
        terminal, seen, size = doubles(run.g_terminal), doubles(run.seen), row_size(run)
        cut = inf
        for n in range(run.nk + run.ne):
            switch = n < run.nk
            m = n if switch else n - run.nk
            roots = z_root if switch else g_root
            if roots[m] == inf:
                continue
            before, after = seen[row * size + n], seen[(row + 1) * size + n]
            side = k[m] if switch else sign[m]
            roots[m] = root(run, switch, m, side, left, before, right, after)
            if switch:
                cut = min(cut, roots[m])
            elif by_infinity(run, m, roots[m], max(abs(before), abs(after))):
                roots[m], sign[m] = inf, 0.0  # it takes the side it is seen on next
            elif terminal[m] != 0.0 and direction[m] * side <= 0.0:
                cut = min(cut, roots[m])
        return cut

    return locate


def _pole(interpolate: Any) -> Any:
    look = _look(interpolate)

    @native
    def by_infinity(run, n, theta, size):
        """Say whether an event function changes its sign at a pole: the nearer, the larger.

        `size` is its size at the points the pole was found between.
        """
        g, step = doubles(run.g), 8.0 * _resolution(run)
        look(run, theta - step)
        if not abs(g[n]) > size:
            return False
        look(run, theta + step)
        if not abs(g[n]) > size:
            return False
        near = abs(g[n])
        look(run, theta + 64.0 * step)
        if not near > 8.0 * abs(g[n]):
            return False
        look(run, theta - step)
        near = abs(g[n])
        look(run, theta - 64.0 * step)
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
    def first_zero(run, switch, n, side, near, zero):
        values = doubles(run.z) if switch else doubles(run.g)
        for _ in range(100):
            if abs(zero - near) <= 2.0 * _resolution(run):
                break
            middle = 0.5 * (near + zero)
            look(run, middle)
            if side * values[n] > 0.0:
                near = middle
            else:
                zero = middle
        return zero

    @native
    def root(run, switch, n, side, a, fa, b, fb):
        values = doubles(run.z) if switch else doubles(run.g)
        if side * fa <= 0.0:
            return a
        # b is the newest point, a the other end of the bracket, e the point before
        e, fe, part = a, fa, 0.5
        for _ in range(100):
            width, resolution = abs(b - a), _resolution(run)
            if fb == 0.0 or width <= 2.0 * resolution:
                break
            if e != a:
                part = _fraction(a, fa, b, fb, e, fe)
                least = resolution / width
                part = max(min(part, 1.0 - least), least)
            new = b + part * (a - b)
            look(run, new)
            fn = values[n]
            if (fn < 0.0) == (fb < 0.0):
                e, fe = b, fb
            else:
                e, fe = a, fa
                a, fa = b, fb
            b, fb = new, fn
        if fb == 0.0:
            return first_zero(run, switch, n, side, a if side * fa > 0.0 else e, b)
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
    def log(run, cut):
        """Write down the events up to the cut in order of time; note the terminal one."""
        sign, direction = doubles(run.g_sign), doubles(run.g_direction)
        g_root, terminal = doubles(run.g_root), doubles(run.g_terminal)
        for _ in range(run.ne):
            first, theta = -1, inf
            for n in range(run.ne):
                if g_root[n] < theta:
                    first, theta = n, g_root[n]
            if first < 0 or theta > cut:
                return
            g_root[first] = inf
            wanted = direction[first] * sign[first] <= 0.0
            sign[first] = 0.0  # until it is seen at the end of the part, or at the cut
            if wanted and not _at_the_start(run, theta):
                _write(run, first, theta)
                if terminal[first] != 0.0:
                    run.stopped_by = first

    @native
    def _write(run, number, theta):
        row, time = run.hits, _when(run, theta)
        interpolate(run, theta, run.place)
        normalize(run, time, run.place)
        place, out = doubles(run.place), doubles(run.hit_x + 8 * row * run.nx)
        doubles(run.hit_t)[row] = time
        doubles(run.hit_index)[row] = number
        for n in range(run.nx):
            out[n] = place[n]
        run.hits += 1

    return log


@native
def _at_the_start(run, theta):
    """Say whether a crossing is the start itself, but for rounding: that is no event."""
    passed = abs(run.time + theta * run.step - run.begin)
    whole = abs(run.end - run.begin)
    return passed <= 64.0 * EPSILON * abs(run.begin) + 1e-13 * whole


@native
def flip(run):
    """Flip the modes of the switches that cut the step, and of those that depend on them.

    Returns False if this is chattering: a switch that goes to and fro in next to no time. Many
    that flip together, such as the knots of a table where its argument jumps, are none.
    """
    k, z, root = doubles(run.memory), doubles(run.z), doubles(run.z_root)
    before = doubles(run.seen)
    cut = inf
    for n in range(run.nk):
        cut = min(cut, root[n])
    if cut == inf or run.stopped_by >= 0:
        return True
    watch(run, run.time, run.x)
    regular = True
    # What crossed in the same part and is beyond zero here goes along, as x > 0 and x < 0 of a
    # sign do; it would cut the next step at its beginning.
    for n in range(run.nk):
        before[n] = z[n]
        if root[n] == cut or (root[n] < inf and k[n] * z[n] < 0.0):
            regular = _flip_one(run, n) and regular
    # Others follow where the flips moved them to the other side. Where they were there already
    # it is by rounding, or by the projection of the point onto constraints: if they stay
    # there, the next step will tell.
    for _ in range(run.nk):
        watch(run, run.time, run.x)
        flips = run.flips
        for n in range(run.nk):
            if k[n] * z[n] < 0.0 and z[n] != before[n]:
                regular = _flip_one(run, n) and regular
            before[n] = z[n]
        if flips == run.flips:
            break
    return regular


@native
def _flip_one(run, n):
    """Flip a mode; False if it did so too often of late."""
    k, count, since = doubles(run.memory), doubles(run.z_flips), doubles(run.z_since)
    k[n] = -k[n]
    run.flips += 1
    if count[n] == 0.0:
        since[n] = run.time
    count[n] += 1.0
    if count[n] < FLIPS_WATCHED:
        return True
    count[n] = 0.0
    return abs(run.time - since[n]) > STILL * abs(run.end - run.begin)
