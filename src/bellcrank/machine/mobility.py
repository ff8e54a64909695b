"""Whether a machine can move from where it begins: what has no inertia, or no finite rate."""

from collections.abc import Callable

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.constraints.assembly.branching import kernel, left_kernel
from bellcrank.constraints.assembly.closing import gaps
from bellcrank.errors import LockedStart, StartError
from bellcrank.machine.start import arguments_at
from bellcrank.machine.system import System
from bellcrank.model import Model, Particle, Planar, mass_properties
from bellcrank.model.algebra import nominal
from bellcrank.units import LARGEST

ROUNDING = 1e-14  # of a diagonal entry: what is left of it is none
PUSHED = 1e-6  # of forces: what is less along a motion is round-off
CURVED = 1e-3  # of a motion, and of what adds up in rows: what it leaves by second order
FLAT = 1e-6  # of a quadratic form: a curvature that is none
MASSLESS = 1e-14  # of the largest inertia: what rounding leaves of moments that cancel


def check_motion(
    system: System, model: Model, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> None:
    """Raise where the machine has no finite accelerations at the beginning.

    Args:
        system: The machine's equations.
        model: The machine.
        t: The time [s].
        x: The state [q, u].
        w: The inputs.
        p: Parameter values in order.

    Raises:
        StartError: Naming the freedom without inertia, or what is not finite or too large.
    """
    check_size(system, x)
    arguments = arguments_at(system, t, x, w, p)
    if system.equations.rows:
        _check_inertia(system, model, arguments)
        _check_drivers(system, t, x, w, p)
        return
    ud = system.kernel("derivatives")(*arguments)[1]
    finite = bool(np.isfinite(ud).all())
    if finite and system.equations.mass_kind != "semidefinite":
        return
    A = system.ask("mass", arguments, level=0)[0]
    least = _rounding(system, model, A) if finite else 0.0
    if finite and _regular(system, model, A, least):
        return
    scale = np.sqrt(np.maximum(np.diag(A), 0.0))
    own = (scale * system.speed_sizes) ** 2
    idle = [name for name, size in zip(system.speeds, own, strict=True) if size <= least]
    if np.all(np.isfinite(A)) and not idle:
        values, vectors = np.linalg.eigh(A / np.outer(scale, scale))
        if values[0] < 1e-12:
            idle = [system.speeds[np.argmax(np.abs(vectors[:, 0]))]]
    if idle:
        has, its = ("has", "its") if len(idle) == 1 else ("have", "their")
        raise StartError(
            f"{', '.join(map(repr, idle))} {has} no inertia, so {its} acceleration is "
            "undefined. Give the moved bodies mass or inertia, or use a joint without that "
            "freedom." + _particle_advice(system, model, idle)
        )
    lost = [
        name for name, value in zip(system.speeds, ud, strict=True) if not np.isfinite(value)
    ]
    raise StartError(
        f"the rates of {', '.join(map(repr, lost))} are not finite at the start, t = {t:g} s. "
        "Look for a division by zero, a root or logarithm of a negative number, or two ends of "
        "a spring in one place."
    )


def check_size(system: System, x: np.ndarray) -> None:
    """Raise where a state is so large that energies would be infinite."""
    names = (*system.coordinates, *system.speeds)
    large = [n for n in range(len(names)) if not abs(x[n]) <= LARGEST]
    if large:
        told = ", ".join(f"{names[n]!r} is {x[n]:.3g}" for n in large[:6])
        raise StartError(
            f"the start must be finite, and no larger than {LARGEST:.0e} so that energies are "
            f"finite too, but {told}."
        )


def _check_drivers(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> None:
    """Raise where drivers ask for accelerations that the other constraints do not allow."""
    rows = system.equations.rows
    if not any(row.kind == "driver" for row in rows):
        return
    arguments = arguments_at(system, t, x, w, p)
    ud, C, gamma = _accelerations(system, arguments)
    left = C @ ud - gamma
    scale = system.row_scales(p) * (1.0 + np.abs(ud).max(initial=0.0))
    if np.abs(left / scale).max() > 1e-6:
        raise StartError(gaps(rows, left, "acceleration"))


def _accelerations(
    system: System, arguments: list[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return u̇ on the constraints, C and γ, by kernels that are quickly made."""
    (A,), (f,), (C, _), (gamma,) = (
        system.ask(slot, arguments, level=0)
        for slot in ("mass", "force", "velocity", "acceleration")
    )
    scale = system.row_scales(arguments[5])
    return gauss.accelerations(A, f, C, gamma, scale, system.speed_sizes), C, gamma


def check_dead_centre(
    system: System, model: Model, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> None:
    """Raise where forces push a machine at rest along what it is held in by second order.

    C loses rank at a dead centre, so that C u̇ = γ allows accelerations a that no motion has:
    there is N with NᵀC = 0 and c = Nᵀγ(q, a) ≠ 0. Where the quadratic form cᵀ Nᵀγ(q, v) is
    nowhere negative for C v = 0, all motions have it zero and none has a part of a that makes
    it positive: rigid bodies resist by infinite forces, as two bars that are stretched between
    two pins and carry a load. There rows repeat others within the slack of the machine and are
    left out; without slack none are.

    Args:
        system: The machine's equations.
        model: The machine.
        t: The time [s].
        x: The state [q, u].
        w: The inputs.
        p: Parameter values in order.

    Raises:
        LockedStart: Naming the joints that hold it.
        StartError: Motions branch there, and none is named.
    """
    if not system.equations.rows or not (system.left_out(p) or not system.slack):
        return
    arguments = arguments_at(system, t, x, w, p)
    if arguments[2].any():  # speeds are on a branch: see `branching`
        return
    sizes, rest = system.speed_sizes, system.ask("acceleration", arguments, level=0)[0]
    scale = np.array([row.scale for row in system.equations.rows])
    C = system.ask("velocity", arguments, level=0)[0] / scale[:, None]
    N = left_kernel(C * sizes)
    if not N.size:
        return
    (f,), a = system.ask("force", arguments, level=0), _accelerations(system, arguments)[0]
    if not a @ f > PUSHED * (np.abs(a) @ np.abs(f)):
        return  # nothing pushes it but round-off
    a = a / np.abs(a / sizes).max()

    def curvature(speeds: np.ndarray) -> np.ndarray:
        at = [*arguments[:2], speeds, *arguments[3:]]
        return (system.ask("acceleration", at, level=0)[0] - rest) / scale

    def conditions(speeds: np.ndarray) -> np.ndarray:
        return N.T @ curvature(speeds)

    left = conditions(a)
    if (np.abs(left) <= CURVED * np.maximum(1.0, np.abs(N.T) @ np.abs(curvature(a)))).all():
        return  # rows that repeat others cancel but for the slack
    A, everything = system.ask("mass", arguments, level=0)[0], np.ones(len(a), dtype=bool)
    Z = kernel(A, C, everything, sizes)
    values = np.linalg.eigvalsh(_quadric(lambda y: float(left @ conditions(Z @ y)), Z.shape[1]))
    if values.min(initial=0.0) < -FLAT * values.max(initial=0.0):
        raise StartError(
            f"'{model.name}' starts at rest where its motion branches, and forces push it "
            "along none of the branches. Name a speed in start, or start from a neighbouring "
            "position."
        )
    rows, names = np.abs(N @ left), [joint.name for joint in model.joints]
    owners = [row.owner for row in system.equations.rows]
    moved = [each.owner for each in system.equations.speeds]
    held = {owners[i] for i in np.flatnonzero(rows > 0.1 * rows.max())}
    held |= {moved[i] for i in np.flatnonzero(np.abs(a / sizes) > 0.1)}
    told = [name for name in names if name in held] or sorted(held)
    most = system.speeds[int(np.argmax(np.abs(a / sizes)))]
    raise LockedStart(
        f"'{model.name}' starts in a dead centre that no motion leaves: "
        f"{', '.join(map(repr, told))} {'hold' if len(told) > 1 else 'holds'} it stretched, "
        f"and forces push '{most}', by which it would have to come apart; rigid bodies resist "
        "by infinite forces. Give the lengths some play, start beside the dead centre, or let "
        "a spring take the place of one of them."
    )


def _quadric(form: Callable[[np.ndarray], float], d: int) -> np.ndarray:
    """Return H with form(y) = yᵀ H y, shape (d, d)."""
    unit, H = np.eye(d), np.zeros((d, d))
    for i in range(d):
        for j in range(i + 1):
            H[i, j] = H[j, i] = 0.25 * (form(unit[i] + unit[j]) - form(unit[i] - unit[j]))
    return H


def _particle_advice(system: System, model: Model, idle: list[str]) -> str:
    """Return what helps where particles on free or planar joints are asked to turn."""
    owners = {each.owner for each in system.equations.speeds if each.name in idle}
    turned = [
        (body.name, joint)
        for body in model.bodies
        if isinstance(body, Particle)
        for joint in model.joints
        if joint.mobility.free or isinstance(joint, Planar)
        if body.name in (joint.first, joint.second) and owners & {body.name, joint.name}
    ]
    if not turned:
        return ""
    name, joint = turned[0]
    told = f" {name!r} is a Particle, which does not resist turning: "
    if isinstance(joint, Planar):
        free = f"Free({joint.name!r}, {joint.first!r}, {joint.second!r})"
        told += f"tie it by {free}" + (" and " if model.planar else " and PointOnPlane, and ")
    return told + (
        "take formulation=bc.Cartesian() or bc.Natural(), where particles do not turn, or make "
        "it a Body with inertia."
    )


def _check_inertia(system: System, model: Model, arguments: list[np.ndarray]) -> None:
    """Raise where a motion that the constraints leave free meets no inertia."""
    (A,) = system.ask("mass", arguments, level=0)
    if _definite(A):  # inertia against every motion: mostly so, and quickly found
        return
    C, _ = system.ask("velocity", arguments, level=0)
    C = C / system.row_scales(arguments[5])[:, None]
    try:
        _accelerations(system, arguments)
        if not _definite(gauss.with_rows(A, C)):
            raise np.linalg.LinAlgError
    except np.linalg.LinAlgError:
        idle = system.speeds[int(np.argmax(np.abs(gauss.idle(A, C))))]
        raise StartError(
            f"a motion that the constraints leave free, mainly '{idle}', has no inertia, so "
            "its acceleration is undefined. Give the moved bodies mass or inertia, start "
            "elsewhere, or remove that freedom." + _particle_advice(system, model, [idle])
        ) from None


def _regular(system: System, model: Model, A: np.ndarray, least: float) -> bool:
    """Return whether all that moves has inertia, in a matrix that may be singular.

    That particles do not resist turning is known where they are asked to.
    """
    particles = {body.name for body in model.bodies if isinstance(body, Particle)}
    owners = [speed.owner for speed in system.equations.speeds]
    judged = [i for i, owner in enumerate(owners) if owner not in particles]
    A, sizes = A[np.ix_(judged, judged)], system.speed_sizes[judged]
    return _definite(A) and (A.diagonal() * sizes**2).min(initial=np.inf) > least


def _rounding(system: System, model: Model, A: np.ndarray) -> float:
    """Return what is no more than rounding of inertias, in nominal speeds."""
    mass = sum(abs(nominal(mass_properties(body).mass) or 0.0) for body in model.bodies)
    most = (A.diagonal() * system.speed_sizes**2).max(initial=0.0)
    return MASSLESS * max(float(most), mass * system.equations.length() ** 2)


def _definite(A: np.ndarray) -> bool:
    """Return whether a symmetric matrix is definite by more than rounding.

    Pivots are compared with the diagonal entries they come from: those of a thin rod that lies
    askew cancel but for rounding.
    """
    own = A.diagonal()
    if not (own > 0.0).all():
        return False
    try:
        pivots = np.linalg.cholesky(A).diagonal() ** 2
    except np.linalg.LinAlgError:
        return False
    return bool((pivots > ROUNDING * own).all())
