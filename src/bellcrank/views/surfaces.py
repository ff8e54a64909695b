"""Triangles of the solids a machine is drawn with.

A surface is vertices and faces; where two faces meet at an edge they have vertices of their
own, so that a shader which averages normals over shared vertices draws edges sharp and round
things round.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

SIDES = 28  # of a circle


class Surface(NamedTuple):
    """A triangulated surface, normals outwards by the right-hand rule.

    Attributes:
        vertices: [m], shape (n, 3).
        faces: Indices of vertices, shape (m, 3).
    """

    vertices: np.ndarray
    faces: np.ndarray

    def moved(self, R: np.ndarray, shift: ArrayLike = (0.0, 0.0, 0.0)) -> "Surface":
        """Return the surface of R x + shift; R may stretch and mirror."""
        faces = self.faces if np.linalg.det(R) >= 0 else self.faces[:, ::-1]
        return Surface(self.vertices @ np.asarray(R, dtype=float).T + np.asarray(shift), faces)


def merged(surfaces: Sequence[Surface]) -> Surface:
    """Return several surfaces as one."""
    vertices, faces, count = [], [], 0
    for one in surfaces:
        vertices.append(one.vertices)
        faces.append(one.faces + count)
        count += len(one.vertices)
    return Surface(np.concatenate(vertices), np.concatenate(faces))


def box(size: ArrayLike) -> Surface:
    """Return a box around the origin with edges of these lengths [m], shape (3,)."""
    half = np.asarray(size, dtype=float) / 2
    vertices, faces = [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            n = sign * np.eye(3)[axis]
            corners = [n - sign * u - v, n + sign * u - v, n + sign * u + v, n - sign * u + v]
            start = len(vertices)
            vertices += [half * corner for corner in corners]
            faces += [(start, start + 1, start + 2), (start, start + 2, start + 3)]
    return Surface(np.array(vertices), np.array(faces))


def revolved(profile: ArrayLike, sides: int = SIDES) -> Surface:
    """Return the surface that a profile sweeps about z; equal neighbours make an edge.

    Args:
        profile: (radius, height) from bottom to top [m], shape (k, 2).
        sides: Of the circle.
    """
    profile = np.asarray(profile, dtype=float)
    turn = 2 * np.pi * np.arange(sides + 1) / sides
    rings = [
        np.stack([r * np.cos(turn), r * np.sin(turn), 0 * turn + h], 1) for r, h in profile
    ]
    k = np.arange(sides)
    faces = []
    for i in range(len(profile) - 1):
        if np.array_equal(profile[i], profile[i + 1]):
            continue
        a, b = i * (sides + 1) + k, (i + 1) * (sides + 1) + k
        if profile[i][0] > 0:
            faces.append(np.stack([a, a + 1, b + 1], 1))
        if profile[i + 1][0] > 0:
            faces.append(np.stack([a, b + 1, b], 1))
    none = np.zeros((0, 3), dtype=int)
    return Surface(np.concatenate(rings), np.concatenate([none, *faces]))


def ball(radius: float, sides: int = SIDES) -> Surface:
    """Return a ball around the origin."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, sides // 2 + 1)
    arc = radius * np.stack([np.cos(angle), np.sin(angle)], 1)
    arc[[0, -1], 0] = 0.0
    return revolved(arc, sides)


def bar(
    start: ArrayLike, end: ArrayLike, radius: float, *, round_ends: bool = False
) -> Surface:
    """Return a round bar from start to end, flat at its ends or with half-balls on them.

    Args:
        start: Centre of one face, or of one half-ball [m], shape (3,).
        end: Centre of the other [m], shape (3,).
        radius: [m].
        round_ends: Whether half-balls are put on the faces, and make it longer.
    """
    start, end = np.asarray(start, dtype=float), np.asarray(end, dtype=float)
    length = float(np.linalg.norm(end - start))
    if round_ends:
        angle = np.linspace(-np.pi / 2, 0, SIDES // 4 + 1)
        low = radius * np.stack([np.cos(angle), np.sin(angle)], 1)
        low[0, 0] = 0.0
        high = low[::-1] * (1.0, -1.0) + (0.0, length)
        profile = np.concatenate([low, high])
    else:
        r, h = radius, length
        edge = min(0.12 * r, 0.25 * h)  # a chamfer catches the light
        profile = np.array([
            (0, 0), (r - edge, 0), (r - edge, 0), (r, edge), (r, edge),
            (r, h - edge), (r, h - edge), (r - edge, h), (r - edge, h), (0, h),
        ])  # fmt: skip
    return revolved(profile).moved(upright(end - start), start)


def shaft(sides: int = 18) -> Surface:
    """Return a round bar of unit radius along z from 0 to 1, to be stretched."""
    return revolved([(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1)], sides)


def dashes(count: int, filled: float = 0.6, sides: int = 8) -> Surface:
    """Return a dashed line of unit radius along z from 0 to 1, to be stretched.

    Args:
        count: Of dashes; the line begins and ends with one.
        filled: Part of the way from dash to dash that is one.
        sides: Of a dash.
    """
    step = 1.0 / (count - 1 + filled)
    corners = [(0, 0), (1, 0), (1, 0), (1, 1), (1, 1), (0, 1)]
    each = [[(r, step * (n + filled * z)) for r, z in corners] for n in range(count)]
    return merged([revolved(dash, sides) for dash in each])


def ring(radius: float, thickness: float, width: float) -> Surface:
    """Return a bushing around z: a tube of this mean radius, thickness and width [m]."""
    a, b, h = radius - thickness / 2, radius + thickness / 2, width / 2
    corners = [(a, h), (a, -h), (b, -h), (b, h)]
    doubled = [p for corner in corners for p in (corner, corner)][1:]
    return revolved([*doubled, corners[0]])


def coil(slenderness: float, wire: float = 0.17) -> Surface:
    """Return a spring of unit radius along z from 0 to 1, to be stretched to its length.

    Args:
        slenderness: Length over radius as it is drawn most of the time; it decides the number
            of turns, and how round the wire is.
        wire: Its radius as a part of the spring's.
    """
    turns = int(np.clip(round(slenderness / 1.3), 4, 24))
    n = turns * 14
    s = np.linspace(0.0, 1.0, n + 1)
    angle = 2 * np.pi * turns * s
    # The ends taper to the axis, where the spring is held.
    reach = np.clip(np.minimum(s, 1 - s) / 0.07, 0.0, 1.0)
    out = np.stack([np.cos(angle), np.sin(angle), 0 * s], 1)
    middle = reach[:, None] * out + s[:, None] * np.array([0.0, 0.0, 1.0])
    return _wire(middle, wire * out, np.array([0.0, 0.0, wire / slenderness]), 7)


def spiral(radius: float, wire: float, turns: float = 3.0) -> Surface:
    """Return a clock spring around z, drawn as a flat spiral of round wire [m]."""
    n = int(22 * turns)
    s = np.linspace(0.0, 1.0, n + 1)
    angle, reach = 2 * np.pi * turns * s, radius * (0.35 + 0.65 * s)
    out = np.stack([np.cos(angle), np.sin(angle), 0 * s], 1)
    return _wire(reach[:, None] * out, wire * out, np.array([0.0, 0.0, wire]), 6)


def _wire(middle: np.ndarray, out: np.ndarray, along: np.ndarray, sides: int) -> Surface:
    """Return a wire along a line, its section spanned by two vectors at each point.

    Args:
        middle: The line, shape (n, 3).
        out: One vector of the section at each point, shape (n, 3).
        along: The other, shape (3,).
        sides: Of the section.
    """
    turn = 2 * np.pi * np.arange(sides) / sides
    section = np.cos(turn)[None, :, None] * out[:, None] + np.sin(turn)[None, :, None] * along
    i, j = np.meshgrid(np.arange(len(middle) - 1), np.arange(sides), indexing="ij")
    a, b = (i * sides + j).ravel(), (i * sides + (j + 1) % sides).ravel()
    sheets = [np.stack([a, b + sides, b], 1), np.stack([a, a + sides, b + sides], 1)]
    return Surface((middle[:, None] + section).reshape(-1, 3), np.concatenate(sheets))


def bracket(radius: float, height: float) -> Surface:
    """Return a foot under a ground pivot: four-sided, its top at the origin, standing on −z."""
    a, b = 1.1 * radius, 2.2 * radius
    top = np.array([(-a, -a, 0), (a, -a, 0), (a, a, 0), (-a, a, 0)])
    low = np.array([(-b, -b, -height), (b, -b, -height), (b, b, -height), (-b, b, -height)])
    quads = [top, low[::-1]]
    quads += [np.stack([low[i], low[(i + 1) % 4], top[(i + 1) % 4], top[i]]) for i in range(4)]
    faces = np.array([(4 * k, 4 * k + i, 4 * k + i + 1) for k in range(6) for i in (1, 2)])
    return Surface(np.concatenate(quads), faces)


def upright(direction: ArrayLike) -> np.ndarray:
    """Return a rotation, shape (3, 3), whose third column is along a direction."""
    z = np.asarray(direction, dtype=float)
    size = float(np.linalg.norm(z))
    if size == 0.0:
        return np.eye(3)
    z = z / size
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], 1)
