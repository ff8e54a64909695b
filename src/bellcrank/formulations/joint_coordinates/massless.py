"""Whether some motion of a tree meets no inertia, as the spin of a thin rod on a ball joint.

At the drawing, with every body's inertia as Σ Jₖ eₖ eₖᵀ,

    T = ½ |B u|²,   B = [√Jₖ eₖᵀ ω; √m v] of all bodies

so that A = BᵀB is singular where the columns of B are dependent. B shows it to all digits,
where A would have what rounding leaves of moments that cancel.

Needs no CasADi.
"""

from math import pi

import numpy as np

from bellcrank.formulations.body_space.triads import joint_triads
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, nominal
from bellcrank.model import Joint, Model, mass_properties
from bellcrank.model.elements.mobility import LETTERS, Motion
from bellcrank.model.matter.mass import massless_axes

DEPENDENT = 1e-9  # of the largest singular value: far above rounding, far below thin bars


def is_massless(model: Model, plan: LinkLayout) -> bool:
    """Return whether some motion of a tree meets no inertia in the drawing.

    Parameters have their own values.
    """
    turned = np.eye(3)[:, 2:] if model.planar else np.eye(3)
    if not any(_lacks(model, body.name, turned) for body in model.bodies):
        return False
    B = _weighed(model, plan)
    sizes = np.linalg.norm(B, axis=0)
    if not sizes.all():
        return True
    values = np.linalg.svd(B / sizes, compute_uv=False)
    return bool(values[-1] <= DEPENDENT * values[0])


def _lacks(model: Model, body: str, turned: np.ndarray) -> bool:
    """Return whether a body has no inertia in some direction in which it may turn or move."""
    properties = mass_properties(model[body])
    J = _numbers(properties.inertia)
    if turned.shape[1] == 1:
        return bool(J[2, 2] <= 0.0) or nominal(properties.mass) <= 0.0
    return massless_axes(J).size > 0 or nominal(properties.mass) <= 0.0


def _weighed(model: Model, plan: LinkLayout) -> np.ndarray:
    """Return B of all speeds, six rows for each body."""
    columns: list[list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]] = [[]]
    for link in plan.links[1:]:
        assert link.joint is not None
        columns.append(columns[link.parent] + _motions(link.joint, plan))
    return np.vstack([
        _of_body(model, body, columns[number], len(plan.speeds))
        for number, link in enumerate(plan.links)
        for body in link.bodies
        if body != "ground"
    ])


def _motions(
    joint: Joint, plan: LinkLayout
) -> list[tuple[int, np.ndarray, np.ndarray, np.ndarray]]:
    """Return the place, the angular velocity, the velocity and a point of each speed."""
    first, _ = joint_triads(joint, nominal)
    triad, at = _numbers(first), np.array([nominal(x) for x in joint.at_first])
    lead = nominal(getattr(joint, joint.mobility.lead)) / (2 * pi) if joint.mobility.lead else 0
    axes = [
        (motion, triad[LETTERS.index(letter)])
        for motion in joint.mobility.motions
        for letter in motion.axis
    ]
    start = plan.u_start[joint.name]
    return [
        (start + i, *_rate(motion, axis, lead), at) for i, (motion, axis) in enumerate(axes)
    ]


def _rate(motion: Motion, axis: np.ndarray, lead: float) -> tuple[np.ndarray, np.ndarray]:
    """Return ω and v of a motion along an axis at rate one."""
    return (axis, lead * axis) if motion.turns else (0.0 * axis, axis)


def _of_body(
    model: Model,
    body: str,
    columns: list[tuple[int, np.ndarray, np.ndarray, np.ndarray]],
    count: int,
) -> np.ndarray:
    """Return the six rows of B of one body."""
    properties = mass_properties(model[body])
    J, com = _numbers(properties.inertia), np.array([nominal(x) for x in properties.com])
    values, axes = np.linalg.eigh(J)
    none = massless_axes(J).shape[1]
    values[:none] = 0.0  # in ascending order
    B = np.zeros((6, count))
    for place, w, v, at in columns:
        B[:3, place] = np.sqrt(np.maximum(values, 0.0)) * (axes.T @ w)
        B[3:, place] = max(nominal(properties.mass), 0.0) ** 0.5 * (v + np.cross(w, com - at))
    return B


def _numbers(matrix: object) -> np.ndarray:
    return np.array([[nominal(x) for x in row] for row in matrix])  # type: ignore[attr-defined]
