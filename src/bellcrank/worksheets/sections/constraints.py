"""Section of a worksheet on joints: their rows, and which speeds become dependent."""

from bellcrank.formulations.contract.rows import rows as other_rows
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
    numerals,
    sized,
    symbol,
)
from bellcrank.worksheets.blocks import Style, VectorQuantity
from bellcrank.worksheets.joints import ALL, DependentSpeeds, JointRows
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.tree import Row, TreeKinematics
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Paragraph,
    Section,
    Text,
    TextTable,
    equations,
    say,
)

ZERO = Numeral("0")


def joints(
    machine: NumberedMachine, rows: tuple[JointRows, ...], found: DependentSpeeds, style: Style
) -> Section:
    """Return how the joints constrain the speeds."""
    held = [joint for joint in rows if joint.count]
    items: list[Item] = []
    if not held:
        items.append(say(_nothing_held(machine)))
    else:
        total = sum(joint.count for joint in held)
        moved = _moved(machine)
        items += [_opening(total, moved), *_definitions(held, style, moved)]
        items.append(_listed(rows, style))
        items += [_dependent(machine, rows, found), *_verdict(machine, found, total)]
    items += _others(machine)
    return Section("Joints as constraints", tuple(items))


def _nothing_held(machine: NumberedMachine) -> str:
    free = all(machine.connection.joint(k).mobility.free for k in machine.bodies)
    why = "All joints are free" if free and machine.count else "There are no rows"
    return f"{why}: nothing constrains the {6 * machine.count} speeds."


def _moved(machine: NumberedMachine) -> bool:
    """Return whether rows have a part that is prescribed: b0 ≠ 0."""
    model = machine.model
    return bool(model.drivers) or any(
        nominal(getattr(one, "equals", 0.0)) != 0.0 for one in model.constraints
    )


def _opening(total: int, moved: bool) -> Paragraph:
    """Return the rows, and the speeds that are left; with b0 and c where rows are driven."""
    rest = (PLUS, braces(indexed("b", 0))) if moved else ()
    free = (PLUS, braces("c")) if moved else ()
    told = ", with those of the drivers and constraints" if moved else ""
    return say(
        f"The joints add {total} scalar rows{told} ",
        Line((matrix("b"), braces("y"), *rest, EQUALS, braces(ZERO))),
        " to the equations above, which then have multipliers, or ",
        Letter("y"),
        " is reduced to independent speeds ",
        Line((braces("y"), EQUALS, matrix("T"), braces(indexed("y", "I")), *free)),
        ":",
    )


def _hat(index: int | str) -> Formula:
    """Return ω̂ with an index: the relative angular velocity along the inner body."""
    return Script(Accent(Letter("ω"), "hat"), symbol(str(index)))


def _slide(joint: JointRows) -> Formula:
    return braces(VectorQuantity("s", joint.index, rate=True).formula())


def _definitions(held: list[JointRows], style: Style, moved: bool) -> list[Item]:
    """Return the reduced equations, what ω̂ is, and ṡ′ of joints that close loops."""
    T, A = matrix("T"), matrix("A")
    Tt = matrix("T", transposed=True)
    bent: Formula = Line((matrix(Accent(Letter("T"), "dot")), braces(indexed("y", "I"))))
    driven: tuple[Formula, ...] = ()
    if moved:
        bent = Fence(Line((bent, PLUS, braces(Accent(Letter("c"), "dot")))), "()")
        driven = (MINUS, braces(indexed(Accent(Letter("b"), "dot"), 0)))
    boxed = equations(
        (
            line(Tt, A, T, braces(indexed(Accent(Letter("y"), "dot"), "I"))),
            line(Tt, Fence(Line((braces("f"), MINUS, A, bent)), "()")),
        ),
        boxed=True,
    )  # fmt: skip
    multipliers = equations(
        (
            line(A, braces(Accent(Letter("y"), "dot")), PLUS, matrix("b", transposed=True),
                 braces("λ")),
            braces("f"),
        ),
        (
            line(matrix("b"), braces(Accent(Letter("y"), "dot"))),
            line(MINUS, matrix(Accent(Letter("b"), "dot")), braces("y"), *driven),
        ),
        boxed=True,
    )  # fmt: skip
    items: list[Item] = [boxed, say("or, with multipliers,"), multipliers]
    turned = [joint for joint in held if joint.turns or joint.advances]
    if turned:
        items.append(
            say(
                "The angular velocity of a joint’s outer body relative to its inner one, along "
                "the inner one’s axes, is"
            )
        )
        items.append(equations(*((braces(_hat(j.index)), _relative(j)) for j in turned)))
    loops = [joint for joint in held if not joint.body and joint.slides]
    for joint in loops:
        items += _loop(joint, style)
    return items


def _relative(joint: JointRows) -> Formula:
    inner, outer = joint.ends
    terms: list[Formula] = []
    if outer:
        start = [matrix(indexed("R", inner))] if inner else []
        spin = braces(indexed("ω", outer, prime=True))
        terms.append(line(*start, matrix(indexed("R", outer), transposed=True), spin))
    if inner:
        terms.append(Line((MINUS, braces(indexed("ω", inner, prime=True)))))
    return Terms(tuple(terms))


def _loop(joint: JointRows, style: Style) -> list[Item]:
    """Return ṡ′ of a joint that closes a loop, by the partial velocities of its points."""
    name, (inner, outer) = joint.joint.name, joint.ends
    P, Q = (indexed(letter, name) for letter in "PQ")
    n = joint.machine.count
    start = [matrix(indexed("R", inner))] if inner else []
    tail = []
    if inner:
        twist = matrix(VectorQuantity("s", name).formula(skew=True))
        tail = [PLUS, twist, braces(indexed("ω", inner, prime=True))]
    points = joint.points()
    ends = [(Q, points[1])] + ([(P, points[0])] if inner else [])
    parts = Line((_of(Q, "y"), MINUS, _of(P, "y"))) if inner else _of(Q, "y")
    rate = line(*start, Fence(parts, "()") if inner else parts, braces("y"), *tail)
    where = f"Joint {name} closes a loop: its point "
    items: list[Item] = [
        say(
            where, P, f" on body {inner} is at ", VectorQuantity("a", name).formula(),
            " from that body’s origin, ", Q, f" on body {outer} at ",
            VectorQuantity("c", name).formula(), ". Their displacement, along ",
            f"body {inner}, " if inner else "the inertial frame, ", "has the rate",
        ),
        equations((_slide(joint), rate)),
    ]  # fmt: skip
    rows: list[tuple[Formula, Formula]] = []
    for point, motion in ends:
        rows.append((sized(_of(point, "y1"), 3, 3 * n), _blocks(motion.by_turning, style)))
        rows.append((sized(_of(point, "y2"), 3, 3 * n), _blocks(motion.by_sliding, style)))
    return [*items, equations(*rows)] if _moves(points) else items


def _moves(points: tuple[TreeKinematics, TreeKinematics]) -> bool:
    return any(point.body for point in points)


def _of(point: Formula, by: str) -> Formula:
    unknown = Letter("y") if by == "y" else indexed("y", by[1:])
    return matrix(Script(Letter("v"), Line((point, Sign(","), unknown))))


def _blocks(row: Row, style: Style) -> Formula:
    return BlockRow(tuple(block.formula(style) for block in row))


def _listed(rows: tuple[JointRows, ...], style: Style) -> AlignedEquations:
    """Return every row of every joint as an equation."""
    found = []
    for joint in rows:
        remark = f"{joint.joint.name} ({type(joint.joint).__name__})"
        for left in _lefts(joint, style):
            right = braces(ZERO) if isinstance(left, Fence) else ZERO
            found.append(Equation(left, right, remark))
            remark = ""
    return AlignedEquations(tuple(found))


def _lefts(joint: JointRows, style: Style) -> list[Formula]:
    slide, turn = _slide(joint), braces(_hat(joint.index))
    found = [_component(axis, slide, joint, style) for axis in joint.slides]
    if joint.advances:
        lead = Fraction(indexed("p", joint.joint.name), Line((Numeral("2"), Letter("π"))))
        body = Fence(Line((slide, MINUS, lead, turn)), "()")
        found.append(_component("h", body, joint, style))
    return found + [_component(axis, turn, joint, style) for axis in joint.turns]


def _component(axis: str, vector: Formula, joint: JointRows, style: Style) -> Formula:
    """Return {f′}ᵀ{…}, or the vector itself where all components are meant."""
    if axis == ALL:
        return vector
    if axis == "n":
        inner, outer = joint.ends
        start = [matrix(indexed("R", inner))] if inner else []
        h, k = (_letter(letter, joint, style) for letter in "hk")
        pin = line(*start, matrix(indexed("R", outer), transposed=True), braces(k))
        cross = Fence(Line((braces(h), Sign("×"), pin)), "()")
        return line(Script(cross, None, TRANSPOSED), vector)
    return line(Script(braces(_letter(axis, joint, style)), None, TRANSPOSED), vector)


def _letter(axis: str, joint: JointRows, style: Style) -> Formula:
    quantity = VectorQuantity(axis, joint.joint.name)
    return numerals(style.numbers[quantity]) if style.numbers else quantity.formula()


def _dependent(
    machine: NumberedMachine, rows: tuple[JointRows, ...], found: DependentSpeeds
) -> TextTable:
    """Return which speeds each joint determines."""
    n = machine.count
    cells: list[tuple[Text, ...]] = []
    for joint, dependent, repeated in zip(rows, found.dependent, found.repeated, strict=True):
        inner, outer = joint.ends
        speeds: list[str | Formula] = []
        for place in dependent:
            letter: Formula = Letter("ω") if place < 3 * n else Accent(Letter("s"), "dot")
            k, i = divmod(place % (3 * n), 3)
            mark = (k + 1, i + 1) if n < 10 else (k + 1, ",", i + 1)
            speeds += [", "] if speeds else []
            speeds.append(indexed(letter, *mark, prime=True))
        cells.append((
            joint.joint.name, type(joint.joint).__name__, f"{inner} – {outer}",
            "tree" if joint.body else "loop", str(joint.count), tuple(speeds) or "none",
            str(repeated) if repeated else "",
        ))  # fmt: skip
    head: tuple[Text, ...] = (
        "joint", "kind", "bodies", "in", "rows", "dependent speeds", "rows that repeat others",
    )  # fmt: skip
    if not any(found.repeated):
        head, cells = head[:-1], [cell[:-1] for cell in cells]
    return TextTable(head, tuple(cells))


def _verdict(machine: NumberedMachine, found: DependentSpeeds, total: int) -> list[Item]:
    n = machine.count
    left = 6 * n - found.rank
    told = f"{total} rows, of which {found.rank} are independent in the drawing"
    if found.rank == total:
        told = f"{total} independent rows"
    words = f"{left} independent speed{'s' * (left != 1)}"
    how = (
        "The dependent speeds were found by elimination with pivoting in the drawing; "
        "elsewhere others may have to be chosen."
    )
    if found.named:
        how = "The dependent speeds are those that were not chosen by name."
    return [
        say(
            f"With {6 * n} speeds and {told}, {words} remain"
            f"{'s' * (left == 1)}: 6·{n} − {found.rank} = {left}. {how}"
        )
    ]


def _others(machine: NumberedMachine) -> list[Item]:
    """Return rows of constraints and drivers, which are no joints."""
    others = other_rows(machine.model, 1.0, ())
    if not others:
        return []
    by_owner: dict[str, list[str]] = {}
    for row in others:
        by_owner.setdefault(row.owner, []).append(row.name.partition(": ")[2])
    cells = tuple(
        (name, type(machine.model[name]).__name__, str(len(parts)), ", ".join(parts))
        for name, parts in by_owner.items()
    )
    return [
        say(f"Constraints and drivers add {len(others)} more:"),
        TextTable(("element", "kind", "rows", "of"), cells),
    ]
