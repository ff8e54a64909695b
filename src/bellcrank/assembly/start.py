"""The state a run begins with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bellcrank.assembly.closing import Held, Target, close, gaps
from bellcrank.assembly.options import check_mapping
from bellcrank.errors import StartError
from bellcrank.kernels.system import System
from bellcrank.model import Model
from bellcrank.model.edit import with_values


def parameter_values(
    model: Model, system: System, values: Mapping[str, float] | None
) -> np.ndarray:
    """Return p for values by name over the model's own; the machine must stay one.

    Args:
        model: The machine, right with the values of its own.
        system: Its equations.
        values: Values of some of its parameters, by name.

    Raises:
        OptionError: They are not given by name, or are not finite.
        UnknownName: There is no such parameter.
        ModelError: Naming what is wrong with these values, such as a mass below zero.
    """
    check_mapping("parameters", values)
    p = system.parameter_vector(values)
    if values:
        with_values(model, values)
    return p


def initial_state(
    system: System,
    start: Mapping[str, Any] | None,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System | None = None,
) -> np.ndarray:
    """Return x = [q, u, s] for start values by name.

    What is named is held; the rest is as drawn and at rest, moved as little as it takes to
    close the machine's loops.

    Args:
        system: The machine.
        start: Such as {"A.angle": 0.3, "A.angle_rate": 2.0}.
        t: The time [s].
        w: Inputs.
        p: Parameter values in order.
        picture: The same machine in joint coordinates, where those of `system` are others: the
            machine is assembled there, and its bodies are put in the same places here.

    Raises:
        StartError: Names or values that do not fit the machine, all at once, or a machine that
            cannot be closed.
    """
    if picture is not None and not _said_here(system, start):
        seen = initial_state(picture, start, t, w, p)
        return close(
            system, t, embedded(system, picture, t, seen, w, p), w, p, held(system, {})
        )
    direct, targets = _split(system, start)
    q, u = system.pack(direct, parameters=p)
    x = np.concatenate([q, u, np.zeros(len(system.equations.auxiliary))])
    return close(system, t, x, w, p, held(system, direct, targets))


def _said_here(system: System, start: Mapping[str, Any] | None) -> bool:
    """Return whether a start is in the names of this formulation's own coordinates."""
    return isinstance(start, Mapping) and bool(start) and all(n in system.places for n in start)


def embedded(
    system: System, picture: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Return the state of `system` whose bodies are where those of `picture` are.

    Args:
        system: A machine in other coordinates than those of its joints.
        picture: The same machine in joint coordinates.
        t: The time [s].
        x: The state [q, u, s] of `picture`.
        w: Inputs.
        p: Parameter values in order.
    """
    ends = np.cumsum([len(picture.coordinates), len(picture.speeds)])
    q, u, s = np.split(x, ends)
    arguments = [np.array([t]), q, u, s, w, p]
    arguments = [*arguments, picture.modes(arguments)]
    pose, twist, _ = picture.kernel("bodies", level=0)(*arguments, np.zeros(len(u)))
    return np.concatenate(embedding(system, np.array([t]), pose, twist, w, p)[1:4])


def embedding(
    system: System,
    t: np.ndarray,
    pose: np.ndarray,
    twist: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
) -> list[np.ndarray]:
    """Return the arguments of slots at which the bodies are as given.

    Args:
        system: The machine.
        t: Times [s], shape (..., 1).
        pose: As the slot `bodies` gives it, shape (..., 7, nb), or (..., 7) of one body.
        twist: Likewise, shape (..., 6, nb).
        w: Inputs, shape (..., nw).
        p: Parameter values in order.
    """
    e, lead = system.equations, t.shape[:-1]
    empty = [np.zeros((*lead, len(v))) for v in (e.coordinates, e.speeds, e.auxiliary)]
    k = np.ones((*lead, len(e.memory)))
    q, u = system.kernel("embed", level=0)(t, *empty, w, p, k, pose, twist)
    arguments = [t, q, u, empty[2], w, p]
    return [*arguments, system.modes(arguments)]


def _split(
    system: System, start: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any], tuple[Target, ...]]:
    """Return values of coordinates and speeds, and what joints that close loops must show."""
    if not isinstance(start, Mapping):
        return start or {}, ()  # `pack` complains about what is no mapping
    closing = {variable.name: variable for variable in system.equations.closing}
    bare: dict[str, list[str]] = {}
    for variable in closing.values():
        bare.setdefault(variable.owner, []).append(variable.name)
    names = {owner: found[0] for owner, found in bare.items() if len(found) == 1}
    rates = {_rate(name): name for name in closing}
    direct: dict[str, Any] = {}
    targets = []
    for given, value in start.items():
        name = names.get(given, given)
        if name not in closing and name not in rates:
            direct[given] = value
        elif np.ndim(value) or not np.isfinite(value):
            raise StartError(f"'{given}' takes 1 finite number, got {value!r}.")
        elif name in closing:
            turns = closing[name].quantity == "angle"
            targets.append(Target(name, _rate(name), float(value), "position", turns))
        else:
            targets.append(Target(rates[name], name, float(value), "velocity", False))
    return direct, tuple(targets)


def held(system: System, names: Mapping[str, Any], targets: tuple[Target, ...] = ()) -> Held:
    """Return which coordinates and speeds are named, as masks over u."""
    places = system.places
    coordinates, speeds = (np.zeros(len(system.speeds), dtype=bool) for _ in range(2))
    for name in names:
        vector, start, size = places[name]
        if vector == "u":
            speeds[start : start + size] = True
        else:
            owner = system.equations.coordinates[start].name
            rate = _rate(owner if size == 1 else owner.rpartition("_")[0])
            _, start, size = places[rate]
            coordinates[start : start + size] = True
    return Held(coordinates, speeds, targets)


def _rate(coordinate: str) -> str:
    """Return the name of the speed of a coordinate."""
    stem, _, quantity = coordinate.rpartition(".")
    known = {"orientation": "angular_velocity", "position": "velocity"}
    return f"{stem}.{known.get(quantity, f'{quantity}_rate')}"


def _check_drivers(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> None:
    """Raise where drivers ask for accelerations that the other constraints do not allow."""
    rows = system.equations.rows
    if not any(row.kind == "driver" for row in rows):
        return
    q, u, s = np.split(
        x, [len(system.coordinates), len(system.coordinates) + len(system.speeds)]
    )
    arguments = [np.array([t]), q, u, s, w, p]
    arguments = [*arguments, system.modes(arguments)]
    ud = system.constrained_accelerations(arguments)
    (C, _), (gamma,) = (system.ask(slot, arguments) for slot in ("velocity", "acceleration"))
    left = C @ ud - gamma
    scale = np.array([row.scale for row in rows]) * (1.0 + np.abs(ud).max(initial=0.0))
    if np.abs(left / scale).max() > 1e-6:
        raise StartError(gaps(rows, left, "acceleration"))


def check_motion(system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray) -> None:
    """Raise where the machine has no finite accelerations at the beginning.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u].
        w: The inputs.
        p: Parameter values in order.

    Raises:
        StartError: Naming the freedom without inertia, or what is not finite.
    """
    if system.equations.rows:
        _check_drivers(system, t, x, w, p)
        return  # inertia is needed only where the constraints leave freedom
    q, u, s = np.split(
        x, [len(system.coordinates), len(system.coordinates) + len(system.speeds)]
    )
    arguments = [np.array([t]), q, u, s, w, p]
    k = system.modes(arguments)
    ud = system.kernel("derivatives")(*arguments, k)[1]
    if np.all(np.isfinite(ud)):
        return
    A = system.ask("mass", [*arguments, k], level=0)[0]
    scale = np.sqrt(np.maximum(np.diag(A), 0.0))
    idle = [name for name, size in zip(system.speeds, scale, strict=True) if size == 0]
    if np.all(np.isfinite(A)) and not idle:
        values, vectors = np.linalg.eigh(A / np.outer(scale, scale))
        if values[0] < 1e-12:
            idle = [system.speeds[np.argmax(np.abs(vectors[:, 0]))]]
    if idle:
        raise StartError(
            f"nothing has inertia against {', '.join(map(repr, idle))}, so its rate is not "
            "determined. Give what it moves mass or inertia about it, or take a joint without "
            "that freedom."
        )
    lost = [
        name for name, value in zip(system.speeds, ud, strict=True) if not np.isfinite(value)
    ]
    raise StartError(
        f"the rates of {', '.join(map(repr, lost))} are not finite at the start, t = {t:g} s. "
        "Look for a division by zero, a root or logarithm of a negative number, or two ends of "
        "a spring in one place."
    )
