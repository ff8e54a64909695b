"""Whether some motion of a tree meets no inertia, as the spin of a thin rod on a ball joint.

With every body's inertia as Σ Jₖ eₖ eₖᵀ and twists z = (ω, v) at one origin,

    T = ½ |N z|²,   N = [√Jₖ eₖᵀ ω; √m (v + ω × r)] of a body

What a subtree resists a twist of its first body with is N too, 6×6: from the outermost links
inwards, what the joint of a link with columns S leaves of the rows of N,

    N S = Q R,   N ← (E − Q Qᵀ) N

Where the columns of some N S are dependent, that joint may move, and those beyond it with it,
against no inertia. Roots of inertias show it to all digits; inertias themselves would have what
rounding leaves of moments that cancel. It is asked somewhere off the drawing, which is often
straight or square: what is singular in some positions only is no trait of the machine.

Needs no CasADi.
"""

from dataclasses import dataclass
from math import cos, pi, sin

import numpy as np

from bellcrank.formulations.body_space.triads import joint_triads
from bellcrank.formulations.joint_coordinates.layout import Link, LinkLayout, nominal
from bellcrank.model import Model, mass_properties
from bellcrank.model.elements.mobility import LETTERS
from bellcrank.model.matter.mass import massless_axes

DEPENDENT = 1e-9  # of the roots of inertias that meet there: far above rounding of them
OFF = (0.4, 1.1)  # how far joints stand from the drawing [rad], and of its length


@dataclass(frozen=True)
class _Standing:
    """Where a link stands, x = R (x₀ − O) + p of the drawing, and what its joint may do.

    Attributes:
        R: 3×3.
        p: [m], shape (3,).
        S: Twists of its joint at the origin, at rate one of each speed, 6×n.
    """

    R: np.ndarray
    p: np.ndarray
    S: np.ndarray


def is_massless(model: Model, plan: LinkLayout) -> bool:
    """Return whether some motion of a tree meets no inertia, wherever it stands.

    Parameters have their own values.
    """
    if not any(_lacks(model, body.name) for body in model.bodies):
        return False
    origin = _numbers([mass_properties(model.bodies[0]).com])[0]
    there = _standing(plan, origin)
    rows = [
        [_of_body(model, body, place, origin) for body in link.bodies if body != "ground"]
        for place, link in zip(there, plan.links, strict=True)
    ]
    sizes = [sum((np.linalg.norm(N, axis=0) for N in own), np.zeros(6)) for own in rows]
    for k in range(len(there) - 1, 0, -1):
        N, S, parent = np.vstack(rows[k]), there[k].S, plan.links[k].parent
        size = sizes[k] @ np.abs(S)
        if not size.all():
            return True
        if np.linalg.svd(N @ S / size, compute_uv=False)[-1] <= DEPENDENT:
            return True
        Q = np.linalg.qr(N @ S)[0]
        rows[parent].append(np.linalg.qr(N - Q @ (Q.T @ N))[1])
        sizes[parent] = sizes[parent] + sizes[k]
    return False


def _lacks(model: Model, body: str) -> bool:
    """Return whether a body has no inertia in some direction in which it may turn or move."""
    properties = mass_properties(model[body])
    J = _numbers(properties.inertia)
    thin = J[2, 2] <= 0.0 if model.planar else massless_axes(J).size > 0
    return bool(thin) or nominal(properties.mass) <= 0.0


def _standing(plan: LinkLayout, origin: np.ndarray) -> list[_Standing]:
    """Return where links stand, every motion of every joint having gone on by some amount."""
    rng = np.random.default_rng(0)
    found = [_Standing(np.eye(3), np.zeros(3), np.zeros((6, 0)))]
    for link in plan.links[1:]:
        found.append(_moved(found[link.parent], link, origin, rng))
    return found


def _moved(
    base: _Standing, link: Link, origin: np.ndarray, rng: np.random.Generator
) -> _Standing:
    """Return a link on its base."""
    joint = link.joint
    assert joint is not None
    triad = _numbers(joint_triads(joint, nominal)[0])
    here = _numbers([joint.at_first])[0] - origin
    lead = nominal(getattr(joint, joint.mobility.lead)) / (2 * pi) if joint.mobility.lead else 0
    at, R, twists = base.R @ here + base.p, base.R, []
    steps = [(motion, letter) for motion in joint.mobility.motions for letter in motion.axis]
    for motion, letter in reversed(steps) if link.reversed else steps:
        axis, far = R @ triad[LETTERS.index(letter)], rng.uniform(*OFF)
        if motion.turns:
            twists.append([*axis, *(np.cross(at, axis) + lead * axis)])
            R = _turn(axis, far) @ R
        else:
            twists.append([0.0, 0.0, 0.0, *axis])
            at = at + far * axis
    return _Standing(R, at - R @ here, np.array(twists).T)


def _turn(e: np.ndarray, angle: float) -> np.ndarray:
    """Return E + sin φ ẽ + (1 − cos φ) ẽ²."""
    K = np.cross(e, np.eye(3)).T  # columns e × eⱼ
    return np.eye(3) + sin(angle) * K + (1.0 - cos(angle)) * K @ K


def _of_body(model: Model, body: str, there: _Standing, origin: np.ndarray) -> np.ndarray:
    """Return N of one body."""
    properties = mass_properties(model[body])
    J = _numbers(properties.inertia)
    r = there.R @ (_numbers([properties.com])[0] - origin) + there.p
    values, axes = np.linalg.eigh(J)
    values[: massless_axes(J).shape[1]] = 0.0  # in ascending order
    N = np.zeros((6, 6))
    N[:3, :3] = np.sqrt(np.maximum(values, 0.0))[:, None] * (there.R @ axes).T
    mass = max(nominal(properties.mass), 0.0)
    N[3:, :3] = mass**0.5 * np.cross(np.eye(3), r).T  # columns eⱼ × r
    N[3:, 3:] = mass**0.5 * np.eye(3)
    return N


def _numbers(matrix: object) -> np.ndarray:
    return np.array([[nominal(x) for x in row] for row in matrix])  # type: ignore[attr-defined]
