"""Bringing the fields of an element into their one form, and collecting what is wrong.

Every number becomes a finite float or an expression of parameters, every list or array a
tuple. What cannot be right is said in one sentence that names the element, the field, what
was got and what would do; all sentences about one element are raised together.

Two kinds of value differ in when they speak. An element and a shape raise when they are made. A
pose and limits are parts of one: they keep their complaints, and the element that takes them
raises these under its name.
"""

import dataclasses
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bellcrank.errors import ExpressionError, ModelError, did_you_mean
from bellcrank.model.algebra import Number, nominal, nominals, unit
from bellcrank.model.expressions import Expression, expression, number
from bellcrank.spatial import attitudes
from bellcrank.spatial.arithmetic import determinant, dot, transpose

_AXES = {"x": (1.0, 0.0, 0.0), "y": (0.0, 1.0, 0.0), "z": (0.0, 0.0, 1.0)}
_AXES |= {f"-{name}": tuple(0.0 - x for x in axis) for name, axis in _AXES.items()}
LARGEST = sys.float_info.max
FORBIDDEN = re.compile(r"[./\x00-\x1f\x7f-\x9f\u2028\u2029]")


class Refused(Exception):
    """A field was refused; the text is the rest of a sentence that begins with its name."""


class Door:
    """The fields of one value as they come in, and the complaints about them.

    Args:
        value: The frozen dataclass that is being made.
        who: How messages begin, such as `joint 'elbow'` or `Rod`; empty for poses and limits.
    """

    def __init__(self, value: Any, who: str = "") -> None:
        self.value, self.who = value, who
        self.complaints: list[str] = []

    def say(self, text: str) -> None:
        """Add a complaint."""
        self.complaints.append(f"{self.who}: {text}" if self.who else text)

    def put(self, field: str, value: Any) -> None:
        """Set a field of the frozen value."""
        object.__setattr__(self.value, field, value)

    def take(self, field: str, convert: Any, *args: Any, **options: Any) -> bool:
        """Pass a field through a converter; return whether it was accepted."""
        try:
            self.put(field, convert(getattr(self.value, field), *args, **options))
        except Refused as refused:
            self.say(f"{field}{refused}")
            return False
        return True

    def take_rest(self, known: Iterable[str]) -> None:
        """Pass fields that nothing is known of through `real`; None stays None."""
        for field in dataclasses.fields(self.value):
            if field.name not in known and getattr(self.value, field.name) is not None:
                self.take(field.name, real)

    def distinct(self, what: str, first: str, second: str) -> None:
        """Complain where two names of `what`, such as bodies, are the same."""
        if isinstance(first, str) and isinstance(second, str) and first == second:
            self.say(f"needs two different {what}, got {first!r} twice.")

    def keep(self) -> None:
        """Leave the complaints with the value, for the element that will take it."""
        self.put("complaints", tuple(self.complaints))

    def close(self) -> None:
        """Raise all complaints together, if there are any."""
        ModelError.gather(self.complaints)


def real(value: Any, *, unit: str = "", sign: str = "any") -> Number:
    """Return a finite float or an expression of parameters.

    Args:
        value: A number, a string such as `"2*m1"`, or an expression of parameters.
        unit: Its unit, for messages.
        sign: `"any"`, `"positive"`, `"nonnegative"` or `"nonzero"`, tested at nominal values.

    Raises:
        Refused: It is none of these.
    """
    found = _finite(value, unit)
    if sign != "any" and (size := nominal(found)) is not None:
        good = {"positive": size > 0, "nonnegative": size >= 0, "nonzero": size != 0}[sign]
        if not good:
            word = {"nonnegative": "zero or positive", "nonzero": "different from zero"}
            raise Refused(f" must be {word.get(sign, sign)}{_in(unit)}, got {size:.9g}.")
    return found


def vector(
    value: Any, *, unit: str = "", sizes: Sequence[int] = (3,), sign: str = "any"
) -> tuple[Number, ...]:
    """Return a tuple of numbers, of one of the sizes allowed.

    Raises:
        Refused: It is no sequence, has another size, or holds what is no number.
    """
    items = sequence(value, unit, sizes)
    found, bad = [], []
    for i, item in enumerate(items):
        try:
            found.append(real(item, unit=unit, sign=sign))
        except Refused as refused:
            bad.append(f"[{i}]{refused}")
    if bad:
        raise Refused(bad[0])
    return tuple(found)


def point(value: Any, *, unit: str = "m") -> tuple[Number, ...]:
    """Return a point as three numbers, or two for a planar model [m].

    Raises:
        Refused: It is no point.
    """
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        return vector(value, unit=unit, sizes=(2, 3))
    return vector(value, unit=unit)


def padded(p: Any) -> Any:
    """Return a point with its third coordinate, which is 0 where a pair was given."""
    return (*p, 0.0) if len(p) == 2 else p


def axis(value: Any, *, pairs: bool = False) -> tuple[Number, ...]:
    """Return a direction as a unit vector; expressions are left as they are.

    Args:
        value: One of `"x"`, `"-y"`, …, or numbers.
        pairs: Whether two numbers will do, as for a planar model; they stay two.

    Raises:
        Refused: It is no direction, or of length zero.
    """
    if isinstance(value, str):
        if value not in _AXES:
            raise Refused(f" is one of {', '.join(_AXES)} or three numbers, got {value!r}.")
        return _AXES[value]
    found = vector(value, sizes=(2, 3) if pairs and _length(value) == 2 else (3,))
    sizes = nominals(found)
    if sizes is not None and not any(sizes):
        raise Refused(" must not be zero, got (0, 0, 0).")
    if not all(type(x) is float for x in found):
        return found
    return unit(padded(found))[: len(found)]


def matrix(value: Any, *, unit: str = "") -> tuple[tuple[Number, ...], ...]:
    """Return a 3×3 matrix as a tuple of rows.

    Raises:
        Refused: It is no such matrix.
    """
    rows = sequence(value, unit, (3,), what="3×3 entries")
    found = []
    for i, row in enumerate(rows):
        try:
            found.append(vector(row, unit=unit))
        except Refused as refused:
            raise Refused(f"[{i}]{refused}") from None
    return tuple(found)


def rotation(value: Any) -> tuple[tuple[Number, ...], ...]:
    """Return R_WB as a tuple of rows, from 3×3 entries or 4 Euler parameters, scalar first.

    Numbers that are a rotation to nine digits are brought to all digits.

    Raises:
        Refused: It is no right-handed rotation at nominal values.
    """
    if _length(value) == 4:
        p = vector(value, sizes=(4,))
        size = nominals(p)
        if size is not None and abs(sum(x * x for x in size) - 1.0) > 1e-6:
            length = sum(x * x for x in size) ** 0.5
            raise Refused(f" needs Euler parameters of length 1, got length {length:.9g}.")
        squared = p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]
        rows = attitudes.rotation(p)
        return tuple(tuple(x / squared + 0.0 for x in row) for row in rows)
    return _orthonormal(matrix(value))


def _orthonormal(R: Any) -> Any:
    sizes = [nominals(row) for row in R]
    if None in sizes:
        return R
    rows: Any = tuple(sizes)
    gram = [dot(a, b) - (a is b) for a in rows for b in rows]
    worst = max(abs(x) for x in gram)
    if worst > 1e-8 or determinant(rows) < 0:
        fault = "its columns are not orthonormal" if worst > 1e-8 else "it is left-handed"
        raise Refused(f" must be a right-handed rotation; {fault}.")
    if worst < 1e-14 or rows != R:
        return R
    # One Newton step of the polar decomposition, R (3 I − RᵀR) / 2, squares the error.
    columns = transpose(rows)
    defect = [
        [1.5 * (i == j) - 0.5 * dot(columns[i], columns[j]) for j in range(3)] for i in range(3)
    ]
    return tuple(tuple(dot(row, d) + 0.0 for d in zip(*defect, strict=True)) for row in rows)


def sequence(value: Any, unit: str, sizes: Sequence[int], what: str = "") -> tuple[Any, ...]:
    """Return a list, tuple or array as a tuple of one of the sizes allowed.

    Raises:
        Refused: It is something else.
    """
    size = _length(value)
    wanted = what or f"{' or '.join(map(str, sizes))} component{'s' * (sizes[-1] > 1)}"
    if size is None:
        raise Refused(f" needs {wanted}{_in(unit)}, got {short(value)}.")
    if size not in sizes:
        raise Refused(f" needs {wanted}{_in(unit)}, got {size}.")
    return tuple(value)


def law(value: Any) -> Expression:
    """Return an expression from a number, a string, a callable or an expression.

    Raises:
        Refused: It is none of these, or outside the grammar.
    """
    try:
        return expression(value)
    except ExpressionError as error:
        raise Refused(f": {error}") from None


def laws(value: Any, sizes: Sequence[int] = (3,)) -> tuple[Expression, ...]:
    """Return a tuple of expressions, of one of the sizes allowed.

    Args:
        value: A sequence, or text with commas between the components: `"-y, x, 0"`.
        sizes: Numbers of components.

    Raises:
        Refused: It is no sequence of expressions of such a size.
    """
    found = []
    value = _components(value) if isinstance(value, str) else value
    for i, item in enumerate(sequence(value, "", sizes)):
        try:
            found.append(law(item))
        except Refused as refused:
            raise Refused(f"[{i}]{refused}") from None
    return tuple(found)


def _components(text: str) -> list[str]:
    """Return the parts of a text between commas that no bracket or quote holds."""
    text = text.strip()
    for bare in (text, text[1:-1]) if text[:1] in ("(", "[") else (text,):
        parts, depth, quote = [""], 0, ""
        for sign in bare:
            if sign in "'\"" and quote in ("", sign):
                quote = "" if quote else sign
            depth += 0 if quote else (sign in "([") - (sign in ")]")
            if sign == "," and depth == 0 and not quote:
                parts.append("")
            else:
                parts[-1] += sign
        if len(parts) > 1:
            return parts
    return [text]


def named_laws(
    value: Any, *, noun: str, named: str, needs: str
) -> tuple[tuple[str, Expression], ...]:
    """Return names with an expression each, from a mapping or a sequence of pairs.

    Args:
        value: The mapping or the sequence.
        noun: What the names are of, for messages: `speed`.
        named: How they are named: `are named by speeds such as 'A.angle_rate'`.
        needs: How many there must be: `at least one speed`.

    Raises:
        Refused: It is neither, is empty, names something twice or holds no expressions.
    """
    found = []
    for key, item in pairs(value):
        if not isinstance(key, str):
            raise Refused(f" {named}, got {key!r}.")
        try:
            found.append((key, law(item)))
        except Refused as refused:
            raise Refused(f"[{key!r}]{refused}") from None
    if not found:
        raise Refused(f" needs {needs}.")
    if len({key for key, _ in found}) < len(found):
        raise Refused(f" names a {noun} twice.")
    return tuple(found)


def choice(value: Any, options: Iterable[str]) -> str:
    """Return the value if it is one of the options.

    Raises:
        Refused: It is not.
    """
    names = tuple(options)
    if not isinstance(value, str) or value not in names:
        hint = did_you_mean(value, names) if isinstance(value, str) else ""
        raise Refused(f" is one of {', '.join(map(repr, names))}, got {value!r}.{hint}")
    return value


def name(value: Any) -> str:
    """Return the value if it can be the name of an element.

    Raises:
        Refused: It is no text, empty, has blanks at its ends, or has '.', '/' or control
            characters.
    """
    if not isinstance(value, str):
        raise Refused(f" must be text, got {short(value)}.")
    if not value or value != value.strip():
        raise Refused(f" must not be empty or begin or end with a blank, got {value!r}.")
    if bad := FORBIDDEN.search(value):
        raise Refused(f" must not contain {bad.group()!r}, got {value!r}.")
    return value


def pairs(value: Any) -> tuple[tuple[Any, Any], ...]:
    """Return a mapping, or a sequence of pairs, as a tuple of pairs.

    Raises:
        Refused: It is neither.
    """
    items = value.items() if isinstance(value, Mapping) else value
    try:
        return tuple((key, item) for key, item in items)
    except (TypeError, ValueError, OverflowError):
        raise Refused(f" needs names and values, got {short(value)}.") from None


def short(value: Any) -> str:
    """Return a short text of a value that was refused."""
    text = repr(value)
    kind = type(value).__name__
    return text if len(text) <= 60 else f"{'an' if kind[0] in 'AEIOaeio' else 'a'} {kind}"


def _finite(value: Any, unit: str) -> Number:
    if type(value) in (float, int) and abs(value) <= LARGEST:  # most numbers: quickly
        return value + 0.0
    try:
        return number(value)
    except ExpressionError as error:
        if isinstance(value, str | Expression) or callable(value):
            raise Refused(f": {error}") from None
        got = f"{value!r}" if isinstance(value, float) else short(value)
        raise Refused(f" must be a finite number{_in(unit)}, got {got}.") from None


def _length(value: Any) -> int | None:
    if isinstance(value, str | bytes | Mapping | set | frozenset | Expression):
        return None
    try:
        return len(value)
    except TypeError:
        return None


def _in(unit: str) -> str:
    return f" [{unit}]" if unit else ""
