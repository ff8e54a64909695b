"""Measured angles, followed through a step by their rates.

Of each angle that is not a coordinate memory keeps the line k₁ + k₂ t, from which kernels take
the full turns (`contract.unwrapped`). At the end of a step the angle is off the line of its
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
from bellcrank.kernels.native.run import inputs_of, look, normalize, outputs_of
from bellcrank.linear.native.raw import call, doubles, native

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
def revised(run, time, place):
    """Evaluate the lines that angles have at a time and a place, into REVISED."""
    look(run, time, place)
    run.out = run.revised
    call(run.reviser, inputs_of(run), outputs_of(run), run.work)


@native
def revise(run, time, place):
    """Bring the lines of angles up to an accepted point."""
    if run.reviser != 0:
        revised(run, time, place)
        _adopt(run)


@native
def _adopt(run):
    k, new = doubles(run.memory), doubles(run.revised)
    for n in range(run.angles, run.memory_size):
        k[n] = new[n]


@native
def arrive(run, theta):
    """Bring the lines of angles up to the end of a step that was committed, or to its cut.

    `theta` is where the step ended.
    """
    if run.reviser == 0:
        return
    followed = run.trail_parts > 0
    if followed:
        recall(run, theta)
        run.f0_valid = 0  # the derivative at the end may have seen a wrong turn
        run.trail_parts = 0
    if run.cut != 0:
        revised(run, run.time, run.x)
        if followed:
            _temper(run, run.time)
    _adopt(run)


@native
def _temper(run, time):
    """Let what is seen take the place of the lines of memory only if it is near."""
    k, new = doubles(run.memory), doubles(run.revised)
    for n in range(run.angles, run.memory_size, 2):
        beside = new[n] - k[n] + (new[n + 1] - k[n + 1]) * time
        beside -= TURN * floor(beside / TURN + 0.5)
        new[n] = k[n] + (k[n + 1] - new[n + 1]) * time
        if abs(beside) <= NEAR:
            new[n] += beside


@native
def recall(run, theta):
    """Set the lines of angles to those of the part of the step in which θ is."""
    parts = run.trail_parts
    part = min(max(int(theta * parts), 0), parts - 1)
    _copy(
        run,
        run.trail + 8 * part * (run.memory_size - run.angles),
        run.memory + 8 * run.angles,
    )


@native
def _copy(run, source, goal):
    """Copy the lines of all angles from one address to another."""
    take, give = doubles(source), doubles(goal)
    for n in range(run.memory_size - run.angles):
        give[n] = take[n]


def follower(interpolate: Any, adaptive: bool) -> Any:
    """Return `follow(run)`: how far angles leave their lines in a step, over `FAR`.

    It leaves the lines at the end of the step in REVISED.

    Args:
        interpolate: The dense output.
        adaptive: Whether the error of steps is controlled, so that the dense output is as good
            as the step; else it is brought onto the constraints wherever it is looked at.
    """

    @native
    def held(run):
        """Return how far angles are beside their lines at the end; −1 if that is not sure."""
        k, new, time, h = doubles(run.memory), doubles(run.revised), run.time1, run.step
        most = 0.0
        for n in range(run.angles, run.memory_size, 2):
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
    def onward(run, before, time):
        """Carry the lines of memory on by the rates in REVISED; return change × duration.

        What is seen of the angles stays out: their integrals alone are followed, so that an
        attitude that steps are too long for does not drag them along.
        """
        k, new, h, most = doubles(run.memory), doubles(run.revised), time - before, 0.0
        for n in range(run.angles, run.memory_size, 2):
            change = (new[n + 1] - k[n + 1]) * h
            most = max(most, abs(change))
            k[n] += 0.5 * change - (new[n + 1] - k[n + 1]) * time
            k[n + 1] = new[n + 1]
        return most

    @native
    def march(run, parts):
        """Follow angles from part to part, lines into TRAIL; return the largest change."""
        own, size = run.memory + 8 * run.angles, 8 * (run.memory_size - run.angles)
        before, most = run.time, 0.0
        for part in range(1, parts):
            theta = part / parts
            time = run.time + theta * run.step
            interpolate(run, theta, run.place)
            if not adaptive:
                normalize(run, time, run.place)
            revised(run, time, run.place)
            most = max(most, onward(run, before, time))
            _copy(run, own, run.trail + size * part)
            before = time
        revised(run, run.time1, run.x1)
        return max(most, onward(run, before, run.time1))

    @native
    def strayed(run, parts):
        """Return how far angles leave the first line, and set it as memory again.

        What is seen at the end takes the place of the integral, if it is near to it.
        """
        size, h = run.memory_size - run.angles, run.step / parts
        _temper(run, run.time1)
        first, most = doubles(run.trail), 0.0
        for part in range(1, parts + 1):
            line, time = doubles(run.trail + 8 * size * part), run.time + part * h
            if part == parts:
                line, time = doubles(run.revised + 8 * run.angles), run.time1
            for n in range(0, size, 2):
                most = max(most, abs(line[n] - first[n] + (line[n + 1] - first[n + 1]) * time))
        _copy(run, run.trail, run.memory + 8 * run.angles)
        return most

    @native
    def follow(run):
        run.trail_parts = 0
        revised(run, run.time1, run.x1)
        far = held(run)
        if far >= 0.0:
            return far / FAR
        own = run.memory + 8 * run.angles
        _copy(run, own, run.trail)
        parts = PARTS
        while march(run, parts) > CHANGE and 2 * parts <= c.TRAIL_ROWS:
            parts *= 2
            _copy(run, run.trail, own)
        far = strayed(run, parts)
        run.trail_parts = parts
        return far / FAR

    return follow


@native
def shorten(run, strayed):
    """Say whether a step in which angles strayed too far is to be made anew, and set H."""
    h = abs(run.step)
    if not strayed > 1.0 or h <= 1e-9 * (abs(run.time) + abs(run.end - run.begin)):
        return False
    run.h = h * max(SHORTEST, SAFETY / sqrt(strayed))
    run.trail_parts = 0
    run.rejected += 1
    run.after_rejection = 1
    return True


@native
def rein(run, strayed):
    """Hold the next step to a length in which angles should not stray too far."""
    if strayed > 0.1:
        run.h = min(run.h, abs(run.step) * SAFETY / sqrt(strayed))
