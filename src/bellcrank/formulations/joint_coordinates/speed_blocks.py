"""Partial velocities of a tree in chosen speeds, block by block in letters.

u = Y y + z,   y = T (u − z)        y the joint rates
ω_K,r = Σ_j ω_K,j T_jr      v_K,r = Σ_j v_K,j T_jr      r = 1 … n
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca

from bellcrank.formulations.contract.lettering import TIME, LetterNumbers, motion
from bellcrank.formulations.contract.reading import read
from bellcrank.formulations.joint_coordinates.blocks import JointBlocks, TreeFreedom
from bellcrank.formulations.joint_coordinates.speeds import ChosenSpeeds
from bellcrank.model import Model
from bellcrank.spatial import letters
from bellcrank.spatial.formula import Formula, Letter, Numeral, Script
from bellcrank.spatial.letters import Letters, Symbol, name

if TYPE_CHECKING:
    from bellcrank.formulations.joint_coordinates.chosen import ChosenSchool

Part = Callable[[TreeFreedom, int], Letters]
"""ω_K,j or v_K,j of a freedom and a body."""

AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def speed_letter(text: str) -> Formula:
    """Return u_1 for `u1`, and other names as they are; joint rates as on every page."""
    if "." in text:
        return motion(text, rate=True)
    stem = text.rstrip("0123456789")
    digits = text[len(stem) :]
    return Script(Letter(stem), Numeral(digits)) if stem and digits else Letter(text)


class SpeedBlocks:
    """The blocks of a tree in chosen speeds.

    Attributes:
        tree: Those of its joint rates.
        choice: Y and z.
        number: Writes numbers and expressions of the choice.
    """

    def __init__(self, model: Model, choice: ChosenSpeeds, school: "ChosenSchool") -> None:
        self.tree, self.choice, self._school = JointBlocks(model), choice, school
        self.number = LetterNumbers(self.tree.lettering, _coordinate, {})
        self._partials: dict[tuple[str, int, int], Letters] = {}

    @cached_property
    def speeds(self) -> tuple[Symbol, ...]:
        """u_r."""
        return tuple(
            Symbol(("speed", variable.name), speed_letter(variable.name), (1, 1))
            for variable in self.choice.variables
        )

    @cached_property
    def rates(self) -> tuple[Symbol, ...]:
        """y_j, the joint rates one by one."""
        return tuple(
            Symbol(("rate", variable.name), motion(variable.name, rate=True), (1, 1))
            for variable in self.tree.layout.speeds
        )

    def definition(self, r: int) -> Letters:
        """Return u_r in joint rates."""
        total = letters.as_letters(self.number(self.choice.z[r]))
        for entry, rate in zip(self.choice.Y[r], self.rates, strict=True):
            if entry != 0.0:
                total = total + letters.as_letters(self.number(entry)) * rate()
        return total

    # --- the inverse

    @cached_property
    def _names(self) -> dict[str, Symbol]:
        """Symbols of what T may depend on, by the names of CasADi's."""
        columns = self._school.symbols.columns
        known = {"q": [v.name for v in self.tree.layout.coordinates]}
        found = {columns["t"].name(): TIME}
        for i, text in enumerate(known["q"]):
            found[columns["q"][i].name()] = _symbol(text)
        for i, parameter in enumerate(self.tree.model.parameters):
            symbols = letters.symbols(self.number(parameter))
            found[columns["p"][i].name()] = next(iter(symbols))
        return found

    @cached_property
    def inverse(self) -> tuple[tuple["float | Symbol", ...], ...]:
        """T: numbers where it is constant, else T_jr, which stands for an expression."""
        n = len(self.speeds)
        return tuple(tuple(self._entry(j, r) for r in range(n)) for j in range(n))

    def _entry(self, j: int, r: int) -> "float | Symbol":
        entry = self._school.T[j, r]
        if not entry.nnz() or entry.is_constant():
            return float(entry) if entry.nnz() else 0.0
        worth = read(entry, self._names)
        return Symbol(("T", j + 1, r + 1), name("T", j + 1, r + 1), (1, 1), definition=worth)

    def rate(self, j: int) -> Letters:
        """Return y_j = Σ_r T_jr (u_r − z_r)."""
        total = letters.as_letters(0.0)
        for r, entry in enumerate(self.inverse[j]):
            if entry != 0.0:
                rest = letters.as_letters(self.number(self.choice.z[r]))
                total = total + (self.speeds[r]() - rest) * _scalar(entry)
        return total

    # --- partial velocities

    def partial(self, part: Part, r: int, k: int) -> Letters:
        """Return ω_K,r or v_K,r; each is written once."""
        key = part.__name__, r, k
        if key not in self._partials:
            self._partials[key] = self._partial(part, r, k)
        return self._partials[key]

    def _partial(self, part: Part, r: int, k: int) -> Letters:
        total = letters.zero()
        for freedom in self.tree.freedoms:
            if not self.tree.moves(freedom, k):
                continue
            block, width = part(freedom, k), len(freedom.names)
            for i in range(width):
                entry = self.inverse[freedom.start + i][r]
                if entry == 0.0 or not block:
                    continue
                column = block if width == 1 else block @ _axis(i)
                total = total + column * _scalar(entry)
        return total

    def remainder(self, part: Part, k: int) -> Letters:
        """Return what is left of ω_K or v_K at u = 0: −Σ_r (…)_K,r z_r."""
        total = letters.zero()
        for r, rest in enumerate(self.choice.z):
            if rest != 0.0:
                total = total - self.partial(part, r, k) * letters.as_letters(self.number(rest))
        return total

    # --- values

    def worth(self) -> Callable[[Symbol], Any]:
        """Return the symbols on those of CasADi."""
        school, tree = self._school, self.tree
        inner, known = tree.worth(school), {TIME.key: school.symbols.columns["t"]}
        for variable, value in zip(tree.layout.coordinates, school.scalars["q"], strict=True):
            known["coordinate", variable.name] = value
        for symbol, value in zip(self.speeds, school.symbols.scalars("u"), strict=True):
            known[symbol.key] = value
        for symbol, value in zip(self.rates, school.scalars["u"], strict=True):
            known[symbol.key] = value
        for parameter, value in zip(tree.model.parameters, school.scalars["p"], strict=True):
            known["parameter", parameter.name] = value
        for j, row in enumerate(self.inverse):
            for r, entry in enumerate(row):
                if isinstance(entry, Symbol):
                    known[entry.key] = school.T[j, r]
        known |= {("axis", i): ca.SX(ca.DM(axis)) for i, axis in enumerate(AXES)}
        return lambda symbol: known[symbol.key] if symbol.key in known else inner(symbol)


def _scalar(entry: "float | Symbol") -> "float | Letters":
    return entry() if isinstance(entry, Symbol) else entry


def _axis(i: int) -> Letters:
    return Symbol(("axis", i), name("e", i + 1), (3, 1), numbers=AXES[i])()


def _symbol(text: str) -> Symbol:
    return Symbol(("coordinate", text), motion(text, rate=False), (1, 1))


def _coordinate(text: str) -> Letters:
    return _symbol(text)()
