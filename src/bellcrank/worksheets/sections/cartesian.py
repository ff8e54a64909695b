"""Page of Cartesian coordinates: Φ, Φ_q, γ, M, S, Qᴬ, the boxed system, its tangent space."""

from bellcrank.formulations.cartesian import Cartesian
from bellcrank.formulations.cartesian.blocks import CartesianBlocks
from bellcrank.formulations.cartesian.layout import Placed
from bellcrank.formulations.contract.equations import Equations
from bellcrank.model import Model
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    EQUALS,
    MINUS,
    PLUS,
    TRANSPOSED,
    Accent,
    Fence,
    Formula,
    Fraction,
    Grid,
    Letter,
    Line,
    Numeral,
    Script,
    Sign,
    Terms,
    indexed,
    line,
)
from bellcrank.spatial.letters import name, written
from bellcrank.worksheets.school import (
    Page,
    comma,
    counted,
    drawing_state,
    numbered,
    page,
    ranked,
    stacked,
    values_of,
)
from bellcrank.worksheets.sections import tables
from bellcrank.worksheets.sections.body_rows import BodyRows
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    Text,
    TextTable,
    TreeDrawing,
    equations,
    say,
)
from bellcrank.worksheets.writing.layout import layout as tree_layout

Q, LAM, NU, GAMMA, PHI = (Letter(x) for x in ("q", "λ", "ν", "γ", "Φ"))
HALF = Fraction(Numeral("1"), Numeral("2"))


@page.register
def _cartesian(
    formulation: Cartesian, model: Model, values: bool, scalars: bool | None
) -> Page:
    found = CartesianPage(formulation, model)
    with numbered(found.blocks.lettering, values):
        return found.page()


class CartesianPage(BodyRows):
    """The sections of the page.

    Attributes:
        formulation: The choice of speeds and of reference points.
        model: The machine.
        blocks: Its equations in letters.
        equations: Its equations in numbers, for sizes and ranks.
    """

    def __init__(self, formulation: Cartesian, model: Model) -> None:
        blocks = CartesianBlocks(model, formulation.form, formulation.reference)
        spatial = any(placed.kind == "spatial" for placed in blocks.layout.bodies)
        super().__init__(model, blocks, formulation.form == "euler" and spatial)
        self.formulation = formulation
        self.equations: Equations = formulation.equations(model)

    @property
    def spatial(self) -> bool:
        """Whether any body turns in space."""
        return any(placed.kind == "spatial" for placed in self.blocks.layout.bodies)

    def page(self) -> Page:
        """Return the page."""
        e, n = self.equations, len(self.blocks.layout.bodies)
        lead = (
            f"{counted(n, 'body', 'bodies')} in Cartesian coordinates: "
            f"{counted(len(e.coordinates), 'coordinate')}, "
            f"{counted(len(e.speeds), 'speed')} and {counted(len(e.rows), 'row')} of "
            "constraints. Every joint is written as equations between two bodies."
        )
        sections = [
            self.bodies(), self.state(), self.constraints(), self.jacobian(),
            self.inertia(), self.applied(),
            tables.variables(self.model, self.blocks.lettering), self.system(),
            self.forces_of_constraint(),
            self.independent(), Section("Values", tuple(values_of(self.blocks.lettering))),
        ]  # fmt: skip
        return Page(lead, tuple(s for s in sections if s is not None), self.blocks)

    # --- bodies and coordinates

    def bodies(self) -> Section:
        """Return the table of bodies with their coordinates."""
        rows: list[tuple[Text, ...]] = []
        for placed in self.blocks.layout.bodies:
            own = self.blocks.bodies[placed.name]
            rows.append((
                str(own.number), placed.name, _kind(placed), self._coordinates(placed),
                self._speeds(placed),
            ))  # fmt: skip
        head: tuple[Text, ...] = (
            Letter("i"), "body", "kind", indexed("q", "i"), indexed("u", "i"),
        )  # fmt: skip
        caption = "The bodies and the joints between them; ground is 0."
        items: list[Item] = [
            TreeDrawing(tree_layout(self.model), caption), TextTable(head, tuple(rows)),
        ]  # fmt: skip
        return Section("Bodies", tuple(items))

    def _coordinates(self, placed: Placed) -> Formula:
        i = self.blocks.bodies[placed.name].number
        r = name("r", i)
        if placed.kind == "particle":
            return r
        turned = name("φ", i) if placed.kind == "planar" else name("p", i)
        return Fence(comma(r, turned), "()")

    def _speeds(self, placed: Placed) -> Formula:
        own = self.blocks.bodies[placed.name]
        if placed.kind == "particle":
            return own.rate.formula
        return Fence(comma(own.rate.formula, own.turn.formula), "()")

    def state(self) -> Section:
        """Return q, u, the rotation matrices and the kinematical equations."""
        e = self.equations
        where = {
            "centroid": "the mass centre", "frame": "the origin of the frame",
        }[self.formulation.reference]  # fmt: skip
        items: list[Item] = [
            say(
                indexed("r", "i"), f" is {where} of body i, world components, and ",
                indexed("A", "i"), " takes components along body i, marked by a prime, to "
                "world components. ",
                f"q has {counted(len(e.coordinates), 'entry', 'entries')}, "
                f"u has {len(e.speeds)}.",
            )
        ]  # fmt: skip
        if self.model.planar:
            c, s = (Line((Letter(f), indexed("φ", "i"))) for f in ("cos", "sin"))
            items.append(
                equations(
                    (indexed("A", "i"), Grid(((c, Line((MINUS, s))), (s, c)))),
                    (
                        indexed(Accent(Letter("A"), "dot"), "i"),
                        Line((
                            indexed(Accent(Letter("φ"), "dot"), "i"), indexed("A", "i"),
                            Accent(Letter("n"), "tilde"),
                        )),
                    ),
                )
            )  # fmt: skip
            items.append(say(
                Letter("n"), " is the normal of the plane, and ", Accent(Letter("n"), "tilde"),
                " the quarter turn about it. Of vectors in the plane two components are meant.",
            ))  # fmt: skip
        elif self.spatial:
            items += self._parameters()
        return Section("Coordinates", tuple(items))

    def _parameters(self) -> list[Item]:
        e = [indexed("e", k) for k in range(4)]
        minus = [Line((MINUS, entry)) for entry in e]
        G = Grid((
            (minus[1], e[0], e[3], minus[2]), (minus[2], minus[3], e[0], e[1]),
            (minus[3], e[2], minus[1], e[0]),
        ))  # fmt: skip
        E = Grid((
            (minus[1], e[0], minus[3], e[2]), (minus[2], e[3], e[0], minus[1]),
            (minus[3], minus[2], e[1], e[0]),
        ))  # fmt: skip
        spin = indexed("ω", "i", prime=True)
        pairs = [
            (Letter("G"), G), (Letter("E"), E),
            (Letter("A"), line(Letter("E"), Script(Letter("G"), None, TRANSPOSED))),
        ]  # fmt: skip
        rates: list[tuple[Formula, Formula]] = [
            (
                spin,
                line(Numeral("2"), indexed("G", "i"), indexed(Accent(Letter("p"), "dot"), "i")),
            ),
            (
                indexed(Accent(Letter("p"), "dot"), "i"),
                line(HALF, Script(Letter("G"), Letter("i"), TRANSPOSED), spin),
            ),
        ]
        items: list[Item] = [
            say("Euler parameters ", indexed("p", "i"), " have their scalar first, ",
                line(Letter("p"), EQUALS, Fence(comma(*e), "()")), "."),
            equations(*pairs), equations(*rates, boxed=True),
        ]  # fmt: skip
        if self.euler:
            B = Line((
                Letter("B"),
                Fence(comma("p", Script(Letter("s"), None, Letter("′"))), "()"),
            ))
            s = Script(Letter("s"), None, Letter("′"))
            lever = Terms((
                Line((MINUS, Numeral("2"), Letter("A"),
                      Script(Accent(Letter("s"), "tilde"), None, Letter("′")), Letter("G"))),
                Line((PLUS, Numeral("2"), Letter("A"), s,
                      Script(Letter("p"), None, TRANSPOSED))),
            ))  # fmt: skip
            items += [
                say("The rate of a vector of a body is ", line(Accent(Letter("A"), "dot"), s),
                    " = ", line(B, Accent(Letter("p"), "dot")), ", with"),
                equations((B, lever)),
            ]  # fmt: skip
        return items

    # --- inertia and forces

    def inertia(self) -> Section:
        """Return M and S of every body."""
        items: list[Item] = []
        if self.blocks.layout.reference == "frame":
            items.append(say(
                "Moments of inertia ", indexed("J", "i", prime=True), " are about the origin "
                "of the frame, and ", indexed("s", "c", ",", "i", prime=True),
                " goes from it to the mass centre.",
            ))  # fmt: skip
        found: list[Equation] = []
        for one in self.blocks.masses:
            i = self.blocks.bodies[one.name].number
            kind = one.weighed.placed.kind
            unit, coupling, J = one.mass
            if kind == "particle":
                found.append(Equation(name("M", i), written(unit)))
                continue
            inertia = written(J)
            if kind == "planar":
                coupling = coupling @ letters.Symbol("n", name("n"))()
                inertia = name("J", i)
            grid = Grid((
                (written(unit), written(coupling)), (written(coupling.T), inertia),
            ))  # fmt: skip
            found.append(Equation(name("M", i), grid))
            pull, gyro = one.quadratic
            if pull or gyro:
                found.append(Equation(name("S", i), stacked(pull, gyro)))
        items += [
            say("Mass matrices, and what is quadratic in the speeds if it is not zero:"),
            AlignedEquations(tuple(found)),
        ]  # fmt: skip
        thin = [
            one.name for one in self.blocks.masses
            if one.weighed.placed.kind == "spatial" and self._thin(one.name)
        ]  # fmt: skip
        if thin and not self.euler:
            items.append(say(
                f"M is singular: {', '.join(thin)} {'has' if len(thin) == 1 else 'have'} no "
                "inertia about an axis. The system below is regular where the constraints hold "
                "that turn."
            ))  # fmt: skip
        if self.euler:
            items.append(say(
                line(Numeral("4"), Script(Letter("G"), None, TRANSPOSED),
                     Script(Letter("J"), None, Letter("′")), Letter("G")),
                " has rank 3, so that M is singular by one for each body; the norm rows of the "
                "Euler parameters take that up.",
            ))  # fmt: skip
        return Section("Inertia", tuple(items))

    def _thin(self, body: str) -> bool:
        i = self.blocks.bodies[body].number
        return ranked(self.blocks.lettering.constants["J", i].value) < 3

    # --- the whole

    def system(self) -> Section:
        """Return the boxed equations with their size and rank."""
        e = self.equations
        n, m = len(e.speeds), len(e.rows)
        u = Letter("u")
        right = Line((Script(Letter("Q"), None, Letter("A")), PLUS, Letter("S")))
        q, still = drawing_state(e)
        if not m:
            box = equations((Line((Letter("M"), Accent(u, "dot"))), right), boxed=True)
            return Section("Equations of motion", (
                box, say(f"These are {counted(n, 'equation')} for as many accelerations."),
            ))  # fmt: skip
        C = e.constraint_matrix(q, still)
        rank = ranked(C)
        Cq = Script(PHI, Letter("q"), None)
        grid = Grid((
            (Letter("M"), Script(PHI, Letter("q"), TRANSPOSED)), (Cq, Numeral("0")),
        ))  # fmt: skip
        unknowns = Grid(((Accent(u, "dot"),), (LAM,)))
        box = equations((Line((grid, unknowns)), Grid(((right,), (GAMMA,)))), boxed=True)
        told = f"{m} rows, of which {rank} are independent in the drawing" if rank < m else (
            f"{counted(m, 'independent row')}"
        )  # fmt: skip
        items: list[Item] = [
            box,
            say(
                f"These are {n} + {m} = {n + m} equations for {n} accelerations and "
                f"{counted(m, 'multiplier')}. There are {told}, so that the rank of the system "
                f"is {n} + {rank} = {n + rank} and "
                f"{counted(self._freedom(rank), 'degree')} of freedom "
                f"{'remains' if self._freedom(rank) == 1 else 'remain'}.",
            ),
        ]
        if rank < m:
            items.append(say(
                f"{counted(m - rank, 'row')} {'repeats' if m - rank == 1 else 'repeat'} "
                "others; their multipliers are not unique, what they add up to is."
            ))  # fmt: skip
        return Section("Equations of motion", tuple(items))

    def _freedom(self, rank: int) -> int:
        return len(self.equations.speeds) - rank

    def forces_of_constraint(self) -> Section | None:
        """Return Q^C of every condition on every body."""
        if not self.blocks.rows:
            return None
        found: list[Equation] = []
        for owner in self._owners():
            rows = [row for row in self.blocks.rows if row.owner == owner]
            for body in dict.fromkeys(b for row in rows for b in row.by):
                i = self.blocks.bodies[body].number
                parts: list[Formula] = []
                for row in rows:
                    if body in row.by:
                        jac = Script(PHI, name("q", i), Line((self.label(row), TRANSPOSED)))
                        lam = Script(LAM, None, self.label(row))
                        parts.append(Line((MINUS, jac, lam)))
                left = Script(Letter("Q"), Numeral(str(i)), Line((Letter("C"), Sign(","),
                                                                   Letter(owner))))  # fmt: skip
                found.append(Equation(left, Terms(tuple(parts))))
        torque: list[Item] = []
        if self.euler:
            n = Script(Letter("n"), Letter("i"), Letter("′"))
            torque = [say(
                "The torque of a constraint along body i is ",
                line(n, EQUALS, HALF, indexed("G", "i"), Script(Letter("Q"), Letter("p"),
                                                               Letter("C"))),
                "; multipliers of norms drop out of it, because ",
                line(indexed("G", "i"), indexed("p", "i"), EQUALS, "0"), ".",
            )]  # fmt: skip
        return Section("Forces of constraint", (
            say("What the constraints do to the bodies, with the blocks above:"),
            AlignedEquations(tuple(found)), *torque,
        ))  # fmt: skip

    def independent(self) -> Section | None:
        """Return the tangent-space form: V, U, B, Ψ_v and the equations in v."""
        e = self.equations
        if not e.rows:
            return None
        q, still = drawing_state(e)
        rank = ranked(e.constraint_matrix(q, still))
        n, m, free = len(e.speeds), len(e.rows), self._freedom(rank)
        Pq, V, U, B, D = Script(PHI, Letter("q"), None), *(Letter(x) for x in "VUB"), Script(
            Letter("Ψ"), Letter("v"), None
        )  # fmt: skip
        T = TRANSPOSED
        v = Letter("v")
        zero = Numeral("0")
        at = Fence(indexed("q", 0), "()")
        lines = equations(
            (U, Line((Script(PHI, Letter("q"), T), at))),
            (Line((Pq, at, V)), zero),
            (Line((Script(V, None, T), V)), Letter("I")),
            (B, Script(Fence(Line((Pq, U)), "()"), None, Line((MINUS, Numeral("1"))))),
            (D, Line((Fence(Line((Letter("I"), MINUS, U, B, Pq)), "()"), V))),
            (Letter("u"), Line((D, Accent(v, "dot"), PLUS, U, B, NU))),
            (Accent(Letter("u"), "dot"), Line((D, Accent(v, "ddot"), PLUS, U, B, GAMMA))),
        )
        right = Fence(Line((
            Script(Letter("Q"), None, Letter("A")), PLUS, Letter("S"), MINUS, Letter("M"), U, B,
            GAMMA,
        )), "()")  # fmt: skip
        box = equations(
            (
                Line((Fence(Line((Script(Letter("Ψ"), Letter("v"), T), Letter("M"), D)), "()"),
                      Accent(v, "ddot"))),
                Line((Script(Letter("Ψ"), Letter("v"), T), right)),
            ),
            boxed=True,
        )  # fmt: skip
        return Section("Independent coordinates", (
            say(
                "At a position ", indexed("q", 0), " that meets the constraints, ", V, " spans "
                "what they leave free, and the position is ",
                line(Letter("q"), EQUALS, indexed("q", 0), PLUS, V, v, MINUS, U,
                     Letter("h"), Fence(v, "()")),
                " with h from Φ = 0. Where rows repeat others, those are left out first.",
            ),
            lines, box,
            say(f"V is {n}×{free}, U is {n}×{rank}, and B is {rank}×{rank}: "
                f"{counted(free, 'equation')} for as many accelerations; the "
                f"{counted(m, 'multiplier')} follow."),
        ))  # fmt: skip


def _kind(placed: Placed) -> str:
    return {
        "particle": "particle", "planar": "body in the plane", "spatial": "body in space",
    }[placed.kind]  # fmt: skip
