"""The state a run begins with."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.branching import settled
from bellcrank.constraints.assembly.closing import (
    ClosingPoint,
    Held,
    Target,
    close,
    nearest_speeds,
    within_slack,
)
from bellcrank.constraints.assembly.following import followed
from bellcrank.errors import BellcrankError, StartError
from bellcrank.formulations.contract.rows import length_parameters, machine_length
from bellcrank.machine.arguments import check_mapping
from bellcrank.machine.full_turns import with_full_turns
from bellcrank.machine.names import put
from bellcrank.machine.system import System
from bellcrank.model import Model
from bellcrank.model.edit import with_values
from bellcrank.model.elements.near import Near

FAR = 10.0  # lengths of the drawing by which a machine is of another size


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


def of_size(model: Model, values: Mapping[str, float] | None) -> Model:
    """Return the machine, drawn with parameter values where these make it of another size.

    What is compiled measures lengths by the machine's own, as it is drawn.

    Args:
        model: The machine.
        values: Values of some of its parameters, by name; `parameter_values` checks them.
    """
    check_mapping("parameters", values)
    if not values or length_parameters(model).isdisjoint(values):
        return model
    try:
        ratio = machine_length(model, values) / machine_length(model)
        return model if 1 / FAR < ratio < FAR else with_values(model, values)
    except (BellcrankError, ArithmeticError, TypeError, ValueError):
        return model


def initial_state(
    system: System,
    start: Mapping[str, Any] | None,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System | None = None,
    angles: Mapping[str, float] | None = None,
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
        angles: As of `beginning`.

    Raises:
        StartError: Names or values that do not fit the machine, all at once, or a machine that
            cannot be closed.
    """
    return beginning(system, start, t, w, p, picture, angles)[0]


def beginning(
    system: System,
    start: Mapping[str, Any] | None,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System | None = None,
    angles: Mapping[str, float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return x = [q, u, s] as `initial_state` does, and the memory k that goes with it.

    Args:
        system: The machine.
        start: Coordinates and rates by name.
        t: The time [s].
        w: Inputs.
        p: Parameter values in order.
        picture: As of `initial_state`.
        angles: Angles of joints by name, full turns and all, where they are known.

    Raises:
        StartError: As of `initial_state`.
    """
    kept, key = system.once(Beginnings), _key(start, t, w, p, picture, angles)
    found = kept.get(key)
    if found is None:
        machines = (system,) if picture is None else (system, picture)
        told = [each.told for each in machines]
        found = _beginning(system, start, t, w, p, picture, angles)
        if key is not None and told == [each.told for each in machines]:
            kept.keep(key, found)  # what was told once is to be told again
    x, k = found
    return x.copy(), k.copy()


class Beginnings:
    """States that runs of a machine began with lately: they often begin alike."""

    MOST = 8

    def __init__(self, system: System) -> None:
        self._found: dict[Hashable, tuple[np.ndarray, np.ndarray]] = {}

    def get(self, key: Hashable) -> tuple[np.ndarray, np.ndarray] | None:
        """Return the state x and the memory k, if they are known."""
        return self._found.get(key)

    def keep(self, key: Hashable, found: tuple[np.ndarray, np.ndarray]) -> None:
        """Keep a state in place of the oldest."""
        self._found = dict([*self._found.items(), (key, found)][-self.MOST :])


def _key(
    start: Any,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System | None,
    angles: Mapping[str, float] | None,
) -> Hashable:
    """Return all that a beginning depends on besides the machine; None for what is no key."""
    if not isinstance(start, Mapping | None):
        return None
    key = (
        tuple((start or {}).items()), t, w.tobytes(), p.tobytes(), picture,
        tuple((angles or {}).items()),
    )  # fmt: skip
    try:
        hash(key)
    except TypeError:  # arrays and lists among the values
        return None
    return key


def _beginning(
    system: System,
    start: Mapping[str, Any] | None,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System | None,
    angles: Mapping[str, float] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and k, found anew; arguments as of `beginning`."""
    if picture is not None and picture.coordinates == system.coordinates:
        return _in_own_speeds(system, start, t, w, p, picture, angles)
    if picture is not None and not _said_here(system, start):
        _refuse_speeds(system, picture, start)
        seen = beginning(picture, start, t, w, p, angles=angles)
        x = embedded(system, picture, t, seen[0], w, p)
        known = _shown(picture, t, *seen, w, p)
        x = _turned(system, t, x, w, p, known)
        kept = memory(system, t, x, w, p, known)[system.equations.modes :]
        x = close(system, t, x, w, p, held(system, {}), kept)
        return x, memory(system, t, x, w, p, known)
    said, near = split_near(start)
    direct, targets = split_start(system, said)
    hinted, aims = split_start(system, near)
    q, u, s = system.packed({**direct, **hinted} if hinted else direct, parameters=p)
    drawn = system.placed({}, parameters=p)[0]
    x = np.concatenate([q, u, s])
    if system.equations.rows:
        kept = memory(system, t, x, w, p, angles)[system.equations.modes :] if angles else None
        there = ClosingPoint(system, t, s, w, p, targets, kept)
        chosen, requested = held(system, direct, targets), held(system, hinted, aims)

        free, nq = ~chosen.speeds, len(q)

        def attempt() -> np.ndarray:
            found = followed(there, drawn, q, chosen, requested)
            return np.concatenate([found, nearest_speeds(there, found, u, free), s])

        x = within_slack(there, drawn, chosen, attempt)
        at, speeds = x[:nq], x[nq : nq + len(u)]
        x[nq : nq + len(u)] = settled(there, at, speeds, free, (requested.speeds, u))
    named = {target.name: target.value for target in targets if target.turns}
    known = named | dict(angles or {})
    x = _turned(system, t, x, w, p, known, direct, tuple(named))
    return x, memory(system, t, x, w, p, known)


def _in_own_speeds(
    system: System,
    start: Mapping[str, Any] | None,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    picture: System,
    angles: Mapping[str, float] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Return x and k of a machine in joint coordinates whose speeds are others than rates.

    It is assembled with joint rates; speeds that are named are held, the others are those of
    the rates, moved as little as constraints ask for.
    """
    given = start if isinstance(start, Mapping) else {}
    own = {n: v for n, v in given.items() if system.places.get(n, "q")[0] == "u"}
    rates = [n for n in given if n not in own and picture.places.get(n, "q")[0] == "u"]
    if rates and any(name not in picture.places for name in own):
        raise StartError(
            f"the start names speeds of {system.equations.formulation} "
            f"({', '.join(map(repr, own))}) and joint rates ({', '.join(map(repr, rates))}). "
            "Name one or the other."
        )
    if not rates and isinstance(start, Mapping):
        start = {name: value for name, value in start.items() if name not in own}
    seen, kept = beginning(picture, start, t, w, p, angles=angles)
    q, _, s = picture.split(seen)
    u = system.split(embedded(system, picture, t, seen, w, p))[1].copy()
    if own and not rates:
        put(own, system.equations, system.places, {"q": q.copy(), "u": u, "s": s.copy()})
        if system.equations.rows:
            free = ~held(system, own).speeds
            u = nearest_speeds(ClosingPoint(system, t, s, w, p, ()), q, u, free)
    x = np.concatenate([q, u, s])
    return x, memory(system, t, x, w, p, _shown(picture, t, seen, kept, w, p))


def _turned(
    system: System,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    angles: Mapping[str, float],
    direct: Mapping[str, Any] | None = None,
    said: tuple[str, ...] = (),
) -> np.ndarray:
    """Return a state whose angles that are sums of coordinates have the full turns known.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u, s].
        w: Inputs.
        p: Parameter values in order.
        angles: Angles of joints by name [rad].
        direct: Values of coordinates and speeds that the user named.
        said: Names of the other angles that the user named.
    """
    sums = system.equations.sums
    names = [name for name in sums if name in angles]
    if not names:
        return x
    seen = system.shown(names, arguments_at(system, t, x, w, p))
    places = (system.places[name] for name in direct or {})
    held = {i for vector, first, size in places if vector == "q"
            for i in range(first, first + size)}  # fmt: skip
    nq = len(system.coordinates)
    shown = dict(zip(names, seen.tolist(), strict=True))
    q = with_full_turns(x[:nq], sums, shown, angles, held, said)
    return np.concatenate([q, x[nq:]])


def memory(
    system: System,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    angles: Mapping[str, float],
) -> np.ndarray:
    """Return k at a state: modes by their switches, measured angles as they are.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u, s].
        w: Inputs.
        p: Parameter values in order.
        angles: Angles of joints by name [rad]; only their full turns are taken from here.
    """
    return system.memory(arguments_at(system, t, x, w, p)[:-1], angles)


def _shown(
    picture: System, t: float, x: np.ndarray, k: np.ndarray, w: np.ndarray, p: np.ndarray
) -> dict[str, float]:
    """Return the angles of all joints of a machine in joint coordinates, by name [rad]."""
    q = x[: len(picture.coordinates)]
    angles = {
        variable.name: float(value)
        for variable, value in zip(picture.equations.coordinates, q, strict=True)
        if variable.quantity == "angle"
    }
    measured = [v.name for v in picture.equations.closing if v.quantity == "angle"]
    if measured:
        seen = picture.shown(measured, [*arguments_at(picture, t, x, w, p)[:-1], k])
        angles |= dict(zip(measured, seen.tolist(), strict=True))
    return angles


def arguments_at(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> list[np.ndarray]:
    """Return the arguments of a slot at a time and a state [q, u, s]."""
    arguments = [np.array([t]), *system.split(x), w, p]
    return [*arguments, system.modes(arguments)]


def _said_here(system: System, start: Mapping[str, Any] | None) -> bool:
    """Return whether a start is in the names of this formulation's own coordinates."""
    if not isinstance(start, Mapping):
        return False
    moving = [name for name in start if system.places.get(name, "q")[0] != "s"]
    return bool(moving) and all(name in system.places for name in moving)


def _refuse_speeds(system: System, picture: System, start: Mapping[str, Any] | None) -> None:
    """Raise where a start names speeds that would be left out."""
    if system.equations.takes_speeds or not isinstance(start, Mapping):
        return
    speeds = [name for name in start if picture.places.get(name, "q")[0] == "u"]
    if speeds:
        raise StartError(
            f"{system.equations.formulation} has no speeds; the start names "
            f"{', '.join(map(repr, speeds))}. Rates follow from the momenta and the drivers; "
            "'start' in place of a momentum keeps the one that these speeds have."
        )


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
    arguments = arguments_at(picture, t, x, w, p)
    rest = np.zeros(len(picture.speeds))
    pose, twist, _ = picture.kernel("bodies", level=0)(*arguments, rest)
    s = picture.split(x)[2]
    return np.concatenate(embedding(system, np.array([t]), pose, twist, w, p, s=s)[1:4])


def embedding(
    system: System,
    t: np.ndarray,
    pose: np.ndarray,
    twist: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    angles: Mapping[str, np.ndarray] | None = None,
    s: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Return the arguments of slots at which the bodies are as given.

    Args:
        system: The machine.
        t: Times [s], shape (..., 1).
        pose: As the slot `bodies` gives it, shape (..., 7, nb), or (..., 7) of one body.
        twist: Likewise, shape (..., 6, nb).
        w: Inputs, shape (..., nw).
        p: Parameter values in order.
        angles: Angles of joints by name, full turns and all, shape (...); those that are not
            known are principal values.
        s: Variables, shape (..., ns); zeros if not given.
    """
    e, lead = system.equations, t.shape[:-1]
    empty = [np.zeros((*lead, len(v))) for v in (e.coordinates, e.speeds, e.auxiliary)]
    empty[2] = empty[2] if s is None else s
    k = np.ones((*lead, len(e.memory)))
    q, u = system.kernel("embed", level=0)(t, *empty, w, p, k, pose, twist)
    arguments = [t, q, u, empty[2], w, p]
    known = angles or {}
    names = [name for name in e.sums if name in known]
    if names:
        seen = system.shown(names, [*arguments, k])
        shown = {name: seen[..., i] for i, name in enumerate(names)}
        arguments[1] = with_full_turns(q, e.sums, shown, known)
    return [*arguments, system.memory(arguments, known)]


def split_near(
    start: Mapping[str, Any] | None,
) -> tuple[Mapping[str, Any] | None, dict[str, Any]]:
    """Return what is named and held, and the values of what should be near one."""
    if not isinstance(start, Mapping):
        return {} if start is None else start, {}
    near = {name: value.value for name, value in start.items() if isinstance(value, Near)}
    return {name: value for name, value in start.items() if name not in near}, near


def split_start(
    system: System, start: Mapping[str, Any] | None
) -> tuple[Mapping[str, Any], tuple[Target, ...]]:
    """Return values of coordinates and speeds, and what joints that close loops must show."""
    if not isinstance(start, Mapping):
        return {} if start is None else start, ()  # `pack` complains about what is no mapping
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
    found = {}
    for name in names:
        vector, start, size = places[name]
        if vector == "s":
            continue
        if vector == "u":
            speeds[start : start + size] = True
        else:
            owner, mask = system.equations.coordinates[start].name, np.zeros_like(speeds)
            rates = _rates(owner if size == 1 else owner.rpartition("_")[0])
            known = [places[rate] for rate in rates if rate in places]
            for _, first, count in known[:1] or _turning(system, start):
                mask[first : first + count] = True
            found[name] = start, size, mask
            coordinates |= mask
    return Held(coordinates, speeds, targets, found)


def _turning(system: System, place: int) -> list[tuple[str, int, int]]:
    """Return the places of the speeds by which the owner of a coordinate turns."""
    owner = system.equations.coordinates[place].owner
    turning = ("angular_velocity", "angle_rate")
    return [
        ("u", i, 1)
        for i, speed in enumerate(system.equations.speeds)
        if speed.owner == owner and speed.quantity in turning
    ]


def _rate(coordinate: str) -> str:
    """Return the name of the speed of a coordinate."""
    stem, _, quantity = coordinate.rpartition(".")
    known = {"orientation": "angular_velocity", "position": "velocity"}
    return f"{stem}.{known.get(quantity, f'{quantity}_rate')}"


def _rates(coordinate: str) -> tuple[str, ...]:
    """Return what the speeds of a coordinate may be called."""
    rate = _rate(coordinate)
    return rate, f"{rate}_body", f"{coordinate}_rate"
