"""Coordinates of a joint, measured in body space.

For a joint of the tree they are coordinates anyway; for a joint that closes a loop, and in
formulations whose coordinates are others, this is where they come from. Angles are followed
over full turns where the scene knows what they are about (`turns`), else they are principal
values.
"""

from collections.abc import Callable
from typing import Any

from bellcrank.formulations.body_space.pairs import Pair, joint_pair
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.formulations.contract.unwrapped import TURN, Turn, followed, turns_of
from bellcrank.model import Joint
from bellcrank.spatial.arithmetic import Scalar, Vector, add, cross, dot, minus, mul, scaled
from bellcrank.spatial.letters import PI, Letters

Level = tuple[Scalar, Scalar, Scalar]
"""A scalar, its rate and its acceleration."""


def measured(scene: Scene, joint: Joint, level: str) -> dict[str, Vector]:
    """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
    pair = joint_pair(scene, joint)
    number = ("coordinates", "speeds", "accelerations").index(level)
    names = getattr(joint, level)
    values = _vectors(scene, joint, pair, number)
    if not values:
        drawn = [scene.number(entry) for entry in joint.drawn] if number == 0 else [0.0] * 3
        found = [part[number] for part in _scalars(scene, joint, pair)]
        values = [[add(value, zero)] for value, zero in zip(found, drawn, strict=False)]
    return dict(zip(names, values, strict=True))


def _scalars(scene: Scene, joint: Joint, pair: Pair) -> list[Level]:
    def kept(coordinate: str) -> Turn | None:
        return turns_of(scene).get((joint.name, coordinate))

    if len(joint.mobility.rotations) == 2:
        turns = [kept(motion.coordinate) for motion in joint.mobility.rotations]
        angles = iter(pins(pair, (turns[0], turns[1])))
    else:
        about = Turn(travel(scene, joint, pair)) if joint.mobility.lead else None
        angles = (angle(pair, kept(m.coordinate) or about) for m in joint.mobility.rotations)
    return [
        next(angles) if motion.turns else offset(pair, motion.number)
        for motion in joint.mobility.motions
    ]


def sine_cosine(pair: Pair) -> tuple[Scalar, Scalar]:
    """Return sin θ = g₁·f₂ and cos θ = f₁·f₂ of the turn about h₁."""
    f1, g1, f2 = pair.axis(0, 0)[0], pair.axis(0, 1)[0], pair.axis(1, 0)[0]
    return dot(g1, f2), dot(f1, f2)


def travel(scene: Scene, joint: Joint, pair: Pair) -> Scalar:
    """Return the angle by which a screw has travelled as far as it has [rad]."""
    return pair.across(2)[0] / screw_lead(joint, scene.number)


def screw_lead(joint: Joint, number: Callable[[Any], Scalar]) -> Scalar:
    """Return κ, how far a joint that advances does so in a turn of one radian [m]."""
    pitch = number(getattr(joint, joint.mobility.lead))
    if isinstance(pitch, Letters):
        return pitch / (PI() * 2.0)
    return mul(1 / TURN, pitch)


def angle(pair: Pair, turn: Turn | None = None) -> Level:
    """Return θ about h₁ from its sine and cosine, with θ̇ = h₁·(ω₂ − ω₁)."""
    h, h_rate = pair.axis(0, 2)
    value = followed(*sine_cosine(pair), turn)
    return value, dot(h, pair.spin), add(dot(h_rate, pair.spin), dot(h, pair.spin_rate))


def offset(pair: Pair, number: int) -> Level:
    """Return a₁·d along an axis of the first body, with its rates in that body."""
    body = pair.bodies[0]
    w, al = pair.scene.turning(body)
    a = pair.axis(0, number)[0]
    slide = minus(pair.d_rate, cross(w, pair.d))
    bend = minus(
        minus(pair.d_acceleration, cross(al, pair.d)),
        minus(scaled(2.0, cross(w, slide)), scaled(-1.0, cross(w, cross(w, pair.d)))),
    )
    return dot(a, pair.d), dot(a, slide), dot(a, bend)


def pins(
    pair: Pair, turns: tuple[Turn | None, Turn | None] = (None, None)
) -> tuple[Level, Level]:
    """Return the angles of a joint with two pins, f₁ and g₂.

    The first turns g₂ about f₁ from where it was drawn, the second turns the second body about
    g₂ from where f₁ is.
    """
    (f1, f1_rate), (g2, g2_rate) = pair.axis(0, 0), pair.axis(1, 1)
    one, two = (
        followed(*part, kept) for part, kept in zip(pin_turns(pair), turns, strict=True)
    )
    spin, rate = pair.spin, pair.spin_rate
    return (
        (one, dot(f1, spin), add(dot(f1_rate, spin), dot(f1, rate))),
        (two, dot(g2, spin), add(dot(g2_rate, spin), dot(g2, rate))),
    )


def angle_turns(pair: Pair, joint: Joint, coordinate: str) -> tuple[Scalar, Scalar]:
    """Return sine and cosine of an angle of a joint."""
    names = [motion.coordinate for motion in joint.mobility.rotations]
    return sine_cosine(pair) if len(names) == 1 else pin_turns(pair)[names.index(coordinate)]


def pin_turns(pair: Pair) -> tuple[tuple[Scalar, Scalar], tuple[Scalar, Scalar]]:
    """Return sine and cosine of both angles of a joint with two pins."""
    f1, g1, h1 = (pair.axis(0, i)[0] for i in range(3))
    f2, g2 = pair.axis(1, 0)[0], pair.axis(1, 1)[0]
    return (dot(h1, g2), dot(g1, g2)), (dot(cross(f1, f2), g2), dot(f1, f2))


def _vectors(scene: Scene, joint: Joint, pair: Pair, number: int) -> list[Vector]:
    """Return position and orientation, or their rates, of a joint that may turn in any way."""
    if not joint.mobility.ball:
        return []
    found: list[list[Scalar]] = []
    if joint.mobility.slid:
        place = [_along_first(scene, joint, i, pair)[number] for i in range(3)]
        drawn = [scene.number(entry) for entry in joint.drawn] if number == 0 else [0.0] * 3
        found.append([add(value, zero) for value, zero in zip(place, drawn, strict=True)])
    if number == 0:
        e1, e2 = scene.attitude(joint.first), scene.attitude(joint.second)
        vector = minus(
            minus(scaled(e1[0], e2[1:]), scaled(e2[0], e1[1:])), cross(e1[1:], e2[1:])
        )
        return [*found, [dot(e1, e2), *vector]]
    turn = pair.spin
    if number == 2:
        turn = minus(pair.spin_rate, cross(scene.turning(joint.second).velocity, pair.spin))
    return [*found, [dot(axis, turn) for axis in _body_axes(scene, joint.second)]]


def _along_first(scene: Scene, joint: Joint, number: int, pair: Pair) -> Level:
    axes = drawn_axes(scene, joint.first)
    turned = Pair(scene, pair.bodies, pair.points, (axes, axes))
    return offset(turned, number)


def _body_axes(scene: Scene, body: str) -> list[Vector]:
    return [scene.carried(body, axis) for axis in drawn_axes(scene, body)]


def drawn_axes(scene: Scene, body: str) -> list[Vector]:
    """Return the axes of a body's frame in the drawing."""
    pose = getattr(scene.model[body], "pose", None) if body != "ground" else None
    if pose is None:
        return [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    rows = [[scene.number(entry) for entry in row] for row in pose.rotation]
    return [list(axis) for axis in zip(*rows, strict=True)]
