"""How joints look: a pin for a hinge, a sleeve for a slide, a ball for a ball joint."""

from collections.abc import Iterator
from typing import Any

import numpy as np

import bellcrank.model as elements
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
    if isinstance(joint, elements.Free):
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
    if isinstance(joint, elements.Spherical):
        yield first, surfaces.ball(1.15 * r).moved(np.eye(3), at)
        return
    if isinstance(joint, elements.Fixed):
        return
    R = upright(numbers.point(joint.axis_first))
    if isinstance(joint, elements.Universal):
        for body, point, axis in ((first, at, joint.axis1), (second, at_second, joint.axis2)):
            pin = 1.9 * r * upright(numbers.point(axis))[:, 2]
            yield body, surfaces.bar(point - pin, point + pin, 0.45 * r)
        yield first, surfaces.ball(0.75 * r).moved(np.eye(3), at)
    elif isinstance(joint, elements.Revolute):
        yield first, surfaces.bar(at - 1.5 * r * R[:, 2], at + 1.5 * r * R[:, 2], 0.95 * r)
    elif isinstance(joint, elements.Planar):
        plate = surfaces.box((6 * r, 6 * r, 0.15 * r))
        yield second, plate.moved(R, at_second)
    elif isinstance(joint, elements.Prismatic):
        rail = surfaces.box((1.5 * r, 1.5 * r, 7 * r))
        yield first, rail.moved(R, at)
    else:  # sleeves of cylindrical joints and screws
        yield first, surfaces.ring(1.15 * r, 0.5 * r, 4.5 * r).moved(R, at)
        if isinstance(joint, elements.Screw):
            for k in (-1.5, -0.5, 0.5, 1.5):
                thread = surfaces.ring(1.45 * r, 0.3 * r, 0.3 * r)
                yield first, thread.moved(R, at + k * r * R[:, 2])


def _axes(numbers: Numbers, joint: Any) -> list[np.ndarray]:
    if isinstance(joint, elements.Spherical | elements.Fixed):
        return []
    if isinstance(joint, elements.Universal):
        return [upright(numbers.point(axis))[:, 2] for axis in (joint.axis1, joint.axis2)]
    return [upright(numbers.point(joint.axis_first))[:, 2]]


def _foot(numbers: Numbers, joint: Any, size: float) -> Iterator[Part]:
    """Yield the bracket that holds a joint on ground, below it where gravity says."""
    if not isinstance(joint, elements.Revolute | elements.Spherical | elements.Universal):
        return
    gravity = numbers.point(numbers.model.gravity)
    level = float(np.linalg.norm(gravity))
    up = -gravity / level if level > 0 else np.array([0.0, 0.0, 1.0])
    if numbers.model.planar and level == 0:
        up = np.array([0.0, 1.0, 0.0])
    R = upright(up)
    if not isinstance(joint, elements.Spherical):
        axis = upright(numbers.point(joint.axis_first))[:, 2]
        across = axis - (axis @ up) * up
        if np.linalg.norm(across) > 0.3:  # the foot stands square to the axis
            x = across / np.linalg.norm(across)
            R = np.stack([x, np.cross(up, x), up], 1)
    at = numbers.point(joint.at_first if joint.first == "ground" else joint.at_second)
    surface = surfaces.bracket(0.018 * size, 0.055 * size).moved(R, at)
    yield Part(joint.name, "ground", 0, surface, GROUND)
