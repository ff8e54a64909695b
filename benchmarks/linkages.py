"""Planar linkages with loops, as plain numbers that every package is built from.

REFERENCES of the project, 0 and 1.2: the plain four-bar, and the ladder of N four-bars that
all lie flat twice in every turn.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import ellipj, ellipk

from benchmarks.machines import GRAVITY

Place = tuple[float, float]


@dataclass(frozen=True)
class Bar:
    """A thin uniform rod in the plane.

    Attributes:
        name: Of the rod.
        start, end: Where it is drawn and starts [m].
        mass: Its mass [kg].
        rate: Its angular velocity at t = 0 [rad/s].
        velocity: That of its middle [m/s].
    """

    name: str
    start: Place
    end: Place
    mass: float
    rate: float = 0.0
    velocity: Place = (0.0, 0.0)

    @property
    def middle(self) -> Place:
        """Mass centre [m]."""
        return (self.start[0] + self.end[0]) / 2, (self.start[1] + self.end[1]) / 2

    @property
    def inertia(self) -> float:
        """About the mass centre, m L²/12 [kg m²]."""
        return self.mass * float(np.hypot(*np.subtract(self.end, self.start))) ** 2 / 12

    def seen_from_middle(self, place: Place) -> Place:
        """Return a place less the mass centre [m]; axes as drawn."""
        return place[0] - self.middle[0], place[1] - self.middle[1]


@dataclass(frozen=True)
class Pin:
    """A hinge between two rods, or between `ground` and a rod."""

    name: str
    first: str
    second: str
    at: Place


@dataclass(frozen=True)
class Linkage:
    """Rods and pins; a pin whose second rod is held by an earlier pin closes a loop.

    What is compared is the angle turned by the first rod.
    """

    name: str
    bars: tuple[Bar, ...]
    pins: tuple[Pin, ...]
    until: float = 10.0

    @property
    def rate_of(self) -> dict[str, float]:
        """Angular velocities at t = 0 [rad/s] by rod."""
        return {"ground": 0.0} | {bar.name: bar.rate for bar in self.bars}

    @property
    def tree(self) -> tuple[Pin, ...]:
        """The pins that close no loop."""
        held, tree = set(), []
        for pin in self.pins:
            if pin.second not in held:
                tree.append(pin)
            held.add(pin.second)
        return tuple(tree)


PLAIN_ANSWER = 4.805931268833 - np.pi / 2
"""Angle turned by the crank of the plain four-bar at 10 s [rad]."""


def plain_four_bar() -> Linkage:
    """Return the four-bar of REFERENCES 0: rods of 1 kg/m, the crank upright and at rest."""
    A, B, C, D = (0.0, 0.0), (0.0, 1.0), _elbow((0.0, 1.0), (2.0, 0.0)), (2.0, 0.0)
    bars = (Bar("crank", A, B, 1.0), Bar("coupler", B, C, 2.0), Bar("rocker", D, C, 2.0))
    pins = (
        Pin("A", "ground", "crank", A), Pin("B", "crank", "coupler", B),
        Pin("D", "ground", "rocker", D), Pin("C", "coupler", "rocker", C),
    )  # fmt: skip
    return Linkage("four-bar", bars, pins)


def _elbow(B: Place, D: Place, length: float = 2.0) -> Place:
    """Return the point at one distance from both, above them."""
    half = np.subtract(D, B) / 2
    height = np.sqrt(length**2 - half @ half) / np.hypot(*half)
    x, y = np.add(B, half) + height * np.array([-half[1], half[0]])
    return float(x), float(y)


def ladder(N: int, until: float = 10.0) -> Linkage:
    """Return the N-four-bar of REFERENCES 1.2: 2 N + 1 links of 1 m and 1 kg."""
    feet = [(float(i), 0.0) for i in range(N + 1)]
    tops = [(float(i), 1.0) for i in range(N + 1)]
    posts = [Bar(f"post{i}", feet[i], tops[i], 1.0, -1.0, (0.5, 0.0)) for i in range(N + 1)]
    beams = [Bar(f"beam{i}", tops[i], tops[i + 1], 1.0, 0.0, (1.0, 0.0)) for i in range(N)]
    pins = [Pin(f"P{i}", "ground", f"post{i}", feet[i]) for i in range(N + 1)]
    pins += [Pin(f"L{i}", f"post{i}", f"beam{i}", tops[i]) for i in range(N)]
    pins += [Pin(f"R{i}", f"beam{i}", f"post{i + 1}", tops[i + 1]) for i in range(N)]
    return Linkage(f"ladder of {N}", (*posts, *beams), tuple(pins), until)


def ladder_error(N: int, times: np.ndarray, angles: np.ndarray, until: float = 10.0) -> float:
    """Return the largest distance of B0 from the closed form [m]; inf for a failed run.

        φ = π − 2 am(K(m) − √a t | m),   a = 1/4 + G/I,   m = (G/I)/a

    Args:
        N: Number of four-bars.
        times: When [s].
        angles: What the first post has turned, −φ [rad].
        until: The end of a complete run [s].
    """
    if times[-1] < until * (1 - 1e-9) or not np.isfinite(angles).all():
        return float("inf")
    ratio = ((N + 1) / 2 + N) * GRAVITY / ((N + 1) / 3 + N)  # G/I
    a = 1 / 4 + ratio
    m = ratio / a
    phi = np.pi - 2 * ellipj(ellipk(m) - np.sqrt(a) * times, m)[3]
    return float(np.max(2 * np.abs(np.sin((angles + phi) / 2))))


OUTPUT = 0.05
"""Interval of the records [s]: 400 in 20 s, as the original specification asks."""
