"""Machines and the same machines otherwise said: in body space they move alike.

Each way takes a machine and returns a pair: the machine, with what the way needs, and the other
one, with how places, vectors and times of the one become those of the other.
"""

import contextlib
import dataclasses
import io
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from tests.analysis.scattered import random_machine, with_states_and_relations

import bellcrank as bc
from bellcrank.model import mass_properties
from bellcrank.model.elements.joint import scalar_coordinates

SPAN = 0.04  # s
APART = 1e-6  # of places and speeds, and one
MARK = "_mark"  # ends the names of places that are compared
EYE = np.eye(3)
Array = np.ndarray


@dataclass
class Pair:
    """Two machines that move alike.

    Attributes:
        one, other: The machines.
        prefix: What names of the other begin with.
        turn: M of p′ = size (M p + shift); axial vectors follow det M.
        shift: Of places [m].
        size: The other's unit of length, in units of the one.
        clock: The other's unit of time.
        start: Values by name, of the one.
        options: Of the other's run.
        halves: Whether the other is run in two halves.
    """

    one: bc.Model
    other: bc.Model
    prefix: str = ""
    turn: Array = field(default_factory=lambda: EYE)
    shift: Array = field(default_factory=lambda: np.zeros(3))
    size: float = 1.0
    clock: float = 1.0
    options: dict[str, Any] = field(default_factory=dict)
    halves: bool = False


def renamed(model: bc.Model, random: Random) -> Pair:
    """Other names."""
    return Pair(model, model.prefixed("x_"), "x_")


def reordered(model: bc.Model, random: Random) -> Pair:
    """Elements in another order: another tree, other rows."""
    lists = ("bodies", "joints", "points", "forces", "constraints", "drivers", "variables")
    mixed = {name: list(getattr(model, name)) for name in lists}
    for each in mixed.values():
        random.shuffle(each)
    return Pair(model, dataclasses.replace(model, **{k: tuple(v) for k, v in mixed.items()}))


def moved(model: bc.Model, random: Random) -> Pair:
    """Elsewhere."""
    shift = np.array([random.uniform(-1, 1) for _ in range(2)] + [0.0])
    return Pair(model, model.moved(bc.Pose(tuple(shift))), shift=shift)


def rotated(model: bc.Model, random: Random) -> Pair:
    """Turned with gravity, in the plane where it is planar."""
    a, b, c = (random.uniform(-3, 3) for _ in range(3))
    turn = _about(2, a) if model.planar else _about(2, a) @ _about(0, b) @ _about(2, c)
    pulled = turn @ np.append(model.gravity, 0.0)[:3]
    rows: Any = tuple(map(tuple, turn.tolist()))
    pose = bc.Pose((0, 0, 0), rows)
    other = model.moved(pose).replace(gravity=tuple(pulled[: len(model.gravity)]))
    return Pair(model, other, turn=turn)


def mirrored(model: bc.Model, random: Random) -> Pair:
    """The mirror image, with gravity in the plane of the mirror."""
    axis = random.choice("xz" if model.planar else "xyz")
    gravity = np.array(model.gravity)
    if "xyz".index(axis) < len(gravity):
        gravity["xyz".index(axis)] = 0.0
    model = model.replace(gravity=tuple(gravity.tolist()))
    turn = EYE.copy()
    turn["xyz".index(axis), "xyz".index(axis)] = -1.0
    return Pair(model, model.mirrored(axis), turn=turn)


def split(model: bc.Model, random: Random) -> Pair:
    """A body as two that are welded."""
    body = random.choice([each for each in model.bodies if isinstance(each, bc.Body)])
    part, apart = random.uniform(0.2, 0.8), [random.uniform(-0.02, 0.02) for _ in range(3)]
    if model.planar:
        apart[2] = 0.0
    whole, d = mass_properties(body), np.array(apart)
    m, c, I = float(whole.mass), np.array(whole.com), np.array(whole.inertia)
    first, second = part * m, (1 - part) * m
    left = I - first * second / m * _spread(d)
    places = c + (1 - part) * d, c - part * d
    parts = [
        _solid(name, mass, place, share * left, body.pose, model.planar)
        for name, mass, place, share in zip(
            (body.name, "piece"), (first, second), places, (part, 1 - part), strict=True
        )
    ]
    weld = bc.Fixed("seam", body.name, "piece", at=_point(c, model.planar))
    others = tuple(parts[0] if each is body else each for each in model.bodies)
    other = dataclasses.replace(model, bodies=(*others, parts[1]), joints=(*model.joints, weld))
    return Pair(model, other)


def welded(model: bc.Model, random: Random) -> Pair:
    """A body with a lump welded on, and one body of both."""
    body = random.choice([each for each in model.bodies if isinstance(each, bc.Body)])
    whole, mass = mass_properties(body), random.uniform(0.1, 2.0)
    m, c, I = float(whole.mass), np.array(whole.com), np.array(whole.inertia)
    d = np.array([random.uniform(-0.5, 0.5) for _ in range(3)])
    if model.planar:
        d[2] = 0.0
    lump = _solid("lump", mass, c + d, 0.02 * EYE, bc.Pose(), model.planar)
    weld = bc.Fixed("seam", body.name, "lump", at=_point(c + d, model.planar))
    both = I + 0.02 * EYE + m * mass / (m + mass) * _spread(d)
    centre = (m * c + mass * (c + d)) / (m + mass)
    merged = _solid(body.name, m + mass, centre, both, body.pose, model.planar)
    others = tuple(merged if each is body else each for each in model.bodies)
    return Pair(model.add(lump, weld), dataclasses.replace(model, bodies=others))


def doubled(model: bc.Model, random: Random) -> Pair:
    """A joint twice: it repeats what is said."""
    able = [each for each in model.joints if not isinstance(each, bc.Free)]
    if not able:
        return reordered(model, random)
    joint = random.choice(able)
    return Pair(model, model.add(dataclasses.replace(joint, name="again")))


def swapped(model: bc.Model, random: Random) -> Pair:
    """A joint counted from its other body, about the axis turned round."""
    able = [j for j in model.joints if isinstance(getattr(j, "axis", None), tuple)
            and type(j) in (bc.Revolute, bc.Prismatic, bc.Cylindrical, bc.Screw)]  # fmt: skip
    if not able or model.planar:
        return reordered(model, random)
    joint: Any = random.choice(able)
    turned = dataclasses.replace(
        joint, first=joint.second, second=joint.first, axis=tuple(-x for x in joint.axis)
    )
    joints = tuple(turned if each is joint else each for each in model.joints)
    return Pair(model, dataclasses.replace(model, joints=joints))


def scaled(model: bc.Model, random: Random) -> Pair:
    """In other units of length, mass and time, without laws."""
    if model.constraints:
        return rotated(model, random)
    L, M, T = (random.choice((1e-3, 0.1, 25.4, 1e3)) for _ in range(3))
    marks = tuple(point for point in model.points if point.name.endswith(MARK))
    plain = bc.Model(
        model.name, bodies=model.bodies, joints=model.joints, gravity=model.gravity,
        planar=model.planar, points=marks,
    )  # fmt: skip
    bodies = []
    for body in plain.bodies:
        whole, pose = mass_properties(body), bc.Pose(_times(L, body.pose.position))
        inertia = M * L**2 * np.array(whole.inertia)
        com = L * np.array(whole.com)
        bodies.append(_solid(body.name, M * whole.mass, com, inertia, pose, plain.planar))
    joints = [
        dataclasses.replace(
            joint, **{name: _times(L, getattr(joint, name)) for name in ("at", "pitch")
                      if getattr(joint, name, None) is not None}
        )
        for joint in plain.joints
    ]  # fmt: skip
    points = (dataclasses.replace(each, at=_times(L, each.at)) for each in marks)
    other = dataclasses.replace(
        plain, bodies=tuple(bodies), joints=tuple(joints), points=tuple(points),
        gravity=_times(L / T**2, plain.gravity),
    )  # fmt: skip
    return Pair(plain, other, size=L, clock=T)


def regridded(model: bc.Model, random: Random) -> Pair:
    """Recorded at other times."""
    return Pair(model, model, options={"every": SPAN / random.randint(2, 9)})


def continued(model: bc.Model, random: Random) -> Pair:
    """In two halves."""
    return Pair(model, model, halves=True)


def reformulated(model: bc.Model, random: Random) -> Pair:
    """In another formulation."""
    formulation = random.choice([bc.Kane(), bc.Cartesian(), bc.Natural()])
    return Pair(model, model, options={"formulation": formulation})


WAYS: dict[str, Callable[[bc.Model, Random], Pair]] = {
    way.__name__: way
    for way in (
        renamed, reordered, moved, rotated, mirrored, split, welded, doubled, swapped, scaled,
        regridded, continued, reformulated,
    )
}  # fmt: skip


def judge(given: tuple[bool, int, str, int]) -> str | None:
    """Return how far a machine and its other self are apart, if they are.

    Args:
        given: Whether it has variables and relations, its number, the way, and the seed of its
            choices.
    """
    varied, number, way, seed = given
    random = Random(seed)
    model = _marked((with_states_and_relations if varied else random_machine)(number), random)
    with warnings.catch_warnings(), contextlib.redirect_stderr(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            pair = WAYS[way](model, random)
            start = _start(pair, random)
            one = _run(pair.one, SPAN, start)
        except bc.BellcrankError:
            return None  # refused as it is
        try:
            two = _other(pair, start)
        except bc.NotSupported:
            return None
        except bc.BellcrankError as error:
            return f"refused: {type(error).__name__}: {str(error)[:300]}"
    return _apart(pair, one, two)


def _marked(model: bc.Model, random: Random) -> bc.Model:
    """Return a machine with a place on each body, which stays where its mass may not."""
    size = 2 if model.planar else 3
    marks = [
        bc.Point(
            f"{body.name}{MARK}", body.name, tuple(random.uniform(-1, 1) for _ in range(size))
        )
        for body in model.bodies
    ]
    return model.add(*marks)


def _start(pair: Pair, random: Random) -> dict[str, float]:
    """Return the rate of one joint of the tree.

    None in mirrors, which turn some of them, nor where another joint closes a loop: what is not
    named begins nearest to rest of the tree, which is then another one.
    """
    common = {j.name for j in pair.one.joints} & {j.name for j in pair.other.joints}
    trees = [common.intersection(m.graph.tree_joint) for m in (pair.one, pair.other)]
    if np.linalg.det(pair.turn) < 0 or trees[0] != trees[1] or random.random() < 0.2:
        return {}
    driven = {driver.of for driver in pair.one.drivers}
    tree = (pair.one[name] for name in pair.one.graph.tree_joint)
    places = [
        f"{j.name}.{c}" for j in tree if j.name not in driven for c in scalar_coordinates(j)
    ]
    return {f"{random.choice(places)}_rate": random.uniform(-3, 3)} if places else {}


def _run(model: bc.Model, until: float, start: Any, **options: Any) -> bc.Result:
    inputs = {one.name: "0.1*sin(t)" for one in model.inputs}
    every = options.pop("every", abs(until))
    return bc.simulate(model, until, start=start, every=every, inputs=inputs, **options)


def _other(pair: Pair, start: dict[str, float]) -> bc.Result:
    rates = {}
    for name, value in start.items():
        long = 1.0 if name.rpartition(".")[2].startswith("angle") else pair.size
        rates[f"{pair.prefix}{name}"] = value * long / pair.clock
    span = SPAN * pair.clock
    if not pair.halves:
        return _run(pair.other, span, rates, **pair.options)
    half = _run(pair.other, span / 2, rates)
    inputs = {one.name: "0.1*sin(t)" for one in pair.other.inputs}
    return bc.simulate(pair.other, span, start=half, every=span / 2, inputs=inputs)


def _apart(pair: Pair, one: bc.Result, two: bc.Result) -> str | None:
    """Return what is apart by most, if that is too far."""
    turn, axial = pair.turn, np.linalg.det(pair.turn) * pair.turn
    worst, what = 0.0, ""
    common = [b.name for b in pair.one.bodies if f"{pair.prefix}{b.name}" in pair.other.names]
    for name in common:
        for channel, map_, unit in (
            (f"{MARK}.position", lambda p: turn @ p + pair.shift, pair.size),
            (f"{MARK}.velocity", lambda v: turn @ v, pair.size / pair.clock),
            (".angular_velocity", lambda v: axial @ v, 1.0 / pair.clock),
        ):
            if f"{name}{channel}" not in one:
                continue  # particles do not turn
            a = map_(_spatial(one, f"{name}{channel}"))
            b = _spatial(two, f"{pair.prefix}{name}{channel}") / unit
            far = float(np.abs(a - b).max() / (1.0 + np.abs(a).max()))
            if not far <= worst:
                worst, what = far, f"{name}{channel}"
    for each in pair.one.variables:
        a, b = one.values(each.name)[-1], two.values(f"{pair.prefix}{each.name}")[-1]
        far = float(np.abs(a - b).max() / (1.0 + np.abs(a).max()))
        if not far <= worst:
            worst, what = far, each.name
    return None if worst < APART else f"apart: {what} by {worst:.3g}"


def _spatial(run: bc.Result, name: str) -> Array:
    """Return the last value of a vector, in the plane too."""
    value = np.atleast_1d(run.values(name)[-1])
    if len(value) == 1:
        return np.array([0.0, 0.0, value[0]])
    return np.append(value, 0.0)[:3]


def _about(axis: int, angle: float) -> Array:
    turn, (i, j) = EYE.copy(), [k for k in range(3) if k != axis]
    turn[i, i] = turn[j, j] = np.cos(angle)
    turn[i, j], turn[j, i] = -np.sin(angle), np.sin(angle)
    return turn


def _spread(d: Array) -> Array:
    return d @ d * EYE - np.outer(d, d)


def _solid(
    name: str, mass: Any, com: Array, inertia: Array, pose: bc.Pose, planar: bool
) -> bc.Body:
    """Return a body by numbers; inertia in world components of the drawing."""
    R = np.array(pose.rotation, dtype=float)
    I = R.T @ inertia @ R
    entries = tuple(float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    return bc.Body(name, mass=float(mass), com=_point(com, planar), inertia=entries, pose=pose)


def _point(p: Array, planar: bool) -> tuple[float, ...]:
    return tuple(float(x) for x in (p[:2] if planar else p))


def _times(factor: float, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_times(factor, each) for each in value)
    return factor * value
