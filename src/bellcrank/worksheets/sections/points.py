"""Pages of fully Cartesian coordinates: bodies by points and vectors, momenta, A q̇ = B."""

from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np

from bellcrank.formulations.cartesian.blocks import CartesianBlocks, RowBlock
from bellcrank.formulations.contract.equations import Equations
from bellcrank.formulations.momentum import Momentum
from bellcrank.formulations.momentum.refusals import inner_joints
from bellcrank.formulations.natural import Natural
from bellcrank.formulations.points.blocks import (
    WRITTEN,
    BodyLetters,
    PointBlocks,
    centre_name,
)
from bellcrank.formulations.points.bodies import PlanarBody
from bellcrank.formulations.points.spatial_bodies import SpatialBody
from bellcrank.model import Model, Revolute
from bellcrank.spatial import letters
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
    width,
)
from bellcrank.spatial.letters import Letters, Symbol, name, written
from bellcrank.worksheets.school import (
    Page,
    comma,
    counted,
    drawing_state,
    numbered,
    page,
    ranked,
    values_of,
)
from bellcrank.worksheets.sections import tables
from bellcrank.worksheets.sections.body_rows import BodyRows, block
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Paragraph,
    Section,
    Text,
    TextTable,
    TreeDrawing,
    equations,
    say,
)
from bellcrank.worksheets.writing.layout import layout as tree_layout

WIDEST = 44.0  # em of a matrix that is set as one
LONG = 9.0  # em of a block that stands in a matrix
MOST = 8  # points and vectors whose blocks of A are shown together
PHI, PSI, LAM = Letter("Φ"), Letter("Ψ"), Letter("λ")
QD = Accent(Letter("q"), "dot")


@page.register
def _natural(formulation: Natural, model: Model, values: bool, scalars: bool | None) -> Page:
    found = PointsPage(model, formulation.equations(model), formulation.constant)
    with numbered(found.blocks.lettering, values):
        return found.page(found.second_order())


@page.register
def _momentum(formulation: Momentum, model: Model, values: bool, scalars: bool | None) -> Page:
    floating = {joint.name for joint in model.joints} - {j.name for j in inner_joints(model)}
    found = PointsPage(model, formulation.equations(model), False, floating)
    with numbered(found.blocks.lettering, values):
        return found.page(found.first_order())


class PointsPage:
    """The sections of both pages.

    Attributes:
        model: The machine.
        equations: Its equations in numbers.
        blocks: Its matrices in letters.
        rows: What is no rigid body: joints that are not shared, constraints, drivers; those
            that leave the machine free (`free`) hold by themselves.
    """

    def __init__(
        self, model: Model, equations: Equations, constant: bool, free: Collection[str] = ()
    ) -> None:
        self.model, self.equations = model, equations
        self.blocks = PointBlocks(model, constant)
        self.planar = self.blocks.plan.planar
        numbers = {body.name: k for k, body in enumerate(model.bodies, start=1)}
        joints = tuple(name for name in self.blocks.plan.joints if name not in free)
        space = CartesianBlocks(model, "omega", "centroid", joints, numbers)
        space.lettering.constants = self.blocks.lettering.constants
        self.rows = BodyRows(model, space)

    @property
    def count(self) -> int:
        """How many coordinates the points and vectors have."""
        return len(self.blocks.plan.coordinates)

    def page(self, last: list[Section]) -> Page:
        """Return the page, ending with the equations of one of the two forms."""
        n, size = len(self.model.bodies), self.blocks.plan.size
        points = sum(not self.blocks.plan.basics[i].vector for i in self.blocks.moving)
        vectors = len(self.blocks.moving) - points
        lead = (
            f"{counted(n, 'body', 'bodies')} in fully Cartesian coordinates: "
            f"{counted(points, 'point')} and {counted(vectors, 'vector')} with {size} "
            f"components each, {counted(self.count, 'coordinate')} in all. Joints that share "
            "a point or a vector need no equation."
        )
        sections = [
            self.bodies(), self.coordinates(), self.matrices(), self.momenta(), self.rigid(),
            *self.others(), tables.variables(self.model, self.blocks.lettering), *last,
            Section("Values", tuple(values_of(self.blocks.lettering))),
        ]  # fmt: skip
        return Page(lead, tuple(one for one in sections if one is not None), self.blocks)

    # --- tables

    def bodies(self) -> Section:
        """Return the machine's own Table 1 or 2."""
        rows: list[tuple[Text, ...]] = []
        shares = 2 if self.planar else 3
        for body in self.blocks.bodies:
            cells: list[Text] = [str(body.number), body.name, self._point(body.frame.base)]
            ends = [self._slot(n) for n in body.frame.directions]
            cells += [ends[0] if ends else "", comma(*ends[1:]) if ends[1:] else ""]
            cells.append(_shown(body.l) if body.frame.directions else "")
            padded = (*body.a, *("" for _ in range(shares - len(body.a))))
            cells += [x if x == "" else _shown(x) for x in padded]
            cells += [written(body.m), self._inertia(body)]
            rows.append(tuple(cells))
        head: list[Text] = [Letter("k"), "body", Letter("i"), Letter("j"), "vectors",
                            Letter("l")]  # fmt: skip
        head += [indexed("a", i) for i in range(1, shares + 1)]
        head += [Letter("m"), Letter("J")]
        if self.planar:  # one direction is enough
            head.pop(4)
            rows = [row[:4] + row[5:] for row in rows]
        caption = "The bodies and the joints between them; ground is 0."
        items: list[Item] = [
            TreeDrawing(tree_layout(self.model), caption), TextTable(tuple(head), tuple(rows)),
            say("The mass centre is ", self._centre(), "; J is about it, along the axes of the "
                "body’s own frame, whose first is along ", indexed("r", "ij"), "."),
        ]  # fmt: skip
        return Section("Bodies", tuple(items))

    def _centre(self) -> Formula:
        r = indexed("r", "ij")
        start = [indexed("r", "O"), EQUALS, indexed("r", "i"), PLUS, indexed("a", 1), r, PLUS]
        if self.planar:
            return Line((*start, indexed("a", 2), Accent(Letter("n"), "tilde"), r))
        return Line((*start, indexed("a", 2), Letter("u"), PLUS, indexed("a", 3), Letter("v")))

    def _inertia(self, body: BodyLetters) -> Formula:
        if not isinstance(body.J, list | tuple):
            return _shown(body.J)
        off = [body.J[i][j] for i in range(3) for j in range(3) if i != j]
        if any(isinstance(x, Letters) or x for x in off):
            return Grid(tuple(tuple(_shown(x) for x in row) for row in body.J))
        return line(
            Letter("diag"), Fence(comma(*(_shown(body.J[i][i]) for i in range(3))), "()")
        )

    def _point(self, number: int) -> Text:
        return str(self.blocks.numbers[number])

    def _slot(self, number: int) -> Formula:
        basic, k = self.blocks.plan.basics[number], self.blocks.numbers[number]
        return name("u", k) if basic.vector else Numeral(str(k))

    def coordinates(self) -> Section:
        """Return q, and what its points and vectors are."""
        basics = self.blocks.plan.basics
        rows: list[tuple[Text, ...]] = []
        for i, basic in enumerate(basics):
            held = "" if basic.start >= 0 else "on the ground, constant"
            mark = name("u" if basic.vector else "r", self.blocks.numbers[i])
            shared = ", ".join(basic.sides)
            rows.append((mark, basic.name, shared, held))
        q = [name("u" if basics[i].vector else "r", self.blocks.numbers[i])
             for i in self.blocks.moving]  # fmt: skip
        if self.planar:
            q = [written(e) for i in self.blocks.moving for e in self.blocks.entries(i)]
        shown = Script(Fence(comma(*q), "[]"), None, TRANSPOSED) if q else Numeral("0")
        head: tuple[Text, ...] = ("", "name", "of", "")
        return Section("Coordinates", (
            TextTable(head, tuple(rows)),
            equations((Script(Letter("q"), Line((Numeral(str(self.count)), Sign("×"),
                                                  Numeral("1")))), shown)),
        ))  # fmt: skip

    # --- matrices

    def matrices(self) -> Section:
        """Return D, Φ, G and Ψ of each body."""
        found: list[Equation] = []
        for body in self.blocks.bodies:
            k = body.number
            if self.planar:
                found += self._planar(body)
                continue
            named = self._names(body)
            for symbol in named:
                assert symbol.definition is not None
                found.append(Equation(symbol.formula, written(symbol.definition)))
            if body.kind != "particle":
                centre = centre_name(k)
                if centre not in [symbol.formula for symbol in named]:
                    found.append(Equation(centre, written(body.centre)))
                found.append(Equation(name("L", k), _lengths(body.lengths)))
                found.append(Equation(name("D", k), BlockRow(tuple(map(block, body.place)))))
            found.append(Equation(_of("Φ", k), BlockRow(tuple(map(block, body.momentum)))))
            if body.kind in ("spatial", "spanned"):
                found.append(Equation(name("R", k), BlockRow(tuple(map(block, body.axes)))))
                grid = tuple(tuple(written(x) for x in row) for row in body.spin)
                found.append(Equation(name("G", k), Grid(grid)))
            elif body.kind == "rod":
                found.append(Equation(name("G", k), BlockRow(tuple(map(block, body.spin)))))
            turn = Line((name("R", k), name("J", k), name("G", k), PLUS)) if body.kind in (
                "spatial", "spanned") else Line((name("J", k), name("G", k), PLUS))  # fmt: skip
            tail = Line((centre_name(k, "tilde"), _of("Φ", k)))
            if body.kind == "particle":
                found.append(Equation(_of("Ψ", k), BlockRow(tuple(map(block, body.angular)))))
            else:
                found.append(Equation(_of("Ψ", k), Line((turn, tail))))
        where = (
            "Each body has linear momentum Φ q̇ and angular velocity G q̇ in its own coordinates "
            "(two points"
        )
        more = "" if self.planar else ", or points and vectors"
        return Section("Matrices of the bodies", (
            *self._places(),
            say(where + more + "), and angular momentum Ψ q̇ about the origin",
                *(["."] if self.planar else ["; ", name("r", "O", "k"), " is the mass centre, "
                  "and G is along the axes R of the body’s frame."])),
            AlignedEquations(tuple(found)),
        ))  # fmt: skip

    def _places(self) -> list[Item]:
        """Return C of any point, of each kind of body there is."""
        C, kinds = Letter("C"), {body.kind for body in self.blocks.bodies}
        found: list[Equation] = []
        c = [Symbol(("c", i), name("c", i), (1, 1))() for i in (1, 2, 3)]
        l, one = Symbol("l", Letter("l"), (1, 1))(), letters.identity()
        if "planar" in kinds:
            rows = PlanarBody.place_entries(c)
            shown = Grid(tuple(tuple(_shown(x) for x in row) for row in rows))
            found.append(Equation(C, shown))
        if "spatial" in kinds:
            beta = Symbol("beta", Letter("β"), (1, 1))()
            u = Symbol("u", Letter("u"))()
            body = SpatialBody(l, l, beta, c, l, l)  # type: ignore[arg-type]
            cells = body.place_blocks(c, u, WRITTEN)
            found.append(Equation(C, BlockRow(tuple(map(block, cells))), "two directions"))
        if "spanned" in kinds:
            cells = [one * (1.0 - c[0]), *(one * x for x in c)]
            found.append(Equation(C, BlockRow(tuple(map(block, cells))), "three directions"))
        if "rod" in kinds:
            cells = [one * (1.0 - c[0]), one * c[0]]
            found.append(Equation(C, BlockRow(tuple(map(block, cells))), "a rod"))
        if not found:
            return []
        rho, L = Letter("ρ"), Script(Letter("L"), None, Line((MINUS, Numeral("1"))))
        centre = line(Letter("c"), EQUALS, L, Fence(
            Line((rho, MINUS, indexed("ρ", "i"))), "()"))  # fmt: skip
        if len(found) == 1:
            found = [Equation(C, found[0].right)]
        return [
            say("A point of a body at ρ along its frame is at ", line(Letter("r"), EQUALS, C,
                Letter("q")), " with ", centre, "; D is C of the mass centre:"),
            AlignedEquations(tuple(found)),
        ]  # fmt: skip

    def _names(self, body: BodyLetters) -> list[Symbol]:
        """Return the abbreviations that the matrices of a body use."""
        used: dict[Symbol, None] = {}
        for one in (*body.momentum, *(x for row in body.spin for x in _listed(row)),
                    *body.angular):  # fmt: skip
            used |= letters.symbols(one, inside=False)
        return [symbol for symbol in used if symbol.definition is not None]

    def _planar(self, body: BodyLetters) -> list[Equation]:
        k = body.number
        grids = [Grid(tuple(tuple(written(x) for x in row) for row in part))
                 for part in (body.place, body.momentum) if part is not None]  # fmt: skip
        found = [Equation(_of("Φ", k), grids[-1])]
        if body.kind != "particle":
            found[:0] = [
                Equation(name("L", k), _lengths(body.lengths)), Equation(name("D", k), grids[0])
            ]  # fmt: skip
        if body.kind != "particle":
            found.append(Equation(name("G", k), BlockRow(tuple(map(written, body.spin)))))
        return [
            *found,
            Equation(_of("Ψ", k), BlockRow(tuple(map(self.collected, body.angular)))),
        ]

    def collected(self, entry: Letters) -> Formula:
        """Return an entry that is linear in the coordinates, each with one coefficient."""
        parts: list[Formula] = []
        rest = entry
        for i in range(len(self.blocks.plan.basics)):
            for x in self.blocks.entries(i):
                symbol = next(iter(letters.symbols(x)))
                c = letters.coefficient(entry, symbol)
                if not c:
                    continue
                rest = rest - x * c
                parts.append(_times(c, symbol.formula, first=not parts))
        if rest:
            shown = letters.signed(rest)
            lead = shown[0] if not parts or _negative(rest) else Line((PLUS, shown[0]))
            parts += [lead, *shown[1:]]
        if not parts:
            return Numeral("0")
        return parts[0] if len(parts) == 1 else Terms(tuple(parts))

    def momenta(self) -> Section:
        """Return Φ and Ψ of the machine."""
        push, turn = self.blocks.assembled("momentum"), self.blocks.assembled("angular")
        order = [i for i in self.blocks.moving if i in push or i in turn]
        intro = say(
            "The momenta of the machine are sums over its bodies, ",
            line(Letter("Q"), EQUALS, PHI, QD), " and ", line(Letter("H"), EQUALS, PSI, QD),
            " about the origin" + (", with one block for each of " if not self.planar else ":"),
            *([comma(*(self._mark(i) for i in order)), ":"] if not self.planar else []),
        )  # fmt: skip
        if not self.planar:
            rows = AlignedEquations((
                Equation(PHI, BlockRow(tuple(block(push[i]) for i in order))),
                Equation(PSI, BlockRow(tuple(self._sum_of(i) for i in order))),
            ))  # fmt: skip
            return Section("Momenta", (intro, rows, say(
                "Ψ with two indices is the block of a body and of its coordinate: ",
                name("Ψ", "k", "1"), " stands before the rate of ", indexed("r", "i"), ".",
            )))  # fmt: skip
        grid = Grid(tuple(
            tuple(written(x) for i in order for x in push[i][row]) for row in range(2)
        ))  # fmt: skip
        if width(grid) > WIDEST:  # a block for each point, which may be broken into lines
            intro = Paragraph((*intro.parts[:-1], " about the origin, with one block for each "
                               "of ", comma(*map(self._mark, order)), ":"))  # fmt: skip
            grid = BlockRow(tuple(_flat_block(push[i]) for i in order))
        entries = [x for i in order for x in turn[i][0]]
        names = tuple(name("Ψ", n) for n in range(1, len(entries) + 1))
        found = [Equation(n, self.collected(x)) for n, x in zip(names, entries, strict=True)]
        return Section("Momenta", (
            intro, equations((PHI, grid)), equations((PSI, BlockRow(names))),
            AlignedEquations(tuple(found)),
        ))  # fmt: skip

    def _mark(self, number: int) -> Formula:
        basic = self.blocks.plan.basics[number]
        return name("u" if basic.vector else "r", self.blocks.numbers[number])

    def _sum_of(self, number: int) -> Formula:
        """Return Ψ₁₂ + Ψ₂₁ and the like."""
        parts: list[Formula] = []
        for body in self.blocks.bodies:
            for j, slot in enumerate(body.slots):
                if number in slot:
                    mark = name("Ψ", f"{body.number}{j + 1}" if body.number < 10 else
                                f"{body.number},{j + 1}")  # fmt: skip
                    sign = MINUS if slot[number] < 0 else PLUS
                    lead = () if not parts and slot[number] > 0 else (sign,)
                    parts.append(Line((*lead, mark)))
        return parts[0] if len(parts) == 1 else Line(tuple(parts))

    # --- rows

    def rigid(self) -> Section | None:
        """Return the conditions that keep the bodies rigid, and their blocks."""
        if not self.blocks.rigid:
            return None
        values, blocks = [], []
        for n, row in enumerate(self.blocks.rigid, start=1):
            left = Script(Letter("φ"), Numeral(str(n)))
            shown = written(row.phi)
            terms = shown.parts if isinstance(shown, Terms) else (shown,)
            right = Terms((*terms, Line((EQUALS, Numeral("0")))))
            values.append(Equation(left, right, f"{row.kind} of {row.body}"))
            under = comma(*(self._mark(i) for i in row.by))
            blocks.append(Equation(
                Script(Letter("φ"), comma(Numeral(str(n)), under)),
                BlockRow(tuple(block(b) for b in row.by.values())),
            ))  # fmt: skip
        return Section("Rigid bodies", (
            say("Points and vectors of a body keep their lengths, angles and places:"),
            AlignedEquations(tuple(values)),
            say("Differentiated, these are rows in the rates; blocks that are not shown are "
                "zero:"),
            AlignedEquations(tuple(blocks)),
        ))  # fmt: skip

    def others(self) -> list[Section]:
        """Return rows in body space, and how they become rows in the rates."""
        found = [s for s in (self.rows.constraints(), self.rows.jacobian()) if s is not None]
        if not self.rows.blocks.rows:
            return []
        K = Letter("k")
        by_r, by_turn = (Script(PHI, mark) for mark in (
            indexed("r", "k"), Script(Letter("π"), K, Letter("′"))
        ))  # fmt: skip
        chain = Line((
            Summation(K), Fence(Line((
                Fraction(Numeral("1"), indexed("m", "k")), by_r, _of("Φ", "k"), PLUS,
                by_turn, indexed("G", "k"),
            )), "()"),
        ))  # fmt: skip
        return [*found, Section("Rows in the rates of points and vectors", (
            say("In ", indexed("r", "k"), ", the mass centre, and along the body’s own frame, "
                "these rows are in the rates q̇"),
            equations((Script(PHI, Letter("q")), chain)),
        ))]  # fmt: skip

    # --- the two forms

    def second_order(self) -> list[Section]:
        """Return M q̈ = Q − Cᵀλ, and the open chain A q̇ = B."""
        e = self.equations
        q, u = drawing_state(e)
        m = len(e.rows)
        M = Letter("M")
        K = Letter("k")
        inner = Line((
            Fraction(Numeral("1"), indexed("m", "k")), Script(PHI, None, Line((
                Fence(K, "()"), TRANSPOSED))), _of("Φ", "k"), PLUS,
            Script(Letter("G"), K, TRANSPOSED), indexed("J", "k"),
            indexed("G", "k"),
        ))  # fmt: skip
        grid = Grid(((M, Script(Letter("C"), None, TRANSPOSED)), (Letter("C"), Numeral("0"))))
        qdd = Accent(Letter("q"), "ddot")
        box = equations(
            (Line((grid, Grid(((qdd,), (LAM,))))),
             Grid(((Letter("Q"),), (Letter("γ"),)))), boxed=True,
        ) if m else equations((Line((M, qdd)), Letter("Q")), boxed=True)  # fmt: skip
        constant = e.mass_kind == "constant"
        items: list[Item] = [
            equations((M, Line((Summation(K), Fence(inner, "()"))))), box,
            say(
                "M is constant here: where a body’s mass is spread, ",
                line(M, EQUALS, Letter("∫"), Script(Letter("C"), None, TRANSPOSED), Letter("C"),
                     Letter("d"), Letter("m")),
                " takes the place of the sum above; on rates that keep bodies rigid both are "
                "the same.",
            ) if constant else say("M depends on q where a body has only two directions."),
        ]  # fmt: skip
        if m:
            rank = ranked(e.constraint_matrix(q, u))
            n = self.count
            items.append(say(
                f"These are {n} + {m} = {n + m} equations; {rank} of the {counted(m, 'row')} "
                f"are independent in the drawing, so that the rank is {n + rank} and "
                f"{counted(n - rank, 'degree')} of freedom "
                f"{'remains' if n - rank == 1 else 'remain'}.",
            ))  # fmt: skip
        return [self.rows.applied(), Section("Equations of motion", tuple(items)),
                self.open_chain()]  # fmt: skip

    def open_chain(self) -> Section:
        """Return A q̇ = B with momenta first, not closed by any prescribed motion."""
        A, B, size = self._first(), Letter("B"), self.blocks.plan.size
        kept = 1 if self.planar else 3
        rank = ranked(
            np.asarray(self.equations.first_order_matrix(drawing_state(self.equations)[0]))
        )
        rigid = len(self.blocks.rigid)
        total, open_ = kept + size + rigid, self.count - rank
        acting = Grid(((Letter("M"),), (Letter("F"),), *(((Numeral("0"),),) if rigid else ())))
        return Section("First-order form", (
            say("Where nothing acts from outside, momenta are constant, and with the rates of "
                "the rigid bodies they are"),
            equations((Line((Letter("A"), QD)), B), boxed=True), *A,
            say(f"A is {total}×{self.count}, of rank {rank} in the drawing: "
                + (f"{counted(open_, 'condition')} on the joints "
                   f"{'closes' if open_ == 1 else 'close'} it." if open_ else
                   "nothing is left to close it with.")),
            say("Where a force F and a moment M about the origin act on the machine, those of "
                "the ground’s joints among them, momenta change with them:"),
            equations((Line((Letter("A"), Accent(Letter("q"), "ddot"))), Line((
                MINUS, Accent(Letter("A"), "dot"), QD, PLUS, acting))), boxed=True),
        ))  # fmt: skip

    def _first(self, others: Sequence[RowBlock] = ()) -> list[Item]:
        """Return A and B, momenta first, in letters and, for few points, block by block."""
        rows: list[tuple[Formula, ...]] = [(PSI,), (PHI,)]
        right: list[tuple[Formula, ...]] = [(Letter("H"),), (Letter("Q"),)]
        if self.blocks.rigid:
            rows.append((Script(Letter("φ"), Letter("q")),))
            right.append((Numeral("0"),))
        if others:
            rows.append((Script(PHI, Letter("q"), Letter("d")),))
            right.append((Script(Letter("ν"), None, Letter("d")),))
        short = equations((Letter("A"), Grid(tuple(rows))), (Letter("B"), Grid(tuple(right))))
        order = self.blocks.moving
        if len(order) > MOST or len(self.blocks.rigid) + len(others) > 3 * MOST:
            return [short]
        whole = Grid(tuple(self._blocks(order, others)))
        if width(whole) > 1.7 * WIDEST:  # smaller letters do
            return [short]
        return [
            short,
            say(
                "or, with a column for each of ",
                comma(*map(self._mark, order)),
                ", where blocks that are long stand by their names,"
                if self._named(whole, order)
                else ",",
            ),
            equations((Letter("A"), whole)),
        ]

    def _named(self, whole: Grid, order: Sequence[int]) -> bool:
        """Return whether blocks of Φ stand by their names in A."""
        cells = zip(order, whole.rows[1], strict=True)
        return any(cell == Script(PHI, self._mark(i)) for i, cell in cells)

    def _blocks(
        self, order: Sequence[int], others: Sequence[RowBlock]
    ) -> Iterator[tuple[Formula, ...]]:
        """Yield the rows of A, a block for each point and vector."""
        push, turn = self.blocks.assembled("momentum"), self.blocks.assembled("angular")
        zero, size = Numeral("0"), self.blocks.plan.size
        if self.planar:
            names = [comma(*(name("Ψ", size * n + i + 1) for i in range(size)))
                     for n in range(len([i for i in order if i in turn]))]  # fmt: skip
            known = iter(names)
            yield tuple(next(known) if i in turn else zero for i in order)
            cells = {i: _flat_block(each) for i, each in push.items()}
        else:
            yield tuple(self._sum_of(i) if i in turn else zero for i in order)
            cells = {i: block(each) for i, each in push.items()}
        if any(width(cell) > LONG for cell in cells.values()):  # by its name, from above
            cells = {i: Script(PHI, self._mark(i)) for i in cells}
        yield tuple(cells.get(i, zero) for i in order)
        for n, row in enumerate(self.blocks.rigid, start=1):
            cells = {i: block(b) for i, b in row.by.items()}
            if any(width(cell) > LONG for cell in cells.values()):  # by its name, from above
                number = Numeral(str(n))
                cells = {i: Script(Letter("φ"), comma(number, self._mark(i))) for i in cells}
            yield tuple(cells.get(i, zero) for i in order)
        for row in others:
            yield tuple(Script(PHI, self._mark(i), self.rows.label(row)) for i in order)

    def first_order(self) -> list[Section]:
        """Return A q̇ = B as it is solved, closed by what is prescribed."""
        e = self.equations
        q = np.array(e.drawing(e.parameters), dtype=float)
        A = np.atleast_2d(e.system_matrix(q))
        drivers = [f"{d.of}.{name}" for d in self.model.drivers for name, _ in d.motion]
        joints = all("position" not in one for one in drivers)
        told = "joint motions" if joints else "the path of a point"
        box = equations((Line((Letter("A"), QD)), Letter("B")), boxed=True)
        closure = f"It is closed by {told}: {', '.join(drivers)}." if drivers else (
            "Nothing is prescribed: momenta and rigid bodies determine all rates.")  # fmt: skip
        section = Section("Equations of motion", (
            say("Nothing acts from outside, so that Q and H are constant; no acceleration is "
                "needed:"),
            box, *self._first(self.rows.blocks.rows),
            say(f"{closure} A is {A.shape[0]}×{A.shape[1]}, of rank {ranked(A)} in the "
                "drawing. In the run its rows are divided by the machine’s mass and length."),
        ))  # fmt: skip
        angles = self.angles()
        return [section, *([angles] if angles else [])]

    def angles(self) -> Section | None:
        """Return the angles of hinges between bodies, from their directions."""
        found: list[Equation] = []
        numbers = {body.name: body for body in self.blocks.bodies}
        for joint in self.model.joints:
            if not isinstance(joint, Revolute) or not {joint.first, joint.second} <= set(
                numbers
            ):
                continue
            one, two = (self._direction(numbers[b]) for b in (joint.first, joint.second))
            if one is None or two is None:
                continue
            axis = self._axis(joint.name)
            sine = line(_t(axis), Fence(Line((one, Sign("×"), two)), "()"))
            if not self.planar and isinstance(axis, Script) and axis.base == Letter("u"):
                sine = line(Fraction(Numeral("1"), Fence(axis, "||")), sine)
            cosine = line(_t(one), two)
            found.append(Equation(name("ψ", joint.name), Line((
                Letter("atan2"), Fence(comma(sine, cosine), "()")))))  # fmt: skip
        told = {equation.left for equation in found}
        for joint in self.model.joints:  # of other joints, by their axes
            if name("ψ", joint.name) not in told and {joint.first, joint.second} <= set(
                numbers
            ):
                measured = self.rows.blocks.scene.joint_values(joint.name, "coordinates")
                angles = [v[0] for c, v in measured.items() if c.startswith("angle")]
                found += self.rows.measured(*angles)
        if not found:
            return None
        return Section("Joint angles", (
            say("Angles between the directions of neighbouring bodies, signed about the axis; "
                "the arcsine of the literature loses the branch beyond a quarter turn:"),
            AlignedEquations(tuple(found)),
        ))  # fmt: skip

    def _direction(self, body: BodyLetters) -> Formula | None:
        if not body.frame.directions:
            return None
        number = body.frame.directions[0]
        if self.blocks.plan.basics[number].vector:
            return self._mark(number)
        return Fence(Line((self._mark(number), MINUS, self._mark(body.frame.base))), "()")

    def _axis(self, joint: str) -> Formula:
        for i, basic in enumerate(self.blocks.plan.basics):
            if basic.vector and basic.owner == joint:
                return self._mark(i)
        return Letter("n") if self.planar else name("h", joint)


def _of(letter: str, k: int | str) -> Formula:
    """Return a matrix of body k, told from those of the machine."""
    shown = Letter(k) if isinstance(k, str) else Numeral(str(k))
    return Script(Letter(letter), None, Fence(shown, "()"))


def _flat_block(rows: Any) -> Formula:
    """Return a 2×2 block; a multiple of the identity as such."""
    (a, b), (c, d) = rows
    if not b and not c and a == d:
        return line(written(a), "I") if a and len(a.terms) == 1 else (
            line(Fence(written(a), "()"), "I") if a else Numeral("0"))  # fmt: skip
    return Grid(((written(a), written(b)), (written(c), written(d))))


def _lengths(value: Any) -> Formula:
    """Return L: a length times the identity, or its rows."""
    if isinstance(value, Letters):
        return written(letters.identity() * value)
    return Grid(tuple(tuple(_shown(x) for x in row) for row in value))


def _shown(value: Any) -> Formula:
    return written(letters.as_letters(value))


def _listed(row: Any) -> list[Letters]:
    return list(row) if isinstance(row, list | tuple) else [row]


def _negative(value: Letters) -> bool:
    return next(iter(value.terms.values())) < 0


def _times(c: Letters, what: Formula, first: bool) -> Formula:
    """Return a coefficient before a letter, with its sign; sums in brackets."""
    negative = all(value < 0 for value in c.terms.values())
    size = -c if negative else c
    shown = written(size)
    body = what if size == letters.as_letters(1.0) else line(
        Fence(shown, "()") if isinstance(shown, Terms) else shown, what
    )  # fmt: skip
    if negative:
        return Line((MINUS, body))
    return body if first else Line((PLUS, body))


def _t(formula: Formula) -> Formula:
    if isinstance(formula, Script) and formula.upper is None:
        return Script(formula.base, formula.lower, TRANSPOSED)
    return Script(formula, None, TRANSPOSED)
