"""Gravity that is not the same everywhere, in body space."""

from collections.abc import Iterator

import casadi as ca

from bellcrank.formulations.body_space.forces import Effect, Push, effect
from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.scene import Moving, Scene
from bellcrank.model import CentralGravity, Field, mass_properties
from bellcrank.model.expressions import Signal
from bellcrank.spatial.arithmetic import (
    Scalar,
    congruent,
    dot,
    full,
    symmetric,
    total,
    transpose,
)

_WORLD = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0])


def _centres(scene: Scene) -> Iterator[tuple[str, Scalar, Moving]]:
    """Yield the name, the mass and the mass centre of every body."""
    for body in scene.model.bodies:
        properties = mass_properties(body)
        at = [scene.number(entry) for entry in properties.com]
        yield body.name, scene.number(properties.mass), scene.point(body.name, at)


def _inertia(scene: Scene, body: str) -> ca.SX:
    """Return a body's inertia about its mass centre, world components."""
    rows = mass_properties(scene.model[body]).inertia
    J = symmetric([[scene.number(entry) for entry in row] for row in rows])
    turned = transpose([scene.carried(body, axis) for axis in _WORLD])
    return ca.vertcat(*(ca.horzcat(*map(ca.SX, row)) for row in full(congruent(turned, J))))


@effect.register
def _central(element: CentralGravity, scene: Scene) -> Effect:
    """V = −μ m/R − μ (tr J − 3 rᵀJr/R²)/2R³ of every body; force and torque follow."""
    mu, middle = scene.number(element.mu), [scene.number(entry) for entry in element.at]
    pushes, energies = [], []
    place, r = ca.SX.sym("r", 3), None
    for body, mass, centre in _centres(scene):
        J = _inertia(scene, body)
        R = ca.norm_2(place)
        pull = ca.dot(place, J @ place)
        V = -mu * mass / R - 0.5 * mu * (ca.trace(J) - 3.0 * pull / R**2) / R**3
        F = -ca.gradient(V, place)
        T = 3.0 * mu * ca.cross(place, J @ place) / R**5
        r = ca.vertcat(*(ca.SX(x - c) for x, c in zip(centre.position, middle, strict=True)))
        V, F, T = ca.substitute([V, F, T], [place], [r])
        pushes.append(Push(body, centre.position, ca.vertsplit(F), ca.vertsplit(T)))
        energies.append(V)
    return Effect(tuple(pushes), potential=total(energies))


@effect.register
def _field(element: Field, scene: Scene) -> Effect:
    """M a at every mass centre; of a potential φ, −m ∇φ, and m φ is energy."""
    place, number = ca.SX.sym("r", 3), scene.number
    names = {f"{element.name}.{axis}": place[i] for i, axis in enumerate(element.OWN)}
    names["t"] = ca.SX(number(Signal("t")))
    assert isinstance(number, Lowering)
    own = Lowering(names.__getitem__, number.parameters, {}, {})
    phi = ca.SX(0.0 if element.potential is None else own(element.potential))
    a = -ca.gradient(phi, place)
    if element.vector is not None:
        a = ca.vertcat(*(ca.SX(own(entry)) for entry in element.vector))
    pushes, energies, powers = [], [], []
    for body, mass, centre in _centres(scene):
        here = ca.vertcat(*map(ca.SX, centre.position))
        found, level = ca.substitute([a, phi], [place], [here])
        force = ca.vertsplit(mass * found)
        pushes.append(Push(body, centre.position, force))
        if element.vector is not None:
            powers.append(dot(force, centre.velocity))
            continue
        energies.append(mass * level)
        powers.append(mass * ca.substitute(ca.jacobian(phi, names["t"]), place, here))
    return Effect(tuple(pushes), potential=total(energies), power=total(powers))
