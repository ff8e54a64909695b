"""Page of joint coordinates: freedoms, partial velocities, T, V, M and Lagrange's equations."""

from collections.abc import Callable
from typing import Any

from bellcrank.formulations.cartesian.blocks import CartesianBlocks
from bellcrank.formulations.contract.equations import Equations
from bellcrank.formulations.contract.lettering import motion
from bellcrank.formulations.joint_coordinates import JointCoordinates
from bellcrank.formulations.joint_coordinates.blocks import JointBlocks, TreeFreedom
from bellcrank.model import Model, SpringDamper
from bellcrank.model.algebra import nominal
from bellcrank.spatial.formula import (
    EQUALS,
    MINUS,
    PLUS,
    TRANSPOSED,
    Accent,
    BlockRow,
    Fence,
    Formula,
    Fraction,
    Grid,
    Letter,
    Line,
    Numeral,
    Script,
    Sign,
    Summation,
    Terms,
    indexed,
    line,
)
from bellcrank.spatial.letters import Letters, name, written
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.school import (
    Page,
    comma,
    counted,
    drawing_state,
    ranked,
    values_of,
)
from bellcrank.worksheets.sections import tables
from bellcrank.worksheets.sections.body_rows import BodyRows, block
from bellcrank.worksheets.sections.written_out import written_out
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    Text,
    TextTable,
    equations,
    say,
)

HALF = Fraction(Numeral("1"), Numeral("2"))


class JointPage:
    """The sections of the page.

    Attributes:
        formulation: Which speeds.
        model: The machine.
        machine: Its numbered bodies.
        blocks: Partial velocities in letters.
        rows: Loops, constraints and forces in body space.
        equations: Its equations in numbers.
    """

    def __init__(self, formulation: JointCoordinates, model: Model) -> None:
        self.model, self.machine = model, NumberedMachine(model)
        self.formulation, self.blocks = formulation, self.tree_blocks()
        numbers = {body: k for k, body in enumerate(model.graph.order, start=1)}
        space = CartesianBlocks(model, "omega", "centroid", model.graph.loops, numbers)
        space.lettering.constants = self.blocks.lettering.constants
        self.rows = BodyRows(model, space)
        self.rows.own = frozenset(model.graph.tree_joint)
        self.equations: Equations = formulation.equations(model)

    def tree_blocks(self) -> JointBlocks:
        """Return the partial velocities of joint rates."""
        return JointBlocks(self.model)

    def page(self, values: bool, scalars: bool | None) -> Page:
        """Return the page."""
        n, e = self.machine.count, self.equations
        lead = (
            f"{counted(n, 'body', 'bodies')} in joint coordinates: "
            f"{counted(len(e.coordinates), 'coordinate')} and "
            f"{counted(len(e.speeds), 'speed')} along a spanning tree"
        )
        lead += f", {counted(len(e.rows), 'row')} of constraints." if e.rows else "."
        parts = [
            tables.bodies(self.machine), self.coordinates(), self.positions(),
            self.partial_velocities(), self.accelerations(), self.energies(),
            self.rows.applied(), tables.variables(self.model, self.blocks.lettering),
            self.motion(), *self.loops(),
            written_out(self.machine, values, scalars, self.blocks.lettering),
            Section("Values", tuple(values_of(self.blocks.lettering))),
        ]  # fmt: skip
        return Page(lead, tuple(part for part in parts if part is not None), self.blocks)

    # --- kinematics

    def coordinates(self) -> Section:
        """Return the freedoms of the joints of the tree."""
        rows: list[tuple[Text, ...]] = []
        for freedom in self.blocks.freedoms:
            shown = motion(f"{freedom.joint.name}.{freedom.coordinate}", rate=False)
            if len(freedom.names) > 1 and freedom.turns:
                shown = name("e", freedom.joint.name)
            elif len(freedom.names) > 1:
                shown = name("x", freedom.joint.name)
            rows.append((
                freedom.joint.name, type(freedom.joint).__name__, shown, freedom.speed.formula,
                "turn" if freedom.turns else "slide", str(freedom.body),
                f"{self.machine.lower[freedom.body - 1]}",
            ))  # fmt: skip
        head: tuple[Text, ...] = (
            "joint", "kind", "coordinate", "speed", "it is a", "of body", "against",
        )  # fmt: skip
        found = [
            Equation(freedom.axis.formula, written(self.blocks.axis_definition(freedom)))
            for freedom in self.blocks.freedoms
        ]
        items: list[Item] = [TextTable(head, tuple(rows))] if rows else [
            say("No joint of the tree has a freedom.")
        ]  # fmt: skip
        if found:
            items += [
                say("The axes of the freedoms as they stand, in world components; ",
                    indexed("A", "K"), " takes components along body K to them:"),
                AlignedEquations(tuple(found)),
            ]  # fmt: skip
        if any(len(freedom.names) > 1 and freedom.turns for freedom in self.blocks.freedoms):
            items.append(say(
                Accent(Letter("ω"), "hat"), " is the relative angular velocity along the axes "
                "of the joint’s second body; its Euler parameters follow ",
                line(Accent(Letter("e"), "dot"), EQUALS, HALF,
                     Script(Letter("G"), None, TRANSPOSED), Accent(Letter("ω"), "hat")), ".",
            ))  # fmt: skip
        return Section("Coordinates", tuple(items))

    def positions(self) -> Section:
        """Return where the joints and the mass centres are, outwards along the tree."""
        found: list[Equation] = []
        space, graph = self.rows.blocks, self.model.graph
        for k in self.blocks.bodies:
            joint = self.machine.connection.joint(k)
            low, backwards = graph.lower[k - 1], graph.reversed[k - 1]
            space.lettering.begin(joint.name)
            ends = (joint.first, joint.at_first), (joint.second, joint.at_second)
            inner, outer = reversed(ends) if backwards else ends
            point: Any = space.scene.point
            start, end = point(*inner).position, point(*outer).position
            own: Letters = self.blocks.centres[k]()
            way = start - (end - own)
            slides: list[Formula] = []
            for freedom in self.blocks.freedoms:
                if freedom.body == k and not freedom.turns:
                    shown = motion(f"{joint.name}.{freedom.coordinate}", rate=False)
                    if len(freedom.names) > 1:
                        shown = name("x", joint.name)
                    sign = MINUS if freedom.sign < 0 else PLUS
                    first = sign is PLUS and not way and not slides
                    lead = () if first else (sign,)
                    slides.append(Line((*lead, freedom.axis.formula, shown)))
            parts = written(way)
            terms = parts.parts if isinstance(parts, Terms) else (parts,)
            if not way and slides:
                terms = ()
            found.append(Equation(own_formula(own), Terms((*terms, *slides))))
            del low
        return Section("Positions of the mass centres", (
            say("Outwards from the ground, with ", name("s", "A", "K", prime=True),
                " the point of joint A on body K from its mass centre:"),
            AlignedEquations(tuple(found)),
        ))  # fmt: skip

    def partial_velocities(self) -> Section:
        """Return ω_K,j and v_K,j in blocks, one column per freedom."""
        if not self.blocks.freedoms:
            return Section("Partial velocities", (say("Nothing moves."),))
        shown = [freedom.speed.formula for freedom in self.blocks.freedoms]
        return Section("Partial velocities", (
            say(
                "Velocities are linear in the speeds, ",
                line(indexed("ω", "K"), EQUALS, partial("ω", "K"), Letter("u")), " and ",
                line(indexed(Accent(Letter("r"), "dot"), "K"), EQUALS, partial("v", "K"),
                     Letter("u")),
                ", with one column for each of ", comma(*shown), ". Angular velocities:",
            ),
            self._rows("ω", self.blocks.angular),
            say("Velocities of the mass centres:"),
            self._rows("v", self.blocks.linear),
        ))  # fmt: skip

    def _rows(
        self, letter: str, part: Callable[[TreeFreedom, int], Letters]
    ) -> AlignedEquations:
        return AlignedEquations(tuple(
            Equation(
                partial(letter, k),
                BlockRow(tuple(block(part(f, k)) for f in self.blocks.freedoms)),
            )
            for k in self.blocks.bodies
        ))  # fmt: skip

    def accelerations(self) -> Section:
        """Return the terms of accelerations without u̇."""
        found: list[Equation] = []
        for k in self.blocks.bodies:
            for letter, part in (
                ("α", self.blocks.spin_rate),
                ("a", self.blocks.velocity_rate),
            ):
                shown = part(k)
                if shown:
                    left = Script(Letter(letter), Numeral(str(k)), Numeral("0"))
                    found.append(Equation(left, written(shown)))
        intro = say(
            "Accelerations are ",
            line(indexed(Accent(Letter("ω"), "dot"), "K"), EQUALS, partial("ω", "K"),
                 Accent(Letter("u"), "dot"), PLUS,
                 Script(Letter("α"), Letter("K"), Numeral("0"))), " and ",
            line(indexed(Accent(Letter("r"), "ddot"), "K"), EQUALS, partial("v", "K"),
                 Accent(Letter("u"), "dot"), PLUS,
                 Script(Letter("a"), Letter("K"), Numeral("0"))),
            ". What is quadratic in the speeds:" if found else
            ". Nothing is quadratic in the speeds.",
        )  # fmt: skip
        return Section("Velocity terms", (intro, *([AlignedEquations(tuple(found))] if found
                                                   else [])))  # fmt: skip

    # --- dynamics

    def energies(self) -> Section:
        """Return T and V."""
        T, V = Letter("T"), Letter("V")
        for k in self.blocks.bodies:
            self.blocks.mass(k)
            self.blocks.inertia(k)
        rd, w, K = indexed(Accent(Letter("r"), "dot"), "K"), indexed("ω", "K"), Letter("K")
        A, J = indexed("A", "K"), indexed("J", "K", prime=True)
        kinetic = Line((
            HALF, Summation(K), Fence(Line((
                indexed("m", "K"), transposed(rd), rd, PLUS,
                transposed(w), A, J, transposed(A), w,
            )), "()"),
        ))  # fmt: skip
        gravity = [self.rows.blocks.lettering.worth(entry) for entry in self.model.gravity]
        parts: list[Formula] = []
        if any(gravity):
            parts.append(Line((
                MINUS, Summation(K), indexed("m", "K"), transposed(Letter("g")),
                indexed("r", "K"),
            )))  # fmt: skip
        for force in self.model.forces:
            if isinstance(force, SpringDamper) and nominal(force.stiffness) != 0.0:
                stretch = Fence(
                    Line((name("l", force.name), MINUS, name("L", force.name))), "()"
                )
                parts.append(Line((PLUS, HALF, name("k", force.name),
                                   Script(stretch, None, Numeral("2")))))  # fmt: skip
        right: Formula = Terms(tuple(parts)) if parts else Numeral("0")
        return Section("Energies", (equations((T, kinetic), (V, right)),))

    def motion(self) -> Section:
        """Return M, the boxed equations, and Lagrange's equations row by row."""
        K, u = Letter("K"), Accent(Letter("u"), "dot")
        v, w = partial("v", "K"), partial("ω", "K")
        m, J, A = indexed("m", "K"), indexed("J", "K", prime=True), indexed("A", "K")
        mass = Line((
            Summation(K), Fence(Line((
                m, transposed(v), v, PLUS, transposed(w), A, J, transposed(A), w,
            )), "()"),
        ))  # fmt: skip
        held = bool(self.equations.rows)
        pull = (
            Line((MINUS, Script(Letter("C"), None, TRANSPOSED), Letter("λ"))) if held else None
        )
        box = equations(
            (Line((Letter("M"), u)), Line((Letter("f"), *([pull] if pull else [])))), boxed=True
        )
        spin = indexed("ω", "K")
        forces = Terms((
            Letter("τ"),
            Line((PLUS, Summation(K), transposed(v), Fence(Line((
                indexed("F", "K"), MINUS, m, Script(Letter("a"), K, Numeral("0")))), "()"))),
            Line((PLUS, Summation(K), transposed(w), Fence(Line((
                indexed("M", "K"), MINUS, A, J, transposed(A),
                Script(Letter("α"), K, Numeral("0")),
                MINUS, Accent(spin, "tilde"), A, J, transposed(A), spin)), "()"))),
        ))  # fmt: skip
        n = len(self.equations.speeds)
        sized = Script(Letter("M"), Line((Numeral(str(n)), Sign("×"), Numeral(str(n)))))
        items: list[Item] = [
            box,
            equations((sized, mass), (Letter("f"), forces), boxed=True),
            say(
                indexed("F", "K"), " and ", indexed("M", "K"), " are the applied force and "
                "torque about the mass centre in world components, and ", Letter("τ"),
                " the efforts of motors and springs along the coordinates. Lagrange’s "
                "equations, row by row, each with the bodies that its freedom moves:",
            ),
            AlignedEquations(tuple(self._row(f) for f in self.blocks.freedoms)),
        ]  # fmt: skip
        if not self.blocks.freedoms:
            items = [say("There are no speeds, and no equations of motion.")]
        return Section("Equations of motion", tuple(items))

    def _row(self, freedom: TreeFreedom) -> Equation:
        """Return d/dt ∂T/∂u − ∂T/∂q = Q of a freedom, as a sum over the bodies it moves."""
        moved = [k for k in self.blocks.bodies if self.blocks.moves(freedom, k)]
        bodies = f"{moved[0]}, …, {moved[-1]}" if len(moved) > 3 and (
            moved == list(range(moved[0], moved[-1] + 1))
        ) else ", ".join(map(str, moved))  # fmt: skip
        K = Line((Letter("K"), EQUALS, Letter(bodies)))
        h = freedom.axis.formula
        r, o = indexed("r", "K"), freedom.point.formula
        push = Fence(Line((
            indexed("m", "K"), indexed(Accent(Letter("r"), "ddot"), "K"), MINUS,
            indexed("F", "K"),
        )), "()")  # fmt: skip
        spin = indexed("ω", "K")
        J = Line((
            indexed("A", "K"),
            indexed("J", "K", prime=True),
            transposed(indexed("A", "K")),
        ))
        turn = Line((
            J, indexed(Accent(Letter("ω"), "dot"), "K"), PLUS, Accent(spin, "tilde"), J, spin,
            MINUS, indexed("M", "K"),
        ))  # fmt: skip
        if not freedom.turns:
            left = Line((Summation(K), transposed(h), push))
        else:
            arm = Fence(Line((r, MINUS, o)), "()")
            inner = Line((Script(arm, None, Sign("∼")), push, PLUS, turn))
            left = Line((Summation(K), transposed(h), Fence(inner, "()")))
        if freedom.sign < 0:
            left = Line((MINUS, left))
        right: list[Formula] = [Script(Letter("τ"), Letter(freedom.joint.name))]
        if self.equations.rows:
            under = freedom.speed.formula
            right.append(Line((MINUS, Script(Letter("C"), under, TRANSPOSED), Letter("λ"))))
        return Equation(left, Terms(tuple(right)))

    # --- loops

    def loops(self) -> list[Section]:
        """Return the rows of loops, constraints and drivers, their matrix, size and rank."""
        e = self.equations
        if not e.rows:
            return []
        found = [part for part in (self.rows.constraints(), self.rows.jacobian()) if part]
        C, K = Letter("C"), Letter("K")
        by_r, by_turn = (Script(Letter("Φ"), mark) for mark in (
            indexed("r", "K"), Script(Letter("π"), Letter("K"), Letter("′"))
        ))  # fmt: skip
        chain = Line((
            Summation(K), Fence(Line((
                by_r, partial("v", "K"), PLUS, by_turn, transposed(indexed("A", "K")),
                partial("ω", "K"),
            )), "()"),
        ))  # fmt: skip
        q, u = drawing_state(e)
        m, n = len(e.rows), len(e.speeds)
        rank = ranked(e.constraint_matrix(q, u))
        told = f"{m} rows, of which {rank} are independent in the drawing" if rank < m else (
            counted(m, "independent row")
        )  # fmt: skip
        grid = Grid(((Letter("M"), transposed(C)), (C, Numeral("0"))))
        ud = Accent(Letter("u"), "dot")
        box = equations(
            (
                Line((grid, Grid(((ud,), (Letter("λ"),))))),
                Grid(((Letter("f"),), (Letter("γ"),))),
            ),
            boxed=True,
        )
        bent = Line((Accent(C, "dot"), Letter("u"), MINUS, Accent(Letter("ν"), "dot")))
        rest = Line((Letter("γ"), EQUALS, MINUS, Fence(bent, "()")))
        found.append(Section("Loops in joint speeds", (
            say("With the partial velocities the blocks of bodies become rows in the speeds, ",
                line(C, Letter("u"), EQUALS, Letter("ν")), ":"),
            equations((C, chain)),
            box,
            say(
                rest, f". These are {n} + {m} = {n + m} equations. There are {told}, so that "
                f"the rank of the system is {n} + {rank} = {n + rank}, and "
                f"{counted(n - rank, 'degree')} of freedom "
                f"{'remains' if n - rank == 1 else 'remain'}.",
            ),
        )))  # fmt: skip
        return found


def own_formula(own: Letters) -> Formula:
    """Return a single symbol as it is printed."""
    return written(own)


def partial(letter: str, k: "int | str") -> Formula:
    """Return ω_K,u or v_K,u."""
    lower = Line((Numeral(str(k)) if isinstance(k, int) else Letter(k), Sign(","), Letter("u")))
    return Script(Letter(letter), lower)


def transposed(formula: Formula) -> Formula:
    """Return the transpose, the index below it."""
    if isinstance(formula, Script) and formula.upper is None:
        return Script(formula.base, formula.lower, TRANSPOSED)
    return Script(formula, None, TRANSPOSED)
