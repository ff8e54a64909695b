"""From a model to its scene: which surface stands for which element.

Thin things (rods, joints, springs) have no thickness of their own; theirs is a part of the
machine's size, so that a watch and a crane look alike.
"""

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import bellcrank.model as elements
from bellcrank.errors import BellcrankError
from bellcrank.model import Model, mass_properties
from bellcrank.model.elements.fields import Refused
from bellcrank.model.expressions import Signal, walk
from bellcrank.views import surfaces
from bellcrank.views.joints_drawn import joint_parts
from bellcrank.views.scene import (
    PALETTE,
    SPRING,
    STEEL,
    Anchor,
    Arrow,
    DrawnScene,
    Mark,
    Numbers,
    Part,
    Tie,
)
from bellcrank.views.surfaces import Surface, upright

THIN = 0.014  # radius of a thin rod, as a part of the machine's size


def draw(model: Model, parameters: Mapping[str, float] | None = None) -> DrawnScene:
    """Return what is drawn of a machine.

    Args:
        model: The machine.
        parameters: Values by name over the model's own.
    """
    numbers = Numbers(model, dict(parameters or {}))
    size = machine_size(numbers)
    notes: list[str] = []
    parts = [
        *(part for body in model.bodies for part in _body(numbers, body, size, notes)),
        *(part for joint in model.joints for part in joint_parts(numbers, joint, size)),
        *(part for force in model.forces for part in _joint_spring(numbers, force, size)),
    ]
    gravity = numbers.point(model.gravity)
    level = float(np.linalg.norm(gravity))
    default = (0.0, 1.0, 0.0) if model.planar else (0.0, 0.0, 1.0)
    return DrawnScene(
        name=model.name,
        bodies=("ground", *(body.name for body in model.bodies)),
        parts=tuple(parts),
        ties=tuple(_ties(numbers, size)),
        arrows=tuple(_arrows(numbers)),
        marks=tuple(_marks(numbers)),
        size=size,
        up=-gravity / level if level > 0 else np.array(default),
        axis=_common_axis(numbers),
        drawn=numbers.centers,
        turned=numbers.turned,
        notes=tuple(notes),
    )


def machine_size(numbers: Numbers) -> float:
    """Return the diagonal of the box around joints, points and shapes of the drawing [m]."""
    model = numbers.model
    found = [numbers.centers[1:]]
    for joint in model.joints:
        found += [numbers.point(joint.at_first)[None], numbers.point(joint.at_second)[None]]
    found += [numbers.point(point.at)[None] for point in model.points]
    for element in (*model.forces, *model.constraints):
        for end in element.ENDS:
            found.append(numbers.point(model.end(getattr(element, end))[1])[None])
    for shape in (shape for body in model.bodies for shape in body.shapes):
        try:
            found.append(solid(numbers, shape, 0.0).vertices)
        except (BellcrankError, Refused):
            continue
    points = np.concatenate(found) if found else np.zeros((1, 3))
    size = float(np.linalg.norm(np.ptp(points, axis=0))) if len(points) else 0.0
    return size if size > 0 else 1.0


# --- bodies -------------------------------------------------------------------------------


def solid(numbers: Numbers, shape: Any, thin: float) -> Surface:
    """Return the surface of a shape, world numbers of the drawing [m].

    Args:
        numbers: Of the model.
        shape: What the body is made of.
        thin: Radius of what has none [m].
    """
    return _SOLIDS[type(shape)](numbers, shape, thin)


def _rod(numbers: Numbers, shape: Any, thin: float) -> Surface:
    ends = numbers.point(shape.start), numbers.point(shape.end)
    if shape.radius is None:
        return surfaces.bar(*ends, thin, round_ends=thin > 0)
    return surfaces.bar(*ends, numbers.number(shape.radius))


def _axial(round_ends: bool) -> Callable[[Numbers, Any, float], Surface]:
    def along(numbers: Numbers, shape: Any, thin: float) -> Surface:
        ends = numbers.point(shape.start), numbers.point(shape.end)
        return surfaces.bar(*ends, numbers.number(shape.radius), round_ends=round_ends)

    return along


def _tube(numbers: Numbers, shape: Any, thin: float) -> Surface:
    start, end = numbers.point(shape.start), numbers.point(shape.end)
    outer, inner = numbers.number(shape.radius), numbers.number(shape.inner)
    wall = max(outer - inner, 0.05 * outer)
    made = surfaces.ring(outer - wall / 2, wall, float(np.linalg.norm(end - start)))
    return made.moved(upright(end - start), 0.5 * (start + end))


def _cone(numbers: Numbers, shape: Any, thin: float) -> Surface:
    start, end = numbers.point(shape.start), numbers.point(shape.end)
    r, h = numbers.number(shape.radius), float(np.linalg.norm(end - start))
    made = surfaces.revolved([(0, 0), (r, 0), (r, 0), (0, h)])
    return made.moved(upright(end - start), start)


def _ellipsoid(numbers: Numbers, shape: Any, thin: float) -> Surface:
    R = numbers.array(shape.rotation) @ np.diag(numbers.point(shape.radii))
    return surfaces.ball(1.0).moved(R, numbers.point(shape.center))


def _torus(numbers: Numbers, shape: Any, thin: float) -> Surface:
    R, r = numbers.number(shape.radius), numbers.number(shape.tube)
    angle = np.linspace(np.pi, -np.pi, 25)
    made = surfaces.revolved(np.stack([R + r * np.cos(angle), -r * np.sin(angle)], 1))
    return made.moved(upright(numbers.point(shape.axis)), numbers.point(shape.center))


def _box(numbers: Numbers, shape: Any, thin: float) -> Surface:
    size = np.maximum(numbers.point(shape.size), 0.2 * thin)
    R = numbers.array(shape.rotation)
    return surfaces.box(size).moved(R, numbers.point(shape.center))


def _sphere(numbers: Numbers, shape: Any, thin: float) -> Surface:
    radius = numbers.number(shape.radius)
    return surfaces.ball(radius).moved(np.eye(3), numbers.point(shape.center))


def _disc(numbers: Numbers, shape: Any, thin: float) -> Surface:
    radius, center = numbers.number(shape.radius), numbers.point(shape.center)
    axis = upright(numbers.point(shape.axis))[:, 2]
    half = max(0.25 * thin, 0.01 * radius)
    return surfaces.bar(center - half * axis, center + half * axis, radius)


def _point_masses(numbers: Numbers, shape: Any, thin: float) -> Surface:
    masses = numbers.array(shape.masses)
    points = [numbers.point(point) for point in shape.points]
    middle = sum(m * p for m, p in zip(masses, points, strict=True)) / masses.sum()
    radii = 2.2 * thin * np.cbrt(masses / masses.max())
    balls = [surfaces.ball(r).moved(np.eye(3), p) for r, p in zip(radii, points, strict=True)]
    links = [
        surfaces.bar(middle, p, 0.4 * thin) for p in points if np.linalg.norm(p - middle) > thin
    ]
    return surfaces.merged([*balls, *links])


def _mesh(numbers: Numbers, shape: Any, thin: float) -> Surface:
    vertices, faces = shape.triangles()
    R = numbers.array(shape.pose.rotation) @ np.diag(numbers.array(shape.scale))
    return Surface(vertices, faces).moved(R, numbers.point(shape.pose.position))


_SOLIDS: dict[type, Callable[[Numbers, Any, float], Surface]] = {
    elements.Rod: _rod,
    elements.Cylinder: _axial(False),
    elements.Capsule: _axial(True),
    elements.Tube: _tube,
    elements.Cone: _cone,
    elements.Ellipsoid: _ellipsoid,
    elements.Torus: _torus,
    elements.Box: _box,
    elements.Sphere: _sphere,
    elements.Disc: _disc,
    elements.PointMasses: _point_masses,
    elements.Mesh: _mesh,
}


def _body(numbers: Numbers, body: Any, size: float, notes: list[str]) -> Iterator[Part]:
    k = numbers.index[body.name]
    colour = PALETTE[(k - 1) % len(PALETTE)]
    shown = 0
    for shape in body.shapes:
        try:
            surface = solid(numbers, shape, THIN * size)
        except (BellcrankError, Refused) as error:
            notes.append(f"body '{body.name}': {error}")
            continue
        shown += 1
        yield Part(body.name, "body", k, numbers.carried(k, surface), colour)
    if not shown:
        yield Part(body.name, "body", k, _stand_in(numbers, body, k, size), colour)


def _stand_in(numbers: Numbers, body: Any, k: int, size: float) -> Surface:
    """Return the picture of a body without shapes: its mass, and links to where it is held.

    The mass is the even box that has its mass and inertia, or a ball where it has no inertia.
    """
    held = [j.at_first if j.first == body.name else j.at_second
            for j in numbers.model.joints if body.name in (j.first, j.second)]  # fmt: skip
    held += [p.at for p in numbers.model.points if p.body == body.name]
    acting = (*numbers.model.forces, *numbers.model.constraints)
    ends = [numbers.model.end(getattr(e, field)) for e in acting for field in e.ENDS]
    held += [point for name, point in ends if name == body.name]
    points = numbers.local(k, np.array([numbers.point(p) for p in held] or np.zeros((0, 3))))
    links = [
        surfaces.bar((0, 0, 0), p, THIN * size, round_ends=True)
        for p in points
        if np.linalg.norm(p) > 0.03 * size
    ]
    properties = mass_properties(body)
    mass, J = numbers.number(properties.mass), numbers.array(properties.inertia)
    J = numbers.turned[k].T @ J @ numbers.turned[k]
    moments, axes = np.linalg.eigh(J)
    squares = 6 * (moments.sum() - 2 * moments) / (mass if mass > 0 else 1.0)
    edges = np.sqrt(np.maximum(squares, 0.0))
    if not 0.02 * size <= edges.max() <= 5 * size or links:
        lump = surfaces.ball((2.0 if mass > 0 else 0.8) * THIN * size)
    else:
        edges = np.maximum(edges, 0.06 * edges.max())
        lump = surfaces.box(edges).moved(axes * np.sign(np.linalg.det(axes)))
    return surfaces.merged([lump, *links])


# --- forces, points, names ----------------------------------------------------------------


_LOOKS = {
    "spring": (0.024, SPRING),
    "bushing": (0.024, SPRING),
    "link": (0.007, STEEL),
    "relation": (0.004, STEEL),
}
"""Radius, as a part of the machine's size, and colour of what is drawn between two ends."""
DASH = 0.04  # of the machine's size: from dash to dash


def _ties(numbers: Numbers, size: float) -> Iterator[Tie]:
    for element in (*numbers.model.forces, *numbers.model.constraints):
        ends = _sides(numbers, element) if element.PICTURE else ()
        if len(ends) == 2:
            radius, colour = _LOOKS[element.PICTURE]
            made = surfaces.shaft()
            if element.PICTURE == "spring":
                length = numbers.number(numbers.model.drawn_length(element))
                made = surfaces.coil(max(length, radius * size) / (radius * size))
            yield Tie(element.name, element.PICTURE, ends, radius * size, colour, made)
        if isinstance(element, elements.Rope):
            anchors = [numbers.end(name) for name in element.points]
            radius, colour = _LOOKS["link"]
            for pair in itertools.pairwise(anchors):
                made = surfaces.shaft()
                yield Tie(element.name, "link", pair, 0.5 * radius * size, colour, made)
    for element in numbers.model.constraints:
        yield from _related(numbers, element, size)


def _related(numbers: Numbers, element: Any, size: float) -> Iterator[Tie]:
    """Yield dashed lines from place to place of what a gear or a relation ties."""
    if element.ENDS or element.PLACES:
        return
    names = [getattr(element, field) for field in element.JOINTS]
    for field in element.LAWS:
        names += _owners(getattr(element, field))
    places = [_place_of(numbers, name) for name in dict.fromkeys(names)]
    radius, colour = _LOOKS["relation"]
    for pair in itertools.pairwise([place for place in places if place is not None]):
        apart = float(np.linalg.norm(numbers.drawn(pair[1]) - numbers.drawn(pair[0])))
        made = surfaces.dashes(int(np.clip(apart / (DASH * size), 3, 60)))
        yield Tie(element.name, "relation", pair, radius * size, colour, made)


def _owners(law: Any) -> list[str]:
    """Return the elements that a law names, in the order of its text."""
    if isinstance(law, tuple):  # coefficients by speed
        return [speed.rpartition(".")[0] for speed, _ in law]
    found = [node.name for node in walk(law) if isinstance(node, Signal)]
    return [name.rpartition(".")[0] for name in found]


def _place_of(numbers: Numbers, name: str) -> Anchor | None:
    """Return where an element that has a place is; joints are where their second body is."""
    if name not in numbers.model:
        return None
    element = numbers.model[name]
    if isinstance(element, elements.Joint):
        return numbers.anchor(element.second, element.at_second)
    if isinstance(element, elements.Point):
        return numbers.anchor(element.body, element.at)
    if name in numbers.index:
        return numbers.anchor(name, tuple(numbers.centers[numbers.index[name]].tolist()))
    if len(getattr(element, "ENDS", ())) == 2:
        return numbers.end(getattr(element, element.ENDS[1]))
    return None  # a variable, an input


def _sides(numbers: Numbers, element: Any) -> tuple[Anchor, ...]:
    """Return what a picture is drawn between: points on named bodies, then ends."""
    named = zip(element.BODIES, element.POINTS, strict=False)
    carried = ((getattr(element, body), getattr(element, at)) for body, at in named)
    ends = (numbers.end(getattr(element, field)) for field in element.ENDS)
    return *(numbers.anchor(*each) for each in carried), *ends


def _ends(numbers: Numbers, element: Any) -> tuple[Anchor, Anchor]:
    first, second = (numbers.end(getattr(element, field)) for field in element.ENDS)
    return first, second


def _joint_spring(numbers: Numbers, force: Any, size: float) -> Iterator[Part]:
    """Yield the spiral of a spring about a hinge."""
    if not isinstance(force, elements.JointSpring) or not numbers.number(force.stiffness):
        return
    joint = numbers.model[force.joint]
    if not (force.coordinate or joint.coordinates[0]).startswith("angle"):
        return
    if not joint.mobility.rotations:
        return
    pin = joint.axis_first
    k = numbers.index[joint.first]
    R, at = upright(numbers.point(pin)), numbers.point(joint.at_first)
    surface = surfaces.spiral(0.06 * size, 0.004 * size).moved(R, at + 0.04 * size * R[:, 2])
    yield Part(force.name, "joint", k, numbers.carried(k, surface), SPRING)


def _arrows(numbers: Numbers) -> Iterator[Arrow]:
    for joint in numbers.model.joints:
        if not joint.mobility.free:
            at = numbers.anchor(joint.second, joint.at_second)
            yield Arrow(joint.name, "reaction", f"{joint.name}.reaction_force", at)
    for force in numbers.model.forces:
        if force.ARROW:
            yield from _force_arrows(numbers, force)


def _force_arrows(numbers: Numbers, force: Any) -> Iterator[Arrow]:
    """Yield the arrows of a force: at its end, at both of a tension, or on its body."""
    channel, unit = f"{force.name}.{force.ARROW}", "N m" if force.ARROW == "torque" else "N"
    sizes = {name: size for name, _, size in force.quantities(numbers.model)}
    if len(force.ENDS) == 2:
        first, second = _ends(numbers, force)
        if sizes[force.ARROW] == 1:
            yield Arrow(force.name, "force", channel, second, first, unit=unit)
            yield Arrow(force.name, "force", channel, first, second, unit=unit)
        else:
            yield Arrow(force.name, "force", channel, second, unit=unit)
    for body in (getattr(force, field) for field in force.BODIES):
        at = getattr(force, "at", None) or numbers.centers[numbers.index[body]].tolist()
        yield Arrow(force.name, "force", channel, numbers.anchor(body, tuple(at)), unit=unit)


def _marks(numbers: Numbers) -> Iterator[Mark]:
    model = numbers.model
    for point in model.points:
        yield Mark(point.name, "point", numbers.anchor(point.body, point.at))
    for joint in model.joints:
        if joint.mobility.motions and not joint.mobility.free:
            yield Mark(joint.name, "joint", numbers.anchor(joint.first, joint.at_first))
    for body in model.bodies:
        k = numbers.index[body.name]
        yield Mark(body.name, "body", numbers.anchor(body.name, tuple(numbers.centers[k])))


def _common_axis(numbers: Numbers) -> np.ndarray | None:
    """Return the direction in which the machine is looked at best: that of all its hinges."""
    model = numbers.model
    if model.planar:
        return np.array([0.0, 0.0, 1.0])
    found = []
    for joint in model.joints:
        mobility = joint.mobility
        if mobility.turning > 1:
            return None
        if mobility.turning and 2 not in mobility.slid and not mobility.lead:
            found.append(numbers.point(joint.axis_first))
    if not found or any(np.linalg.norm(np.cross(found[0], other)) > 1e-6 for other in found):
        return None
    return found[0] / np.linalg.norm(found[0])
