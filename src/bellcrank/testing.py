"""Random machines and states for property-based tests, yours included.

`mechanisms()` and `states(model)` are hypothesis strategies. The shape of a machine (how many
bodies, which joint, on which body it hangs, what acts on it) is drawn by hypothesis, so a
failure shrinks to the smallest machine that shows it; lengths, masses and axes follow from one
seed and do not shrink.

Examples:
    A law that any machine obeys, in three lines of a test file:

    >>> from hypothesis import given
    >>> @given(mechanisms())
    ... def test_a_machine_is_a_value(model):
    ...     assert model == model.replace(model.bodies[0].name)
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank import model as elements
from bellcrank.errors import MissingExtra
from bellcrank.model.elements import kinds
from bellcrank.model.elements.gravity import Everywhere
from bellcrank.model.elements.walking import field_names

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from bellcrank.model import Model

KINDS = kinds.named("joint")
"""Every joint of the package, by the name of its class."""

FORCES = tuple(
    name
    for name in kinds.named("force")
    if not issubclass(kinds.KINDS["force"][name], Everywhere)
)
"""Every force element of the package, by the name of its class."""

PLACES = ("root", "middle", "leaf")
"""Where in a chain of three a joint can be."""


def machine(
    kinds: Sequence[str],
    lower: Sequence[int] = (),
    seed: int = 0,
    *,
    forces: Sequence[str] = (),
    turned: bool = True,
    gravity: Sequence[float] = (0.3, -0.2, -9.81),
) -> Model:
    """Return the random tree that a seed stands for.

    Body K (from 1) hangs on body `lower[K - 1]` by a joint of kind `kinds[K - 1]`.

    Args:
        kinds: One joint class per body, names of `KINDS`.
        lower: Number of the lower body of each, 0 for ground; a chain when empty.
        seed: Of all numbers: places, axes, masses, inertias.
        forces: Force elements to add, names of `FORCES`.
        turned: Whether some bodies have a pose of their own and some joints name the outer
            body first. Without it, frames coincide with the world in the drawing.
        gravity: World components [m/s²], shape (3,).

    Examples:
        >>> [joint.name for joint in machine(["Free", "Revolute"]).joints]
        ['J1', 'J2']
    """
    rng = np.random.default_rng(seed)
    lower = tuple(lower) or tuple(range(len(kinds)))
    bodies = [_body(f"B{k + 1}", rng, turned) for k in range(len(kinds))]
    joints = []
    for k, (kind, L) in enumerate(zip(kinds, lower, strict=True)):
        ends = ("ground" if L == 0 else f"B{L}", f"B{k + 1}")
        swap = turned and L != 0 and rng.random() < 0.3
        first, second = ends[::-1] if swap else ends
        joints.append(_joint(kind, f"J{k + 1}", (first, second), rng))
    acting = [_FORCE_MAKERS[kind](f"F{k + 1}", joints, rng) for k, kind in enumerate(forces)]
    tip = elements.Point("tip", f"B{len(kinds)}", at=tuple(rng.uniform(-1, 1, 3)))
    return elements.Model(
        "random machine",
        bodies=bodies,
        joints=joints,
        forces=[force for force in acting if force is not None],
        points=[tip],
        gravity=tuple(float(g) for g in gravity),
    )


def mechanisms(
    *,
    max_bodies: int = 4,
    kinds: Sequence[str] = KINDS,
    forces: Sequence[str] = FORCES,
    turned: bool = True,
) -> SearchStrategy[Model]:
    """Return a strategy of tree-structured machines.

    Args:
        max_bodies: The most bodies a machine has.
        kinds: The joints to choose from.
        forces: The force elements to choose from; none when empty.
        turned: As in `machine`.
    """
    st = _strategies()

    @st.composite
    def draw_machine(draw: Callable[[Any], Any]) -> Model:
        count = draw(st.integers(1, max_bodies))
        names = draw(st.lists(st.sampled_from(kinds), min_size=count, max_size=count))
        lower = [draw(st.integers(0, k)) for k in range(count)]
        acting = draw(st.lists(st.sampled_from(forces), max_size=3)) if forces else []
        seed = draw(st.integers(0, 2**20))
        return machine(names, lower, seed, forces=acting, turned=turned)

    return draw_machine()


def placed(kind: str, place: str, **options: Any) -> SearchStrategy[Model]:
    """Return a strategy of three-body chains with one kind of joint at one place.

    Args:
        kind: A name of `KINDS`.
        place: A name of `PLACES`.
        **options: As in `machine`.
    """
    st = _strategies()
    others = [name for name in KINDS if name not in ("Fixed", "Free")]

    @st.composite
    def draw_machine(draw: Callable[[Any], Any]) -> Model:
        names = draw(st.lists(st.sampled_from(others), min_size=3, max_size=3))
        names[PLACES.index(place)] = kind
        return machine(names, seed=draw(st.integers(0, 2**20)), **options)

    return draw_machine()


def states(model: Model) -> SearchStrategy[dict[str, Any]]:
    """Return a strategy of values for every coordinate and speed of a model's joints.

    What it draws can be given to `simulate(start=)` and to `System.pack`.
    """
    st = _strategies()
    return st.integers(0, 2**20).map(lambda seed: state(model, seed))


def state(model: Model, seed: int = 0) -> dict[str, Any]:
    """Return the random state that a seed stands for: name to value.

    Angles within ±2 rad, offsets within ±1 m, orientations unit Euler parameters, speeds of
    size one.

    Examples:
        >>> sorted(state(machine(["Spherical"])))
        ['J1.angular_velocity', 'J1.orientation']
    """
    rng = np.random.default_rng(seed)
    values: dict[str, Any] = {}
    for joint in model.joints:
        for name in joint.coordinates:
            values[f"{joint.name}.{name}"] = _coordinate(name, rng)
        for name in joint.speeds:
            size = 3 if name in ("velocity", "angular_velocity") else 1
            speed = rng.normal(size=size)
            values[f"{joint.name}.{name}"] = tuple(speed) if size == 3 else float(speed[0])
    return values


def _coordinate(name: str, rng: np.random.Generator) -> Any:
    if name == "orientation":
        p = rng.normal(size=4)
        return tuple(p / np.linalg.norm(p))
    if name == "position":
        return tuple(rng.uniform(-1, 1, 3))
    return float(rng.uniform(-2, 2) if name.startswith("angle") else rng.uniform(-1, 1))


def _body(name: str, rng: np.random.Generator, turned: bool) -> Any:
    # The moments of a solid ellipsoid obey the triangle inequalities.
    a, b, c = rng.uniform(0.1, 0.6, 3) ** 2
    mass = float(rng.uniform(0.3, 3.0))
    axes = _rotation(rng)
    inertia = axes @ np.diag(mass / 5 * np.array([b + c, a + c, a + b])) @ axes.T
    pose = elements.Pose()
    if turned and rng.random() < 0.5:
        pose = elements.Pose(tuple(rng.uniform(-1, 1, 3)), _rows(_rotation(rng)))
    inertia = tuple(inertia[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
    com = tuple(rng.uniform(-1, 1, 3))
    return elements.Body(name, mass=mass, com=com, inertia=inertia, pose=pose)


def _joint(kind: str, name: str, ends: tuple[str, str], rng: np.random.Generator) -> Any:
    make: Any = kinds.KINDS["joint"][kind]
    at, R_WJ = tuple(rng.uniform(-1, 1, 3)), _rotation(rng)
    drawn = [field for field in make.TRIAD if field in field_names(make) and field != "along"]
    given: dict[str, Any] = {field: tuple(R_WJ[:, i]) for i, field in enumerate(drawn)}
    if make.mobility.lead:
        given[make.mobility.lead] = float(rng.uniform(-0.5, 0.5))
    if kind == "Revolute":
        given["drawn"] = float(rng.uniform(-1, 1))
    return make(name, *ends, at=at, **given)


def _scalar_coordinate(joints: list[Any], rng: np.random.Generator) -> tuple[str, str] | None:
    choices = [
        (joint.name, name)
        for joint in joints
        for name in joint.coordinates
        if name not in ("orientation", "position")
    ]
    return choices[rng.integers(len(choices))] if choices else None


def _some_body(joints: list[Any], rng: np.random.Generator) -> str:
    return f"B{rng.integers(len(joints)) + 1}"


def _end(body: str, rng: np.random.Generator) -> tuple[str, tuple[float, ...]]:
    return body, tuple(rng.uniform(-1, 1, 3))


def _spring_damper(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    ends = _end("ground", rng), _end(_some_body(joints, rng), rng)
    k, c, length = (float(x) for x in rng.uniform((5, 0.1, 0.2), (50, 2, 1)))
    return elements.SpringDamper(name, *ends, stiffness=k, damping=c, length=length)


def _joint_spring(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    found = _scalar_coordinate(joints, rng)
    if found is None:
        return None
    k, c, rest = (float(x) for x in rng.uniform((1, 0.1, -1), (20, 2, 1)))
    return elements.JointSpring(name, *found, stiffness=k, damping=c, rest=rest)


def _bushing(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    ends = _end("ground", rng), _end(_some_body(joints, rng), rng)
    stiffness, damping = tuple(rng.uniform(1, 20, 6)), tuple(rng.uniform(0.1, 1, 6))
    return elements.Bushing(name, *ends, stiffness=stiffness, damping=damping)


def _force(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    body, at = _end(_some_body(joints, rng), rng)
    frame = str(rng.choice(["world", "body"]))
    vector = (float(rng.normal()), f"{rng.uniform(0.1, 1)}*sin(t)", float(rng.normal()))
    return elements.Force(name, body, vector, at=at, frame=frame)


def _torque(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    frame = str(rng.choice(["world", "body"]))
    return elements.Torque(
        name, _some_body(joints, rng), tuple(rng.normal(size=3)), frame=frame
    )


def _motor(name: str, joints: list[Any], rng: np.random.Generator) -> Any:
    found = _scalar_coordinate(joints, rng)
    if found is None:
        return None
    joint, coordinate = found
    effort = f"{rng.uniform(0.1, 1)} - 0.3*{joint}.{coordinate}_rate"
    return elements.Motor(name, joint, effort, coordinate=coordinate)


_FORCE_MAKERS: dict[str, Callable[[str, list[Any], np.random.Generator], Any]] = {
    "SpringDamper": _spring_damper,
    "JointSpring": _joint_spring,
    "Bushing": _bushing,
    "Force": _force,
    "Torque": _torque,
    "Motor": _motor,
}


def _rotation(rng: np.random.Generator) -> np.ndarray:
    """Return a random right-handed rotation, shape (3, 3)."""
    Q, R = np.linalg.qr(rng.normal(size=(3, 3)))
    Q = Q * np.sign(np.diag(R))
    return Q if np.linalg.det(Q) > 0 else -Q


def _rows(matrix: np.ndarray) -> Any:
    return tuple(tuple(float(x) for x in row) for row in matrix)


def _strategies() -> Any:
    try:
        return importlib.import_module("hypothesis.strategies")
    except ImportError:
        raise MissingExtra("hypothesis", "test", "bellcrank.testing") from None
