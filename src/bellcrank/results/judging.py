"""Whether what an audit found contradicts the tolerance of its run, in numbers and in words.

Energy may be off by what the tolerance is worth in energy at every step, times the root of the
number of steps, as errors of either sign add up, times `SLACK`; and by what the integral of
power may be wrong by. A method with fixed steps has no tolerance: of it only gross errors are
told. No energy is known better than the places it is computed from, however small it is: that
of a body at rest at height zero is rounding and nothing else. What goes in and out again is
rounded, too, though steps may end where nothing is left of it. What cannot be judged is said.
"""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.errors import AuditWarning, outside
from bellcrank.integrators import Method, Track
from bellcrank.integrators.beginning import RTOL
from bellcrank.integrators.problem import Weighed
from bellcrank.machine.system import System
from bellcrank.results.words import sentence

if TYPE_CHECKING:
    from bellcrank.results.result import Result

SLACK = 100.0  # 0.06 was the most seen in random machines, 40 in a driven hinge of 7 steps
TRUST = 10.0  # of the doubt of the integral of power, so much is allowed
GROSS = 0.5  # of the kinetic energy, beyond which fixed steps are gross
ROUNDING = 1e-12  # of the energy
EPSILON = 2.0**-52
STILL = 1e-8  # of the energy, below which kinetic energy is rounding
CLOSED = 1e-6  # scaled residual of constraints that are held
LOOSE = 1e-2  # … of constraints that are only drawn to zero, or held in fixed steps
ROUNDED = 80.0  # slacks by which rows that are left out may be open
HIDDEN = 0.01  # of the impulse of forces of time
TURN = 1.0  # in a step of fixed length, beyond which no method follows an attitude [rad]
LOST = 100.0  # how much more roundings of places come to in a run,
FINEST = 1e-10  # against what was asked for, or this, and the default of fixed steps

ADVICE = {
    "energy": "compare it with a tighter rtol and with another formulation (bc.verify does)",
    "finite": "look at what grows without bound, and begin with less",
    "switch": "give the integrator a max_step shorter than what is not seen",
    "turns": "give the integrator a max_step of less than half a turn",
    "constraints": "compare it with another formulation (bc.verify does)",
    "start": "name that angle in start, or draw the machine nearer to where it begins",
    "events": "give the integrator a max_step shorter than what is between its zeros",
    "small": "give an atol that is small against the motion",
    "fixed": "take a shorter step, or a method with a tolerance",
    "far": "draw the machine nearer to the origin, or take JointCoordinates()",
}


@dataclass(frozen=True)
class Circumstances:
    """How a run was made.

    Attributes:
        adaptive: Whether its method has a tolerance.
        rtol: That tolerance.
        held: Whether constraints are held, and not only drawn to zero.
        damps: Whether the method takes energy away on purpose.
        angles: Names of the angles in memory.
        hidden: Why work is not judged, where that is so by the way of integration.
        slack: By how much rows that are left out may be open.
        turned: Angles that begin full turns from the drawing unasked, by name [rad].
        missed: In words, an event that was passed over.
        unseen: When a law is recorded in a mode that is not its own [s].
        resolved: How many absolute tolerances it moves, where these are few.
        widest: What turns most in a step of fixed length, and by how much [rad].
        faint: How far places move that do so by few of their roundings, and the largest [m].
        farthest: The largest place that rows tie to others [m], its rounding over the length
            of the machine, and what rounding makes of accelerations, over the largest of them.
        blur: Returns what the rounding of states, `ROUNDING` of their nominal sizes, changes of
            the energy [J]. Asked for only where nothing moves, or something seems wrong.
    """

    adaptive: bool = True
    rtol: float = 1e-9
    held: bool = True
    damps: bool = False
    angles: Sequence[str] = ()
    hidden: str = ""
    slack: float = 0.0
    turned: Mapping[str, float] = field(default_factory=dict)
    missed: str = ""
    unseen: float | None = None
    resolved: float = inf
    widest: tuple[str, float] = ("", 0.0)
    faint: tuple[float, float] = (inf, 0.0)
    farthest: tuple[float, float, float] = (0.0, 0.0, 0.0)
    blur: Callable[[], float] = float


def circumstances(
    system: System,
    method: Method,
    constraints: object,
    rtol: float | None,
    p: np.ndarray,
    **noticed: Any,
) -> Circumstances:
    """Return how a run is made.

    Args:
        system: The machine.
        method: How it is integrated.
        constraints: What is done with constraints.
        rtol: Relative tolerance as given.
        p: Parameter values in order.
        noticed: Further fields.
    """
    equations, kind = system.equations, type(constraints).__name__
    way = constraints if isinstance(constraints, str) else kind.lower()
    by_points = way == "independent" and bool(equations.rows)
    return Circumstances(
        adaptive=method.adaptive,
        rtol=RTOL if rtol is None else rtol,
        held=way != "baumgarte",
        damps=method.damps,
        angles=[each.name for each in equations.memory if each.quantity == "angle"],
        hidden=_hidden(method, by_points),
        slack=ROUNDED * system.slack if system.rounded(p) else 0.0,
        **noticed,
    )


def _hidden(method: Method, by_points: bool) -> str:
    """Return why the work done in a run is not known, if it is not."""
    if by_points:
        return "work is not followed in independent coordinates"
    if method.implicit and not method.adaptive:
        # Between the ends of long steps the interpolant of what is stiff means nothing.
        return "work is not followed inside steps of fixed length of an implicit method"
    return ""


def speak(run: "Result") -> None:
    """Warn, once and in one sentence, where a run contradicts its own audit."""
    if run.judged.get("contradictions"):
        words = sentence(str(run.provenance.get("model", "")), run.judged)
        warnings.warn(words, AuditWarning, stacklevel=outside())


def judge(track: Track, made: Circumstances) -> dict[str, Any]:
    """Return what an audit found and what it means.

    Returns:
        `energy_drift`: largest |E − E₀ − ∫P dt| over the largest kinetic energy, None where
        it is not known. `energy_error` and `energy_bound`: it and what is allowed [J].
        `position_residual`, `velocity_residual`: of the scaled constraints. `unseen_switches`:
        places inside steps where a law is not in the mode that was held. `lost_turns`: by
        angle [rad]. `contradictions` and `not_judged`: in words. `advice`: what would do.
    """
    found = track.weighed
    if found is None:
        return {"contradictions": [], "not_judged": ["anything: no audit went along"]}
    known = found.powers < 3 and not (found.powers and made.hidden)
    bound, blur = _bound(found, track.statistics.steps, made), 0.0
    still = found.kinetic <= STILL * found.size
    if found.gap > (0.0 if still else bound):
        blur = made.blur()
        bound += blur * sqrt(track.statistics.steps + 1)
    clauses, open_ = [], []
    if not found.finite:
        clauses.append(("finite", "its energy is not finite"))
    elif not known:
        open_.append(f"energy: {made.hidden or 'the work of what is prescribed is not known'}")
    elif found.gap > bound and not (made.damps and found.final < 0):
        clauses.append(_energy(found, bound, track.statistics.steps, made))
    elif found.gap > bound - TRUST * found.doubt:
        open_.append(f"energy: the work done is known to {found.doubt:.1g} J only")
    if not made.adaptive:
        open_.append(
            "accuracy: fixed steps give no error estimate, only gross errors are reported"
        )
    # What may be the cause comes first.
    causes = _noticed(made) + _switches(found, made) + _turns(found, made)
    causes += _constraints(track, found, made)
    clauses = causes + clauses
    facts = {
        "energy_drift": _relative(found, blur) if known else None,
        "energy_error": found.gap if known else None,
        "energy_bound": bound if known else None,
        "position_residual": found.position,
        "velocity_residual": found.velocity,
        "unseen_switches": found.unseen,
        "lost_turns": _lost(found, made),
        "contradictions": [words for _, words in clauses],
        "not_judged": open_,
    }
    if clauses:
        facts["advice"] = ADVICE[clauses[0][0]]
    return facts


def _relative(found: Weighed, blur: float) -> float:
    """Return the gap over the kinetic energy, which where nothing moves is rounding."""
    size = max(found.kinetic, STILL * found.size, blur)
    return found.gap / size if size > 0 else found.gap


def _bound(found: Weighed, steps: int, made: Circumstances) -> float:
    """Return what energy may be off by [J]."""
    rounding = ROUNDING * max(found.size, found.turned) * sqrt(steps + 1)
    doubt = TRUST * found.doubt + rounding
    if not made.adaptive:
        return GROSS * found.kinetic + doubt
    return SLACK * found.unit * sqrt(steps + 1) + doubt


def _energy(found: Weighed, bound: float, steps: int, made: Circumstances) -> tuple[str, str]:
    """Return the kind of advice and what is wrong with the energy."""
    what = "its energy and the work done on it differ" if found.powers else "its energy changes"
    why = f"more than half of its kinetic energy, {found.kinetic:.2g} J"
    if made.adaptive:
        why = f"where rtol = {made.rtol:.3g} and {steps} steps explain {bound:.2g} J"
    when = (
        f", most of it at t = {found.jump_time:.6g} s" if found.jump > 0.5 * found.gap else ""
    )
    return ("energy" if made.adaptive else "fixed", f"{what} by {found.gap:.2g} J, {why}{when}")


def _noticed(made: Circumstances) -> list[tuple[str, str]]:
    """Return what is wrong with how it began, with events and with the tolerance itself."""
    told = []
    if made.turned:
        name = max(made.turned, key=lambda each: abs(made.turned[each]))
        told.append(("start", f"'{name}' begins {made.turned[name]:.3g} rad from the drawing"))
    if made.missed:
        told.append(("events", made.missed))
    if made.resolved < inf:
        told.append((
            "small",
            f"its motion is only {made.resolved:.2g} times its absolute tolerances",
        ))
    return told + _coarse(made)


def _coarse(made: Circumstances) -> list[tuple[str, str]]:
    """Return what steps of fixed length, and numbers of fixed length, cannot resolve."""
    told, (name, turn), (far, rounding, of_rates) = [], made.widest, made.farthest
    if turn > TURN:
        told.append(("fixed", f"'{name}' turns by {turn:.3g} rad in a step of fixed length"))
    asked = max(made.rtol if made.adaptive else RTOL, FINEST)
    if LOST * min(rounding, of_rates) > asked:
        told.append((
            "far",
            f"places of {far:.2g} m are rounded by {rounding:.1g} of the machine's length, and "
            f"its accelerations by {of_rates:.1g}, where {asked:.0e} is asked for",
        ))
    moved, place = made.faint
    if moved < inf:
        told.append((
            "far",
            f"its motion of {moved:.2g} m is known to less than three digits, as places of "
            f"{place:.2g} m are rounded by {EPSILON * place:.1g} m",
        ))
    return told


def _switches(found: Weighed, made: Circumstances) -> list[tuple[str, str]]:
    if found.unseen or made.unseen is not None:
        time = found.unseen_time if found.unseen else made.unseen
        when = f"first about t = {time:.6g} s"
        return [
            ("switch", f"a nonsmooth law switched within a step without being detected, {when}")
        ]
    if found.hidden > HIDDEN:
        part = f"{100 * found.hidden:.2g} % of the impulse of forces that depend on time"
        return [("switch", f"steps are too long to see {part}")]
    return []


def _turns(found: Weighed, made: Circumstances) -> list[tuple[str, str]]:
    lost = _lost(found, made)
    if not lost:
        return []
    name = max(lost, key=lambda each: abs(lost[each]))
    return [("turns", f"'{name}' is off the integral of its rate by {lost[name]:.3g} rad")]


def _lost(found: Weighed, made: Circumstances) -> dict[str, float]:
    """Return the angles that lost turns: an angle is measured, its turns are counted."""
    pairs = zip(made.angles, found.lost, strict=False)
    return {name: lost for name, lost in pairs if abs(lost) > pi}


def _constraints(track: Track, found: Weighed, made: Circumstances) -> list[tuple[str, str]]:
    """Return what is wrong with constraints; rates are measured against the fastest speed."""
    limit = max(CLOSED, 1e3 * made.rtol) if made.held and made.adaptive else LOOSE
    limit = max(limit, made.slack)
    if found.position > limit:
        return [("constraints", f"constraints are open by {found.position:.2g} (scaled)")]
    if found.velocity > limit:
        fastest = max(abs(track.x).max(initial=0.0), 1.0)
        if found.velocity > limit * fastest:
            return [("constraints", f"constraints move by {found.velocity:.2g} /s (scaled)")]
    return []
