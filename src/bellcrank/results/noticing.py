"""What a run shows that no balance does: events passed over, motion below its tolerance."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from bellcrank.formulations import Equations
from bellcrank.integrators import Method
from bellcrank.integrators.problem import Problem, Track
from bellcrank.kernels import Kernel
from bellcrank.kernels.entries import Entry, each_point
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model import Event

DIGITS = 1e3  # absolute tolerances that motion must exceed to have three digits
BETWEEN = 0.4871  # of the way from record to record, where nothing switches in step with them
UNSURE = 1e-6  # of the most seen, below which a switching function may be rounding
TURNING = {"angular_velocity": 1.0, "orientation_rate": 2.0}  # rad/s in a unit of speeds
FAR = 1e4  # lengths of a machine, beyond which the digits of its places are looked at
EPS = float(np.finfo(float).eps)
TRIES = 4  # roundings that are tried
STILL = 1e-6  # lengths of a machine by which places move that do not move
LOST = 1e3  # roundings that add up in a run: 2,000 were seen in 100 implicit steps
LEAST = 1e3  # roundings below which a motion is nothing else
ASKED = 10.0  # of a motion: a larger start is where it is, and not how it moves
LOOKS = 256  # records, at most, at which bodies of points are looked at
NOISE = 1e-13  # of nominal sizes, below which motion is rounding
GLANCES = 16  # records that are looked at first
MUCH = 1e-7  # of places: such a motion has many roundings


def missed_event(problem: Problem, track: Track, events: Sequence[Event]) -> str:
    """Return in words the first event that changes its sign in the records unmet, or nothing.

    It must come down to zero before and go up from it after, which at a pole it does not.

    Args:
        problem: What was integrated; its kernel gives guards and angles after the events.
        track: The run.
        events: What was looked for.
    """
    if not isinstance(problem.events, Kernel) or len(track.t) < 4:
        return ""
    q, u, s = np.split(track.x, [problem.nq, problem.nq + problem.nu], axis=1)
    p = np.asarray(problem.parameters)
    z = problem.events(track.t[:, None], q, u, s, track.w, p, track.k)[0]
    numbers = problem.numbers or range(z.shape[-1])
    unmet = [
        (*span, number)
        for column, number in enumerate(numbers)
        if number < len(events)
        for span in _crossings(track.t, z[:, column], problem.directions[column])
        if not _met(track, number, span)
    ]
    if not unmet:
        return ""
    since, until, number = min(unmet) if track.t[-1] >= track.t[0] else max(unmet)
    return (
        f"event '{events[number].name}' changes its sign between t = {since:.6g} s and "
        f"{until:.6g} s and was not met"
    )


def _crossings(t: np.ndarray, z: np.ndarray, direction: int) -> Iterator[tuple[float, float]]:
    """Yield the times of the records on both sides of every zero that four records show."""
    a, b, c, d = z[:-3], z[1:-2], z[2:-1], z[3:]
    zero = (b * c < 0) & (a * b > 0) & (c * d > 0)
    zero &= (abs(b) < abs(a)) & (abs(c) < abs(d)) & (np.sign(c) * direction >= 0)
    for n in np.flatnonzero(zero):
        yield float(t[n + 1]), float(t[n + 2])


def _met(track: Track, number: int, span: tuple[float, float]) -> bool:
    low, high = min(span), max(span)
    slack = 1e-9 * max(abs(low), abs(high))
    times = (hit.t for hit in track.events if hit.index == number)
    return any(low - slack <= time <= high + slack for time in times)


def unseen_switch(machine: Integrable, track: Track) -> float | None:
    """Return when a law is first recorded in a mode that is not its own [s].

    Where inputs tick, what is recorded may be of either side of a tick, and is not looked at.

    Args:
        machine: The machine.
        track: The run.
    """
    system, modes = machine.system, machine.system.equations.modes
    if not modes or system.inputs:
        return None
    z = _switching(machine, track, 0.0)
    if z is None:
        return None
    # Where something switches in step with the records, all of them show nothing but rounding.
    between = _switching(machine, track, BETWEEN)
    most = np.abs(z) if between is None else np.maximum(np.abs(z), np.abs(between))
    sure = np.abs(z) > UNSURE * most.max(axis=0, initial=0.0)
    wrong = ((z * track.k[:, :modes] < 0) & sure).any(axis=1)
    wrong[[0, -1]] = False  # a mode that changes just there may be recorded on either side
    wrong = np.flatnonzero(wrong)
    return float(track.t[wrong[0]]) if wrong.size else None


def _switching(machine: Integrable, track: Track, part: float) -> np.ndarray | None:
    """Return switching functions at a part of the way from each record to the next."""
    t, x = track.t[:, None], track.x
    if part and len(t) > 1:
        t, x = (each + part * np.gradient(each, axis=0) for each in (t, x))
    return machine.switching((t, *machine.system.split(x), track.w, machine.p, track.k))


def resolution(
    moved: np.ndarray, atol: np.ndarray, nominal: np.ndarray, followed: int = 0
) -> float:
    """Return how many absolute tolerances a run moves, infinite where that is enough.

    Args:
        moved: How far coordinates, and variables of the user's own, go in it, shape (n,).
        atol: Their absolute tolerances, shape (n,).
        nominal: Their nominal sizes, shape (n,).
        followed: How many coordinates have tolerances that follow the motion: if one of them
            moves, that is enough.
    """
    moves = moved > NOISE * nominal
    if moves[:followed].any() or not moves.any():
        return np.inf
    most = float((moved / np.maximum(atol, 1e-300)).max())
    return most if most < DIGITS else np.inf


def place_coordinates(system: System) -> tuple[int, ...]:
    """Return which coordinates are places."""
    own = enumerate(system.equations.coordinates)
    return tuple(n for n, each in own if each.quantity == "position")


def few_roundings(
    equations: Equations, named: tuple[int, ...], start: object, track: Track
) -> tuple[float, float]:
    """Return how far places move that do so by few of their roundings, and the largest [m].

    What moves by d at x from the origin is known to ε x/d of itself after one step, and to some
    `LOST` times as much after a run: to less than three digits where d < 10⁶ ε x. That is told
    only if the motion is what was asked for: what is left of an equilibrium moves by no more.

    Args:
        equations: Whose coordinates they are.
        named: Which of them are places.
        start: What was asked of where it begins.
        track: The run.

    Returns:
        Infinite and zero where there is nothing to tell.
    """
    if not isinstance(start, Mapping) or len(track.x) < 2:
        return np.inf, 0.0
    some = track.x[:: max(1, len(track.x) // GLANCES), named]  # mostly they tell enough
    if np.ptp(some, axis=0).max() > MUCH * np.abs(some).max():
        return np.inf, 0.0
    own = np.ptp(track.x[:, named], axis=0)
    far = float(np.abs(track.x[:, named])[:, own > 0.0].max(initial=0.0))
    moving, rounding = float(own.max()), EPS * far
    if not LEAST * rounding < moving < DIGITS * LOST * rounding:
        return np.inf, 0.0
    asked = np.concatenate([np.zeros(1), *(_numbers(value) for value in start.values())])
    most = float(np.abs(asked).max())
    if not most > 0.0 or not np.isfinite(track.x).all():
        return np.inf, 0.0
    first = len(equations.coordinates)
    moved, fastest = np.ptp(track.x[:, :first], axis=0), np.abs(track.x[:, first:])
    if most > ASKED * max(moved.max(initial=0.0), fastest.max(initial=0.0)):
        return np.inf, 0.0
    others = np.delete(moved, named).max(initial=0.0)
    return (moving, far) if others < DIGITS * LOST * EPS else (np.inf, 0.0)


def _numbers(value: object) -> np.ndarray:
    """Return the numbers in what is asked of a start; none where it is no number."""
    try:
        return np.atleast_1d(np.asarray(value, dtype=float)).ravel()
    except (TypeError, ValueError):
        return np.zeros(0)


def widest_turn(machine: Integrable, method: Method, track: Track) -> tuple[str, float]:
    """Return what turns most in a step of fixed length, and by how much.

    Only attitudes count that are integrated, as Euler parameters or as points and vectors: an
    angle is exact however far it goes in a step. Methods that are implicit follow attitudes no
    farther than others. Rates are those at records [rad].
    """
    step = getattr(method, "step", None)
    if step is None:
        return "", 0.0
    rates = {
        **_rates_of_parameters(machine.system.equations, track),
        **_of_points(machine, track),
    }
    turns = [(owner, float(step * rates[owner])) for owner in sorted(rates)]
    return max(turns, key=lambda each: each[1], default=("", 0.0))


def _rates_of_parameters(equations: Equations, track: Track) -> dict[str, float]:
    """Return the largest angular velocity of what has Euler parameters, by name [rad/s]."""
    owners = {each.owner for each in equations.coordinates if each.quantity == "orientation"}
    first, squares = (
        len(equations.coordinates),
        {owner: np.zeros(len(track.x)) for owner in owners},
    )
    for j, speed in enumerate(equations.speeds):
        if speed.owner in owners and speed.quantity in TURNING:
            rate = TURNING[speed.quantity] * track.x[:, first + j]
            squares[speed.owner] += rate**2
    return {owner: float(np.sqrt(each.max(initial=0.0))) for owner, each in squares.items()}


def _of_points(machine: Integrable, track: Track) -> dict[str, float]:
    """Return that of bodies which are known by points and vectors that rows keep rigid."""
    equations = machine.system.equations
    if not any(row.kind == "rigid" for row in equations.rows):
        return {}
    some = np.unique(np.linspace(0, len(track.t) - 1, min(len(track.t), LOOKS)).astype(int))
    state = machine.system.split(track.x[some])
    seen = machine.observed((
        track.t[some, None],
        *state,
        track.w[some],
        machine.p,
        track.k[some],
    ))
    rates = {}
    for name, values in seen.everything().items():
        owner, _, quantity = name.rpartition(".")
        if quantity == "angular_velocity" and owner in equations.bodies:
            rates[owner] = float(np.sqrt((values**2).sum(axis=-1).max(initial=0.0)))
    return rates


def tied_places(system: System) -> tuple[int, ...]:
    """Return which coordinates are places, where rows tie them together; else none."""
    tied = any(row.kind != "norm" for row in system.equations.rows)
    return place_coordinates(system) if tied else ()


def farthest_place(
    equations: Equations,
    named: tuple[int, ...],
    problem: Problem,
    track: Track,
    method: Method,
) -> tuple[float, float, float]:
    """Return the largest place [m], its rounding in sizes of the machine, and in rates.

    Where rows tie places together, attitudes and forces depend on differences of places, and
    how far the origin is decides how many digits these have. What rounding of coordinates
    makes of accelerations is measured where a run ends, as a part of the largest of them.
    A machine that travels as far as that from where it was drawn has what it is asked for in
    digits of its way; but in fixed implicit steps Newton's method ends where rounding does.
    """
    if not np.isfinite(track.x).all():
        return 0.0, 0.0, 0.0
    length = max(equations.coordinates[n].scale for n in named)
    moved = np.ptp(track.x[:, named], axis=0)
    places = np.array(named)[moved > STILL * length]  # others are rounded once
    far = float(np.abs(track.x[:, places]).max(initial=0.0))
    travelled = 0.0 if method.implicit and not method.adaptive else float(moved.max())
    if far < FAR * max(length, travelled):
        return far, 0.0, 0.0
    return far, EPS * far / length, _rounding_of_rates(problem, track, places)


def _rounding_of_rates(problem: Problem, track: Track, places: np.ndarray) -> float:
    """Return what rounding of some coordinates changes of accelerations, over the largest."""
    nq, nu, ns = problem.nq, problem.nu, track.x.shape[1] - problem.nq - problem.nu
    x, random = track.x[-1], np.random.default_rng(0)
    q = np.tile(x[:nq], (1 + TRIES, 1))
    q[1:, places] *= 1.0 + EPS * random.choice([-1.0, 1.0], (TRIES, len(places)))
    rest = (x[nq : nq + nu], x[nq + nu :], track.w[-1], problem.parameters, track.k[-1])
    same = [np.broadcast_to(each, (len(q), *np.shape(each))) for each in rest]
    time = np.full(len(q), track.t[-1])
    rhs = Entry(problem.rhs.address, problem.rhs.work, problem.rhs)
    ud = each_point(rhs, (time, q, *same), (nq, nu, ns), np.zeros(rhs.work))[1]
    most = float(np.abs(ud[0]).max(initial=0.0))
    off = float(np.abs(ud[1:] - ud[0]).max(initial=0.0))
    return off / most if most > 0.0 and np.isfinite(off) else 0.0
