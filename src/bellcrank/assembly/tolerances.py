"""What an absolute tolerance means for a machine: of its length, of a radian, of its motion."""

from collections.abc import Callable

import numpy as np

from bellcrank.integrators import Problem
from bellcrank.integrators.entries import each_point
from bellcrank.integrators.scales import GROUPS, Scales
from bellcrank.kernels.system import System
from bellcrank.units import QUANTITIES

EPSILON = float(np.finfo(float).eps)
TINY = float(np.finfo(float).tiny)
ROUNDING = 1e-15  # of a nominal size: tolerances below it ask for digits that do not exist
PROBE = 1e-6  # of a nominal size: how far beside the start stiffness is looked for,
SMALL = 1e-2  # and motion below which rounding is measured,
NEAR = 1e-8  # this part of the motion beside the start
LENGTH, ANGLE, LENGTH_RATE, ANGLE_RATE, OTHER = range(GROUPS)
PAIRS = ((LENGTH, LENGTH_RATE), (ANGLE, ANGLE_RATE))
METRES = ("m", "m/s")

Accelerations = Callable[[np.ndarray], np.ndarray]
"""u̇ at coordinates, at the speeds of the start; leading axes are a batch."""


def scales(
    system: System, problem: Problem, atol: float, t: float, x: np.ndarray, w: np.ndarray
) -> Scales:
    """Return the absolute tolerances of a machine's states.

    Args:
        system: The machine.
        problem: It as it is integrated.
        atol: The tolerance of a unit of motion.
        t: The time of the start [s].
        x: The state there, [q, u, s].
        w: Inputs there.
    """
    variables = (*system.equations.coordinates, *system.equations.speeds)
    count, more = len(variables), problem.ns
    long = np.array([QUANTITIES[v.quantity].unit in METRES for v in variables], dtype=bool)
    late = np.arange(count) >= problem.nq
    group = np.where(long, LENGTH, ANGLE) + np.where(late, LENGTH_RATE - LENGTH, 0)
    group = np.append(group, np.full(more, OTHER))
    nominal = np.append([v.scale for v in variables], np.ones(more))
    motion, noise = _expected(problem, group, nominal, t, x, w)
    if not system.equations.lengthless:
        noise[LENGTH] = max(noise[LENGTH], ROUNDING * nominal[group == LENGTH].max(initial=0.0))
    return Scales(
        atol=atol,
        nominal=nominal,
        least=np.minimum(noise[group] / atol, nominal),
        rest=np.where(np.arange(count + more) < problem.nq, x, 0.0),
        group=group,
        motion=motion,
    )


def _expected(
    problem: Problem,
    group: np.ndarray,
    nominal: np.ndarray,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the motion of each kind of state that the start lets expect, and its rounding.

    With stiffness ω² seen along the motion, speeds u lead to u/ω and accelerations a to a/ω²;
    without any, motion has no bound but the nominal size. Rounding of accelerations counts as
    they do.

    Returns:
        Both of shape (GROUPS,).
    """
    nq, sizes = problem.nq, (problem.nq, problem.nu, problem.ns)
    q, u, s = np.split(x, [nq, nq + problem.nu])
    work, early, late = np.zeros(problem.rhs.work), group[:nq], group[nq : nq + problem.nu]

    def rates(q: np.ndarray, u: np.ndarray) -> list[np.ndarray]:
        given = (np.full(q.shape[:-1], t), q, u, s, w, problem.parameters, problem.memory)
        return each_point(problem.rhs, given, sizes, work)  # type: ignore[arg-type]

    def accelerations(q: np.ndarray) -> np.ndarray:
        return rates(q, np.broadcast_to(u, (*q.shape[:-1], problem.nu)))[1]

    qd, ud, _ = rates(q, u)
    motion, noise = np.zeros(GROUPS), np.zeros(GROUPS)
    motion[OTHER] = 1.0
    noise[ANGLE] = ROUNDING
    if (early == LENGTH).any():
        noise[LENGTH] = 2 * EPSILON * np.abs(q[early == LENGTH]).max()
    fastest = 1.0
    for way, order in ((qd, 1), (rates(q, u + ud)[0] - qd, 2)):
        size = (np.abs(way) / nominal[:nq]).max(initial=0.0)
        if not 0.0 < size < np.inf:
            continue
        aside = way * (PROBE / size)
        frequency = _frequency(accelerations(q + aside) - ud, aside, early, late)
        found = _reached(u, late, frequency, 1) if order == 1 else _reached(ud, late, frequency, 2)
        motion += found
        small = max((found[early] / nominal[:nq]).max(initial=0.0), TINY)
        if small < SMALL:
            fastest = max(fastest, frequency)
            step = max(NEAR * small / size, 8 * EPSILON * np.abs(q).max() / np.abs(way).max())
            shift = way * step * np.array([1, -1, 2, -2, 3, -3])[:, None]
            there = accelerations(q + shift)
            rounding = np.abs(there[::2] + there[1::2] - 2 * ud).max(axis=0)
            noise = np.maximum(noise, 2 * _reached(rounding, late, frequency, 2))
    for position, rate in PAIRS:
        noise[rate] = max(noise[rate], fastest * noise[position])
    if not np.isfinite(motion + noise).all():
        return np.full(GROUPS, np.inf), np.zeros(GROUPS)
    return motion, noise


def _frequency(
    change: np.ndarray, aside: np.ndarray, early: np.ndarray, late: np.ndarray
) -> float:
    """Return ω [1/s] from the change of accelerations some way aside."""
    stiffness = TINY
    for position, rate in PAIRS:
        moved = np.abs(aside[early == position]).max(initial=0.0)
        if moved > 0.0:
            most = float(np.abs(change[late == rate]).max(initial=0.0) / moved)
            stiffness = max(stiffness, most)
    return stiffness**0.5


def _reached(values: np.ndarray, late: np.ndarray, frequency: float, order: int) -> np.ndarray:
    """Return the motion of each kind that speeds (order 1) or accelerations (2) lead to."""
    found = np.zeros(GROUPS)
    for position, rate in PAIRS:
        most = float(np.abs(values[late == rate]).max(initial=0.0))
        found[position] = most / frequency**order
        found[rate] = most / frequency ** (order - 1)
    return found
