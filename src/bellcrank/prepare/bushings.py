"""Bushings that come to half a turn during a run.

The torque of a bushing follows from the rotation vector of one body against the other, which is
at most π long: at half a turn it points the other way round, and so does the torque. With the
turn of each body since the drawing, T = A Dᵀ, A its attitude and D that in the drawing, how
near a bushing is to half a turn is seen in

    cos²(φ/2) = (1 + tr T₁ᵀ T₂)/4,    tr T₁ᵀ T₂ = Σ T₁ᵢⱼ T₂ᵢⱼ

A guard watches it inside every step, so that what is said does not depend on the records. Of
machines in batches, which may have thousands of bushings, only the records are looked at.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

import numpy as np

from bellcrank.errors import NearlySingular, outside
from bellcrank.formulations.contract.equations import Guard
from bellcrank.model import Body, Bushing, Model
from bellcrank.model.expressions import Expression, Signal, evaluate
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    Matrix,
    Scalar,
    dot,
    product,
    total,
    transpose,
)
from bellcrank.spatial.attitudes import euler_parameters, rotation

Array = np.ndarray

CLOSE = 1e-6  # cos²(φ/2) within 0.002 rad of half a turn
HALF = (
    "bushing '{}' comes to half a turn, where its torque changes its sign. It is made for "
    "small turns; a JointSpring counts full ones."
)


@lru_cache(maxsize=128)
def half_turns(model: Model) -> tuple[Guard, ...]:
    """Return what warns of bushings at half a turn, wherever in a step."""
    return tuple(
        Guard(_square(model, *bodies) - CLOSE, HALF.format(element.name), stops=False)
        for element, bodies in _turning(model)
    )


def tell_of_bushings(
    model: Model,
    t: Array,
    orientation: Callable[[str], Array],
    parameters: Mapping[str, float],
) -> None:
    """Warn of every bushing that passed half a turn between records, with the time.

    Euler parameters of the turn, p = ē₁ e₂, are followed from record to record: p and −p are
    the same turn, and the nearer one is taken. cos(φ/2) = p · p₀, with p₀ that of the drawing,
    changes its sign where φ passes half a turn.

    Args:
        model: The machine.
        t: Times of the records [s], shape (n,).
        orientation: Returns the Euler parameters of a body by name, shape (n, 4).
        parameters: Parameter values by name.
    """
    for element, bodies in _turning(model):
        now = [_ground(len(t)) if body == "ground" else orientation(body) for body in bodies]
        drawn = [_drawn(model, body, parameters) for body in bodies]
        cosine = _relative(*now) @ _relative(*drawn)[0]
        passed = np.flatnonzero(cosine * (1.0 if cosine[0] >= 0 else -1.0) < 0)
        if passed.size:
            message = f"at t = {t[passed[0]]:.6g} s: {HALF.format(element.name)}"
            warnings.warn(message, NearlySingular, stacklevel=outside())


def _turning(model: Model) -> Iterator[tuple[Bushing, list[str]]]:
    """Yield bushings that resist turns, and the bodies between which they are."""
    for element in model.forces:
        if isinstance(element, Bushing) and any(e != 0.0 for e in element.stiffness[3:]):
            bodies = [model.end(end)[0] for end in (element.first, element.second)]
            if all(body == "ground" or isinstance(model[body], Body) for body in bodies):
                yield element, bodies


def _square(model: Model, one: str, two: str) -> Expression:
    """Return cos²(φ/2) of the turn of one body against another since the drawing."""
    rows = zip(_turn(model, one), _turn(model, two), strict=True)
    return 0.25 * (1.0 + total([dot(a, b) for a, b in rows]))


def _turn(model: Model, body: str) -> Matrix:
    if body == "ground":
        return [list(row) for row in IDENTITY]
    attitude: list[Scalar] = [Signal(f"{body}.orientation_{i}") for i in range(4)]
    return product(
        rotation(attitude), transpose([list(row) for row in model[body].pose.rotation])
    )


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
