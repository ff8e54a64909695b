"""Bushings that turned by more than half a turn during a run.

The torque of a bushing follows from the rotation vector of one body against the other, which is
at most π long: at half a turn it points the other way round, and so does the torque. Whether a
run went through that is seen in the Euler parameters of the turn,

    p = ē₁ e₂,    cos(φ/2) = p · p₀   with p₀ that of the drawing,

which are followed from record to record: p and −p are the same turn, and the nearer one is
taken. The cosine changes its sign where φ passes half a turn.
"""

import warnings
from collections.abc import Callable, Mapping

import numpy as np

from bellcrank.errors import NearlySingular, outside
from bellcrank.model import Body, Bushing, Model
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.spatial.attitudes import euler_parameters

Array = np.ndarray


def tell_of_bushings(
    model: Model,
    t: Array,
    orientation: Callable[[str], Array],
    parameters: Mapping[str, float],
) -> None:
    """Warn of every bushing that turned by more than half a turn, with the time.

    Args:
        model: The machine.
        t: Times of the records [s], shape (n,).
        orientation: Returns the Euler parameters of a body by name, shape (n, 4).
        parameters: Parameter values by name.
    """
    for element in model.forces:
        if not isinstance(element, Bushing) or not any(e != 0.0 for e in element.stiffness[3:]):
            continue
        bodies = [model.end(end)[0] for end in (element.first, element.second)]
        if not all(_has_attitude(model, body) for body in bodies):
            continue
        now = [_ground(len(t)) if body == "ground" else orientation(body) for body in bodies]
        drawn = [_drawn(model, body, parameters) for body in bodies]
        cosine = _relative(*now) @ _relative(*drawn)[0]
        passed = np.flatnonzero(cosine * (1.0 if cosine[0] >= 0 else -1.0) < 0)
        if passed.size:
            warnings.warn(
                f"at t = {t[passed[0]]:.6g} s: bushing '{element.name}' has turned by more "
                "than half a turn, where its torque changes its sign. It is made for small "
                "turns; a JointSpring counts full ones.",
                NearlySingular,
                stacklevel=outside(),
            )


def _has_attitude(model: Model, body: str) -> bool:
    return body == "ground" or isinstance(model[body], Body)


def _ground(count: int) -> Array:
    return np.tile([1.0, 0.0, 0.0, 0.0], (count, 1))


def _drawn(model: Model, body: str, parameters: Mapping[str, float]) -> Array:
    if body == "ground":
        return _ground(1)
    rows = [
        [evaluate(x, parameters) if isinstance(x, Expression) else x for x in row]
        for row in model[body].pose.rotation
    ]
    return np.array([euler_parameters(rows)], dtype=float)


def _relative(one: Array, two: Array) -> Array:
    """Return ē₁ e₂ at every record, each with the sign that is nearer to the one before."""
    a, b = one[:, :1], one[:, 1:]
    c, d = two[:, :1], two[:, 1:]
    scalar = a * c + np.sum(b * d, axis=1, keepdims=True)
    p = np.concatenate([scalar, a * d - c * b - np.cross(b, d)], axis=1)
    turned = np.sum(p[1:] * p[:-1], axis=1) < 0
    return p * np.where(np.concatenate([[0], np.cumsum(turned)]) % 2, -1.0, 1.0)[:, None]
