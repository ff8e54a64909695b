"""A model with letters for its numbers, so that its equations can be written out with them.

Every mass, inertia, r′, q′ and s′ of the drawing that is a plain number, and not zero, becomes
a parameter of that value; points are carried along, so that nothing moves. Zeros stay zeros:
they are what makes equations short.
"""

import dataclasses
from collections.abc import Callable
from typing import Any

from bellcrank.model import (
    Distance,
    Joint,
    Model,
    Parameter,
    Particle,
    RollingDisc,
    SpringDamper,
)
from bellcrank.model.algebra import Vector, nominal
from bellcrank.model.elements.fields import padded
from bellcrank.model.expressions import Expression
from bellcrank.spatial.arithmetic import ORIGIN, apply, minus, plus
from bellcrank.spatial.formula import PRIME, Formula, Line, Script, Sign, symbol
from bellcrank.worksheets.machine import NumberedMachine

DUST = 1e-14  # of a metre, or of the largest inertia: no letter


class Lettering:
    """Gives letters to numbers, and remembers how they are printed.

    Attributes:
        machine: The machine as it was given.
        drawn: Its numbers in the drawing.
        formulas: How each letter is printed, by the name of its parameter.
    """

    def __init__(self, machine: NumberedMachine) -> None:
        self.machine, self.drawn = machine, machine.connection
        self.formulas: dict[str, Formula] = {}
        self._taken = {*machine.model.names, *(p.name for p in machine.model.parameters)}
        self._origins: dict[int, Vector] = {0: ORIGIN}

    def letter(self, value: Any, letter: str, *index: int | str, prime: bool = True) -> Any:
        """Return a parameter for a number; zeros and expressions as they are."""
        if isinstance(value, Expression):
            return value
        if abs(value) <= DUST:
            return 0.0
        name = f"letter_{letter}_{'_'.join(map(str, index))}"
        while name in self._taken:
            name += "_"
        parts: list[Formula] = []
        for i, part in enumerate(index):
            parts += [Sign(",")] if i and self.machine.count > 9 else []
            parts.append(symbol(str(part)))
        lower = None if not parts else parts[0] if len(parts) == 1 else Line(tuple(parts))
        self.formulas[name] = Script(symbol(letter), lower, PRIME if prime else None)
        return Parameter(name, value)

    def vector(self, values: Vector, letter: str, k: int) -> Vector:
        """Return letters for the components of a vector of body K."""
        return tuple(self.letter(v, letter, k, i) for i, v in enumerate(values, start=1))

    def origin(self, k: int) -> Vector:
        """Return O_K of the drawing with letters [m], world components."""
        if k not in self._origins:
            low = self.machine.lower[k - 1]
            out = plus(
                self.vector(self.drawn.q(k), "q", k), self.vector(self.drawn.s(k), "s", k)
            )
            self._origins[k] = plus(self.origin(low), apply(self.drawn.axes(low), out))
        return self._origins[k]

    def carry(self, body: str, point: Any) -> Vector:
        """Return a point of a body of the drawing, carried along with its letters."""
        k = self.machine.model.graph.number[body]
        return plus(self.origin(k), minus(padded(point), self.drawn.origin(k)))

    def joint(self, joint: Joint) -> Joint:
        """Return a joint with letters for its points, on both sides."""
        m, graph = self.machine, self.machine.model.graph
        if joint.name in graph.loops:
            places = zip("ac", (joint.first, joint.second), _points(joint), strict=True)
            at = tuple(self._loop_point(joint.name, *place) for place in places)
        else:
            k = graph.tree_joint.index(joint.name) + 1
            low, outer = m.lower[k - 1], self.origin(k)
            inner = plus(
                self.origin(low),
                apply(self.drawn.axes(low), self.vector(self.drawn.q(k), "q", k)),
            )
            if low == 0:  # s′ of a root also holds where its joint is on the ground
                place = joint.at_second if graph.reversed[k - 1] else joint.at_first
                inner = plus(outer, minus(place, self.drawn.origin(k)))
            at = (outer, inner) if graph.reversed[k - 1] else (inner, outer)
        return dataclasses.replace(joint, at=at)

    def _loop_point(self, name: str, letter: str, body: str, point: Vector) -> Vector:
        """Return a point of a joint that closes a loop: a′ on its first body, or c′."""
        k = self.machine.model.graph.number[body]
        arm = self.drawn.along(k, minus(point, self.drawn.origin(k)))
        letters = tuple(self.letter(x, letter, name, i) for i, x in enumerate(arm, start=1))
        return plus(self.origin(k), apply(self.drawn.axes(k), letters))

    def gravity(self) -> Vector:
        """Return gravity as ±g along an axis, or with a letter for each component."""
        given = padded(self.machine.model.gravity)
        along = [i for i, entry in enumerate(given) if nominal(entry) != 0.0]
        if len(along) == 1 and not isinstance(given[along[0]], Expression):
            size = given[along[0]]
            g = self.letter(abs(size), "g", prime=False)
            x, y, z = ((g if size > 0 else -g) if i == along[0] else 0.0 for i in range(3))
            return x, y, z
        return tuple(self.letter(e, "g", i, prime=False) for i, e in enumerate(given, 1))

    def body(self, body: Any) -> Any:
        """Return a body with letters for its mass, mass centre and inertia."""
        m = self.machine
        k = m.model.graph.number[body.name]
        mass = self.letter(self.drawn.mass(k), "m", k, prime=False)
        com = plus(
            self.origin(k),
            apply(self.drawn.axes(k), self.vector(self.drawn.r(k), "r", k)),
        )
        if isinstance(body, Particle):
            return Particle(body.name, mass, com)
        rows = self.drawn.inertia(k)
        size = max(abs(x) for row in m.inertia_numbers(k) for x in row)
        pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        inertia = tuple(
            0.0 if abs(nominal(rows[i][j]) or 0.0) <= DUST * size
            else self.letter(rows[i][j], "I", k, i + 1, j + 1)
            for i, j in pairs
        )  # fmt: skip
        return dataclasses.replace(body, shapes=(), mass=mass, com=com, inertia=inertia)

    def placed(self, element: Any) -> Any:
        """Return any other element with its points carried along."""
        changes: dict[str, Any] = {}
        at = getattr(element, "at", None)
        for field in getattr(element, "ENDS", ()):
            end = getattr(element, field)
            if isinstance(end, tuple):
                changes[field] = (end[0], self.carry(*end))
        if isinstance(element, SpringDamper | Distance):
            changes["length"] = self.machine.model.drawn_length(element)
        if isinstance(element, RollingDisc):
            changes["radius"] = self.letter(element.radius, "ρ", element.name, prime=False)
            changes["center"] = self.carry(element.body, element.center)
            changes["at"] = self.carry(element.surface, element.at)
        elif at is not None and (body := getattr(element, "body", None)) is not None:
            changes["at"] = self.carry(body, at)
        return dataclasses.replace(element, **changes) if changes else element


def _points(joint: Joint) -> tuple[Vector, Vector]:
    return joint.at_first, joint.at_second


def lettered(machine: NumberedMachine) -> tuple[Model, dict[str, Formula]]:
    """Return the same machine with letters for its numbers, and how they are printed."""
    letters, model = Lettering(machine), machine.model
    place: Callable[[Any], Any] = letters.placed
    return (
        Model(
            model.name,
            bodies=tuple(map(letters.body, model.bodies)),
            joints=tuple(map(letters.joint, model.joints)),
            constraints=tuple(map(place, model.constraints)),
            forces=tuple(map(place, model.forces)),
            drivers=model.drivers,
            points=tuple(map(place, model.points)),
            gravity=letters.gravity(),
            planar=model.planar,
            parameters=model.parameters,
            inputs=model.inputs,
            variables=model.variables,
        ),
        letters.formulas,
    )
