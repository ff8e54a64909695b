"""The machines of the benchmarks, as plain numbers that every package is built from.

A chain hangs along -z from the origin, its rods thin and uniform, one revolute joint at the
upper end of each. Angles are zero when it hangs straight.
"""

from dataclasses import dataclass

import numpy as np

GRAVITY = 9.81


@dataclass(frozen=True)
class Chain:
    """A hanging chain of equal thin rods.

    Attributes:
        name: What the tables call it.
        axes: Joint axes from the root on, a string of `x` and `y`.
        length: Of each rod [m].
        mass: Of each rod [kg].
        damping: Of each joint [N m s/rad].
        start: Angles at rest at t = 0 [rad].
        until: Length of the run [s].
    """

    name: str
    axes: str
    length: float
    mass: float
    damping: float = 0.0
    start: tuple[float, ...] = ()
    until: float = 10.0

    @property
    def joints(self) -> int:
        """Number of joints and of rods."""
        return len(self.axes)

    @property
    def transverse_inertia(self) -> float:
        """Inertia of one rod across itself, m L²/12 about its mass centre [kg m²]."""
        return self.mass * self.length**2 / 12

    @property
    def grid(self) -> np.ndarray:
        """The times at which tips are compared [s], 0.1 s apart."""
        return np.linspace(0.0, self.until, round(10 * self.until) + 1)


def chain(joints: int) -> Chain:
    """Return the chain of the dynamics benchmarks: axes x, y alternating, 0.3 m, 1 kg."""
    return Chain(f"chain of {joints}", ("xy" * joints)[:joints], 0.3, 1.0)


RUNS = (
    Chain("double pendulum", "xx", 1.0, 1.0, 0.0, (np.pi / 2, 0.0), 10.0),
    Chain("chain of 7", "xyxyxyx", 0.3, 1.0, 0.2, (np.pi / 2, *[0.1] * 6), 10.0),
    Chain("chain of 30", "xy" * 15, 0.1, 0.2, 0.02, (np.pi / 2, *[0.05] * 29), 5.0),
)
"""The whole runs (a), (b) and (c)."""


def states(joints: int, count: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random angles, rates of size one and efforts, each of shape (count, joints)."""
    rng = np.random.default_rng(seed)
    shape = (count, joints)
    return rng.uniform(-np.pi, np.pi, shape), rng.normal(size=shape), rng.normal(size=shape)


def chain_tip(machine: Chain, angles: np.ndarray) -> np.ndarray:
    """Return the position of the free end [m] for angles of shape (n, joints)."""
    R_WB = np.tile(np.eye(3), (len(angles), 1, 1))
    tip = np.zeros((len(angles), 3))
    for axis, angle in zip(machine.axes, angles.T, strict=True):
        R_WB = R_WB @ _turn(axis, angle)
        tip = tip - machine.length * R_WB[:, :, 2]
    return tip


def _turn(axis: str, angle: np.ndarray) -> np.ndarray:
    c, s, zero, one = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    rows = {
        "x": [[one, zero, zero], [zero, c, -s], [zero, s, c]],
        "y": [[c, zero, s], [zero, one, zero], [-s, zero, c]],
    }[axis]
    return np.moveaxis(np.array(rows), 2, 0)


def batch(joints: int) -> int:
    """Return how many states are looped over: milliseconds of work, short of a time slice."""
    return max(256, 4096 * 7 // joints)


@dataclass(frozen=True)
class LongChain:
    """Equal boxes in a row along x, each hinged to the one before, about y and z in turn.

    Attributes:
        bodies: How many.
        length: From hinge to hinge [m].
        mass: Of a box [kg].
    """

    bodies: int
    length: float = 0.1
    mass: float = 1.0

    @property
    def edges(self) -> tuple[float, float, float]:
        """Of a box [m]."""
        return self.length, 0.02, 0.02

    def middle(self, i: int) -> tuple[float, float, float]:
        """Return the middle of a box [m]."""
        return self.length * (i + 0.5), 0.0, 0.0

    def pin(self, i: int) -> tuple[float, float, float]:
        """Return a point of a hinge's axis [m]."""
        return self.length * i, 0.0, 0.0

    def axis(self, i: int) -> tuple[float, float, float]:
        """Return the direction of a hinge's axis."""
        return (0.0, 0.0, 1.0) if i % 2 else (0.0, 1.0, 0.0)
