"""Long formulas broken into pieces that may stand on lines of their own, as a typesetter would.

A sum is broken before its signs; where a term is still too long, its brackets are opened, and
the sum within is broken, too; of a long fraction the numerator stands beside one over the
denominator. A line that is much too long ends before a factor, with a dot on the next one.
Lists are broken behind their commas. Nothing is left out.
"""

from bellcrank.spatial.formula import (
    Fence,
    Formula,
    Fraction,
    Line,
    Numeral,
    Script,
    Sign,
    Stack,
    Terms,
    Words,
    width,
)

_SIGNS = ("+", "−")
_TIMES, _COMMA = Sign("·"), Sign(",")
MUCH = 1.2  # times the room, from which on products are broken, too
_ONE = Numeral("1")


def pieces(formula: Formula, room: float, much: float = MUCH) -> list[Formula]:
    """Return a formula in pieces no wider than there is room [em], where that can be done.

    Args:
        formula: What is broken.
        room: The width of a line.
        much: How many times that a product may be wide before it is broken.
    """
    if width(formula) <= room:
        return [formula]
    match formula:
        case Terms(parts):
            return [piece for part in parts for piece in pieces(part, room, much)]
        case Line(parts):
            return _line(parts, room, much)
        case Fence(body, kind):
            return _fence(body, kind, (room, much), None, None)
        case Stack(parts):
            return _fence(Terms(parts), "()", (room, much), None, None)
        case Script(Fence(body, kind), lower, upper):
            return _fence(body, kind, (room, much), lower, upper)
        case Fraction(above, below) if width(above) > room and above != _ONE:
            factor = Fence(above, "()") if _is_sum(above) else above
            return pieces(Line((Fraction(_ONE, below), factor)), room, much)
    return [formula]


def _is_sum(formula: Formula) -> bool:
    """Return whether a formula has terms of its own, which a factor beside it would split."""
    parts = formula.parts if isinstance(formula, Line | Terms) else ()
    return any(_begins_with_sign(part) for part in parts)


def _begins_with_sign(part: Formula) -> bool:
    if isinstance(part, Line) and part.parts:
        return _begins_with_sign(part.parts[0])
    return isinstance(part, Sign) and part.text in _SIGNS


def _fence(
    body: Formula,
    kind: str,
    limits: tuple[float, float],
    lower: Formula | None,
    upper: Formula | None,
) -> list[Formula]:
    inner = pieces(body, *limits)
    if len(inner) == 1:
        return [Script(Fence(body, kind), lower, upper)] if lower or upper else [
            Fence(body, kind)
        ]  # fmt: skip
    closing: Formula = Sign(kind[1])
    if lower or upper:
        closing = Script(closing, lower, upper)
    first, *middle, last = inner
    return [Line((Sign(kind[0]), first)), *middle, Line((last, closing))]


def _may_begin(part: Formula, before: Formula) -> bool:
    """Return whether a line may begin with a part: a factor behind another one."""
    return not isinstance(before, Sign) and not isinstance(part, Sign | Words)


def _line(parts: tuple[Formula, ...], room: float, much: float) -> list[Formula]:
    """Return parts side by side, broken before signs, behind commas and within long parts."""
    found: list[list[Formula]] = [[]]
    for part in parts:
        signed = isinstance(part, Sign) and part.text in _SIGNS
        if found[-1] and (signed or found[-1][-1] == _COMMA):
            found.append([])
        first, *others = pieces(part, room, much)
        wide = found[-1] and width(Line(tuple(found[-1]))) + width(first) > much * room
        if wide and _may_begin(first, found[-1][-1]):
            found.append([_TIMES])
        found[-1].append(first)
        found.extend([one] for one in others)
    return [line[0] if len(line) == 1 else Line(tuple(line)) for line in found if line]


def listed(formula: Formula) -> list[Formula]:
    """Return the entries of a list with commas, each with the comma behind it."""
    if not isinstance(formula, Line) or _COMMA not in formula.parts:
        return [formula]
    found: list[list[Formula]] = [[]]
    for part in formula.parts:
        if found[-1] and found[-1][-1] == _COMMA:
            found.append([])
        found[-1].append(part)
    return [entry[0] if len(entry) == 1 else Line(tuple(entry)) for entry in found]
