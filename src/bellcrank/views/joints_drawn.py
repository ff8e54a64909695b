"""How joints look: a pin for a hinge, a sleeve for a slide, a ball for a ball joint.

What is drawn follows from the motions that a joint allows.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from bellcrank.views import surfaces
from bellcrank.views.scene import GROUND, STEEL, Numbers, Part
from bellcrank.views.surfaces import Surface, upright

AXIS = (148, 92, 200)


def joint_parts(numbers: Numbers, joint: Any, size: float) -> Iterator[Part]:
    """Yield what is drawn of a joint: itself, its axes, and its foot where it is on ground.

    Args:
        numbers: Of the model.
        joint: The joint.
        size: Of the machine [m].
    """
    if joint.mobility.free:
        return
    first, second = numbers.index[joint.first], numbers.index[joint.second]
    at = numbers.point(joint.at_first)
    for body, surface in _pieces(numbers, joint, size):
        yield Part(joint.name, "joint", body, numbers.carried(body, surface), STEEL)
    for axis in _axes(numbers, joint):
        reach = 0.11 * size * axis
        line = surfaces.bar(at - reach, at + reach, 0.0022 * size)
        yield Part(joint.name, "axis", first, numbers.carried(first, line), AXIS)
    if 0 in (first, second):
        yield from _foot(numbers, joint, size)


def _pieces(numbers: Numbers, joint: Any, size: float) -> Iterator[tuple[int, Surface]]:
    """Yield the body that carries each surface of a joint, and the surface in the drawing."""
    first, second = numbers.index[joint.first], numbers.index[joint.second]
    at, at_second = numbers.point(joint.at_first), numbers.point(joint.at_second)
    r = 0.02 * size
    mobility = joint.mobility
    if mobility.ball:
        yield first, surfaces.ball(1.15 * r).moved(np.eye(3), at)
        return
    if not mobility.motions:
        return
    if mobility.turning == 2:
        for body, point, axis in (
            (first, at, joint.axis_first),
            (second, at_second, joint.axis_second),
        ):
            pin = 1.9 * r * upright(numbers.point(axis))[:, 2]
            yield body, surfaces.bar(point - pin, point + pin, 0.45 * r)
        yield first, surfaces.ball(0.75 * r).moved(np.eye(3), at)
        return
    R = upright(numbers.point(joint.axis_first))
    if mobility.slid >= {0, 1}:
        plate = surfaces.box((6 * r, 6 * r, 0.15 * r))
        yield second, plate.moved(R, at_second)
    elif not mobility.turning:
        rail = surfaces.box((1.5 * r, 1.5 * r, 7 * r))
        yield first, rail.moved(R, at)
    elif 2 in mobility.slid or mobility.lead:
        yield first, surfaces.ring(1.15 * r, 0.5 * r, 4.5 * r).moved(R, at)
        for k in (-1.5, -0.5, 0.5, 1.5) if mobility.lead else ():
            thread = surfaces.ring(1.45 * r, 0.3 * r, 0.3 * r)
            yield first, thread.moved(R, at + k * r * R[:, 2])
    else:
        yield first, surfaces.bar(at - 1.5 * r * R[:, 2], at + 1.5 * r * R[:, 2], 0.95 * r)
        yield from _slot(numbers, joint, r)


def _slot(numbers: Numbers, joint: Any, r: float) -> Iterator[tuple[int, Surface]]:
    """Yield the rail in which the pin of a hinge slides across its axis."""
    for axis in (joint.directions[k] for k in joint.mobility.slid):
        if axis is not None:
            rail = surfaces.box((1.5 * r, 1.5 * r, 7 * r))
            at = numbers.point(joint.at_first)
            yield numbers.index[joint.first], rail.moved(upright(numbers.point(axis)), at)


def _axes(numbers: Numbers, joint: Any) -> list[np.ndarray]:
    mobility = joint.mobility
    if mobility.ball or not mobility.motions:
        return []
    axes = [joint.axis_first, joint.axis_second][: max(mobility.turning, 1)]
    return [upright(numbers.point(axis))[:, 2] for axis in axes]


def _foot(numbers: Numbers, joint: Any, size: float) -> Iterator[Part]:
    """Yield the bracket that holds a joint on ground, below it where gravity says."""
    mobility = joint.mobility
    if mobility.slid or mobility.lead or not mobility.turning:
        return
    gravity = numbers.point(numbers.model.gravity)
    level = float(np.linalg.norm(gravity))
    up = -gravity / level if level > 0 else np.array([0.0, 0.0, 1.0])
    if numbers.model.planar and level == 0:
        up = np.array([0.0, 1.0, 0.0])
    R = upright(up)
    if not mobility.ball:
        axis = upright(numbers.point(joint.axis_first))[:, 2]
        across = axis - (axis @ up) * up
        if np.linalg.norm(across) > 0.3:  # the foot stands square to the axis
            x = across / np.linalg.norm(across)
            R = np.stack([x, np.cross(up, x), up], 1)
    at = numbers.point(joint.at_first if joint.first == "ground" else joint.at_second)
    surface = surfaces.bracket(0.018 * size, 0.055 * size).moved(R, at)
    yield Part(joint.name, "ground", 0, surface, GROUND)
