"""Body space in Cartesian coordinates, written in letters: r_i, A_i, ω′_i and constants s′.

The same lines that compute points, axes, rows and forces from numbers or symbols write them
here: `BodyScene` is the same, its frames are letters.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from bellcrank.formulations.body_space.constraints import carrier, directions
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.cartesian.inertia import WeighedBody
from bellcrank.formulations.cartesian.layout import BodyLayout, Placed
from bellcrank.formulations.cartesian.scene import GROUND, BodyScene, Frame
from bellcrank.formulations.contract.lettering import TIME, LetterNumbers, PageLetters
from bellcrank.model import (
    Body,
    Constraint,
    Joint,
    Model,
    Parallel,
    Perpendicular,
    PointOnLine,
    PointOnPlane,
    mass_properties,
)
from bellcrank.model.algebra import nominal
from bellcrank.spatial import letters
from bellcrank.spatial.arithmetic import apply, gyration, minus, transpose
from bellcrank.spatial.formula import Fence, Letter, Line, Sign, line
from bellcrank.spatial.letters import Letters, Symbol, name


@dataclass(frozen=True)
class BodySymbols:
    """The letters of a body's motion.

    Attributes:
        number: i.
        r: r_i. rate: ṙ_i.
        A: A_i.
        turn: ω′_i; in the plane φ̇_i, where ṗ_i are speeds ṗ_i.
        spin: ω′_i in these.
        p: p_i and G: G_i of a body in space. swing: Ġ_i = G(ṗ_i).
        moving: Ȧ_i where ṗ_i are speeds.
    """

    number: int
    r: Symbol
    rate: Symbol
    A: Symbol
    turn: Symbol
    spin: Letters
    p: Symbol | None = None
    G: Symbol | None = None
    moving: Symbol | None = None
    swing: Symbol | None = None

    @staticmethod
    def of(number: int, placed: Placed, form: str, inward: bool = False) -> "BodySymbols":
        """Return the letters of a body; `inward` for [R_K], world to body, in place of A."""
        mark = "p" if inward else "r"  # Kane's r′ are arms
        rate = Symbol(("velocity", number), name(mark, number, marks="dot"))
        r = Symbol(("position", number), name(mark, number), rate=rate)
        shown = name("A", number)
        if placed.kind == "planar":
            turn = Symbol(("phid", number), name("φ", number, marks="dot"), (1, 1))
            spin = NORMAL() * turn()
            A = Symbol(("A", number), shown, (3, 3), spin=spin)
            return BodySymbols(number, r, rate, A, turn, spin)
        G = Symbol(("G", number), name("G", number), (3, 4))
        rates = Symbol(("pd", number), name("p", number, marks="dot"), (4, 1))
        p = Symbol(("p", number), name("p", number), (4, 1), rate=rates)
        if form == "omega" or placed.kind == "particle":
            turn = Symbol(("w", number), name("ω", number, prime=True))
            A = Symbol(("A", number), shown, (3, 3), spin=turn())
            if inward:
                R = name("R", number)
                A = Symbol(("R", number), R, (3, 3), spin=turn(), inward=True)
            return BodySymbols(number, r, rate, A, turn, turn(), p, G)
        # A is quadratic in p, so that Ä = 2 A(ṗ) where p̈ = 0.
        twice = Symbol(("A2", number), Line((Letter("A"), Fence(rates.formula, "()"))), (3, 3))
        moving = Symbol(
            ("Ad", number), name("A", number, marks="dot"), (3, 3), rate=lambda: twice() * 2.0
        )
        A = Symbol(("A", number), shown, (3, 3), rate=moving, rigid=True)
        spin = (G() @ rates()) * 2.0
        swing = Symbol(("Gd", number), name("G", number, marks="dot"), (3, 4))
        return BodySymbols(number, r, rate, A, rates, spin, p, G, moving, swing)

    @property
    def attitude(self) -> Letters:
        """What takes components along the body to world components."""
        return self.A().T if self.A.inward else self.A()

    def lever(self, arm: Letters) -> Letters:
        """Return B(p, s′) of d(A s′)/dt = B ṗ, as −2 A s̃′ G + 2 A s′ pᵀ."""
        assert self.p is not None
        assert self.G is not None
        turned = self.A() @ letters.skew(arm) @ self.G()
        whole = (self.A() @ arm @ self.p().T) * 2.0 - turned * 2.0
        shown = Line((
            Letter("B"),
            Fence(line(self.p.formula, Sign(","), letters.written(arm)), "()"),
        ))
        return Symbol(("B", self.number, arm), shown, (3, 4), definition=whole)()


NORMAL = Symbol("n", name("n"))
"""The normal of the plane."""


@dataclass(frozen=True)
class LetterFrame(Frame):
    """A frame whose arms have names."""

    body: str = "ground"
    number: int = 0
    lettering: PageLetters | None = None

    def arm(self, at: Any) -> Any:
        """Return s′ of a point given in the drawing."""
        assert self.lettering is not None
        numbers = [self.lettering.worth(entry) for entry in at]
        home = [self.lettering.worth(entry) for entry in self.home]
        axes = [[self.lettering.worth(entry) for entry in row] for row in self.axes]
        along = apply(transpose(axes), minus(numbers, home))
        element = self.lettering.element
        meaning = f"point of {element} on {self.body} [m]"
        return self.lettering.vector("s", element, self.number, value=along, meaning=meaning)


class LetterScene(BodyScene):
    """Body space of separate bodies in letters.

    Attributes:
        symbols: The letters of each body's motion, by name.
        lettering: Those of constants.
    """

    def __init__(
        self,
        model: Model,
        layout: BodyLayout,
        lettering: PageLetters,
        shown: Any,
        numbers: Mapping[str, int] | None = None,
        inward: bool = False,
    ) -> None:
        self.model, self.layout, self.lettering = model, layout, lettering
        self.turns = {}
        self.number = LetterNumbers(lettering, self._signal, shown)
        self._time = TIME()
        self.symbols = {
            placed.name: BodySymbols.of(
                (numbers or {}).get(placed.name, i), placed, layout.form, inward
            )
            for i, placed in enumerate(layout.bodies, start=1)
        }
        zero: Any = letters.zero()
        one: Any = letters.identity()
        ground = LetterFrame(
            zero, zero, zero, one, GROUND.e, zero, zero, GROUND.home, lettering=lettering
        )
        self.frames = {"ground": ground} | {
            placed.name: self._letters(placed) for placed in layout.bodies
        }

    def _letters(self, placed: Placed) -> LetterFrame:
        own, element = self.symbols[placed.name], self.model[placed.name]
        turning, zero = placed.kind != "particle", letters.zero()
        axes: Any = element.pose.rotation if isinstance(element, Body) else GROUND.axes
        i = own.number
        entries = [Symbol(("e", i, k), name("e", i, k), (1, 1))() for k in range(4)]
        spin: Any = own.spin if turning else zero
        A: Any = own.attitude if turning else letters.identity()
        r: Any = own.r()
        v: Any = own.rate()
        still: Any = zero
        return LetterFrame(
            r, v, still, A, entries, spin, still, self.home(placed.name), axes,
            body=placed.name, number=own.number, lettering=self.lettering,
        )  # fmt: skip

    def _numbers(self, vector: tuple) -> Any:
        return [nominal(entry) for entry in vector]

    def _signal(self, name: str) -> Any:
        owner = name.rpartition(".")[0]
        before = self.lettering.element
        self.lettering.element = owner
        found = signal(self, name)
        self.lettering.element = before
        return found

    def carried(self, body: str, direction: Any) -> Any:
        """Return a direction of a body, given in the drawing, as it stands now."""
        if isinstance(direction, Letters):
            return direction
        frame = self.frames[body]
        assert isinstance(frame, LetterFrame)
        axes = [[self.lettering.worth(entry) for entry in row] for row in frame.axes]
        if any(isinstance(entry, Letters) for entry in direction):
            drawn: Any = letters.as_letters(list(direction), (3, 1))
            turned: Any = letters.identity()
            if not np.array_equal(axes, np.eye(3)):
                turned = self.lettering.matrix(
                    "D", frame.number, value=transpose(axes),
                    meaning=f"takes components in the drawing to those along {body}",
                )  # fmt: skip
            return apply(frame.A, apply(turned, drawn))
        numbers = [self.lettering.worth(entry) for entry in direction]
        along = apply(transpose(axes), numbers)
        letter = self.lettering.direction(body, numbers)
        own: Any = self.lettering.vector(
            letter, self.lettering.element, frame.number, value=along,
            meaning=f"axis of {self.lettering.element} on {body}",
        )  # fmt: skip
        return apply(frame.A, own)

    def along(self, body: str, vector: Any) -> Any:
        """Return a vector of components along a body, as it stands now."""
        own: Any = letters.as_letters(list(vector), (3, 1))
        return apply(self.frames[body].A, own)

    def called(self, letter: str, value: Letters, mark: str = "") -> Letters:
        """Return an expression under a name of the element that is being written."""
        return self.lettering.abbreviation(letter, value, mark)

    def turn_letters(self, body1: str, body2: str, axes: Any) -> Any:
        """Return the rotation vector of one body against another, and b → J⁻ᵀ b, by name."""
        element = self.lettering.element
        theta = [
            Symbol(("turn", element, i), name("ϑ", element, i), (1, 1))() for i in (1, 2, 3)
        ]
        return theta, lambda b: [
            Symbol(("bent", element, i), name("b", element, i), (1, 1))() for i in (1, 2, 3)
        ]

    def joint_values(self, joint: str, level: str) -> dict[str, Any]:
        """Return a joint's `coordinates` or `speeds`; coordinates have names of their own."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        before = self.lettering.element, self.lettering.axes
        self.lettering.begin(joint, joint_axes(self, element))
        found = measured(self, element, level)
        rates = measured(self, element, "speeds") if level == "coordinates" else {}
        self.lettering.element, self.lettering.axes = before
        if level != "coordinates":
            return found
        for coordinate, values in found.items():
            if len(values) == 1 and isinstance(values[0], Letters):
                turned = rates[f"{coordinate}_rate"][0]
                letter = "θ" if coordinate.startswith("angle") else "x"
                more = coordinate.removeprefix("angle").removeprefix("offset")
                index = (joint, more) if more else (joint,)
                symbol = Symbol(
                    ("coordinate", joint, coordinate), name(letter, *index), (1, 1),
                    rate=lambda turned=turned: turned, definition=values[0],
                )  # fmt: skip
                found[coordinate] = [symbol()]
        return found

    def weighed(self, placed: Placed) -> WeighedBody:
        """Return a body with letters for its mass, the way to its centre and its inertia."""
        frame, own = self.frames[placed.name], self.symbols[placed.name]
        properties = mass_properties(self.model[placed.name])
        i, lettering = own.number, self.lettering
        lettering.begin(placed.name)
        m = lettering.scalar(
            "m", i, value=properties.mass, meaning=f"mass of {placed.name} [kg]"
        )
        com = [lettering.worth(entry) for entry in properties.com]
        axes = np.array([[lettering.worth(e) for e in row] for row in frame.axes])
        home = np.array([lettering.worth(entry) for entry in frame.home])
        arm = axes.T @ (np.array(com) - home)
        arm[np.abs(arm) < 1e-15 * (1.0 + np.max(np.abs(com)))] = 0.0
        s = lettering.vector(
            "s", "c", i, value=arm, meaning=f"mass centre of {placed.name} [m]"
        )
        J = np.array([[lettering.worth(e) for e in row] for row in properties.inertia])
        spread = np.array(gyration(list(arm)))
        xx, yy, zz, xy, xz, yz = spread
        about = axes.T @ J @ axes + lettering.worth(properties.mass) * np.array([
            [xx, xy, xz], [xy, yy, yz], [xz, yz, zz],
        ])  # fmt: skip
        inertia = lettering.matrix(
            "J", i, value=about, meaning=f"inertia of {placed.name} [kg m²]"
        )
        return WeighedBody(placed, frame, m, s, inertia)  # type: ignore[arg-type]


def joint_axes(scene: Any, joint: Joint) -> list[tuple[str, Any, str]]:
    """Return the axes of a joint by body, with their letters f, g, h."""
    from bellcrank.formulations.body_space.triads import joint_triads

    first, second = joint_triads(joint, lambda value: float(nominal(value) or 0.0))
    named = [(joint.first, axis, letter) for axis, letter in zip(first, "fgh", strict=True)]
    return named + [
        (joint.second, axis, letter) for axis, letter in zip(second, "fgh", strict=True)
    ]


def constraint_axes(scene: Any, constraint: Constraint) -> list[tuple[str, Any, str]]:
    """Return the axes of a constraint by body, with their letters."""
    if isinstance(constraint, PointOnLine | PointOnPlane):
        pair = carrier(scene, constraint)
    elif isinstance(constraint, Parallel | Perpendicular):
        pair = directions(scene, constraint)
    else:
        return []
    return [
        (body, axis, letter)
        for body, triad in zip(pair.bodies, pair.axes, strict=True)
        for axis, letter in zip(triad, "fgh", strict=True)
    ]
