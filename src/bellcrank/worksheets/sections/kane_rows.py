"""Sections of Kane's page in letters: forces body by body, rows b y + b0 = 0, elimination."""

from bellcrank.formulations.cartesian.blocks import CartesianBlocks, RowBlock
from bellcrank.formulations.kane.matrices.letters import KaneLetters
from bellcrank.model import Model
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    Accent,
    Fence,
    Formula,
    Grid,
    Letter,
    Line,
    Numeral,
    Script,
    Summation,
    Terms,
    braces,
    indexed,
    line,
    matrix,
)
from bellcrank.spatial.letters import BRACKETS, Letters, name, signed, written
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.body_rows import BodyRows
from bellcrank.worksheets.sections.kane import partial
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    equations,
    say,
)


class KaneRows:
    """What acts on the bodies and what constrains them, in Kane's letters.

    Attributes:
        machine: The numbered bodies.
        rows: Constraints and forces in body space.
        tree: Partial velocities.
    """

    def __init__(self, machine: NumberedMachine) -> None:
        self.machine, model = machine, machine.model
        numbers = {body: k for k, body in enumerate(machine.names, start=1)}
        blocks = CartesianBlocks(model, "omega", "centroid", (), numbers, inward=True)
        self.model: Model = model
        self.rows = BodyRows(model, blocks, style=BRACKETS)
        self.tree = KaneLetters(machine.connection, blocks.lettering)

    # --- forces

    def forces(self) -> list[Item]:
        """Return {F_K} and {M′_K} with everything entered."""
        lettering = self.rows.blocks.lettering
        items: list[Item] = []
        acting = {k: self.acting(k) for k in self.machine.bodies}
        named = [
            Equation(symbol.formula, written(symbol.definition, BRACKETS))
            for element in self.model.forces
            for symbol in lettering.called.get(element.name, [])
            if symbol.definition is not None
        ]
        inner = [
            s.definition for e in self.model.forces for s in lettering.called.get(e.name, [])
        ]
        named = (
            self.rows.measured(*inner, *(e for pair in acting.values() for e in pair)) + named
        )
        if named:
            items += [
                say("Letters of the force elements; {p} are positions of mass centres:"),
                AlignedEquations(tuple(named)),
            ]
        found = []
        for k, (force, torque) in acting.items():
            found.append(Equation(braces(indexed("F", k)), written(force, BRACKETS)))
            if torque:
                left = braces(indexed("M", k, prime=True))
                found.append(Equation(left, written(torque, BRACKETS)))
        return [*items, say("Body by body, moments that are not listed being zero:"),
                AlignedEquations(tuple(found))]  # fmt: skip

    def acting(self, k: int) -> tuple[Letters, Letters]:
        """Return {F_K} and {M′_K}, gravity entered."""
        blocks, lettering = self.rows.blocks, self.rows.blocks.lettering
        gravity = [lettering.worth(entry) for entry in self.model.gravity]
        force, torque = letters.zero(), letters.zero()
        if any(gravity):
            meaning = f"mass of {self.machine.names[k - 1]} [kg]"
            mass = self.machine.mass_number(k)
            m = lettering.scalar("m", k, value=mass, meaning=meaning)
            g = lettering.vector("g", value=gravity, meaning="gravity [m/s²]", prime=False)
            force = g * m
        for one in blocks.forces:
            if blocks.bodies[one.body].number == k:
                force, torque = force + one.force, torque + one.torque
        return force, torque

    # --- rows

    def constraints(self) -> Section | None:
        """Return constraints and drivers as rows b y + b0 = 0, block by block."""
        rows = self.rows.blocks.rows
        if not rows:
            return None
        told = self.rows.constraints()
        assert told is not None
        found: list[Equation] = []
        for row in rows:
            found += self._entries(row)
        y, K = braces("y"), Letter("K")
        by_p, by_turn = (Script(Letter("Φ"), mark) for mark in (
            indexed("p", "K"), Script(Letter("π"), K, Letter("′"))
        ))  # fmt: skip
        chain = Line((
            Summation(K), Fence(Line((
                matrix(by_p), partial("v", "K", "y"), PLUS, matrix(by_turn),
                partial("ω", "K", "y", True),
            )), "()"),
        ))  # fmt: skip
        rest = Line((MINUS, braces(Letter("ν"))))
        first = equations(
            (Line((matrix("b"), y, PLUS, braces(indexed("b", 0)))), braces(Numeral("0"))),
            boxed=True,
        )
        return Section("Constraints and drivers as rows", (
            *told.items,
            say("In the speeds each of them is a row"), first,
            equations((matrix("b"), chain), (braces(indexed("b", 0)), rest)),
            say("with these blocks, of ", braces(indexed("ω", "J", prime=True)), " and of ",
                braces(indexed(Accent(Letter("s"), "dot"), "J", prime=True)),
                ", and what is prescribed; the others are zero:"),
            AlignedEquations(tuple(found)),
        ))  # fmt: skip

    def row_block(self, row: RowBlock, j: int, turning: bool) -> Letters:
        """Return the block of ω′_J or ṡ′_J of a row."""
        total = letters.zero((row.rate.shape[0], 3))
        part = self.tree.by_turning if turning else self.tree.by_sliding
        for body, (by_p, by_turn) in row.by.items():
            k = self.rows.blocks.bodies[body].number
            if by_p:
                total = total + by_p @ part(k, j)
            if turning and k == j and by_turn:
                total = total + by_turn
        return total

    def _entries(self, row: RowBlock) -> list[Equation]:
        found, label = [], self.rows.label(row)
        for turning in (True, False):
            for j in self.machine.bodies:
                block = self.row_block(row, j, turning)
                if block:
                    mark = name("ω", j, prime=True) if turning else name(
                        "s", j, prime=True, marks="dot"
                    )  # fmt: skip
                    left = matrix(Script(Letter("b"), mark, label))
                    found.append(Equation(left, written(block, BRACKETS)))
        if row.nu:
            left = braces(Script(Letter("b"), Numeral("0"), label))
            found.append(Equation(left, _sum(-row.nu)))
        return found

    def elimination(self) -> Section:
        """Return u_D = B′u_I + b0′ and the reduced equations."""
        T, A, y = matrix("T"), matrix("A"), Letter("y")
        inverse = Script(matrix(indexed("b", "D")), None, Line((MINUS, Numeral("1"))))
        b0 = braces(indexed("b", 0))
        yI, yD = braces(Script(y, Letter("I"))), braces(Script(y, Letter("D")))
        Tt = matrix("T", transposed=True)
        B = matrix(Script(Letter("B"), None, Letter("′")))
        rest = braces(Script(Letter("b"), Numeral("0"), Letter("′")))
        ca = braces(Script(Letter("c"), Letter("a")))
        reduced = Line((Tt, Fence(Line((braces("f"), MINUS, A, ca)), "()")))
        yd = braces(Accent(y, "dot"))
        ydI = braces(Script(Accent(y, "dot"), Letter("I")))
        return Section("Independent speeds", (
            say("Speeds are split into independent and dependent ones so that ",
                matrix(indexed("b", "D")), " is regular, by name or by pivoting:"),
            equations(
                (yD, Line((B, yI, PLUS, rest))),
                (B, Line((MINUS, inverse, matrix(indexed("b", "I"))))),
                (rest, Line((MINUS, inverse, b0))),
                (braces(y), Line((T, yI, PLUS, braces("c")))),
                (T, Grid(((matrix("I"),), (B,)))),
                (braces("c"), Grid(((braces(Numeral("0")),), (rest,)), "{}")),
                (yd, Line((T, ydI, PLUS, ca))),
            ),
            say("Partial velocities of the independent speeds are ",
                line(partial("v", "K", "y"), T), " and ", line(partial("ω", "K", "y", True), T),
                ", with remainders ", line(partial("v", "K", "y"), braces("c")), ", and"),
            equations((Line((Tt, A, T, ydI)), reduced), boxed=True),
        ))  # fmt: skip


def _sum(expression: Letters) -> Formula:
    parts = signed(expression, BRACKETS)
    return Terms(tuple(parts)) if parts else Numeral("0")
