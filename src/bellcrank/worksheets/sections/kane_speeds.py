"""Sections of Kane's page on the choice of speeds: u = Y q̇ + z, and angular accelerations.

The blocks of orientations are those that the formulation evaluates, read back from them.
"""

from functools import cached_property
from typing import Any

from bellcrank.formulations.contract.lettering import TIME, LetterNumbers
from bellcrank.formulations.contract.reading import read
from bellcrank.formulations.joint_coordinates.speed_blocks import speed_letter
from bellcrank.formulations.kane import AngleRates, Kane, LinearSpeeds
from bellcrank.formulations.kane.attitude import Attitudes
from bellcrank.formulations.kane.choices import Angles, is_relative
from bellcrank.formulations.kane.combination import looked_up
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    EQUALS,
    MINUS,
    PLUS,
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
    braces,
    indexed,
    line,
    matrix,
)
from bellcrank.spatial.letters import Letters, Symbol, name, written
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.kane_chosen import ChosenBlocks
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    equations,
    say,
)

HALF = Fraction(Numeral("1"), Numeral("2"))
SPIN = indexed("ω", "K", prime=True)
HAT = Accent(Letter("ω"), "hat")


class KaneSpeeds:
    """What a choice of speeds and of orientations says of a machine.

    Attributes:
        formulation: The choice.
        machine: The numbered bodies.
        chosen: Its partial velocities.
    """

    def __init__(
        self, formulation: Kane, machine: NumberedMachine, chosen: ChosenBlocks
    ) -> None:
        self.formulation, self.machine, self.chosen = formulation, machine, chosen
        assert formulation.orientation is not None
        self.layout = KaneLayout(
            machine.connection, formulation.speeds, formulation.orientation
        )

    @property
    def plain(self) -> bool:
        """Whether the speeds are those of the page’s other sections."""
        chosen = self.formulation.speeds, self.formulation.orientation
        return chosen == ("absolute body", "Euler parameters")

    def sections(self) -> list[Section]:
        """Return what the choice adds to the page."""
        if self.plain:
            return []
        found = [self.speeds()]
        if self.relative:
            found.append(self.accelerations())
        return found

    @property
    def relative(self) -> bool:
        """Whether speeds are of bodies against their lower bodies."""
        chosen = self.formulation.speeds
        if isinstance(chosen, AngleRates):
            return chosen.relative
        return isinstance(chosen, str) and chosen.startswith("relative")

    # --- orientations

    def angle(self, k: int, i: int) -> Symbol:
        """Return θ_Ki, whose rate is θ̇_Ki."""
        rate = Symbol(("thetad", k, i), name("θ", f"{k}{i}", marks="dot"), (1, 1))
        return Symbol(("theta", k, i), name("θ", f"{k}{i}"), (1, 1), rate=rate)

    def turn_blocks(self, k: int) -> dict[str, list[list[Letters]]]:
        """Return Y_K, Γ_K and Γ̇_K of a body whose orientation is by angles, in letters."""
        import casadi as ca

        q = ca.SX.sym("q", self.layout.size)
        attitudes = Attitudes(self.layout, ca.vertsplit(q))
        first = self.layout.width * (k - 1)
        names = {q[first + i].name(): self.angle(k, i + 1) for i in range(3)}
        turned = attitudes.turns[k]

        def entries(block: Any) -> list[list[Letters]]:
            return [[read(ca.SX(x), names) for x in row] for row in block]

        _, world = attitudes.world_block(k)
        gamma = entries([[world[i, j] for j in range(3)] for i in range(3)])
        return {
            "Y": entries(attitudes.spin_block(k)),
            "W": entries(attitudes.rate_block(k)),
            "Gamma": gamma,
            "R": entries([[turned[j][i] for j in range(3)] for i in range(3)]),
            "Gamma rate": [[letters.rate(entry) for entry in row] for row in gamma],
        }

    def speeds(self) -> Section:
        """Return u = Y q̇ + z, its inverse, and what y is in these speeds."""
        u, qd = braces("u"), braces(Accent(Letter("q"), "dot"))
        n, nq = 6 * self.machine.count, self.layout.size
        items: list[Item] = [
            say("Generalized speeds are linear combinations of the rates of the coordinates,"),
            equations(
                (u, Line((matrix("Y"), qd, PLUS, braces("z")))),
                (qd, Line((matrix("W"), u, PLUS, braces("x")))),
                boxed=True,
            ),
            say(f"with {n} speeds and {nq} coordinates, and ",
                line(braces("x"), EQUALS, MINUS, matrix("W"), braces("z")),
                "; here " + self._told()),
        ]  # fmt: skip
        chosen = self.formulation.speeds
        if isinstance(chosen, LinearSpeeds):
            items += self._combination(chosen)
        elif isinstance(self.formulation.orientation, Angles):
            items += self._angles(isinstance(chosen, AngleRates))
        items += [self._partials(), *self.chosen.partials()]
        return Section("Generalized speeds", tuple(items))

    def _told(self) -> str:
        chosen = self.formulation.speeds
        if isinstance(chosen, LinearSpeeds):
            return "they are those that were given."
        if isinstance(chosen, AngleRates):
            frame = "the lower body" if chosen.relative else "the inertial frame"
            order = "-".join(chosen.sequence)
            return f"they are the rates of {order} angles counted from {frame}, and z = 0."
        seen = "against the lower body" if self.relative else "against the inertial frame"
        along = "body K" if chosen.endswith("body") else (
            "the lower body" if self.relative else "the inertial frame")  # fmt: skip
        turned = " Orientations are counted from the lower body." if is_relative(
            self.formulation.orientation or ""
        ) else ""  # fmt: skip
        return f"they are angular velocities {seen}, along {along}, and z = 0.{turned}"

    def _angles(self, rates: bool) -> list[Item]:
        found: list[Equation] = []
        for k in self.machine.bodies:
            blocks = self.turn_blocks(k)
            found.append(Equation(matrix(indexed("Y", k)), _grid(blocks["Y"])))
            if not rates:
                found.append(Equation(matrix(indexed("W", k)), _grid(blocks["W"])))
        hat = is_relative(self.formulation.orientation or "")
        spin = braces(Script(HAT, Letter("K"), Letter("′"))) if hat else braces(SPIN)
        rate = braces(indexed(Accent(Letter("θ"), "dot"), "K"))
        return [
            say("Angular velocities and rates of angles are related by ",
                line(spin, EQUALS, matrix(indexed("Y", "K")), rate), ", for each body with"),
            AlignedEquations(tuple(found)),
        ]  # fmt: skip

    @cached_property
    def marks(self) -> dict[str, Symbol]:
        """The coordinates one by one: θ_Ki or ε_Ki, and s′_Ki."""
        width, n = self.layout.width, self.machine.count
        letter = "θ" if isinstance(self.formulation.orientation, Angles) else "ε"
        found = {}
        for place, variable in enumerate(self.layout.coordinates):
            turning = place < width * n
            k, i = divmod(place if turning else place - width * n, width if turning else 3)
            shown = indexed(letter if turning else "s", k + 1, i + 1, prime=not turning)
            found[variable.name] = Symbol(("coordinate", variable.name), shown, (1, 1))
        return found

    def rate(self, coordinate: str) -> Formula:
        """Return the letter of a coordinate with a dot."""
        mark = self.marks[coordinate].formula
        assert isinstance(mark, Script)
        return Script(Accent(mark.base, "dot"), mark.lower, mark.upper)

    def _combination(self, chosen: LinearSpeeds) -> list[Item]:
        chosen = looked_up(self.layout, chosen)
        lettering = self.chosen.rows.rows.blocks.lettering
        number = LetterNumbers(lettering, lambda text: self.marks[text](), {})
        coordinates = [variable.name for variable in self.layout.coordinates]
        found = []
        for label, row, rest in zip(chosen.names, chosen.Y, chosen.z, strict=True):
            total = letters.as_letters(number(rest))
            for entry, coordinate in zip(row, coordinates, strict=True):
                factor = letters.as_letters(number(entry))
                if factor:
                    rate = Symbol(("rate", coordinate), self.rate(coordinate), (1, 1))
                    total = total + factor * rate()
            found.append(Equation(speed_letter(label), written(total)))
        return [AlignedEquations(tuple(found)), *self._solved(chosen)]

    def _solved(self, chosen: LinearSpeeds) -> list[Item]:
        """Return q̇ = W u + x row by row, from the W and x that are evaluated."""
        equations = self.formulation.equations(self.machine.model)
        W, x = equations.kinematics_matrix.value, equations.kinematics_remainder.value
        if not self.chosen.few:
            return []
        columns = equations.kinematics_matrix.symbols.columns
        known: dict[str, Symbol] = {columns["t"].name(): TIME}
        for i, variable in enumerate(self.layout.coordinates):
            known[columns["q"][i].name()] = self.marks[variable.name]
        for i, parameter in enumerate(self.machine.model.parameters):
            label = parameter.name
            known[columns["p"][i].name()] = Symbol(("parameter", label), Letter(label), (1, 1))
        speeds = [Symbol(("speed", u), speed_letter(u), (1, 1)) for u in chosen.names]
        found = []
        for i, variable in enumerate(self.layout.coordinates):
            total = read(x[i], known)
            for j, speed in enumerate(speeds):
                total = total + read(W[i, j], known) * speed()
            found.append(Equation(self.rate(variable.name), written(total)))
        told = "Solved for the rates, the entries of W stand before the speeds; the rest is x:"
        return [say(told), AlignedEquations(tuple(found))]

    def _partials(self) -> Item:
        T = matrix("T")
        y = braces("y")
        v, w = (matrix(Line((indexed(x, "K", ",", "u", prime=p),)))
                for x, p in (("v", False), ("ω", True)))  # fmt: skip
        base = [
            matrix(indexed(x, "K", ",", "y", prime=p)) for x, p in (("v", False), ("ω", True))
        ]
        rest = [braces(Script(Accent(Letter(x), "hat"), Line((Letter("K"), Letter("t")))))
                for x in ("v", "ω")]  # fmt: skip
        return equations(
            (y, Line((T, braces("u"), PLUS, braces("c")))),
            (v, Line((base[0], T))), (w, Line((base[1], T))),
            (rest[0], Line((base[0], braces("c")))), (rest[1], Line((base[1], braces("c")))),
            (matrix(indexed("A", "u")), Line((matrix("T", True), matrix("A"), T))),
            (braces(indexed("f", "u")), Line((
                matrix("T", True), Fence(Line((
                    braces("f"), MINUS, matrix("A"), Fence(Line((
                        matrix(Accent(Letter("T"), "dot")), braces("u"), PLUS,
                        braces(Accent(Letter("c"), "dot")))), "()"))), "()")))),
        )  # fmt: skip

    # --- angular accelerations

    def accelerations(self) -> Section:
        """Return ω_K, α_K and α′_K of every body along its path, in both frames."""
        found: list[Equation] = []
        boxes: list[Equation] = []
        angles = isinstance(self.formulation.speeds, AngleRates)
        items: list[Item] = []
        for k in self.machine.bodies:
            low = self.machine.lower[k - 1]
            found += self._velocities(k, low)
            boxes += self._boxes(k, low)
        if angles:
            items += self._gammas()
        between = matrix(Script(Letter("R"), Line((Letter("L"), Letter("K")))))
        return Section("Relative angular velocities and accelerations", (
            say("With ", braces(indexed(HAT, "K")), " the angular velocity of K in its lower "
                "body L, along L, ", braces(indexed(HAT, "K", prime=True)),
                " the same along K, and ",
                line(between, EQUALS, matrix(indexed("R", "K")),
                     matrix(indexed("R", "L"), True)),
                ", outwards along each path:"),
            *items, AlignedEquations(tuple(found)), *self._fixed_partials(),
            AlignedEquations(tuple(boxes), boxed=True),
        ))  # fmt: skip

    def _fixed_partials(self) -> list[Item]:
        if not self.chosen.few:
            return []
        return [
            say("so that, in fixed components and for every K whose path has the body of "
                "the speeds, the partial angular velocities and their rates are"),
            AlignedEquations(tuple(e for j in self.machine.bodies for e in self._fixed(j))),
        ]  # fmt: skip

    def _fixed(self, j: int) -> list[Equation]:
        """Return [ω_K,u_J] and its rate, fixed components."""
        low, chosen = self.machine.lower[j - 1], self.formulation.speeds
        own = isinstance(chosen, str) and chosen.endswith("body")  # along J, else along L(J)
        frame = j if own else low
        R: tuple[Formula, ...] = (matrix(indexed("R", frame), True),) if frame else ()
        gamma: tuple[Formula, ...] = ()
        if isinstance(chosen, AngleRates):
            gamma = (matrix(indexed("Γ", j)),)
        spin = matrix(indexed(Accent(Letter("ω"), "tilde"), frame))
        turned = [Line((spin, *R, *gamma))] if frame else []
        if gamma:
            bent = Line((*R, matrix(indexed(Accent(Letter("Γ"), "dot"), j))))
            turned.append(Line((PLUS, bent)) if turned else bent)
        lefts = [
            matrix(Script(letter, Line((Letter("K"), Sign(","), self.chosen.speed(j)))))
            for letter in (Letter("ω"), Accent(Letter("ω"), "dot"))
        ]
        first = line(*R, *gamma) if R or gamma else matrix("I")
        second = Terms(tuple(turned)) if turned else matrix(Numeral("0"))
        return [Equation(lefts[0], first), Equation(lefts[1], second)]

    def _gammas(self) -> list[Item]:
        found = []
        for k in self.machine.bodies:
            blocks = self.turn_blocks(k)
            rate = Accent(Letter("Γ"), "dot")
            if self.chosen.few:
                between = _between(self.machine.lower[k - 1], k)
                found.append(Equation(between, _grid(blocks["R"])))
            found.append(Equation(matrix(indexed("Γ", k)), _grid(blocks["Gamma"])))
            found.append(Equation(matrix(indexed(rate, k)), _grid(blocks["Gamma rate"])))
        hat = braces(indexed(HAT, "K"))
        rated = braces(indexed(Accent(HAT, "dot"), "K"))
        one, two = (braces(indexed(Accent(Letter("θ"), mark), "K")) for mark in ("dot", "ddot"))
        return [
            equations(
                (hat, Line((matrix(indexed("Γ", "K")), one))),
                (rated, Line((matrix(indexed("Γ", "K")), two, PLUS,
                              matrix(indexed(Accent(Letter("Γ"), "dot"), "K")), one))),
            ),
            AlignedEquations(tuple(found)),
        ]  # fmt: skip

    def _velocities(self, k: int, low: int) -> list[Equation]:
        seen, along = braces(indexed(HAT, k)), braces(indexed(HAT, k, prime=True))
        w, own = braces(indexed("ω", k)), braces(indexed("ω", k, prime=True))
        if not low:
            return [Equation(w, seen), Equation(own, along)]
        turned = Line((matrix(indexed("R", low), True), seen))
        carried = Line((_between(low, k), braces(indexed("ω", low, prime=True))))
        return [
            Equation(w, Line((braces(indexed("ω", low)), PLUS, turned))),
            Equation(own, Line((carried, PLUS, along))),
        ]

    def _boxes(self, k: int, low: int) -> list[Equation]:
        rate = braces(indexed(Accent(HAT, "dot"), k))
        own = braces(indexed(Accent(HAT, "dot"), k, prime=True))
        left, prime = braces(indexed("α", k)), braces(indexed("α", k, prime=True))
        if not low:
            return [Equation(left, rate), Equation(prime, own)]
        R = matrix(indexed("R", low), True)
        spin = matrix(indexed(Accent(Letter("ω"), "tilde"), low))
        fixed = Line((
            braces(indexed("α", low)), PLUS, R, rate, PLUS, spin, R, braces(indexed(HAT, k)),
        ))  # fmt: skip
        tilde = matrix(indexed(Accent(HAT, "tilde"), k, prime=True))
        body = Line((
            _between(low, k), braces(indexed("α", low, prime=True)), MINUS, tilde,
            _between(low, k), braces(indexed("ω", low, prime=True)), PLUS, own,
        ))  # fmt: skip
        return [Equation(left, fixed), Equation(prime, body)]


def _between(low: int, k: int) -> Formula:
    return matrix(Script(Letter("R"), Line((Numeral(str(low)), Sign(","), Numeral(str(k))))))


def _grid(rows: list[list[Letters]]) -> Formula:
    return Grid(tuple(tuple(written(entry) for entry in row) for row in rows))
