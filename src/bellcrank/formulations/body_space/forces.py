"""Force elements in body space, the same for every formulation.

Each element becomes an `Effect`: what it does to bodies and joints, the potential it keeps, and
the power of the part that keeps none.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatch
from typing import Any

import casadi as ca

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.scene import Scene, called
from bellcrank.model import (
    Body,
    Bushing,
    Distance,
    Force,
    ForceElement,
    JointSpring,
    Motor,
    SpringDamper,
    Torque,
    mass_properties,
)
from bellcrank.spatial.arithmetic import (
    Matrix,
    Scalar,
    Vector,
    add,
    cross,
    dot,
    function,
    minus,
    mul,
    neg,
    plus,
    scaled,
    sub,
    total,
    transpose,
)
from bellcrank.spatial.letters import Letters


@dataclass(frozen=True, slots=True)
class Push:
    """A force on a body at a point of the world, and a torque; world components."""

    body: str
    at: Vector
    force: Vector
    torque: Vector = field(default_factory=lambda: [0.0, 0.0, 0.0])


@dataclass(frozen=True, slots=True)
class Effect:
    """What a force element does.

    Attributes:
        pushes: Wrenches on bodies.
        efforts: (joint, coordinate, effort) [N m or N], positive along the coordinate.
        potential: Energy it stores [J].
        power: Power of what it does besides changing its potential [W].
        channels: Values by the name that follows the element's in results.
    """

    pushes: tuple[Push, ...] = ()
    efforts: tuple[tuple[str, str, Scalar], ...] = ()
    potential: Scalar = 0.0
    power: Scalar = 0.0
    channels: dict[str, Vector] = field(default_factory=dict)


@singledispatch
def effect(element: ForceElement, scene: Scene) -> Effect:
    """Return the effect of a force element.

    A kind of force from outside the package registers its own: `@effect.register`.

    Raises:
        NotSupported: No effect is registered for this kind of force.
    """
    kind = type(element).__name__
    raise NotSupported(
        f"force '{element.name}': nothing says what a {kind} does; register a function of the "
        "element and the scene with bellcrank.formulations.body_space.forces.effect."
    )


def spring_line(
    element: SpringDamper | Distance, scene: Scene
) -> tuple[Vector, Scalar, Scalar]:
    """Return d from the first to the second end [m], its length l and l̇ = dᵀḋ/l.

    Where both ends are in one place there is no direction. 1e-200 m², which no other length
    notices, then makes l̇ and the force zero instead of not-a-number.
    """
    one, two = (scene.point(*_end(scene, end)) for end in (element.first, element.second))
    d = minus(two.position, one.position)
    d = called(scene, "d", d)
    length = called(scene, "l", function("sqrt", _positive(dot(d, d))))
    rate = dot(d, minus(two.velocity, one.velocity)) / length
    return d, length, called(scene, "l", rate, "dot")


def _positive(square: Scalar) -> Scalar:
    return square if isinstance(square, Letters) else square + 1e-200


@effect.register
def _spring_damper(element: SpringDamper, scene: Scene) -> Effect:
    """Tension f = k (l − l0) + c l̇ + law, along d: F₁ = (f/l) d = −F₂."""
    d, length, rate = spring_line(element, scene)
    ends = [_end(scene, end) for end in (element.first, element.second)]
    stiffness, damping = scene.number(element.stiffness), scene.number(element.damping)
    rest = scene.number(scene.model.drawn_length(element))
    stretch = sub(length, rest)
    other = add(mul(damping, rate), _law(element, scene))
    tension = called(scene, "f", add(mul(stiffness, stretch), other))
    # With no free length the elastic part is k d, and needs no direction where l = 0.
    free = isinstance(rest, float) and rest == 0.0
    elastic = scaled(stiffness if free else mul(stiffness, stretch) / length, d)
    force = plus(elastic, scaled(other / length, d))
    if isinstance(tension, Letters):
        force = scaled(tension / length, d)
    (body1, at1), (body2, at2) = ends
    return Effect(
        pushes=(
            Push(body1, scene.point(body1, at1).position, force),
            Push(body2, scene.point(body2, at2).position, scaled(-1.0, force)),
        ),
        potential=mul(0.5, mul(stiffness, mul(stretch, stretch))),
        power=neg(mul(other, rate)),
        channels={"force": [tension], "length": [length], "length_rate": [rate]},
    )


@effect.register
def _joint_spring(element: JointSpring, scene: Scene) -> Effect:
    """Effort −(k (θ − θ0) + c θ̇ + friction tanh(θ̇/θ̇_f) + law) along the coordinate."""
    joint, coordinate = element.joint, _named(element)
    value, rate = _coordinate(scene, joint, coordinate)
    stretch = sub(value, scene.number(element.rest))
    stiffness = scene.number(element.stiffness)
    dry = scene.number(element.friction)
    other = add(mul(scene.number(element.damping), rate), _law(element, scene))
    if not (type(dry) is float and dry == 0.0):
        other = add(
            other, mul(dry, function("tanh", rate / scene.number(element.friction_speed)))
        )
    effort = called(scene, "τ", neg(add(mul(stiffness, stretch), other)))
    return Effect(
        efforts=((joint, coordinate, effort),),
        potential=mul(0.5, mul(stiffness, mul(stretch, stretch))),
        power=neg(mul(other, rate)),
        channels={"effort": [effort]},
    )


@effect.register
def _motor(element: Motor, scene: Scene) -> Effect:
    joint, coordinate = element.joint, _named(element)
    effort = called(scene, "τ", scene.number(element.effort))
    _, rate = _coordinate(scene, joint, coordinate)
    return Effect(
        efforts=((joint, coordinate, effort),),
        power=mul(effort, rate),
        channels={"effort": [effort]},
    )


@effect.register
def _force(element: Force, scene: Scene) -> Effect:
    body = element.body
    at = element.at if element.at is not None else mass_properties(scene.model[body]).com
    vector = _components(element, scene)
    point = scene.point(body, [scene.number(entry) for entry in at])
    return Effect(
        pushes=(Push(body, point.position, vector),),
        power=dot(vector, point.velocity),
        channels={"force": vector, "torque": [0.0, 0.0, 0.0]},
    )


@effect.register
def _torque(element: Torque, scene: Scene) -> Effect:
    vector = _components(element, scene)
    zero = [0.0, 0.0, 0.0]
    return Effect(
        pushes=(Push(element.body, zero, zero, vector),),
        power=dot(vector, scene.turning(element.body).velocity),
        channels={"force": zero, "torque": vector},
    )


@effect.register
def _bushing(element: Bushing, scene: Scene) -> Effect:
    """Springs between two frames: F = −K d − C ḋ, T = −J⁻ᵀ K θ − C ω, along the first's axes.

    θ is the rotation vector of the second body against the first since the drawing and J its
    left Jacobian, δφ = J δθ, so that ½ θᵀ K θ is a potential of the torque for any θ.
    """
    (body1, at1), (body2, at2) = (_end(scene, e) for e in (element.first, element.second))
    one, two = scene.point(body1, at1), scene.point(body2, at2)
    spin1, spin2 = scene.turning(body1).velocity, scene.turning(body2).velocity
    rows = [[scene.number(entry) for entry in row] for row in element.axes]
    drawn_axes = transpose(rows)
    axes = [scene.carried(body1, axis) for axis in drawn_axes]
    offset = minus(two.position, one.position)
    relative = minus(minus(two.velocity, one.velocity), cross(spin1, offset))
    drawn = minus(at2, at1)
    d = [
        called(scene, letter, sub(dot(axis, offset), dot(at, drawn)))
        for letter, axis, at in zip("xyz", axes, drawn_axes, strict=True)
    ]
    dd = [called(scene, f"v{i + 1}", dot(axis, relative)) for i, axis in enumerate(axes)]
    spin = [
        called(scene, f"w{i + 1}", dot(axis, minus(spin2, spin1)))
        for i, axis in enumerate(axes)
    ]
    theta, shape = _rotation_vector(scene, body1, body2, drawn_axes)
    K = [scene.number(entry) for entry in element.stiffness]
    C = [scene.number(entry) for entry in element.damping]
    torsion = [mul(k, t) for k, t in zip(K[3:], theta, strict=True)]
    elastic = [*(mul(k, x) for k, x in zip(K[:3], d, strict=True)), *shape(torsion)]
    viscous = [mul(c, x) for c, x in zip(C, dd + spin, strict=True)]
    wrench = [
        called(scene, f"f{i + 1}", neg(add(e, v)))
        for i, (e, v) in enumerate(zip(elastic, viscous, strict=True))
    ]
    force = plus(*(scaled(f, axis) for f, axis in zip(wrench[:3], axes, strict=True)))
    torque = plus(*(scaled(n, axis) for n, axis in zip(wrench[3:], axes, strict=True)))
    force, torque = called(scene, "F", force), called(scene, "T", torque)
    back, untorque = scaled(-1.0, force), scaled(-1.0, torque)
    return Effect(
        # The pair acts at the second's point: the potential depends on it in the first's axes.
        pushes=(
            Push(body2, two.position, force, torque),
            Push(body1, two.position, back, untorque),
        ),
        potential=mul(
            0.5, total([mul(k, mul(x, x)) for k, x in zip(K, [*d, *theta], strict=True)])
        ),
        power=neg(total([mul(c, mul(x, x)) for c, x in zip(C, dd + spin, strict=True)])),
        channels={"force": force, "torque": torque},
    )


def _rotation_vector(
    scene: Scene, body1: str, body2: str, axes: Matrix
) -> tuple[Vector, Callable[[Vector], Vector]]:
    """Return θ of body 2 against body 1 along `axes` of the drawing, and b → J⁻ᵀ b."""
    if isinstance(scene.turning(body1).velocity, Letters):
        return scene.turn_letters(body1, body2, axes)  # type: ignore[attr-defined]
    e1, e2 = scene.turned(body1), scene.turned(body2)
    scalar = dot(e1, e2)
    vector = minus(minus(scaled(e1[0], e2[1:]), scaled(e2[0], e1[1:])), cross(e1[1:], e2[1:]))
    side = ca.if_else(ca.SX(scalar) < 0, -1.0, 1.0)  # e and −e are the same turn: take |θ| ≤ π
    scalar = side * scalar
    vector = [side * dot(axis, vector) for axis in axes]
    # 1e-32 keeps the direction and its derivatives finite where θ = 0; it is below round-off.
    size = ca.sqrt(dot(vector, vector) + 1e-32)
    theta = scaled(2.0 * ca.atan2(size, scalar) / size, vector)
    square = dot(theta, theta)
    half = ca.sqrt(square + 1e-32) / 2
    closed = (1.0 - half * ca.cos(half) / ca.sin(half)) / (square + 1e-32)
    factor = ca.if_else(square < 1e-4, 1 / 12 + square / 720 + square**2 / 30240, closed)

    def shape(b: Vector) -> Vector:
        once = cross(theta, b)
        return plus(b, scaled(0.5, once), scaled(factor, cross(theta, once)))

    return theta, shape


def _components(element: Force | Torque, scene: Scene) -> Vector:
    vector = [scene.number(entry) for entry in element.vector]
    if element.frame == "world":
        return vector
    body = scene.model[element.body]
    if any(isinstance(entry, Letters) for entry in vector):
        return scene.along(element.body, vector)  # type: ignore[attr-defined]
    if isinstance(body, Body):
        rows = [[scene.number(entry) for entry in row] for row in body.pose.rotation]
        vector = [dot(row, vector) for row in rows]
    return scene.carried(element.body, vector)


def _coordinate(scene: Scene, joint: str, coordinate: str) -> tuple[Scalar, Scalar]:
    """Return a scalar coordinate of a joint and its rate."""
    values, rates = {}, {}
    for found, level in ((values, "coordinates"), (rates, "speeds")):
        for name, entries in scene.joint_values(joint, level).items():
            parts = [""] if len(entries) == 1 else ["_x", "_y", "_z"]
            found |= {name + part: entry for part, entry in zip(parts, entries, strict=False)}
    rate = coordinate.replace("position", "velocity") if "position" in coordinate else None
    return values[coordinate], rates[rate or f"{coordinate}_rate"]


def _named(element: JointSpring | Motor) -> str:
    assert element.coordinate is not None  # the model has filled it in
    return element.coordinate


def _law(element: SpringDamper | JointSpring, scene: Scene) -> Scalar:
    return 0.0 if element.law is None else scene.number(element.law)


def _end(scene: Scene, end: Any) -> tuple[str, Vector]:
    body, at = scene.model.end(end)
    return body, [scene.number(entry) for entry in at]
