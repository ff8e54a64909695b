"""The state a large machine begins with: Newton's method on Φ with sparse matrices.

Corrections are the smallest in the mass metric, [A Cᵀ; C 0] [δ; μ] = [0; −Φ], and so are those
of speeds. Values named of joints put the bodies in place along the tree, number by number;
where that does not close the machine, named coordinates are held as if they were driven. What
is named far from the drawing is followed there in joint coordinates, as for any machine, while
there are not too many of them to be written out; beyond that, `large_following` does so.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from bellcrank.constraints.closing import Target
from bellcrank.constraints.following import SMALL
from bellcrank.errors import StartError
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.kernels.assembled import Assembled, State
from bellcrank.machine.full_turns import with_full_turns
from bellcrank.machine.start import beginning, split_near, split_start
from bellcrank.machine.system import System
from bellcrank.model import Body, Drive, Model, VelocityConstraint, mass_properties
from bellcrank.model.edit import with_values
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.model.joints import scalar_coordinates
from bellcrank.prepare.large_closing import EXACT, check_rounding, closed, moving, open_rows
from bellcrank.prepare.large_following import driven

Array = np.ndarray
FOLLOWED = 150  # joint coordinates, up to which names are followed in them


def large_beginning(
    model: Model,
    formulation: AbstractFormulation,
    system: System,
    machine: Assembled,
    start: Mapping[str, Any] | None,
    angles: Mapping[str, float],
    t: float,
    w: Array,
    p: Array,
    exact: bool = True,
) -> tuple[Array, Array, Array]:
    """Return q, u and k for start values by name.

    Args:
        model: The machine.
        formulation: How its equations are written.
        system: Its names.
        machine: Its equations.
        start: Such as {"A.angle": 0.3}, or in names of the formulation's own coordinates.
        angles: Angles of joints by name, full turns and all, where they are known.
        t: The time [s].
        w: Inputs.
        p: Parameter values in order.
        exact: Whether named values of own coordinates must be met, or may be corrected.

    Raises:
        StartError: Names or values that do not fit the machine, or one that cannot be closed.
    """
    known = dict(angles)
    targets: tuple[Target, ...] = ()
    own = not isinstance(start, Mapping) or all(name in system.places for name in start)
    far = False
    if own:
        q, u = system.pack(start, parameters=p)
    else:
        q, u, targets, found, far = _along_tree(model, system, start, t, w, p)
        known |= found
    tied = bool(model.graph.loops or model.constraints or model.drivers)
    rounding = partial(check_rounding, machine, sizes=system.speed_sizes, slack=system.slack)
    placed, held = _held(model, formulation, machine, targets, p, "position"), q
    try:
        if far or (own and not start and open_rows(machine, t, q, u, w)[1] > SMALL):
            drawing = system.pack({}, parameters=p)[0]
            q = driven(placed[1], t, drawing, system.speed_sizes, w)
        q = closed(placed, t, q, u, w)
        said = any(target.level == "velocity" for target in targets)
        paced = _held(model, formulation, machine, targets, p, "velocity")
        u = moving(paced, t, q, u, w, said)
    except StartError:
        if tied:  # rounded rows stand in each other's way
            rounding(machine.state(t, held, u, w=w))
        raise
    if tied:
        least = max(EXACT, 100.0 * open_rows(machine, t, q, u, w)[1])
        rounding(machine.state(t, q, u, w=w), exact=least)
    if own and exact:
        _check_named(system, start, q, u)
    q = _turned(model, system, q, p, known)
    return q, u, _memory(model, system, machine.state(t, q, u, w=w), machine, known)


# --- where named joints put the bodies


def _along_tree(
    model: Model, system: System, start: Any, t: float, w: Array, p: Array
) -> tuple[Array, Array, tuple[Target, ...], dict[str, float], bool]:
    """Return q and u of bodies along the tree, what was named of joints, and their angles.

    Last comes whether what was named is still to be followed from the drawing.
    """
    from bellcrank.formulations.joint_coordinates.layout import layout
    from bellcrank.formulations.joint_coordinates.scene import TreeScene

    picture = System(JointCoordinates().equations(model), slack=system.slack)
    said, near = split_near(start)
    direct, targets = split_start(picture, said)
    q, u = picture.pack(direct, parameters=p)
    far = bool(near or (targets and picture.equations.rows) or _far(picture, q, p))
    if far and len(q) <= FOLLOWED:
        x, far = beginning(picture, start, t, w, p)[0], False
        q, u = x[: len(q)], x[len(q) : len(q) + len(u)]
    elif near:
        raise StartError(
            f"Near takes machines of at most {FOLLOWED} joint coordinates, "
            f"'{picture.equations.name}' has {len(q)}. Draw it on the branch that is wanted."
        )
    scalars = {"t": [t], "q": q.tolist(), "u": u.tolist(), "s": [], "p": p.tolist(), "k": []}
    scalars["w"] = [0.0] * len(model.inputs)
    scene = TreeScene(model, layout(model), scalars)
    places, values = system.places, (np.zeros(len(system.coordinates)),
                                     np.zeros(len(system.speeds)))  # fmt: skip
    named = dict(zip(picture.parameters, p.tolist(), strict=True))
    for body in model.bodies:
        _embed(scene, body, places, values, named)
    held = [*targets, *_named(picture, direct)]
    found = dict(zip(picture.coordinates, q.tolist(), strict=True))
    found |= {target.name: target.value for target in targets if target.turns}
    whole = all(picture.places[name][2] == 1 for name in direct)  # of others none is held
    return *values, tuple(held), found, far and whole


def _far(picture: System, q: Array, p: Array) -> bool:
    """Return whether what is named would be followed from the drawing."""
    drawn = picture.pack({}, parameters=p)[0]
    return bool(picture.equations.rows) and float(np.abs(q - drawn).max(initial=0.0)) > SMALL


def _embed(
    scene: Any,
    body: Any,
    places: Mapping[str, tuple[str, int, int]],
    values: tuple[Array, Array],
    named: Mapping[str, float],
) -> None:
    """Write where a body is, and how it moves, at its places in q and u."""
    name, (q, u) = body.name, values
    frame = f"{name}.origin" in places or f"{name}.origin_x" in places
    at = body.pose.position if frame and isinstance(body, Body) else mass_properties(body).com
    at = [evaluate(x, named) if isinstance(x, Expression) else x for x in at]
    moving, turning = scene.point(name, at), scene.turning(name)
    stem = "origin" if frame else "position"
    rows = _numbers([*moving.position, *moving.velocity, *turning.velocity]).reshape(3, 3)
    if f"{name}.angle" in places or f"{name}.x" in places or f"{name}.origin_x" in places:
        first = places[f"{name}.origin_x" if frame else f"{name}.x"][1]
        second = places[f"{name}.origin_x_rate" if frame else f"{name}.x_rate"][1]
        q[first : first + 2], u[second : second + 2] = rows[0, :2], rows[1, :2]
        if f"{name}.angle" in places:
            e = _numbers(scene.attitude(name))
            q[first + 2], u[second + 2] = 2.0 * np.arctan2(e[3], e[0]), rows[2, 2]
        return
    first = places[f"{name}.{stem}"][1]
    second = places[f"{name}.{'origin_rate' if frame else 'velocity'}"][1]
    q[first : first + 3], u[second : second + 3] = rows[0], rows[1]
    if f"{name}.orientation" in places:
        e = _numbers(scene.attitude(name))
        q[first + 3 : first + 7] = e
        u[second + 3 : second + 6] = _rotation(e).T @ rows[2]


def _numbers(scalars: Sequence[Any]) -> Array:
    return np.array([float(scalar) for scalar in scalars])


def _rotation(e: Array) -> Array:
    """Return the matrix of Euler parameters, body to world."""
    skew = np.array([[0, -e[3], e[2]], [e[3], 0, -e[1]], [-e[2], e[1], 0]])
    return (
        (e[0] ** 2 - e[1:] @ e[1:]) * np.eye(3) + 2 * np.outer(e[1:], e[1:]) + 2 * e[0] * skew
    )


def _named(picture: System, direct: Mapping[str, Any]) -> list[Target]:
    """Return what was named of joints in the tree, as what must be shown of them."""
    found = []
    for name, value in direct.items():
        vector, first, size = picture.places[name]
        if size > 1:
            continue
        variables = picture.equations.coordinates if vector == "q" else picture.equations.speeds
        full, level = variables[first].name, "position" if vector == "q" else "velocity"
        found.append(Target(full, full, float(np.ravel(value)[0]), level, False))
    return found


def _held(
    model: Model,
    formulation: AbstractFormulation,
    machine: Assembled,
    targets: Sequence[Target],
    p: Array,
    level: str,
) -> "tuple[Assembled, Assembled]":
    """Return the machine, and the machine with what was named held."""
    wanted = [target for target in targets if target.level == level]
    if not wanted:
        return machine, machine
    holds: list[Any] = []
    for target in wanted:
        joint, _, coordinate = (target.name if level == "position" else target.rate).rpartition(
            "."
        )
        label = f"start of {joint} {coordinate}"
        if level == "position":
            holds.append(Drive(label, joint, **{coordinate: target.value}))
        else:
            terms = {f"{joint}.{coordinate}": 1.0}
            holds.append(VelocityConstraint(label, terms, equals=target.value))
    values = dict(zip(machine.equations.parameters, p.tolist(), strict=True))
    held = with_values(model.add(*holds), values)
    return machine, Assembled(formulation.equations(held), p)


def _check_named(system: System, start: Any, q: Array, u: Array) -> None:
    """Complain about values of own coordinates that the constraints do not allow."""
    lost = []
    for name, value in (start or {}).items():
        vector, first, size = system.places[name]
        found = (q if vector == "q" else u)[first : first + size]
        wanted = np.atleast_1d(np.asarray(value, dtype=float))
        if vector == "q" and size == 4:
            wanted = wanted / np.linalg.norm(wanted) * np.sign(wanted @ found or 1.0)
        if np.abs(found - wanted).max() > 1e-6 * (1.0 + np.abs(wanted).max()):
            lost.append(name)
    if lost:
        shown = ", ".join(map(repr, lost[:6])) + (", …" if len(lost) > 6 else "")
        raise StartError(
            f"the constraints do not allow what start says of {shown}. Name joints instead, or "
            "give values that fit each other."
        )


def _drawn(model: Model, name: str, parameters: Mapping[str, float] | None = None) -> float:
    """Return an angle of a joint in the drawing, which memory leaves out [rad]."""
    owner, _, coordinate = name.rpartition(".")
    joint = model[owner]
    drawn = joint.drawn[scalar_coordinates(joint).index(coordinate)]
    return evaluate(drawn, parameters or {}) if isinstance(drawn, Expression) else drawn


def _turned(
    model: Model, system: System, q: Array, p: Array, known: Mapping[str, float]
) -> Array:
    """Return q with the full turns that are known of angles which are sums of coordinates."""
    e = system.equations
    sums = {name: terms for name, terms in e.sums.items() if name in known}
    if not sums:
        return q
    named = system.named(p)
    moved = q - np.array(e.drawing(named))
    seen = {
        name: _drawn(model, name, named) + sum(factor * moved[i] for i, factor in terms)
        for name, terms in sums.items()
    }
    return with_full_turns(q, sums, seen, known)


def _memory(
    model: Model, system: System, state: State, machine: Assembled, known: Mapping[str, float]
) -> Array:
    """Return k: sides of switches, and the angles nearest to those that are known."""
    e = system.equations
    k = np.ones(len(e.memory))
    k[e.modes :] = 0.0
    k = machine.revised(replace(state, k=k))
    for i, variable in enumerate(e.memory):
        if variable.quantity == "angle" and variable.name in known:
            seen = k[i] + k[i + 1] * state.t + _drawn(model, variable.name)
            k[i] += 2 * np.pi * round((known[variable.name] - seen) / (2 * np.pi))
    for _ in range(e.modes):  # a switch may depend on another, or on an angle
        before, k = k, machine.revised(replace(state, k=k))
        if np.array_equal(before, k):
            break
    return k
