"""Measured angles, followed through a step by their rates.

Of each angle that is not a coordinate memory keeps the line k₁ + k₂ t, from which kernels take
the full turns (`formulations.turns`). At the end of a step the angle is beside the line of its
beginning by

    θ₁ − (k₁ + k₂ t₁) + 2π n ≈ ½ h (θ̇₁ − θ̇₀)

of which the left side is known but for n and the right side is the trapezoidal rule. Where they
agree for n = 0 and are small, the line held. Where they do not, the rate is followed through
the dense output in parts so small that it changes little in each, which counts n. TRAIL keeps
the lines of the parts: whatever is looked at inside the step is seen with the line of its part
(`recall`). A step in which the angle leaves its first line by more than `FAR` is made anew,
shorter: its stages may have seen a wrong turn. Steps of fixed length are taken as they are.
"""

from math import floor, pi, sqrt
from typing import Any

from bellcrank.integrators import contract as c
from bellcrank.integrators.native.evaluate import look, normalize
from bellcrank.linear.native.raw import address, call, doubles, native

TURN = 2.0 * pi
FAR = 0.5 * pi  # beside its line an angle may be in a step
AGREE = 1.0  # between what is seen and what the trapezoidal rule expects
NEAR = 0.25  # between what is seen and what was integrated part by part
SLOW = 2.0  # a step of fixed length within which an angle turns less needs no second look
PARTS = 16  # of a step that is followed, at first
CHANGE = 0.5  # of an angle's rate over a part, times its duration
SHORTEST = 0.2  # a step that is made anew is at least this part of itself
SAFETY = 0.9


@native
def revised(i, time, place):
    """Evaluate the lines that angles have at a time and a place, into REVISED."""
    look(i, time, place)
    i[c.OUT] = i[c.REVISED]
    call(i[c.REVISER], address(i, c.IN), address(i, c.OUT), i[c.WORK])


@native
def revise(i, time, place):
    """Bring the lines of angles up to an accepted point."""
    if i[c.REVISER] != 0:
        revised(i, time, place)
        _adopt(i)


@native
def _adopt(i):
    k, new = doubles(i[c.MEMORY]), doubles(i[c.REVISED])
    for n in range(i[c.ANGLES], i[c.MEMORY_SIZE]):
        k[n] = new[n]


@native
def arrive(i, f, theta):
    """Bring the lines of angles up to the end of a step that was committed, or to its cut.

    `theta` is where the step ended.
    """
    if i[c.REVISER] == 0:
        return
    followed = i[c.TRAIL_PARTS] > 0
    if followed:
        recall(i, theta)
        i[c.F0_VALID] = 0  # the derivative at the end may have seen a wrong turn
        i[c.TRAIL_PARTS] = 0
    if i[c.CUT] != 0:
        revised(i, f[c.TIME], i[c.X])
        if followed:
            _temper(i, f[c.TIME])
    _adopt(i)


@native
def _temper(i, time):
    """Let what is seen take the place of the lines of memory only if it is near."""
    k, new = doubles(i[c.MEMORY]), doubles(i[c.REVISED])
    for n in range(i[c.ANGLES], i[c.MEMORY_SIZE], 2):
        beside = new[n] - k[n] + (new[n + 1] - k[n + 1]) * time
        beside -= TURN * floor(beside / TURN + 0.5)
        new[n] = k[n] + (k[n + 1] - new[n + 1]) * time
        if abs(beside) <= NEAR:
            new[n] += beside


@native
def recall(i, theta):
    """Set the lines of angles to those of the part of the step in which θ is."""
    parts = i[c.TRAIL_PARTS]
    part = min(max(int(theta * parts), 0), parts - 1)
    _copy(
        i,
        i[c.TRAIL] + 8 * part * (i[c.MEMORY_SIZE] - i[c.ANGLES]),
        i[c.MEMORY] + 8 * i[c.ANGLES],
    )


@native
def _copy(i, source, goal):
    """Copy the lines of all angles from one address to another."""
    take, give = doubles(source), doubles(goal)
    for n in range(i[c.MEMORY_SIZE] - i[c.ANGLES]):
        give[n] = take[n]


def follower(interpolate: Any, adaptive: bool) -> Any:
    """Return `follow(i, f)`: how far angles leave their lines in a step, over `FAR`.

    It leaves the lines at the end of the step in REVISED.

    Args:
        interpolate: The dense output.
        adaptive: Whether the error of steps is controlled, so that the dense output is as good
            as the step; else it is brought onto the constraints wherever it is looked at.
    """

    @native
    def held(i, f):
        """Return how far angles are beside their lines at the end; −1 if that is not sure."""
        k, new, time, h = doubles(i[c.MEMORY]), doubles(i[c.REVISED]), f[c.TIME1], f[c.STEP]
        most = 0.0
        for n in range(i[c.ANGLES], i[c.MEMORY_SIZE], 2):
            rate, rate1 = k[n + 1], new[n + 1]
            beside = new[n] - k[n] + (rate1 - rate) * time
            far = abs(beside)
            sure = far <= FAR and abs(beside - 0.5 * (rate1 - rate) * h) <= AGREE
            if not adaptive:
                sure = sure and abs(rate * h) <= SLOW and abs(rate1 * h) <= SLOW
            if not sure:
                return -1.0
            most = max(most, far)
        return most

    @native
    def onward(i, before, time):
        """Carry the lines of memory on by the rates in REVISED; return change × duration.

        What is seen of the angles stays out: their integrals alone are followed, so that an
        attitude that steps are too long for does not drag them along.
        """
        k, new, h, most = doubles(i[c.MEMORY]), doubles(i[c.REVISED]), time - before, 0.0
        for n in range(i[c.ANGLES], i[c.MEMORY_SIZE], 2):
            change = (new[n + 1] - k[n + 1]) * h
            most = max(most, abs(change))
            k[n] += 0.5 * change - (new[n + 1] - k[n + 1]) * time
            k[n + 1] = new[n + 1]
        return most

    @native
    def march(i, f, parts):
        """Follow angles from part to part, lines into TRAIL; return the largest change."""
        own, size = i[c.MEMORY] + 8 * i[c.ANGLES], 8 * (i[c.MEMORY_SIZE] - i[c.ANGLES])
        before, most = f[c.TIME], 0.0
        for part in range(1, parts):
            theta = part / parts
            time = f[c.TIME] + theta * f[c.STEP]
            interpolate(i, f, theta, i[c.PLACE])
            if not adaptive:
                normalize(i, time, i[c.PLACE])
            revised(i, time, i[c.PLACE])
            most = max(most, onward(i, before, time))
            _copy(i, own, i[c.TRAIL] + size * part)
            before = time
        revised(i, f[c.TIME1], i[c.X1])
        return max(most, onward(i, before, f[c.TIME1]))

    @native
    def strayed(i, f, parts):
        """Return how far angles leave the first line, and set it as memory again.

        What is seen at the end takes the place of the integral, if it is near to it.
        """
        size, h = i[c.MEMORY_SIZE] - i[c.ANGLES], f[c.STEP] / parts
        _temper(i, f[c.TIME1])
        first, most = doubles(i[c.TRAIL]), 0.0
        for part in range(1, parts + 1):
            line, time = doubles(i[c.TRAIL] + 8 * size * part), f[c.TIME] + part * h
            if part == parts:
                line, time = doubles(i[c.REVISED] + 8 * i[c.ANGLES]), f[c.TIME1]
            for n in range(0, size, 2):
                most = max(most, abs(line[n] - first[n] + (line[n + 1] - first[n + 1]) * time))
        _copy(i, i[c.TRAIL], i[c.MEMORY] + 8 * i[c.ANGLES])
        return most

    @native
    def follow(i, f):
        i[c.TRAIL_PARTS] = 0
        revised(i, f[c.TIME1], i[c.X1])
        far = held(i, f)
        if far >= 0.0:
            return far / FAR
        own = i[c.MEMORY] + 8 * i[c.ANGLES]
        _copy(i, own, i[c.TRAIL])
        parts = PARTS
        while march(i, f, parts) > CHANGE and 2 * parts <= c.TRAIL_ROWS:
            parts *= 2
            _copy(i, i[c.TRAIL], own)
        far = strayed(i, f, parts)
        i[c.TRAIL_PARTS] = parts
        return far / FAR

    return follow


@native
def shorten(i, f, strayed):
    """Say whether a step in which angles strayed too far is to be made anew, and set H."""
    h = abs(f[c.STEP])
    if not strayed > 1.0 or h <= 1e-9 * (abs(f[c.TIME]) + abs(f[c.END] - f[c.BEGIN])):
        return False
    f[c.H] = h * max(SHORTEST, SAFETY / sqrt(strayed))
    i[c.TRAIL_PARTS] = 0
    i[c.REJECTED] += 1
    i[c.AFTER_REJECTION] = 1
    return True


@native
def rein(f, strayed):
    """Hold the next step to a length in which angles should not stray too far."""
    if strayed > 0.1:
        f[c.H] = min(f[c.H], abs(f[c.STEP]) * SAFETY / sqrt(strayed))
