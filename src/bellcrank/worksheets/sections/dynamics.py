"""Section of a worksheet with the boxed equations [A]{ẏ} = {f}."""

from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    TRANSPOSED,
    Accent,
    Fence,
    Formula,
    Grid,
    Letter,
    Line,
    Script,
    Summation,
    Terms,
    braces,
    indexed,
    line,
    matrix,
    numeral,
    sized,
)
from bellcrank.worksheets.blocks import VectorQuantity
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.kane import dotted, partial
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Paragraph,
    Section,
    equations,
    say,
)


def dynamical(machine: NumberedMachine, values: bool) -> Section:
    """Return the boxed equations of motion, and their number."""
    n = machine.count
    items: list[Item] = [
        equations((line(matrix("A"), braces(dotted("y"))), braces("f")), boxed=True),
        AlignedEquations(
            (Equation(sized(matrix("A"), 6 * n, 6 * n), _mass()), *_force()), boxed=True
        ),
        _counts(n),
    ]
    if machine.connection.completions:
        light = dict.fromkeys(
            machine.names[k - 1] for k, _, _ in machine.connection.completions
        )
        have = "has" if len(light) == 1 else "have"
        told = (
            f" is singular: {', '.join(light)} {have} no inertia against some motion, such as "
            "the spin of a thin rod about itself. The equations determine the motion where "
            "joints hold it."
        )
        items.append(say(matrix("A"), told))
    if values:
        items += [say("With the numbers of this machine:"), _mass_in_numbers(machine)]
    return Section("Equations of motion", tuple(items))


def _counts(n: int) -> Paragraph:
    return say(
        matrix("A"),
        f" is the generalized mass matrix. These are {6 * n} first-order dynamical equations; "
        f"with the {7 * n} kinematical equations there are {13 * n} in all, for as many "
        f"unknowns: {7 * n} in ",
        braces("x"),
        f" and {6 * n} in ",
        braces("y"),
        ".",
    )


def _sum() -> Formula:
    return Summation(Letter("K"))


def _mass() -> Formula:
    v, w = partial("v", "K", "y"), partial("ω", "K", "y", prime=True)
    inner = Line((
        indexed("m", "K"), Script(v, None, TRANSPOSED), v, PLUS,
        Script(w, None, TRANSPOSED), matrix(indexed("I", "K", prime=True)), w,
    ))  # fmt: skip
    return Line((_sum(), Fence(inner, "()")))


def _force() -> tuple[Equation, ...]:
    v, w = partial("v", "K", "y"), partial("ω", "K", "y", prime=True)
    rate = partial(Accent(Letter("v"), "dot"), "K", "y")
    spin = VectorQuantity("ω", "K")
    inertia = Line((
        matrix(spin.formula(skew=True)), matrix(indexed("I", "K", prime=True)),
        braces(spin.formula()),
    ))  # fmt: skip
    first = Line((
        _sum(), Script(v, None, TRANSPOSED),
        Fence(Line((braces(indexed("F", "K")), MINUS, indexed("m", "K"), rate, braces("y"))),
              "()"),
    ))  # fmt: skip
    second = Line((
        PLUS, _sum(), Script(w, None, TRANSPOSED),
        Fence(Line((braces(indexed("M", "K", prime=True)), MINUS, inertia)), "()"),
    ))  # fmt: skip
    return (Equation(braces("f"), Terms((first, second))),)


def _mass_in_numbers(machine: NumberedMachine) -> AlignedEquations:
    parts: list[Formula] = []
    for k in machine.bodies:
        v, w = partial("v", k, "y"), partial("ω", k, "y", prime=True)
        mass = machine.mass_number(k)
        rows = tuple(tuple(numeral(x) for x in row) for row in machine.inertia_numbers(k))
        sign = (PLUS,) if parts else ()
        parts.append(Line((*sign, numeral(mass), Script(v, None, TRANSPOSED), v)))
        if any(x for row in machine.inertia_numbers(k) for x in row):
            parts.append(Line((PLUS, Script(w, None, TRANSPOSED), Grid(rows), w)))
    return equations((matrix("A"), Terms(tuple(parts))))
