"""Sections of a worksheet that are mostly tables: bodies, what acts on them, values."""

from typing import Any

from bellcrank.formulations.contract.lettering import LetterNumbers, PageLetters, motion
from bellcrank.model import Bushing, Force, JointSpring, Model, Motor, SpringDamper, Torque
from bellcrank.model.algebra import nominal
from bellcrank.model.elements.fields import padded
from bellcrank.model.expressions import Expression, text
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    EQUALS,
    PLUS,
    Accent,
    Fence,
    Formula,
    Grid,
    Letter,
    Line,
    Words,
    braces,
    indexed,
    line,
    matrix,
    numeral,
    numerals,
)
from bellcrank.worksheets.joints import JointRows
from bellcrank.worksheets.machine import NumberedMachine, shown
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
from bellcrank.worksheets.writing.layout import layout

LOWER = line("ℒ", Fence(Letter("K"), "()"))


def bodies(machine: NumberedMachine) -> Section:
    """Return the numbered bodies, with their tree."""
    model, graph = machine.model, machine.model.graph
    given = [body.name for body in model.bodies]
    moved = tuple(given) != graph.order
    rows = []
    for k in machine.bodies:
        name, joint = graph.order[k - 1], machine.connection.joint(k)
        low = graph.lower[k - 1]
        path = " → ".join(map(str, graph.path(k)))
        cells: list[Text] = [str(k), name]
        if moved:
            cells.append(str(given.index(name) + 1))
        rows.append((
            *cells, str(low), f"{joint.name} ({type(joint).__name__})",
            str(graph.depth[k - 1]), path,
        ))  # fmt: skip
    head: list[Text] = [Letter("K"), "body"]
    if moved:
        head.append("as given")
    head += [LOWER, "joint below it", indexed("u", "K"), "path"]
    items: list[Item] = [_numbering(moved)]
    if model.bodies:
        caption = "Each body above its lower body; ground is 0."
        if graph.loops:
            caption += " Dashed lines are joints that close loops."
        items.append(TreeDrawing(layout(model), caption))
        items.append(TextTable(tuple(head), tuple(rows)))
    return Section("Bodies", tuple(items))


def _numbering(moved: bool) -> Any:
    if moved:
        return say(
            "Bodies are numbered in the order in which the model gives them, but lower bodies "
            "first; here this renumbers them, and the column “as given” has their place in the "
            "model. Zero is ground, the inertial frame."
        )
    return say(
        "Bodies are numbered in the order in which the model gives them: each comes after its "
        "lower body. Zero is ground, the inertial frame."
    )


def geometry(values: bool) -> Section:
    """Return what the vectors mean; `values` tells whether numbers stand for letters."""
    behind = " The tilde of a row of numbers stands behind it." if values else ""
    rows: tuple[tuple[Text, ...], ...] = (
        (braces(indexed("r", "K", prime=True)),
         (indexed("O", "K"), " → ", indexed("G", "K"), ", the mass centre"), "body K",
         "constant"),
        (braces(indexed("q", "K", prime=True)),
         (Line((indexed("O", "ℒ(K)"),)), " → ", indexed("Q", "K"), ", the joint’s point on ",
          LOWER), LOWER, "constant; zero for a root"),
        (braces(indexed("s", "K", prime=True)),
         (indexed("Q", "K"), " → ", indexed("O", "K"), ", the joint’s point on K"),
         (LOWER, "; inertial for a root"), "variable"),
    )  # fmt: skip
    return Section(
        "Geometry",
        (
            say(
                "The origin ", indexed("O", "K"), " of body K is the point of the joint below "
                "it. A prime marks components along a body, and ",
                line(Accent(Letter("a"), "tilde"), Letter("b"), EQUALS, Letter("a"), "×",
                     Letter("b")),
                f".{behind}",
            ),
            TextTable(("vector", "from → to", "components along", ""), rows),
        ),
    )  # fmt: skip


def applied(model: Model, values: bool = True) -> Section:
    """Return gravity and the force elements; `values` tells whether numbers stand for g."""
    gravity = padded(model.gravity)
    g = tuple(nominal(entry) or 0.0 for entry in gravity)
    point = Line((
        matrix(indexed(Accent(Letter("ρ"), "tilde"), prime=True)), matrix(indexed("R", "K")),
        braces("F"),
    ))  # fmt: skip
    items: list[Item] = [
        say(
            braces(indexed("F", "K")), " is the resultant of the applied forces on body K in "
            "inertial components, with its line of action through the mass centre, and ",
            braces(indexed("M", "K", prime=True)), " their moment about it along body K. "
            "A force ", braces("F"), " at a point ", braces(indexed("ρ", prime=True)),
            " from the mass centre adds itself to ", braces(indexed("F", "K")), " and ", point,
            " to ", braces(indexed("M", "K", prime=True)), ". What acts between two bodies "
            "acts on both, with opposite signs.",
        )
    ]  # fmt: skip
    weight = Line((indexed("m", "K"), braces("g")))
    dots = (PLUS, Letter("…")) if model.forces else ()
    if any(g):
        pairs = [(braces(indexed("F", "K")), line(weight, *dots))]
        if values:
            pairs.append((braces("g"), line(numerals(g), Words("\u00a0m/s²"))))
        items.append(equations(*pairs))
    elif not model.forces:
        items.append(say("Nothing acts on this machine: all of them are zero."))
    if model.forces:
        rows = tuple((f.name, type(f).__name__, _on(f), _law(f, model)) for f in model.forces)
        head = ("element", "kind", "acts on", "law")
        kept = len(head) if values else 3  # laws stand below, in letters
        items.append(TextTable(head[:kept], tuple(row[:kept] for row in rows)))
    return Section("Applied forces", tuple(items))


def variables(model: Model, lettering: PageLetters) -> Section | None:
    """Return the rates of variables in the page's letters; None where there are none."""
    if not model.variables:
        return None
    number, found = LetterNumbers(lettering, _signal, {}), []
    for v in model.variables:
        lettering.begin(v.name)
        rate = letters.as_letters(number(v.rate))
        found.append(Equation(Accent(Letter(v.name), "dot"), letters.written(rate)))
        meaning = f"{v.name} at the start" + (f" [{v.unit}]" if v.unit else "")
        lettering.scalar(v.name, "0", value=v.start, meaning=meaning)
    told = say("Besides the motion, these are integrated:")
    return Section("Variables", (told, AlignedEquations(tuple(found))))


def _signal(text: str) -> letters.Letters:
    shown = motion(text, text.endswith("_rate")) if "." in text else Letter(text)
    return letters.Symbol(("signal", text), shown, (1, 1))()


def _on(force: Any) -> str:
    if hasattr(force, "joint"):
        return f"joint {force.joint}" + (f", {force.coordinate}" if force.coordinate else "")
    if hasattr(force, "body"):
        return force.body
    ends = (e if isinstance(e, str) else e[0] for e in (getattr(force, f) for f in force.ENDS))
    return " – ".join(ends)


def _law(force: Any, model: Model) -> str:
    """Return the law of a force element in words of its own letters."""
    match force:
        case SpringDamper():
            parts = [
                _times(force.stiffness, f"(l − {shown(model.drawn_length(force))})"),
                _times(force.damping, "l_rate"),
                _expression(force.law),
            ]
            return "tension " + (" + ".join(filter(None, parts)) or "0") + " N"
        case JointSpring():
            rest = nominal(force.rest)
            bent = "θ" if rest == 0.0 else f"(θ − {shown(force.rest)})"
            parts = [
                _times(force.stiffness, bent),
                _times(force.damping, "θ_rate"),
                _times(force.friction, f"tanh(θ_rate/{shown(force.friction_speed)})"),
                _expression(force.law),
            ]
            return "against the coordinate: " + (" + ".join(filter(None, parts)) or "0")
        case Motor():
            return "along the coordinate: " + _expression(force.effort)
        case Force() | Torque():
            vector = ", ".join(_expression(entry) for entry in force.vector)
            return f"({vector}) along {'the world' if force.frame == 'world' else 'the body'}"
        case Bushing():
            return "six springs and dampers along axes of the first body"
    return ", ".join(name for name, _, _ in force.quantities(model))


def _times(factor: Any, what: str) -> str:
    if nominal(factor) == 0.0:
        return ""
    return f"{shown(factor)} {what}"


def _expression(law: Any) -> str:
    if law is None:
        return ""
    return text(law) if isinstance(law, Expression) else f"{law:g}"


def values(machine: NumberedMachine, joints: tuple[JointRows, ...]) -> Section:
    """Return the numbers behind the letters."""
    drawn = machine.connection
    rows = tuple(
        (
            str(k), machine.names[k - 1], shown(drawn.mass(k)), _vector(drawn.r(k)),
            _vector(drawn.q(k)), _vector(drawn.s(k)), _inertia(machine.inertia_numbers(k)),
        )
        for k in machine.bodies
    )  # fmt: skip
    head: tuple[Text, ...] = (
        Letter("K"), "body", (indexed("m", "K"), " [kg]"),
        (indexed("r", "K", prime=True), " [m]"), (indexed("q", "K", prime=True), " [m]"),
        (indexed("s", "K", prime=True), " in the drawing [m]"),
        (matrix(indexed("I", "K", prime=True)), " [kg m²]"),
    )  # fmt: skip
    items: list[Item] = [TextTable(head, rows)]
    letters = [
        (quantity.formula(), _vector(value), joint.joint.name, _meaning(quantity.letter))
        for joint in joints
        for quantity, value in joint.constants.items()
    ]
    if letters:
        items.append(TextTable(("letter", "value", "joint", "meaning"), tuple(letters)))
    if machine.model.parameters:
        listed = tuple((p.name, f"{p.value:.6g}") for p in machine.model.parameters)
        items.append(say("Parameters, at the values that the numbers above are for:"))
        items.append(TextTable(("parameter", "value"), listed))
    return Section("Values", tuple(items))


def _meaning(letter: str) -> str:
    return {
        "f": "first direction across the axis, along the inner body",
        "g": "second direction across the axis, along the inner body",
        "h": "the axis, along the inner body",
        "k": "the pin of the outer body, along that body",
        "a": "the joint’s point on the inner body, from its origin [m]",
        "c": "the joint’s point on the outer body, from its origin [m]",
    }[letter]


def _vector(values: Any) -> str:
    return f"({', '.join(shown(value) for value in values)})".replace("-", "−")


def _inertia(rows: tuple[tuple[float, ...], ...]) -> Formula | str:
    """Return diag(a, b, c) for a diagonal matrix, else all nine numbers."""
    flat = [rows[i][j] for i in range(3) for j in range(3) if i != j]
    if any(flat):
        return Grid(tuple(tuple(numeral(x) for x in row) for row in rows))
    return line(Letter("diag"), numerals(tuple(rows[i][i] for i in range(3))))
