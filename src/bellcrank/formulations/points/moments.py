"""Moments of mass in the directions of a frame, as numbers: what may be assumed of inertia.

    P = ∫ ĉ ĉᵀ dm,   ĉ = (1, c),   r = r_i + Σ c_k d_k

A body whose frame has two directions and whose mass lies in their plane is as constant as one
that three directions span. Needs no CasADi.
"""

import numpy as np

from bellcrank.formulations.contract.equations import MassKind
from bellcrank.formulations.points.basics import Places, PointFrame, value
from bellcrank.formulations.points.rigid import direction
from bellcrank.model import Body, Expression, Model, Particle, mass_properties

THIN = 1e-12  # of the largest second moment of mass: what counts as no extension
DEFINITE = 1e-10  # of the largest: the smallest eigenvalue of a definite mass matrix


def moments(body: Body | Particle, frame: PointFrame, plan: Places) -> np.ndarray:
    """Return P of a body at nominal parameters.

    In the plane r = r_i + c d₁ with complex c, and P is 2×2, as for a rod; in space it is 4×4.
    """
    properties = mass_properties(body)
    m = value(properties.mass)
    com, at = (
        np.array([value(entry) for entry in point])
        for point in (properties.com, plan.basics[frame.base].sides[frame.body])
    )
    J = np.array([[value(entry) for entry in row] for row in properties.inertia])
    if len(frame.directions) == 1 and not plan.planar:
        d = np.array(direction(plan, frame, 0))
        a, k = (com - at) @ d / (d @ d), np.trace(J) / 2 / (d @ d)
        return np.array([[m, m * a], [m * a, k + m * a**2]])
    L = _directions(frame, plan)
    c = np.linalg.solve(L, com - at)
    if plan.planar:
        a = c[0] + 1j * c[1]
        k = J[2, 2] / (L[:, 0] @ L[:, 0]) + m * abs(a) ** 2
        return np.array([[m, m * a], [m * a.conjugate(), k]])
    S = np.linalg.solve(L, np.linalg.solve(L, np.trace(J) / 2 * np.eye(3) - J).T)
    P = np.empty((4, 4))
    P[0, 0], P[0, 1:], P[1:, 0], P[1:, 1:] = m, m * c, m * c, S + m * np.outer(c, c)
    return P


def _directions(frame: PointFrame, plan: Places) -> np.ndarray:
    columns = [np.array(direction(plan, frame, k)) for k in range(len(frame.directions))]
    if plan.planar:
        columns = [columns[0], np.cross([0, 0, 1], columns[0]), np.array([0.0, 0.0, 1.0])]
    elif len(columns) == 2:
        columns.append(np.cross(columns[0], columns[1]))
        columns[2] *= np.linalg.norm(columns[1]) / np.linalg.norm(columns[2])
    return np.column_stack(columns)


def is_flat(body: Body | Particle, frame: PointFrame, plan: Places) -> bool:
    """Return whether all mass lies in the plane of two directions, whatever parameters are."""
    properties = mass_properties(body)
    numbers = [*properties.com, *(entry for row in properties.inertia for entry in row)]
    basics = (frame.base, *frame.directions)
    numbers += [entry for n in basics for entry in plan.basics[n].sides[frame.body]]
    if len(frame.directions) != 2 or any(isinstance(n, Expression) for n in numbers):
        return False
    P = moments(body, frame, plan)
    return bool(P[3, 3] <= THIN * np.trace(P[1:, 1:]))


def mass_kind(model: Model, plan: Places) -> MassKind:
    """Return `constant` where A is constant and definite, else `semidefinite`.

    A body in space that two directions and their product describe has more coordinates than
    freedoms to move in, and thin bodies have no inertia against some changes of their vectors:
    A is then definite only on the rates that keep bodies rigid.
    """
    count = len(plan.basics)
    M = np.zeros((count, count), dtype=complex)
    for body in model.bodies:
        frame = plan.frames[body.name]
        size = len(frame.directions)
        if size == 0:
            M[frame.base, frame.base] += value(mass_properties(body).mass)
            continue
        if size == 2 and not is_flat(body, frame, plan):
            return "semidefinite"
        S = np.zeros((size + 1, count))
        S[0, frame.base] = 1.0
        for k, number in enumerate(frame.directions, start=1):
            S[k, number] += 1.0
            S[k, frame.base] -= 0.0 if plan.basics[number].vector else 1.0
        M += S.T @ moments(body, frame, plan)[: size + 1, : size + 1] @ S
    moving = [i for i, basic in enumerate(plan.basics) if basic.start >= 0]
    values = np.linalg.eigvalsh(M[np.ix_(moving, moving)])
    definite = not moving or values[0] > DEFINITE * values[-1]
    return "constant" if definite else "semidefinite"
