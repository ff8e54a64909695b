"""Sections that every school shares: constraints and forces between bodies, in body space."""

from bellcrank.formulations.cartesian.blocks import CartesianBlocks, RowBlock
from bellcrank.model import Model
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    EQUALS,
    Accent,
    BlockRow,
    Formula,
    Fraction,
    Letter,
    Line,
    Numeral,
    Script,
    Stack,
    Terms,
    indexed,
)
from bellcrank.spatial.letters import Letters, name, written
from bellcrank.worksheets.school import (
    comma,
    counted,
    stacked,
)
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    say,
)

Q, LAM, NU, GAMMA, PHI = (Letter(x) for x in ("q", "λ", "ν", "γ", "Φ"))
HALF = Fraction(Numeral("1"), Numeral("2"))


class BodyRows:
    """Φ, Φ_q, γ and Qᴬ in the positions and twists of bodies.

    Attributes:
        model: The machine.
        blocks: Its rows and forces in letters.
        euler: Whether speeds are ṗ.
        flat: Whether bodies stay in the plane.
        style: How products are written.
        own: Joints whose coordinates are those of the page, which need no definition.
    """

    own: "frozenset[str]" = frozenset()

    def __init__(
        self,
        model: Model,
        blocks: CartesianBlocks,
        euler: bool = False,
        style: letters.Notation = letters.PLAIN,
    ) -> None:
        self.model, self.blocks, self.euler, self.flat = model, blocks, euler, blocks.flat
        self.style = style
        self._defined: set[letters.Symbol] = set()

    def measured(self, *expressions: Letters | None) -> list[Equation]:
        """Return what coordinates of joints stand for that come up for the first time."""
        found: list[Equation] = []
        for expression in expressions:
            for symbol in letters.symbols(expression) if expression is not None else ():
                if not _is_coordinate(symbol) or symbol in self._defined:
                    continue
                self._defined.add(symbol)
                if symbol.key[1] in self.own or symbol.definition is None:  # type: ignore[index]
                    continue
                for part in self.blocks.lettering.called.get(symbol.key[1], []):  # type: ignore[index]
                    inner = letters.symbols(symbol.definition)
                    if part in inner and part not in self._defined and part.definition:
                        self._defined.add(part)
                        found.append(
                            Equation(part.formula, written(part.definition, self.style))
                        )
                found.append(Equation(symbol.formula, written(symbol.definition, self.style)))
        return found

    @property
    def turn(self) -> Formula:
        """What a body's turn is called in Φ_q: p, π′ or φ."""
        if self.flat:
            return Letter("φ")
        return Letter("p") if self.euler else Script(Letter("π"), None, Letter("′"))

    # --- rows

    def label(self, row: RowBlock) -> Formula:
        """Return what stands above Φ and γ: the element, and which of its conditions."""
        own = [one for one in self.blocks.rows if one.owner == row.owner]
        mark: Formula = Letter(row.owner)
        return mark if len(own) == 1 else comma(mark, str(own.index(row) + 1))

    def _owners(self) -> list[str]:
        return list(dict.fromkeys(row.owner for row in self.blocks.rows))

    def constraints(self) -> Section | None:
        """Return Φ, element by element, with the primitives it is made of."""
        if not self.blocks.rows:
            return Section("Constraints", (say("Nothing is constrained."),))
        items: list[Item] = []
        for owner in self._owners():
            rows = [row for row in self.blocks.rows if row.owner == owner]
            items.append(self._told(owner, rows))
            named = [
                symbol for symbol in self.blocks.lettering.called.get(owner, [])
                if symbol.definition is not None and _used(symbol, rows)
            ]  # fmt: skip
            self._defined.update(named)
            found = [
                Equation(symbol.formula, written(symbol.definition, self.style))
                for symbol in named
                if symbol.definition is not None
            ]
            found += self.measured(*(e for row in rows for e in (row.phi, row.rate, row.gamma)))
            for row in rows:
                value = row.rate if row.phi is None else row.phi
                left = Script(PHI if row.phi is not None else Accent(PHI, "dot"), None,
                              self.label(row))  # fmt: skip
                shown = written(value, self.style)
                right = Line((shown, EQUALS, Numeral("0")))
                if isinstance(shown, Terms):
                    right = Terms((*shown.parts, Line((EQUALS, Numeral("0")))))
                found.append(Equation(left, right, _remark(row)))
            items.append(AlignedEquations(tuple(found)))
        return Section("Constraints", tuple(items))

    def _told(self, owner: str, rows: list[RowBlock]) -> Item:
        element = self.model[owner] if owner in self.model.names else None
        kind = "Euler parameters" if rows[0].primitive == "norm" else type(element).__name__
        count = counted(sum(row.count for row in rows), "row")
        numbers = [str(self.blocks.bodies[b].number) for row in rows for b in row.by]
        bodies = ", ".join(sorted(set(numbers), key=int))
        what = f"body {bodies}" if "," not in bodies else f"bodies {bodies}"
        return say(f"{owner} ({kind}), {count} on {what}:")

    def jacobian(self) -> Section | None:
        """Return Φ_q in blocks per body, ν and γ."""
        rows = self.blocks.rows
        if not rows:
            return None
        items: list[Item] = [
            say(
                "Differentiated, each condition is ",
                Script(PHI, Letter("q"), None),
                " times the speeds of its bodies. Blocks stand in pairs, of ",
                indexed(Accent(Letter("r"), "dot"), "i"), " and of ", self._turned(),
                f", for each body; {self._meaning()}",
            )
        ]  # fmt: skip
        for owner in self._owners():
            own = [row for row in rows if row.owner == owner]
            items.append(say(f"{owner}:"))
            items.append(AlignedEquations(tuple(self._jacobian_row(row) for row in own)))
            right = [
                Equation(Script(GAMMA, None, self.label(row)), written(row.gamma, self.style))
                for row in own
            ]
            right += [
                Equation(Script(NU, None, self.label(row)), written(row.nu, self.style))
                for row in own if row.nu
            ]  # fmt: skip
            items.append(AlignedEquations(tuple(right)))
        return Section("Jacobian and right sides", tuple(items))

    def _turned(self) -> Formula:
        if self.flat:
            return indexed(Accent(Letter("φ"), "dot"), "i")
        if self.euler:
            return indexed(Accent(Letter("p"), "dot"), "i")
        return indexed("ω", "i", prime=True)

    def _meaning(self) -> str:
        if self.euler or self.flat:
            return "what is not shown is zero."
        return "the index π′ is the virtual rotation along the body. What is not shown is zero."

    def _jacobian_row(self, row: RowBlock) -> Equation:
        cells: list[Formula] = []
        lower: list[Formula] = []
        for body, (by_r, by_turn) in row.by.items():
            i = self.blocks.bodies[body].number
            placed = next(p for p in self.blocks.layout.bodies if p.name == body)
            cells.append(block(by_r, self.style))
            lower.append(name("r", i))
            if placed.kind != "particle":
                cells.append(block(by_turn, self.style))
                lower.append(_under(self.turn, i))
        left = Script(PHI, comma(*lower) if lower else None, self.label(row))
        return Equation(left, BlockRow(tuple(cells)) if cells else Numeral("0"))

    def applied(self) -> Section:
        """Return Qᴬ: gravity, and every force element with its own letters."""
        items: list[Item] = []
        gravity = [self.blocks.lettering.worth(entry) for entry in self.model.gravity]
        turning = "" if self.flat else ", and torques along the body"
        items.append(say(
            "Generalized forces on body i are forces in world components", turning,
            " about its reference point.",
        ))  # fmt: skip
        if any(gravity):
            g = self.blocks.lettering.vector(
                "g", value=gravity, meaning="gravity [m/s²]", prime=False
            )
            found = [
                Equation(Script(Letter("Q"), Numeral(str(self.blocks.bodies[one.name].number)),
                                Letter("g")), self._weight(one, g))
                for one in self.blocks.masses
            ]  # fmt: skip
            items += [say("Gravity:"), AlignedEquations(tuple(found))]
        for force in self.model.forces:
            items += self._force(force.name)
        if not any(gravity) and not self.model.forces:
            all_ = Script(Letter("Q"), None, Letter("A"))
            items = [say("Nothing acts on this machine: ", all_, " = 0.")]
        return Section("Applied forces", tuple(items))

    def _weight(self, one, g: Letters) -> Formula:
        kind, m = one.weighed.placed.kind, one.weighed.m
        force = g * m
        if kind == "particle":
            return written(force)
        arm = one.weighed.s
        torque = letters.cross(self.blocks.bodies[one.name].attitude @ arm, force)
        return stacked(force, self.blocks._along(one.name, torque))

    def _force(self, element: str) -> list[Item]:
        kind = type(self.model[element]).__name__
        told = {"SpringDamper": " (TSDA)", "JointSpring": " (RSDA)"}.get(kind, "")
        forces = [one for one in self.blocks.forces if one.element == element]  # names letters
        found = [
            Equation(symbol.formula, written(symbol.definition, self.style))
            for symbol in self.blocks.lettering.called.get(element, [])
            if symbol.definition is not None
        ]
        found[:0] = self.measured(*(
            e for one in forces for e in (one.force, one.torque)
        ), *(symbol.definition for symbol in self.blocks.lettering.called.get(element, [])
        ))  # fmt: skip
        for one in forces:
            own = self.blocks.bodies[one.body]
            left = Script(Letter("Q"), Numeral(str(own.number)), Letter(element))
            placed = next(p for p in self.blocks.layout.bodies if p.name == one.body)
            right = written(one.force) if placed.kind == "particle" else stacked(
                one.force, one.torque
            )  # fmt: skip
            found.append(Equation(left, right))
        return [say(f"{element}, {kind}{told}:"), AlignedEquations(tuple(found))]


def block(expression: Letters, style: letters.Notation = letters.PLAIN) -> Formula:
    """Return a block; a sum in round brackets, 0 for a zero block."""
    shown = written(expression, style)
    if isinstance(shown, Terms):
        return Stack(shown.parts)
    return shown


def _is_coordinate(symbol: letters.Symbol) -> bool:
    key = symbol.key
    return isinstance(key, tuple) and len(key) == 3 and key[0] == "coordinate"


def _under(turn: Formula, i: int) -> Formula:
    if isinstance(turn, Script):
        return Script(turn.base, Numeral(str(i)), turn.upper)
    return Script(turn, Numeral(str(i)))


def _remark(row: RowBlock) -> str:
    rows = f", {row.count} rows" if row.count > 1 else ""
    return f"{row.primitive} ({row.part}){rows}"


def _used(symbol: letters.Symbol, rows: list[RowBlock]) -> bool:
    for row in rows:
        for expression in (row.phi, row.rate, row.gamma):
            if expression is not None and symbol in letters.symbols(expression):
                return True
    return False
