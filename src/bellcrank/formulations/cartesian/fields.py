"""Gravity that is not the same everywhere, in letters; `body_space.fields` computes it.

    central     F = −μ m d/ρ³ − (3μ/2)(σ d + 2 J d)/ρ⁵ + (15μ/2)(dᵀJd) d/ρ⁷,   M = 3μ d × J d/ρ⁵
    a field     F = m a(x, y, z, t), or −m ∇φ

with d from the centre to the mass centre, ρ = |d|, J the inertia in world components, σ = tr J.
"""

from typing import Any

import numpy as np

from bellcrank.formulations.body_space.forces import Effect, Push
from bellcrank.formulations.cartesian.letters import LetterScene
from bellcrank.formulations.contract.lettering import LetterNumbers
from bellcrank.model import CentralGravity, Field, mass_properties
from bellcrank.spatial import letters
from bellcrank.spatial.formula import Letter
from bellcrank.spatial.letters import Letters, Symbol, name


def central(element: CentralGravity, scene: LetterScene) -> Effect:
    """Return force and torque on every body, about its mass centre."""
    mu = scene.lettering.scalar(
        "μ",
        element.name,
        value=element.mu,
        meaning=f"gravitational parameter of {element.name}",
    )
    pushes = []
    for body, k, at in _centres(scene):
        middle = scene.lettering.vector(
            "c", element.name, value=element.at, meaning=f"centre of {element.name} [m]",
            prime=False,
        )  # fmt: skip
        d = _called(scene, element.name, "d", k, at - middle)
        size = _called(scene, element.name, "ρ", k, (d.T @ d) ** 0.5)
        force = d * (-(mu * _mass(scene, body, k)) / size**3)
        torque = letters.zero()
        if scene.symbols[body].attitude:
            Jd, trace = _inertia(scene, body, k, d)
            force = force - (d * trace + Jd * 2.0) * (mu * 1.5 / size**5)
            force = force + d * ((d.T @ Jd) * mu * 7.5 / size**7)
            torque = letters.cross(d, Jd) * (mu * 3.0 / size**5)
        pushes.append(Push(body, at, force, torque))  # type: ignore[arg-type]
    return Effect(tuple(pushes))


def field(element: Field, scene: LetterScene) -> Effect:
    """Return m a at every mass centre."""
    pushes = []
    for body, k, at in _centres(scene):
        places = [letters.component(at, i) for i in range(3)]
        if element.vector is not None:
            numbers = _numbers(scene, element, k, places)
            a = letters.as_letters([numbers(entry) for entry in element.vector], (3, 1))
        else:
            slopes = [
                letters.rate(letters.as_letters(
                    _numbers(scene, element, k, places, i)(element.potential)))
                for i in range(3)
            ]  # fmt: skip
            a = -letters.as_letters(slopes, (3, 1))
        pushes.append(Push(body, at, a * _mass(scene, body, k)))  # type: ignore[arg-type]
    return Effect(tuple(pushes))


def _numbers(
    scene: LetterScene, element: Field, k: int, places: list[Letters], along: int | None = None
) -> LetterNumbers:
    """Return expressions of x, y, z and t as letters; x_i alone changes, by one per second."""
    one = letters.as_letters(1.0)
    found: dict[str, Letters] = {}
    for i, (axis, place) in enumerate(zip(element.OWN, places, strict=True)):
        changes = (lambda: one) if i == along else None
        symbol = Symbol(
            ("called", element.name, axis, k), name(axis, element.name, k), (1, 1), changes,
            definition=place,
        )  # fmt: skip
        known = scene.lettering.called.setdefault(element.name, [])
        if symbol not in known:
            known.append(symbol)
        found[f"{element.name}.{axis}"] = symbol()
    numbers = LetterNumbers(scene.lettering, found.__getitem__, scene.number.shown)
    numbers.time = Symbol("t", Letter("t"), (1, 1))  # a field is looked at where t stands still
    return numbers


def _centres(scene: LetterScene) -> list[tuple[str, int, Letters]]:
    """Return name, number and mass centre of every body."""
    found = []
    for body in scene.model.bodies:
        at = scene.point(body.name, list(mass_properties(body).com)).position
        found.append((
            body.name,
            scene.symbols[body.name].number,
            letters.as_letters(at, (3, 1)),
        ))
    return found


def _mass(scene: LetterScene, body: str, k: int) -> Letters:
    mass = mass_properties(scene.model[body]).mass
    return scene.lettering.scalar("m", k, value=mass, meaning=f"mass of {body} [kg]")


def _inertia(scene: LetterScene, body: str, k: int, d: Letters) -> tuple[Letters, Letters]:
    """Return J d in world components, and the trace of J, about the mass centre."""
    own, A = scene.model[body], scene.symbols[body].attitude
    turn = np.array([[scene.lettering.worth(e) for e in row] for row in own.pose.rotation])
    rows = [[scene.lettering.worth(e) for e in row] for row in mass_properties(own).inertia]
    J = turn.T @ np.array(rows) @ turn
    at = f"inertia of {body} about its mass centre [kg m²]"
    along = scene.lettering.matrix("J", k, "O", value=J, meaning=at)
    trace = scene.lettering.scalar(
        "σ", k, value=float(np.trace(J)), meaning=f"trace of the inertia of {body} [kg m²]"
    )
    return A @ along @ A.T @ d, trace


def _called(scene: LetterScene, element: str, letter: str, k: int, what: Letters) -> Letters:
    """Return an expression of one body under a name."""
    symbol = Symbol(
        ("called", element, letter, k), name(letter, element, k), what.shape,
        lambda: letters.rate(what), definition=what,
    )  # fmt: skip
    known: list[Any] = scene.lettering.called.setdefault(element, [])
    if symbol not in known:
        known.append(symbol)
    return symbol()
