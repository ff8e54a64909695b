"""A run that makes no progress, noticed between calls of a driver, and why.

An adaptive method makes its steps as short as its tolerance asks. Near what is singular, nearly
rigid or discontinuous they may become so short that the end is never reached although every
one of them succeeds. A run that needs `ATTEMPTS` attempts at a step for less than `PART` of its
span would need 10¹⁰ of them for all of it: it is stopped, unless `max_steps` bounds it. Where
places are so far from the origin that steps follow their rounding, `CRAWL` of the span is as
little: what grows there only makes steps shorter.
"""

from dataclasses import dataclass
from math import log10

import numpy as np

from bellcrank.integrators.memory import Blocks
from bellcrank.integrators.methods.method import Method
from bellcrank.integrators.problem import Array, Problem
from bellcrank.integrators.stiffness import (
    FAST,
    NEAR,
    NOISE,
    any_direction,
    rates_here,
    rounding_noise,
    spectral_radius,
)

ATTEMPTS = 10_000  # at a step, between two looks at the time
PART = 1e-6  # of the span: less time than this between two looks is no progress
CRAWL = 1e-3  # the same where places have too few digits left
BLUR = 1e-7  # rounding of places over the length of the machine, beyond which too few are left
EPS = float(np.finfo(float).eps)
OFTEN = 0.02  # switches per attempt: chattering is what takes the steps


@dataclass(frozen=True)
class Stall:
    """What is known of a run that made no progress.

    Attributes:
        attempts: Steps tried.
        passed: The time that passed meanwhile [s].
        flips: How often modes of switches changed.
    """

    attempts: int
    passed: float
    flips: int

    @property
    def chattering(self) -> bool:
        """Whether switches take the steps."""
        return self.flips > OFTEN * self.attempts


class Pace:
    """Looks at the time that passes while steps are made.

    Attributes:
        stall: What is known, once there is no progress.
    """

    def __init__(self, method: Method, blocks: Blocks) -> None:
        run = blocks.run
        self._bounded = not method.adaptive or method.max_steps is not None
        self._span = abs(float(run.end - run.begin))
        self._patience, self.stall = 1, Stall(0, 0.0, 0)
        self.begin(blocks)

    def begin(self, blocks: Blocks) -> None:
        """Look from here on."""
        self._seen = blocks.attempts, blocks.run.time, blocks.run.flips

    def stands(self, blocks: Blocks, suspicious: bool = False) -> bool:
        """Return whether a run has stopped making progress.

        Args:
            blocks: Of the run.
            suspicious: Whether another method may soon take over: that is waited for once.
        """
        attempts, time, flips = self._seen
        made = blocks.attempts - attempts
        if self._bounded or made < ATTEMPTS:
            return False
        passed = abs(blocks.run.time - time)
        self.stall = Stall(made, passed, blocks.run.flips - flips)
        self.begin(blocks)
        if passed >= self._span * (CRAWL if blurred(blocks) else PART):
            self._patience = 1
            return False
        self._patience -= 1
        return not suspicious or self._patience < 0


def blurred(blocks: Blocks) -> str:
    """Return in a sentence that places have too few digits left, where that is so.

    Distances in a machine are differences of places: of length ℓ, at x from the origin, they
    are known to ε x/ℓ of themselves.
    """
    run = blocks.run
    if not run.vector_count or not run.length > 0.0:
        return ""
    named = blocks.view("vectors").astype(int).ravel()
    places = blocks.x[named[(named >= 0) & (named < run.nq)]]
    far = float(np.abs(places).max(initial=0.0))
    if not EPS * far > BLUR * run.length:
        return ""
    digits = -log10(EPS * far / run.length)
    return (
        f"Places of {far:.2g} m leave {max(digits, 0.0):.0f} digits of lengths of "
        f"{run.length:.2g} m, and steps follow their rounding. Look for a law that grows "
        "without bound, draw the machine nearer to the origin, or take JointCoordinates()."
    )


def held_back(problem: Problem, blocks: Blocks, method: type[Method]) -> str:
    """Return what holds the steps of a run back where it stands, as a sentence.

    Args:
        problem: What is integrated.
        blocks: Of the run.
        method: The one at work.
    """
    if lost := blurred(blocks):
        return lost
    h = blocks.run.h
    radius, _ = spectral_radius(problem, blocks, any_direction(problem.nx))
    if (not method.implicit and h * radius > NEAR * method.stable) or (
        h * radius > FAST and rounding_noise(problem, blocks, h) > NOISE
    ):
        return (
            "The machine is stiff there: the fastest part of its motion takes "
            f"{1 / radius:.2g} s. Radau5() is for such machines."
        )
    x, there = rates_here(problem, blocks)
    return _fastest(blocks, x, there(x))


def _fastest(blocks: Blocks, x: Array, rates: Array) -> str:
    """Return which state changes fastest, measured by its tolerance, as a sentence."""
    tolerance = blocks.view("atol")[: len(x)] + blocks.run.rtol * np.abs(x)
    if not x.size or not np.isfinite(rates).all():
        return ""
    most = int((np.abs(rates) / tolerance).argmax())
    return f"What changes fastest is {blocks.states[most]!r}, by {rates[most]:.3g} per second."
