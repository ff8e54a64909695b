"""Section of a worksheet with the scalar equations of a small machine, written out."""

from typing import Any

from bellcrank.errors import MissingExtra, ModelError, NotSupported
from bellcrank.formulations import JointCoordinates
from bellcrank.formulations.contract.lettering import PageLetters, motion
from bellcrank.formulations.joint_coordinates.speed_blocks import speed_letter
from bellcrank.spatial.formula import (
    MINUS,
    PLUS,
    Accent,
    Formula,
    Grid,
    Letter,
    Line,
    Numeral,
    Root,
    Script,
    Sign,
    Terms,
    braces,
    indexed,
    line,
    matrix,
    symbol,
)
from bellcrank.worksheets.algebra import factor, formula, terms
from bellcrank.worksheets.lettering import lettered
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.scalar import (
    READABLE,
    ROUGH,
    ScalarEquations,
    in_letters,
    in_numbers,
    scalar_equations,
    simplified,
    sympy,
    too_long,
)
from bellcrank.worksheets.school import comma
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Section,
    equations,
    say,
)

TITLE = "Written out"


def partial(letter: str, k: int) -> Formula:
    """Return ω_K,u or v_K,u."""
    return Script(Letter(letter), Line((Numeral(str(k)), Sign(","), Letter("u"))))


def written_out(
    machine: NumberedMachine,
    values: bool,
    wanted: bool | None,
    lettering: PageLetters,
    formulation: JointCoordinates = JointCoordinates(),
) -> Section | None:
    """Return the section, or nothing where it is not wanted.

    Args:
        machine: The machine.
        values: Whether numbers are printed in place of letters.
        wanted: None for small machines only, and a sentence where it cannot be done.
        lettering: The page's letters; numbers that have no letter yet get one there.
        formulation: Which speeds.

    Raises:
        MissingExtra: It is wanted, and SymPy is not installed.
        NotSupported: It is wanted, and there is no one formula.
    """
    if wanted is False:
        return None
    long = "" if wanted else too_long(machine.model, formulation)
    if long:
        return _not_written(f"{long}.")
    try:
        sympy()
        model, letters = lettered(machine)
        found = scalar_equations(model, None if wanted else ROUGH, formulation)
    except (MissingExtra, NotSupported, ModelError) as error:
        if wanted:
            raise
        return _not_written(str(error))
    if wanted is None and (count := found.length) > READABLE:
        return _not_written(f"simplified, they still have {count} operations.")
    if values:
        found = in_numbers(found, model, letters)
    else:
        found, others = in_letters(found)
        letters |= _listed(others, lettering)
    own = formulation.speeds is not None
    return Section(TITLE, _blackboard(found, letters) if own else _items(found, letters))


def _listed(numbers: dict[Any, float], lettering: PageLetters) -> dict[str, Formula]:
    """Return how letters of numbers are printed, and list their values on the page."""
    shown = {}
    for i, (letter, number) in enumerate(numbers.items(), start=1):
        lettering.scalar("η", i, value=number, meaning="number in what is written out")
        shown[letter.name.partition(":")[2]] = indexed("η", i)
    return shown


def _not_written(why: str) -> Section:
    return Section(TITLE, (say(f"The scalar equations are not written out: {why}"),))


def _items(found: ScalarEquations, letters: dict[str, Formula]) -> tuple[Item, ...]:
    if not found.force:
        return (say("No joint of the tree has a freedom: there is nothing to write out."),)
    names = _names(found, letters)
    held = [i for i, row in enumerate(found.jacobian) if any(entry != 0 for entry in row)]
    multiplier = {i: indexed("λ", number) for number, i in enumerate(held, start=1)}
    items: list[Item] = [
        say(
            "With the coordinates of the joints and their rates as independent speeds, ",
            Line((matrix("T", transposed=True), matrix("A"), matrix("T"))),
            " and the right side beside it are few enough to be written out:",
        ),
        AlignedEquations(
            tuple(_row(found, i, names, multiplier) for i in range(len(found.force)))
        ),
    ]
    if held:
        items.append(say("with a multiplier for each of the rows"))
        items.append(AlignedEquations(tuple(_held(found, i, names) for i in held)))
    if found.roots:
        items.append(say("where"))
        items.append(equations(*((names[r], Root(formula(b, names))) for r, b in found.roots)))
    items += _explained(found)
    return tuple(items)


def _blackboard(found: ScalarEquations, letters: dict[str, Formula]) -> tuple[Item, ...]:
    """Return velocities, partial velocities, F_r and F*_r of chosen speeds, in components."""
    names = _names(found, letters)
    speeds = [names[speed] for speed in found.symbols["u"]]
    items: list[Item] = [
        say("In world components, with a column for each of ", comma(*speeds), ":"),
        AlignedEquations(tuple(
            Equation(partial(letter, k), _matrix(rows, names))
            for k, (linear, angular) in enumerate(found.partials, start=1)
            for letter, rows in (("ω", angular), ("v", linear))
        )),
        say("Generalized active forces"),
        AlignedEquations(tuple(
            Equation(Script(Letter("F"), speed), _sum(entry, names))
            for speed, entry in zip(speeds, found.active, strict=True)
        )),
        say("and generalized inertia forces"),
        AlignedEquations(tuple(
            Equation(Script(Letter("F"), speed, Sign("∗")), _inertia(found, i, names))
            for i, speed in enumerate(speeds)
        )),
    ]  # fmt: skip
    if not found.jacobian:
        items.append(say("add up to zero, so that"))
    shown = _items(found, letters)
    return (*items, *(shown if found.jacobian else shown[1:]))


def _matrix(rows: Any, names: dict[Any, Formula]) -> Formula:
    return Grid(tuple(tuple(_sum(entry, names) for entry in row) for row in rows))


def _inertia(found: ScalarEquations, i: int, names: dict[Any, Formula]) -> Formula:
    """Return F*_i = −Σ A_ij u̇_j − (F_i − f_i)."""
    parts: list[Formula] = []
    for entry, speed in zip(found.mass[i], found.symbols["u"], strict=True):
        parts += _times(-entry, _rate(names[speed]), names, first=not parts)
    rest = simplified(found.force[i] - found.active[i])
    if rest != 0:
        more = terms(rest, names)
        lead = more[0]
        signed = isinstance(lead, Line) and lead.parts[:1] in ((MINUS,), (PLUS,))
        parts += more if not parts or signed else [Line((PLUS, lead)), *more[1:]]
    return Terms(tuple(parts)) if parts else Numeral("0")


def _held(found: ScalarEquations, i: int, names: dict[Any, Formula]) -> Equation:
    """Return Φ_i = 0, or Σ C_ij u_j = ν_i for a row of speeds."""
    remark = found.equations.rows[i].name
    if i < len(found.rows):
        return Equation(_sum(found.rows[i], names), Numeral("0"), remark)
    left: list[Formula] = []
    for entry, speed in zip(found.jacobian[i], found.symbols["u"], strict=True):
        left += _times(entry, names[speed], names, first=not left)
    return Equation(Terms(tuple(left)), _sum(found.speed[i], names), remark)


def _sum(expression: Any, names: dict[Any, Formula]) -> Formula:
    return Terms(tuple(terms(expression, names))) if expression != 0 else Numeral("0")


def _explained(found: ScalarEquations) -> list[Item]:
    """Return a sentence on Euler parameters, where there are any."""
    turning = [v for v in found.equations.coordinates if "orientation" in v.name]
    if not turning:
        return []
    return [
        say(
            indexed("e", 0), ", …, ", indexed("e", 3), " are the Euler parameters of a joint, "
            "scalar first, and ", Letter("ω"), " its relative angular velocity along the axes "
            "of its second body; ",
            line(braces(Accent(Letter("e"), "dot")), "=", "½", matrix("E", True),
                 braces("ω")),
            " as above.",
        )
    ]  # fmt: skip


def _row(
    found: ScalarEquations, i: int, names: dict[Any, Formula], multiplier: dict[int, Formula]
) -> Equation:
    """Return Σ A_ij u̇_j + Σ C_ki λ_k = f_i."""
    left: list[Formula] = []
    for entry, speed in zip(found.mass[i], found.symbols["u"], strict=True):
        left += _times(entry, _rate(names[speed]), names, first=not left)
    for k, lam in multiplier.items():
        left += _times(found.jacobian[k][i], lam, names, first=not left)
    return Equation(Terms(tuple(left)) if left else Numeral("0"), _sum(found.force[i], names))


def _times(entry: Any, what: Formula, names: dict[Any, Formula], first: bool) -> list[Formula]:
    if entry == 0:
        return []
    minus = not entry.is_Add and bool(entry.as_coeff_Mul()[0].is_negative)
    size = -entry if minus else entry
    body = what if size == 1 else line(factor(size, names), what)
    if minus:
        return [Line((MINUS, body))]
    return [body] if first else [Line((PLUS, body))]


def _rate(speed: Formula) -> Formula:
    """Return the rate of a speed: one dot more."""
    if not isinstance(speed, Script):
        return Accent(speed, "dot")
    if isinstance(speed.base, Accent):
        return Script(Accent(speed.base.base, "ddot"), speed.lower, speed.upper)
    return Script(Accent(speed.base, "dot"), speed.lower, speed.upper)


def _names(found: ScalarEquations, letters: dict[str, Formula]) -> dict[Any, Formula]:
    """Return how every symbol is printed."""
    names: dict[Any, Formula] = {
        root: indexed("ℓ", root.name.partition(":")[2]) for root, _ in found.roots
    }
    sp = sympy()
    for name, shown in letters.items():
        names[sp.Symbol(f"p:{name}", positive=True)] = shown
    for key, entries in found.symbols.items():
        for entry in entries:
            name = entry.name.partition(":")[2]
            if key == "u":
                names[entry] = speed_letter(name)
            elif key == "q":
                names[entry] = motion(name, rate=False)
            elif name in letters:
                names[entry] = letters[name]
            else:
                names[entry] = symbol(name) if name[:1].isalpha() else Letter(name)
    return names
