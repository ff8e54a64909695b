"""Machines with constraints, written by hand and compiled from CasADi expressions."""

from collections.abc import Callable, Sequence
from functools import cache
from math import acos, atan2, hypot, pi
from typing import Any

import casadi as ca
import numpy as np

from bellcrank.constraints.constrained import Constrained
from bellcrank.constraints.projection import Projected
from bellcrank.integrators import Problem
from bellcrank.kernels.build import build

NAMES = ["t", "q", "u", "s", "w", "p", "k"]
GRAVITY = 9.81
Law = Callable[..., Any]


def compiled(
    symbols: Sequence[Any],
    kinematics: tuple[Any, Any],
    mass: Any,
    force: Any,
    position: Any,
    rows: tuple[Any, Any],
    normalize: Any = None,
    row_scale: float = 1.0,
    jerk: bool = True,
    auxiliary: Any = None,
) -> Constrained:
    """Return a machine from expressions of t, q, u, s; γ, D and d are derived here."""
    t, q, u = symbols[:3]
    s = symbols[3] if len(symbols) > 3 else ca.SX.sym("s", 0)
    arguments = [t, q, u, s, *(ca.SX.sym(each, 0) for each in "wpk")]
    qd = ca.mtimes(kinematics[0], u) + kinematics[1]
    a = ca.SX.sym("a", u.shape[0])

    def rate(expression: Any) -> Any:
        return ca.jtimes(expression, q, qd) + ca.jacobian(expression, t)

    c, nu = rows
    gamma = -rate(ca.mtimes(c, u) - nu)
    third = ca.mtimes(c, a) - gamma
    third = rate(third) + ca.jtimes(third, u, a)
    slopes, rest = ca.jacobian(third, a), -ca.substitute(third, a, ca.SX.zeros(a.shape[0]))

    def kernel(name: str, *outputs: Any) -> Any:
        full = [ca.densify(each) for each in outputs]
        names = [f"y{n}" for n in range(len(full))]
        return build(ca.Function(name, arguments, full, NAMES, names))

    m, mh = c.shape[0], position.shape[0]
    return Constrained(
        nq=q.shape[0],
        nu=u.shape[0],
        ns=s.shape[0],
        m=m,
        mh=mh,
        kinematics=kernel("kinematics", *kinematics),
        normalize=None if normalize is None else kernel("normalize", normalize),
        position=kernel("position", position) if mh else None,
        velocity=kernel("velocity", c, nu),
        acceleration=kernel("acceleration", gamma),
        mass=kernel("mass", mass),
        force=kernel("force", force),
        jerk=kernel("jerk", slopes, rest) if jerk else None,
        row_scale=np.full(m, row_scale),
        speed_scale=np.ones(u.shape[0]),
        auxiliary=None if auxiliary is None else kernel("auxiliary", auxiliary),
    )


def lagrangian(
    n: int,
    kinetic: Law,
    potential: Law,
    closure: Law | None = None,
    slip: Law | None = None,
    **options: Any,
) -> Constrained:
    """Return a machine with q̇ = u from T(q, u), V(q), Φ(t, q) and velocity rows (C, ν)."""
    t, q, u = ca.SX.sym("t"), ca.SX.sym("q", n), ca.SX.sym("u", n)
    energy = kinetic(q, u)
    momentum = ca.gradient(energy, u)
    force = ca.gradient(energy - potential(q), q) - ca.jtimes(momentum, q, u)
    position = closure(t, q) if closure else ca.SX(0, 1)
    c, nu = ca.jacobian(position, q), -ca.jacobian(position, t)
    if slip:
        c, nu = (ca.vertcat(*pair) for pair in zip((c, nu), slip(t, q), strict=True))
    mass = ca.jacobian(momentum, u)
    identity = (ca.SX.eye(n), ca.SX.zeros(n))
    return compiled((t, q, u), identity, mass, force, position, (c, nu), **options)


def problem(held: Projected) -> Problem:
    """Return the initial value problem of a machine."""
    machine = held.machine
    return Problem(
        rhs=held.rhs, nq=machine.nq, nu=machine.nu, ns=machine.ns, normalize=held.project
    )


# --- planar rods --------------------------------------------------------------------------


class Rods:
    """Planar uniform rods in a tree, joint angles as coordinates."""

    def __init__(
        self,
        lengths: Sequence[float],
        below: Sequence[int],
        pins: Sequence[tuple[float, float]],
        masses: Sequence[float],
    ) -> None:
        self.lengths, self.below, self.pins, self.masses = lengths, below, pins, masses

    def places(self, q: Any) -> list[tuple[Any, Any, Any]]:
        """Return angle, start and end of every rod."""
        found: list[tuple[Any, Any, Any]] = []
        for n, (length, below, pin) in enumerate(
            zip(self.lengths, self.below, self.pins, strict=True)
        ):
            turn, start = (0.0, ca.SX(pin)) if below < 0 else (found[below][0], found[below][2])
            angle = turn + q[n]
            end = start + length * ca.vertcat(ca.cos(angle), ca.sin(angle))
            found.append((angle, start, end))
        return found

    def kinetic(self, q: Any, u: Any) -> Any:
        """Return T."""
        total = 0
        for mass, (_, start, end) in zip(self.masses, self.places(q), strict=True):
            a, b = ca.jtimes(start, q, u), ca.jtimes(end, q, u)
            total += mass * (ca.dot(a, a) + ca.dot(a, b) + ca.dot(b, b)) / 6
        return total

    def potential(self, q: Any) -> Any:
        """Return V."""
        pairs = zip(self.masses, self.places(q), strict=True)
        return sum(mass * GRAVITY * (a + b)[1] / 2 for mass, (_, a, b) in pairs)


@cache
def four_bar(lengths: tuple[float, ...] = (1, 2, 2, 2), extra: str = "") -> Projected:
    """Return crank, coupler and rocker on a ground link; 1 kg/m.

    Args:
        lengths: Of crank, coupler, rocker, ground link.
        extra: `zero` adds three rows that vanish, `mixed` three that repeat the others.
    """
    ground = lengths[3]
    rods = Rods(lengths[:3], (-1, 0, -1), ((0, 0), (0, 0), (ground, 0)), lengths[:3])

    def closure(t: Any, q: Any) -> Any:
        _, (_, _, p), (_, _, r) = rods.places(q)
        gap = p - r
        if extra == "zero":
            return ca.vertcat(gap, 0 * q[0], 0 * q[1], 0 * q[2])
        if extra == "mixed":
            more = (gap[0] + gap[1], gap[0] - 2 * gap[1], 3 * gap[1] * ca.cos(q[0]))
            return ca.vertcat(gap, *more)
        return gap

    return Projected(lagrangian(3, rods.kinetic, rods.potential, closure))


def open_branch(lengths: tuple[float, ...], angle: float) -> np.ndarray:
    """Return q of a four-bar on its open branch at a crank angle [rad]."""
    crank, coupler, rocker, ground = lengths
    x, y = crank * np.cos(angle), crank * np.sin(angle)
    away = hypot(ground - x, y)
    bend = acos((coupler**2 + away**2 - rocker**2) / (2 * coupler * away))
    turn = atan2(-y, ground - x) + bend
    end = (x + coupler * np.cos(turn), y + coupler * np.sin(turn))
    return np.array([angle, turn - angle, atan2(end[1], end[0] - ground)])


@cache
def ladder(n: int, jerk: bool = True) -> Projected:
    """Return n + 1 upright rods joined by n couplers on top, all 1 m and 1 kg."""
    count = 2 * n + 1
    below = (*[-1] * (n + 1), *range(n))
    pins = [(i, 0) for i in range(n + 1)] + [(0, 0)] * n
    rods = Rods([1.0] * count, below, pins, [1.0] * count)

    def closure(t: Any, q: Any) -> Any:
        places = rods.places(q)
        return ca.vertcat(*(places[n + 1 + i][2] - places[i + 1][2] for i in range(n)))

    return Projected(lagrangian(count, rods.kinetic, rods.potential, closure, jerk=jerk))


def ladder_state(n: int, angle: float, rate: float) -> np.ndarray:
    """Return x of a ladder whose upright rods lean by an angle and turn at a rate."""
    turn = pi / 2 - angle
    q = [*[turn] * (n + 1), *[-turn] * n]
    return np.array([*q, *[-rate] * (n + 1), *[rate] * n])


# --- the cube -----------------------------------------------------------------------------


@cache
def cube() -> Projected:
    """Return the 6R loop of five rods along edges of a unit cube, joint angles as q."""
    points = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)])
    edges = np.roll(points, -1, axis=0) - points
    axes = np.cross(np.roll(edges, 1, axis=0), edges)

    def places(q: Any) -> list[tuple[Any, Any, Any]]:
        rotation, start, found = ca.SX.eye(3), ca.SX.zeros(3), []
        for n in range(5):
            k = ca.skew(ca.SX(axes[n]))
            turn = ca.SX.eye(3) + ca.sin(q[n]) * k + (1 - ca.cos(q[n])) * ca.mtimes(k, k)
            rotation = ca.mtimes(rotation, turn)
            end = start + ca.mtimes(rotation, ca.SX(edges[n]))
            found.append((rotation, start, end))
            start = end
        return found

    def kinetic(q: Any, u: Any) -> Any:
        total = 0
        for _, start, end in places(q):
            a, b = ca.jtimes(start, q, u), ca.jtimes(end, q, u)
            total += (ca.dot(a, a) + ca.dot(a, b) + ca.dot(b, b)) / 6
        return total

    def potential(q: Any) -> Any:
        return sum(GRAVITY * (a + b)[2] / 2 for _, a, b in places(q))

    def closure(t: Any, q: Any) -> Any:
        rotation, _, end = places(q)[-1]
        axis = ca.mtimes(rotation, ca.SX(axes[5]))
        held = [ca.dot(axis, ca.SX(edges[n])) for n in (4, 5)]
        return ca.vertcat(end - ca.SX(points[5]), *held)

    return Projected(lagrangian(5, kinetic, potential, closure))
