"""Gravity that is not the same everywhere, in body space."""

from collections.abc import Iterator

import casadi as ca

from bellcrank.formulations.body_space.forces import Effect, Push, effect
from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.scene import Moving, Scene
from bellcrank.formulations.contract.laws import felt
from bellcrank.model import CentralGravity, Expression, Field, mass_properties
from bellcrank.model.elements.gravity import OWN
from bellcrank.model.expressions import Signal
from bellcrank.spatial.arithmetic import (
    Scalar,
    Vector,
    congruent,
    dot,
    full,
    mul,
    neg,
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
    pushes, energies, powers = [], [], []
    for body, mass, centre in _centres(scene):
        here = felt(element, body)
        if here.potential is None:
            assert here.vector is not None
            number = _at(scene, body, centre.position)
            force = [mul(mass, number(entry)) for entry in here.vector]
            powers.append(dot(force, centre.velocity))
        else:
            level, slope, change = _levels(here.potential, scene, body, centre.position)
            force = [mul(neg(mass), entry) for entry in slope]
            energies.append(mul(mass, level))
            powers.append(mul(mass, change))
        pushes.append(Push(body, centre.position, force))
    return Effect(tuple(pushes), potential=total(energies), power=total(powers))


def _at(scene: Scene, body: str, place: Vector) -> Lowering:
    """Return the lowering of a field's laws as a body feels them at a place."""
    number = scene.number
    assert isinstance(number, Lowering)
    names = {f"{body}.position_{axis}": x for axis, x in zip(OWN, place, strict=True)}
    names["t"] = number(Signal("t"))
    return Lowering(names.__getitem__, number.parameters, {}, number.modes)


def _levels(
    potential: Expression, scene: Scene, body: str, centre: Vector
) -> tuple[Scalar, Vector, Scalar]:
    """Return φ, ∇φ and ∂φ/∂t where the mass centre of a body is."""
    place = ca.SX.sym("r", 3)
    number = _at(scene, body, ca.vertsplit(place))
    phi = ca.SX(number(potential))
    found = [phi, ca.gradient(phi, place), ca.jacobian(phi, ca.SX(number(Signal("t"))))]
    here = ca.vertcat(*map(ca.SX, centre))
    level, slope, change = ca.substitute(found, [place], [here])
    return level, ca.vertsplit(slope), change
