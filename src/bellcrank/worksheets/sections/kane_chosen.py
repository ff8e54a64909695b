"""Sections of Kane's page in the speeds that were chosen, and in the rates of coordinates.

    ω′_I = Σ_J [S_IJ] {u_J}
    [v_K,u_J] = Σ_I [v_K,ω′_I][S_IJ],      [b_u_J] = Σ_I [b_ω′_I][S_IJ]

The speeds of translation are ṡ′ in every choice, and their blocks those of y2.
"""

from collections.abc import Callable, Sequence
from functools import cached_property

from bellcrank.formulations.cartesian.blocks import RowBlock
from bellcrank.formulations.kane import AngleRates, Kane, LinearSpeeds
from bellcrank.formulations.kane.choices import Angles, is_relative
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    EQUALS,
    PLUS,
    Accent,
    Formula,
    Letter,
    Line,
    Numeral,
    Script,
    Sign,
    braces,
    indexed,
    line,
    matrix,
)
from bellcrank.spatial.letters import BRACKETS, Letters, Symbol, name, written
from bellcrank.worksheets.school import drawing_state
from bellcrank.worksheets.sections.kane_rows import KaneRows
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    equations,
    say,
)

Spin = Callable[[int, int], Letters]
"""The block S_IJ with which ω′_I depends on a speed vector of body J."""
MOST = 12  # bodies whose blocks are written out


class ChosenBlocks:
    """Partial velocities and rows of a machine in the speeds of a choice.

    Attributes:
        formulation: The choice.
        rows: The machine's rows, and its tree in letters.
    """

    def __init__(self, formulation: Kane, rows: KaneRows) -> None:
        self.formulation, self.rows = formulation, rows
        self.machine = rows.machine

    # --- how bodies turn

    def _path(self, k: int) -> list[int]:
        found = [k]
        while low := self.machine.lower[found[-1] - 1]:
            found.append(low)
        return found

    def _carried(self, i: int, j: int, frame: int, block: Letters | None) -> Letters:
        """Return [R_I][R_F]ᵀ times a block, for J on the path of I."""
        if j not in self._path(i):
            return letters.zero((3, 3 if block is None else block.shape[1]))
        A = self.rows.tree.rotations
        turn = letters.identity() if i == frame else A[i].T @ A[frame]
        return turn if block is None else turn @ block

    def _own(self, i: int, j: int, block: Letters) -> Letters:
        return block if i == j else letters.zero((3, block.shape[1]))

    def by_speed(self, i: int, j: int) -> Letters:
        """Return how ω′_I depends on the angular speeds of body J."""
        chosen = self.formulation.speeds
        if isinstance(chosen, AngleRates):
            return self.by_rate(i, j)
        match chosen:
            case "absolute fixed":
                return self._own(i, j, self.rows.tree.rotations[i].T)
            case "relative body":
                return self._carried(i, j, j, None)
            case "relative fixed":
                return self._carried(i, j, self.machine.lower[j - 1], None)
        return self._own(i, j, letters.identity())

    def by_rate(self, i: int, j: int) -> Letters:
        """Return how ω′_I depends on the rates of the orientation of body J."""
        block = self.rate_block(j)
        if is_relative(self.formulation.orientation or ""):
            return self._carried(i, j, j, block)
        return self._own(i, j, block)

    def rate_block(self, j: int) -> Letters:
        """Return [Y_J] of angles, or 2[E′_J] of Euler parameters."""
        if isinstance(self.formulation.orientation, Angles):
            return Symbol(("Y", j), name("Y", j), (3, 3))()
        return Symbol(("E", j), name("E", j, prime=True), (3, 4))() * 2.0

    # --- what follows from it

    def velocity(self, k: int, j: int, spin: Spin) -> Letters:
        """Return the partial velocity of mass centre K by a speed vector of body J."""
        total = letters.zero((3, spin(j, j).shape[1]))
        for i in self._path(k):
            block = spin(i, j)
            if block:
                total = total + self.rows.tree.by_turning(k, i) @ block
        return total

    def row(self, row: RowBlock, j: int, spin: Spin) -> Letters:
        """Return the block of a row by a speed vector of body J."""
        total = letters.zero((row.rate.shape[0], spin(j, j).shape[1]))
        for i in self.machine.bodies:
            block = spin(i, j)
            if block and (by := self.rows.row_block(row, i, True)):
                total = total + by @ block
        return total

    # --- how they are printed

    def speed(self, j: int) -> Formula:
        """Return the letter of the angular speeds of a body."""
        chosen = self.formulation.speeds
        if isinstance(chosen, AngleRates):
            return self.rate(j)
        hat = "hat" if chosen != "absolute body" and str(chosen).startswith("relative") else ""
        return name("ω", j, prime=str(chosen).endswith("body"), marks=hat)

    def rate(self, j: int) -> Formula:
        """Return the letter of the rates of a body's orientation."""
        letter = "θ" if isinstance(self.formulation.orientation, Angles) else "ε"
        return name(letter, j, marks="dot")

    @cached_property
    def few(self) -> bool:
        """Whether blocks are written out."""
        return self.machine.count <= MOST

    def partials(self) -> list[Item]:
        """Return [ω′_K] and [v_K] by the speeds, body by body."""
        if not self.few:
            return []
        given = isinstance(self.formulation.speeds, LinearSpeeds)
        spin, mark = (self.by_rate, self.rate) if given else (self.by_speed, self.speed)
        found = []
        for letter, prime in (("ω", True), ("v", False)):
            for k in self.machine.bodies:
                for j in reversed(self._path(k)):
                    block = self.velocity(k, j, spin) if letter == "v" else spin(k, j)
                    if block:
                        lower = Line((Numeral(str(k)), Sign(","), mark(j)))
                        left = matrix(Script(Letter(letter), lower, _prime(prime)))
                        found.append(Equation(left, written(block, BRACKETS)))
        slide = braces(name("s", "J", prime=True, marks="dot"))
        told = "In the rates of the coordinates" if given else "In these speeds"
        more: list[Item] = []
        if given:
            W, x = matrix("W"), braces("x")
            u = matrix(indexed("v", "K", ",", "u"))
            v = matrix(Script(Letter("v"), Line((Letter("K"), Sign(","), _qd()))))
            more = [
                say("and with ", line(u, EQUALS, v, W), " and the remainders ", line(v, x),
                    ", likewise of ω′, they are those of the speeds.")
            ]  # fmt: skip
        return [
            say(f"{told}, body by body (blocks of ", slide, " are those of ",
                Script(Letter("y"), Numeral("2")), "; the others are zero, and so are "
                "remainders where z is):"),
            AlignedEquations(tuple(found)), *more,
        ]  # fmt: skip

    def section(self) -> Section | None:
        """Return the rows a q̇ + a0 = 0 and, in chosen speeds, b u + b0 = 0."""
        rows = self.rows.rows.blocks.rows
        if not rows:
            return None
        q, a0 = braces(_qd()), braces(indexed("a", 0))
        found = self._entries("a", self.by_rate, self.rate)
        given = self._entries("b", self.by_speed, self.speed)
        items: list[Item] = [
            say("In the rates of the coordinates, ", self.rate_words, ", each of them is"),
            equations((Line((matrix("a"), q, PLUS, a0)), braces(Numeral("0"))), boxed=True),
            say("with ", line(a0, EQUALS, braces(indexed("b", 0))), ", the blocks above for "
                "the rates of ", indexed("s", "J", prime=True),
                " and, for those of orientations, ", *([] if found else [braces(Numeral("0"))]),
                ":" if found else "."),
            *([AlignedEquations(tuple(found))] if found else []),
        ]  # fmt: skip
        chosen = self.formulation.speeds
        if given and chosen != "absolute body" and not isinstance(chosen, LinearSpeeds):
            items += [
                say("and in the speeds of this page, ",
                    line(matrix("b"), braces("u"), PLUS, braces(indexed("b", 0)), EQUALS,
                         braces(Numeral("0"))), ", with"),
                AlignedEquations(tuple(given)),
            ]  # fmt: skip
        items.append(
            say("so that ", line(matrix("b"), EQUALS, matrix("a"), matrix("W")), " and ",
                line(braces(indexed("b", 0)), EQUALS, a0, PLUS, matrix("a"), braces("x")), ".")
        )  # fmt: skip
        return Section("The same rows in the rates of the coordinates", tuple(items))

    def independent(self, names: Sequence[str] | None = None) -> list[Item]:
        """Return which speeds of this choice are independent in the drawing.

        Args:
            names: Those that a user has chosen; None to choose by pivoting.

        Raises:
            UnknownName: There is no such speed.
            OptionError: They are too few or too many, or do not determine the others.
        """
        model = self.machine.model
        plain = self.formulation.speeds == "absolute body"
        if names is None and (not self.few or (plain and not self.rows.rows.blocks.rows)):
            return []  # those of the joints are in their table
        equations = self.formulation.equations(model)
        q, u = drawing_state(equations)
        if names is not None:
            found = equations.elimination(q, u, independent=names)
            told = ", ".join(found.independent) or "none"
            left = ", ".join(found.dependent) or "none"
            return [
                say(f"The independent speeds of this page are, by choice: {told}. They "
                    "determine the others in the drawing, where the condition of ",
                    matrix(indexed("b", "D")), f" is {found.condition:.3g}: {left}.")
            ]  # fmt: skip
        found = equations.elimination(q, u)
        count = len(found.independent)
        told = f": {', '.join(found.independent)}" if count else ""
        return [
            say(f"With all rows, by pivoting, {count} of the {len(equations.speeds)} speeds "
                f"of this page {'is' if count == 1 else 'are'} independent in the "
                f"drawing{told}. derive(…, independent=…) takes others by name, and so "
                "does the equations’ elimination(q, u, independent=…).")
        ]  # fmt: skip

    @property
    def rate_words(self) -> str:
        """What the coordinates of orientations are."""
        angles = isinstance(self.formulation.orientation, Angles)
        seen = is_relative(self.formulation.orientation or "")
        against = " against the lower body" if seen else ""
        return f"{'angles' if angles else 'Euler parameters'}{against} and s′"

    def _entries(
        self, letter: str, spin: Spin, mark: Callable[[int], Formula]
    ) -> list[Equation]:
        found = []
        for row in self.rows.rows.blocks.rows:
            label = self.rows.rows.label(row)
            for j in self.machine.bodies:
                block = self.row(row, j, spin)
                if block:
                    left = matrix(Script(Letter(letter), mark(j), label))
                    found.append(Equation(left, written(block, BRACKETS)))
        return found


def _prime(wanted: bool) -> Formula | None:
    return Letter("′") if wanted else None


def _qd() -> Formula:
    return Accent(Letter("q"), "dot")
