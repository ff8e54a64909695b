"""Page of Kane's equations in few speeds of one's choice, over joint coordinates.

As on a blackboard: coordinates, speeds, velocities and partial velocities, generalized active
forces, generalized inertia forces, and F_r + F*_r = 0.
"""

from bellcrank.formulations.joint_coordinates import JointCoordinates
from bellcrank.formulations.joint_coordinates.blocks import JointBlocks
from bellcrank.formulations.joint_coordinates.chosen import chosen_school
from bellcrank.formulations.joint_coordinates.speed_blocks import Part, SpeedBlocks
from bellcrank.model import Model
from bellcrank.spatial.formula import (
    EQUALS,
    MINUS,
    PLUS,
    Accent,
    BlockRow,
    Fence,
    Formula,
    Grid,
    Letter,
    Line,
    Numeral,
    Script,
    Sign,
    Summation,
    Terms,
    braces,
    indexed,
    line,
    matrix,
)
from bellcrank.spatial.letters import Symbol, name, written
from bellcrank.worksheets.school import Page, comma, counted, values_of
from bellcrank.worksheets.sections import tables
from bellcrank.worksheets.sections.body_rows import block
from bellcrank.worksheets.sections.joint import JointPage, partial, transposed
from bellcrank.worksheets.sections.written_out import written_out
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    equations,
    say,
)

ACTIVE = Letter("F")
INERTIA = Script(Letter("F"), None, Sign("∗"))


class FewSpeedsPage(JointPage):
    """The sections of the page.

    Attributes:
        speeds: Blocks in the chosen speeds.
    """

    def __init__(self, formulation: JointCoordinates, model: Model) -> None:
        self.speeds = SpeedBlocks(model, *chosen_school(formulation, model))
        super().__init__(formulation, model)

    def tree_blocks(self) -> JointBlocks:
        """Return the blocks of joint rates, with which those of the speeds are written."""
        return self.speeds.tree

    def page(self, values: bool, scalars: bool | None) -> Page:
        """Return the page."""
        e = self.equations
        lead = (
            f"{counted(self.machine.count, 'body', 'bodies')}, "
            f"{counted(len(e.coordinates), 'coordinate')} and "
            f"{counted(len(e.speeds), 'generalized speed')}: Kane’s equations in speeds of "
            "one’s choice"
        )
        lead += f", with {counted(len(e.rows), 'row')} of constraints." if e.rows else "."
        parts = [
            tables.bodies(self.machine), self.coordinates(), self.chosen(), self.positions(),
            self.partial_velocities(), self.accelerations(), self.rows.applied(),
            tables.variables(self.model, self.blocks.lettering), self.forces(), self.motion(),
            *self.loops(), *self.elimination(),
            written_out(
                self.machine, values, scalars, self.blocks.lettering, self.formulation
            ),
            Section("Values", tuple(values_of(self.blocks.lettering))),
        ]  # fmt: skip
        return Page(lead, tuple(part for part in parts if part is not None), self.speeds)

    def chosen(self) -> Section:
        """Return u_r in joint rates, and joint rates in u_r."""
        blocks, named = self.speeds, self.speeds.choice.named
        forward = [
            Equation(blocks.speeds[r].formula, written(blocks.definition(r)))
            for r in range(named)
        ]
        back = [
            Equation(rate.formula, written(blocks.rate(j)))
            for j, rate in enumerate(blocks.rates)
            if rate.formula not in [symbol.formula for symbol in blocks.speeds[named:]]
        ]
        items: list[Item] = [
            say("Generalized speeds are linear in the rates of the coordinates, ",
                line(braces("u"), EQUALS, matrix("Y"), braces("y"), PLUS, braces("z")), ":"),
            AlignedEquations(tuple(forward)),
        ]  # fmt: skip
        if named < len(blocks.speeds):
            rest = [symbol.formula for symbol in blocks.speeds[named:]]
            one = len(rest) == 1
            items.append(say(f"The joint rate{'' if one else 's'} ", comma(*rest),
                             f" complete{'s' if one else ''} them."))  # fmt: skip
        entries = [x for row in blocks.inverse for x in row if isinstance(x, Symbol)]
        items += [
            say("Solved for the joint rates, ",
                line(braces("y"), EQUALS, matrix("T"),
                     Fence(Line((braces("u"), MINUS, braces("z"))), "()")), ":"),
            AlignedEquations(tuple(back)),
        ]  # fmt: skip
        if entries:
            items.append(say("with"))
            items.append(AlignedEquations(tuple(
                Equation(entry.formula, written(entry.definition)) for entry in entries
                if entry.definition is not None
            )))  # fmt: skip
        return Section("Generalized speeds", tuple(items))

    def partial_velocities(self) -> Section:
        """Return ω_K,r and v_K,r, one column for each speed."""
        if not self.blocks.freedoms:
            return Section("Partial velocities", (say("Nothing moves."),))
        items: list[Item] = [
            say("Velocities are linear in the generalized speeds, ",
                line(indexed("ω", "K"), EQUALS, partial("ω", "K"), Letter("u"), PLUS,
                     _rest("ω", "K")),
                " and ",
                line(indexed(Accent(Letter("r"), "dot"), "K"), EQUALS, partial("v", "K"),
                     Letter("u"), PLUS, _rest("v", "K")),
                ", with one partial velocity for each of ",
                comma(*(symbol.formula for symbol in self.speeds.speeds)),
                ". Partial angular velocities:"),
            self._speed_rows("ω", self.blocks.angular),
            say("Partial velocities of the mass centres:"),
            self._speed_rows("v", self.blocks.linear),
        ]  # fmt: skip
        rest = self._remainders()
        items += [say("Remainders, of prescribed motion:"), AlignedEquations(rest)] if rest \
            else [say("There are no remainders.")]  # fmt: skip
        return Section("Partial velocities", tuple(items))

    def _speed_rows(self, letter: str, part: Part) -> AlignedEquations:
        count = range(len(self.speeds.speeds))
        return AlignedEquations(tuple(
            Equation(
                partial(letter, k),
                BlockRow(tuple(block(self.speeds.partial(part, r, k)) for r in count)),
            )
            for k in self.blocks.bodies
        ))  # fmt: skip

    def _remainders(self) -> tuple[Equation, ...]:
        found = []
        for k in self.blocks.bodies:
            for letter, part in (("ω", self.blocks.angular), ("v", self.blocks.linear)):
                rest = self.speeds.remainder(part, k)
                if rest:
                    found.append(Equation(_rest(letter, k), written(rest)))
        return tuple(found)

    def accelerations(self) -> Section:
        """Return the terms of accelerations without u̇."""
        found = super().accelerations()
        if not any(isinstance(x, Symbol) for row in self.speeds.inverse for x in row):
            return found
        b = braces("b")
        rate = Accent(Letter("T"), "dot")
        more = say(
            "Joint rates stand in them for what they are in the speeds. Because ",
            matrix("T"), " changes, ",
            line(braces(Accent(Letter("y"), "dot")), EQUALS, matrix("T"),
                 braces(Accent(Letter("u"), "dot")), PLUS, b), " with ",
            line(b, EQUALS, matrix(rate), Fence(Line((braces("u"), MINUS, braces("z"))), "()"),
                 MINUS, matrix("T"), braces(Accent(Letter("z"), "dot"))),
            ", and the partial velocities of joint rates times ", b, " are added to them.",
        )  # fmt: skip
        return Section(found.title, (*found.items, more))

    # --- dynamics

    def forces(self) -> Section:
        """Return the generalized active and inertia forces, speed by speed."""
        for k in self.blocks.bodies:
            self.blocks.mass(k)
            self.blocks.inertia(k)
        active, inertia = [], []
        for r, symbol in enumerate(self.speeds.speeds):
            active.append(Equation(_of(ACTIVE, symbol), self._active(r, symbol)))
            inertia.append(Equation(_of(INERTIA, symbol), self._inertia(r, symbol)))
        return Section("Generalized forces", (
            say("Generalized active forces, of the applied forces ", indexed("F", "K"),
                " and torques ", indexed("M", "K"), " about the mass centres, and of the "
                "efforts ", Letter("τ"), " of motors and springs along the coordinates of the "
                "tree, which are not among them:"),
            AlignedEquations(tuple(active)),
            say("Generalized inertia forces:"), AlignedEquations(tuple(inertia)),
        ))  # fmt: skip

    def _moved(self, r: int, part: Part) -> list[int]:
        return [k for k in self.blocks.bodies if self.speeds.partial(part, r, k)]

    def _active(self, r: int, symbol: Symbol) -> Formula:
        parts: list[Formula] = []
        for letter, push, part in (
            ("v", "F", self.blocks.linear), ("ω", "M", self.blocks.angular),
        ):  # fmt: skip
            for k in self._moved(r, part):
                sign = [PLUS] if parts else []
                parts.append(Line((*sign, _dot(letter, k, symbol), indexed(push, k))))
        for j, rate in enumerate(self.speeds.rates):
            entry = self.speeds.inverse[j][r]
            if entry == 0.0 or not self._driven(j):
                continue
            minus = isinstance(entry, float) and entry < 0.0
            size = abs(entry) if isinstance(entry, float) else entry
            factor = [] if size == 1.0 else [
                size.formula if isinstance(size, Symbol) else Numeral(f"{size:.6g}")
            ]  # fmt: skip
            sign = [MINUS] if minus else [PLUS] if parts else []
            parts.append(Line((*sign, *factor, Script(Letter("τ"), _under(rate)))))
        return Terms(tuple(parts)) if parts else Numeral("0")

    def _driven(self, j: int) -> bool:
        """Return whether an element has an effort along a joint rate of the tree."""
        owner = self.blocks.layout.speeds[j].owner
        return any(getattr(force, "joint", None) == owner for force in self.model.forces)

    def _inertia(self, r: int, symbol: Symbol) -> Formula:
        parts: list[Formula] = []
        for k in self._moved(r, self.blocks.linear):
            acceleration = indexed(Accent(Letter("r"), "ddot"), k)
            parts.append(Line((MINUS, indexed("m", k), _dot("v", k, symbol), acceleration)))
        for k in self._moved(r, self.blocks.angular):
            w, A, J = indexed("ω", k), indexed("A", k), indexed("J", k, prime=True)
            turn = Line((A, J, transposed(A)))
            inner = Line((turn, indexed(Accent(Letter("ω"), "dot"), k), PLUS,
                          indexed(Accent(Letter("ω"), "tilde"), k), turn, w))  # fmt: skip
            parts.append(Line((MINUS, _dot("ω", k, symbol), Fence(inner, "()"))))
        return Terms(tuple(parts)) if parts else Numeral("0")

    def motion(self) -> Section:
        """Return F_r + F*_r = 0, row by row and as matrices."""
        if not self.blocks.freedoms:
            return Section("Kane’s equations", (say("There are no speeds to move with."),))
        held = bool(self.equations.rows)

        def right(symbol: Symbol) -> Formula:
            if not held:
                return Numeral("0")
            return Line((Script(Letter("C"), _name(symbol), Sign("T")), Letter("λ")))

        rows = AlignedEquations(
            tuple(
                Equation(Line((_of(ACTIVE, symbol), PLUS, _of(INERTIA, symbol))), right(symbol))
                for symbol in self.speeds.speeds
            ),
            boxed=True,
        )
        v, w, K = partial("v", "K"), partial("ω", "K"), Letter("K")
        m, J, A = indexed("m", "K"), indexed("J", "K", prime=True), indexed("A", "K")
        mass = Line((
            Summation(K), Fence(Line((
                m, transposed(v), v, PLUS, transposed(w), A, J, transposed(A), w,
            )), "()"),
        ))  # fmt: skip
        n = len(self.equations.speeds)
        sized = Script(Letter("M"), Line((Numeral(str(n)), Sign("×"), Numeral(str(n)))))
        push = Line((MINUS, transposed(Letter("C")), Letter("λ"))) if held else None
        u = Accent(Letter("u"), "dot")
        return Section("Kane’s equations", (
            rows,
            say("Collected, ",
                line(indexed("F", "r"), PLUS, Script(Letter("F"), Letter("r"), Sign("∗")),
                     EQUALS, Numeral("0")), " for all speeds is"
                if not held else " for all speeds, less what constraints do, is"),
            equations((Line((Letter("M"), u)),
                       Line((Letter("f"), *([push] if push else [])))), (sized, mass)),
            say("with ", Letter("f"), " the generalized active forces and those of inertia at ",
                line(u, EQUALS, Numeral("0")), "."),
        ))  # fmt: skip

    def elimination(self) -> list[Section]:
        """Return the dependent speeds of a machine with loops by the independent ones."""
        if not self.equations.rows:
            return []
        inverse = Script(indexed("C", "D"), None, Line((MINUS, Numeral("1"))))
        uI, uD = indexed("u", "I"), indexed("u", "D")
        udI = indexed(Accent(Letter("u"), "dot"), "I")
        S, c, ca = Letter("S"), Letter("c"), indexed("c", "a")
        St = transposed(S)
        named = self.speeds.choice.named
        shown = [symbol.formula for symbol in self.speeds.speeds[:named]]
        return [Section("Independent speeds", (
            say("With ", uI, " the independent speeds, ", comma(*shown),
                " where they are as many as there are freedoms, and ", uD, " the others:"),
            equations(
                (uD, Line((MINUS, inverse, Fence(Line((
                    indexed("C", "I"), uI, MINUS, Letter("ν"))), "()")))),
                (Letter("u"), Line((S, uI, PLUS, c))),
                (S, Grid(((Letter("I"),), (Line((MINUS, inverse, indexed("C", "I"))),)))),
                (c, Grid(((Numeral("0"),), (Line((inverse, Letter("ν"))),)))),
            ),
            equations((Line((St, Letter("M"), S, udI)), Line((
                St, Fence(Line((Letter("f"), MINUS, Letter("M"), ca)), "()")))), boxed=True),
            say(ca, " is what is left of ", Accent(Letter("u"), "dot"), " at ",
                line(udI, EQUALS, Numeral("0")), "."),
        ))]  # fmt: skip


def _rest(letter: str, k: "int | str") -> Formula:
    return Script(name(letter, k), None, Letter("t"))


def _of(force: Formula, symbol: Symbol) -> Formula:
    upper = force.upper if isinstance(force, Script) else None
    return Script(Letter("F"), _name(symbol), upper)


def _dot(letter: str, k: int, symbol: Symbol) -> Formula:
    """Return the transpose of v_K,r."""
    lower = Line((Numeral(str(k)), Sign(","), _name(symbol)))
    return transposed(Script(Letter(letter), lower))


def _name(symbol: Symbol) -> Formula:
    return symbol.formula


def _under(rate: Symbol) -> Formula:
    """Return the index of the effort along a joint rate."""
    formula = rate.formula
    return formula.lower if isinstance(formula, Script) and formula.lower else formula
