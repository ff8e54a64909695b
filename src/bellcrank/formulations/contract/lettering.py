"""Letters for the numbers of a machine: which there are, their meaning and their value.

A worksheet is written in letters. Those of constants (points, axes, stiffnesses) come from
here, each once, with its value; what a formulation moves (r, A, ω′, …) it names itself.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.model import Model
from bellcrank.model.algebra import nominal
from bellcrank.model.expressions import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
)
from bellcrank.spatial import letters
from bellcrank.spatial.formula import Accent, Formula, Letter, Script, line, symbol
from bellcrank.spatial.letters import PI, Letters, Symbol, call, name

FIELDS = {
    "stiffness": "k", "damping": "c", "length": "L", "rest": "θ", "friction": "μ",
    "friction_speed": "w", "ratio": "N", "radius": "ρ", "pitch": "p",
}  # fmt: skip
"""Numbers of force elements and constraints that have a letter."""
_MEANING = {
    "stiffness": "stiffness", "damping": "damping", "length": "free length [m]",
    "rest": "rest position", "friction": "dry friction", "friction_speed": "speed at which "
    "friction is full", "ratio": "ratio", "radius": "radius [m]",
    "pitch": "advance in a turn [m]",
}  # fmt: skip


@dataclass(frozen=True)
class Constant3:
    """A constant of a page: what its letter is worth, and what it means."""

    symbol: Symbol
    value: Any
    meaning: str


@dataclass
class PageLetters:
    """The letters of one page.

    Attributes:
        model: The machine, with letters for numbers of its elements.
        constants: In the order in which they were first used.
        element: The element that is being written, whose name is the index of its letters.
        axes: Names of directions of the element: (body, in the drawing) → letter.
    """

    model: Model
    constants: dict[Any, Constant3] = field(default_factory=dict)
    element: str = ""
    axes: list[tuple[str, Any, str]] = field(default_factory=list)
    called: dict[str, list[Symbol]] = field(default_factory=dict)

    def begin(self, element: str, axes: Iterable[tuple[str, Any, str]] = ()) -> None:
        """Begin to write an element; `axes` are (body, direction, letter)."""
        self.element, self.axes = element, list(axes)

    def vector(
        self, letter: str, *index: int | str, value: Any, meaning: str, prime: bool = True
    ) -> Letters:
        """Return a constant vector; the same letter for the same vector."""
        numbers = np.array([self.worth(entry) for entry in value], dtype=float)
        if not np.any(numbers):
            return letters.zero((len(numbers), 1))
        base, more = letter, 1
        key: tuple[int | str, ...] = (letter, *index)
        while key in self.constants:
            known = self.constants[key]
            if np.array_equal(known.value, numbers):
                return known.symbol()
            more += 1
            letter = f"{base}{more}"
            key = (letter, *index)
        shown = name(base, *index, prime=prime) if letter == base else name(
            Letter(letter), *index, prime=prime
        )  # fmt: skip
        symbol = Symbol(key, shown, (len(numbers), 1))
        self.constants[key] = Constant3(symbol, numbers, meaning)
        return symbol()

    def scalar(self, letter: str, *index: int | str, value: Any, meaning: str) -> Letters:
        """Return a constant scalar."""
        key = self._free((letter, *index), scalar=True)
        if key not in self.constants:
            symbol = Symbol(key, name(letter, *index), (1, 1))
            self.constants[key] = Constant3(symbol, self.worth(value), meaning)
        return self.constants[key].symbol()

    def matrix(self, letter: str, *index: int | str, value: Any, meaning: str) -> Letters:
        """Return a constant matrix along a body."""
        key = self._free((letter, *index), scalar=False)
        if key not in self.constants:
            numbers = np.array([[self.worth(e) for e in row] for row in value], dtype=float)
            symbol = Symbol(key, name(letter, *index, prime=True), numbers.shape)
            self.constants[key] = Constant3(symbol, numbers, meaning)
        return self.constants[key].symbol()

    def _free(self, key: tuple[int | str, ...], scalar: bool) -> tuple[int | str, ...]:
        """Return a key that no constant of another shape has: J_3 may stand beside J′_3."""
        known = self.constants.get(key)
        if known is None or (known.symbol.shape == (1, 1)) == scalar:
            return key
        return (*key, "scalar" if scalar else "matrix")

    def direction(self, body: str, drawn: Any) -> str:
        """Return the letter of a direction of the element that is being written."""
        at = np.array([self.worth(entry) for entry in drawn], dtype=float)
        for owner, axis, letter in self.axes:
            there = np.array([self.worth(entry) for entry in axis], dtype=float)
            if owner == body and np.allclose(at, there, atol=1e-12):
                return letter
        return "a"

    def abbreviation(self, letter: str, value: Letters, mark: str = "") -> Letters:
        """Return a name of the element that is being written for an expression."""
        if not value:
            return value
        key = ("called", self.element, letter, mark)
        shown, element = name(letter, self.element, marks=mark), self.element

        def rate() -> Letters:  # ḋ has a name, too
            changed = letters.rate(value)
            if mark or not changed:
                return changed
            rated = name(letter, element, marks="dot")
            other = ("called", element, letter, "dot")
            return Symbol(
                other, rated, value.shape, lambda: letters.rate(changed), definition=changed
            )()

        symbol = Symbol(key, shown, value.shape, rate, definition=value)
        known = self.called.setdefault(self.element, [])
        if symbol not in known:
            known.append(symbol)
        return symbol()

    def worth(self, value: Any) -> float:
        """Return a number, an expression of parameters or letters of constants as a number."""
        if isinstance(value, Letters):
            return float(letters.value(value, lambda s: self.constants[s.key].value))
        found = nominal(value)
        if found is None:
            raise NotSupported(f"worksheet: {value!r} is not a number of the machine.")
        return float(found)


def lettered(model: Model) -> tuple[Model, dict[str, tuple[Formula, str]]]:
    """Return a model with parameters for numbers of its elements, and how these are printed.

    Only numbers that are no geometry: stiffnesses, lengths, ratios. Zeros stay zeros.
    """
    shown: dict[str, tuple[Formula, str]] = {}
    taken = {*model.names, *(p.name for p in model.parameters)}

    def change(element: Any) -> Any:
        changes: dict[str, Any] = {}
        for what, letter in FIELDS.items():
            number = getattr(element, what, None)
            if what == "length" and number is None and hasattr(element, "length"):
                number = model.drawn_length(element)
            unit = 1.0 if what == "ratio" else 0.0  # of a letter that nothing is lost without
            if not isinstance(number, float) or number in (0.0, unit):
                continue
            text = f"letter_{what}_{len(shown)}"
            while text in taken:
                text += "_"
            mark = name(letter, element.name) if what != "rest" else name(
                letter, element.name, "0"
            )  # fmt: skip
            shown[text] = (mark, f"{_MEANING[what]} of {element.name}")
            changes[what] = Parameter(text, number)
        several = (("vector", "F"), ("effort", "τ"), ("stiffness", "k"), ("damping", "c"))
        for what, letter in several:
            given = getattr(element, what, None)
            if isinstance(given, tuple):
                parts = [plain(element, letter, entry, i) for i, entry in enumerate(given, 1)]
                changes |= {what: tuple(parts)} if tuple(parts) != given else {}
            elif isinstance(given, float | Constant) and what in ("vector", "effort"):
                changed = plain(element, letter, given)
                changes |= {what: changed} if changed != given else {}
        return dataclasses.replace(element, **changes) if changes else element

    def plain(element: Any, letter: str, entry: Any, *index: int) -> Any:
        """Return a letter for a number of a law; expressions as they are."""
        number = entry.value if isinstance(entry, Constant) else entry
        if not isinstance(number, float) or number == 0.0:
            return entry
        text = f"letter_law_{len(shown)}"
        shown[text] = (name(letter, element.name, *(index or ("0",))),
                       f"of {element.name}")  # fmt: skip
        return Parameter(text, number)

    changed = Model(
        model.name,
        bodies=model.bodies,
        joints=tuple(map(change, model.joints)),
        constraints=tuple(map(change, model.constraints)),
        forces=tuple(map(change, model.forces)),
        drivers=model.drivers,
        points=model.points,
        gravity=model.gravity,
        planar=model.planar,
        parameters=model.parameters,
        inputs=model.inputs,
        variables=model.variables,
    )
    return changed, shown


class LetterNumbers:
    """Numbers and expressions of a model as letters: floats stay floats.

    Attributes:
        lettering: The page's letters.
        signal: Returns the letters of a signal by its name.
        shown: How parameters are printed, by name, and what they mean.
        time: t.
    """

    def __init__(
        self,
        lettering: PageLetters,
        signal: Callable[[str], Any],
        shown: Mapping[str, tuple[Formula, str]],
    ) -> None:
        self.lettering, self.signal, self.shown = lettering, signal, shown
        self._variables = {variable.name for variable in lettering.model.variables}
        self.time = TIME

    def __call__(self, value: Any) -> Any:
        """Return a number as it is, an expression in letters."""
        if not isinstance(value, Expression):
            return float(value)
        match value:
            case Constant(number):
                return self._number(float(number))
            case Parameter(text, number):
                return self._parameter(text, number)
            case Input(text):
                return Symbol(("input", text), Letter(text), (1, 1))()
            case Signal("t"):
                return self.time()
            case Signal(text) if text in self._variables:
                return Symbol(("variable", text), Letter(text), (1, 1))()
            case Signal(text):
                return self.signal(text)
            case Operation("pow", (base, Constant(exponent))):
                return _operate("pow", [self(base), float(exponent)])
            case Operation(op, args):
                return _operate(op, [self(argument) for argument in args])
        raise NotSupported(f"worksheet: {value!r} cannot be written.")

    def _number(self, number: float) -> Any:
        """Return 0, ½, 1, 2 and π of a law, which belong to its form; for others a letter."""
        if number == PI.numbers[0] or (abs(number) <= 2.0 and (2.0 * number).is_integer()):
            return number
        element = self.lettering.element
        known = [c for k, c in self.lettering.constants.items() if k[:2] == ("η", element)]
        for constant in known:
            if constant.value == number:
                return constant.symbol()
        return self.lettering.scalar(
            "η", element, len(known) + 1, value=number, meaning=f"number in {element}"
        )

    def _parameter(self, text: str, number: float) -> Letters:
        formula, meaning = self.shown.get(text, (Letter(text), f"parameter {text}"))
        key = ("parameter", text)
        if key not in self.lettering.constants:
            symbol = Symbol(key, formula, (1, 1))
            self.lettering.constants[key] = Constant3(symbol, number, meaning)
        return self.lettering.constants[key].symbol()


TIME = Symbol("t", Letter("t"), (1, 1), rate=lambda: letters.as_letters(1.0))


def _operate(op: str, given: list[Any]) -> Any:
    if all(isinstance(one, float) for one in given):
        given[0] = letters.as_letters(given[0])
    match op:
        case "add":
            return given[0] + given[1]
        case "sub":
            return given[0] - given[1]
        case "mul":
            return given[0] * given[1]
        case "div":
            return given[0] / given[1]
        case "neg":
            return -given[0]
        case "pow":
            power = given[1]
            whole = isinstance(power, float)
            return given[0] ** power if whole else call("pow", *given)
    return call(op, *given)


_MOTIONS = {
    "angle": "θ", "angle1": "θ", "angle2": "θ", "offset": "d", "x": "x", "y": "y",
    "position": "x", "velocity": "x", "orientation": "e", "angular": "ω",
}  # fmt: skip


def motion(name: str, rate: bool) -> Formula:
    """Return θ_A for A.angle, with a dot for its rate; x_A1 for A.position_x, and so on."""
    joint, _, quantity = name.rpartition(".")
    stem, *rest = quantity.split("_")
    letter = Letter(_MOTIONS.get(stem, stem))
    axis = {"x": "1", "y": "2", "z": "3"}
    mark = axis.get(rest[-1], rest[-1]) if rest and rest[-1] != "rate" else ""
    mark = stem[-1] if stem in ("angle1", "angle2") else mark
    index = line(*(symbol(joint), *([symbol(mark)] if mark else [])))
    dotted = rate and stem != "angular"
    return Script(Accent(letter, "dot") if dotted else letter, index)
