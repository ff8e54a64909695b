"""Sections of a worksheet on the tree without its joints: Kane's matrices."""

from collections.abc import Callable

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
    Terms,
    braces,
    indexed,
    line,
    matrix,
    sized,
    symbol,
)
from bellcrank.worksheets.blocks import IDENTITY, ZERO, MatrixBlock, Style
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.tree import Row, spin_row
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Item,
    Section,
    equations,
    listed,
    say,
)

DOTS = Sign("…")
MANY = 12  # bodies from which on blocks in common have letters


def dotted(letter: str) -> Formula:
    """Return a letter with a dot."""
    return Accent(Letter(letter), "dot")


def partial(letter: "str | Formula", k: "int | str", by: str, prime: bool = False) -> Formula:
    """Return [v_{K,y}], [v_{K,y1}] and the like; `by` is y, y1 or y2."""
    unknown = Letter("y") if by == "y" else indexed("y", by[1:])
    base = symbol(letter) if isinstance(letter, str) else letter
    lower = Line((symbol(str(k)), Sign(","), unknown))
    return matrix(Script(base, lower, Letter("′") if prime else None))


def connection(machine: NumberedMachine) -> Section:
    """Return the body-connection array and what follows from it."""
    graph = machine.model.graph
    items: list[Item] = [
        say(
            "The body-connection array lists the adjacent lower body of each body; zero is the "
            "inertial frame."
        ),
        equations(
            (line("ℒ", Fence(Letter("K"), "()")), listed(graph.lower)),
            (Fence(indexed("u", "K"), "()"), listed(graph.depth)),
        ),
    ]
    roots = [k for k in machine.bodies if graph.lower[k - 1] == 0]
    reached = "body 1" if roots == [1] else "the root of its own tree"
    goal = "1" if roots == [1] else "root"
    items.append(
        say(
            indexed("u", "K"),
            f" is the number of steps from body K down to {reached}: ",
            line(Script(Letter("ℒ"), None, indexed("u", "K")), Fence(Letter("K"), "()"), EQUALS,
                 goal),
            ". " + _roots(roots),
        )
    )  # fmt: skip
    return Section("Body-connection array", tuple(items))


def _roots(roots: list[int]) -> str:
    if len(roots) < 2:
        return ""
    return f"The roots, with no lower body, are {', '.join(map(str, roots))}."


def state(machine: NumberedMachine) -> Section:
    """Return the state vectors and their dimensions."""
    n = machine.count
    pairs = [
        (sized(braces("ε"), 4 * n, 1), _entries(Letter("ε"), n, 4, False)),
        (sized(braces(indexed("s", prime=True)), 3 * n, 1), _entries(Letter("s"), n, 3)),
        (sized(braces(indexed("ω", prime=True)), 3 * n, 1), _entries(Letter("ω"), n, 3)),
        (sized(braces(indexed(dotted("s"), prime=True)), 3 * n, 1),
         _entries(dotted("s"), n, 3)),
    ]  # fmt: skip
    stacked = equations(
        (sized(braces("x"), 7 * n, 1), _stacked("x", Letter("ε"), indexed("s", prime=True))),
        (
            sized(braces("y"), 6 * n, 1),
            _stacked("y", indexed("ω", prime=True), indexed(dotted("s"), prime=True)),
        ),
    )
    return Section(
        "State vectors",
        (
            say(
                "Orientations are absolute, by Euler parameters with the scalar last. Angular "
                "velocities are absolute too, along the body’s own axes. Translation is that "
                "of ",
                indexed("O", "K"), " from ", indexed("Q", "K"), ", along the axes of ",
                line("ℒ", Fence(Letter("K"), "()")), " and, for a root, of the inertial frame.",
            ),
            equations(*pairs),
            stacked,
        ),
    )  # fmt: skip


def _entries(letter: Formula, bodies: int, size: int, prime: bool = True) -> Formula:
    """Return [ε₁₁, ε₁₂, …]ᵀ, abbreviated from three bodies on."""
    shown = range(1, bodies + 1) if bodies < 3 else (1, bodies)
    parts: list[Formula] = []
    for k in shown:
        if parts:
            parts += [Sign(","), DOTS, Sign(",")] if bodies > 2 else [Sign(",")]
        index = (lambda i, k=k: (k, i)) if bodies < 10 else (lambda i, k=k: (k, ",", i))
        for i in range(1, size + 1):
            parts += [Sign(",")] if i > 1 else []
            parts.append(indexed(letter, *index(i), prime=prime))
    return Script(Fence(Line(tuple(parts)), "[]"), None, TRANSPOSED)


def _stacked(letter: str, above: Formula, below: Formula) -> Formula:
    halves = Grid(((braces(indexed(letter, 1)),), (braces(indexed(letter, 2)),)), "{}")
    return line(halves, EQUALS, Grid(((braces(above),), (braces(below),)), "{}"))


def kinematical(machine: NumberedMachine) -> Section:
    """Return the kinematical differential equations."""
    n = machine.count
    e = [indexed("ε", "K", i) for i in (1, 2, 3, 4)]
    minus = [Line((MINUS, entry)) for entry in e]
    E = Grid((
        (e[3], e[2], minus[1], minus[0]),
        (minus[2], e[3], e[0], minus[1]),
        (e[1], minus[0], e[3], minus[2]),
    ))
    ek = line("E", "′", Fence(indexed("ε", "K"), "()"))
    half = Fraction(Numeral("1"), Numeral("2"))
    spin = braces(indexed("ω", "K", prime=True))
    rates = equations(
        (
            braces(indexed(dotted("ε"), "K")),
            line(half, matrix(ek, transposed=True), spin),
        ),
        (
            line(Fraction(Letter("d"), Line((Letter("d"), Letter("t")))),
                 braces(indexed("s", "K", prime=True))),
            braces(indexed(dotted("s"), "K", prime=True)),
        ),
        boxed=True,
    )  # fmt: skip
    return Section(
        "Kinematical equations",
        (
            say(f"For each body K = 1, …, {n}:" if n > 1 else "For the one body, K = 1:"),
            rates,
            equations((matrix(ek), E), (matrix(indexed("R", "K")), _rotation(e))),
            say(
                f"These are 4·{n} + 3·{n} = {7 * n} first-order kinematical equations. ",
                matrix(indexed("R", "K")),
                " takes inertial components to components along body K, and its transpose "
                "takes them back; ",
                Line((
                    Script(braces(indexed("ε", "K")), None, TRANSPOSED),
                    braces(indexed("ε", "K")), EQUALS, Numeral("1"),
                )),
                " is kept by them.",
            ),
        ),
    )  # fmt: skip


def _rotation(e: list[Formula]) -> Formula:
    """Return R(ε), inertial to body components, scalar last."""

    def squares(*signs: int) -> Formula:
        parts: list[Formula] = []
        for sign, entry in zip(signs, e, strict=True):
            if sign < 0:
                parts.append(MINUS)
            elif parts:
                parts.append(PLUS)
            assert isinstance(entry, Script)
            parts.append(Script(entry.base, entry.lower, Numeral("2")))
        return Line(tuple(parts))

    def twice(i: int, j: int, sign: Formula, k: int, m: int) -> Formula:
        body = Line((e[i - 1], e[j - 1], sign, e[k - 1], e[m - 1]))
        return Line((Numeral("2"), Fence(body, "()")))

    return Grid((
        (squares(1, -1, -1, 1), twice(1, 2, PLUS, 3, 4), twice(1, 3, MINUS, 2, 4)),
        (twice(1, 2, MINUS, 3, 4), squares(-1, 1, -1, 1), twice(2, 3, PLUS, 1, 4)),
        (twice(1, 3, PLUS, 2, 4), twice(2, 3, MINUS, 1, 4), squares(-1, -1, 1, 1)),
    ))


def _rows(
    machine: NumberedMachine,
    style: Style,
    left: Callable[[int], Formula],
    row: Callable[[int], Row],
    letter: str = "D",
) -> tuple[Item, ...]:
    """Return one block row for each body; of many bodies with letters for blocks in common."""
    n = machine.count
    known: dict[MatrixBlock, Formula] = {}
    pairs = []
    for k in machine.bodies:
        cells = []
        for block in row(k):
            shown = block.formula(style)
            if n > MANY and shown not in (ZERO, IDENTITY):
                if block not in known:
                    known[block] = matrix(indexed(letter, len(known) + 1))
                shown = known[block]
            cells.append(shown)
        pairs.append((sized(left(k), 3, 3 * n), BlockRow(tuple(cells))))
    found: tuple[Item, ...] = (equations(*pairs),)
    if known:
        where = equations(*((shown, block.formula(style)) for block, shown in known.items()))
        found = (*found, say("where"), where)
    return found


def partial_angular_velocities(machine: NumberedMachine) -> Section:
    """Return [ω′_K,y1] and [ω′_K,y2], and their time derivatives."""
    n = machine.count
    zero = sized(ZERO, 3, 3 * n)
    turning = _rows(
        machine,
        Style(),
        lambda k: partial("ω", k, "y1", prime=True),
        lambda k: spin_row(n, k),
    )
    rate = Accent(Letter("ω"), "dot")
    return Section(
        "Partial angular velocity matrices",
        (
            say(
                braces(indexed("ω", "K", prime=True)), " = ",
                line(partial("ω", "K", "y", True), braces("y")),
                ", and ", line(partial("ω", "K", "y", True), EQUALS,
                               Fence(Line((partial("ω", "K", "y1", True), Sign("|"),
                                           partial("ω", "K", "y2", True))), "[]")),
                ". ", IDENTITY, " is the 3×3 identity, ", ZERO, " the 3×3 zero matrix.",
            ),
            *turning,
            equations((sized(partial("ω", "K", "y2", True), 3, 3 * n), zero)),
            say("Their time derivatives vanish" + (f", for K = 1, …, {n}:" if n > 1 else ":")),
            equations(
                (sized(partial(rate, "K", "y1", True), 3, 3 * n), zero),
                (sized(partial(rate, "K", "y2", True), 3, 3 * n), zero),
            ),
        ),
    )  # fmt: skip


def _vectors(
    machine: NumberedMachine, style: Style, letter: str, vector: Callable[[int], MatrixBlock]
) -> AlignedEquations:
    rows = []
    for k in machine.bodies:
        parts = vector(k).parts(style)
        right = Terms(parts) if parts else braces(Numeral("0"))
        rows.append((braces(indexed(letter, k)), right))
    return equations(*rows)


def mass_centres(machine: NumberedMachine, style: Style) -> Section:
    """Return positions and velocities of the mass centres."""
    return Section(
        "Positions and velocities of the mass centres",
        (
            say("Inertial components of the positions:"),
            _vectors(machine, style, "p", lambda k: machine.kinematics(k).position),
            say("and of the velocities:"),
            _vectors(machine, style, "v", lambda k: machine.kinematics(k).velocity),
        ),
    )


def partial_velocities(machine: NumberedMachine, style: Style) -> Section:
    """Return [v_K,y1] and [v_K,y2]."""
    of = machine.kinematics
    return Section(
        "Partial velocity matrices",
        (
            say(
                braces(indexed("v", "K")), " = ", line(partial("v", "K", "y"), braces("y")),
                ", with the columns of the angular velocities first:",
            ),
            *_rows(machine, style, lambda k: partial("v", k, "y1"), lambda k: of(k).by_turning),
            say("and those of the relative translations:"),
            *_rows(machine, style, lambda k: partial("v", k, "y2"), lambda k: of(k).by_sliding,
                   "S"),
        ),
    )  # fmt: skip


def partial_velocity_rates(machine: NumberedMachine, style: Style) -> Section:
    """Return the time derivatives of [v_K,y1] and [v_K,y2]."""
    of, rate = machine.kinematics, Accent(Letter("v"), "dot")
    return Section(
        "Time derivatives of the partial velocity matrices",
        (
            *_rows(
                machine, style, lambda k: partial(rate, k, "y1"),
                lambda k: of(k).by_turning_rate, "P",
            ),
            *_rows(
                machine, style, lambda k: partial(rate, k, "y2"),
                lambda k: of(k).by_sliding_rate, "N",
            ),
            say("The acceleration of a mass centre follows as"),
            equations((
                braces(indexed("a", "K")),
                line(partial("v", "K", "y"), braces(dotted("y")), "+",
                     partial(rate, "K", "y"), braces("y")),
            )),
        ),
    )  # fmt: skip
