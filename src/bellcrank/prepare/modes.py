"""What is done with constraints while a machine is integrated."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bellcrank.constraints.projecting import projection
from bellcrank.errors import NotSupported, OptionError
from bellcrank.integrators import (
    GeneralizedAlpha,
    Method,
    Problem,
    Status,
    Track,
    holding,
    solve,
)
from bellcrank.integrators.auditing import weigh_points
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model.elements.fields import short

if TYPE_CHECKING:
    from bellcrank.constraints.baumgarte import Baumgarte
    from bellcrank.constraints.independent import Independent
    from bellcrank.constraints.projection import Projected

Mode: TypeAlias = "str | Independent | Baumgarte"

KNOWN = ("project", "independent", "index2", "index3", "baumgarte")


def mode(constraints: Mode) -> Mode:
    """Return what is asked for: as a value with its knobs where it has some, else as a word.

    Raises:
        OptionError: It is not known.
    """
    if isinstance(constraints, str) and constraints in ("project", "index2", "index3"):
        return constraints
    # Only who asks for another way waits for its import.
    from bellcrank.constraints.baumgarte import Baumgarte
    from bellcrank.constraints.independent import Independent

    if isinstance(constraints, Independent | Baumgarte):
        return constraints
    if not isinstance(constraints, str) or constraints not in KNOWN:
        raise OptionError(
            f"constraints takes one of {', '.join(map(repr, KNOWN))}, an Independent(…) or a "
            f"Baumgarte(…), got {short(constraints)}."
        )
    return Independent() if constraints == "independent" else Baumgarte()


def fitting(machine: Integrable, constraints: Mode, method: Method) -> Method:
    """Return the method to integrate a machine with; mostly the one given.

    Raises:
        NotSupported: The method and what is to be done with constraints do not go together, or
            the method is for accelerations and the equations have none.
    """
    system = machine.system
    if method.stiff is not None and (
        not machine.explicit or (constraints == "index2" and system.equations.rows)
    ):
        return method.stiff
    if isinstance(method, GeneralizedAlpha) and not system.equations.speeds:
        _refuse_without_speeds(system, method)
    if not system.equations.rows:
        return method
    name = type(method).__name__
    for index in (2, 3):
        unfit = index == 2 and method.implicit and not method.index  # told why below
        if constraints == f"index{index}" and method.index != index and not unfit:
            raise NotSupported(
                f"constraints='index{index}' is for {holding(index)}, not for {name}."
            )
    if not method.implicit:
        return method
    from bellcrank.constraints.independent import Independent

    wanted = mode(constraints)
    if isinstance(wanted, Independent) and method.index != 3:
        return method  # in independent coordinates there are no constraints left
    if wanted not in ("project", "index2", "index3"):
        raise NotSupported(f"{name} does not take constraints={constraints!r}. DOP853() does.")
    if not method.index:
        raise NotSupported(
            f"{name} does not take machines with constraints, and '{system.equations.name}' "
            f"has {len(system.equations.rows)}: {method.unfit} {holding(2, 3)} take them."
        )
    if isinstance(method, GeneralizedAlpha) and method.averages[0] >= method.averages[1]:
        raise NotSupported(
            f"{method!r} damps nothing, so that the forces of constraints would oscillate. "
            "Take a spectral_radius below 1, or hht above 0."
        )
    return method


def _refuse_without_speeds(system: System, method: GeneralizedAlpha) -> None:
    """Complain about a method for accelerations where the equations have none."""
    if not system.equations.coordinates:
        return  # nothing moves, by whatever method
    raise NotSupported(
        f"GeneralizedAlpha integrates accelerations, and the equations of "
        f"'{system.equations.name}' are of first order in its coordinates: they have none. "
        f"Trapezoidal(step={method.step!r}) has the same order, DOP853() chooses its steps."
    )


def _completed(track: Track, held: Projected, problem: Problem) -> Track:
    """Return a track whose records are all there.

    Where a chart is nearly singular, independent coordinates of a record between two steps may
    have no point on the constraints that Newton's method finds. The records on both sides do:
    the record is interpolated between them and brought onto the constraints. Its error is that
    of a cubic between records, not that of the run's tolerance. Where no record follows, the
    run has come to its end.
    """
    found = np.all(np.isfinite(track.x), axis=1)
    if found.all() or not found[0]:
        return track
    there = np.flatnonzero(found)
    track = _ended(track, int(there[-1]) + 1)
    lost = np.flatnonzero(~found[: len(track.t)])
    x, nq, nu = track.x.copy(), problem.nq, problem.nu
    for row in lost:
        at = int(np.searchsorted(there, row))
        low, high = there[at - 1], there[at]
        h = track.t[high] - track.t[low]
        part = (track.t[row] - track.t[low]) / h
        slopes = []
        for n in (low, high):
            q, u, s = np.split(track.x[n], [nq, nq + nu])
            rest = (track.w[n], problem.parameters, track.k[n])
            slopes.append(h * np.concatenate(held.derivatives(track.t[n], q, u, s, *rest)))
        guess = _hermite(part, track.x[low], slopes[0], track.x[high], slopes[1])
        q, u, s = np.split(guess, [nq, nq + nu])
        point = (track.t[row], q, u, s, track.w[row], problem.parameters, track.k[low])
        x[row] = np.concatenate([*held.points(*point), s])
    weighed = track.weighed
    if weighed is not None:
        points = (track.t, x, track.w, track.k)
        weighed = replace(weigh_points(problem, points, None), unit=weighed.unit)
    return replace(track, x=x, weighed=weighed)


def _ended(track: Track, count: int) -> Track:
    """Return a track of the first records, with the reason why there are no others."""
    if count == len(track.t):
        return track
    last = float(track.t[count - 1])
    parts = {name: getattr(track, name)[:count] for name in "txwk"}
    return replace(
        track,
        **parts,
        status=Status.NON_FINITE,
        until_reached=last,
        message=(
            f"beyond t = {last:.9g} s no position was found that meets the constraints: "
            "Newton's method for independent coordinates does not converge. "
            "Try constraints='project'."
        ),
    )


def _hermite(
    part: float, a: np.ndarray, slope_a: np.ndarray, b: np.ndarray, slope_b: np.ndarray
) -> np.ndarray:
    """Return the cubic with these ends and slopes at a part of the way."""
    rest = 1.0 - part
    straight = rest * a + part * b
    return straight + part * rest * (rest * (slope_a - (b - a)) - part * (slope_b - (b - a)))


def integrate(
    machine: Integrable,
    problem: Problem,
    constraints: Mode,
    method: Method,
    t0: float,
    x0: np.ndarray,
    until: float,
    **options: Any,
) -> Track:
    """Return the motion of a machine; without constraints, `solve` it.

    Args:
        machine: The machine.
        problem: It as the mode `project` integrates it.
        constraints: What is done with constraints.
        method: How it is integrated.
        t0: When to begin [s].
        x0: The state then, which meets the constraints.
        until: When to end [s].
        options: Further ones of `solve`.
    """
    wanted, system = mode(constraints), machine.system
    held = None if isinstance(wanted, str) else projection(system, problem.parameters)
    if held is None:
        track = solve(problem, method, t0, x0, until, **options)
        if not track.status.failed:
            return track
        from bellcrank.prepare.explaining import explained

        return explained(machine, method, (t0, x0), track)
    from bellcrank.constraints.baumgarte import Baumgarte, Stabilized
    from bellcrank.constraints.independent import Independent
    from bellcrank.constraints.index2.saddle import saddle_of
    from bellcrank.integrators.rebasing import solve_independent
    from bellcrank.prepare.explaining import explained

    problem = replace(problem, saddle=None)
    if isinstance(wanted, Independent):
        track = solve_independent(
            problem, held.machine, wanted, method, t0, x0, until, **options
        )
        track = _completed(track, held, problem)
        return explained(machine, wanted, (t0, x0), track)
    assert isinstance(wanted, Baumgarte)
    ranked = saddle_of(system, machine.p).rank
    stabilized = Stabilized(held.machine, wanted, ranked)
    problem = replace(problem, rhs=stabilized.rhs, normalize=held.machine.normalize)
    track = solve(problem, method, t0, x0, until, **options)
    told = explained(machine, method, (t0, x0), track)
    if not stabilized.lost or not told.status.stuck:
        return told
    message = (
        f"beyond t = {track.until_reached:.9g} s constraints that are independent elsewhere "
        "become dependent: a singular position, near which Baumgarte feedback does not "
        "hold the constraints. "
        "constraints='project' passes such positions."
    )
    return replace(track, status=Status.DEPENDENT, message=message)
